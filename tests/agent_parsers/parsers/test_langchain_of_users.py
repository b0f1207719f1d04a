"""What classes of users return, read and write in LangChain's pipelines and by `as_langchain`."""

from __future__ import annotations

import asyncio
import copy
import pickle
from typing import TYPE_CHECKING, Any

import langchain_core.agents as lc
import pytest
from langchain_core.messages import AIMessage, AIMessageChunk, HumanMessage
from langchain_core.outputs import ChatGeneration as TheirChatGeneration
from langchain_core.outputs import Generation as TheirGeneration
from langchain_core.runnables import RunnableLambda

import outputs
from agent_parsers import (
    AgentAction,
    AgentActionMessageLog,
    AgentFinish,
    AgentOutputParser,
    ConvoOutputParser,
    MultiActionAgentOutputParser,
    ToolAgentAction,
    ToolsAgentOutputParser,
    get_parser,
)

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator


class Returns(AgentOutputParser):
    """Returns what it was made with."""

    what: Any

    def parse(self, text: str) -> Any:
        return self.what


class ReturnsOfResult(MultiActionAgentOutputParser):
    """Another one."""

    what: Any

    def parse(self, text: str) -> Any:
        raise NotImplementedError

    def parse_result(self, result: Any, *, partial: bool = False) -> Any:
        return self.what


KINDS = (Returns, ReturnsOfResult)


def ways_of(parser: Any, given: Any = "x") -> Iterator[Callable[[], Any]]:
    """Yield each way in which LangChain runs *parser* on what is *given*."""
    theirs = parser.as_langchain()
    for step in (theirs, RunnableLambda(lambda _: given) | parser):
        yield lambda: step.invoke(given)  # noqa: B023
        yield lambda: asyncio.run(step.ainvoke(given))  # noqa: B023
        yield lambda: [*step.stream(given)][-1]  # noqa: B023
    is_text = isinstance(given, str)
    generation: Any = TheirGeneration(text=given) if is_text else TheirChatGeneration(message=given)
    yield lambda: theirs.parse_result([generation])
    yield lambda: asyncio.run(theirs.aparse_result([generation]))


# Results of other classes.


class Thoughtful(AgentAction):
    """An action with more than ours."""

    thought: str = ""

    def shout(self) -> str:
        return self.thought.upper()

    @property
    def messages(self) -> Any:
        return ["of the class"]


class Logged(AgentActionMessageLog):
    """One with messages."""

    cost: float


class Called(ToolAgentAction):
    """One with an id."""

    cost: float = 0


class Scored(AgentFinish):
    """An answer with more than ours."""

    score: int


class MoreScored(Scored):
    """A class of another."""

    sure: bool = True


LOG = [outputs.AIMessage("Let me see.")]
OF_USERS: tuple[Any, ...] = (
    Thoughtful("area", "Thun", "log", thought="hm"),
    Logged("area", {"lake": "Thun"}, "log", message_log=LOG, cost=0.5),
    Called("area", {}, "log", message_log=LOG, tool_call_id="7", cost=0.5),
    Scored({"output": 1}, "log", score=3),
    MoreScored({"output": 1}, "log", score=3, sure=False),
)


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("result", OF_USERS, ids=lambda result: type(result).__name__)
def test_a_result_keeps_its_class_and_its_fields(result: Any, kind: Any) -> None:
    for way in ways_of(kind(what=result)):
        found = way()
        assert isinstance(found, type(result))
        assert isinstance(found, lc.AgentFinish if found.type == "AgentFinish" else lc.AgentAction)
        same = {**dict(result), "message_log": None}
        assert {**dict(found), "message_log": None} == same
        assert found == result
        assert found != result.model_copy(update={"log": "another"})
        for again in (pickle.loads(pickle.dumps(found)), copy.deepcopy(found)):
            assert again == found
            assert type(again) is type(found)
    if hasattr(result, "message_log"):
        assert [type(each) for each in found.message_log] == [AIMessage]


def test_a_class_keeps_what_it_defines() -> None:
    (found,) = (RunnableLambda(str) | Returns(what=[OF_USERS[0]])).invoke("x")
    assert found.shout() == "HM"
    assert found.messages == ["of the class"]
    (bare,) = Returns(what=[AgentAction("area", "Thun", "log")]).as_langchain().invoke("x")
    assert type(bare) is lc.AgentAction


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize(
    "result",
    [
        lc.AgentAction("area", "Thun", "log"),
        lc.AgentFinish({"output": 7}, "log"),
        [lc.AgentAction("area", "Thun", "log")],
        [],
        {"tool": "area"},
        "area",
        ("area", "Thun"),
        None,
        7,
    ],
)
def test_what_is_langchains_or_no_result_remains(result: Any, kind: Any) -> None:
    for way in ways_of(kind(what=result)):
        found = way()
        assert found == result
        assert type(found) is type(result)


def test_a_list_may_have_actions_of_both() -> None:
    ours, theirs = AgentAction("area", "Thun", "log"), lc.AgentAction("area", "Thun", "log")
    for way in ways_of(ReturnsOfResult(what=[ours, theirs])):
        assert all(isinstance(each, lc.AgentAction) for each in way())


