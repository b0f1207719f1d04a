"""Strict JSON parsers match LangChain's, except for the cases in ``docs/differences.md``."""

import json
import logging
from collections.abc import Iterator
from functools import cache
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st
from langchain_classic.agents.chat.output_parser import ChatOutputParser as TheirChat
from langchain_classic.agents.conversational_chat.output_parser import (
    ConvoOutputParser as TheirConvo,
)
from langchain_classic.agents.output_parsers import (
    JSONAgentOutputParser as TheirJson,
)
from langchain_classic.agents.output_parsers import (
    ReActJsonSingleInputOutputParser as TheirReActJson,
)
from langchain_classic.agents.structured_chat.output_parser import (
    StructuredChatOutputParser as TheirStructured,
)
from langchain_core.exceptions import OutputParserException as TheirException

from agent_parsers import DialectParser, OutputParserException
from agent_parsers.json import JSONAgentOutputParser
from agent_parsers.parsers.named_parsers import (
    ChatOutputParser,
    ConvoOutputParser,
    StructuredChatOutputParser,
)
from agent_parsers.react_json_single_input import ReActJsonSingleInputOutputParser

PAIRS: dict[str, tuple[DialectParser, Any]] = {
    "json": (JSONAgentOutputParser(), TheirJson()),
    "conversational_chat": (ConvoOutputParser(), TheirConvo()),
    "structured_chat": (StructuredChatOutputParser(), TheirStructured()),
    "react_json": (ReActJsonSingleInputOutputParser(), TheirReActJson()),
    "chat": (ChatOutputParser(), TheirChat()),
}
every_pair = pytest.mark.parametrize("name", PAIRS)
BOTH = "Parsing LLM output produced a final answer and a parse-able action: "
LIST = "found a list of several actions; a turn has only one action"


@pytest.fixture(autouse=True, scope="module")
def _no_warnings_of_theirs() -> Iterator[None]:
    logging.disable(logging.WARNING)
    yield
    logging.disable(logging.NOTSET)


def outcome(parse: Any, text: str) -> dict[str, Any] | str:
    """Return all fields of the result, or the message."""
    try:
        fields: dict[str, Any] = parse(text).model_dump()
    except (OutputParserException, TheirException) as error:
        return str(error).partition("\nFor troubleshooting, visit:")[0]
    if "tool" in fields:
        fields["tool"] = fields["tool"].strip()  # as ours always is
    return fields


# -- texts ----------------------------------------------------------------------------------------

SPOILS = [
    *('"', "'", "{", "}", "[", "]", ",", ":", "\\", "\n", " ", "`", "```", "```json\n", "\n```"),
    *("Final Answer:", "\nFinal Answer: 3", "Thought: ", "\nAction:\n", "\nObservation: 3", "x"),
    *('"action"', '"action_input"', '"name"', '"arguments"', "null", "7", '"x": 1,', "[1]", "{}"),
    *("<think>", "\n</think>\n", "<|im_end|>", "\\u00e9", "\\u12", "\\ud83d", "//x\n", "{{", "}}"),
]


@cache
def values() -> st.SearchStrategy[Any]:
    texts = st.sampled_from(
        ["old bridge", 'a "b"', "x\ny", "```py\nx\n```", "", "é😀", "Final Answer: 3"]
    )
    leaves = st.one_of(texts, texts, st.none(), st.booleans(), st.integers(0, 99))
    nested = st.recursive(
        leaves,
        lambda inner: st.lists(inner, max_size=2) | st.dictionaries(st.sampled_from("ab"), inner),
        max_leaves=4,
    )
    return st.one_of(texts, nested)


@st.composite
def blobs(draw: st.DrawFn) -> str:
    """Objects with an action, most of them."""
    tools = st.sampled_from(
        ["search", "search", "Final Answer", "Final Answer", "", " x ", 3, None]
    )
    members: list[tuple[str, Any]] = [
        ("action", draw(tools)),
        ("action_input", draw(values())),
        ("thought", "hm"),
    ]
    which = draw(st.sampled_from([[0, 1], [0, 1], [0, 1], [1, 0], [2, 0, 1], [0], [1], []]))
    text = json.dumps(
        dict(members[at] for at in which),
        ensure_ascii=draw(st.booleans()),
        indent=draw(st.sampled_from([None, 2])),
    )
    return draw(st.sampled_from(["{}", "{}", "{}", "[{}]", '[{}, {{"action": "b"}}]'])).format(text)


