r"""Runs recorded turn by turn, as in data sets: what the model wrote, and what followed.

::

    {"id": "r1", "format": "react", "task": "Which month has the most fog?", "steps": [
      {"output": "Thought: I look it up.\nAction: search\nAction Input: fog",
       "observation": "November"},
      {"output": "Final Answer: November."}]}

``format`` is the name of a dialect. Where it is ``openai_tools`` or ``openai_functions``, a step
has the ``message`` of the model instead of its output. The formats of SWE-agent are read too.
`agent_parsers.parse_record` reads one record in a dialect.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from functools import partial
from typing import Any, Final

from agent_parsers import OutputParserException, get_dialect
from agent_parsers.transcripts import parse_record
from agent_runs.readers.data.commands import COMMAND_FORMS, TOOL, command_in
from agent_runs.reading.building import RunBuilder
from agent_runs.reading.messages import evidence_of_each, message_of, read_each
from agent_runs.reading.parts import text_of
from agent_runs.reading.reader import DataReader, Reading, Runs

_WRITTEN: Final = ("output", "message")


def _is_record(value: Any) -> bool:
    steps = value.get("steps") if isinstance(value, dict) else None
    if not isinstance(steps, list) or not isinstance(value.get("format"), str):
        return False
    return all(isinstance(step, dict) and any(key in step for key in _WRITTEN) for step in steps)


def _runs_of(record: Mapping[str, Any], reading: Reading) -> Runs:
    run = RunBuilder(reading, name=text_of(record.get("id")))
    form = text_of(record.get("format"))
    steps = record.get("steps") or ()
    has_messages = any(isinstance(step, Mapping) and "message" in step for step in steps)
    if has_messages or (form in COMMAND_FORMS and reading.dialect is None):
        run.ask(text_of(record.get("task")))
        for step in record["steps"]:
            if has_messages:
                _add(run, step)
            else:
                _command(run, form, step)
        yield run.transcript()
        return
    read = parse_record(
        record, dialect=reading.dialect, lenient=reading.lenient, tools=reading.tools
    )
    run.ask(read.question)
    for step in read.all_steps:
        run.add(step)
    dialect = reading.dialect or get_dialect(record["format"])
    yield replace(run.transcript(), source=reading.in_dialect(dialect).source)


def _command(run: RunBuilder, form: str, step: Mapping[str, Any]) -> None:
    output = step["output"]
    try:
        thought, command = command_in(form, output)
    except OutputParserException as error:
        run.fail(error)
    else:
        run.think(thought)
        run.call(TOOL, command, log=output)
    if (seen := step.get("observation")) is not None:
        run.observe_last(text_of(seen))


def _add(run: RunBuilder, step: Mapping[str, Any]) -> None:
    said = message_of(step["message"], "assistant")
    run.think(said.thought)
    for error in said.unread:
        run.fail(error)
    if not said.calls:
        run.answer(said.text, log=said.text)
    else:
        run.say(said.text)
    for call in said.calls:
        if call.error is not None:
            run.fail(call.error, repairs=call.repairs)
        else:
            run.call(call.tool, call.tool_input, call_id=call.call_id, repairs=call.repairs)
    if (seen := step.get("observation")) is not None:
        run.observe_more(text_of(seen))


READER: Final = DataReader(
    name="records",
    summary="runs recorded turn by turn: the model's outputs or messages, and the observations",
    evidence=partial(
        evidence_of_each,
        is_one=_is_record,
        sign=lambda first: f"'format' {first['format']!r} and 'steps' in the first value",
    ),
    read=partial(read_each, runs_of=_runs_of),
)
