"""Laws of dialects with tool schemas."""

from collections.abc import Iterable

from hypothesis import given, settings
from hypothesis import strategies as st

from agent_parsers import (
    ActionComplete,
    AgentAction,
    Dialect,
    OutputParserException,
    StreamParser,
    ToolInputError,
    ToolSet,
    UnknownToolError,
)
from agent_parsers.engine.tables.modes import Mode, OnConflict
from agent_parsers.parsers.dialect_parser import dialect_parser
from agent_parsers.testing import cut, cuts
from agent_parsers.testing.laws.writing import is_same
from agent_parsers.testing.trials.pieces import a_tool
from agent_parsers.testing.trials.stories import Story, outcome_of, story_from
from agent_parsers.testing.trials.strategies import policies

from ....helpers.stories import every_dialect, every_mode, every_turn_mode
from ....helpers.tool_replies import actions_in, arguments, replies, tool_sets

FEW = settings(max_examples=max(8, settings().max_examples // 6))
"""Drawing tools and a reply takes time, and each test runs for every dialect and mode."""


def story(
    dialect: Dialect,
    mode: Mode,
    chunks: Iterable[str],
    tools: ToolSet,
    on_conflict: OnConflict = "error",
) -> Story:
    return story_from(
        StreamParser(dialect, mode=mode, tools=tools, on_conflict=on_conflict), chunks
    )


@every_mode
@FEW
@given(data=st.data())
def test_any_cut_gives_the_same_story(dialect: Dialect, mode: Mode, data: st.DataObject) -> None:
    tools = data.draw(tool_sets(dialect), "tools")
    text = data.draw(replies(dialect, mode, tools), "text")
    on_conflict = data.draw(policies(), "on_conflict")
    whole = story(dialect, mode, [text], tools, on_conflict)
    sizes = data.draw(cuts(), "sizes")
    assert story(dialect, mode, cut(text, sizes), tools, on_conflict) == whole
    assert story(dialect, mode, list(text), tools, on_conflict) == whole
    if mode != "transcript":
        parser = dialect_parser(
            dialect, lenient=mode == "lenient", tools=tools, on_conflict=on_conflict
        )
        assert outcome_of(lambda: parser.parse(text)) == whole.outcome


@every_turn_mode
@FEW
@given(data=st.data())
def test_an_action_has_an_input_that_its_tool_takes(
    dialect: Dialect, mode: Mode, data: st.DataObject
) -> None:
    tools = data.draw(tool_sets(dialect), "tools")
    text = data.draw(replies(dialect, mode, tools), "text")
    whole = story(dialect, mode, [text], tools)
    actions = [event.action for event in whole.of(ActionComplete)]
    assert actions == actions_in(whole.outcome)
    for action in actions:
        if tools.checks(action.tool):
            assert tools.check(action.tool, action.tool_input) == action.tool_input
        elif action.tool not in tools:
            assert a_tool(dialect) != "search", "the tool goes without name"


@every_dialect
@FEW
@given(data=st.data())
def test_arguments_are_read_back(dialect: Dialect, data: st.DataObject) -> None:
    tools = data.draw(tool_sets(dialect), "tools")
    name = a_tool(dialect)
    if not tools.checks(name):
        return
    value = data.draw(arguments(tools, name), "arguments")
    step = AgentAction(name, tools.check(name, value), "")
    for lenient in (False, True):
        parser = dialect_parser(dialect, lenient=lenient, tools=tools)
        text = parser.render(step)
        turn = parser.read(text)
        assert is_same(turn.result, step, text)
        assert not turn.repairs


def example_in(error: OutputParserException) -> str:
    said = str(error.observation)
    example = said.partition("For example:")[2] or said.partition("例如：")[2]
    return example.removeprefix(" ")  # some dialects begin a call on a new line


@every_turn_mode
@FEW
@given(data=st.data())
def test_the_example_of_an_error_is_what_the_parser_takes(
    dialect: Dialect, mode: Mode, data: st.DataObject
) -> None:
    tools = data.draw(tool_sets(dialect), "tools")
    text = data.draw(replies(dialect, mode, tools), "text")
    parser = dialect_parser(dialect, lenient=mode == "lenient", tools=tools)
    outcome = outcome_of(lambda: parser.parse(text))
    error = getattr(outcome, "error", None)
    if not isinstance(error, ToolInputError | UnknownToolError):
        return
    assert error.llm_output == text
    assert error.span is not None
    assert error.send_to_llm
    assert len(str(error.observation)) < 10_000
    if example := example_in(error):  # lenient reading takes no placeholders
        assert actions_in(dialect_parser(dialect, lenient=False, tools=tools).parse(example))
    else:
        assert isinstance(error, ToolInputError)
        assert error.example is None
