"""The JSON form of turns, transcripts, explanations, actions, events and errors: their fields."""

from __future__ import annotations

from collections.abc import Mapping
from itertools import pairwise
from operator import attrgetter
from typing import Any, Final, NamedTuple, get_args

from agent_parsers.actions.agent import (
    AgentAction,
    AgentActionMessageLog,
    AgentFinish,
    AgentStep,
    as_data,
    has_failed,
)
from agent_parsers.actions.tool_action import ToolAgentAction
from agent_parsers.engine.reading.turn import Turn, content_of, thought_of
from agent_parsers.events import (
    ActionComplete,
    Delta,
    Finish,
    MarkerSeen,
    Repair,
    StepFailed,
    ToolNamed,
)
from agent_parsers.explain.explanation import Explanation
from agent_parsers.explain.findings import ExplainedRepair, ExplainedSpan, IgnoredMarker, Places
from agent_parsers.loop import AgentRun
from agent_parsers.parsers.auto_parser import AutoTurn
from agent_parsers.parsers.message_parser import MessageTurn
from agent_parsers.toolset.problems.errors import (
    AnswerError,
    ForeignCallError,
    ToolInputError,
    UnknownToolError,
)
from agent_parsers.toolset.problems.input_problem import InputProblem
from agent_parsers.toolset.running import FailedResult
from agent_parsers.transcripts.transcript import (
    Conversation,
    Notice,
    RunSource,
    Transcript,
    TranscriptStep,
)
from output_parsers.exceptions import OutputParserException
from output_parsers.json_form import error_kind
from outputs.json_form.kinds import (
    ANY,
    FLAG,
    MESSAGE,
    NUMBER,
    OBJECT,
    SPAN,
    TEXT,
    TEXT_OR_OBJECT,
    Document,
    JsonField,
    Kind,
    a,
    either,
    many,
    maybe,
    read_document,
)
from outputs.json_form.storable import TABLES, Storable
from outputs.json_form.values import Misfit

__all__ = ["Storable", "from_json"]


def from_json(data: Mapping[str, Any]) -> Any:
    """Return the value that `to_json` wrote as *data*, whatever its class.

    Raises:
        TypeError: *data* is not an object, such as its text before `json.loads`.
        ValueError: *data* has another version or type, or is malformed; the message says where.
    """
    return read_document(data, object, TABLES)


# -- actions ---------------------------------------------------------------------------------------

_ACTION: Final = {"tool": TEXT, "tool_input": TEXT_OR_OBJECT}
_OF_MESSAGE: Final = {**_ACTION, "log": maybe(TEXT), "message_log": many(MESSAGE, of=list)}
"""The log is `None` if it is the text of the only message: the calls of a turn share both, and
repeating them would make the form of many calls very long."""


def _get_of_message(action: AgentActionMessageLog, key: str) -> Any:
    messages = action.message_log
    if key == "log" and len(messages) == 1 and messages[0].content == action.log:
        return None
    return getattr(action, key)


def _make_of_message(cls: type, fields: dict[str, Any]) -> Any:
    if fields["log"] is None:
        fields["log"] = fields["message_log"][0].content if fields["message_log"] else ""
    return cls(**fields)


def _get_of_taken(step: AgentStep, key: str) -> Any:
    if key == "tool_failed":
        return has_failed(step.observation) or None
    return getattr(step, key)


def _make_taken(cls: type, fields: dict[str, Any]) -> Any:
    if fields.pop("tool_failed", False) and isinstance(fields["observation"], str):
        fields["observation"] = FailedResult(fields["observation"])
    return cls(**fields)


def _get_of_finish(finish: AgentFinish, key: str) -> Any:
    """Return a field; an answer that is of a type is written as data, and read back as that."""
    value = getattr(finish, key)
    if key == "return_values" and "output" in value:
        return {**value, "output": as_data(value["output"])}
    return value


_ACTIONS: Final = (
    Kind(AgentAction, {**_ACTION, "log": TEXT}),
    Kind(AgentActionMessageLog, _OF_MESSAGE, _get_of_message, _make_of_message),
    Kind(
        ToolAgentAction,
        {**_OF_MESSAGE, "tool_call_id": maybe(TEXT)},
        _get_of_message,
        _make_of_message,
    ),
    Kind(AgentFinish, {"return_values": OBJECT, "log": TEXT}, _get_of_finish),
    Kind(
        AgentStep,
        {"action": a(AgentAction), "observation": ANY},
        _get_of_taken,
        _make_taken,
        later={"tool_failed": FLAG},
    ),
)
_RESULT: Final = either(
    many(a(AgentAction), of=list),
    a(AgentAction, AgentFinish),
    lambda value: isinstance(value, list),
)

