"""Writing a run for the APIs of providers: ids, results, and what cannot be written."""

import json
from typing import Any

import langchain_core.messages as lc
import pytest

from agent_parsers import (
    AgentAction,
    AgentActionMessageLog,
    AgentStep,
    ToolAgentAction,
    get_parser,
    to_anthropic,
    to_langchain,
    to_openai,
    to_openai_responses,
)
from outputs import (
    AIMessage,
    ChatMessage,
    FunctionMessage,
    HumanMessage,
    SystemMessage,
    ToolMessage,
    tool_call,
)

WRITERS = [to_openai, to_openai_responses, to_anthropic, to_langchain]
every_writer = pytest.mark.parametrize("write", WRITERS, ids=lambda write: write.__name__)
PARSER = get_parser("tools")


def asked(*ids: str | None, content: Any = "") -> AIMessage:
    """Return a message with a call of each id."""
    return AIMessage(
        content,
        tool_calls=[tool_call(name="f", args={"n": n}, id=i) for n, i in enumerate(ids)],
    )


def steps_of(message: Any) -> list[Any]:
    """Return the steps of a message, whose results are numbers."""
    actions = PARSER.invoke(message)
    assert isinstance(actions, list)
    return [(action, number) for number, action in enumerate(actions)]


STEPS = steps_of(asked("1", "2", content="Both."))


def test_calls_of_one_message_stay_together() -> None:
    def call(call_id: str, number: int) -> dict[str, Any]:
        function = {"name": "f", "arguments": json.dumps({"n": number})}
        return {"id": call_id, "type": "function", "function": function}

    assert to_openai(STEPS) == [
        {"role": "assistant", "content": "Both.", "tool_calls": [call("1", 0), call("2", 1)]},
        {"role": "tool", "tool_call_id": "1", "content": "0"},
        {"role": "tool", "tool_call_id": "2", "content": "1"},
    ]
    assert to_openai_responses(STEPS) == [
        {"role": "assistant", "content": "Both."},
        {"type": "function_call", "call_id": "1", "name": "f", "arguments": '{"n": 0}'},
        {"type": "function_call", "call_id": "2", "name": "f", "arguments": '{"n": 1}'},
        {"type": "function_call_output", "call_id": "1", "output": "0"},
        {"type": "function_call_output", "call_id": "2", "output": "1"},
    ]
    assert to_anthropic(STEPS) == [
        {
            "role": "assistant",
            "content": [
                {"type": "text", "text": "Both."},
                {"type": "tool_use", "id": "1", "name": "f", "input": {"n": 0}},
                {"type": "tool_use", "id": "2", "name": "f", "input": {"n": 1}},
            ],
        },
        {
            "role": "user",
            "content": [
                {"type": "tool_result", "tool_use_id": "1", "content": "0"},
                {"type": "tool_result", "tool_use_id": "2", "content": "1"},
            ],
        },
    ]
    calls: Any = [{"name": "f", "args": {"n": n}, "id": str(n + 1)} for n in range(2)]
    assert to_langchain(STEPS) == [
        lc.AIMessage("Both.", tool_calls=calls),
        lc.ToolMessage("0", tool_call_id="1", name="f"),
        lc.ToolMessage("1", tool_call_id="2", name="f"),
    ]


@every_writer
def test_steps_may_be_pairs_or_steps_and_the_turns_follow_each_other(write: Any) -> None:
    more = [*STEPS, *steps_of(asked("3"))]
    assert write(more) == [*write(STEPS), *write(steps_of(asked("3")))]
    assert write([AgentStep(action=a, observation=o) for a, o in more]) == write(more)
    assert write([]) == []


@every_writer
def test_messages_are_written_like_the_same_steps(write: Any) -> None:
    history = [
        asked("1", "2", content="Both."),
        ToolMessage("1", tool_call_id="2", name="f"),
        ToolMessage("0", tool_call_id="1", name="f"),
    ]
    assert write(history) == write(STEPS)
    assert write(PARSER.render_prompt("?", STEPS)[1:]) == write(STEPS)
    assert write([HumanMessage("?"), *STEPS]) == write(PARSER.render_prompt("?", STEPS))
    forms: list[Any] = [{"role": "user", "content": "?"}, lc.AIMessage("!")]
    assert write([*forms, *STEPS]) == [
        *write([HumanMessage("?"), AIMessage("!")]),
        *write(STEPS),
    ]


