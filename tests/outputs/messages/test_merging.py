"""How chunks are merged, part by part and as sums, with the same results as LangChain."""

import copy
from collections import Counter
from collections.abc import Callable, Sequence
from functools import reduce
from operator import add
from typing import Any

import langchain_core.messages as langchain_messages
import pytest
from hypothesis import given
from hypothesis import strategies as st
from langchain_core.utils import _merge as langchain

import outputs
from outputs import (
    AIMessageChunk,
    ToolCallChunk,
    add_ai_message_chunks,
    merge_dicts,
    merge_lists,
    merge_obj,
)

# `merge_dicts`, `merge_lists` and `merge_obj`: the rules, and the same results as LangChain.

DICTS: dict[str, tuple[list[dict[str, Any]], dict[str, Any]]] = {
    "keys of both are kept": ([{"a": 1}, {"b": 2}], {"a": 1, "b": 2}),
    "None gives way to a value": ([{"a": None}, {"a": "x"}], {"a": "x"}),
    "a value does not give way to None": ([{"a": "x"}, {"a": None}], {"a": "x"}),
    "None and None is None": ([{"a": None}, {"a": None}], {"a": None}),
    "text is joined": ([{"a": "x"}, {"a": "y"}, {"a": "z"}], {"a": "xyz"}),
    "equal text is joined too": ([{"a": "x"}, {"a": "x"}], {"a": "xx"}),
    "an equal id is the same id": ([{"id": "x"}, {"id": "x"}], {"id": "x"}),
    "ids that differ are joined": ([{"id": "x"}, {"id": "y"}], {"id": "xy"}),
    "an equal version is the same": ([{"output_version": "v1"}] * 2, {"output_version": "v1"}),
    "an equal provider is the same": ([{"model_provider": "p"}] * 3, {"model_provider": "p"}),
    "an lc_ index stays": ([{"index": "lc_1"}, {"index": "lc_2"}], {"index": "lc_1"}),
    "an index of other text is joined": ([{"index": "1"}, {"index": "2"}], {"index": "12"}),
    "different integers are added": ([{"n": 1}, {"n": 2}], {"n": 3}),
    "equal integers are not added": ([{"n": 2}, {"n": 2}], {"n": 2}),
    "the last index counts": ([{"index": 1}, {"index": 2}], {"index": 2}),
    "the last creation time counts": ([{"created": 1}, {"created": 2}], {"created": 2}),
    "the last timestamp counts": ([{"timestamp": 1}, {"timestamp": 2}], {"timestamp": 2}),
    "equal booleans stay": ([{"a": True}, {"a": True}], {"a": True}),
    "equal floats stay": ([{"a": 0.5}, {"a": 0.5}], {"a": 0.5}),
    "dictionaries are merged": (
        [{"a": {"b": "x"}}, {"a": {"b": "y", "c": 1}}],
        {"a": {"b": "xy", "c": 1}},
    ),
    "lists are merged": ([{"a": ["x"]}, {"a": ["y"]}], {"a": ["x", "y"]}),
    "many in one go": ([{"a": "x", "n": 1}, {}, {"n": 1}, {"n": 3}], {"a": "x", "n": 4}),
    "nothing to add": ([{"a": 1}], {"a": 1}),
}


@pytest.mark.parametrize(("dicts", "merged"), DICTS.values(), ids=DICTS)
def test_dicts_are_merged_key_by_key(dicts: list[dict[str, Any]], merged: dict[str, Any]) -> None:
    assert merge_dicts(*dicts) == merged


