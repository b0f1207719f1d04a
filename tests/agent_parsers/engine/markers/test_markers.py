"""The kinds of markers, and how they are found."""

from __future__ import annotations

import re
from dataclasses import replace
from typing import TYPE_CHECKING, TypeAlias

import hypothesis.strategies as st
import pytest
from hypothesis import given

from agent_parsers import get_dialect, list_dialects
from agent_parsers.authoring import Label, Literal, Marker
from agent_parsers.engine.markers.kinds import MOST, Ahead, spelt_texts
from agent_parsers.engine.markers.mentions import WINDOW, is_spoken_of
from agent_parsers.engine.markers.patterns import Found, Node, Patterns, check_markers
from agent_parsers.engine.reading.rules.machine import machine

from ....helpers.effort import THOROUGH
from ....helpers.stories import RUNS, TURNS

if TYPE_CHECKING:
    from collections.abc import Iterator

    from agent_parsers import Dialect
    from agent_parsers.engine.reading.rules.states import State
    from agent_parsers.engine.tables.modes import Mode


def found(marker: Marker, text: str) -> str | None:
    """Return the first text that *marker* matches."""
    match = Patterns({"it": marker}).whole.search(text)
    return match and match[0]


def held_back(marker: Marker, text: str) -> str:
    """Return the end of *text* that may become *marker*."""
    match = Patterns({"it": marker}).growing(text, 0)
    return match[0] if match and match.lastindex is None else ""


# -- what counts as a label ----------------------------------------------------------------------


@pytest.mark.parametrize(
    "text",
    ["\nAction Input:", "\nAction 1 Input:", "\nAction Input 12:", "\nAction1Input1:",
     "\nAction  \n Input :", "\nActionInput:"],
)  # fmt: skip
def test_a_label_has_its_words_and_perhaps_numbers(text: str) -> None:
    assert found(Label("Action Input"), f"x{text} y") == text


@pytest.mark.parametrize(
    "text",
    ["Action Input:", "\n Action Input:", "\naction input:", "\nAction_Input:", "\nAction Input",
     "\nAction Input：", "\n**Action Input:**", "\nAction Inputs:", "\nAction one Input:"],
)  # fmt: skip
def test_nothing_else_is_a_label(text: str) -> None:
    assert found(Label("Action Input"), f"x{text}") is None


def test_a_label_may_count_in_the_middle_of_a_line() -> None:
    assert found(Label("Action", anywhere=True), "I use Action 2: x") == "Action 2:"
    assert found(Label("Action"), "I use Action 2: x") is None


@pytest.mark.parametrize(
    "text",
    ["\nFinal Answer:", "\nfinal answer:", "\nFINAL ANSWER :", "\nFinal_Answer:", "\nFinal-Answer:",
     "\nFinalAnswer:", "\nFinal Answer：", "\n  Final Answer:", "\n\ufeffFinal Answer:",
     "\n### Final Answer:", "\nFinal Answer 2:", "\n**Final Answer:**", "\n**Final Answer**:",
     "\n*Final Answer:*", "\n*Final Answer* :", "\n__Final Answer:__", "\n# **final_answer：**"],
)  # fmt: skip
def test_a_loose_label_may_be_dressed(text: str) -> None:
    assert found(Label("Final Answer", loose=True), f"x{text} y") == text


@pytest.mark.parametrize(
    "text",
    ["Final Answer:", "\nx Final Answer:", "\nFinal\nAnswer:", "\nFinal Answers:",
     "\n- Final Answer:", "\nFinal Answer;", "\n`Final Answer:`"],
)  # fmt: skip
def test_a_loose_label_is_still_a_label(text: str) -> None:
    assert found(Label("Final Answer", loose=True), f"x{text}") is None


def test_a_run_of_blanks_in_a_label_is_bounded() -> None:
    label = Label("Action")
    assert found(label, f"\nAction{' ' * MOST}:")
    assert not found(label, f"\nAction{' ' * (2 * MOST + 1)}:"), "before and after a number"


