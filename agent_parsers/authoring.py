"""The building blocks of dialects, for writing your own.

``docs/dialects.md`` shows how to write a dialect, and ``docs/call-dialects.md`` how to add the tool
calls of a model. These names are stable, even if the engine behind them changes.
"""

from typing import TYPE_CHECKING

from outputs.lazy_names import late_names, modules_of

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

_MODULES = modules_of(
    {
        "agent_parsers.engine.calls.brackets": "BracketCall",
        "agent_parsers.engine.calls.code.python_calls": "PythonCalls",
        "agent_parsers.engine.calls.code.python_values": "write_single_quoted",
        "agent_parsers.engine.calls.json.blocks": "JsonCalls",
        "agent_parsers.engine.calls.json.call": "JsonCall",
        "agent_parsers.engine.calls.json.members": "CallKeys",
        "agent_parsers.engine.calls.json.named_json": "Head NamedJson",
        "agent_parsers.engine.calls.json.rules": "JsonCallRules",
        "agent_parsers.engine.calls.raw_values": "RawValue",
        "agent_parsers.engine.calls.reader": "Call CallReader EmittingReader",
        "agent_parsers.engine.calls.tags.form": "Attributes Element Named TagPart TaggedForm",
        "agent_parsers.engine.calls.tags.pair": "TagCall",
        "agent_parsers.engine.markers.kinds": "Ahead Inline Label Literal Marker",
        "agent_parsers.engine.markers.mentions": "Given",
        "agent_parsers.engine.repairs.payloads": "read_json_input unreadable write_json_input",
        "agent_parsers.engine.tables.dialect": "Dialect PromptWords Result",
        "agent_parsers.engine.tables.labels": "with_labels",
        "agent_parsers.engine.tables.modes": "MAX_CHARS EmitCalls Mode OnConflict",
        "agent_parsers.engine.tables.problems": "Problem",
        "agent_parsers.engine.tables.table": "EndTurn Go Note Part Table Transition",
        "agent_parsers.engine.writing.escape": "escape unescape",
        "agent_parsers.engine.writing.prompt": "instructions list_functions list_schemas replies",
        "agent_parsers.families.call_blocks": (
            "CALLS_PROMPT ONE_CALL_PROMPT SAMPLE_TURN CallFormat Payload calls_dialect list_tools"
            " list_tools_in_tags"
        ),
        "agent_parsers.families.call_tables": "AnswerBlock calls_table",
        "agent_parsers.families.json_blocks": (
            "LIST_PROBLEMS PROBLEMS HeadedPayload JsonPayload NamedPayload bare_rules block_rules"
        ),
        "agent_parsers.families.results_writer": (
            "LINES TAGS NumberedIds ResultForm ResultsWriter chatml numbered_id role_frame"
        ),
        "agent_parsers.families.tagged": "TaggedPayload tagged_table",
        "agent_parsers.forms.form": (
            "CallForm Form Marks ParameterForm Written WrittenCall inputs_of write_json"
            " write_python_value write_value"
        ),
    }
)
"""The module of each name that is imported at its first use."""

if not TYPE_CHECKING:  # checkers would take any name to exist
    __getattr__, __dir__ = late_names(__name__, globals(), _MODULES)
