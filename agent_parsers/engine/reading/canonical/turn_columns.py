"""Reads many turns of calls that are spelt as their dialect writes them."""

from __future__ import annotations

from itertools import chain
from typing import TYPE_CHECKING, Any, NamedTuple, TypeAlias

from agent_parsers.engine.reading.canonical.columns import (
    TurnColumns,
    in_rows,
    is_in,
    marked,
    objects_in,
    picked,
    without,
)
from agent_parsers.engine.reading.canonical.turns import ends_oddly
from agent_parsers.engine.reading.rules.foreign import may_be_foreign, may_be_foreign_in
from agent_parsers.engine.reading.rules.known_tools import known_tools, names_of
from outputs.growing_json.scalars import NOTHING

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Iterator, Sequence
    from re import Match

    from agent_parsers.engine.reading.canonical.turn_reader import CanonicalReader
    from agent_parsers.engine.reading.turn import PlainCall
    from agent_parsers.toolset import ToolSet

_Groups: TypeAlias = "dict[str, Sequence[Any]]"


def turn_columns(
    reader: CanonicalReader, texts: Sequence[str], tools: ToolSet | Collection[str] | None
) -> TurnColumns:
    """Return what is in those of many turns that `CanonicalReader.read` takes.

    Args:
        reader: Reads one turn.
        texts: The whole turns.
        tools: The available tools, or only their names.
    """
    return _Turns(reader, texts, tools).columns()


class _Part(NamedTuple):
    """Some of the turns."""

    places: Sequence[int]
    thoughts: Sequence[str]
    contents: Sequence[str]


