"""Finds calls that a turn only quotes: enclosed by a pair of marks, or in a sentence.

A quotation has two sides, so it is known only at the end of the turn whether a call is quoted. Only
the text around calls and markers is searched: the text of a call itself quotes nothing.
"""

from __future__ import annotations

import re
from bisect import bisect_left
from contextlib import suppress
from typing import TYPE_CHECKING, Final, NamedTuple

from agent_parsers.engine.reading.quoting.marks import (
    HOLE,
    PAIRS,
    bracket_keys,
    comment_keys,
    ends_thought,
    is_between_signs,
    is_pair,
    is_quote,
    last_closer,
    marks_in,
    may_enclose,
    may_nest,
    may_quote,
    name_of,
    quote_keys,
    ruler_key,
    words_of,
)
from agent_parsers.engine.reading.quoting.spans import trimmed
from agent_parsers.engine.repairs.payloads import BadPayload

if TYPE_CHECKING:
    from collections.abc import Sequence
    from re import Match

    from agent_parsers.events import Span

_FENCE: Final = re.compile(r"(?:`{3}|~{3})[`~]*+[\w+#.-]*+")
_TOKEN: Final = re.compile(r"<\|\w{1,40}\|>|</s>")
_MARK: Final = re.compile(r"[] \t)},;]*+[\[<][/|]?[^\W\d]").match
_ENDS_LINE: Final = re.compile(r"[\w+#.-]*+[ \t]*+\n").match
_OTHER_BREAK: Final = re.compile("\r(?!\n)|[\x85\u2028\u2029]")
_IS_BARE: Final = re.compile(r"[ \t\r]*+(?:\n|\Z)").match
BETWEEN: Final = " \t\r\n[](),;}\ufeff\u200b" + HOLE
"""Characters between calls that do not count as text."""
_WORDS: Final = re.compile(rf"[^{re.escape(BETWEEN)}`~]++").finditer
_SIGN: Final = re.compile(
    r"\s*+(?:(?:[>|│┃＞»›❯]|\d++[ \t]*+[|│]).*|(?:[+%;!$&~]++|//++|--++)\s*)"
).fullmatch
"""Matches what quotes the rest of its line; a single hyphen begins an item of a list."""
_IS_HALF_MARK: Final = re.compile(r"\s*+\|[^\s|]++\|>").match
"""Matches a line that begins with a mark without its first character: ``|call|>``."""
_begins_block: Final = re.compile(
    r"^[ \t]*+(?:[\w-]++:[ \t]++[|>][-+\d]?[ \t\r]*+$|\.\. [\w-]++::)", re.MULTILINE
).search
"""Finds what begins an indented block in YAML (``text: |``) and reStructuredText."""
_hunk: Final = re.compile(r"^@@ .*@@.*$", re.MULTILINE).search
_in_hunk: Final = re.compile(r"(?>(?:\n[-+ \\].*)+)").fullmatch
_IS_ITEM: Final = re.compile(r"\s*+(?:[-*+•]|\d++[.)])\s").match
_IS_CALL: Final = re.compile(r"tool|func|action|invoke|exec|(?<![a-z])calls?(?![a-z])").search
speaks_of_results: Final = re.compile(
    r"output|respon|result|return|observ|error|example|sample|descri|cancel|fail|reject|denied"
    r"|draft|histor|template|schema|pending|block|abort|invalid|(?<![a-z])(?:not|never|no|old|past)_",
    re.IGNORECASE,
).search
"""Whether a name says that what it encloses is given to the model, or is not a call to make."""
_IS_FORM: Final = frozenset(("json", "xml", "python", "code", "py", "javascript", "yaml"))
_DENIED: Final = re.compile(
    r"\b(?:not|never|cannot|avoid|wrong|instead of|rather than)\b|n['’]t\b", re.IGNORECASE
).search
_FORBIDDEN: Final = re.compile(
    r"\W*+(?>(?:(?:please|you|should|must|may)\W++)*)(?:(?:do not|don['’]t|not|never|avoid|nie"
    r"|niemals|keinesfalls|nunca|jamais|никогда)\b|请勿|切勿|禁止|絶対に)",
    re.IGNORECASE,
).match
_SHOWN: Final = re.compile(
    r"(?:\b(?:examples?|e\.g\.|sample|beispiele?|z\. ?b\.|exempl[eo]s?|ejemplos?|esempio"
    r"|esempi|например|пример[ыа]?)|例|例如|比如|示例|예시?"
    r"|\b(?:this|that|the following) (?:form|format|shape))\W*+\Z",
    re.IGNORECASE,
).search
_OR: Final = frozenset(("or", "or else", "alternatively", "or alternatively", "oder", "ou", "或"))
_LETTERS: Final = re.compile(r"[^\W\d_]+").findall
_TAG: Final = re.compile(r"[`~]++[\w+#.-]*+\Z")
_QUOTED_LINE: Final = re.compile(r"(?:\A|\n)[ \t]*>[ \t>]*\Z").search
_ENDS: Final = re.compile(r"[.!?。！？\n:：]")
_COMMA: Final = re.compile(r"[,;，；]")
_STRING: Final = re.compile(r'"(?>(?:[^"\\]++|\\.)*)"', re.DOTALL)
_KEPT: Final = ("a fence", "an element")
"""What may not open before a raw input and close in it, even if it is dressing."""
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
    problem: str = ""
    """What is wrong if the call may be meant as well as quoted; empty if it is quoted."""


