"""`AgentAction` and related classes match LangChain's, and parsers return instances of them."""

import copy
import json
import pickle
from collections.abc import Callable
from typing import Any

import langchain_core.agents as theirs
import langchain_core.messages as their_messages
import pytest
from hypothesis import given
from hypothesis import strategies as st
from pydantic import BaseModel, ValidationError

import agent_parsers as ours
import outputs as our_messages
from agent_parsers import (
    AgentAction,
    AgentActionMessageLog,
    AgentFinish,
    Transcript,
    TranscriptStep,
    get_parser,
    parse_transcript,
)
from agent_parsers.actions.agent import make_action, make_finish
from outputs import AIMessage, HumanMessage

TEXT = st.text(st.characters(), max_size=20)
ARGS = st.dictionaries(TEXT, st.none() | st.booleans() | st.integers() | TEXT, max_size=3)
INPUTS = TEXT | ARGS

PAIRS: list[Callable[[Any, Any], Any]] = [
    lambda lib, _: lib.AgentAction("search", "x", "log"),
    lambda lib, _: lib.AgentAction(tool="search", tool_input={"q": [1]}, log="log"),
    lambda lib, _: lib.AgentAction("search", tool_input="", log=""),
    lambda lib, _: lib.AgentFinish({"output": "42"}, "log"),
    lambda lib, _: lib.AgentFinish(return_values={}, log="log"),
    lambda lib, messages: lib.AgentActionMessageLog(
        tool="search", tool_input="x", log="log", message_log=[messages.AIMessage("hi")]
    ),
    lambda lib, messages: lib.AgentActionMessageLog(
        "search", {"q": 1}, "log", message_log=[messages.AIMessage(""), messages.HumanMessage("b")]
    ),
    lambda lib, _: lib.AgentStep(action=lib.AgentAction("search", "x", "log"), observation="seen"),
    lambda lib, _: lib.AgentStep(
        action=lib.AgentAction("search", "x", "log"), observation={"é": [1, None, 2.5]}
    ),
    lambda lib, _: lib.AgentStep(action=lib.AgentAction("s", "x", "log"), observation=object),
    lambda lib, _: lib.AgentStep(action=lib.AgentAction("s", "x", "log"), observation=None),
    lambda lib, messages: lib.AgentStep(
        action=lib.AgentActionMessageLog("s", "x", "log", message_log=[messages.AIMessage("a")]),
        observation=["a", {"b": object}],
    ),
    lambda lib, messages: lib.AgentStep(
        action=lib.AgentActionMessageLog("s", "x", "log", message_log=[messages.AIMessage("a")]),
        observation="seen",
    ),
]

every_pair = pytest.mark.parametrize("make", PAIRS)


def our(make: Callable[[Any, Any], Any]) -> Any:
    return make(ours, our_messages)


def their(make: Callable[[Any, Any], Any]) -> Any:
    return make(theirs, their_messages)


def without_messages(dump: Any) -> Any:
    """Leave out message logs: the fields of messages are compared in the tests of messages."""
    if isinstance(dump, dict):
        return {key: without_messages(dump[key]) for key in dump if key != "message_log"}
    return dump


@every_pair
def test_the_fields_are_langchains(make: Callable[[Any, Any], Any]) -> None:
    assert list(type(our(make)).model_fields) == list(type(their(make)).model_fields)
    assert without_messages(our(make).model_dump()) == without_messages(their(make).model_dump())


@every_pair
def test_the_messages_are_langchains(make: Callable[[Any, Any], Any]) -> None:
    found = [(m.type, m.content, m.name) for m in our(make).messages]
    assert found == [(m.type, m.content, m.name) for m in their(make).messages]


@every_pair
def test_equal_parts_make_equal_values(make: Callable[[Any, Any], Any]) -> None:
    assert our(make) == our(make)
    assert our(make) != our(PAIRS[PAIRS.index(make) - 1])


