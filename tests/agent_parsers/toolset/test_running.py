"""Running the tools of a turn: what they raise, what is approved, and what runs concurrently."""

from __future__ import annotations

import asyncio
import json
import threading
from functools import partial
from typing import Any, NamedTuple

import pytest
from langchain_core.tools import StructuredTool
from langchain_core.tools import ToolException as TheirToolException

from agent_parsers import (
    AgentAction,
    AgentFinish,
    ToolException,
    ToolInputError,
    ToolSet,
    arun_agent,
    get_parser,
    run_agent,
    to_openai,
)
from agent_parsers.format_scratchpad import format_log_to_str
from agent_parsers.testing import ScriptedModel
from agent_parsers.toolset.running import steps_taken


class ModelRetry(Exception):  # noqa: N818 - pydantic-ai's name
    """Stands in for pydantic-ai's exception, which has its text in a field."""

    __module__ = "pydantic_ai.exceptions"

    def __init__(self, message: str) -> None:
        super().__init__()
        self.message = message


def area(lake: str) -> str:
    """Tell how large a lake is."""
    if lake == "Atlantis":
        raise ToolException("There is no lake Atlantis.")
    if lake == "Nowhere":
        raise ModelRetry("Name a lake in Switzerland.")
    if lake == "Silence":
        raise TheirToolException
    if lake == "Error":
        raise LookupError("Error")
    return f"{lake} has 48 km2"


def act(lake: str) -> AgentAction:
    return AgentAction("area", {"lake": lake}, "")


def called(tools: ToolSet, *turn: AgentAction, **options: Any) -> list[list[tuple[Any, Any]]]:
    """Return the steps of a turn, synchronous and not."""
    more = [{}, {"sequential": True}]
    later = (asyncio.run(tools.arun([*turn], **options, **each)) for each in more)
    return [tools.run([*turn], **options), *later]


@pytest.mark.parametrize(
    ("lake", "told"),
    [
        ("Atlantis", "There is no lake Atlantis."),
        ("Nowhere", "Name a lake in Switzerland."),
        ("Silence", "area failed"),
        ("Error", "LookupError: Error"),
    ],
)
def test_what_a_tool_raises_for_the_model_is_its_result(lake: str, told: str) -> None:
    for steps in called(ToolSet([area]), act(lake), act("Thun"), errors=LookupError):
        assert [seen for _, seen in steps] == [told, "Thun has 48 km2"]
    assert ToolSet([area]).call(act(lake), errors=(LookupError,)) == told


def test_the_message_of_such_a_result_says_that_the_call_failed() -> None:
    tools = ToolSet([area])
    steps = tools.run([act("Atlantis"), act("Thun")])
    results = [each for each in to_openai(steps, new_id=str) if each["role"] == "tool"]
    assert [each["content"] for each in results] == [
        "There is no lake Atlantis.",
        "Thun has 48 km2",
    ]
    parser: Any = get_parser("tools", tools=tools)
    told = parser.render_prompt("?", steps, as_messages=True)
    assert [each.status for each in told if each.type == "tool"] == ["error", "success"]


@pytest.mark.parametrize("handled", [True, "Ask for another lake."])
def test_tools_of_langchain_handle_their_own_errors(handled: Any) -> None:
    def fail(lake: str) -> str:
        """Fail."""
        raise TheirToolException(f"no {lake}")

    tool = StructuredTool.from_function(fail, handle_tool_error=handled)
    told = "no Thun" if handled is True else handled
    for steps in called(ToolSet([tool]), AgentAction("fail", {"lake": "Thun"}, "")):
        assert [seen for _, seen in steps] == [told]


def test_other_exceptions_end_the_run_which_they_have() -> None:
    parser: Any = get_parser("hermes", tools=[area])
    replies = [parser.render(act("Thun")), parser.render([act("Zug"), act("Error")])]
    for run in (run_agent, lambda *given: asyncio.run(arun_agent(*given, sequential=True))):
        with pytest.raises(LookupError) as raised:
            run(ScriptedModel(replies), "?", parser)
        steps = raised.value.run.steps  # type: ignore[attr-defined]
        assert [(action.tool_input["lake"], seen) for action, seen in steps] == [
            ("Thun", "Thun has 48 km2"),
            ("Zug", "Zug has 48 km2"),
        ]


