"""Where calls stand in a text: mentions of tools, and whether a call stands for itself."""

from __future__ import annotations

import re
from bisect import bisect_right
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from operator import itemgetter
from typing import TYPE_CHECKING, Final, Literal, NamedTuple, TypeAlias

from agent_parsers.engine.markers.kinds import is_hedged
from agent_parsers.engine.reading.quoting.quotations import (
    Quotation,
    Surroundings,
    speaks_of_results,
)
from agent_parsers.engine.reading.quoting.spans import merged
from agent_parsers.engine.repairs.names import DENYING_SIGNS, says_nothing

if TYPE_CHECKING:
    from agent_parsers.events import Span

Stand: TypeAlias = Literal[
    "alone",
    "in a sentence",
    "in a thought",
    "in an element",
    "in an open fence",
    "in a fence",
    "quoted",
]

_WORD: Final = re.compile(r"[\w.-]+")
_TOOL_FENCE: Final = re.compile(r"[`~]{3,}[ \t]*\w*(?:tool|function|action|call)\w*", re.IGNORECASE)
"""Matches the opening of a fence whose tag says that calls are in it."""
_MARKS_BEHIND: Final = re.compile(
    r"<[|｜][\w▁ ]{1,40}[|｜]>|</[\w:|｜]{1,40}>|\[/?(?:END_)?[A-Z_]{3,30}\]"
    r"|<\w{0,12}_?end(?:_\w+)?>"
)
_STRUCTURAL_BEFORE: Final = frozenset("\"'`<[({=:/.>|@!$*")
_STRUCTURAL_BEHIND: Final = re.compile(
    r"[*`]{0,3}[ \t]?[(（\[{<=:\"'`>|,]|[*`]{0,3}\s{0,8}(?:[({<]|```)|[ \t]*->"
    r"|\s{1,8}--?\w|\s{1,4}(?:with|using|tool|function)\b|[*`\"']{0,3}[ \t]*\Z|\s{1,4}:\w"
    r"|\s{1,4}[✿*]{0,2}[\w-]{1,40}[✿*]{0,2}[ \t]?[:=]"
    r"|\s{1,4}(?:args?|arguments|inputs?|parameters|params)\b",
    re.IGNORECASE,
).match
"""Matches what follows a name in the shapes of calls."""
_LONGEST_BLOCK: Final = 4_000
_BEGINS_BLOCK: Final = re.compile(r"\n[ \t]*+\n(?>(?:(?: {4}|\t).*+\n)*)\Z").search
"""Matches the end of a text in which an indented block has begun."""
_LONGEST_LEAD: Final = 400
_EXAMPLE: Final = re.compile(
    r"\b(?:like|such as|as in|format|form|syntax|shape|schema|can|may|should|must|expects?|takes?"
    r"|(?:is|are) called|how to|usage|signature|definition|sample|snippet|code|follows)\b"
    r"|\bso\W*+\Z",
    re.IGNORECASE,
).search
_OPENS_FENCE: Final = re.compile(r"[`~]{3,}\w*[\s\[]*\Z")
_SAYS: Final = re.compile(r"[^\W_]|\?").search
_CLOSERS: Final = " \t\r\n[](),;}`~\"'\ufeff\u200b"
"""Characters after a call that are no text."""


class Mention(NamedTuple):
    """A place in a text where the name of a tool appears as a word."""

    start: int
    stop: int
    tool: str
    """The tool; the text may spell it in another case, or join it to the text beside it."""


def mentions_of(names: Iterable[str], text: str) -> Iterator[Mention]:
    """Yield the places in *text* where one of the *names* of tools appears, in order.

    A name may follow others and a dot, as in ``functions.search``, or two underscores, and be
    called as Llama calls the tools that it knows, ``search.call``.
    """
    words = {name for name in names if _WORD.fullmatch(name)}
    spelt = Counter(map(_fold, words))
    folded = {_fold(name): name for name in words if spelt[_fold(name)] == 1}
    odd = [re.escape(name) for name in names if name not in words]
    found = (
        [Mention(each.start(), each.end(), each[0]) for each in re.finditer("|".join(odd), text)]
        if odd
        else []
    )
    for word in _WORD.finditer(text):
        written = word[0].rstrip(".-")
        name = written if written in words else written.rpartition(".")[2].lstrip("-")
        if name not in words and name == "call":
            written = written.removesuffix(".call")
            name = written.rpartition(".")[2]
        stop = word.start() + len(written)
        if name in words:
            found.append(Mention(stop - len(name), stop, name))
        elif name == written and (tool := folded.get(_fold(name))) is not None:
            found.append(Mention(stop - len(name), stop, tool))
        elif (last := name.rpartition("__")[2]) in words:
            found.append(Mention(stop - len(last), stop, last))
        elif (joined := _JOINED(name)) is not None and joined[1] in words:
            found.append(Mention(stop - len(name), stop, joined[1]))
    yield from sorted(found)


