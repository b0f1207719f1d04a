"""The stream parser, and the turns that need no stream."""

from __future__ import annotations

import re
from random import Random
from typing import TYPE_CHECKING, Any

import pytest

from agent_parsers import (
    ActionComplete,
    AgentAction,
    AgentFinish,
    AnswerDelta,
    Event,
    Finish,
    InputDelta,
    OutputParserException,
    Repair,
    StreamParser,
    ThoughtDelta,
    ToolNamed,
    get_dialect,
    get_parser,
    list_dialects,
    merge_events,
)
from agent_parsers.engine.reading.stream import TurnStream
from agent_parsers.engine.whole import whole_reader
from agent_parsers.events import MarkerSeen, SkippedDelta

from ...helpers.effort import THOROUGH

if TYPE_CHECKING:
    from agent_parsers.engine.tables.modes import Mode
    from outputs.messages.ended import Ended


# Chunks in, events out: which events are emitted when.

REACT = get_dialect("react")
TURN = "Thought: hm\nAction: search\nAction Input: old bridge"


def stream(*, mode: Mode = "lenient", max_chars: int | None = None) -> StreamParser:
    return StreamParser(REACT, mode=mode, max_chars=max_chars)


def fed(*chunks: str) -> list[Event]:
    """Return the events of the last of *chunks*."""
    parser = stream()
    events: list[Event] = []
    for chunk in chunks:
        events = parser.feed(chunk)
    return events


# -- what is emitted at once ---------------------------------------------------------------------


def test_a_thought_is_emitted_chunk_by_chunk() -> None:
    parser = stream()
    assert parser.feed("Thought: I ne") == [
        MarkerSeen("thought", (0, 9)),
        ThoughtDelta("I ne", (9, 13)),
    ]
    assert parser.feed("ed it") == [ThoughtDelta("ed it", (13, 18))]


def test_text_without_a_label_is_a_thought() -> None:
    assert fed("I need") == [ThoughtDelta("I need", (0, 6))]


def test_a_tool_is_named_when_its_name_is_complete() -> None:
    assert fed("Action: sea", "rch") == []
    assert fed("Action: sea", "rch\nAction Input:") == [ToolNamed("search", (8, 14))]


def test_an_input_is_emitted_chunk_by_chunk() -> None:
    assert fed("Action: search\nAction Input: old bri", "dge") == [InputDelta("dge", (36, 39))]


def test_an_answer_is_emitted_chunk_by_chunk() -> None:
    assert fed("Final Answer: 4", "2") == [AnswerDelta("2", (15, 16))]


def test_an_action_is_complete_as_soon_as_something_else_begins() -> None:
    parser = stream()
    parser.feed("Action: search\nAction Input: old bridge\n")
    action = AgentAction("search", "old bridge", "Action: search\nAction Input: old bridge")
    events = parser.feed("Observation:")
    assert events[0] == ActionComplete(action, (8, 39))
    assert isinstance(events[1], Repair)
    assert parser.feed(" 1461") == [
        MarkerSeen("observation", (39, 53)),
        SkippedDelta("1461", (53, 57)),
    ]


# -- what is held back ---------------------------------------------------------------------------


@pytest.mark.parametrize("tail", ["\n", "\nFin", "\nFinal Answer", "\n  ", "\n**Final", "\n\n\n"])
def test_what_may_become_a_label_is_held_back(tail: str) -> None:
    assert fed("Thought: hm", tail) == []


def test_what_did_not_become_a_label_is_emitted_after_all() -> None:
    assert merge_events(fed("hm", "\nFinal", " straw")) == [ThoughtDelta("\nFinal straw", (2, 14))]


def test_a_label_that_means_nothing_here_is_not_held_back() -> None:
    assert fed("Final Answer: 42", "\nThou") == [AnswerDelta("\nThou", (16, 21))]


