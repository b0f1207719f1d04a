r"""Trajectories of SWE-agent (``.traj``): the commands that ran, and what each printed.

::

    {"trajectory": [{"thought": "I look for the file.", "action": "find_file x.py",
       "response": "I look for the file.\n\n```\nfind_file x.py\n```",
       "observation": "Found 1 match"}, …],
     "history": [{"role": "user", "content": "We have this issue: …"}, …],
     "info": {"exit_status": "submitted", "submission": "diff --git …"}}

The commands are calls of ``bash``. Demonstrations have the ``history`` alone; there each message of
the assistant has its ``thought`` and its ``action``, and the next message is what the command
printed, in the words of a template.

Source: ``sweagent/types.py`` and ``agent/agents.py`` of SWE-agent 0.5 to 1.1.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from functools import partial
from itertools import zip_longest
from typing import Any, Final

from agent_parsers import OutputParserException
from agent_runs.readers.data.commands import TOOL
from agent_runs.reading.building import RunBuilder
from agent_runs.reading.messages import evidence_of_each, read_each
from agent_runs.reading.parts import text_of
from agent_runs.reading.reader import DataReader, Reading, Runs

_LABEL: Final = "OBSERVATION:\n"
_OF_MESSAGES: Final = frozenset(("agent", "content", "role"))


def _is_trajectory(value: Any) -> bool:
    if not isinstance(value, dict):
        return False
    if "trajectory" not in value:
        return _has_steps(value.get("history"))
    steps = value["trajectory"]
    return isinstance(steps, list) and all(
        isinstance(step, dict) and {"action", "observation"} <= step.keys() for step in steps
    )


def _has_steps(history: Any) -> bool:
    """Return whether a *history* has messages of SWE-agent, and one of them an action."""
    return (
        isinstance(history, list)
        and all(isinstance(each, dict) and each.keys() >= _OF_MESSAGES for each in history)
        and any("action" in each and not each.get("is_demo") for each in history)
    )


def _steps_in(history: Sequence[Mapping[str, Any]]) -> Iterator[dict[str, Any]]:
    """Yield the steps that a *history* tells of, as a trajectory has them."""
    own = [message for message in history if not message.get("is_demo")]
    for message, following in zip_longest(own, own[1:]):
        if message["role"] == "assistant":
            is_seen = following is not None and following["role"] in ("user", "tool")
            seen = text_of(following["content"]).removeprefix(_LABEL) if is_seen else None
            yield {**message, "response": message["content"], "observation": seen}


def _runs_of(record: Mapping[str, Any], reading: Reading) -> Runs:
    run = RunBuilder(reading, name=text_of(record.get("environment")))
    for message in record.get("history") or ():
        if not message.get("is_demo"):
            if message["role"] == "system":
                run.introduce(text_of(message.get("content")))
            elif message["role"] == "user":
                run.ask(text_of(message.get("content")))
                break
    steps = record["trajectory"] if "trajectory" in record else _steps_in(record["history"])
    for step in steps:
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
    yield run.transcript()


READER: Final = DataReader(
    name="swe_agent",
    summary="trajectories of SWE-agent",
    evidence=partial(
        evidence_of_each,
        is_one=_is_trajectory,
        sign=lambda first: (
            "'action' and 'observation' in a 'trajectory'"
            if "trajectory" in first
            else "'agent' and 'action' in a 'history'"
        ),
    ),
    read=partial(read_each, runs_of=_runs_of),
)
