"""Plans which laws about calls are tried on which turns."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import partial
from typing import TYPE_CHECKING, Any, Final, NamedTuple, TypeAlias, TypeVar

from agent_laws import laws
from agent_laws.laws.broken import BrokenLawError, named
from agent_laws.smallest import Trial, failure
from agent_laws.trials.beside_calls import beside_calls
from agent_laws.trials.double_keys import double_keys, spoilt_keys
from agent_laws.trials.enclosures import enclosed_calls
from agent_laws.trials.foreign_turns import (
    doubtful_turns,
    foreign_turns,
    stripped_turns,
    told_answers,
    told_turns,
)
from agent_laws.trials.marked_turns import (
    broken_calls,
    given_results,
    nested_thoughts,
    open_thoughts,
    stray_ends,
)
from agent_laws.trials.quotations import quotations
from agent_laws.trials.sample_calls import sample_turns, seams
from agent_laws.trials.tool_shapes import tool_sets
from agent_laws.trials.value_tour import RESULTS, several_calls, spoken_turns, toured_inputs
from agent_parsers import get_dialect, list_dialects

if TYPE_CHECKING:
    from agent_parsers import Dialect
    from agent_parsers.authoring import Mode

T = TypeVar("T")
Cases: TypeAlias = "Iterator[dict[str, Any]]"
"""The arguments of a law, case by case."""

_OTHERS: Final = ("react", "hermes", "qwen3_coder", "pythonic", "mistral", "xml")
"""Dialects of all kinds, whose calls must not be answers in another."""


def plan_of_acting(dialect: Dialect, mode: Mode, examples: int) -> list[Trial]:
    """Return the trials of calls, thoughts and marks, each with up to *examples* texts.

    For turns that are cut, *examples* is the number of cuts.
    """

    def trial(law: Callable[..., None], cases: Callable[[], Cases], *given: Any) -> Trial:
        def run() -> BrokenLawError | None:
            tried = (failure(law, dialect, *given, **case) for case in cases())
            return next(filter(None, tried), None)

        return Trial(named(law), mode, run)

    found = [trial(law, partial(of, dialect, mode, examples), mode) for law, of in _BY_MODE.items()]
    if mode == "lenient":
        found += (trial(law, partial(of, dialect, examples)) for law, of in _ONCE.items())
    return found


def _few(found: Iterable[T], examples: int) -> Sequence[T]:
    """Return about as many of what was *found* as there may be *examples*, from all parts of it."""
    every = [*found]
    return every[:: len(every) // examples + 1]


# -- cases of a mode -------------------------------------------------------------------------------


def _prefixes(dialect: Dialect, _mode: Mode, examples: int) -> Cases:
    for turn in sorted(sample_turns(dialect), key=lambda turn: len(turn.text)):
        step = len(turn.text) // examples + 1
        at = sorted({*range(0, len(turn.text) + 1, step), *seams(turn)})
        for tools in tool_sets(turn.calls).values():
            yield {"text": turn.text, "tools": tools, "at": at}


def _keys(dialect: Dialect, mode: Mode, _examples: int) -> Cases:
    for double in double_keys(dialect, mode):
        yield {"text": double.text, "tools": double.tools}
    for beside in beside_calls(dialect, mode):
        if beside.kind == "two_names":
            yield {"text": beside.text, "tools": beside.tools}


def _beside(dialect: Dialect, mode: Mode, _examples: int) -> Cases:
    for each in beside_calls(dialect, mode):
        if each.kind != "two_names":
            yield {"text": each.text, "tools": each.tools, "may_repair": each.may_repair}


def _quoted(dialect: Dialect, mode: Mode, examples: int) -> Cases:
    for each in _few(quotations(dialect, mode), examples):
        yield {"text": each.text, "meant": each.meant, "may_repair": each.may_repair}
    for enclosed in _few(enclosed_calls(dialect), examples):
        yield {"text": enclosed.text, "meant": enclosed.meant, "tools": enclosed.tools}


def _early(dialect: Dialect, mode: Mode, examples: int) -> Cases:
    sure = (each for each in quotations(dialect, mode) if not each.may_repair)
    for each in _few(sure, examples):
        yield {"text": each.text, "meant": each.meant, "start": each.start}


def _each_of(
    found: Callable[[Dialect, Mode], Iterable[NamedTuple]],
) -> Callable[[Dialect, Mode, int], Cases]:
    def cases(dialect: Dialect, mode: Mode, examples: int) -> Cases:
        return (each._asdict() for each in _few(found(dialect, mode), examples))

    return cases


def _all_of(
    found: Callable[[Dialect, Mode], Iterable[NamedTuple]],
) -> Callable[[Dialect, Mode, int], Cases]:
    return lambda dialect, mode, _examples: (each._asdict() for each in found(dialect, mode))


def _values(dialect: Dialect, _mode: Mode, _examples: int) -> Cases:
    """Yield all of a tour, whatever the number of examples: each value may be lost alone."""
    return ({"tool_input": each} for each in toured_inputs(dialect))


_BY_MODE: Final[dict[Callable[..., None], Callable[[Dialect, Mode, int], Cases]]] = {
    laws.no_prefix_of_a_turn_acts_otherwise: _prefixes,
    laws.no_key_counts_twice: _keys,
    laws.nothing_beside_a_call_is_dropped: _beside,
    laws.no_value_holds_the_next: _each_of(spoilt_keys),
    laws.reasoning_and_quotation_never_act: _quoted,
    laws.a_call_emitted_early_is_a_call_of_the_turn: _early,
    laws.a_call_ends_an_open_thought: _each_of(open_thoughts),
    laws.a_thought_keeps_its_words: _each_of(nested_thoughts),
    laws.no_answer_has_the_end_of_a_thought: _each_of(stray_ends),
    laws.no_mark_of_a_call_is_text: _each_of(broken_calls),
    laws.what_is_given_is_never_said: _each_of(given_results),
    laws.a_value_is_read_as_it_is_written: _values,
    laws.each_call_of_a_turn_is_made: _all_of(several_calls),
    laws.content_beside_a_call_is_kept: _all_of(spoken_turns),
}
"""Laws that are tried in each mode, and what makes their cases."""


# -- cases of all modes ----------------------------------------------------------------------------


def _foreign(dialect: Dialect, examples: int) -> Cases:
    """Yield calls of other dialects, and the dialect's own without their special tokens."""
    names = (name for name in _OTHERS if name != dialect.name)
    groups = (foreign_turns(get_dialect(name)) for name in names)
    for found in (*groups, stripped_turns(dialect)):
        for turn, tools, meant in _few(found, examples):
            yield {"text": turn.text, "meant": meant, "tools": tools}


def _doubtful(dialect: Dialect, examples: int) -> Cases:
    return (each._asdict() for each in _few(doubtful_turns(dialect), 4 * examples))


def _results(dialect: Dialect, _examples: int) -> Cases:
    return ({"results": each} for each in RESULTS if dialect.several or len(each) == 1)


def _told(dialect: Dialect, examples: int) -> Cases:
    """Yield what a registered *dialect* writes; no other is known to `auto`."""
    if dialect.name in list_dialects():
        for text, tools in told_turns(dialect):
            yield {"text": text, "tools": tools}
        for text in _few(told_answers(dialect), examples):
            yield {"text": text, "tools": None}


_ONCE: Final[dict[Callable[..., None], Callable[[Dialect, int], Cases]]] = {
    laws.no_call_is_an_answer: _foreign,
    laws.strict_reading_is_never_laxer: _doubtful,
    laws.auto_reads_what_a_dialect_writes: _told,
    laws.every_result_is_written: _results,
}
"""Laws that do not depend on the mode, and what makes their cases."""
