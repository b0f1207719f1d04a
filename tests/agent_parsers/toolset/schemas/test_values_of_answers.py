"""What texts mean as answers of a type, in every dialect that takes one, and what errors show."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import date, timedelta
from decimal import Decimal
from enum import Enum
from pathlib import Path
from typing import Annotated, Any, Literal
from uuid import UUID

import pytest
from pydantic import BaseModel, Field, WithJsonSchema

from agent_parsers import AgentFinish, OutputParserException, ToolSet, get_parser
from agent_parsers.toolset.output_type import OutputType

ID = "12345678-1234-5678-1234-567812345678"


class Color(Enum):
    RED = "red"
    BLUE = "Blue"


def read(output_type: Any, text: str, *, lenient: bool = True) -> Any:
    return OutputType(output_type).read(text, lenient=lenient).value


@pytest.mark.parametrize(
    ("output_type", "text", "value"),
    [
        (str, "hello", "hello"),
        (Path, "a/b", Path("a/b")),
        (bytes, "ab", b"ab"),
        (date, "2026-01-31", date(2026, 1, 31)),
        (timedelta, "PT1H", timedelta(hours=1)),
        (Decimal, "1.10", Decimal("1.10")),
        (UUID, ID, UUID(ID)),
        (Color, "red", Color.RED),
        (Literal["yes", "no"], "yes", "yes"),
        (str | None, "hello", "hello"),
    ],
)
def test_the_quotes_of_a_json_string_are_no_part_of_it(
    output_type: Any, text: str, value: Any
) -> None:
    for lenient in (False, True):
        assert read(output_type, f'"{text}"', lenient=lenient) == value
        assert read(output_type, text, lenient=lenient) == value


def test_a_number_in_quotes_is_a_text_where_both_are_taken() -> None:
    assert read(str | int, '"5"') == "5"
    assert read(str | int, "5") == 5
    assert read(str | float, "1.50") == "1.50"
    assert read(float, "1.50") == 1.5


@pytest.mark.parametrize("text", ["12345678901234567.89", "0.1000", "1e-30", "007.5"])
def test_a_decimal_keeps_its_digits(text: str) -> None:
    assert str(read(Decimal, text)) == str(Decimal(text))


@pytest.mark.parametrize("name", ["react", "hermes", "json", "xml", "smolagents_code"])
@pytest.mark.parametrize("answer", ['"quoted"', "plain", '{"a": 1}', "5", "null"])
@pytest.mark.parametrize("tools", [[], ["search"]])
def test_a_text_is_read_back_as_it_was_written(name: str, answer: str, tools: list[str]) -> None:
    parser: Any = get_parser(name, tools=tools, output_type=str)
    written = parser.render(AgentFinish({"output": answer}, ""))
    assert parser.parse(written).output == answer


@pytest.mark.parametrize(
    ("output_type", "text", "value"),
    [
        (Literal["yes", "no"], "Yes", "yes"),
        (Literal["yes", "no"], "NO.", "no"),
        (Color, "RED", Color.RED),
        (Color, "blue.", Color.BLUE),
        (list[Literal["a", "b"]], '["A", "b"]', ["a", "b"]),
    ],
)
def test_the_case_of_a_word_is_repaired_and_reported(
    output_type: Any, text: str, value: Any
) -> None:
    found = OutputType(output_type).read(text, lenient=True)
    assert (found.value, [note.kind for note in found.notes]) == (value, ["case"])
    with pytest.raises(OutputParserException):
        read(output_type, text, lenient=False)


@pytest.mark.parametrize("text", ["Ja", "yes or no", "yes!?", "ye"])
def test_a_word_that_may_be_two_or_none_is_no_answer(text: str) -> None:
    with pytest.raises(OutputParserException):
        read(Literal["yes", "no", "ja", "JA"], text)


def test_the_case_of_a_word_in_an_input() -> None:
    def paint(color: Color, words: list[Literal["up", "down"]]) -> str:
        """Paint."""
        return ""

    parser: Any = get_parser("hermes", tools=[paint])
    given = '{"name": "paint", "arguments": {"color": "BLUE", "words": ["Up"]}}'
    turn = parser.read(f"<tool_call>\n{given}\n</tool_call>")
    assert turn.actions[0].tool_input == {"color": "Blue", "words": ["up"]}
    assert [repair.kind for repair in turn.repairs] == ["case", "case"]


def test_lines_with_hyphens_are_the_items_of_a_list() -> None:
    found = OutputType(list[int]).read("- 1\n\n- 2\n", lenient=True)
    assert found.value == [1, 2]
    assert [note.kind for note in found.notes if note.kind] == ["list_lines"]
    for options in ({"lenient": False}, {"lenient": True, "is_cut": True}):
        with pytest.raises(OutputParserException):
            OutputType(list[int]).read("- 1\n- 2", **options)  # type: ignore[arg-type]
    with pytest.raises(OutputParserException):
        read(list[str], "These:\n- a\n- b")


@pytest.mark.parametrize("text", ["- a\n  - b\n- c", "- a\n- b\n  - c", "- a\n\t- b", "  - a\n- b"])
def test_a_list_in_a_list_of_lines_is_no_item(text: str) -> None:
    with pytest.raises(OutputParserException, match="expected a list, found"):
        read(list[str], text)


def test_lines_that_are_all_indented_are_items() -> None:
    assert read(list[str], "  - a\n  - b") == ["a", "b"]
    assert read(list[str], "\t- a\n\t- b\n") == ["a", "b"]


@pytest.mark.parametrize(
    ("output_type", "text", "example"),
    [
        (list[str], "Bern, Thun", '["Bern", "Thun"]'),
        (list[str], "Bern; Thun\nZug", '["Bern", "Thun", "Zug"]'),
        (list[str], "Bern and Thun", '["<value>"]'),
        (list[str], "Bern", '["Bern"]'),
        (list[int], "1, 2", "[1, 2]"),
        (dict[str, int], "hm", '{"<key>": 1}'),
        (dict[str, list[str]], "hm", '{"<key>": ["<value>"]}'),
    ],
)
def test_examples_keep_only_what_is_sure_and_have_an_item(
    output_type: Any, text: str, example: str
) -> None:
    with pytest.raises(OutputParserException) as error:
        read(output_type, text)
    assert error.value.observation is not None
    assert error.value.observation.endswith(f"For example: {example}")


@pytest.mark.parametrize("text", ['{"<key>": 1}', '{"a": 1, "<key>": 2}'])
def test_the_key_of_an_example_is_no_answer(text: str) -> None:
    with pytest.raises(OutputParserException, match="is a placeholder in the instructions"):
        read(dict[str, int], text)


@dataclass
class Trip:
    day: date
    stops: Annotated[list[str], Field(min_length=1, max_length=3)]
    seats: dict[str, int]
    place: tuple[int, str]
    code: Annotated[str, Field(pattern="^[A-Z]+$", max_length=5)]
    nights: Annotated[int, Field(ge=1, le=9)] = 1
    depth: Annotated[float, Field(gt=0)] = 1
    share: Annotated[float, Field(ge=0, multiple_of=0.5)] = 0


SAID = (
    "day: string (date, as 2025-01-31)",
    "stops: array[string] (1 to 3 items)",
    "seats: object of integer",
    "place: [integer, string]",
    "code: string (matching ^[A-Z]+$, at most 5 characters)",
    "nights?: integer 1..9",
    "depth?: number > 0",
    "share?: number >= 0 (a multiple of 0.5)",
)


def test_a_prompt_tells_what_is_checked() -> None:
    assert OutputType(Trip).describe() == f"{{{', '.join(SAID)}}}"

    def book(trip: Trip) -> str:
        """Book."""
        return ""

    assert f"book(trip: {{{', '.join(SAID)}}})" in ToolSet([book]).describe()


@pytest.mark.parametrize("answer", ["null", '"null"', "5", "true"])
def test_a_text_that_may_be_null_is_written_so_that_it_is_read_as_the_text(answer: str) -> None:
    parser: Any = get_parser("react", tools=["search"], output_type=str | int | None)
    assert parser.parse(parser.render(AgentFinish({"output": answer}, ""))).output == answer


@pytest.mark.parametrize(
    ("schema", "said"),
    [
        ({"type": "integer", "minimum": 0, "exclusiveMinimum": 0, "maximum": 5}, ">= 0 > 0 <= 5"),
        ({"type": "integer", "minimum": 0, "exclusiveMinimum": True}, "integer > 0"),
        ({"type": "number", "minimum": 10**400}, "number >= 1"),
        ({"type": "number", "maximum": 1e308}, "number <= 1e+308"),
    ],
)
def test_odd_bounds_are_told_and_have_an_example(schema: dict[str, Any], said: str) -> None:
    parameters = {"type": "object", "properties": {"n": schema}, "required": ["n"]}
    tools = ToolSet([{"name": "count", "description": "Count.", "parameters": parameters}])
    assert said in tools.describe()
    tools.example("count")


def test_a_list_of_anything_has_an_example() -> None:
    listed = Annotated[Any, WithJsonSchema({"type": "array"})]
    assert OutputType(listed).example == ["<value>"]


class Price(BaseModel):
    amount: Decimal
    weight: float = 1.0
    parts: list[Decimal] = []
    note: Any = None


@pytest.mark.parametrize(
    ("output_type", "answer", "value"),
    [
        (
            Price,
            '{"amount": 12345678901234567.89, "weight": 2.50, "parts": [1.10, 3], "note": 1.10}',
            Price(
                amount=Decimal("12345678901234567.89"),
                weight=2.5,
                parts=[Decimal("1.10"), Decimal(3)],
                note=1.1,
            ),
        ),
        (list[Decimal], "[1.10, 1e3]", [Decimal("1.10"), Decimal("1e3")]),
        (dict[str, Decimal], '{"a": 0.10}', {"a": Decimal("0.10")}),
        (tuple[Decimal, float], "[0.10, 0.10]", (Decimal("0.10"), 0.1)),
        (list[float], "[1.10]", [1.1]),
        (dict, '{"a": 1.10, "b": "a\tb"}', {"a": 1.1, "b": "a\tb"}),
        (Decimal | None, "1.10", Decimal("1.10")),
    ],
)
def test_decimals_keep_their_digits_wherever_they_stand(
    output_type: Any, answer: str, value: Any
) -> None:
    found = OutputType(output_type).read(answer, lenient=True).value
    assert (found, repr(found)) == (value, repr(value))
