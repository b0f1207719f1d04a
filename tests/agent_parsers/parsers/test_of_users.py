"""What users bring: subclasses that override `parse`, unusual objects, unexpected replies."""

from __future__ import annotations

import asyncio
import copy
import pickle
import subprocess
import sys
from contextlib import suppress
from typing import TYPE_CHECKING, Any, Generic, TypeVar

import pytest

from agent_parsers import (
    AgentFinish,
    DialectParser,
    MessageParser,
    MultiActionDialectParser,
    OpenAIFunctionsAgentOutputParser,
    OutputParserException,
    ReActSingleInputOutputParser,
    ToolsAgentOutputParser,
    XMLAgentOutputParser,
    get_dialect,
    get_parser,
)
from agent_parsers.parsers.event_parser import EventParser
from agent_parsers.toolset.problems.names import folded
from agent_serving.templates import ResponseTemplateParser
from output_parsers import (
    JsonOutputParser,
    JsonOutputToolsParser,
    OutputFixingParser,
    RetryOutputParser,
    StrOutputParser,
)
from outputs import AIMessage, AIMessageChunk, ChatGeneration, from_any

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Callable


# Subclasses that override `parse`: what uses it, and what refuses to read without it.

MINE = AgentFinish({"output": "mine"}, "")
TEMPLATE = {
    "version": 1,
    "start_anchor": "<start>",
    "defaults": {"role": "assistant"},
    "fields": {"content": {"close": "<end>"}},
}


class OwnParse:
    """A mixin whose class overrides `parse`."""

    def parse(self, text: str, **_kwargs: Any) -> Any:
        return MINE


class React(OwnParse, ReActSingleInputOutputParser):
    """One action in a turn, with LangChain's name."""


class Xml(OwnParse, XMLAgentOutputParser):
    """Another one."""


class OfDialect(OwnParse, DialectParser):
    """Any dialect with one call in a turn."""


class Several(OwnParse, MultiActionDialectParser):
    """Any dialect with several calls in a turn."""


class Tools(OwnParse, ToolsAgentOutputParser):
    """Calls in messages."""


class Functions(OwnParse, OpenAIFunctionsAgentOutputParser):
    """One call in a message."""


class OfTemplate(OwnParse, ResponseTemplateParser):
    """A response template."""


class Auto(OwnParse, type(get_parser("auto"))):  # type: ignore[misc]
    """Any dialect."""


PARSERS: dict[str, Callable[[], EventParser]] = {
    "React": React,
    "Xml": Xml,
    "OfDialect": lambda: OfDialect(dialect=get_dialect("react")),
    "Several": lambda: Several(dialect=get_dialect("hermes")),
    "Tools": lambda: Tools(lenient=True),
    "Functions": lambda: Functions(lenient=True),
    "OfTemplate": lambda: OfTemplate(template=TEMPLATE),
    "Auto": Auto,
}
NAMES = pytest.mark.parametrize("name", PARSERS)


async def chunks_of(*texts: str) -> AsyncIterator[str]:
    for text in texts:
        yield text


def refusal(name: str, called: str, method: str) -> str:
    return (
        f"^{name} overrides parse, which {called} does not use: call parse or invoke, or override"
        f" {method} as well$"
    )


@NAMES
def test_what_does_not_use_an_overridden_parse_says_so(name: str) -> None:
    parser: Any = PARSERS[name]()
    assert parser.parse("Final Answer: 42") == MINE
    with pytest.raises(NotImplementedError, match=refusal(name, "events", "stream_parser")):
        parser.events(["Final Answer: 42"])
    with pytest.raises(NotImplementedError, match=refusal(name, "aevents", "stream_parser")):
        parser.aevents(chunks_of("Final Answer: 42"))
    for method in ("read", "explain", "explain_chunks"):
        if hasattr(parser, method):
            with pytest.raises(NotImplementedError, match=refusal(name, method, method)):
                getattr(parser, method)("Final Answer: 42")
    with pytest.raises(NotImplementedError, match=refusal(name, "stream_parser", "stream_parser")):
        parser.stream_parser()


