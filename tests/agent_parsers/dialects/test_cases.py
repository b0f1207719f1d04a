"""The tables in ``tests/cases``: what each dialect reads, and that it needs each of its rows."""

import re
from collections.abc import Iterator
from dataclasses import replace
from itertools import groupby, islice
from pathlib import Path
from typing import Any, NamedTuple

import pytest

from agent_laws.laws.table import reached
from agent_laws.plan import checks_of_texts
from agent_laws.smallest import Case as Trial
from agent_laws.trials.stories import results_in
from agent_parsers import (
    AgentAction,
    AgentFinish,
    Dialect,
    OutputParserException,
    Repair,
    Transcript,
    get_dialect,
    list_dialects,
    parse_transcripts,
)
from agent_parsers.authoring import Table
from agent_parsers.engine.reading.turn import read_turn
from agent_parsers.engine.tables.modes import Mode
from agent_parsers.parsers.dialect_parser import AnyDialectParser, DialectParser, dialect_parser
from outputs.messages.ended import Ended

from ...helpers.effort import THOROUGH
from ...helpers.stories import some

FOLDER = Path(__file__).parents[2] / "cases"
DIALECTS = list_dialects()
TRANSCRIPTS = [name for name in DIALECTS if get_dialect(name).lenient.transcript_start]
OWN_TABLES = {"harmony", "hermes", "kimi_k2", "mistral", "pythonic", "qwen3_coder"}
"""Dialects whose cases cover the rows that other dialects with several calls share."""

MODES: tuple[Mode, ...] = ("strict", "lenient")
ENDED: tuple[Ended, ...] = ("stop", "length")
"""The sections that say how a lenient text ended; it is unknown in the others."""
MAY_BE_LEFT_OUT = ("thought", "tell", "at")
VISIBLE = str.maketrans({"␣": " ", "␉": "\t", "␍": "\r"})


class Case(NamedTuple):
    title: str
    mode: Mode
    text: str
    expected: list[str]
    ended: Ended = "unknown"

    def is_met_by(self, dialect: Dialect) -> bool:
        ways = (False,) if self.mode == "transcript" else (False, True)
        return all(self.outcome_in(dialect, streamed=way) == self.expected for way in ways)

    def outcome_in(self, dialect: Dialect, *, streamed: bool = False) -> list[str]:
        """Return the outcome of the text in *dialect*, without what the case does not mention."""
        keys = {line.partition(":")[0] for line in self.expected}
        if self.mode == "transcript":
            lines = transcript(dialect, self.text)
        else:
            lines = turn(dialect, self.mode, self.text, self.ended, streamed=streamed)
        unasked = {key for key in MAY_BE_LEFT_OUT if key not in keys}
        if self.mode == "transcript":
            unasked -= {"thought"}
        return [line for line in lines if line.partition(":")[0] not in unasked]


# -- what is expected, as the files say ---------------------------------------------------------


def read_cases(path: Path, *modes: Mode) -> Iterator[Case]:
    """Read a file of cases; ``react.txt`` says how it is written."""
    if not path.exists():  # `test_every_dialect_has_cases_and_every_file_a_dialect` names it
        return
    blocks = re.split(r"(?m)^\.\n", path.read_text(encoding="utf-8"))
    assert len(blocks) % 3 == 1, f"{path.name}: a case has a title, a text and an outcome"
    assert not blocks.pop().strip(), f"{path.name}: the last outcome ends in a dot"
    for heading, written, outcome in zip(*[iter(blocks)] * 3, strict=True):
        (title,) = (line for line in heading.split("\n") if line and line[0] != "#")
        text = written.removesuffix("\n").translate(VISIBLE)
        sections = read_outcome(outcome.replace("{text}", text.replace("\n", "\n| ")))
        for mode in modes:
            if mode in sections:
                yield Case(title, mode, text, sections[mode])
        for ended in ENDED if "lenient" in modes else ():
            if ended in sections:
                yield Case(title, "lenient", text, sections[ended], ended)


