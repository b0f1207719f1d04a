"""What a chat model returned for one prompt."""

from typing import Annotated, Any, ClassVar

from pydantic import BaseModel, ConfigDict

from outputs.chat_generation import ChatGeneration
from outputs.messages.base import OrLangChains

__all__ = ["ChatResult"]


class ChatResult(BaseModel):
    """What a chat model returned for one prompt."""

    model_config: ClassVar[ConfigDict] = ConfigDict(defer_build=True)

    generations: list[
        Annotated[
            ChatGeneration, OrLangChains("langchain_core.outputs.chat_generation", "ChatGeneration")
        ]
    ]
    """One generation, or several candidates, the best first."""
    llm_output: dict[str, Any] | None = None
    """What the provider reports about the call, in the provider's own format."""
