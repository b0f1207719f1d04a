"""LangChain's parsers of ReAct: strict mode and patterns of one's own match."""

import copy
import pickle
import re
from functools import cache
from typing import Any

import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from langchain_classic.agents.output_parsers import (
    ReActJsonSingleInputOutputParser as TheirReActJson,
)
from langchain_classic.agents.output_parsers import (
    ReActSingleInputOutputParser as LangChainReActSingleInputOutputParser,
)
from langchain_core.exceptions import OutputParserException as LangChainOutputParserException
from langchain_core.exceptions import OutputParserException as TheirException

from agent_laws import texts
from agent_laws.trials.stories import Refusal, story_from
from agent_parsers import (
    AgentAction,
    AgentFinish,
    OutputParserException,
    ReActJsonSingleInputOutputParser,
    ReActSingleInputOutputParser,
    ToolInputError,
    UnknownToolError,
    get_dialect,
)
from agent_parsers.testing import cut

# Strict mode matches LangChain, including its messages.

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
    outcome = story_from(OURS.stream_parser(), cut(text, [size])).outcome
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


# `ReActJsonSingleInputOutputParser` with a pattern of one's own reads as LangChain's does.

PATTERNS = [
    re.compile(r"<call>(.*?)</call>", re.DOTALL),
    re.compile(r"^call: (.*)$", re.MULTILINE | re.IGNORECASE),
    re.compile(r"(\{.*\})()", re.DOTALL),
    re.compile(r"~~~(?:json)?\n(.*?)~~~|<call>x", re.DOTALL),
]
BLOBS = [
    '{"action": "search", "action_input": "x"}',
    ' {"action": "search",\n "action_input": {"q": 1}} ',
    '{"action": "search"}',
    '{"action": "search", "action_input": null}',
    '{"action": "search", "action_input": ["x"]}',
    '{"action": 7}',
    '{"action_input": "x"}',
    '["action"]',
    '"action"',
    "null",
    "{'action': 'search'}",
    '{"action": "search", "action_input": "a\nb"}',
    '{"action": "a", "action": "b", "action_input": "x"}',
    "",
]
FRAMES = ["%s", "<call>%s</call>", "Hm.\nCall: %s\nDone.", "~~~json\n%s\n~~~", "```json\n%s\n```"]
BOTH = "Parsing LLM output produced a final answer and a parse-able action"
json_texts = st.lists(
    st.sampled_from(
        [*(frame % blob for frame in FRAMES for blob in BLOBS), "Final Answer: 42\n", "\n"]
    ),
    max_size=3,
).map("".join)


def outcome(parse: Any, text: str) -> Any:
    try:
        return parse(text).model_dump()
    except (OutputParserException, TheirException) as error:
        return str(error).partition("\nFor troubleshooting, visit:")[0]


@pytest.mark.parametrize("pattern", PATTERNS, ids=lambda pattern: pattern.pattern)
@given(json_texts)
@example("<call>x")
def test_it_reads_what_the_pattern_finds_as_langchain_does(pattern: Any, text: str) -> None:
    ours = ReActJsonSingleInputOutputParser(pattern=pattern)
    expected = outcome(TheirReActJson(pattern=pattern).parse, text)
    found = outcome(ours.parse, text)
    if isinstance(found, str) and found.startswith(BOTH):  # LangChain swallows its own error
        assert outcome(TheirReActJson(pattern=pattern).parse, text.partition("Final Answer:")[0])
        assert expected["type"] == "AgentFinish"
    elif text.count("Final Answer:") > 1:  # LangChain's answer is what follows the last label
        assert found["return_values"]["output"].endswith(expected["return_values"]["output"])
    else:
        assert found == expected
    assert outcome(ours.invoke, text) == found
    if text:
        assert outcome(lambda text: next(iter(ours.transform(iter(text)))), text) == found