def test_white_space_waits_for_what_follows_it() -> None:
    parser = stream()
    assert parser.feed("hm ") == [ThoughtDelta("hm", (0, 2))]
    assert parser.feed(" ") == []
    assert parser.feed("so") == [ThoughtDelta("  so", (2, 6))]


def test_white_space_at_the_end_belongs_to_the_end() -> None:
    parser = stream()
    parser.feed("Final Answer: 42 \n")
    text = "Final Answer: 42 \n"
    assert parser.close() == [
        MarkerSeen("end", (16, 18)),
        Finish(AgentFinish({"output": "42"}, text), (14, 16)),
    ]


def test_white_space_at_the_start_belongs_to_the_start() -> None:
    assert fed(" \n hm") == [MarkerSeen("start", (0, 3)), ThoughtDelta("hm", (3, 5))]


def test_an_empty_chunk_emits_nothing() -> None:
    parser = stream()
    assert parser.feed("") == []
    parser.feed(TURN)
    assert parser.feed("") == []
    parser.close()
    assert parser.result == AgentAction("search", "old bridge", TURN)


# -- the end -------------------------------------------------------------------------------------


def test_the_result_is_known_at_the_end() -> None:
    parser = stream()
    parser.feed(TURN)
    assert parser.result is None
    action = AgentAction("search", "old bridge", TURN)
    assert parser.close() == [ActionComplete(action, (20, 51))]
    assert parser.result == action
    assert parser.text == TURN


def test_a_text_ends_once() -> None:
    parser = stream()
    parser.feed(TURN)
    parser.close()
    with pytest.raises(RuntimeError, match="close\\(\\) was called twice; use a new"):
        parser.close()
    with pytest.raises(RuntimeError, match="feed\\(\\) was called after close\\(\\); use a new"):
        parser.feed("more")


def test_the_last_events_are_kept_if_the_end_is_an_error() -> None:
    parser = stream()
    parser.feed("Thought: hm\nFinal")
    with pytest.raises(OutputParserException, match="expected an Action or a Final Answer"):
        parser.close()
    assert parser.last_events == [ThoughtDelta("\nFinal", (11, 17))]
    assert parser.result is None
    with pytest.raises(RuntimeError):
        parser.close()


def test_the_error_is_the_one_of_parse() -> None:
    text = "Thought: hm\nwhat now?"
    parser = stream()
    parser.feed(text)
    with pytest.raises(OutputParserException) as streamed:
        parser.close()
    with pytest.raises(OutputParserException) as parsed:
        get_parser("react").parse(text)
    assert parsed.value.observation == streamed.value.observation
    assert vars(streamed.value) == vars(parsed.value)
    assert str(streamed.value) == str(parsed.value)


@pytest.mark.parametrize(
    ("dialect", "text", "is_cut"),
    [
        ("react", "Final Answer: 42\nObs", True),
        ("json_toolcall", "Final Answer: 42\nObs", True),
        ("structured_chat", "It is 42.\nObs", True),
        # In such an answer a label Observation is text, and so is half of it.
        ("json_toolcall", "Final Answer: 42\nAction: none\nObs", False),
    ],
)
def test_half_a_stop_sequence_counts_where_the_whole_one_would(
    dialect: str, text: str, is_cut: bool
) -> None:
    parser = StreamParser(get_dialect(dialect))
    parser.feed(text)
    parser.close()
    assert parser.result == get_parser(dialect).parse(text)
    assert parser.result is not None
    assert parser.result.log.endswith("\nObs") is not is_cut


def test_a_transcript_has_no_result() -> None:
    parser = stream(mode="transcript")
    parser.feed(REACT.sample)
    parser.close()
    assert parser.result is None


# -- limits --------------------------------------------------------------------------------------


def test_a_text_of_max_chars_is_read() -> None:
    parser = stream(max_chars=len(TURN))
    parser.feed(TURN)
    parser.close()
    assert parser.result is not None


