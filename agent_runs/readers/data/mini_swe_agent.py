r"""Trajectories of mini-swe-agent: messages with the commands that ran, and how the run ended.

::

    {"info": {"exit_status": "Submitted", "submission": "4 lines", …}, "messages": [
      {"role": "system", "content": "…"}, {"role": "user", "content": "Count the lines."},
      {"role": "assistant", "content": "THOUGHT: I look.\n\n```mswea_bash_command\nls\n```",
       "extra": {"actions": [{"command": "ls"}]}},
      {"role": "user", "content": "<returncode>0</returncode>\n<output>\n…\n</output>"},
      {"role": "exit", "content": "4 lines", …}], "trajectory_format": "mini-swe-agent-1.1"}

The commands are calls of ``bash``, whether the model wrote them in a fence or as calls of tools.
What the user says after them is their result. Trajectories of version 1 name no commands; those
are then in the fence of the message. The first ones are the list of messages alone; there, what
follows the command with ``COMPLETE_TASK_AND_SUBMIT_FINAL_OUTPUT`` is the answer.

Source: ``minisweagent/agents/default.py`` of mini-swe-agent 1 and 2.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from itertools import pairwise
from typing import Any, Final

from agent_parsers import OutputParserException
from agent_runs.readers.data.commands import TOOL, command_in
from agent_runs.reading.building import RunBuilder
from agent_runs.reading.messages import evidence_of_each, read_each
from agent_runs.reading.parts import text_of
from agent_runs.reading.reader import HEAD_VALUES, DataReader, Reading, Runs, Values

_LABEL: Final = "THOUGHT:"
_DONE: Final = "Submitted"
_SUBMITS: Final = "COMPLETE_TASK_AND_SUBMIT_FINAL_OUTPUT"
_RETURNED: Final = "<returncode>"
_has_fence: Final = re.compile(r"^```(?:mswea_bash_command|bash)\n", re.MULTILINE).search


def _is_trajectory(value: Any) -> bool:
    return (
        isinstance(value, dict)
        and str(value.get("trajectory_format")).startswith("mini-swe-agent")
        and isinstance(value.get("messages"), list)
    )


def _is_bare(values: Sequence[Any]) -> bool:
    """Return whether *values* begin with the messages of a trajectory, and none is a record."""
    messages = [each for each in values if isinstance(each, Mapping) and "role" in each]
    return len(messages) == len(values) and any(
        said["role"] == "assistant"
        and seen["role"] == "user"
        and _has_fence(text_of(said.get("content")))
        and text_of(seen.get("content")).startswith(_RETURNED)
        for said, seen in pairwise(messages)
    )


def _runs_of(record: Mapping[str, Any], reading: Reading) -> Runs:
    if not _is_trajectory(record):
        raise ValueError("expected an object with 'trajectory_format' and 'messages'")
    run = RunBuilder(reading, name=str(record.get("instance_id") or ""))
    info = record.get("info") or _info_of(record["messages"])
    submission = info.get("submission")
    is_done = info.get("exit_status") == _DONE and submission is not None
    *messages, last = record["messages"]
    is_exit = last["role"] == "exit" or (
        is_done and last["role"] == "user" and text_of(last.get("content")) == submission
    )
    for message in messages if is_exit else record["messages"]:
        _take(run, message)
    if is_done:
        run.answer(submission)
    elif is_exit and (text := text_of(last.get("content"))):
        run.notice(
            "unowned_text", f"the run ended with the status {info.get('exit_status')}", text=text
        )
    yield run.transcript()


def _info_of(messages: Sequence[Mapping[str, Any]]) -> dict[str, Any]:
    """Return how a run without such a record ended, if it did."""
    if len(messages) < 2 or messages[-1]["role"] != "user":
        return {}
    if _SUBMITS not in text_of(messages[-2].get("content")):
        return {}
    return {"exit_status": _DONE, "submission": text_of(messages[-1].get("content"))}


def _take(run: RunBuilder, message: Mapping[str, Any]) -> None:
    role, text = message["role"], text_of(message.get("content"))
    if role == "system":
        run.introduce(text)
    elif role == "assistant":
        _act(run, message, text)
    elif run.is_waiting:
        call_id = message.get("tool_call_id") or ""
        run.observe(text, call_id=call_id, tool=TOOL)
    elif run.is_begun:
        run.notice("unowned_text", "found text that is not the output of a command", text=text)
    else:
        run.ask(text)


def _act(run: RunBuilder, message: Mapping[str, Any], text: str) -> None:
    actions = (message.get("extra") or {}).get("actions")
    error = OutputParserException("expected exactly one command", llm_output=text)
    thought = text
    try:
        thought, command = command_in("mini_swe_agent", text)
        actions = [{"command": command}] if actions is None else actions
    except OutputParserException as refused:
        error = refused
    run.think(thought.removeprefix(_LABEL))
    if not actions:
        run.fail(error)
    for action in actions or ():
        call_id = action.get("tool_call_id") or ""
        run.call(TOOL, {"command": text_of(action["command"])}, call_id=call_id, log=text)


def _evidence(values: Sequence[Any]) -> Sequence[str]:
    if _is_bare(values):
        return (f"a fence with a command, and {_RETURNED!r} after it",)
    return evidence_of_each(
        values, _is_trajectory, lambda first: f"'trajectory_format' {first['trajectory_format']!r}"
    )


def _read(values: Values, reading: Reading) -> Runs:
    if _is_bare(values.head(HEAD_VALUES)):
        first = next(values)
        record: dict[str, Any] = {"trajectory_format": "mini-swe-agent-1", "messages": [first.data]}
        record["messages"] += [each.data for each in values]
        values = Values([first._replace(data=record)])
    yield from read_each(values, reading, _runs_of)


READER: Final = DataReader(
    name="mini_swe_agent",
    summary="trajectories of mini-swe-agent",
    evidence=_evidence,
    read=_read,
    before=("openai_chat",),
)