def test_an_action_has_the_name_of_a_tool() -> None:
    text = '<call>{"action": "", "action_input": "x"}</call>'
    assert TheirReActJson(pattern=PATTERNS[0]).parse(text).tool == ""
    with pytest.raises(OutputParserException):
        ReActJsonSingleInputOutputParser(pattern=PATTERNS[0]).parse(text)


def test_without_one_it_is_langchains() -> None:
    parser = ReActJsonSingleInputOutputParser()
    assert parser.pattern == TheirReActJson().pattern
    assert repr(parser) == "ReActJsonSingleInputOutputParser()"
    same = ReActJsonSingleInputOutputParser(pattern=TheirReActJson().pattern)
    raw = '```json\n{"action": "s", "action_input": "a\nb"}\n```'
    assert same.parse(raw) == parser.parse(raw)
    assert same.read(raw).result == parser.parse(raw)


def test_it_is_a_field() -> None:
    pattern = PATTERNS[0]
    parser = ReActJsonSingleInputOutputParser(pattern=pattern)
    text = "<call>" + BLOBS[0] + "</call>"
    copies = [copy.deepcopy(parser), pickle.loads(pickle.dumps(parser)), parser.model_copy()]
    for same in copies:
        assert same.pattern == pattern
        assert same.parse(text) == parser.parse(text)
    parser.pattern = PATTERNS[1]
    with pytest.raises(OutputParserException):
        parser.parse(text)
    assert ReActJsonSingleInputOutputParser(pattern="<call>(.*)</call>").parse(text)  # type: ignore[arg-type]  # pydantic compiles it


def test_what_it_cannot_do_is_said() -> None:
    with pytest.raises(
        ValueError, match=r"the pattern '<call>' needs a group that captures the JSON"
    ):
        ReActJsonSingleInputOutputParser(pattern=re.compile("<call>"))
    with pytest.raises(ValueError, match="lenient mode finds the JSON without a pattern"):
        ReActJsonSingleInputOutputParser(pattern=PATTERNS[0], lenient=True)
    parser = ReActJsonSingleInputOutputParser(pattern=PATTERNS[0])
    for call in (parser.read, parser.explain, lambda text: [*parser.events([text])]):
        with pytest.raises(NotImplementedError, match="use parse or invoke"):
            call("x")


def test_its_errors_have_what_an_executor_needs() -> None:
    parser = ReActJsonSingleInputOutputParser(pattern=PATTERNS[0], tools={"search": "Looks up."})
    text = 'Hm. <call>{"action": "serch", "action_input": "x"}</call>'
    with pytest.raises(UnknownToolError) as raised:
        parser.parse(text)
    assert raised.value.llm_output == text
    assert raised.value.span == (10, 50)
    for wrong in ("hm", f"<call>{BLOBS[0]}</call> Final Answer: 42"):
        with pytest.raises(OutputParserException) as failed:
            parser.parse(wrong)
        assert failed.value.observation
        assert failed.value.llm_output == wrong
        with pytest.raises(TheirException):
            parser.as_langchain().parse(wrong)
    with pytest.raises(OutputParserException, match="longer than max_chars=3"):
        ReActJsonSingleInputOutputParser(pattern=PATTERNS[0], max_chars=3).parse("<call>")


def test_the_tools_take_the_input() -> None:
    def search(limit: int) -> str:
        return ""

    parser = ReActJsonSingleInputOutputParser(pattern=PATTERNS[0], tools=[search])
    action: Any = parser.parse('<call>{"action": "search", "action_input": {"limit": "7"}}</call>')
    assert action.tool_input == {"limit": 7}
    with pytest.raises(ToolInputError):
        parser.parse('<call>{"action": "search", "action_input": {"limit": "many"}}</call>')


def test_a_search_without_end_is_an_error(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("agent_parsers.react_json_single_input._TIMEOUT_S", 0.1)
    parser = ReActJsonSingleInputOutputParser(pattern=re.compile(r"((a|aa)+)$"))
    with pytest.raises(OutputParserException, match=r"took longer than 0\.1 s"):
        parser.parse("a" * 60 + "b")
