"""The engine: what reads a dialect, whole or while it comes in."""

from agent_parsers.engine._calls import BracketCall, Call, CallReader
from agent_parsers.engine._dialect import Cut, Dialect, Go, Note, Problem, Role, Table, Written
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
from agent_parsers.engine._machine import MAX_CHARS, Machine, Mode, machine
from agent_parsers.engine._markers import Label, Literal, Marker
from agent_parsers.engine._mending import mend_answer, mend_input, mend_json_input, mend_tool
from agent_parsers.engine._render import Step
from agent_parsers.engine._states import Both
from agent_parsers.engine._stream import StreamParser
from agent_parsers.engine._turn import Turn

__all__ = [
    "MAX_CHARS",
    "ActionComplete",
    "AnswerDelta",
    "Both",
    "BracketCall",
    "Call",
    "CallReader",
    "Cut",
    "Delta",
    "Dialect",
    "Event",
    "Failed",
    "Finish",
    "Go",
    "InputDelta",
    "Label",
    "Literal",
    "Machine",
    "Marker",
    "MarkerSeen",
    "Mode",
    "Note",
    "ObservationDelta",
    "Problem",
    "QuestionDelta",
    "Repair",
    "Role",
    "SkippedDelta",
    "Span",
    "Step",
    "StreamParser",
    "Table",
    "ThoughtDelta",
    "ToolNamed",
    "Turn",
    "Written",
    "machine",
    "mend_answer",
    "mend_input",
    "mend_json_input",
    "mend_tool",
    "merge_events",
]
