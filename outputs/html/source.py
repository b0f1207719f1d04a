"""A text that was read or refused, with a word beside each part, and notes below."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator, Sequence
from hashlib import sha256
from itertools import chain
from typing import Final, Protocol

from outputs.html.texts import NamedText, fields_html, html_text
from outputs.pieces import Piece, Remark, cut


def anchor_of(*texts: str) -> str:
    """Return a prefix for the anchor names of something that shows these *texts*.

    One page, such as a notebook, may show several such things; those with the same texts share
    their anchors.
    """
    digest = sha256("\0".join(texts).encode("utf-8", "surrogatepass"))
    return f"ap{digest.hexdigest()[:10]}"


def source_html(text: str, parts: Sequence[Piece], notes: Sequence[Remark], anchor: str) -> str:
    """Return *text* as HTML: its parts in colours, and the spans of the notes underlined.

    The styles show the names of the parts in the margin, so they are not in the element's text.

    Args:
        text: The text.
        parts: Its parts, in order and without gaps.
        notes: The notes, in order; their numbers lead to the items of `notes_html`.
        anchor: The prefix of the anchor names.
    """
    labels = _labels(text, parts)
    edges = {edge for note in notes for edge in note[:2]} | labels.keys()
    begins: defaultdict[int, list[Remark]] = defaultdict(list)
    ends: defaultdict[int, list[str]] = defaultdict(list)
    for number, note in enumerate(notes, 1):
        begins[note.start].append(note)
        ends[note.end].append(
            f'<a class="ap-ref ap-{note.kind}" id="{anchor}m{number}" href="#{anchor}n{number}"'
            f' data-number="{number}" aria-label="note {number}: {note.kind}"></a>'
        )
    html = ends.pop(0, [])
    active: list[Remark] = []
    for start, end, part in cut(parts, edges):
        active = [note for note in (*active, *begins.pop(start, ())) if note.end > start]
        label = f' data-part="{labels[start]}"' if start in labels else ""
        html.append(f"<span{_marked(part, active)}{label}>{html_text(text[start:end])}</span>")
        html += ends.pop(end, [])
    html += chain.from_iterable(ends.values())  # beyond the text
    plain = "" if labels else " ap-plain"
    return (
        f'<div class="ap-source ap-text{plain}" data-field="source" dir="auto">'
        f"{''.join(html)}</div>"
    )


def notes_html(
    text: str, notes: Sequence[Remark], anchor: str, first_line: int = 1, within: str = ""
) -> str:
    """Return the *notes* about *text* as an HTML list, with line numbers; ``""`` without notes.

    Args:
        text: The text.
        notes: The notes, in order.
        anchor: The prefix of the anchor names.
        first_line: The number of the first line of the text.
        within: What the lines are counted in, such as ``of the step``; may be empty.
    """
    items = []
    behind = f" {within}" if within else ""
    line, at = first_line, 0
    for number, note in enumerate(notes, 1):
        line, at = line + text.count("\n", at, note.start), note.start
        items.append(
            f'<li id="{anchor}n{number}"><a class="ap-{note.kind}" href="#{anchor}m{number}">'
            f'{number} {note.kind}</a><div><span class="ap-text">{html_text(note.message)}</span>'
            f' <span class="ap-sub">line {line}{behind}</span></div></li>'
        )
    return f'<ol class="ap-notes">{"".join(items)}</ol>' if items else ""


def _marked(part: str, notes: Sequence[Remark]) -> str:
    names = [f"ap-{part}"] if part else []
    names += ["ap-note"] if notes else []
    names += sorted({f"ap-on-{note.kind}" for note in notes})
    return f' class="{" ".join(names)}"' if names else ""


_UNSEEN: Final = {"", "space"}


def _labels(text: str, parts: Sequence[Piece]) -> dict[int, str]:
    """Return the words beside each line of *text* where a part begins, by offset."""
    labels = {}
    for lines in _by_line(text, parts):
        seen = [each for each in lines if each[1] != "marker"] or lines
        labels[seen[0][0]] = " · ".join(dict.fromkeys(part for _, part in seen))
    return labels


def _by_line(text: str, parts: Sequence[Piece]) -> Iterator[list[tuple[int, str]]]:
    """Yield the parts that begin on one line, with the offset of their first character there."""
    here: list[tuple[int, str]] = []
    line = at = 0
    for start, end, part in parts:
        while start < end and text[start] == "\n":
            start += 1  # noqa: PLW2901 - the word stands beside the first line that shows the part
        if part in _UNSEEN or start == end or (part == "marker" and text[start:end].isspace()):
            continue
        begin = max(text.rfind("\n", at, start) + 1, line)
        if here and begin != line:
            yield here
            here = []
        here.append((start, part))
        line, at = begin, start
    if here:
        yield here


# -- an error about a text -------------------------------------------------------------------------


class ShownProblem(Protocol):
    """An error that can be shown, such as an `OutputParserException`."""

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
