"""Lenient readers of inputs and answers: they remove fences, quotes and emphasis, and repair JSON.

Each rule removes what cannot be part of the value, or leaves the text unchanged; what it removes is
reported as a repair. Half a value is an error, since nobody wants an agent to act on half an input.
"""

from __future__ import annotations

import json
import re
from typing import TYPE_CHECKING, Any, Final, NamedTuple, cast

from agent_parsers.engine.repairs.payloads import BadPayload, Unclosed
from agent_parsers.events import Repair
from outputs.growing_json.errors import JsonError, JsonIncompleteError
from outputs.growing_json.lenient.json_text import begins_object, unquoted
from outputs.growing_json.lenient.repeated_keys import may_repeat, repeated_key
from outputs.growing_json.load import load_json
from outputs.growing_json.scalars import NOTHING
from outputs.growing_json.whole import MAX_DEPTH, scan_object

if TYPE_CHECKING:
    from agent_parsers.engine.repairs.payloads import Lack
    from agent_parsers.events import Span

__all__ = [
    "is_quoted_whole",
    "repair_answer",
    "repair_input",
    "repair_json_input",
    "repair_object_input",
    "repair_written_input",
]

_QUOTES: Final = {'"': '"', "'": "'", "“": "”", "‘": "’", "`": "`"}
_TAG: Final = re.compile(r"[\w+#.-]*[ \t]*\r?\n|json[ \t]*(?=[{\[])", re.IGNORECASE).match
_CHATTER: Final = re.compile(
    r"""[ \t]*+(?:\(|\r?\n\s*+(?![{\[.,;:=+/%|&)\]}"'`]|[\w.]++(?:[(\[]|[ \t]*=)))"""
).match
"""Matches at the beginning of words that follow an object, but not at text that may continue it:
another object, a member, an operator, a line of code."""
_BEGINS_OBJECT: Final = re.compile(r"""\{\s*+(["'])(?:(?!\1).)*+\1\s*+:""").match
_FENCE: Final = "```"
_EMPHASIS: Final = re.compile(r"(?:\*{1,3}+|_{1,3}+)\s*+").match
_EMPHASISED: Final = re.compile(r"""(\*{2,3}+)((?=[^\W_]|["'“‘`])[^*\n]++(?<![\s/]))\1""").fullmatch
_BULLET: Final = re.compile(r"[-*•][ \t]++(?=[^\W\d_]{2})[^\n*+^=()]*+").fullmatch
"""Matches a line that is one item of a list, but not one that may begin with a minus."""
_STOP_WORD: Final = "PAUSE"
"""What known prompts tell the model to write before it waits for a result."""
_OPENERS: Final = frozenset(("{", "[", " ", "*", "_", "-", "•", *_QUOTES))
"""First characters of inputs that may need a repair."""


def repair_input(text: str, repairs: list[Repair]) -> str:
    """Read an input that is text, as models write it.

    One fence, or one pair of quotes or backticks, is removed if it encloses the whole input and its
    mark does not occur inside; so are emphasis and a bullet, if the input is one line, and a last
    line ``PAUSE``. An input that begins like a JSON object or list is repaired as `repair_json`
    does, and words that follow an object on another line, or in parentheses, are left out; an input
    that cannot be read as JSON stays unchanged. The value is always text.

    Raises:
        BadPayload: A fence is not closed, JSON breaks off in the middle of a value, or a JSON
            object repeats a key.
    """
    if text[:1] not in _OPENERS and _FENCE not in text and _STOP_WORD not in text:
        return text.strip()
    if (plain := _plain_object(text)) is not NOTHING:
        if may_repeat(text, plain):
            raise BadPayload("repeated_key", (0, len(text)))
        return text
    body, at = _unwrapped(text, repairs)
    if body[:1] not in ("{", "["):
        return body
    found = _read_json(body, at, repairs)
    if found is None:
        return body
    place = (at, at + len(body))
    if found.repeats_key and isinstance(found.value, dict):
        raise BadPayload("repeated_key", place)
    _check_closed(found, found.text, text, place, repairs)
    return found.text


def repair_written_input(text: str, repairs: list[Repair]) -> str:
    """Read an input like `repair_input`, for dialects whose strict mode reads it as written.

    In strict mode quotes are part of such an input, so removing a pair is reported as a repair.

    Raises:
        BadPayload: As for `repair_input`.
    """
    before = len(repairs)
    value = repair_input(text, repairs)
    if value != text.strip() and len(repairs) == before:
        repairs.append(Repair("quotes", (0, len(text)), "took off the quotes around the input"))
    return value