def read_outcome(outcome: str) -> dict[str, list[str]]:
    """Return what is expected by mode; lines before the first mode apply to all modes."""
    common: list[str] = []
    sections: dict[str, list[str]] = {}
    lines = common
    for line in outcome.translate(VISIBLE).removesuffix("\n").split("\n"):
        if line[:1] == "[" and line[-1:] == "]":
            assert line[1:-1] in (*MODES, *ENDED), f"there is no mode {line}"
            lines = sections.setdefault(line[1:-1], [*common])
        elif line[:1] == "|":
            lines[-1] += "\n" + line.removeprefix("|").removeprefix(" ")
        else:
            lines.append(re.sub(r"^(\w+):$", r"\1: ", line))
    return sections or dict.fromkeys((*MODES, "transcript"), common)


# -- what is reported, in the same form ---------------------------------------------------------


LANGCHAINS = {
    "chat", "conversational", "conversational_chat", "json", "mrkl", "react", "react_docstore",
    "react_json", "self_ask", "structured_chat", "xml",
}  # fmt: skip
"""The dialects of LangChain's classes, whose strict cases are read as these classes do."""


class AsLangChain(DialectParser[Any]):
    _is_langchain = True


def turn(
    dialect: Dialect, mode: str, text: str, ended: Ended, *, streamed: bool = False
) -> list[str]:
    if mode == "strict" and dialect.name in LANGCHAINS:
        parser: AnyDialectParser = AsLangChain(dialect=dialect)
    else:
        parser = dialect_parser(dialect, lenient=mode == "lenient")
    try:
        if streamed:
            read = read_turn(parser.stream_parser(), text, ended)
        else:
            read = parser.read(text, ended=ended)
    except OutputParserException as error:
        start, end = error.span or (-1, -1)
        lines = [f"error {place(text, start)}: {error}", f"tell: {first_line(error.observation)}"]
        return [*lines, f"at: {text[start:end]}"]
    cuts = [repair.span[0] for repair in read.repairs if repair.kind == "invented"]
    log = text[: cuts[0]].rstrip() if cuts else text
    results = results_in(read.result)
    assert {each.log for each in results} == {log}
    lines = [f"thought: {read.thought}"] if read.thought else []
    if isinstance(read.result, list) and read.content:
        lines.append(f"content: {read.content}")
    return lines + [line for each in results for line in result(each)] + repairs(read.repairs, text)


def first_line(text: str | None) -> str:
    """Return what was wrong; what the model wrote and an example follow in lines of their own."""
    return (text or "").partition("\n")[0]


def transcript(dialect: Dialect, text: str) -> list[str]:
    try:
        runs = parse_transcripts(text, dialect=dialect)
    except OutputParserException as error:
        return [f"error {error.line}:{error.column}: {error}"]
    lines = run(runs[0], text)
    for following in runs[1:]:
        lines += ["next run", *run(following, text)]
    return lines


def run(read: Transcript, text: str) -> list[str]:
    lines = [f"preamble: {read.preamble}"] if read.preamble else []
    lines += [f"question: {read.question}"] if read.question else []
    for step in sorted((*read.steps, *read.failed), key=lambda step: step.action_span or (0, 0)):
        lines += [f"thought: {step.thought}"] if step.thought else []
        if step.action is not None:
            lines += result(step.action)
        else:
            assert step.action_span is not None
            lines.append(f"failed {place(text, step.action_span[0])}: {step.error}")
        lines += [f"observation: {step.observation}"] if step.observation is not None else []
    return lines + repairs(read.repairs, text)


def result(read: AgentAction | AgentFinish) -> list[str]:
    if isinstance(read, AgentAction):
        call_id = getattr(read, "tool_call_id", None)
        named = [f"id: {call_id}"] if call_id else []
        return [f"tool: {read.tool}", *named, f"input: {read.tool_input}"]
    return [f"finish: {read.return_values['output']}"]


def repairs(made: tuple[Repair, ...], text: str) -> list[str]:
    return [f"repair {place(text, r.span[0])} {r.kind}: {r.message}" for r in made]


def place(text: str, offset: int) -> str:
    """Line and column of *offset*, from 1."""
    return f"{text.count(chr(10), 0, offset) + 1}:{offset - text.rfind(chr(10), 0, offset)}"


# -- the tests ----------------------------------------------------------------------------------

CASES = {
    name: [
        *read_cases(FOLDER / f"{name}.txt", *MODES),
        *(
            read_cases(FOLDER / "transcripts" / f"{name}.txt", "transcript")
            if name in TRANSCRIPTS
            else ()
        ),
    ]
    for name in DIALECTS
}


