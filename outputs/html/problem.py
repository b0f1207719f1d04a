"""An error about a text as HTML: the reason, the place, and what to tell the model."""

from __future__ import annotations

from typing import Protocol

from outputs.html.named_texts import NamedText, fields_html
from outputs.html.source import anchor_of, notes_html, source_html
from outputs.html.text import html_text
from outputs.pieces import Piece, Remark

__all__ = ["ShownProblem", "draw", "problem_html", "title"]


class ShownProblem(Protocol):
    """An error that is shown: an `OutputParserException`."""

    observation: str | None
    llm_output: str | None
    span: tuple[int, int] | None
    begins_at: tuple[int, int]

    @property
    def reason(self) -> str:
        """What is wrong, in one clause."""


def problem_html(problem: ShownProblem) -> str:
    """Return the reason, the text with its span underlined, and the observation, as HTML."""
    reason = html_text(problem.reason)
    html = [f'<h1><span class="ap-error ap-hue">error</span> <bdi>{reason}</bdi></h1>']
    text = problem.llm_output
    if isinstance(text, str) and problem.span is not None:
        anchor = anchor_of(text, problem.reason)
        notes = [Remark(*problem.span, "error", problem.reason)]
        html.append(source_html(text, [Piece(0, len(text), "")], notes, anchor))
        html.append(notes_html(text, notes, anchor, problem.begins_at[0]))
    if problem.observation:
        html.append(fields_html([NamedText("observation", problem.observation, "to the model")]))
    return f'<section class="ap-explained">{"".join(html)}</section>'


draw = problem_html


def title(problem: ShownProblem) -> str:
    """Return the reason."""
    return problem.reason
