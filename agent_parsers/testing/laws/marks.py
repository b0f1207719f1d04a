"""Laws about the marks of a dialect: what they open is never the answer."""

from __future__ import annotations

from typing import TYPE_CHECKING

from agent_parsers.actions.agent import AgentFinish
from agent_parsers.testing.laws.broken import Broken, law, shown
from agent_parsers.testing.trials.calls_meant import calls_in, first_wrong, parser_for
from agent_parsers.testing.trials.marks import PROSE
from agent_parsers.testing.trials.stories import Refusal, outcome_of

if TYPE_CHECKING:
    from collections.abc import Sequence

    from agent_parsers.engine.grammar.dialect import Dialect
    from agent_parsers.engine.grammar.modes import Mode
    from agent_parsers.testing.trials.calls_meant import Meant
    from outputs.messages.ended import Ended

__all__ = ["no_mark_of_a_call_is_text", "what_is_given_is_never_said"]

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
