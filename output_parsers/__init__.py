"""Parsers of language model output and their base classes.

Every name is imported at its first use, so that importing this package costs next to nothing.
"""

from typing import TYPE_CHECKING

from output_parsers import neighbours  # noqa: F401 - first, since it says what hides a package
from outputs.lazy_names import late_names

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

_MODULES = {
    "BaseGenerationOutputParser": "output_parsers.base",
    "BaseLLMOutputParser": "output_parsers.base",
    "BaseOutputParser": "output_parsers.base",
    "OutputParserException": "output_parsers.exceptions",
    "ModelOutput": "output_parsers.model_output",
    "RunnableConfig": "output_parsers.runnables.step",
    "Runnable": "output_parsers.runnables.runnable",
    "RunnableGenerator": "output_parsers.runnables.runnable",
    "RunnableLambda": "output_parsers.runnables.runnable",
    "RunnableSequence": "output_parsers.runnables.runnable",
    "StrOutputParser": "output_parsers.string",
    "BaseCumulativeTransformOutputParser": "output_parsers.transform",
    "BaseTransformOutputParser": "output_parsers.transform",
    "BooleanOutputParser": "output_parsers.boolean",
    "CombiningOutputParser": "output_parsers.combining",
    "DatetimeOutputParser": "output_parsers.datetime",
    "EnumOutputParser": "output_parsers.enum",
    "OutputFixingParser": "output_parsers.fix",
    "AddableDict": "output_parsers.growing_xml.trees",
    "JsonOutputParser": "output_parsers.json",
    "SimpleJsonOutputParser": "output_parsers.json",
    "parse_and_check_json_markdown": "output_parsers.json_in_prose.markdown",
    "parse_json_markdown": "output_parsers.json_in_prose.markdown",
    "RepairedJson": "output_parsers.json_in_prose.repair",
    "repair_json": "output_parsers.json_in_prose.repair",
    "CommaSeparatedListOutputParser": "output_parsers.list",
    "ListOutputParser": "output_parsers.list",
    "MarkdownListOutputParser": "output_parsers.list",
    "NumberedListOutputParser": "output_parsers.list",
    "JsonKeyOutputFunctionsParser": "output_parsers.openai_functions",
    "JsonOutputFunctionsParser": "output_parsers.openai_functions",
    "OutputFunctionsParser": "output_parsers.openai_functions",
    "JsonOutputKeyToolsParser": "output_parsers.openai_tools",
    "JsonOutputToolsParser": "output_parsers.openai_tools",
    "ChatPromptValue": "output_parsers.prompt_values",
    "PromptValue": "output_parsers.prompt_values",
    "StringPromptValue": "output_parsers.prompt_values",
    "NAIVE_FIX_PROMPT": "output_parsers.prompts",
    "NAIVE_RETRY_PROMPT": "output_parsers.prompts",
    "NAIVE_RETRY_WITH_ERROR_PROMPT": "output_parsers.prompts",
    "PromptTemplate": "output_parsers.prompts",
    "PydanticOutputParser": "output_parsers.pydantic",
    "RegexParser": "output_parsers.regex",
    "RegexDictParser": "output_parsers.regex_dict",
    "RetryOutputParser": "output_parsers.retry",
    "RetryWithErrorOutputParser": "output_parsers.retry",
    "OutputTool": "output_parsers.strategies.schema",
    "OutputToolBinding": "output_parsers.strategies.schema",
    "ProviderStrategyBinding": "output_parsers.strategies.schema",
    "MultipleStructuredOutputsError": "output_parsers.strategies.errors",
    "StructuredOutputError": "output_parsers.strategies.errors",
    "StructuredOutputValidationError": "output_parsers.strategies.errors",
    "StructuredResponse": "output_parsers.strategies.loop",
    "StructuredRetry": "output_parsers.strategies.loop",
    "read_structured_output": "output_parsers.strategies.loop",
    "structured_output_error_message": "output_parsers.strategies.loop",
    "RawAndParsed": "output_parsers.strategies.model",
    "with_structured_output": "output_parsers.strategies.model",
    "SchemaSpec": "output_parsers.strategies.schema",
    "AutoStrategy": "output_parsers.strategies.strategy",
    "HandleErrors": "output_parsers.strategies.strategy",
    "ProviderStrategy": "output_parsers.strategies.strategy",
    "ResponseFormat": "output_parsers.strategies.strategy",
    "ToolStrategy": "output_parsers.strategies.strategy",
    "ResponseSchema": "output_parsers.structured",
    "StructuredOutputParser": "output_parsers.structured",
    "make_invalid_tool_call": "output_parsers.tool_calls.calls",
    "parse_tool_call": "output_parsers.tool_calls.calls",
    "parse_tool_calls": "output_parsers.tool_calls.calls",
    "PydanticAttrOutputFunctionsParser": "output_parsers.openai_functions",
    "PydanticOutputFunctionsParser": "output_parsers.openai_functions",
    "ModelRefusalError": "output_parsers.tool_calls.refusal",
    "PydanticToolsParser": "output_parsers.openai_tools",
    "XMLOutputParser": "output_parsers.xml",
    "YamlOutputParser": "output_parsers.yaml",
    "JsonRepair": "outputs.growing_json.lenient.strings",
    "parse_partial_json": "outputs.growing_json.reader",
}
"""The module of each name that is imported at its first use."""

if not TYPE_CHECKING:  # checkers would take any name to exist
    __getattr__, __dir__ = late_names(__name__, globals(), _MODULES, "outputs")