_SEPARATORS: Final = str.maketrans("", "", "_-.")


def _fold(name: str) -> str:
    return name.translate(_SEPARATORS).lower()


_JOINED: Final = re.compile(
    r"(?:assistant)?(?:functions??|\d{6,})?(.+?)(?:json|commentary|\d{6,})?"
).fullmatch
"""Matches the name of a tool between what a format has beside it, if its marks are left out."""


def namespace(text: str, mention: Mention) -> str:
    """Return the namespace before the name in *mention*, if it may tell tools apart; else ``""``.

    A colon is part of one if it is doubled, or if the name is in quotes; else it ends a label.
    """
    lead = line_before(text, mention.start)
    found = _ENDS_IN_NAMES(lead)
    ends = ("__", ".", "/", ":")
    if found is None or not found[0].endswith(ends) or says_nothing(found[0]):
        return ""
    is_label = found[0].endswith(":") and found[0][:-1].isidentifier()
    return "" if is_label and lead[: found.start()][-1:] not in ("'", '"') else found[0]


_ENDS_IN_NAMES: Final = re.compile(r"(?<![\w./:-])\w[\w./:-]*+\Z").search


def is_structural(text: str, mention: Mention) -> bool:
    """Return whether the name in *mention* has a structural sign next to it, such as a bracket."""
    before = text[max(0, mention.start - 1) : mention.start]
    return before in _STRUCTURAL_BEFORE or _STRUCTURAL_BEHIND(text, mention.stop) is not None


def line_before(text: str, at: int) -> str:
    """Return the part of the line before offset *at*, or only its end if it is long."""
    first = max(0, at - _LONGEST_LEAD)
    return text[max(first, text.rfind("\n", first, at) + 1) : at]


def is_over(text: str, at: int) -> bool:
    """Return whether no more text follows offset *at*, apart from closers and end tokens."""
    return _SAYS(_MARKS_BEHIND.sub("", text[at:])) is None


def framed(text: str, spans: Sequence[Span]) -> tuple[Span, ...]:
    """Return the *spans* of calls in *text*, extended by the marks around them."""
    start, stop = spans[0][0], spans[-1][1]
    before = _MARKS_BEFORE(text[max(0, start - _LONGEST_LEAD) : start])
    start = len(text[: start - (0 if before is None else len(before[0]))].rstrip())
    stop = len(text) if is_over(text, stop) else stop
    return (*merged([(start, spans[0][1]), *spans[1:-1], (spans[-1][0], stop)]),)


_MARKS_BEFORE: Final = re.compile(
    r"(?:(?:^(?i:assistant|action|(?:tool|function)[_ ]?calls?)[ \t]*[:=]?|[`~]{3,}+\w*"
    r"|<[|｜][^<>|｜]{1,40}[|｜]>(?:\w+(?=\s*\n))?|<[|｜]?[\w:][^<>/]{0,60}>|\[[A-Z_]{3,}\]"
    r"|[\[({<|$%@!#*✿→]|(?<!\w)>)\s*+)+\Z",
    re.MULTILINE,
).search


def is_in_clause(text: str, start: int, stop: int) -> bool:
    """Return whether a sentence continues around the span from *start* to *stop* in *text*."""
    before = line_before(text, start).rstrip()[-1:]
    after = _MARKS_BEHIND.sub("", text[stop:].partition("\n")[0]).lstrip(_CLOSERS)[:1]
    return (before.isalnum() or before in (",", ";")) and after.islower()


def stands(text: str, spans: Sequence[Span]) -> list[Stand]:
    """Return for each of *spans*, in order, whether the call in *text* is alone or quoted.

    A fence is dressing if it encloses the whole text, or if its tag says that it contains calls. A
    call in any other fence at the end of the text is in a fence; if text follows, it is quoted.
    """
    holes = merged(spans)
    around = Surroundings(text, holes)
    fences = [each for each in around.dressing if _is_fence(text, each)]

    def stand(span: Span) -> Stand:
        number = bisect_right(holes, span[0], key=itemgetter(0)) - 1
        quotation = around.quotation(number)
        if quotation is not None and quotation.problem == "call_in_thought":
            return "in a thought"
        if quotation is not None and quotation.problem == "call_in_sentence":
            return "in a sentence"
        if quotation is not None and quotation.problem == "call_in_element":
            return "in an element"
        if (
            quotation is not None
            and quotation.problem == "call_in_quotation"
            and is_open(quotation)
        ):
            return "in an open fence"
        if quotation is not None or around.is_denied(number, is_marked=False):
            return "quoted"
        if is_indented(text, span[0]):
            return "quoted"
        if any(each.start <= span[0] < each.stop for each in fences):
            return "in a fence"
        is_led = text[span[0]] == "[" and around.is_introduced(number)
        is_alone = is_led or around.is_alone(number)
        return "alone" if is_alone else "in a sentence"

    return [stand(span) for span in spans]


