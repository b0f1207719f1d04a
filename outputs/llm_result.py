"""What a model returned for several prompts."""

from copy import deepcopy
from typing import Any, Literal

from pydantic import BaseModel, ConfigDict

from outputs.chat_generation import ChatGeneration, ChatGenerationChunk
from outputs.generation import Generation, GenerationChunk
from outputs.run_info import RunInfo

__all__ = ["LLMResult"]


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
