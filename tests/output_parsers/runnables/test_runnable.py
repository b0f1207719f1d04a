import asyncio
import threading
import time
from collections.abc import AsyncIterator, Awaitable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextvars import ContextVar
from functools import partial
from typing import Any

import pytest
from langchain_core.output_parsers import StrOutputParser as LangChainStrOutputParser
from langchain_core.runnables import RunnableLambda as LangChainLambda
from typing_extensions import override

from output_parsers import (
    BaseOutputParser,
    OutputParserException,
    Runnable,
    RunnableGenerator,
    RunnableLambda,
    RunnableSequence,
    StrOutputParser,
)
from outputs import AIMessage, AIMessageChunk


class Integer(BaseOutputParser[int]):
    def parse(self, text: str) -> int:
        try:
            return int(text)
        except ValueError as error:
            raise OutputParserException(error, llm_output=text) from error


class Wait(Runnable[float, float]):
    """Waits for as many seconds as its input says."""

    @override
    def invoke(self, input: float, config: Any = None, **kwargs: Any) -> float:
        time.sleep(input)
        return input


class Meeting(Runnable[Any, Any]):
    """Blocks until *size* callers have arrived, and counts how many wait at once."""

    def __init__(self, size: int) -> None:
        self.barrier = threading.Barrier(size, timeout=10)
        self.lock = threading.Lock()
        self.now = self.most = 0

    def enter(self, change: int) -> None:
        with self.lock:
            self.now += change
            self.most = max(self.most, self.now)

    @override
    def invoke(self, input: Any, config: Any = None, **kwargs: Any) -> Any:
        self.enter(1)
        self.barrier.wait()
        self.enter(-1)
        return input


class AsyncMeeting(Meeting):
    def __init__(self, size: int) -> None:
        super().__init__(size)
        self.abarrier = asyncio.Barrier(size)

    @override
    async def ainvoke(self, input: Any, config: Any = None, **kwargs: Any) -> Any:
        self.enter(1)
        async with asyncio.timeout(10):
            await self.abarrier.wait()
        self.enter(-1)
        return input


def double(number: int) -> int:
    return 2 * number


async def adouble(number: int) -> int:
    await asyncio.sleep(0)
    return 2 * number


def promise(number: int) -> Awaitable[int]:
    return adouble(number)


class AsyncCallable:
    async def __call__(self, number: int) -> int:
        return 2 * number


def shout(chunks: Iterator[str]) -> Iterator[str]:
    for chunk in chunks:
        yield chunk.upper()


async def ashout(chunks: AsyncIterator[str]) -> AsyncIterator[str]:
    async for chunk in chunks:
        yield chunk.upper()


async def stream_of(*chunks: Any) -> AsyncIterator[Any]:
    for chunk in chunks:
        yield chunk


async def collect(stream: AsyncIterator[Any]) -> list[Any]:
    return [item async for item in stream]


# composition


@pytest.mark.parametrize(
    "sequence",
    [
        Integer() | double,
        Integer() | RunnableLambda(double),
        RunnableLambda(str) | Integer() | double,
        str.strip | Integer() | double,
        str | (Integer() | double),
        Integer().pipe(double),
        RunnableSequence(str, Integer(), double),
        Integer() | partial(pow, exp=1) | double,
    ],
    ids=repr,
)
def test_functions_compose_on_either_side(sequence: Runnable[Any, int]) -> None:
    assert sequence.invoke(" 21 ") == 42
    assert sequence(" 21 ") == 42
    assert sequence.batch([" 1 ", "2"]) == [2, 4]
    assert list(sequence.stream("21")) == [42]
    assert list(sequence.transform(iter(["2", "1"]))) == [42]
    assert asyncio.run(sequence.ainvoke("21")) == 42
    assert asyncio.run(sequence.abatch(["1", "2"])) == [2, 4]
    assert asyncio.run(collect(sequence.astream("21"))) == [42]
    assert asyncio.run(collect(sequence.atransform(stream_of("2", "1")))) == [42]


