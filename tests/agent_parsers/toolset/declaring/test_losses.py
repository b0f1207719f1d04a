"""What pydantic would lose of a value without an error is a problem."""

import json
from dataclasses import dataclass
from datetime import datetime
from decimal import Decimal
from typing import Annotated, Any, Literal

import pytest
from pydantic import AfterValidator, BaseModel, Field, Json, RootModel, StringConstraints
from pydantic import v1 as pydantic_v1

from agent_parsers import AgentAction
from agent_parsers.toolset import AnswerError, ToolInputError, ToolSet
from agent_parsers.toolset.output_type import OutputType

from ....helpers.growth import assert_linear

pytestmark = pytest.mark.filterwarnings("ignore:'contentSchema' at")

NOON = "2031-05-04T12:00:00Z"
SAME = "2031-05-04T14:00:00+02:00"
LATER = "2031-05-04T15:00:00Z"

Lower = Annotated[str, StringConstraints(to_lower=True)]


def _given(found: dict[Any, Any]) -> dict[Any, Any]:
    return {key: value for key, value in found.items() if value is not None}


Given = Annotated[dict[int, int | None], AfterValidator(_given)]


class Prices(BaseModel):
    by_size: dict[int, str] = Field({}, alias="bySize")
    total: Decimal = Decimal(0)


class PricesV1(pydantic_v1.BaseModel):
    by_size: dict[int, str] = {}


@dataclass
class Hours:
    at: frozenset[datetime]


def outcome(hint: Any, value: Any) -> Any:
    """Return what a function gets for its parameter *x*, or the problems of its input."""

    def take(x: Any) -> Any:
        return x

    take.__annotations__["x"] = hint
    tools = ToolSet([take])
    try:
        return tools.call(AgentAction("take", {"x": value}, ""))
    except ToolInputError as error:
        return [str(problem).removeprefix("x") for problem in error.problems]


# -- keys and items that become one ----------------------------------------------------------------

_WITH_ITEMS = (set[datetime], list[set[datetime]], frozenset[Decimal], Hours)


@pytest.mark.parametrize(
    ("hint", "value", "where", "one", "other"),
    [
        (dict[int, str], {"1": "x", "01": "y"}, "", "1", "01"),
        (dict[int, str], {"7": "a", "4": "x", "5": "b", " 4": "y", "8": "c"}, "", "4", " 4"),
        (dict[float, str], {"2": "x", "2.0": "y"}, "", "2", "2.0"),
        (dict[bool, str], {"no": "x", "true": "y", "yes": "z"}, "", "true", "yes"),
        (dict[Lower, int], {"A": 1, "b": 2, "a": 3}, "", "A", "a"),
        (dict[Decimal, int], {"1.5": 1, "1.50": 3}, "", "1.5", "1.50"),
        (set[datetime], [NOON, LATER, SAME], "", NOON, SAME),
        (list[set[datetime]], [[NOON], [LATER, NOON, SAME]], "[1]", NOON, SAME),
        (frozenset[Decimal], ["3", "3.0"], "", "3", "3.0"),
        (Prices, {"bySize": {"1": "x", "01": "y"}}, ".bySize", "1", "01"),
        (list[Prices], [{"bySize": {"1": "x", "01": "y"}}], "[0].bySize", "1", "01"),
        (dict[str, Prices], {"a": {"bySize": {"1": "", "01": ""}}}, ".a.bySize", "1", "01"),
        (Hours, {"at": [NOON, SAME]}, ".at", NOON, SAME),
        (RootModel[dict[int, str]], {"1": "x", "01": "y"}, "", "1", "01"),
        (Json[dict[int, str]], '{"1": "x", "01": "y"}', "", "1", "01"),
        (Given, {"1": 1, "2": None, "3": 3, "03": 4}, "", "3", "03"),
    ],
)
def test_two_that_become_one_are_named(
    hint: Any, value: Any, where: str, one: str, other: str
) -> None:
    what = "items" if hint in _WITH_ITEMS else "keys"
    (problem,) = outcome(hint, value)
    assert problem.startswith(f"{where}: expected ")
    found = f"found {json.dumps(one)} and {json.dumps(other)}, which become the same"
    assert problem.endswith(f"{what} that are all different, {found}")


def test_a_tool_that_is_a_model_has_the_same_rule() -> None:
    tools = ToolSet([Prices, PricesV1])
    with pytest.raises(ToolInputError, match=r'bySize: expected .* found "1" and "01", which'):
        tools.check("Prices", {"bySize": {"1": "x", "01": "y"}})
    with pytest.raises(ToolInputError, match=r'by_size: expected .* found "1" and "01", which'):
        tools.check("PricesV1", {"by_size": {"1": "x", "01": "y"}})


