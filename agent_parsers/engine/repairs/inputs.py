"""Lenient readers of inputs and answers: they remove what stands around, and repair JSON.

Each rule removes what cannot be part of the value, or leaves the text unchanged; what it removes is
reported as a repair. Half a value is an error, since nobody wants an agent to act on half an input.
"""

from __future__ import annotations

import json
import re
from functools import lru_cache
from typing import Any, Final, NamedTuple, cast

from agent_parsers.engine.repairs.dressing import (
    begins_quoted,
    check_fence,
    is_open,
    may_be_dressed,
    remark,
    undressed,
    without_end,
)
from agent_parsers.engine.repairs.payloads import BadPayload, Lack, Unclosed, fault_of
from agent_parsers.events import Repair, Span
from outputs.growing_json.errors import JsonError, JsonIncompleteError
from outputs.growing_json.lenient.json_text import may_repeat, without_trailing_commas
from outputs.growing_json.load import load_json
from outputs.growing_json.scalars import NOTHING
from outputs.growing_json.whole import MAX_DEPTH, scan_object, whole_object

_FENCED: Final = re.compile(r"```(?:json)?[ \t]*+\n(\{[^`]*\})\s*+```").fullmatch
"""Matches an object in a fence."""
_to_json: Final = json.JSONEncoder(ensure_ascii=False).encode


def repair_input(text: str, repairs: list[Repair], *, is_closed: bool = False) -> str:
    """Read an input that is text, and repair what models often add to it.

    One fence, or one pair of quotes or backticks, is removed if it encloses the whole input and its
    mark does not occur inside; so are emphasis and a bullet, if the input is one line, and a last
    line ``PAUSE``. An input that begins like a JSON object or list is repaired as `repair_json`
    does, and words that follow an object on another line, or in parentheses, are dropped; an input
    that cannot be read as JSON stays unchanged. The value is always text.

    Args:
        text: The input.
        repairs: Collects the repairs.
        is_closed: Whether something closes the input, so that half of a fence in it is data.

    Raises:
        BadPayload: A fence is not closed, JSON breaks off in the middle of a value, or a JSON
            object repeats a key.
    """
    if not may_be_dressed(text):
        return text.strip()
    written, plain = _plain_object(text, repairs)
    if plain is not NOTHING:
        return written
    body, at = undressed(text, repairs, is_closed=is_closed)
    if body[:1] not in ("{", "["):
        return body
    found = _read_json(body, at, repairs)
    if found is None:
        if not is_closed:
            check_fence(body, at)
        return body
    place = (at, at + len(body))
    _check(found, found.text, text, place, repairs)
    return found.text


def repair_written_input(text: str, repairs: list[Repair], *, is_closed: bool = False) -> str:
    """Read an input like `repair_input`, for dialects whose strict mode reads it as written.

    In strict mode quotes are part of such an input, so removing a pair is reported as a repair.

    Raises:
        BadPayload: As for `repair_input`.
    """
    before = len(repairs)
    value = repair_input(text, repairs, is_closed=is_closed)
    if value != text.strip() and len(repairs) == before:
        repairs.append(Repair("quotes", (0, len(text)), "removed the quotes around the input"))
    return value


def repair_json_input(text: str, repairs: list[Repair]) -> str | dict[Any, Any]:
    """Read an input that is a JSON object, and repair it; see `repair_input`.

    An input that does not begin like an object is text.

    Raises:
        BadPayload: As for `repair_input`; or the input begins like an object but cannot be read,
            or repeats a key.
    """
    _, plain = _plain_object(text, repairs)
    if plain is not NOTHING:
        return cast("dict[Any, Any]", plain)
    body, at = undressed(text, repairs)
    if body[:1] != "{":
        return body
    place = (at, at + len(body))
    found = _read_json(body, at, repairs)
    if found is None:
        raise BadPayload(fault_of(body), place)
    value: dict[Any, Any] = found.value
    _check(found, value, text, place, repairs)
    return value