@st.composite
def turns(draw: st.DrawFn, most: int = 2) -> str:
    """Blobs in fences, with text around them, spoilt here and there."""
    opener = st.sampled_from(["", "```json\n", "```\n", "```json", "```", "```json \n", "```py\n"])
    closer = st.sampled_from(["\n```", "\n```", "```", "", "\n```\n"])
    before = st.sampled_from(["", "", "Thought: hm\nAction:\n", "Sure:\n", "I use {x}.\n", "\n"])
    after = st.sampled_from(
        ["", "", "\nmore", "\nFinal Answer: 42", "\nObservation: 3", '\n{"a": 1}', " "]
    )
    text = draw(before) + draw(opener) + draw(blobs()) + draw(closer) + draw(after)
    for _ in range(draw(st.integers(0, most))):
        start = draw(st.integers(0, len(text)))
        size = draw(st.sampled_from([0, 0, 1, 3, 20]))
        text = text[:start] + draw(st.sampled_from(SPOILS)) + text[start + size :]
    return text


# -- what differs, and why ------------------------------------------------------------------------


def whole_calls(text: str) -> Iterator[tuple[dict[str, Any], bool]]:
    """Return the readable objects with an action in *text*, and whether a key is repeated."""
    twice: list[bool] = []

    def members(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
        twice.append(len(dict(pairs)) < len(pairs))
        return dict(pairs)

    decoder = json.JSONDecoder(strict=False, object_pairs_hook=members)
    for at in (at for at, char in enumerate(text) if char == "{"):
        twice.clear()
        try:
            value, _ = decoder.raw_decode(text, at)
        except (ValueError, RecursionError):
            continue
        if "action" in value:
            yield value, any(twice)


def is_refused_for_a_reason(text: str, theirs: dict[str, Any]) -> bool:
    """Return whether our parser may reject a text that LangChain reads."""
    if "return_values" in theirs and '"action"' in text:
        return True  # an answer beside an action, or one that has the action in it
    if not theirs.get("tool", "x").strip():
        return True  # a tool without a name
    calls = list(whole_calls(text))
    if any(call != calls[0] for call in calls):
        return True  # two blobs that differ
    first = next(iter(calls), None)
    return first is None or first[1]  # JSON that is cut or broken, or repeats a key


def is_read_for_a_reason(name: str, text: str, ours: dict[str, Any]) -> bool:
    """Return whether ours may read a text that LangChain rejects: both read its JSON alone."""
    value = ours.get("tool_input", ours.get("return_values", {}).get("output"))
    if ours["type"] == "AgentFinish" and name in ("react_json", "chat"):
        return False
    blob = json.dumps({"action": ours.get("tool", "Final Answer"), "action_input": value})
    blob = blob.replace("```", "---")  # which breaks LangChain's pattern
    alone = outcome(PAIRS[name][1].parse, f"```json\n{blob}\n```")
    return isinstance(alone, dict) and alone["type"] == ours["type"]


@every_pair
@given(text=turns(most=0))
def test_what_is_written_by_the_book_is_read_as_langchain_reads_it(name: str, text: str) -> None:
    assert_alike(name, text)


@every_pair
@given(text=turns())
def test_strict_parsing_is_langchains(name: str, text: str) -> None:
    assert_alike(name, text)


def assert_alike(name: str, text: str) -> None:
    ours, theirs = (outcome(parser.parse, text) for parser in PAIRS[name])
    if isinstance(theirs, str):
        if isinstance(ours, str):
            assert ours in (theirs, BOTH + text, LIST)
        else:
            assert is_read_for_a_reason(name, text, ours)
    elif ours == LIST:
        assert text.count('"action"') > 1, "LangChain takes the first of several"
    elif isinstance(ours, str):
        assert is_refused_for_a_reason(text, theirs), theirs
    elif ours != theirs:
        # The label of an answer inside it, or inside JSON; a call in structured chat without fence.
        assert "Final Answer:" in text or (name == "structured_chat" and '"action"' in text)


@every_pair
@pytest.mark.parametrize(
    "text",
    [
        'Thought: hm\nAction:\n```json\n{"action": "search", "action_input": "lake"}\n```',
        '```\n{"action": "search", "action_input": {"query": "lake", "n": 3}}\n```',
        '```\n{"action": "Final Answer", "action_input": "42"}\n```',
        'Sure:\n```json\n{\n  "action": "search",\n  "action_input": "caf\\u00e9"\n}\n```\nThere.',
    ],
)
def test_what_models_are_asked_for_is_the_same(name: str, text: str) -> None:
    ours, theirs = (outcome(parser.parse, text) for parser in PAIRS[name])
    assert ours == theirs
    assert isinstance(ours, dict)


@every_pair
@pytest.mark.parametrize("text", ["prose", '```json\n{"a": 1}\n```', '```\n{"action": 3}\n```'])
def test_error_messages_are_the_same(name: str, text: str) -> None:
    ours, theirs = (outcome(parser.parse, text) for parser in PAIRS[name])
    if name == "structured_chat" and text == "prose":
        assert ours == theirs
        assert isinstance(ours, dict)
    else:
        assert ours == theirs == f"Could not parse LLM output: {text}"


@every_pair
def test_an_error_has_what_langchains_lacks(name: str) -> None:
    text = '```\n{"action": "search", "action_input": "la'
    with pytest.raises(OutputParserException) as caught:
        PAIRS[name][0].parse(text)
    assert caught.value.observation
    assert caught.value.llm_output == text
    assert caught.value.span == (4, len(text))
    assert not caught.value.send_to_llm


@every_pair
def test_the_type_is_langchains(name: str) -> None:
    ours, theirs = PAIRS[name]
    assert ours._type == theirs._type


class TestWhereLangChainIsWrong:
    """The examples of ``docs/differences.md``."""

    FENCE = "```json\n%s\n```"

    @every_pair
    def test_an_input_that_is_cut_is_not_acted_on(self, name: str) -> None:
        ours = outcome(PAIRS[name][0].parse, '```json\n{"action": "rm", "action_input": "/home/u')
        assert (
            ours == 'Could not parse LLM output: ```json\n{"action": "rm", "action_input": "/home/u'
        )

    @every_pair
    def test_a_string_may_hold_a_fence(self, name: str) -> None:
        text = self.FENCE % '{"action": "save", "action_input": "a\\n```\\nb"}'
        ours = outcome(PAIRS[name][0].parse, text)
        assert isinstance(ours, dict)
        assert ours["tool_input"] == "a\n```\nb"

    @pytest.mark.parametrize("name", ["react_json", "chat"])
    def test_an_action_beside_an_answer_is_an_error(self, name: str) -> None:
        text = self.FENCE % '{"action": "a", "action_input": "b"}' + "\nFinal Answer: 42"
        assert outcome(PAIRS[name][0].parse, text) == BOTH + text
        theirs = outcome(PAIRS[name][1].parse, text)
        assert isinstance(theirs, dict)
        assert theirs["return_values"] == {"output": "42"}

    @pytest.mark.parametrize("name", ["react_json", "chat"])
    def test_an_answer_may_speak_of_final_answers(self, name: str) -> None:
        text = "Final Answer: write Final Answer: first"
        ours, theirs = (outcome(parser.parse, text) for parser in PAIRS[name])
        assert isinstance(ours, dict)
        assert isinstance(theirs, dict)
        assert ours["return_values"]["output"] == "write Final Answer: first"
        assert theirs["return_values"]["output"] == "first"

    @pytest.mark.parametrize(
        "text",
        [
            '{"action": "search", "action_input": "lake"}',
            '```json{"action": "search", "action_input": "lake"}```',
            '```json\n{"action": "search", "action_input": "lake"}',
        ],
    )
    def test_an_action_is_not_an_answer(self, text: str) -> None:
        ours, theirs = (outcome(parser.parse, text) for parser in PAIRS["structured_chat"])
        assert isinstance(ours, dict)
        assert isinstance(theirs, dict)
        assert ours["tool"] == "search"
        assert theirs["return_values"]["output"] == text