def test_a_run_goes_on_after_errors_that_are_named() -> None:
    parser: Any = get_parser("react", tools=[area])
    replies = ["Action: area\nAction Input: Error", "Final Answer: none"]
    answer = iter(replies)
    run = run_agent(lambda _: next(answer), "?", parser, ended="stop", tool_errors=LookupError)
    assert [seen for _, seen in run.steps] == ["LookupError: Error"]
    assert run.output == "none"


# -- approving -------------------------------------------------------------------------------------


def test_nothing_runs_before_all_is_approved() -> None:
    ran: list[str] = []

    def note(text: str) -> str:
        """Take a note."""
        ran.append(text)
        return f"noted {text}"

    def approve(action: AgentAction) -> Any:
        assert not ran
        decided = {"a": True, "b": False, "c": "Ask first.", "d": {"text": "e"}}
        return decided[action.tool_input["text"]]  # type: ignore[index]

    async def later(action: AgentAction) -> Any:
        return approve(action)

    turn = [AgentAction("note", {"text": each}, "") for each in "abcd"]
    wanted = [
        ("a", "noted a"),
        ("b", "This call was not allowed."),
        ("c", "Ask first."),
        ("e", "noted e"),
    ]
    tools = ToolSet([note])
    for run in (
        lambda: tools.run(turn, approve=approve),
        lambda: asyncio.run(tools.arun(turn, approve=approve)),
        lambda: asyncio.run(tools.arun(turn, approve=later)),
    ):
        ran.clear()
        steps = run()
        assert [(action.tool_input["text"], seen) for action, seen in steps] == wanted
        assert sorted(ran) == ["a", "e"]


def test_what_approve_returns_is_checked() -> None:
    tools = ToolSet([area])
    with pytest.raises(TypeError, match="True, False, a string for the model, or other arguments"):
        tools.call(act("Thun"), approve=lambda _: None)
    with pytest.raises(ToolInputError, match="sea"):
        tools.call(act("Thun"), approve=lambda _: {"sea": "Thun"})

    async def approve(_: AgentAction) -> bool:
        return True

    with pytest.raises(TypeError, match="approve is asynchronous"):
        tools.call(act("Thun"), approve=approve)


def test_approve_may_change_the_action_itself() -> None:
    tools = ToolSet([area])

    def change(action: Any) -> bool:
        action.tool_input["lake"] = "Biel"
        return True

    async def later(action: Any) -> bool:
        return change(action)

    given = act("Thun")
    for steps in (
        tools.run([given], approve=change),
        asyncio.run(tools.arun([given], approve=change)),
        asyncio.run(tools.arun([given], approve=later)),
    ):
        [(action, seen)] = steps
        assert (action.tool_input, seen) == ({"lake": "Biel"}, "Biel has 48 km2")
    assert given.tool_input == {"lake": "Thun"}

    def spoil(action: Any) -> bool:
        action.tool_input = {"sea": "Thun"}
        return True

    def rename(action: Any) -> bool:
        action.tool = "depth"
        return True

    with pytest.raises(ToolInputError, match="sea"):
        tools.call(given, approve=spoil)
    with pytest.raises(TypeError, match="must not change the tool"):
        tools.call(given, approve=rename)


@pytest.mark.parametrize("name", ["react", "hermes", "xml", "qwen3_coder"])
def test_the_model_reads_the_arguments_that_were_given_instead(name: str) -> None:
    parser: Any = get_parser(name, tools=[area])
    prompts: list[str] = []
    said = [act("Thun"), act("Zug"), AgentFinish({"output": "x"}, "")]
    replies = iter(map(parser.render, said))

    def model(prompt: Any) -> str:
        prompts.append("".join(message.text for message in prompt[2:]))
        return next(replies)

    def approve(action: AgentAction) -> Any:
        return {"lake": "Biel"} if action.tool_input["lake"] == "Thun" else "Not now."  # type: ignore[index]

    run = run_agent(model, "?", parser, ended="stop", approve=approve, on_cut="return")
    assert [seen for _, seen in run.steps] == ["Biel has 48 km2", "Not now."]
    assert "Thun" not in prompts[-1]
    assert prompts[-1].index("Biel") < prompts[-1].index("Zug") < prompts[-1].index("Not now.")


