"""`Asking`: a turn of every dialect, asked for and asked for again, without a model at hand."""

from __future__ import annotations

from typing import Any

import pytest

from agent_parsers import (
    AgentAction,
    AgentFinish,
    AnswerDelta,
    OutputParserException,
    StepFailed,
    get_parser,
    list_dialects,
    to_openai,
)
from agent_parsers.loop import Asking
from agent_parsers.testing import ScriptedModel
from agent_parsers.toolset import ToolInputError, UnknownToolError
from output_parsers import ModelRefusalError
from outputs import AIMessage, Generation


def area(lake: str) -> str:
    """Tells how large a lake is."""
    return f"{lake}: 48 km2"


def depth(lake: str, metres: bool = True) -> str:
    """Tells how deep a lake is."""
    return f"{lake}: 217 {metres}"


THUN = {"lake": "Thun"}


def read(asking: Asking[Any], text: str, size: int = 5) -> list[Any]:
    """Request a turn, and read *text* as the reply."""
    asking.request()
    events: list[Any] = []
    for at in range(0, len(text), size):
        events += asking.feed(text[at : at + size])
        if asking.is_over:
            break
    return events + asking.close("stop")


@pytest.mark.parametrize("name", list_dialects())
def test_every_dialect(name: str) -> None:
    if name in ("smolagents_code", "self_ask"):
        pytest.skip("it has one tool, which is not named")
    parser: Any = get_parser(name, tools=[area])
    right = parser.render(AgentAction("area", THUN, ""))
    asking = Asking(name, "How large?", tools=[area])
    first = asking.request().prompt
    failed = read(asking, right.replace("area", "aria"))
    assert (asking.is_done, asking.actions, asking.finish) == (False, [], None)
    (error,) = asking.steps
    assert isinstance(error, UnknownToolError)
    assert [event.error for event in failed if isinstance(event, StepFailed)] == [error]
    assert asking.request().prompt != first
    read(asking, right)
    assert asking.is_done
    (action,) = asking.actions
    assert (action.tool, action.tool_input) == ("area", THUN)
    message = asking.message
    (call,) = message.tool_calls
    assert (call["name"], call["args"]) == ("area", THUN)
    assert call["id"]
    asking.steps.append((action, area(**THUN)))
    read(asking, parser.render(AgentFinish({"output": "48 km2"}, "")))
    assert asking.is_done
    assert asking.finish is not None
    assert (asking.finish.output, asking.actions) == ("48 km2", [])
    assert asking.message.tool_calls == []
    assert len(asking.steps) == 2


@pytest.mark.parametrize("name", list_dialects())
def test_every_dialect_returns_bad_calls_if_asked_to(name: str) -> None:
    if name in ("smolagents_code", "self_ask"):
        pytest.skip("it has one tool, which is not named")
    parser: Any = get_parser(name, tools=[area])
    right = parser.render(AgentAction("area", THUN, ""))
    for wrong, tool, given in (
        (right.replace("area", "aria"), "aria", THUN),
        (right.replace("lake", "lago"), "area", {"lago": "Thun"}),
    ):
        if wrong == right:  # the dialect writes no names of arguments
            continue
        asking = Asking(name, "How large?", tools=[area], on_bad_call="return")
        read(asking, wrong)
        assert asking.is_done
        assert asking.steps == []
        (call,) = asking.message.tool_calls
        assert call["name"] == tool
        assert call["args"] in (given, {"__arg1": "Thun"})  # a dialect may write texts alone


def test_all_calls_of_a_turn_are_returned() -> None:
    parser: Any = get_parser("hermes", tools=[area, depth])
    steps = [AgentAction("area", THUN, ""), AgentAction("depth", THUN, "")]
    text = "\n".join(map(parser.render, steps)).replace("lake", "lago").replace("depth", "dept")
    asking = Asking("hermes", "?", tools=[area, depth], on_bad_call="return")
    read(asking, f"I look. {text}")
    message = asking.message
    assert [(each["name"], each["args"]) for each in message.tool_calls] == [
        ("area", {"lago": "Thun"}), ("dept", {"lago": "Thun"}),
    ]  # fmt: skip
    assert message.content == "I look."
    assert len({each["id"] for each in message.tool_calls}) == 2
    broken = Asking("hermes", "?", tools=[area], on_bad_call="return")
    read(broken, '<tool_call>\n{"name": "aria", "arguments": {"lake": \n</tool_call>')
    assert not broken.is_done
    assert isinstance(broken.steps[0], OutputParserException)


