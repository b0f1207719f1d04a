"""A lenient table follows from the parts of a step, its habits and its own rows.

They were written from tables that stood in the dialects' files, so a row that is lost or new shows
as a difference. Each file has the states, with the problem of a turn that ends in them; the
markers; and the transitions, such as ``thought --action--> tool``.
"""

from pathlib import Path

import pytest

from agent_parsers import get_dialect
from agent_parsers.authoring import EndTurn, Go, Inline, Label, Literal, Part, Table
from agent_parsers.engine.markers.kinds import Marker
from agent_parsers.engine.tables.problems import Problem
from agent_parsers.engine.tables.table import Transition
from agent_parsers.families.steps import (
    FOLLOWS,
    INPUT_FIRST,
    Steps,
    StepWriter,
    TextElement,
    label_or_literal,
    reworded,
)

STEPS = Steps(
    parts={
        "thought": Part.THOUGHT,
        "call": Part.CALL,
        "observation": Part.OBSERVATION,
        "question": Part.QUESTION,
    },
    markers={
        "question": Label("Question"),
        "thought": Label("Thought"),
        "action": Label("Action"),
        "observation": Label("Observation"),
        "fence": Literal("```"),
    },
    begins={"action": "call"},
)


def test_a_marker_does_in_every_state_of_a_part_what_the_matrix_says() -> None:
    rows = (STEPS | Steps(parts={"plan": Part.THOUGHT})).transitions
    assert rows["plan", "observation"] == FOLLOWS[Part.THOUGHT, Part.OBSERVATION]._replace(
        to="observation"
    )
    assert rows["call", "action"] == EndTurn("call", firm=True)
    assert ("thought", "fence") not in rows  # it begins no state


def test_rows_of_its_own_replace_those_of_the_matrix() -> None:
    steps = STEPS | Steps(
        rows={("thought", "fence"): Go("call"), ("call", "question"): None},
        apart={"observation": ["thought"]},
    )
    rows = steps.transitions
    assert rows["thought", "fence"] == Go("call")
    assert ("call", "question") not in rows
    assert [marker for state, marker in rows if state == "observation"] == ["thought"]
    assert STEPS.transitions["call", "question"] == EndTurn("question", firm=True)


def test_a_call_state_is_a_thought_until_its_call_begins() -> None:
    turn = Steps(parts={"turn": Part.CALL}, begun={"turn": "call"})
    rows = (STEPS | turn).transitions
    assert rows["turn", "action"] == Go("call")
    assert rows["turn", "observation"] == Go("observation", clash="invented_first")


def test_labels_at_the_beginning_of_a_line_are_loose_in_the_table() -> None:
    inline = Label("Action", anywhere=True)
    steps = STEPS | Steps(
        markers={"inline": inline},
        rows={("thought", "inline"): Go("call"), ("thought", "fence"): Go("thought")},
    )
    markers = steps.table(new_call=object).markers
    assert markers["thought"] == Label("Thought", loose=True)
    assert markers["inline"] is inline


def test_a_habit_adds_states_rows_and_ends() -> None:
    assert STEPS.ends == {}
    assert (STEPS | INPUT_FIRST).ends == {"tool, stray input": "stray_input"}


def test_only_the_closer_counts_in_an_element() -> None:
    element = TextElement("note")
    steps = STEPS | element.read_as(Part.OBSERVATION, "note", then="thought", counts=["question"])
    assert {
        marker: row for (state, marker), row in steps.transitions.items() if state == "note"
    } == {
        "question": Go("question", firm=True),
        "end of note": Go("thought", closes=True),
    }
    assert steps.markers["end of note"] == Literal("</note>")
    assert element.write("a") == "<note>a</note>"


def test_words_and_a_colon_are_a_label() -> None:
    assert label_or_literal("Next step:") == Label("Next step")
    assert label_or_literal("So it is ") == Literal("So it is ")


def test_steps_are_written_with_the_labels_that_are_read() -> None:
    writer = StepWriter({**STEPS.markers, "observation": Label("Result")})
    assert writer.stop == ("\nResult:",)
    assert writer.render_observation("42", 1) == "\nResult: 42\nThought:"


def test_a_problem_that_other_words_do_not_change_is_the_same() -> None:
    problems = {
        "action_and_answer": Problem("found an Action", "Write an Action.", exact="as it was"),
        "invented_first": Problem("found a result", "Write no result."),
    }
    new = reworded(problems, {"an Action": "a Tool"})
    assert new["action_and_answer"] == Problem("found a Tool", "Write a Tool.")
    assert new["invented_first"] is problems["invented_first"]


# -- lenient tables are derived --------------------------------------------------------------------

FOLDER = Path(__file__).parents[2] / "cases" / "tables"
DIALECTS = (
    "anthropic_xml", "conversational", "haystack", "json", "react", "react_docstore", "react_json",
    "react_llamaindex", "react_zh", "self_ask", "smolagents_code", "structured_chat", "xml",
)  # fmt: skip
"""Dialects of labels, elements and JSON steps with a lenient table of their own."""
SAME = {
    "react": ("mrkl", "react_crewai"),
    "react_json": ("chat",),
    "json": ("conversational_chat",),
}
"""Other dialects with the same rows."""
FLAGS = ("last", "anywhere", "loose", "firm", "alike", "listed", "borrowed", "begins")


def shown(table: Table) -> str:
    """Return *table* as text, one line for each state, marker and transition."""
    states = [
        f"{state}: {part.name.lower()}" + (f" ends {end}" if (end := table.ends.get(state)) else "")
        for state, part in table.parts.items()
    ]
    markers = [f"{name} = {shown_marker(marker)}" for name, marker in table.markers.items()]
    rows = [
        shown_row(state, marker, transition, table.markers[marker])
        for (state, marker), transition in table.transitions.items()
    ]
    first, *others = states  # a turn begins in the first state
    blocks = ([first, *sorted(others)], sorted(markers), sorted(rows))
    return "\n\n".join("\n".join(block) for block in blocks) + "\n"


def shown_marker(marker: Marker) -> str:
    words = [repr(marker.canonical), *(flag for flag in FLAGS if getattr(marker, flag, False))]
    words += [
        f"{name} {value!r}"
        for name in ("then", "also", "variants", "unless", "place")
        if (value := getattr(marker, name, ""))
    ]
    if type(marker) not in (Literal, Label):
        words.append(f"({type(marker).__name__})")
    return " ".join(words)


def shown_row(state: str, name: str, transition: Transition, marker: Marker) -> str:
    notes = [] if type(transition) is Go else [type(transition).__name__]
    for flag in ("firm", "restarts", "closes", "in_turn", "unopened"):
        is_void = flag == "firm" and not isinstance(
            marker, Label | Inline
        )  # tags are never dressed
        if getattr(transition, flag, False) and not is_void:
            notes.append(flag)
    notes += [
        f"{field} {value!r}"
        for field in ("clash", "odd", "late")
        if (value := getattr(transition, field, ""))
    ]
    note = f"  ({', '.join(notes)})" if notes else ""
    return f"{state} --{name}--> {transition.to}{note}"


@pytest.mark.one_in(1)
@pytest.mark.parametrize("name", DIALECTS)
def test_a_derived_table_has_the_rows_that_its_file_lists(name: str) -> None:
    expected = (FOLDER / f"{name}.txt").read_text(encoding="utf-8")
    assert shown(get_dialect(name).lenient) == expected
    for other in SAME.get(name, ()):
        assert shown(get_dialect(other).lenient) == expected


def test_every_file_has_a_table() -> None:
    assert sorted(path.stem for path in FOLDER.iterdir()) == sorted(DIALECTS)
