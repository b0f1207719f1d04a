"""Prompts can be parsed: their examples, whole prompts, and the turns that follow them."""

import json
import re
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, Literal

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agent_laws import laws
from agent_laws.laws.writing import is_same
from agent_laws.trials.pieces import a_tool
from agent_laws.trials.strategies import (
    anything,
    plain,
    plain_input,
    plain_tool,
    soup,
    wild,
)
from agent_parsers import (
    AgentAction,
    AgentFinish,
    ChatOutputParser,
    ConvoOutputParser,
    ConvoTextOutputParser,
    Dialect,
    MRKLOutputParser,
    StructuredChatOutputParser,
    ToolAgentAction,
    get_parser,
    parse_transcript,
)
from agent_parsers.authoring import Result, list_functions, list_schemas
from agent_parsers.engine.writing.prompt import instructions, replies
from agent_parsers.parsers.dialect_parser import dialect_parser
from agent_parsers.toolset import ToolSet, ToolSpec
from outputs import AIMessage, HumanMessage, SystemMessage, ToolMessage

from ....helpers.stories import every_dialect, every_run_dialect
from ....helpers.tool_replies import actions_in

if TYPE_CHECKING:
    from agent_parsers.engine.writing.render import Step


def search(query: str, limit: int = 5) -> str:
    """Looks up a name in the encyclopedia.

    Args:
        query: What to look for.
        limit: Most lines to return.
    """
    return f"{query}: {limit}"


def convert(amount: float, unit: Literal["m", "ft"], notes: list[str] | None = None) -> str:
    """Converts a length."""
    return f"{amount} {unit} {notes}"


def clock() -> str:
    """Tells the time."""
    return "12:00"


TOOLS = ToolSet([search, convert, clock])
NUMBERED = ToolSet([convert])
NAMES = ToolSet(["search", "look_up"])
"""Tools that take anything."""


# -- examples ------------------------------------------------------------------------------------


def assert_used(dialect: Dialect, text: str, tools: ToolSet) -> None:
    """Check that *text* is an action with one of the *tools* and an input that fits the tool."""
    for lenient in (False, True):
        parser = dialect_parser(dialect, lenient=lenient)
        (action,) = actions_in(parser.parse(text))
        assert not parser.read(text).repairs
        if a_tool(dialect) != "search":  # the model names no tool, or names it in its code
            assert action.tool == a_tool(dialect)
            continue
        assert action.tool in tools
        expected = tools.example(action.tool)
        assert expected is not None
        assert tools.check(action.tool, action.tool_input).keys() == expected.keys()


@every_dialect
@pytest.mark.parametrize("tools", [TOOLS, NUMBERED], ids=["three", "one with numbers"])
def test_the_example_in_the_instructions_is_an_action(dialect: Dialect, tools: ToolSet) -> None:
    action, answer = replies(dialect, tools)
    text = instructions(dialect, tools)
    assert f"\n\n{action}" in text
    assert answer in text
    assert_used(dialect, action, tools)
    assert tools.names[0] in action or a_tool(dialect) == "Intermediate Answer"


@every_dialect
def test_the_last_turn_in_the_instructions_is_an_answer(dialect: Dialect) -> None:
    _, answer = replies(dialect, TOOLS)
    for lenient in (False, True):
        finish = dialect_parser(dialect, lenient=lenient).parse(answer)
        assert isinstance(finish, AgentFinish)
        assert finish.return_values == {"output": dialect.prompt_words.answer}


@every_dialect
def test_there_is_an_example_also_if_no_tool_can_be_written(
    dialect: Dialect,
) -> None:
    for tools in (None, ["name of\na [tool]"]):
        action, answer = replies(dialect, tools)
        text = instructions(dialect, tools)
        assert action in text
        assert answer in text
        (result,) = actions_in(dialect_parser(dialect).parse(action))
        assert result.tool_input == dialect.example.tool_input


