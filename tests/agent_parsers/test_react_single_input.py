"""Strict mode matches LangChain, including its messages."""

import re
from functools import cache
from typing import Any

import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from langchain_classic.agents.output_parsers import (
    ReActSingleInputOutputParser as LangChainReActSingleInputOutputParser,
)
from langchain_core.exceptions import OutputParserException as LangChainOutputParserException

from agent_parsers import (
    AgentAction,
    AgentFinish,
    OutputParserException,
    ReActSingleInputOutputParser,
    get_dialect,
)
from agent_parsers.testing import cut, texts
from agent_parsers.testing.trials.stories import Refusal, story_of

OURS = ReActSingleInputOutputParser()
THEIRS = LangChainReActSingleInputOutputParser()

LONG_RUN = re.compile(r"Action\s*\d*\s*(Input\s*\d*\s*)?:")
"""A label as LangChain finds it; ours has at most 16 digits and 16 spaces on either side."""


def fields_of(result: Any) -> dict[str, Any]:
    """Return all fields of *result*, which may be ours or LangChain's, and the name of its type."""
    fields: dict[str, Any] = result.model_dump()
    return fields


def theirs(text: str) -> dict[str, Any]:
    try:
        return fields_of(THEIRS.parse(text))
    except LangChainOutputParserException as error:
        return {
            "message": str(error).partition("\nFor troubleshooting, visit:")[0],
            "observation": error.observation,
            "send_to_llm": error.send_to_llm,
            "llm_output": error.llm_output,
        }


def ours(text: str) -> dict[str, Any]:
    try:
        return fields_of(OURS.parse(text))
    except OutputParserException as error:
        return {
            "message": str(error),
            "observation": error.observation,
            "send_to_llm": error.send_to_llm,
            "llm_output": error.llm_output,
        }


def has_long_run(text: str) -> bool:
    """Return whether a label has more spaces or digits in a row than our parser allows."""
    return any(re.search(r"\s{17}|\d{17}", label[0]) for label in LONG_RUN.finditer(text))


def unquoted(text: str) -> str:
    """Strip an input like LangChain: spaces, then all quotes at both ends."""
    return text.strip(" ").strip('"')


@cache
def soup() -> st.SearchStrategy[str]:
    labels = [
        "Action:",
        "Action Input:",
        "Final Answer:",
        "Thought:",
        "Action",
        "Input:",
        "Observation:",
    ]
    labels += [f"\n{label}" for label in labels] + ["Action 1:", "Action2Input 3 :", "Action\n:"]
    values = [
        "search",
        "x",
        " ",
        "\n",
        '"',
        '"x"',
        "",
        "a b",
        "\r\n",
        "\t",
        "final answer:",
        "1",
        ":",
    ]
    near = st.lists(st.sampled_from([*labels, *values]), max_size=10).map("".join)
    return st.one_of(near, near, texts(get_dialect("react"), "strict"))


@given(soup())
@example("Action: a\nAction Input: b")
@example("Action: a\nAction Input: b\nFinal Answer: c")
@example("Final Answer: a\nAction: b\nFinal Answer: c")
@example("Action Input: a\nAction: b")
@example("Action: a\nAction Input: b\n")
@example("Action:\nAction Input: b")
@example("Action: a\n\nAction: b\nAction Input: c")
@example('Action: a\nAction Input: "b" or "c"')
def test_strict_parsing_is_langchains(text: str) -> None:
    expected = theirs(text)
    if has_long_run(text):
        return  # see test_a_label_has_at_most_16_digits_with_16_blanks_around
    found = ours(text)
    if expected.get("tool") == "":
        # A tool without a name cannot be called.
        assert "expected the name of a tool" in found["message"]
        assert found["send_to_llm"]
        return
    if "tool_input" in expected:
        # Only a pair of quotes around the whole input is removed.
        value = found.pop("tool_input")
        assert unquoted(value) == expected.pop("tool_input")
    if expected.get("message") and expected["observation"] is None:
        # LangChain has no observation; ours always has one.
        assert found["observation"]
        assert found["llm_output"] == text
        del found["observation"], found["llm_output"]
        del expected["observation"], expected["llm_output"]
    assert found == expected


@given(st.text(st.sampled_from("\"x ]\n'{}")))
def test_quotes_are_taken_off_only_as_a_pair_around_the_whole(value: str) -> None:
    text = f"Action: a\nAction Input: {value}"
    result = OURS.parse(text)
    assert isinstance(result, AgentAction)
    inner = value.lstrip().strip(" ")
    if '"' not in value or re.fullmatch(r'"[^"]*"', inner):
        assert result.tool_input == theirs(text)["tool_input"]
    else:
        assert result.tool_input == inner


@pytest.mark.parametrize(
    ("fits", "is_too_long"),
    [(" " * 32, " " * 33), ("\n" * 32, "\n" * 33), ("7" * 16, "7" * 17), (" 7 ", "7" * 99)],
    ids=repr,
)
def test_a_label_has_at_most_16_digits_with_16_blanks_around(fits: str, is_too_long: str) -> None:
    text = "Action{0}:a\nAction{0}Input: b"
    assert ours(text.format(fits)) == theirs(text.format(fits))
    assert ours(text.format(fits))["tool"] == "a"
    assert theirs(text.format(is_too_long))["tool"] == "a"
    assert "Could not parse LLM output" in ours(text.format(is_too_long))["message"]


@given(soup(), st.integers(1, 9))
def test_a_stream_parses_to_the_same_as_the_whole_in_langchain(text: str, size: int) -> None:
    outcome = story_of(get_dialect("react"), "strict", cut(text, [size])).outcome
    if isinstance(outcome, Refusal):
        assert outcome.message == ours(text)["message"]
    else:
        assert fields_of(outcome) == ours(text)


@given(soup())
def test_an_answer_is_langchains(text: str) -> None:
    answer = f"Thought: done\nFinal Answer: {text}"
    result = theirs(answer)
    if "return_values" in result:
        assert ours(answer) == result
        assert isinstance(OURS.parse(answer), AgentFinish)


def test_the_type_is_langchains() -> None:
    assert OURS._type == THEIRS._type