def problem_of(quotation: Quotation, text: str, span: Span, base: int = 0) -> BadPayload:
    """Return the problem with the call at *span*, which is in a *quotation* in *text*."""
    problem = quotation.problem or "call_in_quotation"
    mark = text[slice(*quotation.marks[0])] if problem == "call_in_element" else ""
    if problem == "call_in_thought":
        span = quotation.marks[1][0] + base, quotation.marks[1][1] + base
    return BadPayload(problem, span, mark=mark)


def enclosing(
    text: str, hole: Span, input_at: int = -1, *, goes_on: bool = False
) -> Quotation | None:
    """Return the quotation around a *hole* in *text* that is closed in the input or after it.

    Backticks are ignored, since they may be part of a value. So is the object with which the input
    begins, if it does.

    Args:
        text: The text of a step, up to the end of its input.
        hole: Span of the label of the action, with the name of the tool.
        input_at: Where the input begins; by default right after the hole.
        goes_on: Whether the turn goes on after the step, with an invented result or another
            action: then an open fence that follows other text also quotes the step.
    """
    start = _first(text, hole[0])
    behind = max(input_at, hole[1])
    may_be_open = goes_on and _FENCE.search(text, 0, start) is not None
    if not (may_be_open or may_enclose(text, start, behind) or quotes_line(text, start)):
        return None
    end = _end_of_object(text, behind)
    around = Surroundings(text, [hole, (behind, end)][: 1 + (end >= 0)], has_labels=True)
    quotation = around.quotation(0)
    if quotation is None and goes_on:
        quotation = around.open_fence()
    if quotation is None or quotation.what == "backticks":
        return next((each for each in around.dressing if each.what in _KEPT), None)
    if quotation.what == "lines":  # rulers of the input itself are pairs
        ruler = text[slice(*quotation.marks[1])]
        if not words_of(ruler) and not text.count(f"\n{ruler}", behind) % 2:
            return None
    return quotation


def _end_of_object(text: str, at: int) -> int:
    """Return where the object ends that stands at offset *at*; -1 without one that is whole."""
    at = _first(text, at)
    if text[at : at + 1] != "{":
        return -1
    # imported lazily: few objects stand behind what may quote them
    from outputs.growing_json.errors import JsonError
    from outputs.growing_json.lenient.lenient_reader import LenientJsonReader

    reader = LenientJsonReader()
    with suppress(JsonError):
        reader.feed(text[at:])
    return -1 if reader.end is None else at + reader.end


def quotes_line(text: str, end: int) -> bool:
    """Return whether the beginning of the line, before offset *end*, may quote its rest."""
    line = text[text.rfind("\n", 0, end) + 1 : end]
    line = _OTHER_BREAK.split(line)[-1]
    return line[:1].isspace() or _SIGN(line) is not None


def is_plain(text: str) -> bool:
    """Return whether *text*, which precedes a call, can neither quote nor forbid it."""
    if may_quote(text, len(text)) or text.rstrip(BETWEEN)[-1:] in (":", "："):
        return False
    return not quotes_line(text, len(text))


