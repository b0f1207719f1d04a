"""Finds calls that a turn only quotes: enclosed by a pair of marks, or in a sentence.

A quotation has two sides, so it is known only at the end of the turn whether a call is quoted. Only
the text around calls and markers is searched: the text of a call itself quotes nothing.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final, NamedTuple

from agent_parsers.engine.reading.quoting.spans import trimmed
from agent_parsers.engine.reading.quoting.watch import TRIPLE

if TYPE_CHECKING:
    from collections.abc import Sequence
    from re import Match

    from agent_parsers.events import Span

_PAIRS: Final = {
    "<!--": ("-->", "a comment"),
    "<tool_response>": ("</tool_response>", "what a tool returned"),
    "<tool_results>": ("</tool_results>", "what a tool returned"),
    "<TOOL_RESPONSE>": ("</TOOL_RESPONSE>", "what a tool returned"),
    "<|tool_response_start|>": ("<|tool_response_end|>", "what a tool returned"),
    "<longcat_tool_response>": ("</longcat_tool_response>", "what a tool returned"),
    "<response>": ("</response>", "what a tool returned"),
    "<results>": ("</results>", "what a tool returned"),
    "<tool_result>": ("</tool_result>", "what a tool returned"),
    "<function_results>": ("</function_results>", "what a tool returned"),
    "<|START_TOOL_RESULT|>": ("<|END_TOOL_RESULT|>", "what a tool returned"),
    "[TOOL_RESULTS]": ("[/TOOL_RESULTS]", "what a tool returned"),
    "<｜tool▁outputs▁begin｜>": ("<｜tool▁outputs▁end｜>", "what a tool returned"),
    "<｜tool▁output▁begin｜>": ("<｜tool▁output▁end｜>", "what a tool returned"),
}
"""What opens a quotation, what closes it, and its name in messages."""
_OPENER: Final = {closer: opener for opener, (closer, _) in _PAIRS.items()}
QUOTATION_MARKS: Final = (*_PAIRS, *_OPENER)
"""What opens or closes a quotation that may have several lines, but for fences and quotes."""
_CLOSES_TAG: Final = re.compile(
    "|".join(re.escape(closer) for closer in _OPENER if closer[0] == "<")
).search
_QUOTES: Final = frozenset(("``", '""', "''", "“”", "‘’", "«»"))
_OPENS: Final = frozenset(pair[0] for pair in _QUOTES)
_MARKS: Final = re.compile(
    r"(?P<line>\n)|^[ \t>]*+(?P<fence>`{3}`*+|~{3}~*+)|(?P<ticks>`++)"
    rf"|(?P<mark>{'|'.join(map(re.escape, (*TRIPLE, *_PAIRS, *_OPENER)))})",
    re.MULTILINE,
)
_FENCE: Final = re.compile(r"(?:`{3}|~{3})[`~]*+[\w+#.-]*+")
_TOKEN: Final = re.compile(r"<\|\w{1,40}\|>|</s>")
_ENDS_LINE: Final = re.compile(r"[\w+#.-]*+[ \t]*+\n").match
_HOLE: Final = "\x1c"  # white space, but neither a blank nor a line break
_BETWEEN: Final = " \t\r\n[](),;}\ufeff\u200b" + _HOLE
"""Characters between calls that do not count as text."""
_DENIED: Final = re.compile(
    r"\b(?:not|never|cannot|avoid|wrong|instead of|rather than)\b|n['’]t\b", re.IGNORECASE
).search
_FORBIDDEN: Final = re.compile(
    r"\W*+(?>(?:(?:please|you|should|must|may)\W++)*)(?:do not|don['’]t|not|never|avoid)\b",
    re.IGNORECASE,
).match
_TAG: Final = re.compile(r"[`~]++[\w+#.-]*+\Z")
_SIGN: Final = re.compile(r"(?:\A|\n)[ \t]*>[ \t>]*\Z").search
_ENDS: Final = re.compile(r"[.!?。！？\n:：]")
_COMMA: Final = re.compile(r"[,;，；]")
_MOST_CHARS: Final = 300
"""Longest sentence before a call that is examined, in characters."""


class Quotation(NamedTuple):
    """A quotation that encloses a call."""

    what: str
    """Its name in messages."""
    start: int
    """Offset of the opening mark."""
    stop: int
    """Offset after the closing mark."""
    marks: tuple[Span, Span] = ((0, 0), (0, 0))
    """Spans of the opening and closing marks, including the tag of a fence."""


def closes_quotation(text: str) -> bool:
    """Return whether *text* may contain the end of a quotation that opened before it."""
    return (
        ("<" in text and _CLOSES_TAG(text) is not None)
        or ("[" in text and "[/TOOL_RESULTS]" in text)
        or ("~" in text and "~~~" in text)
        or (">" in text and "-->" in text)
        or ('"' in text and '"""' in text)
        or ("'" in text and "'''" in text)
    )


def enclosing(text: str, hole: Span) -> Quotation | None:
    """Return the quotation around a *hole* in *text*.

    Backticks are ignored, since they may be part of a value.
    """
    around = Surroundings(text, [hole])
    found = [around.quotation(0), *around.dressing]
    return next((each for each in found if each and text[each.start] not in "`>"), None)