@NAMES
def test_what_reads_whole_turns_uses_an_overridden_parse(name: str) -> None:
    parser: Any = PARSERS[name]()
    assert parser.invoke("Final Answer: 42") == MINE
    assert asyncio.run(parser.ainvoke("Final Answer: 42")) == MINE
    assert parser.batch(["Final Answer: 42"]) == [MINE]
    assert list(parser.stream("Final Answer: 42")) == [MINE]
    if not isinstance(parser, MessageParser):
        assert list(parser.transform(iter(["Final ", "Answer: 42"]))) == [MINE]


@pytest.mark.parametrize("name", ["Tools", "Functions"])
def test_messages_never_went_through_parse(name: str) -> None:
    parser: Any = PARSERS[name]()
    assert parser.invoke(AIMessage("42")).output == "42"
    with pytest.raises(NotImplementedError, match=refusal(name, "stream", "stream_parser")):
        list(parser.transform(iter(["4", "2"])))


def test_every_kind_of_parser_with_events_is_here() -> None:
    def below(cls: type) -> set[type]:
        return {cls}.union(*map(below, cls.__subclasses__()))

    ours = {cls for cls in below(EventParser) if cls.__module__.startswith("agent_parsers.")}
    with_events = {cls for cls in ours if "stream_parser" in vars(cls)} - {EventParser}
    parents = {parent for make in PARSERS.values() for parent in type(make()).__mro__}
    assert with_events <= parents


@pytest.mark.parametrize("method", ["aparse", "parse_result", "aparse_result"])
def test_so_it_is_with_the_other_methods_for_whole_turns(method: str) -> None:
    mine = type("Mine", (ReActSingleInputOutputParser,), {method: lambda *_, **__: MINE})
    with pytest.raises(NotImplementedError, match=f"^Mine overrides {method}, which read does not"):
        mine().read("Final Answer: 42")


FUNCTION = {"function_call": {"name": "area", "arguments": '{"lake": "Thun"}'}}


class OwnMessages(OpenAIFunctionsAgentOutputParser):
    @staticmethod
    def parse_ai_message(message: Any) -> Any:
        found = OpenAIFunctionsAgentOutputParser.parse_ai_message(message)
        return found.model_copy(update={"log": f"mine {message.content}"})


class OwnMessagesOfInstance(OpenAIFunctionsAgentOutputParser):
    mine: str = "mine"

    def parse_ai_message(self, message: Any) -> Any:  # type: ignore[override]
        found = super().parse_ai_message(message)
        return found.model_copy(update={"log": f"{self.mine} {message.content}"})


@pytest.mark.parametrize("kind", [OwnMessages, OwnMessagesOfInstance])
def test_an_overridden_parse_ai_message_reads_messages(kind: Any) -> None:
    parser = kind()
    message = AIMessage("Hm.", additional_kwargs=FUNCTION)
    pieces = [AIMessageChunk("Hm"), AIMessageChunk(".", additional_kwargs=FUNCTION)]
    for found in (
        parser.invoke(message),
        asyncio.run(parser.ainvoke(message)),
        parser.parse_result([ChatGeneration(message=message)]),
        parser.batch([message])[0],
        *parser.transform(iter([message])),
        *parser.transform(iter(pieces)),
        parser.as_langchain().invoke(message),
    ):
        assert (found.tool, found.tool_input) == ("area", {"lake": "Thun"})
        assert found.log == "mine Hm."
    cut = AIMessage("", additional_kwargs=FUNCTION, response_metadata={"finish_reason": "length"})
    assert parser.invoke(cut).tool == "area", "its arguments are whole"
    with pytest.raises(NotImplementedError, match="overrides parse_ai_message, which read"):
        parser.read(message)
    for options in ({"lenient": True}, {"tools": ["area"]}):
        with pytest.raises(NotImplementedError, match="override parse_result in its place"):
            kind(**options).invoke(message)