@every_pair
def test_values_survive_json_and_pickle(make: Callable[[Any, Any], Any]) -> None:
    value = our(make)
    assert pickle.loads(pickle.dumps(value)) == value
    assert copy.copy(value) == copy.deepcopy(value) == value
    try:
        text = value.model_dump_json()
    except ValueError:  # an observation may be anything
        with pytest.raises(ValueError, match="serialize"):
            their(make).model_dump_json()
        return
    data = json.loads(text)
    assert without_messages(data) == without_messages(json.loads(their(make).model_dump_json()))
    if "MessageLog" not in text:  # as in LangChain, messages lose their class on the way
        read = type(value).model_validate_json(text)
        assert read == value
        assert read.model_dump_json() == text


def test_the_three_kinds_differ() -> None:
    kinds: list[BaseModel] = [
        AgentAction("a", "b", "c"),
        AgentFinish({"output": "b"}, "c"),
        AgentActionMessageLog(tool="a", tool_input="b", log="c", message_log=[]),
    ]
    assert all((a == b) == (a is b) for a in kinds for b in kinds)
    assert isinstance(kinds[2], AgentAction)


def test_an_action_with_messages_keeps_them() -> None:
    log = [AIMessage(content="a"), HumanMessage(content="b")]
    assert (
        AgentActionMessageLog(tool="s", tool_input="x", log="log", message_log=log).messages == log
    )


@pytest.mark.parametrize(
    "arguments",
    [
        {"tool": "a", "tool_input": 1, "log": ""},
        {"tool": "a", "tool_input": None, "log": ""},
        {"tool": "a", "tool_input": ["x"], "log": ""},
        {"tool": "a", "tool_input": b"x", "log": ""},
        {"tool": None, "tool_input": "x", "log": ""},
        {"tool": 1, "tool_input": "x", "log": ""},
        {"tool": "a", "tool_input": "x", "log": None},
        {"tool": "a", "tool_input": "x", "log": "", "type": "AgentFinish"},
    ],
)
def test_a_wrong_type_is_a_validation_error(arguments: dict[str, Any]) -> None:
    def taken(lib: Any) -> Any:
        try:
            return lib.AgentAction(**arguments).model_dump()
        except ValidationError as error:
            return [(each["type"], each["loc"]) for each in error.errors()]

    assert taken(ours) == taken(theirs)


def test_an_action_that_no_model_wrote_has_no_log() -> None:
    action = ours.AgentAction("a", "x")
    assert action == ours.AgentAction("a", "x", log="")
    step = ours.AgentStep(action, "seen")
    assert step == ours.AgentStep(action=action, observation="seen")


@pytest.mark.parametrize("arguments", [{}, {"tool": "a"}])
def test_a_missing_argument_is_a_type_error(arguments: dict[str, Any]) -> None:
    for lib in (ours, theirs):
        with pytest.raises(TypeError, match="missing"):
            lib.AgentAction(**arguments)


@pytest.mark.parametrize("values", [None, "x", [1]])
def test_wrong_return_values_are_a_validation_error(values: Any) -> None:
    for lib in (ours, theirs):
        with pytest.raises(ValidationError, match="return_values"):
            lib.AgentFinish(values, "log")


def assert_indistinguishable(made: BaseModel, built: BaseModel) -> None:
    assert made == built
    assert built == made
    assert type(made) is type(built)
    assert repr(made) == repr(built)
    assert str(made) == str(built)
    assert made.model_dump() == built.model_dump()
    assert made.model_dump(exclude_unset=True) == built.model_dump(exclude_unset=True)
    assert made.model_dump(exclude_defaults=True) == built.model_dump(exclude_defaults=True)
    assert made.model_fields_set == built.model_fields_set
    assert made.model_extra == built.model_extra
    assert made.__dict__ == built.__dict__
    assert list(made.__dict__) == list(built.__dict__)
    assert made.__getstate__() == built.__getstate__()
    assert dict(made) == dict(built)
    assert _json(made) == _json(built)
    twins: list[Callable[[Any], Any]] = [
        lambda model: pickle.loads(pickle.dumps(model)),
        copy.copy,
        copy.deepcopy,
        lambda model: model.model_copy(),
        lambda model: model.model_copy(deep=True),
        lambda model: model.model_copy(update={"log": "other"}),
        lambda model: type(model).model_validate(model.model_dump()),
    ]
    for twin in twins:
        assert twin(made) == twin(built)
        assert twin(made).model_fields_set == twin(built).model_fields_set


