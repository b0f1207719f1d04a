"""Objects of a stream are those that validating the whole value after each chunk gives."""

from __future__ import annotations

import json
from typing import Annotated, Any, ClassVar, Literal, Self

import jsonpatch
import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import (
    AfterValidator,
    AliasPath,
    BaseModel,
    ConfigDict,
    Field,
    PrivateAttr,
    RootModel,
    ValidationInfo,
    computed_field,
    field_serializer,
    field_validator,
    model_serializer,
    model_validator,
)

from output_parsers import PydanticOutputParser
from output_parsers.json_in_prose.markdown import GrowingJson
from output_parsers.types import object_plans
from output_parsers.types.models import dump, validate
from output_parsers.types.object_plans import ListPlan, ModelPlan, Plan, plan_of


class Row(BaseModel):
    a: int
    b: str = "x"


class Tree(BaseModel):
    a: str = ""
    b: list[Tree] = []


class Rows(BaseModel):
    a: list[Row] = []
    b: list[list[int]] | None = None
    c: dict[str, Row] = {}


class Wrapped(BaseModel):
    a: Rows
    b: Rows | None = None
    c: list[Rows | list[str] | int] = Field(default_factory=list)


class Limited(BaseModel):
    a: list[int] = Field(min_length=1, max_length=3)
    b: Literal["x", "xy", "yes"] | None = None


class Open(BaseModel):
    model_config = ConfigDict(extra="allow", str_strip_whitespace=True)
    a: list[str] = []


class Closed(BaseModel):
    model_config = ConfigDict(extra="forbid")
    b: list[Row]


class Aliased(BaseModel):
    model_config = ConfigDict(populate_by_name=True)
    a: list[Row] = Field(alias="c")
    b: list[int] = Field(default=[1, 2], validation_alias="d")


class Shared(BaseModel):
    """Fields that are read from the same place."""

    a: list[Row] = []
    b: int = Field(default=0, validation_alias=AliasPath("a", 0, "a"))
    c: list[Any] = Field(default=[], validation_alias="a")


class SameKey(BaseModel):
    a: list[Row] = []
    c: list[Any] = Field(default=[], validation_alias="a")


class Strict(BaseModel):
    model_config = ConfigDict(strict=True)
    a: list[Row] = []
    b: Rows | None = None


class Total(BaseModel):
    """A field looks at the one before it."""

    a: list[Row]
    b: int = -1

    @field_validator("b")
    @classmethod
    def _most(cls, b: int, info: ValidationInfo) -> int:
        return b if b < len(info.data.get("a", ())) else -1


def _within(item: int, info: ValidationInfo) -> int:
    return item if item >= len(info.data.get("b") or "") else -item


class Within(BaseModel):
    """The items of a list look at the field before it."""

    b: str = ""
    a: list[Annotated[int, AfterValidator(_within)]] = []


class Sorted(BaseModel):
    """A validator changes the lists."""

    a: list[int] = []
    b: list[Row] = []

    @model_validator(mode="after")
    def _sort(self) -> Self:
        self.a.append(len(self.b))
        return self


class Before(BaseModel):
    a: list[int] = []

    @model_validator(mode="before")
    @classmethod
    def _all(cls, data: Any) -> Any:
        is_list = isinstance(data, dict) and isinstance(data.get("a"), list)
        return {"a": [*data["a"], len(data["a"])]} if is_list else 1


class Unique(BaseModel):
    a: list[int]
    b: list[Sorted | Limited | None] = []
    _seen: int = PrivateAttr(default=3)

    @field_validator("a")
    @classmethod
    def _once(cls, a: list[int]) -> list[int]:
        if len({*a}) < len(a):
            raise ValueError("an item is repeated")
        return a


class Equal(BaseModel):
    """Its objects are equal if they have as many items."""

    a: list[int] = []

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Equal) and len(self.a) == len(other.a)

    __hash__ = None  # type: ignore[assignment]


class Table(RootModel[list[Row]]): ...


class MaybeNumbers(RootModel[list[int] | None]): ...


class Rooted(BaseModel):
    a: Table | None = None
    b: MaybeNumbers | None = None
    c: MaybeNumbers = MaybeNumbers(None)


class Written(BaseModel):
    """What is written is not what is kept."""

    model_config = ConfigDict(serialize_by_alias=True, extra="allow")
    a: list[Row] = Field(default=[], serialization_alias="~/a")
    b: list[int] | None = Field(default=None, exclude=True)
    c: list[Any] = []

    @field_serializer("c")
    def _count(self, c: list[Any]) -> int:
        return len(c) + len(self.a)

    @computed_field
    def total(self) -> int:
        return len(self.a)


