"""The detectors in SGLang's own classes, where these can be imported; skipped where they cannot.

Nothing of SGLang stands in: its `FunctionCallParser`, the tools of requests and xgrammar are the
real ones. There is no engine, and no parser of reasoning before.
"""

import json
from typing import Any

import pytest

module = pytest.importorskip("sglang.srt.function_call.function_call_parser")
protocol = pytest.importorskip("sglang.srt.entrypoints.openai.protocol")
xgrammar = pytest.importorskip("xgrammar")
plugin = pytest.importorskip("agent_serving.sglang")

SCHEMA = {"type": "object", "properties": {"query": {"type": "string"}}, "required": ["query"]}
TOOLS = [
    protocol.Tool(type="function", function={"name": "search", "parameters": SCHEMA}),
    protocol.Tool(type="function", function={"name": "ping"}),
]
NAMED = protocol.ToolChoice(type="function", function={"name": "ping"})
CALL = '<tool_call>\n{"name": "search", "arguments": {"query": "Lake Thun"}}\n</tool_call>'
PING = '<tool_call>\n{"name": "ping", "arguments": {}}\n</tool_call>'


@pytest.fixture(autouse=True)
def _registered() -> None:
    plugin.register()


def parser(name: str = "ap_hermes", tools: Any = TOOLS) -> Any:
    return module.FunctionCallParser(tools, name)


def test_calls_whole_and_streamed() -> None:
    content, calls = parser().parse_non_stream(f"I look.{CALL}{PING}")
    assert content == "I look."
    assert [(call.name, call.parameters) for call in calls] == [
        ("search", '{"query": "Lake Thun"}'),
        ("ping", "{}"),
    ]
    growing = parser()
    items = [item for char in CALL for item in growing.parse_stream_chunk(char)[1]]
    assert [item.name for item in items] == ["search", *[None] * (len(items) - 1)]
    assert "".join(item.parameters for item in items) == '{"query": "Lake Thun"}'
    assert len(items) > 8
    assert growing.parse_stream_end() == ("", [])


def takes(constraint: Any, text: str) -> bool:
    """Return whether a *constraint* lets a model write *text* and stop."""
    kind, tag = constraint
    assert kind == "structural_tag"
    letters = [chr(code) for code in range(128)]
    info = xgrammar.TokenizerInfo([*letters, "<end>"], stop_token_ids=[128])
    compiler = xgrammar.GrammarCompiler(info)
    grammar = compiler.compile_structural_tag(json.dumps(tag.model_dump(by_alias=True)))
    matcher = xgrammar.GrammarMatcher(grammar)
    return matcher.accept_string(text) and matcher.accept_token(128)


CONSTRAINED: list[tuple[Any, bool, dict[str, bool] | None]] = [
    # the choice, whether there may be several calls, and which texts a model can write
    ("auto", True, None),
    ("required", True, {"Hi.": False, CALL: True, f"{PING}\n{PING}": True}),
    ("required", False, {PING: True, f"{PING}\n{PING}": False}),
    (NAMED, True, {PING: True, CALL: False, "Hi.": False}),
]


@pytest.mark.parametrize(("choice", "parallel", "texts"), CONSTRAINED)
def test_what_a_model_can_write(choice: Any, parallel: bool, texts: Any) -> None:
    constraint = parser().get_structure_constraint(choice, parallel_tool_calls=parallel)
    assert (constraint is None) is (texts is None)
    for text, is_right in (texts or {}).items():
        assert takes(constraint, text) is is_right, text


def test_strict_tools_and_thoughts() -> None:
    function = {"name": "search", "parameters": SCHEMA, "strict": True}
    strict = [protocol.Tool(type="function", function=function)]
    constraint = parser(tools=strict).get_structure_constraint("auto", thinking_mode=True)
    for text, is_right in ((CALL, True), ("Hi.", True), (CALL.replace("query", "q"), False)):
        assert takes(constraint, text) is is_right
        assert takes(constraint, f"<think>\nHm.\n</think>\n\n{text}") is is_right


def test_without_a_grammar_nothing_is_constrained() -> None:
    assert parser("ap_kimi_k3").get_structure_constraint("required") is None
    assert parser("ap_kimi_k3").owns_tool_format()
