"""What each form of grammar says and refuses, and the fields of requests."""

from __future__ import annotations

import json
import re
from functools import partial
from typing import Any

import pytest

from agent_parsers import AgentAction, get_parser
from agent_parsers.constrain import GrammarError
from agent_parsers.constrain.parts.automaton import intersection
from agent_parsers.constrain.parts.markless import marks_of, text_without
from agent_parsers.registry.dialects_by_name import get_dialect

from ...helpers.grammar_engines import Llguidance, Xgrammar, needs

SEARCH = {
    "name": "search",
    "parameters": {
        "type": "object",
        "properties": {"query": {"type": "string"}, "limit": {"type": "integer", "minimum": 2}},
        "required": ["query"],
    },
}


def tool(**schema: Any) -> dict[str, Any]:
    return {"name": "search", "parameters": {"type": "object", "properties": {"x": schema}}}


# -- texts -----------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "is_thought"),
    [
        ("my Action x", True),
        ("Final Answe", True),
        ("an Action Input: is no action", True),  # strict reading only notes it
        ("", True),
        ("so Action 1: x", False),
        ("Action\t2\u3000: x", False),
        ("FinalFinal Answer:", False),
        ("x\nThought: y", False),
        ("x Thought: y", True),
        ("x\nThoughts: y", True),
        ("x\nObservation: y", False),  # a server stops there
    ],
)
def test_text_without_the_labels_of_react(text: str, is_thought: bool) -> None:
    marks = marks_of(get_dialect("react"))
    thought = marks.text(marks.begin, "\nAction: ")
    assert thought.accepts(text) is is_thought


def test_a_text_may_not_complete_a_mark_with_what_follows() -> None:
    texts = text_without(("aab",), "ab")
    assert texts.accepts("xa") is False  # "xa" and "ab" have "aab" in them
    assert texts.accepts("xb")


def test_the_texts_that_two_automata_accept() -> None:
    both = intersection(text_without(("ab",)), text_without(("bc",)))
    assert [both.accepts(text) for text in ("acb", "xab", "bcx")] == [True, False, False]
    assert both == intersection(text_without(("bc",)), text_without(("ab",)))


# -- what forms cannot say -------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("dialect", "form", "tools", "reason"),
    [
        ("react", "json_schema", [SEARCH], "a call has text around its JSON"),
        ("xlam", "json_schema", [SEARCH], "an answer is free text"),
        ("hermes", "regex", ["search"], "cannot be recursive"),
        ("qwen3_coder", "gbnf", ["search"], "'search' has no schema"),
        ("smolagents_code", "gbnf", [SEARCH], "by a function"),
        ("self_ask", "gbnf", [SEARCH], "self_ask can call only 'Intermediate Answer'"),
        ("mistral", "gbnf", ["two words"], "cannot write the name of the tool 'two words'"),
        ("hermes", "lark", [], "no tools to call"),
    ],
)
def test_what_cannot_be_said_is_refused(
    dialect: str, form: Any, tools: list[Any], reason: str
) -> None:
    parser = get_parser(dialect, tools=tools)
    with pytest.raises(GrammarError, match=re.escape(reason)) as caught:
        parser.grammar(form)
    assert str(caught.value).startswith(f"no {form!r} grammar can be made for {dialect}: ")
    assert "\n" not in str(caught.value)


def test_wrong_options() -> None:
    parser = get_parser("react", tools=[SEARCH])
    with pytest.raises(ValueError, match="there is no grammar form 'bnf'; the forms are 'lark'"):
        parser.grammar("bnf")  # type: ignore[call-overload]
    with pytest.raises(ValueError, match=r"there is no server 'ollama'.* The servers are 'vllm'"):
        parser.structured_outputs("ollama")  # type: ignore[arg-type]
    with pytest.raises(ValueError, match="turn must be one of"):
        parser.grammar("gbnf", turn="all")  # type: ignore[typeddict-item]
    with pytest.raises(ValueError, match="max_calls must be at least 1"):
        parser.grammar("gbnf", max_calls=0)
    with pytest.raises(ValueError, match="max_thought must be at least 0"):
        parser.grammar("gbnf", max_thought=-1)
    with pytest.raises(ValueError, match="remove thoughts=False"):
        parser.grammar("gbnf", start="thought", thoughts=False)


def test_without_schemas_inputs_are_of_any_kind() -> None:
    needs("llguidance")
    parser = get_parser("hermes", tools=[tool(type="string", pattern="a+")])
    grammar = Llguidance("lark", parser.grammar("lark", schema_inputs=False))
    assert grammar.accepts('<tool_call>\n{"name": "search", "arguments": {"y": [1]}}\n</tool_call>')


# -- what forms say --------------------------------------------------------------------------------


