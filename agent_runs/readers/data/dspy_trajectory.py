"""Predictions of DSPy's ReAct: a trajectory, and the fields of the answer beside it.

::

    {"trajectory": {"thought_0": "I look it up.", "tool_name_0": "search",
       "tool_args_0": {"query": "fog"}, "observation_0": "November",
       "thought_1": "I know it.", "tool_name_1": "finish", "tool_args_1": {},
       "observation_1": "Completed."},
     "reasoning": "…", "answer": "November."}

The question is not in a prediction; if it stands beside it, under a usual name, it is read.

Source: ``dspy/predict/react.py`` of DSPy 2.6 to 3.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial
from typing import Any, Final

from agent_runs.reading.building import RunBuilder
from agent_runs.reading.messages import evidence_of_each, read_each
from agent_runs.reading.parts import shown_result, text_of
from agent_runs.reading.reader import DataReader, Reading, Runs

_QUESTIONS: Final = ("question", "query", "input", "task", "user_request")
_BESIDE: Final = frozenset(("trajectory", "reasoning"))


def _trajectory(value: Any) -> Mapping[str, Any] | None:
    found = value.get("trajectory", value) if isinstance(value, dict) else None
    is_one = isinstance(found, dict) and "tool_name_0" in found and "tool_args_0" in found
    return found if is_one else None


def _runs_of(value: Any, reading: Reading) -> Runs:
    steps = _trajectory(value)
    if steps is None:
        raise ValueError("expected a DSPy trajectory, with the key 'tool_name_0'")
    run = RunBuilder(reading)
    fields = {} if steps is value else {key: value[key] for key in value if key not in _BESIDE}
    asked = [name for name in _QUESTIONS if isinstance(fields.get(name), str)]
    if asked and len(fields) > 1:
        run.ask(fields.pop(asked[0]))
    number = 0
    while (tool := steps.get(f"tool_name_{number}")) is not None:
        run.think(text_of(steps.get(f"thought_{number}")))
        if tool != "finish":
            run.call(text_of(tool), steps.get(f"tool_args_{number}"))
            if (key := f"observation_{number}") in steps:
                run.observe_last(shown_result(steps[key]))
        number += 1
    if fields:
        run.think(text_of(value.get("reasoning")))
        run.answer(next(iter(fields.values())) if len(fields) == 1 else fields)
    yield run.transcript()


READER: Final = DataReader(
    name="dspy_trajectory",
    summary="predictions of DSPy's ReAct, with their trajectories",
    evidence=partial(
        evidence_of_each,
        is_one=_trajectory,
        sign=lambda _: "'tool_name_0' and 'tool_args_0' in the first value",
    ),
    read=partial(read_each, runs_of=_runs_of),
)
