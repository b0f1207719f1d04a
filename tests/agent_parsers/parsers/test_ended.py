"""How a text ended according to its message, in every dialect; and refusals, which raise."""

import asyncio
import json
from collections.abc import AsyncIterator, Callable
from contextlib import suppress
from functools import partial
from typing import Any

import langchain_core.messages as lc
import langchain_core.outputs as lc_outputs
import pytest
from langchain_core.exceptions import OutputParserException as LangChainError
from langchain_core.runnables import RunnableLambda
from pydantic import BaseModel

from agent_laws.trials.stories import outcome_of
from agent_parsers import (
    AgentAction,
    AgentFinish,
    AgentOutputParser,
    OpenAIFunctionsAgentOutputParser,
    ReActSingleInputOutputParser,
    StructuredChatOutputParserWithRetries,
    ToolsAgentOutputParser,
    XMLAgentOutputParser,
    get_parser,
    list_dialects,
)
from agent_parsers.engine.reading import message_text
from agent_parsers.engine.reading.message_text import text_and_end
from agent_parsers.events import Repair
from output_parsers import (
    BaseGenerationOutputParser,
    BaseOutputParser,
    ModelRefusalError,
    OutputFixingParser,
    OutputParserException,
    PydanticOutputParser,
)
from outputs import AIMessage, AIMessageChunk, ChatGeneration, Ended, GenerationChunk

every_dialect = pytest.mark.parametrize("name", list_dialects())
MODES = (False, True)

CHAT: dict[str, Any] = {"object": "chat.completion.chunk", "model": "m"}


def chat(text: str, reason: str, **more: Any) -> dict[str, Any]:
    message = {"role": "assistant", "content": text, **more}
    return {"choices": [{"message": message, "finish_reason": reason}]}


def chat_chunks(text: str, reason: str, **more: Any) -> list[dict[str, Any]]:
    deltas = [{"content": text[:5]}, {"content": text[5:]}, more]
    pieces = [{**CHAT, "choices": [{"delta": each, "finish_reason": None}]} for each in deltas]
    end = {**CHAT, "choices": [{"delta": {}, "finish_reason": reason}]}
    return [*pieces, end, {**CHAT, "choices": [], "usage": {"total_tokens": 1}}]


def claude(text: str, reason: str) -> dict[str, Any]:
    content = [{"type": "text", "text": text}] if text else []
    return {
        "type": "message", "role": "assistant", "model": "m", "content": content,
        "stop_reason": reason,
    }  # fmt: skip


def claude_events(text: str, reason: str) -> list[dict[str, Any]]:
    place = {"index": 0}
    block = {"type": "text", "text": ""}
    deltas = [{"type": "text_delta", "text": part} for part in (text[:5], text[5:])]
    return [
        {"type": "message_start", "message": {"model": "m", "stop_reason": None}},
        {"type": "content_block_start", **place, "content_block": block},
        *({"type": "content_block_delta", **place, "delta": delta} for delta in deltas),
        {"type": "message_delta", "delta": {"stop_reason": reason}},
        {"type": "message_stop"},
    ]


def response(text: str, **more: Any) -> dict[str, Any]:
    part = {"type": "output_text", "text": text, "annotations": []}
    item = {"type": "message", "id": "m", "role": "assistant", "content": [part]}
    return {"object": "response", "output": [item], **more}


def forms(text: str) -> list[list[Any]]:
    """Return all ways in which a message says that this text was cut, whole and in chunks."""
    details = {"status": "incomplete", "incomplete_details": {"reason": "max_output_tokens"}}
    return [
        [chat(text, "length")],
        chat_chunks(text, "length"),
        [claude(text, "max_tokens")],
        claude_events(text, "max_tokens"),
        [response(text, **details)],
        [
            {"type": "response.output_text.delta", "delta": text},
            {"type": "response.incomplete", "response": details},
        ],
        [lc.AIMessage(text, response_metadata={"done_reason": "length"})],
        [
            lc.AIMessageChunk(text),
            lc.AIMessageChunk("", response_metadata={"finish_reason": "MAX_TOKENS"}),
            lc.AIMessageChunk("", response_metadata={"model_name": "m"}),
        ],
        [AIMessageChunk(text), AIMessageChunk("", response_metadata={"stopReason": "max_tokens"})],
    ]


