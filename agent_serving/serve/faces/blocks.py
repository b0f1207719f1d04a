"""Writing a reply as blocks, one after another: thoughts, texts and calls."""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import TYPE_CHECKING, Literal, TypeAlias

if TYPE_CHECKING:
    from agent_serving.serve.exchange.events import ReplyCall, ReplyText, ServerEvent

SaidKind: TypeAlias = Literal["thought", "content"]


class BlockWriter(ABC):
    """Opens a block for what is said, and closes it before the next.

    There is no block that is empty or only white space: Anthropic's API would refuse it when it
    comes back in a later request.
    """

    def __init__(self) -> None:
        self._kind: SaidKind | None = None
        self._held: list[str] = []  # white space before the first word of a block
        self._is_open = False

    def say(self, said: ReplyText) -> list[ServerEvent]:
        """Return the events of a piece of text."""
        if not said.text:
            return []
        events = [] if said.kind == self._kind else self._close()
        self._kind = said.kind
        if not self._is_open:
            self._held.append(said.text)
            if not said.text.strip():
                return events
            text, self._held, self._is_open = "".join(self._held), [], True
            return [*events, *self._start(said.kind), *self._add(said.kind, text)]
        return [*events, *self._add(said.kind, said.text)]

    def call(self, called: ReplyCall) -> list[ServerEvent]:
        """Return the events of a call."""
        return [*self._close(), *self._call(called)]

    def _close(self) -> list[ServerEvent]:
        """Return the events that close the open block, if there is one."""
        kind, is_open = self._kind, self._is_open
        self._kind, self._held, self._is_open = None, [], False
        return self._stop(kind) if kind and is_open else []

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
