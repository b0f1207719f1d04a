"""Texts with their names in front, such as a thought and an answer."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, NamedTuple

from outputs.html.text import html_text

if TYPE_CHECKING:
    from collections.abc import Iterable

__all__ = ["NamedText", "fields_html", "long_text"]

_MOST_LINES: Final = 16
"""How many lines of a long text are seen at once."""
_MOST_CHARS: Final = 2_400
_PROSE: Final = {"thought", "answer", "content", "question", "notice"}
"""What is not shown in a fixed pitch."""


class NamedText(NamedTuple):
    """A text with its name."""

    part: str
    """The part of the turn, which gives the colour."""
    text: str
    label: str = ""
    """The name, if it is not that of the part."""


def fields_html(fields: Iterable[NamedText]) -> str:
    """Return the *fields* as a list; the end of a long text is folded away."""
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
    """Return *text* as HTML, of which only the beginning is seen at once if it is long."""
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