def ways_of(parser: Any, chunks: list[Any]) -> list[Callable[[], Any]]:
    """Return every way to read a message at once."""

    def streamed() -> Any:
        stream = parser.stream_parser()
        for chunk in chunks:
            stream.feed(chunk)
        stream.close()
        return stream.result

    ways = [streamed, lambda: next(parser.transform(iter(chunks)))]
    if len(chunks) == 1:
        ways += [lambda: parser.invoke(chunks[0]), lambda: parser.batch(chunks)[0]]
        if isinstance(chunks[0], AIMessage):
            ways.append(lambda: parser.parse_result([ChatGeneration(message=chunks[0])]))
    return ways


def waits_of(parser: Any, chunks: list[Any]) -> list[Callable[[], Any]]:
    """Return every asynchronous way to read a message."""

    async def each() -> AsyncIterator[Any]:
        for chunk in chunks:
            yield chunk

    async def first() -> Any:
        (result,) = [result async for result in parser.atransform(each())]
        return result

    ways = [lambda: asyncio.run(first())]
    if len(chunks) == 1:
        ways += [
            lambda: asyncio.run(parser.ainvoke(chunks[0])),
            lambda: asyncio.run(parser.abatch(chunks))[0],
        ]
    return ways


# -- how it ended ----------------------------------------------------------------------------------


