"""What a text in a call means: names of parameters, and values that may be of several types."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from agent_laws import laws
from agent_laws.trials.pieces import a_tool
from agent_laws.trials.sample_calls import calls_in, parser_for, written_turn
from agent_parsers import AgentAction, AgentFinish, OutputParserException, get_parser
from agent_parsers.authoring import Written
from agent_parsers.core import REASONING

from ...helpers.stories import DIALECTS, every_dialect, every_turn_mode, named

if TYPE_CHECKING:
    from agent_parsers import Dialect
    from agent_parsers.authoring import Mode

NUMBERS_IN_WORDS = ("007", "+41791234567", "1e3", "1.0", "2.50", "-0", "12345678901234567890")
"""Texts that read as numbers, and would lose characters as numbers."""
UNIONS = (
    {"type": ["integer", "string"]},
    {"type": ["null", "number", "string"]},
    {"anyOf": [{"type": "number"}, {"type": "string"}]},
)


def _input_of(dialect: Dialect, text: str, part: Any) -> Any:
    """Return how a parameter with the schema *part* is read if the model wrote *text*."""
    turn = written_turn(dialect, {"query": text})
    if turn is None:
        return text
    schema = {"type": "object", "properties": {"query": part}, "required": ["query"]}
    tools = [{"name": turn.calls[0].tool, "parameters": schema}]
    (call,) = calls_in(parser_for(dialect, "lenient", tools).read(turn.text, ended="stop").result)
    return call.tool_input["query"]


IN_BARE_TAGS = [
    dialect
    for dialect in DIALECTS
    if (turn := written_turn(dialect, {"query": "lakes"})) and "=query>" in turn.text
]


@pytest.mark.parametrize("dialect", IN_BARE_TAGS, ids=named)
@pytest.mark.parametrize("lenient", [False, True])
def test_a_value_in_the_tag_of_its_parameter_is_an_error(dialect: Dialect, lenient: bool) -> None:
    turn = written_turn(dialect, {"query": "lakes"})
    assert turn is not None
    for odd in ("query=x", "query: [4, 9]", "query x", 'query"x', "query[0]", "query, x"):
        for closer in (">", "\n"):
            text = turn.text.replace("=query>", f"={odd}{closer}")
            for tools in (None, [turn.calls[0].tool]):
                with pytest.raises(OutputParserException):
                    get_parser(dialect, lenient=lenient, tools=tools).read(text)


@pytest.mark.parametrize("dialect", IN_BARE_TAGS, ids=named)
def test_an_odd_name_is_that_of_a_parameter_if_the_tool_has_it(dialect: Dialect) -> None:
    for name in ("filter[name]", "first name"):
        turn = written_turn(dialect, {"query": "lakes"})
        assert turn is not None
        text = turn.text.replace("=query>", f"={name}>")
        properties = {name: {"type": "string"}}
        tool = {
            "name": turn.calls[0].tool,
            "parameters": {"type": "object", "properties": properties},
        }
        (call,) = calls_in(get_parser(dialect, tools=[tool]).read(text).result)
        assert call.tool_input == {name: "lakes"}


@every_dialect
def test_a_text_stays_text_if_it_would_lose_characters_as_a_number(dialect: Dialect) -> None:
    for text in NUMBERS_IN_WORDS:
        for part in UNIONS:
            assert _input_of(dialect, text, part) == text


@every_dialect
def test_a_member_of_an_enum_wins_over_other_values(dialect: Dialect) -> None:
    for part, text in (
        ({"type": ["string", "null"], "enum": ["none", "all", None]}, "none"),
        ({"anyOf": [{"enum": ["none", "null"]}, {"type": "null"}]}, "null"),
        ({"anyOf": [{"type": "integer"}, {"const": "5"}]}, "5"),
        ({"oneOf": [{"type": "boolean"}, {"enum": ["true", "all"]}]}, "true"),
        ({"enum": ["1", 1, True]}, "1"),
    ):
        assert _input_of(dialect, text, part) == text


@every_dialect
def test_half_of_a_fence_in_an_object_is_data(dialect: Dialect) -> None:
    if a_tool(dialect) != "search":
        return  # its only tool takes a text, which nothing closes
    for text in ("```", "what does ``` mean", "it ends with ```", "```py\nx = 1", "a\n```\nb"):
        assert _input_of(dialect, text, {"type": "string"}) == text


@every_dialect
def test_a_mark_of_reasoning_behind_an_answer_means_nothing(dialect: Dialect) -> None:
    if not dialect.several or dialect.name == "json_toolcall":
        return  # an answer behind a label may be any text
    parser, written = get_parser(dialect), Written("", "", "", answer="The mill is old.")
    answer = dialect.write(written)
    wanted = parser.read(answer, ended="stop").content
    for opens, closes in REASONING[:3]:
        for behind in (opens, f"{opens}\n", f"{opens}{closes}", f"{opens}\n\n{closes}\n"):
            turn = parser.read(f"{answer}\n{behind}", ended="stop")
            assert isinstance(turn.result, AgentFinish)
            assert turn.content == wanted


@every_turn_mode
def test_what_ends_a_turn_is_read_alike_in_quotation_marks(dialect: Dialect, mode: Mode) -> None:
    table = dialect.strict if mode == "strict" else dialect.lenient
    closers = [m.canonical for name, m in table.markers.items() if name.startswith("end of ")]
    for mark in {*dialect.stop, *closers}:
        for text in (f'"{mark}"', f'x "{mark}" y', f"`{mark}`", f"x {mark} and so on"):
            laws.any_cut_gives_the_same_events(dialect, mode, text, halves=True)


@every_dialect
def test_a_tool_is_meant_by_its_name_in_another_spelling(dialect: Dialect) -> None:
    if a_tool(dialect) != "search":
        return  # its calls name no tool
    schema = {"type": "object", "properties": {"query": {"type": "string"}}}
    parser = get_parser(dialect, tools=[{"name": "look-up.lakes", "parameters": schema}])
    for name in ("look_up_lakes", "look_up.lakes", "Look-Up-Lakes"):
        try:
            text = dialect.write(Written("", name, {"query": "lakes"}))
        except ValueError:
            continue
        turn = parser.read(text, ended="stop")
        assert [call.tool for call in calls_in(turn.result)] == ["look-up.lakes"]
        assert "tool_name" in {repair.kind for repair in turn.repairs}


@every_dialect
def test_names_with_dots_and_hyphens_are_written_and_read_back(dialect: Dialect) -> None:
    if a_tool(dialect) != "search":
        return
    for name in ("maps.search", "maps-search", "maps_search"):
        parser = get_parser(dialect, tools=[{"name": name, "parameters": {"type": "object"}}])
        result = parser.parse(parser.render(AgentAction(name, {}, "")), ended="stop")
        assert [call.tool for call in calls_in(result)] == [name]


@every_dialect
def test_an_answer_is_written_only_if_it_is_read_as_one(dialect: Dialect) -> None:
    schema = {"type": "object", "properties": {"query": {"type": "string"}}}
    tools = [{"name": a_tool(dialect), "parameters": schema}]
    readers = [get_parser(dialect, tools=tools, lenient=mode) for mode in (False, True)]
    calls = ("[TOOL_CALLS]{}[C", "<tool_call>{}", "{}({{}})", "<{}>x</{}>", "It is old.")
    for call in calls:
        answer = call.format(a_tool(dialect), a_tool(dialect))
        for writer in readers:
            try:
                text = writer.render(AgentFinish({"output": answer}, ""))
            except ValueError:
                assert call != calls[-1]
                continue
            for reader in readers:
                result = reader.parse(text, ended="stop")
                assert isinstance(result, AgentFinish)
                assert result.return_values["output"] == answer
