"""Runs as messages of Anthropic's Messages API.

::

    {"messages": [{"role": "user", "content": "Which month?"},
      {"role": "assistant", "content": [{"type": "text", "text": "I look."},
        {"type": "tool_use", "id": "call_1", "name": "search", "input": {"query": "fog"}}]},
      {"role": "user", "content": [
        {"type": "tool_result", "tool_use_id": "call_1", "content": "November"}]},
      {"role": "assistant", "content": "November."}]}

The text of the model before its calls is their thought. A text input is the one argument
``__arg1``, as in LangChain. A step that could not be read is left out.

Source: docs.anthropic.com/en/api/messages.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from agent_parsers.runs.writers.turns import answer_text, turns_of
from agent_parsers.runs.writers.writer import IN_MESSAGES, Writer

if TYPE_CHECKING:
    from agent_parsers.runs.reading.transcript import Transcript
    from agent_parsers.runs.writers.turns import RunTurn

__all__ = ["WRITER", "to_anthropic"]


def to_anthropic(run: Transcript) -> dict[str, Any]:
    """Return *run* as the body of a request, with its ``messages`` and perhaps a ``system``."""
    messages: list[dict[str, Any]] = []
    if run.question:
        messages.append({"role": "user", "content": run.question})
    for turn in turns_of(run):
        messages += _messages(turn)
    return (
        {"system": run.preamble, "messages": messages} if run.preamble else {"messages": messages}
    )


def _messages(turn: RunTurn) -> list[dict[str, Any]]:
    if turn.finish is not None:
        return [{"role": "assistant", "content": answer_text(turn.finish)}]
    if not turn.calls:
        return []
    said: list[dict[str, Any]] = []
    if turn.thought.strip():  # the API refuses blank text
        said.append({"type": "text", "text": turn.thought})
    for call in turn.calls:
        use = {"id": call.call_id, "name": call.tool, "input": call.arguments}
        said.append({"type": "tool_use", **use})
    results = [
        {"type": "tool_result", "tool_use_id": call.call_id, "content": call.observation}
        for call in turn.calls
        if call.observation is not None
    ]
    seen = [{"role": "user", "content": results}] if results else []
    return [{"role": "assistant", "content": said}, *seen]


WRITER: Final = Writer(
    name="anthropic",
    summary="messages of Anthropic's Messages API",
    write=to_anthropic,
    holds=IN_MESSAGES,
)
