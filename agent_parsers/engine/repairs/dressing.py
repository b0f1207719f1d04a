"""What stands around an input and is not part of it: fences, quotes, emphasis, a bullet, a remark.

What is removed is reported as a repair.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final

from agent_parsers.engine.repairs.payloads import BadPayload
from agent_parsers.events import Repair, Span
from outputs.growing_json.lenient.json_text import begins_object, unquoted
from outputs.growing_json.load import load_json
from outputs.growing_json.scalars import NOTHING
from outputs.growing_json.whole import MAX_DEPTH, scan_object, whole_object

if TYPE_CHECKING:
    from collections.abc import Collection

FENCE: Final = "```"
_QUOTES: Final = {'"': '"', "'": "'", "“": "”", "‘": "’", "`": "`"}
_TAG: Final = re.compile(r"[\w+#.-]*[ \t]*\r?\n|json[ \t]*(?=[{\[])", re.IGNORECASE).match
_REMARK: Final = re.compile(
    r"""[ \t]*+(?:\(|\r?\n\s*+(?![{\[.,;:=+/%|&)\]}"'`]|[\w.]++(?:[(\[]|[ \t]*=)))"""
).match
"""Matches at the beginning of words that follow an object, but not at text that may continue it:
another object, a member, an operator, a line of code."""
_objects: Final = re.compile(r"""\{\s*+["']?([\w-]++)["']?\s*+:""").finditer
"""Finds objects, with their first keys."""
begins_quoted: Final = re.compile(r"""\{\s*+(["'])(?>(?:(?!\1).)*)\1\s*+:""").match
"""Matches at the beginning of an object whose first key is in quotes."""
_EMPHASIS: Final = re.compile(r"(?:\*{1,3}+|_{1,3}+)\s*+").match
_EMPHASISED: Final = re.compile(r"""(\*{2,3}+)((?=[^\W_]|["'“‘`])[^*\n]++(?<![\s/]))\1""").fullmatch
"""Matches a line of which all is emphasised. A single star, or stars beside a slash, may be a
pattern of file names, and low lines are part of names."""
_KEY: Final = r"""["']?+[\w-]++["']?+:(?:[ \t]|$)"""
_BULLET: Final = re.compile(
    rf"""([-*•][ \t]++)(?!{_KEY})(?:(?=[^\W\d_]{{2}})[^\n*+^=()]++|(?=["'“‘`{{]|\*\*)[^\n]++)"""
).fullmatch
"""Matches a line that is one item of a list, but not one that may begin with a minus, or a list in
YAML."""
_OPENERS: Final = frozenset(("{", "[", " ", "*", "_", "-", "•", *_QUOTES))
"""First characters of inputs that may need a repair."""
_STOP_WORD: Final = "\nPAUSE"
"""The word on a line of its own with which a known prompt lets a turn end."""


def may_be_dressed(text: str) -> bool:
    """Return whether *text* may be JSON, or may have marks around it such as a fence."""
    return text[:1] in _OPENERS or FENCE in text or _STOP_WORD in text


def is_open(text: str) -> bool:
    """Return whether *text* contains only one half of a fence, not counting strings in JSON."""
    return FENCE in text and text.count(FENCE) % 2 == 1 and not _is_object(text)


def is_plain_object(text: str) -> bool:
    """Return whether *text* is an object in valid JSON, with nothing around it."""
    is_bare = text[:1] == "{" and text[-1:] == "}"
    return is_bare and whole_object(text, MAX_DEPTH) is not NOTHING


def _is_object(text: str) -> bool:
    if not text.lstrip().startswith("{"):
        return False
    try:
        load_json(text)
    except ValueError:
        return False
    return True


def without_end(text: str, repairs: list[Repair]) -> str:
    """Return *text* without the fence at its end, which must have been opened before *text*."""
    body = text.rstrip()
    if not body.endswith(FENCE):
        return text
    inner = body[:-3].rstrip()
    message = "removed the end of a fence that encloses the whole turn"
    repairs.append(Repair("fence", (len(inner), len(text)), message))
    return inner


def check_fence(text: str, at: int = 0) -> None:
    """Raise `BadPayload` if *text*, which begins at offset *at*, has a fence that is not closed.

    The end of the text may be missing then.
    """
    if is_open(text):
        raise BadPayload("open_fence", (at + text.rindex(FENCE), at + len(text)))


def has_begun(written: str) -> bool:
    """Return whether *written* contains the beginning of an input, not only its fence."""
    return bool(written.strip("` \t\r\n"))


def undressed(text: str, repairs: list[Repair], *, is_closed: bool = False) -> tuple[str, int]:
    """Remove marks around the whole *text*; return the rest, and where it begins.

    If a mark closes the input, so that it *is_closed*, half of a fence is data.

    Raises:
        BadPayload: A fence is not closed, or a quoted object breaks off.
    """
    if not is_closed and is_open(text):
        text = without_end(text, repairs)
        if text.lstrip()[:1] not in ("{", "["):  # JSON shows where it ends
            check_fence(text)
    text = _without_stop_word(text, repairs)
    body = text.strip()
    if len(body) < 2:
        return body, 0
    at = text.index(body[0])
    body, at = _without_bullet(body, at, repairs)
    body, at = _without_emphasis(body, at, repairs)
    if (inner := _encoded_object(body, at)) is not None:
        message = "read the object inside a string as the input"
        repairs.append(Repair("double_encoding", (at, at + len(body)), message))
        return inner, at
    if (end := _end_of_object(body)) < len(body):
        start = len(text.rstrip()) - len(body[end:].lstrip())
        repairs.append(_left_out((start, len(text.rstrip()))))
        body = body[:end]
    enclosed = _enclosed(body)
    if enclosed is None:
        return body, at
    kind, start, stop = enclosed
    if start > 1 or body[0] != '"':  # every parser removes one pair of these: not a repair
        repairs.append(Repair(kind, (at, at + len(body)), f"removed the {kind} around the input"))
    return body[start:stop], at + start


def remark(rest: str, at: int, keys: Collection[str]) -> Repair | None:
    """Return the repair that drops *rest*, the text at offset *at* after an object with *keys*.

    Return `None` if the text is not words and may continue the object.

    Raises:
        BadPayload: An object with one of the keys is among the words, and may be the one that
            counts.
    """
    if _REMARK(rest) is None:
        return None
    others = (found for found in _objects(rest) if found[1] in keys)
    other = next(others, None)
    if other is not None and scan_object(rest, other.start(), MAX_DEPTH)[0] is not NOTHING:
        raise BadPayload("json_goes_on", (at + other.start(), at + len(rest.rstrip())))
    return _left_out((at + len(rest) - len(rest.lstrip()), at + len(rest.rstrip())))


def _left_out(span: Span) -> Repair:
    return Repair("after_input", span, "dropped the text after the input")


def _without_stop_word(text: str, repairs: list[Repair]) -> str:
    """Remove the stop word after an input of one line, or of one object or fence.

    A script of several lines may end in the same word.
    """
    body = text.rstrip()
    if not body.endswith(_STOP_WORD):
        return text
    inner = body.removesuffix(_STOP_WORD).rstrip()
    opened = inner.lstrip()
    end = FENCE if opened.startswith(FENCE) else {"{": "}", "[": "]"}.get(opened[:1])
    if not opened or ("\n" in opened if end is None else not opened.endswith(end)):
        return text
    repairs.append(_left_out((len(body) - len(_STOP_WORD) + 1, len(body))))
    return inner


def _without_bullet(body: str, at: int, repairs: list[Repair]) -> tuple[str, int]:
    """Remove the bullet of an input that is the only item of a list."""
    if (item := _BULLET(body)) is None:
        return body, at
    start = item.end(1)
    repairs.append(Repair("bullet", (at, at + start), "removed the bullet before the input"))
    return body[start:], at + start


def _without_emphasis(body: str, at: int, repairs: list[Repair]) -> tuple[str, int]:
    """Remove emphasis around one line or beside an object; return the rest, and where it begins.

    Emphasis before an object is the end of that around the label.
    """
    if (whole := _EMPHASISED(body)) is not None:
        place = (at, at + len(body))
        repairs.append(Repair("emphasis", place, "removed the emphasis around the input"))
        return whole[2], at + whole.start(2)
    before = _EMPHASIS(body)
    start = 0 if before is None else before.end()
    if begins_quoted(body, start) is None:
        return body, at
    inner = body[start:].rstrip("*_").rstrip()
    stop = start + len(inner) if inner.endswith("}") else len(body)
    for span in ((0, start), (stop, len(body))):
        if span[0] < span[1]:
            place = (at + span[0], at + span[1])
            repairs.append(Repair("emphasis", place, "removed the emphasis beside the input"))
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
    end = body.find(FENCE, 3) + 3
    if not body.startswith(FENCE) or body.count(FENCE) != 2 or _REMARK(body, end) is None:
        return len(body)
    tag = _TAG(body, 3)
    try:
        value = load_json(body[tag.end() if tag else 3 : end - 3])
    except ValueError:
        return len(body)
    return end if isinstance(value, dict) else len(body)


def within(body: str, mark: str = FENCE) -> Span | None:
    """Return the span of the text in *body* if one pair of this *mark* encloses all of it.

    The line breaks at both ends, and the language of a fence, are not part of the span.
    """
    if not (body.startswith(mark) and body.endswith(mark) and body.count(mark) == 2):
        return None
    inner = body[3:-3]
    tag = _TAG(inner) if mark == FENCE else None
    start = 3 + (tag.end() if tag else len(inner) - len(inner.lstrip("\r\n")))
    return start, max(start, 3 + len(inner.rstrip()))


def _enclosed(body: str) -> tuple[str, int, int] | None:
    """Return what encloses *body*, and where the rest begins and ends; `None` if nothing does."""
    for mark, kind in ((FENCE, "fence"), ('"""', "quotes")):
        if (place := within(body, mark)) is not None:
            return kind, *place
    inner = body[1:-1]
    if _QUOTES.get(body[0]) == body[-1] and body[0] not in inner and body[-1] not in inner:
        return ("backticks" if body[0] == "`" else "quotes"), 1, len(body) - 1
    return None
