"""Plans which laws are tried on which texts and steps."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from functools import cache, partial
from typing import TYPE_CHECKING, Any, Final, TypeAlias

from agent_laws import laws
from agent_laws.laws.broken import BrokenLawError, named
from agent_laws.laws.work import WHOLE, shapes
from agent_laws.plan_of_acting import plan_of_acting
from agent_laws.smallest import Case, Trial, drawn_cases, failure, smallest_case, smallest_text
from agent_laws.trials.conversations import conversations
from agent_laws.trials.pieces import fragments, rows, small_inputs, written
from agent_laws.trials.strategies import (
    anything,
    failed_turns,
    forgeries,
    observations,
    plain,
    plain_actions,
    plain_steps,
    plain_turns,
    soup,
    st,
    turns_and_results,
    wild_turns,
)
from agent_parsers.toolset import ToolSet

if TYPE_CHECKING:
    from agent_parsers import Dialect
    from agent_parsers.authoring import Mode

Law: TypeAlias = "Callable[..., None]"

_TURNS: Final[tuple[Mode, ...]] = ("strict", "lenient")
_ALL: Final[tuple[Mode, ...]] = (*_TURNS, "transcript")
_TOOLS: Final = ["search", "look_up"]
_QUERY: Final = {"properties": {"query": {"type": "string"}}, "required": ["query"]}
_TYPED: Final = ToolSet([{"name": name, "parameters": _QUERY} for name in _TOOLS])


# -- sample, instructions and rendering -----------------------------------------------------------

_ONCE: Final[tuple[tuple[Law, tuple[Any, ...]], ...]] = (
    (laws.a_name_is_that_of_one_dialect, ()),
    (laws.every_state_can_be_reached, ("strict",)),
    (laws.every_state_can_be_reached, ("lenient",)),
    (laws.every_call_has_a_reader_of_its_own, ("strict",)),
    (laws.every_call_has_a_reader_of_its_own, ("lenient",)),
    (laws.every_transcript_has_a_beginning, ()),
    (laws.the_example_is_an_action, ()),
    (laws.no_marker_ends_in_white_space, ()),
    (laws.no_mark_of_a_call_quotes, ()),
    (laws.every_marker_is_written, ()),
    (laws.a_stop_sequence_is_a_marker, ()),
    (laws.a_prompt_ends_where_a_word_may_begin, ()),
    (laws.the_instructions_show_the_labels_that_are_read, ()),
    (laws.the_instructions_show_no_label_that_is_not_read, ()),
    (laws.the_instructions_name_every_tool, (_TOOLS, "finds what it is asked")),
    (laws.the_replies_in_the_instructions_are_read, (_TOOLS,)),
    (laws.what_is_copied_from_the_instructions_is_no_turn, (_TYPED,)),
    (laws.without_tools_no_call_is_shown, ()),
)
"""Laws that need no text, and their arguments."""

_OF_CONVERSATIONS: Final[tuple[Law, ...]] = (
    laws.what_is_returned_is_taken,
    laws.what_is_returned_goes_to_any_api,
)

_OF_RUNS: Final[tuple[Law, ...]] = (
    laws.the_sample_is_one_flawless_run,
    laws.the_steps_of_the_sample_are_written_as_they_stand,
    laws.two_samples_are_two_runs,
)


def plan_of_form(dialect: Dialect, examples: int) -> list[Trial]:
    """Return the trials of laws that come first, since the texts of all others depend on them."""

    def said(turn: tuple[Any, str, int]) -> None:
        step, thought, number = turn
        laws.plain_words_are_never_refused(dialect, step, thought=thought, number=number)

    trials = [
        _drawn(dialect, examples, laws.plain_words_are_never_refused, plain_turns, said),
        *(_once(law, dialect, *given) for law, given in _ONCE),
        *(_of_conversations(law, dialect) for law in _OF_CONVERSATIONS),
    ]
    if dialect.lenient.transcript_start:
        trials += (_once(law, dialect) for law in _OF_RUNS)
    return trials


def _of_conversations(law: Law, dialect: Dialect) -> Trial:
    """Return the trial of a *law* on all conversations of a model that writes in *dialect*."""

    def run() -> BrokenLawError | None:
        tried = (failure(law, dialect, each) for each in conversations(dialect))
        return next(filter(None, tried), None)

    return Trial(named(law), "", run)


def _once(law: Law, dialect: Dialect, *given: Any) -> Trial:
    mode = given[0] if given and given[0] in _ALL else ""
    return Trial(named(law), mode, partial(failure, law, dialect, *given))


# -- reading --------------------------------------------------------------------------------------

_BY_MODE: Final[Mapping[Law, tuple[Sequence[Mode], tuple[str, ...]]]] = {
    laws.a_turn_is_read_or_refused: (_TURNS, ("tools",)),
    laws.any_cut_gives_the_same_events: (_ALL, ("sizes", "halves", "tools", "on_conflict")),
    laws.parse_gives_the_result_of_the_stream: (_TURNS, ("tools", "on_conflict")),
    laws.the_last_word_on_an_action_is_the_result: (_TURNS, ("tools", "on_conflict")),
    laws.no_character_is_lost_or_repeated: (_ALL, ("sizes",)),
    laws.the_log_is_the_text_of_the_model: (_TURNS, ()),
    laws.the_limit_is_named_in_any_cut: (_ALL, ("max_chars", "sizes")),
    laws.a_call_emitted_early_is_a_call_of_the_turn: (_TURNS, ("sizes", "tools")),
    laws.a_repair_says_what_and_where: (_ALL, ()),
    laws.a_label_that_is_spelt_otherwise_is_a_repair: (_ALL, ()),
}
"""Laws of texts, the modes in which they are tried, and what else of a `Case` they take."""

_BY_TEXT: Final[Mapping[Law, tuple[Mode, tuple[str, ...]]]] = {
    laws.strict_reading_repairs_nothing: ("strict", ()),
    laws.without_a_repair_both_readings_are_the_same: ("lenient", ()),
    laws.lenient_reads_what_strict_reads: ("strict", ()),
    laws.a_transcript_is_read_or_refused: ("transcript", ()),
    laws.any_cut_gives_the_same_runs: ("transcript", ("sizes",)),
    laws.each_step_of_a_transcript_is_reported_once: ("transcript", ()),
    laws.the_log_of_a_step_is_part_of_the_transcript: ("transcript", ()),
}
"""Laws that take the mode that the texts are made for."""


def plan_of_reading(dialect: Dialect, examples: int) -> list[Trial]:
    """Return the trials of all laws that are not in `plan_of_form`."""
    modes = _ALL if dialect.lenient.transcript_start else _TURNS
    trials = [
        _read(law, check, dialect, mode, examples)
        for mode in modes
        for law, check in checks_of_texts(dialect, mode)
    ]
    trials += (_emitted_at_once(dialect, mode) for mode in modes)
    trials += (trial for mode in _TURNS for trial in plan_of_acting(dialect, mode, examples))
    return [*trials, *_written(dialect, examples, modes), *_timed(dialect, modes)]


def checks_of_texts(dialect: Dialect, mode: Mode) -> list[tuple[Law, Callable[[Case], None]]]:
    """Return the laws that hold for any text in this *mode*, each with a function that tries it."""
    found: list[tuple[Law, Callable[[Case], None]]] = [
        (law, partial(_check, partial(law, dialect, mode), names))
        for law, (modes, names) in _BY_MODE.items()
        if mode in modes
    ]
    found += (
        (law, partial(_check, partial(law, dialect), names))
        for law, (only, names) in _BY_TEXT.items()
        if mode == only
    )
    return found


def _check(law: Law, names: Sequence[str], case: Case) -> None:
    __tracebackhide__ = True
    law(case.text, **{name: getattr(case, name) for name in names})


def _read(
    law: Law, check: Callable[[Case], None], dialect: Dialect, mode: Mode, examples: int
) -> Trial:
    return Trial(named(law), mode, lambda: smallest_text(_cases(dialect, mode, examples), check))


def _emitted_at_once(dialect: Dialect, mode: Mode) -> Trial:
    law = laws.text_outside_markers_is_reported_at_once

    def run() -> BrokenLawError | None:
        cases = [Case(text) for text in fragments(dialect)]
        return smallest_text(cases, lambda case: law(dialect, mode, case.text))

    return Trial(named(law), mode, run)


@cache
def _cases(dialect: Dialect, mode: Mode, examples: int) -> tuple[Case, ...]:
    """Return texts for a *mode*: those of the dialect, the shortest first, then random ones."""
    found = [*written(dialect), *rows(dialect, mode), *fragments(dialect), dialect.sample]
    if mode != "transcript":
        found += small_inputs(dialect)[::5]
        found += (f"{row}\n{written(dialect)[2]}" for row in rows(dialect, mode)[::3])
        # A server may end a turn anywhere.
        found += (text[:at] for text in written(dialect)[:2] for at in range(len(text)))
    known = (Case(text) for text in sorted(set(found), key=lambda text: (len(text), text)))
    return (*known, *drawn_cases(dialect, mode, examples))


# -- rendering ------------------------------------------------------------------------------------


def _written(dialect: Dialect, examples: int, modes: Sequence[Mode]) -> list[Trial]:
    drawn = partial(_drawn, dialect, examples)

    def step(turn: tuple[Any, str, int]) -> None:
        said, thought, number = turn
        laws.a_step_is_read_back_or_refused(dialect, said, thought=thought, number=number)

    trials = [
        drawn(laws.a_step_is_read_back_or_refused, wild_turns, step),
        drawn(
            laws.a_stop_sequence_stops_no_step,
            lambda d: st.tuples(plain_actions(d), plain() if d.thinks else st.just("")),
            lambda turn: laws.a_stop_sequence_stops_no_step(dialect, turn[0], thought=turn[1]),
        ),
        drawn(laws.no_observation_forges_a_mark, forgeries),
        drawn(laws.no_failed_turn_forges_a_mark, failed_turns),
        drawn(laws.what_is_escaped_is_unescaped, lambda d: soup(d) | anything()),
    ]
    if "transcript" in modes:
        trials += (
            drawn(laws.the_spans_of_a_step_are_where_its_parts_stand, plain_steps),
            drawn(laws.a_scratchpad_without_logs_is_rendered, plain_steps),
            drawn(laws.no_observation_changes_how_the_text_around_it_is_read, observations),
            drawn(
                laws.what_is_read_is_read_back,
                turns_and_results,
                lambda both: laws.what_is_read_is_read_back(dialect, *both),
            ),
            drawn(
                laws.a_scratchpad_is_a_transcript,
                lambda d: st.tuples(plain_steps(d), plain()),
                lambda run: laws.a_scratchpad_is_a_transcript(dialect, run[0], answer=run[1]),
            ),
            drawn(
                laws.the_last_question_before_a_step_is_the_question,
                lambda _: st.tuples(st.lists(plain(), max_size=3), plain()),
                lambda asked: laws.the_last_question_before_a_step_is_the_question(dialect, *asked),
            ),
        )
    return trials


def _drawn(
    dialect: Dialect,
    examples: int,
    law: Law,
    strategy: Callable[[Dialect], st.SearchStrategy[Any]],
    check: Callable[[Any], None] | None = None,
) -> Trial:
    """Return the trial of a *law* on what is drawn, which *check* unpacks for it if needed."""
    tried = check or partial(law, dialect)
    return Trial(named(law), "", lambda: smallest_case(strategy(dialect), tried, examples))


# -- time -----------------------------------------------------------------------------------------


def _timed(dialect: Dialect, modes: Sequence[Mode]) -> list[Trial]:
    def count(mode: Mode, size: int) -> BrokenLawError | None:
        law = laws.twice_the_text_is_twice_the_work
        return failure(law, dialect, mode, shapes(dialect)[::3], size=size)

    def clock(mode: Mode) -> BrokenLawError | None:
        at_once = laws.twice_the_text_is_twice_the_work_of_parsing_it_at_once
        law = laws.eight_times_the_text_takes_less_than_sixteen_times_as_long
        # If the count shows that reading is slow, measuring the time would take too long.
        return failure(at_once, dialect, mode, shapes(dialect)[1::3]) or failure(
            law, dialect, mode, shapes(dialect), chars=(500, 8_000)
        )

    trials = [
        Trial(named(laws.twice_the_text_is_twice_the_work), mode, partial(count, mode, size))
        for mode in modes
        for size in (1, WHOLE)
    ]
    law = laws.eight_times_the_text_takes_less_than_sixteen_times_as_long
    return trials + [Trial(named(law), mode, partial(clock, mode)) for mode in _TURNS]
