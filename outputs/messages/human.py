"""A message from the user, and its chunk."""

from typing import TYPE_CHECKING, Any, Literal

from outputs.messages.base import BaseMessage, BaseMessageChunk, Content

__all__ = ["HumanMessage", "HumanMessageChunk"]


class HumanMessage(BaseMessage):
    """A message from the user."""

    type: Literal["human"] = "human"

    if TYPE_CHECKING:  # Pydantic's own signature would require content by name.

        def __init__(self, content: Content = ..., **fields: Any) -> None: ...


class HumanMessageChunk(HumanMessage, BaseMessageChunk):
    """A piece of a `HumanMessage`."""

    # Subclasses narrow the type to their own name, which type checkers forbid.
    type: Literal["HumanMessageChunk"] = "HumanMessageChunk"  # type: ignore[assignment]

    if TYPE_CHECKING:

        def __init__(self, content: Content = ..., **fields: Any) -> None: ...
