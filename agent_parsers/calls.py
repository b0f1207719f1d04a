"""What dialects are made of whose turns may have several calls, for dialects of your own.

``docs/call-dialects.md`` shows how. Tables: `calls_table`, `tagged_table`, `list_dialect`. Readers
of what a block holds: `JsonCalls`, `NamedJson`, `TaggedForm`, `PythonCalls`. The way back:
`TurnWriter`, `ResultsWriter`.
"""

from agent_parsers.dialects._json_blocks import (
    LIST_PROBLEMS,
    PROBLEMS,
    bare_rules,
    block_rules,
    json_dialect,
    list_dialect,
    write_named,
)
from agent_parsers.dialects._tagged import tagged_table
from agent_parsers.dialects._tool_calls import (
    CALLS_PROMPT,
    ONE_CALL_PROMPT,
    calls_dialect,
    calls_table,
    list_tools,
    list_tools_in_tags,
)
from agent_parsers.dialects._writing import (
    LINES,
    TAGS,
    ResultsWriter,
    TurnWriter,
    chatml,
    inputs_of,
    write_json,
    write_value,
)
from agent_parsers.engine import Result, Written, WrittenCall
from agent_parsers.engine._json_blocks import JsonCalls
from agent_parsers.engine._named_json import Head, NamedJson
from agent_parsers.engine._python_calls import PythonCalls
from agent_parsers.engine._tagged_form import Attributes, Element, Named, Part, TaggedForm

__all__ = [
    "CALLS_PROMPT",
    "LINES",
    "LIST_PROBLEMS",
    "ONE_CALL_PROMPT",
    "PROBLEMS",
    "TAGS",
    "Attributes",
    "Element",
    "Head",
    "JsonCalls",
    "Named",
    "NamedJson",
    "Part",
    "PythonCalls",
    "Result",
    "ResultsWriter",
    "TaggedForm",
    "TurnWriter",
    "Written",
    "WrittenCall",
    "bare_rules",
    "block_rules",
    "calls_dialect",
    "calls_table",
    "chatml",
    "inputs_of",
    "json_dialect",
    "list_dialect",
    "list_tools",
    "list_tools_in_tags",
    "tagged_table",
    "write_json",
    "write_named",
    "write_value",
]
