"""The building blocks of dialects, for writing your own.

``docs/dialects.md`` shows how to write a dialect, and ``docs/call-dialects.md`` how to add the tool
calls of a model. These names are stable, even if the engine behind them changes.
"""

from typing import TYPE_CHECKING

from outputs.lazy_names import late_names

if TYPE_CHECKING:
    from agent_parsers.engine.calls.brackets import BracketCall
    from agent_parsers.engine.calls.code.python_calls import PythonCalls
    from agent_parsers.engine.calls.code.python_values import write_single_quoted
    from agent_parsers.engine.calls.json.blocks import JsonCalls
    from agent_parsers.engine.calls.json.call import JsonCall
    from agent_parsers.engine.calls.json.members import CallKeys
    from agent_parsers.engine.calls.json.named_json import Head, NamedJson
    from agent_parsers.engine.calls.json.rules import JsonCallRules
    from agent_parsers.engine.calls.raw_values import RawValue
    from agent_parsers.engine.calls.reader import Call, CallReader, EmittingReader
    from agent_parsers.engine.calls.tags.form import Attributes, Element, Named, TaggedForm, TagPart
    from agent_parsers.engine.calls.tags.pair import TagCall
    from agent_parsers.engine.markers.kinds import Ahead, Inline, Label, Literal, Marker
    from agent_parsers.engine.markers.mentions import Given
    from agent_parsers.engine.repairs.payloads import read_json_input, unreadable, write_json_input
    from agent_parsers.engine.tables.dialect import Dialect, PromptWords, Result
    from agent_parsers.engine.tables.labels import with_labels
    from agent_parsers.engine.tables.modes import MAX_CHARS, EmitCalls, Mode, OnConflict
    from agent_parsers.engine.tables.problems import Problem
    from agent_parsers.engine.tables.table import EndTurn, Go, Note, Part, Table, Transition
    from agent_parsers.engine.writing.escape import escape, unescape
    from agent_parsers.engine.writing.prompt import (
        instructions,
        list_functions,
        list_schemas,
        replies,
    )
    from agent_parsers.families.call_blocks import (
        CALLS_PROMPT,
        ONE_CALL_PROMPT,
        SAMPLE_TURN,
        CallFormat,
        Payload,
        calls_dialect,
        list_tools,
        list_tools_in_tags,
    )
    from agent_parsers.families.call_tables import AnswerBlock, calls_table
    from agent_parsers.families.json_blocks import (
        LIST_PROBLEMS,
        PROBLEMS,
        HeadedPayload,
        JsonPayload,
        NamedPayload,
        bare_rules,
        block_rules,
    )
    from agent_parsers.families.results_writer import (
        LINES,
        TAGS,
        NumberedIds,
        ResultForm,
        ResultsWriter,
        chatml,
        numbered_id,
        role_frame,
    )
    from agent_parsers.families.tagged import TaggedPayload, tagged_table
    from agent_parsers.forms.form import (
        CallForm,
        Form,
        Marks,
        ParameterForm,
        Written,
        WrittenCall,
        inputs_of,
        write_json,
        write_python_value,
        write_value,
    )

API_VERSION = 1
"""The version of this module. It changes only when a dialect that was written for it may break."""

__all__ = [
    "API_VERSION",
    "CALLS_PROMPT",
    "LINES",
    "LIST_PROBLEMS",
    "MAX_CHARS",
    "ONE_CALL_PROMPT",
    "PROBLEMS",
    "SAMPLE_TURN",
    "TAGS",
    "Ahead",
    "AnswerBlock",
    "Attributes",
    "BracketCall",
    "Call",
    "CallForm",
    "CallFormat",
    "CallKeys",
    "CallReader",
    "Dialect",
    "Element",
    "EmitCalls",
    "EmittingReader",
    "EndTurn",
    "Form",
    "Given",
    "Go",
    "Head",
    "HeadedPayload",
    "Inline",
    "JsonCall",
    "JsonCallRules",
    "JsonCalls",
    "JsonPayload",
    "Label",
    "Literal",
    "Marker",
    "Marks",
    "Mode",
    "Named",
    "NamedJson",
    "NamedPayload",
    "Note",
    "NumberedIds",
    "OnConflict",
    "ParameterForm",
    "Part",
    "Payload",
    "Problem",
    "PromptWords",
    "PythonCalls",
    "RawValue",
    "Result",
    "ResultForm",
    "ResultsWriter",
    "Table",
    "TagCall",
    "TagPart",
    "TaggedForm",
    "TaggedPayload",
    "Transition",
    "Written",
    "WrittenCall",
    "bare_rules",
    "block_rules",
    "calls_dialect",
    "calls_table",
    "chatml",
    "escape",
    "inputs_of",
    "instructions",
    "list_functions",
    "list_schemas",
    "list_tools",
    "list_tools_in_tags",
    "numbered_id",
    "read_json_input",
    "replies",
    "role_frame",
    "tagged_table",
    "unescape",
    "unreadable",
    "with_labels",
    "write_json",
    "write_json_input",
    "write_python_value",
    "write_single_quoted",
    "write_value",
]