def unmarked(text: str, start: int) -> int:
    """Return where the call begins after the marks at offset *start* of *text*."""
    marks = _MARKS(text, start)
    return start if marks is None else marks.end()


_MARK: Final = r"<[|｜/]{0,2}\w[^<>\n]{0,60}>|\[[^\[\]\n{}\"']{0,40}\]|\{\w{1,30}\}"
_MARKS: Final = re.compile(rf"(?>(?:\s*+(?:{_MARK}|[^\w\s\"'<\[{{]))*)\s*+").match
_each_mark: Final = re.compile(_MARK).finditer
_ENDS_MARK: Final = re.compile(r"\A\W{0,2}/|(?<![^\W_])end(?![^\W_])", re.IGNORECASE).search
_SIGNS: Final = r"(?>(?:[^\w\"'{<]|_)*)"
_skip_signs: Final = re.compile(_SIGNS).match
_DENIED: Final = rf"([{DENYING_SIGNS}]|(?:(?<=[\[(,])|^)\s*+(?:#(?!#)|//|[!~¬])){_SIGNS}\Z"
_denies: Final = re.compile(_DENIED).search
"""Finds a sign right before a call that strikes it out, or makes it a comment."""
_SAYS_CALL: Final = re.compile(
    r"tool|func|action|invoke|exec|call|plugin|python|code|json|command|\buse\b|request"
    r"|assistant|commentary|message|channel|start|constrain|bos\b",
    re.IGNORECASE,
).search
"""Whether a mark may be right before a call: it says that one follows, or opens a message."""


def other_mark(text: str, calls: Sequence[Span]) -> str:
    """Return what quotes one of the *calls*, or a mark before it that announces no call."""
    around = Surroundings(text, calls)
    for number, (start, _) in enumerate(calls):
        quotation = around.quotation(number)
        if mark := other_lead(text, start) if quotation is None else quotation.what:
            return mark
    return ""


def other_lead(text: str, start: int) -> str:
    """Return the mark or sign before offset *start* if it does not announce a call; else ``""``."""
    begun = _skip_signs(text, start)
    at = start if begun is None else begun.end()
    if (sign := _denies(line_before(text, at))) is not None:
        return sign[1]
    lead = line_before(text, start)
    for mark in reversed([*_each_mark(lead)]):
        if _SAYS(lead, mark.end()) is not None or _ENDS_MARK(mark[0]) is not None:
            return ""
        if not _SAYS_CALL(mark[0]) or speaks_of_results(mark[0]):
            return mark[0]
        lead = lead[: mark.start()]
    return ""


def is_in_block(text: str, spans: Sequence[Span]) -> bool:
    """Return whether one of the calls at *spans* is in a block of code, such as a loop."""
    return any(_OPENS_BLOCK(text[max(0, at - _LONGEST_LEAD) : at]) is not None for at, _ in spans)


_OPENS_BLOCK: Final = re.compile(
    r"(?:\A|\n)[ \t]*(?:(?:async )?def|class|if|elif|else|for|while|with|try|except|lambda)\b"
    r"[^\n]*:[ \t]*\n\s*\Z"
).search


def is_indented(text: str, at: int) -> bool:
    """Return whether offset *at* is in an indented code block, as in Markdown, below text."""
    start = text.rfind("\n", 0, at) + 1
    if not text[start:at].expandtabs(4).startswith(" " * 4):
        return False
    above = text[max(0, start - _LONGEST_BLOCK) : start]
    return _BEGINS_BLOCK(above) is not None and bool(above.strip())


def are_fenced(text: str, spans: Sequence[Span], begin: int) -> bool:
    """Return whether one of the calls at *spans*, in order, is in a fence with text around it.

    Fences behind *begin*, the offset of the first mark of their dialect, may belong to the dialect;
    it is -1 without a mark.
    """
    holes = merged(spans)
    found = Surroundings(text, holes).closed
    return any(_is_fence(text, each) and not 0 <= begin < each.start for each in found)


def is_open(quotation: Quotation) -> bool:
    """Return whether nothing closes a fence."""
    return quotation.what == "a fence" and quotation.marks[1][0] == quotation.marks[1][1]


def _is_fence(text: str, quotation: Quotation) -> bool:
    """Return whether it is a fence after other text, and its tag does not speak of calls."""
    start = quotation.start
    is_closed = quotation.what == "a fence" and not is_open(quotation)
    is_led = is_closed and bool(text[:start].strip())
    return is_led and not _TOOL_FENCE.match(text, start)


def is_example(text: str, span: Span) -> bool:
    """Return whether the sentence around *span* in *text* says that it is an example."""
    start, stop = span
    before = _OPENS_FENCE.sub("", text[max(0, start - _LONGEST_LEAD) : start])
    lead = before.rstrip(" \t\r\n`[(").rpartition("\n")[2]
    rest = text[stop : stop + _LONGEST_LEAD].partition("\n")[0]
    return any(is_hedged(each) or _EXAMPLE(each) is not None for each in (lead, rest))
