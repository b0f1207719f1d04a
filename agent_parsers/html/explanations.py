"""Explanations as HTML: the text in parts, the notes about it, and the outcome."""

from __future__ import annotations

from typing import TYPE_CHECKING

from agent_parsers.explain.findings import notes_of, outcome_of
from agent_parsers.html.turn_pages import badges_html, result_fields
from outputs.html import NamedText, Piece, anchor_of, fields_html, notes_html, source_html

if TYPE_CHECKING:
    from agent_parsers.explain.findings import Findings


def explanation_html(explanation: Findings) -> str:
    """Return *explanation* as HTML, for a page that includes the `STYLES`."""
    it = explanation
    anchor = anchor_of(it.dialect, it.mode, it.text)
    badges = [("dialect", f"{it.dialect}, {it.mode}")]
    badges += [("repaired", f"{len(it.repairs):,} repaired")] if it.repairs else []
    badges += [("ignored", f"{len(it.ignored):,} ignored")] if it.ignored else []
    fields = [*result_fields(it.result)]
    if it.error is not None:
        fields += [NamedText("error", it.error.reason)] if it.error.span is None else []
        if it.error.observation:
            fields.append(NamedText("observation", it.error.observation, "to the model"))
    notes = notes_of(it)
    parts = [Piece(*span.span, span.part) for span in it.spans]
    return (
        f'<section class="ap-explained"><h1>{outcome_of(it.result).capitalize()}</h1>'
        f"{badges_html(badges)}{source_html(it.text, parts, notes, anchor)}"
        f"{notes_html(it.text, notes, anchor)}{fields_html(fields)}</section>"
    )


draw = explanation_html


def title(it: Findings) -> str:
    """Return a title: the dialect, and what was read."""
    return f"{it.dialect}: {outcome_of(it.result)}"
