"""What a model call returned: its generations, and what the provider says about the call."""

from copy import deepcopy
from typing import Any, Literal
from uuid import UUID

from pydantic import BaseModel, ConfigDict

from outputs._generations import (
    ChatGeneration,
    ChatGenerationChunk,
    Generation,
    GenerationChunk,
)


class RunInfo(BaseModel):
    """Which run made a result."""

    model_config = ConfigDict(defer_build=True)

    run_id: UUID
    """The run's id."""


class ChatResult(BaseModel):
    """What a chat model returned for one prompt."""

    model_config = ConfigDict(defer_build=True)

    generations: list[ChatGeneration]
    """One generation, or several to choose from, the best first."""
    llm_output: dict[str, Any] | None = None
    """What the provider says about the call, in its own words."""


class LLMResult(BaseModel):
    """What a model returned for several prompts. Results are equal whatever their runs."""

    model_config = ConfigDict(defer_build=True)

    generations: list[list[Generation | ChatGeneration | GenerationChunk | ChatGenerationChunk]]
    """For each prompt one generation, or several to choose from, the best first."""
    llm_output: dict[str, Any] | None = None
    """What the provider says about the call, in its own words."""
    run: list[RunInfo] | None = None
    """The run of each prompt."""
    type: Literal["LLMResult"] = "LLMResult"
    """Which class it is, so that it can be read back."""

    def flatten(self) -> list["LLMResult"]:
        """Return one result per prompt.

        Token usage belongs to the call as a whole. Only the first result keeps it, and the others
        have an empty ``token_usage``, so that adding up over results counts each token once.
        """
        results = []
        for position, generations in enumerate(self.generations):
            output = self.llm_output
            if position and output is not None:
                output = {**deepcopy(output), "token_usage": {}}
            results.append(LLMResult(generations=[generations], llm_output=output))
        return results

    def __eq__(self, other: object) -> bool:
        if not isinstance(other, LLMResult):
            return NotImplemented
        return self.generations == other.generations and self.llm_output == other.llm_output

    __hash__ = None  # type: ignore[assignment]  # it can change