def repair_json_input(text: str, repairs: list[Repair]) -> str | dict[Any, Any]:
    """Read an input that is a JSON object, as models write it; see `repair_input`.

    An input that does not begin like an object is text.

    Raises:
        BadPayload: As for `repair_input`; or the input begins like an object but cannot be read,
            or repeats a key.
    """
    if (plain := _plain_object(text)) is not NOTHING:
        return cast("dict[Any, Any]", plain)
    body, at = _unwrapped(text, repairs)
    if body[:1] != "{":
        return body
    place = (at, at + len(body))
    found = _read_json(body, at, repairs)
    if found is None:
        raise BadPayload("bad_input", place)
    if found.repeats_key:
        raise BadPayload("repeated_key", place)
    value: dict[Any, Any] = found.value
    _check_closed(found, value, text, place, repairs)
    return value


def _plain_object(text: str) -> Any:
    """Return the object that *text* holds, if it is nothing but valid JSON, or else `NOTHING`."""
    if not (text.startswith("{") and text.endswith("}")) or _FENCE in text:
        return NOTHING
    value, end = scan_object(text, 0, MAX_DEPTH)
    return value if end == len(text) else NOTHING


def repair_object_input(text: str, repairs: list[Repair]) -> str | dict[Any, Any]:
    """Read an input like `repair_json_input`, and report text as a repair.

    For dialects whose strict mode accepts only JSON objects.

    Raises:
        BadPayload: As for `repair_json_input`, or the input is empty.
    """
    if not text:
        raise BadPayload("bad_input", (0, 0))
    value = repair_json_input(text, repairs)
    if isinstance(value, str):
        message = "read an input that is not a JSON object as text"
        repairs.append(Repair("input_type", (0, len(text)), message))
    return value


def is_quoted_whole(text: str) -> bool:
    """Return whether the whole *text* is one quoted string, or JSON that may need repairs."""
    if text[:1] not in ("{", "["):
        return any(
            len(text) >= 2 * len(mark) and text.startswith(mark) and text.endswith(mark)
            for mark in ('"', "'''")
        )
    try:
        return _read_json(text, 0, []) is not None
    except BadPayload:
        return False


def repair_answer(text: str, repairs: list[Repair]) -> str:
    """Read an answer as models write it, without a closing fence that was opened before it."""
    return _without_end(text, repairs) if _is_open(text) else text


def _is_open(text: str) -> bool:
    return _FENCE in text and text.count(_FENCE) % 2 == 1


def _without_end(text: str, repairs: list[Repair]) -> str:
    """Remove a fence that closes at the end of *text* but was opened before *text*."""
    body = text.rstrip()
    if not body.endswith(_FENCE):
        return text
    inner = body[:-3].rstrip()
    message = "took off the end of a fence that encloses the whole turn"
    repairs.append(Repair("fence", (len(inner), len(text)), message))
    return inner


def _unwrapped(text: str, repairs: list[Repair]) -> tuple[str, int]:
    """Remove what encloses the whole *text*; return the rest, and where it begins."""
    text = _without_stop_word(text, repairs)
    if _is_open(text):
        text = _without_end(text, repairs)
        if _is_open(text):
            raise BadPayload("open_fence", (text.rindex(_FENCE), len(text)))
    body = text.strip()
    if len(body) < 2:
        return body, 0
    at = text.index(body[0])
    body, at = _without_bullet(body, at, repairs)
    body, at = _without_emphasis(body, at, repairs)
    if (inner := _encoded_object(body, at)) is not None:
        message = "read a string that holds an object as the object"
        repairs.append(Repair("double_encoding", (at, at + len(body)), message))
        return inner, at
    if (end := _end_of_object(body)) < len(body):
        start = len(text.rstrip()) - len(body[end:].lstrip())
        repairs.append(_chatter(start, len(text.rstrip())))
        body = body[:end]
    enclosed = _enclosed(body)
    if enclosed is None:
        return body, at
    kind, start, stop = enclosed
    if start > 1 or body[0] != '"':  # every parser removes one pair of these: not a repair
        repairs.append(Repair(kind, (at, at + len(body)), f"took off the {kind} around the input"))
    return body[start:stop], at + start


def _without_stop_word(text: str, repairs: list[Repair]) -> str:
    """Remove a last line that is only the stop word of a prompt."""
    body = text.rstrip()
    inner = body.removesuffix(_STOP_WORD).rstrip(" \t")
    if len(inner) == len(body) or inner[-1:] != "\n" or not inner.strip():
        return text
    repairs.append(_chatter(len(body) - len(_STOP_WORD), len(body)))
    return inner.rstrip()


def _without_bullet(body: str, at: int, repairs: list[Repair]) -> tuple[str, int]:
    """Remove the bullet of an input that is the only item of a list."""
    if _BULLET(body) is None:
        return body, at
    inner = body[1:].lstrip()
    start = len(body) - len(inner)
    repairs.append(Repair("bullet", (at, at + start), "took off the bullet before the input"))
    return inner, at + start