LISTS: dict[str, tuple[list[Any], Any]] = {
    "no list at all": ([None, None], None),
    "one list": ([None, [1]], [1]),
    "items are appended": ([[1], ["a"], [None]], [1, "a", None]),
    "equal indices are merged": (
        [[{"index": 0, "a": "x"}], [{"index": 0, "a": "y"}]],
        [{"index": 0, "a": "xy"}],
    ),
    "other indices are appended": (
        [[{"index": 0, "a": "x"}], [{"index": 1, "a": "y"}]],
        [{"index": 0, "a": "x"}, {"index": 1, "a": "y"}],
    ),
    "an lc_ index merges": (
        [[{"index": "lc_1", "a": "x"}], [{"index": "lc_1", "a": "y"}]],
        [{"index": "lc_1", "a": "xy"}],
    ),
    "any other text is no index": (
        [[{"index": "1", "a": "x"}], [{"index": "1", "a": "y"}]],
        [{"index": "1", "a": "x"}, {"index": "1", "a": "y"}],
    ),
    "ids that differ stay apart": (
        [[{"index": 0, "id": "1"}], [{"index": 0, "id": "2"}]],
        [{"index": 0, "id": "1"}, {"index": 0, "id": "2"}],
    ),
    "no id fits any id": (
        [[{"index": 0, "id": "1", "a": "x"}], [{"index": 0, "id": None, "a": "y"}]],
        [{"index": 0, "id": "1", "a": "xy"}],
    ),
    "an id is learnt from what is merged": (
        [[{"index": 0, "id": ""}], [{"index": 0, "id": "1"}], [{"index": 0, "id": "2"}]],
        [{"index": 0, "id": "1"}, {"index": 0, "id": "2"}],
    ),
    "an id that is a container fits nothing": (
        [[{"index": 0, "id": []}], [{"index": 0, "id": []}], [{"index": 0, "id": "1"}]],
        [{"index": 0, "id": []}, {"index": 0, "id": []}, {"index": 0, "id": "1"}],
    ),
    "the items of the first list are not merged with each other": (
        [[{"index": 0, "a": "x"}, {"index": 0, "a": "y"}], [{"index": 0, "a": "z"}]],
        [{"index": 0, "a": "xz"}, {"index": 0, "a": "y"}],
    ),
    "the items of a later list are": (
        [[], [{"index": 0, "a": "x"}, {"index": 0, "a": "y"}]],
        [{"index": 0, "a": "xy"}],
    ),
    "the first type stays": (
        [[{"index": 0, "type": "text"}], [{"index": 0, "type": "text_delta"}]],
        [{"index": 0, "type": "text"}],
    ),
    "a type that comes late is dropped": (
        [[{"index": 0}], [{"index": 0, "type": "text"}]],
        [{"index": 0}],
    ),
    "what is not standard becomes extras of what is": (
        [
            [{"index": 0, "type": "text", "text": "x"}],
            [{"index": 0, "type": "non_standard", "value": {"type": "?", "foo": "bar"}}],
        ],
        [{"index": 0, "type": "text", "text": "x", "extras": {"foo": "bar"}}],
    ),
    "what is not standard is merged": (
        [
            [{"index": 0, "type": "non_standard", "value": {"foo": "x"}}],
            [{"index": 0, "type": "non_standard", "value": {"type": "?", "foo": "y"}}],
        ],
        [{"index": 0, "type": "non_standard", "value": {"foo": "xy"}}],
    ),
}


@pytest.mark.parametrize(("lists", "merged"), LISTS.values(), ids=LISTS)
def test_lists_are_merged_by_index(lists: list[Any], merged: Any) -> None:
    assert merge_lists(*lists) == merged


OBJECTS: dict[str, tuple[Any, Any, Any]] = {
    "None is nothing": (None, 0, 0),
    "nothing is None": ("", None, ""),
    "nothing at all": (None, None, None),
    "text": ("a", "b", "ab"),
    "dictionaries": ({"a": "x"}, {"a": "y"}, {"a": "xy"}),
    "lists": ([1], [1], [1, 1]),
    "equal values": (1.5, 1.5, 1.5),
}


@pytest.mark.parametrize(("left", "right", "merged"), OBJECTS.values(), ids=OBJECTS)
def test_objects_are_merged_by_type(left: Any, right: Any, merged: Any) -> None:
    assert merge_obj(left, right) == merged


ERRORS: dict[str, tuple[Any, Any]] = {
    "text and a number": ({"a": "x"}, {"a": 1}),
    "an integer and a boolean": ({"a": 1}, {"a": True}),
    "different booleans": ({"a": True}, {"a": False}),
    "different floats": ({"a": 0.5}, {"a": 0.25}),
    "nested": ({"a": {"b": "x"}}, {"a": {"b": []}}),
    "in a list": ({"a": [{"index": 0, "b": 1.5}]}, {"a": [{"index": 0, "b": 2.5}]}),
    "objects of two types": (1, "a"),
    "different objects": (1, 2),
}


@pytest.mark.parametrize(("left", "right"), ERRORS.values(), ids=ERRORS)
def test_errors_are_those_of_langchain(left: Any, right: Any) -> None:
    with pytest.raises((TypeError, ValueError)) as ours:
        merge_obj(left, right)
    with pytest.raises((TypeError, ValueError)) as theirs:
        langchain.merge_obj(left, right)
    assert (ours.type, str(ours.value)) == (theirs.type, str(theirs.value))


