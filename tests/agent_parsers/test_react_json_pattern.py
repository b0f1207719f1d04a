"""`ReActJsonSingleInputOutputParser` with a pattern of one's own reads as LangChain's does."""

import copy
import pickle
import re
from typing import Any

import pytest
from hypothesis import example, given
from hypothesis import strategies as st
from langchain_classic.agents.output_parsers import (
    ReActJsonSingleInputOutputParser as TheirReActJson,
)
from langchain_core.exceptions import OutputParserException as TheirException

from agent_parsers import (
    OutputParserException,
    ReActJsonSingleInputOutputParser,
    ToolInputError,
    UnknownToolError,
)

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
texts = st.lists(
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
@given(texts)
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
    with pytest.raises(ValueError, match=r"the pattern '<call>' has no group for the JSON"):
        ReActJsonSingleInputOutputParser(pattern=re.compile("<call>"))
    with pytest.raises(ValueError, match="lenient reading finds the JSON itself"):
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


def test_a_search_without_end_is_an_error() -> None:
    parser = ReActJsonSingleInputOutputParser(pattern=re.compile(r"((a|aa)+)$"))
    with pytest.raises(OutputParserException, match="took longer than 1 s"):
        parser.parse("a" * 60 + "b")
