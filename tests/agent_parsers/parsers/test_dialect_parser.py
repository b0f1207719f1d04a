"""`DialectParser`: one parser for any dialect, with all features of a LangChain parser."""

import asyncio
import copy
import pickle
from collections.abc import AsyncIterator, Callable
from concurrent.futures import ProcessPoolExecutor
from multiprocessing import get_context
from typing import Any

import pytest
from langchain_core.messages import AIMessage as LangChainMessage
from langchain_core.messages import AIMessageChunk as LangChainChunk

from agent_parsers import (
    ActionComplete,
    AgentAction,
    AgentFinish,
    AgentOutputParser,
    AnswerDelta,
    DialectParser,
    Event,
    MultiActionAgentOutputParser,
    OutputParserException,
    ReActOutputParser,
    ReActSingleInputOutputParser,
    Repair,
    StreamParser,
    ThoughtDelta,
    ToolNamed,
    get_dialect,
    get_parser,
    list_dialects,
)
from agent_parsers.events import MarkerSeen
from output_parsers import BaseOutputParser
from outputs import AIMessage, AIMessageChunk, ChatGeneration, Generation, GenerationChunk

TURN = "Thought: hm\nAction: search\nAction Input: old bridge"
ACTION = AgentAction("search", "old bridge", TURN)
ANSWER = "Final Answer: 42"
FINISH = AgentFinish({"output": "42"}, ANSWER)
DRESSED = "**Final Answer:** 42"


@pytest.fixture
def parser() -> DialectParser:
    return get_parser("react")


async def arriving(*chunks: Any) -> AsyncIterator[Any]:
    for chunk in chunks:
        await asyncio.sleep(0)
        yield chunk


async def collect(stream: AsyncIterator[Any]) -> list[Any]:
    return [item async for item in stream]


# -- one turn ------------------------------------------------------------------------------------


def test_a_turn_is_an_action_or_an_answer(parser: DialectParser) -> None:
    assert parser.parse(TURN) == ACTION
    assert parser.parse(ANSWER) == FINISH


def test_read_returns_everything(parser: DialectParser) -> None:
    turn = parser.read(f"{TURN}\nObservation: 1461")
    assert turn.result == ACTION
    assert turn.thought == "hm"
    message = "the turn ended at 'Observation:'; the text after it is not part of the turn"
    assert turn.repairs == (Repair("invented", (52, 64), message),)
    assert turn.events[:2] == (MarkerSeen("thought", (0, 9)), ThoughtDelta("hm", (9, 11)))
    assert turn.repairs[0] in turn.events


def test_read_rejects_what_parse_rejects(parser: DialectParser) -> None:
    for refuse in (parser.parse, parser.read):
        with pytest.raises(OutputParserException, match="expected an Action or a Final Answer"):
            refuse("hm")


@pytest.mark.parametrize("parser_class", [ReActSingleInputOutputParser, ReActOutputParser])
def test_the_classes_are_strict_by_default(parser_class: Any) -> None:
    assert parser_class().mode == "langchain"
    assert parser_class(tools=["search"]).mode == "strict"
    assert parser_class(lenient=True).mode == "lenient"


def test_the_classes_have_their_dialects() -> None:
    assert ReActSingleInputOutputParser().dialect is get_dialect("react")
    assert ReActOutputParser().dialect is get_dialect("react_docstore")


# -- what a parser takes -------------------------------------------------------------------------


@pytest.mark.parametrize(
    "output",
    [
        TURN,
        AIMessage(content=TURN),
        AIMessage(content=[{"type": "text", "text": TURN}]),
        LangChainMessage(TURN),
        Generation(text=TURN),
        ChatGeneration(message=AIMessage(content=TURN)),
    ],
    ids=lambda output: f"{type(output).__module__.partition('.')[0]} {type(output).__name__}",
)
def test_invoke_takes_text_messages_and_generations(parser: DialectParser, output: Any) -> None:
    assert parser.invoke(output) == ACTION
    assert asyncio.run(parser.ainvoke(output)) == ACTION
    assert parser.batch([output, ANSWER]) == [ACTION, FINISH]
    assert asyncio.run(parser.abatch([output, ANSWER])) == [ACTION, FINISH]
    assert list(parser.stream(output)) == [ACTION]
    assert asyncio.run(collect(parser.astream(output))) == [ACTION]


