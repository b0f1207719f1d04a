"""Runs as messages of OpenAI's Chat Completions API, one object a line, as for fine-tuning.

::

    {"messages": [{"role": "user", "content": "Which month?"},
      {"role": "assistant", "content": "I look.", "tool_calls": [{"id": "call_1", …}]},
      {"role": "tool", "tool_call_id": "call_1", "content": "November"},
      {"role": "assistant", "content": "November."}]}

The text of the model before its calls is their thought. A text input is the one argument
``__arg1``, as in LangChain. A step that could not be read is left out.

Source: platform.openai.com/docs/api-reference/chat, and /docs/guides/fine-tuning.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from agent_parsers.runs.writers.turns import answer_text, as_json, turns_of
from agent_parsers.runs.writers.writer import IN_MESSAGES, Writer

if TYPE_CHECKING:
    from agent_parsers.runs.reading.transcript import Transcript
    from agent_parsers.runs.writers.turns import RunTurn

__all__ = ["WRITER", "to_openai"]


def to_openai(run: Transcript) -> list[dict[str, Any]]:
    """Return *run* as the messages of a chat."""
    messages: list[dict[str, Any]] = []
    if run.preamble:
        messages.append({"role": "system", "content": run.preamble})
    if run.question:
        messages.append({"role": "user", "content": run.question})
    for turn in turns_of(run):
        messages += _messages(turn)
    return messages


def _messages(turn: RunTurn) -> list[dict[str, Any]]:
    if turn.finish is not None:
        return [{"role": "assistant", "content": answer_text(turn.finish)}]
    if not turn.calls:
        return []
    calls = [
        {
            "id": call.call_id,
            "type": "function",
            "function": {"name": call.tool, "arguments": as_json(call.arguments)},
        }
        for call in turn.calls
    ]
    results = [
        {"role": "tool", "tool_call_id": call.call_id, "content": call.observation}
        for call in turn.calls
        if call.observation is not None
    ]
    return [{"role": "assistant", "content": turn.thought or None, "tool_calls": calls}, *results]


WRITER: Final = Writer(
    name="openai",
    summary="messages of OpenAI's Chat Completions API, as for fine-tuning",
    write=lambda run: {"messages": to_openai(run)},
    holds=IN_MESSAGES,
)
