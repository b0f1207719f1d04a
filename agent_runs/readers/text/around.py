"""Text between the runs of a console: it belongs to the run before it."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from agent_parsers.transcripts import Transcript
    from agent_runs.reading.building import RunBuilder


class Around:
    """Holds each run back until the text after it has been read.

    The text becomes a notice of that run; text before the first run becomes a notice of that one.
    """

    def __init__(self) -> None:
        self.held: RunBuilder | None = None
        """The run that has ended last."""
        self._texts: list[str] = []
        self._line = 0

    def put(self, text: str, line: int) -> None:
        """Record *text* that is outside of all runs."""
        if self._texts or text.strip():
            self._line = self._line if self._texts else line
            self._texts.append(text)

    def hold(self, run: RunBuilder) -> Iterator[Transcript]:
        """Hold *run*, which has ended, and yield the one before it."""
        if self.held is None:
            self._disown(run)
        yield from self.release()
        self.held = run

    def release(self) -> Iterator[Transcript]:
        """Yield the run that is held back, if there is one."""
        if self.held is not None:
            self._disown(self.held)
            yield self.held.transcript()
            self.held = None

    def rest(self) -> tuple[str, int]:
        """Return the text after which no run followed, and its line."""
        return "".join(self._texts).rstrip(), self._line

    def _disown(self, run: RunBuilder) -> None:
        text = "".join(self._texts).rstrip()
        if text:
            message = "found text outside of the run"
            run.notice("unowned_text", message, text=text, line=self._line, step=0)
        self._texts = []
