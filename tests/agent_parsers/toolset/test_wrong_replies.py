"""The observations for invalid calls, in the dialect of the model."""

import json
import re
from datetime import date
from pathlib import Path
from typing import Annotated, Any, Literal

import pytest
from pydantic import AfterValidator, BaseModel, Field, WithJsonSchema

from agent_parsers import (
    AgentAction,
    MessageParser,
    OutputParserException,
    ToolInputError,
    ToolSet,
    UnknownToolError,
    get_parser,
)
from agent_parsers.testing import ReadableSnapshots

TABLE = Path(__file__).with_suffix("").with_name("wrong_replies.txt")


def search(
    query: str, limit: Annotated[int, Field(ge=1, le=50)] = 10, lang: Literal["de", "en"] = "en"
) -> None:
    """Looks up a name."""


class Guest(BaseModel):
    name: str
    age: int | None = None


class Room(BaseModel, title="book_room"):
    """Books a room."""

    place: Annotated[str, Field(min_length=2)]
    nights: Annotated[int, Field(ge=1)]
    start: date | None = Field(None, alias="from")
    guests: list[Guest] = []
    mail: Annotated[str, WithJsonSchema({"type": "string", "format": "email"})] | None = None


class Circle(BaseModel):
    kind: Literal["circle"]
    radius: float


class Square(BaseModel):
    kind: Literal["square"]
    side: float


def draw(shape: Annotated[Circle | Square, Field(discriminator="kind")]) -> None:
    """Draws a shape."""


def now() -> None:
    """Tells the time."""


def _even(people: int) -> int:
    if people % 2:
        raise ValueError("people come in pairs")
    return people


def split(people: Annotated[int, AfterValidator(_even)]) -> None:
    """Splits a bill."""


def seat(number: Annotated[str, Field(pattern="^[0-9]{1,2}[A-F]$")]) -> None:
    """Reserves a seat."""


class Question(BaseModel, title="Intermediate Answer"):
    """Answers a question."""

    question: Annotated[str, Field(min_length=10)]


TOOLS = ToolSet(
    [search, Room, draw, now, split, seat, {"name": "get_weather", "parameters": {}}, "GetWeather"]
)
ASKED = ToolSet([Question])
UNREADABLE = {
    "react: a call of a function, without names",
    "tools: a key that comes twice",
    "haystack: an object that is cut",
    "react: a sentence instead of a name",
    "xml: no input at all",
}
"""Replies without a value that a tool could accept or reject."""


def replies() -> list[tuple[str, str]]:
    """Return titles and replies, which are separated by dots."""
    blocks = re.split(r"(?m)^\.\n", TABLE.read_text("utf-8"))
    heads = [[line for line in head.split("\n") if line and line[0] != "#"] for head in blocks[::2]]
    return [
        (title, text.removesuffix("\n"))
        for (title,), text in zip(heads[:-1], blocks[1::2], strict=True)
    ]


def parser_of(title: str) -> Any:
    name = title.partition(":")[0]
    return get_parser(name, tools=ASKED if name == "self_ask" else TOOLS)


def reply_of(title: str, text: str) -> Any:
    """Return the text, or the message that it represents."""
    if not isinstance(parser_of(title), MessageParser):
        return text
    said = json.loads(text)
    for number, call in enumerate(said.get("tool_calls", ()), 1):
        arguments = call.pop("arguments")
        arguments = arguments if isinstance(arguments, str) else json.dumps(arguments)
        call["id"] = str(number)
        call["function"] = {"name": call.pop("name"), "arguments": arguments}
    return {"role": "assistant", "content": None, **said}


def error_of(title: str, text: str) -> OutputParserException:
    with pytest.raises(OutputParserException) as caught:
        parser_of(title).invoke(reply_of(title, text))
    return caught.value


@pytest.fixture
def snapshot(snapshot: Any) -> Any:
    return snapshot.use_extension(ReadableSnapshots)


def test_the_table_is_long_and_of_many_formats() -> None:
    assert len(replies()) >= 40
    assert len({title.partition(":")[0] for title, _ in replies()}) >= 10


@pytest.mark.parametrize(("title", "text"), replies())
def test_it_is_an_error_that_can_be_sent(title: str, text: str) -> None:
    error = error_of(title, text)
    assert error.send_to_llm
    assert error.span is not None
    if isinstance(error, ToolInputError):
        assert error.problems
    elif not isinstance(error, UnknownToolError):
        assert title in UNREADABLE


@pytest.mark.parametrize(("title", "text"), replies())
def test_what_the_model_is_shown_is_right(title: str, text: str) -> None:
    error, parser = error_of(title, text), parser_of(title)
    said = str(error.observation)
    if (example := said.partition("For example: ")[2]) and not isinstance(parser, MessageParser):
        name = title.partition(":")[0]  # without schemas, since a placeholder is no input
        shown = get_parser(name, tools=parser.tools.names, lenient=False).parse(example)
        (action,) = shown if isinstance(shown, list) else [shown]
        assert isinstance(action, AgentAction)
    elif isinstance(error, ToolInputError) and isinstance(parser, MessageParser):
        assert TOOLS.check(error.tool, json.loads(said.split("\n")[-1]))


def test_the_observations(snapshot: Any) -> None:
    pages = []
    for title, text in replies():
        error = error_of(title, text)
        reply = "\n".join(f"    {line}".rstrip() for line in text.split("\n"))
        pages.append(f"{title}\n{'-' * len(title)}\n{reply}\n\n{error.observation}\n")
    assert snapshot(name="tools/wrong_replies") == "\n\n".join(pages)
