"""Derives how a chat template writes calls: the payload, and the marks around it."""

from __future__ import annotations

import json
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, Final

from agent_parsers.dialects.gemma4 import BracePayload
from agent_parsers.dialects.pythonic import PythonPayload
from agent_parsers.families.headed_blocks import HeadedPayload
from agent_parsers.families.json_blocks import JsonPayload
from agent_parsers.families.tagged import TaggedPayload
from agent_parsers.families.turn_writer import write_json
from agent_parsers.templates.chat.marks import pieces, same_beginning, same_end
from agent_parsers.templates.chat.probes import FIND, IDS, KEYS, PING, VALUES
from agent_parsers.templates.problems import TemplateError

if TYPE_CHECKING:
    from collections.abc import Mapping

    from agent_parsers.families.call_blocks import Payload
    from agent_parsers.families.turn_writer import Marks

__all__ = ["Calls", "derive_calls"]

_decode: Final = json.JSONDecoder().raw_decode
_FENCE: Final = "```"


@dataclass(frozen=True, kw_only=True)
class Calls:
    """How calls are written: the fields of a `CallFormat` that say so."""

    payload: Payload
    call: Marks | None
    between: str = ""
    region: Marks | None = None
    calls: tuple[str, str, str]
    """Text before all calls, between two calls, and after all calls, with every blank."""
    has_ids: bool = False


@dataclass(frozen=True)
class _Texts:
    """What stands around calls."""

    before: str
    """Before the first call of a turn."""
    between: str | None
    """Between two calls; `None` if a turn has one call."""
    behind: str
    """After the last call."""

    def split(self) -> tuple[Marks, str, Marks]:
        """Return the marks of each call, what stands between calls, and the marks of all."""
        before, between, behind = self.before, self.between, self.behind
        if between is None:
            return (before, behind), "", ("", "")
        opener = same_end(before, between)
        closer = same_beginning(behind, between[: len(between) - len(opener)])
        if not opener.strip():
            opener = closer = ""
        around = before.removesuffix(opener), behind.removeprefix(closer)
        return (opener, closer), between[len(closer) : len(between) - len(opener)], around


