"""Events of a call in JSON while it is written, and what makes an object a call."""

from collections.abc import Iterator
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agent_laws.trials.stories import parsed, story_of
from agent_parsers import (
    AgentFinish,
    AnswerDelta,
    Dialect,
    Event,
    Finish,
    InputDelta,
    Repair,
    StreamParser,
    ThoughtDelta,
    ToolNamed,
    get_dialect,
    get_parser,
    merge_events,
)
from agent_parsers.authoring import CallKeys, JsonCall, JsonCallRules, block_rules
from agent_parsers.engine.calls.reader import Call
from agent_parsers.events import MarkerSeen, SkippedDelta
from agent_parsers.testing import cut

from ....test_json import turns

AT = 100
"""Where the call stands in the whole text."""

STRICT = JsonCallRules(
    keys=CallKeys(tool="action", input="action_input"),
    answers=frozenset({"Final Answer"}),
    may_open=lambda _fence, _is_lead: True,
)
LENIENT = get_dialect("json").lenient.new_call
JSON_DIALECTS = ["json", "conversational_chat", "structured_chat"]


def read(*pieces: str, rules: JsonCallRules = STRICT) -> tuple[list[Event], Call]:
    return read_with(JsonCall(rules), *pieces)


def read_with(reader: Any, *pieces: str) -> tuple[list[Event], Call]:
    at = AT
    events: list[Event] = []
    for piece in pieces:
        events += reader.feed(piece, at)
        at += len(piece)
    last, call = reader.close()
    return events + last, call


def lenient(*pieces: str) -> tuple[list[Event], Call]:
    assert LENIENT is not None
    return read_with(LENIENT(), *pieces)


def test_a_call_is_an_object_with_a_name_and_an_input() -> None:
    events, call = read('{"action": "search", "action_input": "lake"}')
    assert call == Call(
        tool="search",
        tool_input="lake",
        span=(112, 142),
        tool_span=(112, 118),
        input_span=(138, 142),
    )
    assert events == [
        MarkerSeen('"action"', (100, 112)),
        ToolNamed("search", (112, 118)),
        MarkerSeen('"action_input"', (118, 138)),
        InputDelta("lake", (138, 142)),
        MarkerSeen("}", (142, 144)),
    ]


def test_a_name_is_known_without_the_blanks_in_its_quotes() -> None:
    events, call = read('{"action": " search ", "action_input": "lake"}')
    assert ToolNamed("search", (112, 120)) in events
    assert call.tool == "search"


def test_prose_and_its_fence_are_told_apart() -> None:
    events, _ = read('I look.\n```json\n{"action": "a"}\n```')
    assert events[:2] == [
        ThoughtDelta("I look.", (100, 107)),
        MarkerSeen('"action"', (107, 128)),
    ]


def test_an_input_is_emitted_as_it_is_written() -> None:
    raw = r"a \"b\" \u00e9\n"
    events, call = read(f'{{"action": "a", "action_input": "{raw}"}}')
    assert call.tool_input == 'a "b" é\n'
    assert [event.text for event in events if isinstance(event, InputDelta)] == [raw]


def test_an_answer_is_emitted_with_its_escapes_resolved() -> None:
    reader = JsonCall(STRICT)
    assert reader.feed('{"action": "Final Answer", "action_input": "It', 0) == [
        MarkerSeen('"action_input"', (0, 44)),
        AnswerDelta("It", (44, 46)),
    ]
    assert reader.feed(r" is \u00", 46) == [AnswerDelta(" is ", (46, 50))]
    assert reader.feed(r"e9 \ud83d", 54) == [AnswerDelta("é ", (50, 57))]
    assert reader.feed("\\", 63) == []
    assert reader.feed(r'ude00\"."', 64) == [AnswerDelta('😀".', (57, 72))]
    _, call = reader.close()
    assert not call.problem or call.problem == "open_call"


def test_an_input_that_comes_first_may_turn_out_to_be_the_answer() -> None:
    events, call = read(r'{"action_input": "a\nb", "action": "Final Answer"}')
    assert call.is_answer
    assert call.tool_input == "a\nb"
    assert [event for event in events if isinstance(event, InputDelta | AnswerDelta)] == [
        InputDelta(r"a\nb", (118, 122))
    ]
    turn = get_parser("json").read('{"action_input": "42", "action": "Final Answer"}')
    assert turn.content == "42"


def test_an_answer_may_be_an_object_which_is_emitted_as_it_is_written() -> None:
    events, call = read('{"action": "Final Answer", "action_input": {"a": [1]}}')
    assert call.tool_input == {"a": [1]}
    assert AnswerDelta('{"a": [1]}', (143, 153)) in events