class AsText(Written):
    @model_serializer
    def _text(self) -> str:
        return f"{self.a} {self.b}"


class OwnDump(Rows):
    b: list[Written | list[int]] | None = None  # type: ignore[assignment]
    d: Written | None = None

    def model_dump(self, **_options: Any) -> dict[str, Any]:
        return {"c": [len(self.a)]}


class Dumps(BaseModel):
    """The data of the parts."""

    a: list[Written] | Written = []
    b: list[Written] = []
    c: AsText | None = None
    d: OwnDump | None = None


MODELS = (
    *(Row, Tree, Rows, Wrapped, Limited, Open, Closed, Aliased, Total, Within, Sorted, Before),
    *(Unique, Equal, Table, Rooted, Shared, SameKey, Strict, Written, AsText, OwnDump, Dumps),
)

scalars = st.none() | st.integers(0, 40) | st.sampled_from(["", "x", "xy", " é", "1", "yes"])
members = st.sampled_from(["a", "a", "b", "b", "c", "d"])


@st.composite
def json_texts(draw: st.DrawFn, depth: int = 3) -> str:
    """Draw JSON in which a key may be repeated, that fits the models now and then."""
    kind = draw(st.sampled_from(["rows", "list", "object", "object", "scalar"]))
    if depth and kind == "list":
        return "[" + ", ".join(draw(st.lists(json_texts(depth - 1), max_size=4))) + "]"
    if depth and kind == "rows":
        rows = st.fixed_dictionaries({"a": st.integers(0, 99)}, optional={"b": st.text("é x")})
        row = rows if draw(st.booleans()) else st.integers(0, 4)
        return json.dumps(draw(st.lists(row, max_size=5)))
    if depth and kind == "object":
        pairs = draw(st.lists(st.tuples(members, json_texts(depth - 1)), max_size=4))
        return "{" + ", ".join(f'"{key}": {value}' for key, value in pairs) + "}"
    return json.dumps(draw(scalars))


def rendered(thing: Any) -> Any:
    """Return all that an object consists of."""
    if isinstance(thing, BaseModel):
        given, extra = thing.model_fields_set, thing.model_extra
        attributes = {name: rendered(value) for name, value in thing.__dict__.items()}
        return type(thing), attributes, [*attributes], given, extra, thing.__pydantic_private__
    if isinstance(thing, dict):
        return {key: rendered(value) for key, value in thing.items()}
    return [rendered(item) for item in thing] if isinstance(thing, list) else (type(thing), thing)


def by_whole_values(parser: Any, chunks: list[str]) -> list[Any]:
    """Return what validating the whole value after each chunk yields."""
    growing, found, last = GrowingJson(parser._finder()), [], None
    for chunk in chunks:
        if not growing.feed(chunk):
            continue
        try:
            value = validate(parser.pydantic_object, growing.value)
        except ValueError:
            continue
        if value != last:
            found.append(rendered(value))
            last = value
    return found


def check(model: type[BaseModel], text: str, size: int, *, lenient: bool = False) -> None:
    """Check that a stream yields what validating whole values yields, its end aside.

    With ``diff`` it yields patches that lead from the data of an object to those of the next.
    """
    options: Any = {"pydantic_object": model, "lenient": lenient}
    parser, differences = (PydanticOutputParser(**options, diff=diff) for diff in (False, True))
    chunks = [text[start : start + size] for start in range(0, len(text), size)]
    reader, patches, kept = parser._reader(), differences._reader(), []
    data: Any = None
    for chunk in chunks:
        found = [*reader.feed(chunk)]
        kept += found
        for each, operations in zip(found, patches.feed(chunk), strict=True):
            last, data = data, jsonpatch.apply_patch(data, operations)
            assert json.dumps(data, sort_keys=True) == json.dumps(dump(each), sort_keys=True)
            least = jsonpatch.make_patch(last, data).patch  # it also moves what happens to be equal
            assert len(operations) <= len(least) + sum(each["op"] == "move" for each in least)
    assert [rendered(each) for each in kept] == by_whole_values(parser, chunks)


