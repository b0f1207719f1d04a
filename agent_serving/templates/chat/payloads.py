"""Derives how a chat template writes calls: the payload, and the marks around it."""

from __future__ import annotations

import json
import re
from collections.abc import Mapping
from dataclasses import replace
from typing import TYPE_CHECKING, Any, Final

from agent_parsers.authoring import HeadedPayload, JsonPayload, write_json
from agent_parsers.dialects.gemma4 import BracePayload
from agent_parsers.dialects.pythonic import PythonPayload
from agent_serving.templates.chat.model_turns import is_mark, pieces_at_end
from agent_serving.templates.chat.probes import FIND, IDS, KEYS, PING, VALUES
from agent_serving.templates.chat.tags import AroundCalls, CallsOfTemplate, tagged_calls
from agent_serving.templates.template_error import TemplateError

if TYPE_CHECKING:
    from agent_parsers.authoring import Payload

_decode: Final = json.JSONDecoder().raw_decode
_FENCE: Final = "```"
_find_number: Final = re.compile(r"([^\w<>]+)(0)(.*)", re.DOTALL).fullmatch
"""Matches what stands behind a name if the number of the call follows it."""


def derive_calls(turns: Mapping[str, str]) -> CallsOfTemplate:
    """Return how calls are written in *turns*.

    Raises:
        TemplateError: They are written in an unknown format.
    """
    one = turns["one"]
    before_name, _, rest = one.partition(FIND)
    if FIND in rest:
        raise TemplateError("a call names its tool twice, but no known format of calls does that")
    found = _enclosing_json(one)
    if found is not None:
        return _json_calls(turns, *found)
    gap, _, after_key = rest.partition(KEYS[0])
    value = _decoded(rest, rest.find("{"))
    if value is not None and value[0] == {KEYS[0]: VALUES[0]}:
        return _headed_calls(turns)
    joint = after_key.partition(VALUES[0])[0]
    if gap.strip() == "(":
        return _around(PythonPayload(), _in_parentheses(turns, ")"))
    if gap == "{" and joint[:1] == ":" and is_mark(joint[1:]):
        return _brace_calls(turns, before_name, joint[1:])
    if KEYS[0] in rest and "<" in gap:
        return tagged_calls(turns)
    written = one.replace(FIND, "NAME").replace(KEYS[0], "KEY").replace(VALUES[0], "VALUE")
    raise TemplateError(
        "the template writes calls in an unknown format; expected JSON,"
        f" a name before JSON, keys and values in tags, or Python calls, found {written!r}"
    )


def _decoded(text: str, at: int) -> tuple[Any, int] | None:
    """Return the JSON value that begins at *at* with its end; `None` if there is none."""
    if at < 0:
        return None
    try:
        value, end = _decode(text, at)
    except ValueError:
        return None
    return value, end


def _enclosing_json(text: str) -> tuple[int, int, dict[str, Any]] | None:
    """Return the innermost JSON object around the name and the arguments, with its span."""
    found = None
    for at, char in enumerate(text[: text.index(FIND)]):
        decoded = _decoded(text, at) if char == "{" else None
        if decoded and decoded[1] > text.index(VALUES[0]):
            found = (at, decoded[1], decoded[0])
    return found


def json_spans(text: str, value: Any = None) -> list[tuple[int, int]]:
    """Return the spans of the outermost JSON objects in *text*, or of those equal to *value*."""
    spans, at = [], text.find("{")
    while at >= 0:
        decoded = _decoded(text, at)
        is_found = decoded is not None and (value is None or decoded[0] == value)
        if decoded and is_found:
            spans.append((at, decoded[1]))
        at = text.find("{", decoded[1] if decoded and is_found else at + 1)
    return spans


# -- JSON ---------------------------------------------------------------------------------------


