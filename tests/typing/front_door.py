"""What type checkers say of the public names: checked, never run."""

from collections.abc import AsyncGenerator, Generator, Iterator
from typing import Any, assert_never, assert_type

from agent_parsers import (
    AgentAction,
    AgentFinish,
    DialectParser,
    Event,
    ReActSingleInputOutputParser,
    StreamParser,
    ToolsAgentOutputParser,
    Transcript,
    Turn,
    get_dialect,
    get_parser,
    parse_transcript,
)
from agent_parsers.events import (
    ActionComplete,
    AnswerDelta,
    Finish,
    InputDelta,
    MarkerSeen,
    ObservationDelta,
    QuestionDelta,
    Repair,
    SkippedDelta,
    StepFailed,
    ThoughtDelta,
    ToolNamed,
)
from output_parsers import JsonOutputParser, StrOutputParser
from outputs import AIMessage


def check_parsers(text: str, message: AIMessage) -> None:
    strict = ReActSingleInputOutputParser()
    assert_type(strict.parse(text), AgentAction | AgentFinish)
    assert_type(strict.invoke(message), AgentAction | AgentFinish)
    assert_type(strict.stop, list[str])
    assert_type(strict.read(text), Turn)

    assert_type(get_parser("tools"), ToolsAgentOutputParser)
    assert_type(ToolsAgentOutputParser().invoke(message), list[AgentAction] | AgentFinish)
    assert_type(get_parser("react"), DialectParser)
    assert_type(StrOutputParser().parse(text), str)
    assert_type(JsonOutputParser().parse(text), Any)


def check_streams(parser: DialectParser, chunks: Iterator[str]) -> None:
    assert_type(parser.events(chunks), Generator[Event, None, None])
    assert_type(StreamParser(get_dialect("react")).feed("a"), list[Event])


async def check_async(parser: DialectParser, chunks: AsyncGenerator[str]) -> None:
    assert_type(parser.aevents(chunks), AsyncGenerator[Event, None])
    assert_type(await parser.ainvoke("a"), AgentAction | AgentFinish)


def check_transcripts(text: str) -> None:
    run = parse_transcript(text)
    assert_type(run, Transcript)


def check_that_events_are_a_closed_set(event: Event) -> str:
    match event:
        case ThoughtDelta() | InputDelta() | AnswerDelta() | ObservationDelta():
            return event.text
        case QuestionDelta() | SkippedDelta():
            return event.text
        case ToolNamed():
            return event.tool
        case MarkerSeen():
            return event.name
        case ActionComplete():
            return event.action.log
        case Finish():
            return event.finish.log
        case Repair():
            return event.kind
        case StepFailed():
            return str(event.error)
        case _:
            assert_never(event)


def check_that_a_misspelled_name_is_an_error() -> None:
    import output_parsers

    _ = output_parsers.PydanticOutputparser  # type: ignore[attr-defined]
