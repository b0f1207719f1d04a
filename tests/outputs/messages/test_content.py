"""The content of a message: its text, and how contents are merged."""

import copy
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from langchain_core.messages import AIMessage as LangChainMessage
from langchain_core.messages import merge_content as langchain_merge_content

from outputs import AIMessage, TextAccessor, merge_content

CONTENTS: dict[str, tuple[list[Any], Any]] = {
    "text": (["foo", "bar", "baz"], "foobarbaz"),
    "nothing to add": (["foo"], "foo"),
    "no content is no text": ([None, "foo"], "foo"),
    "text before a list": (["foo", ["bar"]], ["foo", "bar"]),
    "empty text before a list": (["", ["bar"]], ["", "bar"]),
    "text goes on with the text that is last": ([["foo"], "bar"], ["foobar"]),
    "text after a block": (
        [[{"type": "text", "text": "foo"}], "bar"],
        [{"type": "text", "text": "foo"}, "bar"],
    ),
    "empty text after a block": ([[{"type": "image"}], ""], [{"type": "image"}]),
    "empty text after an empty list": ([[], ""], []),
    "texts of two lists stay apart": ([["foo"], ["bar"]], ["foo", "bar"]),
    "blocks with an index": (
        [[{"index": 0, "text": "foo"}], "x", [{"index": 0, "text": "bar"}], "y"],
        [{"index": 0, "text": "foobar"}, "xy"],
    ),
}


@pytest.mark.parametrize(("contents", "merged"), CONTENTS.values(), ids=CONTENTS)
def test_contents_add_up(contents: list[Any], merged: Any) -> None:
    assert merge_content(*contents) == merged


def test_text_after_an_empty_list_is_kept() -> None:
    assert merge_content([], "bar") == ["bar"], "LangChain loses it"


BLOCKS = st.one_of(
    st.sampled_from(["", "a", "b\u00e9"]),
    st.fixed_dictionaries(
        {},
        optional={
            "type": st.sampled_from(["text", "text_delta", "thinking", "image", None]),
            "text": st.sampled_from(["", "x", "y"]),
            "index": st.sampled_from([0, 1, None, "lc_txt_0"]),
            "id": st.sampled_from([None, "1", "2"]),
        },
    ),
)
CONTENT = st.sampled_from(["", "a", "b"]) | st.lists(BLOCKS, max_size=4)


def outcome(merge: Any, contents: list[Any]) -> tuple[str, Any]:
    try:
        return "merged", merge(*contents)
    except TypeError as error:
        return "failed", type(error)


def loses_text(contents: list[Any]) -> bool:
    """Return whether text follows only an empty list; LangChain drops such text."""
    return contents[0] == [] and isinstance(next(filter(None, contents), []), str)


@given(st.lists(CONTENT, min_size=1, max_size=6).filter(lambda some: not loses_text(some)))
def test_contents_add_up_as_in_langchain(contents: list[Any]) -> None:
    before = copy.deepcopy(contents)
    ours = outcome(merge_content, contents)
    assert contents == before, "the inputs are not changed"
    assert repr(ours) == repr(outcome(langchain_merge_content, contents))


@given(CONTENT)
def test_the_text_is_that_of_langchain(content: Any) -> None:
    assert AIMessage(content).text == LangChainMessage(content).text


def test_the_text_is_a_string_that_used_to_be_a_method() -> None:
    text = AIMessage(["Hello, ", {"type": "text", "text": "world"}, {"type": "image"}]).text
    assert isinstance(text, TextAccessor)
    assert text == "Hello, world"
    with pytest.warns(DeprecationWarning, match="use the property message.text"):
        assert text() == "Hello, world"


def test_text_that_is_no_string_is_left_out() -> None:
    assert AIMessage([{"type": "text", "text": None}, {"type": ["text"], "text": "x"}]).text == ""
