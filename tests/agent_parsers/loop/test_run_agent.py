"""`run_agent`: every dialect, the functions of clients, and how a run ends."""

from __future__ import annotations

import asyncio
import functools
import inspect
import json
import threading
import time
from contextlib import suppress
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Any

import pytest
from langchain_core.language_models import GenericFakeChatModel
from langchain_core.messages import AIMessage as TheirMessage

from agent_parsers import (
    ActionComplete,
    AgentAction,
    AgentFinish,
    AnswerDelta,
    OutputParserException,
    StepFailed,
    ToolSet,
    Transcript,
    arun_agent,
    get_parser,
    list_dialects,
    run_agent,
)
from agent_parsers.events import ObservationDelta
from agent_parsers.loop import AgentRun, CutAnswerError, MaxTurnsError
from agent_parsers.testing import ScriptedModel
from agent_parsers.toolset.running import steps_taken
from output_parsers import ModelRefusalError
from outputs import AIMessage, AIMessageChunk, Generation, HumanMessage, SystemMessage

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Callable, Iterator

    from outputs import Ended

QUESTION = "How deep is Lake Thun?"
ANSWER = {"role": "assistant", "content": "217 m"}


def depth(lake: str) -> str:
    """Tells how deep a lake is."""
    return f"{lake} is 217 m deep"


async def adepth(lake: str) -> str:
    """Tells how deep a lake is."""
    return f"{lake} is 217 m deep"


adepth.__name__ = "depth"


def call(name: str = "depth", number: int = 1) -> dict[str, Any]:
    function = {"name": name, "arguments": '{"lake": "Thun"}'}
    return {
        "role": "assistant",
        "content": None,
        "tool_calls": [{"id": f"call_{number}", "type": "function", "function": function}],
    }


def python_interpreter(code: str) -> str:
    """Runs code."""
    return "217"


def replies(name: str) -> tuple[Any, list[Any]]:
    """Return a tool, and a call of it and an answer in the dialect."""
    tool, given = depth, {"lake": "Thun"}
    if name == "smolagents_code":
        return python_interpreter, ["```py\nprint(depth())\n```", "```py\nfinal_answer(7)\n```"]
    parser: Any = get_parser(name, tools=[tool])
    step = AgentAction("depth", given, "")
    return tool, [parser.render(step), parser.render(AgentFinish({"output": "217 m"}, ""))]


@pytest.mark.parametrize("name", list_dialects())
def test_every_dialect(name: str) -> None:
    if name in ("smolagents_code", "self_ask"):
        pytest.skip("it has one tool, which is not named")
    tool, said = replies(name)
    parser: Any = get_parser(name, tools=[tool])
    broken = said[0].replace("depth", "width")
    events: list[Any] = []
    whole = run_agent(ScriptedModel([broken, *said]), QUESTION, parser)
    streamed = run_agent(
        ScriptedModel([broken, *said]).stream, QUESTION, parser, on_event=events.append
    )
    again = asyncio.run(
        arun_agent(ScriptedModel([broken, *said]).astream, QUESTION, get_parser(name), [adepth])
    )
    for run in (whole, streamed, again):
        assert run.output == "217 m"
        error, (action, seen) = run.steps
        assert isinstance(error, OutputParserException)
        assert (action.tool_input, seen) == ({"lake": "Thun"}, "Thun is 217 m deep")
    kinds = (ActionComplete, ObservationDelta, StepFailed)
    assert [type(event) for event in events if isinstance(event, kinds)] == [
        StepFailed, ActionComplete, ObservationDelta,
    ]  # fmt: skip
    assert "".join(e.text for e in events if isinstance(e, AnswerDelta)).endswith("217 m")


def test_code() -> None:
    tool, said = replies("smolagents_code")
    run = run_agent(ScriptedModel(said), QUESTION, get_parser("smolagents_code"), [tool])
    assert (len(run.steps), str(run.output)) == (1, "7")


# -- what is asked -------------------------------------------------------------------------------


class Client:
    """Functions with the arguments of clients; each keeps what it was asked."""

    def __init__(self, *replies: Any) -> None:
        self.replies = iter(replies)
        self.asked: list[dict[str, Any]] = []

    def _reply(self, **given: Any) -> Any:
        self.asked.append({name: value for name, value in given.items() if value is not None})
        return next(self.replies)

    def openai(
        self, *, messages: Any, model: str, stop: Any = None, stream: Any = None, tools: Any = None
    ) -> Any:
        return self._reply(messages=messages, model=model, stop=stop, stream=stream, tools=tools)

    def anthropic(
        self,
        *,
        messages: Any,
        model: str,
        max_tokens: int,
        system: Any = None,
        stop_sequences: Any = None,
        tools: Any = None,
    ) -> Any:
        return self._reply(messages=messages, system=system, stop=stop_sequences, tools=tools)

    def responses(self, *, input: Any, instructions: Any = None, tools: Any = None) -> Any:  # noqa: A002 - as theirs
        return self._reply(input=input, tools=tools)

    def completions(self, *, prompt: str, stop: Any = None, stream: Any = None) -> Any:
        return self._reply(prompt=prompt, stop=stop, stream=stream)


