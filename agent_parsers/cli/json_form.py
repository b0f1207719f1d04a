"""Writing a run as JSON; `JSON_SHAPE` documents the shape for users."""

from __future__ import annotations

import json
import re
from typing import TYPE_CHECKING, Any, Final

from agent_parsers import AgentAction, AgentFinish

if TYPE_CHECKING:
    from agent_parsers.cli.runs import Placed, Run

__all__ = ["JSON_SHAPE", "as_json", "dumps"]

JSON_SHAPE: Final = """\
file, record (number of the run or record in the file), id, dialect,
preamble, question,
steps: step (number), thought, tool, tool_input, output, observation,
       spans (of thought, action and observation)
finish: step, output; or null
failed: step, text (what the model wrote), observation, spans,
        error (reason, line, column, span, observation for the model)
repairs: step (0: before the first), kind, span, message"""
"""The keys of a run, in order."""

# JSON allows these characters. But a terminal obeys U+009B and changes of direction, some readers
# treat U+0085 and U+2028 as the end of a line, and a lone surrogate cannot be encoded at all.
_UNSAFE: Final = re.compile("[\x7f-\x9f\u2028-\u202e\u2066-\u2069\ud800-\udfff]")


def as_json(run: Run) -> str:
    """Return *run* as one line of JSON that is safe to encode as UTF-8 and to show anywhere."""
    return dumps(_run(run))


def dumps(value: Any) -> str:
    """Return *value* as one line of JSON that is safe to encode as UTF-8 and to show anywhere."""
    text = json.dumps(value, ensure_ascii=False)
    return _UNSAFE.sub(lambda char: f"\\u{ord(char[0]):04x}", text)


def _run(run: Run) -> dict[str, Any]:
    answer = run.answer
    return {
        "file": run.file,
        "record": run.number,
        "id": run.transcript.id,
        "dialect": run.dialect,
        "preamble": run.transcript.preamble,
        "question": run.transcript.question,
        "steps": [_step(step) for step in run.steps if step.step.error is None],
        "finish": None
        if answer is None
        else {"step": answer.step.number, "output": _output(answer)},
        "failed": [_failed(step) for step in run.steps if step.step.error is not None],
        "repairs": [
            {"step": number, "kind": repair.kind, "span": repair.span, "message": repair.message}
            for number, repair in run.repairs
        ],
    }


def _step(placed: Placed) -> dict[str, Any]:
    """Return a step with an action, which has no output, or an answer, which has no tool."""
    step = placed.step
    action = step.action if isinstance(step.action, AgentAction) else None
    return {
        "step": placed.step.number,
        "thought": step.thought,
        "tool": action and action.tool,
        "tool_input": action and action.tool_input,
        "output": _output(placed),
        "observation": step.observation,
        "spans": _spans(placed),
    }


def _failed(placed: Placed) -> dict[str, Any]:
    step = placed.step
    assert step.error is not None, "a step that failed has an error"
    line, column = placed.place or (None, None)
    return {
        "step": placed.step.number,
        "text": step.error.llm_output,
        "observation": step.observation,
        "spans": _spans(placed),
        "error": {
            "reason": step.error.reason,
            "line": line,
            "column": column,
            "span": step.action_span,
            "observation": step.error.observation,
        },
    }


def _spans(placed: Placed) -> dict[str, Any]:
    step = placed.step
    return {
        "thought": step.thought_span,
        "action": step.action_span,
        "observation": step.observation_span,
    }


def _output(placed: Placed) -> Any:
    action = placed.step.action
    return action.return_values.get("output") if isinstance(action, AgentFinish) else None
