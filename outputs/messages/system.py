"""The instructions to the model, and their chunk."""

from typing import TYPE_CHECKING, Any, Literal

from outputs.messages.base import BaseMessage, BaseMessageChunk, Content

__all__ = ["SystemMessage", "SystemMessageChunk"]


class SystemMessage(BaseMessage):
    """The instructions that the model gets before the conversation."""

    type: Literal["system"] = "system"

    if TYPE_CHECKING:

        def __init__(self, content: Content = ..., **fields: Any) -> None: ...


class SystemMessageChunk(SystemMessage, BaseMessageChunk):
    """A piece of a `SystemMessage`."""

    # Subclasses narrow the type to their own name, which type checkers forbid.
    type: Literal["SystemMessageChunk"] = "SystemMessageChunk"  # type: ignore[assignment]

    if TYPE_CHECKING:

        def __init__(self, content: Content = ..., **fields: Any) -> None: ...
