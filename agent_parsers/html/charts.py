"""Small charts of what was counted; each bar opens links to the places that it counts."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final, NamedTuple

from outputs.html import html_text

if TYPE_CHECKING:
    from collections.abc import Sequence

__all__ = ["Bar", "chart_html"]

_MOST_BARS: Final = 8
"""How many bars are seen at once."""
_MOST_LINKS: Final = 100
"""How many links a bar has."""


class Bar(NamedTuple):
    """One bar of a chart."""

    what: str
    total: int
    places: Sequence[tuple[str, str]]
    """Name and words of each place on the page."""


def chart_html(title: str, part: str, bars: Sequence[Bar]) -> str:
    """Return a chart of horizontal bars; nothing if there are none.

    Args:
        title: What is counted.
        part: The part that gives the colour.
        bars: The bars, the longest first.
    """
    if not bars:
        return ""
    most = max(bar.total for bar in bars)
    rows = [_row(bar, most) for bar in bars]
    html = "".join(rows[:_MOST_BARS])
    if rest := rows[_MOST_BARS:]:
        html += (
            f'<details class="ap-more"><summary>{len(rest):,} more</summary>'
            f"{''.join(rest)}</details>"
        )
    return f'<section class="ap-{part}"><h2>{html_text(title)}</h2>{html}</section>'


def _row(bar: Bar, most: int) -> str:
    width = max(round(100 * bar.total / most, 1), 1)
    links = " ".join(
        f'<a href="#{name}">{html_text(words)}</a>' for name, words in bar.places[:_MOST_LINKS]
    )
    if len(bar.places) > _MOST_LINKS:
        links += f" and {len(bar.places) - _MOST_LINKS:,} more"
    return (
        f'<details class="ap-row"><summary><bdi class="ap-what">{html_text(bar.what)}</bdi>'
        '<svg viewBox="0 0 100 8" preserveAspectRatio="none" aria-hidden="true">'
        f'<rect width="100" height="8"/><rect width="{width:g}" height="8"/></svg>'
        f'<span class="ap-count">{bar.total:,}</span></summary>'
        f'<p class="ap-links">{links}</p></details>'
    )
