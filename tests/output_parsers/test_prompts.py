import asyncio
import copy
from typing import Any

import langchain_classic.output_parsers.fix as lc_fix
import langchain_classic.output_parsers.retry as lc_retry
import langchain_core.prompts as lc
import langchain_core.runnables as lc_runnables
import pytest
from hypothesis import given
from hypothesis import strategies as st

from output_parsers import RunnableLambda
from output_parsers.prompt_values import StringPromptValue
from output_parsers.prompts import (
    NAIVE_FIX_PROMPT,
    NAIVE_RETRY_PROMPT,
    NAIVE_RETRY_WITH_ERROR_PROMPT,
    PromptTemplate,
)

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
    with pytest.raises(KeyError, match="places for b, c"):
        PromptTemplate("{a} {b} {c}").format(a=1)


@pytest.mark.parametrize(
    "template", ["{a.b}", "{a[0]}", "{}", "{0}", "{a:{b}}", "{a b}", "{a", "}"]
)
def test_a_place_is_a_plain_name(template: str) -> None:
    with pytest.raises(ValueError, match=r"plain name|'}'|'{'"):
        PromptTemplate.from_template(template)


def test_the_names_of_places_may_be_told_but_not_otherwise() -> None:
    assert PromptTemplate(TEMPLATE, ["word", "times"]) == PromptTemplate(TEMPLATE)
    with pytest.raises(ValueError, match=r"places for \['times', 'word'\]"):
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
