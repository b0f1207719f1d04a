"""The law of `agent-parsers serve`: every client is told what the parser of the dialect reads."""

import asyncio
import json
from typing import Any, NamedTuple

import pytest

from agent_laws.trials.sample_calls import sample_turns
from agent_parsers import AgentFinish, OutputParserException, get_dialect, get_parser, list_dialects

from ...helpers.text_upstream import Written
from .served import ASKED, clients, reply_of

QUESTION = ASKED["messages"][0]["content"]


class Told(NamedTuple):
    """What a client was told."""

    thought: str
    content: str
    calls: list[tuple[str, Any]]
    end: str


async def told_by_chat(client: Any, tools: Any, *, stream: bool) -> Told:
    asked = {**ASKED, "tools": tools}
    reply = await reply_of(client.chat.completions, stream=stream, **asked)
    (choice,) = reply.choices
    said = choice.message
    calls = [(c.function.name, json.loads(c.function.arguments)) for c in said.tool_calls or ()]
    thought = getattr(said, "reasoning_content", None) or ""
    return Told(thought, said.content or "", calls, choice.finish_reason)


async def told_by_responses(client: Any, tools: Any, *, stream: bool) -> Told:
    flat = [{"type": "function", "strict": False, **tool["function"]} for tool in tools]
    asked: Any = {"model": "m", "input": QUESTION, "tools": flat}
    reply = await reply_of(client.responses, stream=stream, **asked)
    items = reply.output
    calls = [(i.name, json.loads(i.arguments)) for i in items if i.type == "function_call"]
    thought = "".join(
        part.text
        for i in items
        if i.type == "reasoning"
        for part in (*(i.content or ()), *i.summary)
    )
    assert reply.status == "completed"
    return Told(thought, reply.output_text, calls, "tool_calls" if calls else "stop")


async def told_by_messages(client: Any, tools: Any, *, stream: bool) -> Told:
    flat = [
        {
            "name": tool["function"]["name"],
            "input_schema": tool["function"].get("parameters", {"type": "object"}),
        }
        for tool in tools
    ]
    messages = [{"role": "user", "content": QUESTION}]
    asked: Any = {"model": "m", "max_tokens": 999, "messages": messages, "tools": flat}
    reply = await reply_of(client.messages, stream=stream, **asked)
    blocks = reply.content
    calls = [(block.name, block.input) for block in blocks if block.type == "tool_use"]
    thought = "".join(block.thinking for block in blocks if block.type == "thinking")
    content = "".join(block.text for block in blocks if block.type == "text")
    end = {"tool_use": "tool_calls", "end_turn": "stop"}[reply.stop_reason]
    return Told(thought, content, calls, end)


@pytest.mark.one_in(20)
@pytest.mark.parametrize("name", list_dialects())
def test_every_client_is_told_what_is_read(name: str) -> None:
    written, tried = Written(""), 0

    async def run() -> None:
        nonlocal tried
        upstream = clients(lambda _: written, dialect=name, prompt=None, retries=0)
        async with upstream as (ours, theirs, _):
            for sample in sample_turns(get_dialect(name)):
                free: Any = get_parser(name).read(sample.text, ended="stop")
                result = free.result
                actions = result if isinstance(result, list) else [result]
                names = [] if isinstance(result, AgentFinish) else [a.tool for a in actions]
                tools: Any = [
                    {"type": "function", "function": {
                        "name": each, "parameters": {"type": "object", "properties": {}}}}
                    for each in dict.fromkeys(names or ["other"])
                ]  # fmt: skip
                try:
                    turn: Any = get_parser(name, tools=tools).read(sample.text, ended="stop")
                except OutputParserException:  # the sample has arguments that are no object
                    continue
                tried += 1
                result = turn.result
                if isinstance(result, AgentFinish):
                    expected = Told(turn.thought, result.output, [], "stop")
                else:
                    actions = result if isinstance(result, list) else [result]
                    calls = [
                        (a.tool, a.tool_input if isinstance(a.tool_input, dict) else {
                            "__arg1": a.tool_input})
                        for a in actions
                    ]  # fmt: skip
                    expected = Told(turn.thought, turn.content, calls, "tool_calls")
                for piece in (4, 10_000):
                    written.text, written.piece = sample.text, piece
                    for stream in (False, True):
                        for told, client in (
                            (told_by_chat, ours),
                            (told_by_responses, ours),
                            (told_by_messages, theirs),
                        ):
                            assert await told(client, tools, stream=stream) == expected

    asyncio.run(run())
    assert tried
