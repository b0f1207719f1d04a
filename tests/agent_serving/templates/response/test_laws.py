"""Which dialects have a response template, and that it reads what its dialect reads."""

from __future__ import annotations

from contextlib import suppress
from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agent_laws.trials.stories import results_in
from agent_laws.trials.strategies import cuts, texts, turns
from agent_parsers import (
    OutputParserException,
    get_dialect,
    get_parser,
    list_dialects,
    merge_events,
)
from agent_parsers.core import SLOTS
from agent_parsers.engine.reading.turn import turn_of
from agent_parsers.testing.chunks import cut
from agent_serving.templates import TemplateError, from_response_template, response_template
from agent_serving.templates.response.spellings import Spellings
from agent_serving.templates.response.template import load_template
from output_parsers.text import compiled

from ....helpers.effort import THOROUGH
from ....helpers.growth import assert_linear
from ....helpers.response_templates import Reading, exports, reading, theirs, turn_texts
from ....helpers.shipped_templates import DIALECTS, SHIPPED, TURNS

if TYPE_CHECKING:
    from agent_serving.templates import ResponseTemplateParser


# A template reads what its dialect reads, with our reader and with that of transformers.

EXPORTS = exports()
SAMPLE = [*EXPORTS] if THOROUGH else [
    "react", "conversational", "react_docstore", "json", "react_json", "hermes", "qwen3_coder",
    "deepseek_v32", "gemma4", "harmony", "granite", "glm4", "glm45", "xml", "mistral", "self_ask",
]  # fmt: skip
"""Each way in which a template says how calls are spelt."""


def plain_texts(name: str) -> st.SearchStrategy[str]:
    """Return a strategy for turns of plain words."""
    return turns(get_dialect(name)).map(lambda turn: results_in(turn.result)[0].log)


def strict(name: str) -> Any:
    return get_parser(name, lenient=False)


def outcome(parser: ResponseTemplateParser, chunks: list[str]) -> Any:
    """Return the merged events, and the result or the error."""
    stream = parser.stream_parser()
    events = []
    try:
        for chunk in chunks:
            events += stream.feed(chunk)
        events += stream.close()
    except OutputParserException as error:
        events += stream.last_events
        return merge_events(events), str(error), error.span
    assert stream.result is not None
    turn = turn_of(stream.result, merge_events(events), stream.thought, stream.content)
    return turn.events, turn.result, turn.thought, turn.content


@pytest.mark.parametrize("name", EXPORTS)
def test_a_template_reads_what_the_dialect_reads(name: str) -> None:
    parser = from_response_template(EXPORTS[name], name=name)
    agreed = 0
    for text in turn_texts(get_dialect(name)):
        found, wanted = reading(parser, text), reading(strict(name), text)
        assert isinstance(wanted, Reading)
        # A value that has the marks of its call may be refused, but never misread.
        assert found == wanted or (isinstance(found, str) and text.count(wanted.calls[0][0]) > 1), (
            text
        )
        agreed += found == wanted
    assert agreed >= 10


@pytest.mark.parametrize("name", SAMPLE)
@given(data=st.data())
def test_it_reads_any_turn_of_plain_words(name: str, data: st.DataObject) -> None:
    text = data.draw(plain_texts(name))
    parser = from_response_template(EXPORTS[name], name=name)
    assert reading(parser, text) == reading(strict(name), text)


@pytest.mark.parametrize("name", SAMPLE)
@given(data=st.data())
def test_any_cut_tells_the_same_story(name: str, data: st.DataObject) -> None:
    dialect = get_dialect(name)
    text = data.draw(texts(dialect, "strict") | st.sampled_from(turn_texts(dialect)))
    chunks = list(cut(text, data.draw(cuts())))
    parser = from_response_template(EXPORTS[name], name=name)
    assert outcome(parser, chunks) == outcome(parser, [text])


@pytest.mark.parametrize("name", SAMPLE)
def test_half_a_turn_makes_no_half_call(name: str) -> None:
    parser = from_response_template(EXPORTS[name], name=name)
    is_text = EXPORTS[name]["fields"]["tool_calls"]["content"] == "text"
    for text in turn_texts(get_dialect(name))[:8]:
        whole = reading(strict(name), text)  # which reads values that quote calls
        assert isinstance(whole, Reading)
        for size in range(len(text)):
            try:
                result = parser.parse(text[:size], ended="length" if is_text else "unknown")
            except OutputParserException:
                continue
            made = (
                [(each.tool, each.tool_input) for each in result]
                if isinstance(result, list)
                else []
            )
            assert made == whole.calls[: len(made)], text[:size]


@pytest.mark.parametrize("name", EXPORTS)
def test_transformers_takes_the_template(name: str) -> None:
    loading = pytest.importorskip("transformers.utils.chat_parsing.response_templates")
    loading.load_response_template(EXPORTS[name])


@pytest.mark.parametrize("name", EXPORTS if THOROUGH else SAMPLE)
def test_transformers_reads_it_alike(name: str) -> None:
    pytest.importorskip("transformers.utils.chat_parsing")
    for text in turn_texts(get_dialect(name)):
        wanted, found = reading(strict(name), text), theirs(EXPORTS[name], text)
        assert isinstance(wanted, Reading)
        assert found == wanted or text.count(wanted.calls[0][0]) > 1 or isinstance(found, str), text


