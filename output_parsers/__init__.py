"""Parsers of what language models write, and what they have in common."""

from output_parsers._base import (
    BaseGenerationOutputParser,
    BaseLLMOutputParser,
    BaseOutputParser,
)
from output_parsers._batching import RunnableConfig
from output_parsers._errors import OutputParserException
from output_parsers._model_output import ModelOutput
from output_parsers._runnable import (
    Runnable,
    RunnableGenerator,
    RunnableLambda,
    RunnableSequence,
)
from output_parsers._string import StrOutputParser
from output_parsers._transform import (
    BaseCumulativeTransformOutputParser,
    BaseTransformOutputParser,
)

__all__ = [
    "BaseCumulativeTransformOutputParser",
    "BaseGenerationOutputParser",
    "BaseLLMOutputParser",
    "BaseOutputParser",
    "BaseTransformOutputParser",
    "ModelOutput",
    "OutputParserException",
    "Runnable",
    "RunnableConfig",
    "RunnableGenerator",
    "RunnableLambda",
    "RunnableSequence",
    "StrOutputParser",
]
