"""General shapes of calls, for what no dialect writes.

================================  ===========================================================
an object                         ``{"tool": "search", "args": {"query": "lakes"}}``,
                                  ``{"search": {"query": "lakes"}}``
code that fills its line          ``search(query="lakes")``
the name, and then an object      ``search: {"query": "lakes"}``
an element or brackets            ``<search><query>lakes</query></search>``,
                                  ``<call tool="search" query="lakes"/>``
================================  ===========================================================

Such a call stands on lines of its own or behind a colon, and nothing follows but others. The same
in a sentence, in quotation marks or in a fence is text.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from itertools import pairwise
from typing import TYPE_CHECKING, Any, Final, NamedTuple

from agent_parsers.engine.calls.code.python_calls import PythonCalls
from agent_parsers.engine.reading.quoting.quotations import speaks_of_results
from agent_parsers.engine.reading.quoting.spans import is_torn, without
from agent_parsers.engine.reading.rules.foreign_calls import Foreign, ForeignCall
from agent_parsers.foreign import spellings
from agent_parsers.foreign.elements import called_element, enclosed_call, speaks_of_calls
from agent_parsers.foreign.objects import calls_in, fitted, is_schema, names_call, object_at
from agent_parsers.foreign.places import (
    Mention,
    framed,
    is_example,
    is_in_block,
    is_over,
    line_before,
    namespace,
    other_mark,
    stands,
    unmarked,
)

if TYPE_CHECKING:
    from agent_parsers.events import Span
    from agent_parsers.toolset import ToolSet


class Shape(NamedTuple):
    """Text that looks like calls, in the form of no dialect."""

    form: str
    """The shape, in words that follow "call"."""
    span: Span
    calls: tuple[tuple[str, Any], ...] = ()
    """The tools and their inputs; empty if no tool takes the input."""
    why: str = ""
    """Why no call can be made of it."""
    is_doubtful: bool = False
    """Whether it may be anything else if other text stands beside it."""
    is_data: bool = False
    """Whether it is a call in a sentence too."""
    end: int = -1
    """Where a call ends that may have marks on both sides in its span; -1 if it has none."""


_CODE: Final = re.compile(
    r"""[^"'()\[\]{}]++|"(?>(?:[^"\\\n]|\\.)*)"|'(?>(?:[^'\\\n]|\\.)*)'|(?P<opens>[(\[{])|(?P<closes>[)\]}])|["']"""
)
_MOST_NAMES: Final = 100
"""How many names are looked at from the beginning of a text, and from its end."""
_MOST_DOUBTS: Final = 16
"""How many names are looked at from the end of a text in which so many calls are cut, or odd."""
_LONGEST_COMMAND: Final = 300
_IS_BRACKETED: Final = re.compile(r"\s*\[[^\[\]]{1,300}\]\s*").fullmatch
_SAYS: Final = re.compile(r"[^\W_]").search
_IS_PROSE: Final = re.compile(r"[.;,!?]\s+\w|\.\s*\Z").search
_KEY: Final = re.compile(r"(?:--?|(?<!\w):)(\w+)|\b(\w+)\s*[=:]")
_CUT: Final = "it is cut off, or cannot be read"
_NO_VALUES: Final = "its arguments are not values that the tool takes"
_UNKNOWN: Final = "no dialect writes calls like that"
_NOT_TAKEN: Final = "the tool does not take this input, or the call can be read in two ways"


def find_shapes(text: str, mentions: Sequence[Mention], tools: ToolSet) -> Foreign | None:
    """Find what looks like calls in *text*, an answer, in the form of no dialect.

    The tools are named in it at *mentions*.
    """
    every = (*_objects(text, mentions, tools), *_at_names(text, mentions, tools))
    shapes = [*_outermost([s for s in every if not s.is_doubtful or _is_all(text, s.span)])]
    document = _DOCUMENT(text)
    if document is not None and not speaks_of_calls(document[1]):
        # Elements in it are data, unless all are calls.
        inner = [shape.span for shape in shapes if shape.span[0] >= document.start(2)]
        rest = "".join(text[a:b] for a, b in without([document.span(2)], inner))
        is_tagged = rest.strip() and not all(shape.is_data and shape.calls for shape in shapes)
        if inner and (is_tagged or speaks_of_results(document[1]) or _TAGS.sub("", rest).strip()):
            return None
    places = stands(text, [shape.span for shape in shapes])
    alone = [shape for shape, place in zip(shapes, places, strict=True) if place == "alone"]
    if not alone:
        odd = (
            Foreign(shape.form, shape.span, why=f"it is {place}")
            for shape, place in zip(shapes, places, strict=True)
            if place in ("in a thought", "in an open fence")
            or (place == "in an element" and shape.is_data)
            or (place != "quoted" and shape.is_data and not is_example(text, shape.span))
        )
        return next(odd, None)
    first, last = alone[0], alone[-1]
    spans = [shape.span for shape in shapes]
    if is_torn(text, spans) or is_in_block(text, spans):
        return Foreign(first.form, first.span, why="it is part of code or of a broken list")
    if (wrong := next((shape for shape in alone if not shape.calls), None)) is not None:
        return Foreign(wrong.form, wrong.span, why=wrong.why)
    if not is_over(text, last.span[1]):
        return Foreign(last.form, last.span, why="text follows it")
    cores = [(unmarked(text, s.span[0]), s.end) if s.end >= 0 else s.span for s in alone]
    why = (mark := other_mark(text, cores)) and f"it is in, or comes after, {mark}"
    named = (m for m in mentions if any(start <= m.start < stop for start, stop in cores))
    spaces = (namespace(text, each) for each in named)
    why = why or next((f"its name is in the namespace {space!r}" for space in spaces if space), "")
    if len(alone) < len(shapes):
        return Foreign(first.form, first.span, why="another call next to it is quoted")
    for one, other in pairwise(alone):
        if not is_over(text[one.span[1] : other.span[0]], 0):
            return Foreign(other.form, other.span, why="text is between it and another call")
    frame = framed(text, [(first.span[0], last.span[1])])
    calls = (ForeignCall(*call, shape.span, None, frame) for shape in alone for call in shape.calls)
    return Foreign(first.form, (first.span[0], last.span[1]), tuple(calls), why)


_DOCUMENT: Final = re.compile(
    r"\s*+(?:<\?[^>]*+>\s*+)?<([\w:-]++)[^<>]*+>(.*)</\1\s*+>\s*+\Z", re.DOTALL
).match
"""Matches a text that is one element."""
_TAGS: Final = re.compile(r"<[^<>]*+>")


def find_nameless(text: str) -> Foreign | None:
    """Find a call at the end of *text* that is one for any set of tools.

    It is an object with a name and arguments, as in many dialects, or an element with a name and
    parameters.
    """
    why = "no tools are given, so it may not be a call"
    is_closed = text.rstrip().endswith(">")
    if is_closed and (element := _NAMED_ELEMENT(text)) is not None:
        span = (element.start(), len(text.rstrip()))
        return Foreign("written as an element with a name and parameters", span, why=why)
    at = text.find("{")
    while at >= 0:
        read = object_at(text, at, lenient=False)
        value = read.value or {}
        given = [value[key] for key in ("arguments", "parameters") if key in value]
        is_named = isinstance(value.get("name"), str) and len(value) == 2
        if is_named and given and isinstance(given[0], dict) and not is_schema(given[0]):
            is_call = stands(text, [(at, read.stop)]) == ["alone"] and is_over(text, read.stop)
            form = "written as an object with a name and arguments"
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
        form = f"written as an object that names {quoted[waiting].tool}"
        if read.value is None:
            if _TO_NAME(text[at : quoted[waiting].start]) and quoted[waiting].start < at + 200:
                yield Shape(form, (at, len(text)), why=_CUT)
                return
        elif quoted[waiting].start < read.stop:
            calls = calls_in(read.value, tools)
            if calls is not None and read.repeats:
                yield Shape(form, (at, read.stop), why="a key appears in it twice")
            elif calls is not None:
                is_data = (
                    bool(calls) or spellings.ends_sentence(text[max(0, at - 3) : at]) is not None
                )
                yield Shape(form, (at, read.stop), tuple(calls), _NOT_TAKEN, is_data=is_data)
        at = max(read.stop, at + 1)


_IS_QUOTED: Final = re.compile(r".*[\"'](?:[\w-]+[./:]+)*\Z", re.DOTALL).match
_TO_NAME: Final = re.compile(r"""\{\s*["']?(?:\w+["']?\s*(?::|=>?)\s*["'])?""").fullmatch
"""Matches the beginning of an object whose first key or value is the name of a tool."""


def _at_names(text: str, mentions: Sequence[Mention], tools: ToolSet) -> Iterator[Shape]:
    """Yield the shapes that begin with the name of a tool."""
    end = 0
    unclosed: set[str] = set()
    if len(mentions) > 2 * _MOST_NAMES:  # what stands between is data, or has text behind it
        mentions = [*mentions[:_MOST_NAMES], *mentions[-_MOST_NAMES:]]
    doubts = 0
    for number, mention in enumerate(mentions):
        if mention.start < end or (doubts > _MOST_DOUBTS and len(mentions) - number > _MOST_DOUBTS):
            continue
        written = text[mention.start : mention.stop]
        shape = _at_name(text, mention, tools, unclosed)
        if shape is None or shape.is_doubtful:
            shape = _in_marks(text, mention, unclosed) or shape
        if shape is not None and (shape.calls or shape.is_data or written == mention.tool):
            doubts += shape.is_doubtful
            end = end if shape.is_doubtful else shape.span[1]
            yield shape


def _at_name(text: str, mention: Mention, tools: ToolSet, unclosed: set[str]) -> Shape | None:
    """Return the shape of the text at the name of a tool, if it has any."""
    enclosed = enclosed_call(text, mention, tools, unclosed)
    if enclosed is not None:
        calls = () if enclosed.tool_input is None else ((mention.tool, enclosed.tool_input),)
        form = f"written as an element named after {mention.tool}"
        is_data = isinstance(enclosed.tool_input, dict) and bool(enclosed.tool_input)
        is_led = spellings.is_role(line_before(text, enclosed.span[0])) is not None
        return Shape(form, enclosed.span, calls, enclosed.why, is_data=is_data or is_led)
    if (labelled := _labelled(text, mention, tools)) is not None:
        return labelled
    before = line_before(text, mention.start)
    dash = spellings.bullet(before)
    start = mention.start - len(before) + (0 if dash is None else dash.end())
    if (named := _named_in_code(text, mention, start, tools)) is not None:
        return named
    member = spellings.opens_member(before)
    if member is not None and names_call(member[1]) is not None:
        form = f"written as an object that names {mention.tool}"
        return Shape(form, (start, len(text)), why=_UNKNOWN, is_doubtful=True)
    key = spellings.named_by_key(before)
    is_key = key is not None and names_call(key[1]) is not None
    if before[-1:] in ("'", '"') and not (is_key and spellings.to_object(text, mention.stop)):
        return None  # it is part of an object, or quoted
    if (opener := spellings.to_parenthesis(text, mention.stop)) is not None:
        return _called_in_code(text, mention, (start, opener.end()), tools)
    return _beside_object(text, mention, start, tools)


def _named_in_code(text: str, mention: Mention, start: int, tools: ToolSet) -> Shape | None:
    """Return the shape of code that calls a tool by its name, or of an object without braces."""
    before = text[start : mention.start]
    if spellings.opens_helper(before) is not None:
        is_first = before != '"' or not text[:start].strip()
        found = spellings.to_value if before == '"' else spellings.to_second
        if is_first and (second := found(text, mention.stop)) is not None:
            return _with_object(text, mention, start, second.end(), tools)
    key = spellings.named_by_key(before)
    is_named = key is not None and "(" in before and names_call(key[1]) is not None
    is_argument = before.rstrip("\"'")[-1:] == "(" and spellings.opens_helper(before) is not None
    if not (is_named or is_argument):
        return None
    form = f"written as code that names {mention.tool}"
    return Shape(form, (start, len(text)), why=_UNKNOWN, is_doubtful=True)


def _called_in_code(text: str, mention: Mention, span: Span, tools: ToolSet) -> Shape | None:
    """Return the shape of a name and a parenthesis, given the *span* of their line so far."""
    before = text[span[0] : mention.start]
    lead = before.lstrip("[(")
    is_spaced = lead[-1:] in ("/", ":") and not any(map(str.isspace, lead))
    is_called = text[span[1] - 1] == "("
    is_wide = not is_called and text.rstrip().find("）") == len(text.rstrip()) - 1
    if (is_spaced and is_called) or (is_wide and spellings.leads_to_name(before)):
        form = f"written as code that calls {mention.tool}"
        return Shape(form, (span[0], len(text)), why=_NO_VALUES, is_doubtful=True)
    if not is_called:
        return None
    is_listed = before[-1:] == "["  # then it is a call in a sentence, too
    if spellings.leads_to_name(before) is not None:
        code = _code(text, mention, span, tools)
        return code._replace(is_data=is_listed and bool(code.calls))
    if _TAGS.sub("", before).strip() == "" != before.strip():
        return _code(text, mention, (mention.start, span[1]), tools)._replace(is_data=True)
    opened = before.rfind("[")
    if opened >= 0 and spellings.leads_to_name(before[opened:]) is not None:
        code = _code(text, mention, (span[0] + opened, span[1]), tools)
        return code._replace(is_data=True) if code.calls and code.calls[0][1] else None
    if spellings.leads_in_code(before) is None or _IS_PROSE(text[:_LONGEST_COMMAND]):
        return None
    form = f"written as code that calls {mention.tool}"
    return Shape(form, (span[0], len(text)), why=_NO_VALUES, is_doubtful=True)


def _beside_object(text: str, mention: Mention, start: int, tools: ToolSet) -> Shape | None:
    """Return the shape of a name and an object, or of a command."""
    before = text[start : mention.start]
    is_marked = spellings.opens_mark(before) is not None
    found = spellings.to_object(text, mention.stop)
    if spellings.leads_to_name(before) is None and not is_marked:
        is_joined = not text[: mention.start][-1:].isspace() and before[-1:] != "`"
        if found is None or not (is_joined or spellings.says_it_calls(before)):
            return None
        shape = _with_object(text, mention, mention.start, found.end(), tools)
        return shape._replace(is_data=True) if shape.calls and shape.calls[0][1] else None
    if found is None:
        return _command(text, mention, start, tools)
    shape = _with_object(text, mention, start, found.end(), tools)
    behind = spellings.closes_mark(text, shape.span[1]) if is_marked and shape.calls else None
    return shape if behind is None else shape._replace(span=(start, behind.end()))


def _with_object(text: str, mention: Mention, start: int, at: int, tools: ToolSet) -> Shape:
    """Return the shape of a name, from offset *start* on, and the object at offset *at*."""
    read = object_at(text, at, lenient=True)
    form = f"written as the name {mention.tool} and an object"
    given, tool = read.value, mention.tool
    inner = calls_in(given, tools) if given and not tools.declares(tool, given) else None
    if inner is not None:  # the object is a call itself, and has to name the same tool
        given = inner[0][1] if len(inner) == 1 and inner[0][0] == tool else None
    value = None if given is None or read.repeats else fitted(tools, tool, given)
    if value is None:
        stop, why = (len(text), _CUT) if read.value is None else (read.stop, _NOT_TAKEN)
        return Shape(form, (start, stop), why=why, is_doubtful=True)
    return Shape(form, (start, _end_of(text, read.stop)), ((tool, value),), end=read.stop)


def _end_of(text: str, at: int) -> int:
    """Return where the punctuation and the marks end that follow a call at offset *at*."""
    behind = spellings.trail(text, at)
    return at if behind is None else behind.end()


def _labelled(text: str, mention: Mention, tools: ToolSet) -> Shape | None:
    """Return the shape of a label with the name of a tool, and lines with its parameters.

    They may be YAML, TOML, or the lines of a framework::

        tool: search                TOOL_NAME: search
        arguments:                  BEGIN_ARG: query
          query: lakes              lakes
                                    END_ARG
    """
    before = line_before(text, mention.start)
    label, end = spellings.labels_name(before), spellings.ends_label(text, mention.stop)
    if label is None or end is None or not names_call(label[1].strip().replace(" ", "_")):
        return None
    rest = text[end.end() : end.end() + _LONGEST_COMMAND]
    lines = [line for line in rest.splitlines() if _SAYS(line)]
    keys = [pair[1].strip() for line in lines if (pair := spellings.pair(line)) is not None]
    is_given = any(map(spellings.is_input, keys)) or (
        tools.checks(mention.tool) and any(tools.declares(mention.tool, (k.lower(),)) for k in keys)
    )
    if any(map(spellings.is_report, keys)) or not (
        is_given if lines else spellings.is_action(label[1].strip())
    ):
        return None
    if lines and (opener := spellings.to_object(text, mention.stop)) is not None:
        if spellings.leads_to_name(before) is not None:
            return None
        found = _with_object(text, mention, mention.start - len(before), opener.end(), tools)
        return found._replace(is_doubtful=True)
    over = spellings.ends_lines(text, end.end())
    stop = len(text.rstrip()) if over is None or "BEGIN_ARG" in rest else over.start()
    if not is_over(text, stop) and not any(map(spellings.is_input, keys)):
        return None
    form = f"written as lines with {mention.tool} and its parameters"
    return Shape(form, (mention.start - len(before), stop), why=_UNKNOWN, is_data=True)


def _in_marks(text: str, mention: Mention, unclosed: set[str]) -> Shape | None:
    """Return the shape of an element that holds a call, or of a name and elements of arguments."""
    if (span := called_element(text, mention, unclosed)) is not None:
        return Shape(f"written as an element with {mention.tool} in it", span, why=_UNKNOWN)
    lead = line_before(text, mention.start)
    if spellings.to_elements(text, mention.stop) is None or spellings.leads_to_name(lead) is None:
        return None
    span = (mention.start - len(lead), len(text))
    return Shape(f"written as the name {mention.tool!r} and tags", span, why=_UNKNOWN)


def _command(text: str, mention: Mention, start: int, tools: ToolSet) -> Shape | None:
    """Return the shape of a text that is nothing but a name and what looks like parameters."""
    after = text[mention.stop : mention.stop + _LONGEST_COMMAND]
    keys = (
        [key or other for key, other in _KEY.findall(after)] if tools.checks(mention.tool) else []
    )
    is_marked = text[mention.start - 1 : mention.start] in tuple("/!@$") and mention.start > 0
    is_command = (
        is_marked
        or after[:1] == "["
        or _IS_BRACKETED(text)
        or any(tools.declares(mention.tool, (k,)) for k in keys)
    )
    if not is_command or text[:start].strip() or _IS_PROSE(text[:_LONGEST_COMMAND]):
        return None
    form = f"written as the name {mention.tool} and parameters"
    return Shape(
        form,
        (start, len(text)),
        why="nothing shows where the parameters begin and end",
        is_doubtful=True,
    )


def _code(text: str, mention: Mention, span: Span, tools: ToolSet) -> Shape:
    """Return the shape of a call in code, given the *span* of its name and parenthesis."""
    form = f"written as code that calls {mention.tool}"
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
    elif call.problem or call.tool.rpartition(".")[2] != text[mention.start : mention.stop]:
        given = None
    value = None if given is None else fitted(tools, mention.tool, given)
    if value is None:
        return Shape(form, (start, stop), why=_NO_VALUES, is_doubtful=True)
    return Shape(form, (start, _end_of(text, stop)), ((mention.tool, value),), end=stop)