# -- concurrently ----------------------------------------------------------------------------------


class Meeting(NamedTuple):
    """Tools that meet if they run at the same time."""

    began: list[str]
    tools: ToolSet


def meeting(size: int) -> Meeting:
    began: list[str] = []
    barrier = asyncio.Barrier(size)
    threads = threading.Barrier(size)

    async def wait(name: str) -> str:
        """Wait for the others."""
        began.append(name)
        await asyncio.wait_for(barrier.wait(), 5)
        return name

    def block(name: str) -> str:
        """Block until the others do."""
        began.append(name)
        threads.wait(5)
        return name

    return Meeting(began, ToolSet([wait, block]))


@pytest.mark.parametrize("tool", ["wait", "block"])
def test_the_tools_of_a_turn_run_concurrently_and_their_steps_are_in_order(tool: str) -> None:
    async def run() -> None:
        began, tools = meeting(3)
        turn = [AgentAction(tool, {"name": each}, "") for each in "abc"]
        steps = await tools.arun(turn)
        assert steps == [*zip(turn, "abc", strict=True)]
        assert sorted(began) == ["a", "b", "c"]

    asyncio.run(run())


def test_in_sequence_each_ends_before_the_next_begins() -> None:
    said: list[str] = []

    async def note(text: str) -> str:
        """Take a note."""
        said.append(f"begin {text}")
        await asyncio.sleep(0)
        said.append(f"end {text}")
        return text

    turn = [AgentAction("note", {"text": each}, "") for each in "ab"]
    asyncio.run(ToolSet([note]).arun(turn, sequential=True))
    assert said == ["begin a", "end a", "begin b", "end b"]
    said.clear()
    asyncio.run(ToolSet([note]).arun(turn))
    assert said == ["begin a", "begin b", "end a", "end b"]


def test_if_one_fails_the_others_are_cancelled() -> None:
    ended: list[str] = []

    async def work(kind: str) -> str:
        """Work."""
        try:
            await asyncio.sleep(0 if kind != "long" else 60)
        except asyncio.CancelledError:
            ended.append("cancelled")
            raise
        if kind == "fail":
            await asyncio.sleep(0)
            raise LookupError(kind)
        return kind

    turn = [AgentAction("work", {"kind": each}, "") for each in ("long", "quick", "fail")]
    with pytest.raises(LookupError) as raised:
        asyncio.run(ToolSet([work]).arun(turn))
    assert ended == ["cancelled"]
    assert [seen for _, seen in steps_taken(raised.value)] == ["quick"]
    said = "'work' (call 3); 'work' (call 2) ran before it; 'work' (call 1) did not finish"
    assert raised.value.__notes__ == [f"raised by the call to {said}"]


def test_who_cancels_the_turn_cancels_all_its_tools() -> None:
    ended: list[str] = []

    async def wait(name: str) -> None:
        """Wait."""
        try:
            await asyncio.sleep(60)
        finally:
            ended.append(name)

    async def run() -> None:
        turn = [AgentAction("wait", {"name": each}, "") for each in "ab"]
        task = asyncio.create_task(ToolSet([wait]).arun(turn))  # type: ignore[arg-type]
        await asyncio.sleep(0.01)
        task.cancel()
        with pytest.raises(asyncio.CancelledError) as raised:
            await task
        assert "'wait' (call 1), 'wait' (call 2) did not finish" in raised.value.__notes__[0]

    asyncio.run(run())
    assert sorted(ended) == ["a", "b"]


def test_a_tool_in_a_thread_sees_the_context_and_may_return_a_coroutine() -> None:
    async def double(number: int) -> int:
        return 2 * number

    def later(number: int) -> Any:
        """Double a number."""
        return double(number)

    tools = ToolSet([later, partial(area)])
    action = AgentAction("later", {"number": 3}, "")
    assert asyncio.run(tools.acall(action)) == 6
    with pytest.raises(TypeError, match="the tool 'later' is asynchronous"):
        tools.call(action)


# -- found by a stranger ---------------------------------------------------------------------------


