"""Pages: what the parsers ask of a model, and what they say about replies that they cannot read."""

from __future__ import annotations

import inspect
import json
from dataclasses import dataclass
from enum import Enum
from typing import Any, Final, Literal

import pytest
from pydantic import BaseModel, Field

import output_parsers as op
from agent_parsers.testing import SnapshotValue, readable
from agent_parsers.testing.snapshots.pages import heading, quoted
from output_parsers.types.models import without_addresses
from outputs import AIMessage

from ..helpers.public_parsers import SUBJECTS, City, Colour

SCORE: Final = op.RegexParser(regex=r"Score: (\d+)", output_keys=["score"])
WHY: Final = op.RegexParser(regex="Because: (.*)", output_keys=["why"])
CITY: Final = op.PydanticOutputParser(pydantic_object=City)

INSTRUCTED: Final[dict[str, Any]] = {
    "BooleanOutputParser": op.BooleanOutputParser(),
    "CombiningOutputParser": op.CombiningOutputParser(parsers=[SCORE, WHY, CITY]),
    "CommaSeparatedListOutputParser": op.CommaSeparatedListOutputParser(),
    "DatetimeOutputParser": op.DatetimeOutputParser(),
    "EnumOutputParser": op.EnumOutputParser(enum=Colour),
    "JsonOutputParser": op.JsonOutputParser(),
    "MarkdownListOutputParser": op.MarkdownListOutputParser(),
    "NumberedListOutputParser": op.NumberedListOutputParser(),
    "OutputFixingParser": op.OutputFixingParser.from_llm(str, WHY),
    "PydanticOutputParser": CITY,
    "RegexDictParser": op.RegexDictParser(output_key_to_format={"score": "Score", "why": "Why"}),
    "RegexParser": SCORE,
    "RetryOutputParser": op.RetryOutputParser.from_llm(str, WHY),
    "RetryWithErrorOutputParser": op.RetryWithErrorOutputParser.from_llm(str, WHY),
    "StructuredOutputParser": op.StructuredOutputParser.from_response_schemas([
        op.ResponseSchema(name="name", description="the name"),
        op.ResponseSchema(name="twins", description="the\ntwin towns", type="list of strings"),
    ]),
    "XMLOutputParser": op.XMLOutputParser(),
    "YamlOutputParser": op.YamlOutputParser(pydantic_object=City),
}  # fmt: skip
"""A parser of each class that has format instructions."""

VARIANTS: Final[dict[str, Any]] = {
    "BooleanOutputParser, other words": op.BooleanOutputParser(true_val="ja", false_val="nein"),
    "DatetimeOutputParser, a date": op.DatetimeOutputParser(format="%d %B %Y"),
    "JsonOutputParser, a schema": op.JsonOutputParser(
        pydantic_object={"type": "object", "properties": {"née": {"type": "string"}}}
    ),
    "XMLOutputParser, certain tags": op.XMLOutputParser(tags=["city", "name"]),
}
"""Parsers whose instructions depend on how they were made."""


class Mode(Enum):
    FERRY = "ferry"
    NIGHT_TRAIN = "night train"


class Stop(BaseModel):
    """A place where the traveller gets out."""

    place: str = Field(description="The town; not the station")
    nights: int = Field(default=1, ge=0, le=14)


@dataclass
class Ticket:
    price: float
    currency: Literal["CHF", "EUR"] = "CHF"


class Leg(BaseModel):
    by: Mode
    to: Stop | None = None
    tickets: list[Ticket] = Field(default_factory=list, max_length=3)


class Journey(BaseModel):
    """A journey, with all that schemas can nest."""

    legs: list[Leg] = Field(description="In the order of travel", min_length=1)
    costs: dict[str, float] = {}
    luggage: tuple[int, str] | Literal["none"] = "none"
    afterwards: Journey | None = None


# -- instructions ---------------------------------------------------------------------------------


def instructions_page(parsers: dict[str, Any]) -> str:
    return "\n".join(
        f"{heading(title)}{parser.get_format_instructions()}\n" for title, parser in parsers.items()
    )


