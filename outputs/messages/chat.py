"""A message from a speaker with a role of any name, and its chunk."""

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, Literal

from outputs.messages.base import BaseMessage, BaseMessageChunk, Content

__all__ = ["ChatMessage", "ChatMessageChunk"]


class ChatMessage(BaseMessage):
    """A message from a speaker with an arbitrary role."""

    role: str
    """The speaker's role."""
    type: Literal["chat"] = "chat"

    if TYPE_CHECKING:

        def __init__(self, content: Content = ..., *, role: str, **fields: Any) -> None: ...


class ChatMessageChunk(ChatMessage, BaseMessageChunk):
    """A piece of a `ChatMessage`; pieces with different roles cannot be added."""

    # Subclasses narrow the type to their own name, which type checkers forbid.
    type: Literal["ChatMessageChunk"] = "ChatMessageChunk"  # type: ignore[assignment]

    if TYPE_CHECKING:

        def __init__(self, content: Content = ..., *, role: str, **fields: Any) -> None: ...

    def _sum(self, others: Sequence[BaseMessageChunk]) -> dict[str, Any]:
        roles = (chunk.role for chunk in others if isinstance(chunk, ChatMessageChunk))
        if any(role != self.role for role in roles):
            raise ValueError("Cannot concatenate ChatMessageChunks with different roles.")
        return {**super()._sum(others), "role": self.role}