def test_native_calls_of_openai() -> None:
    client = Client(call(), ANSWER)
    model = partial(client.openai, model="gpt-5")
    run = run_agent(
        model, QUESTION, get_parser("tools"), [depth], system="Be brief.", history=[("ai", "Hm.")]
    )
    assert run.output == "217 m"
    first, second = client.asked
    assert first["tools"] == ToolSet([depth]).openai_tools()
    assert [each["role"] for each in first["messages"]] == ["system", "assistant", "user"]
    assert second["messages"][-1]["content"] == "Thun is 217 m deep"
    assert "stop" not in first
    assert "stream" not in first


def test_text_from_openai_is_streamed_if_events_are_wanted() -> None:
    client = Client(["Final Ans", "wer: 217 m"])
    parser = get_parser("react", tools=[depth])
    run = run_agent(partial(client.openai, model="m"), QUESTION, parser, on_event=lambda _: None)
    assert run.output == "217 m"
    (asked,) = client.asked
    assert (asked["stop"], asked["stream"]) == (parser.stop, True)
    assert "tools" not in asked
    assert "depth" in asked["messages"][0]["content"]


def test_what_was_set_before_stays() -> None:
    client = Client(ANSWER)
    model = partial(client.openai, model="m", tools=["mine"], stop=["."])
    run_agent(model, QUESTION, get_parser("tools"), [depth])
    assert (client.asked[0]["tools"], client.asked[0]["stop"]) == (["mine"], ["."])


@pytest.mark.parametrize("dialect", ["react", "tools", "anthropic_xml"])
@pytest.mark.parametrize(
    ("function", "bound", "ours"),
    [
        ("openai", {"messages": [{"role": "user", "content": "Hi"}]}, "history="),
        ("anthropic", {"messages": []}, "history="),
        ("anthropic", {"system": "You are polite."}, "system="),
        ("responses", {"input": "Hi"}, "history="),
        ("completions", {"prompt": "Hi"}, "the question"),
    ],
)
def test_a_prompt_that_is_bound_to_a_model_is_an_error(
    function: str, bound: Any, ours: str, dialect: str
) -> None:
    client = Client(ANSWER)
    given = {"model": "m", "max_tokens": 9} if function == "anthropic" else {}
    model = partial(getattr(client, function), **given, **bound)
    (name,) = bound
    with pytest.raises(TypeError, match=f"^{name}= is bound to the model, .*: pass it as {ours} "):
        run_agent(model, QUESTION, dialect, [depth], system="Be brief.")
    with pytest.raises(TypeError, match=f"^{name}= is bound to the model"):
        asyncio.run(arun_agent(model, QUESTION, dialect, [depth], system="Be brief."))
    assert client.asked == []


def test_a_bound_system_text_that_replaces_nothing_stays() -> None:
    client = Client({"role": "assistant", "content": [{"type": "text", "text": "217 m"}]})
    model = partial(client.anthropic, model="m", max_tokens=9, system="You are polite.")
    assert run_agent(model, QUESTION, "tools", [depth]).output == "217 m"
    assert client.asked[0]["system"] == "You are polite."


@pytest.mark.parametrize("name", ["tools", "anthropic_xml"])
def test_anthropic(name: str) -> None:
    blocks = [{"type": "text", "text": "<final_answer>217 m</final_answer>"}]
    if name == "tools":
        blocks = [{"type": "text", "text": "217 m"}]
    client = Client({"type": "message", "role": "assistant", "content": blocks})
    model = partial(client.anthropic, model="claude", max_tokens=9)
    parser: Any = get_parser(name, tools=[depth])
    assert run_agent(model, QUESTION, parser, system="Be brief.").output == "217 m"
    (asked,) = client.asked
    assert asked["system"].startswith("Be brief.")
    assert [each["role"] for each in asked["messages"]] == ["user"]
    assert ("stop" in asked) is ("tools" not in asked) is (name != "tools")


def test_responses() -> None:
    client = Client({"object": "response", "output": [
        {"type": "message", "role": "assistant", "content": [{"type": "output_text", "text": "7"}]}
    ]})  # fmt: skip
    assert run_agent(client.responses, QUESTION, get_parser("tools"), [depth]).output == "7"
    assert client.asked == [
        {"input": [{"role": "user", "content": QUESTION}],
         "tools": ToolSet([depth]).openai_response_tools()}
    ]  # fmt: skip


def test_a_prompt_of_text() -> None:
    client = Client("Final Answer: 217 m")
    parser = get_parser("react", tools=[depth])
    assert run_agent(client.completions, QUESTION, parser, as_messages=False).output == "217 m"
    assert client.asked == [{"prompt": parser.render_prompt(QUESTION), "stop": parser.stop}]


def test_a_model_of_langchain() -> None:
    fake = pytest.importorskip("langchain_core.language_models.fake_chat_models")
    said = ["Action: depth\nAction Input: Thun", "Final Answer: 7"]
    model = fake.GenericFakeChatModel(messages=iter(said))
    run = run_agent(model.invoke, QUESTION, get_parser("react"), [depth])
    assert (run.output, len(run.steps)) == ("7", 1)


@pytest.mark.parametrize("stop", [True, False])
def test_any_function(stop: bool) -> None:
    asked: list[Any] = []

    def alone(prompt: Any, tools: list[Any]) -> Any:
        asked.append(prompt)
        assert [tool["function"]["name"] for tool in tools] == ["depth"]
        return AIMessage("217 m")

    def with_stop(prompt: Any, tools: list[Any], stop: list[str]) -> Any:
        return alone(prompt, tools)

    model: Callable[..., Any] = with_stop if stop else alone
    assert run_agent(model, QUESTION, get_parser("tools"), [depth]).output == "217 m"
    assert asked == [[HumanMessage(QUESTION)]]