def public_classes() -> dict[str, type[Any]]:
    """Return all parsers among the public names, base classes and aliases aside."""
    names = {name: getattr(op, name) for name in op.__all__}
    return {
        name: value
        for name, value in names.items()
        if isinstance(value, type)
        and issubclass(value, op.BaseLLMOutputParser)
        and not inspect.isabstract(value)
        and value.__name__ == name
    }


def test_every_parser_has_instructions_on_the_page_or_none() -> None:
    assert all(isinstance(parser, public_classes()[name]) for name, parser in INSTRUCTED.items())
    for name in public_classes().keys() - INSTRUCTED.keys():
        (*_, parser) = (each.parser for each in SUBJECTS if type(each.parser).__name__ == name)
        with pytest.raises((NotImplementedError, AttributeError), match="instructions"):
            parser.get_format_instructions()


def test_instructions(snapshot_value: SnapshotValue) -> None:
    page = instructions_page(INSTRUCTED | VARIANTS)
    snapshot_value(page, name="output_parsers/instructions")


def test_instructions_for_nested_schemas(snapshot_value: SnapshotValue) -> None:
    json_parser = op.PydanticOutputParser(pydantic_object=Journey)
    _, _, block = json_parser.get_format_instructions().partition("The schema:\n```\n")
    schema = json.loads(block.removesuffix("\n```"))
    yaml_parser = op.YamlOutputParser(pydantic_object=Journey)
    _, _, text = yaml_parser.get_format_instructions().partition("The schema:\n")
    assert json.loads(text) == schema
    snapshot_value(schema, name="output_parsers/nested_schema")


# -- asking again ---------------------------------------------------------------------------------


def test_what_a_model_is_asked_when_its_reply_cannot_be_read(snapshot_value: SnapshotValue) -> None:
    asked: list[str] = []

    def model(prompt: str) -> str:
        asked.append(prompt)
        return "Because: it is late"

    question = op.StringPromptValue("Why is it dark?")
    assert op.OutputFixingParser.from_llm(model, WHY).parse("It is late.")
    for asking in (op.RetryOutputParser, op.RetryWithErrorOutputParser):
        assert asking.from_llm(model, WHY).parse_with_prompt("It is late.", question)
    titles = ("OutputFixingParser", "RetryOutputParser", "RetryWithErrorOutputParser")
    page = "\n".join(f"{heading(t)}{text}\n" for t, text in zip(titles, asked, strict=True))
    snapshot_value(page, name="output_parsers/asking_again")


# -- errors ---------------------------------------------------------------------------------------


def call(arguments: Any, name: str = "City") -> AIMessage:
    function = {"name": name, "arguments": arguments}
    return AIMessage("", additional_kwargs={"tool_calls": [{"id": "1", "function": function}]})


def function(arguments: Any, name: str = "City") -> AIMessage:
    return AIMessage(
        "", additional_kwargs={"function_call": {"name": name, "arguments": arguments}}
    )


OTHERS: Final = (
    AIMessage("Bonn"),
    AIMessage("", additional_kwargs={"refusal": "I won't."}),
    "Bonn",
)
"""Messages without calls, and what is no message."""

