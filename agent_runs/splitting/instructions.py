"""The instructions that this library writes for its dialects, where they stand in a log."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from functools import cache
from itertools import takewhile
from typing import TYPE_CHECKING, Final, NamedTuple

from agent_parsers import get_dialect, get_parser, list_dialects
from agent_runs.splitting.labels import may_begin_question

if TYPE_CHECKING:
    from agent_parsers import Dialect

MOST_LINES: Final = 400
"""How many lines a prompt may have, its list of tools included."""
_A_WORD: Final = 8
"""Placeholders of so few bytes are words that any text has."""
_PLACE: Final = re.compile(r"(\{(?:tools|tool_names|form|action|answer)\})")


@cache
def beginnings() -> frozenset[str]:
    """Return the lines of prompts after which the question begins."""
    words = {get_dialect(name).prompt_words.begin for name in list_dialects()}
    return frozenset({*words, "Begin!"})


class _Own(NamedTuple):
    """The instructions of a dialect."""

    pattern: re.Pattern[str]
    begin: str
    """The text in their first line, up to the first place."""
    needs: tuple[str, ...]
    """The texts in them, which are found faster than the pattern fails."""
    has_example: bool
    """Whether they end in an example."""


@cache
def _own() -> tuple[_Own, ...]:
    """Return the instructions of each dialect, the longest first."""
    found: dict[str, _Own] = {}
    for name in list_dialects():
        dialect = get_dialect(name)
        for prompt in (dialect.prompt, dialect.prompt_words.no_tools):
            if prompt:
                pattern = r"[^\n]{0,100}?" + _pattern(prompt, dialect)
                told = _PLACE.split(prompt)[::2]
                lines = [line.strip() for part in told for line in part.splitlines()]
                needs = tuple(filter(None, lines))
                begin = told[0].partition("\n")[0]
                has_example = prompt.endswith("{action}")
                found[pattern] = _Own(re.compile(pattern), begin, needs, has_example)
    return tuple(found[each] for each in sorted(found, key=len, reverse=True))


def _pattern(prompt: str, dialect: Dialect) -> str:
    words = dialect.prompt_words
    told = [words.no_answer, *[words.answer] * (len(words.answer.encode()) > _A_WORD)]
    answers = "|".join(map(re.escape, told))
    lines = r"(?:[^\n]*\n){0,300}?[^\n]*?"
    typed = rf"(?:\s*\n{re.escape(words.output_type)}\s*\n[^\n]+(?:\n[^\n]+)*)?"
    places = {
        "{tools}": lines,
        "{form}": lines,
        "{tool_names}": r"[^\n]*?",
        "{answer}": rf"(?:{_sample_answer(dialect)}|{lines}(?:{answers})[^\n]*"
        rf"(?:\n[^\w\n]{{1,40}}(?=\n|\Z)|\n[ \t]*</?[\w|:｜▁ -]+>)*){typed}",
    }
    text = "".join(
        places.get(part, re.escape(part).replace(r"\ ", " ").replace("\\\n", r"[ \t]*\n"))
        for part in _PLACE.split(prompt)
    )
    if prompt.endswith("{action}"):
        return text.removesuffix(r"\{action\}")
    return text.replace(r"\{action\}", lines)


def _sample_answer(dialect: Dialect) -> str:
    """Return a pattern for the answer that *dialect* shows where there are no tools."""
    before = dialect.prompt_words.no_tools.partition("{answer}")[0]
    told = get_parser(dialect, tools=[]).get_format_instructions()
    return re.escape(told.removeprefix(before)).replace("\\\n", r"[ \t]*\n")


class Instructions(NamedTuple):
    """How many lines are the instructions of a dialect, and what follows them."""

    size: int = 0
    """How many they are."""
    has_example: bool = False
    """Whether the example of a turn follows."""


def instructions_at(ahead: Callable[[int], str]) -> Instructions:
    """Return how many of the next lines are the instructions of a dialect.

    ``ahead(n)`` returns the line *n* further on, ``""`` behind the last.
    """
    first = ahead(0)
    likely = [own for own in _own() if own.begin in first]
    may_be_cut = any(opening in first for opening in _openings())
    if not (likely or may_be_cut):
        return Instructions()
    text = "".join(takewhile(bool, map(ahead, range(MOST_LINES))))
    for own in likely:
        found = own.pattern.match(text) if all(map(text.__contains__, own.needs)) else None
        if found is not None and own.has_example:
            return Instructions(found[0].count("\n"), has_example=True)
        if found is not None:
            return Instructions(found[0].rstrip("\n").count("\n") + 1)
    return Instructions(_size_of_cut(text) if may_be_cut else 0)


def _size_of_cut(text: str) -> int:
    """Return how many lines *text* has, if it may be a prompt that ends too early."""
    lines = text.splitlines(keepends=True)
    return 0 if len(lines) == MOST_LINES or any(map(may_begin_question, lines)) else len(lines)


def rest_of_instructions(lines: Sequence[str], dialect: Dialect) -> Instructions:
    """Return how many of *lines* are the end of the instructions of *dialect*, without their start.

    They stand at the top of a log, which may have been cut inside the instructions.
    """
    told = _told_lines(dialect)
    found = 0
    for at, line in enumerate(lines[:MOST_LINES]):
        text = line.strip()
        if any(text.startswith(opening) for opening in told[:1]) or may_begin_question(line):
            break
        if text in told:
            found = at + 1
    is_whole = bool(found) and lines[found - 1].strip() == told[-1]
    return Instructions(found, has_example=is_whole and dialect.prompt.endswith("{action}"))


@cache
def _told_lines(dialect: Dialect) -> tuple[str, ...]:
    """Return the lines of the instructions of *dialect* that are in them whatever its tools are."""
    lines = (line.strip() for line in dialect.prompt.splitlines())
    told = tuple(line for line in lines if line and not _PLACE.search(line))
    return (*told[:1], dialect.prompt_words.repeats, *told[1:])


@cache
def _openings() -> frozenset[str]:
    """Return the first line of the instructions of each dialect."""
    dialects = [get_dialect(name) for name in list_dialects()]
    prompts = {each.prompt for each in dialects} | {each.prompt_words.no_tools for each in dialects}
    return frozenset(prompt.partition("\n")[0] for prompt in prompts if prompt)
