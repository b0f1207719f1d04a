"""Text that anybody may have written, as HTML that shows every character and adds no element.

HTML cannot hold some characters (NUL, a lone surrogate), changes one (a carriage return), and shows
others as nothing or obeys them (a change of direction). Each of them becomes an element that shows
its name or its number, and has the code point in ``data-char``, in hexadecimal digits::

    <span class="ap-char" data-char="202e">U+202E</span>

The text of such a page is its text content with each of these elements replaced by its character.
"""

from __future__ import annotations

import re
from collections.abc import Iterable
from html import escape
from typing import Final, NamedTuple

_PLANE_ENDS: Final = "".join(
    f"{chr(plane + 0xFFFE)}{chr(plane + 0xFFFF)}" for plane in range(0, 0x110000, 0x10000)
)
_HIDDEN: Final = re.compile(
    "["
    "\0-\x08\x0b-\x1f\x7f-\x9f"  # control characters, but no tab and no line feed
    "\xad\u034f\u061c\u180e\u200b\u200e\u200f\u2028-\u202e\u2060-\u206f\ufeff\ufff9-\ufffb"
    "\u115f\u1160\u17b4\u17b5\u3164\uffa0"  # letters without a shape
    # A text in tags or in selectors of variants is unseen, but a model reads it; the two selectors
    # that text and emoji have are left.
    "\U000e0000-\U000e007f\ufe00-\ufe0d\U000e0100-\U000e01ef"
    f"\ud800-\udfff\ufdd0-\ufdef{_PLANE_ENDS}"  # no characters at all
    "]"
)
_CONTROLS: Final = (
    "NUL SOH STX ETX EOT ENQ ACK BEL BS HT LF VT FF CR SO SI DLE DC1 DC2 DC3 DC4 NAK SYN ETB CAN EM"
    " SUB ESC FS GS RS US"
)
_NAMES: Final = {**dict(enumerate(_CONTROLS.split())), 0x7F: "DEL"}
"""The names of control characters; few fonts have their pictures."""


def html_text(text: str) -> str:
    """Return *text* as HTML for the content of an element that keeps white space."""
    return _HIDDEN.sub(_shown, escape(text))


def html_line(text: str) -> str:
    """Return *text* as HTML on one line, for elements such as a title or an option.

    Characters that HTML cannot hold, or that nobody would see, become U+FFFD.
    """
    return escape(_HIDDEN.sub("\ufffd", " ".join(text.split())))


def _shown(found: re.Match[str]) -> str:
    code = ord(found[0])
    name = _NAMES.get(code) or f"U+{code:04X}"
    return f'<span class="ap-char" data-char="{code:x}">{name}</span>'


# -- texts with their names in front ---------------------------------------------------------------

_MOST_LINES: Final = 16
"""How many lines of a long text are seen at once."""
_MOST_CHARS: Final = 2_400
_PROSE: Final = {"thought", "answer", "content", "question", "notice"}
"""What is not shown in a fixed pitch."""


class NamedText(NamedTuple):
    """A text with a label."""

    part: str
    """The part of the turn, which gives the colour."""
    text: str
    label: str = ""
    """The name, if it is not that of the part."""


def fields_html(fields: Iterable[NamedText]) -> str:
    """Return the *fields* as an HTML list; the end of a long text is folded away."""
    rows = []
    for part, text, label in fields:
        name = html_text(label or part)
        call = " ap-call" if part == "tool" else ""
        mono = "" if part in _PROSE else " ap-mono"
        rows.append(
            f'<div><dt class="ap-{part}">{name}</dt>'
            f'<dd data-field="{part}" class="ap-field{call}{mono}">{long_text(text)}</dd></div>'
        )
    return f'<dl class="ap-fields">{"".join(rows)}</dl>' if rows else ""


def long_text(text: str) -> str:
    """Return *text* as HTML; the end of a long text is folded away."""
    end = _cut(text)
    html = f'<div class="ap-text" dir="auto">{html_text(text[:end])}</div>'
    if end < len(text):
        left = text.count("\n", end) + 1
        words = f"{left:,} more lines" if left > 1 else f"{len(text) - end:,} more characters"
        rest = f'<div class="ap-text" dir="auto">{html_text(text[end:])}</div>'
        html += f'<details class="ap-more"><summary>{words}</summary>{rest}</details>'
    return html


def _cut(text: str) -> int:
    """Return where the rest of *text* begins that is worth folding away; its end if none is."""
    at = -1
    for _ in range(_MOST_LINES):
        at = text.find("\n", at + 1)
        if at < 0 or at >= _MOST_CHARS:
            break
    end = at + 1 if 0 <= at < _MOST_CHARS else _MOST_CHARS
    is_little = len(text) - end < _MOST_CHARS // 4 and text.count("\n", end) < _MOST_LINES // 4
    return len(text) if is_little else end
