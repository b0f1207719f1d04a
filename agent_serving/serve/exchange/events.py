"""What a client asks and what it is told, in no particular API; a face turns it into one."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Literal, Protocol, TypeAlias

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from agent_parsers.loop import ToolChoice
    from outputs import UsageMetadata


@dataclass(frozen=True, slots=True)
class Asked:
    """The request of a client, whatever its API."""

    model: str
    """The name of the model, as the client wrote it."""
    history: Sequence[Any]
    """The messages or items, as the API has them; `Asking` takes them as its *history*."""
    system: str = ""
    """What the API has beside the messages: ``instructions``, or ``system``."""
    tools: Sequence[Any] = ()
    """The functions, as the API has them; `known_tools` takes them."""
    tool_choice: ToolChoice = "auto"
    """Whether the model may, or has to, call a tool."""
    parallel: bool = True
    """Whether a reply may have several calls."""
    stream: bool = False
    """Whether the client wants the reply as events."""
    include_usage: bool = True
    """Whether a stream ends with the usage."""
    count: int = 1
    """How many replies are wanted."""
    stop: Sequence[str] = ()
    """The client's stop sequences."""
    schema: Mapping[str, Any] | None = None
    """The JSON Schema of the answer; ``{"type": "object"}`` for any object; `None` for text."""
    settings: Mapping[str, Any] = field(default_factory=dict)
    """What goes to the upstream as it is, under the names of Chat Completions: ``temperature``,
    ``max_tokens``, ``seed``, ``reasoning_effort``, …"""
    echoed: Mapping[str, Any] = field(default_factory=dict)
    """What the API repeats in the reply, such as ``metadata`` in Responses."""
    warnings: Sequence[str] = ()
    """What was asked and is left out, such as a tool that only the provider could run."""


@dataclass(frozen=True, slots=True)
class ReplyText:
    """A piece of the text or the thought of a reply."""

    kind: Literal["thought", "content"]
    text: str
    logprobs: Sequence[Any] = ()
    """What the upstream tells of the tokens of the content, if they were asked for."""


@dataclass(frozen=True, slots=True)
class ReplyCall:
    """A complete call, parsed and checked."""

    id: str
    name: str
    arguments: str
    """A JSON object, as text."""


@dataclass(frozen=True, slots=True)
class ReplyEnd:
    """The end of a reply."""

    reason: Literal["stop", "tool_calls", "length", "content_filter"]
    usage: UsageMetadata | None = None
    """The tokens of all tries; `None` if the upstream does not tell."""
    stop: str | None = None
    """The client's stop sequence at which the text ended; `None` for another end."""


@dataclass(frozen=True, slots=True)
class ReplyFailure:
    """An error in place of a reply, or in place of its rest."""

    status: int
    """The HTTP status, for a reply that has not begun."""
    message: str
    code: str | None = None
    """A word for programs, such as ``context_length_exceeded``."""


ServerEvent: TypeAlias = tuple[str, str]
"""A server-sent event: its name, which is empty if the API has none, and its data."""


class ReplyWriter(Protocol):
    """Writes one reply in the format of an API, as events or whole.

    The methods are called in this order: `begin`, then `say` and `call` in any order, then `end`
    or `fail`.
    """

    def begin(self) -> list[ServerEvent]:
        """Return the events with which a reply begins."""

    def say(self, said: ReplyText) -> list[ServerEvent]:
        """Return the events of a piece of text."""

    def call(self, called: ReplyCall) -> list[ServerEvent]:
        """Return the events of a call."""

    def end(self, ended: ReplyEnd) -> list[ServerEvent]:
        """Return the events with which a reply ends."""

    def fail(self, failed: ReplyFailure) -> list[ServerEvent]:
        """Return the events of a reply that breaks off."""

    @property
    def whole(self) -> dict[str, Any]:
        """The reply as one object; use it after `end`."""


class Face(Protocol):
    """An API that clients speak."""

    path: str
    """The path of its requests, such as ``/v1/chat/completions``."""

    def read(self, body: Mapping[str, Any]) -> Asked:
        """Read the body of a request.

        Raises:
            ValueError: What it asks is wrong, or cannot be done by a model that only writes text;
                the text says which field, and what to do.
        """

    def writer(self, asked: Asked) -> ReplyWriter:
        """Return the writer of the reply; if several replies are wanted, it writes them in turn."""

    def error(self, failed: ReplyFailure) -> dict[str, Any]:
        """Return the body of a reply that is only an error."""
