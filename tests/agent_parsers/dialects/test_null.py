"""`null` in inputs: it is written wherever the schema allows it, and read back."""

from __future__ import annotations

from typing import Any

import pytest

from agent_parsers import AgentAction, get_parser, list_dialects

DIALECTS = [name for name in list_dialects() if name not in ("self_ask", "smolagents_code")]
"""Dialects that name their tools."""
TAGGED = ("anthropic_xml", "glm45", "kimi_k3", "minimax_m3", "qwen3_coder")
"""Some that write values as text between tags."""
ALLOW_NULL: dict[str, dict[str, Any]] = {
    "a type": {"type": ["integer", "null"]},
    "text or null": {"anyOf": [{"type": "string"}, {"type": "null"}], "default": None},
    "an enumeration": {"enum": ["asc", None]},
    "any value": {},
    "a reference": {"$ref": "#/$defs/maybe"},
}


def tool(limit: dict[str, Any]) -> dict[str, Any]:
    schema = {
        "type": "object",
        "properties": {"query": {"type": "string"}, "limit": limit},
        "$defs": {"maybe": {"type": ["string", "null"]}},
    }
    return {"name": "search", "parameters": schema}


@pytest.mark.parametrize("schema", ALLOW_NULL.values(), ids=[*ALLOW_NULL])
@pytest.mark.parametrize("dialect", DIALECTS)
def test_null_is_written_and_read_back(dialect: str, schema: dict[str, Any]) -> None:
    parser = get_parser(dialect, tools=[tool(schema)], lenient=False)
    given = {"query": "a", "limit": None}
    text = parser.render(AgentAction(tool="search", tool_input=given, log=""))
    result: Any = parser.parse(text)
    (action,) = result if isinstance(result, list) else [result]
    assert action.tool_input == given


@pytest.mark.parametrize("dialect", TAGGED)
def test_a_text_that_would_be_read_as_null_is_refused(dialect: str) -> None:
    parser = get_parser(dialect, tools=[tool(ALLOW_NULL["text or null"])])
    action = AgentAction(tool="search", tool_input={"query": "a", "limit": "null"}, log="")
    with pytest.raises(ValueError, match=r"input .* is read back as .*'limit': None"):
        parser.render(action)


@pytest.mark.parametrize("dialect", TAGGED)
def test_a_key_that_is_not_declared_has_the_type_of_those(dialect: str) -> None:
    schema = {"type": "object", "additionalProperties": {"type": "string"}}
    parser = get_parser(dialect, tools=[{"name": "search", "parameters": schema}])
    given = {"query": "null"}
    text = parser.render(AgentAction(tool="search", tool_input=given, log=""))
    result: Any = parser.parse(text)
    assert result[0].tool_input == given