def test_a_batch_may_return_its_exceptions(parser: DialectParser) -> None:
    result, error = parser.batch([TURN, "hm"], return_exceptions=True)
    assert result == ACTION
    assert isinstance(error, OutputParserException)
    with pytest.raises(OutputParserException):
        parser.batch([TURN, "hm"])


HALVES: dict[str, tuple[Any, Any]] = {
    "text": (TURN[:20], TURN[20:]),
    "our chunks": (AIMessageChunk(content=TURN[:20]), AIMessageChunk(content=TURN[20:])),
    "blocks": (
        AIMessageChunk(content=[{"type": "text", "text": TURN[:20]}]),
        AIMessageChunk(content=[{"type": "text", "text": TURN[20:]}]),
    ),
    "chunks of LangChain": (LangChainChunk(content=TURN[:20]), LangChainChunk(content=TURN[20:])),
    "generations": (GenerationChunk(text=TURN[:20]), GenerationChunk(text=TURN[20:])),
}
halves = pytest.mark.parametrize("chunks", HALVES.values(), ids=HALVES)


@halves
def test_transform_parses_the_sum_of_its_chunks(
    parser: DialectParser, chunks: tuple[Any, Any]
) -> None:
    assert list(parser.transform(iter(chunks))) == [ACTION]
    assert asyncio.run(collect(parser.atransform(arriving(*chunks)))) == [ACTION]


@halves
def test_events_come_while_chunks_do(parser: DialectParser, chunks: tuple[Any, Any]) -> None:
    events = list(parser.events(iter(chunks)))
    assert events == [
        MarkerSeen("thought", (0, 9)),
        ThoughtDelta("hm", (9, 11)),
        MarkerSeen("action", (11, 20)),
        ToolNamed("search", (20, 26)),
        *events[4:-1],
        ActionComplete(ACTION, (20, 51)),
    ]
    assert asyncio.run(collect(parser.aevents(arriving(*chunks)))) == events


def test_events_do_not_wait_for_the_next_chunk(parser: DialectParser) -> None:
    taken = []

    def chunks() -> Any:
        for chunk in ("Final Answer: 4", "2"):
            taken.append(chunk)
            yield chunk

    events = parser.events(chunks())
    assert taken == []
    assert next(events) == MarkerSeen("answer", (0, 14))
    assert next(events) == AnswerDelta("4", (14, 15))
    assert taken == ["Final Answer: 4"]


def test_the_last_events_come_before_the_error(parser: DialectParser) -> None:
    first: tuple[Any, ...] = ("hm", LangChainChunk(content="hm"))
    for chunks in ([chunk, "\nFinal"] for chunk in first):
        emitted: list[Event] = []
        with pytest.raises(OutputParserException, match="expected an Action"):
            emitted.extend(parser.events(chunks))
        assert emitted == [ThoughtDelta("hm", (0, 2)), ThoughtDelta("\nFinal", (2, 8))]


def test_a_stream_parser_reads_as_the_parser_does() -> None:
    parser = get_parser("react", lenient=False, max_chars=12, tools=["search"])
    stream = parser.stream_parser()
    assert isinstance(stream, StreamParser)
    stream.feed("Final Answer: 42")
    with pytest.raises(OutputParserException, match="max_chars=12"):
        stream.close()


# -- composition ---------------------------------------------------------------------------------


