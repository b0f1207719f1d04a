"""Calls in brackets, JSON where a dialect writes tags, and raw values: read chunk by chunk."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agent_parsers import AnswerDelta, Event, InputDelta, ToolNamed, get_parser
from agent_parsers.authoring import BracketCall, RawValue
from agent_parsers.engine.calls.reader import Call
from agent_parsers.events import MarkerSeen, SkippedDelta, merge_events
from agent_parsers.testing import cut
from output_parsers import OutputParserException

# Reading `Search[entity]` chunk by chunk.

AT = 100
"""Where the call stands in the whole text."""


def read(*pieces: str, answers: tuple[str, ...] = ("finish",)) -> tuple[list[Event], Call]:
    reader = BracketCall(answers)
    at = AT
    events: list[Event] = []
    for piece in pieces:
        events += reader.feed(piece, at)
        at += len(piece)
    last, call = reader.close()
    return events + last, call


def test_a_call_is_a_name_and_an_input_in_brackets() -> None:
    events, call = read("Search[lake]")
    assert call == Call(
        tool="Search",
        tool_input="lake",
        span=(100, 112),
        tool_span=(100, 106),
        input_span=(107, 111),
        lacks="closer",  # its line may go on, and have another bracket
    )
    assert events == [
        ToolNamed("Search", (100, 106)),
        MarkerSeen("[", (106, 107)),
        InputDelta("lake", (107, 111)),
        MarkerSeen("]", (111, 112)),
    ]


def test_blanks_before_the_bracket_belong_to_the_marker() -> None:
    events, call = read("Look up  [lake]")
    assert call.tool == "Look up"
    assert events[:2] == [ToolNamed("Look up", (100, 107)), MarkerSeen("[", (107, 110))]


def test_an_answer_is_emitted_as_one() -> None:
    events, call = read("FINISH[lake]")
    assert call.is_answer
    assert call.tool_input == "lake"
    assert events == [
        MarkerSeen("finish", (100, 107)),
        AnswerDelta("lake", (107, 111)),
        MarkerSeen("]", (111, 112)),
    ]


def test_without_names_of_answers_every_call_is_of_a_tool() -> None:
    _, call = read("Finish[lake]", answers=())
    assert not call.is_answer
    assert call.tool == "Finish"


def test_an_input_is_emitted_chunk_by_chunk() -> None:
    reader = BracketCall()
    assert reader.feed("Sea", 0) == []
    assert reader.feed("rch[la", 3) == [
        ToolNamed("Search", (0, 6)),
        MarkerSeen("[", (6, 7)),
        InputDelta("la", (7, 9)),
    ]
    assert reader.feed("ke", 9) == [InputDelta("ke", (9, 11))]


def test_a_bracket_that_may_be_the_last_is_held_back() -> None:
    reader = BracketCall()
    reader.feed("Search[a [b", 0)
    assert reader.feed("]", 11) == []
    assert reader.feed(" c", 12) == [InputDelta("]", (11, 12)), InputDelta(" c", (12, 14))]


def test_the_line_on_which_the_brackets_balance_is_held_back() -> None:
    reader = BracketCall()
    reader.feed("Search[a", 0)
    assert reader.feed("] or", 8) == []
    assert reader.feed(" [b]", 12) == []
    events, call = reader.close()
    assert call.tool_input == "a] or [b"
    assert merge_events(events) == [InputDelta("] or [b", (8, 15)), MarkerSeen("]", (15, 16))]


@pytest.mark.parametrize(
    ("text", "tool_input", "after"),
    [
        ("Search[a]", "a", None),
        ("Search[a] b", "a", "b"),
        ("Search[a].", "a", "."),
        ("Search[a]\nb [c]", "a", "b [c]"),
        ("Search[a] b\nc", "a", "b\nc"),
        ("Search[a] [b]\nc", "a] [b", "c"),
        ("Search[a]]", "a]", None),
        ("Search[a [b]", "a [b", None),
        ("Search[[a]", "[a", None),
        ("Search[a\nb]", "a\nb", None),
        ("Search[a\n] b", "a\n", "b"),
        ("Search[]", "", None),
        ("Search[]]", "]", None),
    ],
)
def test_where_the_input_ends(text: str, tool_input: str, after: str | None) -> None:
    events, call = read(text)
    assert not call.problem
    assert call.tool_input == tool_input
    span = call.after
    assert (None if span is None else text[span[0] - AT : span[1] - AT]) == after
    assert text[call.span[0] - AT : call.span[1] - AT] == f"Search[{tool_input}]"
    skipped = "".join(event.text for event in events if isinstance(event, SkippedDelta))
    assert skipped.strip() == (after or "")


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ("Search", "no_call"),
        ("Search lake", "no_call"),
        ("I look it up:\nSearch[lake]", "no_call"),
        ("Search[", "open_call"),
        ("Search[lake", "open_call"),
        ("Search[lake [x] and", "open_call"),
        ("[lake]", "no_tool_name"),
        ("  [lake]", "no_tool_name"),
    ],
)
def test_text_that_is_not_a_call_has_a_problem(text: str, problem: str) -> None:
    events, call = read(text)
    assert call.problem == problem
    assert call.span == (AT, AT + len(text))
    others = [event for event in events if not isinstance(event, MarkerSeen)]
    assert all(isinstance(event, InputDelta | SkippedDelta | ToolNamed) for event in others)


def test_a_call_without_any_text_has_no_place() -> None:
    events, call = read()
    assert events == []
    assert call == Call(
        tool="", tool_input="", span=(-1, -1), tool_span=(-1, -1), problem="no_call"
    )


@pytest.mark.parametrize(
    "text",
    ["Search[a [b] c] d", "Search[a] or [b]", "Finish[a\n]b", "Search", "Search[a", "S[[x]\n]y]"],
)
def test_any_cut_yields_the_same_events(text: str) -> None:
    whole, call = read(text)
    for end in range(1, len(text)):
        if text[end - 1].isspace():
            continue  # no piece ends in white space
        events, same = read(text[:end], text[end:])
        assert same == call
        assert merge_events(events) == merge_events(whole)


# A call in JSON where a dialect writes tags.


def events_of(text: str, size: int) -> list[Event]:
    """Return the merged events of a text in chunks."""
    stream = get_parser("seed_oss").stream_parser()
    events: list[Event] = []
    try:
        for at in range(0, len(text), size):
            events += stream.feed(text[at : at + size])
        events += stream.close()
    except OutputParserException:
        events += stream.last_events
    return merge_events(events)


@pytest.mark.parametrize("rest", ["</function>", "</parameter>x", '"name": "f"}</seed:tool_call>'])
def test_a_tag_behind_json_belongs_to_the_json_in_any_cut(rest: str) -> None:
    text = "<seed:tool_call>{" + rest
    assert events_of(text, len(text)) == events_of(text, 1)


# A raw value ends at a mark that it may quote, and no text is lost.

CLOSER = "</t>"


def read_raw(chunks: list[str], *, first: bool = False) -> tuple[str, str, bool]:
    """Return the value, what follows it, and whether it is closed."""
    raw = RawValue(CLOSER, first=first)
    value = rest = ""
    for chunk in chunks:
        if raw.is_closed:
            rest += chunk
            continue
        more, after = raw.feed(chunk)
        value, rest = value + more, rest + after
    if not raw.is_closed:
        more, after = raw.close()
        value, rest = value + more, rest + after
    return value, rest, raw.is_closed


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("a</t>", "a"),
        ("a</t>\nb", "a"),
        ("a</t> \t\r\nb</t>", "a"),
        ("a</t><u>b</t>", "a"),
        ('say("</t>")</t>', 'say("</t>")'),
        ("a</t> b", "a"),
        ("a</t> b</t> c", "a</t> b"),
        ("a</t> b</t>\nc</t>", "a</t> b"),
        ("</t>", ""),
        ("</t></t>", ""),
    ],
)
def test_a_mark_closes_a_value_if_a_break_a_tag_or_the_end_follows(text: str, value: str) -> None:
    assert read_raw([text]) == (value, text[len(value) :], True)


@pytest.mark.parametrize("text", ["", "a", "a</", "a</t", "< /t>"])
def test_a_value_without_its_mark_is_open(text: str) -> None:
    assert read_raw([text]) == (text, "", False)


def test_the_first_mark_closes_it_on_request() -> None:
    assert read_raw(['say("</t>")</t>'], first=True) == ('say("', '</t>")</t>', True)


texts = st.lists(st.sampled_from([CLOSER, CLOSER, "</", "<", "t>", "a", " ", "\n"])).map("".join)


@given(texts, st.integers(1, 5), st.booleans())
def test_any_cut_gives_the_same_value(text: str, size: int, first: bool) -> None:
    whole = read_raw([text], first=first)
    assert read_raw([*cut(text, [size])], first=first) == whole
    assert whole[0] + whole[1] == text
    assert whole[2] == (CLOSER in text)
