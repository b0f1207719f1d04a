"""The loop of the cookbook, unchanged, with every dialect and with the messages of clients.

``python -m tests.test_loop`` prints the table of what was tried.
"""

from __future__ import annotations

import re
from contextlib import suppress
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
    run_agent,
)
from outputs import AIMessage

from .helpers.effort import THOROUGH

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

COOKBOOK = (Path(__file__).parents[1] / "docs" / "cookbook.md").read_text("utf-8")
QUESTION = "How deep is Lake Thun?"
BROKEN = "<tool_call>{{{\nAction: nowhere\nAction Input: ["


def depth(lake: str, unit: str = "m") -> str:
    """Tells how deep a lake is."""
    return f"{lake} is 217 {unit} deep."


def loop(parser: Any, tools: ToolSet, replies: Iterator[Any]) -> tuple[Any, list[Any]]:
    """Run the loop of the cookbook, with a model in place; return the answer, and the prompts."""
    (code,) = re.findall(r"^(def run\(question.*?)\n\n\n", COOKBOOK, re.DOTALL | re.MULTILINE)
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


def python_interpreter(code: str) -> str:
    """Runs code."""
    return depth(*re.findall("'(.*?)'", code))


def pieces(text: str) -> list[str]:
    return [text[at : at + 3] for at in range(0, len(text), 3)]


def openai_reply(**message: Any) -> dict[str, Any]:
    reason = "tool_calls" if message.get("tool_calls") else "stop"
    return {"choices": [{"message": {"role": "assistant", **message}, "finish_reason": reason}]}


def anthropic_reply(*content: dict[str, Any], reason: str = "end_turn") -> dict[str, Any]:
    return {"type": "message", "role": "assistant", "stop_reason": reason, "content": content}


def anthropic_chunks(text: str) -> Iterator[dict[str, Any]]:
    yield {"type": "content_block_start", "index": 0, "content_block": {"type": "text", "text": ""}}
    for piece in pieces(text):
        delta = {"type": "text_delta", "text": piece}
        yield {"type": "content_block_delta", "index": 0, "delta": delta}
    yield {"type": "message_delta", "delta": {"stop_reason": "end_turn"}}


WAYS: dict[str, Callable[[str], Any]] = {
    "text": str,
    "text in chunks": lambda text: iter(pieces(text)),
    "OpenAI": lambda text: openai_reply(content=text),
    "OpenAI in chunks": lambda text: (
        {"choices": [{"index": 0, "delta": {"content": piece}}]} for piece in pieces(text)
    ),
    "Anthropic": lambda text: anthropic_reply({"type": "text", "text": text}),
    "Anthropic in chunks": anthropic_chunks,
}
"""How the text of a turn may arrive."""


def said_by(name: str, way: str) -> str:
    """Let a model of a dialect that is refused, calls a tool and answers go through the loop.

    Returns:
        What it did, for the table.
    """
    is_code = name == "smolagents_code"
    tools = ToolSet([python_interpreter if is_code else depth])
    parser, dialect = get_parser(name, tools=tools), get_dialect(name)
    call = AgentAction("depth", {"lake": "Lake Thun"}, "")
    if is_code:
        call = AgentAction("python_interpreter", "print(depth('Lake Thun'))", "")
    calls = [call]
    if dialect.several:
        with suppress(ValueError):
            calls = [*parser.read(parser.render([call, call])).actions]
    written = parser.render(calls if dialect.several else call)
    answer = parser.render(AgentFinish({"output": "217 m"}, ""), number=2)
    refused = [BROKEN] if is_refused(parser, BROKEN) else []
    replies = map(WAYS[way], [*refused, written, answer])
    if "chunks" in way:  # a loop that shows what arrives
        prompts: list[Any] = []

        def model(prompt: Any) -> Any:
            prompts.append(prompt)
            return next(replies)

        output = run_agent(model, QUESTION, parser, tools).output
    else:
        output, prompts = loop(parser, tools, replies)
    assert output == "217 m", output
    assert text(prompts[-1]).count("Lake Thun is 217 m deep.") >= len(calls), prompts
    assert not refused or BROKEN.split("\n")[0] in text(prompts[1])
    turns = f"{len(calls)} call{'s' * (len(calls) > 1)}, answer"
    return f"error, {turns}" if refused else turns


@pytest.mark.parametrize(("at", "name"), [*enumerate(list_dialects())])
def test_every_dialect(at: int, name: str) -> None:
    first, *others = WAYS
    said = said_by(name, first)
    for way in others if THOROUGH else [others[at % len(others)]]:
        assert said_by(name, way) == said


def is_refused(parser: Any, reply: str) -> bool:
    try:
        parser.read(reply)
    except agent_parsers.OutputParserException:
        return True
    return False


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
    anthropic_reply(
        {"type": "text", "text": "I look it up."},
        {"type": "tool_use", "id": "t1", "name": "depth", "input": {"lake": "Lake Thun"}},
        reason="tool_use",
    ),
    anthropic_reply({"type": "text", "text": "217 m"}),
]
OURS = [
    AIMessage("", tool_calls=[{"name": "depth", "args": {"lake": "Lake Thun"}, "id": "1"}]),
    AIMessage("217 m"),
]


NATIVE = {"OpenAI": OPENAI, "Anthropic": ANTHROPIC, "ours": OURS}
"""Messages with calls, and an answer, by whose they are."""


@pytest.mark.parametrize("replies", NATIVE.values(), ids=NATIVE)
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


def table() -> Iterator[str]:
    """Yield the lines of a table of all that `said_by` and `test_messages` show."""
    yield f"| dialect | {' | '.join(WAYS)} |"
    yield f"|{'---|' * (len(WAYS) + 1)}"
    for name in list_dialects():
        yield f"| {name} | {' | '.join(said_by(name, way) for way in WAYS)} |"
    for replies in NATIVE.values():
        test_messages(replies, fails=True)
    told = ("error, calls, answer" if way in NATIVE else "" for way in WAYS)
    yield f"| messages with calls | {' | '.join(told)} |"


if __name__ == "__main__":
    for line in table():
        print(line, flush=True)
