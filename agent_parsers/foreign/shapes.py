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
from collections.abc import Iterator, Sequence
from itertools import pairwise
from typing import TYPE_CHECKING, Any, Final, NamedTuple

from agent_parsers.engine.calls.code.python_calls import PythonCalls
from agent_parsers.engine.reading.quoting.spans import without
from agent_parsers.engine.reading.rules.foreign import Foreign, ForeignCall
from agent_parsers.foreign.elements import called_element, enclosed_call, speaks_of_calls
from agent_parsers.foreign.objects import calls_in, fitted, is_schema, object_at
from agent_parsers.foreign.places import Mention, is_example, is_over, line_before, stands

if TYPE_CHECKING:
    from agent_parsers.events import Span
    from agent_parsers.toolset import ToolSet


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


_BULLET: Final = re.compile(r"[ \t]*(?:[>#•-]+[ \t]*|\*[ \t]+)*").match
_LEAD: Final = re.compile(
    r"(?:[`*✿]{0,3}(?:action|call|tool|function|use|invoke|execute|run|request)"
    r"(?:[ _-](?:call|name|to use))?[`*✿]{0,3}[ \t]*[:=]?[`*]{0,3}[ \t]*)?[`*\[({<|@!/$]{0,3}[ \t]?"
    r"(?:\w+\.)*",
    re.IGNORECASE,
).fullmatch
"""Matches what may stand before a name on its line."""
_CODE_LEAD: Final = re.compile(r"\s*(?:\w+\s*=\s*)?(?:(?:await|return)\s+)?(?:print\()?").fullmatch
"""Matches what stands before a call in a line of code."""
_MARK_BEFORE: Final = re.compile(r"[ \t]*[<\[{|][^\s\w]{0,2}\w{0,20}[^\s\w]{0,3}[ \t]*").fullmatch
_MARK_BEHIND: Final = re.compile(r"\s*[<\[{|][/|]?[^\s\w]{0,2}\w{0,40}[^\s\w]{0,2}[>\]}|]").match
"""Match marks of an unknown form around a name and an object."""
_TO_OBJECT: Final = re.compile(
    r"(?::\d{1,4}\b)?[\s*`'\"|>\]]{0,6}(?:[:=(-]>?|→)?[\s*`✿]{0,6}"
    r"(?:(?:with|and|tool|action)?[ _]?(?:args?|arguments?|inputs?|parameters?|params)"
    r"[\s*`✿]{0,4}[:=]?[\s*`]{0,6})?(?:```\w*\s*)?(?=\{)",
    re.IGNORECASE,
).match
_TO_PARENTHESIS: Final = re.compile(r"(?:\.call)?[ \t]?\(").match
_ARGUMENTS_BEHIND: Final = re.compile(r"\s*<(?:arg|param)\w*[>=\s]").match
_CODE: Final = re.compile(
    r"""[^"'()\[\]{}]++|"(?>(?:[^"\\\n]|\\.)*)"|'(?>(?:[^'\\\n]|\\.)*)'|(?P<opens>[(\[{])|(?P<closes>[)\]}])|["']"""
)
_LONGEST_COMMAND: Final = 300
_IS_PROSE: Final = re.compile(r"[.;,!?]\s+\w|\.\s*\Z").search
_KEY: Final = re.compile(r"--?(\w+)|\b(\w+)\s*[=:]")
_CUT: Final = "it is cut off, or cannot be read"
_NO_VALUES: Final = "its arguments are not values that the tool takes"
_UNKNOWN: Final = "no dialect writes calls like that"
_NOT_TAKEN: Final = "the tool does not take it, or it can be read in two ways"


