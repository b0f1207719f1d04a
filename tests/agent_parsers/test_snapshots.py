"""What a dialect tells the model, what it makes of a reply, and what it says of a wrong one."""

import re
from collections.abc import Iterator
from itertools import zip_longest
from pathlib import Path
from textwrap import wrap
from typing import Any

import pytest

from agent_parsers import (
    AgentAction,
    DialectParser,
    OutputParserException,
    StreamParser,
    get_dialect,
    get_parser,
    list_dialects,
    merge_events,
    parse_transcript,
)
from agent_parsers.engine import Mode
from agent_parsers.testing import ReadableSnapshots, readable

from .strategies import a_tool

CASES = Path(__file__).parent.parent / "cases"
TOOLS = {
    "search": "looks up a name in the encyclopedia",
    "calculate": "works out a formula",
    "clock": "",
}
CHUNK = 7
"""Characters in a chunk."""
COLUMN = 56
"""Characters in a column of the table of errors."""

every_dialect = pytest.mark.parametrize("name", list_dialects())


@pytest.fixture
def snapshot(snapshot: Any) -> Any:
    return snapshot.use_extension(ReadableSnapshots)


@every_dialect
def test_prompt(name: str, snapshot: Any) -> None:
    parser = get_parser(name, tools=TOOLS)
    search, calculate = tools_of(name)
    first = written(parser, AgentAction(search, as_input(name, "Lake Brienz"), ""), "What is it?")
    second = AgentAction(calculate, as_input(name, "48.3 - 29.8"), "")
    steps = [(first, "a lake"), (second, 18.5)]
    assert snapshot(name=f"{name}/prompt") == (
        f"{heading('what the model is told')}{parser.get_format_instructions()}\n\n"
        f"{heading('where it stops')}{readable(parser.stop)}\n"
        f"{heading('two past steps, the first with a log, and the invitation to the third')}"
        f"{parser.format_scratchpad(steps)}\n"
    )


@every_dialect
def test_events(name: str, snapshot: Any) -> None:
    told = [heading("the sample, as a transcript") + events(name, "transcript")]
    for title, text in replies("wild", name):
        told.append(f"{heading(title)}{quoted(text)}\n{events(name, 'lenient', text)}")
    assert snapshot(name=f"{name}/events") == "\n".join(told)


@every_dialect
def test_errors(name: str, snapshot: Any) -> None:
    parsers = [get_parser(name, tools=TOOLS, lenient=lenient) for lenient in (False, True)]
    told = []
    for title, text in replies("wrong", name):
        columns = [outcome(parser, text) for parser in parsers]
        lines = [row(*cells) for cells in zip_longest(*columns, fillvalue="")]
        told.append(f"{heading(title)}{quoted(text)}\n" + "\n".join(lines))
    head = row("STRICT", "LENIENT")
    assert snapshot(name=f"{name}/errors") == f"{head}\n\n" + "\n\n".join(told) + "\n"


@every_dialect
def test_transcript(name: str, snapshot: Any) -> None:
    read = parse_transcript(get_dialect(name).sample, dialect=name)
    assert snapshot(name=f"{name}/transcript") == read


@pytest.mark.parametrize("folder", ["wild", "wrong"])
def test_every_dialect_has_replies_and_every_file_a_dialect(folder: str) -> None:
    assert sorted(path.stem for path in (CASES / folder).glob("*.txt")) == list_dialects()


def replies(folder: str, name: str) -> Iterator[tuple[str, str]]:
    """Titles and texts of a file in which dots divide them."""
    blocks = re.split(r"(?m)^\.\n", (CASES / folder / f"{name}.txt").read_text(encoding="utf-8"))
    for heading, text in zip(blocks[:-1:2], blocks[1::2], strict=True):
        (title,) = (line for line in heading.split("\n") if line and line[0] != "#")
        yield title, text.removesuffix("\n")


def heading(title: str) -> str:
    return f"{title}\n{'-' * len(title)}\n"


def quoted(text: str) -> str:
    return "".join(f"| {line}".rstrip() + "\n" for line in text.split("\n"))


def written(parser: DialectParser, action: AgentAction, thought: str) -> AgentAction:
    """Return *action* with the log it has when the model writes it after a *thought*."""
    return action.model_copy(update={"log": parser.render(action, thought=thought)})


def as_input(name: str, text: str) -> str | dict[str, str]:
    """Return *text* as the dialect has it in its own sample."""
    steps = parse_transcript(get_dialect(name).sample, dialect=name).steps
    actions = (step.action for step in steps if isinstance(step.action, AgentAction))
    return text if isinstance(next(actions).tool_input, str) else {"query": text}


def tools_of(name: str) -> tuple[str, str]:
    """Name two tools; in some dialects there is but one."""
    only = a_tool(get_dialect(name))
    return ("search", "calculate") if only == "search" else (only, only)


def events(name: str, mode: Mode, text: str | None = None) -> str:
    dialect = get_dialect(name)
    text = dialect.sample if text is None else text
    parser = StreamParser(dialect, mode=mode)
    chunks = (text[at : at + CHUNK] for at in range(0, len(text), CHUNK))
    told = [event for chunk in chunks for event in parser.feed(chunk)]
    try:
        told += parser.close()
    except OutputParserException as error:
        return f"{readable(merge_events(told + parser.last_events))}{error.pointer()}\n"
    return readable(merge_events(told))


def outcome(parser: DialectParser, text: str) -> list[str]:
    """What *text* comes to, in lines for a column."""
    try:
        turn = parser.read(text)
    except OutputParserException as error:
        reason = str(error).replace(text, "{text}") if text else str(error)
        place = f"{error.line}:{error.column}"
        sent = [] if error.send_to_llm else ["(not sent by LangChain's executor)"]
        return [*column(f"{place} {reason}"), *column(f"> {error.observation}"), *sent]
    result = turn.result
    told = (
        f"{result.tool} {result.tool_input!r}"
        if isinstance(result, AgentAction)
        else f"answer {result.return_values['output']!r}"
    )
    mended = [f"mended: {repair.message}" for repair in turn.repairs]
    return [line for text in (told, *mended) for line in column(text)]


def column(text: str) -> list[str]:
    return wrap(text, COLUMN - 2, subsequent_indent="    ")


def row(left: str, right: str) -> str:
    return f"{left:<{COLUMN}}{right}".rstrip()
