"""Derives how a chat template writes calls with keys and values in tags, and results."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Final

from agent_parsers.authoring import ResultForm, ResultsWriter, TaggedPayload, TagPart
from agent_parsers.dialects import deepseek_dsml, minimax_m3
from agent_serving.templates.chat.model_turns import first_mark, pieces, same_beginning, same_end
from agent_serving.templates.chat.probes import (
    FIND,
    HOSTILE,
    IDS,
    KEYS,
    PING,
    RESULTS,
    TEXT_OF_RESULT,
    VALUES,
)
from agent_serving.templates.template_error import TemplateError

if TYPE_CHECKING:
    from agent_parsers.authoring import Marks, Payload
    from agent_serving.templates.chat.model_turns import Shown


@dataclass(frozen=True, kw_only=True)
class CallsOfTemplate:
    """How calls are written, as fields of a `CallFormat`."""

    payload: Payload
    call: Marks | None
    between: str = ""
    region: Marks | None = None
    calls: tuple[str, str, str]
    """Text before all calls, between two calls, and after all calls, with every blank."""
    ids: str = ""
    """How ids are spelt, see `Form.ids`; empty if calls have no ids."""


@dataclass(frozen=True)
class AroundCalls:
    """The text around calls."""

    before: str
    """Before the first call of a turn."""
    between: str | None
    """Between two calls; `None` if a turn has one call."""
    behind: str
    """After the last call."""

    def split(self) -> tuple[Marks, str, Marks]:
        """Return the marks of each call, the text between calls, and the marks around all."""
        before, between, behind = self.before, self.between, self.behind
        if between is None:
            return (before, behind), "", ("", "")
        opener = same_end(before, between)
        closer = same_beginning(behind, between[: len(between) - len(opener)])
        if not opener.strip():
            opener = closer = ""
        around = before.removesuffix(opener), behind.removeprefix(closer)
        return (opener, closer), between[len(closer) : len(between) - len(opener)], around


# -- calls in tags ---------------------------------------------------------------------------------

_SAYS_TEXT: Final = 'string="{}"'
"""The attribute that says whether a value is a text."""


def tagged_calls(turns: Mapping[str, str]) -> CallsOfTemplate:
    """Return how the calls in *turns* are written, if their keys and values are in tags.

    Raises:
        TemplateError: The text between the tags is not always the same, or a mark is missing.
    """
    needed = {"none": "a call without arguments", "two keys": "a call with two arguments"}
    for name, what in needed.items():
        if name not in turns:
            raise TemplateError(f"the template does not write {what}")
    one = turns["one"]
    before, _, rest = one.partition(FIND)
    gap, _, after_key = rest.partition(KEYS[0])
    joint, _, behind = after_key.partition(VALUES[0])
    next_key = turns["two keys"].partition(VALUES[0])[2].partition(KEYS[1])[0]
    empty = turns["none"].partition(FIND)[2]
    key_opener = after_name = closers = ""
    prefix, angle, _ = behind.partition("</")  # a mark before each tag
    prefix = prefix if angle and gap.endswith(f"{prefix}<") else ""
    for key_opener in _tags_at_end(gap, prefix):
        if not next_key.endswith(key_opener):
            continue
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
    if not joint or not value_closer:
        raise TemplateError("the template does not mark where a value begins and where it ends")
    between = next_key.removesuffix(key_opener).removeprefix(value_closer)
    closer_of_value = value_closer.replace(KEYS[0], "{key}")
    said = _SAYS_TEXT.format("true"), _SAYS_TEXT.format("{is_text}")
    says_text = said[0] in joint and _SAYS_TEXT.format("false") in turns.get("types", "")
    after_key = joint.replace(*said) if says_text else joint
    parameter = f"{key_opener}{{key}}{after_key}{{value}}{closer_of_value}"
    between_calls = None
    if two := turns.get("two calls"):
        between_calls = two.partition(VALUES[0])[2].partition(PING)[0].removeprefix(value_closer)
    (opener, closer), gap_of_calls, (opens, closes) = AroundCalls(
        before, between_calls, closers
    ).split()
    opens_call, closes_call, marks = opener, closer, None
    row = None
    if opens.strip():
        marks, row = (opens, closes), ("", gap_of_calls, "")
    else:
        wrapper, tag = _before_tag(opener)
        if wrapper.strip():
            own = first_mark(closer) if tag else ""
            own = closer[: closer.index(own) + len(own)] if own else ""
            opens_call, closes_call = tag, own
            marks = (wrapper, closer.removeprefix(own))
    if marks is not None and not marks[1].strip():
        raise TemplateError(
            f"the template opens calls with {marks[0]!r}, but has no tag that closes them"
        )
    payload = TaggedPayload(
        call=f"{opens_call}{{tool}}{after_name}{{parameters}}{closes_call}",
        parameter=parameter,
        between=between,
        row=row,
        trims=joint.endswith("\n") and value_closer.startswith("\n"),
    )
    payload = _with_values(payload, turns, joint, value_closer, prefix)
    try:
        tags = payload.tags(marks)
    except ValueError as error:
        raise TemplateError(f"the tags of calls have an unknown format: {error}") from error
    if not {TagPart.CALL, TagPart.END_CALL, TagPart.KEY} <= tags.keys():
        written = one.replace(FIND, "NAME").replace(KEYS[0], "KEY").replace(VALUES[0], "VALUE")
        raise TemplateError(
            "expected a tag before and after each call and before each parameter, found"
            f" {written!r}"
        )
    return CallsOfTemplate(
        payload=payload,
        call=marks,
        between="" if row else gap_of_calls,
        calls=(
            before.removesuffix(opens_call),
            (between_calls or "").removeprefix(closes_call).removesuffix(opens_call),
            closers.removeprefix(closes_call),
        ),
    )


def _with_values(
    payload: TaggedPayload, turns: Mapping[str, str], joint: str, closer: str, prefix: str
) -> TaggedPayload:
    """Return *payload* with how values are quoted and typed, and how objects are written.

    Args:
        payload: Calls in tags.
        turns: The turns that show it.
        joint: What stands between a key and its value.
        closer: What closes a value.
        prefix: The mark before each tag.
    """
    before, found, behind = turns.get("hostile text", "").partition(HOSTILE)
    quote = before.rpartition(joint)[2], behind.partition(closer)[0]
    if found and all(quote):
        payload = replace(payload, quote=quote)
    if prefix == minimax_m3.MARK:
        payload = replace(
            payload,
            read_value=minimax_m3.read_value,
            other_values=minimax_m3.other_values,
            write_value=minimax_m3.write_elements,
            reads_json=False,
        )
    if "{is_text}" in payload.parameter:
        payload = replace(
            payload,
            read_value=deepseek_dsml.read_value,
            other_values=deepseek_dsml.other_values,
            says_text=deepseek_dsml.says_text,
        )
    return payload


def _tags_at_end(text: str, prefix: str) -> list[str]:
    """Return the ends of *text* that begin with a tag behind *prefix*, the shortest first."""
    opener = f"{prefix}<"
    return [text[at:] for at in range(len(text) - 1, -1, -1) if text.startswith(opener, at)]


def _before_tag(opener: str) -> tuple[str, str]:
    """Split *opener* before a tag in which the name of a tool stands."""
    at = opener.rfind("<")
    return (opener[:at], opener[at:]) if at >= 0 and ">" not in opener[at:] else (opener, "")


# -- results ---------------------------------------------------------------------------------------

_HOLES: Final = ("{tool}", "{id}")


def derive_results(shown: Shown) -> tuple[ResultsWriter, Marks]:
    """Return the writer of results, and the frame of the turn around them.

    Raises:
        TemplateError: They are not written as texts between marks.
    """
    before = _with_holes(shown.behind, FIND, IDS[0])
    behind = shown.texts["one"].rpartition(RESULTS[0])[2].removesuffix(shown.opened)
    behind = _with_holes(behind, FIND, IDS[0])
    between = _between(shown)
    is_json = _is_json(shown, before, behind)
    if is_json:
        before, behind = before[:-1], behind[1:]
        between = between and between[1:-1]
    opener = _opener(before, between)
    closer = _closer(behind)
    if between is not None:
        closer = same_beginning(between[: len(between) - len(opener)], behind)
    if any(end in closer for end in shown.ends):
        closer = closer[: min(closer.index(end) for end in shown.ends if end in closer)]
    elif any(end in opener for end in shown.ends):
        opener = ""
    frame = (before.removesuffix(opener), behind.removeprefix(closer))
    writer = ResultsWriter(each=(opener, closer))
    if is_json or any(hole in opener + closer for hole in _HOLES):
        writer = ResultsWriter(text=ResultForm(f"{opener}{{text}}{closer}", is_json))
    if between is not None:
        between = between[len(closer) : len(between) - len(opener)]
    if between == frame[0]:
        between = None
    if any(hole in text for text in frame for hole in _HOLES):
        raise TemplateError(
            f"the template names the tool in the text around all results: {frame!r}"
        )
    return replace(writer, between=between), frame


def _with_holes(text: str, tool: str, call_id: str) -> str:
    return text.replace(tool, "{tool}").replace(call_id, "{id}")


def _between(shown: Shown) -> str | None:
    """Return what stands between two results; `None` if a turn has one call."""
    if "two calls" not in shown.turns:
        return None
    _, first, rest = shown.texts["two calls"].partition(RESULTS[0])
    between, second, _ = rest.partition(RESULTS[1])
    if not (first and second):
        raise TemplateError("the template does not write the results of two calls in order")
    return _with_holes(_with_holes(between, PING, IDS[1]), FIND, IDS[0])


def _opener(before: str, between: str | None) -> str:
    """Return what belongs to a result of what stands *before* the first."""
    parts = pieces(before)
    for at, part in enumerate(parts):
        if any(hole in part for hole in _HOLES):
            return "".join(parts[at:])
    return same_end(before, between) if between is not None else ""


def _closer(behind: str) -> str:
    """Return what belongs to a result of what stands *behind* the last: all before a hole."""
    parts = pieces(behind)
    holes = [at for at, part in enumerate(parts) if any(hole in part for hole in _HOLES)]
    return "".join(parts[: holes[-1] + 1]) if holes else ""


def _is_json(shown: Shown, before: str, behind: str) -> bool:
    """Return whether results are strings in JSON."""
    is_quoted = before.endswith('"') and behind.startswith('"')
    return is_quoted and TEXT_OF_RESULT not in shown.texts.get("result", TEXT_OF_RESULT)
