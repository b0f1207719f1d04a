"""What models put around the name of a tool and its input, and how it comes off.

Each rule takes off what cannot be part of the value, or leaves the text as it is. What is taken off
is told as a repair. Half a value is an error: nobody wants half an input acted on.
"""

from __future__ import annotations

import ast
import json
import re
from typing import TYPE_CHECKING, Any, Final
from warnings import catch_warnings, simplefilter

from agent_parsers.engine._events import Repair
from agent_parsers.engine._payloads import BadPayload, ToolHead
from outputs._json_errors import JsonError, JsonIncompleteError
from outputs._json_load import load_json

if TYPE_CHECKING:
    from collections.abc import Collection


__all__ = ["mend_answer", "mend_input", "mend_json_input", "mend_tool", "read_python_call"]

# -- names ----------------------------------------------------------------------------------------

_BARE_NAME: Final = re.compile(r"[^\W\d][\w-]*").fullmatch
_PLAIN_NAME: Final = re.compile(r"\w[\w .-]*+").fullmatch
_DRESSING: Final = {"`": "`", '"': '"', "'": "'", "[": "]", "<": ">", "*": "*", "“": "”", "‘": "’"}
_NAMESPACE: Final = re.compile(r"(?:functions?|tools?|default_api)[.:](?=\w)").match
_CALL: Final = re.compile(r"([\w.-]+)[ \t]*\((.*)\)", re.DOTALL).fullmatch
_MARKS: Final = re.compile(r"[\W_]+")
_NO_ACTION: Final = {
    "none", "n/a", "na", "no action", "no action needed", "no tool", "null", "nothing",
}  # fmt: skip
_ANSWERS: Final = {"final answer", "finalanswer"}
_NO_NAMES: Final = _NO_ACTION | _ANSWERS
_LEADS: Final = frozenset(
    [
        "i",
        "d",
        "ll",
        "we",
        "will",
        "shall",
        "should",
        "would",
        "can",
        "must",
        "need",
        "want",
        "have",
        "going",
        "let",
        "s",
        "me",
        "us",
        "now",
        "first",
        "then",
        "to",
        "try",
        "use",
        "using",
        "ask",
        "call",
        "calling",
        "run",
        "invoke",
        "apply",
        "consult",
        "query",
        "perform",
        "execute",
        "do",
        "with",
        "a",
        "an",
        "the",
        "my",
        "this",
        "tool",
        "tools",
        "function",
        "action",
    ]
)
"""Words that may stand before the name of a tool that is meant; ``avoid`` is none of them."""
_DENIAL: Final = re.compile(
    r"\b(?:no|not|none|never|without|cannot|unnecessary|impossible)\b|n['’]t\b", re.IGNORECASE
).search


def is_bare_name(name: str) -> bool:
    """Tell whether *name* is a word that `mend_tool` leaves as it is, whatever the tools are."""
    return _BARE_NAME(name) is not None and name.lower() not in _NO_NAMES


def mend_tool(written: str, tools: Collection[str] | None, repairs: list[Repair]) -> ToolHead:
    """Read the name of a tool as models write it.

    Quotes, backticks, brackets and emphasis around the whole name go, and so does a namespace
    (``functions.search``). A call (``search("old bridge")``, ``search(query="old bridge")``) is a
    name and an input. Where the *tools* are known, a name that differs from one of them only in
    case, spaces and marks is that one, and so is a phrase that holds the name of exactly one of
    them behind nothing but words that lead to it (``Use search``), unless it denies something (``Do
    not use search``). A name that is among the tools is never touched.

    Raises:
        BadPayload: It says that there is no action (``None``), or its input is cut.
    """
    if tools is not None and written in tools:
        return ToolHead(written)
    name = _undressed(written)
    tool_input: str | dict[Any, Any] | None = None
    if (call := read_python_call(name)) is not None:
        name, arguments = call
        tool_input = arguments or None
    if (namespace := _NAMESPACE(name)) is not None and not (tools is not None and name in tools):
        name = name[namespace.end() :]
    key = name.lower().rstrip(".")
    is_phrase = False
    if tools is None or name not in tools:
        if key in _ANSWERS:
            _tell(repairs, "answer_as_action", written, "the answer is written as an action")
            return ToolHead(name, tool_input, is_answer=True, needs_input=True)
        if key in _NO_ACTION:
            raise BadPayload("no_action", (0, len(written)))
        if tools is not None:
            name, is_phrase = _known(name, tools)
    if name != written:
        _tell(repairs, "tool_name", written, f"read the name of the tool as {name!r}")
    return ToolHead(name, tool_input, needs_input=is_phrase)


def _tell(repairs: list[Repair], kind: str, written: str, message: str) -> None:
    repairs.append(Repair(kind, (0, len(written)), message))


def _undressed(name: str) -> str:
    """Take off pairs of marks that enclose all of *name*, and a full stop."""
    while _PLAIN_NAME(name) is None and len(name) > 2:
        closer = _DRESSING.get(name[0])
        inner = name[1:-1]
        if closer is None or name[-1] != closer or closer in inner.strip("*") or not inner.strip():
            break
        name = inner.strip()
    return name