@every_dialect
@pytest.mark.parametrize("output_type", [None, list[int]])
def test_without_tools_only_an_answer_is_shown(dialect: Dialect, output_type: Any) -> None:
    tools = ToolSet([])
    if output_type is not None:
        tools = tools.answering(output_type)
    action, answer = replies(dialect, tools)
    assert action == ""
    assert answer in instructions(dialect, tools)
    prompt = dialect_parser(dialect, tools=tools).render_prompt("Why?")
    for word in ("search", "[]", "(none)", "tool"):
        assert word not in prompt.replace(answer, "")
    if output_type is None:
        laws.without_tools_no_call_is_shown(dialect)


@every_dialect
@given(data=st.data())
def test_no_description_changes_what_stands_around_it(
    dialect: Dialect, data: st.DataObject
) -> None:
    about = data.draw(
        st.sampled_from(["{tools}", "{form} {action} {tool_names} {", "{0} %s \\1 \\g<0>"])
        | soup(dialect)
        | anything(),
        "about",
    )
    hostile, plainer = (
        ToolSet([ToolSpec("search", text, {"properties": {"query": {"description": text}}})])
        for text in (about, "plain")
    )
    before, after = instructions(dialect, plainer).split(dialect.list_tools(plainer))
    assert instructions(dialect, hostile) == before + dialect.list_tools(hostile) + after


@every_dialect
@given(data=st.data())
def test_any_name_of_a_tool_can_be_in_a_prompt(dialect: Dialect, data: st.DataObject) -> None:
    named = wild(dialect).filter(str.strip)
    names = data.draw(st.lists(named, min_size=1, max_size=3, unique=True), "names")
    action, _ = replies(dialect, names)
    assert action in instructions(dialect, names)
    assert actions_in(dialect_parser(dialect).parse(action))


@every_dialect
def test_instructions_have_no_gaps(dialect: Dialect) -> None:
    for tools in (None, TOOLS, ["search"]):
        text = instructions(dialect, tools)
        assert text == text.strip()
        for reply in replies(dialect, tools):  # it is as the chat template has it
            text = text.replace(reply, "reply")
        assert "\n\n\n" not in text
        assert not re.search(r"[ \t]\n", text)


@every_dialect
def test_a_tool_is_listed_with_its_parameters(dialect: Dialect) -> None:
    text = instructions(dialect, TOOLS)
    for words in ("Looks up a name", "What to look for.", "limit", "convert", "amount", "clock"):
        assert words in text


# -- lists of tools ------------------------------------------------------------------------------


def test_a_tool_is_listed_with_its_schema() -> None:
    first, second, *more = list_schemas(ToolSet([search, "clock"])).split("\n")
    assert first == "search: Looks up a name in the encyclopedia."
    assert json.loads(second.removeprefix("    input: ")) == TOOLS["search"].parameters
    assert more == ["clock"]


def test_a_tool_is_listed_as_a_function() -> None:
    tools = ToolSet([*TOOLS, "anything", ToolSpec("bare", "", {"properties": {"x": {}}})])
    assert (
        list_functions(tools)
        == '''\
def search(query: str, limit: int = 5):
    """Looks up a name in the encyclopedia.

    Args:
        query: What to look for.
        limit: Most lines to return.
    """
def convert(amount: float, unit: Literal['m', 'ft'], notes: list | None = None):
    """Converts a length."""
def clock():
    """Tells the time."""
anything
def bare(x: Any = None): ...'''
    )


def test_a_docstring_is_not_ended_by_what_it_says() -> None:
    tool = ToolSpec("f", 'Says """.\n\nTwice.', {"properties": {}})
    assert list_functions(ToolSet([tool])) == (
        'def f():\n    """Says \'\'\'.\n\n    Twice.\n    """'
    )


# -- the whole prompt ----------------------------------------------------------------------------

END = "enough"


