"""Sums of message chunks equal those of LangChain, added one by one and in one go.

For servers that number calls badly, they equal those of a stream: see
`outputs.messages.growing_calls`.
"""

import copy
from collections import Counter
from collections.abc import Callable, Sequence
from functools import reduce
from operator import add
from typing import Any

import langchain_core.messages as langchain
import pytest
from hypothesis import given
from hypothesis import strategies as st

import outputs
from outputs import AIMessageChunk, ToolCallChunk, add_ai_message_chunks

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


def outcome(chunks: Sequence[Any], total: Callable[[Any], Any]) -> tuple[str, Any]:
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
    theirs = [langchain.AIMessageChunk(**fields) for fields in some]
    total = outcome(ours, in_one_go)
    assert outcome(ours, lambda chunks: add_ai_message_chunks(*chunks)) == total
    if are_plain([chunk.tool_call_chunks for chunk in ours]):
        assert outcome(theirs, in_one_go) == total
        assert outcome(ours, one_by_one) == outcome(theirs, one_by_one)
    elif len(some) > 1:
        assert outcome(ours, one_by_one) == total
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
    theirs = [getattr(langchain, kind)(**fields) for fields in made]
    expected = outcome(theirs, one_by_one)
    assert outcome(ours, one_by_one) == expected
    if expected[0] == "sum":
        assert outcome(ours, in_one_go) == expected