def test_a_function_with_keywords_gets_all_that_a_client_would() -> None:
    asked: list[dict[str, Any]] = []

    def wrapper(messages: Any, **more: Any) -> Any:
        asked.append(more)
        return AIMessage("217 m")

    def anything(**more: Any) -> Any:
        return wrapper(**more)

    for model in (wrapper, anything):
        assert run_agent(model, QUESTION, get_parser("tools"), [depth]).output == "217 m"
    assert [sorted(more) for more in asked] == [["tools"]] * 2
    assert asked[0]["tools"] == ToolSet([depth]).openai_tools()
    text = AIMessage("Final Answer: 217 m")
    asked.clear()
    run_agent(lambda messages, **more: (asked.append(more), text)[1], QUESTION, "react", [depth])
    assert asked == [{"stop": get_parser("react").stop}]


@pytest.mark.parametrize("parameters", ["prompt", "messages", "prompt, stop", "messages, stop"])
def test_a_model_that_takes_no_tools_is_refused_if_the_parser_needs_them(parameters: str) -> None:
    names: dict[str, Any] = {"reply": AIMessage("Final Answer: 217 m")}
    exec(f"def mine({parameters}): return reply", names)
    with pytest.raises(TypeError, match="mine takes no tools: give it a parameter `tools`, or use"):
        run_agent(names["mine"], QUESTION, get_parser("tools"), [depth])
    assert run_agent(names["mine"], QUESTION, get_parser("tools"), []).output.endswith("217 m")
    assert run_agent(names["mine"], QUESTION, "react", [depth]).output == "217 m"


class Chat(GenericFakeChatModel):
    """A chat model of LangChain that takes tools."""

    def bind_tools(self, tools: Any, **more: Any) -> Any:
        names = [tool["function"]["name"] for tool in tools]
        return self.bind(tools=names, **more)

    def _generate(self, messages: Any, *given: Any, **more: Any) -> Any:
        assert more.pop("tools") == ["depth"]
        return super()._generate(messages, *given, **more)


def theirs() -> Any:
    args = {"lake": "Thun"}
    called = TheirMessage("", tool_calls=[{"name": "depth", "args": args, "id": "1"}])
    return Chat(messages=iter([called, TheirMessage("217 m")]))


def test_a_model_of_langchain_gets_the_tools() -> None:
    model = theirs()
    for each in (theirs(), model.invoke, theirs().bind_tools(ToolSet([depth]).openai_tools())):
        run = run_agent(each, QUESTION, "tools", [depth])
        assert (run.output, len(run.steps)) == ("217 m", 1)
    run = asyncio.run(arun_agent(theirs(), QUESTION, "tools", [depth]))
    assert (run.output, len(run.steps)) == ("217 m", 1)
    with pytest.raises(TypeError, match="LangChain's GenericFakeChatModel takes no tools"):
        run_agent(GenericFakeChatModel(messages=iter([])), QUESTION, "tools", [depth])


def test_a_parser_has_a_name_and_so_has_a_model() -> None:
    for name in ("react", "ReAct", "tools", "Qwen/Qwen3-32B"):
        model = ScriptedModel(["Final Answer: 217 m"])
        assert str(run_agent(model, QUESTION, name, [depth]).output).endswith("217 m")
    with pytest.raises(ValueError, match="Did you mean"):
        run_agent(ScriptedModel([]), QUESTION, "raect", [depth])


def test_the_run_tells_what_it_cost() -> None:
    def reply(content: str, *calls: Any) -> dict[str, Any]:
        message = {"role": "assistant", "content": content, "tool_calls": [*calls]}
        usage = {"prompt_tokens": 10, "completion_tokens": 3, "total_tokens": 13}
        choice = {"index": 0, "message": message, "finish_reason": "stop"}
        return {"object": "chat.completion", "choices": [choice], "usage": usage}

    given = {"name": "depth", "arguments": '{"lake": "Thun"}'}
    first = reply("", {"id": "1", "type": "function", "function": given})
    for run in (run_agent, lambda *given: asyncio.run(arun_agent(*given))):
        replies = iter([first, reply("217 m")])
        done = run(lambda messages, tools: next(replies), QUESTION, "tools", [depth])  # noqa: B023
        assert done.usage == {"input_tokens": 20, "output_tokens": 6, "total_tokens": 26}
        assert done.turns == 2
        assert 0 < done.seconds < 10
    text = ScriptedModel(["Final Answer: 217 m"])
    plain = run_agent(text, QUESTION, "react", [depth])
    assert (plain.usage, plain.turns) == (None, 1)


# -- how a run ends ------------------------------------------------------------------------------


def test_the_model_has_so_many_turns() -> None:
    steps: list[Any] = []
    model = ScriptedModel([call()] * 4)
    with pytest.raises(
        MaxTurnsError, match="no answer after 3 turns: increase max_turns"
    ) as raised:
        run_agent(model, QUESTION, get_parser("tools"), [depth], max_turns=3, steps=steps)
    assert len(model.calls) == 3
    assert raised.value.run.steps is steps
    assert (len(steps), raised.value.run.output) == (3, None)