class _Turns:
    """Many turns."""

    def __init__(
        self, reader: CanonicalReader, texts: Sequence[str], tools: ToolSet | Collection[str] | None
    ) -> None:
        self._reader, self._texts, self._tools = reader, texts, tools
        self._known = known_tools(tools)

    def columns(self) -> TurnColumns:
        """Return what is in them."""
        turns, size = self._reader.turns, len(self._texts)
        calls: list[int] = []
        if is_in(turns.opener, "\0".join(self._texts)):
            calls = [n for n, text in enumerate(self._texts) if turns.opener in text]
        answers = without(range(size), calls)
        singles = _Part((), (), ())
        tools: Sequence[str] = ()
        inputs: Sequence[Any] = ()
        ids: Sequence[str | None] = ()
        if turns.single is not None:
            singles, tools, inputs, ids = self._singles(*self._groups(turns.single, calls))
            calls = without(calls, singles.places)
        texts = picked(self._texts, calls)
        found = [*map(turns.lead, texts)]
        others, called = self._calls(calls, texts, found)
        answers += [n for n, each in zip(calls, found, strict=True) if each is None]
        answered = [*self._all_answers(sorted(answers))]
        parts = [singles, others, *answered]
        contents = in_rows(size, *((each.places, each.contents) for each in parts))
        columns = TurnColumns(
            thoughts=in_rows(size, *((each.places, each.thoughts) for each in parts)),
            contents=contents,
            answers=contents
            if any(len(each.places) == size for each in answered)
            else in_rows(size, *((each.places, each.contents) for each in answered)),
            tools=in_rows(size, (singles.places, tools)),
            inputs=in_rows(size, (singles.places, inputs)),
            ids=in_rows(size, (singles.places, ids)) if ids else [None] * size,
            left=without(range(size), chain.from_iterable(each.places for each in parts)),
        )
        for place, made in zip(others.places, called, strict=True):
            columns.call(place, made)
        return columns

    def _groups(
        self, match: Callable[[str], Match[str] | None], places: Sequence[int]
    ) -> tuple[Sequence[int], _Groups]:
        """Return which of the texts at *places* match, and the groups of the matches by name."""
        tried = [*map(match, picked(self._texts, places))]
        found = [each for each in tried if each is not None]
        if len(found) < len(tried):
            places = [n for n, each in zip(places, tried, strict=True) if each is not None]
        columns = zip(*(each.groups() for each in found), strict=True)
        return places, dict(zip(found[0].re.groupindex if found else (), columns, strict=True))

    def _singles(
        self, places: Sequence[int], groups: _Groups
    ) -> tuple[_Part, Sequence[str], Sequence[Any], Sequence[str | None]]:
        """Return the turns with one call whose input is an object: their tools, inputs and ids."""
        reader, known, tools = self._reader, self._known, groups.get("tool", ())
        inputs = objects_in(groups.get("input", ()), reader.turns.begins)
        ids = groups.get("id", ())
        thoughts, contents, odd = self._said(groups, len(places), before_call=True)
        odd.update(n for n, each in enumerate(inputs) if each is NOTHING)
        names = {*tools}
        unread = {each for each in names if not reader.turns.is_name(each)}
        if unread or not reader.takes_as_written(names, known):
            for n, (tool, given) in enumerate(zip(tools, inputs, strict=True)):
                is_odd = n in odd or tool in unread
                fitted = None if is_odd else reader.fitted([(tool, given, None)], known)
                if fitted is None:
                    odd.add(n)
                else:
                    inputs[n] = fitted[0][1]
        kept = [n for n in range(len(places)) if n not in odd] if odd else range(len(places))
        part = _Part(picked(places, kept), picked(thoughts, kept), picked(contents, kept))
        return part, picked(tools, kept), picked(inputs, kept), picked(ids, kept) if ids else ()

    def _calls(
        self, places: Sequence[int], texts: Sequence[str], found: Sequence[Match[str] | None]
    ) -> tuple[_Part, Sequence[Sequence[PlainCall]]]:
        """Return the turns of which the part up to the first input was *found*, and their calls."""
        reader, known = self._reader, self._known
        there = [n for n, each in enumerate(found) if each is not None]
        matches = [each for each in found if each is not None]
        made = [*map(reader.turns.calls, picked(texts, there), matches)]
        groups: _Groups = {
            name: [each[name] for each in matches]
            for name in ("thought", "content")
            if matches and name in matches[0].re.groupindex
        }
        thoughts, contents, odd = self._said(groups, len(there), before_call=True)
        called = {tool for calls in made if calls is not None for tool, *_ in calls}
        if not reader.takes_as_written(called, known):
            made = [None if calls is None else reader.fitted(calls, known) for calls in made]
        kept = [n for n, calls in enumerate(made) if calls is not None and n not in odd]
        at = picked(picked(places, there), kept)
        turns = [calls for calls in picked(made, kept) if calls is not None]
        return _Part(at, picked(thoughts, kept), picked(contents, kept)), turns

    def _all_answers(self, places: Sequence[int]) -> Iterator[_Part]:
        """Yield those turns at *places* that are answers, in parts."""
        turns = self._reader.turns
        if turns.answer is None:
            return
        if turns.odd:
            texts = picked(self._texts, places)
            odd = picked(places, marked(texts, turns.odd))
            plain = without(places, odd)
            yield self._answers(plain, {"content": picked(self._texts, plain)})
            places = odd
        yield self._answers(*self._groups(turns.answer, places))

    def _answers(self, places: Sequence[int], groups: _Groups) -> _Part:
        """Return the turns with an answer, which is their content."""
        reader, tools = self._reader, self._tools
        thoughts, contents, odd = self._said(groups, len(places))
        odd.update(marked(picked(self._texts, places), (), reader.half_stops))
        kept: Sequence[int] = range(len(places))
        if odd or not all(contents):
            kept = [n for n in kept if contents[n] and n not in odd]
        if tools is not None:
            kept = [n for n in kept if reader.keeps_answer(contents[n], tools)]
        return _Part(picked(places, kept), picked(thoughts, kept), picked(contents, kept))

    def _said(
        self, groups: _Groups, size: int, *, before_call: bool = False
    ) -> tuple[Sequence[str], Sequence[str], set[int]]:
        """Return the thoughts and contents of turns, given their groups, and which are odd."""
        reader, names = self._reader, names_of(self._tools)
        thoughts, contents = (
            [each.strip() if each else "" for each in groups.get(name, ())] or [""] * size
            for name in ("thought", "content")
        )
        odd: set[int] = set()
        for said in (thoughts, contents):
            if any(said) and reader.turns.is_odd("\0".join(said)):
                odd.update(n for n, each in enumerate(said) if reader.turns.is_odd(each))
        if not any(contents):
            return thoughts, contents, odd
        if before_call:
            odd.update(n for n, each in enumerate(contents) if each and ends_oddly(each))
        if reader.is_lenient and may_be_foreign_in(contents, names):
            odd.update(n for n, each in enumerate(contents) if may_be_foreign(each, names))
        return thoughts, contents, odd
