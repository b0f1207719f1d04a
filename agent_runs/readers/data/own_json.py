"""Runs in the JSON form of this library, as ``to_json`` and the command line write them.

::

    {"version": 1, "type": "Transcript", "question": "How large is it?", "steps": [{
       "type": "TranscriptStep", "number": 1, "action": {"type": "AgentAction", …}, …}], …}

Source: docs/json.md
"""

from __future__ import annotations

from dataclasses import replace
from functools import partial
from typing import Any, Final

from agent_parsers.json_form import from_json
from agent_runs.reading.messages import evidence_of_each, read_each
from agent_runs.reading.reader import DataReader, Reading, Runs

_BESIDE: Final = frozenset(("file", "record", "dialect"))
"""What the command line adds."""


def _is_run(value: Any) -> bool:
    is_typed = isinstance(value, dict) and value.get("type") in ("AgentRun", "Transcript")
    return is_typed and isinstance(value.get("version"), int)


def _runs_of(value: Any, reading: Reading) -> Runs:
    run = from_json({name: part for name, part in value.items() if name not in _BESIDE})
    found = run if value["type"] == "Transcript" else run.transcript
    source = reading.source
    if found.source is not None:
        source = replace(source, dialect=found.source.dialect)
    yield replace(found, source=source)


READER: Final = DataReader(
    name="own_json",
    summary="runs as JSON from this library: `to_json`, or `parse` on the command line",
    evidence=partial(
        evidence_of_each,
        is_one=_is_run,
        sign=lambda value: f"'version' and 'type': {value['type']!r} in the first value",
    ),
    read=partial(read_each, runs_of=_runs_of),
    before=("langchain_messages", "langchain_steps"),
)