def test_an_object_that_is_not_a_call_is_prose() -> None:
    events, call = read('a {"b": 1} {c} {"d": {"action": "x"}} e')
    assert call.problem == "no_call"
    assert merge_events(events) == [
        ThoughtDelta('a {"b": 1} {c} {"d": {"action": "x"}} e', (100, 139))
    ]


def test_what_follows_a_call_is_skipped() -> None:
    events, call = lenient('{"action": "a"}\n} ] more', " text")
    assert call.after == (120, 129)
    assert SkippedDelta("more", (120, 124)) in events


def test_a_label_in_a_string_is_text_but_not_in_prose() -> None:
    reader = JsonCall(STRICT)
    reader.feed('{"x": "', 0)
    assert not reader.has_call_begun
    assert not reader.is_quoting
    reader.feed('y", "action": "a', 7)
    assert reader.has_call_begun
    assert reader.is_quoting
    reader.feed('", "b', 23)
    assert reader.is_quoting
    reader.feed('":', 28)
    assert not reader.is_quoting


@pytest.mark.parametrize(
    ("text", "problem"),
    [
        ("", "no_call"),
        ("prose", "no_call"),
        ('{"a": 1}', "no_call"),
        ('{"action"', "open_call"),
        ('{"action": "a"', "open_call"),
        ('{"action": "a", "action_input": "b', "open_call"),
        ('{"action": "a", "action_input": 1', "open_call"),
        ('{"action": "a" oops', "bad_call"),
        ('{"b" oops', "bad_call"),
        ('{"action": "a", "action": "b"}', "repeated_key"),
        ('{"action": "a", "action_input": 1, "action_input": 2}', "repeated_key"),
        ('{"action": "a", "action_input": {"b": [{"c": 1, "c": 1}]}}', "repeated_key"),
        ('{"action": 1}', "bad_call"),
        ('{"action": ""}', "no_tool_name"),
        ('{"action": " "}', "no_tool_name"),
        ('{"action": "Final Answer"}', "no_input"),
        ('{"action": "a", "action_input": 1}', "bad_input"),
        ('{"action": "a", "action_input": null}', "bad_input"),
        ("[" * 300 + '{"action": "a", "action_input": ' + "[" * 300, "bad_call"),
    ],
)
def test_what_is_wrong(text: str, problem: str) -> None:
    _, call = read(*filter(None, [text]))
    assert call.problem == problem
    assert JsonCall(STRICT).read(text, AT).problem == problem


def test_closers_may_be_missing_at_the_end() -> None:
    _, call = read('{"action": "a", "action_input": {"b": {"c": [1]')
    assert not call.problem
    assert call.tool_input == {"b": {"c": [1]}}


def test_a_closer_that_is_missing_inside_is_supplied() -> None:
    events, call = lenient('{"action": "a", "action_input": {"b": [1}, "c": 2}')
    assert call.problem or call.repairs
    _, call = lenient('{"action": "a", "action_input": ["b", "c"}')
    assert call.tool_input == '["b", "c"]'
    assert [repair.kind for repair in call.repairs] == ["missing_closer", "input_type"]
    assert events


def test_keys_of_another_dialect_count_in_pairs_only() -> None:
    assert lenient('{"name": "Bern", "kind": "city"}')[1].problem == "no_call"
    call = lenient('{"name": "search", "args": {"q": 1}}')[1]
    assert (call.tool, call.tool_input) == ("search", {"q": 1})
    assert [repair.kind for repair in call.repairs] == ["key", "key"]


def test_no_two_keys_say_the_same() -> None:
    for text in (
        '{"name": "planner", "action": "search", "action_input": "x"}',
        '{"name": "search", "action": "search", "action_input": "x"}',
        '{"name": "a", "args": {}, "action": "b"}',
        '{"action": "a", "action_input": "b", "args": {}}',
        '{"args": {}, "action": "a", "action_input": "b"}',
    ):
        assert lenient(text)[1].problem == "repeated_key"
    call = lenient('{"name": {"of": "me"}, "action": "search", "action_input": "x"}')[1]
    assert (call.tool, call.tool_input) == ("search", "x")


def test_a_call_may_be_wrapped() -> None:
    for text in (
        '{"function": {"name": "a", "arguments": "{\\"b\\": 1}"}, "id": 7}',
        '{"id": 7, "tool_calls": [{"id": 8, "function": {"name": "a", "args": {"b": 1}}}]}',
    ):
        call = lenient(text)[1]
        assert (call.tool, call.tool_input) == ("a", {"b": 1})
        assert call.repairs[0].kind == "wrapped"
    assert lenient('{"query": {"action": "a"}}')[1].problem == "no_call"


