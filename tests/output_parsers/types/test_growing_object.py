"""Objects of a stream are those that validating the whole value gives, and take linear time."""

import json
from typing import Any, ClassVar

import jsonpatch
import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import BaseModel, RootModel, field_validator

from output_parsers import PydanticOutputParser
from output_parsers.json_in_prose.markdown import GrowingJson
from output_parsers.types.models import dump, validate


class Row(BaseModel):
    a: int
    b: str = "x"


class Rows(BaseModel):
    a: list[Row] = []
    b: list[list[int]] | None = None
    c: dict[str, Row] = {}


class Unique(BaseModel):
    a: list[int]

    @field_validator("a")
    @classmethod
    def _once(cls, a: list[int]) -> list[int]:
        if len({*a}) < len(a):
            raise ValueError("an item is repeated")
        return a


class Table(RootModel[list[Row]]): ...


ROW = st.fixed_dictionaries({"a": st.integers(0, 99)}, optional={"b": st.text("é x")})
VALUES = st.recursive(
    st.none() | st.integers(0, 40) | st.sampled_from(["", "xy", " é"]) | ROW,
    lambda inner: st.lists(inner) | st.dictionaries(st.sampled_from("abc"), inner),
)


@pytest.mark.parametrize("model", [Row, Rows, Unique, Table], ids=lambda model: model.__name__)
@given(value=VALUES, size=st.sampled_from([1, 2, 5, 9]))
def test_a_stream_yields_what_validating_whole_values_yields(
    model: type[BaseModel], value: Any, size: int
) -> None:
    text = json.dumps(value)
    chunks = [text[start : start + size] for start in range(0, len(text), size)]
    parser, differing = (PydanticOutputParser(pydantic_object=model, diff=d) for d in (False, True))
    growing, expected, last = GrowingJson(parser._finder()), [], None
    for chunk in chunks:
        if not growing.feed(chunk):
            continue
        try:
            found = validate(model, growing.value)
        except ValueError:
            continue
        if found != last:
            expected.append(found)
            last = found
    reader, patches, data = parser._reader(), differing._reader(), None
    kept = [each for chunk in chunks for each in reader.feed(chunk)]
    told = [each for chunk in chunks for each in patches.feed(chunk)]
    left = iter(expected)
    assert all(each in left for each in kept)  # in order
    for each, operations in zip(kept, told, strict=True):
        data = jsonpatch.apply_patch(data, operations)
        assert data == dump(each)


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
    assert work[1] <= 2.4 * work[0]  # quadratic work would be four times as much