# -- who speaks ----------------------------------------------------------------------------------


def test_who_speaks() -> None:
    history = [
        SystemMessage("Be kind."),
        HumanMessage("Hi", name="Bob"),
        HumanMessage([{"type": "text", "text": "Look:"}, "here"]),
        ChatMessage("No.", role="developer"),
        AIMessage([{"type": "text", "text": "Hel"}, "lo"]),
        AIMessage("", additional_kwargs={"refusal": "I won't."}),
    ]
    assert to_openai(history) == [
        {"role": "system", "content": "Be kind."},
        {"role": "user", "content": "Hi", "name": "Bob"},
        {"role": "user", "content": [{"type": "text", "text": "Look:"}, "here"]},
        {"role": "developer", "content": "No."},
        {"role": "assistant", "content": "Hello"},
        {"role": "assistant", "content": "", "refusal": "I won't."},
    ]
    assert to_openai_responses(history) == [
        {"role": "system", "content": "Be kind."},
        {"role": "user", "content": "Hi"},
        {
            "role": "user",
            "content": [
                {"type": "input_text", "text": "Look:"},
                {"type": "input_text", "text": "here"},
            ],
        },
        {"role": "developer", "content": "No."},
        {"role": "assistant", "content": "Hello"},
        {"role": "assistant", "content": "I won't."},
    ]
    assert to_anthropic([*history[1:3], *history[4:]]) == [
        {"role": "user", "content": "Hi"},
        {"role": "user", "content": [{"type": "text", "text": "Look:"}, "here"]},
        {
            "role": "assistant",
            "content": [{"type": "text", "text": "Hel"}, {"type": "text", "text": "lo"}],
        },
    ]
    for message in (history[0], history[3]):
        with pytest.raises(ValueError, match="pass system messages as the `system` parameter"):
            to_anthropic([message])
    assert [type(message) for message in to_langchain(history)] == [
        lc.SystemMessage, lc.HumanMessage, lc.HumanMessage, lc.ChatMessage, lc.AIMessage,
        lc.AIMessage,
    ]  # fmt: skip


@every_writer
def test_steps_in_text_are_what_the_assistant_and_the_user_say(write: Any) -> None:
    action = AgentAction("", "", log="Act: f")
    spoken = [AIMessage("Act: f"), HumanMessage("There is no tool 'Act'.")]
    assert write([(action, "There is no tool 'Act'.")]) == write(spoken)
    prompt = get_parser("react", tools=[]).render_prompt("?", [(action, "seen")], as_messages=True)
    assert len(write(prompt[1:])) == 3


@every_writer
def test_steps_of_both_kinds_follow_each_other(write: Any) -> None:
    action = AgentAction("", "", log="Hm.")
    assert write([*STEPS, (action, "What?"), *steps_of(asked("3"))]) == [
        *write(STEPS),
        *write([AIMessage("Hm."), HumanMessage("What?")]),
        *write(steps_of(asked("3"))),
    ]


# -- ids -----------------------------------------------------------------------------------------


@every_writer
@pytest.mark.parametrize("call_id", [None, ""])
def test_ids_are_not_made_up_unless_one_says_how(write: Any, call_id: str | None) -> None:
    steps = [*STEPS, *steps_of(asked(call_id))]
    with pytest.raises(ValueError, match=r"^call 3 of the run, to 'f', has no id: pass a function"):
        write(steps)
    written = json.dumps([str(message) for message in write(steps, new_id="call_{}".format)])
    assert written.count("call_3") == 2
    assert "call_1" not in written


@every_writer
def test_two_calls_of_a_message_cannot_have_one_id(write: Any) -> None:
    steps = steps_of(asked("1", "1"))
    with pytest.raises(ValueError, match="call 2 of the run, to 'f', has the id '1', which"):
        write(steps)
    assert len(write(steps, new_id="call_{}".format)) == len(write(STEPS)) - (
        write is to_openai_responses
    )