def _first(text: str, start: int) -> int:
    """Return the first offset from *start* on that is not white space."""
    return len(text) - len(text[start:].lstrip())


class Surroundings:
    """The text of a turn around its calls and markers.

    The module `marks` says what opens and closes a quotation; a mark that is never closed encloses
    nothing, but for a fence, which may have lost its end. A fence opens at the beginning of a line,
    or right before a line break, and closes anywhere. A closing line with text after its sign may
    be part of the fenced block: if the next fence has no text after it, that one closes the block
    as well. Backticks open and close on the same line, on which a call counts as one character. A
    mark in code that encloses no call is text.

    Args:
        text: The turn.
        holes: Spans of its calls and markers, in order, without overlap.
        begin: Offset of the text after the last label.
        has_labels: Whether calls begin with a label; no quoted line before them opens a fence.
    """

    def __init__(
        self, text: str, holes: Sequence[Span], begin: int = 0, *, has_labels: bool = False
    ) -> None:
        self._has_labels = has_labels
        self._holes = [trimmed(text, *hole) for hole in holes]
        self._begin = begin
        self._written = text
        self._text = _OTHER_BREAK.sub("\n", _blanked(text, self._holes))
        self._lead = _first(self._text, 0)
        self._first = _first(self._text, begin)  # after the last label
        self._found: list[Quotation | None] = [None] * len(holes)
        # By key: the spans of its marks, and how many holes precede each.
        self._open: dict[str, list[tuple[Span, int]]] = {}
        self._fences: dict[str, str] = {}  # the key of the last fence of each sign
        self._ends: dict[Span, int] = {}  # of thoughts not opened here, and the holes before each
        self._late_fences: list[tuple[Span, int]] = []  # those of tildes that begin within a line
        # By sign: the opening mark of the fence that a line with text closed last.
        self._doubtful: dict[str, tuple[Span, int]] = {}
        self._recent: list[tuple[int, str]] = []  # the marks of the open ones, and their keys
        self._closed: list[tuple[Quotation, int, int]] = []  # with the holes in each
        self.dressing: list[Quotation] = []
        """Fences, backticks and elements that may enclose calls that count."""
        self._search()
        if self._closed:
            self._judge_pairs()
        self._judge_lines()

    def quotation(self, number: int) -> Quotation | None:
        """Return the quotation around the hole with this *number*; mere dressing is not one."""
        return self._found[number]

    @property
    def closed(self) -> list[Quotation]:
        """All closed pairs of marks around a call, whether they quote or only dress it."""
        return [each for each, _, _ in self._closed]

    def open_fence(self) -> Quotation | None:
        """Return an unclosed fence before the first hole, if it has text before it."""
        for sign in "`~":
            for mark, number in self._open.get(self._fence(sign), ()):
                if number == 0 and mark[0] > self._lead:
                    return Quotation("an open fence", mark[0], len(self._text))
        return None

    def is_alone(self, number: int) -> bool:
        """Return whether the lines of the hole with this *number* contain nothing but calls."""
        before, after = self._around(number)
        line = before.rpartition("\n")[2] + after.partition("\n")[0]
        return not _TOKEN.sub("", line).strip(BETWEEN + "`")

    def is_before_mark(self, number: int) -> bool:
        """Return whether a mark in brackets, and nothing else, is next to this hole on its line."""
        before, after = self._around(number)
        return not before.rpartition("\n")[2].strip(BETWEEN) and _MARK(after) is not None

    def is_introduced(self, number: int) -> bool:
        """Return whether the hole with this *number* follows a colon and ends its line."""
        before, after = self._around(number)
        is_last = not after.partition("\n")[0].strip(BETWEEN + "`")
        return is_last and before.rstrip(BETWEEN)[-1:] in (":", "：")

    def is_free(self, number: int) -> bool:
        """Return whether no text that may follow the last hole, with this *number*, can quote it.

        A quotation that is open before it may be closed after it.
        """
        before = self._around(number)[0].rstrip()
        is_open = any(self._open.values()) or bool(self._late_fences or self._doubtful)
        is_quoted = is_open or self._found[number] or is_quote(before[-1:])
        return not (is_quoted or self.is_denied(number, is_marked=True))

    def is_alternative(self, number: int) -> bool:
        """Return whether only "or" is between call *number* and the one before or after it."""
        before, after = self._around(number)
        found = (before if number else "", after if number + 1 < len(self._holes) else "")
        return any(" ".join(_LETTERS(text)).casefold() in _OR for text in found)

    def is_denied(self, number: int, *, is_marked: bool) -> bool:
        """Return whether a sentence with a colon forbids the call, or only shows it.

        Args:
            number: The number of the hole of the call.
            is_marked: Whether a marker of the dialect opens it. In that case, or if the call is on
                a line of its own, the sentence has to forbid it explicitly; words such as
                "for example" before a call without a marker also mean that it is only shown.
        """
        before = self._around(number)[0][-_MOST_CHARS:]
        lead = _TAG.sub("", before.rstrip(BETWEEN)).rstrip(BETWEEN)
        if lead[-1:] not in (":", "："):
            return False
        sentence = _ENDS.split(lead[:-1])[-1]
        if not is_marked and _SHOWN(sentence) is not None:
            return True
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
        for mark in marks_in(self._text):
            while number < len(self._holes) and self._holes[number][0] < mark.start():
                self._open_in(self._written[slice(*self._holes[number])])
                number += 1
            self._meet(mark, number)
        closer = None if self._has_labels else last_closer(self._text)
        if closer is not None and not closer["end"]:
            before = sum(hole[0] < closer.start() for hole in self._holes)
            if before:
                self._ends[closer.span()] = before
        if not self._has_labels:
            self._end_fence()
        for span, number in self._ends.items():  # of thoughts that the prompt opened
            thought = Quotation("a thought", 0, span[1], ((0, 0), span), "call_in_thought")
            self._closed.append((thought, 0, number))

    def _open_in(self, call: str) -> None:
        """Open the brackets that a *call* opens and does not close, such as that of a list."""
        if any(map(self._open.get, "[({")):
            call = _STRING.sub("", call)
            for opens, closes in ("[]", "()", "{}"):
                rest = call.count(opens) - call.count(closes)
                self._open.setdefault(opens, []).extend([((0, 0), len(self._holes))] * rest)

    def _meet(self, mark: Match[str], number: int) -> None:
        """Open or close a quotation at a *mark* that comes after a *number* of holes."""
        kind = mark.lastgroup or ""
        spelt, span = mark[kind], mark.span(kind)
        match kind:
            case "line":
                for run in ("`", "``", "```"):
                    opened = self._open.get(run)
                    if opened and _IS_BARE(self._text, opened[-1][0][1]) is None:
                        opened.clear()  # one that ends its line may be closed on another
            case "fence":
                self._meet_fence(spelt, span, number)
            case "ticks":
                self._meet_ticks(spelt, span, number)
            case "tildes":
                self._meet_tildes(span, number)
            case "triple" | "strike":
                self._turn(spelt, "quotes" if kind == "triple" else "struck text", span, number)
            case "ruler":
                self._meet_ruler(spelt, span, number)
            case "quote":
                opens, closes = quote_keys(self._text, mark)
                if opens and may_nest(self._text, span):
                    closes = ""
                elif opens and not (closes and self._open.get(closes)):
                    self._open.pop(opens, None)  # a quotation has no other in the same marks
                self._pair((opens, closes), "quotes", span, number)
            case "comment":
                self._meet_comment(spelt, span, number)
            case _:
                what, keys = PAIRS[kind]
                self._pair(keys(spelt), what, span, number)

    def _meet_ruler(self, spelt: str, span: Span, number: int) -> None:
        """Close the section of a ruler and open the next; or meet words between two signs."""
        if key := ruler_key(spelt):
            self._pair(("", key), "lines", span, number)
            self._open[key] = []
            self._pair((key, ""), "lines", span, number)
        elif is_between_signs(spelt):
            self._note_end("lines", span, number)

    def _meet_ticks(self, spelt: str, span: Span, number: int) -> None:
        """Open or close a fence within a line, or what backticks quote."""
        opened = self._open.get(self._fence("`")) if len(spelt) > 2 else None
        is_fence = len(spelt) > 2 and _ENDS_LINE(self._text, span[1]) is not None
        if opened and not is_fence:
            (start, _), first = opened[-1]
            is_fence = first < number or self._text.find("\n", start, span[0]) < 0
        if is_fence:
            self._meet_fence(spelt, span, number)
        elif not opened:  # or it is a part of what stands in the fence
            self._turn(spelt[:3], "backticks", span, number)

    def _meet_tildes(self, span: Span, number: int) -> None:
        """Open a fence of tildes at the end of a line, unless the tildes are part of one."""
        if _ENDS_LINE(self._text, span[1]) is None or self._fence("~"):
            return
        line_start = self._text.rfind("\n", 0, span[0]) + 1
        if self._text.find("~~~", line_start, span[0]) < 0:
            self._late_fences.append((span, number))

    def _meet_comment(self, spelt: str, span: Span, number: int) -> None:
        """Close a comment, or open one; then the mark may be brackets beside signs as well."""
        keys = comment_keys(spelt)
        self._pair(keys, "a comment", span, number)
        if self._recent and self._recent[-1] == (span[0], keys[0]):
            for at, sign in enumerate(spelt, span[0]):
                if sign in "()[]{}":
                    self._pair(bracket_keys(sign), "brackets", (at, at + 1), number)

    def _fence(self, sign: str) -> str:
        """Return the key of the open fence of this *sign*; empty if none is open."""
        key = self._fences.get(sign, "")
        return key if self._open.get(key) else ""

    def _meet_fence(self, spelt: str, span: Span, number: int) -> None:
        """Close the fence of this length, or one of another length and open one."""
        if spelt[0] == "~" and self._late_fences:  # or they were only tildes in a text
            self._close("a fence", self._late_fences.pop(), span, number)
        sign = spelt[0]
        is_bare = _IS_BARE(self._text, span[1]) is not None
        doubtful = self._doubtful.pop(sign, None)
        if doubtful and is_bare:
            self._close("a fence", doubtful, span, number)
        opened = self._open.get(self._fence(sign))
        if opened and not is_bare:
            self._doubtful[sign] = opened[-1]
        key = f"fence {spelt}"
        if not self._open.get(key) and (other := self._fence(sign)):
            self._pair(("", other), "a fence", span, number)
        self._fences[sign] = key
        self._turn(key, "a fence", span, number)

    def _end_fence(self) -> None:
        """End an open fence on a line of its own, if words follow a call and no call has it."""
        text, end, holes = self._text, len(self._text), len(self._holes)
        for mark, number in self._open.get(self._fence("`"), ()):
            before = text[self._holes[number - 1][1] if number else 0 : mark[0]]
            is_line = not before.rpartition("\n")[2].strip() and _IS_BARE(text, mark[1])
            is_led = number < holes and is_line and (before.strip(BETWEEN) or not number)
            if is_led and next(_WORDS(text, self._holes[number][1]), None) is not None:
                marks = mark, (end, end)
                fence = Quotation("a fence", mark[0], end, marks, "call_in_quotation")
                self._closed.append((fence, number, holes))

    def _turn(self, key: str, what: str, span: Span, number: int) -> None:
        """Close the quotation with this *key*, or open one, at a mark that is at *span*."""
        is_open = bool(self._open.get(key))
        self._pair(("", key) if is_open else (key, ""), what, span, number)

    def _pair(self, keys: tuple[str, str], what: str, span: Span, number: int) -> None:
        """Close what one of *keys* may close, or open what the other may open."""
        opens, closes = keys
        if opened := self._open.get(closes):
            mark = opened.pop()
            if what == "an element":
                self._ends.pop(mark[0], None)
            has_hole = self._close(what, mark, span, number)
            if not has_hole and what in ("backticks", "a fence", "a comment"):
                self._forget(closes, mark[0][0])
            return
        if opens:
            tagged = _FENCE.match(self._text, span[0]) if what == "a fence" else None
            span = span[0], tagged.end() if tagged else span[1]
            self._open.setdefault(opens, []).append((span, number))
            self._recent.append((span[0], opens))
        self._note_end(what, span, number)

    def _note_end(self, what: str, span: Span, number: int) -> None:
        """Note an element, or a line of few words, that ends a thought after *number* holes."""
        if not number or self._has_labels:
            return
        mark = self._text[slice(*span)]
        is_short = what == "lines" and "<" not in mark and len(words_of(mark).split()) < 5
        if (is_short or what == "an element") and ends_thought(mark):
            self._ends[span] = number

    def _close(self, what: str, mark: tuple[Span, int], span: Span, number: int) -> bool:
        """Keep the quotation between two marks if a hole is in it; return whether one is."""
        opener, first = mark
        if first < number:
            quotation = Quotation(what, opener[0], span[1], (opener, span))
            self._closed.append((quotation, first, number))
        return first < number

    def _forget(self, key: str, start: int) -> None:
        """Forget the marks after the one with this *key* at offset *start*, which are text."""
        while self._recent and self._recent[-1] != (start, key):
            at, other = self._recent.pop()
            opened = self._open.get(other)
            if opened and opened[-1][0][0] == at:
                opened.pop()

    # -- judging them -----------------------------------------------------------------------------

    def _judge_pairs(self) -> None:
        """Find the holes that are between two marks."""
        spans = [mark for each, _, _ in self._closed for mark in each.marks]
        bare = _blanked(_FENCE.sub(lambda mark: HOLE * len(mark[0]), self._text), spans)
        words = [found.start() for found in _WORDS(bare)]
        quoting: list[tuple[Quotation, int, int]] = []
        for each, first, last in self._closed:
            if (quotation := self._judged(each, words)) is not None:
                quoting.append((quotation, first, last))
            elif each.what != "brackets":
                self.dressing.append(each)
        # What quotes counts before what is in doubt, and what is outside before what is in it.
        quoting.sort(key=lambda each: (bool(each[0].problem), each[1], -each[2]))
        at, is_doubtful = 0, False
        for quotation, first, last in quoting:
            at = max(at if bool(quotation.problem) is is_doubtful else 0, first)
            is_doubtful = bool(quotation.problem)
            for number in range(at, last):
                self._found[number] = self._found[number] or quotation
            at = max(at, last)

    def _judged(self, quotation: Quotation, words: list[int]) -> Quotation | None:
        """Return a *quotation* that quotes, or may quote; `None` for one that is dressing.

        Outside of the marks of quotations there are words at the offsets *words*.
        """
        what, start, stop, marks, _ = quotation
        is_led, is_followed = bool(words) and words[0] < start, bool(words) and words[-1] >= stop
        begin, end = bisect_left(words, marks[0][1]), bisect_left(words, marks[1][0])
        has_words = begin < end
        match what:
            case "a fence" | "backticks" if not is_followed:
                if start <= (self._first if start >= self._begin else self._lead):
                    return None
                line = self._text.rfind("\n", 0, start) + 1
                is_fence = what == "a fence" or not self._text[line:start].strip()
                return None if is_fence and not has_words else quotation
            case "an element":
                _, name = likeness(quotation, self._text)
                if not (has_words or is_followed) and is_wrapper(name, is_led=is_led):
                    return None
                if not (is_led or is_followed):
                    return quotation._replace(problem="call_in_element")
            case "lines":
                named = "".join(words_of(self._text[slice(*mark)]) for mark in marks)
                is_named = bool(named) and not is_wrapper(named, is_led=is_led)
                if not (has_words or is_followed or is_named):
                    return None
                return quotation._replace(problem="call_in_quotation")
            case "brackets":
                line = self._text.rfind("\n", 0, start) + 1
                is_led = bool(self._text[line:start].strip(BETWEEN))
                is_block = self._text[start] == "{" and (is_led or is_followed)  # of code
                is_usual = self._text[start] in "([{（［｛" or not (is_led or is_followed)
                if not (has_words or is_block) and is_usual:
                    return None
                return quotation._replace(problem="call_in_sentence")
            case "quotes" if has_words and marks[0][1] - start == 1:
                return quotation._replace(problem="call_in_quotation")
        return quotation

    def _judge_lines(self) -> None:
        """Find the holes on lines that begin with a sign, in indented blocks, or in quotes."""
        blocks = _indented(self._text)
        hunk = _hunk(self._text) if "@@" in self._text else None
        by_sign: Quotation | None = None
        for number, (start, stop) in enumerate(self._holes):
            before, after = self._around(number)
            line = before.rpartition("\n")
            if not self._has_labels and _is_fence_quoted(before):
                by_sign = Quotation("a quotation", start - len(line[2]), stop)
            elif line[1] or number == 0:
                at = start - len(line[2])
                by_sign = None
                if at in blocks:
                    by_sign = Quotation("an indented block", at, stop, problem=blocks[at])
                elif hunk and line[2].strip() == "-" and _in_hunk(self._text, hunk.end(), start):
                    problem = "call_in_quotation"  # or the item of a list
                    by_sign = Quotation("a quotation", at, stop, problem=problem)
                elif _SIGN(line[2]) is not None and not (
                    # what parts two calls is no sign of a comment
                    number and before.strip() == ";" and self._found[number - 1] is None
                ):
                    by_sign = Quotation("a quotation", at, stop)
                    if _IS_HALF_MARK(line[2]) is not None:  # or a row of a table
                        by_sign = by_sign._replace(problem="call_in_quotation")
            found = self._found[number]
            if found is not None and not found.problem:
                continue
            if by_sign is not None:
                self._found[number] = by_sign
            elif is_pair(before[-1:], after[:1]):
                what = "backticks" if before[-1] == "`" else "quotes"
                marks = (start - 1, start), (stop, stop + 1)
                quotation = Quotation(what, start - 1, stop + 1, marks)
                if quotation not in self.dressing:
                    self._found[number] = quotation