KEYS = st.sampled_from(
    ["a", "b", "id", "index", "type", "created", "model_provider", "value", "text"]
)
SCALARS = st.one_of(
    st.none(),
    st.booleans(),
    st.integers(-2, 3),
    st.sampled_from([0.5, 1.0, 2.0]),
    st.sampled_from(["", "x", "lc_", "lc_1", "y\u00e9", "non_standard", "text"]),
)
INDEXED = st.fixed_dictionaries(
    {"index": st.sampled_from([0, 1, True, "lc_1", "lc_2", "1", None, 1.0])},
    optional={
        "id": st.sampled_from([None, "", "x", "y"]),
        "type": st.sampled_from([None, "text", "non_standard"]),
        "value": st.dictionaries(st.sampled_from(["type", "a", "b"]), SCALARS, max_size=2),
        "args": st.sampled_from([None, "", "x", "y"]),
    },
)


def dictionaries(values: st.SearchStrategy[Any]) -> st.SearchStrategy[dict[str, Any]]:
    """Dictionaries whose ``id``, if any, is not a container (LangChain raises for containers)."""
    return st.dictionaries(KEYS, values, max_size=4).map(
        lambda made: {k: v for k, v in made.items() if k != "id" or not isinstance(v, (list, dict))}
    )


VALUES = st.recursive(
    SCALARS | INDEXED,
    lambda inner: st.lists(inner, max_size=4) | dictionaries(inner),
    max_leaves=12,
)


def outcome(merge: Any, values: tuple[Any, ...]) -> tuple[str, Any]:
    try:
        return "merged", merge(*values)
    except (TypeError, ValueError, AttributeError) as error:
        return "failed", type(error)


@given(st.lists(dictionaries(VALUES), min_size=1, max_size=4))
def test_dicts_are_merged_as_by_langchain(dicts: list[dict[str, Any]]) -> None:
    before = copy.deepcopy(dicts)
    ours = outcome(merge_dicts, tuple(dicts))
    assert dicts == before, "the inputs are not changed"
    assert repr(ours) == repr(outcome(langchain.merge_dicts, tuple(dicts)))


@given(st.lists(st.none() | st.lists(INDEXED | VALUES, max_size=4), min_size=1, max_size=5))
def test_lists_are_merged_as_by_langchain(lists: list[Any]) -> None:
    before = copy.deepcopy(lists)
    ours = outcome(merge_lists, tuple(lists))
    assert lists == before, "the inputs are not changed"
    assert repr(ours) == repr(outcome(langchain.merge_lists, tuple(lists)))


@given(VALUES, VALUES)
def test_objects_are_merged_as_by_langchain(left: Any, right: Any) -> None:
    values = (left, right)
    assert repr(outcome(merge_obj, values)) == repr(outcome(langchain.merge_obj, values))


@given(st.lists(dictionaries(VALUES), min_size=1, max_size=4))
def test_all_in_one_go_is_one_after_the_other(dicts: list[dict[str, Any]]) -> None:
    kind, merged = outcome(merge_dicts, tuple(dicts))
    if kind == "merged":
        total = dicts[0]
        for more in dicts[1:]:
            total = merge_dicts(total, more)
        assert total == merged


# Sums of message chunks equal those of LangChain, added one by one and in one go.
#
# For servers that number calls badly, they equal those of a stream: see
# `outputs.messages.growing_calls`.

TEXT = st.sampled_from(["", "a", "b\u00e9"])
CONTENT = TEXT | st.lists(
    TEXT
    | st.fixed_dictionaries(
        {"type": st.sampled_from(["text", "thinking"])},
        optional={"text": TEXT, "index": st.sampled_from([0, 1, "lc_txt_0"])},
    ),
    min_size=1,
    max_size=3,
)
METADATA = st.dictionaries(
    st.sampled_from(["model_name", "model_provider", "n", "id"]), TEXT | st.none(), max_size=2
)
ADDITIONAL = st.fixed_dictionaries(
    {},
    optional={
        "function_call": st.fixed_dictionaries({"name": TEXT, "arguments": TEXT}),
        "tool_calls": st.lists(
            st.fixed_dictionaries(
                {
                    "index": st.sampled_from([0, 1]),
                    "id": st.sampled_from([None, "1", "2"]),
                    "function": st.fixed_dictionaries(
                        {
                            "name": st.none() | TEXT,
                            "arguments": st.sampled_from(["", "{", "}", '"a":']),
                        }
                    ),
                }
            ),
            max_size=2,
        ),
    },
)
COUNT = st.integers(0, 5)
FIELDS: dict[str, st.SearchStrategy[Any]] = {
    "content": CONTENT,
    "additional_kwargs": ADDITIONAL,
    "response_metadata": METADATA,
    "id": st.sampled_from([None, "", "lc_1", "lc_2", "lc_run-1", "lc_run-2", "run-1", "msg_1"]),
}
AI_FIELDS: dict[str, st.SearchStrategy[Any]] = {
    **FIELDS,
    "tool_call_chunks": st.lists(
        st.fixed_dictionaries(
            {
                "name": st.sampled_from([None, "f"]),
                "args": st.sampled_from([None, "", "{", "}", '"a"', ":", "1", ",", "[", "x"]),
                "id": st.sampled_from([None, "", "1", "2"]),
                "index": st.sampled_from([0, 1, None]),
            }
        ),
        max_size=3,
    ),
    "usage_metadata": st.none()
    | st.fixed_dictionaries(
        {"input_tokens": COUNT, "output_tokens": COUNT, "total_tokens": COUNT},
        optional={"input_token_details": st.fixed_dictionaries({}, optional={"audio": COUNT})},
    ),
    "chunk_position": st.sampled_from([None, None, "last"]),
}


