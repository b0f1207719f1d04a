"""The law about calls in the form of other dialects: none is an answer."""

from __future__ import annotations

from typing import TYPE_CHECKING

from agent_parsers.actions.agent import AgentFinish
from agent_parsers.testing.laws.broken import Broken, law, shown
from agent_parsers.testing.trials.calls_meant import Meant, calls_in, parser_for
from agent_parsers.testing.trials.stories import Refusal, outcome_of

if TYPE_CHECKING:
    from collections.abc import Sequence

    from agent_parsers.engine.grammar.dialect import Dialect
    from agent_parsers.toolset import Tools, ToolSet

__all__ = ["no_call_is_an_answer"]


@law
def no_call_is_an_answer(
    dialect: Dialect, text: str, *, meant: Sequence[Meant], tools: Tools | ToolSet
) -> None:
    """Check that *text*, a turn with calls in another form, is those calls or an error.

    Args:
        dialect: The dialect to test, in lenient mode.
        text: A turn as another dialect writes it, or in no dialect's form.
        meant: Its calls, in order.
        tools: The tools, which take the calls.

    Raises:
        BrokenLawError: The turn is read as an answer, or makes other calls, or some of them.
    """
    parser = parser_for(dialect, "lenient", tools)
    turn = outcome_of(lambda: parser.read(text))
    if isinstance(turn, Refusal):
        return
    if isinstance(turn.result, AgentFinish):
        raise Broken(f"{shown(meant)} is meant, and it is read as {shown(turn.result)}")
    made = calls_in(turn.result)
    if made != list(meant) and not _are_framed(made, meant):
        raise Broken(f"{shown(meant)} is meant, and it makes {shown(made)}")


def _are_framed(made: Sequence[Meant], meant: Sequence[Meant]) -> bool:
    """Return whether only line breaks at both ends of texts differ.

    Some dialects write them around a value, and in others they are part of it; no text shows which.
    """
    return [_unframed(call) for call in made] == [_unframed(call) for call in meant]


def _unframed(call: Meant) -> Meant:
    given = call.tool_input
    if isinstance(given, dict):
        given = {
            key: value.removeprefix("\n").removesuffix("\n") if isinstance(value, str) else value
            for key, value in given.items()
        }
    return Meant(call.tool, given)