def test_retries_are_in_a_row() -> None:
    bad = call("width")
    model = ScriptedModel([bad, call(), bad, call(), bad, bad])
    steps: list[Any] = []
    with pytest.raises(OutputParserException, match="'width' is not one of the tools") as last:
        run_agent(model, QUESTION, get_parser("tools"), [depth], max_retries=1, steps=steps)
    assert len(steps) == 5
    assert last.value.__notes__[-1] == "after 2 tries in a row"
    with pytest.raises(OutputParserException) as only:
        run_agent(ScriptedModel([bad]), QUESTION, get_parser("tools"), [depth], max_retries=0)
    assert not any("tries" in note for note in only.value.__notes__)


def test_a_refusal_is_not_retried() -> None:
    model = ScriptedModel([{"role": "assistant", "content": "", "refusal": "No."}] * 2)
    with pytest.raises(ModelRefusalError):
        run_agent(model, QUESTION, get_parser("tools"), [depth])
    assert len(model.calls) == 1


def test_what_a_tool_raises_is_raised_and_the_steps_are_kept() -> None:
    def fail(lake: str) -> str:
        """Fails."""
        raise OutputParserException(lake)  # not the model's

    steps: list[Any] = []
    model = ScriptedModel([call(), call("fail", 2)])
    with pytest.raises(OutputParserException, match="Thun"):
        run_agent(model, QUESTION, get_parser("tools"), [depth, fail], steps=steps)
    assert [action.tool for action, _ in steps] == ["depth"]
    run = run_agent(
        ScriptedModel([ANSWER]), QUESTION, get_parser("tools"), [depth, fail], steps=steps
    )
    assert run.steps is steps


def test_the_steps_of_calls_that_ran_are_kept() -> None:
    def fail() -> str:
        """Fails."""
        raise KeyError("Thun")

    calls = [
        AgentAction("depth", {"lake": "Thun"}, ""),
        AgentAction("fail", {}, ""),
        AgentAction("depth", {"lake": "Brienz"}, ""),
    ]
    taken = [(calls[0], "Thun is 217 m deep")]
    note = (
        "raised by the call to 'fail'; 'depth' (call 1) ran before it; 'depth' (call 3) did not run"
    )
    tools = ToolSet([depth, fail])
    for raising in (
        lambda: tools.run(calls),
        lambda: asyncio.run(tools.arun(calls, sequential=True)),
    ):
        with pytest.raises(KeyError) as raised:
            raising()
        assert (steps_taken(raised.value), raised.value.__notes__) == (taken, [note])
    parser = get_parser("hermes", tools=tools)
    said = parser.render(calls)
    for run, model in (
        (run_agent, ScriptedModel([said])),
        (
            lambda *given, **more: asyncio.run(arun_agent(*given, sequential=True, **more)),
            ScriptedModel([said]),
        ),
    ):
        steps: list[Any] = []
        with pytest.raises(KeyError) as raised:
            run(model, QUESTION, parser, steps=steps)
        assert raised.value.run.steps is steps  # type: ignore[attr-defined]
        assert [(action.tool, seen) for action, seen in steps] == [("depth", taken[0][1])]
        assert raised.value.__notes__ == [note]
    with pytest.raises(KeyError) as raised:
        tools.call(calls[1])
    assert (steps_taken(raised.value), hasattr(raised.value, "__notes__")) == ([], False)


def test_the_only_call_of_a_turn_is_named_if_it_raises() -> None:
    def fail(why: str) -> str:
        """Fails."""
        raise KeyError(why)

    parser = get_parser("hermes", tools=[fail])
    model = ScriptedModel([parser.render([AgentAction("fail", {"why": "rain"}, "")])])
    with pytest.raises(KeyError) as raised:
        run_agent(model, QUESTION, parser)
    assert raised.value.__notes__ == ["raised by the call to 'fail' with {'why': 'rain'}"]


def test_a_tool_that_has_to_be_awaited_is_refused_before_the_model_is_asked() -> None:
    async def wait() -> str:
        """Waits."""
        return ""

    model = ScriptedModel([])
    with pytest.raises(TypeError, match=r"'wait' is asynchronous: use `await arun_agent"):
        run_agent(model, QUESTION, get_parser("hermes", tools=[depth, wait]))
    assert model.calls == []


@dataclass(frozen=True)
class FrozenError(Exception):
    """It takes no attributes."""

    why: str = "frozen"


@pytest.mark.parametrize("kind", [FrozenError, StopIteration, KeyboardInterrupt, SystemExit])
def test_they_are_kept_whatever_is_raised(kind: type[BaseException]) -> None:
    errors: list[BaseException] = []

    def fail() -> str:
        """Fails."""
        time.sleep(0.05)  # `depth` may run beside it
        errors.append(kind())
        raise errors[-1]

    calls = [AgentAction("depth", {"lake": "Thun"}, ""), AgentAction("fail", {}, "")]
    taken = [(calls[0], "Thun is 217 m deep")]
    parser = get_parser("hermes", tools=[depth, fail])
    said = parser.render(calls)
    assert parser.tools is not None
    kept: list[Any] = []
    for raising in (
        partial(parser.tools.run, calls),
        lambda: asyncio.run(parser.tools.arun(calls)),
        partial(run_agent, ScriptedModel([said]), QUESTION, parser, steps=kept),
        lambda: asyncio.run(arun_agent(ScriptedModel([said]), QUESTION, parser, steps=kept)),
    ):
        with pytest.raises(BaseException) as raised:  # noqa: PT011 - some are no `Exception`
            raising()
        assert errors[-1] in (raised.value, raised.value.__cause__)
        (step,) = steps_taken(raised.value)
        assert (step[0].tool, step[1]) == ("depth", taken[0][1])
        assert "'depth' ran before it" in raised.value.__notes__[-1]
    assert [action.tool for action, _ in kept] == ["depth"] * 2