def turns_of(parser: Any) -> list[str]:
    """Return a turn that acts, half of it, and an answer."""
    turn = ""
    for action in (
        AgentAction("pay", {"to": "A"}, ""),
        AgentAction("pay", "A", ""),
        AgentAction("Intermediate Answer", "A", ""),
        AgentAction("python_interpreter", "pay('A')", ""),
    ):
        with suppress(ValueError):
            turn = turn or parser.render(action)
    assert turn, "the dialect can say one of them"
    return [turn, turn[: -len(turn) // 4], "Final Answer: So it is"]


@every_dialect
@pytest.mark.parametrize("lenient", MODES)
def test_a_message_says_how_it_ended_as_an_argument_does(name: str, lenient: bool) -> None:
    parser: Any = get_parser(name, lenient=lenient)
    for text in turns_of(parser):
        cut = outcome_of(partial(parser.parse, text, ended="length"))
        for form in forms(text):
            for way in ways_of(parser, form):
                assert outcome_of(way) == cut
        stop = outcome_of(partial(parser.parse, text, ended="stop"))
        for form in ([chat(text, "stop")], claude_events(text, "end_turn")):
            for way in ways_of(parser, form):
                assert outcome_of(way) == stop
        # The argument of the caller takes precedence.
        assert outcome_of(partial(parser.invoke, chat(text, "length"), ended="stop")) == stop
        assert outcome_of(partial(parser.invoke, text, ended="length")) == cut


CALLS = {"chat": "tool_calls", "claude": "tool_use", "langchain": "TOOL_CALLS"}
OTHERWISE = {"chat": "tool-calls", "claude": "toolUse", "langchain": "requires_action"}
"""The same in the words of other libraries."""


def announcing(text: str, reasons: dict[str, str] = CALLS) -> list[list[Any]]:
    """Return ways in which a message with this text says that it has a call."""
    return [
        [chat(text, reasons["chat"])],
        chat_chunks(text, reasons["chat"]),
        claude_events(text, reasons["claude"]),
        [AIMessage(text, response_metadata={"finish_reason": reasons["langchain"]})],
        [lc.AIMessage(text, response_metadata={"finish_reason": reasons["langchain"]})],
        [text[:3], AIMessageChunk(text[3:], response_metadata={"stop_reason": "tool_use"})],
    ]


@pytest.mark.parametrize("lenient", MODES)
@pytest.mark.parametrize("name", [*list_dialects(), "auto"])
def test_a_message_that_announces_a_call_is_no_answer(name: str, lenient: bool) -> None:
    parser: Any = get_parser(name) if name == "auto" else get_parser(name, lenient=lenient)
    answer = AgentFinish({"output": "It is late."}, "")
    text = "It is late." if name == "auto" else parser.render(answer)
    for form in [*announcing(text), *announcing(text, OTHERWISE)]:
        for way in [*ways_of(parser, form), *waits_of(parser, form)]:
            with pytest.raises(OutputParserException, match="the message has no call") as raised:
                way()
            assert raised.value.problem == "lost_call"
            assert raised.value.observation is not None
    whole = AIMessage(text, response_metadata={"finish_reason": "tool_calls"})
    with pytest.raises(OutputParserException, match="no call, but its finish reason 'tool_calls'"):
        parser.read(whole)
    explanation = parser.explain(whole)
    assert explanation.result is None
    assert explanation.error.problem == "lost_call"
    stream = parser.stream_parser()
    stream.feed(whole)
    with pytest.raises(OutputParserException):
        stream.close()
    assert stream.result is None


@pytest.mark.parametrize("lenient", MODES)
@every_dialect
def test_one_that_has_the_call_is_read_as_it_is(name: str, lenient: bool) -> None:
    parser: Any = get_parser(name, lenient=lenient)
    text = turns_of(parser)[0]
    stop = outcome_of(partial(parser.parse, text, ended="stop"))
    for form in announcing(text):
        for way in ways_of(parser, form):
            assert outcome_of(way) == stop


def test_as_langchain_reads_a_reason_says_nothing() -> None:
    said = AIMessage("Final Answer: late", response_metadata={"finish_reason": "tool_calls"})
    for parser in (ReActSingleInputOutputParser(), StructuredChatOutputParserWithRetries()):
        assert parser.invoke(said).return_values["output"].endswith("late")
    with pytest.raises(OutputParserException, match="no call"):
        ReActSingleInputOutputParser(tools=["clock"]).invoke(said)
    base = get_parser("structured_chat")
    with pytest.raises(OutputParserException, match="no call"):
        StructuredChatOutputParserWithRetries(base_parser=base).invoke(said)


@pytest.mark.parametrize("name", ["react", "hermes"])
def test_so_it_does_when_waited_for(name: str) -> None:
    parser: Any = get_parser(name)
    for text in turns_of(parser):
        cut = outcome_of(partial(parser.parse, text, ended="length"))
        for form in forms(text):
            for way in waits_of(parser, form):
                assert outcome_of(way) == cut
        given = outcome_of(lambda: asyncio.run(parser.ainvoke(text, ended="length")))  # noqa: B023
        assert given == cut
        (result,) = parser.batch([text], ended="length", return_exceptions=True)
        assert isinstance(result, Exception) or result == cut


ANSWERS = {
    "react": "Final Answer: It is ca",
    "self_ask": "So the final answer is: It is ca",
    "mrkl": "Final Answer: It is ca",
    "hermes": "It is ca",
    "harmony": "<|channel|>final<|message|>It is ca",
    "structured_chat": "It is ca",
}


@pytest.mark.parametrize("lenient", MODES)
@pytest.mark.parametrize("name", ANSWERS)
def test_an_answer_that_was_cut_says_so(name: str, lenient: bool) -> None:
    parser: Any = get_parser(name, lenient=lenient)
    text = ANSWERS[name]
    size = len(text)
    notice = Repair("cut", (size, size), "the text was cut off; the answer may be incomplete")
    turn = parser.read(text, ended="length")
    assert turn.result.return_values == {"output": "It is ca"}
    assert notice in turn.repairs
    for ended in ("unknown", "stop"):
        assert notice not in parser.read(text, ended=ended).repairs
    for form in forms(text):
        assert notice in [*parser.events(form)]
    assert "cut" in [repair.kind for repair in parser.explain(text, ended="length").repairs]
    assert "cut" not in [repair.kind for repair in parser.explain(text).repairs]


def test_an_answer_that_ends_before_the_cut_is_whole() -> None:
    text = "<final_answer>It is calm.</final_answer>"
    for name, said in (("xml", text), ("react", "Final Answer: 42\nObservation: and")):
        turn = get_parser(name).read(said, ended="length")
        assert "cut" not in [repair.kind for repair in turn.repairs]


class TextOnly(ReActSingleInputOutputParser):
    """A user's parser that takes only a text."""

    def parse(self, text: str) -> Any:  # type: ignore[override]
        return super().parse(text.removeprefix("Bot: "))


class WithEnd(ReActSingleInputOutputParser):
    """A user's parser that takes how a text ended."""

    def parse(self, text: str, *, ended: Ended = "unknown") -> Any:
        return ended


class OfResults(ReActSingleInputOutputParser):
    """A user's parser that overrides `parse_result`."""

    def parse_result(self, result: Any, *, partial: bool = False) -> Any:
        return result[0].text


def test_an_overridden_parse_gets_only_what_it_takes() -> None:
    message = AIMessage("Bot: Final Answer: 42", response_metadata={"finish_reason": "length"})
    parser = TextOnly()
    assert parser.invoke(message).return_values == {"output": "42"}
    assert parser.batch([message])[0].return_values == {"output": "42"}
    assert WithEnd().invoke(message) == "length"
    assert WithEnd().batch([message, "a"]) == ["length", "unknown"]
    assert OfResults().invoke(message, ended="stop") == message.content


# Methods of users that hand on only the text: what they call knows how it ended.


class OwnParse:
    def parse(self, text: str) -> Any:
        return super().parse(text.strip())  # type: ignore[misc]


class OwnKeywords:
    def parse(self, text: str, **_kwargs: Any) -> Any:
        return super().parse(text)  # type: ignore[misc]


class OwnAparse:
    async def aparse(self, text: str) -> Any:
        await asyncio.sleep(0)
        return await super().aparse(text.strip())  # type: ignore[misc]


class ParseInThread:
    async def aparse(self, text: str) -> Any:
        return await asyncio.to_thread(self.parse, text)  # type: ignore[attr-defined]


class OwnResult:
    def parse_result(self, result: Any, *, partial: bool = False) -> Any:
        return super().parse_result(result, partial=partial)  # type: ignore[misc]


class ResultByParse:
    def parse_result(self, result: Any, *, partial: bool = False) -> Any:
        return self.parse(result[0].text.strip())  # type: ignore[attr-defined]


OF_USERS = (OwnParse, OwnKeywords, OwnAparse, ParseInThread, OwnResult, ResultByParse)


def of_user(mixin: type, parser: Any) -> Any:
    """Return *parser*, as of a class of a user's with the methods of *mixin*."""
    kind = type(mixin.__name__, (mixin, type(parser)), {"__module__": "theirs"})
    return kind(**{name: getattr(parser, name) for name in type(parser).model_fields})


async def one_by_one(chunks: list[Any]) -> AsyncIterator[Any]:
    for chunk in chunks:
        yield chunk


def whole_ways_of(parser: Any, chunks: list[Any]) -> list[Callable[[], Any]]:
    """Return the ways to read a message at once for which it need not be read in pieces."""
    _, *ways = ways_of(parser, chunks)
    ways += waits_of(parser, chunks)
    if all(isinstance(chunk, lc.AIMessage) for chunk in chunks):
        theirs = parser.as_langchain()
        piped = RunnableLambda(lambda _: sum(chunks[1:], chunks[0])) | parser
        for pipeline in (theirs, piped):
            ways += [
                partial(pipeline.invoke, sum(chunks[1:], chunks[0])),
                partial(lambda p: next(p.transform(iter(chunks))), pipeline),
                partial(lambda p: asyncio.run(p.ainvoke(sum(chunks[1:], chunks[0]))), pipeline),
            ]
    return ways


def told(way: Callable[[], Any]) -> Any:
    """Return what a way makes of a text, for LangChain's results and errors as well."""
    try:
        result = way()
    except OutputParserException as error:
        return str(error)
    results = result if isinstance(result, list) else [result]
    return [
        getattr(each, "return_values", None) or (each.tool, each.tool_input) for each in results
    ]


NAMES = ("react", "xml", "self_ask", "chat", "hermes", "glm4")


@pytest.mark.parametrize("mixin", OF_USERS)
@pytest.mark.parametrize(
    ("name", "lenient"), [*((name, mode) for name in NAMES for mode in MODES), ("auto", True)]
)
def test_what_a_method_of_a_users_calls_knows_it(name: str, lenient: bool, mixin: type) -> None:
    parser: Any = get_parser(name, lenient=lenient)
    own = of_user(mixin, parser)
    for text in turns_of(get_parser("hermes") if name == "auto" else parser):
        cut = told(partial(parser.parse, text, ended="length"))
        for form in forms(text):
            for way in whole_ways_of(own, form):
                assert told(way) == cut
        assert told(partial(own.invoke, text, ended="length")) == cut
        assert told(lambda: asyncio.run(own.ainvoke(text, ended="length"))) == cut  # noqa: B023
        unknown = told(partial(parser.parse, text))
        assert told(partial(own.parse, text)) == unknown, "nothing is left of the message before"
        assert told(partial(own.invoke, text)) == unknown


CUT = {"finish_reason": "length"}
HALF = "Action: rm\nAction Input: /home/us"


@pytest.mark.parametrize("reason", ["length", "pause_turn", "content_filter"])
@pytest.mark.parametrize("tools", [None, ["rm"]])
@pytest.mark.parametrize("lenient", MODES)
def test_classes_with_langchains_names_do_not_make_half_a_call(
    lenient: bool, tools: Any, reason: str
) -> None:
    texts = {
        ReActSingleInputOutputParser: HALF,
        XMLAgentOutputParser: "<tool>rm</tool><tool_input>/home/us",
    }
    for kind, text in texts.items():
        bare: Any = kind(lenient=lenient, tools=tools)
        message = lc.AIMessage(text, response_metadata={"finish_reason": reason})
        for mixin in OF_USERS:
            for way in whole_ways_of(of_user(mixin, bare), [message]):
                assert told(way) == told(partial(bare.invoke, message))
                with pytest.raises(OutputParserException, match=r"^expected "):
                    way()


class OneField(BaseModel):
    a: int


class Around(AgentOutputParser):
    """A parser of a user's around another."""

    inner: Any

    def parse(self, text: str) -> Any:
        return self.inner.parse(text.replace("`", ""))


class GeneralAround(BaseOutputParser[Any]):
    """A general one."""

    inner: Any

    def parse(self, text: str) -> Any:
        return self.inner.parse(text)


class ResultAround(BaseGenerationOutputParser[Any]):
    """One of generations."""

    inner: Any

    def parse_result(self, result: Any, *, partial: bool = False) -> Any:
        return self.inner.parse(result[0].text)


@pytest.mark.parametrize("around", [Around, GeneralAround, ResultAround])
def test_a_parser_in_another_knows_it_of_the_same_text(around: Any) -> None:
    for inner in (get_parser("react"), ReActSingleInputOutputParser(), get_parser("auto")):
        parser = around(inner=inner)
        for way in (
            lambda text: parser.invoke(AIMessage(text, response_metadata=CUT)),  # noqa: B023
            lambda text: asyncio.run(
                parser.ainvoke(lc.AIMessage(text, response_metadata=CUT))  # noqa: B023
            ),
        ):
            with pytest.raises(OutputParserException):
                way(HALF)
        assert parser.invoke("Final Answer: 42")


def test_a_parser_in_another_reads_another_text_as_it_is() -> None:
    example = "Action: look\nAction Input: /etc/hosts"

    class Compares(ReActSingleInputOutputParser):
        def parse(self, text: str) -> Any:  # type: ignore[override]
            known = ReActSingleInputOutputParser(lenient=True).parse(example)
            assert known.tool_input == "/etc/hosts"
            return super().parse(text)

    with pytest.raises(OutputParserException, match=r"^expected "):
        Compares().invoke(AIMessage(HALF, response_metadata=CUT))
    assert Compares().parse(HALF).tool == "rm"


def test_messages_of_several_tasks_end_each_in_its_own_way() -> None:
    parser = of_user(OwnAparse, get_parser("react"))
    cut = AIMessage(HALF, response_metadata=CUT)
    whole = AIMessage(HALF, response_metadata={"finish_reason": "stop"})
    given = [cut, whole] * 5
    found = asyncio.run(parser.abatch(given, return_exceptions=True))
    assert [isinstance(each, OutputParserException) for each in found] == [True, False] * 5


@pytest.mark.parametrize("mixin", [OwnParse, OwnKeywords])
def test_a_parser_that_has_texts_fixed_knows_it_too(mixin: type) -> None:
    asked: list[Any] = []
    plain = StructuredChatOutputParserWithRetries.from_llm(asked.append)
    parser = of_user(mixin, plain)
    half = '{"action": "rm", "action_input": {"path": "/a'
    with pytest.raises(OutputParserException):
        parser.invoke(AIMessage(half, response_metadata=CUT))
    assert not asked


@pytest.mark.parametrize("name", ["react", "hermes", "auto"])
def test_no_model_is_asked_for_the_rest_of_a_call(name: str) -> None:
    asked: list[Any] = []

    def model(prompt: Any) -> str:
        asked.append(prompt)
        return fixed

    hermes = '<tool_call>\n{"name": "rm", "arguments": {"path": "/home/us'
    half = hermes if name == "hermes" else HALF
    fixed = half + ('ers"}}\n</tool_call>' if name == "hermes" else "ers")
    inner: Any = get_parser(name)
    fixing = OutputFixingParser.from_llm(model, inner)
    message = AIMessage(half, response_metadata=CUT)
    for way in (
        lambda: fixing.invoke(message),
        lambda: asyncio.run(fixing.ainvoke(message)),
        lambda: fixing.as_langchain().invoke(message),
    ):
        with pytest.raises(OutputParserException):
            way()
    assert not asked
    if name == "react":
        assert fixing.invoke(AIMessage("I remove it.")).tool == "rm"
    of_json = OutputFixingParser.from_llm(lambda _: '{"a": 1}', PydanticOutputParser(
        pydantic_object=OneField))  # fmt: skip
    assert of_json.invoke(AIMessage('{"a', response_metadata=CUT)) == OneField(a=1)


def test_a_message_that_announces_a_call_is_no_answer_to_aparse() -> None:
    said = AIMessage("Final Answer: late", response_metadata={"finish_reason": "tool_calls"})
    with pytest.raises(OutputParserException, match="no call"):
        asyncio.run(of_user(OwnAparse, get_parser("react")).ainvoke(said))


def test_an_overridden_method_of_messages_knows_what_the_caller_says() -> None:
    call = {"function_call": {"name": "rm", "arguments": "{}"}}
    text = '<tool_call>{"name": "rm", "arguments": {"path": "/a"}'
    for kind in (OpenAIFunctionsAgentOutputParser, ToolsAgentOutputParser):
        bare: Any = kind(lenient=True, tools=["rm"])
        for mixin in (OwnParse, OwnResult):
            own = of_user(mixin, bare)
            for given in (text, AIMessage("", additional_kwargs=call)):
                cut = told(partial(bare.invoke, given, ended="length"))
                assert told(partial(own.invoke, given, ended="length")) == cut


def test_generations_say_how_they_ended() -> None:
    info = {"finish_reason": "length"}
    parser = WithEnd()
    for generation in (
        lc_outputs.Generation(text="a", generation_info=info),
        lc_outputs.ChatGeneration(message=lc.AIMessage("a"), generation_info=info),
        GenerationChunk(text="a", generation_info=info),
    ):
        assert parser.invoke(generation) == "length"
        stream = get_parser("react").stream_parser()
        stream.feed("Final Answer: ")
        stream.feed(generation)
        assert "cut" in [e.kind for e in stream.close() if isinstance(e, Repair)]


def test_a_general_parser_takes_no_notice() -> None:
    class Upper(BaseOutputParser[str]):
        def parse(self, text: str) -> str:
            return text.upper()

    message = AIMessage("a", response_metadata={"finish_reason": "length"})
    assert Upper().invoke(message, ended="length") == "A"
    assert Upper().invoke("a", ended="length") == "A"
    assert Upper().batch(["a"], ended="length") == ["A"]


def test_a_text_that_was_cut_is_not_fixed() -> None:
    asked: list[Any] = []

    def llm(prompt: Any) -> str:
        asked.append(prompt)
        return json.dumps({"action": "Final Answer", "action_input": "fixed"})

    parser = StructuredChatOutputParserWithRetries.from_llm(llm)
    half = '{"action": "rm", "action_input": {"path": "/a'
    with pytest.raises(OutputParserException):
        parser.invoke(AIMessage(half, response_metadata={"finish_reason": "length"}))
    with pytest.raises(OutputParserException):
        parser.parse(half, ended="length")
    assert not asked
    with pytest.raises(ModelRefusalError):
        parser.invoke(AIMessage("", additional_kwargs={"refusal": "No."}))
    result = parser.invoke(AIMessage(half))
    assert isinstance(result, AgentFinish)
    assert (result.return_values["output"], len(asked)) == ("fixed", 1)
    plain = StructuredChatOutputParserWithRetries()
    assert plain.invoke(AIMessage("So.", response_metadata={"finish_reason": "stop"}))


# -- refusals --------------------------------------------------------------------------------------

REFUSALS: dict[str, tuple[list[Any], str]] = {
    "beside": ([chat("", "stop", refusal="No.")], "No."),
    "beside, in chunks": (chat_chunks("", "stop", refusal="No."), "No."),
    "beside text": ([chat("Final Answer: 42", "stop", refusal="No.")], "No."),
    "beside text, in chunks": (chat_chunks("Final Answer: 42", "stop", refusal="No."), "No."),
    "empty": ([chat("", "stop", refusal="")], ""),
    "empty, in chunks": (chat_chunks("", "stop", refusal=""), ""),
    "a block": ([AIMessage(["Hm.", {"type": "refusal", "refusal": "No."}])], "No."),
    "an empty block": ([AIMessage([{"type": "refusal", "refusal": ""}])], ""),
    "a reason": ([claude("Final Answer: I", "refusal")], "Final Answer: I"),
    "a reason, in events": (claude_events("Final Answer: I", "refusal"), "Final Answer: I"),
    "a reason alone": ([claude("", "refusal")], ""),
    "a filter": ([chat("", "content_filter")], ""),
    "a filter, in chunks": (chat_chunks("", "content_filter"), ""),
    "LangChain's": ([lc.AIMessage("", response_metadata={"finish_reason": "SAFETY"})], ""),
    "a response": (
        [response("", status="incomplete", incomplete_details={"reason": "content_filter"})],
        "",
    ),
}


@every_dialect
@pytest.mark.parametrize("lenient", MODES)
def test_a_refusal_is_not_a_turn(name: str, lenient: bool) -> None:
    parser = get_parser(name, lenient=lenient)
    for form, words in REFUSALS.values():
        for way in ways_of(parser, form) + (waits_of(parser, form) if name == "react" else []):
            with pytest.raises(ModelRefusalError) as caught:
                way()
            error = caught.value
            assert (error.refusal, error.span) == (words, (0, len(words)))
            assert not error.send_to_llm


def test_a_refusal_ends_a_run_of_langchain() -> None:
    for name in ("react", "tools"):
        parser = get_parser(name).as_langchain()
        with pytest.raises(ModelRefusalError):
            parser.invoke(lc.AIMessage("", additional_kwargs={"refusal": "No."}))
        with pytest.raises(ModelRefusalError):
            [*parser.transform(iter([lc.AIMessageChunk(""), lc.AIMessageChunk(
                "", response_metadata={"stop_reason": "refusal"})]))]  # fmt: skip
        message = lc.AIMessage("Action: a\nAction Inp", response_metadata={"finish_reason": "x"})
        if name == "react":
            with pytest.raises(LangChainError):
                parser.invoke(message)


def test_what_a_filter_leaves_is_read_as_a_text_that_was_cut() -> None:
    turn = chat("Final Answer: It is ca", "content_filter")
    result = get_parser("react").invoke(turn)
    assert isinstance(result, AgentFinish)
    assert result.return_values == {"output": "It is ca"}
    assert get_parser("react").invoke(chat("Final Answer: 42", "stop", refusal=""))


# -- a message of text alone is read at once -------------------------------------------------------

_CALL = {"name": "a", "args": {}, "id": "1"}
CONTENTS: list[Any] = ["", " ", "Final Answer: 1", [{"type": "text", "text": "a"}], []]
BESIDE: list[dict[str, Any]] = [
    {},
    {"tool_calls": [_CALL]},
    {"invalid_tool_calls": [{**_CALL, "args": "{", "error": None}]},
    *(
        {"additional_kwargs": each}
        for each in (
            {"refusal": "no"},
            {"refusal": ""},
            {"refusal": None},
            {"function_call": _CALL},
        )
    ),
]
REASONS: list[dict[str, Any]] = [
    *({"finish_reason": each} for each in ("stop", "length", "content_filter", "x", "stopstop")),
    {},
    {"stop_reason": "refusal"},
    {"incomplete_details": {"reason": "content_filter"}},
    {"model_name": "m"},
]


def as_whole(outcome: Any) -> Any:
    """Return what a whole message is read as, given the *outcome* of a chunk: it has ended."""
    is_open = isinstance(outcome, tuple) and outcome[1:] == ("unknown",)
    return (outcome[0], "stop") if is_open else outcome


def odd_messages() -> list[AIMessage]:
    """Return the messages of which a chunk with the same fields is read otherwise."""
    every = [
        {"content": content, **beside, "response_metadata": reason}
        for content in CONTENTS
        for beside in BESIDE
        for reason in REASONS
    ]
    said = [
        [outcome_of(partial(text_and_end, kind(**fields))) for kind in (AIMessage, AIMessageChunk)]
        for fields in every
    ]
    return [
        AIMessage(**fields) for fields, (at_once, slow) in zip(every, said, strict=True)
        if at_once != as_whole(slow)
    ]  # fmt: skip


def test_a_message_is_read_as_a_chunk_with_the_same_fields_but_has_ended() -> None:
    assert not odd_messages()


@pytest.mark.parametrize(
    ("name", "bug"),
    [
        ("_BESIDE_TEXT", ("tool_calls", "invalid_tool_calls")),
        ("_BESIDE_TEXT", ("additional_kwargs",)),
        ("ended_of", lambda _: "stop"),
    ],
)
def test_the_comparison_would_find_a_bug(
    name: str, bug: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(message_text, name, bug)
    assert odd_messages()


@pytest.mark.parametrize("ended", ["max_tokens", "STOP", "lenght", "", None])
@pytest.mark.parametrize("name", ["react", "hermes", "qwen3_coder", "json", "auto", "tools"])
def test_a_providers_word_is_no_end(name: str, ended: Any) -> None:
    parser: Any = get_parser(name)
    said: Any = {"role": "assistant", "content": "It is 217 m deep."}
    stream = parser.stream_parser()
    stream.feed(said)
    for read in (
        lambda: parser.read(said, ended=ended),
        lambda: parser.invoke(said, ended=ended),
        lambda: parser.parse("Final Answer: 3", ended=ended),
        lambda: [*parser.events([said], ended=ended)],
        lambda: stream.close(ended=ended),
    ):
        kinds = (ValueError, TypeError) if name == "tools" else ValueError  # `parse` takes no end
        with pytest.raises(kinds, match=r"ended must be one of|unexpected keyword"):
            read()