def test_repairs_have_their_places_in_the_whole_text() -> None:
    text = "So: {'action': 'a',}"
    _, call = lenient(text)
    places = [
        (repair.kind, text[repair.span[0] - AT : repair.span[1] - AT]) for repair in call.repairs
    ]
    assert places == [
        ("quotes", "'action'"),
        ("quotes", "'a'"),
        ("trailing_comma", ","),
        ("fence", "{"),
    ]


@pytest.mark.parametrize("text", ['{action: "", b:', '{"action": "a", "":'])
def test_a_value_that_was_never_begun_is_shown_by_its_colon(text: str) -> None:
    repairs = story_of(get_dialect("json"), "lenient", [text]).of(Repair)
    dropped = [each.span for each in repairs if each.kind == "beside_call"]
    assert [text[start:end] for start, end in dropped] == [":"]


def test_a_long_answer_is_emitted_piece_by_piece_in_linear_time() -> None:
    parser = StreamParser(get_dialect("json"))
    parser.feed('{"action": "Final Answer", "action_input": "')
    for _ in range(2_000):
        assert parser.feed("ab\\n") == [AnswerDelta("ab\n", parser_span(parser))]
    parser.feed('"}')
    parser.close()
    assert isinstance(parser.result, AgentFinish)
    assert parser.result.return_values["output"] == "ab\n" * 2_000


def parser_span(parser: StreamParser) -> tuple[int, int]:
    size = len(parser.text)
    return size - 4, size


@pytest.mark.parametrize("name", JSON_DIALECTS)
@pytest.mark.parametrize("mode", ["strict", "lenient"])
@given(data=st.data())
def test_the_emitted_answer_is_the_answer(name: str, mode: Any, data: st.DataObject) -> None:
    dialect = get_dialect(name)
    text = data.draw(turns())
    story = story_of(dialect, mode, cut(text, data.draw(st.lists(st.integers(1, 9), min_size=1))))
    for finish in story.of(Finish) if "Final Answer:" not in text else ():
        answer = "".join(delta.text for delta in deltas_within(story.of(AnswerDelta), finish.span))
        output = finish.finish.return_values["output"]
        assert not answer or not isinstance(output, str) or answer == output


def deltas_within(deltas: list[Any], span: tuple[int, int]) -> Iterator[Any]:
    return (delta for delta in deltas if span[0] <= delta.span[0] and delta.span[1] <= span[1])


@pytest.mark.parametrize("name", [*JSON_DIALECTS, "react_json", "chat", "json_toolcall"])
@pytest.mark.parametrize("mode", ["strict", "lenient"])
@given(text=turns(), sizes=st.lists(st.integers(1, 9), min_size=1))
def test_any_cut_of_a_call_yields_the_same_events(
    name: str, mode: Any, text: str, sizes: list[int]
) -> None:
    dialect: Dialect = get_dialect(name)
    story = story_of(dialect, mode, [text])
    assert story_of(dialect, mode, cut(text, sizes)) == story
    assert parsed(dialect, mode, text) == story.outcome


def test_a_draft_with_the_label_of_an_answer_is_no_call() -> None:
    turn = get_parser("react_json").read('I could pass {"city": "Oulu\nFinal Answer: It snows.')
    assert turn.result.log
    assert isinstance(turn.result, AgentFinish)
    assert turn.result.return_values["output"] == "It snows."


def test_reasoning_may_hold_a_draft_of_the_call() -> None:
    text = '{"action": "a"}\n</think>\n{"action": "b"}'
    turn = get_parser("json").read(text)
    assert getattr(turn.result, "tool", None) == "b"
    assert [event.kind for event in turn.events if isinstance(event, Repair)] == ["left_out"]


@pytest.mark.parametrize("inner", ['{"action_input": {"a": 1}}', '{"action": "b"}', '["b"]'])
@pytest.mark.parametrize(
    "text",
    ['{"action": "a", "tool_call": %s}', '{"tool_call": %s, "action": "a"}'],
    ids=["behind", "before"],
)
def test_an_object_beside_the_name_may_be_the_input(text: str, inner: str) -> None:
    """What it holds must not be left out of the call, so there is no call."""
    text %= inner
    whole = lenient(text)[1]
    assert whole == lenient(*text)[1]
    assert whole.problem or whole.tool == "b", whole


def test_an_input_under_the_own_key_of_a_format_may_be_json_in_a_string() -> None:
    _, rules = block_rules("tool", "params")
    call = read('{"tool": "f", "params": "{\\"a\\": 1}"}', rules=rules)[1]
    assert call.tool_input == {"a": 1}
