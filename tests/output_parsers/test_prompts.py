"""Prompts as text and as messages, and parsers that leave texts as they are."""

import asyncio
import copy
import pickle
from collections.abc import AsyncIterator
from typing import Any

import langchain_classic.output_parsers.fix as lc_fix
import langchain_classic.output_parsers.retry as lc_retry
import langchain_core.messages as theirs
import langchain_core.output_parsers as lc_parsers
import langchain_core.outputs as lc_outputs
import langchain_core.prompts as lc
import langchain_core.runnables as lc_runnables
import pytest
from hypothesis import given
from hypothesis import strategies as st
from langchain_core import messages as lc_messages
from langchain_core import prompt_values as lc_values

import outputs
import outputs as ours
from output_parsers import RunnableLambda, StrOutputParser
from output_parsers.prompt_values import ChatPromptValue, PromptValue, StringPromptValue
from output_parsers.prompts import (
    NAIVE_FIX_PROMPT,
    NAIVE_RETRY_PROMPT,
    NAIVE_RETRY_WITH_ERROR_PROMPT,
    PromptTemplate,
)
from outputs import AIMessage, HumanMessage, SystemMessage

TEMPLATE = "Say {word} {times:>3} times, {word!r}, in {{braces}}."


@given(
    st.lists(st.sampled_from(["a", "{x}", "{yy}", "{{", "}}", "\n", "{x!r}"])), st.text(), st.text()
)
def test_templates_are_filled_in_as_langchain_fills_them_in(parts: Any, x: str, yy: str) -> None:
    template = "".join(parts)
    reference = lc.PromptTemplate.from_template(template)
    ours = PromptTemplate.from_template(template)
    assert ours.input_variables == reference.input_variables
    assert ours.format(x=x, yy=yy) == reference.format(x=x, yy=yy)
    values = {"x": x, "yy": yy}
    assert ours.invoke(values).to_string() == reference.invoke(values).to_string()
    assert asyncio.run(ours.ainvoke(values)).text == ours.format(**values)


def test_values_without_a_place_are_ignored_and_places_without_a_value_are_not() -> None:
    assert PromptTemplate("{a}").format(a=1, b=2) == "1"
    with pytest.raises(KeyError, match="placeholders without a value: b, c"):
        PromptTemplate("{a} {b} {c}").format(a=1)


@pytest.mark.parametrize(
    "template", ["{a.b}", "{a[0]}", "{}", "{0}", "{a:{b}}", "{a b}", "{a", "}"]
)
def test_a_place_is_a_plain_name(template: str) -> None:
    with pytest.raises(ValueError, match=r"plain name|'}'|'{'"):
        PromptTemplate.from_template(template)


def test_the_names_of_places_may_be_told_but_not_otherwise() -> None:
    assert PromptTemplate(TEMPLATE, ["word", "times"]) == PromptTemplate(TEMPLATE)
    with pytest.raises(ValueError, match=r"placeholders are \['times', 'word'\]"):
        PromptTemplate(TEMPLATE, ["word"])


partials = st.dictionaries(
    st.sampled_from(["word", "times", "other"]),
    st.text() | st.text().map(lambda text: lambda: text),
)


@given(partials, partials, st.text(), st.text())
def test_partial_variables_are_filled_in_as_langchain_fills_them_in(
    first: Any, then: Any, word: str, times: str
) -> None:
    text = "Say {word} {times} times."
    ways = [
        lambda kind: kind(template=text, input_variables=["times", "word"]).partial(**first),
        lambda kind: kind.from_template(text, partial_variables=first),
        lambda kind: kind.from_template(text, partial_variables=first).partial(**then),
    ]
    for way in ways:
        ours, theirs = way(PromptTemplate), way(lc.PromptTemplate)
        assert ours.input_variables == sorted(theirs.input_variables)
        assert ours.partial_variables == theirs.partial_variables
        values = {"word": word, "times": times}
        for chosen in (values, {name: values[name] for name in ours.input_variables}):
            assert ours.format(**chosen) == theirs.format(**chosen)
            assert ours.invoke(chosen).to_string() == theirs.invoke(chosen).to_string()
            assert ours.format_prompt(**chosen).to_string() == theirs.format(**chosen)