def test_a_tool_that_is_cancelled_is_no_result() -> None:
    async def stop(text: str) -> str:
        """Stop."""
        raise asyncio.CancelledError

    tools = ToolSet([stop, area])
    turn = [act("Thun"), AgentAction("stop", {"text": "x"}, "")]
    for options in ({}, {"sequential": True}):
        with pytest.raises(asyncio.CancelledError) as raised:
            asyncio.run(tools.arun(turn, **options))  # type: ignore[call-overload]
        assert [seen for _, seen in steps_taken(raised.value)] in ([], ["Thun has 48 km2"])


def test_who_approves_sees_the_tool_that_runs_and_what_it_gets() -> None:
    def delete(path: str, times: int = 1) -> str:
        """Delete."""
        return f"deleted {path} {times}"

    asked: list[Any] = []

    def approve(action: AgentAction) -> bool:
        asked.append((action.tool, action.tool_input))
        return True

    wrote = AgentAction("Delete", {"path": "x", "times": "3"}, "")
    assert ToolSet([delete]).run([wrote], approve=approve) == [(wrote, "deleted x 3")]
    assert asked == [("delete", {"path": "x", "times": 3})]
    assert wrote.tool_input == {"path": "x", "times": "3"}


def test_what_approving_raises_has_only_steps_of_this_turn() -> None:
    tools = ToolSet([area])

    def approve(_: AgentAction) -> bool:
        tools.run([act("Zug"), act("Error")])
        return True

    with pytest.raises(LookupError) as raised:
        tools.run([act("Thun"), act("Biel")], approve=approve)
    assert steps_taken(raised.value) == []


def test_a_native_call_goes_back_with_the_arguments_that_were_given_instead() -> None:
    call = {"id": "1", "type": "function"}
    made = {**call, "function": {"name": "area", "arguments": '{"lake":  "Thun"}'}}
    message = {"role": "assistant", "content": None, "tool_calls": [made]}
    parser: Any = get_parser("tools", tools=[area])
    turn = parser.read(message)
    for given, written in (
        (True, '{"lake":  "Thun"}'),
        ({"lake": "Biel"}, '{"lake": "Biel"}'),
    ):
        steps = ToolSet([area]).run(turn, approve=lambda _, given=given: given)
        assert to_openai(steps)[0]["tool_calls"][0]["function"]["arguments"] == written


_CALL = {"name": "area", "arguments": '{"lake": "Thun"}'}
_BROKEN = {"name": "area", "arguments": '{"lake": "Thun",}'}
_NATIVE: dict[str, Any] = {
    "chat": {"role": "assistant", "content": None, "tool_calls": [
        {"id": "1", "type": "function", "function": _CALL}]},
    "a repaired call": {"role": "assistant", "content": None, "tool_calls": [
        {"id": "1", "type": "function", "function": _BROKEN}]},
    "two calls": {"role": "assistant", "content": "I look.", "tool_calls": [
        {"id": "1", "type": "function", "function": _CALL},
        {"id": "2", "type": "function", "function": _CALL}]},
    "blocks": {"type": "message", "role": "assistant", "content": [
        {"type": "text", "text": "I look."},
        {"type": "tool_use", "id": "t1", "name": "area", "input": {"lake": "Thun"}}]},
    "items": {"object": "response", "output": [{"type": "function_call", "call_id": "c", **_CALL}]},
    "a function call": {"role": "assistant", "content": None, "function_call": _CALL},
}  # fmt: skip


@pytest.mark.parametrize("kind", _NATIVE)
def test_the_model_reads_which_arguments_ran_in_place_of_its_own(kind: str) -> None:
    name = "openai_functions" if kind == "a function call" else "tools"
    parser: Any = get_parser(name, tools=[area])
    asked: list[Any] = []

    def model(prompt: Any, tools: Any = None) -> Any:
        asked.append(prompt)
        return _NATIVE[kind] if len(asked) == 1 else {"role": "assistant", "content": "Done."}

    def written(prompt: Any) -> set[Any]:
        past = to_openai(prompt, new_id="call_{}".format)
        calls = [each["function"] for said in past for each in said.get("tool_calls", ())]
        calls += [said["function_call"] for said in past if said.get("function_call")]
        return {json.loads(each["arguments"])["lake"] for each in calls}

    run = run_agent(model, "How large?", parser, [area], approve=lambda _: {"lake": "Biel"})
    for prompt in (asked[1], parser.render_prompt("And now?", history=run), run.messages):
        assert written(prompt) == {"Biel"}
    asked.clear()
    run = run_agent(model, "How large?", parser, [area], approve=lambda _: True)
    message = parser.read(_NATIVE[kind]).actions[0].message_log[0]
    assert run.messages[1] == message, "it stays as the model gave it"


