r"""Trajectories of SWE-agent (``.traj``): the commands that ran, and what each printed.

::

    {"trajectory": [{"thought": "I look for the file.", "action": "find_file x.py",
       "response": "I look for the file.\n\n```\nfind_file x.py\n```",
       "observation": "Found 1 match"}, …],
     "history": [{"role": "user", "content": "We have this issue: …"}, …],
     "info": {"exit_status": "submitted", "submission": "diff --git …"}}

The commands are calls of ``bash``.

Source: ``sweagent/types.py`` and ``agent/agents.py`` of SWE-agent 0.5 to 1.1.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial
from typing import TYPE_CHECKING, Any, Final

from agent_parsers import OutputParserException
from agent_runs.readers.data.commands import TOOL
from agent_runs.reading.building import RunBuilder
from agent_runs.reading.messages import evidence_of_each, read_each
from agent_runs.reading.parts import text_of
from agent_runs.reading.reader import DataReader, Reading

if TYPE_CHECKING:
    from agent_parsers.transcripts import Transcript


def _is_trajectory(value: Any) -> bool:
    steps = value.get("trajectory") if isinstance(value, dict) else None
    return isinstance(steps, list) and all(
        isinstance(step, dict) and {"action", "observation"} <= step.keys() for step in steps
    )


def _runs_of(record: Mapping[str, Any], reading: Reading) -> list[Transcript]:
    run = RunBuilder(reading, name=text_of(record.get("environment")))
    for message in record.get("history") or ():
        if not message.get("is_demo"):
            if message["role"] == "system":
                run.introduce(text_of(message.get("content")))
            elif message["role"] == "user":
                run.ask(text_of(message.get("content")))
                break
    for step in record["trajectory"]:
        action, response = text_of(step["action"]).strip(), text_of(step.get("response"))
        run.think(text_of(step.get("thought")))
        if action:
            run.call(TOOL, {"command": action}, log=response)
        else:
            reason = "expected a command"
            run.fail(OutputParserException(reason, observation=reason, llm_output=response))
        if step["observation"] is not None:
            run.observe_last(text_of(step["observation"]))
    info = record.get("info") or {}
    submission = info.get("submission")
    if submission and str(info.get("exit_status")).startswith("submitted"):
        run.answer(submission)
    return [run.transcript()]


READER: Final = DataReader(
    name="swe_agent",
    summary="trajectories of SWE-agent",
    evidence=partial(
        evidence_of_each,
        is_one=_is_trajectory,
        sign=lambda _: "'action' and 'observation' in a 'trajectory'",
    ),
    read=partial(read_each, runs_of=_runs_of),
)