# The message that an action keeps.


class Redacts(AgentOutputParser):
    """Keeps another message than the one that it read."""

    kept: Any

    def parse(self, text: str) -> Any:
        raise NotImplementedError

    def parse_result(self, result: Any, *, partial: bool = False) -> Any:
        return AgentActionMessageLog("area", "Thun", "", message_log=self.kept)


class KeepsOne(ToolsAgentOutputParser):
    """Makes the first of the calls, and keeps a message with that alone."""

    def parse_result(self, result: Any, *, partial: bool = False) -> Any:
        first, *_ = super().parse_result(result, partial=partial)
        message = result[0].message
        alone = message.model_copy(update={"tool_calls": message.tool_calls[:1]})
        return [first.model_copy(update={"message_log": [alone]})]


class KeepsAll(ToolsAgentOutputParser):
    """Changes the actions, and not their message."""

    def parse_result(self, result: Any, *, partial: bool = False) -> Any:
        found = super().parse_result(result, partial=partial)
        return [each.model_copy(update={"log": "mine"}) for each in found]


@pytest.mark.parametrize(
    "kept",
    [
        [outputs.AIMessage("redacted")],
        [AIMessage("redacted")],
        [outputs.HumanMessage("a"), outputs.AIMessage("secret")],
        [],
    ],
)
def test_a_message_that_a_parser_wrote_is_kept(kept: Any) -> None:
    for way in ways_of(Redacts(kept=kept), AIMessage("secret")):
        found = way().message_log
        assert [each.content for each in found] == [each.content for each in kept]
        assert all(type(each).__module__.startswith("langchain_core") for each in found)


CALLS: Any = [{"name": "area", "args": {"lake": name}, "id": name} for name in ("a", "b")]
PIECES: Any = [
    {"name": "area", "args": "{}", "id": name, "index": at} for at, name in enumerate(("a", "b"))
]


class Signed(AIMessage):
    """A message with more than LangChain's."""

    signature: str = ""


@pytest.mark.parametrize(
    "message",
    [
        AIMessage("Hm.", tool_calls=CALLS, id="m", response_metadata={"finish_reason": "stop"}),
        AIMessageChunk("Hm.", tool_call_chunks=PIECES),
        AIMessage([{"type": "text", "text": "Hm."}], tool_calls=CALLS),
        Signed("Hm.", tool_calls=CALLS, signature="s"),
    ],
)
def test_the_message_itself_is_kept_if_it_is_not_changed(message: Any) -> None:
    for parser in (ToolsAgentOutputParser(), KeepsAll()):
        for way in ways_of(parser, message):
            assert all(each.message_log == [message] for each in way())
            assert all(each.message_log[0] is message for each in way())
    for way in ways_of(KeepsOne(), message):
        (found,) = way()
        assert [call["id"] for call in found.message_log[0].tool_calls] == ["a"]


# All generations, the history, and the format instructions.


class Counts(AgentOutputParser):
    """Reads all generations."""

    def parse(self, text: str) -> Any:
        return AgentFinish({"output": text}, text)

    def parse_result(self, result: Any, *, partial: bool = False) -> Any:
        return AgentFinish({"output": [each.text for each in result]}, str(partial))


def test_a_parse_result_of_ones_own_gets_all_generations() -> None:
    given = [TheirGeneration(text="a"), TheirGeneration(text="b")]
    theirs = Counts().as_langchain()
    expected = lc.AgentFinish({"output": ["a", "b"]}, "False")
    assert theirs.parse_result(given) == expected
    assert asyncio.run(theirs.aparse_result(given)) == expected
    assert theirs.parse_result(given, partial=True).log == "True"
    assert theirs.parse("a") == lc.AgentFinish({"output": "a"}, "a")


@pytest.mark.parametrize("name", ["react", "hermes", "tools"])
def test_a_prompt_has_the_history(name: str) -> None:
    ours: Any = get_parser(name, tools=[])
    said = [HumanMessage("Is it late?"), AIMessage("Final Answer: no")]
    for question in ("And now?", None):
        history = said if question else said[:1]
        prompt = ours.as_langchain().render_prompt(question, history=history)
        expected = ours.render_prompt(question, history=history, as_messages=True)
        assert [each.content for each in prompt] == [each.content for each in expected]
        assert all(type(each).__module__.startswith("langchain_core") for each in prompt)


class Instructs(ConvoOutputParser):
    def get_format_instructions(self) -> str:
        return 'Write {{{{"action": …}}}}'


def test_braces_of_ones_own_instructions_are_left_alone() -> None:
    own = Instructs().get_format_instructions()
    given = ConvoOutputParser(format_instructions=own)
    for parser in (Instructs(), given):
        assert parser.as_langchain().get_format_instructions() == own
    ours = ConvoOutputParser().get_format_instructions().count("{")
    theirs = ConvoOutputParser().as_langchain().get_format_instructions()
    assert theirs.count("{") > ours