def now() -> str:
    """Tells the time."""
    return "noon"


BARE = "Action: now"


@pytest.mark.parametrize(
    ("reply", "ended", "is_read"),
    [
        (BARE, "unknown", False),
        (BARE, "stop", True),
        ((BARE, "stop"), "unknown", True),
        ((BARE, "length"), "stop", False),
        ([BARE[:9], BARE[9:]], "stop", True),
        (Generation(text=BARE, generation_info={"finish_reason": "stop"}), "unknown", True),
        (AIMessage(BARE), "unknown", True),
        (AIMessage(BARE, response_metadata={"finish_reason": "length"}), "stop", False),
        ([AIMessageChunk(BARE)], "unknown", False),
    ],
)
def test_a_reply_may_say_how_it_ended(reply: Any, ended: Ended, is_read: bool) -> None:
    async def model(_prompt: Any) -> Any:
        return reply

    parser = get_parser("react", tools=[now])
    options: Any = {"max_turns": 1, "max_retries": 0, "ended": ended}
    expected = MaxTurnsError if is_read else OutputParserException
    with pytest.raises(expected):
        run_agent(lambda _: reply, QUESTION, parser, **options)
    with pytest.raises(expected):
        asyncio.run(arun_agent(model, QUESTION, parser, **options))


async def stream(prompt: Any) -> AsyncIterator[str]:
    yield "Final Answer: 7"


@pytest.mark.parametrize(
    ("model", "tools", "reason"),
    [
        (stream, [depth], "the model is asynchronous: use `await arun_agent"),
        (ScriptedModel(["Final Answer: 7"]).ainvoke, [depth], "the model is asynchronous"),
        ("gpt-5", [depth], r"not str: pass a method of the client, such as partial\("),
        (len, None, r"pass tools=\[…\], or tools=\[\] for an agent without tools"),
        (lambda _prompt: None, [depth], "expected a str, a message .* not None"),
    ],
    ids=["stream", "coroutine", "text", "no tools", "nothing"],
)
def test_mistakes(model: Any, tools: Any, reason: str) -> None:
    with pytest.raises(TypeError, match=reason):
        run_agent(model, QUESTION, get_parser("react"), tools)


@pytest.mark.parametrize("is_reading", [True, False])
def test_a_stream_is_closed_if_the_run_is_cancelled(*, is_reading: bool) -> None:
    """A generator refuses to be closed while a thread reads it: the thread closes it then."""
    began, goes_on, closed = (threading.Event() for _ in range(3))

    def create(*, messages: Any, stream: bool = False) -> Iterator[str]:
        try:
            yield "Action: depth\n"
            if is_reading:
                began.set()
                goes_on.wait(10)
            yield "Action Input: Thun\n"
        finally:
            closed.set()

    async def listen(_event: Any) -> None:
        if not is_reading:
            began.set()
            await asyncio.sleep(10)

    async def cancelled() -> None:
        running = asyncio.create_task(
            arun_agent(create, QUESTION, "react", [depth], on_event=listen)
        )
        await asyncio.to_thread(began.wait, 10)
        assert not closed.is_set()
        running.cancel()
        with pytest.raises(asyncio.CancelledError):
            await running
        assert closed.is_set() is not is_reading
        goes_on.set()
        assert await asyncio.to_thread(closed.wait, 10)

    asyncio.run(cancelled())


def test_a_coroutine_that_is_refused_is_closed() -> None:
    asked = []

    def model(prompt: Any, tools: Any) -> Any:
        asked.append(ScriptedModel([ANSWER]).ainvoke(prompt))
        return asked[0]

    with pytest.raises(TypeError, match="the model is asynchronous"):
        run_agent(model, QUESTION, get_parser("tools"), [depth])
    assert inspect.getcoroutinestate(asked[0]) == inspect.CORO_CLOSED


def test_an_agent_without_tools() -> None:
    prompts = []
    model = ScriptedModel(["Final Answer: 7"])
    assert run_agent(model, QUESTION, get_parser("react"), []).output == "7"
    prompts = model.calls[0].prompt
    assert isinstance(prompts[0], SystemMessage)


# -- found by a stranger ---------------------------------------------------------------------------


@pytest.mark.parametrize(
    "parameters",
    ["messages, stop=None", "**more", "messages, system, stop_sequences", "input, instructions"],
)
def test_a_prompt_of_text_reaches_the_functions_of_chat_clients(parameters: str) -> None:
    asked: list[Any] = []
    names: dict[str, Any] = {"asked": asked}
    exec(f"def mine({parameters}):\n asked.append(str(locals()))\n return 'Final Answer: 3'", names)
    with suppress(TypeError):  # one of them needs more than a prompt
        run_agent(names["mine"], QUESTION, "react", [depth], as_messages=False, ended="stop")
    assert all(QUESTION in each for each in asked)


