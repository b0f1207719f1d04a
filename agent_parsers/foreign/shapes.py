"""General shapes of calls, for what no dialect writes.

================================  ===========================================================
an object                         ``{"tool": "search", "args": {"query": "lakes"}}``,
                                  ``{"search": {"query": "lakes"}}``
code that fills its line          ``search(query="lakes")``
the name, and then an object      ``search: {"query": "lakes"}``
an element or brackets            ``<search><query>lakes</query></search>``,
                                  ``<call tool="search" query="lakes"/>``
================================  ===========================================================

Such a call stands on lines of its own, and nothing follows but others. The same in a sentence, in
quotation marks or in a fence is text.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any, Final, NamedTuple

from agent_parsers.engine.calls.code.python_calls import PythonCalls
from agent_parsers.engine.reading.foreign import Foreign, ForeignCall
from agent_parsers.foreign.elements import enclosed_call
from agent_parsers.foreign.objects import calls_in, fitted, object_at
from agent_parsers.foreign.places import is_example, is_over, line_before, stands

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from agent_parsers.events import Span
    from agent_parsers.foreign.places import Mention
    from agent_parsers.toolset import ToolSet

__all__ = ["find_shapes"]


class Shape(NamedTuple):
    """Text that has the shape of calls."""

    form: str
    """Which shape, to follow the word "call"."""
    span: Span
    calls: tuple[tuple[str, Any], ...] = ()
    """The tools and their inputs; nothing if no tool takes it."""
    why: str = ""
    """Why no call can be made of it."""
    is_doubtful: bool = False
    """Whether it may be anything else if other text stands beside it."""
    is_data: bool = False
    """Whether it is a call in a sentence too."""


_LEAD: Final = re.compile(
    r"[ \t>*#•-]{0,8}(?:[`*]{0,3}(?:action|call|tool|function|use|invoke|execute|run|request)"
    r"(?:[ _-](?:call|name|to use))?[`*]{0,3}[ \t]*[:=][`*]{0,3}[ \t]*)?[`*\[(]{0,3}(?:\w+\.)*",
    re.IGNORECASE,
).fullmatch
"""Matches what may stand before a name on its line."""
_TO_OBJECT: Final = re.compile(
    r"[\s*`'\"]{0,6}(?:[:=(-]>?|\u2192)?[\s*`]{0,6}"
    r"(?:(?:with|and|tool|action)?[ _]?(?:args?|arguments?|inputs?|parameters?|params)[\s*`]{0,4}[:=]?[\s*`]{0,6})?"
    r"(?:```\w*\s*)?(?=\{)",
    re.IGNORECASE,
).match
_TO_PARENTHESIS: Final = re.compile(r"[ \t]?\(").match
_CODE: Final = re.compile(
    r"""[^"'()\[\]{}]++|"(?:[^"\\\n]|\\.)*+"|'(?:[^'\\\n]|\\.)*+'|(?P<opens>[(\[{])|(?P<closes>[)\]}])|["']"""
)
_CUT: Final = "it is cut off, or cannot be read"


def find_shapes(text: str, mentions: Sequence[Mention], tools: ToolSet) -> Foreign | None:
    """Find the calls in *text* that have a general shape.

    Args:
        text: The text of an answer.
        mentions: Where the tools are named in it.
        tools: The available tools.
    """
    shapes = [*_outermost([*_objects(text, mentions, tools), *_at_names(text, mentions, tools)])]
    places = stands(text, [shape.span for shape in shapes])
    alone = [shape for shape, place in zip(shapes, places, strict=True) if place == "alone"]
    alone = [each for each in alone if not each.is_doubtful or _is_all(text, each.span)]
    if not alone:
        odd = (
            Foreign(shape.form, shape.span, why=f"it stands {place}")
            for shape, place in zip(shapes, places, strict=True)
            if place != "quoted" and shape.is_data and not is_example(text, shape.span[0])
        )
        return next(odd, None)
    first, last = alone[0], alone[-1]
    if (wrong := next((shape for shape in alone if not shape.calls), None)) is not None:
        return Foreign(wrong.form, wrong.span, why=wrong.why)
    if not is_over(text, last.span[1]):
        return Foreign(last.form, last.span, why="text follows it")
    for one, other in zip(alone, alone[1:], strict=False):
        if not is_over(text[: other.span[0]], one.span[1]):
            return Foreign(other.form, other.span, why="it is one of several, with text between")
    calls = (ForeignCall(*call, shape.span) for shape in alone for call in shape.calls)
    return Foreign(first.form, (first.span[0], last.span[1]), tuple(calls))


def _outermost(shapes: list[Shape]) -> Iterator[Shape]:
    """Yield those of *shapes* that do not stand within others, in order."""
    end = -1
    for shape in sorted(shapes, key=lambda shape: (shape.span[0], -shape.span[1])):
        if shape.span[0] >= end:
            end = shape.span[1]
            yield shape


def _is_all(text: str, span: Span) -> bool:
    """Return whether there is nothing but the text at *span*."""
    return not text[: span[0]].strip(" \t\r\n`[(") and is_over(text, span[1])


def _objects(text: str, mentions: Sequence[Mention], tools: ToolSet) -> Iterator[Shape]:
    """Yield the JSON objects that name a tool."""
    quoted = [each for each in mentions if text[each.start - 1 : each.start] in ("'", '"')]
    at, waiting = 0, 0
    while waiting < len(quoted) and (at := text.find("{", at)) >= 0:
        while waiting < len(quoted) and quoted[waiting].start < at:
            waiting += 1
        if waiting == len(quoted):
            return
        read = object_at(text, at, lenient=True)
        form = f"as an object that names {quoted[waiting].tool}"
        if read.value is None:
            if _TO_NAME(text[at : quoted[waiting].start]) and quoted[waiting].start < at + 200:
                yield Shape(form, (at, len(text)), why=_CUT)
                return
        elif quoted[waiting].start < read.stop:
            calls = calls_in(read.value, tools)
            if calls is not None and read.repeats:
                yield Shape(form, (at, read.stop), why="a key stands in it twice")
            elif calls is not None:
                why = "the tool does not take it, or it can be read in two ways"
                yield Shape(form, (at, read.stop), tuple(calls), why, is_data=bool(calls))
        at = max(read.stop, at + 1)


_TO_NAME: Final = re.compile(r"""\{\s*["']?(?:\w+["']?\s*:\s*["'])?""").fullmatch
"""Matches the beginning of an object whose first key or value is the name of a tool."""


def _at_names(text: str, mentions: Sequence[Mention], tools: ToolSet) -> Iterator[Shape]:
    """Yield the shapes that begin with the name of a tool."""
    end = 0
    for mention in mentions:
        if mention.start < end:
            continue
        shape = _at_name(text, mention, tools)
        if shape is not None:
            end = shape.span[1]
            yield shape


def _at_name(text: str, mention: Mention, tools: ToolSet) -> Shape | None:
    enclosed = enclosed_call(text, mention, tools)
    if enclosed is not None:
        calls = () if enclosed.tool_input is None else ((mention.tool, enclosed.tool_input),)
        return Shape(f"as an element named for {mention.tool}", enclosed.span, calls, enclosed.why)
    before = line_before(text, mention.start)
    if _LEAD(before) is None:
        return None
    start = mention.start - len(before) + len(before) - len(before.lstrip())
    if (opener := _TO_PARENTHESIS(text, mention.stop)) is not None:
        return _code(text, mention, opener.end(), tools)
    if (found := _TO_OBJECT(text, mention.stop)) is None:
        return None
    read = object_at(text, found.end(), lenient=True)
    form = f"as the name {mention.tool} and an object"
    value = None if read.value is None or read.repeats else fitted(tools, mention.tool, read.value)
    if value is None:
        stop = len(text) if read.value is None else read.stop
        return Shape(
            form,
            (start, stop),
            why=_CUT if read.value is None else "the tool does not take it",
            is_doubtful=True,
        )
    return Shape(form, (start, read.stop), ((mention.tool, value),))


def _code(text: str, mention: Mention, at: int, tools: ToolSet) -> Shape | None:
    """Return the shape of a call in code whose arguments begin at offset *at*."""
    form = f"as code that calls {mention.tool}"
    depth = 1
    for token in _CODE.finditer(text, at):
        depth += (token["opens"] is not None) - (token["closes"] is not None)
        if not depth:
            stop = token.end()
            break
    else:
        return Shape(form, (mention.start, len(text)), why=_CUT, is_doubtful=True)
    span = (mention.start, stop)
    call = PythonCalls(listed=False, lenient=True).read(text[slice(*span)], mention.start)
    given: Any = call.tool_input
    if call.unnamed and tools.checks(mention.tool):
        given = tools.resolve(mention.tool, given, call.others, call.unnamed)
    elif len(call.unnamed) == 1 and not given:
        given = call.unnamed[0]
    elif call.problem or call.tool.rpartition(".")[2] != mention.tool:
        given = None
    value = None if given is None else fitted(tools, mention.tool, given)
    if value is None:
        return Shape(
            form, span, why="its arguments are not values that the tool takes", is_doubtful=True
        )
    return Shape(form, span, ((mention.tool, value),))