def test_a_parser_pipes_into_a_function_and_after_one(parser: DialectParser) -> None:
    def name(action: Any) -> str:
        return str(action.tool)

    assert (parser | name).invoke(TURN) == "search"
    assert (parser | name | str.upper).batch([TURN]) == ["SEARCH"]

    def reply(question: str) -> str:
        return f"Final Answer: {question}!"

    answer = (reply | parser).invoke("42")
    assert answer == AgentFinish({"output": "42!"}, "Final Answer: 42!")


# -- tools and limits ----------------------------------------------------------------------------


@pytest.mark.parametrize("lenient", [True, False])
@pytest.mark.parametrize(("name", "hint"), [("serch", " Did you mean 'search'?"), ("Teleport", "")])
def test_an_unknown_tool_is_an_error(name: str, hint: str, lenient: bool) -> None:
    parser = get_parser("react", tools={"search": "looks up", "clock": ""}, lenient=lenient)
    text = f"Thought: hm\nAction: {name}\nAction Input: x"
    for read in (parser.parse, parser.read):
        with pytest.raises(OutputParserException) as e:
            read(text)
        assert str(e.value) == f"{name!r} is not one of the tools"
        assert e.value.span == (20, 20 + len(name))
        assert (e.value.line, e.value.column) == (2, 9)
        assert e.value.llm_output == text
        assert e.value.send_to_llm
        reason, *example = str(e.value.observation).split("\n")
        assert reason == f"There is no tool '{name}'.{hint} The tools are: search, clock."
        shown = ["For example: Action: search", "Action Input: what to look for"]
        assert example == shown


def test_an_answer_needs_no_tool() -> None:
    assert get_parser("react", tools=["search"]).parse(ANSWER) == FINISH
    finish = get_parser("react_docstore", tools=["search"]).parse("Action 1: Finish[42]")
    assert isinstance(finish, AgentFinish)


def test_without_any_tools_every_name_is_an_error() -> None:
    with pytest.raises(OutputParserException, match="'search' is not one of the tools"):
        get_parser("react", tools=[]).parse(TURN)


def test_a_class_takes_tools_too() -> None:
    tools: Any = ["search", "clock"]
    parser = ReActSingleInputOutputParser(tools=tools)
    assert parser.tool_names == ("search", "clock")
    assert ReActSingleInputOutputParser().tool_names is None
    with pytest.raises(ValueError, match="two tools have the name 'search'"):
        ReActSingleInputOutputParser(tools=tools * 2)


def test_a_longer_text_than_max_chars_is_an_error() -> None:
    parser = get_parser("react", max_chars=len(TURN))
    assert parser.parse(TURN) == parser.read(TURN).result == ACTION
    for read in (parser.parse, parser.read):
        with pytest.raises(OutputParserException) as caught:
            read(TURN + "s" * 1_000)
        assert str(caught.value) == "the text is longer than max_chars=51 characters"
        assert caught.value.llm_output == TURN, "not the thousand characters after it"
        assert caught.value.span == (51, 51)


# -- the prompt ----------------------------------------------------------------------------------


def test_the_tools_stand_in_the_instructions() -> None:
    parser = get_parser("react", tools={"search": "looks up", "clock": ""})
    text = parser.get_format_instructions()
    assert "\n\nsearch: looks up\nclock\n\n" in text
    assert "one of [search, clock]" in text


def test_a_description_may_hold_braces() -> None:
    text = get_parser("react", tools={"a": "takes {tool_names}"}).get_format_instructions()
    assert "a: takes {tool_names}\n" in text


@pytest.mark.parametrize("name", list_dialects())
def test_instructions_without_tools_leave_their_place(name: str) -> None:
    text = get_parser(name).get_format_instructions()
    assert "{tools}" in text
    assert "{tool_names}" in text or get_dialect(name).several


@pytest.mark.parametrize("name", list_dialects())
def test_no_placeholder_is_left_in_the_instructions(name: str) -> None:
    text = get_parser(name, tools=["search"]).get_format_instructions()
    assert "{tool" not in text


