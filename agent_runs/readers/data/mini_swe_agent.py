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
are then in the fence of the message.

Source: ``minisweagent/agents/default.py`` of mini-swe-agent 1 and 2.
"""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial
from typing import TYPE_CHECKING, Any, Final

from agent_parsers import OutputParserException
from agent_runs.readers.data.commands import TOOL, command_in
from agent_runs.reading.building import RunBuilder
from agent_runs.reading.messages import evidence_of_each, read_each
from agent_runs.reading.parts import text_of
from agent_runs.reading.reader import DataReader, Reading

if TYPE_CHECKING:
    from agent_parsers.transcripts import Transcript

_LABEL: Final = "THOUGHT:"
_DONE: Final = "Submitted"


def _is_trajectory(value: Any) -> bool:
    return (
        isinstance(value, dict)
        and str(value.get("trajectory_format")).startswith("mini-swe-agent")
        and isinstance(value.get("messages"), list)
    )


def _runs_of(record: Mapping[str, Any], reading: Reading) -> list[Transcript]:
    if not _is_trajectory(record):
        raise ValueError("expected 'trajectory_format' and 'messages'")
    run = RunBuilder(reading, name=str(record.get("instance_id") or ""))
    info = record.get("info") or {}
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
        run.notice("unowned_text", f"the run ended: {info.get('exit_status')}", text=text)
    return [run.transcript()]


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
        run.notice("unowned_text", "found text that answers no command", text=text)
    else:
        run.ask(text)


def _act(run: RunBuilder, message: Mapping[str, Any], text: str) -> None:
    actions = (message.get("extra") or {}).get("actions")
    error = OutputParserException("expected one command", llm_output=text)
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


READER: Final = DataReader(
    name="mini_swe_agent",
    summary="trajectories of mini-swe-agent",
    evidence=partial(
        evidence_of_each,
        is_one=_is_trajectory,
        sign=lambda first: f"'trajectory_format' {first['trajectory_format']!r}",
    ),
    read=partial(read_each, runs_of=_runs_of),
    before=("openai_chat",),
)
