"""Where a turn only quotes a call: between two marks that enclose it, or in a sentence.

A quotation has two sides, so whether a call is quoted is known when the turn is. Only what stands
around calls and the marks of the dialect is looked at: what a call holds quotes nothing.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final, NamedTuple

from agent_parsers.engine.reading.spans import trimmed

if TYPE_CHECKING:
    from collections.abc import Sequence
    from re import Match

    from agent_parsers.events import Span

__all__ = ["Quotation", "Surroundings", "closes_quotation", "is_plain"]

_PAIRS: Final = {
    "<!--": ("-->", "a comment"),
    "<tool_response>": ("</tool_response>", "what a tool returned"),
    "<tool_results>": ("</tool_results>", "what a tool returned"),
    "<|tool_response_start|>": ("<|tool_response_end|>", "what a tool returned"),
    "<longcat_tool_response>": ("</longcat_tool_response>", "what a tool returned"),
    "<response>": ("</response>", "what a tool returned"),
    "<results>": ("</results>", "what a tool returned"),
    "<tool_result>": ("</tool_result>", "what a tool returned"),
    "<function_results>": ("</function_results>", "what a tool returned"),
    "[TOOL_RESULTS]": ("[/TOOL_RESULTS]", "what a tool returned"),
    "<｜tool▁outputs▁begin｜>": ("<｜tool▁outputs▁end｜>", "what a tool returned"),
    "<｜tool▁output▁begin｜>": ("<｜tool▁output▁end｜>", "what a tool returned"),
}
"""What opens a quotation, what closes it, and what it is."""
_OPENER: Final = {closer: opener for opener, (closer, _) in _PAIRS.items()}
_TRIPLE: Final = ('"""', "'''")
_QUOTES: Final = frozenset(("``", '""', "''", "“”", "‘’", "«»"))
_MARKS: Final = re.compile(
    r"(?P<line>\n)|^[ \t>]*+(?P<fence>`{3}`*+|~{3}~*+)|(?P<ticks>`++)"
    rf"|(?P<mark>{'|'.join(map(re.escape, (*_TRIPLE, *_PAIRS, *_OPENER)))})",
    re.MULTILINE,
)
_FENCE: Final = re.compile(r"(?:`{3}|~{3})[`~]*+[\w+#.-]*+")
_TOKEN: Final = re.compile(r"<\|\w{1,40}\|>|</s>")
_ENDS_LINE: Final = re.compile(r"[\w+#.-]*+[ \t]*+\n").match
_HOLE: Final = "\x1c"  # white space, but neither a blank nor a line break
_BETWEEN: Final = " \t\r\n[](),;}\ufeff\u200b" + _HOLE
"""What stands between calls and is no text."""
_DENIED: Final = re.compile(
    r"\b(?:not|never|cannot|avoid|wrong|instead of|rather than)\b|n['’]t\b", re.IGNORECASE
).search
_FORBIDDEN: Final = re.compile(
    r"\W*+(?:(?:please|you|should|must|may)\W++)*+(?:do not|don['’]t|not|never|avoid)\b",
    re.IGNORECASE,
).match
_TAG: Final = re.compile(r"[`~]++[\w+#.-]*+\Z")
_ENDS: Final = re.compile(r"[.!?。！？\n:：]")
_COMMA: Final = re.compile(r"[,;，；]")
_MOST_CHARS: Final = 300
"""Longest sentence that is looked at, in characters."""


class Quotation(NamedTuple):
    """What encloses a call."""

    what: str
    """What it is, in words."""
    start: int
    """Where it opens."""
    stop: int
    """Where it ends, behind the mark that closes it."""
    marks: tuple[Span, Span] = ((0, 0), (0, 0))
    """Where what opens and closes it stands, with the tag of a fence."""


def closes_quotation(text: str) -> bool:
    """Tell whether *text* may hold what closes a quotation that opened before it."""
    return (
        "~~~" in text
        or "-->" in text
        or '"""' in text
        or "'''" in text
        or any(closer in text for closer in _OPENER)
    )


def enclosing(text: str, hole: Span) -> Quotation | None:
    """Return what encloses a *hole* in *text* but for backticks, which may be part of a value."""
    around = Surroundings(text, [hole])
    found = [around.quotation(0), *around.dressing]
    return next((each for each in found if each and text[each.start] not in "`>"), None)


_SIGNS: Final = re.compile(r"[`~\"'“‘«<>\[:：]").search


def is_plain(text: str) -> bool:
    """Tell whether *text* around a call can neither quote it nor deny it."""
    return _SIGNS(text) is None


def _first(text: str, start: int) -> int:
    """Return where *text* has something from *start* on."""
    return len(text) - len(text[start:].lstrip())