def _plain_object(text: str, repairs: list[Repair]) -> tuple[str, Any]:
    """Return the object that *text* holds, as text and as its value, or else `NOTHING`.

    The whole text is the object, in a fence or not, and it is valid JSON, but for commas before
    closing brackets.
    """
    is_bare = text[:1] == "{" and text[-1:] == "}"
    if is_bare and (whole := whole_object(text, MAX_DEPTH)) is not NOTHING:
        return text, whole
    fenced = None if is_bare else _FENCED(text)
    if fenced is None and not is_bare:
        return "", NOTHING
    written = text if fenced is None else fenced[1]
    value, end = scan_object(written, 0, MAX_DEPTH)
    commas: list[int] = []
    if end != len(written):
        plain, commas = without_trailing_commas(written)
        value, end = scan_object(plain, 0, MAX_DEPTH) if commas else (NOTHING, 0)
        if end != len(plain):
            return "", NOTHING
    if fenced is not None:
        repairs.append(_off_fence(len(text)))
    if not commas:
        return written, value
    start = 0 if fenced is None else fenced.start(1)
    for comma in commas:
        span = (start + comma, start + comma + 1)
        repairs.append(Repair("trailing_comma", span, "dropped a trailing comma"))
    return _to_json(value), value


@lru_cache(64)  # making one takes a tenth of the time of such a turn
def _off_fence(size: int) -> Repair:
    return Repair("fence", (0, size), "removed the fence around the input")


def repair_object_input(text: str, repairs: list[Repair]) -> str | dict[Any, Any]:
    """Read an input like `repair_json_input`, but report an input that is text as a repair.

    For dialects whose strict mode accepts only JSON objects.

    Raises:
        BadPayload: As for `repair_json_input`, or the input is empty.
    """
    if not text:
        raise BadPayload("bad_input", (0, 0))
    value = repair_json_input(text, repairs)
    if isinstance(value, str):
        message = "read the input as text, since it is not a JSON object"
        repairs.append(Repair("input_type", (0, len(text)), message))
    return value


def is_quoted_whole(text: str) -> bool:
    """Return whether *text* is a JSON object or list, or begins and ends with a quotation mark."""
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
    """Read an answer; remove a closing fence at its end that was opened before it."""
    return without_end(text, repairs) if is_open(text) else text


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


def _check(
    found: _Found, value: str | dict[Any, Any], text: str, place: Span, repairs: list[Repair]
) -> None:
    """Check an input that was *found* at its *place*; a fence around an input closes it.

    Raises:
        BadPayload: A key is repeated, or *text* ends before the closers of the input; `unclosed`
            has the *value* with the closers supplied then.
    """
    if found.repeats_key:
        raise BadPayload("repeated_key", place)
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
    from outputs.growing_json.lenient.lenient_reader import KeyReader

    reader = KeyReader()
    try:
        used = reader.feed(text)
        depth = reader.depth if reader.end is None else 0
        value = reader.close()
    except JsonIncompleteError as error:
        raise BadPayload("cut_input", (at, at + len(text))) from error
    except JsonError:
        if begins_quoted(text) and text.count("{") > text.count("}"):
            raise BadPayload("cut_input", (at, at + len(text))) from None
        return None
    rest = text[used:]
    whole = (0, len(text.rstrip()))  # missing text has no place of its own
    made = [
        Repair(kind, span if span[0] < span[1] else whole, message)
        for kind, span, message in reader.repairs
    ]
    if rest.strip():
        left_out = remark(rest, used, value) if isinstance(value, dict) and value else None
        if left_out is None:
            return None
        made.append(left_out)
    if reader.repairs and reader.repeated_key is not None:
        # It is unclear which value counts, unless this is code in braces.
        return _Found(text, value, repeats_key=True) if begins_quoted(text) else None
    repairs += (repair.moved(at) for repair in made)
    lacks: Lack = "" if not depth else "arguments" if depth == 1 else "values"
    if not reader.repairs:
        return _Found(text[:used], value, may_repeat(text[:used], value), lacks)
    return _Found(_to_json(value), value, lacks=lacks)