def test_partial_variables_are_not_input_variables() -> None:
    for kind in (PromptTemplate, lc.PromptTemplate):
        template: Any = kind(
            template="{a} {b}", input_variables=["b"], partial_variables={"a": lambda: "1"}
        )
        assert template.format(b="2") == "1 2"
        same = kind(template="{a} {b}", input_variables=["a", "b"], partial_variables={"a": "1"})
        assert same.input_variables == template.input_variables == ["b"]
        with pytest.raises(KeyError):
            template.format()
    template = PromptTemplate("{a} {b}")
    filled = template.partial(a="1")
    assert template.input_variables == ["a", "b"]
    assert filled != template
    assert filled == PromptTemplate("{a} {b}", ["b"], {"a": "1"})
    assert repr(filled) == "PromptTemplate('{a} {b}', partial_variables={'a': '1'})"
    assert (filled | str.upper).invoke({"b": "x"}) == "1 X"


def test_templates_are_values() -> None:
    template = PromptTemplate(TEMPLATE)
    assert template == copy.deepcopy(template)
    assert hash(template) == hash(PromptTemplate(TEMPLATE))
    assert template != PromptTemplate("{word}")
    assert template != TEMPLATE
    assert repr(template) == f"PromptTemplate({TEMPLATE!r})"


def test_a_template_returns_a_prompt_value() -> None:
    prompt = PromptTemplate("Hello {name}").format_prompt(name="you")
    assert prompt == StringPromptValue(text="Hello you")
    assert type(prompt) is StringPromptValue


def test_templates_compose() -> None:
    template = PromptTemplate("Hello {name}")
    for step in (str.upper, RunnableLambda(str.upper), lc_runnables.RunnableLambda(str.upper)):
        assert (template | step).invoke({"name": "you"}) == "HELLO YOU"


@pytest.mark.parametrize(
    ("ours", "theirs"),
    [
        (NAIVE_FIX_PROMPT, lc_fix.NAIVE_FIX_PROMPT),
        (NAIVE_RETRY_PROMPT, lc_retry.NAIVE_RETRY_PROMPT),
        (NAIVE_RETRY_WITH_ERROR_PROMPT, lc_retry.NAIVE_RETRY_WITH_ERROR_PROMPT),
    ],
)
def test_the_default_prompts_have_langchains_places_and_our_words(ours: Any, theirs: Any) -> None:
    assert ours.input_variables == theirs.input_variables
    sentences = {line for line in theirs.template.splitlines() if len(line) > 20}
    assert not sentences & set(ours.template.splitlines())


# Prompts as text and as messages, compared with LangChain's.


def test_a_text_is_a_prompt() -> None:
    prompt = StringPromptValue(text="Hello you")
    assert isinstance(prompt, PromptValue)
    assert prompt == prompt.text == prompt.to_string() == "Hello you"
    assert type(prompt.to_string()) is type(prompt.text) is str
    assert prompt.to_messages() == [HumanMessage("Hello you")]
    assert repr(prompt) == "StringPromptValue(text='Hello you')"
    assert type(pickle.loads(pickle.dumps(prompt))) is StringPromptValue


CALL = {"name": "search", "args": {"q": "rain"}, "id": "call_1", "type": "tool_call"}
MESSAGES: list[tuple[str, dict[str, Any]]] = [
    ("SystemMessage", {"content": "Be brief."}),
    (
        "HumanMessage",
        {"content": ["Rain", {"type": "text", "text": "?"}]},
    ),
    ("AIMessage", {"content": "Let me see. ", "tool_calls": [CALL]}),
    ("ToolMessage", {"content": "Yes.", "tool_call_id": "call_1"}),
    ("AIMessage", {"content": "", "additional_kwargs": {"function_call": {"name": "f"}}}),
    ("FunctionMessage", {"content": "No.", "name": "f"}),
    ("ChatMessage", {"content": "Hm?", "role": "critic"}),
    ("HumanMessageChunk", {"content": "And"}),
    ("AIMessageChunk", {"content": ""}),
]