def find_shapes(text: str, mentions: Sequence[Mention], tools: ToolSet) -> Foreign | None:
    """Find the calls in *text* that have a general shape.

    Args:
        text: The text of an answer.
        mentions: Where the tools are named in it.
        tools: The available tools.
    """
    shapes = [*_outermost([*_objects(text, mentions, tools), *_at_names(text, mentions, tools)])]
    document = _DOCUMENT(text)
    if document is not None and not speaks_of_calls(document[1]):
        # Elements in it are data, unless all are calls.
        inner = [shape.span for shape in shapes if shape.span[0] >= document.start(2)]
        if inner and "".join(text[a:b] for a, b in without([document.span(2)], inner)).strip():
            return None
    places = stands(text, [shape.span for shape in shapes])
    alone = [shape for shape, place in zip(shapes, places, strict=True) if place == "alone"]
    alone = [each for each in alone if not each.is_doubtful or _is_all(text, each.span)]
    if not alone:
        odd = (
            Foreign(shape.form, shape.span, why=f"it stands {place}")
            for shape, place in zip(shapes, places, strict=True)
            if place != "quoted" and shape.is_data and not is_example(text, shape.span)
        )
        return next(odd, None)
    first, last = alone[0], alone[-1]
    if (wrong := next((shape for shape in alone if not shape.calls), None)) is not None:
        return Foreign(wrong.form, wrong.span, why=wrong.why)
    if not is_over(text, last.span[1]):
        return Foreign(last.form, last.span, why="text follows it")
    for one, other in pairwise(alone):
        if not is_over(text[one.span[1] : other.span[0]], 0):
            return Foreign(other.form, other.span, why="it is one of several, with text between")
    calls = (ForeignCall(*call, shape.span) for shape in alone for call in shape.calls)
    return Foreign(first.form, (first.span[0], last.span[1]), tuple(calls))


_DOCUMENT: Final = re.compile(
    r"\s*+(?:<\?[^>]*+>\s*+)?<([\w:-]++)[^<>]*+>(.*)</\1\s*+>\s*+\Z", re.DOTALL
).match
"""Matches a text that is one element."""


def find_nameless(text: str) -> Foreign | None:
    """Find what is a call whatever tools there are, at the end of *text*.

    That is an object with a name and arguments, as many dialects write it, or an element with a
    name and parameters.
    """
    why = "the tools are not known"
    is_closed = text.rstrip().endswith(">")
    if is_closed and (element := _NAMED_ELEMENT(text)) is not None:
        span = (element.start(), len(text.rstrip()))
        return Foreign("as an element with a name and parameters", span, why=why)
    at = text.find("{")
    while at >= 0:
        read = object_at(text, at, lenient=False)
        value = read.value or {}
        given = [value[key] for key in ("arguments", "parameters") if key in value]
        is_named = isinstance(value.get("name"), str) and len(value) == 2
        if is_named and given and isinstance(given[0], dict) and not is_schema(given[0]):
            is_call = stands(text, [(at, read.stop)]) == ["alone"] and is_over(text, read.stop)
            form = "as an object with a name and arguments"
            return Foreign(form, (at, read.stop), why=why) if is_call else None
        at = text.find("{", max(read.stop, at + 1))
    return None


_NAMED_ELEMENT: Final = re.compile(
    r"^.{0,500}?<([\w:|]{1,40})>\s*+[\w.-]{1,200}+\s*+<(?:arg|param)\w{0,40}[>= ].*</\1>\s*\Z",
    re.DOTALL,
).search


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
    quoted = [each for each in mentions if _IS_QUOTED(text, max(0, each.start - 100), each.start)]
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
                yield Shape(form, (at, read.stop), tuple(calls), _NOT_TAKEN, is_data=bool(calls))
        at = max(read.stop, at + 1)


_IS_QUOTED: Final = re.compile(r".*[\"'](?:\w+\.)*\Z", re.DOTALL).match
_TO_NAME: Final = re.compile(r"""\{\s*["']?(?:\w+["']?\s*:\s*["'])?""").fullmatch
"""Matches the beginning of an object whose first key or value is the name of a tool."""


def _at_names(text: str, mentions: Sequence[Mention], tools: ToolSet) -> Iterator[Shape]:
    """Yield the shapes that begin with the name of a tool."""
    end = 0
    unclosed: set[str] = set()
    for mention in mentions:
        if mention.start < end:
            continue
        shape = _at_name(text, mention, tools, unclosed)
        if shape is None or shape.is_doubtful:
            shape = _in_marks(text, mention, unclosed) or shape
        if shape is not None:
            end = shape.span[1]
            yield shape


