"""The engine: what reads a dialect, whole or while it comes in."""

from agent_parsers.engine._calls import BracketCall, Call, CallReader
from agent_parsers.engine._dialect import Cut, Dialect, Go, Note, Problem, Role, Table, Written
from agent_parsers.engine._escape import escape, unescape
from agent_parsers.engine._events import (
    ActionComplete,
    AnswerDelta,
    Delta,
    Event,
    Failed,
    Finish,
    InputDelta,
    MarkerSeen,
    ObservationDelta,
    QuestionDelta,
    Repair,
    SkippedDelta,
    Span,
    ThoughtDelta,
    ToolNamed,
    merge_events,
)
from agent_parsers.engine._json_call import JsonCall
from agent_parsers.engine._json_members import CallKeys, folded
from agent_parsers.engine._json_rules import JsonCallRules
from agent_parsers.engine._machine import MAX_CHARS, Machine, Mode, machine
from agent_parsers.engine._markers import Label, Literal, Marker
from agent_parsers.engine._mending import mend_answer, mend_input, mend_json_input, mend_tool
from agent_parsers.engine._parameter_calls import ParameterCall
from agent_parsers.engine._payloads import BadPayload, ToolHead
from agent_parsers.engine._raw_values import RawValue
from agent_parsers.engine._render import Step, action_and_observation
from agent_parsers.engine._states import Both
from agent_parsers.engine._stream import StreamParser
from agent_parsers.engine._tag_calls import TagCall
from agent_parsers.engine._turn import Turn

__all__ = [
    "MAX_CHARS",
    "ActionComplete",
    "AnswerDelta",
    "BadPayload",
    "Both",
    "BracketCall",
    "Call",
    "CallKeys",
    "CallReader",
    "Cut",
    "Delta",
    "Dialect",
    "Event",
    "Failed",
    "Finish",
    "Go",
    "InputDelta",
    "JsonCall",
    "JsonCallRules",
    "Label",
    "Literal",
    "Machine",
    "Marker",
    "MarkerSeen",
    "Mode",
    "Note",
    "ObservationDelta",
    "ParameterCall",
    "Problem",
    "QuestionDelta",
    "RawValue",
    "Repair",
    "Role",
    "SkippedDelta",
    "Span",
    "Step",
    "StreamParser",
    "Table",
    "TagCall",
    "ThoughtDelta",
    "ToolHead",
    "ToolNamed",
    "Turn",
    "Written",
    "action_and_observation",
    "escape",
    "folded",
    "machine",
    "mend_answer",
    "mend_input",
    "mend_json_input",
    "mend_tool",
    "merge_events",
    "unescape",
]