class Surroundings:
    """What stands in a turn around its calls and marks.

    Marks of one kind pair with each other, and one that nothing closes encloses nothing. A fence
    opens where a line begins, or ends behind it, and closes anywhere. Backticks open and close on
    one line, on which a call counts as a character.

    Args:
        text: The turn.
        holes: Where its calls and marks stand, in order; they do not overlap.
        begin: Where the text begins that follows the last label.
    """

    def __init__(self, text: str, holes: Sequence[Span], begin: int = 0) -> None:
        self._holes = [trimmed(text, *hole) for hole in holes]
        self._begin = begin
        parts: list[str] = []
        at = 0
        for start, stop in self._holes:
            parts += (text[at:start], _HOLE * (stop - start))
            at = stop
        self._text = "".join(parts) + text[at:]
        self._bare = _FENCE.sub(lambda found: _HOLE * len(found[0]), self._text)
        self._lead = _first(self._text, 0)
        self._first = _first(self._text, begin)  # behind the last label
        self._end = len(self._bare.rstrip(_BETWEEN + "`~"))  # of the text
        self._found: list[Quotation | None] = [None] * len(holes)
        self._open: dict[str, tuple[Span, int]] = {}  # by mark, and how many holes come before it
        self.dressing: list[Quotation] = []
        """What encloses calls as it may enclose what is meant."""
        self._search()

    def quotation(self, number: int) -> Quotation | None:
        """Return what encloses the hole with this *number*, if it is no dressing."""
        return self._found[number]

    def is_alone(self, number: int) -> bool:
        """Tell whether nothing but calls is on the lines of the hole with this *number*."""
        before, after = self._around(number)
        line = before.rpartition("\n")[2] + after.partition("\n")[0]
        return not _TOKEN.sub("", line).strip(_BETWEEN + "`")

    def is_denied(self, number: int, *, is_marked: bool) -> bool:
        """Tell whether a sentence with a colon leads to the hole and says that it is not meant.

        Args:
            number: Which hole.
            is_marked: Whether a mark of the dialect opens it. Then the sentence has to forbid it,
                and so it has if the call stands on a line of its own.
        """
        before = self._around(number)[0][-_MOST_CHARS:]
        lead = _TAG.sub("", before.rstrip(_BETWEEN)).rstrip(_BETWEEN)
        if lead[-1:] not in (":", "："):
            return False
        sentence = _ENDS.split(lead[:-1])[-1]
        if is_marked or "\n" in before[len(lead) :]:
            return _FORBIDDEN(sentence) is not None
        return bool(_FORBIDDEN(sentence) or _DENIED(_COMMA.split(sentence)[-1]))

    def _around(self, number: int) -> tuple[str, str]:
        """Return the text before and after a hole, up to its neighbours."""
        start, stop = self._holes[number]
        before = self._holes[number - 1][1] if number else 0
        is_last = number + 1 == len(self._holes)
        after = len(self._text) if is_last else self._holes[number + 1][0]
        return self._text[before:start], self._text[stop:after]

    # -- finding quotations -----------------------------------------------------------------------

    def _search(self) -> None:
        number = 0  # of holes before the mark
        for mark in _MARKS.finditer(self._text):
            while number < len(self._holes) and self._holes[number][0] < mark.start():
                number += 1
            self._meet(mark, number)
        for number, (start, stop) in enumerate(self._holes):
            before, after = self._around(number)
            line = before.rpartition("\n")
            if (line[1] or number == 0) and line[2].lstrip()[:1] == ">":
                self._found[number] = Quotation("a quotation", start - len(line[2]), stop)
            elif (pair := before[-1:] + after[:1]) in _QUOTES:
                marks = (start - 1, start), (stop, stop + 1)
                self._enclose("backticks" if pair == "``" else "quotes", marks, number, number + 1)

    def _meet(self, mark: Match[str], number: int) -> None:
        """Open or close a quotation at a *mark* before which there are a *number* of holes."""
        spelt = mark[mark.lastgroup or 0]
        at = mark.end() - len(spelt)
        match mark.lastgroup:
            case "line":
                for run in ("`", "``", "```"):
                    self._open.pop(run, None)
            case "fence":
                self._turn(f"fence {spelt[0]}", "a fence", at, mark.end(), number)
            case "ticks" if len(spelt) > 2 and (
                "fence `" in self._open or _ENDS_LINE(self._text, mark.end())
            ):
                self._turn("fence `", "a fence", at, mark.end(), number)
            case "ticks":
                self._turn(spelt[:3], "backticks", at, mark.end(), number)
            case _ if spelt in _TRIPLE:
                self._turn(spelt, "quotes", at, mark.end(), number)
            case _ if spelt in _PAIRS:
                self._open.setdefault(spelt, ((at, mark.end()), number))
            case _ if _OPENER[spelt] in self._open:
                opener = _OPENER[spelt]
                self._turn(opener, _PAIRS[opener][1], at, mark.end(), number)

    def _turn(self, mark: str, what: str, at: int, end: int, number: int) -> None:
        """Close what a *mark* has opened, or open it."""
        if mark not in self._open:
            tagged = _FENCE.match(self._text, at) if what == "a fence" else None
            self._open[mark] = (at, tagged.end() if tagged else end), number
            return
        opener, first = self._open.pop(mark)
        self._enclose(what, (opener, (at, end)), first, number)

    def _enclose(self, what: str, marks: tuple[Span, Span], first: int, last: int) -> None:
        """Take it that the holes from the *first* to before the *last* are between two *marks*."""
        quotation = Quotation(what, marks[0][0], marks[1][1], marks)
        if first == last:
            return
        if self._is_dressing(quotation):
            self.dressing.append(quotation)
            return
        for number in range(first, last):
            self._found[number] = self._found[number] or quotation

    def _is_dressing(self, quotation: Quotation) -> bool:
        """Tell whether it encloses the whole turn, or nothing but calls at its end.

        Backticks may do that too, if they begin a line.
        """
        what, start, stop, _ = quotation
        if what not in ("a fence", "backticks") or stop < self._end:
            return False
        if start <= (self._first if start >= self._begin else self._lead):
            return True
        line = self._text.rfind("\n", 0, start) + 1
        is_fence = what == "a fence" or not self._text[line:start].strip()
        return is_fence and not self._bare[start:stop].strip(_BETWEEN + "`~")
