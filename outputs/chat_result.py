"""What a chat model returned for one prompt."""

from typing import Any, ClassVar

from pydantic import BaseModel, ConfigDict

from outputs.chat_generation import ChatGeneration

__all__ = ["ChatResult"]


class ChatResult(BaseModel):
    """What a chat model returned for one prompt."""

    model_config: ClassVar[ConfigDict] = ConfigDict(defer_build=True)

    generations: list[ChatGeneration]
    """One generation, or several candidates, the best first."""
    llm_output: dict[str, Any] | None = None
    """What the provider reports about the call, in the provider's own format."""