def test_a_native_call_is_returned_with_its_id() -> None:
    said = AIMessage(
        "",
        tool_calls=[{"name": "aria", "args": THUN, "id": "call_7"}],
        additional_kwargs={"reasoning_content": "Hm."},
    )
    asking = Asking("tools", "?", tools=[area], on_bad_call="return")
    request = asking.request()
    assert request.tools is not None
    assert request.tools.names == ("area",)
    asking.feed(said)
    asking.close()
    assert asking.message.tool_calls[0]["id"] == "call_7"
    assert asking.message.additional_kwargs == {"reasoning_content": "Hm."}


def test_it_gives_up_after_so_many_replies_in_a_row() -> None:
    asking = Asking("react", "?", tools=[area], max_retries=1)
    wrong, right = "Action: aria\nAction Input: Thun", "Action: area\nAction Input: Thun"
    for _ in range(2):
        read(asking, wrong)
        read(asking, right)
        asking.steps.append((asking.actions[0], "48"))
    read(asking, wrong)
    with pytest.raises(UnknownToolError) as raised:
        read(asking, wrong)
    assert raised.value.__notes__[-1] == "after 2 tries in a row"
    assert not asking.is_done


def test_a_refusal_and_a_mistake_of_the_caller_are_raised_at_once() -> None:
    asking = Asking("tools", "?", tools=[area])
    asking.request()
    asking.feed({"choices": [{"delta": {"refusal": "No."}, "finish_reason": "stop"}]})
    with pytest.raises(ModelRefusalError):
        asking.close()
    asking.request()
    with pytest.raises(TypeError):
        asking.feed(3)
    with pytest.raises(ValueError, match="on_bad_call must be one of"):
        Asking("react", "?", tools=[], on_bad_call="pass")  # type: ignore[arg-type]
    for parser, reason in (
        ("react", "for an agent without tools"),
        (3, "expected a parser, such as"),
    ):
        with pytest.raises(TypeError, match=reason):
            Asking(parser, "?")  # type: ignore[arg-type]


def test_what_is_longer_than_it_may_be_is_told_at_the_end() -> None:
    parser: Any = get_parser("hermes", tools=[area], max_chars=10)
    asking = Asking(parser, "?")
    events = read(asking, "x" * 30)
    assert isinstance(events[-1], StepFailed)
    assert "longer" in str(asking.steps[0])


@pytest.mark.parametrize("name", list_dialects())
def test_a_template_gets_the_tools_and_the_past_as_they_are(name: str) -> None:
    if name in ("smolagents_code", "self_ask"):
        pytest.skip("it has one tool, which is not named")
    parser: Any = get_parser(name, tools=[area])
    text = parser.render(AgentAction("area", THUN, ""))
    asking = Asking(name, "How large?", tools=[area], tools_in="template", system="Be brief.")
    first = asking.request()
    assert [(each.type, each.text) for each in first.prompt] == [
        ("system", "Be brief."), ("human", "How large?"),
    ]  # fmt: skip
    assert first.tools is not None
    assert first.tools.names == ("area",)
    for number in (1, 2):
        read(asking, text)
        written = getattr(asking.actions[0], "tool_call_id", None)  # which is the same twice
        asking.steps += [(action, area(**THUN)) for action in asking.actions]
        called, result = asking.request().prompt[-2:]
        (call,) = called.tool_calls
        assert (call["name"], call["args"]) in [("area", THUN), ("area", {"__arg1": "Thun"})]
        assert (result.tool_call_id, result.text) == (call["id"], "Thun: 48 km2")
        ids = [
            each["id"] for message in asking.request().prompt
            for each in getattr(message, "tool_calls", ())
        ]  # fmt: skip
        assert len({*ids}) == (1 if written else number)
    to_openai(asking.request().prompt)


def test_what_a_model_said_before_its_calls_is_kept_for_a_template() -> None:
    asking = Asking("hermes", "?", tools=[area], tools_in="template", history=[
        ("user", "Hello!"), AIMessage("<think>Hm.</think>Hello."),
    ])  # fmt: skip
    call = '<tool_call>\n{"name": "area", "arguments": {"lake": "Thun"}}\n</tool_call>'
    read(asking, f"<think>Let me see.</think>I look.\n{call}\n{call}")
    asking.steps += [(action, area(**THUN)) for action in asking.actions]
    user, answer, asked, called, *results = asking.request().prompt
    assert (user.text, asked.text) == ("Hello!", "?")
    assert "Hello." in answer.text
    assert (called.text, called.additional_kwargs["reasoning_content"]) == (
        "I look.", "Let me see.",
    )  # fmt: skip
    assert [each["id"] for each in called.tool_calls] == [each.tool_call_id for each in results]
    with pytest.raises(ValueError, match="tools_in must be one of"):
        Asking("react", "?", tools=[], tools_in="chat")  # type: ignore[arg-type]