@pytest.mark.parametrize("model", MODELS, ids=lambda model: model.__name__)
@given(text=json_texts(), size=st.sampled_from([1, 1, 2, 5, 9]), lenient=st.booleans())
def test_a_stream_yields_what_validating_whole_values_yields(
    model: type[BaseModel], text: str, size: int, lenient: bool
) -> None:
    check(model, text, size, lenient=lenient)


TEXTS = (
    '{"a": [1, 22, 3, 3], "b": "xy"}',
    '{"a": [{"a": 1}, {"a": 2, "b": "é"}, {"a": 12}], "b": 1, "c": {"x": {"a": 1}}, "d": [3]}',
    '{"a": [{"a": 1}, {"a": 2}], "a": [{"a": 5}, {"a": 2}], "b": [{"a": 7}]}',
    '{"b": "xyz", "a": [1, 2, 3, 4], "b": []}',
    '{"a": [1, 2, 3], "b": [{"a": "no"}, {"a": 1}]}',
    '{"a": {"a": [{"a": 1}]}, "b": {"b": [[1, 2], [3]]}, "c": [["x"], {"a": []}, 1, "?"]}',
    '[{"a": 1}, {"a": 2, "b": "e"}]',
    '{"a": "x", "b": [{"a": "y", "b": [{"a": "z"}, {}]}, {"b": []}]}',
    '{"d": [1, 2], "c": [{"a": 3}], "a": [{"a": 4}]}',
    '{"a": [1, 2, 1e, 3]} {"a": [4]}]',
    '{"b": [1, 2], "a": [{"a": 4}], "c": [[], 1]}',
    'No: {"a": [1\n```json\n{"a": [7, 8], "b": null}\n```',
)


def check_all(model: type[BaseModel]) -> None:
    for text in TEXTS:
        for size in (1, 2, 3, 7, 100):
            check(model, text, size)


@pytest.mark.parametrize("model", MODELS, ids=lambda model: model.__name__)
def test_texts_that_are_hard_to_follow(model: type[BaseModel]) -> None:
    check_all(model)


def _never(*_: Any, **__: Any) -> bool:
    return False


@pytest.mark.parametrize(
    ("bug", "model"),
    [
        ((object_plans, "_needs_data", _never), Within),
        ((object_plans, "_EQUALITIES", {Equal.__eq__, BaseModel.__eq__}), Equal),
        ((GrowingJson, "has_grown", property(lambda _: True, lambda *_: None)), Rows),
        ((Plan, "is_plain", True), Written),
        ((object_plans, "_LEFT_OUT", ()), Written),
        ((ListPlan, "most", property(lambda _: 99, lambda *_: None)), Limited),
    ],
)
def test_the_law_catches_a_bug(
    bug: tuple[Any, str, Any], model: type[BaseModel], monkeypatch: pytest.MonkeyPatch
) -> None:
    object_plans._known_plan.cache_clear()
    monkeypatch.setattr(*bug, raising=False)
    with pytest.raises((AssertionError, AttributeError, jsonpatch.JsonPatchException)):
        check_all(model)
    object_plans._known_plan.cache_clear()


def test_what_has_validators_of_its_own_is_validated_whole() -> None:
    for model in (Row, Sorted, Before, Unique, Equal, Shared, SameKey, Strict):
        assert not isinstance(plan_of(model), ModelPlan)
    for model in (Tree, Rows, Wrapped, Limited, Open, Closed, Total, Table):
        assert isinstance(plan_of(model), ModelPlan)


class Counted(BaseModel):
    a: str
    count: ClassVar = 0

    @field_validator("a")
    @classmethod
    def _count(cls, a: str) -> str:
        cls.count += 1
        return a


class Many(BaseModel):
    """Nothing is valid before the last field is there."""

    a: list[Counted]
    b: list[list[Counted]]
    c: str


@pytest.mark.parametrize("wrong", ["", '{"a": 1}, '])
@pytest.mark.parametrize("diff", [False, True])
def test_twice_the_text_is_twice_the_work(wrong: str, diff: bool) -> None:
    work = []
    for count in (40, 80):
        Counted.count = 0
        rows = ", ".join(['{"a": "xyz"}'] * count)
        text = f'{{"a": [{wrong}{rows}], "b": [[], [{rows}]], "c": "{"text " * count}"}}'
        reader = PydanticOutputParser(pydantic_object=Many, diff=diff)._reader()
        for start in range(0, len(text), 4):
            reader.feed(text[start : start + 4])
        work.append(Counted.count)
    assert work[1] <= 2.2 * work[0]