@pytest.mark.parametrize("is_fed_again", [True, False])
def test_a_longer_text_is_an_error_after_its_events(is_fed_again: bool) -> None:
    parser = stream(max_chars=13)
    assert parser.feed("Thought: I need") == [
        MarkerSeen("thought", (0, 9)),
        ThoughtDelta("I ne", (9, 13)),
    ]
    reason = "the text is longer than max_chars=13 characters"
    with pytest.raises(OutputParserException, match=reason) as caught:
        _ = parser.feed(" it") if is_fed_again else parser.close()
    assert caught.value.llm_output == "Thought: I ne"
    assert caught.value.span == (13, 13)
    assert caught.value.observation == "Your reply is too long. Answer in fewer words."
    with pytest.raises(RuntimeError):
        parser.feed("")


def test_no_text_may_be_allowed() -> None:
    parser = stream(max_chars=0)
    assert parser.feed("") == []
    parser.feed("x")
    with pytest.raises(OutputParserException, match="max_chars=0"):
        parser.close()


# -- tools ---------------------------------------------------------------------------------------


def test_an_unknown_tool_completes_no_action() -> None:
    parser = StreamParser(REACT, tools=["clock", "search"])
    events = parser.feed("Action: serch\nAction Input: x\nObservation: 1")
    assert ToolNamed("serch", (8, 13)) in events
    with pytest.raises(OutputParserException, match="'serch' is not one of the tools") as caught:
        parser.close()
    assert caught.value.span == (8, 13)
    assert str(caught.value.observation).split("\n") == [
        "There is no tool 'serch'. Did you mean 'search'? The tools are: clock, search.",
        "For example: Action: search",
        "Action Input: what to look for",
    ]
    events += parser.last_events
    assert not [event for event in events if isinstance(event, ActionComplete)]


# -- merging -------------------------------------------------------------------------------------


def test_neighbouring_deltas_of_one_kind_are_joined() -> None:
    a, b, c = ThoughtDelta("a", (0, 1)), ThoughtDelta("b", (1, 2)), AnswerDelta("c", (2, 3))
    assert merge_events([a, b, c]) == [ThoughtDelta("ab", (0, 2)), c]
    assert merge_events([a, c, b]) == [a, c, b]
    assert merge_events([]) == []


def test_deltas_with_something_between_them_are_not_joined() -> None:
    a, b = ThoughtDelta("a", (0, 1)), ThoughtDelta("b", (10, 11))
    assert merge_events([a, b]) == [a, b]
    marker = MarkerSeen("thought", (1, 10))
    assert merge_events([a, marker, b]) == [a, marker, b]


# Repaired and refused turns that need no stream agree with one.

THOUGHT = "Thought: I need it.\n"
NEED_NO_STREAM: list[tuple[str, str]] = [
    ("react", f"{THOUGHT}**Action:** search\n**Action Input:** Lake Thun"),
    ("react", f"## {THOUGHT}## Action: search\n## Action Input: Lake Thun"),
    ("react", f"{THOUGHT}action: search\nACTION INPUT: Lake Thun"),
    ("react", f'{THOUGHT}**Action:** search\n**Action Input:** {{"query": "a,]", "page": [3,],}}'),
    ("react", f'{THOUGHT}Action: search\nAction Input: ```json\n{{"query": "a", "page": 3,}}\n```'),
    ("react", f"{THOUGHT}Action: search\nAction Input: {{'query': 'Lake Thun'}}"),
    ("glm47", "<tool_call>search<arg_key>q</arg_key><arg_value>[1,]</arg_value></tool_call>"),
    ("hermes", '<tool_call>\n{"name": "go", "arguments": {"q": "a,]", "l": [1, ],}}\n</tool_call>'),
    ("hermes", 'A "b.\n<tool_call>\n{"name": "search", "arguments": {"q": 1 ,}}\n</tool_call>'),
    ("minimax_m1", '<tool_calls>\n{"name": "search", "arguments": {"q": 1,}}\n</tool_calls>'),
]  # fmt: skip
NEED_A_STREAM = [
    ("react", f"{THOUGHT}- **Action:** search\nAction Input: Lake Thun"),
    ("react", f"{THOUGHT}Action: search\nAction Input: see\n## Action: y"),
    ("react", f"{THOUGHT}**Action:** search\n**Observation:** x"),
    ("react", f"{THOUGHT}Action: search\nObs"),
    ("react", f'{THOUGHT}Action: search("x" "y")'),
    ("hermes", '<tool_call>\n{"name": "search", "arguments": {,}}\n</tool_call>'),
    ("hermes", '<tool_call>\n{"name": "search", "arguments": {"q": 1,,}}\n</tool_call>'),
    ("hermes", '<tool_call>\n{"name": "search", "arguments": {"q": 1,}}'),
    ("mistral_v11", '[TOOL_CALLS]search[ARGS,]{"q": 1}'),
]


