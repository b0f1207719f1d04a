"""Reads turns that are spelt as a dialect with labels writes them, without an object for each.

One pattern, made from the dialect, matches such a turn and cuts it at its labels. It refuses texts
in which anything else may mean something: a marker in any spelling, marks of emphasis or of code,
or a thought that begins with a quotation. Those are left to the parser.
"""

from __future__ import annotations

import re
from functools import lru_cache
from typing import TYPE_CHECKING, Any, Final, NamedTuple, TypeAlias

from agent_parsers.actions.agent import AgentAction, AgentFinish
from agent_parsers.engine.grammar.dialect import Written
from agent_parsers.engine.markers.kinds import Inline, Label, label_words, spelt_texts
from agent_parsers.engine.reading.canonical.templates import NAME
from agent_parsers.engine.reading.canonical.turns import canonical_turns
from agent_parsers.engine.reading.rules.machine import machine
from agent_parsers.engine.reading.stream import TurnStream
from agent_parsers.engine.reading.turn import read_turn
from agent_parsers.engine.repairs.names import repair_tool_name
from agent_parsers.engine.repairs.payloads import BadPayload, ToolHead
from output_parsers import OutputParserException

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from agent_parsers.bulk.columns import Columns
    from agent_parsers.engine.grammar.dialect import Dialect
    from agent_parsers.engine.grammar.table import Table
    from agent_parsers.engine.reading.rules.machine import Machine
    from agent_parsers.events import Repair
    from agent_parsers.parsers.dialect_parser import AnyDialectParser
    from agent_parsers.toolset.set import ToolSet

__all__ = ["plain_reader"]

_THOUGHT, _TOOL, _INPUT, _ANSWER = "some thought", "some_tool", "some input", "some answer"
_ODD: Final = "`<#\r" + "".join(map(chr, (*range(9), 11, 12, *range(14, 32), 127)))
"""Characters of code, tags, headings, and control characters."""
_SAFE: Final = r"\"')\]},;/?!="
"""What no label has before its colon."""
_THREES: Final = "\"'~>"
"""Characters that may close a quotation, in threes or with others; see `closes_quotation`."""
_QUOTES: Final = r"""\s*+["'{\[]"""
_MARKS: Final = ("*", "_")


AddRows: TypeAlias = "Callable[[Sequence[Any], Columns, Callable[[Any], None]], None]"
"""Adds the rows of some texts to columns; calls its last argument for a text that is not plain."""


def plain_reader(parser: AnyDialectParser) -> AddRows:
    """Return a function that adds the plain turns of a *parser* to columns."""
    rules = machine(parser.dialect, parser.mode, parser.on_conflict)
    if parser.start or parser.prompt:
        return _add_none
    if parser.dialect.several:
        return _calls_reader(parser, rules)
    patterns = _patterns(rules)
    if patterns is None:
        return _add_none
    return _labels_reader(parser, rules, patterns)


def _labels_reader(
    parser: AnyDialectParser, rules: Machine, patterns: tuple[re.Pattern[str], re.Pattern[str]]
) -> AddRows:
    """Return the function for a dialect with labels.

    It does all for a row in one place, since calls of functions would take half of its time.
    """
    match, match_any = (pattern.match for pattern in patterns)
    half_stops, max_chars, tools = rules.half_stops, parser.max_chars, parser.tools
    read_input, read_answer = rules.read_input, rules.read_answer
    keeps_end, is_plain = rules.table.keeps_input_end, _names_reader(rules, tools)

    def add_rows(texts: Sequence[Any], columns: Columns, add_other: Callable[[Any], None]) -> None:
        add_answer, add_action = columns.add_answer, columns.add_action
        repairs: list[Repair] = []
        for text in texts:
            if type(text) is not str or len(text) > max_chars or text.endswith(half_stops):
                add_other(text)
                continue
            found = match(text)
            if found is None and not _may_end_quotation(text):
                found = match_any(text)
            if found is None:
                add_other(text)
                continue
            thought, tool, written, answer = found.groups()
            value: Any
            if tool is None:
                answer = answer.rstrip()
                value = answer if read_answer(answer, repairs) == answer else None
            elif not is_plain(tool):
                value = None
            else:
                written = written if keeps_end else written.rstrip()
                try:
                    value = read_input(written, repairs)
                    if tools is not None:
                        value = rules.fit(ToolHead(tool), value, (0, 0), tools, repairs)
                except BadPayload:
                    value = None
            if repairs or value is None or (written and written[-1] in _MARKS and not keeps_end):
                repairs.clear()
                add_other(text)
            elif tool is None:
                add_answer((thought or "").strip(), value)
            else:
                add_action((thought or "").strip(), tool, value)

    return add_rows


def _names_reader(rules: Machine, tools: ToolSet | None) -> Callable[[str], bool]:
    """Return whether a name is read as it is, and is that of a tool; a cached function."""

    @lru_cache(1_000)
    def is_plain(tool: str) -> bool:
        repairs: list[Repair] = []
        try:
            head = rules.read_head(tool, (0, 0), tools, repairs)
        except BadPayload:
            return False
        return head == ToolHead(tool) and not repairs and (tools is None or tool in tools)

    return is_plain


def _may_end_quotation(text: str) -> bool:
    """Return what `closes_quotation` returns for a text without tags."""
    return '"""' in text or "'''" in text or "~~~" in text or "-->" in text or "[/" in text