@pytest.mark.parametrize("name", list_dialects())
def test_a_plain_request_goes_to_the_model_as_it_is(name: str) -> None:
    said = [("system", "Be brief."), ("user", "Hello!"), ("assistant", "Hi."), ("user", "Who?")]
    asking = Asking(name, tools=[], history=said, plain=True)
    prompt = asking.request().prompt
    assert [(each.type, each.text) for each in prompt] == [
        ("system", "Be brief."), ("human", "Hello!"), ("ai", "Hi."), ("human", "Who?"),
    ]  # fmt: skip
    read(asking, "<think>Hm.</think>Action: none\n```json\n{}\n```")
    assert asking.message.content == "Action: none\n```json\n{}\n```"
    assert asking.thought == "Hm."
    named = Asking(name, tools=[area], history=said, plain=True, tool_choice="none")
    assert named.request().prompt == prompt


@pytest.mark.parametrize(
    "text",
    [
        "Action: look\nAction Input: Thun",
        'As in <tool_call>\n{"name": "look", "arguments": {}}\n</tool_call>',
        "As in <tool_call>.",
        '{"name": "look", "arguments": {}}',
        "",
    ],
)
def test_the_reply_to_a_plain_request_may_quote_calls(text: str) -> None:
    for chunk in (text, AIMessage(text), Generation(text=text)):
        asking = Asking("hermes", "Show me a call.", tools=[], plain=True)
        asking.request()
        asking.feed(chunk)
        asking.close()
        assert asking.is_done
        assert (asking.message.content, asking.actions) == (text, [])


def test_calls_of_other_turns_have_other_ids() -> None:
    parser: Any = get_parser("kimi_k2", tools=[area])
    text = parser.render(AgentAction("area", THUN, ""))
    asking = Asking("kimi_k2", "?", tools=[area])
    read(asking, text)
    first = asking.message.tool_calls[0]["id"]
    asking.steps.append((asking.actions[0], "48 km2"))
    read(asking, text)
    assert asking.message.tool_calls[0]["id"] != first
    said = AIMessage("", tool_calls=[{"name": "area", "args": THUN, "id": first}])
    later = Asking("kimi_k2", tools=[area], history=[("user", "?"), said, ("user", "?")])
    read(later, text)
    assert later.message.tool_calls[0]["id"] != first


def test_one_call_in_a_turn() -> None:
    call = '<tool_call>\n{"name": "area", "arguments": {"lake": "Thun"}}\n</tool_call>'
    asking = Asking("hermes", "?", tools=[area], parallel=False, system="Be brief.")
    assert "Call only one tool at a time." in asking.request().prompt[0].text
    read(asking, call * 2)
    assert not asking.is_done
    assert "None of your 2 calls was run." in asking.request().prompt[-1].text
    read(asking, call)
    assert len(asking.actions) == 1


def test_stop_sequences_of_the_caller_are_added() -> None:
    own = get_parser("react").stop
    for stop in (["END"], ["END", *own]):
        request = Asking("react", "?", tools=[area], stop=stop).request()
        assert sorted(request.stop) == sorted([*own, "END"])
    assert Asking("react", "?", tools=[], plain=True, stop=["END"]).request().stop == ["END"]


@pytest.mark.parametrize("name", ["hermes", "react", "tools"])
def test_a_request_of_a_wrapper_may_have_the_systems_words_alone(name: str) -> None:
    for tools in ([area], []):
        for given in ({"history": [("system", "Be brief.")]}, {"system": "Be brief."}):
            asking = Asking(name, tools=tools, plain=True, **given)  # type: ignore[arg-type]
            assert "Be brief." in asking.request().prompt[0].text
    with pytest.raises(TypeError, match="takes the question as a string"):
        Asking(name, tools=[area], system="Be brief.").request()


def test_why_a_turn_ended() -> None:
    for text, ended, reason in (
        ("Action: area\nAction Input: Thun", "stop", "tool_calls"),
        ("Final Answer: 48 km2", "stop", "stop"),
        ("Final Answer: 48 k", "length", "length"),
    ):
        asking = Asking("react", "?", tools=[area])
        asking.request()
        asking.feed(text)
        asking.close(ended)  # type: ignore[arg-type]
        assert asking.finish_reason == reason


def test_a_plain_request_as_text() -> None:
    one = Asking("react", "Who?", tools=[], plain=True, as_messages=False).request()
    assert one.prompt == "Who?"
    said = [("system", "Be brief."), ("user", "Hello!"), ("assistant", "Hi."), ("user", "Who?")]
    two = Asking("react", tools=[], history=said, plain=True, as_messages=False).request()
    assert two.prompt == "System: Be brief.\nHuman: Hello!\nAI: Hi.\nHuman: Who?\nAI:"


