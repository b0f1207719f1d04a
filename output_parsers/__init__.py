"""Parsers of language model output and their base classes.

Every name is imported at its first use, so that importing this package costs next to nothing.
"""

from typing import TYPE_CHECKING

from output_parsers import neighbours  # noqa: F401 - first, since it says what hides a package
from outputs.lazy_names import late_names, modules_of

if TYPE_CHECKING:
    from output_parsers.base import BaseGenerationOutputParser as BaseGenerationOutputParser
    from output_parsers.base import BaseLLMOutputParser as BaseLLMOutputParser
    from output_parsers.base import BaseOutputParser as BaseOutputParser
    from output_parsers.boolean import BooleanOutputParser as BooleanOutputParser
    from output_parsers.combining import CombiningOutputParser as CombiningOutputParser
    from output_parsers.datetime import DatetimeOutputParser as DatetimeOutputParser
    from output_parsers.enum import EnumOutputParser as EnumOutputParser
    from output_parsers.exceptions import ModelRefusalError as ModelRefusalError
    from output_parsers.exceptions import OutputParserException as OutputParserException
    from output_parsers.fix import OutputFixingParser as OutputFixingParser
    from output_parsers.growing_xml.trees import AddableDict as AddableDict
    from output_parsers.json import JsonOutputParser as JsonOutputParser
    from output_parsers.json import SimpleJsonOutputParser as SimpleJsonOutputParser
    from output_parsers.json_in_prose.markdown import (
        parse_and_check_json_markdown as parse_and_check_json_markdown,
    )
    from output_parsers.json_in_prose.markdown import parse_json_markdown as parse_json_markdown
    from output_parsers.json_in_prose.repair import RepairedJson as RepairedJson
    from output_parsers.json_in_prose.repair import repair_json as repair_json
    from output_parsers.list import CommaSeparatedListOutputParser as CommaSeparatedListOutputParser
    from output_parsers.list import ListOutputParser as ListOutputParser
    from output_parsers.list import MarkdownListOutputParser as MarkdownListOutputParser
    from output_parsers.list import NumberedListOutputParser as NumberedListOutputParser
    from output_parsers.model_output import ModelOutput as ModelOutput
    from output_parsers.openai_functions import (
        JsonKeyOutputFunctionsParser as JsonKeyOutputFunctionsParser,
    )
    from output_parsers.openai_functions import (
        JsonOutputFunctionsParser as JsonOutputFunctionsParser,
    )
    from output_parsers.openai_functions import OutputFunctionsParser as OutputFunctionsParser
    from output_parsers.openai_functions import (
        PydanticAttrOutputFunctionsParser as PydanticAttrOutputFunctionsParser,
    )
    from output_parsers.openai_functions import (
        PydanticOutputFunctionsParser as PydanticOutputFunctionsParser,
    )
    from output_parsers.openai_tools import JsonOutputKeyToolsParser as JsonOutputKeyToolsParser
    from output_parsers.openai_tools import JsonOutputToolsParser as JsonOutputToolsParser
    from output_parsers.openai_tools import PydanticToolsParser as PydanticToolsParser
    from output_parsers.prompt_values import ChatPromptValue as ChatPromptValue
    from output_parsers.prompt_values import PromptValue as PromptValue
    from output_parsers.prompt_values import StringPromptValue as StringPromptValue
    from output_parsers.prompts import NAIVE_FIX_PROMPT as NAIVE_FIX_PROMPT
    from output_parsers.prompts import NAIVE_RETRY_PROMPT as NAIVE_RETRY_PROMPT
    from output_parsers.prompts import (
        NAIVE_RETRY_WITH_ERROR_PROMPT as NAIVE_RETRY_WITH_ERROR_PROMPT,
    )
    from output_parsers.prompts import PromptTemplate as PromptTemplate
    from output_parsers.pydantic import PydanticOutputParser as PydanticOutputParser
    from output_parsers.regex import RegexParser as RegexParser
    from output_parsers.regex_dict import RegexDictParser as RegexDictParser
    from output_parsers.retry import RetryOutputParser as RetryOutputParser
    from output_parsers.retry import RetryWithErrorOutputParser as RetryWithErrorOutputParser
    from output_parsers.runnables.runnable import Runnable as Runnable
    from output_parsers.runnables.runnable import RunnableGenerator as RunnableGenerator
    from output_parsers.runnables.runnable import RunnableLambda as RunnableLambda
    from output_parsers.runnables.runnable import RunnableSequence as RunnableSequence
    from output_parsers.runnables.step import RunnableConfig as RunnableConfig
    from output_parsers.strategies.errors import (
        MultipleStructuredOutputsError as MultipleStructuredOutputsError,
    )
    from output_parsers.strategies.errors import StructuredOutputError as StructuredOutputError
    from output_parsers.strategies.errors import (
        StructuredOutputValidationError as StructuredOutputValidationError,
    )
    from output_parsers.strategies.loop import StructuredResponse as StructuredResponse
    from output_parsers.strategies.loop import StructuredRetry as StructuredRetry
    from output_parsers.strategies.loop import read_structured_output as read_structured_output
    from output_parsers.strategies.loop import (
        structured_output_error_message as structured_output_error_message,
    )
    from output_parsers.strategies.model import RawAndParsed as RawAndParsed
    from output_parsers.strategies.model import with_structured_output as with_structured_output
    from output_parsers.strategies.schema import OutputTool as OutputTool
    from output_parsers.strategies.schema import OutputToolBinding as OutputToolBinding
    from output_parsers.strategies.schema import ProviderStrategyBinding as ProviderStrategyBinding
    from output_parsers.strategies.schema import SchemaSpec as SchemaSpec
    from output_parsers.strategies.strategy import AutoStrategy as AutoStrategy
    from output_parsers.strategies.strategy import HandleErrors as HandleErrors
    from output_parsers.strategies.strategy import ProviderStrategy as ProviderStrategy
    from output_parsers.strategies.strategy import ResponseFormat as ResponseFormat
    from output_parsers.strategies.strategy import ToolStrategy as ToolStrategy
    from output_parsers.string import StrOutputParser as StrOutputParser
    from output_parsers.structured import ResponseSchema as ResponseSchema
    from output_parsers.structured import StructuredOutputParser as StructuredOutputParser
    from output_parsers.tool_calls.calls import make_invalid_tool_call as make_invalid_tool_call
    from output_parsers.tool_calls.calls import parse_tool_call as parse_tool_call
    from output_parsers.tool_calls.calls import parse_tool_calls as parse_tool_calls
    from output_parsers.transform import (
        BaseCumulativeTransformOutputParser as BaseCumulativeTransformOutputParser,
    )
    from output_parsers.transform import BaseTransformOutputParser as BaseTransformOutputParser
    from output_parsers.xml import XMLOutputParser as XMLOutputParser
    from output_parsers.yaml import YamlOutputParser as YamlOutputParser
    from outputs.growing_json.lenient.strings import JsonRepair as JsonRepair
    from outputs.growing_json.reader import parse_partial_json as parse_partial_json

_MODULES = modules_of(
    {
        "output_parsers.base": "BaseGenerationOutputParser BaseLLMOutputParser BaseOutputParser",
        "output_parsers.boolean": "BooleanOutputParser",
        "output_parsers.combining": "CombiningOutputParser",
        "output_parsers.datetime": "DatetimeOutputParser",
        "output_parsers.enum": "EnumOutputParser",
        "output_parsers.exceptions": "ModelRefusalError OutputParserException",
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
        "output_parsers.transform": "BaseCumulativeTransformOutputParser BaseTransformOutputParser",
        "output_parsers.xml": "XMLOutputParser",
        "output_parsers.yaml": "YamlOutputParser",
        "outputs.growing_json.lenient.strings": "JsonRepair",
        "outputs.growing_json.reader": "parse_partial_json",
    }
)
"""The module of each name that is imported at its first use."""

if not TYPE_CHECKING:  # checkers would take any name to exist
    __getattr__, __dir__, __all__ = late_names(
        __name__, globals(), _MODULES, "outputs", "agent_parsers"
    )
