"""Parsers of language model output and their base classes.

Every name is imported at its first use, so that importing this package costs next to nothing.
"""

from typing import TYPE_CHECKING

from output_parsers import neighbours  # noqa: F401 - first, since it says what hides a package
from outputs.lazy_names import late_names, modules_of

if TYPE_CHECKING:
    from output_parsers.base import (
        BaseGenerationOutputParser,
        BaseLLMOutputParser,
        BaseOutputParser,
    )
    from output_parsers.boolean import BooleanOutputParser
    from output_parsers.combining import CombiningOutputParser
    from output_parsers.datetime import DatetimeOutputParser
    from output_parsers.enum import EnumOutputParser
    from output_parsers.exceptions import OutputParserException
    from output_parsers.fix import OutputFixingParser
    from output_parsers.growing_xml.trees import AddableDict
    from output_parsers.json import JsonOutputParser, SimpleJsonOutputParser
    from output_parsers.json_in_prose.markdown import (
        parse_and_check_json_markdown,
        parse_json_markdown,
    )
    from output_parsers.json_in_prose.repair import RepairedJson, repair_json
    from output_parsers.list import (
        CommaSeparatedListOutputParser,
        ListOutputParser,
        MarkdownListOutputParser,
        NumberedListOutputParser,
    )
    from output_parsers.model_output import ModelOutput
    from output_parsers.openai_functions import (
        JsonKeyOutputFunctionsParser,
        JsonOutputFunctionsParser,
        OutputFunctionsParser,
        PydanticAttrOutputFunctionsParser,
        PydanticOutputFunctionsParser,
    )
    from output_parsers.openai_tools import (
        JsonOutputKeyToolsParser,
        JsonOutputToolsParser,
        PydanticToolsParser,
    )
    from output_parsers.prompt_values import ChatPromptValue, PromptValue, StringPromptValue
    from output_parsers.prompts import (
        NAIVE_FIX_PROMPT,
        NAIVE_RETRY_PROMPT,
        NAIVE_RETRY_WITH_ERROR_PROMPT,
        PromptTemplate,
    )
    from output_parsers.pydantic import PydanticOutputParser
    from output_parsers.regex import RegexParser
    from output_parsers.regex_dict import RegexDictParser
    from output_parsers.retry import RetryOutputParser, RetryWithErrorOutputParser
    from output_parsers.runnables.runnable import (
        Runnable,
        RunnableGenerator,
        RunnableLambda,
        RunnableSequence,
    )
    from output_parsers.runnables.step import RunnableConfig
    from output_parsers.strategies.errors import (
        MultipleStructuredOutputsError,
        StructuredOutputError,
        StructuredOutputValidationError,
    )
    from output_parsers.strategies.loop import (
        StructuredResponse,
        StructuredRetry,
        read_structured_output,
        structured_output_error_message,
    )
    from output_parsers.strategies.model import RawAndParsed, with_structured_output
    from output_parsers.strategies.schema import (
        OutputTool,
        OutputToolBinding,
        ProviderStrategyBinding,
        SchemaSpec,
    )
    from output_parsers.strategies.strategy import (
        AutoStrategy,
        HandleErrors,
        ProviderStrategy,
        ResponseFormat,
        ToolStrategy,
    )
    from output_parsers.string import StrOutputParser
    from output_parsers.structured import ResponseSchema, StructuredOutputParser
    from output_parsers.tool_calls.calls import (
        make_invalid_tool_call,
        parse_tool_call,
        parse_tool_calls,
    )
    from output_parsers.tool_calls.refusal import ModelRefusalError
    from output_parsers.transform import (
        BaseCumulativeTransformOutputParser,
        BaseTransformOutputParser,
    )
    from output_parsers.xml import XMLOutputParser
    from output_parsers.yaml import YamlOutputParser
    from outputs.growing_json.lenient.strings import JsonRepair
    from outputs.growing_json.reader import parse_partial_json