def _json_calls(
    turns: Mapping[str, str], start: int, end: int, members: dict[str, Any]
) -> CallsOfTemplate:
    one = turns["one"]
    written = one[start:end]
    texts = AroundCalls(one[:start], None, one[end:])
    between = ""
    if "two calls" in turns:
        # The first call is that of the turn with one call; calls may be in a list.
        inner = turns["two calls"][len(texts.before) :]
        first = _decoded(inner, 0)
        at = first[1] if first else 0
        between = inner[at : inner.find("{", at)]
        if not at or "{" not in inner[at:]:
            raise TemplateError(
                "expected two calls in the same format as one call, found"
                f" {turns['two calls']!r} and {one!r}"
            )
        texts = replace(texts, between=between)
    if members == {FIND: {KEYS[0]: VALUES[0]}}:
        payload = JsonPayload(tool="")
        if written != write_json(members):
            payload = replace(payload, text=_template_of_json(written))
        return _around(payload, texts)
    keys = {_kind(value): key for key, value in members.items()}
    missing = {"name", "input"} - keys.keys()
    if missing:
        raise TemplateError(
            f"the JSON of a call has no separate key for its {' and its '.join(sorted(missing))}: "
            f"found {written!r}"
        )
    call_id = keys.get("id", keys.get("number", ""))
    ids = "{9}" if "id" in keys else "{number}" if call_id else ""
    payload = JsonPayload(tool=keys["name"], tool_input=keys["input"], call_id=call_id)
    if ids == "{number}" or (not ids and written != write_json(members)):
        payload = replace(payload, text=_template_of_json(written, members.get(call_id, "")))
    return _around(payload, texts, ids=ids)


def _kind(value: Any) -> str:
    known = {FIND: "name", IDS[0]: "id", "0": "number"}
    if value == {KEYS[0]: VALUES[0]}:
        return "input"
    return known.get(value, "other") if isinstance(value, str) else "other"


def _template_of_json(written: str, number: str = "") -> str:
    before, _, rest = written.partition(FIND)
    at = rest.find("{")
    decoded = _decoded(rest, at)
    if decoded is None or decoded[0] != {KEYS[0]: VALUES[0]}:
        raise TemplateError(f"the JSON of a call has its input before its name: {written!r}")
    before, gap, behind = before.removesuffix('"'), rest[1:at], rest[decoded[1] :]
    if number:
        before, gap, behind = (
            text.replace(write_json(number), '{"id"}') for text in (before, gap, behind)
        )
    return f'{before}{{"tool"}}{gap}{{input}}{behind}'


def _headed_calls(turns: Mapping[str, str]) -> CallsOfTemplate:
    one = turns["one"]
    before, _, rest = one.partition(FIND)
    spans = json_spans(rest, {KEYS[0]: VALUES[0]})
    if len(spans) != 1:
        raise TemplateError(f"expected the arguments of a call exactly once, found {one!r}")
    ((start, end),) = spans
    gap, behind = rest[:start], rest[end:]
    between = None
    if two := turns.get("two calls"):
        _, _, rest = two.partition(FIND)
        between = rest.partition(PING)[0][end - start + len(gap) :]
    if found := _find_number(gap):
        return _calls_with_names_in_ids(turns, found, between, behind)
    before_fence, fence, _ = behind.partition(_FENCE)
    fence = f"{before_fence}{fence}" if fence and gap.count(_FENCE) == 1 else ""
    head = "{tool}"
    if IDS[0] in before:
        before, _, mark = before.rpartition(IDS[0])
        head = f"{{id}}{mark}{{tool}}"
        between = between and between.rpartition(IDS[1])[0]
    between = between and between.removeprefix(fence)
    texts = AroundCalls(before, between, behind.removeprefix(fence))
    payload = HeadedPayload(call=f"{head}{gap.replace(IDS[0], '{id}')}{{input}}{fence}")
    ids = "{9}" if "{id}" in payload.call else ""
    return _around(payload, texts, ids=ids)


