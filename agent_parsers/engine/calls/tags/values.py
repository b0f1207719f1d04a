"""Finds the end of a tagged parameter's value, which has no escapes and may quote any tag."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, Any, Final

from agent_parsers.engine.calls.nesting import Nesting
from agent_parsers.engine.calls.tags.form import CLOSERS, NEVER_BEHIND, OWN_CLOSERS, TagPart
from outputs.growing_json.kept_text import KeptText

if TYPE_CHECKING:
    from agent_parsers.engine.calls.tags.form import Hole, TaggedForm
    from agent_parsers.engine.markers.patterns import Found, Search

_not_space: Final = re.compile(r"\S").search
_WORDS: Final = re.compile(r"[\w-]+").findall
_LONGEST_MARK: Final = 16
"""Longest closing quotation mark, in characters."""
_ENDS: Final = CLOSERS | {TagPart.KEY}
"""Tags that may end a value: its own, those of what encloses it, and the next parameter's."""
_QUOTABLE: Final = frozenset({TagPart.WRAP, TagPart.CALL})
"""Tags that open a call inside a value; before a next call, models close the current one."""
_OPENERS: Final = {
    TagPart.END_WRAP: TagPart.WRAP,
    TagPart.END_CALL: TagPart.CALL,
    TagPart.END_KEYS: TagPart.KEYS,
    TagPart.OWN_NAME: TagPart.OWN_KEY,
}


