"""Text of a model made fit for a terminal, and the line of an error with a mark below it."""

from __future__ import annotations

from typing import Final

from rich.cells import cell_len

__all__ = ["excerpt", "printable"]

_JOINERS: Final = "\u200c\u200d"
"""Not printable by themselves, but part of how Persian, Hindi and some emoji are written."""

_CONTEXT_CHARS: Final = 30
"""How much of a line that is too long stays visible before the mark."""


def printable(text: str) -> str:
    """Return *text* without what a terminal obeys: one character for one character.

    Any white space becomes a space; escape sequences, changes of direction and lone surrogates
    become U+FFFD.
    """
    if text.isprintable():
        return text
    return "".join(map(_printable, text))


def _printable(char: str) -> str:
    if char.isprintable() or char in _JOINERS:
        return char
    return " " if char.isspace() else "\ufffd"


def excerpt(line: str, start: int, end: int, width: int) -> tuple[str, str]:
    """Cut *line* to what fits around ``line[start:end]``, and draw the mark that belongs below.

    Args:
        line: A line of the text, without its line break.
        start: Where the mark begins.
        end: Where it ends; it is one character wide at least, and goes no further than the line.
        width: How many cells of a terminal there are.

    Returns:
        What to show of the line, and the mark, which is right for wide characters too.
    """
    cut = 0
    if start >= width or cell_len(printable(line[: start + 1])) > width:
        cut = max(start - min(_CONTEXT_CHARS, width // 3), 0)
    shown = printable(line[cut : cut + width + 1])
    if cut:
        shown = "…" + shown[1:]
    if cell_len(shown) > width:
        while cell_len(shown) > width - 1:
            shown = shown[:-1]
        shown += "…"
    start, end = start - cut, end - cut
    mark = "^" * max(cell_len(shown[start:end]), 1)
    return shown.rstrip(), " " * cell_len(shown[:start]) + mark
