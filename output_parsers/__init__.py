"""Parsers of what language models write, and what they have in common.

The base classes are imported at once, and each parser with the first use of its name: a program
pays for what it uses.
"""

from typing import TYPE_CHECKING

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
from outputs._late import late_names

if TYPE_CHECKING:
    from output_parsers._boolean import BooleanOutputParser
    from output_parsers._combining import CombiningOutputParser
    from output_parsers._datetime import DatetimeOutputParser
    from output_parsers._enum import EnumOutputParser
    from output_parsers._fixing import OutputFixingParser
    from output_parsers._functions_pydantic import (
        PydanticAttrOutputFunctionsParser,
        PydanticOutputFunctionsParser,
    )
    from output_parsers._json_markdown import (
        parse_and_check_json_markdown,
        parse_json_markdown,
        parse_partial_json,
    )
    from output_parsers._json_parser import JsonOutputParser, SimpleJsonOutputParser
    from output_parsers._json_repair import JsonRepair, RepairedJson, repair_json
    from output_parsers._list import (
        CommaSeparatedListOutputParser,
        ListOutputParser,
        MarkdownListOutputParser,
        NumberedListOutputParser,
    )
    from output_parsers._openai_functions import (
        JsonKeyOutputFunctionsParser,
        JsonOutputFunctionsParser,
        OutputFunctionsParser,
    )
    from output_parsers._openai_tools import JsonOutputKeyToolsParser, JsonOutputToolsParser
    from output_parsers._prompts import (
        NAIVE_FIX_PROMPT,
        NAIVE_RETRY_PROMPT,
        NAIVE_RETRY_WITH_ERROR_PROMPT,
        PromptTemplate,
        PromptValue,
        StringPromptValue,
    )
    from output_parsers._pydantic_parser import PydanticOutputParser
    from output_parsers._regex import RegexParser
    from output_parsers._regex_dict import RegexDictParser
    from output_parsers._retry import RetryOutputParser, RetryWithErrorOutputParser
    from output_parsers._strategies import (
        AutoStrategy,
        HandleErrors,
        ProviderStrategy,
        ResponseFormat,
        ToolStrategy,
    )
    from output_parsers._strategies_bindings import (
        OutputTool,
        OutputToolBinding,
        ProviderStrategyBinding,
    )
    from output_parsers._strategies_errors import (
        MultipleStructuredOutputsError,
        StructuredOutputError,
        StructuredOutputValidationError,
    )
    from output_parsers._strategies_loop import (
        StructuredResponse,
        StructuredRetry,
        read_structured_output,
        structured_output_error_message,
    )
    from output_parsers._strategies_model import with_structured_output
    from output_parsers._strategies_schema import SchemaSpec
    from output_parsers._structured import ResponseSchema, StructuredOutputParser
    from output_parsers._tools_calls import (
        make_invalid_tool_call,
        parse_tool_call,
        parse_tool_calls,
    )
    from output_parsers._tools_pydantic import PydanticToolsParser
    from output_parsers._tools_refusal import ModelRefusalError
    from output_parsers._xml import XMLOutputParser
    from output_parsers._xml_trees import AddableDict
    from output_parsers._yaml import YamlOutputParser

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
    "ModelRefusalError": "_tools_refusal",
    "BooleanOutputParser": "_boolean",
    "CombiningOutputParser": "_combining",
    "DatetimeOutputParser": "_datetime",
    "EnumOutputParser": "_enum",
    "OutputFixingParser": "_fixing",
    "PydanticAttrOutputFunctionsParser": "_functions_pydantic",
    "PydanticOutputFunctionsParser": "_functions_pydantic",
    "parse_and_check_json_markdown": "_json_markdown",
    "parse_json_markdown": "_json_markdown",
    "parse_partial_json": "_json_markdown",
    "JsonOutputParser": "_json_parser",
    "SimpleJsonOutputParser": "_json_parser",
    "JsonRepair": "_json_repair",
    "RepairedJson": "_json_repair",
    "repair_json": "_json_repair",
    "ListOutputParser": "_list",
    "CommaSeparatedListOutputParser": "_list",
    "NumberedListOutputParser": "_list",
    "MarkdownListOutputParser": "_list",
    "JsonKeyOutputFunctionsParser": "_openai_functions",
    "JsonOutputFunctionsParser": "_openai_functions",
    "OutputFunctionsParser": "_openai_functions",
    "JsonOutputKeyToolsParser": "_openai_tools",
    "JsonOutputToolsParser": "_openai_tools",
    "NAIVE_FIX_PROMPT": "_prompts",
    "NAIVE_RETRY_PROMPT": "_prompts",
    "NAIVE_RETRY_WITH_ERROR_PROMPT": "_prompts",
    "PromptTemplate": "_prompts",
    "PromptValue": "_prompts",
    "StringPromptValue": "_prompts",
    "PydanticOutputParser": "_pydantic_parser",
    "RegexParser": "_regex",
    "RegexDictParser": "_regex_dict",
    "RetryOutputParser": "_retry",
    "RetryWithErrorOutputParser": "_retry",
    "AutoStrategy": "_strategies",
    "HandleErrors": "_strategies",
    "ProviderStrategy": "_strategies",
    "ResponseFormat": "_strategies",
    "ToolStrategy": "_strategies",
    "OutputTool": "_strategies_bindings",
    "OutputToolBinding": "_strategies_bindings",
    "ProviderStrategyBinding": "_strategies_bindings",
    "MultipleStructuredOutputsError": "_strategies_errors",
    "StructuredOutputError": "_strategies_errors",
    "StructuredOutputValidationError": "_strategies_errors",
    "StructuredResponse": "_strategies_loop",
    "StructuredRetry": "_strategies_loop",
    "read_structured_output": "_strategies_loop",
    "structured_output_error_message": "_strategies_loop",
    "with_structured_output": "_strategies_model",
    "SchemaSpec": "_strategies_schema",
    "ResponseSchema": "_structured",
    "StructuredOutputParser": "_structured",
    "make_invalid_tool_call": "_tools_calls",
    "parse_tool_call": "_tools_calls",
    "parse_tool_calls": "_tools_calls",
    "PydanticToolsParser": "_tools_pydantic",
    "XMLOutputParser": "_xml",
    "AddableDict": "_xml_trees",
    "YamlOutputParser": "_yaml",
}
"""Where each name is that is imported at its first use."""

__getattr__, __dir__ = late_names(__name__, globals(), _MODULES)
