"""README's loop, unchanged, with every dialect and with the messages of clients."""

from __future__ import annotations

import re
from itertools import chain
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

import agent_parsers
from agent_parsers import (
    AgentAction,
    AgentFinish,
    ToolSet,
    get_dialect,
    get_parser,
    list_dialects,
)
from outputs import AIMessage

if TYPE_CHECKING:
    from collections.abc import Iterator

README = (Path(__file__).parents[1] / "README.md").read_text("utf-8")
QUESTION = "How deep is Lake Thun?"
BROKEN = "<tool_call>{{{\nAction: nowhere\nAction Input: ["


def depth(lake: str, unit: str = "m") -> str:
    """Tells how deep a lake is."""
    return f"{lake} is 217 {unit} deep."


def loop(parser: Any, tools: ToolSet, replies: Iterator[Any]) -> tuple[Any, list[Any]]:
    """Run README's loop, with a model in place; return the answer, and the prompts."""
    (code,) = re.findall(r"^(def run\(question.*?)\n\n\n", README, re.DOTALL | re.MULTILINE)
    prompts: list[Any] = []

    def model(prompt: Any, stop: list[str]) -> Any:
        assert isinstance(stop, list)
        prompts.append(prompt)
        return next(replies)

    code = re.sub(r"next\(replies\)  # (model\(.*\))", r"\1", code)
    assert "model(parser.render_prompt" in code
    names = {**vars(agent_parsers), "Any": Any, "parser": parser, "tools": tools, "model": model}
    names["OutputParserException"] = agent_parsers.OutputParserException
    exec(code, names)
    return names["run"](QUESTION), prompts


def text(prompt: Any) -> str:
    return prompt if isinstance(prompt, str) else "\n".join(str(m.content) for m in prompt)


@pytest.mark.parametrize("name", list_dialects())
def test_every_dialect(name: str) -> None:
    if name == "smolagents_code":
        pytest.skip("its calls are code, and its tool runs it")
    tools = ToolSet([depth])
    parser, dialect = get_parser(name, tools=tools), get_dialect(name)
    calls = [AgentAction("depth", {"lake": "Lake Thun"}, "")]
    try:
        written = parser.render(calls * 2 if dialect.several else calls[0])
    except ValueError:
        written = parser.render(calls[0])
    answer = parser.render(AgentFinish({"output": "217 m"}, ""), number=2)
    refused = [BROKEN] if is_refused(parser, BROKEN) else []
    output, prompts = loop(parser, tools, chain(refused, [written, answer]))
    assert output == "217 m"
    assert "Lake Thun is 217 m deep." in text(prompts[-1])
    assert not refused or BROKEN.split("\n")[0] in text(prompts[1])


def is_refused(parser: Any, reply: str) -> bool:
    try:
        parser.read(reply)
    except agent_parsers.OutputParserException:
        return True
    return False


def openai_reply(**message: Any) -> dict[str, Any]:
    reason = "tool_calls" if message.get("tool_calls") else "stop"
    return {"choices": [{"message": {"role": "assistant", **message}, "finish_reason": reason}]}


ARGUMENTS = '{"lake": "Lake Thun"}'
OPENAI = [
    openai_reply(
        content=None,
        tool_calls=[
            {"id": f"c{n}", "type": "function", "function": {"name": "depth", "arguments": given}}
            for n, given in enumerate((ARGUMENTS, '{"lake": "Lake Thun", "unit": "ft"}'))
        ],
    ),
    openai_reply(content="217 m"),
]
ANTHROPIC = [
    {
        "type": "message", "role": "assistant", "stop_reason": "tool_use",
        "content": [
            {"type": "text", "text": "I look it up."},
            {"type": "tool_use", "id": "t1", "name": "depth", "input": {"lake": "Lake Thun"}},
        ],
    },
    {"type": "message", "role": "assistant", "stop_reason": "end_turn",
     "content": [{"type": "text", "text": "217 m"}]},
]  # fmt: skip
OURS = [
    AIMessage("", tool_calls=[{"name": "depth", "args": {"lake": "Lake Thun"}, "id": "1"}]),
    AIMessage("217 m"),
]


@pytest.mark.parametrize("replies", [OPENAI, ANTHROPIC, OURS], ids=["openai", "anthropic", "ours"])
@pytest.mark.parametrize("fails", [False, True])
def test_messages(replies: list[Any], fails: bool) -> None:
    tools = ToolSet([depth])
    wrong = openai_reply(
        content=None,
        tool_calls=[
            {"id": "w", "type": "function", "function": {"name": "dive", "arguments": "{}"}}
        ],
    )
    output, prompts = loop(
        get_parser("tools", tools=tools), tools, chain([wrong] if fails else [], replies)
    )
    assert output == "217 m"
    assert "Lake Thun is 217 m deep." in text(prompts[-1])
    assert not fails or "dive" in text(prompts[1])


def test_a_message_of_a_chat_model_may_hold_a_text_turn() -> None:
    tools = ToolSet([depth])
    parser = get_parser("react", tools=tools)
    call = 'Thought: hm\nAction: depth\nAction Input: {"lake": "Lake Thun"}'
    replies = iter([openai_reply(content=call), AIMessage("Final Answer: 217 m")])
    assert loop(parser, tools, replies)[0] == "217 m"


@pytest.mark.parametrize("name", ["react", "hermes", "glm45", "xml"])
def test_a_streamed_turn_is_the_same(name: str) -> None:
    parser = get_parser(name, tools=[depth])
    written = parser.render(AgentAction("depth", {"lake": "Lake Thun"}, ""))
    stream = parser.stream_parser()
    for at in range(0, len(written), 3):
        stream.feed(written[at : at + 3])
    stream.close()
    turn = parser.read(written)
    made = stream.result if isinstance(stream.result, list) else [stream.result]
    assert [a.tool_input for a in made] == [a.tool_input for a in turn.actions]
    assert turn.finish is turn.output is None
