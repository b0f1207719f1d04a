"""Each repair and each error is reported once, by every way to read, and to nobody by default."""

from __future__ import annotations

import asyncio
import logging
import subprocess
import sys
from collections import Counter
from contextlib import suppress
from typing import TYPE_CHECKING, Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agent_laws import texts
from agent_parsers import (
    AgentAction,
    Dialect,
    MessageParser,
    OutputParserException,
    Repair,
    StreamParser,
    StructuredChatOutputParserWithRetries,
    TranscriptParser,
    get_dialect,
    get_parser,
    parse_record,
    parse_transcripts,
)
from agent_parsers.parsers.dialect_parser import dialect_parser
from agent_parsers.reports import LISTENERS, Report, on_report
from output_parsers.exceptions import ModelRefusalError
from outputs import AIMessage

from ..helpers.messages import (
    FUNCTION_PARSERS,
    PARSERS,
    chunks_of,
    last_chunk,
    name_of,
    said,
    shown_end,
)
from ..helpers.stories import every_run_mode, every_turn_mode, some
from .dialects.test_cases import CASES

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from agent_parsers.engine.tables.modes import Mode

TOOLS = ["search", "clock"]


@pytest.fixture(autouse=True)
def no_listener_is_left() -> Iterator[None]:
    yield
    left = [*LISTENERS]
    LISTENERS.clear()
    assert not left


def heard(do: Callable[[], Any], *, with_text: bool = False) -> tuple[Any, list[Report]]:
    """Return what *do* returns, or its error, and what is reported meanwhile."""
    reports: list[Report] = []
    end = on_report(reports.append, with_text=with_text)
    try:
        return do(), reports
    except OutputParserException as error:
        return error, reports
    finally:
        end()


async def collected(source: Any) -> list[Any]:
    return [each async for each in source]


async def in_pieces(chunks: list[Any]) -> Any:
    for chunk in chunks:
        yield chunk


def ways(parser: Any, text: str, cut: int) -> dict[str, Callable[[], Any]]:
    """Return the ways to read *text*, by name."""
    chunks = [text[:cut], text[cut:]]
    return {
        "parse": lambda: parser.parse(text),
        "read": lambda: parser.read(text),
        "invoke": lambda: parser.invoke(text),
        "invoke a message": lambda: parser.invoke(AIMessage(text)),
        "batch": lambda: parser.batch([text]),
        "aparse": lambda: asyncio.run(parser.aparse(text)),
        "ainvoke": lambda: asyncio.run(parser.ainvoke(text)),
        "events": lambda: [*parser.events(chunks)],
        "aevents": lambda: asyncio.run(collected(parser.aevents(in_pieces(chunks)))),
        "stream": lambda: [*parser.stream(text)],
        "transform": lambda: [*parser.transform(iter(chunks))],
        "atransform": lambda: asyncio.run(collected(parser.atransform(in_pieces(chunks)))),
        "feed": lambda: fed(parser.stream_parser(), chunks),
        "as_langchain": lambda: in_langchain(parser, text),
    }


def fed(stream: Any, chunks: list[Any]) -> Any:
    return [*(event for chunk in chunks for event in stream.feed(chunk)), *stream.close()]


def in_langchain(parser: Any, text: str) -> Any:
    from langchain_core.exceptions import OutputParserException as Theirs

    with suppress(Theirs):
        parser.as_langchain().invoke(text)


def counted(reports: list[Report]) -> Counter[tuple[str, str, Any]]:
    return Counter((report.what, report.name, report.span) for report in reports)


def expected(parser: Any, text: str, ended: Any = "unknown") -> Counter[tuple[str, str, Any]]:
    """Return what has to be reported for *text* that *ended* so, from its events and its error."""
    stream = parser.stream_parser()
    events = stream.feed(text)
    errors = []
    try:
        stream.close(ended=ended)
    except OutputParserException as error:
        errors.append(("error", error.problem, error.span))
    repairs = [event for event in (*events, *stream.last_events) if isinstance(event, Repair)]
    return Counter([*(("repair", each.kind, each.span) for each in repairs), *errors])


def assert_all_ways_report_it(parser: Any, text: str, cut: int) -> None:
    wanted, of_message = expected(parser, text), expected(parser, text, "stop")
    for name, do in ways(parser, text, cut).items():
        _, reports = heard(do)
        assert counted(reports) == (of_message if "message" in name else wanted), name
        assert all(each.name and each.cause is None for each in reports), name


# -- every dialect -------------------------------------------------------------------------------


