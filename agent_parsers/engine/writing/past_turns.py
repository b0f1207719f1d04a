"""Past turns for the next prompt: what the model wrote and what its tools returned."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import NamedTuple

from agent_parsers.engine.reading.rules.machine import machine
from agent_parsers.engine.tables.dialect import Dialect, Result, before_words
from agent_parsers.engine.writing.escape import escape_failed
from agent_parsers.engine.writing.render import write_seen


class TurnInPrompt(NamedTuple):
    """A turn of the model, as it appears in the prompt."""

    log: str
    """What the model wrote, with the part that a stop sequence removed."""
    seen: str
    """What the tools returned, without the generation prompt of the next turn."""
    is_rendered: bool
    """Whether the log was rendered because the action has none."""
    has_results: bool = True
    """Whether anything was seen after it: the results of its calls, or an error."""


def called_turn(
    dialect: Dialect, log: str, results: Sequence[Result], number: int, *, is_rendered: bool = False
) -> TurnInPrompt:
    """Return a turn with calls, the first of which has the *number*, and their *results*.

    The *log* is what the model wrote, or what *is_rendered* in its place. Without results, the
    calls are still to be run.
    """
    if dialect.closer not in log:
        log += dialect.closer
    if not results:
        return TurnInPrompt(log, "", is_rendered, has_results=False)
    return TurnInPrompt(log, seen_in_prompt(dialect, results, number), is_rendered)


def failed_turn(dialect: Dialect, log: str, observation: str, number: int) -> TurnInPrompt:
    """Return a turn that could not be read, with the error message in place of a result.

    Markers of other roles' turns in its text are escaped.
    """
    told = [Result("error", observation, is_error=True)]
    seen = seen_in_prompt(dialect, told, number)
    return TurnInPrompt(escape_failed(dialect, log), seen, is_rendered=False)


def seen_in_prompt(dialect: Dialect, results: Sequence[Result], number: int) -> str:
    """Return *results* as they appear in a prompt, without the generation prompt after them.

    Raises:
        ValueError: The dialect does not accept the ids of the calls.
    """
    seen = write_seen(dialect, results, number)
    return seen.removesuffix(dialect.generation_prompt(number + len(results)))


def render_scratchpad(
    dialect: Dialect, turns: Iterable[TurnInPrompt], *, with_generation_prompt: bool = False
) -> str:
    """Return the *turns* so far as text; see `DialectParser.format_scratchpad`.

    The text may begin with the generation prompt of the first turn.
    """
    text: list[str] = []
    generation_prompt = dialect.generation_prompt(1) if with_generation_prompt else ""
    for number, turn in enumerate(turns, 1):
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