def test_an_answer_with_a_type_is_json_in_its_message() -> None:
    asking = Asking("hermes", "?", tools=[], output_type=dict[str, int])
    assert asking.is_checked
    read(asking, '```json\n{"km2": "48",}\n```')
    assert asking.message.content == '{"km2": 48}'


def test_a_request_with_something_to_read_is_not_plain() -> None:
    past = ("user", "?"), (AgentAction("area", THUN, "Action: area\nAction Input: Thun"), "48")
    for asking in (
        Asking("react", "?", tools=[area], plain=True),
        Asking("react", "?", tools=[], output_type=int, plain=True),
        Asking("react", tools=[], history=past, plain=True),
        Asking("react", "?", tools=[]),
    ):
        assert "Final Answer" in str(asking.request().prompt)


def test_only_what_belongs_to_the_answer_is_shown_as_content() -> None:
    asking = Asking("hermes", "?", tools=[area])
    text = "<think>Let me see.</think>It is 48 km2."
    events = read(asking, text, 3)
    assert "".join(e.text for e in events if isinstance(e, AnswerDelta)) == "It is 48 km2."
    assert (asking.thought, asking.content) == ("Let me see.", "It is 48 km2.")


def test_the_model_that_a_loop_asks_gets_the_same() -> None:
    model = ScriptedModel(["Final Answer: 48"])
    asking = Asking("react", "How large?", tools=[area], system="Be brief.")
    request = asking.request()
    asking.feed(model(request.prompt, stop=request.stop))
    asking.close()
    assert asking.finish is not None
    assert model.calls[0].stop == tuple(get_parser("react").stop)
    with pytest.raises(ToolInputError):
        get_parser("react", tools=[depth]).parse("Action: depth\nAction Input: {}")


@pytest.mark.parametrize("name", list_dialects())
def test_a_text_in_the_past_of_a_wrapper_makes_no_call(name: str) -> None:
    if name in ("smolagents_code", "self_ask"):
        pytest.skip("it has one tool, which is not named")
    parser: Any = get_parser(name, tools=[area])
    text = parser.render(AgentAction("area", {"lake": "Thun"}, ""))
    past = [("user", "How?"), ("assistant", text), ("user", "No, never do that.")]
    for tools_in in ("prompt", "template"):
        asking = Asking(name, tools=[area], history=past, plain=True, tools_in=tools_in)
        *_, wrote, last = asking.request().prompt
        assert not getattr(wrote, "tool_calls", None)
        asked = parser.render_prompt("No, never do that.", as_messages=True)[-1].text
        assert last.text == ("No, never do that." if tools_in == "template" else asked)
    *_, last = Asking(name, tools=[area], history=past).request().prompt  # of a model of text
    assert last.text != asked or last.text == "No, never do that."


def test_a_wrapper_with_no_tool_to_choose_tells_none() -> None:
    asking = Asking("hermes", tools=[area], history=[("user", "Hi.")], plain=True,
                    tool_choice="none")  # fmt: skip
    request = asking.request()
    assert (request.tools, [each.text for each in request.prompt]) == (None, ["Hi."])
    read(asking, "Hello.")
    assert asking.message.content == "Hello."


@pytest.mark.parametrize(
    ("name", "reply"),
    [
        ("hermes", "I look."),
        ("qwen3_coder", ""),
        ("tools", "I look."),
    ],
)
def test_what_a_reply_is_written_in_may_be_found_if_the_template_has_the_tools(
    name: str, reply: str
) -> None:
    asking = Asking("auto", "How large?", tools=[area], tools_in="template", plain=True)
    request = asking.request()
    assert (request.stop, request.tools) == ([], asking.tools)
    if name == "tools":
        call: Any = {"name": "area", "args": THUN, "id": "c1"}
        beside = {"reasoning_content": "Thun it is."}
        asking.feed(AIMessage(reply, tool_calls=[call], additional_kwargs=beside))
    else:
        parser: Any = get_parser(name, tools=[area])
        action = AgentAction("area", THUN, "")
        asking.feed(parser.render([action], thought="Thun it is.", content=reply))
    asking.close("stop")
    (action,) = asking.actions
    assert (action.tool, action.tool_input) == ("area", THUN)
    assert (asking.thought, asking.content) == ("Thun it is.", reply)
    read(asking, "It has 48 km2.")
    assert asking.finish is not None
    assert asking.finish.output == "It has 48 km2."


def test_auto_writes_no_prompt() -> None:
    asking = Asking("auto", "How large?", tools=[area])
    with pytest.raises(ValueError, match="no prompt"):
        asking.request()
