r"""Runs in ShareGPT's form with tools, as LLaMA-Factory trains on them.

::

    {"conversations": [{"from": "human", "value": "Which month?"},
      {"from": "function_call", "value": "{\"name\": \"search\", \"arguments\": {…}}"},
      {"from": "observation", "value": "November"},
      {"from": "gpt", "value": "November."}]}

The form has no place for a thought beside a call, and none for two calls in a row, which become two
turns. A text input is the one argument ``__arg1``, as in LangChain. A step that could not be read
is left out; a result that the log lacks becomes an empty observation, since the roles alternate.

Source: hiyouga/LLaMA-Factory: data/README.md.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from agent_parsers.runs.writers.turns import answer_text, as_json, turns_of
from agent_parsers.runs.writers.writer import Writer

if TYPE_CHECKING:
    from agent_parsers.runs.reading.transcript import Transcript

__all__ = ["WRITER", "to_sharegpt"]


def to_sharegpt(run: Transcript) -> dict[str, Any]:
    """Return *run* as a conversation, whose roles alternate."""
    said = [("human", run.question)]
    for turn in turns_of(run):
        for call in turn.calls:
            written = as_json({"name": call.tool, "arguments": call.arguments})
            said += (("function_call", written), ("observation", call.observation or ""))
        if turn.finish is not None:
            said.append(("gpt", answer_text(turn.finish)))
    conversation = [{"from": role, "value": value} for role, value in said]
    system = {"system": run.preamble} if run.preamble else {}
    return {"conversations": conversation, **system}


WRITER: Final = Writer(
    name="sharegpt",
    summary="ShareGPT's conversations with function calls, as LLaMA-Factory takes them",
    write=to_sharegpt,
    holds=frozenset({"preamble", "text inputs"}),
)