@pytest.mark.parametrize("errors", [[3], "LookupError", LookupError("x"), (LookupError, None)])
def test_kinds_of_errors_are_checked_before_a_tool_runs(errors: Any) -> None:
    with pytest.raises(TypeError, match="errors must be exception classes"):
        ToolSet([area]).call(act("Thun"), errors=errors)


def test_a_list_of_kinds_of_errors() -> None:
    told = ToolSet([area]).call(act("Error"), errors=[KeyError, LookupError])  # type: ignore[arg-type]
    assert told == "LookupError: Error"


def test_the_tools_own_exception_is_raised_whatever_it_has() -> None:
    class OddError(Exception):
        @property
        def steps_taken(self) -> str:
            return "its own"

        @property
        def run(self) -> str:
            return "its own"

    class SilentException(ToolException):
        def __str__(self) -> str:
            raise ZeroDivisionError

    def odd(kind: str) -> str:
        """Raise."""
        raise OddError if kind == "odd" else SilentException

    tools = ToolSet([odd])
    with pytest.raises(OddError):
        tools.run([AgentAction("odd", {"kind": "odd"}, "")])
    assert tools.call(AgentAction("odd", {"kind": "silent"}, "")) == "odd failed"


# -- results that nobody has iterated over ---------------------------------------------------------


def test_a_result_that_is_an_iterator_is_an_error() -> None:
    def lakes(lake: str) -> Any:
        """Yield."""
        yield lake

    def upper(lake: str) -> Any:
        """Map."""
        return map(str.upper, lake)

    async def later(lake: str) -> Any:
        """Yield asynchronously."""
        yield lake

    tools = ToolSet([lakes, upper, later])
    for name in ("lakes", "upper", "later"):
        action = AgentAction(name, {"lake": "Thun"}, "")
        with pytest.raises(TypeError, match=f"the tool '{name}' returned .*: return a list"):
            tools.run([action])
        with pytest.raises(TypeError, match=f"the tool '{name}' returned .*: return a list"):
            asyncio.run(tools.arun([action]))


def test_a_tool_that_changes_its_input_does_not_change_the_step() -> None:
    class Search:
        name = "search"
        description = "Search."
        args_schema = {  # noqa: RUF012 - as such tools have it
            "type": "object",
            "properties": {"where": {"type": "object"}},
            "required": ["where"],
        }

        def invoke(self, given: dict[str, Any]) -> str:
            return f"found {given['where'].pop('id')}"

    tools = ToolSet([Search()])
    action = AgentAction("search", {"where": {"id": 3}}, "")
    for steps in (tools.run([action]), asyncio.run(tools.arun([action]))):
        assert steps == [(action, "found 3")]
        assert steps[0][0].tool_input == {"where": {"id": 3}}


@pytest.mark.parametrize("name", ["react", "hermes", "tools", "openai_functions"])
def test_a_result_that_was_not_awaited_or_iterated_over_is_an_error(name: str) -> None:
    async def later() -> str:
        return "48 km2"

    action = act("Thun")
    parser: Any = get_parser(name, tools=[area])
    for asked in (later(), ToolSet([area]).acall(action)):
        with pytest.raises(TypeError, match="not awaited: use `await`"):
            parser.render_prompt("How large?", [(action, asked)])
    for made in ((each for each in "ab"), map(str, "ab"), zip("a", "b", strict=True), iter("ab")):
        with pytest.raises(TypeError, match="a result must be a value, such as a list"):
            parser.render_prompt("How large?", [(action, made)])
    with pytest.raises(TypeError, match="not awaited"):
        format_log_to_str([(action, later())])
