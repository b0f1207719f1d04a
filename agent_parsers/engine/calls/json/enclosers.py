"""What encloses a call in JSON: a fence, a list, or a sentence that only mentions the call."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final

from outputs.growing_json.scalars import Matcher, matcher

if TYPE_CHECKING:
    from agent_parsers.events import Span

# A fence may be written with two _backticks, or with blanks between them. Its length is bounded, so
# that the text held back for it is bounded too.
_fence: Final = re.compile(r"`[` ]{0,16}[\w+#.]{0,32}\Z").search
_LONGEST_FENCE: Final = 49
after_call: Final = matcher(r"[\s`\]}]*+")
"""Matches the closers of a call and of what encloses it; possibly empty."""
outside_fences: Final = matcher(r"[\s\]}]*+")
"""Matches the same without a fence."""
between_calls: Final = matcher(r"[\s`\]},;]*+")
"""Matches the same where another call may follow."""
_between_fences: Final = matcher(r"[\s\]},;]*+")
"""Matches the same without the end of a fence."""
_backticks: Final = matcher(r"`*+")
_end_of_fence: Final = re.compile(r"[\s\]},;]*+`{3}").match
"""Matches the same up to the end of the fence in which a call stands."""


def begins_clause(closers: str, after: str) -> bool:
    """Return whether a sentence continues after a call, so that it may only mention the call.

    Args:
        closers: The closers of the call.
        after: The first character after them; ``""`` if nothing follows.
    """
    return (after.islower() or after == ",") and is_one_line(closers)


def goes_on(closers: str, after: str, *, is_marked: bool, several: bool = False) -> bool:
    """Return whether JSON continues after a call, so that the call is only part of it.

    Args:
        closers: The closers of the call.
        after: What follows, as in `Closers.follows`.
        is_marked: Whether a marker introduces the call, so that no sentence can mention it.
        several: Whether another call may follow.
    """
    has_comma = "," in closers or after[:1] == ","
    after = after.removeprefix(",")
    if not has_comma or not after or (several and after in "{["):
        return after == '"'
    return is_marked or not after.isalnum()


def is_one_line(closers: str) -> bool:
    """Return whether the *closers* of a call contain neither a line break nor a fence."""
    return "\n" not in closers and "`" not in closers


def is_indented_block(opener: str) -> bool:
    """Return whether the white space *opener* begins an indented code block, as in Markdown."""
    above, _, indent = opener.rpartition("\n")
    return "\n" in above and indent.isspace() and len(indent.expandtabs(4)) >= 4


def start_of_opener(text: str, stop: int) -> int:
    """Return where the fence or bracket before the brace at *stop* begins in *text*.

    White space before the fence or bracket belongs to it. Without either, return where
    the white space before *stop* begins.
    """
    at = _before_blank(text, stop)
    if text.startswith("[", at - 1) and at:
        at = _before_blank(text, at - 1)
    fence = _fence(text, max(0, at - _LONGEST_FENCE), at)
    return at if fence is None else _before_blank(text, fence.start())


def with_fence(place: Span, encloser: str, closers: str) -> Span:
    """Return the span *place* of a call, extended to include the fence around it, if any."""
    if "```" not in encloser:
        return place
    closer = _end_of_fence(closers)
    return place[0] - len(encloser.lstrip()), place[1] + (closer.end() if closer else 0)


def _before_blank(text: str, at: int) -> int:
    while at and text[at - 1].isspace():
        at -= 1
    return at


class Closers:
    """Reads the brackets and fences that close a call and what encloses it, after its JSON.

    Args:
        match: Matches the closers.
        in_rows: Whether other rows of calls may follow. A fence on a line of its own opens the next
            row, unless an earlier fence is still open.
        in_fence: Whether a fence is still open that was opened before an earlier call.
    """

    def __init__(self, match: Matcher, *, in_rows: bool = False, in_fence: bool = False) -> None:
        self._match, self._in_rows = match, in_rows
        self._pieces: list[str] = []
        self._is_closing = False  # whether the end of a fence has begun
        self.in_fence: bool = in_fence
        """Whether a fence is open, opened around this call or an earlier one."""
        self.follows: str = ""
        """The first character of the text after them; after a comma, also the next one."""

    @property
    def text(self) -> str:
        """The closers read so far, including white space."""
        return "".join(self._pieces)

    def read(self, text: str) -> int:
        """Read more *text*; return where in it the closers end."""
        stop = self._end(text)
        self._pieces.append(text[:stop])
        return stop

    def follow(self, text: str) -> None:
        """Store the beginning of the *text* after the closers; see `follows`."""
        while self.follows in ("", ",") and (text := text.lstrip()):
            self.follows += text[0]
            text = text[1:]

    def _end(self, text: str) -> int:
        if not self._in_rows:
            return self._match(text, 0).end()
        at = 0
        while at < len(text):
            start, at = at, _between_fences(text, at).end()
            if self._is_closing and "\n" in text[start:at]:
                self.in_fence = False
            if not self.in_fence or not text.startswith("`", at):
                break
            at = _backticks(text, at).end()
            self._is_closing = True
        return at