def _is_fence_quoted(before: str) -> bool:
    """Return whether the text *before* a call ends in a fence that a quoted line opens."""
    lead = before.rstrip(BETWEEN)
    fence = _TAG.search(lead)
    return fence is not None and _QUOTED_LINE(lead[: fence.start()]) is not None


def _blanked(text: str, spans: Sequence[Span]) -> str:
    """Return *text* in which all that is at *spans* is a hole."""
    parts: list[str] = []
    at = 0
    for start, stop in sorted(spans):
        parts += (text[at:start], HOLE * (stop - max(start, at)))
        at = max(at, stop)
    return "".join(parts) + text[at:]


def is_wrapper(name: str, *, is_led: bool) -> bool:
    """Return whether the *name* of an element around calls means that it contains calls.

    The name of a format, such as ``json``, does so only without text before it; after text, the
    element may as well be a quotation.
    """
    if _IS_CALL(name) is not None:
        return speaks_of_results(name) is None
    return name in _IS_FORM and not is_led


def likeness(quotation: Quotation, text: str) -> tuple[str, str]:
    """Return a key that is equal for two quotations in *text* of the same kind."""
    is_named = quotation.what == "an element"
    name = name_of(text[slice(*quotation.marks[0])]).casefold() if is_named else ""
    return quotation.what, name


