"""A progress bar that appears only if reading takes long."""

from __future__ import annotations

from time import monotonic
from typing import TYPE_CHECKING, Final, Self

if TYPE_CHECKING:
    from rich.progress import Progress, TaskID

    from agent_parsers.cli.screen import Screen

_PATIENCE_S: Final = 1.0
"""Delay before the bar appears, in seconds."""
_TICK_S: Final = 0.1
"""Shortest time between two updates of the bar, in seconds."""


class ProgressBar:
    """Shows how much has been read of a *total* in bytes, `None` if it is unknown.

    It does so if *screen* is a terminal and reading takes over a second.
    """

    def __init__(self, screen: Screen, total: int | None) -> None:
        self._screen = screen
        self._total = total
        self._read = 0
        self._next = monotonic() + _PATIENCE_S
        self._progress: Progress | None = None
        self._task: TaskID

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.hide()

    def advance(self, size: int) -> None:
        """Record that *size* more bytes have been read."""
        self._read += size
        now = monotonic()
        if now < self._next or not self._screen.is_seen:
            return
        self._next = now + _TICK_S
        if self._progress is None:
            self._progress = self._new_progress()
            self._task = self._progress.add_task("", total=self._total)
            self._progress.start()
        self._progress.update(self._task, completed=self._read, refresh=True)

    def _new_progress(self) -> Progress:
        from rich.progress import (  # imported lazily: most reading is quick
            BarColumn,
            DownloadColumn,
            Progress,
            TextColumn,
            TimeRemainingColumn,
        )

        return Progress(
            TextColumn("reading"),
            BarColumn(),
            DownloadColumn(),
            TimeRemainingColumn(),
            console=self._screen,
            transient=True,
            auto_refresh=False,  # no thread: the bar is updated only here
            redirect_stdout=False,
            redirect_stderr=False,
        )

    def hide(self) -> None:
        """Hide the bar; it reappears if reading takes long again."""
        self._next = monotonic() + _PATIENCE_S
        if self._progress is not None:
            self._progress.stop()
            self._progress = None