@pytest.mark.parametrize(
    ("hint", "answer"),
    [
        (dict[int, str], '{"1": "x", "01": "y"}'),
        (set[datetime], json.dumps([NOON, SAME])),
        (Prices, '{"bySize": {"1": "x", "01": "y"}}'),
    ],
)
def test_an_answer_has_the_same_rule(hint: Any, answer: str) -> None:
    with pytest.raises(AnswerError, match=r"expected .*all different, .*become the same"):
        OutputType(hint).read(answer)


@pytest.mark.parametrize(
    ("hint", "value", "made"),
    [
        (dict[int, str], {"1": "x", "2": "y"}, {1: "x", 2: "y"}),
        (Given, {"1": 1, "2": None, "3": None}, {1: 1}),
        (set[float], [1, 1.5], {1.0, 1.5}),
        (tuple[int, str], [1, "x"], (1, "x")),
        (Json[Any], "[1, 2]", [1, 2]),
        (Json[Any], '"x"', "x"),
        (dict[str, Json[Any]], {"a": '{"b": 1}'}, {"a": {"b": 1}}),
        (Annotated[list[str], AfterValidator(set)], ["a", "b", "a"], {"a", "b"}),
        (Annotated[float, AfterValidator(lambda number: number > 2)], 3.5, True),
    ],
)
def test_what_loses_nothing_is_taken(hint: Any, value: Any, made: Any) -> None:
    assert outcome(hint, value) == made


@pytest.mark.parametrize(
    ("hint", "value", "where"),
    [
        (Json[Any], '{"a": 1, "a": 2}', ".a"),
        (Json[Any], '[{"a": 1}, {"b": 1, "b": 2}]', ".b"),
        (Json[Prices], '{"total": 1, "total": 2}', ".total"),
        (list[Json[Any]], ['{"a": 1}', '{"a": 1, "a": 2}'], "[1].a"),
    ],
)
def test_a_key_twice_in_a_text_of_json_is_a_problem(hint: Any, value: Any, where: str) -> None:
    assert outcome(hint, value) == [f"{where}: expected one value, found the key more than once"]


def test_looking_for_the_two_takes_few_reads() -> None:
    def pairs(size: int) -> dict[str, str]:
        return {**{str(number): "x" for number in range(size)}, "01": "y"}

    assert outcome(dict[int, str], pairs(40))[0].endswith('"1" and "01", which become the same')
    assert_linear(lambda value: outcome(dict[int, str], value), pairs, 200)


# -- numbers ---------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("hint", "wrap", "where"),
    [
        (Decimal, lambda number: number, ""),
        (Decimal | None, lambda number: number, ""),
        (list[Decimal], lambda number: [1.5, number], "[1]"),
        (dict[str, Decimal], lambda number: {"a": number}, ".a"),
        (Prices, lambda number: {"total": number}, ".total"),
    ],
)
def test_a_decimal_of_many_digits_is_written_as_a_string(hint: Any, wrap: Any, where: str) -> None:
    problem = (
        f"{where}: expected a string for a decimal of more than 15 digits,"
        " found the number 9.876543210987654e+16, which may be rounded"
    )
    assert outcome(hint, wrap(98765432109876543.21)) == [problem]
    assert "98765432109876543.21" in repr(outcome(hint, wrap("98765432109876543.21")))


@pytest.mark.parametrize("number", [0.1, 19.99, 123456789.123456, 1e22, 98765432109876543210])
def test_a_decimal_that_is_kept_may_be_a_number(number: float) -> None:
    assert outcome(Decimal, number) == Decimal(repr(number))


def test_a_float_stays_a_float() -> None:
    assert outcome(float, 98765432109876543.21) == 98765432109876543.21


@pytest.mark.parametrize(
    ("hint", "number"),
    [
        (Literal["on", 1, True], 1.0),
        (Literal[0, False], 0.0),
        (Literal[1, True] | str, 1.0),
        (bool | int, 1.0),
    ],
)
def test_a_number_does_not_become_true_or_false(hint: Any, number: float) -> None:
    becomes = json.dumps(bool(number))
    assert outcome(hint, number) == [
        f": expected true or false, or an integer, found {number}, which becomes {becomes}"
    ]


@pytest.mark.parametrize("value", ["on", 1, True])
def test_what_a_literal_lists_stays_what_it_is(value: Any) -> None:
    found = outcome(Literal["on", 1, True], value)
    assert (found, type(found)) == (value, type(value))
