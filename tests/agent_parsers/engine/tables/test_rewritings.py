"""Rewritings: the tables of all modes, from the two tables that a dialect declares."""

from __future__ import annotations

from dataclasses import replace
from typing import get_args

import pytest

from agent_parsers import list_dialects
from agent_parsers.engine.markers.kinds import Label
from agent_parsers.engine.tables.modes import Mode, OnConflict
from agent_parsers.engine.tables.rewritings import (
    CUT,
    END_TOKENS,
    many_turns,
    one_turn,
    table_for,
    with_end_tokens,
    with_thoughts,
)
from agent_parsers.engine.tables.table import EndTurn, Go, Note, Part, Table
from agent_parsers.registry.dialects_by_name import get_dialect

STEP = Table(
    markers={
        name.lower(): Label(name)
        for name in ("Action", "Input", "Answer", "Observation", "Note", "Sorry")
    },
    parts={
        "thought": Part.THOUGHT,
        "tool": Part.TOOL,
        "input": Part.INPUT,
        "answer": Part.ANSWER,
        "noted": Part.ANSWER,
        "observation": Part.OBSERVATION,
    },
    transitions={
        ("thought", "action"): Go("tool"),
        ("thought", "answer"): Go("answer"),
        ("tool", "input"): Go("input"),
        ("input", "observation"): EndTurn("observation"),
        ("input", "answer"): Go("answer", clash="action_and_answer"),
        ("input", "sorry"): Go("tool", restarts=True),
        ("answer", "note"): Note("noted"),
        ("answer", "action"): Go("tool", clash="action_and_answer"),
        ("observation", "action"): Go("tool"),
    },
    ends={"noted": "action_and_answer"},
    transcript_start="observation",
    lenient=True,
)


@pytest.mark.parametrize("name", list_dialects())
def test_what_comes_out_is_a_table_that_could_have_been_written(name: str) -> None:
    """Rewritings do not check what they make; so this does."""
    dialect = get_dialect(name)
    for mode in get_args(Mode):
        for on_conflict in get_args(OnConflict):
            replace(table_for(dialect, mode, on_conflict))  # checks the table


@pytest.mark.parametrize("name", list_dialects())
def test_what_is_compiled_says_nothing_about_modes(name: str) -> None:
    dialect = get_dialect(name)
    for mode in get_args(Mode):
        transitions = table_for(dialect, mode).transitions.values()

        assert not any(isinstance(transition, EndTurn) for transition in transitions)
        if mode != "transcript":
            assert all(each.drops for each in transitions if isinstance(each, Go) and each.restarts)


def test_one_turn_ends_where_another_begins() -> None:
    table = one_turn(STEP)

    assert table.transitions["input", "observation"] == Go(CUT)
    assert table.parts[CUT] is Part.SKIPPED
    assert CUT not in table.ends


def test_a_strict_turn_may_not_go_on() -> None:
    table = one_turn(replace(STEP, lenient=False))
    over = table.transitions["input", "observation"].to

    assert table.ends[over] == "invented_after"


@pytest.mark.parametrize(
    ("on_conflict", "drops"),
    [("error", ""), ("first", ""), ("action", ""), ("answer", "left out the action before {}")],
)
def test_an_answer_after_an_action(on_conflict: OnConflict, drops: str) -> None:
    table = one_turn(STEP, on_conflict)
    found = table.transitions["input", "answer"]

    assert isinstance(found, Go)
    assert found.drops == drops
    assert (table.ends.get(found.to) == "action_and_answer") == (on_conflict == "error")
    assert (found.to in table.beside_action) == (on_conflict in ("first", "action"))


@pytest.mark.parametrize(
    ("on_conflict", "drops"), [("answer", ""), ("action", "left out the answer before {}")]
)
def test_an_action_after_an_answer(on_conflict: OnConflict, drops: str) -> None:
    table = one_turn(STEP, on_conflict)
    found = table.transitions["answer", "action"]

    assert isinstance(found, Go)
    assert found.drops == drops
    assert found.to == ("tool" if drops else "skipped with the problem action_and_answer")


def test_a_note_may_rule_out_the_action() -> None:
    assert one_turn(STEP).ends["noted"] == "action_and_answer"
    for on_conflict in ("first", "answer"):
        table = one_turn(STEP, on_conflict)
        assert "noted" not in table.ends
        assert table.transitions["answer", "note"].drops


def test_what_restarts_a_turn_leaves_out_what_it_had() -> None:
    assert one_turn(STEP).transitions["input", "sorry"].drops == "left out what stands before {}"


def test_many_turns_go_on() -> None:
    table = many_turns(STEP)

    assert table.initial == "observation"
    assert table.transitions["input", "observation"] == Go("observation")
    assert table.transitions["input", "sorry"].drops == ""


def test_end_tokens_end_each_part_of_a_turn() -> None:
    table = one_turn(with_end_tokens(STEP))
    token = END_TOKENS[0].canonical

    for state, part in STEP.parts.items():
        found = table.transitions.get((state, token))
        assert found == (None if part is Part.OBSERVATION else Go(CUT))


def test_thoughts_open_in_thoughts_and_close_anywhere() -> None:
    table = with_thoughts(STEP, [("<think>", "</think>")], is_run=False)

    block = table.transitions["thought", "<think>"].to
    assert table.parts[block] is Part.THOUGHT
    assert table.ends[block] == "open_reasoning"
    assert table.transitions[block, "</think>"].to == "thought"
    assert ("input", "<think>") not in table.transitions
    assert table.transitions["input", "\n</think>"].drops
    assert table.prompt_ends["<think>"] == table.starts["thought"]


def test_a_transcript_has_thoughts_in_thoughts_only() -> None:
    table = with_thoughts(STEP, [("<think>", "</think>")], is_run=True)

    assert ("thought", "<think>") in table.transitions
    assert not any(state == "input" and "think" in name for state, name in table.transitions)
    assert not table.starts
