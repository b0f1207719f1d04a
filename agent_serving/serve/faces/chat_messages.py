"""The messages of a request as Chat Completions has them, which is what upstreams take."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final, Literal

if TYPE_CHECKING:
    from collections.abc import Sequence

    from agent_serving.serve.faces.fields import Fields

_APART: Final = "\n\n"
_ERROR: Final = "Error"
"""Begins what a failed tool returned. Chat Completions has no field for it."""


class ToldHistory:
    """Collects the messages that a client sends.

    Successive thoughts, texts and calls of the assistant become one message. System and developer
    messages become one text, since many chat templates accept only one.
    """

    def __init__(self) -> None:
        self.messages: list[dict[str, Any]] = []
        """The messages of the user and the assistant, and the results of calls."""
        self.warnings: list[str] = []
        """What is left out."""
        self._system: list[str] = []
        self._said: dict[str, list[str]] = {"thought": [], "content": []}
        self._calls: list[dict[str, Any]] = []
        self._is_said = False  # whether the assistant has said something
        self._unanswered: dict[str, str] = {}  # where calls stand that have no result so far
        self._called: set[str] = set()

    @property
    def system(self) -> str:
        """The text of the system and developer messages."""
        return _APART.join(self._system)

    def add_system(self, text: str) -> None:
        """Add a system or developer message."""
        if text.strip():
            self._system.append(text)

    def add_user(self, content: str | list[Any]) -> None:
        """Add a user message: a text, or parts."""
        self._end_turn()
        self.messages.append({"role": "user", "content": content})

    def add_said(self, kind: Literal["thought", "content"], text: str) -> None:
        """Add a text or a thought of the assistant."""
        self._is_said = True
        if text:
            self._said[kind].append(text)

    def add_call(self, call_id: str, name: str, arguments: str, where: str) -> None:
        """Add a call.

        Args:
            call_id: Its id.
            name: The name of the tool.
            arguments: The arguments as JSON.
            where: Where it stands in the request.

        Raises:
            ValueError: A call with the same id waits for its result.
        """
        if call_id in self._unanswered:
            raise ValueError(
                f"{where} has the id {call_id!r} of another call without a result: each call"
                " needs an id of its own"
            )
        self._is_said = True
        self._unanswered[call_id] = where
        self._called.add(call_id)
        function = {"name": name, "arguments": arguments}
        self._calls.append({"id": call_id, "type": "function", "function": function})

    def add_result(
        self, call_id: str, content: str | list[Any], where: str, *, is_error: bool = False
    ) -> None:
        """Add the result of a call: a text, or parts.

        Raises:
            ValueError: There is no such call before it, or it has a result.
        """
        if call_id not in self._unanswered:
            told = "already has a result" if call_id in self._called else "was not sent before it"
            raise ValueError(
                f"{where} is the result of the call {call_id!r}, which {told}: send each call"
                " once, then its result"
            )
        self._end_turn()
        del self._unanswered[call_id]
        if is_error:
            content = _marked(content)
        self.messages.append({"role": "tool", "tool_call_id": call_id, "content": content})

    def drop_hosted(self, item: Fields, kind: str) -> None:
        """Drop an *item* of a *kind* that belongs to a tool of the provider."""
        self.warnings.append(
            f"{item.at('type')} is {kind}, which is dropped: only its provider knows this tool"
        )

    def drop_unreadable(self, where: str) -> None:
        """Drop the content at *where*, which is encrypted."""
        self.warnings.append(f"{where} is dropped: only its provider can read it")

    def end(self, where: str) -> None:
        """Check that there is a message to reply to, or a text of the assistant to continue.

        Args:
            where: The field with the messages.

        Raises:
            ValueError: There is nothing, a call lacks its result, or a thought has no text.
        """
        for call_id, place in self._unanswered.items():
            raise ValueError(f"the call {call_id!r} ({place}) has no result: add its result")
        if self._said["thought"]:
            raise ValueError(
                f"`{where}` ends with a thought of the assistant, which no model reliably"
                " continues: leave this message out, or add a user message"
            )
        if self._said["content"]:
            self._end_turn()
        if not self.messages:
            raise ValueError(f"`{where}` has no user message: add one")

    def _end_turn(self) -> None:
        """Add what the assistant has said as a message."""
        if not self._is_said:
            return
        thought, content = (_APART.join(self._said[kind]) for kind in ("thought", "content"))
        message: dict[str, Any] = {"role": "assistant", "content": content}
        if thought:
            message["reasoning_content"] = thought
        if self._calls:
            message["tool_calls"] = self._calls
        self.messages.append(message)
        self._said = {"thought": [], "content": []}
        self._calls, self._is_said = [], False


def _marked(content: str | list[Any]) -> str | list[Any]:
    """Return what a failed tool returned, so that a model sees that it failed."""
    if isinstance(content, list):
        return [text_part(f"{_ERROR}:"), *content]
    if content.casefold().startswith(_ERROR.casefold()):
        return content
    return f"{_ERROR}: {content}" if content else _ERROR


# -- parts of messages -----------------------------------------------------------------------------


def text_part(text: str) -> dict[str, Any]:
    """Return a text part."""
    return {"type": "text", "text": text}


def file_part(address: str, name: str) -> dict[str, Any]:
    """Return a file part; *address* is a data URL."""
    return {"type": "file", "file": {"filename": name, "file_data": address}}


def as_content(parts: Sequence[dict[str, Any]]) -> str | list[Any]:
    """Return *parts* as the content of a message: as one text if all of them are texts."""
    if all(part["type"] == "text" for part in parts):
        return "\n".join(part["text"] for part in parts)
    return [*parts]


def text_in(part: Fields) -> str:
    """Return the text of a *part* in a request, which may be empty.

    Raises:
        ValueError: It is missing.
    """
    text: str | None = part.take("text", str)
    if text is None:
        raise ValueError(f"{part.at('text')} is missing: it must be a string")
    return text


def texts_in(content: str | list[Fields], *kinds: str) -> list[str]:
    """Return the texts in *content*, which may contain nothing else.

    Args:
        content: A text, or its parts.
        kinds: The types of parts that are texts.

    Raises:
        ValueError: It has another part.
    """
    if isinstance(content, str):
        return [content]
    for part in content:
        kind = part.need("type", str)
        if kind not in kinds:
            raise ValueError(f"{part.at('type')} must be {' or '.join(kinds)} here, not {kind!r}")
    return [*map(text_in, content)]
