"""The prompt of each dialect, the events of replies, and the errors of wrong replies."""

import re
from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any, Literal, NamedTuple

import pytest
from pydantic import BaseModel, Field

from agent_parsers import (
    AgentAction,
    StreamParser,
    authoring,
    get_dialect,
    get_parser,
    list_dialects,
    merge_events,
)
from agent_parsers.parsers.dialect_parser import AnyDialectParser
from agent_parsers.testing import (
    SnapshotEvents,
    SnapshotPrompt,
    SnapshotTranscript,
    SnapshotValue,
    readable,
)
from agent_parsers.testing.snapshots.pages import events_page, heading, quoted
from agent_parsers.toolset import Tools, ToolSet, ToolSpec

from ...helpers.errors_page import errors_page

CASES = Path(__file__).parents[2] / "cases"
TOOLS = {
    "search": "looks up a name in the encyclopedia",
    "calculate": "works out a formula",
    "clock": "",
}


def search(query: str, limit: int = 5) -> str:
    """Looks up a name in the encyclopedia.

    Args:
        query: The name, without an article.
        limit: Most lines to return.
    """
    raise NotImplementedError(query, limit)


def convert(amount: float, unit: Literal["km", "mi"]) -> float:
    """Converts a length to metres."""
    raise NotImplementedError(amount, unit)


def clock() -> str:
    """Tells the time."""
    raise NotImplementedError


class Stop(BaseModel):
    """A place where the traveller gets out."""

    place: str = Field(description="The town; not the station")
    nights: int = Field(default=1, ge=0, le=14)


@dataclass
class Ticket:
    price: float
    currency: Literal["CHF", "EUR"] = "CHF"


class Leg(BaseModel):
    by: Literal["ferry", "night train"]
    to: Stop | None = None
    tickets: list[Ticket] = []


def book(legs: list[Leg], budget: dict[str, float], seat: tuple[int, str] | None = None) -> str:
    """Books a journey.

    Args:
        legs: In the order of travel.
    """
    raise NotImplementedError(legs, budget, seat)


class Run(NamedTuple):
    """A run of an agent that has three tools and has taken two steps."""

    question: str
    thought: str
    steps: tuple[tuple[AgentAction, Any], tuple[AgentAction, Any]]
    tools: Tools = (search, convert, clock)


RUN = Run(
    "How long is Lake Brienz, in metres?",
    "I need its length.",
    (
        (AgentAction("search", {"query": "Lake Brienz", "limit": 1}, ""), "It is 14.2 km long."),
        (AgentAction("convert", {"amount": 14.2, "unit": "km"}, ""), 14200.0),
    ),
)
RUNS = {
    "self_ask": Run(
        "Which is longer, Lake Brienz or Lake Thun?",
        "Yes.",
        (
            (AgentAction("Intermediate Answer", "How long is Lake Brienz?", ""), "14.2 km"),
            (AgentAction("Intermediate Answer", "How long is Lake Thun?", ""), "17.5 km"),
        ),
        [ToolSpec("Intermediate Answer", "Answers a simple question.")],
    ),
    "smolagents_code": RUN._replace(
        steps=(
            (
                AgentAction("python_interpreter", 'print(search("Lake Brienz", limit=1))', ""),
                "It is 14.2 km long.",
            ),
            (AgentAction("python_interpreter", 'print(convert(14.2, "km"))', ""), 14200.0),
        )
    ),
    "react_zh": RUN._replace(
        question="布里恩茨湖有多少米长？",
        thought="我需要它的长度。",
        steps=((RUN.steps[0][0], "长 14.2 公里。"), RUN.steps[1]),
    ),
}
"""Replies for dialects that differ from the others."""

NAMES = list_dialects()
RUN_NAMES = [name for name in NAMES if get_dialect(name).lenient.transcript_start]
every_dialect = pytest.mark.parametrize("name", NAMES)
every_run_dialect = pytest.mark.parametrize("name", RUN_NAMES)
every_calls_dialect = pytest.mark.parametrize("name", sorted({*NAMES} - {*RUN_NAMES}))


