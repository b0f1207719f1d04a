"""Derives how a chat template writes the results of calls."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Final

from agent_parsers.authoring import ResultForm, ResultsWriter
from agent_parsers.templates.chat.marks import pieces, same_beginning, same_end
from agent_parsers.templates.chat.probes import FIND, IDS, PING, RESULTS, TEXT_OF_RESULT
from agent_parsers.templates.problems import TemplateError

if TYPE_CHECKING:
    from agent_parsers.authoring import Marks
    from agent_parsers.templates.chat.turns import Shown

__all__ = ["derive_results"]

_HOLES: Final = ("{tool}", "{id}")


def derive_results(shown: Shown) -> tuple[ResultsWriter, Marks]:
    """Return what writes results, and the turn frame around them.

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
        raise TemplateError(f"the template names the tool in the frame of results: {frame!r}")
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