def derive_calls(turns: Mapping[str, str]) -> Calls:
    """Return how calls are written in *turns*.

    Raises:
        TemplateError: They are written in no form that is known.
    """
    one = turns["one"]
    before_name, _, rest = one.partition(FIND)
    if FIND in rest:
        raise TemplateError("a call names its tool twice, which no known form of calls does")
    found = _enclosing_json(one)
    if found is not None:
        return _json_calls(turns, *found)
    gap, _, after_key = rest.partition(KEYS[0])
    value = _decoded(rest, rest.find("{"))
    if value is not None and value[0] == {KEYS[0]: VALUES[0]}:
        return _headed_calls(turns)
    joint = after_key.partition(VALUES[0])[0]
    if gap.strip() == "(":
        return _python_calls(turns)
    if gap == "{" and joint[:1] == ":" and len(joint) > 1:
        return _brace_calls(turns, before_name, joint[1:])
    if KEYS[0] in rest and "<" in gap:
        return _tagged_calls(turns)
    written = one.replace(FIND, "NAME").replace(KEYS[0], "KEY").replace(VALUES[0], "VALUE")
    raise TemplateError(
        "the template writes calls in a form that no family of dialects has; expected JSON,"
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


def _spans(text: str, value: Any = None) -> list[tuple[int, int]]:
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


def _json_calls(turns: Mapping[str, str], start: int, end: int, members: dict[str, Any]) -> Calls:
    one = turns["one"]
    keys = {_kind(value): key for key, value in members.items()}
    missing = {"name", "input"} - keys.keys()
    if missing:
        raise TemplateError(
            f"the JSON of a call has no member with just its {' and its '.join(sorted(missing))}:"
            f" found {one[start:end]!r}"
        )
    texts = _Texts(one[:start], None, one[end:])
    if "two calls" in turns:
        spans = _spans(turns["two calls"])
        if len(spans) == 2:
            texts = replace(texts, between=turns["two calls"][spans[0][1] : spans[1][0]])
        else:  # they are in a list
            inner = turns["two calls"][len(texts.before) :]
            first = _decoded(inner, 0)
            assert first is not None, "the first call is that of the turn with one call"
            texts = replace(texts, between=inner[first[1] : inner.index("{", first[1])])
    payload = JsonPayload(tool=keys["name"], tool_input=keys["input"], call_id=keys.get("id", ""))
    written = one[start:end]
    if "id" not in keys and written != write_json(members):
        payload = replace(payload, texts=_texts_of_json(written))
    return _around(payload, texts, has_ids="id" in keys)


def _kind(value: Any) -> str:
    known = {FIND: "name", IDS[0]: "id"}
    if value == {KEYS[0]: VALUES[0]}:
        return "input"
    return known.get(value, "other") if isinstance(value, str) else "other"


def _texts_of_json(written: str) -> tuple[str, str, str]:
    before, _, rest = written.partition(FIND)
    at = rest.find("{")
    decoded = _decoded(rest, at)
    if decoded is None or decoded[0] != {KEYS[0]: VALUES[0]}:
        raise TemplateError(f"the JSON of a call has its input before its name: {written!r}")
    return before, rest[:at], rest[decoded[1] :]


def _headed_calls(turns: Mapping[str, str]) -> Calls:
    one = turns["one"]
    before, _, rest = one.partition(FIND)
    ((start, end),) = _spans(rest, {KEYS[0]: VALUES[0]})
    gap, behind = rest[:start], rest[end:]
    between = None
    if two := turns.get("two calls"):
        _, _, rest = two.partition(FIND)
        between = rest.partition(PING)[0][end - start + len(gap) :]
    fence = behind[: behind.index(_FENCE) + len(_FENCE)] if _FENCE in gap else ""
    texts = _Texts(before, between, behind)
    payload = HeadedPayload(call=f"{{tool}}{gap.replace(IDS[0], '{id}')}{{input}}{fence}")
    return _around(payload, _without(texts, fence), has_ids=IDS[0] in gap)


def _without(texts: _Texts, begun: str) -> _Texts:
    """Return *texts* without what they begin with after a call."""
    between = texts.between
    return _Texts(
        texts.before,
        None if between is None else between.removeprefix(begun),
        texts.behind.removeprefix(begun),
    )


def _around(payload: Payload, texts: _Texts, *, has_ids: bool = False) -> Calls:
    """Return the calls of a *payload* with the marks that *texts* have."""
    (opener, closer), between, (opens, closes) = texts.split()
    calls = (texts.before, texts.between or "", texts.behind)
    if texts.between is None and opener.rstrip().endswith("["):  # a list that has one call
        (opens, closes), opener, between = (opener, closer), "", ", "
        calls = (texts.before, between, texts.behind)
    if opener.strip():
        region = (opens, closes) if opens.strip() or closes.strip() else None
        return Calls(
            payload=payload, call=(opener, closer), between=between, region=region,
            calls=calls, has_ids=has_ids,
        )  # fmt: skip
    # All calls stand in one block, or calls have no marks.
    opens, listed = _before_list(opens)
    closing = ""
    if listed:
        at = closes.index("]") + 1
        closing, closes = closes[:at], closes[at:]
    marks = (opens, closes) if opens.strip() else None
    if texts.between is not None or listed:
        payload = replace(payload, row=(listed, between, closing))
    if marks is None:
        payload = _without_marks(payload)
    return Calls(payload=payload, call=marks, calls=calls, has_ids=has_ids)


def _without_marks(payload: Payload) -> Payload:
    """Return *payload* for calls that begin the content.

    Raises:
        TemplateError: Such calls cannot be told from content.
    """
    if isinstance(payload, JsonPayload):
        return replace(payload, bare="on lines")
    if isinstance(payload, PythonPayload) and payload.row:
        return replace(payload, is_bare=True)
    raise TemplateError("the template writes no mark before calls, so they may be content")


def _before_list(text: str) -> tuple[str, str]:
    """Split *text* before the bracket of a list at its end, and the fence around it."""
    at = len(text.rstrip())
    if text[:at].endswith("["):
        at -= 1
        fence = text.rfind(_FENCE, 0, at)
        return (text[:fence], text[fence:]) if fence >= 0 else (text[:at], text[at:])
    return text, ""


# -- Python, and braces -------------------------------------------------------------------------


def _python_calls(turns: Mapping[str, str]) -> Calls:
    payload = PythonPayload()
    return _around(payload, _in_parentheses(turns, ")"))


def _brace_calls(turns: Mapping[str, str], before: str, quote: str) -> Calls:
    texts = _in_parentheses(turns, "}")
    word = "call:"
    if not before.endswith(word):
        raise TemplateError(f"expected {word!r} before the name of a call in braces")
    between = texts.between
    texts = replace(
        texts,
        before=texts.before.removesuffix(word),
        between=None if between is None else between.removesuffix(word),
    )
    return _around(BracePayload(quote=quote), texts)


def _in_parentheses(turns: Mapping[str, str], closing: str) -> _Texts:
    """Return what stands around calls that end in *closing* after their last value."""
    before, _, rest = turns["one"].partition(FIND)
    behind = rest.partition(VALUES[0])[2].partition(closing)[2]
    between = None
    if two := turns.get("two calls"):
        gap = two.partition(VALUES[0])[2].partition(PING)[0]
        between = gap.partition(closing)[2]
    return _Texts(before, between, behind)


# -- tags ---------------------------------------------------------------------------------------


def _tagged_calls(turns: Mapping[str, str]) -> Calls:
    needed = {"none": "a call without arguments", "two keys": "a call with two arguments"}
    for name, what in needed.items():
        if name not in turns:
            raise TemplateError(f"the template does not write {what}")
    before, _, rest = turns["one"].partition(FIND)
    gap, _, after_key = rest.partition(KEYS[0])
    joint, _, behind = after_key.partition(VALUES[0])
    next_key = turns["two keys"].partition(VALUES[0])[2].partition(KEYS[1])[0]
    empty = turns["none"].partition(FIND)[2]
    key_opener = after_name = closers = ""
    for key_opener in _tags_at_end(same_end(gap, next_key)):
        after_name = gap.removesuffix(key_opener)
        closers = empty.removeprefix(after_name)
        if empty.startswith(after_name) and behind.endswith(closers):
            break
    else:
        raise TemplateError(
            "the template writes calls with and without arguments differently: after the name of a"
            f" tool, found {gap!r} before a key, and {empty!r} without arguments"
        )
    value_closer = behind.removesuffix(closers)
    between = next_key.removesuffix(key_opener).removeprefix(value_closer)
    parameter = f"{key_opener}{{key}}{joint}{{value}}{value_closer}"
    between_calls = None
    if two := turns.get("two calls"):
        between_calls = two.partition(VALUES[0])[2].partition(PING)[0].removeprefix(value_closer)
    (opener, closer), gap_of_calls, (opens, closes) = _Texts(before, between_calls, closers).split()
    opens_call, closes_call, marks = opener, closer, None
    row = None
    if opens.strip():
        marks, row = (opens, closes), ("", gap_of_calls, "")
    else:
        wrapper, tag = _before_tag(opener)
        if wrapper.strip():
            own = pieces(closer.lstrip())[0] if tag else ""
            own = closer[: closer.index(own) + len(own)] if own else ""
            opens_call, closes_call = tag, own
            marks = (wrapper, closer.removeprefix(own))
    if marks is not None and not marks[1].strip():
        raise TemplateError(f"the template closes calls after {marks[0]!r} with no tag")
    payload = TaggedPayload(
        call=f"{opens_call}{{tool}}{after_name}{{parameters}}{closes_call}",
        parameter=parameter,
        between=between,
        row=row,
        trims=joint.endswith("\n") and value_closer.startswith("\n"),
    )
    return Calls(
        payload=payload,
        call=marks,
        between="" if row else gap_of_calls,
        calls=(
            before.removesuffix(opens_call),
            (between_calls or "").removeprefix(closes_call).removesuffix(opens_call),
            closers.removeprefix(closes_call),
        ),
    )


def _tags_at_end(text: str) -> list[str]:
    """Return the ends of *text* that begin with a tag, the shortest first."""
    return [text[at:] for at in range(len(text) - 1, -1, -1) if text[at] == "<"]


def _before_tag(opener: str) -> tuple[str, str]:
    """Split *opener* before a tag in which the name of a tool stands."""
    at = opener.rfind("<")
    return (opener[:at], opener[at:]) if at >= 0 and ">" not in opener[at:] else (opener, "")
