"""Finds closing marks in another spelling, at the end of values that something else ended.

Most values have their own closers, so this is imported when one lacks it.
"""

from __future__ import annotations

import re
from html import unescape
from typing import TYPE_CHECKING, Final
from unicodedata import normalize

if TYPE_CHECKING:
    from collections.abc import Iterable

_MOST_TAGS: Final = 3
"""How many tags a closing mark may consist of."""
_CLOSES: Final = re.compile(r"<\W{0,8}[/\\]\W{0,8}[\w:.|｜-]{1,80}\W{0,8}\Z").match
_ATTRIBUTES: Final = re.compile(r"(?<=[\w:|])\s[\w:-]+\s?=[^<>=]*+>?\Z")
_GOES_ON: Final = re.compile(r"[^\n\"'{}]*+[\n\"'{}]\s*+\S").match
"""Matches a tag behind which a line, or JSON, goes on."""
_opened: Final = re.compile(r"<\s*+(\w[\w:.-]*+)").findall


def ends_in_closer(value: str, closers: Iterable[str], *, any_tag: bool = True) -> bool:
    """Return whether a *value* ends in what may be its closing mark, in another spelling.

    That is one of *closers*, which close such a value, with other signs, case or spaces, or more
    than half of it, or, with *any_tag*, any closing tag that closes nothing in the value.
    """
    text = normalize("NFKC", unescape(value)).casefold()
    text = _ATTRIBUTES.sub("", text.replace("[/", "</"))
    known = {(_folded(closer.casefold()), max(closer.count("<"), 1)) for closer in closers}
    at = len(text)
    for tags in range(1, _MOST_TAGS + 1):
        at = text.rfind("<", 0, at)
        if at < 0:
            break
        end = _folded(text[at:])
        if end.isalnum() and _GOES_ON(text, at) is not None:
            continue
        if any(m.startswith(end) and 2 * len(end) > len(m) for m, size in known if size == tags):
            return True
    at = text.rfind("<")
    if not any_tag or at < 0 or _CLOSES(text, at) is None:
        return False
    name = _folded(text[at:])
    return not any(_folded(opened).startswith(name) for opened in _opened(text, 0, at))


def _folded(mark: str) -> str:
    """Return the letters of a *mark*, without a last ``s``, or its signs if it has none."""
    letters = "".join(filter(str.isalnum, mark))
    return letters.removesuffix("s").removeprefix("end") or "".join(mark.split())
