"""A form says how turns are spelt."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from agent_parsers import get_dialect, list_dialects
from agent_parsers.authoring import CallForm, Form, ParameterForm, Written, WrittenCall

if TYPE_CHECKING:
    from collections.abc import Callable

WITHOUT = {
    "smolagents_code": "its calls are code",
}
"""The dialects that no form can say, and why."""


def test_all_other_dialects_have_a_form() -> None:
    assert {name for name in list_dialects() if get_dialect(name).form is None} == {*WITHOUT}


@pytest.mark.parametrize("name", [name for name in list_dialects() if name not in WITHOUT])
def test_a_form_is_what_its_dialect_writes(name: str) -> None:
    dialect = get_dialect(name)
    assert dialect.form is not None
    assert dialect.form(dialect.example) == dialect.write(dialect.example)


def test_holes_are_filled() -> None:
    call = CallForm(text='<{tool}>{"tool"}: {input} {id}{other}')
    assert call(WrittenCall('a"b', {"k": "é"}, "7")) == '<a"b>"a\\"b": {"k": "é"} 7{other}'
    parameters = ParameterForm(text="{key}={value}:{is_text};", between=" ")
    tagged = CallForm(text="{tool}({parameters})", parameters=parameters)
    assert tagged(WrittenCall("f", {"a": "x", "b": 2})) == "f(a=x:true; b=2:false;)"
    with pytest.raises(ValueError, match="the input must be an object, not 'x'"):
        tagged(WrittenCall("f", "x"))


def test_texts_stand_around_the_parts_of_a_turn() -> None:
    form = Form(
        call=CallForm(text="{tool}={input}"),
        calls=("<{number}:", ",", ">"),
        thought=("({number}) ", "\n"),
        no_thought="- ",
        around=("[", "]"),
        answer="done",
        call_id=lambda tool, known, number: known or f"{tool}{number}",
    )
    step = Written("hm", "a", {}, number=3, content="so", others=(WrittenCall("b", {"c": 1}),))
    assert form(step) == '(3) hm\n[so<3:a={},b={"c": 1}>]'
    assert form(Written(answer="x")) == '- [<1:done="x">]'


@pytest.mark.parametrize(
    ("make", "message"),
    [
        (lambda: CallForm(text="<{name}>"), "{input} once, but has no fields: '<{name}>'"),
        (
            lambda: CallForm(text="{input}{input}"),
            "{input} once, but has {input}, {input}: ",
        ),
        (
            lambda: ParameterForm(text="<{key}>"),
            "text= of a ParameterForm needs {value} once, but has {key}: ",
        ),
        (
            lambda: CallForm(text="{input}", parameters=ParameterForm(text="{key}{value}")),
            "text= of a CallForm needs {parameters} once, but has {input}: '{input}'",
        ),
    ],
)
def test_a_text_with_the_wrong_holes_is_refused(make: Callable[[], Any], message: str) -> None:
    with pytest.raises(ValueError) as caught:  # noqa: PT011 - compared below
        make()
    assert message in str(caught.value)
