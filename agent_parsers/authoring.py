"""The building blocks of dialects, for writing your own.

``docs/dialects.md`` shows how to write a dialect, and ``docs/call-dialects.md`` how to add the tool
calls of a model. These names are stable, even if the engine behind them changes.
"""

from typing import TYPE_CHECKING

from outputs.lazy_names import late_names

if TYPE_CHECKING:
    from agent_parsers.engine.calls.brackets import BracketCall
    from agent_parsers.engine.calls.code.python_calls import PythonCalls
    from agent_parsers.engine.calls.json.blocks import JsonCalls
    from agent_parsers.engine.calls.json.call import JsonCall
    from agent_parsers.engine.calls.json.members import CallKeys
    from agent_parsers.engine.calls.json.named_json import Head, NamedJson
    from agent_parsers.engine.calls.json.rules import JsonCallRules
    from agent_parsers.engine.calls.raw_values import RawValue
    from agent_parsers.engine.calls.reader import Call, CallReader, EmittingReader
    from agent_parsers.engine.calls.tags.form import Attributes, Element, Named, TaggedForm, TagPart
    from agent_parsers.engine.calls.tags.pair import TagCall
    from agent_parsers.engine.grammar.dialect import Dialect, Result
    from agent_parsers.engine.grammar.labels import with_labels
    from agent_parsers.engine.grammar.problems import Problem
    from agent_parsers.engine.grammar.table import EndTurn, Go, Note, Part, Table, Transition
    from agent_parsers.engine.grammar.words import PromptWords
    from agent_parsers.engine.markers.kinds import Ahead, Inline, Label, Literal, Marker
    from agent_parsers.engine.markers.mentions import Given
    from agent_parsers.engine.repairs.json_inputs import read_json_input, write_json_input
    from agent_parsers.engine.repairs.payloads import unreadable
    from agent_parsers.engine.writing.prompt import instructions, replies
    from agent_parsers.engine.writing.tool_lists import list_functions, list_schemas
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
    from agent_parsers.families.call_tables import calls_table
    from agent_parsers.families.headed_blocks import HeadedPayload
    from agent_parsers.families.json_blocks import (
        LIST_PROBLEMS,
        PROBLEMS,
        JsonPayload,
        bare_rules,
        block_rules,
    )
    from agent_parsers.families.named_blocks import NamedPayload
    from agent_parsers.families.results_writer import (
        LINES,
        TAGS,
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
    "ONE_CALL_PROMPT",
    "PROBLEMS",
    "SAMPLE_TURN",
    "TAGS",
    "Ahead",
    "Attributes",
    "BracketCall",
    "Call",
    "CallForm",
    "CallFormat",
    "CallKeys",
    "CallReader",
    "Dialect",
    "Element",
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
    "Named",
    "NamedJson",
    "NamedPayload",
    "Note",
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
    "unreadable",
    "with_labels",
    "write_json",
    "write_json_input",
    "write_python_value",
    "write_value",
]

_MODULES = {
    "BracketCall": "agent_parsers.engine.calls.brackets",
    "PythonCalls": "agent_parsers.engine.calls.code.python_calls",
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
    "Dialect": "agent_parsers.engine.grammar.dialect",
    "Result": "agent_parsers.engine.grammar.dialect",
    "CallForm": "agent_parsers.forms.form",
    "Form": "agent_parsers.forms.form",
    "ParameterForm": "agent_parsers.forms.form",
    "Written": "agent_parsers.forms.form",
    "WrittenCall": "agent_parsers.forms.form",
    "with_labels": "agent_parsers.engine.grammar.labels",
    "Problem": "agent_parsers.engine.grammar.problems",
    "EndTurn": "agent_parsers.engine.grammar.table",
    "Go": "agent_parsers.engine.grammar.table",
    "Note": "agent_parsers.engine.grammar.table",
    "Part": "agent_parsers.engine.grammar.table",
    "Table": "agent_parsers.engine.grammar.table",
    "Transition": "agent_parsers.engine.grammar.table",
    "PromptWords": "agent_parsers.engine.grammar.words",
    "Ahead": "agent_parsers.engine.markers.kinds",
    "Given": "agent_parsers.engine.markers.mentions",
    "Inline": "agent_parsers.engine.markers.kinds",
    "Label": "agent_parsers.engine.markers.kinds",
    "Literal": "agent_parsers.engine.markers.kinds",
    "Marker": "agent_parsers.engine.markers.kinds",
    "read_json_input": "agent_parsers.engine.repairs.json_inputs",
    "write_json_input": "agent_parsers.engine.repairs.json_inputs",
    "unreadable": "agent_parsers.engine.repairs.payloads",
    "instructions": "agent_parsers.engine.writing.prompt",
    "replies": "agent_parsers.engine.writing.prompt",
    "list_functions": "agent_parsers.engine.writing.tool_lists",
    "list_schemas": "agent_parsers.engine.writing.tool_lists",
    "CALLS_PROMPT": "agent_parsers.families.call_blocks",
    "ONE_CALL_PROMPT": "agent_parsers.families.call_blocks",
    "SAMPLE_TURN": "agent_parsers.families.call_blocks",
    "CallFormat": "agent_parsers.families.call_blocks",
    "Payload": "agent_parsers.families.call_blocks",
    "calls_dialect": "agent_parsers.families.call_blocks",
    "calls_table": "agent_parsers.families.call_tables",
    "list_tools": "agent_parsers.families.call_blocks",
    "list_tools_in_tags": "agent_parsers.families.call_blocks",
    "HeadedPayload": "agent_parsers.families.headed_blocks",
    "LIST_PROBLEMS": "agent_parsers.families.json_blocks",
    "PROBLEMS": "agent_parsers.families.json_blocks",
    "JsonPayload": "agent_parsers.families.json_blocks",
    "NamedPayload": "agent_parsers.families.named_blocks",
    "bare_rules": "agent_parsers.families.json_blocks",
    "block_rules": "agent_parsers.families.json_blocks",
    "TaggedPayload": "agent_parsers.families.tagged",
    "tagged_table": "agent_parsers.families.tagged",
    "LINES": "agent_parsers.families.results_writer",
    "ResultForm": "agent_parsers.families.results_writer",
    "ResultsWriter": "agent_parsers.families.results_writer",
    "TAGS": "agent_parsers.families.results_writer",
    "chatml": "agent_parsers.families.results_writer",
    "inputs_of": "agent_parsers.forms.form",
    "numbered_id": "agent_parsers.families.results_writer",
    "role_frame": "agent_parsers.families.results_writer",
    "write_json": "agent_parsers.forms.form",
    "write_python_value": "agent_parsers.forms.form",
    "write_value": "agent_parsers.forms.form",
}
"""The module of each name that is imported at its first use."""

if not TYPE_CHECKING:  # checkers would take any name to exist
    __getattr__, __dir__ = late_names(__name__, globals(), _MODULES)
