"""Where calls stand in a text: mentions of tools, and whether a call stands for itself."""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterable, Iterator, Sequence
from operator import itemgetter
from typing import TYPE_CHECKING, Final, Literal, NamedTuple, TypeAlias

from agent_parsers.engine.markers.kinds import is_hedged
from agent_parsers.engine.reading.quoting.quotations import Quotation, Surroundings
from agent_parsers.engine.reading.quoting.spans import merged

if TYPE_CHECKING:
    from agent_parsers.events import Span

Stand: TypeAlias = Literal["alone", "in a sentence", "in a fence", "quoted"]

_WORD: Final = re.compile(r"[\w.-]+")
_TOOL_FENCE: Final = re.compile(r"[`~]{3,}[ \t]*\w*(?:tool|function|action|call)\w*", re.IGNORECASE)
"""Matches the opening of a fence whose tag says that calls are in it."""
_MARKS_BEHIND: Final = re.compile(r"<\|[\w ]{1,40}\|>|</[\w:|]{1,40}>|<end_of_turn>")
_STRUCTURAL_BEFORE: Final = frozenset("\"'`<[({=:/.>|@!$*")
_STRUCTURAL_BEHIND: Final = re.compile(
    r"[*`]{0,3}[ \t]?[(\[{<=:\"'`>|]|[*`]{0,3}\s{0,8}[({<]|[ \t]*->|\s{1,8}--?\w"
    r"|\s{1,4}✿?[\w-]{1,40}✿?[ \t]?[:=]|\s{1,4}(?:args?|arguments|inputs?|parameters|params)\b",
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
_CLOSERS: Final = " \t\r\n[](),;}`~\"'\ufeff\u200b"
"""Characters after a call that are no text."""


class Mention(NamedTuple):
    """A place where the name of a tool stands as a word."""

    start: int
    stop: int
    tool: str


def mentions_of(names: Iterable[str], text: str) -> Iterator[Mention]:
    """Yield the places in *text* where one of the *names* of tools stands, in order.

    A name may follow others and a dot, as in ``functions.search``, and be called as Llama calls the
    tools that it knows, ``search.call``.
    """
    words = {name for name in names if _WORD.fullmatch(name)}
    odd = [re.escape(name) for name in names if name not in words]
    found = (
        [Mention(each.start(), each.end(), each[0]) for each in re.finditer("|".join(odd), text)]
        if odd
        else []
    )
    for word in _WORD.finditer(text):
        written = word[0].rstrip(".-")
        name = written if written in words else written.rpartition(".")[2]
        if name not in words and name == "call":
            written = written.removesuffix(".call")
            name = written.rpartition(".")[2]
        if name in words:
            stop = word.start() + len(written)
            found.append(Mention(stop - len(name), stop, name))
    yield from sorted(found)


def is_structural(text: str, mention: Mention) -> bool:
    """Return whether more than words stands beside a *mention* of a tool, such as a bracket."""
    before = text[max(0, mention.start - 1) : mention.start]
    return before in _STRUCTURAL_BEFORE or _STRUCTURAL_BEHIND(text, mention.stop) is not None


def line_before(text: str, at: int) -> str:
    """Return what stands before offset *at* on its line."""
    return text[text.rfind("\n", 0, at) + 1 : at]


def is_over(text: str, at: int) -> bool:
    """Return whether no more text follows offset *at*, apart from closers and end tokens."""
    return not _MARKS_BEHIND.sub("", text[at:]).strip(_CLOSERS)


def is_in_clause(text: str, start: int, stop: int) -> bool:
    """Return whether words of one sentence stand on both sides of *start* to *stop* in *text*."""
    before = line_before(text, start).rstrip()[-1:]
    after = _MARKS_BEHIND.sub("", text[stop:].partition("\n")[0]).lstrip(_CLOSERS)[:1]
    return (before.isalnum() or before in (",", ";")) and after.islower()


def stands(text: str, spans: Sequence[Span]) -> list[Stand]:
    """Return how the calls at *spans*, which are in order, stand in *text*.

    A fence is dressing if it encloses the whole text, or its tag says that it holds calls. A call
    in any other fence at the end of the text stands in a fence; with text after that, it is quoted.
    """
    holes = merged(spans)
    around = Surroundings(text, holes)
    fences = [each for each in around.dressing if _is_fence(text, each)]

    def stand(span: Span) -> Stand:
        number = bisect_right(holes, span[0], key=itemgetter(0)) - 1
        if around.quotation(number) is not None or around.is_denied(number, is_marked=False):
            return "quoted"
        if is_indented(text, span[0]):
            return "quoted"
        if any(each.start <= span[0] < each.stop for each in fences):
            return "in a fence"
        return "alone" if around.is_alone(number) else "in a sentence"

    return [stand(span) for span in spans]


def is_indented(text: str, at: int) -> bool:
    """Return whether offset *at* stands in an indented block, as Markdown has them, below text."""
    start = text.rfind("\n", 0, at) + 1
    if not text[start:at].expandtabs(4).startswith(" " * 4):
        return False
    above = text[max(0, start - _LONGEST_BLOCK) : start]
    return _BEGINS_BLOCK(above) is not None and bool(above.strip())


def are_fenced(text: str, spans: Sequence[Span], begin: int) -> bool:
    """Return whether one of the calls at *spans* stands in a fence with text around it.

    Args:
        text: The text.
        spans: The spans, in order.
        begin: Where the first mark of their dialect stands, which may write fences behind it; -1
            without a mark.
    """
    holes = merged(spans)
    found = Surroundings(text, holes).closed
    return any(_is_fence(text, each) and not 0 <= begin < each.start for each in found)


def _is_fence(text: str, quotation: Quotation) -> bool:
    """Return whether it is a fence after other text, and its tag does not speak of calls."""
    start = quotation.start
    is_led = quotation.what == "a fence" and bool(text[:start].strip())
    return is_led and not _TOOL_FENCE.match(text, start)


def is_example(text: str, span: Span) -> bool:
    """Return whether the sentence around a *span* of *text* says that it is an example."""
    start, stop = span
    before = _OPENS_FENCE.sub("", text[max(0, start - _LONGEST_LEAD) : start])
    lead = before.rstrip(" \t\r\n`[(").rpartition("\n")[2]
    rest = text[stop : stop + _LONGEST_LEAD].partition("\n")[0]
    return any(is_hedged(each) or _EXAMPLE(each) is not None for each in (lead, rest))