def _json(model: BaseModel) -> str:
    try:
        return model.model_dump_json()
    except ValueError as error:  # JSON cannot encode a lone surrogate
        return str(error)


@given(TEXT, INPUTS, TEXT)
def test_an_action_that_a_parser_made_is_like_any_other(
    tool: str, tool_input: str | dict[str, Any], log: str
) -> None:
    assert_indistinguishable(make_action(tool, tool_input, log), AgentAction(tool, tool_input, log))


@given(TEXT, TEXT)
def test_an_answer_that_a_parser_made_is_like_any_other(output: str, log: str) -> None:
    assert_indistinguishable(make_finish(output, log), AgentFinish({"output": output}, log))


def test_a_made_action_can_be_changed_and_leaves_others_alone() -> None:
    first, second = make_action("a", "b", "c"), make_action("a", "b", "c")
    first.tool = "other"
    assert second.tool == "a"
    assert first.model_fields_set == {"tool", "tool_input", "log"}
    first.type = "AgentAction"
    assert "type" in first.model_fields_set
    assert "type" not in second.model_fields_set


# -- turns and runs as a person reads them when they are printed -----------------------------------

LOG = """\
Question: How deep is it?
Thought: I look it up.
**Action:** search
Action Input: {"lake": "Thun"}
Observation: It is
217 m deep.
Thought: hm
Observation: ?
Final Answer: 217 m
"""


def test_a_turn_is_a_line_for_each_part() -> None:
    parser = get_parser("react", tools=["search"])
    turn = parser.read("Thought: I look it up.\n**Action:** search\nAction Input: lakes")
    assert str(turn) == "I look it up.\nsearch: lakes\nrepaired: label"
    assert repr(turn).startswith("Turn(result=AgentAction(")
    function = {"name": "area", "arguments": '{"lake": "Thun"}'}
    call = {"id": "1", "type": "function", "function": function}
    read = get_parser("tools").read({"role": "assistant", "content": "Hm.", "tool_calls": [call]})
    assert str(read) == 'content: Hm.\narea: {"lake": "Thun"}'
    assert str(get_parser("react", output_type=list[int]).read("Final Answer: [1, 2]")) == (
        "answer: [1, 2]"
    )


def test_a_run_is_its_question_and_its_steps() -> None:
    run = parse_transcript(LOG)
    assert str(run) == (
        "Question: How deep is it?\n"
        "1. I look it up.\n"
        '   search: {"lake": "Thun"}\n'
        "   repaired: label\n"
        "   -> It is 217 m deep.\n"
        "2. hm\n"
        "   not read: expected an Action or a Final Answer\n"
        "   -> ?\n"
        "3. answer: 217 m"
    )
    assert run.output == "217 m"
    assert repr(run).startswith("Transcript(question='How deep is it?'")
    assert parse_transcript(LOG.partition("Final")[0]).output is None


@given(text=st.text(max_size=300))
def test_what_is_printed_is_short_and_safe(text: str) -> None:
    step = TranscriptStep(1, text, AgentAction(text, text, ""), text, None, None, None)
    lines = str(Transcript(text, (step,))).split("\n")
    assert all(line.isprintable() or set(line) & {"\u200c", "\u200d"} for line in lines)
    assert all(len(line) <= 103 for line in lines)
    assert len(lines) <= 4


def test_they_are_printed_as_langchain_prints_them() -> None:
    for name, fields in (
        ("AgentAction", {"tool": "dig", "tool_input": {"depth": 2}, "log": ""}),
        ("AgentFinish", {"return_values": {"output": "a hole"}, "log": "done"}),
        (
            "AgentActionMessageLog",
            {"tool": "dig", "tool_input": "", "log": "", "message_log": []},
        ),
    ):
        own, lc = getattr(ours, name)(**fields), getattr(theirs, name)(**fields)
        assert (repr(own), str(own)) == (repr(lc), str(lc))
    step = ours.AgentStep(ours.AgentAction("dig", "2"), "deep")
    expected = theirs.AgentStep(action=theirs.AgentAction("dig", "2", ""), observation="deep")
    assert (repr(step), str(step)) == (repr(expected), str(expected))
