"""Strict reading mends nothing; lenient reading tells of all that it mends."""

from functools import partial

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agent_parsers import AgentAction, AgentFinish, Dialect, MarkerSeen, Repair
from agent_parsers.engine import Mode, Note, Table
from agent_parsers.engine._markers import Patterns

from .stories import Refusal, cut, every_dialect, every_mode, every_turn_mode, parsed, told
from .strategies import assert_found, table_of, texts


@every_turn_mode
@given(data=st.data())
def test_strict_reading_mends_nothing(dialect: Dialect, mode: Mode, data: st.DataObject) -> None:
    text = data.draw(texts(dialect, mode), "text")
    assert not told(dialect, "strict", cut(text, [5])).of(Repair)


@every_mode
@given(data=st.data())
def test_a_repair_says_what_and_where(dialect: Dialect, mode: Mode, data: st.DataObject) -> None:
    text = data.draw(texts(dialect, mode), "text")
    for repair in told(dialect, mode, [text]).of(Repair):
        assert text[slice(*repair.span)].strip()
        assert repair.kind.isidentifier()
        assert repair.message.strip()


@every_mode
@given(data=st.data())
def test_a_label_that_is_spelt_otherwise_is_a_repair(
    dialect: Dialect, mode: Mode, data: st.DataObject
) -> None:
    table = table_of(dialect, mode)
    text = data.draw(texts(dialect, mode), "text")
    story = told(dialect, mode, [text])
    mended = [repair.span for repair in story.of(Repair) if repair.kind == "label"]
    for start, end in mended:
        assert any(m.span[0] <= start < end <= m.span[1] for m in story.of(MarkerSeen))
    for seen in story.of(MarkerSeen):
        spelt = text[slice(*seen.span)].strip()
        marker = table.markers.get(seen.name)
        if table.mends and marker and not marker.is_canonical(spelt):
            assert any(seen.span[0] <= start < seen.span[1] for start, _ in mended)


def places(table: Table, text: str) -> set[int]:
    """Tell where markers of *table* end in *text*, whether they make a difference or not."""
    spelt = ((name, marker) for name, marker in table.markers.items() if marker.canonical.strip())
    patterns = (Patterns({name: marker}) for name, marker in spelt)
    return {m.end() for pattern in patterns for m in pattern.whole.finditer("\n" + text)}


def is_clear(dialect: Dialect, text: str) -> bool:
    """Tell whether both tables of *dialect* would agree where the labels of *text* are.

    Strict reading follows a reference that may find labels in the middle of a line. Leniently they
    are words of the text, which is no mending: the dialect does not write labels there either. Or
    it may end at each line.
    """
    encloses = {
        dialect.lenient.markers[marker].canonical
        for (_, marker), move in dialect.lenient.moves.items()
        if isinstance(move, Note) and move.in_turn
    }
    if any(mark in text for mark in encloses):
        return False  # within a fence a label is text, which is no mending either
    if any(
        not m.canonical.strip() and m.canonical in text for m in dialect.strict.markers.values()
    ):
        return False
    return text == text.rstrip() and places(dialect.strict, text) <= places(dialect.lenient, text)


@every_dialect
@given(data=st.data())
def test_without_a_repair_both_readings_are_the_same(dialect: Dialect, data: st.DataObject) -> None:
    text = data.draw(texts(dialect, "lenient"), "text")
    lenient = told(dialect, "lenient", [text])
    if is_clear(dialect, text) and not isinstance(lenient.outcome, Refusal | None):
        strict = parsed(dialect, "strict", text)
        if isinstance(strict, Refusal):
            # What only goes before an action, and may be left out, is nothing to mend.
            assert lenient.of(Repair) or strict.message.startswith("expected a Thought before")
        elif not lenient.of(Repair):
            assert without_edges(strict) == without_edges(lenient.outcome)


def without_edges(result: AgentAction | AgentFinish | None) -> AgentAction | AgentFinish | None:
    """Leave out the white space around values, which strict reading of some dialects keeps."""
    match result:
        case AgentAction(tool_input=str(text)):
            return result.model_copy(update={"tool_input": text.strip()})
        case AgentFinish(return_values={"output": str(text)}):
            return result.model_copy(update={"return_values": {"output": text.strip()}})
        case _:
            return result


def only_lenient_takes(dialect: Dialect, kind: type, text: str) -> bool:
    strict, lenient = (parsed(dialect, mode, text) for mode in ("strict", "lenient"))
    return isinstance(lenient, kind) and isinstance(strict, Refusal) and is_clear(dialect, text)


SELDOM = {("xml", AgentAction): "<tool>search</tool><tool>search</tool>"}
"""Texts that a search seldom finds: two whole calls, neither of which has an input."""


@every_dialect
@pytest.mark.parametrize("kind", [AgentAction, AgentFinish])
def test_there_are_texts_that_only_lenient_reading_takes(dialect: Dialect, kind: type) -> None:
    condition = partial(only_lenient_takes, dialect, kind)
    if (dialect.name, kind) in SELDOM:
        assert condition(SELDOM[dialect.name, kind])
    else:
        assert_found(dialect, "lenient", condition)