@pytest.mark.parametrize("name", SAMPLE)
@given(data=st.data())
def test_transformers_reads_any_turn_of_plain_words_alike(name: str, data: st.DataObject) -> None:
    pytest.importorskip("transformers.utils.chat_parsing")
    text = data.draw(plain_texts(name))
    assert theirs(EXPORTS[name], text) == reading(strict(name), text)


@pytest.mark.parametrize("name", SHIPPED)
def test_templates_of_others_are_read_as_transformers_reads_them(name: str) -> None:
    pytest.importorskip("transformers.utils.chat_parsing")
    texts = [TURNS[name]] if name in TURNS else turn_texts(get_dialect(DIALECTS[name]))
    parser = from_response_template(SHIPPED[name], name=name)
    alike = 0
    for text in texts:
        found, wanted = reading(parser, text), theirs(SHIPPED[name], text)
        assert found == wanted or isinstance(found, str), text
        alike += (
            found == wanted and isinstance(found, Reading) and bool(found.thought or found.calls)
        )
    assert alike >= 0.6 * len(texts)


@pytest.mark.parametrize("name", DIALECTS)
def test_templates_of_others_read_our_dialects(name: str) -> None:
    parser = from_response_template(SHIPPED[name], name=name)
    same = [
        reading(parser, text) == reading(strict(DIALECTS[name]), text)
        for text in turn_texts(get_dialect(DIALECTS[name]))
    ]
    assert sum(same) >= 0.6 * len(same)


def test_the_law_catches_a_wrong_template() -> None:
    """An opener without the line break before a label, as a careless export would write it."""
    wrong = {**EXPORTS["react"], "fields": {**EXPORTS["react"]["fields"]}}
    thought = wrong["fields"]["thinking"]
    wrong["fields"]["thinking"] = {**thought, "close_pattern": r"\s*(?=Action:)"}
    parser = from_response_template(wrong)
    texts = turn_texts(get_dialect("react"))
    assert any(reading(parser, text) != reading(strict("react"), text) for text in texts)


# Which dialects have a response template, and what is in it.

PYTHON = "its calls are Python code, which a template cannot read"
APART = (
    "content next to calls is written differently from an answer, but a template has one field "
    "for both"
)
REFUSED = {
    "anthropic_xml": APART,
    "apertus": "the names of its tools are keys in JSON, which a template cannot read",
    "command_5": "the calls of command_5 name the type of each value, which a template cannot read",
    "command_a": APART,
    "command_a_plus": APART,
    "cwm": "the body of a call can be text or JSON, and a template cannot tell which",
    "hunyuan_a13b": "it writes content and calls inside the same marks, which a template cannot"
    " read",
    "json_toolcall": APART,
    "kimi_k3": "the calls of kimi_k3 name the type of each value, which a template cannot read",
    "lfm2": PYTHON,
    "llama4_pythonic": PYTHON,
    "minicpm3": PYTHON,
    "minimax_m1": "its calls are in one block, one after another, but not as a list",
    "minimax_m3": "its lists and objects contain tags, but a template reads only flat ones",
    "olmo3": PYTHON,
    "pythonic": PYTHON,
    "smolagents_code": "its turns are written by a function, from which no grammar can be made",
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


# A search for a call takes linear time in any text, with the engine that our reader uses.


def beginnings(name: str) -> set[str]:
    """Return parts of what stands before the name of a tool."""
    call = Spellings(get_dialect(name)).call
    before = SLOTS.split(call.opens + call.head)
    parts = (*before, call.between, "aa".join(before[:2]), before[0].rpartition("\n")[2])
    return {part.lstrip(" ") for part in parts if part.strip()}


@pytest.mark.parametrize("name", EXPORTS)
def test_a_call_that_never_comes_is_searched_for_in_linear_time(name: str) -> None:
    opens = load_template(EXPORTS[name]).fields["tool_calls"].opens
    runs = {(begin, f"{inside}{begin}") for begin in beginnings(name) for inside in ("", "a")}
    runs |= {(f"{begin}{inside}", " ") for begin in beginnings(name) for inside in ("", "a")}
    runs |= {("", run) for run in ("a", "a ", ">", "<", "_", "\n", " ")}

    def search(text: str) -> None:
        with suppress(TimeoutError):
            opens.search(text, partial=True, timeout=2)

    for head, run in sorted(runs):
        assert_linear(search, lambda size, h=head, r=run: h + r * (size // len(r) + 1), 1_000)


@pytest.mark.parametrize(
    "name", [n for n, found in EXPORTS.items() if "tag_pattern" in str(found["fields"])]
)
def test_a_parameter_that_does_not_end_is_searched_for_in_linear_time(name: str) -> None:
    tags = compiled(load_template(EXPORTS[name]).fields["tool_calls"].args.tag_pattern)
    parameters = Spellings(get_dialect(name)).call.parameters
    assert parameters is not None

    def search(text: str) -> None:
        with suppress(TimeoutError):
            tags.search(text, timeout=2)

    run = f"{parameters.opens}key".lstrip()
    assert_linear(search, lambda size: run * (size // len(run)), 4_000)