@pytest.mark.parametrize("form", ["lark", "gbnf", "regex", "structural_tag"])
def test_forms_agree(form: Any) -> None:
    needs("xgrammar")
    parser = get_parser("react", tools=[SEARCH])
    engine = Xgrammar(form, parser.grammar(form))
    call = "Action: search\nAction Input: "
    for text, is_turn in {
        f'{call}{{"query": "a", "limit": 12}}': True,
        f"Thought: so\n{call}any words": True,
        "so\nFinal Answer: 42": True,
        f'{call}{{"query": "Final Answer: 1"}}': False,
        f'{call}{{"query": "a", "limit": 1}}': False,
        f'{call}{{"limit": 3}}': False,
        "Action: find\nAction Input: x": False,
        "Action 1: x\nFinal Answer: 42": False,
        "no label": False,
    }.items():
        assert engine.accepts(text) is is_turn, text


def test_lark_after_the_mark_has_any_character() -> None:
    """xgrammar 0.2.8 takes ``/.*/s`` after a mark for any text, even without the mark."""
    needs("xgrammar")
    parser = get_parser("react", tools=[SEARCH])
    engine = Xgrammar("lark", parser.grammar("lark", turn="answer"))
    assert engine.accepts("Final Answer: a\nb\u2028c\r\n")
    assert not engine.accepts("a\nb")


@pytest.mark.parametrize("dialect", ["react_llamaindex", "hermes", "json"])
def test_engines_read_regular_expressions(dialect: str) -> None:
    needs("llguidance")
    parser = get_parser(dialect, tools=[SEARCH])
    written = parser.grammar("regex", turn="call")
    re.compile(written)
    engine = Llguidance("regex", written)
    for given in ({"query": "a"}, {"query": "ü\n", "limit": 3}):
        assert engine.accepts(parser.render(AgentAction(tool="search", tool_input=given, log="")))
    assert not engine.accepts("search")


@pytest.mark.parametrize("dialect", ["json", "xlam", "llama3_json"])
def test_json_schemas_are_of_turns(dialect: str) -> None:
    needs("llguidance")
    node = {"properties": {"kids": {"type": "array", "items": {"$ref": "#/$defs/node"}}}}
    tree = tool(**{"$ref": "#/$defs/node"})
    tree["parameters"]["$defs"] = {"node": {"type": "object", **node}}
    parser = get_parser(dialect, tools=[tree, {**SEARCH, "name": "find"}], lenient=False)
    schema = parser.grammar("json_schema", turn="call")
    engine = Llguidance("json_schema", schema)
    keys = ("action", "action_input") if dialect == "json" else ("name", "arguments")
    if dialect == "llama3_json":
        keys = ("name", "parameters")
    for name, given, is_turn in [
        ("search", {"x": {"kids": [{"kids": []}]}}, True),
        ("find", {"query": "a", "limit": 3}, True),
        ("find", {"x": 3}, False),
        ("other", {}, False),
    ]:
        call: Any = dict(zip(keys, (name, given), strict=True))
        text = json.dumps([call] if dialect == "xlam" else call)
        assert engine.accepts(text) is is_turn, text
        if is_turn:
            result = parser.parse(text)
            action = result[0] if isinstance(result, list) else result
            assert (action.tool, action.tool_input) == (name, given)  # type: ignore[union-attr]


def test_the_fields_of_requests() -> None:
    parser = get_parser("react", tools=[SEARCH])
    lark, gbnf = parser.grammar("lark"), parser.grammar("gbnf")
    assert parser.structured_outputs("vllm") == {"structured_outputs": {"grammar": lark}}
    assert "::=" not in lark
    assert parser.structured_outputs("sglang") == {"ebnf": gbnf}
    assert parser.structured_outputs("llama_cpp") == {"grammar": gbnf}
    assert parser.grammar("llguidance") == f"%llguidance {{}}\n{lark}"
    (made,) = parser.structured_outputs("openai_tool")["tools"]
    assert made["format"] == {"type": "grammar", "syntax": "lark", "definition": lark}
    (chat,) = parser.structured_outputs("openai_chat_tool")["tools"]
    nested = {"syntax": "lark", "definition": lark}
    assert chat["custom"]["format"] == {"type": "grammar", "grammar": nested}
    schema = get_parser("json", tools=[SEARCH]).structured_outputs("anthropic")
    assert schema["output_config"]["format"]["type"] == "json_schema"


def test_a_prompt_that_opens_a_thought() -> None:
    told = get_parser("hermes", tools=[SEARCH], prompt="<|im_start|>assistant\n<think>\n")
    asked = get_parser("hermes", tools=[SEARCH])
    assert told.grammar("gbnf") == asked.grammar("gbnf", start="thought")
    assert told.grammar("gbnf") != asked.grammar("gbnf")


def test_an_unknown_option_is_told_how_one_tool_is_forced() -> None:
    parser: Any = get_parser("react", tools=["mill", "inn"])
    for ask in (partial(parser.grammar, "regex"), partial(parser.structured_outputs, "vllm")):
        for name in ("tool", "tool_choice"):
            with pytest.raises(TypeError, match=f"no option '{name}'; to force one tool"):
                ask(**{name: "mill"})
