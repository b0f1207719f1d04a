"""Which dialects have a response template, and what is in it."""

from __future__ import annotations

from typing import Any

import pytest

from agent_parsers import list_dialects
from agent_parsers.templates import TemplateError, from_response_template, response_template

from ....helpers.response_templates import exports

PYTHON = "its calls are Python, which no content parser of a template reads"
APART = "content beside its calls is not spelt like an answer, and both are one field"
REFUSED = {
    "anthropic_xml": APART,
    "apertus": "the names of its tools are keys in JSON, which no template reads",
    "command_5": "the calls of command_5 are written by a function, which does not say their"
    " spelling",
    "command_a": APART,
    "command_a_plus": APART,
    "hunyuan_a13b": "what it writes around content has its calls inside",
    "json_toolcall": APART,
    "kimi_k3": "the calls of kimi_k3 are written by a function, which does not say their spelling",
    "lfm2": PYTHON,
    "llama4_pythonic": PYTHON,
    "minicpm3": PYTHON,
    "minimax_m1": "its calls stand in one block in a row that is no list",
    "minimax_m3": "its lists and objects have tags inside, and a template reads flat ones",
    "olmo3": PYTHON,
    "pythonic": PYTHON,
    "smolagents_code": "its turns are written by a function, which does not say their spelling",
}
JSON_ANSWERS = {"conversational_chat", "json", "structured_chat"}
"""Dialects whose answers are JSON, which only transformers reads, not vLLM and SGLang."""


def tool(name: str, **parameters: str) -> dict[str, Any]:
    properties = {key: {"type": kind} for key, kind in parameters.items()}
    return {"name": name, "parameters": {"type": "object", "properties": properties}}


@pytest.mark.parametrize("name", REFUSED)
def test_what_a_template_cannot_say_is_refused(name: str) -> None:
    with pytest.raises(TemplateError) as raised:
        response_template(name)
    assert str(raised.value) == f"{name} has no response template: {REFUSED[name]}"


def test_all_other_dialects_have_one() -> None:
    assert {*exports()} == {*list_dialects()} - {*REFUSED}


def test_servers_take_all_but_answers_in_json() -> None:
    """The rules of the parsers ``hf`` of vLLM and ``response_template`` of SGLang."""
    for name, template in exports().items():
        fields = template["fields"]
        assert {*fields} <= {"thinking", "content", "tool_calls"}
        assert {*template["defaults"]} == {"role"}
        texts = [fields[each] for each in ("thinking", "content") if each in fields]
        is_served = all(f["content"] == "text" and "transform" not in f for f in texts)
        assert is_served is (name not in JSON_ANSWERS)


@pytest.mark.parametrize(
    ("tools", "arguments", "content"),
    [
        (None, "{content}", "text"),
        ([tool("search", query="string")], {"query": "{content}"}, "text"),
        ([tool("a", query="string"), tool("b", query="string")], {"query": "{content}"}, "text"),
        ([tool("a", query="string"), tool("b", word="string")], "{content}", "text"),
        ([tool("a", x="string", y="string"), tool("b", count="integer")], "{content}", "json"),
        ([tool("a", query="string"), tool("b", x="string", y="string")], "{content}", "text"),
    ],
)
def test_an_input_that_is_text_becomes_what_the_tools_take(
    tools: Any, arguments: Any, content: str
) -> None:
    field = response_template("react", tools=tools)["fields"]["tool_calls"]
    assert field["transform"]["function"]["arguments"] == arguments
    assert field["content"] == content


def test_an_input_is_an_argument_by_name() -> None:
    tools = [tool("search", query="string")]
    parser = from_response_template(response_template("react", tools=tools), tools=tools)
    (action,) = parser.parse("Thought: Hm.\nAction: search\nAction Input: old bridge")
    assert action.tool_input == {"query": "old bridge"}


def test_the_anchor_is_that_of_the_model() -> None:
    assert response_template("hermes")["start_anchor"] == ["<|im_start|>assistant"]
    assert "<|im_start|>assistant" in response_template("react")["start_anchor"]
    assert response_template("react", start_anchor="[/INST]")["start_anchor"] == ["[/INST]"]


def test_a_closer_that_servers_leave_out_may_be_missing() -> None:
    parser = from_response_template(response_template("dots"))
    text = '<dots_function_call>\n<invoke name="f">\n<parameter name="a">1</parameter>\n</invoke>\n'
    for written in (text, f"{text}</dots_function_call>"):
        (action,) = parser.parse(written)
        assert action.tool_input == {"a": "1"}


def test_a_text_with_two_parts_is_cut_at_their_labels() -> None:
    parser = from_response_template(response_template("react"))
    (action,) = parser.parse("Action: a\nAction Input: x\nFinal Answer: y\nObservation: z")
    assert (action.tool, action.tool_input) == ("a", "x")