@pytest.mark.parametrize("function", [adouble, AsyncCallable(), partial(adouble), promise])
def test_coroutine_functions_compose_too(function: Any) -> None:
    for sequence in (Integer() | function, Integer() | double | function | (lambda n: n // 2)):
        assert asyncio.run(sequence.ainvoke("21")) == 42
        assert asyncio.run(sequence.abatch(["1", "2"])) == [2, 4]
        assert asyncio.run(collect(sequence.atransform(stream_of("2", "1")))) == [42]


def test_a_coroutine_function_on_the_left_composes() -> None:
    assert asyncio.run((adouble | StrOutputParser().pipe(str)).ainvoke("ab")) == "abab"


def test_a_coroutine_function_cannot_be_invoked_synchronously() -> None:
    with pytest.raises(TypeError, match="Cannot invoke a coroutine function synchronously"):
        (Integer() | adouble).invoke("21")


def test_a_lambda_can_have_an_asynchronous_side() -> None:
    both = RunnableLambda(double, afunc=adouble)
    assert both.invoke(2) == asyncio.run(both.ainvoke(2)) == 4
    with pytest.raises(TypeError, match="afunc"):
        RunnableLambda(adouble, afunc=adouble)
    with pytest.raises(TypeError, match="int"):
        RunnableLambda(3)  # type: ignore[arg-type]


def test_sequences_are_flat() -> None:
    a, b, c, d = StrOutputParser(), StrOutputParser(), StrOutputParser(), Integer()
    assert ((a | b) | (c | d)).steps == [a, b, c, d]
    assert repr(a | double) == "StrOutputParser() | RunnableLambda(double)"


@pytest.mark.parametrize("other", [3, "text", None, {"a": Integer()}])
def test_other_things_do_not_compose(other: Any) -> None:
    with pytest.raises(TypeError, match="unsupported operand"):
        Integer() | other
    with pytest.raises(TypeError, match="unsupported operand"):
        other | Integer()
    with pytest.raises(TypeError, match="expected a runnable or a callable"):
        Integer().pipe(other)


def test_a_sequence_has_two_steps() -> None:
    with pytest.raises(ValueError, match="at least 2 steps, got 1"):
        RunnableSequence(Integer())


def test_names_are_those_of_langchain() -> None:
    ours, theirs = StrOutputParser(), LangChainStrOutputParser()
    assert ours.get_name() == theirs.get_name() == "StrOutputParser"
    assert ours.get_name("input") == theirs.get_name("input")
    assert ours.get_name("input", name="my") == theirs.get_name("input", name="my")
    assert StrOutputParser(name="x").get_name() == LangChainStrOutputParser(name="x").get_name()
    assert RunnableLambda(double).get_name() == LangChainLambda(double).get_name() == "double"
    assert RunnableLambda(double, name="twice").get_name() == "twice"
    assert Wait().get_name() == "Wait"


# streams


def test_generator_functions_stream() -> None:
    sequence = StrOutputParser() | shout
    assert list(sequence.transform(iter(["a", "b"]))) == ["A", "B"]
    assert list(sequence.stream("ab")) == ["AB"]
    assert sequence.invoke("ab") == "AB"
    assert sequence.batch(["a", "b"]) == ["A", "B"]


def test_asynchronous_generator_functions_stream() -> None:
    sequence = StrOutputParser() | ashout
    assert asyncio.run(collect(sequence.atransform(stream_of("a", "b")))) == ["A", "B"]
    assert asyncio.run(collect(sequence.astream("ab"))) == ["AB"]
    assert asyncio.run(sequence.ainvoke("ab")) == "AB"
    assert asyncio.run(sequence.abatch(["a", "b"])) == ["A", "B"]


def test_a_generator_streams_on_both_sides_if_it_has_both() -> None:
    both = StrOutputParser() | RunnableGenerator(shout, ashout)
    assert list(both.transform(iter(["a", "b"]))) == ["A", "B"]
    assert asyncio.run(collect(both.atransform(stream_of("a", "b")))) == ["A", "B"]


def test_the_chunks_that_a_generator_gets_are_no_text() -> None:
    def ask(question: Any) -> Iterator[str]:
        yield f"You asked: {question}"

    async def aask(question: Any) -> AsyncIterator[str]:
        yield "You asked: " + str(question)

    with pytest.raises(TypeError, match="gets an iterator of chunks, not a string"):
        (ask | StrOutputParser()).invoke("?")
    with pytest.raises(TypeError, match="gets an iterator of chunks, not a string"):
        asyncio.run((aask | StrOutputParser()).ainvoke("?"))

    def both_ways(chunks: Iterator[str]) -> Iterator[str]:
        yield next(chunks)
        yield from chunks
        chunks.close()  # type: ignore[attr-defined]

    async def aboth_ways(chunks: Any) -> AsyncIterator[str]:
        yield await anext(chunks)
        async for chunk in StrOutputParser().atransform(chunks):
            yield chunk
        await chunks.aclose()

    def made() -> Iterator[str]:
        yield from "abc"

    assert list(RunnableGenerator(both_ways).transform(made())) == ["a", "b", "c"]
    chunks = RunnableGenerator(aboth_ways).atransform(stream_of("a", "b", "c"))
    assert asyncio.run(collect(chunks)) == ["a", "b", "c"]


def test_a_generator_refuses_the_side_it_does_not_have() -> None:
    with pytest.raises(NotImplementedError, match=r"\(shout\) only supports sync methods"):
        asyncio.run((StrOutputParser() | shout).ainvoke("a"))
    with pytest.raises(NotImplementedError, match=r"\(ashout\) only supports async methods"):
        (StrOutputParser() | ashout).invoke("a")


def test_a_generator_that_yields_nothing_gives_none() -> None:
    silent = StrOutputParser() | (lambda chunks: (yield from ()))
    assert silent.invoke("a") is None
    assert list(silent.stream("a")) == []


def test_each_chunk_goes_through_before_the_next_is_asked_for() -> None:
    log: list[str] = []

    def source() -> Iterator[str]:
        for chunk in "abc":
            log.append(f"in {chunk}")
            yield chunk

    for chunk in (StrOutputParser() | shout | StrOutputParser()).transform(source()):
        log.append(f"out {chunk}")
    assert log == ["in a", "out A", "in b", "out B", "in c", "out C"]


def test_a_function_gets_the_sum_of_a_stream_once() -> None:
    calls: list[Any] = []
    sequence = StrOutputParser() | calls.append
    assert list(sequence.transform(iter(["a", "b", "c"]))) == [None]
    assert list(sequence.transform(iter([]))) == []
    assert calls == ["abc"]


def test_of_chunks_that_do_not_add_up_the_last_counts() -> None:
    assert list(RunnableLambda(dict).transform(iter([{"a": 1}, {"a": 1, "b": 2}]))) == [
        {"a": 1, "b": 2}
    ]
    assert list(RunnableLambda(list).transform(iter([[1], [2]]))) == [[1, 2]]


def test_message_chunks_add_up_for_a_parser_that_does_not_stream() -> None:
    chunks = [AIMessageChunk("1"), AIMessageChunk("2"), AIMessageChunk("3")]
    assert list(Integer().transform(iter(chunks))) == [123]
    assert list(Integer().transform(iter([*chunks, AIMessage("4")]))) == [4]
    assert asyncio.run(collect(Integer().atransform(stream_of(*chunks)))) == [123]


# batches


def test_a_batch_keeps_the_order() -> None:
    delays = [0.03, 0.0, 0.02, 0.01]
    assert Wait().batch(delays, {"max_concurrency": 4}) == delays
    assert asyncio.run(Wait().abatch(delays)) == delays
    assert (Wait() | Wait()).batch(delays, {"max_concurrency": 4}) == delays
    assert Wait().batch([]) == asyncio.run(Wait().abatch([])) == []


@pytest.mark.parametrize(("config", "most"), [(None, 1), ({}, 1), ({"max_concurrency": 3}, 3)])
def test_a_batch_uses_threads_only_when_told(config: Any, most: int) -> None:
    step, behind = Meeting(most), Meeting(most)
    assert step.batch(list("012345678"), config) == list("012345678")
    assert (str | StrOutputParser() | behind).batch(list("012345678"), config) == list("012345678")
    assert step.most == behind.most == most


@pytest.mark.parametrize(("config", "most"), [(None, 9), ({}, 9), ({"max_concurrency": 3}, 3)])
@pytest.mark.parametrize("step_class", [Meeting, AsyncMeeting])
def test_an_asynchronous_batch_is_limited_only_when_told(
    step_class: type[Meeting], config: Any, most: int
) -> None:
    async def run(step: Runnable[Any, Any]) -> None:
        asyncio.get_running_loop().set_default_executor(ThreadPoolExecutor(9))
        assert await step.abatch(list("012345678"), config) == list("012345678")

    step, behind = step_class(most), step_class(most)
    asyncio.run(run(step))
    asyncio.run(run(StrOutputParser() | behind))
    assert step.most == behind.most == most


def test_a_config_for_each_input_is_possible() -> None:
    configs = [{"max_concurrency": 2}, {}, {}, {}]
    step = Meeting(2)
    assert step.batch(list("0123"), configs) == list("0123")
    assert step.most == 2
    with pytest.raises(ValueError, match="got 1 configs for 3 inputs"):
        Wait().batch([0.0] * 3, [{}])
    with pytest.raises(ValueError, match="got 1 configs for 3 inputs"):
        Integer().batch(["1"] * 3, [{}])


@pytest.mark.parametrize("limit", [0, -1])
def test_a_limit_that_lets_nothing_run_is_refused(limit: int) -> None:
    with pytest.raises(ValueError, match="max_concurrency must be at least 1"):
        Wait().batch([0.0], {"max_concurrency": limit})
    with pytest.raises(ValueError, match="max_concurrency must be at least 1"):
        asyncio.run(Wait().abatch([0.0], {"max_concurrency": limit}))


@pytest.mark.parametrize("config", [None, {"max_concurrency": 2}])
@pytest.mark.parametrize("step", [Integer(), Integer() | double, str.strip | Integer()])
def test_exceptions_take_the_place_of_results_when_asked(step: Any, config: Any) -> None:
    inputs = ["1", "x", "3"]
    for results in (
        step.batch(inputs, config, return_exceptions=True),
        asyncio.run(step.abatch(inputs, config, return_exceptions=True)),
    ):
        assert [type(result) for result in results] == [int, OutputParserException, int]
        assert results[1].llm_output == "x"
    with pytest.raises(OutputParserException):
        step.batch(inputs, config)
    with pytest.raises(OutputParserException):
        asyncio.run(step.abatch(inputs, config))


def test_a_row_that_failed_goes_no_further() -> None:
    seen: list[int] = []
    sequence = Integer() | seen.append
    sequence.batch(["x", "2", "y"], return_exceptions=True)
    assert seen == [2]
    for results in (
        sequence.batch(["x", "y"], return_exceptions=True),
        asyncio.run(sequence.abatch(["x", "y"], return_exceptions=True)),
        asyncio.run((sequence | adouble).abatch(["x", "y"], return_exceptions=True)),
        asyncio.run(RunnableLambda(adouble).pipe(Integer()).abatch("xy", return_exceptions=True)),
    ):
        assert [type(result) for result in results] == [OutputParserException] * 2
    assert seen == [2]


@pytest.mark.parametrize("function", [int, RunnableLambda(int).ainvoke])
def test_exceptions_of_functions_can_be_results_too(function: Any) -> None:
    first, second = asyncio.run(RunnableLambda(function).abatch(["1", "x"], return_exceptions=True))
    assert first == 1
    assert isinstance(second, ValueError)


def test_a_result_that_is_an_exception_goes_on_when_exceptions_are_raised() -> None:
    assert (ValueError | RunnableLambda(repr)).batch(["a"]) == ["ValueError('a')"]


def test_errors_of_any_step_arrive_unchanged() -> None:
    error = KeyError("mine")

    def fail(_: object) -> None:
        raise error

    for sequence in (fail | StrOutputParser(), StrOutputParser() | fail):
        for call in (
            lambda s=sequence: s.invoke("a"),
            lambda s=sequence: s.batch(["a", "b"]),
            lambda s=sequence: s.batch(["a", "b"], {"max_concurrency": 2}),
            lambda s=sequence: list(s.stream("a")),
            lambda s=sequence: asyncio.run(s.ainvoke("a")),
            lambda s=sequence: asyncio.run(s.abatch(["a", "b"])),
            lambda s=sequence: asyncio.run(collect(s.astream("a"))),
        ):
            with pytest.raises(KeyError) as caught:
                call()
            assert caught.value is error


def test_when_one_of_an_asynchronous_batch_fails_the_others_have_ended() -> None:
    ended: list[str] = []

    async def work(name: str) -> None:
        try:
            if name == "bad":
                raise LookupError(name)
            await asyncio.sleep(60)
        finally:
            ended.append(name)

    async def run() -> None:
        with pytest.raises(LookupError):
            await RunnableLambda(work).abatch(["good", "bad", "fine"])
        assert sorted(ended) == ["bad", "fine", "good"]

    asyncio.run(run())


def test_threads_see_the_callers_context_variables() -> None:
    user: ContextVar[str] = ContextVar("user")
    user.set("ada")
    read = RunnableLambda(lambda _: user.get())
    assert read.batch([1, 2, 3], {"max_concurrency": 3}) == ["ada"] * 3
    assert asyncio.run(read.abatch([1, 2, 3])) == ["ada"] * 3


def test_what_is_not_written_follows_from_invoke() -> None:
    step = Wait()
    assert step(0.0) == 0.0
    assert asyncio.run(step.ainvoke(0.0)) == 0.0
    assert list(step.stream(0.0)) == list(step.transform(iter([0.0]))) == [0.0]
    assert asyncio.run(collect(step.astream(0.0))) == [0.0]


def test_keyword_arguments_are_for_the_first_step() -> None:
    sequence = RunnableLambda(lambda text, base=10: int(text, base)) | double
    assert sequence.invoke("11", base=2) == 6
    assert sequence.batch(["11", "1"], base=2) == [6, 2]
    assert asyncio.run(sequence.ainvoke("11", base=2)) == 6
    assert asyncio.run(sequence.abatch(["11"], base=2)) == [6]


def test_a_blocking_function_does_not_block_the_event_loop() -> None:
    released = threading.Event()

    async def run() -> bool:
        waiting = asyncio.create_task(
            (StrOutputParser() | (lambda _: released.wait(5))).ainvoke("")
        )
        await asyncio.sleep(0.01)
        released.set()
        return await waiting

    assert asyncio.run(run()) is True
