"""Laws about marks: what those of a dialect open, and those of others, is never the answer."""

from __future__ import annotations

from typing import TYPE_CHECKING

from agent_parsers import AgentFinish
from agent_parsers.testing.laws.broken import Broken, law, shown
from agent_parsers.testing.trials.calls_meant import Meant, calls_in, first_wrong, parser_for
from agent_parsers.testing.trials.marked_turns import PROSE
from agent_parsers.testing.trials.stories import Refusal, outcome_of

if TYPE_CHECKING:
    from collections.abc import Sequence

    from agent_parsers import Dialect
    from agent_parsers.authoring import Mode
    from agent_parsers.toolset import Tools, ToolSet
    from outputs import Ended

__all__ = ["no_call_is_an_answer", "no_mark_of_a_call_is_text", "what_is_given_is_never_said"]

_ENDED: tuple[Ended, ...] = ("unknown", "stop")


@law
def no_mark_of_a_call_is_text(dialect: Dialect, mode: Mode, text: str, *, mark: str) -> None:
    """Check that *text*, in which a *mark* opens a call, makes calls or is refused.

    Args:
        dialect: The dialect to test.
        mode: The mode in which texts are read.
        text: A turn that does not quote the mark, nor mention it in a sentence.
        mark: The mark.

    Raises:
        BrokenLawError: The turn is an answer, or the mark or what follows it is content.
    """
    parser = parser_for(dialect, mode, None)
    for ended in _ENDED:
        turn = outcome_of(lambda ended=ended: parser.read(text, ended=ended))  # type: ignore[misc]
        if isinstance(turn, Refusal):
            continue
        if isinstance(turn.result, AgentFinish):
            raise Broken(f"a call begins, and it is read as {shown(turn.result)} (ended: {ended})")
        if mark in turn.content or PROSE in turn.content:
            raise Broken(f"a mark opens a call, and {turn.content!r} is content (ended: {ended})")


@law
def what_is_given_is_never_said(
    dialect: Dialect,
    mode: Mode,
    text: str,
    *,
    seen: str,
    meant: Sequence[Meant] = (),
    is_all: bool = False,
) -> None:
    """Check that a turn ends where *text* goes on with a result, which the model is given.

    Args:
        dialect: The dialect to test.
        mode: The mode in which texts are read.
        text: A turn and a result behind it, with the marks of results.
        seen: A word of the result.
        meant: The calls before the result.
        is_all: Whether nothing stands before the result, so that the turn has to be refused.

    Raises:
        BrokenLawError: The result is part of an answer or of content, other calls are made, or in
            lenient mode those before the result are not.
    """
    parser = parser_for(dialect, mode, None)
    for ended in _ENDED:
        turn = outcome_of(lambda ended=ended: parser.read(text, ended=ended))  # type: ignore[misc]
        if isinstance(turn, Refusal):
            if meant and mode == "lenient":
                raise Broken(f"it is read as {shown(turn)}, where {shown(list(meant))} is meant")
            continue
        if is_all or seen in turn.content:
            raise Broken(f"what is given is read as {shown(turn.result)} (ended: {ended})")
        calls = calls_in(turn.result)
        if first_wrong(calls, meant) is not None or len(calls) < len(meant):
            raise Broken(f"it makes {shown(calls)}, where {shown(list(meant))} is meant")


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
