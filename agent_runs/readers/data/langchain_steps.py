r"""Results of LangChain's ``AgentExecutor`` with ``return_intermediate_steps=True``.

::

    {"input": "Which month has the most fog?", "output": "November.", "intermediate_steps": [
      [{"tool": "search", "tool_input": "fog", "log": "I look it up.\nAction: search\n…"},
       "November"]]}

An action may also be a ``dumpd`` constructor, or text such as ``tool='search' tool_input='fog'
log='…'``, which ``json.dumps(…, default=str)`` writes. The ``log`` begins with the thought of a
dialect, or has the text beside a call of a message.

Source: ``langchain_classic/agents/agent.py`` and ``langchain_core/agents.py``.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from functools import partial
from typing import TYPE_CHECKING, Any, Final, NamedTuple

from agent_parsers import OutputParserException
from agent_runs.readers.data.langchain_messages import object_of
from agent_runs.reading.building import RunBuilder
from agent_runs.reading.messages import evidence_of_each, read_each
from agent_runs.reading.parts import Content, content_of, shown_result, text_of
from agent_runs.reading.reader import DataReader, Reading
from agent_runs.reading.reprs import fields_of_repr, fields_of_text
from agent_runs.reading.spoken import Speech

if TYPE_CHECKING:
    from agent_parsers.transcripts import Transcript

LIMITS: Final = (
    "Agent stopped due to iteration limit or time limit.",
    "Agent stopped due to max iterations.",
)
"""What the executor returns in place of an answer when it has run out of steps."""
_QUESTIONS: Final = ("input", "question", "query")
_responded: Final = re.compile(r"\A\s*Invoking: `.*?\nresponded: (.*?)\s*\Z", re.DOTALL).match


class _Action(NamedTuple):
    tool: str
    tool_input: Any
    log: str
    call_id: str
    said: Content | None
    """The reasoning and the text of its message; `None` if only the log has them."""


def is_result(value: Any) -> bool:
    """Return whether *value* is a result with intermediate steps."""
    return isinstance(value, dict) and isinstance(value.get("intermediate_steps"), list)


def run_of(result: Mapping[str, Any], reading: Reading) -> Transcript:
    """Return the run in the *result* of an executor.

    Raises:
        KeyError: A step lacks a part.
        TypeError: A part has another type.
        ValueError: A step is no pair, or is text that cannot be read.
    """
    run = RunBuilder(reading)
    speech = Speech(reading)
    run.ask(asked_in(result) or "")
    for step in result["intermediate_steps"]:
        action, observations = _pair(step)
        _add(run, speech, _action_of(action))
        for observation in observations:
            run.observe_last(shown_result(observation))
    _answer(run, result.get("output"))
    return run.transcript()


def asked_in(inputs: Mapping[str, Any]) -> str | None:
    """Return the question among the *inputs* of a chain; `None` if there is none."""
    return next((text for name in _QUESTIONS if isinstance(text := inputs.get(name), str)), None)


def _pair(step: Any) -> tuple[Any, list[Any]]:
    """Return the action of a *step*, and what it returned, if the step says so."""
    if isinstance(step, dict):
        return step["action"], [step["observation"]] if "observation" in step else []
    action, observation = step
    return action, [observation]


def _action_of(action: Any) -> _Action:
    fields = fields_of_text(action) if isinstance(action, str) else object_of(action)[1]
    tool, log = fields["tool"], fields.get("log") or ""
    if not isinstance(tool, str) or not isinstance(log, str):
        raise TypeError("the tool or the log of an action is not a string")
    said: Content | None = None
    for message in fields.get("message_log") or ():
        each = _said_in(object_of(message)[1])
        said = said or Content()
        said.thoughts += each.thoughts
        said.texts += each.texts
    return _Action(tool, fields["tool_input"], log, fields.get("tool_call_id") or "", said)


def _said_in(message: Mapping[str, Any]) -> Content:
    """Return the reasoning and the text of a *message*, whose calls the steps have."""
    found = content_of(message.get("content"))
    beside = message.get("additional_kwargs") or {}
    if reasoning := beside.get("reasoning_content"):
        found.thoughts.insert(0, text_of(reasoning))
    return found


def _add(run: RunBuilder, speech: Speech, action: _Action) -> None:
    if action.tool == "_Exception":  # the executor's own name for what it could not read
        reason = str(action.tool_input)
        run.fail(OutputParserException(reason, observation=reason, llm_output=action.log))
        return
    if action.said is not None:
        run.think("\n".join(action.said.thoughts))
        run.say("\n".join(action.said.texts))
    elif responded := _responded(action.log):
        thought, text = fields_of_repr(responded[1])
        run.think(thought)
        run.say(text)
    elif not action.log.lstrip().startswith("Invoking: `"):
        steps = [step for step in speech.read(action.log) if step.error is None]
        if steps and getattr(steps[0].action, "tool", None) == action.tool:
            run.think(steps[0].thought)
            run.say(steps[0].content)
        if speech.dialect is not None and speech.evidence and not run.is_begun:
            run.in_dialect(speech.dialect, speech.evidence)
    run.call(action.tool, action.tool_input, call_id=action.call_id, log=action.log)


def _answer(run: RunBuilder, output: Any) -> None:
    if isinstance(output, list):
        output = text_of(output)
    if output in LIMITS:
        run.notice("unowned_text", "the executor ran out of steps", text=str(output))
    elif output is not None:
        run.answer(output)


READER: Final = DataReader(
    name="langchain_steps",
    summary="results of LangChain's AgentExecutor with their intermediate steps",
    evidence=partial(
        evidence_of_each, is_one=is_result, sign=lambda _: "'intermediate_steps' in the first value"
    ),
    read=partial(read_each, runs_of=lambda data, at: [run_of(data, at)]),
)
