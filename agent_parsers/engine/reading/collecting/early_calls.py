"""The calls that are emitted when their block closes, before the turn is over."""

from __future__ import annotations

from itertools import takewhile
from typing import TYPE_CHECKING, Final

from agent_parsers.engine.reading.quoting.quotations import Surroundings
from agent_parsers.engine.reading.quoting.spans import merged
from agent_parsers.engine.repairs.payloads import BadPayload
from agent_parsers.events import ActionComplete

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from agent_parsers.engine.reading.quoting.beside import TextBeside
    from agent_parsers.engine.reading.quoting.judge import FoundCall, ReadyCall
    from agent_parsers.events import Event, Span
    from output_parsers import OutputParserException


class EarlyCalls:
    """Decides which calls are emitted early: all before the first call that is in doubt.

    A call is in doubt if the text before it may belong to a quotation around it, or to a thought,
    such as one that is not closed. This call and those after it are emitted at the end of the turn,
    if they count.
    """

    __slots__ = ("_at", "_waits", "made")

    def __init__(self) -> None:
        self.made: list[ReadyCall] = []
        """The calls that were emitted."""
        self._at = 0  # where the last of them ends
        self._waits = False

    def wait(self) -> None:
        """Emit no more calls early."""
        self._waits = True

    def take(
        self,
        met: FoundCall,
        beside: TextBeside,
        between: Callable[[int, int], str],
        *,
        is_open: bool,
    ) -> list[Event]:
        """Return a list with the event of the call *met*, or an empty one if the call has to wait.

        *between* returns the text between two offsets. If it *is_open*, the block of the call lacks
        its end.
        """
        made = met.made
        is_open = is_open or self._waits or met.is_bare or met.is_short
        if is_open or made is None or beside.opener is not None:
            self._waits = True
            return []
        text = between(self._at, met.hole[1]).rstrip()  # a line break would close backticks
        marks = [*_since(beside.marks, self._at), (met.hole[0], self._at + len(text))]
        if not _is_free(text, marks, _since(beside.thoughts, self._at), self._at):
            self._waits = True
            return []
        self.made.append(made)
        self._at = met.hole[1]
        # imported lazily: only calls need it
        from agent_parsers.actions.tool_action import make_message, make_tool_call

        text = text.lstrip()
        action = make_tool_call(made.tool, made.tool_input, text, make_message(text), made.id)
        return [ActionComplete(action, made.span)]

    def refuted_by(self, made: Sequence[ReadyCall]) -> BadPayload | None:
        """Return the problem if a call was emitted that is not in *made*, the calls of the turn."""
        for number, early in enumerate(self.made):
            if number >= len(made) or made[number] != early:
                return BadPayload("call_in_thought", early.span)
        return None

    def note(self, error: OutputParserException) -> OutputParserException:
        """Return the *error* of the turn with a note that names the calls that were emitted."""
        if self.made:
            names = ", ".join(made.tool for made in self.made)
            error.add_note(f"calls emitted before the error: {names}")
            if error.observation is not None:
                error.observation += f" These calls were already made; do not repeat them: {names}."
        return error


def _since(spans: Sequence[Span], at: int) -> list[Span]:
    """Return the last of *spans*, which are in order, that do not end before *at*."""
    return [*takewhile(lambda span: span[1] > at, reversed(spans))]


def _is_free(text: str, marks: Sequence[Span], thoughts: Sequence[Span], at: int) -> bool:
    """Return whether nothing in *text* can be the beginning of a quotation of the call at its end.

    The text begins at offset *at*; *marks* are the spans of the call and of markers before it.
    """
    call_before = [(0, 1)] if at else []
    if at:
        text, at = _CALL + text, at - 1
    around, inside = (
        [(max(start - at, 0), stop - at) for start, stop in spans] for spans in (marks, thoughts)
    )
    holes = merged([*merged([*call_before, *around], text), *inside])
    return Surroundings(text, holes).is_free(len(holes) - 1)


_CALL: Final = "\x1c"
"""A character in place of the call before."""