def test_anthropic_takes_an_id_once_and_of_certain_characters() -> None:
    again = [*steps_of(asked("1")), *steps_of(asked("1"))]
    assert len(to_openai(again)) == 4
    with pytest.raises(ValueError, match="has the id '1', which Anthropic does not accept here"):
        to_anthropic(again)
    odd = steps_of(asked("functions.f:0"))
    with pytest.raises(ValueError, match=r"has the id 'functions.f:0', which Anthropic does not"):
        to_anthropic(odd)
    (said, seen) = to_anthropic(odd, new_id="toolu_{}".format)
    assert said["content"][0]["id"] == seen["content"][0]["tool_use_id"] == "toolu_1"
    with pytest.raises(
        ValueError, match=r"the id 'f\.1' from new_id is already in use, or not valid"
    ):
        to_anthropic(odd, new_id="f.{}".format)
    with pytest.raises(ValueError, match="the id '2' from new_id is already in use, or not valid"):
        to_openai(steps_of(asked("2", None)), new_id="{}".format)


# -- results -------------------------------------------------------------------------------------


@every_writer
def test_what_has_happened_can_always_be_written(write: Any) -> None:
    other = ToolAgentAction("f", {}, "", message_log=[asked("1")], tool_call_id="2")
    for history in ([*STEPS[:1], HumanMessage("?")], [asked("1"), HumanMessage("?")]):
        assert "(there is no result)" in str(write(history))
    assert "no result" not in str(write([(other, "")]))  # it is still to be run
    (orphan,) = write([ToolMessage("0", tool_call_id="1", name="f")])
    assert "Result of f:" in str(orphan)
    bad = [{"id": "1", "function": {"name": "", "arguments": "{}"}}]
    nameless = AIMessage("", additional_kwargs={"tool_calls": bad})
    assert "unknown" in str(write([nameless, ToolMessage("0", tool_call_id="1")]))
    with pytest.raises(TypeError, match="expected a message, not int"):
        write([5])


@every_writer
def test_a_call_that_is_to_be_run_has_no_result(write: Any) -> None:
    assert "no result" not in str(write([asked("1")]))


def test_results_are_text_and_may_be_empty_or_errors() -> None:
    message = asked("1", "2", "3")
    results = [
        ToolMessage("", tool_call_id="1"),
        ToolMessage("gone", tool_call_id="2", status="error"),
        ToolMessage([{"type": "text", "text": "a"}, "b"], tool_call_id="3"),
    ]
    (_, seen) = to_anthropic([message, *results])
    assert seen["content"] == [
        {"type": "tool_result", "tool_use_id": "1"},
        {"type": "tool_result", "tool_use_id": "2", "content": "gone", "is_error": True},
        {"type": "tool_result", "tool_use_id": "3", "content": "ab"},
    ]
    assert [each["content"] for each in to_openai([message, *results])[1:]] == ["", "gone", "ab"]
    assert [m.status for m in to_langchain([message, *results])[1:]] == [
        "success", "error", "success",
    ]  # fmt: skip
    picture = ToolMessage([{"type": "image", "data": "…"}], tool_call_id="1")
    assert to_openai([asked("1"), picture])[1]["content"] == '[{"type": "image", "data": "…"}]'
    (action, _), *_ = steps_of(asked("1"))
    assert to_openai([(action, {"é": 1})])[1]["content"] == '{"é": 1}'


# -- arguments -----------------------------------------------------------------------------------


def wire(arguments: Any, name: str = "f", **more: Any) -> dict[str, Any]:
    call = {"id": "1", "type": "function", "function": {"name": name, "arguments": arguments}}
    return {"role": "assistant", "content": None, "tool_calls": [{**call, **more}]}


@pytest.mark.parametrize(
    ("written", "goes_back"),
    [
        ('{"a":1,  "b": "\\u00e9"}', '{"a":1,  "b": "\\u00e9"}'),
        ("{'a': True,}", '{"a": true}'),
        ("", "{}"),
        ('{"__arg1": "ls"}', '{"__arg1": "ls"}'),
    ],
)
def test_arguments_go_back_unchanged_unless_they_were_repaired(
    written: str, goes_back: str
) -> None:
    (said, _) = to_openai(steps_of(wire(written)))
    assert said["tool_calls"][0]["function"] == {"name": "f", "arguments": goes_back}
    (item, _) = to_openai_responses(steps_of(wire(written)))
    assert item["arguments"] == goes_back


def test_other_keys_of_a_call_go_back_unchanged() -> None:
    signed = {"google": {"thought_signature": "c2ln"}}
    (said, _) = to_openai(steps_of(wire("{}", extra_content=signed)))
    assert said["tool_calls"][0]["extra_content"] == signed