class TaggedValue:
    """Reads the value of one parameter chunk by chunk.

    A closing tag ends the value if another tag, what begins like one, or the end of the text
    follows; otherwise it is text. The closing tags of what encloses the value also end it, and so
    does a tag that opens another parameter; in strict mode the call is then invalid. A tag that
    opens a call is part of the value, and so is everything up to the end of that call. In a quoted
    value, only the closing tag after the closing quotation mark counts. In a value of elements,
    each element has a closing tag of its own.

    Args:
        form: How calls are written.
        key: Name of the parameter.
        attributes: Attributes of its tag.
        at: Where the value begins.
        is_own: Whether its element is named after the parameter.
    """

    def __init__(
        self,
        form: TaggedForm,
        key: str,
        attributes: Mapping[str, str],
        at: int,
        *,
        is_own: bool = False,
    ) -> None:
        self._form = form
        self._is_own = is_own
        self._has_elements = form.holds_elements(attributes)
        self._attributes = attributes
        self.key = key
        self.at = at
        self._read = KeptText()
        self._end = ""  # the end of the text read, as much as may be a mark
        self._is_quoted = None if form.quote else False  # `None` while that is unknown
        self.is_fresh: bool = form.trims  # whether a line break that comes next is part of the tag
        self.is_at_closer: bool = False  # whether the text ends in a closing tag that may be text
        self.quotes: bool = False  # whether a closing tag of the value was read as text
        self._open = Nesting[tuple[TagPart, str]]()  # open tags of calls inside the value
        self.holds_tag: bool = False  # whether it holds a tag that opens a call or a parameter

    def add(self, text: str) -> None:
        """Add *text* to the value."""
        self._read.add(text)
        if self._is_quoted:
            self._end = (self._end + text)[-_LONGEST_MARK:]

    def value(self) -> Any:
        """Return the value of the text read so far.

        Raises:
            ValueError: The text has no value.
        """
        return self._form.read_value(self._text(), self._attributes)

    @property
    def is_text(self) -> bool:
        """Whether the tag says that the value is a string."""
        return self._form.says_text(self._attributes)

    @property
    def is_begun(self) -> bool:
        """Whether the value has begun: its text or its opening quotation mark was read."""
        return not self.is_fresh and self._is_quoted is not None

    def others(self) -> Iterable[Any]:
        """Return the other values that the text may mean."""
        return self._form.other_values(self._text(), self._attributes)

    def _text(self) -> str:
        text = str(self._read)
        if self._is_quoted and self._form.quote:
            opens, closes = self._form.quote
            text = text.strip().removeprefix(opens).removesuffix(closes)
        return text

    def search(self, text: str, at: int, *, is_last: bool) -> tuple[int, Found | None]:
        """Look for the end of the value in *text*, from offset *at* on.

        Returns:
            Where the text ends that is known to be part of the value, and the tag that ends the
            value. Text between the two is white space of the layout. Without a tag, all text from
            there on is held back.
        """
        self.is_at_closer = False
        if self._is_quoted is None and not self._begins(text, at, is_last=is_last):
            return at, None
        find: Search = self._form.whole.search if is_last else self._form.patterns.growing
        start = at
        while (tag := find(text, start)) is not None:
            begin, start = tag.span()
            if tag.lastindex is None:
                return _before_space(text, at, begin), None
            part, hole = self._form.read(tag)
            may_end = self._may_end(part, hole)
            self.holds_tag = self.holds_tag or (part is TagPart.KEY and self._form.nests)
            if self._is_quoted:
                if part not in OWN_CLOSERS or not (may_end and self._ends_quote(text, at, begin)):
                    continue
            elif self._is_of_call(part, hole) or not may_end:
                continue
            counts = part is TagPart.KEY or self._is_structural(part, text, start, is_last=is_last)
            if counts is None:
                self.is_at_closer = start == len(text)
                return _before_space(text, at, begin), None
            if counts:
                is_own = part in OWN_CLOSERS
                return (self._before_break if is_own else _before_space)(text, at, begin), tag
            self.quotes = self.quotes or part in OWN_CLOSERS
        return len(text), None

    def words_behind_closer(self) -> list[str]:
        """Return the words after the first closing tag for a value in the text read so far."""
        text = self._text()
        tags = self._form.whole.finditer(text)
        end = next((tag.end() for tag in tags if self._form.part(tag) in OWN_CLOSERS), len(text))
        return _WORDS(text, end)

    @property
    def begins_again(self) -> bool:
        """Whether the text begins with the tag that opens values."""
        tag = self._form.tags.get(TagPart.VALUE)
        return tag is not None and str(self._read).lstrip().startswith(tag.canonical)

    @property
    def ends_in_closer(self) -> bool:
        """Whether the text ends in what may be its closing tag in another spelling."""
        from agent_parsers.engine.calls.other_closers import ends_in_closer  # lazily: it is rare

        return ends_in_closer(str(self._read), (*self._form.closers, self.key))

    def lose_quote(self) -> bool:
        """Read the value again as if only its closing quotation mark were missing.

        That reading is certain if the value contains exactly one closing tag, with nothing after it
        but the end of the call.

        Returns:
            Whether the value could be read this way.
        """
        if not self._is_quoted:
            return False
        body = str(self._read)
        found = [(tag, *self._form.read(tag)) for tag in self._form.whole.finditer(body)]
        ends = [
            tag for tag, part, hole in found if part in OWN_CLOSERS and self._may_end(part, hole)
        ]
        if len(ends) != 1:
            return False
        stop = ends[0].end()
        calls = (tag for tag, part, _ in found if part is TagPart.END_CALL and tag.start() >= stop)
        if "".join(body[stop:].split()) != "".join("".join(tag[0].split()) for tag in calls):
            return False
        self._read.clear()
        self._read.add(body[: ends[0].start()])
        return True

    def _begins(self, text: str, at: int, *, is_last: bool) -> bool:
        """Find out whether the value is quoted; return whether that is known yet."""
        assert self._form.quote is not None, "only a form with quotation marks has quoted values"
        opens = self._form.quote[0]
        begun = text[at:].lstrip()[: len(opens)]
        if not is_last and len(begun) < len(opens) and opens.startswith(begun):
            return False
        self._is_quoted = begun == opens
        return True

    def _ends_quote(self, text: str, at: int, stop: int) -> bool:
        """Return whether a closing tag at *stop* follows a closing quotation mark."""
        assert self._form.quote is not None, "a quoted value has a quotation mark"
        while stop > at and text[stop - 1].isspace():
            stop -= 1
        closes = self._form.quote[1]
        start = max(at, stop - len(closes))
        return (self._end + text[start:stop]).endswith(closes)

    def _may_end(self, part: TagPart | None, hole: Hole | None) -> bool:
        """Return whether a tag of this *part* may end the value."""
        if part not in _ENDS or (part is TagPart.KEY and self._form.nests):
            return False
        if self._is_of_other(part):
            return False
        if hole is None:
            return True
        return hole.name == self.key if part in OWN_CLOSERS else bool(hole.name)

    def _is_of_call(self, part: TagPart | None, hole: Hole | None) -> bool:
        """Return whether a tag is part of a call inside the value; keep track of open tags."""
        is_bare = part is TagPart.CALL and TagPart.NAME in self._form.tags  # its name follows
        is_bare = is_bare or self._has_elements  # items of a list have no name
        if part is None or (hole is not None and not (hole.name or is_bare)):
            return False
        # Tags are matched by name only where elements are named after their parameters.
        is_named = self._form.nests or part in (TagPart.OWN_KEY, TagPart.OWN_NAME)
        name = hole.name if hole is not None and is_named else ""
        value = TagPart.VALUE if TagPart.VALUE in self._form.tags else TagPart.KEY
        is_opener = (self._open or self._has_elements) and (
            part in (value, TagPart.KEYS)
            or (part is TagPart.OWN_KEY and (TagPart.KEYS, "") in self._open)
        )
        if part in _QUOTABLE or is_opener:
            self.holds_tag = True
            self._open.open((part, "" if part in _QUOTABLE else name))
            return True
        closed = (value if part is TagPart.END_VALUE else _OPENERS.get(part, part), name)
        if closed not in self._open:
            return bool(self._open) and part is TagPart.KEY
        self._open.close_to(closed)  # tags still open inside it lack their ends
        return True

    def _is_structural(
        self, closer: TagPart | None, text: str, end: int, *, is_last: bool
    ) -> bool | None:
        """Return whether a *closer* counts, since a tag or the end of the text follows its *end*.

        That tag may be spelt in any way, even one that makes the call invalid: otherwise the value
        would hold the parameters behind it. A closing tag named after the parameter counts only if
        no other tag closes the value. Return `None` while that is unknown.
        """
        found = _not_space(text, end)
        if found is None:
            return True if is_last else None
        start = found.start()
        tag = self._form.patterns.growing_at(text, start)
        if tag is None:
            return self._form.is_like_tag(text, start, is_last=is_last)
        if tag.lastindex is None:
            return self._form.is_closing(text[start:]) if is_last else None
        part = self._form.part(tag)
        hole = self._form.tags[part].hole(tag[0])
        if part in NEVER_BEHIND or self._is_of_other(part):
            return False
        if closer is TagPart.OWN_NAME and part in OWN_CLOSERS:
            return False
        return part is not TagPart.OWN_NAME or self._may_end(part, hole)

    def _is_of_other(self, part: TagPart) -> bool:
        """Return whether a tag of this *part* belongs to elements of the other naming scheme.

        In strict mode, a closing tag named after the parameter does not close a value that ``KEY``
        opened.
        """
        if self._is_own:
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
