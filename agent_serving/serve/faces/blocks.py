"""Writing a reply as blocks, one after another: thoughts, texts and calls."""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import TYPE_CHECKING, Literal, TypeAlias

if TYPE_CHECKING:
    from agent_serving.serve.exchange.events import ReplyCall, ReplyText, ServerEvent

SaidKind: TypeAlias = Literal["thought", "content"]


class BlockWriter(ABC):
    """Opens a block for each run of text or thought, and closes it before the next.

    There is no block that is empty or only white space: Anthropic's API would refuse it when it
    comes back in a later request.
    """

    def __init__(self) -> None:
        self._open: SaidKind | None = None  # the kind of the open block
        self._next: SaidKind | None = None  # the kind that the next one may have, and
        self._held: list[str] = []  # the white space before its first word

    def say(self, said: ReplyText) -> list[ServerEvent]:
        """Return the events of a piece of text."""
        if not said.text:
            return []
        if said.kind == self._open:
            self._next, self._held = None, []
            return self._add(said.kind, said.text)
        if said.kind != self._next:
            self._next, self._held = said.kind, []
        self._held.append(said.text)
        if not said.text.strip():
            return []
        text, closed = "".join(self._held), self._close()
        self._open = said.kind
        return [*closed, *self._start(said.kind), *self._add(said.kind, text)]

    def call(self, called: ReplyCall) -> list[ServerEvent]:
        """Return the events of a call."""
        return [*self._close(), *self._call(called)]

    def _close(self) -> list[ServerEvent]:
        """Return the events that close the open block, if there is one."""
        kind, self._open, self._next, self._held = self._open, None, None, []
        return [] if kind is None else self._stop(kind)

    @abstractmethod
    def _start(self, kind: SaidKind) -> list[ServerEvent]:
        """Return the events that open a block."""

    @abstractmethod
    def _add(self, kind: SaidKind, text: str) -> list[ServerEvent]:
        """Return the events that add *text* to the open block."""

    @abstractmethod
    def _stop(self, kind: SaidKind) -> list[ServerEvent]:
        """Return the events that close the open block."""

    @abstractmethod
    def _call(self, called: ReplyCall) -> list[ServerEvent]:
        """Return the events of a call, when no block is open."""
