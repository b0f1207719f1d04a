"""What many turns hold, column by column: what few texts have is looked for in all at once."""

from __future__ import annotations

from itertools import chain
from os.path import commonprefix
from typing import TYPE_CHECKING, Any, Final, NamedTuple

from agent_parsers.engine.reading.canonical.plain_text import MOST_DEEP, is_in_keys
from outputs.growing_json.scalars import NOTHING
from outputs.growing_json.whole import whole_object

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Mapping, Sequence
    from re import Match

    from agent_parsers.engine.reading.turn import PlainTurn

TRIPLE: Final = ('"""', "'''")
"""Quotes of Python around text of several lines, in which labels do not count."""


class ActionColumns(NamedTuple):
    """The turns with calls."""

    places: Sequence[int]
    """Which of the texts they are."""
    thoughts: Sequence[str]
    contents: Sequence[str]
    counts: Sequence[int]
    """How many calls each has."""
    tools: Sequence[str]
    """Of all calls, as are the inputs and ids."""
    inputs: Sequence[Any]
    ids: Sequence[str | None]
    """Empty if no call has one."""


class AnswerColumns(NamedTuple):
    """The turns with an answer."""

    places: Sequence[int]
    """Which of the texts they are."""
    thoughts: Sequence[str]
    contents: Sequence[str]
    """The answers as they are written."""
    answers: Sequence[Any]


class TurnColumns(NamedTuple):
    """The turns that are spelt as their dialect writes them."""

    actions: Sequence[ActionColumns]
    answers: Sequence[AnswerColumns]
    """Both in parts, each of which is in order."""

    def places_left(self, size: int) -> list[int]:
        """Return which of *size* texts they are not."""
        actions = (each.places for each in self.actions)
        answers = (each.places for each in self.answers)
        return without(range(size), chain(*actions, *answers))


def columns_of(turns: Mapping[int, PlainTurn]) -> TurnColumns:
    """Return the columns of *turns*, which were read one by one, given their places."""
    actions = {place: turn for place, turn in turns.items() if turn.calls}
    answers = {place: turn for place, turn in turns.items() if not turn.calls}
    calls = [call for turn in actions.values() for call in turn.calls]
    tools, inputs, ids = [*zip(*calls, strict=True)] or [()] * 3
    _, thoughts, contents, answered = [*zip(*answers.values(), strict=True)] or [()] * 4
    counts, before, beside, _ = [*zip(*actions.values(), strict=True)] or [()] * 4
    return TurnColumns(
        [ActionColumns([*actions], before, beside, [*map(len, counts)], tools, inputs, ids)],
        [AnswerColumns([*answers], thoughts, contents, answered)],
    )


def without(places: Sequence[int], taken: Iterable[int]) -> list[int]:
    """Return those *places* that are not *taken*."""
    gone = {*taken}
    return [] if len(gone) == len(places) else [each for each in places if each not in gone]


def picked(column: Sequence[Any], places: Sequence[int]) -> Sequence[Any]:
    """Return what a *column* has at some *places*, which are in order."""
    return column if len(places) == len(column) else [column[place] for place in places]


def is_in(mark: str, text: str) -> bool:
    """Return whether a *mark* is in a long *text*, most of which have not even its first character.

    To look for one character takes a tenth of the time that it takes to look for several.
    """
    return mark[:1] in text and mark in text


def marked(texts: Sequence[str], marks: Sequence[str], ends: tuple[str, ...] = ()) -> list[int]:
    """Return the places of those *texts* that have one of some *marks*, or one of some *ends*."""
    whole = "\0".join(texts) if marks or ends else ""
    inside = [mark for mark in marks if is_in(mark, whole)]
    if ends and not is_in(commonprefix(ends), whole):
        ends = ()
    if not (inside or ends):
        return []
    return [
        place
        for place, text in enumerate(texts)
        if any(map(text.__contains__, inside)) or text.endswith(ends)
    ]


def objects_in(
    texts: Sequence[str | None], begins: Callable[[str], Match[str] | None]
) -> list[Any]:
    """Return the objects that are written as JSON in many whole *texts*.

    It is `NOTHING` if none is, or if a marker *begins* in a key.
    """
    objects = [NOTHING if each is None else whole_object(each, MOST_DEEP) for each in texts]
    if begins("\0".join(filter(None, texts))) is None:
        return objects
    keys = {key for each in objects if each is not NOTHING for key in each}
    is_odd = any(map(begins, keys))
    for place, (text, each) in enumerate(zip(texts, objects, strict=True)):
        is_deep = text is not None and text.count("{") > 1
        if each is not NOTHING and (is_odd or is_deep) and is_in_keys(begins, each):
            objects[place] = NOTHING
    return objects
