"""What an explanation says in words: its headline, its notes, and the outcome of the turn."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Final

from agent_parsers.actions.agent import AgentAction
from outputs.pieces import Remark

if TYPE_CHECKING:
    from collections.abc import Iterator

    from agent_parsers.actions.agent import TurnResult
    from agent_parsers.explain.findings import ExplainedRepair, Findings

__all__ = ["input_as_text", "notes_of", "outcome_of", "reason_of"]

_LONGEST_AFTER: Final = 40
"""Longest replacement that a note shows, in characters."""


def outcome_of(result: TurnResult | None) -> str:
    """Return what a turn was read as, in a word or two; an error has no *result*."""
    match result:
        case AgentAction():
            return "an action"
        case list() as actions:
            return "1 action" if len(actions) == 1 else f"{len(actions)} actions"
        case None:
            return "an error"
        case _:
            return "an answer"


def notes_of(it: Findings) -> list[Remark]:
    """Return the notes about repairs, ignored markers and the error, in the order of the text."""
    return sorted(_notes(it), key=lambda note: note[:2])


def _notes(it: Findings) -> Iterator[Remark]:
    for repair in it.repairs:
        yield Remark(*repair.span, "repaired", repair.message + _arrow(repair))
    for mark in it.ignored:
        yield Remark(*mark.span, "ignored", mark.reason)
    if it.error is not None and it.error.span is not None:
        yield Remark(*it.error.span, "error", reason_of(it))


def reason_of(it: Findings) -> str:
    """Return the reason of the error without the text, which some messages repeat."""
    reason = it.error.reason if it.error else ""
    return reason.replace(it.text, "...") if len(it.text) > 1 else reason


def input_as_text(tool_input: object) -> str:
    """Return the input of a tool as text: as JSON if it is not text already."""
    if isinstance(tool_input, str):
        return tool_input
    try:
        return json.dumps(tool_input, ensure_ascii=False, default=repr)
    except (TypeError, RecursionError):
        return repr(tool_input)


def _arrow(repair: ExplainedRepair) -> str:
    """Return the replacement of a repair, if it is short and not evident from the message."""
    after = repair.after
    if not after or after in repair.before or after in repair.message:
        return ""
    return f" -> {after}" if len(after) <= _LONGEST_AFTER else ""
