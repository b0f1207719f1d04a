"""A text input that gives parameters by name is not the value of one of them."""

from typing import Any

import pytest

from agent_parsers import AgentAction, OutputParserException, get_parser
from agent_parsers.toolset import ToolInputError, ToolSet
from agent_parsers.toolset.schemas.plain import named_in

from ....helpers.growth import assert_linear


def move(crate: str, floor: int = 1, asked_by: str = "") -> str:
    """Moves a crate."""
    return f"{crate} {floor} {asked_by}"


def weigh(crate: str) -> str:
    """Weighs a crate."""
    return crate


def stack(crate: str, rest: dict[str, int] | None = None) -> str:
    """Stacks crates; its schema is not plain."""
    return f"{crate} {rest}"


TOOLS = ToolSet([move, weigh, stack])

NAMED = [
    "crate=K7, floor=3",
    "crate: K7\nfloor: 3",
    "crate: K7",
    "Crate : K7",
    '"crate": "K7", "floor": 3',
    "**crate:** K7",
    "- crate: K7\n- floor: 3",
    "```yaml\ncrate: K7\nfloor: 3\n```",
    "--crate K7 --floor 3",
    "crate\uff1aK7",
    "(crate='K7', floor=3)",
    "move(crate='K7', floor=3)",
    "{crate=K7, floor=3}",
    "K7, floor=3",
    "K7; asked by: Ada",
    "floor=3",
    "asked-by=Ada, K7",
    "Move it, please: crate K7, floor=3, asked_by=Ada",
]
TEXTS = [
    "K7",
    "the crate: K7 or K8",
    "crates: all",
    "my.crate=K7",
    "crate == 'K7'",
    "crate://K7",
    "https://depot.example/?floor=3&asked_by=Ada",
    "lift(K7, floor=3)",
    "K7, third floor",
    "Dear all,\nfloor: the third is closed.",
    "shelf=4, row=2",
]


@pytest.mark.parametrize("text", NAMED)
@pytest.mark.parametrize("lenient", [False, True])
def test_a_text_that_names_parameters_is_an_error(text: str, lenient: bool) -> None:
    with pytest.raises(
        ToolInputError, match=r"expected a JSON object.* gives values for "
    ) as caught:
        TOOLS.check("move", text, lenient=lenient)
    assert caught.value.example is not None
    assert "crate" in caught.value.example


def test_the_example_has_what_was_named() -> None:
    with pytest.raises(ToolInputError) as caught:
        TOOLS.check("move", "crate: K7\nfloor: 3")
    assert caught.value.example == {"crate": "<crate>", "floor": 1}
    assert caught.value.example_text == '{"crate": "<crate>", "floor": 1}'


@pytest.mark.parametrize("text", TEXTS)
def test_any_other_text_is_the_value(text: str) -> None:
    assert TOOLS.check("move", text) == {"crate": text}


def test_a_tool_that_is_not_plain_has_the_same_rule() -> None:
    assert TOOLS.check("stack", "K7") == {"crate": "K7"}
    with pytest.raises(ToolInputError, match="gives values for crate and rest"):
        TOOLS.check("stack", "crate=K7, rest={}")


@pytest.mark.parametrize("text", ["floor=3, shelf=4", "K7, crate: K8", "note: K7"])
def test_the_only_parameter_takes_any_text_but_one_that_begins_with_its_name(text: str) -> None:
    assert TOOLS.check("weigh", text) == {"crate": text}
    with pytest.raises(
        ToolInputError, match="or the value alone, found text that gives values for crate"
    ):
        TOOLS.check("weigh", f"crate: {text}")


def test_a_text_that_is_kept_around_an_object_is_the_value() -> None:
    tools, text = ToolSet([move], extra_text="keep"), '{"crate": "K7"} and one more'
    assert tools.check("move", text) == {"crate": text}
    with pytest.raises(ToolInputError, match="gives values for"):
        tools.check("move", "crate=K7")


@pytest.mark.parametrize(
    "dialect", ["react", "mrkl", "haystack", "conversational", "react_zh", "react_docstore", "xml"]
)
@pytest.mark.parametrize("text", ["crate=K7, floor=3", "crate: K7\nfloor: 3"])
def test_every_dialect_of_texts_reports_it(dialect: str, text: str) -> None:
    parser: Any = get_parser(dialect, tools=ToolSet([move]))
    written = parser.render(AgentAction("move", "K7", "")).replace("K7", text)
    with pytest.raises(OutputParserException, match="values for crate and floor"):
        parser.read(written)


@pytest.mark.parametrize("dialect", ["react", "haystack", "xml"])
@pytest.mark.parametrize("tool", ["move", "weigh"])
def test_a_step_with_such_a_value_is_written_as_an_object(dialect: str, tool: str) -> None:
    parser: Any = get_parser(dialect, tools=TOOLS)
    for value in ("crate: K7", "crate=K7, floor=3"):
        turn = parser.read(parser.render(AgentAction(tool, {"crate": value}, "")))
        assert turn.actions[0].tool_input == {"crate": value}


@pytest.mark.parametrize("piece", [", crate:", ",crate=(", " ", "crate ", "- ", "--crate"])
def test_looking_for_names_takes_linear_time(piece: str) -> None:
    names = ("crate", "floor", "asked_by")
    assert_linear(lambda text: named_in(text, names), lambda size: piece * size + "=", 2000)