def test_an_action_that_was_made_by_hand_is_a_call() -> None:
    action = ToolAgentAction("f", "ls", "", message_log=[AIMessage("")], tool_call_id="1")
    (said, _) = to_openai([(action, "")])
    assert said["tool_calls"][0]["function"] == {"name": "f", "arguments": '{"__arg1": "ls"}'}
    (said, _) = to_anthropic([(action, "")])
    assert said["content"] == [
        {"type": "tool_use", "id": "1", "name": "f", "input": {"__arg1": "ls"}}
    ]
    bare = AgentActionMessageLog("f", {}, "Hm.", message_log=[])
    assert to_openai([(bare, "seen")])[0] == {"role": "assistant", "content": "Hm."}


def test_calls_that_stand_in_the_text_go_back_as_text() -> None:
    message = AIMessage("[f][g]")
    actions = [
        ToolAgentAction(tool, {}, "", message_log=[message], tool_call_id=tool) for tool in "fg"
    ]
    assert to_openai([(action, action.tool) for action in actions]) == [
        {"role": "assistant", "content": "[f][g]"},
        {"role": "user", "content": "f"},
        {"role": "user", "content": "g"},
    ]


def test_what_came_before_the_message_with_the_call_stays_there() -> None:
    log = [AIMessage("Hm."), asked("1")]
    action = ToolAgentAction("f", {"n": 0}, "", message_log=log, tool_call_id="1")
    assert to_openai([(action, "0")]) == [
        {"role": "assistant", "content": "Hm."},
        *to_openai(steps_of(asked("1"))),
    ]


def test_functions_have_no_ids() -> None:
    call = {"name": "f", "arguments": '{"n": 0}'}
    message = AIMessage("", additional_kwargs={"function_call": call})
    action = get_parser("openai_functions").invoke(message)
    expected = [
        {"role": "assistant", "content": None, "function_call": call},
        {"role": "function", "name": "f", "content": "0"},
    ]
    assert to_openai([(action, 0)]) == expected
    assert to_openai([message, FunctionMessage("0", name="f")]) == expected
    assert to_langchain([(action, 0)])[1] == lc.FunctionMessage("0", name="f")


# -- blocks of one provider for another ----------------------------------------------------------


def test_what_only_one_provider_knows_is_left_out_for_others() -> None:
    content = [
        {"type": "thinking", "thinking": "Hm.", "signature": "c2ln"},
        {"type": "thinking", "thinking": "unsigned"},
        {"type": "reasoning", "id": "rs_1", "summary": []},
        {"type": "reasoning", "reasoning": "LangChain's", "id": "1"},
        {"type": "text", "text": "Look.", "id": "msg_1", "annotations": [], "phase": "commentary"},
        {"type": "text", "text": ""},
        {"type": "refusal", "refusal": "No.", "id": "msg_2"},
        {"type": "tool_use", "id": "1", "name": "f", "input": {"n": 0}},
        {"type": "function_call", "id": "fc_1", "call_id": "1", "name": "f", "arguments": "{}"},
        {"type": "tool_use", "id": "9", "name": "unknown", "input": {}},
        {"type": "function_call", "id": "fc_9", "call_id": "9", "name": "g", "arguments": "{}"},
        {"type": "web_search_tool_result", "tool_use_id": "s", "content": []},
    ]
    steps = [
        (
            ToolAgentAction(
                "f", {"n": 0}, "", message_log=[asked("1", content=content)], tool_call_id="1"
            ),
            "0",
        )
    ]
    (said, _) = to_openai(steps)
    assert said["content"] == "Look."
    (said, _) = to_anthropic(steps)
    assert [block["type"] for block in said["content"]] == [
        "thinking", "text", "text", "tool_use", "web_search_tool_result",
    ]  # fmt: skip
    assert said["content"][1] == {"type": "text", "text": "Look."}
    items = to_openai_responses(steps)
    assert [item["type"] for item in items] == [
        "reasoning", "message", "message", "function_call", "function_call_output",
    ]  # fmt: skip
    assert items[1]["phase"] == "commentary"
    assert items[2]["content"] == [{"type": "refusal", "refusal": "No."}]
    assert items[3]["id"] == "fc_1"