def _calls_with_names_in_ids(
    turns: Mapping[str, str], number: re.Match[str], between: str | None, behind: str
) -> CallsOfTemplate:
    """Return calls such as ``functions.find:0<arguments>{…}``, whose ids have name and number."""
    before, two = turns["one"].partition(FIND)[0], turns.get("two calls", "")
    if f"{PING}{number[1]}1{number[3]}" not in two:
        raise TemplateError(f"expected calls with the numbers 0 and 1, found {two!r}")
    prefix = pieces_at_end(before)
    ids = f"{prefix}{{tool}}{number[1]}{{number}}"
    between = between and between.removesuffix(prefix)
    texts = AroundCalls(before.removesuffix(prefix), between, behind)
    return _around(HeadedPayload(call=f"{{id}}{number[3]}{{input}}", ids=ids), texts, ids=ids)


def _around(payload: Payload, texts: AroundCalls, *, ids: str = "") -> CallsOfTemplate:
    """Return the calls of a *payload* with the marks that *texts* have."""
    (opener, closer), between, (opens, closes) = texts.split()
    calls = (texts.before, texts.between or "", texts.behind)
    if texts.between is None and opener.rstrip().endswith("["):  # a list that has one call
        (opens, closes), opener, between = (opener, closer), "", ", "
        calls = (texts.before, between, texts.behind)
    if opener.strip():
        region = (opens, closes) if opens.strip() or closes.strip() else None
        return CallsOfTemplate(
            payload=payload, call=(opener, closer), between=between, region=region,
            calls=calls, ids=ids,
        )  # fmt: skip
    # All calls stand in one block, or calls have no marks.
    opens, listed = _before_list(opens)
    closing = ""
    if listed:
        end = _FENCE if _FENCE in listed else "]"
        at = closes.find(end, closes.find("]")) + len(end)
        if at < len(end):
            raise TemplateError(f"expected {end!r} after the last call, found {closes!r}")
        closing, closes = closes[:at], closes[at:]
    marks = (opens, closes) if opens.strip() else None
    if texts.between is not None or listed:
        payload = replace(payload, row=(listed, between, closing))
    if marks is None:
        payload = _without_marks(payload)
    return CallsOfTemplate(payload=payload, call=marks, calls=calls, ids=ids)


def _without_marks(payload: Payload) -> Payload:
    """Return *payload* for calls that begin the content.

    Raises:
        TemplateError: Such calls cannot be distinguished from content.
    """
    if isinstance(payload, JsonPayload):
        return replace(payload, bare="on lines")
    if isinstance(payload, PythonPayload) and payload.row:
        return replace(payload, is_bare=True)
    raise TemplateError(
        "the template writes no mark before calls, so they cannot be distinguished from content"
    )


def _before_list(text: str) -> tuple[str, str]:
    """Split *text* before the bracket of a list at its end, and the fence around it."""
    at = len(text.rstrip())
    if text[:at].endswith("["):
        at -= 1
        fence = text.rfind(_FENCE, 0, at)
        return (text[:fence], text[fence:]) if fence >= 0 else (text[:at], text[at:])
    return text, ""


# -- Python, and braces -------------------------------------------------------------------------


def _brace_calls(turns: Mapping[str, str], before: str, quote: str) -> CallsOfTemplate:
    texts = _in_parentheses(turns, "}")
    word = "call:"
    if not before.endswith(word):
        raise TemplateError(f"expected {word!r} before the name of a call in braces")
    between = texts.between and texts.between.removesuffix(word)
    texts = AroundCalls(texts.before.removesuffix(word), between, texts.behind)
    calls = _around(BracePayload(quote=quote), texts)
    if calls.call is None or not calls.call[1].strip():  # a reader has to know where it ends
        raise TemplateError(f"expected a mark after a call in braces, found {turns['one']!r}")
    return calls


def _in_parentheses(turns: Mapping[str, str], closing: str) -> AroundCalls:
    """Return what stands around calls that end in *closing* after their last value."""
    before, _, rest = turns["one"].partition(FIND)
    behind = rest.partition(VALUES[0])[2].partition(closing)[2]
    between = None
    if two := turns.get("two calls"):
        gap = two.partition(VALUES[0])[2].partition(PING)[0]
        between = gap.partition(closing)[2]
    return AroundCalls(before, between, behind)
