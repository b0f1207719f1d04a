"""Problems that pydantic finds in inputs that fit their schema."""

from datetime import date
from typing import Annotated, Any, Literal

import pytest
from pydantic import AfterValidator, BaseModel, ConfigDict, model_validator
from pydantic.v1 import BaseModel as V1Model
from pydantic.v1 import validator as v1_validator

from agent_parsers import AgentAction
from agent_parsers.toolset import ToolInputError, ToolSet


def _even(value: int) -> int:
    if value % 2:
        raise ValueError("must be even")
    return value


Even = Annotated[int, AfterValidator(_even)]


class Cat(BaseModel):
    kind: Literal["cat"]
    lives: Even = 8


class Dog(BaseModel):
    kind: Literal["dog"]
    walks: list[Even]


class Home(BaseModel):
    pets: list[Cat | Dog]
    rooms: dict[str, Even] = {}
    chief: Cat | None = None

    @model_validator(mode="after")
    def _has_room(self) -> "Home":
        if not self.pets:
            raise ValueError("a home has a pet")
        return self


class OldHome(V1Model):
    rooms: list[int]

    @v1_validator("rooms", each_item=True)
    @classmethod
    def _even(cls, value: int) -> int:
        return _even(value)


def problems(tool: Any, value: dict[str, Any]) -> list[str]:
    tools = ToolSet([tool])
    with pytest.raises(ToolInputError) as caught:
        tools.check(tools.names[0], value)
    return [str(problem) for problem in caught.value.problems]


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        (
            {"pets": [{"kind": "dog", "walks": [2, 3]}], "rooms": {"cellar": 1}},
            [
                "pets[0].walks[1]: expected a value that the tool accepts (must be even), found 3",
                "rooms.cellar: expected a value that the tool accepts (must be even), found 1",
            ],
        ),
        (
            {"pets": [{"kind": "cat"}], "chief": {"kind": "cat", "lives": 7}},
            ["chief.lives: expected a value that the tool accepts (must be even), found 7"],
        ),
        (
            {"pets": []},
            ["the input: expected a value that the tool accepts (a home has a pet), found an o"],
        ),
    ],
)
def test_problems_of_validators_have_the_path_in_the_input(value: Any, expected: list[str]) -> None:
    found = problems(Home, value)
    assert len(found) >= len(expected)
    assert all(any(text.startswith(line) for text in found) for line in expected)


def test_validators_of_old_count() -> None:
    assert problems(OldHome, {"rooms": [2, 3]}) == [
        "rooms[1]: expected a value that the tool accepts (must be even), found 3",
    ]


def test_what_a_schema_does_not_say_is_said_by_pydantic() -> None:
    class Shop(BaseModel):
        opens: date

    # The schema knows the form of a date, but not the years that Python has.
    assert problems(Shop, {"opens": "0000-01-01"}) == [
        'opens: expected a date (YYYY-MM-DD), found "0000-01-01"'
    ]

    def f(x: Annotated[Any, AfterValidator(_needs)]) -> None: ...

    assert problems(f, {"x": {}}) == ["x.name: expected a value, found nothing"]


def _needs(value: Any) -> Any:
    Named.model_validate(value)
    return value


class Named(BaseModel):
    name: str


def test_strict_types_are_read_as_from_json() -> None:
    class Shop(BaseModel):
        model_config = ConfigDict(strict=True)
        opens: date
        name: str = ""

    tools = ToolSet([Shop])
    assert tools.call(AgentAction("Shop", {"opens": "2025-01-31"}, "")) == Shop(
        opens=date(2025, 1, 31)
    )
    half = {"opens": "2025-01-31", "name": "\ud800"}
    assert problems(Shop, half) == ['opens: expected a valid date, found "2025-01-31"']


def test_a_model_without_a_schema_is_a_mistake_of_the_caller() -> None:
    class Odd(BaseModel):
        model_config = ConfigDict(arbitrary_types_allowed=True)
        view: memoryview

    with pytest.raises(TypeError, match="Odd has no JSON Schema: "):
        ToolSet([Odd])
