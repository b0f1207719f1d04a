"""Conversations of five turns through every form that the library has for one, and back."""

from __future__ import annotations

import json
from itertools import count
from typing import TYPE_CHECKING, Any, Final, NamedTuple

import pytest
from langchain.agents import create_agent
from langchain_core.language_models import FakeListChatModel
from langchain_core.tools import tool

from agent_parsers import (
    AgentAction,
    AgentFinish,
    get_dialect,
    get_parser,
    to_anthropic,
    to_langchain,
    to_openai,
    to_openai_responses,
)
from agent_runs import read_runs

from .test_agents_of_langchain import AsText

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator


@tool
def area(lake: str) -> str:
    """Tell how large a lake is."""
    return f"{lake} has {len(lake)} km2."


@tool
def route(start: str, via: list[str], *, fast: bool = True) -> str:
    """Find a way."""
    return json.dumps({"from": start, "over": via, "fast": fast})


TOOLS: Final = [area, route]


class Turn(NamedTuple):
    """A question, the calls of each reply to it, and the answer."""

    question: str
    calls: tuple[tuple[tuple[str, dict[str, Any]], ...], ...]
    answer: str


def _area(lake: str) -> tuple[str, dict[str, Any]]:
    return "area", {"lake": lake}


def _route(*via: str) -> tuple[str, dict[str, Any]]:
    return "route", {"start": "Bern", "via": [*via], "fast": not via}


CONVERSATIONS: Final = {
    "a call in each turn": [
        Turn(f"How large is Lake {lake}?", ((_area(lake),),), f"It has {len(lake)} km2.")
        for lake in ("Thun", "Brienz", "Zug", "Biel", "Constance")
    ],
    "several calls, one after another and together": [
        Turn("Compare two lakes.", ((_area("Thun"), _area("Zug")),), "Thun is larger."),
        Turn("And a third?", ((_area("Biel"),), (_area("Aegeri"),)), "Aegeri it is."),
        Turn("How do I get there?", ((_route("Zug", "Baar"),),), "Over Zug and Baar."),
        Turn("Thanks!", (), "You are welcome."),
        Turn("Once more, please.", ((_route(), _area("Biel")),), "As before."),
    ],
    "values and texts that are hard to write": [
        Turn('Is "a\nb" a lake?', ((_area('a\nb "c" \\d'),),), "No: it has\ntwo lines."),
        Turn("Ein See?", ((_area("Ägerisee 湖"),),), "Ja, ein See: 湖."),
        Turn("Which signs?", ((_route("<b>", "{x}", "a & b"),),), "The signs are < > { } & ."),
        Turn("Which words?", ((_area("Final Answer"),),), "The words are Action and Observation."),
        Turn("What is JSON?", ((_area('{"a": [1]}'),),), 'An example is {"a": 1}, in braces.'),
    ],
}


def replies(conversation: list[Turn], name: str) -> Iterator[str]:
    """Yield what a model writes in a dialect."""
    parser: Any = get_parser(name, tools=TOOLS)
    for turn in conversation:
        for calls in turn.calls:
            actions = [AgentAction(*call) for call in calls]
            yield parser.render(actions if len(actions) > 1 else actions[0])
        yield parser.render(AgentFinish({"output": turn.answer}, ""))


def with_create_agent(conversation: list[Turn], name: str) -> list[Any]:
    """Return the messages of an agent of LangChain whose model writes text in a dialect."""
    model = FakeListChatModel(responses=[*replies(conversation, name)])
    agent: Any = create_agent(model, TOOLS, middleware=[AsText(name)])
    messages: list[Any] = []
    for turn in conversation:
        messages = agent.invoke({"messages": [*messages, ("user", turn.question)]})["messages"]
    return messages


def in_dialect(name: str) -> Callable[[Any], Any]:
    """Return a function that writes a conversation in the prompt of a dialect."""
    parser: Any = get_parser(name, tools=TOOLS)

    def write(messages: Any) -> Any:
        asked = [*(m for m in messages if m.type != "system"), ("user", "And now?")]
        return parser.render_prompt(history=asked, as_messages=True)[:-1]

    return write


def in_log(messages: Any) -> Any:
    """Write a conversation into a log, and read it."""
    return [*read_runs(json.dumps({"messages": to_openai(messages)}))]


new_id: Final = "call_{}".format
FORMS: Final[dict[str, Callable[[Any], Any]]] = {
    "OpenAI": lambda messages: to_openai(messages, new_id=new_id),
    "Anthropic": lambda messages: to_anthropic(messages, new_id=new_id),
    "LangChain": lambda messages: to_langchain(messages, new_id=new_id),
    "Responses": lambda messages: to_openai_responses(messages, new_id=new_id),
    "OpenAI, once more": lambda messages: to_openai(messages, new_id=new_id),
    "a log": in_log,
}


def told(messages: Any) -> list[dict[str, Any]]:
    """Return OpenAI's messages with ids by place, arguments as values, and no empty content."""
    found: list[dict[str, Any]] = []
    ids: dict[str, str] = {}  # those of `kimi_k2` begin anew in each turn
    numbers = count()
    for each in to_openai(messages, new_id=new_id):
        message = {key: value for key, value in each.items() if value}
        message.pop("name", None)
        for call in message.get("tool_calls", ()):
            ids[call["id"]] = call["id"] = f"id {next(numbers)}"
            function = call["function"]
            function["arguments"] = json.loads(function["arguments"])
        if message["role"] == "tool":
            message["tool_call_id"] = ids[message["tool_call_id"]]
        found.append(message)
    return found


@pytest.mark.parametrize("name", ["hermes", "react_json", "mistral", "deepseek_v31"])
@pytest.mark.parametrize("title", CONVERSATIONS)
def test_five_turns_are_the_same_in_every_form(title: str, name: str) -> None:
    conversation = CONVERSATIONS[title]
    if name == "react_json" and title.startswith("several"):
        name = "kimi_k2"  # the dialect has one call in a turn
    messages: Any = with_create_agent(conversation, name)
    first = told(messages)
    assert [each["content"] for each in first if each["role"] == "user"] == [
        turn.question for turn in conversation
    ]
    for form, write in FORMS.items():
        messages = write(messages)
        assert told(messages) == first, form


@pytest.mark.parametrize("name", ["hermes", "react_json", "xml", "qwen3_coder", "harmony"])
@pytest.mark.parametrize("title", CONVERSATIONS)
def test_five_turns_are_the_same_in_the_prompt_of_a_dialect(title: str, name: str) -> None:
    conversation = [
        turn
        if get_dialect(name).several
        else turn._replace(calls=tuple((call,) for calls in turn.calls for call in calls))
        for turn in CONVERSATIONS[title]
    ]
    messages = with_create_agent(conversation, "hermes")
    prompt: Any = in_dialect(name)(messages)
    for message in prompt:
        message.content = message.content.removeprefix("Question: ")  # a label of its own
    assert in_dialect("hermes")(prompt) == in_dialect("hermes")(messages)
