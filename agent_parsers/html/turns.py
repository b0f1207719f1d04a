"""Turns as HTML: the text as the model wrote it, if it is known, and what was read of it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from agent_parsers import AgentFinish
from agent_parsers.core import outcome_of
from agent_parsers.html.results import badges_html, repairs_html, result_fields
from agent_parsers.html.written import notes_about, parts_of_events
from outputs.html import NamedText, anchor_of, fields_html, notes_html, source_html

if TYPE_CHECKING:
    from agent_parsers import MessageTurn, Turn

__all__ = ["draw", "title", "turn_html"]


def turn_html(turn: Turn | MessageTurn) -> str:
    """Return *turn* as HTML for a part of a page; its styles are `STYLES`."""
    badges = [("repaired", f"{len(turn.repairs):,} repaired")] if turn.repairs else []
    fields = [NamedText("thought", turn.thought)] if turn.thought else []
    is_answer = isinstance(turn.result, AgentFinish)  # which is the content
    if not is_answer and (content := getattr(turn, "content", "")):
        fields.append(NamedText("content", content))
    fields += result_fields(turn.result)
    return (
        f'<section class="ap-explained"><h1>{outcome_of(turn.result).capitalize()}</h1>'
        f"{badges_html(badges)}{_written(turn)}"
        f"{fields_html(fields)}</section>"
    )


draw = turn_html


def title(turn: Turn | MessageTurn) -> str:
    """Return what was read."""
    return outcome_of(turn.result)


def _written(turn: Turn | MessageTurn) -> str:
    """Return the text with its repairs; or only the repairs, if the text is not known."""
    result = turn.result
    last = result[-1] if isinstance(result, list) and result else result
    log = "" if isinstance(last, list) else last.log
    parts = parts_of_events(turn.events, log, has_calls=isinstance(result, list))
    if not log or parts is None:
        return repairs_html(turn.repairs)
    notes, others = notes_about(turn.repairs, 0, len(log))
    anchor = anchor_of(log)
    source = source_html(log, parts, notes, anchor)
    return source + notes_html(log, notes, anchor) + repairs_html(others)