@st.composite
def taken(
    draw: st.DrawFn,
    dialect: Dialect,
    thoughts: st.SearchStrategy[str] = st.just("") | plain(),  # noqa: B008 - it is a value
    forms: Sequence[str] = ("none", "whole", "continued"),
) -> list[tuple[str, AgentAction, str]]:
    """Past steps: the thought, the action with or without a log, and the observation."""
    parser = dialect_parser(dialect)
    seen = st.one_of(plain(), wild(dialect), soup(dialect))
    steps: list[tuple[str, AgentAction, str]] = []
    for number in range(1, draw(st.integers(0, 3)) + 1):
        action = AgentAction(draw(plain_tool(dialect)), draw(plain_input(dialect)), "")
        thought = draw(thoughts)
        form = draw(st.sampled_from(forms))
        text = parser.render(action, thought=thought, number=number)
        if form == "none":
            thought, text = "", ""
        elif form == "continued":  # the prompt already has the label of the thought
            text = text.removeprefix(dialect.generation_prompt(number))
        steps.append((thought, action.model_copy(update={"log": text}), draw(seen)))
    return steps


def assert_is_read_back(
    dialect: Dialect, text: str, question: str, steps: Sequence[tuple[str, AgentAction, str]]
) -> None:
    """Check that *text* with a last turn is the transcript of these steps."""
    parser = dialect_parser(dialect, lenient=True)
    answer = AgentFinish({"output": "42"}, "")
    number = len(steps) + 1
    reply = parser.render(answer, thought=END, number=number)
    if text.endswith(dialect.generation_prompt(number)):
        reply = reply.removeprefix(dialect.generation_prompt(number))
    run = parse_transcript(text + reply, dialect=dialect)
    assert run.question == question
    assert not run.preamble
    assert not run.failed
    *read, end = run.steps
    assert [(s.thought, (s.observation or "").strip()) for s in read] == [
        (thought, seen.strip()) for thought, _, seen in steps
    ]
    for step, (_, action, _) in zip(read, steps, strict=True):
        assert isinstance(step.action, AgentAction)
        assert (step.action.tool, step.action.tool_input) == (action.tool, action.tool_input)
    alone = parser.read(reply)
    assert alone.thought == end.thought == END
    assert isinstance(alone.result, AgentFinish)
    assert alone.result.return_values == {"output": "42"}
    assert isinstance(end.action, AgentFinish)
    assert end.action.return_values == alone.result.return_values


@every_run_dialect
@given(data=st.data())
def test_what_a_prompt_ends_in_is_a_transcript(dialect: Dialect, data: st.DataObject) -> None:
    question, steps = data.draw(plain(), "question"), data.draw(taken(dialect), "steps")
    past: list[Step] = [(action, seen) for _, action, seen in steps]
    parser = dialect_parser(dialect, tools=NAMES)
    prompt = parser.render_prompt(question, past, system="You know bridges.")
    text = instructions(dialect, NAMES)
    head = f"You know bridges.\n\n{text}\n\n{dialect.prompt_words.begin}\n\n"
    assert prompt.startswith(head)
    assert_is_read_back(dialect, prompt.removeprefix(head), question, steps)


@every_run_dialect
@given(data=st.data())
def test_the_messages_of_a_prompt_are_a_transcript(dialect: Dialect, data: st.DataObject) -> None:
    question = data.draw(plain(), "question")
    steps = data.draw(taken(dialect, thoughts=plain(), forms=["whole"]), "steps")
    past: list[Step] = [(action, seen) for _, action, seen in steps]
    parser = dialect_parser(dialect, tools=NAMES)
    head, *messages = parser.render_prompt(question, past, as_messages=True)
    assert head == SystemMessage(instructions(dialect, NAMES))
    assert [message.type for message in messages] == ["human", *["ai", "human"] * len(steps)]
    text = "".join(f"{message.content}\n" for message in messages)
    assert_is_read_back(dialect, text, question, steps)


@every_dialect
def test_a_past_step_needs_no_log(dialect: Dialect) -> None:
    """An action with arguments as the tool takes them is written as the dialect writes them."""
    if a_tool(dialect) != "search":
        return
    action = AgentAction("search", {"query": "Lake Thun"}, "")
    parser = dialect_parser(dialect, tools=TOOLS)
    prompt = parser.render_prompt("How deep?", [(action, "217 m")])
    _, human, ai, seen = parser.render_prompt("How deep?", [(action, "217 m")], as_messages=True)
    assert str(human.content).endswith("How deep?")
    assert isinstance(ai, AIMessage)
    assert "217 m" in str(seen.content)
    assert str(ai.content) in prompt
    result = parser.parse(str(ai.content))
    assert is_same(result, action, str(ai.content))