def _calls_reader(parser: AnyDialectParser, rules: Machine) -> AddRows:
    """Return the function for a dialect whose turns may have several calls."""
    if rules.table.read_tool not in (None, repair_tool_name) or parser.tools is not None:
        return _add_none
    turns = canonical_turns(rules.dialect, rules.table)
    if turns is None:
        return _add_none
    read, max_chars, is_plain = turns.read, parser.max_chars, _names_reader(rules, None)

    def add_rows(texts: Sequence[Any], columns: Columns, add_other: Callable[[Any], None]) -> None:
        for text in texts:
            turn = read(text) if type(text) is str and len(text) <= max_chars else None
            if turn is None or not all(is_plain(call.tool) for call in turn.calls):
                add_other(text)
            else:
                columns.add_calls(turn.thought, turn.content, turn.calls)

    return add_rows


def _add_none(texts: Sequence[Any], _columns: Columns, add_other: Callable[[Any], None]) -> None:
    """Take no turn for a plain one: the dialect has none."""
    for text in texts:
        add_other(text)


class _Labels(NamedTuple):
    """What a dialect writes before each part of a turn."""

    thought: str
    tool: str
    input: str
    answer: str


def _labels_of(dialect: Dialect) -> _Labels | None:
    """Return the labels of a dialect; `None` if it writes something else."""
    try:
        action = dialect.write(Written(_THOUGHT, _TOOL, _INPUT))
        answer = dialect.write(Written(_THOUGHT, answer=_ANSWER))
    except Exception:  # noqa: BLE001 - a writer may raise anything, and reading does not need it
        return None
    found = re.fullmatch(f"(.*){_THOUGHT}\n(.*){_TOOL}\n(.*){_INPUT}", action)
    ending = re.fullmatch(f"(.*){_THOUGHT}\n(.*){_ANSWER}", answer)
    if found is None or ending is None or found[1] != ending[1]:
        return None
    return _Labels(found[1], found[2], found[3], ending[2])


def _patterns(rules: Machine) -> tuple[re.Pattern[str], re.Pattern[str]] | None:
    """Return the pattern of the plainest turns, and that of all plain turns, which takes longer.

    The groups are thought, tool, input and answer. `None` if the dialect has no such turns.
    """
    labels = None if rules.table.keeps_answer_space else _labels_of(rules.dialect)
    if labels is None or not _are_read(labels, rules):
        return None
    marks = _marks(rules.table)
    if marks is None:
        return None
    odd = re.escape(_ODD + "".join(marks))
    special = "|".join(re.escape(char) + rule for char, rule in marks.items())
    run = f"[^{odd}]*"
    any_text = (f"{run}(?:(?:{special}){run})*", f"{run}+(?:(?:{special}){run}+)*+")
    plain = f"[^{odd}{_THREES}]*"
    return _pattern(labels, plain, f"{plain}+"), _pattern(labels, *any_text)


def _are_read(labels: _Labels, rules: Machine) -> bool:
    """Return whether plain turns are read as such, however they begin.

    Some dialects insist on the label of a thought, or on inputs of another form.
    """
    action = AgentAction(_TOOL, _INPUT, f"{labels.tool}{_TOOL}\n{labels.input}{_INPUT}")
    answer = AgentFinish({"output": _ANSWER}, f"{labels.answer}{_ANSWER}")
    for before in ("", f"{_THOUGHT}\n", f"{labels.thought}{_THOUGHT}\n"):
        for result, content in ((action, ""), (answer, _ANSWER)):
            said = result.model_copy(update={"log": before + result.log})
            thought = _THOUGHT if before else ""
            try:  # unlike a parser, this does not report what it reads
                turn = read_turn(TurnStream(rules), said.log)
            except OutputParserException:
                return False
            found = (turn.result, turn.thought, turn.content, turn.repairs)
            if found != (said, thought, content, ()):
                return False
    return True


def _pattern(labels: _Labels, before: str, after: str) -> re.Pattern[str]:
    """Return a pattern of turns with these patterns for texts before and after their labels."""
    thought, tool, tool_input, answer = map(re.escape, labels)
    begin = rf"(?:(?:{thought})?+(?!{_QUOTES})({before})\n)?"
    end = rf"[ \t\n]*+(?=\S)({after})\Z"
    return re.compile(rf"{begin}(?:{tool}({NAME})\n{tool_input}{end}|{answer}{end})")


def _marks(table: Table) -> dict[str, str] | None:
    """Return the characters that may be part of a marker, each with a pattern for what is not.

    The patterns look around from behind the character. A label ends in its last word and a colon,
    with digits, white space or emphasis between them. `None` if a marker has no such character.
    """
    words: set[str] = set()
    rests: dict[str, set[str]] = {}
    colons = set(":：")
    for marker in table.markers.values():
        if isinstance(marker, Label | Inline):
            words.update(each.split()[-1] for each in label_words(marker))
            colons.update(marker.colon)
            continue
        for text in map(str.strip, spelt_texts(marker)):
            if len(text) < 2:
                return None
            if text[-1:] in colons:
                words.add(text[:-1].split()[-1])
            elif not {*text} & {*_ODD}:
                rests.setdefault(text[0], set()).add(text[1:])
    if any(char.isalnum() for char in rests) or not all(map(str.isalpha, words)):
        return None
    marks = {char: f"(?!{'|'.join(map(re.escape, ends))})" for char, ends in rests.items()}
    for colon in sorted(colons):
        no_label = "".join(rf"(?<!(?i:{re.escape(word)}){colon})" for word in sorted(words))
        marks[colon] = rf"(?:(?<=[{_SAFE}]{colon})|(?<=[^\W\d_]{colon}){no_label})"
    return marks
