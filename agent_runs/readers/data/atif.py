"""Trajectories in ATIF, the agent trajectory interchange format.

::

    {"schema_version": "ATIF-v1.7", "session_id": "s1", "agent": {"name": "planner", …}, "steps": [
      {"step_id": 1, "source": "user", "message": "Which month has the most fog?"},
      {"step_id": 2, "source": "agent", "message": "", "reasoning_content": "I look it up.",
       "tool_calls": [{"tool_call_id": "c1", "function_name": "search", "arguments": {…}}],
       "observation": {"results": [{"source_call_id": "c1", "content": "November"}]}},
      {"step_id": 3, "source": "agent", "message": "November."}]}

The trajectories of subagents are runs of their own, after that of the agent.

Source: the models of Harbor 0.25 (``harbor/models/trajectories``), versions 1.0 to 1.8.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from functools import partial
from typing import Any, Final

from agent_runs.reading.messages import evidence_of_each, read_each
from agent_runs.reading.parts import call_of, content_of, result_of, text_of
from agent_runs.reading.reader import DataReader, Reading, Runs
from agent_runs.reading.said import Said, SaidCall, SaidResult, runs_of_messages
from agent_runs.tables.part import at

_VERSION: Final = "ATIF-v1."
_ROLES: Final = {"system": "system", "user": "user", "agent": "assistant"}


def _is_trajectory(value: Any) -> bool:
    return (
        isinstance(value, dict)
        and str(value.get("schema_version")).startswith(_VERSION)
        and isinstance(value.get("steps"), list)
    )


def _runs_of(trajectory: Mapping[str, Any], reading: Reading) -> Runs:
    name = trajectory.get("trajectory_id") or trajectory.get("session_id") or ""
    yield from runs_of_messages(
        _said_in(trajectory["steps"]), reading, name=name, is_conversation=True,
        about=at(trajectory, "extra.metadata"),
    )  # fmt: skip
    for inner in trajectory.get("subagent_trajectories") or ():
        yield from _runs_of(inner, reading)


def _said_in(steps: Iterable[Mapping[str, Any]]) -> Iterator[Said]:
    for step in steps:
        calls = step.get("tool_calls") or ()
        failed = {call.get("tool_call_id") for call in calls if at(call, "extra.failed") is True}
        found = content_of(step.get("message"))
        role = _ROLES[step["source"]]
        yield Said(
            role,  # type: ignore[arg-type]
            ("" if role == "assistant" else "\n").join(found.texts),
            text_of(step.get("reasoning_content")),
            [*map(_call, calls)],
            left_out=found.left_out,
        )
        results = (step.get("observation") or {}).get("results") or ()
        if results:
            yield Said("tool", results=[*_results(results, failed)])


def _call(call: Mapping[str, Any]) -> SaidCall:
    """Return a *call*; our writer says in its ``extra`` that the input was text."""
    made = call_of(call)
    is_text = (call.get("extra") or {}).get("input") == "text"
    return made._replace(tool_input=made.tool_input["input"]) if is_text else made


def _results(results: Iterable[Mapping[str, Any]], failed: set[Any]) -> Iterator[SaidResult]:
    for result in results:
        content = result.get("content")
        if content is not None:
            call_id = result.get("source_call_id")
            yield result_of(content, call_id, failed=call_id in failed)


READER: Final = DataReader(
    name="atif",
    summary="trajectories in ATIF, the Agent Trajectory Interchange Format",
    evidence=partial(
        evidence_of_each,
        is_one=_is_trajectory,
        sign=lambda first: f"'schema_version' {first['schema_version']!r}",
    ),
    read=partial(read_each, runs_of=_runs_of),
)