def test_the_stop_sequences_are_a_list_of_ones_own(parser: DialectParser) -> None:
    parser.stop.append("x")
    assert parser.stop == ["\nObservation:"]


# -- values --------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "again",
    [lambda p: pickle.loads(pickle.dumps(p)), copy.copy, copy.deepcopy, DialectParser.model_copy],
    ids=["pickle", "copy", "deepcopy", "model_copy"],
)
def test_a_parser_can_be_copied(again: Callable[[DialectParser], DialectParser]) -> None:
    parser = get_parser("react", tools={"search": "looks up"}, max_chars=60)
    parser.parse(TURN)
    same = again(parser)
    assert same is not parser
    assert same == parser
    assert same.dialect is parser.dialect
    assert same.get_format_instructions() == parser.get_format_instructions()
    assert same.parse(TURN) == ACTION


def test_a_parser_can_go_to_another_process() -> None:
    with ProcessPoolExecutor(1, mp_context=get_context("spawn")) as pool:
        assert pool.submit(get_parser("react").parse, TURN).result() == ACTION


def test_a_parser_can_be_changed(parser: DialectParser) -> None:
    assert parser.parse(DRESSED) == AgentFinish({"output": "42"}, DRESSED)
    parser.lenient = False
    assert parser.parse(DRESSED) == AgentFinish({"output": "** 42"}, DRESSED)
    parser.max_chars = 3
    with pytest.raises(OutputParserException, match="max_chars=3"):
        parser.parse(DRESSED)


def test_a_copy_may_differ(parser: DialectParser) -> None:
    strict = parser.model_copy(update={"lenient": False})
    assert (strict.mode, parser.mode) == ("strict", "lenient")


def test_a_parser_shows_what_is_not_usual() -> None:
    assert repr(ReActSingleInputOutputParser()) == "ReActSingleInputOutputParser()"
    parser = ReActOutputParser(lenient=True, max_chars=5)
    assert repr(parser) == "ReActOutputParser(lenient=True, max_chars=5)"


def test_asdict_is_the_settings_and_the_kind_of_parser() -> None:
    settings = {"name": None, "lenient": False, "max_chars": 10_000_000, "on_conflict": "error"}
    settings |= {"start": "", "prompt": ""}
    assert ReActSingleInputOutputParser().asdict() == {**settings, "_type": "react-single-input"}
    assert ReActOutputParser().asdict() == {**settings, "_type": "react"}
    lenient = get_parser("react_docstore", tools=["a"]).asdict()
    assert lenient == {**settings, "lenient": True, "_type": "react_docstore"}


def test_a_parser_needs_a_dialect() -> None:
    with pytest.raises(ValueError, match=r"^DialectParser: dialect is missing$"):
        DialectParser()  # type: ignore[call-arg]
    with pytest.raises(ValueError, match="instance of Dialect"):
        DialectParser(dialect="react")  # type: ignore[arg-type]


# -- parsers of one's own ------------------------------------------------------------------------


def test_one_writes_parse_and_has_a_parser() -> None:
    class Always(AgentOutputParser):
        def parse(self, text: str) -> AgentAction | AgentFinish:
            return AgentFinish({"output": text}, text)

    class Both(MultiActionAgentOutputParser):
        def parse(self, text: str) -> list[AgentAction] | AgentFinish:
            return [AgentAction(tool, text, text) for tool in "ab"]

    assert Always().invoke("x") == AgentFinish({"output": "x"}, "x")
    assert Both().invoke("x") == [AgentAction("a", "x", "x"), AgentAction("b", "x", "x")]
    assert isinstance(Always(), BaseOutputParser)
    assert Always().OutputType == AgentAction | AgentFinish


@pytest.mark.parametrize("base", [AgentOutputParser, MultiActionAgentOutputParser])
def test_a_base_class_is_not_a_parser(base: type) -> None:
    with pytest.raises(TypeError, match="abstract"):
        base()
