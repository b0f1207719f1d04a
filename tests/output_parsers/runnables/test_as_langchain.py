"""`as_langchain` of every parser, and what our runnables lack of LangChain's."""

import asyncio
import inspect
import json
import pickle
import subprocess
import sys
from collections.abc import AsyncIterator, Iterator
from dataclasses import replace
from typing import Any

import langchain_classic.agents.output_parsers as lc_agents
import langchain_classic.output_parsers as lc_classic
import langchain_core.output_parsers as lc
import pytest
from langchain_core.exceptions import OutputParserException as LcOutputParserException
from langchain_core.language_models import FakeListLLM, FakeStreamingListLLM
from langchain_core.load import dumpd, load
from langchain_core.messages import AIMessage, AIMessageChunk
from langchain_core.prompt_values import StringPromptValue
from langchain_core.runnables import Runnable as LcRunnable
from langchain_core.runnables import RunnableLambda as LcRunnableLambda

import agent_parsers
import output_parsers as op
from output_parsers.runnables.langchain import ONLY_LANGCHAINS, ONLY_LANGCHAINS_PARSERS
from output_parsers.runnables.langchain_parser import LangChainOutputParser

from ...helpers.public_parsers import SUBJECTS, City, Subject

NOT_PARSED = ("", "hm", "{", "<a>", "```yaml\na: [\n```")


def inputs(subject: Subject) -> Iterator[Any]:
    """Yield what a model may write for the parser."""
    for text in (*subject.texts, *NOT_PARSED):
        if subject.reads == "tools":
            call = {"id": "1", "type": "function", "function": {"name": "City", "arguments": text}}
            yield AIMessage("", additional_kwargs={"tool_calls": [call]})
        elif subject.reads == "function":
            call = {"name": "City", "arguments": text}
            yield AIMessage("", additional_kwargs={"function_call": call})
        else:
            yield text
            yield AIMessage(text)


def pieces(given: Any) -> list[Any]:
    if isinstance(given, str):
        return [given[at : at + 3] for at in range(0, len(given), 3)]
    if given.additional_kwargs:
        return [AIMessageChunk("", additional_kwargs=given.additional_kwargs)]
    return [AIMessageChunk(piece) for piece in pieces(given.content)]


async def later(items: list[Any]) -> AsyncIterator[Any]:
    for item in items:
        yield item


async def listed(stream: AsyncIterator[Any]) -> list[Any]:
    return [item async for item in stream]


def outcome(call: Any, *args: Any) -> Any:
    """Return the result, or the exception as ours: its class and what LangChain's keeps of it."""
    try:
        return call(*args)
    except LcOutputParserException as error:
        is_sent = error.send_to_llm is (None not in (error.observation, error.llm_output))
        kind = type(error.__cause__) if is_sent else None
        return kind, str(error), error.observation, error.llm_output
    except op.OutputParserException as error:
        return type(error), str(error), error.observation, error.llm_output
    except Exception as error:  # noqa: BLE001 - some parsers raise a plain ValueError, as LangChain's do
        return type(error), str(error)


def plain(result: Any) -> Any:
    """Return a result of agent parsers without the classes, which differ."""
    if isinstance(result, list):
        return [plain(each) for each in result]
    if getattr(result, "log", None) is not None:
        return result.model_dump(exclude={"message_log"})
    return result


@pytest.mark.parametrize("subject", SUBJECTS, ids=lambda subject: type(subject.parser).__name__)
def test_it_returns_and_raises_what_the_parser_does(subject: Subject) -> None:
    parser, theirs = subject.parser, subject.parser.as_langchain()
    assert isinstance(theirs, lc.BaseTransformOutputParser)
    ways: list[Any] = [
        theirs.invoke,
        lambda given: asyncio.run(theirs.ainvoke(given)),
        lambda given: theirs.batch([given])[0],
        (LcRunnableLambda(lambda given: given) | theirs).invoke,
    ]
    ways_for_text: list[Any] = [
        theirs.parse,
        lambda text: asyncio.run(theirs.aparse(text)),
        lambda text: theirs.parse_with_prompt(text, StringPromptValue(text="?")),
    ]
    for given in inputs(subject):
        expected = plain(outcome(parser.invoke, given))
        for way in ways + ways_for_text * isinstance(given, str):
            assert plain(outcome(way, given)) == expected


class Queries(op.JsonOutputParser):
    def parse(self, text: str) -> Any:
        return super().parse(text)["queries"]