def test_what_is_bound_to_a_model_of_langchain_stays() -> None:
    seen: list[dict[str, Any]] = []

    class Noting(Chat):
        def _generate(self, messages: Any, *given: Any, **more: Any) -> Any:
            seen.append(dict(more))
            more.pop("temperature", None)
            return super()._generate(messages, *given, **more)

    def made() -> Any:
        return Noting(messages=theirs().messages)

    for model in (
        made().bind(temperature=0),
        made().bind(temperature=0).invoke,
        made().bind(temperature=0).with_retry(),
        partial(made().bind(temperature=0).invoke, config={"tags": ["mine"]}),
    ):
        seen.clear()
        assert run_agent(model, QUESTION, "tools", [depth]).output == "217 m"
        assert [sorted(each.keys() - {"stop"}) for each in seen] == [["temperature", "tools"]] * 2


def test_tokens_that_each_chunk_tells_so_far_are_counted_once() -> None:
    def chunk(text: str, tokens: int) -> dict[str, Any]:
        usage = {"prompt_tokens": 10, "completion_tokens": tokens, "total_tokens": 10 + tokens}
        choice = {
            "index": 0,
            "delta": {"role": "assistant", "content": text},
            "finish_reason": None,
        }
        return {"object": "chat.completion.chunk", "choices": [choice], "usage": usage}

    chunks = [chunk("217", 1), chunk(" m", 2), chunk("", 2)]
    run = run_agent(lambda messages, tools: iter(chunks), QUESTION, "tools", [depth], ended="stop")
    assert run.usage == {"input_tokens": 10, "output_tokens": 2, "total_tokens": 12}


def test_what_a_watcher_raises_is_no_mistake_of_the_model() -> None:
    def watch(_: Any) -> None:
        raise OutputParserException("mine")

    model = ScriptedModel(["Final Answer: 3"] * 3)
    with pytest.raises(OutputParserException, match="mine"):
        run_agent(model, QUESTION, "react", [depth], on_event=watch)
    assert len(model.calls) == 1


def test_a_model_that_is_not_asynchronous_does_not_block_the_event_loop() -> None:
    def whole(prompt: Any, stop: Any = ()) -> str:
        time.sleep(0.05)
        return "Final Answer: 217 m"

    def streamed(prompt: Any, stop: Any = ()) -> Iterator[str]:
        for text in ("Final ", "Answer: ", "217 m"):
            time.sleep(0.02)
            yield text

    async def run(model: Any) -> tuple[str, int]:
        ticks = 0

        async def tick() -> None:
            nonlocal ticks
            while True:
                ticks += 1
                await asyncio.sleep(0.001)

        ticking = asyncio.create_task(tick())
        found = await arun_agent(model, QUESTION, "react", [depth])
        ticking.cancel()
        return found.output, ticks

    for model in (whole, streamed):
        output, ticks = asyncio.run(run(model))
        assert output == "217 m"
        assert ticks > 5


def test_one_that_is_asynchronous_is_not_asked_in_a_thread() -> None:
    here = threading.get_ident()

    async def model(prompt: Any, stop: Any = ()) -> str:
        assert threading.get_ident() == here
        return "Final Answer: 217 m"

    async def chunks(prompt: Any, stop: Any = ()) -> AsyncIterator[str]:
        assert threading.get_ident() == here
        yield "Final Answer: 217 m"

    class Called:
        async def __call__(self, prompt: Any, stop: Any = ()) -> str:
            return await model(prompt)

    @functools.wraps(model)
    def wrapped(prompt: Any, stop: Any = ()) -> Any:  # as the clients' own functions are
        return model(prompt)

    for each in (model, chunks, Called(), wrapped, partial(model, stop=())):
        assert asyncio.run(arun_agent(each, QUESTION, "react", [depth])).output == "217 m"

    async def ends(prompt: Any, stop: Any = ()) -> str:
        raise KeyError("x")

    for failing in (ends, lambda prompt: next(iter(()))):
        with pytest.raises((KeyError, RuntimeError)):
            asyncio.run(arun_agent(failing, QUESTION, "react", [depth]))


def test_what_listens_may_be_asynchronous_where_the_loop_is() -> None:
    heard: list[Any] = []

    async def hear(event: Any) -> None:
        await asyncio.sleep(0)
        heard.append(event)

    model = ScriptedModel(["Action: depth\nAction Input: Thun", 'Final Answer: {"m": 217}'])
    run = asyncio.run(
        arun_agent(
            model.astream, QUESTION, "react", [depth], on_event=hear, on_partial=hear,
            output_type=dict[str, int],
        )
    )  # fmt: skip
    assert run.output == {"m": 217}
    kinds = [type(each).__name__ for each in heard]
    assert kinds.index("ActionComplete") < kinds.index("ObservationDelta") < kinds.index("dict")
    assert heard[-1] == {"m": 217} or kinds[-1] == "Finish"
    with pytest.raises(TypeError, match="on_event or on_partial is asynchronous: use `await"):
        run_agent(ScriptedModel(["Final Answer: x"]), QUESTION, "react", [depth], on_event=hear)


