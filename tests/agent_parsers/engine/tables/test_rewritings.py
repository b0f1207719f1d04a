"""Rewritings and guards: the tables of all modes, and what they refuse."""

from __future__ import annotations

from dataclasses import replace
from inspect import isfunction
from typing import TYPE_CHECKING, Any, NamedTuple, get_args

import pytest

from agent_parsers import AgentAction, get_parser, list_dialects
from agent_parsers.engine.markers.kinds import Label
from agent_parsers.engine.reading.rules.machine import Machine
from agent_parsers.engine.reading.stream import TurnStream
from agent_parsers.engine.tables import guards
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
from agent_parsers.events import merge_events
from agent_parsers.registry.dialects_by_name import get_dialect
from output_parsers import OutputParserException

if TYPE_CHECKING:
    from agent_parsers.engine.reading.rules.states import State
    from agent_parsers.engine.tables.guards import Guard


# Rewritings: the tables of all modes, from the two tables that a dialect declares.

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
    [("error", ""), ("first", ""), ("action", ""), ("answer", "dropped the action before {}")],
)
def test_an_answer_after_an_action(on_conflict: OnConflict, drops: str) -> None:
    table = one_turn(STEP, on_conflict)
    found = table.transitions["input", "answer"]

    assert isinstance(found, Go)
    assert found.drops == drops
    assert (table.ends.get(found.to) == "action_and_answer") == (on_conflict == "error")
    assert (found.to in table.beside_action) == (on_conflict in ("first", "action"))


@pytest.mark.parametrize(
    ("on_conflict", "drops"), [("answer", ""), ("action", "dropped the answer before {}")]
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
    assert one_turn(STEP).transitions["input", "sorry"].drops == "dropped the text before {}"


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


# Guards: each refuses what it should, is needed, and is quoted by `explain`.


class Case(NamedTuple):
    """A text in which one guard refuses a marker."""

    guard: Guard
    dialect: str
    text: str
    marker: str
    """The marker, as `explain` names it; empty if it does not list such markers."""
    reason: str


CASES = [
    Case(
        guards.not_within_backticks,
        "react",
        "Ready. I would write `a. Final Answer: 42` here.",
        "Final Answer:",
        "between backticks",
    ),
    Case(
        guards.begins_a_sentence,
        "haystack",
        "finish: The label is Final Answer: and so on.",
        "Final Answer:",
        "in the middle of a sentence, and no tool name follows it",
    ),
    Case(
        guards.closes_nothing_before,
        "chat",
        "Final Answer: 42 <s>41</s>",
        "</s>",
        "after '<s>', which it closes",
    ),
    Case(
        guards.at_its_place,
        "qwen3_coder",
        "I look.<|python_tag|><function=ping>{}</function>",
        "",
        "",
    ),
    Case(
        guards.dressed_alike,
        "react",
        "Action: write\nAction Input: The report\n# Observation: all is well.",
        "Observation:",
        "not formatted like the label before it",
    ),
    Case(
        guards.outside_of_quotations,
        "react",
        'Action: write\nAction Input: {"text": "one\nObservation: two"}',
        "Observation:",
        "in the quotation that opens on line 2",
    ),
    Case(
        guards.outside_of_calls,
        "lfm2",
        '<|tool_call_start|>[write(text="a <|tool_call_end|> b")]<|tool_call_end|>',
        "<|tool_call_end|>",
        "in a value of the call",
    ),
    Case(
        guards.outside_of_values,
        "minicpm5",
        '<function name="search"><param name="query">Lake</param><think></function>',
        "<think>",
        "in a value of the call",
    ),
    Case(
        guards.first_of_its_kind,
        "react",
        "<think>Easy.</think>\nFinal Answer: Close it with\n</think>\nand go on.",
        "</think>",
        "after a thought that is already closed",
    ),
    Case(
        guards.not_mentioned,
        "hermes",
        "Here is how: </think> closes a thought.",
        "</think>",
        "in a sentence that only mentions it",
    ),
    Case(
        guards.outside_of_fences,
        "hermes",
        "<think>Easy.</think>Write:\n```\n</think>\n```",
        "</think>",
        "in a fence",
    ),
    Case(
        guards.outside_of_ticks,
        "hermes",
        "<think>It asks for `</think>`.</think>It is a mark.",
        "</think>",
        "between backticks",
    ),
    Case(
        guards.opens_no_other,
        "hermes",
        "<think>It wrote <think>quick</think> first.</think>It is a thought.",
        "<think>",
        "in a thought that is already open",
    ),
    Case(
        guards.closes_the_outermost,
        "hermes",
        "<think>It wrote <think>quick</think> first.</think>It is a thought.",
        "</think>",
        "in a nested thought, which it closes",
    ),
    Case(
        guards.begins_the_text,
        "hunyuan_a13b",
        '<think>Like <tool_calls>[{"name": "ping"}]</tool_calls> in </answer>?</think>Lit.',
        "</answer>",
        "after other text",
    ),
    Case(
        guards.not_named,
        "hermes",
        "The tag <tool_call> opens a call.",
        "<tool_call>",
        "alone in quotes, or in a sentence that only mentions it",
    ),
    Case(
        guards.outside_of_code,
        "hermes",
        "You return this:\n```\n<tool_response>\n22\n```",
        "<tool_response>",
        "in a fence, or between backticks",
    ),
]
IDS = [case.guard.__name__ for case in CASES]


def test_each_guard_has_a_case() -> None:
    known = {
        name
        for name, value in vars(guards).items()
        if isfunction(value) and value.__module__ == guards.__name__ and name[0] != "_"
    }

    assert known == set(IDS)


@pytest.mark.parametrize(
    "case", [case for case in CASES if case.marker], ids=lambda case: case.guard.__name__
)
def test_explain_quotes_the_reason_of_the_guard(case: Case) -> None:
    found = get_parser(case.dialect).explain(case.text).ignored

    assert (case.marker, case.reason) in [(each.marker, each.reason) for each in found]


@pytest.mark.parametrize("case", CASES, ids=IDS)
def test_each_guard_is_needed(case: Case) -> None:
    """Without the guard, the same text reads otherwise."""
    dialect = get_parser(case.dialect).dialect
    whole, without = Machine(dialect, "lenient"), Machine(dialect, "lenient")
    for state in _states(without.initial):
        for crossing in state.crossings:
            crossing.guards = tuple(each for each in crossing.guards if each is not case.guard)

    assert _story(whole, case.text) != _story(without, case.text)


def test_a_label_in_the_middle_of_a_sentence_counts_before_the_name_of_a_tool() -> None:
    text = "I take the Action: search Action Input: Bern"
    result = get_parser("react", tools=["search"]).parse(text)

    assert isinstance(result, AgentAction)
    assert (result.tool, result.tool_input) == ("search", "Bern")
    for tools in (["find"], None):
        with pytest.raises(OutputParserException, match="expected an Action"):
            get_parser("react", tools=tools).parse(text)


def _states(initial: State) -> list[State]:
    """Return the states that can be reached."""
    states = [initial]
    for state in states:
        after = [crossing.to for crossing in state.crossings]
        after += [] if state.begun is None else [state.begun]
        states += [to for to in dict.fromkeys(after) if to not in states]
    return states


def _story(machine: Machine, text: str) -> list[Any]:
    """Return what a stream makes of *text*."""
    stream = TurnStream(machine)
    events = stream.feed(text)
    try:
        events += stream.close()
    except OutputParserException as error:
        return [*merge_events([*events, *stream.last_events]), error.reason]
    return merge_events(events)