def _without_emphasis(body: str, at: int, repairs: list[Repair]) -> tuple[str, int]:
    """Remove emphasis around one line or beside an object; return the rest, and where it begins.

    Emphasis before an object is the end of that around the label.
    """
    if (whole := _EMPHASISED(body)) is not None:
        place = (at, at + len(body))
        repairs.append(Repair("emphasis", place, "took off the emphasis around the input"))
        return whole[2], at + whole.start(2)
    before = _EMPHASIS(body)
    start = 0 if before is None else before.end()
    if _BEGINS_OBJECT(body, start) is None:
        return body, at
    inner = body[start:].rstrip("*_").rstrip()
    stop = start + len(inner) if inner.endswith("}") else len(body)
    for span in ((0, start), (stop, len(body))):
        if span[0] < span[1]:
            place = (at + span[0], at + span[1])
            repairs.append(Repair("emphasis", place, "took off the emphasis beside the input"))
    return body[start:stop], at + start


def _encoded_object(body: str, at: int) -> str | None:
    """Return the text of the JSON object that *body* holds as a quoted string, if it is valid JSON.

    Raises:
        BadPayload: The string holds only the beginning of an object.
    """
    whole = unquoted(body)
    inner = unquoted(body + body[0]) if whole is None else whole
    if inner is None or not inner.lstrip().startswith("{"):
        return None
    try:
        if whole is not None and isinstance(load_json(whole), dict):
            return whole.strip()
    except ValueError:
        pass
    if begins_object(inner):
        raise BadPayload("cut_input", (at, at + len(body)))
    return None


def _end_of_object(body: str) -> int:
    """Return where a fence with a JSON object ends in *body*, if only words follow it."""
    end = body.find(_FENCE, 3) + 3
    if not body.startswith(_FENCE) or body.count(_FENCE) != 2 or _CHATTER(body, end) is None:
        return len(body)
    tag = _TAG(body, 3)
    try:
        value = load_json(body[tag.end() if tag else 3 : end - 3])
    except ValueError:
        return len(body)
    return end if isinstance(value, dict) else len(body)


def _chatter(start: int, end: int) -> Repair:
    return Repair("after_input", (start, end), "left out what follows the input")


def _enclosed(body: str) -> tuple[str, int, int] | None:
    """Return what encloses *body*, and where the rest begins and ends; `None` if nothing does."""
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


class _Found(NamedTuple):
    """An input, read as JSON."""

    text: str
    """The JSON."""
    value: Any
    """Its value."""
    repeats_key: bool = False
    """Whether an object repeats a key."""
    lacks: Lack = ""
    """Which closers are missing at its end."""


def _check_closed(
    found: _Found, value: str | dict[Any, Any], text: str, place: Span, repairs: list[Repair]
) -> None:
    """Refuse an input, *found* at its *place*, if *text* ends before the closers of the input.

    A fence around an input closes it.

    Raises:
        BadPayload: Closers are missing; its `unclosed` has the *value* with the closers supplied.
    """
    if found.lacks and place[1] == len(text.rstrip()):
        cut = Unclosed(value, found.value, [*repairs], found.lacks)
        raise BadPayload("cut_input", place, unclosed=cut)


def _read_json(text: str, at: int, repairs: list[Repair]) -> _Found | None:
    """Read *text* as JSON; return `None` if it cannot be read."""
    try:
        value = load_json(text)
        return _Found(text, value, may_repeat(text, value))
    except ValueError:
        pass
    # Imported lazily: most inputs need no repair.
    from outputs.growing_json.lenient.reader import LenientJsonReader

    reader = LenientJsonReader()
    try:
        used = reader.feed(text)
        depth = reader.depth if reader.end is None else 0
        value = reader.close()
    except JsonIncompleteError as error:
        raise BadPayload("cut_input", (at, at + len(text))) from error
    except JsonError:
        if _BEGINS_OBJECT(text) and text.count("{") > text.count("}"):
            raise BadPayload("cut_input", (at, at + len(text))) from None
        return None
    rest = text[used:]
    whole = (0, len(text.rstrip()))  # missing text has no place of its own
    made = [
        Repair(kind, span if span[0] < span[1] else whole, message)
        for kind, span, message in reader.repairs
    ]
    if rest.strip():
        if not isinstance(value, dict) or not value or _CHATTER(rest) is None:
            return None
        made.append(_chatter(used + len(rest) - len(rest.lstrip()), whole[1]))
    if reader.repairs and repeated_key(text, reader.repairs) is not None:
        return None  # it is unclear which value counts
    repairs += (repair.moved(at) for repair in made)
    lacks: Lack = "" if not depth else "arguments" if depth == 1 else "values"
    if not reader.repairs:
        return _Found(text[:used], value, may_repeat(text[:used], value), lacks)
    return _Found(json.dumps(value, ensure_ascii=False), value, lacks=lacks)