def test_emphasis_that_only_ends_is_not_part_of_the_label() -> None:
    assert found(Label("Final Answer", loose=True), "\nFinal Answer:** 42") == "\nFinal Answer:"


@pytest.mark.parametrize(
    ("seen", "is_canonical"),
    [("\nAction Input:", True), ("Action Input:", True), ("\nAction 1 Input:", True),
     ("\nAction Input 2:", True), ("\nAction1 Input:", False), ("\nAction Input :", False),
     ("\nACTION INPUT:", False), ("\n Action Input:", False), ("\nAction Input：", False)],
)  # fmt: skip
def test_a_number_is_canonical(seen: str, is_canonical: bool) -> None:
    assert Label("Action Input", loose=True).is_canonical(seen) is is_canonical


def test_a_label_is_written_with_a_colon() -> None:
    assert Label("Action Input").canonical == "Action Input:"


# -- literals ------------------------------------------------------------------------------------


def test_a_literal_counts_anywhere_in_each_of_its_spellings() -> None:
    marker = Literal("<call>", ("<CALL>", "[call("))
    assert [found(marker, f"x{text}y") for text in ("<call>", "<CALL>", "[call(")] == [
        "<call>", "<CALL>", "[call(",
    ]  # fmt: skip
    assert found(marker, "x<Call>y") is None


def test_only_the_first_spelling_of_a_literal_is_canonical() -> None:
    marker = Literal("<call>", ("<CALL>",))
    assert marker.is_canonical("<call>")
    assert not marker.is_canonical("<CALL>")


# -- finding markers -----------------------------------------------------------------------------

MARKERS: dict[str, Marker] = {
    "action": Label("Action"),
    "input": Label("Action Input"),
    "end": Literal("<end>"),
}


def test_the_first_marker_is_found_and_named() -> None:
    patterns = Patterns(MARKERS)
    text = "x\nAction Input: y <end>\nAction: z"
    names = [patterns.names[(m.lastindex or 0) - 1] for m in patterns.whole.finditer(text)]
    assert names == ["input", "end", "action"]


@pytest.mark.parametrize("marker", MARKERS.values(), ids=MARKERS)
def test_what_may_become_a_marker_is_held_back(marker: Marker) -> None:
    text = marker.canonical if isinstance(marker, Literal) else f"\n{marker.canonical}"
    for size in range(1, len(text)):
        assert held_back(marker, f"x{text[:size]}") == text[:size]
    assert held_back(marker, f"x{text}") == ""


@pytest.mark.one_in(1)
@pytest.mark.parametrize("name", list_dialects())
def test_each_spelling_of_each_marker_is_held_back(name: str) -> None:
    """Also where another spelling is its beginning."""
    dialect = get_dialect(name)
    for marker in (*dialect.strict.markers.values(), *dialect.lenient.markers.values()):
        if type(marker) is not Literal or marker.last:
            continue
        for text in [*spelt_texts(marker)][:: 1 if THOROUGH else 4]:
            held = [text[:size] for size in range(1, len(text))]
            assert [held_back(marker, begun) for begun in held] == held


@pytest.mark.parametrize("text", ["", "x", "\nAct x", "\nActs", "<e >", "\nAction Input Output"])
def test_what_cannot_become_a_marker_is_not_held_back(text: str) -> None:
    match = Patterns(MARKERS).growing(text, 0)
    assert match is None


def test_all_of_a_number_is_held_back() -> None:
    assert held_back(Label("Action"), "x\nAction 12") == "\nAction 12"
    assert held_back(Label("Action"), "x\nAction 12 ") == "\nAction 12 "


def test_only_what_is_near_the_end_is_held_back() -> None:
    many = " " * 5 * MOST
    assert held_back(Label("Action"), f"\nAction{many}") == ""
    assert held_back(Label("Action", loose=True), f"x\n{many}") == ""


