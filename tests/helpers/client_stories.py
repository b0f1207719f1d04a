"""Compares the results of parsing a client's objects with those of parsing the same data."""

from collections.abc import Sequence
from typing import Any

from agent_laws.trials.stories import outcome_of
from agent_parsers import AgentFinish, MessageParser, OutputParserException
from agent_parsers.testing import assert_same_events


def assert_same_whole(parser: Any, given: Any, plain: Any) -> None:
    """Assert that the object *given* is read like the *plain* data."""
    assert_same_events(parser.events([given]), parser.events([plain]))
    if parser.tools is None and parser.lenient:
        assert parser.invoke(given) == parser.invoke(plain)
        return
    outcome = outcome_of(lambda: parser.invoke(plain))
    assert outcome_of(lambda: parser.invoke(given)) == outcome
    assert outcome_of(lambda: parser.read(given).result) == outcome


def assert_same_stream(parser: Any, given: Sequence[Any], plain: Sequence[Any]) -> None:
    """Assert that a stream of the objects *given* is read like one of the *plain* data."""
    assert_same_events(parser.events(given), parser.events(plain))
    if parser.tools is None and parser.lenient:
        return  # for the many runs this suffices: their events contain the results
    assert stream_outcome(parser, given) == stream_outcome(parser, plain)


def stream_outcome(parser: Any, chunks: Sequence[Any]) -> Any:
    """Return the result of `transform` for *chunks*, or the error that it raises."""
    return outcome_of(lambda: next(parser.transform(iter(chunks))))


def calls_in(result: Any) -> Any:
    """Return the calls or the answer in *result*, whatever API it is from."""
    if isinstance(result, AgentFinish):
        return result.return_values["output"]
    if isinstance(result, list):
        return [(action.tool, action.tool_input, action.tool_call_id) for action in result]
    return (result.tool, result.tool_input)


def said_by(parser: MessageParser, chunks: Sequence[Any]) -> Any:
    """Return the calls or the answer in *chunks*, or the place and reason of the error."""
    reader = parser.stream_parser()
    try:
        for chunk in chunks:
            reader.feed(chunk)
        reader.close()
    except OutputParserException as error:
        return (error.observation, error.span, error.llm_output)
    return calls_in(reader.result)