class OwnResult(op.JsonOutputParser):
    def parse_result(self, result: Any, *, partial: bool = False) -> Any:
        return result[0].text.upper()

    async def aparse(self, text: str) -> Any:
        return f"awaited {text}"


class OwnInvoke(op.StrOutputParser):
    def invoke(self, *_args: Any, **_kwargs: Any) -> Any:
        return "invoked"


def awaited(way: Any, text: str) -> Any:
    result = way(text)
    return asyncio.run(result) if inspect.iscoroutine(result) else result


def test_each_method_is_that_of_the_parser() -> None:
    text = '{"queries": ["a"]}'
    for parser in (Queries(), OwnResult(), OwnInvoke(), op.JsonOutputToolsParser()):
        theirs = parser.as_langchain()
        for way in ("invoke", "ainvoke", "parse", "aparse"):
            theirs_way, way_of_parser = getattr(theirs, way), getattr(parser, way, parser.invoke)
            assert outcome(awaited, theirs_way, text) == outcome(awaited, way_of_parser, text)
    fixing = lc_classic.OutputFixingParser.from_llm(
        FakeListLLM(responses=[text]), Queries().as_langchain()
    )
    assert fixing.parse("no JSON") == ["a"]


OF_AGENTS = (agent_parsers.AgentOutputParser, agent_parsers.MultiActionAgentOutputParser)


@pytest.mark.parametrize(
    "subject",
    [subject for subject in SUBJECTS if not isinstance(subject.parser, OF_AGENTS)],
    ids=lambda subject: type(subject.parser).__name__,
)
def test_it_streams_as_the_parser_does(subject: Subject) -> None:
    parser, theirs = subject.parser, subject.parser.as_langchain()
    ways: list[Any] = [
        lambda chunks: [*theirs.transform(iter(chunks))],
        lambda chunks: asyncio.run(listed(theirs.atransform(later(chunks)))),
    ]
    for given in inputs(subject):
        expected = outcome(lambda chunks: [*parser.transform(iter(chunks))], pieces(given))
        for way in ways:
            assert outcome(way, pieces(given)) == expected


@pytest.mark.parametrize("subject", SUBJECTS, ids=lambda subject: type(subject.parser).__name__)
def test_it_describes_itself_as_the_parser_does(subject: Subject) -> None:
    parser, theirs = subject.parser, subject.parser.as_langchain()
    assert theirs.get_name() == parser.get_name()
    if hasattr(parser, "get_format_instructions"):
        gets: list[Any] = [lambda it: it.get_format_instructions(), lambda it: it._type]
        for get in gets:
            assert outcome(get, theirs)[:9] == outcome(get, parser)[:9]
    else:
        with pytest.raises(NotImplementedError):
            theirs.get_format_instructions()
        assert "_type" not in theirs.asdict()


GOOD: list[tuple[Any, Any, str]] = [
    (op.StrOutputParser(), lc.StrOutputParser(), "It is so."),
    (op.JsonOutputParser(), lc.JsonOutputParser(), '{"a": [1, 2], "b": "x"}'),
    (op.JsonOutputParser(diff=True), lc.JsonOutputParser(diff=True), '{"a": [1, 2], "b": "x"}'),
    (
        op.PydanticOutputParser(pydantic_object=City),
        lc.PydanticOutputParser(pydantic_object=City),
        '{"name": "Bonn", "people": 7}',
    ),
    (op.CommaSeparatedListOutputParser(), lc.CommaSeparatedListOutputParser(), "red, green, blue"),
    (op.NumberedListOutputParser(), lc.NumberedListOutputParser(), "1. red\n2. green\n"),
    (op.XMLOutputParser(), lc.XMLOutputParser(), "<a><b>1</b><c>2</c></a>"),
    (op.BooleanOutputParser(), lc_classic.BooleanOutputParser(), "YES"),
]  # fmt: skip


@pytest.mark.parametrize(("ours", "theirs", "text"), GOOD, ids=[type(o).__name__ for o, *_ in GOOD])
def test_in_a_chain_it_is_what_langchains_own_parser_is(ours: Any, theirs: Any, text: str) -> None:
    model = FakeStreamingListLLM(responses=[text])
    for chain in (model | ours.as_langchain(), model | ours):
        assert chain.invoke("?") == (model | theirs).invoke("?")
        assert [*chain.stream("?")] == [*(model | theirs).stream("?")]
        found = asyncio.run(listed(chain.astream("?")))
        assert found == asyncio.run(listed((model | theirs).astream("?")))
    assert ours.as_langchain().OutputType == ours.OutputType
    events = asyncio.run(listed((model | ours.as_langchain()).astream_events("?", version="v2")))
    names = {event["name"] for event in events if "parser" in event["event"]}
    assert names == {type(ours).__name__}