@pytest.mark.one_in(1)
@pytest.mark.parametrize("name", DIALECTS)
def test_cases(name: str) -> None:
    dialect = get_dialect(name)
    cases = {f"{case.mode}, {case.ended}: {case.title}": case for case in CASES[name]}
    read = {title: case.outcome_in(dialect) for title, case in cases.items()}
    assert read == {title: case.expected for title, case in cases.items()}


@pytest.mark.parametrize("name", DIALECTS)
def test_every_case_keeps_every_law_of_texts(name: str) -> None:
    dialect = get_dialect(name)
    for case in some(CASES[name], dialect):
        for _, check in checks_of_texts(dialect, case.mode):
            check(Trial(case.text))


@pytest.mark.parametrize(
    ("folder", "names"),
    [(FOLDER, DIALECTS), (FOLDER / "transcripts", TRANSCRIPTS)],
    ids=["turns", "transcripts"],
)
def test_every_dialect_has_cases_and_every_file_a_dialect(folder: Path, names: list[str]) -> None:
    assert sorted(path.stem for path in folder.glob("*.txt")) == names


@pytest.mark.parametrize("name", DIALECTS)
def test_titles_of_cases_are_unique(name: str) -> None:
    titles = [(case.mode, case.ended, case.title) for case in CASES[name]]
    assert [key for key, group in groupby(sorted(titles)) if len([*group]) > 1] == []


def is_needed_by_another(table: Table, row: tuple[str, str]) -> bool:
    """Return whether the table would be invalid without *row*."""
    state, marker = row
    return (table.begun.get(state), marker) in table.transitions


def without_row(table: Table, row: tuple[str, str]) -> Table:
    transitions = {key: transition for key, transition in table.transitions.items() if key != row}
    used = {marker for _, marker in transitions}
    return replace(
        table,
        transitions=transitions,
        markers={name: m for name, m in table.markers.items() if name in used},
    )


def without_end(table: Table, state: str) -> Table:
    return replace(table, ends={key: end for key, end in table.ends.items() if key != state})


def with_table(dialect: Dialect, mode: str, table: Table) -> Dialect:
    if mode == "strict":
        return replace(dialect, strict=table)
    return replace(dialect, lenient=table)


def parts(dialect: Dialect) -> Iterator[object]:
    for table in (dialect.strict, dialect.lenient):
        yield from (*table.transitions.values(), table.ends)
    yield from dialect.problems.values()


OWNERS: dict[int, str] = {}
"""The dialect whose cases show that a part is needed; variants share the part."""
for owner in sorted(DIALECTS, key=lambda name: (name != "react", name)):
    OWNERS |= {id(part): OWNERS.get(id(part), owner) for part in parts(get_dialect(owner))}


def mutants() -> Iterator[tuple[str, str, Dialect]]:
    """Each dialect less a row or a forbidden end, or with another reason for a problem."""
    for name in DIALECTS:
        dialect = get_dialect(name)
        if dialect.several and name not in OWN_TABLES:
            continue
        own = {id(part) for part in parts(dialect) if OWNERS[id(part)] == name}
        for mode, table in zip(MODES, (dialect.strict, dialect.lenient), strict=True):
            states = reached(table, by_caller=False)  # a case cannot begin where the caller says
            for row, transition in table.transitions.items():
                if (
                    row[0] in states
                    and id(transition) in own
                    and not is_needed_by_another(table, row)
                ):
                    yield name, f"{mode}: {row}", with_table(dialect, mode, without_row(table, row))
            for end in table.ends if id(table.ends) in own else ():
                yield (
                    name,
                    f"{mode}: end of {end}",
                    with_table(dialect, mode, without_end(table, end)),
                )
        for problem, text in dialect.problems.items():
            if id(text) not in own:
                continue
            other = replace(text, reason="other", exact="other" if text.exact else "")
            problems = {**dialect.problems, problem: other}
            yield name, f"problem {problem}", replace(dialect, problems=problems)


EACH = 1 if THOROUGH else 4
"""Each of these mutants is tried; all of them when there is time."""


@pytest.mark.parametrize(
    ("name", "mutant"),
    [
        pytest.param(name, mutant, id=f"{name}-{what}")
        for name, what, mutant in islice(mutants(), 0, None, EACH)
    ],
)
def test_no_part_of_a_dialect_can_be_left_out_without_failing_a_case(
    name: str, mutant: Dialect
) -> None:
    assert not all(case.is_met_by(mutant) for case in CASES[name])
