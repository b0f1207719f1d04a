"""What type checkers say of the results of output parsers: checked, never run."""

from collections.abc import AsyncIterator, Iterator
from datetime import datetime
from enum import Enum
from typing import Any, assert_type

from pydantic import BaseModel

from output_parsers import (
    BaseOutputParser,
    BooleanOutputParser,
    CombiningOutputParser,
    CommaSeparatedListOutputParser,
    DatetimeOutputParser,
    EnumOutputParser,
    JsonOutputFunctionsParser,
    JsonOutputKeyToolsParser,
    JsonOutputParser,
    JsonOutputToolsParser,
    OutputFixingParser,
    PydanticAttrOutputFunctionsParser,
    PydanticOutputFunctionsParser,
    PydanticOutputParser,
    PydanticToolsParser,
    RegexParser,
    RetryOutputParser,
    RetryWithErrorOutputParser,
    StrOutputParser,
    XMLOutputParser,
    YamlOutputParser,
)
from outputs import AIMessage, Generation


class Lake(BaseModel):
    name: str


class River(BaseModel):
    name: str


class Colour(Enum):
    RED = "red"


def check_pydantic(text: str, message: AIMessage, chunks: Iterator[str]) -> None:
    parser = PydanticOutputParser(pydantic_object=Lake)
    assert_type(parser, PydanticOutputParser[Lake])
    assert_type(parser.parse(text), Lake)
    assert_type(parser.invoke(message), Lake)
    assert_type(parser(message), Lake)
    assert_type(parser.batch([text]), list[Lake])
    assert_type(parser.stream(text), Iterator[Lake])
    assert_type(parser.transform(chunks), Iterator[Lake])
    assert_type(parser.parse_result([Generation(text=text)]), Lake)
    assert_type(parser.parse_result([], partial=True), Lake | Any)
    assert_type(YamlOutputParser(pydantic_object=Lake).invoke(text), Lake)


async def check_pydantic_async(text: str, chunks: AsyncIterator[str]) -> None:
    parser = PydanticOutputParser(pydantic_object=Lake)
    assert_type(await parser.aparse(text), Lake)
    assert_type(await parser.ainvoke(text), Lake)
    assert_type(await parser.abatch([text]), list[Lake])
    assert_type(parser.astream(text), AsyncIterator[Lake])
    assert_type(parser.atransform(chunks), AsyncIterator[Lake])


def check_subclasses(text: str) -> None:
    class Loud(PydanticOutputParser[Lake]):
        pass

    class Quiet(JsonOutputParser):
        pass

    assert_type(Loud(pydantic_object=Lake).parse(text), Lake)
    assert_type(Quiet().parse(text), Any)


def check_enums(text: str) -> None:
    assert_type(EnumOutputParser(enum=Colour), EnumOutputParser[Colour])
    assert_type(EnumOutputParser(enum=Colour).invoke(text), Colour)


def check_json(text: str) -> None:
    assert_type(JsonOutputParser(), JsonOutputParser[Any])
    assert_type(JsonOutputParser(pydantic_object=Lake).invoke(text), Any)


def check_plain_results(text: str) -> None:
    assert_type(StrOutputParser().invoke(text), str)
    assert_type(BooleanOutputParser().invoke(text), bool)
    assert_type(DatetimeOutputParser().invoke(text), datetime)
    assert_type(CommaSeparatedListOutputParser().invoke(text), list[str])
    assert_type(RegexParser(regex="(.)", output_keys=["a"]).invoke(text), dict[str, str])
    assert_type(CombiningOutputParser(parsers=[]).invoke(text), dict[str, Any])
    assert_type(XMLOutputParser().parse(text), dict[str, Any])


def check_wrappers(model: Any, text: str) -> None:
    fixing = OutputFixingParser.from_llm(model, EnumOutputParser(enum=Colour))
    assert_type(fixing, OutputFixingParser[Colour])
    assert_type(fixing.invoke(text), Colour)
    plain = OutputFixingParser(parser=DatetimeOutputParser(), retry_chain=model)
    assert_type(plain.invoke(text), datetime)
    dates = RetryOutputParser.from_llm(model, DatetimeOutputParser())
    assert_type(dates.parse_with_prompt(text, text), datetime)
    lakes = RetryWithErrorOutputParser.from_llm(model, PydanticOutputParser(pydantic_object=Lake))
    assert_type(lakes, RetryWithErrorOutputParser[Lake])
    assert_type(lakes.parse_with_prompt(text, text), Lake)


async def check_wrappers_async(model: Any, text: str) -> None:
    dates = RetryOutputParser.from_llm(model, DatetimeOutputParser())
    assert_type(await dates.aparse_with_prompt(text, text), datetime)


def check_sequences(parser: BaseOutputParser[Lake], text: str) -> None:
    both = StrOutputParser() | PydanticOutputParser(pydantic_object=Lake)
    assert_type(both.invoke(text), Lake)
    assert_type((both | StrOutputParser()).invoke(text), str)
    assert_type((len | parser).invoke(text), Lake)
    assert_type((parser | len).invoke(text), Any)


def check_tools(message: AIMessage, first: bool) -> None:
    assert_type(PydanticToolsParser(tools=[Lake]).invoke(message), list[Lake])
    one = PydanticToolsParser(tools=[Lake], first_tool_only=True)
    assert_type(one.invoke(message), Lake | None)
    either: PydanticToolsParser[list[Lake | River]] = PydanticToolsParser(tools=[Lake, River])
    assert_type(either.invoke(message), list[Lake | River])
    assert_type(PydanticToolsParser(tools=[Lake], first_tool_only=first).invoke(message), Any)
    assert_type(JsonOutputToolsParser().invoke(message), Any)
    assert_type(JsonOutputKeyToolsParser(key_name="lake").invoke(message), Any)


def check_functions(message: AIMessage) -> None:
    assert_type(PydanticOutputFunctionsParser(pydantic_schema=Lake).invoke(message), Lake)
    name = PydanticAttrOutputFunctionsParser(pydantic_schema=Lake, attr_name="name")
    assert_type(name.invoke(message), Any)
    assert_type(JsonOutputFunctionsParser().invoke(message), Any)
