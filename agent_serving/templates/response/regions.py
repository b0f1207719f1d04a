"""The regions of a turn: which text belongs to which field, while it arrives."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, NamedTuple

from agent_serving.templates.template_error import TemplateError

if TYPE_CHECKING:
    from agent_serving.templates.response.template import FieldSpec, Template
    from output_parsers.text import TimeLeft


@dataclass(frozen=True)
class FieldText:
    """More text of a field."""

    field: str
    """Its name; empty for text of no field."""
    text: str
    """The text."""
    start: int
    """Where it begins."""


@dataclass(frozen=True)
class Marked:
    """A mark that begins or ends a field."""

    field: str
    """Name of the field."""
    start: int
    """Where the mark begins."""
    stop: int
    """Where it ends."""


@dataclass(frozen=True)
class Closed:
    """A field that has ended."""

    field: str
    """Its name."""
    text: str
    """All of its text."""
    groups: dict[str, str]
    """What the groups of its opener matched."""
    start: int
    """Where its text begins."""
    is_closed: bool
    """Whether it needs no closer, or has one."""
    stop: int
    """Where its closer ends, or its text if it has none."""


class _Watched(NamedTuple):
    """A mark that may come next."""

    name: str
    field: FieldSpec
    opens: bool

    @property
    def pattern(self) -> Any:
        return self.field.opens if self.opens else self.field.closes


class Regions:
    """Cuts a turn into the regions of a template; they do not depend on how it is chunked.

    Inside a field that a mark has opened only its closer counts; elsewhere all openers do.

    Args:
        template: The template.
        time: The time that is left for patterns.
    """

    def __init__(self, template: Template, time: TimeLeft) -> None:
        self._template = template
        self._time = time
        self._rest = next((n for n, f in template.fields.items() if f.opens is None), "")
        self._text = ""
        self._at = 0  # up to here the text is in regions
        self._field = self._rest
        self._is_open = False  # whether a mark, or text of what is left over, has begun the region
        self._groups: dict[str, str] = {}
        self._start = 0
        self._last = (-1, "")  # where the last empty region was
        self._enough = 0  # so much text is searched again, see `feed`

    @property
    def text(self) -> str:
        """All text so far."""
        return self._text

    def feed(self, text: str, *, is_last: bool = False) -> list[FieldText | Marked | Closed]:
        """Take more *text* and return what it completes; *is_last* means that the turn ends here.

        Text that may be half a mark is searched again only when it has grown by a sixteenth, so
        that the work stays linear, however long this text gets.
        """
        self._text += text
        if len(self._text) < self._enough and not is_last:
            return []
        found: list[FieldText | Marked | Closed] = []
        while (mark := self._next(found, is_last=is_last)) is not None:
            self._cross(mark, found)
        size = len(self._text)
        self._enough = size + (size - self._at) // 16
        if is_last:
            self._leave(found, closer=None)
        return found

    def _next(
        self, found: list[FieldText | Marked | Closed], *, is_last: bool
    ) -> tuple[_Watched, Any] | None:
        """Return the next mark, and take the text before it; `None` if it is not certain yet."""
        size = len(self._text)
        held, best = size, None
        for watched in self._watched():
            match = self._time.search(
                watched.pattern, self._text, pos=self._at, partial=not is_last
            )
            if match is None:
                continue
            if not is_last and (match.partial or self._may_grow(watched, match)):
                held = min(held, match.start())
                continue
            rank = (match.start(), -match.end(), not watched.opens, watched.name)
            if best is None or rank < best[0]:
                best = (rank, watched, match)
        if best is not None and (is_last or best[2].start() < held):
            _, watched, match = best
            is_idle = match.end() == self._at and not watched.opens and not self._is_open
            if not is_idle:
                self._say(match.start(), found)
                return watched, match
        self._say(held, found)
        return None

    def _watched(self) -> list[_Watched]:
        fields = self._template.fields
        if self._field != self._rest:
            field = fields[self._field]
            return [] if field.closes is None else [_Watched(self._field, field, opens=False)]
        watched = [_Watched(n, f, opens=True) for n, f in fields.items() if f.opens is not None]
        if self._rest and fields[self._rest].closes is not None:
            watched.append(_Watched(self._rest, fields[self._rest], opens=False))
        return watched

    def _may_grow(self, watched: _Watched, match: Any) -> bool:
        """Return whether more text may change a whole *match*."""
        if match.end() < len(self._text):
            return False
        texts = watched.field.open if watched.opens else watched.field.close
        if match.start() == match.end() or texts is None:
            return True
        known = [texts] if isinstance(texts, str) else texts
        return any(text != match[0] and text.startswith(match[0]) for text in known)

    def _say(self, stop: int, found: list[FieldText | Marked | Closed]) -> None:
        if stop <= self._at:
            return
        if not self._is_open:
            self._start, self._is_open = self._at, bool(self._field)
        found.append(FieldText(self._field, self._text[self._at : stop], self._at))
        self._at = stop

    def _cross(self, mark: tuple[_Watched, Any], found: list[FieldText | Marked | Closed]) -> None:
        """Take a mark: end the region before it, and begin the one that it opens."""
        watched, match = mark
        self._leave(found, closer=None if watched.opens else match)
        if match.start() < match.end():
            found.append(Marked(watched.name, *match.span()))
        self._at = match.end()
        if not watched.opens:
            return
        if self._last == (self._at, watched.name):
            raise TemplateError(
                f"the field {watched.name!r} opens, closes and opens again at the same place: its"
                " marks match empty text"
            )
        self._last = self._at, watched.name
        self._field, self._is_open, self._start = watched.name, True, self._at
        self._groups = {k: v for k, v in match.groupdict().items() if v is not None}

    def _leave(self, found: list[FieldText | Marked | Closed], *, closer: Any) -> None:
        """End the region, because of its *closer*, the opener of another, or the end."""
        if self._is_open:
            field = self._template.fields[self._field]
            is_rest = self._field == self._rest
            needs = field.closes is not None and not is_rest
            found.append(
                Closed(
                    self._field,
                    self._text[self._start : self._at],
                    self._groups,
                    self._start,
                    is_closed=closer is not None or not needs,
                    stop=self._at if closer is None else closer.end(),
                )
            )
        self._field, self._is_open, self._groups = self._rest, False, {}