def test_the_error_of_one_of_several_native_calls_goes_to_that_call() -> None:
    wrong = call("deph", 2)["tool_calls"][0]
    bad = {**call(number=3)["tool_calls"][0]}
    bad["function"] = {"name": "depth", "arguments": '{"lak": "Thun"}'}
    right = call()["tool_calls"][0]
    for calls, at in (([right, wrong], 1), ([right, bad], 1), ([wrong, right], 0)):
        asked: list[Any] = []
        said = iter([{**call(), "tool_calls": calls}, ANSWER])

        def create(*, messages: Any, tools: Any = None, said: Any = said) -> Any:
            asked.append(messages)  # noqa: B023 - it is called in the loop
            return {"choices": [{"message": next(said), "finish_reason": "stop"}]}

        run_agent(create, QUESTION, "tools", [depth])
        results = [each for each in asked[1] if each["role"] == "tool"]
        assert [each["content"].startswith("Not run") for each in results] == [
            number != at for number in range(2)
        ]


def test_a_server_may_send_no_ids_and_steps_may_lack_results() -> None:
    def ollama(*, messages: Any, tools: Any = None, format: Any = None) -> Any:  # noqa: A002
        asked.append(messages)
        function = {"name": "depth", "arguments": {"lake": "Thun"}}
        calls = [{"function": function}, {"function": function}]
        is_over = len(messages) > 1
        said = {"role": "assistant", "content": "217" if is_over else ""}
        return {"message": said if is_over else {**said, "tool_calls": calls}, "done": True}

    asked: list[Any] = []
    assert run_agent(ollama, QUESTION, "tools", [depth]).output == "217"
    ids = [each["id"] for each in asked[1][1]["tool_calls"]]
    assert len({*ids}) == 2
    assert [each["tool_call_id"] for each in asked[1][2:]] == ids

    def fails(lake: str) -> str:
        """Fails for one lake."""
        if lake == "Zug":
            raise LookupError(lake)
        return "1"

    def create(*, messages: Any, tools: Any = None) -> Any:
        asked.append(messages)
        first = call("fails")["tool_calls"][0]
        second = {**call("fails", 2)["tool_calls"][0]}
        second["function"] = {"name": "fails", "arguments": '{"lake": "Zug"}'}
        said = ANSWER if len(messages) > 1 else {**ANSWER, "tool_calls": [first, second]}
        return {"choices": [{"message": said, "finish_reason": "stop"}]}

    steps: list[Any] = []
    with pytest.raises(LookupError):
        run_agent(create, QUESTION, "tools", [fails], steps=steps)
    run_agent(create, QUESTION, "tools", [fails], steps=steps)
    assert [each["content"] for each in asked[-1] if each["role"] == "tool"] == [
        "1", "(there is no result)",
    ]  # fmt: skip


def test_reasoning_beside_the_text_of_a_call_is_in_the_messages_of_the_run() -> None:
    called = '<tool_call>\n{"name": "depth", "arguments": {"lake": "Thun"}}\n</tool_call>'
    said = iter([called, "217 m"])

    def create(*, messages: Any, stop: Any = ()) -> Any:
        message = {"role": "assistant", "content": next(said), "reasoning_content": "Hm."}
        return {"choices": [{"message": message, "finish_reason": "stop"}]}

    run = run_agent(create, QUESTION, "hermes", [depth])
    assert [
        each.additional_kwargs.get("reasoning_content") for each in run.messages
        if each.type == "ai"
    ] == ["Hm.", "Hm."]  # fmt: skip


def test_reasoning_that_used_up_the_tokens_is_said() -> None:
    message = {"role": "assistant", "content": "", "reasoning_content": "Let me think"}

    def create(*, messages: Any, tools: Any = None) -> Any:
        return {"choices": [{"message": message, "finish_reason": "length"}]}

    with pytest.raises(OutputParserException, match="was cut off at the token limit, before any"):
        run_agent(create, QUESTION, "tools", [depth])


def test_what_is_wrong_in_a_word_is_said() -> None:
    for wrong in ({"on_cut": "Return"}, {"max_retries": -1}):
        with pytest.raises(ValueError, match=next(iter(wrong))):
            run_agent(ScriptedModel(["x"]), QUESTION, "react", [depth], **wrong)  # type: ignore[arg-type]


def test_the_run_says_how_its_last_reply_ended() -> None:
    for reason, ended in (("stop", "stop"), ("length", "length")):
        message = {"role": "assistant", "content": "Final Answer: It is"}
        reply = {"choices": [{"message": message, "finish_reason": reason}]}
        for parser in ("react", "hermes", "tools"):
            run = run_agent(lambda **_: reply, QUESTION, parser, [], on_cut="return")  # noqa: B023
            assert (run.ended, run.is_cut) == (ended, ended == "length")
            assert AgentRun.from_json(run.to_json()).ended == ended
    assert run_agent(lambda prompt: ("x", "stop"), QUESTION, "hermes", []).ended == "stop"
    assert run_agent(lambda prompt: "x", QUESTION, "hermes", []).ended == "unknown"


# -- what the transcript of a run knows ------------------------------------------------------------


def write(text: str) -> str:
    """Write a line."""
    if text == "full":
        raise OSError("no space")
    return f"wrote {text}"


