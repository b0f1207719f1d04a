"""A plain turn has the events that a stream emits, for all cases and all beginnings of turns."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from agent_parsers import get_parser, list_dialects
from agent_parsers.actions.agent import AgentAction, AgentFinish
from agent_parsers.engine.reading.turn import read_turn
from agent_parsers.engine.whole import whole_reader
from output_parsers import OutputParserException

from ...dialects.test_cases import FOLDER, read_cases

if TYPE_CHECKING:
    from collections.abc import Iterator

    from agent_parsers.engine.grammar.dialect import Dialect
    from agent_parsers.engine.grammar.modes import OnConflict

ONE_ACTION = [name for name in list_dialects() if not get_parser(name).dialect.several]


def texts(dialect: Dialect) -> Iterator[str]:
    """Yield the texts of the dialect's cases, and the beginnings of turns that it writes."""
    yield from (case.text for case in read_cases(FOLDER / f"{dialect.name}.txt", "strict"))
    parser = get_parser(dialect.name)
    example = dialect.example
    action = AgentAction(tool=example.tool, tool_input=example.tool_input, log="")
    thought = "I look it up" if dialect.thinks else ""
    for step in (action, AgentFinish({"output": "It is 42 m."}, "")):
        whole = parser.render(step, thought=thought)
        for end in range(len(whole) + 1):
            yield whole[:end]
            yield f" \n{whole[:end]} \n"


@pytest.mark.parametrize("lenient", [True, False], ids=["lenient", "strict"])
@pytest.mark.parametrize("name", ONE_ACTION)
def test_a_plain_turn_is_what_a_stream_reads(name: str, *, lenient: bool) -> None:
    parser = get_parser(name, lenient=lenient)
    reader = whole_reader(parser.dialect, parser.mode)
    found = {text: reader.read_plain(text) for text in texts(parser.dialect)}
    plain = {text: turn for text, turn in found.items() if turn is not None}

    assert plain, "no turn is read in one scan"
    for text, turn in plain.items():
        assert turn == read_turn(parser.stream_parser(), text), text


def test_half_a_stop_sequence_may_be_the_whole_text() -> None:
    """The text is read as if a line break preceded it, with which the stop sequence begins."""
    parser = get_parser("structured_chat")
    stream = parser.stream_parser()
    stream.feed("Observatio")
    with pytest.raises(OutputParserException, match="expected an action"):
        stream.close()
    with pytest.raises(OutputParserException, match="expected an action"):
        parser.parse("Observatio")


@pytest.mark.parametrize("on_conflict", ["first", "action", "answer"])
def test_the_log_ends_where_the_turn_does(on_conflict: OnConflict) -> None:
    text = "Follow up: How old?\nSo the final answer is: 42"
    parser = get_parser("self_ask", on_conflict=on_conflict)
    stream = parser.stream_parser()
    stream.feed(text)
    stream.close()
    assert parser.parse(text) == stream.result
