"""The laws, for the dialects whose calls are JSON."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Final

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agent_laws import laws
from agent_parsers import StreamParser, get_dialect
from agent_parsers.authoring import Result, Written
from agent_parsers.events import ActionComplete, Finish, InputDelta, Repair, ThoughtDelta, ToolNamed

from ...helpers.json_stories import (
    CALL,
    NAMES,
    PING,
    THINKING,
    every_dialect,
    every_mode,
    read,
    repaired,
    story,
)
from ...helpers.stories import some

if TYPE_CHECKING:
    from agent_parsers.engine.tables.modes import Mode

PIECES: Final = (
    "Hello", " ", "\n", "I {see} it. ", "```json\n", "\n```", "{", "}", '"', "[", "]", ",", ";",
    "\\", CALL, PING, '{"name": "f", "parameters": {"a": [1, {"b": "c\\""}]}}', '{"x": 1}',
    '{"arguments": {"a": 1}, "name": "g", "id": "abcdefghi"}', '{"a": "b', '{"name": "f", "arg',
    '{"tool_name": "f", "parameters": {}}', "{'a': None}", "f", "functions.f:0", "to=functions.f",
    "analysis", "final", "commentary", "<think>", "</think>", "\u3000", "ß", "\x00",
)  # fmt: skip


def pieces_of(name: str) -> list[str]:
    """Return pieces of texts: anything, and the marks of this dialect, also cut."""
    table = get_dialect(name).lenient
    marks = [
        text
        for marker in table.markers.values()
        for text in (marker.canonical, *getattr(marker, "variants", ()))
    ]
    inner = (
        "[ARGS]",
        "[CALL_ID]",
        "<｜tool▁sep｜>",
        "<|tool_call_argument_begin|>",
        "<|message|>",
        "<|constrain|>json",
    )
    return [*PIECES, *marks * 2, *(mark[: len(mark) // 2] for mark in marks), *inner]


def texts_of(name: str) -> st.SearchStrategy[str]:
    sample = get_dialect(name).sample
    cut = st.integers(0, len(sample)).map(lambda at: sample[:at])
    pieces = st.sampled_from(pieces_of(name)) | st.text(max_size=3) | cut
    return st.lists(pieces, max_size=10).map("".join)


def check(name: str, text: str, mode: Mode) -> None:
    """Check that *text* gives the same events in any cut, and that they cover all of it."""
    whole = story(name, text, mode)
    for size in (1, 2, 3, 7):
        assert story(name, text, mode, size) == whole, size
    at = 0
    covering = (e for e in whole[0] if not isinstance(e, ActionComplete | Finish | Repair))
    for start, end in sorted(event.span for event in covering):
        assert start == at, (start, at)
        at = end
    assert at == len(text)


@every_dialect
@every_mode
@given(data=st.data())
def test_any_text_gives_the_same_events_in_any_cut_and_no_text_is_lost(
    name: str, mode: Mode, data: st.DataObject
) -> None:
    check(name, data.draw(texts_of(name)), mode)


@every_dialect
@every_mode
def test_a_sample_is_read_without_repairs_and_cut_anywhere(name: str, mode: Mode) -> None:
    sample = get_dialect(name).sample
    assert read(name, sample, mode)[0] == ("search", {"query": "Lake Thun"})
    assert repaired(name, sample) == []
    for end in some(range(len(sample)), get_dialect(name), 1 / 2):
        check(name, sample[:end], mode)
        calls = read(name, sample[:end], mode)
        assert not isinstance(calls, list) or calls[0][1] == {"query": "Lake Thun"}


@every_dialect
@every_mode
@pytest.mark.parametrize("size", [1, 64])
def test_the_input_of_a_call_is_emitted_while_it_arrives(name: str, mode: Mode, size: int) -> None:
    text = get_dialect(name).write(Written(tool="f", tool_input={"a": "x" * 500}))
    parser = StreamParser(get_dialect(name), mode=mode)
    at = text.index("x" * 500) + 250
    events = [
        event for i in range(0, at, size) for event in parser.feed(text[i : min(i + size, at)])
    ]
    assert ToolNamed in map(type, events)
    emitted = sum(len(event.text) for event in events if isinstance(event, InputDelta))
    assert emitted >= 240


WORDS: Final = st.text(st.characters(exclude_categories=("Cs",)), max_size=8)
VALUES: Final = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False)
    | WORDS | st.sampled_from(PIECES),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(WORDS, inner, max_size=3),
    max_leaves=6,
)  # fmt: skip
STEPS: Final = st.builds(
    Written,
    thought=st.sampled_from(("", "I think so.", "two\nlines { and \" a brace")),
    # A line with two dots in a row is text, and no name that functionary_v32 writes on its line.
    tool=st.from_regex(r"[a-z_][a-z_0-9]{0,4}(\.[a-z_0-9]{1,3}){0,2}\w", fullmatch=True).filter(
        lambda tool: tool.partition(".")[0] not in ("python", "browser", "container", "assistant")
    ),
    tool_input=st.dictionaries(WORDS, VALUES, max_size=4),
    number=st.integers(1, 20),
)  # fmt: skip


@every_dialect
@every_mode
@given(step=STEPS)
def test_what_is_written_is_read_back(name: str, mode: Mode, step: Written) -> None:
    text = get_dialect(name).write(step)
    events, result = story(name, text, mode)
    assert [call[:2] for call in result] == [(step.tool, step.tool_input)]
    thought = "".join(event.text for event in events if isinstance(event, ThoughtDelta))
    assert thought == (step.thought if name in THINKING else "")
    assert not any(isinstance(event, Repair) for event in events)


@every_dialect
@every_mode
def test_an_answer_is_written_and_read_back(name: str, mode: Mode) -> None:
    text = get_dialect(name).write(Written(answer="Two lines,\nand {a brace}."))
    assert read(name, text, mode) == "Two lines,\nand {a brace}."


@every_dialect
def test_values_that_json_does_not_have_are_not_written(name: str) -> None:
    with pytest.raises(ValueError, match="not JSON compliant"):
        get_dialect(name).write(Written(tool="f", tool_input={"a": float("nan")}))


@every_dialect
def test_a_result_is_written_with_all_of_it(name: str) -> None:
    assert "217 m" in get_dialect(name).results_text([Result("f", "217 m")], 3)


HOSTILE: Final = (
    '{"a":' * 2000, "[" * 2000, '{"name": "f", "arguments": ' * 300, '"' * 2000, "{{" * 1000,
    f"{CALL}, " * 100, "<" * 2000, "```" * 700, "\\u" * 1000, " \n" * 1000, "{ " * 1000,
)  # fmt: skip


@every_dialect
@every_mode
def test_there_is_one_way_to_fail(name: str, mode: Mode) -> None:
    sample = get_dialect(name).sample
    opener = sample[: sample.index("{")]
    texts = [begun + text for text in HOSTILE for begun in ("", opener, sample[:-10])]
    for tried in some(texts, get_dialect(name)):
        story(name, tried, mode)
        story(name, tried, mode, 97)


REPEATED: Final = (
    "x ", "{ ", '{"a": 1} ', " \n", "<think>", f"{CALL}\n", "``` ", '"a" ', "[TOOL_CALLS] ", "<| ",
    '{"name": "f", "parameters": ', "to= ",
)  # fmt: skip


@every_mode
@pytest.mark.parametrize(
    ("name", "size"),
    [(name, size) for name in NAMES for size in some([4, 4096], get_dialect(name))],
)
def test_twice_the_text_is_twice_the_work(name: str, mode: Mode, size: int) -> None:
    sample = get_dialect(name).sample
    opener = sample[: sample.index("{")]
    shapes = [(opener, repeated) for repeated in (*REPEATED, opener + CALL, f"{opener}x")]
    for start, repeated in shapes:  # work done only at first use is not counted
        story(name, start + repeated * 9, mode, size)
    few = some(shapes, get_dialect(name), 1 / 2, thorough=1 / 4)
    laws.twice_the_text_is_twice_the_work(get_dialect(name), mode, few, size=size)


def test_json_is_written_as_templates_do() -> None:
    text = get_dialect("hermes").write(Written(tool="f", tool_input={"a": "ü", "b": [1, 2]}))
    assert json.dumps({"a": "ü", "b": [1, 2]}, ensure_ascii=False) in text
