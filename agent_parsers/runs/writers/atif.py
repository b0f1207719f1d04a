"""Runs as trajectories in ATIF 1.7, the form of Harbor.

::

    {"schema_version": "ATIF-v1.7", "agent": {"name": "agent", "version": "unknown"}, "steps": [
      {"step_id": 1, "source": "user", "message": "Which month?"},
      {"step_id": 2, "source": "agent", "message": "", "reasoning_content": "I look.",
       "tool_calls": [{"tool_call_id": "call_1", "function_name": "search",
                       "arguments": {"query": "fog"}}],
       "observation": {"results": [{"source_call_id": "call_1", "content": "November"}]}},
      {"step_id": 3, "source": "agent", "message": "November."}]}

Arguments must be an object, so a text input is written as ``{"input": …}``, and the call's
``extra`` says so. What ATIF has no field for stands in ``extra`` too: repairs, notices, why a step
could not be read, and an answer that is not text.

Source: harbor 0.25, harbor.models.trajectories (Apache-2.0).
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from agent_parsers.runs.writers.turns import answer_text, turns_of
from agent_parsers.runs.writers.writer import EVERYTHING, Writer

if TYPE_CHECKING:
    from agent_parsers.runs.reading.transcript import Transcript
    from agent_parsers.runs.writers.turns import RunCall, RunTurn

__all__ = ["WRITER", "to_atif"]


def to_atif(
    run: Transcript, *, agent: str = "agent", version: str = "unknown", model: str = ""
) -> dict[str, Any]:
    """Return *run* as a trajectory.

    Args:
        run: The run.
        agent: Name of the agent.
        version: Version of the agent; ATIF requires one.
        model: Name of the model, if it is known.

    Raises:
        ValueError: The run has neither a question nor a step, so that no trajectory can hold it.
    """
    steps: list[dict[str, Any]] = []
    if run.preamble:
        steps.append({"source": "system", "message": run.preamble})
    if run.question:
        steps.append({"source": "user", "message": run.question})
    steps += map(_step, turns_of(run))
    if not steps:
        raise ValueError("a trajectory of ATIF has at least one step, and this run has none")
    about: dict[str, Any] = {"name": agent, "version": version}
    if model:
        about["model_name"] = model
    written: dict[str, Any] = {
        "schema_version": "ATIF-v1.7",
        "agent": about,
        "steps": [{"step_id": number, **step} for number, step in enumerate(steps, 1)],
    }
    if run.id:
        written["session_id"] = run.id
    if extra := _extra(run):
        written["extra"] = extra
    return written


def _step(turn: RunTurn) -> dict[str, Any]:
    step: dict[str, Any] = {"source": "agent", "message": ""}
    if turn.thought:
        step["reasoning_content"] = turn.thought
    if turn.calls:
        results = [_result(call) for call in turn.calls if call.observation is not None]
        step["tool_calls"] = [_call(call) for call in turn.calls]
        if results:
            step["observation"] = {"results": results}
    elif turn.finish is not None:
        step["message"] = answer_text(turn.finish)
        output = turn.finish.return_values.get("output")
        if not isinstance(output, str):
            step["extra"] = {"output": output}
    elif turn.error is not None:
        step["message"] = turn.error.llm_output or ""
        step["extra"] = {"parse_error": turn.error.reason}
        if turn.observation is not None:
            step["observation"] = {"results": [{"content": turn.observation}]}
    return step


def _call(call: RunCall) -> dict[str, Any]:
    written = {"tool_call_id": call.call_id, "function_name": call.tool}
    if isinstance(call.tool_input, dict):
        return {**written, "arguments": call.tool_input}
    return {**written, "arguments": {"input": call.tool_input}, "extra": {"input": "text"}}


def _result(call: RunCall) -> dict[str, Any]:
    return {"source_call_id": call.call_id, "content": call.observation}


def _extra(run: Transcript) -> dict[str, Any]:
    repairs = [
        {"step": step.number, "kind": repair.kind, "message": repair.message}
        for step in run.all_steps
        for repair in step.repairs
    ]
    notices = [
        {"kind": notice.kind, "step": notice.step, "message": notice.message, "text": notice.text}
        for notice in run.notices
    ]
    found = {"repairs": repairs, "notices": notices}
    return {name: value for name, value in found.items() if value}


WRITER: Final = Writer(
    name="atif",
    summary="trajectories of Harbor, ATIF 1.7",
    write=to_atif,
    is_one_a_file=True,
    holds=EVERYTHING,
)
