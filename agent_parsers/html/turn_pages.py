"""Turns as HTML: the text as the model wrote it, if it is known, and what it led to.

Turns and steps keep the text only as the `log` of their action, and their spans point into the
text that was read, of which the log may be a part. It is shown only where the two agree.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from typing import TYPE_CHECKING

from agent_parsers.actions.agent import AgentAction, AgentFinish
from agent_parsers.events import Event, MarkerSeen, Repair, Span, ToolNamed
from agent_parsers.explain.explanation import PARTS_OF_EVENTS
from agent_parsers.explain.findings import input_as_text, outcome_of
from outputs.html import (
    NamedText,
    Piece,
    Remark,
    anchor_of,
    fields_html,
    html_text,
    notes_html,
    source_html,
)

if TYPE_CHECKING:
    from agent_parsers.actions.agent import TurnResult
    from agent_parsers.engine.reading.turn import Turn
    from agent_parsers.parsers.message_parser import MessageTurn
    from agent_parsers.transcripts.transcript import TranscriptStep


def notes_about(
    repairs: Iterable[Repair], start: int, size: int
) -> tuple[list[Remark], list[Repair]]:
    """Return notes about the *repairs* in a text, and the repairs that are not in it.

    The text begins at the offset *start* and has *size* characters.
    """
    notes: list[Remark] = []
    others: list[Repair] = []
    for repair in sorted(repairs, key=lambda repair: repair.span):
        begin, end = repair.span[0] - start, repair.span[1] - start
        if 0 <= begin <= end <= size:
            notes.append(Remark(begin, end, "repaired", repair.message))
        else:
            others.append(repair)
    return notes, others


def parts_of_events(events: Sequence[Event], text: str, *, has_calls: bool) -> list[Piece] | None:
    """Return the parts of *text* if *events* cover it without gaps, else `None`.

    Args:
        events: The merged events.
        text: What may be the text, or its beginning.
        has_calls: Whether the turn has calls, so that text beside them is content.
    """
    parts: list[Piece] = []
    at = 0
    for event in sorted((e for e in events if type(e) in PARTS_OF_EVENTS), key=lambda e: e.span):
        start, end = event.span
        if start >= len(text):
            break
        if start == end:  # reasoning that came beside the text
            continue
        written = text[start:end]
        own = written if isinstance(event, MarkerSeen | ToolNamed) else getattr(event, "text", "")
        if start != at or not own.startswith(written):
            return None
        part = PARTS_OF_EVENTS[type(event)]
        if part == "marker" and written.isspace():
            part = "space"
        elif part == "answer" and has_calls:
            part = "content"
        at = min(end, len(text))
        parts.append(Piece(start, at, part))
    return parts if at == len(text) else None


def start_of_log(step: TranscriptStep, log: str) -> int | None:
    """Return the offset in the text of the run at which *log* begins; `None` if it is unclear."""
    known: list[tuple[Span | None, str]] = [(step.thought_span, step.thought)]
    known.append((step.action_span, getattr(step.action, "tool", "")))
    starts = set()
    for span, text in known:
        if span is not None and text and log.count(text) == 1:
            starts.add(span[0] - log.index(text))
    return starts.pop() if len(starts) == 1 else None


def parts_of_step(step: TranscriptStep, log: str, start: int) -> list[Piece]:
    """Return the parts of *log*, which begins at *start*: the thought, the action, and the rest."""
    spans = [(step.thought_span, "thought")]
    tool = getattr(step.action, "tool", "")
    if step.action_span is not None and tool:
        begin, end = step.action_span
        at = begin + len(tool) if log.startswith(tool, begin - start) else begin
        spans += [((begin, at), "tool"), ((at, end), "input")]
    else:
        spans.append((step.action_span, "answer"))
    parts: list[Piece] = []
    at = 0
    for span, part in spans:
        if span is not None and at <= span[0] - start <= span[1] - start <= len(log):
            begin, end = span[0] - start, span[1] - start
            parts += [Piece(at, begin, "marker"), Piece(begin, end, part)]
            at = end
    return [*parts, Piece(at, len(log), "skipped" if parts else "")]


# -- what it led to --------------------------------------------------------------------------------


def result_fields(result: TurnResult | None) -> Iterator[NamedText]:
    """Yield the tool and the input of each call, or the answer."""
    match result:
        case None:
            pass
        case AgentAction(tool=tool, tool_input=tool_input):
            yield NamedText("tool", tool)
            yield NamedText("input", input_as_text(tool_input))
        case list() as actions:
            for action in actions:
                yield from result_fields(action)
        case finish:
            values = finish.return_values
            yield NamedText(
                "answer", input_as_text(values["output"] if [*values] == ["output"] else values)
            )


def badges_html(badges: Iterable[tuple[str, str]]) -> str:
    """Return *badges* as HTML; each is a part, which gives the colour, and a text."""
    drawn = "".join(
        f'<span class="ap-badge ap-{part}">{html_text(text)}</span>' for part, text in badges
    )
    return f'<div class="ap-badges">{drawn}</div>' if drawn else ""


def repairs_html(repairs: Iterable[Repair]) -> str:
    """Return *repairs* as an HTML list that does not say where they are."""
    return messages_html(("repaired", repair.message) for repair in repairs)


def messages_html(messages: Iterable[tuple[str, str]]) -> str:
    """Return *messages*, each with its kind, as an HTML list."""
    items = "".join(
        f'<li><span class="ap-{kind}">{kind}</span>'
        f'<div class="ap-text" dir="auto">{html_text(message)}</div></li>'
        for kind, message in messages
    )
    return f'<ul class="ap-notes">{items}</ul>' if items else ""


# -- the turn --------------------------------------------------------------------------------------


def turn_html(turn: Turn | MessageTurn) -> str:
    """Return *turn* as HTML, for a page that has the `STYLES`."""
    badges = [("repaired", f"{len(turn.repairs):,} repaired")] if turn.repairs else []
    fields = [NamedText("thought", turn.thought)] if turn.thought else []
    if turn.content.strip() and not isinstance(
        turn.result, AgentFinish
    ):  # the answer is the content
        fields.append(NamedText("content", turn.content))
    fields += result_fields(turn.result)
    return (
        f'<section class="ap-explained"><h1>{outcome_of(turn.result).capitalize()}</h1>'
        f"{badges_html(badges)}{_written(turn)}"
        f"{fields_html(fields)}</section>"
    )


draw = turn_html


def title(turn: Turn | MessageTurn) -> str:
    """Return a title that says what was read."""
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