def announces(text: str) -> bool:
    """Return whether a line of *text* may announce that what follows is quoted."""
    is_marked = ": " in text or "::" in text or "@@" in text  # most texts have none
    return is_marked and (_begins_block(text) is not None or _hunk(text) is not None)


def _indented(text: str) -> dict[int, str]:
    """Return where the lines begin that are indented blocks, with the problem of a call there.

    Markdown has them below text. YAML and reStructuredText have them below a line that announces
    one, which may as well announce the call.
    """
    lines: dict[int, str] = {}
    if "\n " not in text and "\n\t" not in text:
        return lines
    at, announced = 0, -1  # how far the line that announces a block is indented
    is_block = is_blank = is_list = has_text = False
    for line in text.split("\n"):
        if not (said := line.strip(" \t\r\n")):
            is_blank = True
        elif announced >= 0 and line.find(said[0]) > announced:
            lines[at] = "call_in_quotation"
        elif line.startswith(("    ", "\t", " \t", "  \t", "   \t")):
            is_block = is_block or (is_blank and has_text and not is_list)
            if is_block:
                lines[at] = ""
            is_blank = False
        else:
            has_text = has_text or bool(line.strip())
            is_block = is_blank = False
            is_list = _IS_ITEM(line) is not None
            announced = line.find(said[0]) if _begins_block(line) is not None else -1
        at += len(line) + 1
    return lines
