"""The classes with LangChain's names that read JSON."""

from contextlib import suppress
from typing import Any

import pytest

from agent_parsers import AgentAction, AgentFinish, DialectParser, OutputParserException
from agent_parsers.json import JSONAgentOutputParser
from agent_parsers.parsers.named_parsers import (
    ChatOutputParser,
    ConvoOutputParser,
    StructuredChatOutputParser,
    StructuredChatOutputParserWithRetries,
)
from agent_parsers.react_json_single_input import ReActJsonSingleInputOutputParser
from output_parsers import OutputFixingParser

from ...helpers.growth import assert_linear

CLASSES: list[type[DialectParser]] = [
    ChatOutputParser,
    ConvoOutputParser,
    JSONAgentOutputParser,
    ReActJsonSingleInputOutputParser,
    StructuredChatOutputParser,
]
ACTION = '```json\n{"action": "search", "action_input": "lake"}\n```'


@pytest.mark.parametrize("parser", CLASSES)
def test_a_parser_is_strict_by_default(parser: Any) -> None:
    broken = "Action:\n```json\n{'action': 'search', 'action_input': 'lake'}\n```"
    with pytest.raises(OutputParserException):
        parser().parse(broken)
    assert parser(lenient=True).parse(broken) == AgentAction("search", "lake", broken)


@pytest.mark.parametrize("parser", CLASSES)
def test_an_action_is_read(parser: Any) -> None:
    assert parser().parse(ACTION) == AgentAction("search", "lake", ACTION)


@pytest.mark.parametrize(
    "parser", [ConvoOutputParser, JSONAgentOutputParser, StructuredChatOutputParser]
)
def test_an_answer_may_be_any_value(parser: Any) -> None:
    for value, written in (("42", '"42"'), (42, "42"), ({"a": [1]}, '{"a": [1]}'), (None, "null")):
        text = f'```json\n{{"action": "Final Answer", "action_input": {written}}}\n```'
        assert parser().parse(text) == AgentFinish({"output": value}, text)


def test_null_is_an_empty_input_in_the_json_agent_alone() -> None:
    text = '```\n{"action": "search", "action_input": null}\n```'
    assert JSONAgentOutputParser().parse(text) == AgentAction("search", {}, text)
    for parser in (ChatOutputParser(), ConvoOutputParser(), StructuredChatOutputParser()):
        with pytest.raises(OutputParserException):
            parser.parse(text)


def test_an_unknown_tool_is_an_error() -> None:
    parser = JSONAgentOutputParser(tools=["search"])
    assert parser.parse(ACTION)
    with pytest.raises(OutputParserException) as caught:
        parser.parse(ACTION.replace("search", "serch"))
    assert caught.value.span == (20, 25)
    assert "Did you mean 'search'?" in str(caught.value.observation)


class TestStructuredChatWithRetries:
    def test_without_a_model_it_reads_structured_chat(self) -> None:
        parser = StructuredChatOutputParserWithRetries()
        assert isinstance(parser.base_parser, StructuredChatOutputParser)
        assert parser.parse(ACTION) == AgentAction("search", "lake", ACTION)
        assert parser.parse("prose") == AgentFinish({"output": "prose"}, "prose")
        assert parser._type == "structured_chat_with_retries"

    @pytest.mark.parametrize(
        ("given", "named"),
        [
            ({"tools": ["search"]}, "tools"),
            ({"lenient": True}, "lenient"),
            ({"toolz": ["search"]}, "tools"),
        ],
    )
    def test_an_argument_of_the_base_parser_is_an_error(
        self, given: dict[str, Any], named: str
    ) -> None:
        with pytest.raises(TypeError, match=rf"base_parser=StructuredChatOutputParser\({named}=…"):
            StructuredChatOutputParserWithRetries(**given)
        StructuredChatOutputParserWithRetries(verbose=True)  # type: ignore[call-arg]

    def test_what_cannot_be_read_is_fixed(self) -> None:
        asked: list[Any] = []

        def chain(values: Any) -> str:
            asked.append(values)
            return ACTION

        fixing = OutputFixingParser[AgentAction | AgentFinish](
            parser=StructuredChatOutputParser(), retry_chain=chain, max_retries=1
        )
        parser = StructuredChatOutputParserWithRetries(output_fixing_parser=fixing)
        assert parser.parse('```json\n{"action": what}\n```') == AgentAction(
            "search", "lake", ACTION
        )
        assert len(asked) == 1

    def test_an_error_names_the_text_and_where_it_is_wrong(self) -> None:
        text = '```json\n{"action": what}\n```'
        with pytest.raises(OutputParserException) as caught:
            StructuredChatOutputParserWithRetries().parse(text)
        assert str(caught.value) == f"Could not parse LLM output: {text}"
        assert caught.value.span == (19, len(text))
        assert caught.value.observation
        assert caught.value.llm_output == text

    def test_from_llm_needs_no_model(self) -> None:
        base = StructuredChatOutputParser(lenient=True)
        parser = StructuredChatOutputParserWithRetries.from_llm(base_parser=base)
        assert parser.base_parser is base
        assert parser.output_fixing_parser is None
        assert StructuredChatOutputParserWithRetries.from_llm().parse("hm")

    def test_from_llm_has_a_model_fix_what_cannot_be_read(self) -> None:
        base = StructuredChatOutputParser()
        parser = StructuredChatOutputParserWithRetries.from_llm(lambda _: ACTION, base)
        assert parser.output_fixing_parser is not None
        assert parser.output_fixing_parser.parser is base

    def test_it_has_format_instructions(self) -> None:
        parser = StructuredChatOutputParserWithRetries()
        assert parser.get_format_instructions() == (
            StructuredChatOutputParser().get_format_instructions()
        )


@pytest.mark.parametrize("lead", ["", "Action:\n", "prose "])
def test_spaces_after_the_tag_of_a_fence_are_skipped_once(lead: str) -> None:
    def read(text: str) -> None:
        with suppress(OutputParserException):
            StructuredChatOutputParser().parse(text)

    assert_linear(read, lambda blanks: f"{lead}```json{' ' * blanks}x", 2_000)