# -- with what LangChain builds on its parsers -----------------------------------------------------

CITY = '{"name": "Bonn"}'
read_city = op.PydanticOutputParser(pydantic_object=City)


def test_langchains_parsers_that_ask_again_take_it() -> None:
    wrapped: Any = read_city.as_langchain()
    fixing = lc_classic.OutputFixingParser.from_llm(FakeListLLM(responses=[CITY]), wrapped)
    assert fixing.parse("hm") == City(name="Bonn")
    assert asyncio.run(fixing.aparse("hm")) == City(name="Bonn")
    prompt = StringPromptValue(text="Which city?")
    for kind in (lc_classic.RetryOutputParser, lc_classic.RetryWithErrorOutputParser):
        asking = kind.from_llm(FakeListLLM(responses=[CITY]), wrapped)
        assert asking.parse_with_prompt("hm", prompt) == City(name="Bonn")
        assert asyncio.run(asking.aparse_with_prompt("hm", prompt)) == City(name="Bonn")


def test_our_parsers_that_ask_again_have_it() -> None:
    model = FakeListLLM(responses=[CITY])
    fixing = op.OutputFixingParser.from_llm(model, read_city).as_langchain()
    assert (LcRunnableLambda(lambda _: "hm") | fixing).invoke("?") == City(name="Bonn")
    assert asyncio.run(fixing.ainvoke("hm")) == City(name="Bonn")
    asking = op.RetryOutputParser.from_llm(model, read_city).as_langchain()
    assert asking.parse_with_prompt("hm", StringPromptValue(text="?")) == City(name="Bonn")
    assert op.OutputFixingParser.from_llm(model, read_city.as_langchain()).parse("hm") == City(  # type: ignore[arg-type, comparison-overlap]
        name="Bonn"
    )


def test_it_has_fallbacks_and_is_tried_again() -> None:
    texts = iter(["hm", "hm", CITY])
    reply = LcRunnableLambda(lambda _: next(texts))
    chain = reply | read_city.as_langchain()
    again = chain.with_retry(
        retry_if_exception_type=(LcOutputParserException,),
        stop_after_attempt=3,
        wait_exponential_jitter=False,
    )
    assert again.invoke("?") == City(name="Bonn")
    spare = LcRunnableLambda(lambda _: City(name="?"))
    safe = read_city.as_langchain().with_fallbacks(
        [spare], exceptions_to_handle=(LcOutputParserException,)
    )
    assert safe.invoke("hm") == City(name="?")
    assert asyncio.run(safe.ainvoke("hm")) == City(name="?")


def test_a_refusal_is_not_asked_again() -> None:
    refusal = AIMessage("", additional_kwargs={"refusal": "No."})
    parser = op.PydanticToolsParser(tools=[City]).as_langchain()
    with pytest.raises(op.ModelRefusalError) as raised:
        parser.invoke(refusal)
    assert not isinstance(raised.value, LcOutputParserException)


DUMPED: list[Any] = [
    op.StrOutputParser(),
    op.JsonOutputParser(lenient=True),
    op.CommaSeparatedListOutputParser(name="items"),
    op.RegexParser(regex="(.)-(.)", output_keys=["a", "b"]),
    agent_parsers.get_parser("react"),
    agent_parsers.get_parser("hermes", lenient=False, max_chars=9),
    agent_parsers.get_parser("tools"),
    agent_parsers.ReActSingleInputOutputParser(),
]


loads = pytest.mark.filterwarnings("ignore:The function `load` is in beta")


@loads
@pytest.mark.parametrize("parser", DUMPED, ids=repr)
def test_langchain_dumps_and_loads_it(parser: Any) -> None:
    wrapped = parser.as_langchain()
    packages = ["output_parsers", "agent_parsers"]
    data = json.loads(json.dumps(dumpd(wrapped)))
    again: Any = load(data, allowed_objects=[type(wrapped)], valid_namespaces=packages)
    assert type(again) is type(wrapped)
    assert (again.parser, again.name) == (parser, wrapped.name)
    with pytest.raises(ValueError, match="not allowed"):
        load(data, allowed_objects="core", valid_namespaces=packages)