_MODULES = {
    "BracketCall": "agent_parsers.engine.calls.brackets",
    "PythonCalls": "agent_parsers.engine.calls.code.python_calls",
    "write_single_quoted": "agent_parsers.engine.calls.code.python_values",
    "JsonCalls": "agent_parsers.engine.calls.json.blocks",
    "JsonCall": "agent_parsers.engine.calls.json.call",
    "CallKeys": "agent_parsers.engine.calls.json.members",
    "Head": "agent_parsers.engine.calls.json.named_json",
    "NamedJson": "agent_parsers.engine.calls.json.named_json",
    "JsonCallRules": "agent_parsers.engine.calls.json.rules",
    "RawValue": "agent_parsers.engine.calls.raw_values",
    "Call": "agent_parsers.engine.calls.reader",
    "CallReader": "agent_parsers.engine.calls.reader",
    "EmittingReader": "agent_parsers.engine.calls.reader",
    "Attributes": "agent_parsers.engine.calls.tags.form",
    "Element": "agent_parsers.engine.calls.tags.form",
    "Named": "agent_parsers.engine.calls.tags.form",
    "TagPart": "agent_parsers.engine.calls.tags.form",
    "TaggedForm": "agent_parsers.engine.calls.tags.form",
    "TagCall": "agent_parsers.engine.calls.tags.pair",
    "Dialect": "agent_parsers.engine.tables.dialect",
    "Result": "agent_parsers.engine.tables.dialect",
    "with_labels": "agent_parsers.engine.tables.labels",
    "EmitCalls": "agent_parsers.engine.tables.modes",
    "MAX_CHARS": "agent_parsers.engine.tables.modes",
    "Mode": "agent_parsers.engine.tables.modes",
    "OnConflict": "agent_parsers.engine.tables.modes",
    "Problem": "agent_parsers.engine.tables.problems",
    "EndTurn": "agent_parsers.engine.tables.table",
    "Go": "agent_parsers.engine.tables.table",
    "Note": "agent_parsers.engine.tables.table",
    "Part": "agent_parsers.engine.tables.table",
    "Table": "agent_parsers.engine.tables.table",
    "Transition": "agent_parsers.engine.tables.table",
    "PromptWords": "agent_parsers.engine.tables.dialect",
    "Ahead": "agent_parsers.engine.markers.kinds",
    "Inline": "agent_parsers.engine.markers.kinds",
    "Label": "agent_parsers.engine.markers.kinds",
    "Literal": "agent_parsers.engine.markers.kinds",
    "Marker": "agent_parsers.engine.markers.kinds",
    "Given": "agent_parsers.engine.markers.mentions",
    "read_json_input": "agent_parsers.engine.repairs.payloads",
    "write_json_input": "agent_parsers.engine.repairs.payloads",
    "unreadable": "agent_parsers.engine.repairs.payloads",
    "escape": "agent_parsers.engine.writing.escape",
    "unescape": "agent_parsers.engine.writing.escape",
    "instructions": "agent_parsers.engine.writing.prompt",
    "replies": "agent_parsers.engine.writing.prompt",
    "list_functions": "agent_parsers.engine.writing.prompt",
    "list_schemas": "agent_parsers.engine.writing.prompt",
    "CALLS_PROMPT": "agent_parsers.families.call_blocks",
    "CallFormat": "agent_parsers.families.call_blocks",
    "ONE_CALL_PROMPT": "agent_parsers.families.call_blocks",
    "Payload": "agent_parsers.families.call_blocks",
    "SAMPLE_TURN": "agent_parsers.families.call_blocks",
    "calls_dialect": "agent_parsers.families.call_blocks",
    "list_tools": "agent_parsers.families.call_blocks",
    "list_tools_in_tags": "agent_parsers.families.call_blocks",
    "AnswerBlock": "agent_parsers.families.call_tables",
    "calls_table": "agent_parsers.families.call_tables",
    "HeadedPayload": "agent_parsers.families.json_blocks",
    "JsonPayload": "agent_parsers.families.json_blocks",
    "LIST_PROBLEMS": "agent_parsers.families.json_blocks",
    "PROBLEMS": "agent_parsers.families.json_blocks",
    "bare_rules": "agent_parsers.families.json_blocks",
    "block_rules": "agent_parsers.families.json_blocks",
    "NamedPayload": "agent_parsers.families.json_blocks",
    "LINES": "agent_parsers.families.results_writer",
    "NumberedIds": "agent_parsers.families.results_writer",
    "ResultForm": "agent_parsers.families.results_writer",
    "ResultsWriter": "agent_parsers.families.results_writer",
    "TAGS": "agent_parsers.families.results_writer",
    "chatml": "agent_parsers.families.results_writer",
    "numbered_id": "agent_parsers.families.results_writer",
    "role_frame": "agent_parsers.families.results_writer",
    "TaggedPayload": "agent_parsers.families.tagged",
    "tagged_table": "agent_parsers.families.tagged",
    "CallForm": "agent_parsers.forms.form",
    "Form": "agent_parsers.forms.form",
    "Marks": "agent_parsers.forms.form",
    "ParameterForm": "agent_parsers.forms.form",
    "Written": "agent_parsers.forms.form",
    "WrittenCall": "agent_parsers.forms.form",
    "inputs_of": "agent_parsers.forms.form",
    "write_json": "agent_parsers.forms.form",
    "write_python_value": "agent_parsers.forms.form",
    "write_value": "agent_parsers.forms.form",
}
"""The module of each name that is imported at its first use."""

if not TYPE_CHECKING:  # checkers would take any name to exist
    __getattr__, __dir__ = late_names(__name__, globals(), _MODULES)