WRONG: Final[dict[str, tuple[Any, tuple[Any, ...]]]] = {
    "BooleanOutputParser": (op.BooleanOutputParser(), ("", "perhaps", "yes and no")),
    "CombiningOutputParser": (
        INSTRUCTED["CombiningOutputParser"],
        ("Score: 7", "Score: 7\n\nso\n\n{}", "Score: 7\n\nBecause: x\n\n{}"),
    ),
    "DatetimeOutputParser": (op.DatetimeOutputParser(format="%Y-%m-%d"), ("soon",)),
    "EnumOutputParser": (op.EnumOutputParser(enum=Colour), ("sea-green",)),
    "JsonKeyOutputFunctionsParser": (
        op.JsonKeyOutputFunctionsParser(key_name="people"),
        (function("{}"),),
    ),
    "JsonOutputFunctionsParser": (
        op.JsonOutputFunctionsParser(),
        (function('{"name": '), *OTHERS),
    ),
    "JsonOutputKeyToolsParser": (op.JsonOutputKeyToolsParser(key_name="City"), (call("[1]"),)),
    "JsonOutputParser": (op.JsonOutputParser(), ("", "Bonn", '{"name": Bonn}', "{'a'}")),
    "JsonOutputParser, lenient": (
        op.JsonOutputParser(lenient=True),
        ("", "Bonn", '{"name": "Bo', '{"a" 1}'),
    ),
    "JsonOutputToolsParser": (
        op.JsonOutputToolsParser(),
        (call('{"name": '), call("[1]"), *OTHERS),
    ),
    "PydanticOutputParser": (
        CITY,
        ("{}", '{"name": "Bonn",\n "people": "many", "twins": [1]}', '["Bonn"]', "Bonn"),
    ),
    "PydanticAttrOutputFunctionsParser": (
        op.PydanticAttrOutputFunctionsParser(pydantic_schema=City, attr_name="name"),
        (function("{}"),),
    ),
    "PydanticOutputFunctionsParser": (
        op.PydanticOutputFunctionsParser(pydantic_schema={"City": City, "Town": City}),
        (function("[1]"), function('{"name": '), function("{}", "Village")),
    ),
    "PydanticToolsParser": (
        op.PydanticToolsParser(tools=[City]),
        (call("{}"), call("{}", "Town"), call("{}", "")),
    ),
    "RegexDictParser": (INSTRUCTED["RegexDictParser"], ("Score: 7", "Score: 7\nScore: 8\nWhy: x")),
    "RegexParser": (SCORE, ("7",)),
    "StructuredOutputParser": (
        INSTRUCTED["StructuredOutputParser"],
        ('```json\n{"name": "Bonn"}\n```', "[]", "Bonn"),
    ),
    "XMLOutputParser": (
        op.XMLOutputParser(),
        ("", "Bonn", "<a><b></a>", "<a>1</a><b/>", '<!DOCTYPE a [<!ENTITY b "c">]><a>&b;</a>'),
    ),
    "YamlOutputParser": (
        INSTRUCTED["YamlOutputParser"],
        ("people: 7", "name: [", "- Bonn", "a: &a 1\nname: *b", "!!python/name:os.system"),
    ),
}
"""A parser of each class that may fail, and replies that it cannot read."""
NEVER_FAIL: Final = {
    "CommaSeparatedListOutputParser",
    "MarkdownListOutputParser",
    "NumberedListOutputParser",
    "OutputFixingParser",
    "OutputFunctionsParser",
    "RetryOutputParser",
    "RetryWithErrorOutputParser",
    "StrOutputParser",
}
"""Parsers without errors of their own."""


def outcome(parser: Any, reply: Any) -> str:
    """Return the error and the observation for the model, or else the result."""
    try:
        return f"result: {parser.invoke(reply)!r}\n"
    except op.OutputParserException as error:
        observation = "" if error.observation is None else f"\n{quoted(error.observation)}"
        return f"{without_addresses(error.pointer())}\n{observation}"
    except ValueError as error:
        return f"{type(error).__name__}: {without_addresses(str(error))}\n"


def as_text(reply: Any) -> str:
    if isinstance(reply, str):
        return reply
    return readable(reply.additional_kwargs or reply.content).rstrip("\n")


def test_every_parser_that_fails_is_on_the_page() -> None:
    assert {*public_classes()} == {*WRONG} & {*public_classes()} | NEVER_FAIL


def test_errors(snapshot_value: SnapshotValue) -> None:
    page = "\n".join(
        heading(title)
        + "\n".join(f"{quoted(as_text(reply))}\n{outcome(parser, reply)}" for reply in replies)
        for title, (parser, replies) in WRONG.items()
    )
    snapshot_value(page, name="output_parsers/errors")
