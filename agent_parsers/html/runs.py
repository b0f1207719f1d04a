"""Runs as HTML: a column of steps, each with thought, content, call and what the tool returned."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, Final

from agent_parsers.actions.agent import AgentAction
from agent_parsers.html.turn_pages import (
    badges_html,
    messages_html,
    notes_about,
    parts_of_step,
    repairs_html,
    result_fields,
    start_of_log,
)
from agent_parsers.transcripts.facts import first_line_of, form_of
from agent_parsers.transcripts.transcript import transcript_of
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
    from agent_parsers.transcripts.transcript import Transcript, TranscriptStep


def transcript_html(run: Any) -> str:
    """Return a *run* as HTML, for a page that has the `STYLES`."""
    transcript = transcript_of(run)
    texts = [step.action.log for step in transcript.all_steps if step.action is not None]
    anchor = anchor_of(transcript.id, transcript.question, *texts)
    return (
        f"<section><h1><bdi>{html_text(title(transcript))}</bdi></h1>"
        f"{badges_html(badges_of(transcript))}{run_html(transcript, anchor)}</section>"
    )


draw = transcript_html


def title(run: Any) -> str:
    """Return a title for the *run*, with its id if it has one."""
    transcript = transcript_of(run)
    return f"Run {transcript.id}" if transcript.id else "Run"


def badges_of(run: Transcript) -> list[tuple[str, str]]:
    """Return the badges at the head of a run: a part, which gives the colour, and a text each."""
    badges = [("dialect", form_of(run))] if form_of(run) else []
    badges.append(("muted", _count(len(run.all_steps), "step")))
    badges += [("repaired", _count(len(run.repairs), "repair"))] if run.repairs else []
    badges += [("error", f"{len(run.failed)} not read")] if run.failed else []
    failed = sum(step.tool_failed for step in run.all_steps)
    badges += [("error", f"{failed} failed")] if failed else []
    badges += [("notice", _count(len(run.notices), "notice"))] if run.notices else []
    badges.append(("muted", "no answer") if run.finish is None else ("answer", "answer"))
    return badges


def run_html(run: Transcript, anchor: str, keys: Mapping[int, str] | None = None) -> str:
    """Return the question and the steps of a run.

    Args:
        run: The run.
        anchor: The prefix of the anchor names; that of a step adds ``s`` and its number.
        keys: The keys of the steps, for the filter of a report.
    """
    fields = [NamedText("preamble", run.preamble)] if run.preamble.strip() else []
    fields += [NamedText("question", run.question)] if run.question else []
    messages = [("repaired", repair.message) for repair in run.question_repairs]
    for notice in run.notices:
        where = f"step {notice.step}: " if notice.step else ""
        text = f"\n{notice.text}" if notice.text else ""
        messages.append(("notice", f"{where}{notice.message}{text}"))
    source = run.source
    # The lines of a text are those of its file; without a file, those of the text that was read.
    first_line = first_line_of(run) if source else 1
    steps = (
        _step_html(step, f"{anchor}s{step.number}", (keys or {}).get(step.number, ""), first_line)
        for step in run.all_steps
    )
    place = f"{source.file}:{source.line or 1}" if source and source.file else ""
    told = "".join(
        f'<p class="ap-sub"><bdi>{html_text(line)}</bdi></p>'
        for line in (place, ", ".join(run.about))
        if line
    )
    return (
        f'<div class="ap-whole">{told}{fields_html(fields)}{messages_html(messages)}'
        f'<ol class="ap-steps">{"".join(steps)}</ol></div>'
    )


def _step_html(step: TranscriptStep, anchor: str, keys: str, first_line: int) -> str:
    call = isinstance(step.action, AgentAction)
    is_wrong = step.error is not None or step.tool_failed
    part = "error" if is_wrong else "tool" if call else "answer"
    head = f'<a href="#{anchor}">step {step.number}</a>'
    if step.error is not None:
        head += '<b class="ap-hue">not read</b>'
    if step.tool_failed:
        head += '<b class="ap-hue">failed</b>'
    if step.repairs:
        words = f"{len(step.repairs)} repaired"
        head += f'<span class="ap-badge ap-repaired">{words}</span>'
    refused = (step.error.llm_output or "") if step.error is not None else ""
    is_said = bool(step.thought) and step.thought not in refused
    fields = [NamedText("thought", step.thought)] if is_said else []
    fields += [NamedText("content", step.content)] if step.content else []
    fields += result_fields(step.action)
    after = []
    if step.error is not None and step.error.observation and step.observation is None:
        after.append(NamedText("observation", step.error.observation, "to the model"))
    if step.observation is not None:
        after.append(NamedText("observation", step.observation))
    kept = f' data-keys="{keys}"' if keys else ""
    return (
        f'<li class="ap-{part}" id="{anchor}"{kept}><div class="ap-head">{head}</div>'
        f"{fields_html(fields)}{_trouble(step, anchor, first_line)}{fields_html(after)}</li>"
    )


def _trouble(step: TranscriptStep, anchor: str, first_line: int) -> str:
    """Return the error and the repairs of a step, in the text of its model if that is known.

    Args:
        step: The step.
        anchor: The prefix of the anchor names.
        first_line: The line of the file where the run begins; 0 if it is not a text there.
    """
    error = step.error
    if error is not None:
        text = error.llm_output or ""
        if not text or error.span is None:
            return messages_html([("error", error.reason)]) + repairs_html(step.repairs)
        notes = [Remark(*error.span, "error", error.reason)]
        source = source_html(text, [Piece(0, len(text), "")], notes, anchor)
        line, within = (first_line + error.begins_at[0] - 1, "") if first_line else (1, _STEP)
        said = notes_html(text, notes, anchor, line, within)
        return source + said + repairs_html(step.repairs)
    log = step.action.log if step.action is not None else ""
    start = start_of_log(step, log) if step.repairs else None
    if start is None:
        return repairs_html(step.repairs)
    notes, others = notes_about(step.repairs, start, len(log))
    source = source_html(log, parts_of_step(step, log, start), notes, anchor)
    return (
        f"{notes_html(log, notes, anchor, within=_STEP)}{repairs_html(others)}"
        f'<details class="ap-more"><summary>as it was written</summary>{source}</details>'
    )


_STEP: Final = "of the step"
"""What lines are counted in if it is not known where the text of a step stands."""


def _count(number: int, one: str) -> str:
    return f"{number:,} {one if number == 1 else one + 's'}"
