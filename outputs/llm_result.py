"""What a model returned for several prompts."""

from copy import deepcopy
from typing import Annotated, Any, ClassVar, Literal

from pydantic import BaseModel, ConfigDict

from outputs.chat_generation import ChatGeneration, ChatGenerationChunk
from outputs.generation import Generation, GenerationChunk
from outputs.messages.base import OrLangChains
from outputs.run_info import RunInfo

__all__ = ["LLMResult"]


class LLMResult(BaseModel):
    """What a model returned for several prompts; ``==`` does not compare the field `run`."""

    model_config: ClassVar[ConfigDict] = ConfigDict(defer_build=True)

    generations: list[
        list[
            Annotated[
                Generation | ChatGeneration | GenerationChunk | ChatGenerationChunk,
                OrLangChains("langchain_core.outputs.generation", "Generation"),
            ]
        ]
    ]
    """For each prompt, one generation or several candidates, the best first."""
    llm_output: dict[str, Any] | None = None
    """What the provider reports about the call, in the provider's own format."""
    run: list[RunInfo] | None = None
    """The run of each prompt."""
    type: Literal["LLMResult"] = "LLMResult"
    """The name of the class, by which serialized data is read back."""

    def flatten(self) -> list["LLMResult"]:
        """Return one result per prompt.

        Token usage belongs to the call as a whole. Only the first result keeps it; the others have
        an empty ``token_usage``, so that a sum over the results counts each token once.
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

    __hash__ = None  # type: ignore[assignment]  # results are mutable
