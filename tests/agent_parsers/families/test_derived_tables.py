"""Lenient tables are derived; the files in ``tests/cases/tables`` say what comes out, row by row.

They were written from tables that stood in the dialects' files, so a row that is lost or new shows
as a difference. Each file has the states, with the problem of a turn that ends in them; the
markers; and the transitions, such as ``thought --action--> tool``.
"""

from pathlib import Path

import pytest

from agent_parsers import get_dialect
from agent_parsers.authoring import Go, Inline, Label, Literal, Table
from agent_parsers.engine.grammar.table import Transition
from agent_parsers.engine.markers.kinds import Marker

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