@every_dialect
def test_prompt(name: str, snapshot_prompt: SnapshotPrompt) -> None:
    run = RUNS.get(name, RUN)
    parser = get_parser(name, tools=run.tools)
    thought = run.thought if parser.dialect.thinks else ""
    (first, saw), second = run.steps
    turn = [(first, saw)]
    if parser.dialect.several and not is_single(parser):
        turn.append((AgentAction("clock", {}, ""), "noon"))
    log = parser.render([action for action, _ in turn], thought=thought)
    steps = [(action.model_copy(update={"log": log}), saw) for action, saw in turn]
    snapshot_prompt(parser, question=run.question, steps=[*steps, second], name=f"{name}/prompt")


def is_single(parser: AnyDialectParser) -> bool:
    """Return whether the chat template of a dialect rejects several calls in a turn."""
    call = AgentAction("clock", {}, "")
    try:
        return not parser.render([call, call])
    except ValueError:
        return True


@pytest.mark.parametrize("name", ["openai_tools", "openai_functions"])
def test_prompt_of_messages(name: str, snapshot_prompt: SnapshotPrompt) -> None:
    snapshot_prompt(name, tools=RUN.tools, question=RUN.question, name=f"{name}/prompt")


def test_instructions_with_nested_schemas(snapshot_value: SnapshotValue) -> None:
    """The list of tools, and the example of a call, of dialects that write them alike."""
    tools = ToolSet([book])
    alike: defaultdict[str, list[str]] = defaultdict(list)
    for name in NAMES:
        alike[get_dialect(name).list_tools(tools)].append(name)
    sections = []
    for listed, names in alike.items():
        example, _ = authoring.replies(get_dialect(names[0]), tools)
        sections.append(f"{heading(', '.join(names))}{listed}\n\n{quoted(example)}")
    snapshot_value("\n".join(sections), name="tools/nested_schemas")


@every_calls_dialect
def test_events_of_a_turn(name: str, snapshot_events: SnapshotEvents) -> None:
    snapshot_events(name, get_dialect(name).sample, name=f"{name}/events")


@every_run_dialect
def test_events(name: str, snapshot_value: SnapshotValue) -> None:
    dialect = get_dialect(name)
    parser = StreamParser(dialect, mode="transcript")
    run = merge_events([*parser.feed(dialect.sample), *parser.close()])
    page = events_page(get_parser(name), dict(replies("wild", name)))
    text = f"{heading('the sample, as a transcript')}{readable(run)}\n{page}"
    snapshot_value(text, name=f"{name}/events")


@every_run_dialect
def test_errors(name: str, snapshot_value: SnapshotValue) -> None:
    strict, lenient = (get_parser(name, tools=TOOLS, lenient=lenient) for lenient in (False, True))
    page = errors_page(strict, lenient, dict(replies("wrong", name)))
    snapshot_value(page, name=f"{name}/errors")


@every_run_dialect
def test_transcript(name: str, snapshot_transcript: SnapshotTranscript) -> None:
    snapshot_transcript(get_dialect(name).sample, dialect=name, name=f"{name}/transcript")


@pytest.mark.parametrize("folder", ["wild", "wrong"])
def test_every_dialect_has_replies_and_every_file_a_dialect(folder: str) -> None:
    assert sorted(path.stem for path in (CASES / folder).glob("*.txt")) == RUN_NAMES


def replies(folder: str, name: str) -> Iterator[tuple[str, str]]:
    """Titles and texts of a file in which dots divide them."""
    blocks = re.split(r"(?m)^\.\n", (CASES / folder / f"{name}.txt").read_text(encoding="utf-8"))
    for above, text in zip(blocks[:-1:2], blocks[1::2], strict=True):
        (title,) = (line for line in above.split("\n") if line and line[0] != "#")
        yield title, text.removesuffix("\n")