def _known(name: str, tools: Collection[str]) -> tuple[str, bool]:
    """Return the one of *tools* that *name* can only mean, and whether *name* is a phrase with it.

    If there is none, or more than one, that is *name* itself.
    """
    key = _MARKS.sub("", name).casefold()
    same = [tool for tool in tools if _MARKS.sub("", tool).casefold() == key]
    if len(same) == 1:
        return same[0], False
    words = _words(name)
    within = [tool for tool in tools if _words(tool) in words]
    if len(within) == 1 and not same and "\n" not in name and _means(name, words, within[0]):
        return within[0], True
    return name, False


def _means(phrase: str, words: str, tool: str) -> bool:
    """Tell whether *phrase*, which consists of *words*, says to use the *tool* that it names."""
    before, _, after = words.partition(_words(tool))
    return _LEADS.issuperset(before.split()) and not (_DENIAL(phrase) or _words(tool) in after)


def _words(text: str) -> str:
    return f" {_MARKS.sub(' ', text).casefold().strip()} "


def read_python_call(text: str) -> tuple[str, str | dict[Any, Any]] | None:
    """Read ``name("text")``, ``name(a=1, b=[2])`` or ``name({"a": 1})``; `None` if it is none.

    The arguments are one text, or literals by name; any other single literal is its JSON.
    """
    if text[-1:] != ")" or (call := _CALL(text)) is None:
        return None
    arguments = _read_arguments(call[2])
    return None if arguments is None else (call[1], arguments)


_MOST_ARGUMENTS: Final = 10_000
"""Longest arguments of a call in the place of a name, in characters."""


def _read_arguments(text: str) -> str | dict[Any, Any] | None:
    """Read the arguments of a call: JSON, literals by name, or one text; `None` if they are none.

    Nothing is evaluated: only literals have a value.
    """
    text = text.strip()
    if not text:
        return ""
    if len(text) > _MOST_ARGUMENTS:
        return None
    try:
        with catch_warnings():
            simplefilter("ignore")  # about escapes in strings
            call = ast.parse(f"f({text})", mode="eval").body
        if not isinstance(call, ast.Call):
            return None
        args = [_literal(arg) for arg in call.args]
        named = {key.arg: _literal(key.value) for key in call.keywords if key.arg is not None}
        json.dumps([args, named], allow_nan=False)  # sets and bytes have no place in an input
    except (SyntaxError, ValueError, TypeError, RecursionError, MemoryError):
        return None
    if len(named) < len(call.keywords) or (args and named) or len(args) > 1:
        return None
    if not args:
        return named
    (value,) = args
    if isinstance(value, str | dict):
        return value
    return json.dumps(value, ensure_ascii=False)


_JSON_WORDS: Final = {"true": True, "false": False, "null": None}


def _literal(node: ast.expr) -> Any:
    if isinstance(node, ast.Name) and node.id in _JSON_WORDS:
        return _JSON_WORDS[node.id]
    if isinstance(node, ast.Dict) and None not in node.keys:
        return {
            _literal(key): _literal(value)
            for key, value in zip(node.keys, node.values, strict=True)
            if key is not None
        }
    if isinstance(node, ast.List):
        return [_literal(item) for item in node.elts]
    return ast.literal_eval(node)


# -- inputs ---------------------------------------------------------------------------------------

_QUOTES: Final = {'"': '"', "'": "'", "“": "”", "‘": "’", "`": "`"}
_TAG: Final = re.compile(r"[\w+#.-]*[ \t]*\r?\n|json[ \t]*(?=[{\[])", re.IGNORECASE).match
_CHATTER: Final = re.compile(
    r"""[ \t]*+(?:\(|\r?\n\s*+(?![{\[.,;:=+/%|&)\]}"'`]|[\w.]++(?:[(\[]|[ \t]*=)))"""
).match
"""Matches at the beginning of what is said behind an object. What may go on with it is none:
another object, a member, an operator, a line of code."""
_FENCE: Final = "```"
_OPENERS: Final = frozenset(("{", "[", " ", *_QUOTES))
"""What an input begins with that may have to be mended."""


def mend_input(text: str, repairs: list[Repair]) -> str:
    """Read an input that is text, as models write it.

    One fence, or one pair of quotes or backticks, goes if it encloses the whole input and its mark
    does not occur within. An input that begins as a JSON object or list is mended as `repair_json`
    does, and words that follow an object on another line, or in parentheses, are left out; what has
    no reading as JSON stays as it is. The value is always text.

    Raises:
        BadPayload: The input is a fence without its end, or JSON cut in the middle of a value.
    """
    if text[:1] not in _OPENERS and _FENCE not in text:
        return text.strip()
    body, at = _unwrapped(text, repairs)
    if body[:1] not in ("{", "["):
        return body
    found = _read_json(body, at, repairs)
    return body if found is None else found[0]