class Own(op.StrOutputParser):
    """A parser of somebody else."""


def area(lake: str) -> str:
    """Looks up how large a lake is."""
    return lake


UNDUMPED: list[Any] = [
    Own(),
    op.JsonOutputParser(pydantic_object=City),
    op.PydanticOutputParser(pydantic_object=City),
    agent_parsers.get_parser("react", tools=[area]),
    agent_parsers.get_parser("react", output_type=City),
    agent_parsers.get_parser(replace(agent_parsers.get_dialect("react"), name="mine")),
]


@pytest.mark.parametrize("parser", UNDUMPED, ids=repr)
def test_what_is_no_data_is_not_dumped_but_pickled(parser: Any) -> None:
    wrapped = parser.as_langchain()
    assert dumpd(wrapped)["type"] == "not_implemented"
    if parser is not UNDUMPED[-1]:
        again = pickle.loads(pickle.dumps(wrapped))
        assert type(again) is type(wrapped)


@loads
@pytest.mark.parametrize(
    "named", ["os.system", "output_parsers.PromptTemplate", "output_parsers.Nothing", "", None]
)
def test_nothing_but_a_parser_is_loaded(named: str | None) -> None:
    data: Any = dumpd(op.StrOutputParser().as_langchain())
    data["kwargs"]["parser"]["class"] = named
    with pytest.raises(ValueError, match="expected a parser of this library"):
        load(data, allowed_objects=[LangChainOutputParser], valid_namespaces=["output_parsers"])


def test_without_langchain_it_says_what_to_install() -> None:
    code = (
        "import sys; sys.modules['langchain_core'] = None\n"
        "import output_parsers; output_parsers.StrOutputParser().as_langchain()"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert done.stderr.splitlines()[-1] == (
        'ImportError: as_langchain() needs langchain-core: pip install "agent-parsers[langchain]"'
    )


# -- what is not there -----------------------------------------------------------------------------

STEPS: list[Any] = [
    op.StrOutputParser(),
    op.JsonOutputToolsParser(),
    op.OutputFunctionsParser(),
    agent_parsers.get_parser("react"),
    agent_parsers.get_parser("tools"),
    op.PromptTemplate("x"),
    op.RunnableLambda(len),
    op.StrOutputParser() | len,
]


def public(kind: type) -> set[str]:
    return {name for name in dir(kind) if not name.startswith("_")}


def test_the_table_has_every_public_name_that_only_langchain_has() -> None:
    kinds: list[tuple[type, type]] = [(LcRunnable, op.Runnable)]
    for theirs, ours in ((lc, op), (lc_classic, op), (lc_agents, agent_parsers)):
        for name in {*theirs.__all__} & {*ours.__all__}:
            if issubclass(kind := getattr(ours, name), op.BaseGenerationOutputParser):
                kinds.append((getattr(theirs, name), kind))
    assert len(kinds) > 35
    missing = {name for theirs, ours in kinds for name in public(theirs) - public(ours)}
    assert public(LcRunnable) - public(op.Runnable) == ONLY_LANGCHAINS
    missing -= {"validate_parsers"}  # for pydantic
    assert missing - ONLY_LANGCHAINS == ONLY_LANGCHAINS_PARSERS


@pytest.mark.parametrize("step", STEPS, ids=lambda step: type(step).__name__)
def test_what_is_not_there_says_how_to_have_it(step: Any) -> None:
    names = ONLY_LANGCHAINS_PARSERS if isinstance(step, op.BaseGenerationOutputParser) else set()
    for name in ONLY_LANGCHAINS | names:
        assert not hasattr(step, name)
        assert name not in dir(step)
        with pytest.raises(AttributeError) as raised:
            getattr(step, name)
        way = str(raised.value).rpartition(": use ")[2]
        assert str(raised.value).startswith(f"'{type(step).__name__}' object has no")
        theirs: Any = eval(  # the way that the message names
            way.rpartition(".")[0],
            {"parser": step, "step": step, "langchain_core": sys.modules["langchain_core"]},
        )
        assert hasattr(theirs, name)
    for name in ("with_retri", "_bind"):
        with pytest.raises(AttributeError, match=f"has no attribute '{name}'"):
            getattr(step, name)