def test_each_step_of_the_transcript_has_its_repairs_and_says_whether_its_tool_failed() -> None:
    replies = [
        "**Action:** `write`\nAction Input: {'text': 'a'}",
        "Action: write\nAction Input: {'text': 'full',}",
        "Action: none of these",
        "Action: write\nAction Input: b",
        "**Final Answer:** done",
    ]
    run = run_agent(ScriptedModel(replies), "q", "react", [write], tool_errors=OSError)
    kinds = [{each.kind for each in step.repairs} for step in run.transcript.all_steps]
    assert kinds[0] >= {"label", "tool_name", "quotes"}
    assert kinds[1] >= {"quotes"}
    assert kinds[2:] == [set(), set(), {"label"}]
    assert [*run.transcript.repairs] == run.repairs
    failed = [False, True, False, False, False]
    assert [step.tool_failed for step in run.transcript.all_steps] == failed
    read = AgentRun.from_json(json.loads(json.dumps(run.to_json())))
    for again in (read.transcript, Transcript.from_json(run.transcript.to_json())):
        assert [{r.kind for r in step.repairs} for step in again.all_steps] == kinds
        assert [step.tool_failed for step in again.all_steps] == failed


def test_several_calls_of_a_turn_count_its_repairs_once() -> None:
    call = '<tool_call>\n{"name": "write", "arguments": {"text": "%s",}}\n</tool_call>\n'
    replies = [call % "a" + call % "b", "done"]
    run = run_agent(ScriptedModel(replies), "q", "hermes", [write])
    assert [len(each) for each in run.step_repairs] == [len(run.repairs), 0, 0]
    assert run.repairs
    assert [*run.transcript.repairs] == run.repairs


def test_a_run_that_was_written_without_the_repairs_of_its_steps_is_read() -> None:
    run = run_agent(ScriptedModel(["**Final Answer:** done"]), "q", "react", [write])
    data = run.to_json()
    del data["step_repairs"]
    assert AgentRun.from_json(data).transcript.output == "done"
    assert AgentRun.from_json(data).repairs == run.repairs


# -- arguments of the wrong kind -------------------------------------------------------------------


async def approve_later(_: Any) -> bool:
    return True


@pytest.mark.parametrize(
    ("options", "said"),
    [
        ({"system": ["a"]}, "system must be a text, not list"),
        ({"system": {"role": "system"}}, "system must be a text, not dict"),
        ({"max_turns": None}, "max_turns must be a whole number, not None"),
        ({"max_turns": "3"}, "max_turns must be a whole number, not str"),
        ({"max_retries": None}, "max_retries must be a whole number, not None"),
        ({"approve": True}, "approve must be a function .*, not bool"),
        ({"approve": ["mark"]}, "approve must be a function .*, not list"),
        ({"steps": AgentRun()}, "steps must be a list, .*, not AgentRun: .* use history="),
        ({"steps": ()}, "steps must be a list, .*, not tuple"),
        ({"history": AgentRun(question="?").to_json()}, r"AgentRun\.from_json\(data\)"),
        ({"history": [{"type": "AgentStep"}]}, r"AgentStep\.from_json\(data\)"),
        ({"stop": ["."]}, r"set it on the model, as in partial\(create, stop=…\)"),
        ({"temperature": 0}, r"set it on the model, as in partial\(create, temperature=…\)"),
    ],
    ids=str,
)
def test_an_argument_of_the_wrong_kind_is_an_error_before_the_model_is_asked(
    options: dict[str, Any], said: str
) -> None:
    asked: list[Any] = []
    with pytest.raises(TypeError, match=said):
        run_agent(asked.append, QUESTION, "react", [depth], **options)
    with pytest.raises(TypeError, match=said):
        asyncio.run(arun_agent(asked.append, QUESTION, "react", [depth], **options))
    assert asked == []


def test_who_approves_later_needs_the_asynchronous_loop() -> None:
    asked: list[Any] = []
    with pytest.raises(TypeError, match="use `await arun_agent"):
        run_agent(asked.append, QUESTION, "react", [depth], approve=approve_later)
    assert asked == []


def test_a_step_whose_parts_are_swapped_is_told_so() -> None:
    parser: Any = get_parser("react", tools=[depth])
    with pytest.raises(TypeError, match=r"a step is \(action, observation\), in this order"):
        parser.render_prompt(QUESTION, [("217 m", AgentAction("depth", {"lake": "Thun"}, ""))])


@pytest.mark.parametrize("word", ["length", "content_filter", "SAFETY", "abort"])
def test_the_error_of_a_cut_answer_claims_no_cause_that_is_not_known(word: str) -> None:
    with pytest.raises(CutAnswerError, match="at the token limit or by a filter or an error"):
        run_agent(lambda _: ("Final Answer: 217", word), QUESTION, "react", [depth])
    asked: list[Any] = []

    def model(prompt: Any) -> Any:
        asked.append(prompt)
        return ("Final Answer: 217", word if len(asked) == 1 else "stop")

    run_agent(model, QUESTION, "react", [depth], on_cut="retry")
    assert "too long" not in str(asked[1])


@pytest.mark.parametrize("name", ["react", "hermes", "tools"])
def test_a_list_of_runs_as_history_has_all_questions(name: str) -> None:
    answer = "Final Answer: 217 m" if name == "react" else "217 m"
    asked: list[Any] = []

    def model(prompt: Any, tools: Any = None, stop: Any = ()) -> Any:
        asked.append(prompt)
        return {"role": "assistant", "content": answer}

    runs: list[Any] = []
    for question in ("How deep?", "How long?", "How wide?"):
        runs.append(run_agent(model, question, name, [depth], history=runs, ended="stop"))
    said = "\n".join(each.text for each in asked[-1][1 - (name == "tools") :])
    assert [said.count(each) for each in ("How deep?", "How long?", "How wide?")] == [1, 1, 1]