def test_messages_are_a_prompt_with_langchains_text() -> None:
    messages = [getattr(outputs, name)(**fields) for name, fields in MESSAGES]
    theirs = lc_values.ChatPromptValue(
        messages=[getattr(lc_messages, name)(**fields) for name, fields in MESSAGES]
    )
    prompt = ChatPromptValue(messages=messages)
    assert prompt.to_string() == theirs.to_string()
    assert isinstance(prompt, PromptValue)
    assert prompt.to_messages() == messages
    assert prompt.to_messages() is not messages
    assert pickle.loads(pickle.dumps(prompt)) == prompt


@pytest.mark.parametrize(
    ("given", "found"),
    [
        ("Hello", "found str"),
        (HumanMessage("Hello"), "found HumanMessage"),
        (5, "found int"),
        ([SystemMessage("a"), {"role": "user"}], "found dict in the list"),
        ([AIMessage("a"), "b"], "found str in the list"),
    ],
)
def test_anything_but_messages_is_refused(given: Any, found: str) -> None:
    with pytest.raises(TypeError, match=rf"^expected a list of messages, such as .*; {found}$"):
        ChatPromptValue(messages=given)


STRING_MESSAGES = [
    "AIMessage",
    "HumanMessage",
    "SystemMessage",
    "AIMessageChunk",
    "HumanMessageChunk",
]

blocks = st.one_of(
    st.text(max_size=5),
    st.fixed_dictionaries(
        {},
        optional={
            "type": st.sampled_from(["text", "image", "reasoning"]),
            "text": st.text(max_size=5),
            "index": st.integers(0, 3),
        },
    ),
)
contents = st.one_of(st.text(), st.lists(blocks, max_size=5))


@given(st.sampled_from(STRING_MESSAGES), contents)
def test_the_text_of_any_message_is_that_of_langchain(name: str, content: Any) -> None:
    message, twin = getattr(ours, name)(content=content), getattr(theirs, name)(content=content)
    expected = lc_parsers.StrOutputParser().invoke(twin)
    assert StrOutputParser().invoke(message) == expected
    assert StrOutputParser().invoke(twin) == expected
    assert asyncio.run(StrOutputParser().ainvoke(message)) == expected
    assert StrOutputParser().batch([message, twin]) == [expected, expected]
    assert StrOutputParser().parse_result([ours.ChatGeneration(message=message)]) == expected
    assert StrOutputParser().parse_result([lc_outputs.ChatGeneration(message=twin)]) == expected


@given(st.lists(contents))
def test_the_chunks_of_any_stream_are_those_of_langchain(stream: list[Any]) -> None:
    async def arrive(chunks: list[Any]) -> AsyncIterator[Any]:
        for chunk in chunks:
            yield chunk

    async def run(chunks: list[Any]) -> list[str]:
        return [text async for text in StrOutputParser().atransform(arrive(chunks))]

    twins = [theirs.AIMessageChunk(content=content) for content in stream]
    chunks = [ours.AIMessageChunk(content=content) for content in stream]
    expected = list(lc_parsers.StrOutputParser().transform(iter(twins)))
    for given_chunks in (chunks, twins):
        assert list(StrOutputParser().transform(iter(given_chunks))) == expected
        assert asyncio.run(run(given_chunks)) == expected


@given(st.text())
def test_text_is_left_as_it_is(text: str) -> None:
    assert StrOutputParser().invoke(text) == StrOutputParser().parse(text) == text
    assert list(StrOutputParser().transform(iter(text))) == list(text)


def test_it_describes_itself_as_langchains_does() -> None:
    assert StrOutputParser().asdict() == lc_parsers.StrOutputParser().asdict()
    assert StrOutputParser().OutputType is lc_parsers.StrOutputParser().OutputType is str
    assert repr(StrOutputParser()) == repr(lc_parsers.StrOutputParser())
    for parser in (StrOutputParser(), lc_parsers.StrOutputParser()):
        with pytest.raises(NotImplementedError):
            parser.get_format_instructions()