def _at_name(text: str, mention: Mention, tools: ToolSet, unclosed: set[str]) -> Shape | None:
    """Return the shape of the text at the name of a tool, if it has any."""
    enclosed = enclosed_call(text, mention, tools, unclosed)
    if enclosed is not None:
        calls = () if enclosed.tool_input is None else ((mention.tool, enclosed.tool_input),)
        form = f"as an element named for {mention.tool}"
        is_data = isinstance(enclosed.tool_input, dict) and bool(enclosed.tool_input)
        return Shape(form, enclosed.span, calls, enclosed.why, is_data=is_data)
    before = line_before(text, mention.start)
    if before[-1:] in ("'", '"'):
        return None  # it is part of an object, or quoted
    bullet = _BULLET(before)
    start = mention.start - len(before) + (0 if bullet is None else bullet.end())
    lead = _LEAD(text[start : mention.start])
    if (opener := _TO_PARENTHESIS(text, mention.stop)) is not None:
        if lead is not None:
            return _code(text, mention, (start, opener.end()), tools)
        if _CODE_LEAD(text[start : mention.start]) is None or _IS_PROSE(text[:_LONGEST_COMMAND]):
            return None
        form = f"as code that calls {mention.tool}"
        return Shape(form, (start, len(text)), why=_NO_VALUES, is_doubtful=True)
    is_marked = _MARK_BEFORE(text[start : mention.start]) is not None
    if lead is None and not is_marked:
        return None
    if (found := _TO_OBJECT(text, mention.stop)) is None:
        return _command(text, mention, start, tools)
    read = object_at(text, found.end(), lenient=True)
    form = f"as the name {mention.tool} and an object"
    value = None if read.value is None or read.repeats else fitted(tools, mention.tool, read.value)
    if value is None:
        stop, why = (len(text), _CUT) if read.value is None else (read.stop, _NOT_TAKEN)
        return Shape(form, (start, stop), why=why, is_doubtful=True)
    behind = _MARK_BEHIND(text, read.stop) if is_marked else None
    stop = read.stop if behind is None else behind.end()
    return Shape(form, (start, stop), ((mention.tool, value),))


def _in_marks(text: str, mention: Mention, unclosed: set[str]) -> Shape | None:
    """Return the shape of an element that holds a call, or of a name and elements of arguments."""
    if (span := called_element(text, mention, unclosed)) is not None:
        return Shape(f"as an element with {mention.tool} in it", span, why=_UNKNOWN)
    lead = line_before(text, mention.start)
    if _ARGUMENTS_BEHIND(text, mention.stop) is None or _LEAD(lead) is None:
        return None
    span = (mention.start - len(lead), len(text))
    return Shape(f"as the name {mention.tool} and elements", span, why=_UNKNOWN)


def _command(text: str, mention: Mention, start: int, tools: ToolSet) -> Shape | None:
    """Return the shape of a text that is nothing but a name and what looks like parameters."""
    after = text[mention.stop : mention.stop + _LONGEST_COMMAND]
    keys = (
        [key or other for key, other in _KEY.findall(after)] if tools.checks(mention.tool) else []
    )
    is_marked = text[mention.start - 1 : mention.start] in tuple("/!@$") and mention.start > 0
    is_command = (
        is_marked or after[:1] == "[" or any(tools.declares(mention.tool, (k,)) for k in keys)
    )
    if not is_command or text[:start].strip() or _IS_PROSE(text[:_LONGEST_COMMAND]):
        return None
    form = f"as the name {mention.tool} and parameters"
    return Shape(
        form, (start, len(text)), why="nothing shows where they begin and end", is_doubtful=True
    )


def _code(text: str, mention: Mention, span: Span, tools: ToolSet) -> Shape | None:
    """Return the shape of a call in code, given the *span* of its name and parenthesis."""
    form = f"as code that calls {mention.tool}"
    start, at = span
    depth = 1
    for token in _CODE.finditer(text, at):
        depth += (token["opens"] is not None) - (token["closes"] is not None)
        if not depth:
            stop = token.end()
            break
    else:
        return Shape(form, (start, len(text)), why=_CUT, is_doubtful=True)
    call = PythonCalls(listed=False, lenient=True).read(text[mention.start : stop], mention.start)
    given: Any = call.tool_input
    if len(call.unnamed) == 1 and not given and isinstance(call.unnamed[0], str | dict):
        given = call.unnamed[0]
    elif call.unnamed and tools.checks(mention.tool):
        given = tools.resolve(mention.tool, given, call.others, call.unnamed)
    elif call.problem or call.tool.rpartition(".")[2] != mention.tool:
        given = None
    value = None if given is None else fitted(tools, mention.tool, given)
    if value is None:
        return Shape(form, (start, stop), why=_NO_VALUES, is_doubtful=True)
    return Shape(form, (start, stop), ((mention.tool, value),))
