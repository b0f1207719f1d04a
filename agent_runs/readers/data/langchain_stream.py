"""Events of LangChain's ``astream_events``, one a line, as ``load.dumps`` writes them.

::

    {"event": "on_chain_start", "data": {"input": {"messages": [["user", "Which month?"]]}},
     "run_id": "r1", "parent_ids": []}
    {"event": "on_chat_model_end", "data": {"output": {"lc": 1, …}}, "parent_ids": ["r1", …], …}
    {"event": "on_tool_end", "data": {"output": {"lc": 1, …}}, "parent_ids": ["r1", …], …}

The question is that of the event that begins a run, the outputs those of models and tools below it.

Source: ``langchain_core/tracers/event_stream.py``, version 2 of the events.
"""

from __future__ import annotations

from functools import partial
from typing import Any, Final

from agent_runs.readers.data.langchain_messages import FORM, is_message
from agent_runs.reading.messages import evidence_of_each, said_or_refused
from agent_runs.reading.reader import DataReader, Reading, Runs, Value, Values
from agent_runs.reading.said import Said, runs_of_messages
from agent_runs.tables.part import at

_ENDS: Final = ("on_chat_model_end", "on_tool_end")


def _is_event(value: Any) -> bool:
    return str(at(value, "event")).startswith("on_") and "parent_ids" in value and "data" in value


def _messages_in(event: Any) -> list[Any]:
    """Return the messages that an *event* adds to its run."""
    if event["event"] == "on_chain_start" and not event["parent_ids"]:
        asked = at(event, "data.input.messages|data.input.input|data.input")
        return asked if isinstance(asked, list) else [("user", asked)]
    output = at(event, "data.output")
    if event["event"] == "on_tool_end" and isinstance(output, str):
        return [{"type": "tool", "content": output, "name": event.get("name")}]
    return [output] if event["event"] in _ENDS else []


def _said(message: Any) -> Said | None:
    if not is_message(message):
        raise ValueError("expected a LangChain message")
    return FORM.said(message)


def _read(values: Values, reading: Reading) -> Runs:
    runs: dict[str, list[Said]] = {}
    for value in values:
        if not _is_event(value.data):
            reading.refuse_value(value, "expected an event of astream_events")
            continue
        name = str((value.data["parent_ids"] or [value.data.get("run_id")])[0])
        said = runs.setdefault(name, [])
        for message in _messages_in(value.data):
            found = said_or_refused(Value(message, value.line), reading, _said)
            said += [found] if found is not None else ()
        if value.data["event"] == "on_chain_end" and not value.data["parent_ids"]:
            yield from runs_of_messages(runs.pop(name), reading.at(value.line), name=name)
    for name, said in runs.items():
        yield from runs_of_messages(said, reading, name=name)


READER: Final = DataReader(
    name="langchain_stream",
    summary="events of LangChain's astream_events, one per line",
    evidence=partial(
        evidence_of_each,
        is_one=_is_event,
        sign=lambda _: "the keys 'event' and 'parent_ids' in the first value",
    ),
    read=_read,
    before=("json_lines",),
)
