"""Markers of tagged calls that count only if a call follows, since text may mention tags."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import Final

from typing_extensions import override

from agent_parsers.engine.calls.tags.form import GAP, TaggedForm, TagPart
from agent_parsers.engine.markers.kinds import BLANK, Ahead, Atom, Literal

_IN_CALL: Final = (
    *(TagPart.KEY, TagPart.VALUE, TagPart.NAME, TagPart.KEYS),
    *(TagPart.END_NAME, TagPart.END_CALL, TagPart.END_WRAP),
    *(TagPart.WRAP, TagPart.CALL),
)
"""Tags that may follow the name of a tool; the last two show that a call was broken off."""


@dataclass(frozen=True, slots=True)
class TagMarker(Literal):
    """A tag that counts only in some of its spellings, or only if a call follows."""

    ways: tuple[tuple[Atom, ...], ...] = ()
    """Each spelling as a tuple of `Atom` strings, which together are its pattern."""

    @override
    def spellings(self) -> Iterator[tuple[Atom, ...]]:
        """Yield each spelling as a tuple of `Atom` strings, which together are its pattern."""
        yield from self.ways

    @override
    def is_canonical(self, seen: str) -> bool:
        """Return whether *seen* is the dialect's own spelling, or the beginning of it."""
        return self.canonical.startswith(seen)


class CallStart(TagMarker):
    """Marker for the tag of a call that is not enclosed; it matches only the first character.

    The rest of the tag is left to the call reader, which reports its spelling.
    """

    __slots__ = ()

    @classmethod
    def of(cls, form: TaggedForm, *, is_usual: bool) -> CallStart:
        """Return the marker for the tag of a *form*.

        Args:
            form: How calls are written.
            is_usual: Whether calls are never enclosed, so that the name of a tool suffices. If not,
                another tag of the call, or the end of the line or of the text, has to follow the
                name, and nothing else may precede the call on its line.
        """
        tag = form.tags[TagPart.CALL]
        inner = [*_beginnings(form, _IN_CALL)]
        if form.lenient or form.json_arguments != "no":
            inner.append((r"\{",))
        after = "|".join(map("".join, inner))
        ends_line = rf"{BLANK}\n"
        ways = [f"{''.join(rest)}(?:{GAP}(?:{after})|{ends_line})" for rest in tag.rests]
        rest = "|".join((*ways, ends_line, tag.names if is_usual else r"(?!)", rf"{tag.cut}\Z"))
        pending = "|".join(_begun((*rest, GAP, _any_begun(inner))) for rest in tag.rests)
        marks = [
            [atom for atom in mark if form.lenient or atom != BLANK]
            for mark in (tag.marks() if form.lenient else [*tag.marks()][:1])
        ]
        ahead = Ahead(
            f"(?={'|'.join(f'''{''.join(mark[1:])}(?:{rest})''' for mark in marks)})",
            pending="|".join(_begun((*mark[1:], f"(?:{pending})")) for mark in marks),
            sample="",
        )
        behind = Ahead(f"(?={rest})", pending=f"(?:{pending})", sample="")
        return cls(
            tag.canonical,
            place="" if is_usual else "line",
            # The whole tag is tried only after its first character, at the end of a text.
            ways=((re.escape(tag.canonical[0]), ahead), *((*mark, behind) for mark in marks)),
        )


class Wrapper(TagMarker):
    """The tag around calls; other dialects' spellings of it count only if a call follows."""

    __slots__ = ()

    @classmethod
    def of(cls, form: TaggedForm) -> Wrapper:
        """Return the marker for the tag of a *form*."""
        tag = form.tags[TagPart.WRAP]
        calls = [*_beginnings(form, (TagPart.CALL,))]
        if form.json_calls is not None:
            calls.append((r"\{",))
        whole = f"(?={GAP}(?:{'|'.join(map(''.join, calls))}))"
        ahead = Ahead(whole, pending=_begun((GAP, _any_begun(calls))), sample="")
        own = Literal(tag.canonical, tag.others).spellings()
        others = ((*map(re.escape, text), ahead) for text in tag.borrowed)
        return cls(tag.canonical, tag.others, ways=(*own, *others))


def _beginnings(form: TaggedForm, parts: Iterable[TagPart]) -> Iterator[tuple[Atom, ...]]:
    """Yield the atoms that the tags of these *parts* begin with."""
    for part in parts:
        if part in form.tags:
            tag = form.tags[part]
            yield from ((*mark, *tag.next) for mark in tag.marks())


def _begun(atoms: Sequence[Atom]) -> str:
    """Return a pattern for any beginning of *atoms*, for the end of a text."""
    pattern = ""
    for atom in reversed(atoms):
        pattern = f"(?:{atom}{pattern})?"
    return pattern


def _any_begun(ways: Iterable[Sequence[Atom]]) -> str:
    return f"(?:{'|'.join(map(_begun, ways))})"
