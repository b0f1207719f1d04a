"""Keys that a schema would drop are an error, wherever the response stands."""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from typing import Any

import pytest
from pydantic import AliasChoices, BaseModel, ConfigDict, Field, model_validator
from typing_extensions import TypedDict

from output_parsers.strategies.errors import StructuredOutputError
from output_parsers.strategies.loop import StructuredResponse, read_structured_output
from output_parsers.strategies.strategy import ProviderStrategy, ToolStrategy
from output_parsers.strategies.unknown_keys import dropped_key, unknown_keys
from outputs import AIMessage, tool_call


class Stop(BaseModel):
    name: str
    minutes: int = 0


class Trip(BaseModel):
    stops: list[Stop] = []
    home: Stop | None = None
    by_day: dict[str, Stop] = {}
    pair: tuple[int, int] = (0, 0)
    notes: dict[str, Any] = {}
    leg: tuple[Stop, Stop] | None = None


@dataclass
class Town:
    name: str
    twins: list[Town] = field(default_factory=list)


class Open(BaseModel):
    model_config = ConfigDict(extra="allow")
    name: str


class Alias(BaseModel):
    model_config = ConfigDict(populate_by_name=True)
    name: str = Field(alias="theName")
    area: float = Field(default=0, validation_alias=AliasChoices("area", "km2"))


class Older(BaseModel):
    name: str

    @model_validator(mode="before")
    @classmethod
    def _was_title(cls, data: dict[str, Any]) -> dict[str, Any]:
        if "title" not in data:
            return data
        return {"name": data["title"]}


class Lake(BaseModel):
    lake: str


class Peak(BaseModel):
    peak: str


class Place(BaseModel):
    place: Lake | Peak


class Left(BaseModel):
    left: str = ""
    inner: list[Left | Right] | None = None


class Right(BaseModel):
    right: str = ""
    inner: list[Left | Right] | None = None


class Pass(TypedDict):
    name: str


DROPPED: list[tuple[Any, Any, str]] = [
    (Stop, {"name": "Thun", "minute": 5}, "minute"),
    (Trip, {"stops": [{"name": "Thun"}, {"name": "Spiez", "min": 5}]}, "stops.1.min"),
    (Trip, {"home": {"name": "Thun", "min": 5}}, "home.min"),
    (Trip, {"by_day": {"Monday": {"name": "Thun", "min": 5}}}, "by_day.Monday.min"),
    (Trip, {"leg": [{"name": "Thun"}, {"name": "Spiez", "min": 5}]}, "leg.1.min"),
    (Town, {"name": "Thun", "twin": []}, "twin"),
    (Town, {"name": "Thun", "twins": [{"name": "Spiez", "twin": []}]}, "twins.0.twin"),
    (Alias, {"theName": "Thun", "other": 1}, "other"),
    (Place, {"place": {"lake": "Thun", "peak": "Niesen"}}, "place.peak"),
    (
        Left,
        {"inner": [{"right": "x", "inner": [{"left": "y", "middle": 1}]}]},
        "inner.0.inner.0.middle",
    ),
    (Pass, {"name": "Grimsel", "metres": 2164}, "metres"),
]
TAKEN: list[tuple[Any, Any]] = [
    (Trip, {"notes": {"any": {"thing": [1]}}, "pair": [1, 2], "home": None}),
    (Open, {"name": "Thun", "any": "thing"}),
    (Alias, {"name": "Thun", "km2": 21.6}),
    (Left, {"inner": [{"right": "x", "inner": [{"left": "y"}]}]}),
    (Older, {"title": "Thun"}),
    (Place, {"place": {"peak": "Niesen"}}),
    ({"title": "Any", "type": "object", "properties": {}}, {"any": "thing"}),
]


def by_call(schema: Any, data: Any) -> Any:
    name = getattr(schema, "__name__", "Any")
    message = AIMessage("", tool_calls=[tool_call(name=name, args=data, id="1")])
    return read_structured_output(message, ToolStrategy(schema, handle_errors=False))


def by_text(schema: Any, data: Any) -> Any:
    return read_structured_output(json.dumps(data), ProviderStrategy(schema))


@pytest.mark.parametrize("read", [by_call, by_text])
@pytest.mark.parametrize(("schema", "data", "path"), DROPPED)
def test_a_key_that_would_be_dropped_is_an_error(
    read: Any, schema: Any, data: Any, path: str
) -> None:
    with pytest.raises(StructuredOutputError, match=rf"the schema has no key {path}"):
        read(schema, data)


@pytest.mark.parametrize("read", [by_call, by_text])
@pytest.mark.parametrize(("schema", "data"), TAKEN)
def test_a_key_that_is_used_is_none(read: Any, schema: Any, data: Any) -> None:
    assert isinstance(read(schema, data), StructuredResponse)


def test_a_deep_union_takes_linear_time() -> None:
    data: dict[str, Any] = {"left": "x"}
    for number in range(61):
        data = {"right" if number % 2 else "left": "x", "inner": [data]}
    schema = Left.model_json_schema()
    assert [*unknown_keys(data, schema, schema["$defs"])] == []


def test_an_alias_in_each_item_is_tried_once() -> None:
    class Town(BaseModel):
        name: str = Field(validation_alias=AliasChoices("name", "town"))

    class Towns(BaseModel):
        towns: list[Town]

    calls = 0

    def read(data: Any) -> Towns:
        nonlocal calls
        calls += 1
        return Towns.model_validate(data)

    data = {"towns": [{"town": "Thun"}] * 1000}
    schema = Towns.model_json_schema()
    assert dropped_key(read, data, read(data), schema) is None
    assert calls == 2