def test_patterns_are_compiled_when_they_are_needed() -> None:
    patterns = Patterns(MARKERS)
    assert not {"whole", "growing"} & vars(patterns).keys()
    assert isinstance(patterns.whole, re.Pattern)


@pytest.mark.parametrize("text", ["\n" * 4_000, "\nAct" * 1_000, "x" * 4_000])
def test_a_state_walks_at_a_bounded_number_of_places(text: str) -> None:
    patterns = Patterns(MARKERS)
    for _ in range(10_000):
        if not patterns.is_cold(len(text)):
            break
        patterns.walk(text, 0, is_last=True)
    assert patterns._walks <= 1_024 + 4_096
    assert "whole" not in vars(patterns)
    assert not patterns.is_cold(5_000)


def test_a_state_compiles_its_pattern_once_it_has_read_much() -> None:
    state = machine(replace(get_dialect("react"), name="read_much"), "lenient").initial
    before, text = state.whole, "Thought: x\nAction: search\n"
    seen = set()
    while state.whole is before:
        found = state.whole(text, 0)
        assert found is not None
        seen.add((state.by_index[found.lastindex or 0].name, found.span()))
    found = state.whole(text, 0)
    assert isinstance(found, re.Match)
    assert seen == {(state.by_index[found.lastindex or 0].name, found.span())}


# -- markers that do not go together -------------------------------------------------------------


@pytest.mark.parametrize(
    ("markers", "reason"),
    [
        ({"a": Literal("<x>"), "b": Literal("<x>")}, "markers 'a' and 'b' have the same spelling"),
        ({"a": Literal("<x"), "b": Literal("<x>")}, "marker 'a' is a prefix of marker 'b'"),
        ({"a": Literal("<x>"), "b": Literal("<x")}, "marker 'b' is a prefix of marker 'a'"),
        ({"a": Literal("<x>", ("<x>",))}, "markers 'a' and 'a' have the same spelling"),
        (
            {"a": Label("Action"), "b": Label("Action")},
            "markers 'a' and 'b' have the same spelling",
        ),
    ],
)
def test_no_marker_begins_another(markers: dict[str, Marker], reason: str) -> None:
    with pytest.raises(ValueError, match=f"^{reason}$"):
        check_markers(markers)


def test_a_label_that_requires_another_to_follow_is_tried_before_the_same_without() -> None:
    patterns = Patterns({"a": Label("Action"), "b": Label("Action", then="Action Input")})
    for text, name in (
        ("\nAction: x\nAction Input: y", "b"),
        ("\nAction: x\n\n- **Action Input:** y", "b"),
        ("\nAction: x Action Input: y", "b"),
        ("\nAction: x\nThought: z\nAction Input: y", "a"),
        ("\nAction: x", "a"),
    ):
        found = patterns.whole.search(text)
        assert found is not None
        assert patterns.names[(found.lastindex or 0) - 1] == name
        for size in range(len("\nAction:"), len(text)):
            begun = patterns.growing(text[:size], 0)
            assert begun is not None
            if begun.lastindex is not None:  # decided early, with the same result
                assert isinstance(begun.lastindex, int)
                assert patterns.names[begun.lastindex - 1] == name


def test_a_label_that_begins_another_ends_in_its_own_colon() -> None:
    assert Patterns({"a": Label("Action"), "b": Label("Action Input")}).names == ("a", "b")


# What a text ends in is found by walking the trie, as a pattern would find it.


def states_from(initial: State) -> Iterator[State]:
    """Yield the states that have markers, from the first one on."""
    seen, ahead = {initial}, [initial]
    while ahead:
        state = ahead.pop()
        new = {crossing.to for crossing in state.crossings} - seen
        seen |= new
        ahead += new
        if state.crossings:
            yield state


def growing_pattern(node: Node) -> str:
    """Return a pattern for the rest of a marker, or for its beginning up to the end of the text."""
    branches = [node.pending] if node.pending else []
    for atom, child in node.next.items():
        may_go_on = not isinstance(atom, Ahead) and bool(child.next)
        rest = growing_pattern(child)
        branches.append(rf"{atom}(?:\Z|{rest})" if may_go_on else atom + rest)
    if node.marker is not None:
        branches.append("()")
    return f"(?:{'|'.join(branches)})"