def test_a_method_that_is_overridden_as_well_may_use_ours() -> None:
    asked: list[str] = []

    class Stripped(ReActSingleInputOutputParser):
        def parse(self, text: str) -> Any:  # type: ignore[override]
            return super().parse(text.removeprefix("Bot: "))

        def read(self, output: Any, **kwargs: Any) -> Any:
            return super().read(output.removeprefix("Bot: "), **kwargs)

        def stream_parser(self) -> Any:  # type: ignore[override]
            asked.append("stream_parser")
            return super().stream_parser()

    parser = Stripped()
    assert parser.read("Bot: Final Answer: 42").result.log == "Final Answer: 42"
    assert list(parser.events(["Final Answer: 42"]))
    assert asked == ["stream_parser"]
    with pytest.raises(NotImplementedError, match="override explain as well"):
        parser.explain("Bot: Final Answer: 42")


def test_subclasses_with_other_changes_read_as_before() -> None:
    T = TypeVar("T")

    class Plain(ReActSingleInputOutputParser):
        note: str = ""

        def get_format_instructions(self) -> str:
            return self.note

    class General(Plain, Generic[T]):
        pass

    for parser in (Plain(), General[int]()):
        assert parser.read("Final Answer: 42").result.log == "Final Answer: 42"
        assert list(parser.events(["Final Answer: 42"]))
    below = type("Below", (React,), {})
    with pytest.raises(NotImplementedError, match="Below overrides parse"):
        below().events([])
    with pytest.raises(NotImplementedError, match="aevents"):
        asyncio.run(anext(below().aevents(chunks_of("a"))))


def test_parsing_with_listeners_is_no_call_of_read(monkeypatch: pytest.MonkeyPatch) -> None:
    class Stripped(ReActSingleInputOutputParser):
        def parse(self, text: str) -> Any:  # type: ignore[override]
            return super().parse(text.removeprefix("Bot: "))

    monkeypatch.setattr("agent_parsers.parsers.turn_parser.LISTENERS", ["any"])
    monkeypatch.setattr("agent_parsers.reports.LISTENERS", [])
    assert Stripped().parse("Bot: Final Answer: 42").log == "Final Answer: 42"

    class Content(ResponseTemplateParser):
        def parse(self, text: str, **kwargs: Any) -> Any:
            return super().parse(text.removeprefix("Bot: "), **kwargs)

    assert Content(template=TEMPLATE).parse("Bot: 42").output == "42"


# Unusual objects that users pass, and unexpected replies of providers.


class Model:
    """Neither a function nor one of our runnables."""

    def invoke(self, prompt: Any, config: Any = None) -> AIMessage:
        return AIMessage('{"a": 1}')


def test_anything_with_an_invoke_can_be_asked() -> None:
    parser = JsonOutputParser(lenient=True)
    assert OutputFixingParser.from_llm(Model(), parser).parse("no") == {"a": 1}
    fixing: Any = OutputFixingParser(parser=parser, retry_chain=Chain())
    assert fixing.parse("no") == {"a": 1}
    retry: Any = RetryOutputParser.from_llm(Model(), parser)
    assert retry.parse_with_prompt("no", "Give me JSON.") == {"a": 1}
    assert asyncio.run(retry.aparse_with_prompt("no", "Give me JSON.")) == {"a": 1}


class Chain:
    def invoke(self, values: Any, config: Any = None) -> str:
        return '{"a": 1}'


def test_a_paused_turn_says_what_to_do() -> None:
    fields: Any = {"response_metadata": {"stop_reason": "pause_turn"}}
    message = AIMessage("Let me look.", **fields)
    for parser in (get_parser("tools"), get_parser("tools", lenient=False)):
        with pytest.raises(OutputParserException, match="pause_turn"):
            parser.invoke(message)
        with pytest.raises(OutputParserException, match="pause_turn"):
            list(parser.events([AIMessageChunk("Let", **fields), AIMessageChunk(" me look.")]))