@every_dialect
def test_an_observation_ends_in_the_generation_prompt(dialect: Dialect) -> None:
    for number in (1, 2, 30):
        generation_prompt = dialect.generation_prompt(number + 1)
        assert dialect.results_text([Result("search", "seen")], number).endswith(generation_prompt)
        assert (
            dialect_parser(dialect, tools=["search"])
            .render_prompt("Why?")
            .endswith(f"Why?\n{dialect.generation_prompt(1)}")
        )


def test_the_label_of_a_thought_is_written_once() -> None:
    parser = get_parser("react", tools=["clock"])
    tail = "Action: clock\nAction Input: Bern"
    for log, written in (
        (f"Thought: when?\n{tail}", f"Thought: when?\n{tail}"),
        (f"when?\n{tail}", f"Thought: when?\n{tail}"),
        (f" when?\n{tail}", f"Thought: when?\n{tail}"),
        (tail, tail),
        ("", "Action: clock\nAction Input: Bern"),
    ):
        step = (AgentAction("clock", "Bern", log), "noon")
        prompt = parser.render_prompt("How late?", [step, step])
        assert prompt.endswith(
            f"\n\nBegin.\n\nQuestion: How late?\n{written}\nObservation: noon\n{written}"
            "\nObservation: noon\nThought:"
        )


# -- the names of LangChain ----------------------------------------------------------------------


@pytest.mark.parametrize(
    "kind",
    [
        ChatOutputParser,
        ConvoOutputParser,
        ConvoTextOutputParser,
        MRKLOutputParser,
        StructuredChatOutputParser,
    ],
)
def test_the_instructions_are_the_users_to_choose(kind: Any) -> None:
    assert kind().get_format_instructions() == instructions(kind().dialect)
    parser = kind(format_instructions="just do", tools=TOOLS)
    assert parser.get_format_instructions() == "just do"
    assert parser.render_prompt("Why?").startswith("just do\n\nBegin.\n\n")


# -- models that call tools ----------------------------------------------------------------------


@pytest.mark.parametrize("name", ["tools", "openai_tools", "anthropic_blocks"])
def test_a_model_that_calls_tools_is_prompted_with_messages(name: str) -> None:
    parser = get_parser(name, tools=TOOLS)
    call = AIMessage("", tool_calls=[{"name": "clock", "args": {}, "id": "1"}])
    (action,) = parser.invoke(call)
    assert isinstance(action, ToolAgentAction)
    assert parser.render_prompt("How late?", [(action, "noon")], system="Be brief.") == [
        SystemMessage("Be brief."),
        HumanMessage("How late?"),
        call,
        ToolMessage("noon", tool_call_id="1", additional_kwargs={"name": "clock"}),
    ]
    assert parser.render_prompt("How late?") == [HumanMessage("How late?")]


def test_a_model_that_calls_functions_is_prompted_with_messages() -> None:
    parser = get_parser("openai_functions")
    call = AIMessage("", additional_kwargs={"function_call": {"name": "clock", "arguments": "{}"}})
    messages = parser.render_prompt("How late?", [(parser.invoke(call), "noon")], as_messages=True)
    assert [message.type for message in messages] == ["human", "ai", "function"]


def test_a_model_that_calls_tools_has_no_prompt_of_text() -> None:
    with pytest.raises(ValueError, match="takes messages, not text"):
        get_parser("tools").render_prompt("How late?", as_messages=False)


@pytest.mark.parametrize("name", ["tools", "openai_tools", "openai_functions"])
def test_a_model_that_calls_tools_sees_what_was_wrong_with_its_reply(name: str) -> None:
    parser = get_parser(name, tools=TOOLS)
    past = [(AgentAction("", "", log="hm"), "Call a tool."), (AgentAction("x", "", "y"), 3)]
    _, *messages = parser.render_prompt("How deep?", past)
    assert [(m.type, m.content) for m in messages] == [  # type: ignore[union-attr]  # messages
        ("ai", "hm"), ("human", "Call a tool."), ("ai", "y"), ("human", "3"),
    ]  # fmt: skip
