"""What a model is told that calls a tool in the wrong way."""

import json
from datetime import date
from pathlib import Path
from typing import Annotated, Any, Literal

import pytest
from pydantic import AfterValidator, BaseModel, Field, WithJsonSchema

from agent_parsers import OutputParserException
from agent_parsers.testing import ReadableSnapshots
from agent_parsers.tools import ToolInputError, ToolSet, UnknownToolError

TABLE = Path(__file__).with_suffix("").with_name("wrong_inputs.txt")


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
    code: Annotated[str, Field(pattern="^[A-Z]{3}$")] | None = None


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


TOOLS = ToolSet([search, Room, draw, now, split, "get_weather", "GetWeather"])


@pytest.fixture
def snapshot(snapshot: Any) -> Any:
    return snapshot.use_extension(ReadableSnapshots)


def calls() -> list[tuple[str, str]]:
    lines = TABLE.read_text("utf-8").splitlines()
    found = [line.partition(" ") for line in lines if line and line[0] != "#"]
    return [(tool, text.replace("\\n", "\n")) for tool, _, text in found]


def test_the_table_is_long() -> None:
    assert len(calls()) >= 40


@pytest.mark.parametrize(("tool", "text"), calls())
def test_it_is_an_error_that_can_be_sent(tool: str, text: str) -> None:
    with pytest.raises((ToolInputError, UnknownToolError)) as caught:
        TOOLS.check(tool, text)
    assert caught.value.send_to_llm
    if isinstance(caught.value, ToolInputError) and caught.value.example is not None:
        example = caught.value.example
        assert TOOLS.check(tool, json.dumps(example)) == example


def test_what_is_told(snapshot: Any) -> None:
    told = []
    for tool, text in calls():
        shown = "\n".join(f"| {line}" for line in f"{tool}: {text}".split("\n"))
        told.append(f"{shown}\n{outcome(tool, text, lenient=False)}")
        lenient = outcome(tool, text, lenient=True)
        if lenient != outcome(tool, text, lenient=False):
            told[-1] += f"\nleniently:\n{lenient}"
    assert snapshot(name="tools/wrong_inputs") == "\n\n".join(told) + "\n"


def outcome(tool: str, text: str, *, lenient: bool) -> str:
    try:
        found = TOOLS.read(tool, text, lenient=lenient)
    except OutputParserException as error:
        return str(error.observation)
    notes = [f"- {note}" for note in found.notes]
    return "\n".join([json.dumps(found.value, ensure_ascii=False), *notes])