def test_the_transcript_of_an_audio_answer_is_its_text() -> None:
    audio = {"id": "a", "data": "UklGRg==", "transcript": "It is noon."}
    message = {"role": "assistant", "content": None, "audio": audio}
    assert from_any(message).text == "It is noon."
    assert get_parser("tools").invoke(message).return_values == {"output": "It is noon."}
    pieces = ({"id": "a", "transcript": "It is "}, {"transcript": "noon."}, {"data": "UklGRg=="})
    chunks = [
        {"object": "chat.completion.chunk", "choices": [{"index": 0, "delta": {"audio": piece}}]}
        for piece in pieces
    ]
    assert "".join(StrOutputParser().transform(iter(chunks))) == "It is noon."


@pytest.mark.parametrize(
    "call",
    [
        {"function": {"name": 5, "arguments": "{}"}},
        {"function": 5},
        5,
        None,
        {"function": {"name": "f", "arguments": 5}},
    ],
)
def test_a_malformed_call_raises_only_our_exception(call: Any) -> None:
    given = {"additional_kwargs": {"tool_calls": [call]}}
    for message in (AIMessage("", **given), AIMessageChunk("", **given)):
        for parser in (get_parser("tools"), get_parser("tools", lenient=False)):
            with suppress(OutputParserException):
                parser.invoke(message)
            with suppress(OutputParserException):
                list(parser.events([message]))
        with suppress(OutputParserException):
            JsonOutputToolsParser().invoke(message)


def test_a_call_needs_no_id() -> None:
    message = AIMessage("", tool_calls=[{"name": "f", "args": {}}])
    assert message.tool_calls[0]["id"] is None
    assert [*JsonOutputToolsParser().transform(iter([message]))][-1] == [{"type": "f", "args": {}}]
    wire = {"id": 7, "function": {"name": "f", "arguments": "{}"}}
    assert AIMessage("", additional_kwargs={"tool_calls": [wire]}).tool_calls[0]["id"] == "7"


def test_a_source_is_closed_once() -> None:
    class Source:
        closed = 0

        def __aiter__(self) -> Source:
            return self

        async def __anext__(self) -> str:
            raise StopAsyncIteration

        async def aclose(self) -> None:
            self.closed += 1

    async def read(source: Any) -> None:
        with suppress(OutputParserException):
            async for _ in get_parser("react").aevents(source):
                pass

    source = Source()
    asyncio.run(read(source))
    assert source.closed == 1


def test_a_stream_parser_refuses_to_be_copied() -> None:
    parser = get_parser("react").stream_parser()
    parser.feed("Thought: hm\nAction: se")
    for copied in (copy.copy, copy.deepcopy, pickle.dumps):
        with pytest.raises(TypeError, match="cannot be copied or pickled"):
            copied(parser)


def test_names_differ_by_marks_within_words() -> None:
    for name in ("Search", "sea rch", "`search`", "sea_rch", "sea-rch", "search()", '"search"'):
        assert folded(name) == "search"
    for name in ("se}arch", 'sea"rch', "se/arch", "sea,rch"):
        assert folded(name) != "search"


# Pickles, in processes that have imported nothing but the parser's class.

PICKLED = (
    "JSONAgentOutputParser", "ReActJsonSingleInputOutputParser", "ReActSingleInputOutputParser",
    "ChatOutputParser", "ConvoOutputParser", "MRKLOutputParser", "ReActOutputParser",
    "SelfAskOutputParser", "StructuredChatOutputParser", "ToolsAgentOutputParser",
    "XMLAgentOutputParser",
)  # fmt: skip


def test_parsers_are_pickled_wherever_they_are_imported() -> None:
    code = (
        "import pickle, sys, agent_parsers\n"
        "parser = getattr(agent_parsers, sys.argv[1])()\n"
        "data = pickle.dumps(parser)\n"
        "assert pickle.loads(data) == parser and len(data) < 1_500, len(data)\n"
    )
    running = [(name, subprocess.Popen([sys.executable, "-c", code, name])) for name in PICKLED]
    assert [name for name, process in running if process.wait()] == []
