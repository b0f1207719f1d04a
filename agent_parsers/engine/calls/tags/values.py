"""Finds the end of a tagged parameter's value, which has no escapes and may quote any tag."""

from __future__ import annotations

import re
from collections import Counter
from enum import Enum, auto
from typing import TYPE_CHECKING, Any, Final

from agent_parsers.engine.calls.tags.form import TagPart

if TYPE_CHECKING:
    from collections.abc import Iterable, Mapping
    from re import Match

    from agent_parsers.engine.calls.tags.form import TaggedForm

__all__ = ["TaggedValue"]

_not_space: Final = re.compile(r"\S").search
_LONGEST_MARK: Final = 16
"""Longest closing quotation mark, in characters."""


class _Means(Enum):
    """The meaning of a tag inside a value."""

    TEXT = auto()
    OWN = auto()
    """It closes the value."""
    AROUND = auto()
    """It closes what encloses the value, whose own closing tag is missing."""
    NEXT = auto()
    """It opens another parameter; the closing tag of the value is missing too."""


_MEANS: Final = {
    TagPart.END_VALUE: _Means.OWN,
    TagPart.OWN_NAME: _Means.OWN,
    TagPart.END_KEYS: _Means.AROUND,
    TagPart.END_CALL: _Means.AROUND,
    TagPart.END_WRAP: _Means.AROUND,
    TagPart.KEY: _Means.NEXT,
}
_QUOTABLE: Final = frozenset({TagPart.WRAP, TagPart.CALL})
"""Tags that open a call inside a value; before a next call, models close the current one."""
_NEVER_BEHIND: Final = frozenset({TagPart.END_NAME, TagPart.END_KEY, TagPart.VALUE})
"""Tags that never directly follow a value."""
_OPENERS: Final = {
    TagPart.END_WRAP: TagPart.WRAP,
    TagPart.END_CALL: TagPart.CALL,
    TagPart.END_KEYS: TagPart.KEYS,
    TagPart.OWN_NAME: TagPart.OWN_KEY,
}


