"""Elements and brackets that are calls: named for a tool, or with its name in an attribute."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any, Final, NamedTuple

from agent_parsers.engine.reading.quoting.quotations import is_wrapper
from agent_parsers.foreign.objects import fitted, names_call, object_at

if TYPE_CHECKING:
    from agent_parsers.events import Span
    from agent_parsers.foreign.places import Mention
    from agent_parsers.toolset import ToolSet

_FARTHEST: Final = 200
"""How far before the name of a tool its element may begin, in characters."""
_TAG: Final = re.compile(r"([<\[])\s*([\w:|.-]+)((?:\s*=\s*|\s)[^<>\[\]]*?)?\s*(/?)([>\]])")
_ATTRIBUTE: Final = re.compile(r"""([\w:.-]+)\s*=\s*(?:"([^"]*)"|'([^']*)'|([^\s"'/>\]]+))""")
_VALUE: Final = re.compile(r"""\s*=\s*["']?([^"'\s]+)["']?\s*""")
_CHILD: Final = re.compile(r"<\s*([\w:.-]+)((?:\s*=\s*|\s)[^<>]*)?>")
_LINE: Final = re.compile(r"\s*([\w-]+)\s*[:=]\s*(.*?)\s*")
_END_OF_TAG: Final = re.compile(r"\s*[>\]]").match
_BEGINS_PARAMETER: Final = re.compile(r"\s*[<{]|\s*[\w-]+\s*[:=]").match
_IS_WRAPPER: Final = re.compile(r"(?:tool_?)?(?:arg|param|input|kwarg)\w*", re.IGNORECASE).fullmatch
speaks_of_calls: Final = re.compile(
    r"tool|func|call|invoke|exec|command|action|python|\bfn\b", re.IGNORECASE
).search
"""Whether the name of an element says that it holds a call."""
_OPENS_CALL: Final = re.compile(
    r"([<\[])\s*([\w:|.-]{1,60})[>\]]\s*(?:<[\w:|.-]{1,60}>(?:[^<>]{0,40}</[\w:|.-]{1,60}>)?\s*|"
    r"\{+\s*(?:\w+\s*(?:=>|[:=])\s*)?[\"']?)*"
    r"(?:(?:await\s+|return\s+)?(?:print\s*\(\s*)?(?:\w+\.)*)\Z"
).search
"""Matches a tag, and what may stand between it and the name of a tool: other tags, or code."""
_ENDS_NAME: Final = re.compile(r"\s*(?:</|<(?:arg|param))|(?:\.call)?\s*\(|[\"']\s*[,}]").match
_OBJECT: Final = re.compile(r"\s*\{\s*\"").match
_NEXT_ELEMENTS: Final = re.compile(r"(?:\s*<([\w:|.-]+)>[^<]*</\1\s*>)*").match
_OTHERS: Final = ("id", "type")
"""Attributes that are no parameters, unless the tool declares them."""


class Enclosed(NamedTuple):
    """An element that looks like a call."""

    span: Span
    tool_input: Any = None
    """The input as the tool takes it; `None` if the call cannot be made."""
    why: str = ""
    """Why it cannot be made."""


def enclosed_call(
    text: str, mention: Mention, tools: ToolSet, unclosed: set[str]
) -> Enclosed | None:
    """Return the element or brackets named after the tool of *mention*, if they are a call.

    The list *unclosed* collects the openers that are not closed.
    """
    opener = _opener(text, mention)
    if opener is None:
        return _with_name_as_text(text, mention, tools, unclosed)
    written = text[mention.start : mention.stop]
    attributes = _attributes(opener[3] or "", mention.tool, written, tools)
    whole = opener.span()
    if attributes and _ATTRIBUTE.sub("", opener[3] or "").strip(" \t\r\n,;"):
        return Enclosed(whole, why="there is other text among its parameters")
    if opener[4]:
        return _made(whole, attributes, "", mention.tool, tools)
    closer = _closer(text, opener[1] + "/" + opener[2].rstrip(":"), opener.end(), unclosed)
    if closer is not None:
        body = text[opener.end() : closer[0]]
        return _made((whole[0], closer[1]), attributes, body, mention.tool, tools)
    if opener[1] == "[":
        return _made(whole, attributes, "", mention.tool, tools) if attributes else None
    if attributes or _BEGINS_PARAMETER(text, opener.end()):
        return Enclosed((whole[0], len(text)), why="it is not closed")
    return None


def called_element(text: str, mention: Mention, unclosed: set[str]) -> Span | None:
    """Return the span of an element with a name like ``tool_code``, if a tool's name is in it.

    The name of the tool is followed by the end of the element, or by a parenthesis::

        <tool_code>print(search("lakes"))</tool_code>
        <use_tool>search</use_tool><args>{"query": "lakes"}</args>
    """
    if _ENDS_NAME(text, mention.stop) is None:
        return None
    first = max(0, mention.start - _FARTHEST)
    opener = _OPENS_CALL(text[first : mention.start])
    if opener is None:
        return None
    closer = _closer(text, f"{opener[1]}/{opener[2]}", mention.stop, unclosed)
    if not speaks_of_calls(opener[0]) and not (closer and _OBJECT(text, closer[1])):
        return None
    stop = len(text) if closer is None else closer[1]
    following = _NEXT_ELEMENTS(text, stop)
    return first + opener.start(), stop if following is None else following.end()


def _closer(text: str, mark: str, at: int, unclosed: set[str]) -> Span | None:
    """Return the span of the closing tag that begins with *mark*, from offset *at* on."""
    start = -1 if mark in unclosed else text.find(mark, at)
    end = None if start < 0 else _END_OF_TAG(text, start + len(mark))
    if end is None:
        unclosed.add(mark)
        return None
    return start, end.end()


