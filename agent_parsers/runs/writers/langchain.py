"""Runs as LangChain's messages, which need langchain-core.

The text of the model before its calls is their thought. A text input is the one argument
``__arg1``. A step that could not be read is left out.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any, Final

from agent_parsers.runs.writers.turns import answer_text, turns_of
from agent_parsers.runs.writers.writer import IN_MESSAGES, Writer

if TYPE_CHECKING:
    from agent_parsers.runs.reading.transcript import Transcript

__all__ = ["WRITER", "messages_of", "to_langchain"]


def to_langchain(run: Transcript) -> list[Any]:
    """Return *run* as LangChain's messages.

    Raises:
        ImportError: langchain-core is not installed.
    """
    theirs = import_module("langchain_core.messages")
    messages: list[Any] = theirs.messages_from_dict(messages_of(run))
    return messages


def messages_of(run: Transcript) -> list[dict[str, Any]]:
    """Return *run* as LangChain's ``messages_to_dict`` writes messages."""
    messages: list[dict[str, Any]] = []
    if run.preamble:
        messages.append(_message("system", run.preamble))
    if run.question:
        messages.append(_message("human", run.question))
    for turn in turns_of(run):
        if turn.finish is not None:
            messages.append(_message("ai", answer_text(turn.finish)))
        elif turn.calls:
            calls = [
                {"name": call.tool, "args": call.arguments, "id": call.call_id, "type": "tool_call"}
                for call in turn.calls
            ]
            messages.append(_message("ai", turn.thought, tool_calls=calls))
            messages += (
                _message("tool", call.observation, tool_call_id=call.call_id, name=call.tool)
                for call in turn.calls
                if call.observation is not None
            )
    return messages


def _message(kind: str, content: str, **fields: Any) -> dict[str, Any]:
    return {"type": kind, "data": {"type": kind, "content": content, **fields}}


WRITER: Final = Writer(
    name="langchain",
    summary="LangChain's messages, as messages_to_dict writes them",
    write=lambda run: {"messages": messages_of(run)},
    holds=IN_MESSAGES,
)