_SIGNS: Final = re.compile(r"[`~\"'“‘«<>\[]").search


def is_plain(text: str) -> bool:
    """Return whether *text* before a call can neither quote nor forbid it."""
    return _SIGNS(text) is None and text.rstrip(_BETWEEN)[-1:] not in (":", "：")


def _first(text: str, start: int) -> int:
    """Return the first offset from *start* on that is not white space."""
    return len(text) - len(text[start:].lstrip())


class Surroundings:
    """The text of a turn around its calls and markers.

    Quotation marks of the same kind pair up; a mark that is never closed encloses nothing. A fence
    opens at the beginning of a line, or right before a line break, and closes anywhere. Backticks
    open and close on the same line, on which a call counts as one character.

    Args:
        text: The turn.
        holes: Spans of its calls and markers, in order, without overlap.
        begin: Offset of the text after the last label.
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
        self._first = _first(self._text, begin)  # after the last label
        self._end = len(self._bare.rstrip(_BETWEEN + "`~"))  # of the text
        self._found: list[Quotation | None] = [None] * len(holes)
        self._open: dict[
            str, tuple[Span, int]
        ] = {}  # by mark: its span, and how many holes precede it
        self.dressing: list[Quotation] = []
        """Fences and backticks that may enclose calls that count."""
        self._search()

    def quotation(self, number: int) -> Quotation | None:
        """Return the quotation around the hole with this *number*; dressing does not count."""
        return self._found[number]

    def is_alone(self, number: int) -> bool:
        """Return whether the lines of the hole with this *number* contain only calls."""
        before, after = self._around(number)
        line = before.rpartition("\n")[2] + after.partition("\n")[0]
        return not _TOKEN.sub("", line).strip(_BETWEEN + "`")

    def is_free(self, number: int) -> bool:
        """Return whether no text after the hole with this *number*, the last, can quote it.

        A quotation that is open before it may be closed behind it.
        """
        before = self._around(number)[0]
        is_quoted = self._open or self._found[number] or before[-1:] in _OPENS
        return not (is_quoted or self.is_denied(number, is_marked=True))

    def is_denied(self, number: int, *, is_marked: bool) -> bool:
        """Return whether a sentence with a colon leads to the hole and says not to make the call.

        Args:
            number: Which hole.
            is_marked: Whether a marker of the dialect opens it. In that case, or if the call is on
                a line of its own, the sentence has to forbid it explicitly.
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
            lead = before.rstrip(_BETWEEN)
            fence = _TAG.search(lead)
            is_led = fence is not None and _SIGN(lead[: fence.start()]) is not None
            if is_led or ((line[1] or number == 0) and line[2].lstrip()[:1] == ">"):
                self._found[number] = Quotation("a quotation", start - len(line[2]), stop)
            elif (pair := before[-1:] + after[:1]) in _QUOTES:
                marks = (start - 1, start), (stop, stop + 1)
                self._enclose("backticks" if pair == "``" else "quotes", marks, number, number + 1)

    def _meet(self, mark: Match[str], number: int) -> None:
        """Open or close a quotation at a *mark* that comes after a *number* of holes."""
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
            case _ if spelt in TRIPLE:
                self._turn(spelt, "quotes", at, mark.end(), number)
            case _ if spelt in _PAIRS:
                self._open.setdefault(spelt, ((at, mark.end()), number))
            case _ if _OPENER[spelt] in self._open:
                opener = _OPENER[spelt]
                self._turn(opener, _PAIRS[opener][1], at, mark.end(), number)

    def _turn(self, mark: str, what: str, at: int, end: int, number: int) -> None:
        """Close the quotation that a *mark* has opened, or open one."""
        if mark not in self._open:
            tagged = _FENCE.match(self._text, at) if what == "a fence" else None
            self._open[mark] = (at, tagged.end() if tagged else end), number
            return
        opener, first = self._open.pop(mark)
        self._enclose(what, (opener, (at, end)), first, number)

    def _enclose(self, what: str, marks: tuple[Span, Span], first: int, last: int) -> None:
        """Record that two *marks* enclose the holes from *first* up to, not including, *last*."""
        quotation = Quotation(what, marks[0][0], marks[1][1], marks)
        if first == last:
            return
        if self._is_dressing(quotation):
            self.dressing.append(quotation)
            return
        for number in range(first, last):
            self._found[number] = self._found[number] or quotation

    def _is_dressing(self, quotation: Quotation) -> bool:
        """Return whether it encloses the whole turn, or only calls at the end of the turn.

        Backticks that enclose only calls must begin a line.
        """
        what, start, stop, _ = quotation
        if what not in ("a fence", "backticks") or stop < self._end:
            return False
        if start <= (self._first if start >= self._begin else self._lead):
            return True
        line = self._text.rfind("\n", 0, start) + 1
        is_fence = what == "a fence" or not self._text[line:start].strip()
        return is_fence and not self._bare[start:stop].strip(_BETWEEN + "`~")
