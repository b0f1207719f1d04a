"""The engine: what reads a dialect, whole or while it comes in.

Each name is imported at its first use, so that a dialect brings along only the codecs it needs.
"""

from typing import TYPE_CHECKING

from outputs._late import late_names

if TYPE_CHECKING:
    from agent_parsers.engine._brackets import BracketCall
    from agent_parsers.engine._calls import Call, CallReader, TellingReader
    from agent_parsers.engine._dialect import (
        Cut,
        Dialect,
        Go,
        Note,
        Problem,
        Result,
        Role,
        Table,
        Words,
        Written,
        WrittenCall,
    )
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
    from agent_parsers.engine._json_inputs import read_json_input, write_json_input
    from agent_parsers.engine._json_members import CallKeys
    from agent_parsers.engine._json_rules import JsonCallRules
    from agent_parsers.engine._localised import localised
    from agent_parsers.engine._machine import MAX_CHARS, Machine, machine
    from agent_parsers.engine._markers import Ahead, Inline, Label, Literal, Marker
    from agent_parsers.engine._mend_inputs import (
        mend_answer,
        mend_input,
        mend_json_input,
        mend_object_input,
        mend_written_input,
    )
    from agent_parsers.engine._mend_names import mend_tool
    from agent_parsers.engine._modes import Mode, OnConflict
    from agent_parsers.engine._payloads import BadPayload, ToolHead
    from agent_parsers.engine._raw_values import RawValue
    from agent_parsers.engine._render import Step, action_and_observation
    from agent_parsers.engine._stream_parser import StreamParser
    from agent_parsers.engine._tag_calls import TagCall
    from agent_parsers.engine._tool_lists import list_functions, list_schemas
    from agent_parsers.engine._turn import Turn

__all__ = [
    "MAX_CHARS",
    "ActionComplete",
    "Ahead",
    "AnswerDelta",
    "BadPayload",
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
    "Inline",
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
    "OnConflict",
    "Problem",
    "QuestionDelta",
    "RawValue",
    "Repair",
    "Result",
    "Role",
    "SkippedDelta",
    "Span",
    "Step",
    "StreamParser",
    "Table",
    "TagCall",
    "TellingReader",
    "ThoughtDelta",
    "ToolHead",
    "ToolNamed",
    "Turn",
    "Words",
    "Written",
    "WrittenCall",
    "action_and_observation",
    "escape",
    "list_functions",
    "list_schemas",
    "localised",
    "machine",
    "mend_answer",
    "mend_input",
    "mend_json_input",
    "mend_object_input",
    "mend_tool",
    "mend_written_input",
    "merge_events",
    "read_json_input",
    "unescape",
    "write_json_input",
]

_MODULES = {
    "BracketCall": "_brackets",
    "Call": "_calls",
    "CallReader": "_calls",
    "TellingReader": "_calls",
    "Cut": "_dialect",
    "Dialect": "_dialect",
    "Go": "_dialect",
    "Note": "_dialect",
    "Problem": "_dialect",
    "Result": "_dialect",
    "Role": "_dialect",
    "Table": "_dialect",
    "Words": "_words",
    "Written": "_dialect",
    "WrittenCall": "_dialect",
    "escape": "_escape",
    "unescape": "_escape",
    "ActionComplete": "_events",
    "AnswerDelta": "_events",
    "Delta": "_events",
    "Event": "_events",
    "Failed": "_events",
    "Finish": "_events",
    "InputDelta": "_events",
    "MarkerSeen": "_events",
    "ObservationDelta": "_events",
    "QuestionDelta": "_events",
    "Repair": "_events",
    "SkippedDelta": "_events",
    "Span": "_events",
    "ThoughtDelta": "_events",
    "ToolNamed": "_events",
    "merge_events": "_events",
    "JsonCall": "_json_call",
    "CallKeys": "_json_members",
    "JsonCallRules": "_json_rules",
    "localised": "_localised",
    "MAX_CHARS": "_machine",
    "Machine": "_machine",
    "Mode": "_modes",
    "machine": "_machine",
    "Ahead": "_markers",
    "Inline": "_markers",
    "Label": "_markers",
    "Literal": "_markers",
    "Marker": "_markers",
    "mend_answer": "_mend_inputs",
    "mend_input": "_mend_inputs",
    "mend_json_input": "_mend_inputs",
    "mend_object_input": "_mend_inputs",
    "mend_written_input": "_mend_inputs",
    "read_json_input": "_json_inputs",
    "write_json_input": "_json_inputs",
    "mend_tool": "_mend_names",
    "BadPayload": "_payloads",
    "ToolHead": "_payloads",
    "RawValue": "_raw_values",
    "Step": "_render",
    "action_and_observation": "_render",
    "OnConflict": "_modes",
    "StreamParser": "_stream_parser",
    "TagCall": "_tag_calls",
    "list_functions": "_tool_lists",
    "list_schemas": "_tool_lists",
    "Turn": "_turn",
}
"""Where each name is that is imported at its first use."""

__getattr__, __dir__ = late_names(__name__, globals(), _MODULES)