# -- events ----------------------------------------------------------------------------------------

_EVENTS: Final = (
    *(Kind(cls, {"text": TEXT, "span": SPAN}) for cls in get_args(Delta)),
    Kind(ToolNamed, {"tool": TEXT, "span": SPAN}),
    Kind(MarkerSeen, {"name": TEXT, "span": SPAN}),
    Kind(ActionComplete, {"action": a(AgentAction), "span": SPAN}),
    Kind(Finish, {"finish": a(AgentFinish), "span": SPAN}),
    Kind(Repair, {"kind": TEXT, "span": SPAN, "message": TEXT}),
    Kind(StepFailed, {"error": a(OutputParserException), "span": SPAN}),
)

# -- errors ----------------------------------------------------------------------------------------

_KEY: Final = either(TEXT, NUMBER, lambda key: isinstance(key, str))
_ERRORS: Final = (
    error_kind(ForeignCallError, form=TEXT),
    error_kind(UnknownToolError, name=TEXT, near=many(TEXT), names=many(TEXT), tool_input=ANY),
    error_kind(AnswerError, answer=ANY, problems=many(a(InputProblem)), example=ANY),
    error_kind(
        ToolInputError,
        tool=TEXT,
        tool_input=ANY,
        problems=many(a(InputProblem)),
        example=maybe(OBJECT),
        example_text=maybe(TEXT),
    ),
    Kind(InputProblem, {"path": many(_KEY), "expected": TEXT, "found": TEXT, "hint": TEXT}),
)

# -- turns and runs --------------------------------------------------------------------------------


def _get_of_run(run: Transcript, key: str) -> Any:
    if key == "steps" and any(one.number >= two.number for one, two in pairwise(run.all_steps)):
        raise Misfit("expected steps in the order of their numbers")
    return _get_if_any(run, key) if key in _OF_RUN else getattr(run, key)


def _get_if_any(value: Any, key: str) -> Any:
    """Return a field that is left out if there is nothing in it."""
    return getattr(value, key) or None


def _get_of_step(step: TranscriptStep, key: str) -> Any:
    return _get_if_any(step, key) if key == "tool_failed" else getattr(step, key)


def _make_turn_of_message(cls: type, fields: dict[str, Any]) -> Any:
    """Make a turn; one that was written without a content has it in its thought."""
    if "content" not in fields:
        fields["content"] = content_of(fields["events"])
        if not isinstance(fields["result"], AgentFinish):
            fields["thought"] = thought_of(fields["events"])
    return cls(**fields)


def _make_run(cls: type, fields: dict[str, Any]) -> Any:
    steps = sorted(fields.pop("steps") + fields.pop("failed"), key=attrgetter("number"))
    return cls(all_steps=tuple(steps), **fields)


def _get_of_agent(run: AgentRun, key: str) -> Any:
    if key != "steps":
        return getattr(run, key)
    return [
        AgentStep.model_construct(action=step[0], observation=step[1])
        if isinstance(step, tuple)
        else step
        for step in run.steps
    ]


def _make_agent_run(cls: type, fields: dict[str, Any]) -> Any:
    steps = fields.pop("steps")
    pairs = [(s.action, s.observation) if isinstance(s, AgentStep) else s for s in steps]
    return cls(steps=pairs, **fields)


