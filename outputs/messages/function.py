"""The result of a function that has no call id, and its chunk."""

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, Literal

from outputs.messages.base import BaseMessage, BaseMessageChunk, Content

__all__ = ["FunctionMessage", "FunctionMessageChunk"]


class FunctionMessage(BaseMessage):
    """The result of a function call, for APIs whose calls have no id."""

    name: str
    """The function's name."""
    type: Literal["function"] = "function"

    if TYPE_CHECKING:

        def __init__(self, content: Content = ..., *, name: str, **fields: Any) -> None: ...


class FunctionMessageChunk(FunctionMessage, BaseMessageChunk):
    """A piece of a `FunctionMessage`; pieces of different functions cannot be added."""

    # Subclasses narrow the type to their own name, which type checkers forbid.
    type: Literal["FunctionMessageChunk"] = "FunctionMessageChunk"  # type: ignore[assignment]

    if TYPE_CHECKING:

        def __init__(self, content: Content = ..., *, name: str, **fields: Any) -> None: ...

    def _sum(self, others: Sequence[BaseMessageChunk]) -> dict[str, Any]:
        names = (chunk.name for chunk in others if isinstance(chunk, FunctionMessageChunk))
        if any(name != self.name for name in names):
            raise ValueError("Cannot concatenate FunctionMessageChunks with different names.")
        return {**super()._sum(others), "name": self.name}
