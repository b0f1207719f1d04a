"""Adds the rows of turns that are spelt as their dialect writes them, without objects for them."""

from __future__ import annotations

from functools import lru_cache, partial
from typing import TYPE_CHECKING, Any, Final, TypeAlias

from agent_parsers.engine.reading.canonical.steps import StepReader
from agent_parsers.engine.reading.quoting.quotations import closes_quotation
from agent_parsers.engine.reading.rules.foreign import may_be_foreign
from agent_parsers.engine.reading.rules.known_tools import names_of
from agent_parsers.engine.reading.rules.machine import machine
from agent_parsers.engine.repairs.payloads import BadPayload, ToolHead
from agent_parsers.engine.whole import whole_reader

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from agent_parsers.bulk.columns import Columns
    from agent_parsers.engine.reading.canonical.reader import CanonicalReader
    from agent_parsers.events import Repair
    from agent_parsers.parsers.dialect_parser import AnyDialectParser

__all__ = ["plain_reader"]

AddRows: TypeAlias = "Callable[[Sequence[Any], Columns, Callable[[Any], None]], None]"
"""Adds the rows of some texts to columns; calls its last argument for a text that is not plain."""
_MOST: Final = 256
_FEW: Final = 12
"""How many sequences of markers, of so many, and names are remembered."""


def plain_reader(parser: AnyDialectParser) -> AddRows:
    """Return a function that adds the plain turns of a *parser* to columns."""
    reader = whole_reader(parser.dialect, parser.mode, parser.on_conflict).canonical
    if reader is None or parser.start or parser.prompt:
        return _add_none
    if isinstance(reader, StepReader):
        return _steps_reader(parser, reader)
    return _calls_reader(parser, reader)


def _steps_reader(parser: AnyDialectParser, reader: StepReader) -> AddRows:  # noqa: C901 - see below
    """Return the function for turns with one action.

    It does all for a row in one place, since calls of functions would take half of its time.
    """
    rules = machine(parser.dialect, parser.mode, parser.on_conflict)
    half_stops, max_chars, tools = rules.half_stops, parser.max_chars, parser.tools
    keeps_input_end, keeps_answer = rules.table.keeps_input_end, rules.table.keeps_answer_space
    read_input, read_answer, lenient = rules.read_input, rules.read_answer, rules.lenient
    split, plans = reader.split, lru_cache(_MOST)(reader.plan)
    names = names_of(tools)
    takes_name = lru_cache(_MOST)(partial(reader.takes_name, tools=tools))

    def add_rows(texts: Sequence[Any], columns: Columns, add_other: Callable[[Any], None]) -> None:
        add_answer, add_action = columns.add_answer, columns.add_action
        repairs: list[Repair] = []
        for text in texts:
            value: Any = None
            plan = None
            if type(text) is str and len(text) <= max_chars:
                pieces = split(text)
                marks = tuple(pieces[1::2])
                plan = plans(marks) if len(marks) <= _FEW else reader.plan(marks)
            if plan is None or (lenient and closes_quotation(text)):
                add_other(text)
                continue
            is_action, count, may_be_cut = plan
            written = pieces[-1]
            if may_be_cut and text.endswith(half_stops):
                pass
            elif not is_action:
                written = written if keeps_answer else written.strip()
                is_odd = lenient and may_be_foreign(written, names)
                is_odd = is_odd or not rules.keeps_answer(written, tools)
                if written and not is_odd and read_answer(written, repairs) == written:
                    value = written
            elif takes_name(tool := pieces[-3].strip()):
                written = written.lstrip() if keeps_input_end else written.strip()
                try:
                    value = read_input(written, repairs)
                    if tools is not None:
                        value = rules.fit(ToolHead(tool), value, (0, 0), tools, repairs)
                except BadPayload:
                    value = None
            if value is None or repairs:
                repairs.clear()
                add_other(text)
                continue
            if count == 1:
                thought = pieces[0].strip()
            else:
                thoughts = [piece.strip() for piece in pieces[: 2 * count : 2]]
                thought = "\n".join(filter(None, thoughts))
            if is_action:
                add_action(thought, tool, value)
            else:
                add_answer(thought, value)

    return add_rows


def _calls_reader(parser: AnyDialectParser, reader: CanonicalReader) -> AddRows:
    """Return the function for turns that may have several calls."""
    read, max_chars, tools = reader.plain, parser.max_chars, parser.tools

    def add_rows(texts: Sequence[Any], columns: Columns, add_other: Callable[[Any], None]) -> None:
        for text in texts:
            turn = read(text, tools) if type(text) is str and len(text) <= max_chars else None
            if turn is None:
                add_other(text)
            elif turn.calls:
                columns.add_calls(turn.thought, turn.content, turn.calls)
            else:
                columns.add_answer(turn.thought, turn.content)

    return add_rows


def _add_none(texts: Sequence[Any], _columns: Columns, add_other: Callable[[Any], None]) -> None:
    """Take no turn for a plain one."""
    for text in texts:
        add_other(text)