_EVENT: Final = a(*(kind.cls for kind in _EVENTS))
_REPAIRS: Final = many(a(Repair))
_OF_RUN: Final = {"conversation": a(Conversation), "metadata": OBJECT, "called_by": TEXT}
_TURN: Final = {"result": _RESULT, "thought": TEXT, "repairs": _REPAIRS, "events": many(_EVENT)}
_RUNS: Final = (
    Kind(Turn, {**_TURN, "content": TEXT}),
    Kind(MessageTurn, _TURN, make=_make_turn_of_message, later={"content": TEXT}),
    Kind(AutoTurn, {**_TURN, "content": TEXT, "dialect": TEXT}),
    Kind(
        TranscriptStep,
        {
            "number": NUMBER,
            "thought": TEXT,
            "action": maybe(a(AgentAction, AgentFinish)),
            "observation": maybe(TEXT),
            "thought_span": maybe(SPAN),
            "action_span": maybe(SPAN),
            "observation_span": maybe(SPAN),
            "repairs": _REPAIRS,
            "error": maybe(a(OutputParserException)),
        },
        _get_of_step,
        later={"content": TEXT, "tool_failed": FLAG},
    ),
    Kind(
        AgentRun,
        {
            "question": TEXT,
            "steps": many(a(AgentStep, OutputParserException, TranscriptStep), of=list),
            "finish": maybe(a(AgentFinish)),
            "thoughts": many(TEXT, of=list),
            "contents": many(TEXT, of=list),
            "repairs": many(a(Repair), of=list),
            "is_cut": FLAG,
        },
        _get_of_agent,
        _make_agent_run,
        later={
            "ended": TEXT,
            "usage": ANY,
            "turns": NUMBER,
            "seconds": ANY,
            "step_repairs": many(_REPAIRS, of=list),
        },
    ),
    Kind(
        RunSource,
        {
            "reader": TEXT,
            "within": many(TEXT),
            "dialect": TEXT,
            "evidence": many(TEXT),
            "file": TEXT,
            "line": NUMBER,
        },
    ),
    Kind(
        Notice,
        {"kind": TEXT, "message": TEXT, "step": NUMBER, "text": TEXT, "line": NUMBER},
    ),
    Kind(Conversation, {"id": TEXT, "turn": NUMBER}),
    Kind(
        Transcript,
        {
            "id": TEXT,
            "preamble": TEXT,
            "question": TEXT,
            "question_repairs": _REPAIRS,
            "steps": many(a(TranscriptStep)),
            "failed": many(a(TranscriptStep)),
            "source": maybe(a(RunSource)),
            "notices": many(a(Notice)),
        },
        _get_of_run,
        _make_run,
        more={"finish": maybe(a(AgentFinish))},
        later=_OF_RUN,
    ),
)

# -- explanations ----------------------------------------------------------------------------------


class _Placed(NamedTuple):
    """A part of an explanation, and the lines and columns of the text."""

    part: Any
    places: Places


def _placed(cls: type) -> JsonField:
    """Return a field for an object of *cls* with a span, whose line and column are written too."""
    inner = a(cls)

    def write(placed: _Placed, document: Document) -> dict[str, Any]:
        start, _ = placed.part.span
        line, column = placed.places.line(start), placed.places.column(start)
        return {**inner.write(placed.part, document), "line": line, "column": column}

    place = {"line": NUMBER.schema(), "column": NUMBER.schema()}
    return JsonField(
        write,
        inner.read,
        lambda: {**inner.schema(), "properties": place, "required": [*place]},
    )


_PARTS: Final = {
    "spans": many(_placed(ExplainedSpan)),
    "repairs": many(_placed(ExplainedRepair)),
    "ignored": many(_placed(IgnoredMarker)),
}


def _get_of_explanation(it: Explanation, key: str) -> Any:
    value = getattr(it, key)
    if key not in _PARTS:
        return value
    places = Places(it.text)
    return [_Placed(part, places) for part in value]


_EXPLANATIONS: Final = (
    Kind(
        Explanation,
        {
            "dialect": TEXT,
            "mode": TEXT,
            "text": TEXT,
            "result": maybe(_RESULT),
            "error": maybe(a(OutputParserException)),
            **_PARTS,
        },
        _get_of_explanation,
    ),
    Kind(ExplainedSpan, {"span": SPAN, "part": TEXT, "text": TEXT, "marker": TEXT}),
    Kind(
        ExplainedRepair,
        {"kind": TEXT, "span": SPAN, "before": TEXT, "after": maybe(TEXT), "message": TEXT},
    ),
    Kind(IgnoredMarker, {"marker": TEXT, "span": SPAN, "text": TEXT, "reason": TEXT}),
)

KINDS: Final = (*_ACTIONS, *_EVENTS, *_ERRORS, *_RUNS, *_EXPLANATIONS)
"""The classes of this package that have a JSON form."""
