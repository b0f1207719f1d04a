"""Past turns for the next prompt: what the model wrote and what its tools returned."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import groupby
from typing import TYPE_CHECKING, NamedTuple

from agent_parsers.engine.reading.rules.machine import machine
from agent_parsers.engine.reading.stream import TurnStream
from agent_parsers.engine.reading.turn import read_turn
from agent_parsers.engine.tables.dialect import Dialect, before_words
from agent_parsers.engine.writing.escape import escape_failed
from agent_parsers.engine.writing.render import (
    action_and_observation,
    calls_and_results,
    render,
    write_seen,
)
from output_parsers import OutputParserException

if TYPE_CHECKING:
    from agent_parsers.engine.writing.render import Step
    from agent_parsers.toolset import ToolSet


class TurnInPrompt(NamedTuple):
    """A turn of the model, as it appears in the prompt."""

    log: str
    """What the model wrote, with the part that a stop sequence removed."""
    seen: str
    """What the tools returned, without the generation prompt of the next turn."""
    is_rendered: bool
    """Whether the log was rendered because the action has none."""


def past_turns(
    dialect: Dialect, steps: Sequence[Step], tools: ToolSet | None = None
) -> Iterator[TurnInPrompt]:
    """Yield the turns in which *steps* were taken; the model's own text is used unchanged.

    A step whose action has no tool is a turn that could not be parsed: only its text is used, in
    which what the model cannot have written of itself is escaped.
    """
    number = 1
    for turn in _turns(dialect, steps):
        actions, results = calls_and_results(turn)
        log, is_call = actions[0].log, bool(actions[0].tool)
        is_rendered = is_call and not log
        if not is_call:
            log = escape_failed(dialect, log)
        if is_rendered:
            log = render(dialect, actions, number=number, tools=tools)
        if is_call and dialect.closer not in log:
            log += dialect.closer
        seen = write_seen(dialect, results, number)
        number += len(actions)
        yield TurnInPrompt(log, seen.removesuffix(dialect.generation_prompt(number)), is_rendered)


def _turns(dialect: Dialect, steps: Sequence[Step]) -> Iterator[list[Step]]:
    """Yield the *steps* of each turn: steps of one turn have the same log."""
    for log, group in groupby(steps, lambda step: action_and_observation(step)[0].log):
        alike = list(group)
        size = _count_calls(dialect, log) if dialect.several and log and len(alike) > 1 else 1
        for at in range(0, len(alike), size):
            yield alike[at : at + size]


def _count_calls(dialect: Dialect, log: str) -> int:
    """Return how many calls a turn has, at least one."""
    parser = TurnStream(machine(dialect, "lenient"))
    try:
        found = read_turn(parser, log).result
    except OutputParserException:  # it is not written in this dialect
        return 1
    return len(found) if isinstance(found, list) else 1


def render_scratchpad(
    dialect: Dialect,
    steps: Sequence[Step],
    tools: ToolSet | None = None,
    *,
    with_generation_prompt: bool = False,
) -> str:
    """Return the *steps* taken so far as text; see `DialectParser.format_scratchpad`.

    Args:
        dialect: The dialect to write.
        steps: The steps taken so far.
        tools: The available tools.
        with_generation_prompt: Whether the text begins with the generation prompt of the first
            turn.
    """
    text: list[str] = []
    generation_prompt = dialect.generation_prompt(1) if with_generation_prompt else ""
    for number, turn in enumerate(past_turns(dialect, steps, tools), 1):
        if generation_prompt and _begins_with_label(dialect, turn.log):
            generation_prompt = ""
        elif dialect.several:  # its turn frame is all there is between two turns
            pass
        elif turn.is_rendered and (generation_prompt or (text and not text[-1].endswith("\n"))):
            generation_prompt = f"{generation_prompt}\n"
        else:
            generation_prompt = before_words(generation_prompt, turn.log)
        before, after = _frame(dialect, turn.log)
        text += (generation_prompt, turn.log, f"{before}{turn.seen}{after}")
        generation_prompt = dialect.generation_prompt(number + 1)
    # A space at the end is the next turn's to write: see `a_prompt_ends_where_a_word_may_begin`.
    return "".join((*text, generation_prompt)).rstrip(" ")


def _frame(dialect: Dialect, log: str) -> tuple[str, str]:
    """Return the text around the results after a turn, whose *log* may include the end token."""
    before, after = dialect.turn_frame
    end = log.rstrip()
    sizes = range(min(len(before), len(end)), 0, -1)
    return before[next((size for size in sizes if end.endswith(before[:size])), 0) :], after


def _begins_with_label(dialect: Dialect, log: str) -> bool:
    """Return whether *log* begins with a label, so that it repeats the generation prompt."""
    found = machine(dialect, "lenient").initial.whole(f"\n{log.lstrip()}", 0)
    return found is not None and found.start() == 0