def chunk_fields(fields: dict[str, st.SearchStrategy[Any]]) -> st.SearchStrategy[dict[str, Any]]:
    content = {"content": fields["content"]}
    return st.fixed_dictionaries(
        content, optional={key: value for key, value in fields.items() if key != "content"}
    )


def outcome_of_sum(chunks: Sequence[Any], total: Callable[[Any], Any]) -> tuple[str, Any]:
    """Return the dump of the sum of *chunks*, or the type of the error."""
    try:
        return "sum", total(chunks).model_dump()
    except (TypeError, ValueError) as error:
        return "failed", type(error).__name__


def one_by_one(chunks: Sequence[Any]) -> Any:
    return reduce(add, chunks)


def in_one_go(chunks: Sequence[Any]) -> Any:
    return chunks[0] + list(chunks[1:])


def are_plain(lists: list[list[ToolCallChunk]]) -> bool:
    """Return whether each call has one index, one id and one name, and one piece in a chunk."""
    names: Counter[int | None] = Counter()
    ids: dict[int | None, set[str]] = {}
    for pieces in lists:
        if len({piece["index"] for piece in pieces}) < len(pieces):
            return False
        for piece in pieces:
            names[piece["index"]] += piece["name"] is not None
            ids.setdefault(piece["index"], set()).update([piece["id"]] if piece["id"] else [])
    is_one = all(len(some) < 2 for some in ids.values()) and max(names.values(), default=0) < 2
    return is_one and None not in names


@given(st.lists(chunk_fields(AI_FIELDS), min_size=1, max_size=6))
def test_chunks_of_an_ai_message_add_up_as_in_langchain(some: list[dict[str, Any]]) -> None:
    ours = [AIMessageChunk(**fields) for fields in some]
    before = copy.deepcopy(ours)
    theirs = [langchain_messages.AIMessageChunk(**fields) for fields in some]
    total = outcome_of_sum(ours, in_one_go)
    assert outcome_of_sum(ours, lambda chunks: add_ai_message_chunks(*chunks)) == total
    if are_plain([chunk.tool_call_chunks for chunk in ours]):
        assert outcome_of_sum(theirs, in_one_go) == total
        assert outcome_of_sum(ours, one_by_one) == outcome_of_sum(theirs, one_by_one)
    elif len(some) > 1:
        assert outcome_of_sum(ours, one_by_one) == total
    assert ours == before, "the chunks are not changed"


KINDS: dict[str, dict[str, st.SearchStrategy[Any]]] = {
    "HumanMessageChunk": FIELDS,
    "SystemMessageChunk": FIELDS,
    "ChatMessageChunk": {**FIELDS, "role": st.sampled_from(["user", "critic"])},
    "FunctionMessageChunk": {**FIELDS, "name": st.sampled_from(["f", "g"])},
    "ToolMessageChunk": {
        **FIELDS,
        "tool_call_id": st.sampled_from(["1", "2"]),
        "artifact": st.sampled_from([None, "a", ["b"], {"c": "d"}, 5]),
        "status": st.sampled_from(["success", "error"]),
    },
}
ALWAYS = {"content", "role", "name", "tool_call_id"}


@pytest.mark.parametrize("kind", KINDS)
@given(data=st.data())
def test_chunks_of_other_messages_add_up_as_in_langchain(kind: str, data: st.DataObject) -> None:
    always = {key: value for key, value in KINDS[kind].items() if key in ALWAYS}
    optional = {key: value for key, value in KINDS[kind].items() if key not in ALWAYS}
    made = data.draw(
        st.lists(st.fixed_dictionaries(always, optional=optional), min_size=1, max_size=4)
    )
    ours = [getattr(outputs, kind)(**fields) for fields in made]
    theirs = [getattr(langchain_messages, kind)(**fields) for fields in made]
    expected = outcome_of_sum(theirs, one_by_one)
    assert outcome_of_sum(ours, one_by_one) == expected
    if expected[0] == "sum":
        assert outcome_of_sum(ours, in_one_go) == expected