class TaggedValue:
    """Reads one value chunk by chunk.

    A closing tag ends the value if another tag or the end of the text follows; otherwise it is
    text. The closing tags of what encloses the value also end it, and so does a tag that opens
    another parameter; in strict mode the call is then invalid. A tag that opens a call is part of
    the value, and so is everything up to the end of that call. In a quoted value, only the closing
    tag after the closing quotation mark counts.

    Args:
        form: How calls are written.
        key: Name of the parameter.
        attributes: Attributes of its tag.
        is_own: Whether its element is named after the parameter.
    """

    __slots__ = (
        "_attributes", "_count", "_end", "_form", "_is_quoted", "_open", "_pieces", "holds_call",
        "is_at_closer", "is_fresh", "is_own", "key", "quotes",
    )  # fmt: skip

    def __init__(
        self, form: TaggedForm, key: str, attributes: Mapping[str, str], *, is_own: bool = False
    ) -> None:
        self._form = form
        self.is_own = is_own
        self._attributes = attributes
        self.key = key
        self._pieces: list[str] = []
        self._end = ""  # the end of the text read, as much as may be a mark
        self._is_quoted = None if form.quote else False  # `None` while that is unknown
        self.is_fresh = form.trims  # whether a line break that comes next is part of the tag
        self.is_at_closer = False  # whether the text ends in a closing tag that may be text
        self.quotes = False  # whether a closing tag of the value was read as text
        self._open: list[tuple[TagPart, str]] = []  # open tags of calls inside the value
        self._count: Counter[tuple[TagPart, str]] = Counter()  # how many of each are open
        self.holds_call = False  # whether a tag that opens a call was read as text

    def add(self, text: str) -> None:
        """Add *text* to the value."""
        self._pieces.append(text)
        if self._is_quoted:
            self._end = (self._end + text)[-_LONGEST_MARK:]

    def value(self) -> Any:
        """Return the value of the text read so far.

        Raises:
            ValueError: The text has no value.
        """
        return self._form.read_value(self._text(), self._attributes)

    def others(self) -> Iterable[Any]:
        """Return the other values that the text may stand for."""
        return self._form.other_values(self._text(), self._attributes)

    def _text(self) -> str:
        text = "".join(self._pieces)
        if self._is_quoted and self._form.quote:
            opens, closes = self._form.quote
            text = text.strip().removeprefix(opens).removesuffix(closes)
        return text

    def search(self, text: str, at: int, *, is_last: bool) -> tuple[int, Match[str] | None]:
        """Look for the end of the value in *text*, which continues it from *at* on.

        Returns:
            Where the text ends that is known to be part of the value, and the tag that ends the
            value. Text between the two is white space of the layout. Without a tag, all text from
            there on is held back.
        """
        self.is_at_closer = False
        if self._is_quoted is None and not self._is_begun(text, at, is_last=is_last):
            return at, None
        find = (self._form.whole if is_last else self._form.growing).search
        start = at
        while (tag := find(text, start)) is not None:
            begin, start = tag.span()
            if tag.lastindex is None:
                return _before_space(text, at, begin), None
            means = self._meaning(tag)
            if self._is_quoted and not self._ends_quote(means, text, at, begin):
                continue
            if not self._is_quoted and self._is_of_call(tag):
                continue
            if means is _Means.TEXT:
                continue
            counts = means is _Means.NEXT or self._is_structural(tag, text, is_last=is_last)
            if counts is None:
                self.is_at_closer = start == len(text)
                return _before_space(text, at, begin), None
            if counts:
                if means is _Means.OWN:
                    return self._before_break(text, at, begin), tag
                return _before_space(text, at, begin), tag
            self.quotes = self.quotes or means is _Means.OWN
        return len(text), None

    def lose_quote(self) -> bool:
        """Read the value again as one that lacks its closing quotation mark.

        That reading is certain if the value contains exactly one closing tag, with nothing after it
        but the end of the call.

        Returns:
            Whether the value could be read this way.
        """
        if not self._is_quoted:
            return False
        body = "".join(self._pieces)
        tags = [
            tag
            for tag in self._form.whole.finditer(body)
            if self._form.part_in_value(tag) is not None
        ]
        owns = [at for at, tag in enumerate(tags) if self._meaning(tag) is _Means.OWN]
        if len(owns) != 1:
            return False
        own, *rest = tags[owns[0] :]
        ends = [own, *(tag for tag in rest if self._form.part_in_value(tag) is TagPart.END_CALL)]
        behind = "".join(body[own.end() :].split())
        if behind != "".join("".join(tag[0].split()) for tag in ends[1:]):
            return False
        self._pieces = [body[: own.start()]]
        return True

    def _is_begun(self, text: str, at: int, *, is_last: bool) -> bool:
        """Find out whether the value is quoted; return whether that is known yet."""
        assert self._form.quote is not None, "otherwise it is known"
        opens = self._form.quote[0]
        begun = text[at:].lstrip()[: len(opens)]
        if not is_last and len(begun) < len(opens) and opens.startswith(begun):
            return False
        self._is_quoted = begun == opens
        return True

    def _ends_quote(self, means: _Means, text: str, at: int, stop: int) -> bool:
        """Return whether a tag at *stop* with this meaning ends the quotation."""
        assert self._form.quote is not None, "it is open"
        if means is not _Means.OWN:
            return False
        while stop > at and text[stop - 1].isspace():
            stop -= 1
        closes = self._form.quote[1]
        start = max(at, stop - len(closes))
        return (self._end + text[start:stop]).endswith(closes)

    def _meaning(self, tag: Match[str]) -> _Means:
        part = self._form.part_in_value(tag)
        if part is None or (part is TagPart.KEY and self._form.nests) or self._is_of_other(part):
            return _Means.TEXT
        means = _MEANS.get(part, _Means.TEXT)
        hole = self._form.hole(part, tag[0])
        if hole is None:
            return means
        if means is _Means.OWN:
            return means if hole.name == self.key else _Means.TEXT
        return means if hole.name else _Means.TEXT

    def _is_of_call(self, tag: Match[str]) -> bool:
        """Return whether a *tag* is part of a call inside the value; keep track of open tags."""
        part = self._form.part_in_value(tag)
        hole = None if part is None else self._form.hole(part, tag[0])
        is_bare = part is TagPart.CALL and TagPart.NAME in self._form.tags  # its name follows
        if part is None or (hole is not None and not (hole.name or is_bare)):
            return False
        # Tags are matched by name only where elements are named after their parameters.
        is_named = hole is not None and (
            self._form.nests or part in (TagPart.OWN_KEY, TagPart.OWN_NAME)
        )
        name = hole.name if hole is not None and is_named else ""
        value = TagPart.VALUE if TagPart.VALUE in self._form.tags else TagPart.KEY
        is_opener = self._open and (
            part in (value, TagPart.KEYS)
            or (part is TagPart.OWN_KEY and self._count[TagPart.KEYS, ""])
        )
        if part in _QUOTABLE or is_opener:
            self.holds_call = True
            opened = (part, "" if part in _QUOTABLE else name)
            self._open.append(opened)
            self._count[opened] += 1
            return True
        closed = (value if part is TagPart.END_VALUE else _OPENERS.get(part, part), name)
        if not self._count[closed]:
            return bool(self._open) and part is TagPart.KEY
        while True:  # tags still open inside it lack their ends
            top = self._open.pop()
            self._count[top] -= 1
            if top == closed:
                return True

    def _is_structural(self, closer: Match[str], text: str, *, is_last: bool) -> bool | None:
        """Return whether a *closer* counts, since a tag or the end of the text follows it.

        A closing tag named after the parameter counts only if no other tag closes the value.
        Return `None` while that is unknown.
        """
        found = _not_space(text, closer.end())
        if found is None:
            return True if is_last else None
        start = found.start()
        tag = self._form.growing.match(text, start)
        if tag is None:
            return False
        if tag.lastindex is None:
            return self._form.is_closing(text[start:]) if is_last else None
        part = self._form.part_in_value(tag)
        if part is not None and self._is_of_other(part):
            return False
        if self._form.part_in_value(closer) is TagPart.OWN_NAME and part in (
            TagPart.END_VALUE,
            TagPart.OWN_NAME,
        ):
            return False
        if part in _NEVER_BEHIND:
            return False
        return part is not None and (
            part is not TagPart.OWN_NAME or self._meaning(tag) is _Means.OWN
        )

    def _is_of_other(self, part: TagPart) -> bool:
        """Return whether a tag of this *part* belongs to elements of the other naming scheme.

        In strict mode, a closing tag named after the parameter does not close a value that ``KEY``
        opened.
        """
        if self.is_own:
            return part is TagPart.END_VALUE
        is_named = part is TagPart.OWN_NAME and not self._form.lenient
        return is_named or part is TagPart.OWN_KEY or part is TagPart.END_KEYS

    def _before_break(self, text: str, at: int, stop: int) -> int:
        """Return where the value ends, given a closing tag at *stop*."""
        if self._form.trims and stop > at and text[stop - 1] == "\n":
            stop -= 1
            stop -= stop > at and text[stop - 1] == "\r"
        return stop


def _before_space(text: str, at: int, stop: int) -> int:
    """Return where the white space before *stop* begins, but not less than *at*."""
    return at + len(text[at:stop].rstrip())
