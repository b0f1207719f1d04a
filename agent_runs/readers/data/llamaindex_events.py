r"""Events of LlamaIndex's agent workflows, one ``model_dump`` a line or in a list.

::

    {"response": {"role": "assistant", "blocks": [{"text": "Thought: I look it up.\nAction: …"}]},
     "tool_calls": [{"tool_id": "c1", "tool_name": "search", "tool_kwargs": {…}}],
     "current_agent_name": "Agent"}                                                AgentOutput
    {"tool_name": "search", "tool_kwargs": {"query": "fog"}, "tool_id": "c1"}         ToolCall
    {"tool_name": "search", "tool_id": "c1", "tool_output": {"blocks": [{"text": "November"}]}}
                                                                                ToolCallResult

The name of the class is not among the fields. The last output has all calls of the run again. The
text of the last output has its labels, ``Thought:`` and ``Answer:``, if the event was written down
when it came, and only the answer if later.

Source: ``llama_index/core/agent/workflow/workflow_events.py`` of llama-index-core 0.12 to 0.14.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from functools import partial
from typing import TYPE_CHECKING, Any, Final

from agent_parsers import AgentFinish, get_dialect
from agent_parsers.core import read_output
from agent_runs.reading.messages import MessageFormat, evidence_of, said_or_refused
from agent_runs.reading.parts import call_of, content_of, result_of
from agent_runs.reading.reader import DataReader, Reading, Values
from agent_runs.reading.said import Said, SaidCall, runs_of_messages
from agent_runs.reading.spoken import Speech

if TYPE_CHECKING:
    from agent_parsers.transcripts import TranscriptStep

_is_react: Final = re.compile(r"\s*+Thought:.*?^\s*+Answer:", re.DOTALL | re.MULTILINE).match
"""Whether a text is an answer as an agent of LlamaIndex writes it, whose events may show it so."""
_OTHERS: Final = (
    {"delta", "current_agent_name"},  # AgentStream
    {"input", "current_agent_name"},  # AgentInput, AgentSetup
    {"user_msg"},  # AgentWorkflowStartEvent
    {"result"},  # StopEvent
)


def _fields(event: Any) -> Mapping[str, Any]:
    """Return the fields of an *event*, also as a workflow's context serializes it."""
    if not isinstance(event, dict):
        return {}
    within = event.get("value")
    return within if "__is_pydantic" in event and isinstance(within, dict) else event


def _is_event(value: Any) -> bool:
    keys = _fields(value).keys()
    is_output = {"response", "current_agent_name"} <= keys
    is_call = {"tool_name", "tool_id"} <= keys and not keys.isdisjoint(
        ("tool_kwargs", "tool_output")
    )
    return is_output or is_call or any(other <= keys for other in _OTHERS)


class _Events:
    """Reads the events of one log."""

    def __init__(self, reading: Reading) -> None:
        self._reading = reading
        self._called: set[str] = set()
        self._answer: str | None = None
        self.is_answer = False
        """Whether the last event was the answer."""

    def said(self, event: Any) -> Said | None:
        """Return the content of an *event* as `Said`; `None` if it only repeats other events.

        Raises:
            TypeError: It is no object.
        """
        if not isinstance(event, dict):
            raise TypeError("expected an event of LlamaIndex's workflows")
        if not _is_event(event):
            return Said("tool", left_out=(f"an object with the keys {', '.join(event)}"[:200],))
        fields = _fields(event)
        self.is_answer = False
        if "tool_kwargs" in fields:
            self._answer = None
        if "tool_output" in fields:
            output = fields["tool_output"]
            is_object = isinstance(output, dict)
            blocks = output.get("blocks") if is_object else output
            if is_object and not blocks:
                blocks = output.get("content", output.get("raw_output"))
            call_id = str(fields["tool_id"])
            result = result_of(blocks, call_id, fields["tool_name"])
            if call_id in self._called:
                return Said("tool", results=(result,))
            self._called.add(call_id)  # the log has no event of the call
            return Said("assistant", calls=(call_of(fields),), results=(result,))
        if "tool_kwargs" in fields:
            call = call_of(fields)
            is_new = call.call_id not in self._called
            self._called.add(call.call_id)
            return Said("assistant", calls=(call,)) if is_new else None
        if isinstance(fields.get("user_msg"), str):
            return self._asked(fields["user_msg"])
        return self._output(fields) if "response" in fields and "delta" not in fields else None

    def _asked(self, question: str) -> Said:
        self._called.clear()
        self._answer = None
        return Said("user", question)

    def _output(self, fields: Mapping[str, Any]) -> Said | None:
        response = fields["response"]
        found = content_of([
            block for block in response.get("blocks") or [response.get("content")]
            if block is not None and not _is_call(block)
        ])  # fmt: skip
        calls = [call_of(call) for call in fields.get("tool_calls") or ()]
        new = [call for call in calls if call.call_id not in self._called]
        self._called.update(call.call_id for call in new)
        text = "".join(found.texts)
        thought = "\n".join(found.thoughts)
        if not new:
            if fields.get("retry_messages"):
                return Said("assistant", text, thought)
            return self._answered(text, thought)
        step = self._step_in(text, new)
        if step is not None:
            text, thought = step.content, "\n".join(filter(None, (thought, step.thought)))
        return Said("assistant", text, thought, new)

    def _answered(self, text: str, thought: str) -> Said | None:
        """Return the answer in a *text* of an agent; `None` if it only repeats the last event."""
        if _is_react(text):
            step = read_output(get_dialect("react_llamaindex"), text)[-1]
            if isinstance(step.action, AgentFinish):
                text = str(step.action.return_values["output"])
                thought = "\n".join(filter(None, (thought, step.thought)))
        is_repeated, self._answer = text == self._answer, text
        self.is_answer = True
        return None if is_repeated else Said("assistant", text, thought)

    def _step_in(self, text: str, calls: Sequence[SaidCall]) -> TranscriptStep | None:
        """Return the step in a *text* that has the *calls* too, in a dialect; `None` if none."""
        steps = Speech(self._reading).read(text)
        tools = [getattr(step.action, "tool", None) for step in steps]
        return steps[0] if tools and tools[0] == calls[0].tool else None


def _is_call(block: Any) -> bool:
    return isinstance(block, dict) and block.get("block_type") == "tool_call"


def _sign(event: Any) -> str:
    keys = [key for key in ("tool_kwargs", "current_agent_name") if key in _fields(event)]
    return f"{keys[0]!r}" if keys else ""


_FORM: Final = MessageFormat(lambda _event: None, _is_event, lambda _record: None)


def _said_in(values: Values, reading: Reading) -> Iterator[Said]:
    """Yield what the events say, with an empty question between runs that have none."""
    events = _Events(reading)
    is_over = False
    for value in values:
        said = said_or_refused(value, reading, events.said)
        if said is None:
            continue
        if is_over and said.role == "assistant":
            yield Said("user", line=value.line)
        is_over = events.is_answer
        yield said


READER: Final = DataReader(
    name="llamaindex_events",
    summary="events of LlamaIndex's agent workflows, as JSON",
    evidence=partial(evidence_of, form=_FORM, sign=_sign, where="event"),
    read=lambda values, reading: runs_of_messages(_said_in(values, reading), reading),
)
