"""The building blocks of dialects, for writing your own.

``docs/dialects.md`` shows how to write a dialect, and ``docs/call-dialects.md`` how to add the tool
calls of a model. These names are stable, even if the engine behind them changes.
"""

from typing import TYPE_CHECKING

from outputs.lazy_names import late_names, modules_of

if TYPE_CHECKING:
    from agent_parsers.engine.calls.brackets import BracketCall as BracketCall
    from agent_parsers.engine.calls.code.python_calls import PythonCalls as PythonCalls
    from agent_parsers.engine.calls.json.blocks import JsonCalls as JsonCalls
    from agent_parsers.engine.calls.json.call import JsonCall as JsonCall
    from agent_parsers.engine.calls.json.members import CallKeys as CallKeys
    from agent_parsers.engine.calls.json.named_json import Head as Head
    from agent_parsers.engine.calls.json.named_json import NamedJson as NamedJson
    from agent_parsers.engine.calls.json.rules import JsonCallRules as JsonCallRules
    from agent_parsers.engine.calls.raw_values import RawValue as RawValue
    from agent_parsers.engine.calls.reader import Call as Call
    from agent_parsers.engine.calls.reader import CallReader as CallReader
    from agent_parsers.engine.calls.reader import EmittingReader as EmittingReader
    from agent_parsers.engine.calls.tags.form import Attributes as Attributes
    from agent_parsers.engine.calls.tags.form import Element as Element
    from agent_parsers.engine.calls.tags.form import Named as Named
    from agent_parsers.engine.calls.tags.form import TaggedForm as TaggedForm
    from agent_parsers.engine.calls.tags.form import TagPart as TagPart
    from agent_parsers.engine.calls.tags.pair import TagCall as TagCall
    from agent_parsers.engine.markers.kinds import Ahead as Ahead
    from agent_parsers.engine.markers.kinds import Inline as Inline
    from agent_parsers.engine.markers.kinds import Label as Label
    from agent_parsers.engine.markers.kinds import Literal as Literal
    from agent_parsers.engine.markers.kinds import Marker as Marker
    from agent_parsers.engine.markers.mentions import Given as Given
    from agent_parsers.engine.repairs.payloads import read_json_input as read_json_input
    from agent_parsers.engine.repairs.payloads import unreadable as unreadable
    from agent_parsers.engine.repairs.payloads import write_json_input as write_json_input
    from agent_parsers.engine.repairs.python_values import (
        write_single_quoted as write_single_quoted,
    )
    from agent_parsers.engine.tables.dialect import Dialect as Dialect
    from agent_parsers.engine.tables.dialect import PromptWords as PromptWords
    from agent_parsers.engine.tables.dialect import Result as Result
    from agent_parsers.engine.tables.labels import with_labels as with_labels
    from agent_parsers.engine.tables.modes import MAX_CHARS as MAX_CHARS
    from agent_parsers.engine.tables.modes import EmitCalls as EmitCalls
    from agent_parsers.engine.tables.modes import Mode as Mode
    from agent_parsers.engine.tables.modes import OnConflict as OnConflict
    from agent_parsers.engine.tables.problems import Problem as Problem
    from agent_parsers.engine.tables.table import EndTurn as EndTurn
    from agent_parsers.engine.tables.table import Go as Go
    from agent_parsers.engine.tables.table import Note as Note
    from agent_parsers.engine.tables.table import Part as Part
    from agent_parsers.engine.tables.table import Table as Table
    from agent_parsers.engine.tables.table import Transition as Transition
    from agent_parsers.engine.writing.escape import escape as escape
    from agent_parsers.engine.writing.escape import unescape as unescape
    from agent_parsers.engine.writing.prompt import instructions as instructions
    from agent_parsers.engine.writing.prompt import list_functions as list_functions
    from agent_parsers.engine.writing.prompt import list_schemas as list_schemas
    from agent_parsers.engine.writing.prompt import replies as replies
    from agent_parsers.families.call_blocks import CALLS_PROMPT as CALLS_PROMPT
    from agent_parsers.families.call_blocks import ONE_CALL_PROMPT as ONE_CALL_PROMPT
    from agent_parsers.families.call_blocks import SAMPLE_TURN as SAMPLE_TURN
    from agent_parsers.families.call_blocks import CallFormat as CallFormat
    from agent_parsers.families.call_blocks import Payload as Payload
    from agent_parsers.families.call_blocks import calls_dialect as calls_dialect
    from agent_parsers.families.call_blocks import list_tools as list_tools
    from agent_parsers.families.call_blocks import list_tools_in_tags as list_tools_in_tags
    from agent_parsers.families.call_tables import AnswerBlock as AnswerBlock
    from agent_parsers.families.call_tables import calls_table as calls_table
    from agent_parsers.families.json_blocks import LIST_PROBLEMS as LIST_PROBLEMS
    from agent_parsers.families.json_blocks import PROBLEMS as PROBLEMS
    from agent_parsers.families.json_blocks import HeadedPayload as HeadedPayload
    from agent_parsers.families.json_blocks import JsonPayload as JsonPayload
    from agent_parsers.families.json_blocks import NamedPayload as NamedPayload
    from agent_parsers.families.json_blocks import bare_rules as bare_rules
    from agent_parsers.families.json_blocks import block_rules as block_rules
    from agent_parsers.families.results_writer import LINES as LINES
    from agent_parsers.families.results_writer import TAGS as TAGS
    from agent_parsers.families.results_writer import NumberedIds as NumberedIds
    from agent_parsers.families.results_writer import ResultForm as ResultForm
    from agent_parsers.families.results_writer import ResultsWriter as ResultsWriter
    from agent_parsers.families.results_writer import chatml as chatml
    from agent_parsers.families.results_writer import numbered_id as numbered_id
    from agent_parsers.families.results_writer import role_frame as role_frame
    from agent_parsers.families.tagged import TaggedPayload as TaggedPayload
    from agent_parsers.families.tagged import tagged_table as tagged_table
    from agent_parsers.forms.form import CallForm as CallForm
    from agent_parsers.forms.form import Form as Form
    from agent_parsers.forms.form import Marks as Marks
    from agent_parsers.forms.form import ParameterForm as ParameterForm
    from agent_parsers.forms.form import Written as Written
    from agent_parsers.forms.form import WrittenCall as WrittenCall
    from agent_parsers.forms.form import inputs_of as inputs_of
    from agent_parsers.forms.form import write_json as write_json
    from agent_parsers.forms.form import write_python_value as write_python_value
    from agent_parsers.forms.form import write_value as write_value

API_VERSION = 1
"""The version of this module. It changes only when a dialect that was written for it may break."""

_MODULES = modules_of(
    {
        "agent_parsers.engine.calls.brackets": "BracketCall",
        "agent_parsers.engine.calls.code.python_calls": "PythonCalls",
        "agent_parsers.engine.repairs.python_values": "write_single_quoted",
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
    __getattr__, __dir__, __all__ = late_names(__name__, globals(), _MODULES)