def _opener(text: str, mention: Mention) -> re.Match[str] | None:
    """Return the tag that is named for the tool, or has its name as the value of an attribute."""
    first = max(0, mention.start - _FARTHEST)
    for mark in "<[":
        at = text.rfind(mark, first, mention.start)
        is_doubled = at > 0 and text[at - 1] == mark
        tag = _TAG.match(text, at) if at >= 0 and not is_doubled else None
        if tag is None or tag.end() < mention.stop or (mark == "<") != (tag[5] == ">"):
            continue
        written, says = text[mention.start : mention.stop], speaks_of_calls(tag[2]) is not None
        given = _VALUE.fullmatch(tag[3] or "")
        if written == tag[2] or (says and written == (tag[3] or "").strip()):
            return tag
        named = (e for e in _ATTRIBUTE.finditer(tag[3] or "") if says or names_call(e[1]))
        if given is not None and given[1] == written:
            return tag
        if any(written in each.groups()[1:] for each in named):
            return tag
    return None


def _attributes(written: str, tool: str, name: str, tools: ToolSet) -> dict[str, str]:
    """Return the attributes of a tag that are parameters of the *tool*."""
    found = {each[1]: each[2] or each[3] or each[4] or "" for each in _ATTRIBUTE.finditer(written)}
    return {
        key: value
        for key, value in found.items()
        if (value != name and key.lower() not in _OTHERS)
        or (tools.checks(tool) and tools.declares(tool, (key,)))
    }


def _with_name_as_text(
    text: str, mention: Mention, tools: ToolSet, unclosed: set[str]
) -> Enclosed | None:
    """Return an element whose text begins with the name of the tool, if a tool takes the rest."""
    before = text[max(0, mention.start - _FARTHEST) : mention.start].rstrip()
    opener = re.search(r"<\s*([\w:|.-]+)\s*>\Z", before)
    if opener is None or not re.match(r"[ \t]*(?:\n|<)", text[mention.stop : mention.stop + 99]):
        return None
    start = max(0, mention.start - _FARTHEST) + opener.start()
    closer = _closer(text, f"</{opener[1]}", mention.stop, unclosed)
    if closer is None:
        return None
    given = _parameters(text[mention.stop : closer[0]], tools, mention.tool)
    value = None if not isinstance(given, dict) else fitted(tools, mention.tool, given)
    if not given or value is None:
        return None
    is_object = text[mention.stop : mention.stop + _FARTHEST].lstrip()[:1] == "{"
    if is_object and not is_wrapper(opener[1].casefold(), is_led=False):
        return Enclosed((start, closer[1]), why=f"it is in <{opener[1]}>")
    return Enclosed((start, closer[1]), value)


def _made(
    span: Span, attributes: dict[str, str], body: str, tool: str, tools: ToolSet
) -> Enclosed | None:
    """Return the call of an element with these *attributes* and this *body*."""
    given = _parameters(body, tools, tool)
    if given is None or (attributes and isinstance(given, str)):
        return Enclosed(span, why="its parameters cannot be read")
    if isinstance(given, dict) and attributes.keys() & given.keys():
        return Enclosed(span, why="a parameter appears in it twice")
    value = fitted(tools, tool, {**attributes, **given} if isinstance(given, dict) else given)
    if value is None:
        return Enclosed(span, why=f"{tool} does not take these parameters")
    return Enclosed(span, value)


def _parameters(body: str, tools: ToolSet, tool: str) -> dict[str, Any] | str | None:
    """Return the parameters in the *body* of an element: elements, an object, or lines.

    Other text is returned as it is. The result is `None` if they cannot be read.
    """
    body = body.strip()
    if not body:
        return {}
    if body[0] == "{":
        read = object_at(body, 0, lenient=True)
        is_whole = read.value is not None and not read.repeats and not body[read.stop :].strip()
        return read.value if is_whole else None
    if body[0] == "<":
        return _children(body, tools, tool)
    lines = [_LINE.fullmatch(line) for line in body.splitlines() if line.strip()]
    pairs = [(line[1], line[2]) for line in lines if line]
    if len(pairs) == len(lines) and tools.declares(tool, (key for key, _ in pairs)):
        given = dict(pairs)
        return given if len(given) == len(pairs) else None
    return body


def _children(body: str, tools: ToolSet, tool: str) -> dict[str, Any] | str | None:
    """Return the parameters in the elements of a *body*; `None` if there is anything else in it."""
    given: dict[str, Any] = {}
    at, key_before = 0, ""
    while child := _CHILD.match(body, at):
        stop = body.find(f"</{child[1]}", child.end())
        end = body.find(">", stop)
        if stop < 0 or end < 0:
            return None
        value, at = body[child.end() : stop], end + 1
        at += len(body[at:]) - len(body[at:].lstrip())
        key = _key_of(child)
        if key_before:
            key, key_before = key_before, ""
        elif child[1].lower().endswith(("key", "name")) and not child[2]:
            key_before = value.strip()
            continue
        elif (
            _IS_WRAPPER(key) and not given and at >= len(body) and not tools.declares(tool, (key,))
        ):
            return _parameters(value, tools, tool)
        if key in given:
            return None
        given[key] = value.removeprefix("\n").removesuffix("\n")
    if key_before or at < len(body):
        return None
    return tools.resolve(tool, given, dict.fromkeys(given, tuple)) if tools.checks(tool) else given


def _key_of(child: re.Match[str]) -> str:
    """Return the name of the parameter in an element."""
    if child[2] and (value := _VALUE.fullmatch(child[2])):
        return value[1]
    named = [
        each for each in _ATTRIBUTE.finditer(child[2] or "") if each[1].lower() in ("name", "key")
    ]
    return (named[0][2] or named[0][3] or named[0][4] or "") if named else child[1]