@pytest.mark.parametrize("name", CASES)
def test_every_case_is_reported_once_by_every_way(name: str) -> None:
    dialect = get_dialect(name)
    for case in some(CASES[name], dialect, 0.2):
        if case.mode != "transcript":
            parser = dialect_parser(dialect, lenient=case.mode == "lenient")
            assert_all_ways_report_it(parser, case.text, len(case.text) // 2)


@every_turn_mode
@given(data=st.data())
def test_any_text_is_reported_once_by_every_way(
    dialect: Dialect, mode: Mode, data: st.DataObject
) -> None:
    text = data.draw(texts(dialect, mode))
    parser = dialect_parser(dialect, lenient=mode == "lenient", tools=TOOLS)
    assert_all_ways_report_it(parser, text, data.draw(st.integers(0, len(text))))


@every_turn_mode
@given(data=st.data())
def test_who_counts_gets_the_same_results(
    dialect: Dialect, mode: Mode, data: st.DataObject
) -> None:
    text = data.draw(texts(dialect, mode))
    parser = dialect_parser(dialect, lenient=mode == "lenient", tools=TOOLS)
    for ended in ("unknown", "stop", "length"):

        def outcome(ended: Any = ended) -> Any:
            try:
                return parser.parse(text, ended=ended)
            except OutputParserException as error:
                return error.to_json()

        assert heard(outcome)[0] == outcome()


@every_run_mode
@given(data=st.data())
def test_transcripts_report_each_step(dialect: Dialect, mode: Mode, data: st.DataObject) -> None:
    text = data.draw(texts(dialect, mode))
    runs, reports = heard(lambda: parse_transcripts(text, dialect=dialect))
    if isinstance(runs, OutputParserException):
        (report,) = (each for each in reports if each.what == "error")
        assert report.name == runs.problem == "no_step"
        return
    repairs = [("repair", each.kind, each.span) for run in runs for each in run.repairs]
    failed = [
        ("error", step.error.problem, step.action_span)
        for run in runs
        for step in run.failed
        if step.error is not None
    ]
    others = counted(reports) - Counter([*repairs, *failed])
    assert not Counter([*repairs, *failed]) - counted(reports)
    # The label of a question that never comes begins no run.
    assert all(span[1] == len(text.rstrip()) for _, _, span in others if span is not None)
    assert others.total() <= 1

    def by_character() -> None:
        parser = TranscriptParser(dialect)
        for char in text:
            parser.feed(char)
        parser.close()

    assert counted(heard(by_character)[1]) == counted(reports)


@pytest.mark.parametrize("parser", [*PARSERS, *FUNCTION_PARSERS], ids=name_of)
@given(data=st.data())
def test_messages_are_reported_once_by_every_way(
    parser: MessageParser, data: st.DataObject
) -> None:
    what = data.draw(said())
    whole, chunks = what.whole(), data.draw(chunks_of(what)) + last_chunk(shown_end(what))
    every = [
        lambda: parser.invoke(whole),
        lambda: parser.read(whole),
        lambda: parser.batch([whole]),
        lambda: [*parser.transform(iter([whole]))],
        lambda: asyncio.run(collected(parser.atransform(in_pieces([whole])))),
        lambda: [*parser.events([whole])],
        lambda: fed(parser.stream_parser(), [whole]),
        lambda: [*parser.events(chunks)],
    ]
    outcome, wanted = heard(every[1])
    errors = [each for each in wanted if each.what == "error"]
    assert len(errors) == isinstance(outcome, OutputParserException)
    if not errors:
        assert len(wanted) == len(outcome.repairs)
    for do in every:
        assert counted(heard(do)[1]) == counted(wanted)


# -- what a report says --------------------------------------------------------------------------


def test_a_report_names_the_dialect_the_tool_and_the_place() -> None:
    text = "action: search\nAction Input: Bern\nObservation: made up"
    _, reports = heard(lambda: get_parser("react", tools=TOOLS).parse(text))
    assert [text[slice(*each.span or ())] for each in reports] == ["action:", "Observation:"]
    assert reports == [
        Report("repair", "label", "react", lenient=True, tool="search", span=(0, 7)),
        Report("repair", "invented", "react", lenient=True, tool="search", span=(34, 46)),
    ]


def test_the_error_of_a_call_names_its_tool() -> None:
    def search(query: str) -> None: ...

    parser = get_parser("react", tools=[search], lenient=False)
    _, reports = heard(lambda: parser.parse('Action: search\nAction Input: {"q": 1}'))
    assert reports == [
        Report("error", "wrong_input", "react", lenient=False, tool="search", span=(29, 37))
    ]


def test_repairs_of_several_calls_have_the_tool_of_their_call() -> None:
    call = '<tool_call>\n{"name": "%s", "arguments": {"x": 1,}}\n</tool_call>\n'
    text = "".join(call % name for name in ("search", "clock", "none"))
    parser = get_parser("hermes", tools=[*TOOLS, "none"])
    assert [r.tool for r in heard(lambda: parser.parse(text))[1]] == [*TOOLS, "none"]
    parser = get_parser("hermes", tools=TOOLS)
    assert [r.tool for r in heard(lambda: parser.parse(text))[1]] == [*TOOLS, "", ""]


def test_a_failed_step_does_not_have_the_tool_of_the_step_before() -> None:
    text = "Action: search\nAction Input: x\nObservation: y\nThought: z\nObservation: y\n"
    _, reports = heard(lambda: parse_transcripts(text, tools=["search"]))
    assert [(each.name, each.tool) for each in reports] == [("no_action_or_answer", "")]


SECRETS = [
    "Action: my-secret\nAction Input: my-secret",
    "my-secret",
    "action: `search`\nAction Input: {'my-secret': 1,}",
    "Final Answer: my-secret\nAction: my-secret\nAction Input: my-secret",
]


@pytest.mark.parametrize("tools", [None, TOOLS])
@pytest.mark.parametrize("lenient", [True, False])
@pytest.mark.parametrize("name", ["react", "mrkl", "react_json", "hermes"])
@pytest.mark.parametrize("text", SECRETS)
def test_a_report_has_nothing_that_the_model_wrote(
    name: str, text: str, tools: Any, lenient: bool
) -> None:
    parser = get_parser(name, tools=tools, lenient=lenient)
    for do in ways(parser, text, 5).values():
        assert "my-secret" not in repr(heard(do)[1])


def test_a_message_that_is_refused_is_not_shown_either() -> None:
    call = {"name": "my-secret", "args": {}, "id": "1"}
    for message in (
        AIMessage("", tool_calls=[call]),
        AIMessage("", additional_kwargs={"refusal": "my-secret"}),
    ):
        for name in ("react", "hermes", "openai_functions", "tools"):
            parser = get_parser(name, tools=TOOLS)
            error, (report,) = heard(lambda parser=parser, message=message: parser.invoke(message))
            assert report.name == error.problem != ""
            assert "my-secret" not in repr(report)
            assert isinstance(error, ModelRefusalError) == (report.name == "refusal")


def test_who_asks_for_the_text_gets_the_repair_and_the_error() -> None:
    parser = get_parser("react")
    text = "action: find\nAction Input: x"
    read, reports = heard(lambda: parser.read(text), with_text=True)
    assert [each.cause for each in reports] == [*read.repairs]
    assert [each.tool for each in reports] == ["find"]
    error, (report,) = heard(lambda: parser.parse("hm"), with_text=True)
    assert report.cause is error


# -- when nothing is reported --------------------------------------------------------------------


def test_explaining_reports_nothing() -> None:
    parser = get_parser("react")
    assert heard(lambda: parser.explain("action: a\naction input: b"))[1] == []
    assert heard(lambda: parser.explain(""))[1] == []


def test_what_is_written_reports_nothing() -> None:
    parser = get_parser("hermes", tools=TOOLS)
    action = AgentAction("search", "x", "<tool_call>{'name': 'search', 'arguments': {},}")
    assert heard(lambda: parser.render(action))[1] == []
    assert heard(lambda: parser.render_prompt("q", [(action, "y")]))[1] == []


def test_a_mistake_of_the_caller_is_not_reported() -> None:
    record = {"steps": []}
    error, reports = heard(lambda: parse_record(record, dialect="react"))
    assert isinstance(error, OutputParserException)
    assert reports == []


def test_a_stream_that_is_given_up_reports_nothing_more() -> None:
    parser = get_parser("react")

    def leave() -> None:
        for _ in parser.events(["action: a\n", "Action Input: b"]):
            break

    assert heard(leave)[1] == []


def test_who_listens_later_hears_of_later_turns() -> None:
    stream = StreamParser(get_dialect("react"))
    assert heard(lambda: fed(stream, ["action: a\nAction Input: b"]))[1] == []


def test_listening_ends() -> None:
    reports: list[Report] = []
    end = on_report(reports.append)
    end()
    end()
    with suppress(OutputParserException):
        get_parser("react").parse("")
    assert reports == []


def test_nothing_is_loaded_for_reports_that_nobody_hears() -> None:
    code = (
        "import sys, agent_parsers\n"
        "parser = agent_parsers.get_parser('react')\n"
        "parser.parse('action: a\\naction input: b'); parser.read('action: a\\naction input: b')\n"
        "print('agent_parsers.engine.turn_reports' in sys.modules, 'logging' in sys.modules)"
    )
    printed = subprocess.check_output([sys.executable, "-c", code], text=True).split()
    assert printed[0] == "False"


# -- who listens ---------------------------------------------------------------------------------


def test_a_listener_that_fails_is_logged_and_the_turn_goes_on(
    caplog: pytest.LogCaptureFixture,
) -> None:
    def fail(_report: Report) -> None:
        raise RuntimeError("no connection")

    end = on_report(fail)
    try:
        with caplog.at_level(logging.ERROR):
            result, reports = heard(lambda: get_parser("react").parse("action: a\nAction Input: b"))
    finally:
        end()
    assert result.tool == "a"
    assert len(reports) == len(caplog.records) == 1
    assert "no connection" in caplog.text


def test_a_parser_that_asks_again_reports_each_reply() -> None:
    parser = StructuredChatOutputParserWithRetries()
    error, reports = heard(lambda: parser.parse('{"action": "search", "action_input": "Ber'))
    assert isinstance(error, OutputParserException)
    assert [each.what for each in reports] == ["error"]
    assert reports[0].dialect == "structured_chat"


async def later(_: object) -> None:
    pass


@pytest.mark.parametrize("tell", [None, [], "print", later])
def test_a_listener_that_cannot_be_called_is_an_error(tell: Any) -> None:
    with pytest.raises(TypeError, match="on_report takes a function of a report, not"):
        on_report(tell)