def mend_json_input(text: str, repairs: list[Repair]) -> str | dict[Any, Any]:
    """Read an input that is a JSON object, as models write it; see `mend_input`.

    What does not begin as an object is text.

    Raises:
        BadPayload: As `mend_input` does, and for an object that has no reading.
    """
    body, at = _unwrapped(text, repairs)
    if body[:1] != "{":
        return body
    found = _read_json(body, at, repairs)
    if found is None:
        raise BadPayload("bad_input", (at, at + len(body)))
    value: dict[Any, Any] = found[1]
    return value


def mend_answer(text: str, repairs: list[Repair]) -> str:
    """Read an answer as models write it: a fence at its end that opened before it is not part."""
    return _without_end(text, repairs) if _is_open(text) else text


def _is_open(text: str) -> bool:
    return _FENCE in text and text.count(_FENCE) % 2 == 1


def _without_end(text: str, repairs: list[Repair]) -> str:
    """Take off a fence that closes at the end of *text*, and was opened before it."""
    body = text.rstrip()
    if not body.endswith(_FENCE):
        return text
    inner = body[:-3].rstrip()
    message = "took off the end of a fence that encloses the whole turn"
    repairs.append(Repair("fence", (len(inner), len(text)), message))
    return inner


def _unwrapped(text: str, repairs: list[Repair]) -> tuple[str, int]:
    """Take off what encloses all of *text*; return what is left, and where it begins."""
    if _is_open(text):
        text = _without_end(text, repairs)
        if _is_open(text):
            raise BadPayload("open_fence", (text.rindex(_FENCE), len(text)))
    body = text.strip()
    if len(body) < 2:
        return body, 0
    at = text.index(body[0])
    if (end := _end_of_object(body)) < len(body):
        start = len(text.rstrip()) - len(body[end:].lstrip())
        repairs.append(_chatter(start, len(text.rstrip())))
        body = body[:end]
    enclosed = _enclosed(body)
    if enclosed is None:
        return body, at
    kind, start, stop = enclosed
    if start > 1 or body[0] != '"':  # one pair of these is nothing new to any parser
        repairs.append(Repair(kind, (at, at + len(body)), f"took off the {kind} around the input"))
    return body[start:stop], at + start


def _end_of_object(body: str) -> int:
    """Return where a fence with a JSON object ends in *body*, if only words follow it."""
    end = body.find(_FENCE, 3) + 3
    if not body.startswith(_FENCE) or body.count(_FENCE) != 2 or _CHATTER(body, end) is None:
        return len(body)
    tag = _TAG(body, 3)
    try:
        value = load_json(body[tag.end() if tag else 3 : end - 3])
    except (ValueError, RecursionError):
        return len(body)
    return end if isinstance(value, dict) else len(body)


def _chatter(start: int, end: int) -> Repair:
    return Repair("after_input", (start, end), "left out what follows the input")


def _enclosed(body: str) -> tuple[str, int, int] | None:
    """Return what encloses all of *body*, and where the rest begins and ends; `None` if nothing."""
    for mark, kind in ((_FENCE, "fence"), ('"""', "quotes")):
        if body.startswith(mark) and body.endswith(mark) and body.count(mark) == 2:
            inner = body[3:-3]
            tag = _TAG(inner) if kind == "fence" else None
            start = 3 + (tag.end() if tag else len(inner) - len(inner.lstrip("\r\n")))
            return kind, start, max(start, 3 + len(inner.rstrip()))
    inner = body[1:-1]
    if _QUOTES.get(body[0]) == body[-1] and body[0] not in inner and body[-1] not in inner:
        return ("backticks" if body[0] == "`" else "quotes"), 1, len(body) - 1
    return None


def _read_json(text: str, at: int, repairs: list[Repair]) -> tuple[str, Any] | None:
    """Return *text* as JSON, with its value, or `None` if it has no reading as JSON."""
    try:
        return text, load_json(text)
    except ValueError:
        pass
    from outputs._json_repair import LenientJsonReader  # most inputs need no repair

    reader = LenientJsonReader()
    try:
        used = reader.feed(text)
        value = reader.close()
    except JsonIncompleteError as error:
        raise BadPayload("cut_input", (at, at + len(text))) from error
    except JsonError:
        return None
    rest = text[used:]
    whole = (0, len(text.rstrip()))  # what is missing has no place of its own
    mends = [
        Repair(mend.kind, mend.span if mend.span[0] < mend.span[1] else whole, mend.message)
        for mend in reader.repairs
    ]
    if rest.strip():
        if not isinstance(value, dict) or not value or _CHATTER(rest) is None:
            return None
        start = used + len(rest) - len(rest.lstrip())
        end = len(text.rstrip())
        mends.append(_chatter(start, end))
    repairs += (mend.moved(at) for mend in mends)
    if not reader.repairs:
        return text[:used], value
    return json.dumps(value, ensure_ascii=False), value