Place: TypeAlias = tuple[int, int, int | str | None] | None


def place(found: Found | None) -> Place:
    """Return where something was found, and the number of the marker."""
    return None if found is None else (*found.span(), found.lastindex)


def walked_place(patterns: Patterns, found: Found | None) -> Place:
    """Return where a walk found something, and the number that the pattern has for it."""
    if found is None or found.lastindex is None:
        return place(found)
    match = patterns.whole.match(found.string, found.start())
    assert match is not None
    assert patterns.names[(match.lastindex or 0) - 1] == found.lastindex
    return (*found.span(), match.lastindex)


@pytest.mark.one_in(8)
@pytest.mark.parametrize(
    ("dialect", "mode"), TURNS + RUNS, ids=lambda value: getattr(value, "name", value)
)
@given(data=st.data())
def test_a_text_that_goes_on_is_searched_as_by_one_pattern(
    dialect: Dialect, mode: Mode, data: st.DataObject
) -> None:
    state = data.draw(st.sampled_from([*states_from(machine(dialect, mode).initial)]))
    patterns = Patterns({crossing.name: crossing.marker for crossing in state.crossings})
    spelt = [crossing.marker.canonical for crossing in state.crossings]
    pieces = st.sampled_from([*spelt, *dialect.sample.splitlines(), " ", "\n", "**", "`", "x"])
    parts = data.draw(st.lists(st.tuples(pieces, st.integers(0, 20)), max_size=6))
    text = "\n" + "".join(piece[: size or None] for piece, size in parts)
    start = data.draw(st.integers(0, len(text)))
    pattern = re.compile(growing_pattern(patterns.root))
    assert place(patterns.growing(text, start)) == place(pattern.search(text, start))
    at_start = patterns.growing_at(text, start)
    assert walked_place(patterns, at_start) == place(pattern.match(text, start))
    for is_last, found in ((False, pattern), (True, patterns.whole)):
        walked, match = patterns.walk(text, start, is_last=is_last), found.search(text, start)
        assert walked_place(patterns, walked) == place(match)


# -- whether text mentions a marker or uses it, from the characters around it ----------------------


@pytest.mark.parametrize(
    ("last", "blank", "after"),
    [
        ("`", "", "` to close it"),
        ("“", "", "”"),
        ("e", " ", " to close it"),
        ("e", " ", ", then the answer"),
        ("e", " ", " " * WINDOW),
    ],
)
def test_a_marker_in_quotes_or_among_words_is_mentioned(last: str, blank: str, after: str) -> None:
    assert is_spoken_of(last, blank, after[:WINDOW])


@pytest.mark.parametrize(
    ("last", "blank", "after"),
    [
        ("", "", " to close it"),
        ("", "", ""),
        ("e", "\n", " to close it"),
        ("e", "", " to close it"),
        (".", " ", " to close it"),
        ("`", "", "' to close it"),
        ("e", " ", "To close it"),
        ("e", " ", ""),
        ("e", " ", " " * (WINDOW - 1)),
        ("e", " ", "\nAnd what is on the next line"),
        ("e", " ", " \nAnd what is on the next line"),
        ("e", " ", " \r\nAnd what is on the next line"),
    ],
)
def test_a_marker_anywhere_else_is_used(last: str, blank: str, after: str) -> None:
    assert not is_spoken_of(last, blank, after[:WINDOW])


def test_a_marker_may_be_long() -> None:
    patterns = Patterns({"long": Literal("<" + "x" * 3_000 + ">"), "call": Literal("<call>")})
    assert place(patterns.growing("a<" + "x" * 3_000 + ">", 0)) == (1, 3_003, 1)
    assert place(patterns.growing("a<" + "x" * 2_000, 0)) == (1, 2_002, None)