def shown(read: Any) -> str:
    """Return all that is known of a result or an error."""
    try:
        return repr(read())
    except OutputParserException as error:
        return repr((type(error), str(error), error.reason, error.span, error.observation,
                     error.llm_output, error.problem, error.send_to_llm))  # fmt: skip


def streamed(name: str, mode: Mode, text: str, ended: Ended) -> str:
    """Return what a stream of one chunk says."""
    reader = whole_reader(get_dialect(name), mode)

    def read() -> object:
        stream = TurnStream(reader._machine, advise=reader._advise)
        stream.read_whole(text, ended=ended)
        return stream.result

    return shown(read)


@pytest.mark.parametrize(("name", "text"), NEED_NO_STREAM)
def test_no_stream_is_made(name: str, text: str, monkeypatch: pytest.MonkeyPatch) -> None:
    expected = streamed(name, "lenient", text, "unknown")
    monkeypatch.delattr(TurnStream, "read_whole")
    assert shown(lambda: get_parser(name).parse(text)) == expected


@pytest.mark.parametrize(("name", "text"), NEED_A_STREAM)
def test_what_is_not_certain_is_left_to_a_stream(
    name: str, text: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    expected = streamed(name, "lenient", text, "unknown")
    assert shown(lambda: get_parser(name).parse(text)) == expected
    monkeypatch.delattr(TurnStream, "read_whole")
    with pytest.raises(AttributeError, match="read_whole"):
        get_parser(name).parse(text)


LABEL = re.compile(r"(?m)^([A-Z][A-Za-z ]{1,14}):")
DRESSES = ("**{}:**", "## {}:", "**{}**:", "**{}:", "- {}:", "{}：")


def spoilt(random: Random, text: str) -> str:
    """Return *text* with other labels, with trailing commas, or cut."""
    dress = random.choice(DRESSES)
    case = random.choice((str, str, str.lower, str.upper))
    share = random.choice((1, 1, 0.6))
    commas = random.choice(("", "", ",", " ,\n", ",,"))
    if random.random() < 0.7:
        text = LABEL.sub(
            lambda it: dress.format(case(it[1])) if random.random() < share else it[0], text
        )
    places = [found.start() for found in re.finditer(r"[]}]", text)]
    for at in sorted(random.sample(places, min(len(places), 2)), reverse=True):
        text = text[:at] + commas + text[at:]
    return text if random.random() < 0.7 else text[: random.randrange(len(text) + 1)]


@pytest.mark.parametrize("name", list_dialects())
def test_every_text_is_read_as_a_stream_reads_it(name: str) -> None:
    dialect, random = get_dialect(name), Random(name)
    turns = [dialect.write(dialect.example), *dialect.sample.split("\n\n"), dialect.sample]
    for _ in range(1_000 if THOROUGH else 15):
        text = spoilt(random, random.choice(turns))
        ended = random.choice(("unknown", "stop", "length"))
        mode = random.choice(("lenient", "lenient", "strict"))
        parser = get_parser(name, lenient=mode == "lenient")
        found = shown(lambda: parser.parse(text, ended=ended))  # noqa: B023 - called at once
        assert found == streamed(name, mode, text, ended), (mode, ended, text)