__all__ = [
    "NAIVE_FIX_PROMPT",
    "NAIVE_RETRY_PROMPT",
    "NAIVE_RETRY_WITH_ERROR_PROMPT",
    "AddableDict",
    "AutoStrategy",
    "BaseCumulativeTransformOutputParser",
    "BaseGenerationOutputParser",
    "BaseLLMOutputParser",
    "BaseOutputParser",
    "BaseTransformOutputParser",
    "BooleanOutputParser",
    "ChatPromptValue",
    "CombiningOutputParser",
    "CommaSeparatedListOutputParser",
    "DatetimeOutputParser",
    "EnumOutputParser",
    "HandleErrors",
    "JsonKeyOutputFunctionsParser",
    "JsonOutputFunctionsParser",
    "JsonOutputKeyToolsParser",
    "JsonOutputParser",
    "JsonOutputToolsParser",
    "JsonRepair",
    "ListOutputParser",
    "MarkdownListOutputParser",
    "ModelOutput",
    "ModelRefusalError",
    "MultipleStructuredOutputsError",
    "NumberedListOutputParser",
    "OutputFixingParser",
    "OutputFunctionsParser",
    "OutputParserException",
    "OutputTool",
    "OutputToolBinding",
    "PromptTemplate",
    "PromptValue",
    "ProviderStrategy",
    "ProviderStrategyBinding",
    "PydanticAttrOutputFunctionsParser",
    "PydanticOutputFunctionsParser",
    "PydanticOutputParser",
    "PydanticToolsParser",
    "RawAndParsed",
    "RegexDictParser",
    "RegexParser",
    "RepairedJson",
    "ResponseFormat",
    "ResponseSchema",
    "RetryOutputParser",
    "RetryWithErrorOutputParser",
    "Runnable",
    "RunnableConfig",
    "RunnableGenerator",
    "RunnableLambda",
    "RunnableSequence",
    "SchemaSpec",
    "SimpleJsonOutputParser",
    "StrOutputParser",
    "StringPromptValue",
    "StructuredOutputError",
    "StructuredOutputParser",
    "StructuredOutputValidationError",
    "StructuredResponse",
    "StructuredRetry",
    "ToolStrategy",
    "XMLOutputParser",
    "YamlOutputParser",
    "make_invalid_tool_call",
    "parse_and_check_json_markdown",
    "parse_json_markdown",
    "parse_partial_json",
    "parse_tool_call",
    "parse_tool_calls",
    "read_structured_output",
    "repair_json",
    "structured_output_error_message",
    "with_structured_output",
]

_MODULES = modules_of(
    {
        "output_parsers.base": "BaseGenerationOutputParser BaseLLMOutputParser BaseOutputParser",
        "output_parsers.boolean": "BooleanOutputParser",
        "output_parsers.combining": "CombiningOutputParser",
        "output_parsers.datetime": "DatetimeOutputParser",
        "output_parsers.enum": "EnumOutputParser",
        "output_parsers.exceptions": "OutputParserException",
        "output_parsers.fix": "OutputFixingParser",
        "output_parsers.growing_xml.trees": "AddableDict",
        "output_parsers.json": "JsonOutputParser SimpleJsonOutputParser",
        "output_parsers.json_in_prose.markdown": (
            "parse_and_check_json_markdown parse_json_markdown"
        ),
        "output_parsers.json_in_prose.repair": "RepairedJson repair_json",
        "output_parsers.list": (
            "CommaSeparatedListOutputParser ListOutputParser MarkdownListOutputParser"
            " NumberedListOutputParser"
        ),
        "output_parsers.model_output": "ModelOutput",
        "output_parsers.openai_functions": (
            "JsonKeyOutputFunctionsParser JsonOutputFunctionsParser OutputFunctionsParser"
            " PydanticAttrOutputFunctionsParser PydanticOutputFunctionsParser"
        ),
        "output_parsers.openai_tools": (
            "JsonOutputKeyToolsParser JsonOutputToolsParser PydanticToolsParser"
        ),
        "output_parsers.prompt_values": "ChatPromptValue PromptValue StringPromptValue",
        "output_parsers.prompts": (
            "NAIVE_FIX_PROMPT NAIVE_RETRY_PROMPT NAIVE_RETRY_WITH_ERROR_PROMPT PromptTemplate"
        ),
        "output_parsers.pydantic": "PydanticOutputParser",
        "output_parsers.regex": "RegexParser",
        "output_parsers.regex_dict": "RegexDictParser",
        "output_parsers.retry": "RetryOutputParser RetryWithErrorOutputParser",
        "output_parsers.runnables.runnable": (
            "Runnable RunnableGenerator RunnableLambda RunnableSequence"
        ),
        "output_parsers.runnables.step": "RunnableConfig",
        "output_parsers.strategies.errors": (
            "MultipleStructuredOutputsError StructuredOutputError StructuredOutputValidationError"
        ),
        "output_parsers.strategies.loop": (
            "StructuredResponse StructuredRetry read_structured_output"
            " structured_output_error_message"
        ),
        "output_parsers.strategies.model": "RawAndParsed with_structured_output",
        "output_parsers.strategies.schema": (
            "OutputTool OutputToolBinding ProviderStrategyBinding SchemaSpec"
        ),
        "output_parsers.strategies.strategy": (
            "AutoStrategy HandleErrors ProviderStrategy ResponseFormat ToolStrategy"
        ),
        "output_parsers.string": "StrOutputParser",
        "output_parsers.structured": "ResponseSchema StructuredOutputParser",
        "output_parsers.tool_calls.calls": (
            "make_invalid_tool_call parse_tool_call parse_tool_calls"
        ),
        "output_parsers.tool_calls.refusal": "ModelRefusalError",
        "output_parsers.transform": "BaseCumulativeTransformOutputParser BaseTransformOutputParser",
        "output_parsers.xml": "XMLOutputParser",
        "output_parsers.yaml": "YamlOutputParser",
        "outputs.growing_json.lenient.strings": "JsonRepair",
        "outputs.growing_json.reader": "parse_partial_json",
    }
)
"""The module of each name that is imported at its first use."""

if not TYPE_CHECKING:  # checkers would take any name to exist
    __getattr__, __dir__ = late_names(__name__, globals(), _MODULES, "outputs")
