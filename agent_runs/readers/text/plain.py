r"""Text in a dialect, as a program prints its agent's scratchpad or as a data set stores it.

::

    Question: Which month has the most fog?
    Thought: I look it up.
    Action: search
    Action Input: fog by month
    Observation: November
    Thought: I know it now.
    Final Answer: November.

Where one run ends and the next begins:

* A label of questions begins a run.
* An answer ends a run: if a whole step follows, it belongs to the next run. A step in a fence, or
  the mere label of one, is part of the answer.
* ``> Entering new … chain...`` begins a run and ``> Finished chain.`` ends it, also where they were
  copied without their colours, and the counts of tokens that some programs print end an answer.

LlamaIndex's ReAct agent (0.10 to 0.12) prints ``> Running step …. Step input: `` before each turn,
which is read as a label of questions, or as nothing where the input is ``None``.

What stands between two runs, above the first and behind the last is taken out before; see
`agent_runs.splitting.outside`. So are prompts and lines of loggers.

Without a label, the text before the first step of a run is its question, as for `parse_transcript`,
unless the log's first run has a label.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import replace
from functools import lru_cache
from math import inf
from typing import TYPE_CHECKING, Final

from agent_parsers import AgentAction, AgentFinish, OutputParserException, get_dialect
from agent_parsers.core import Detection
from agent_parsers.transcripts import Notice, Transcript, TranscriptStep
from agent_runs.detecting.detect import detect, detect_in_head
from agent_runs.reading.building import RunBuilder
from agent_runs.reading.reader import HEAD_CHARS, Lines, NumberedLines, Reading, TextReader
from agent_runs.splitting.coloured import COLOURS, plain_lines
from agent_runs.splitting.ends import AGAIN, DOUBT, ruled_off, said_again
from agent_runs.splitting.labels import (
    begins_any,
    begins_foreign,
    begins_marked,
    begins_question,
    begins_step,
    is_of_llamaindex,
    spelling_of,
)
from agent_runs.splitting.outside import FOUND_PROMPT, OutsideOfRuns, is_header_of_log
from agent_runs.splitting.prompts import opens_prompt, shows_format, without_prompts
from agent_runs.splitting.quoted import Quotations, has_structure
from agent_runs.splitting.runs_of_log import FRAMES, LogRun, RunsOfLog, WholeRun
from agent_runs.splitting.separators import is_certain

if TYPE_CHECKING:
    from agent_parsers import Dialect
    from agent_parsers.events import Span

_FEW: Final = 6
"""How many lines may stand above a run that is read if its dialect is named."""
_FEWEST_MARKERS: Final = 2
"""How many different markers a text without an action needs to be a log."""


def _evidence(head: str) -> Sequence[str]:
    text = _own_text(head[:HEAD_CHARS])
    detection = detect_in_head(text)
    if not _is_log(detection):
        return ()
    dialect = get_dialect(detection.candidates[0].dialect)
    lines = text.splitlines(keepends=True)
    first = next((at for at, line in enumerate(lines) if _begins(dialect, line)), 0)
    if begins_question(dialect, lines[first]) or not has_structure("".join(lines[:first])):
        return (detection.candidates[0].reason,)
    if not _is_headed(lines[:first], lines[first:]):
        return ()  # the text has a form that is not known, and a run inside
    return (detection.candidates[0].reason,)


def _lack(head: str) -> str:
    """Return which line is nearest to a log in a dialect, and what stopped the reader there."""
    text = _spelt(COLOURS.sub("", head[:HEAD_CHARS]))
    detection = detect_in_head(_own_text(head[:HEAD_CHARS]))
    if _is_log(detection):
        dialect = detection.candidates[0].dialect
        lines = text.splitlines()
        label = next(each for each in lines if _begins(get_dialect(dialect), each))
        at, line = next(
            (at, each) for at, each in enumerate(lines, 1) if each.strip() and has_structure(each)
        )
        lead = lines[: lines.index(label)]
        is_short = sum(map(bool, map(str.strip, lead))) <= _FEW
        advice = f": pass dialect={dialect!r} to read the log nevertheless" if is_short else ""
        return (
            f"line {at}, {_short(line)}, comes before {_short(label)} and may belong to another"
            f" form{advice}"
        )
    is_prompt = any(map(opens_prompt, text.splitlines())) and _is_log(detect(text))
    is_quoted = _is_log(detect_in_head(without_prompts(text)))
    for at, line in enumerate(text.splitlines(), 1):
        if is_prompt and opens_prompt(line):
            return (
                f"line {at}, {_short(line)}, begins a prompt, whose examples are not read as runs"
            )
        if is_quoted and begins_any(line):
            return f"line {at}, {_short(line)}, is quoted, and quoted runs are not read"
        if begins_step(get_dialect("react"), line):
            return (
                f"line {at}, {_short(line)}, looks like the beginning of a step, but no dialect"
                " can read an action or an answer there: dialect='react' shows why"
            )
    return ""


def _short(line: str) -> str:
    return repr(line.strip()[:60])


def _is_headed(header: Sequence[str], rest: Sequence[str]) -> bool:
    """Return whether a *header* is a program's first words, and none of its marks comes again."""
    marks = {line.strip()[:1] for line in header if line.strip()} & {"$", "#", "[", "%"}
    is_again = any(line[:1] in marks and not is_certain(line) for line in rest)
    return is_header_of_log(header) and not is_again


@lru_cache(maxsize=4)
def _own_text(head: str) -> str:
    """Return *head* without colours, prompts, lines of loggers, and what is quoted at the top."""
    return _unquoted(without_prompts(_spelt(COLOURS.sub("", head))))


def _begins(dialect: Dialect, line: str) -> bool:
    return FRAMES["begin"].match(line) is not None or begins_marked(dialect, line)


def _unquoted(head: str) -> str:
    """Return *head* without what is quoted before its first label."""
    quotations = Quotations(begins_any)
    lines = Lines(head.splitlines(keepends=True))
    kept: list[str] = []
    for line in lines:
        if quotations.has(line, lines.peek):
            continue
        if FRAMES["begin"].match(line) or begins_any(line):
            return "".join((*kept, line, *lines))
        kept.append(line)
    return "".join(kept)


def _is_log(detection: Detection) -> bool:
    """Return whether more was found than one label, which any text may have."""
    if not detection.candidates:
        return False
    best = detection.candidates[0]
    if best.form == "reply" and all(mark.startswith("```") for mark in best.markers):
        return False  # any page with code has a fence
    return bool(best.actions) or len(best.markers) >= _FEWEST_MARKERS


def _read(lines: Lines, reading: Reading) -> Iterator[Transcript]:
    dialect = reading.dialect
    spelling = spelling_of(COLOURS.sub("", lines.head(HEAD_CHARS)[:HEAD_CHARS]))
    if dialect is None and is_of_llamaindex(COLOURS.sub("", lines.head(HEAD_CHARS))):
        dialect = get_dialect("react_llamaindex")
    elif dialect is None:
        text = _own_text(lines.head(HEAD_CHARS)[:HEAD_CHARS])
        detection = detect_in_head(text)
        if not (_is_log(detection) or detection.is_ambiguous):
            detection = Detection((), text=text[:1000])
        dialect = get_dialect(detection.dialect)
    if not dialect.lenient.transcript_start:
        raise OutputParserException(
            f"{dialect.name!r} has no format for whole runs, so this text can only be one turn:"
            " read it with get_parser()",
            observation="Give the turns of the run one by one, as records or messages.",
        )
    said = (spelling[1],) if spelling else ()
    spelt = spelling[0] if spelling else str
    head = lines.head(HEAD_CHARS)
    behind: set[int] = set()
    outside = OutsideOfRuns(
        plain_lines(lines, spelt, behind),
        dialect,
        [spelt(line) for line in COLOURS.sub("", head).splitlines(keepends=True)],
        is_whole=len(head) < HEAD_CHARS,
        behind=behind,
    )
    yield from _runs(outside, dialect, reading.in_dialect(dialect, *said))


def _spelt(head: str) -> str:
    """Return *head* with the labels of ReAct, if people wrote others by hand."""
    spelling = spelling_of(head)
    return "".join(map(spelling[0], head.splitlines(keepends=True))) if spelling else head


def _runs(outside: OutsideOfRuns, dialect: Dialect, reading: Reading) -> Iterator[Transcript]:
    """Yield the runs in a log; text that no run owns is a notice of the run before it."""
    log = RunsOfLog(NumberedLines(outside), dialect, reading.tools, begins=outside.begins)
    done: Transcript | None = None
    loose: list[Notice] = []
    for run in log:
        if run.transcript is None and run.has_steps:  # it has just begun
            if done is not None:
                done = _with(done, outside.notices_before(run.offset))
                if not _precedes_prompt(done):
                    yield done
                    done = None
        elif run.transcript is not None and shows_format(run.transcript, dialect):
            notice = Notice("unowned_text", FOUND_PROMPT, text=_text_of(run.transcript))
            if done is not None:
                done = _with(done, [*outside.notices_before(run.offset), notice])
            else:
                loose.append(notice)
        elif run.transcript is not None:
            if done is not None:
                done = _with(done, outside.notices_before(run.offset))
            if done is not None and _is_repeated(done, run.transcript):
                loose = [*_about_prompts(done), _repeated(done)]
            elif done is not None:
                yield done
            transcript = _shifted(run.transcript, outside.shift(run.offset))
            done = _finished(transcript, run, loose, reading, is_bare=not log.is_labelled)
            loose = []
        elif done is not None:
            done = _with(done, [_unowned("found text after the end of the run", run)])
        else:
            loose.append(_unowned("found text before the run", run))
    if done is not None:
        yield _with(done, outside.notices_before(inf))


def _with(run: Transcript, notices: Sequence[Notice]) -> Transcript:
    """Return *run* with *notices*; those of an unclear end are about its last step."""
    if not notices:
        return run
    last = len(run.all_steps)
    placed = [replace(n, step=last) if n.kind == "unclear_end" else n for n in notices]
    return replace(run, notices=(*run.notices, *placed))


def _about_prompts(run: Transcript) -> list[Notice]:
    return [notice for notice in run.notices if notice.message == FOUND_PROMPT]


def _precedes_prompt(run: Transcript) -> bool:
    return run.finish is None and bool(_about_prompts(run))


def _is_repeated(run: Transcript, longer: Transcript) -> bool:
    """Return whether a prompt behind *run* repeats it, as the beginning of a *longer* one.

    So a program logs what it sends in each turn: the question, and the steps so far.
    """
    if not _precedes_prompt(run) or run.question.strip() != longer.question.strip():
        return False
    steps, others = run.all_steps, longer.all_steps
    if steps and steps[-1].action is None:  # its input is the last of the log, so it is not read
        steps = steps[:-1]
    return len(steps) <= len(others) and all(
        isinstance(step.action, AgentAction)
        and isinstance(other.action, AgentAction)
        and (step.action.tool, step.action.tool_input)
        == (other.action.tool, other.action.tool_input)
        and step.observation in (None, other.observation)
        for step, other in zip(steps, others, strict=False)
    )


def _repeated(run: Transcript) -> Notice:
    line = run.source.line if run.source is not None else 0
    what = "found the beginning of the run repeated in a prompt"
    return Notice("unowned_text", what, text=_text_of(run), line=line)


def _text_of(run: Transcript) -> str:
    """Return what is in *run*, as text."""
    parts = [run.question]
    for step in run.all_steps:
        log = step.action.log if step.action is not None else step.thought
        parts += (log, step.observation or "")
    return "\n".join(filter(None, parts))


def _shifted(run: Transcript, shift: Callable[[Span], Span] | None) -> Transcript:
    """Return *run* with its spans in the text of the log, from which lines were taken out."""
    if shift is None:
        return run
    steps = tuple(
        replace(
            step,
            thought_span=step.thought_span and shift(step.thought_span),
            action_span=step.action_span and shift(step.action_span),
            observation_span=step.observation_span and shift(step.observation_span),
            repairs=tuple(replace(each, span=shift(each.span)) for each in step.repairs),
        )
        for step in run.all_steps
    )
    return replace(run, all_steps=steps)


def _unowned(message: str, text: LogRun | WholeRun) -> Notice:
    return Notice("unowned_text", message, text="".join(text.lines), line=text.line)


def _finished(
    run: Transcript,
    read: LogRun | WholeRun,
    loose: Iterable[Notice],
    reading: Reading,
    *,
    is_bare: bool,
) -> Transcript:
    """Return a *run* with its source, the *loose* notices of text before it, and what it lacks.

    If it *is_bare*, its question may lack a label.
    """
    builder = RunBuilder(reading.at(read.line))
    builder.introduce(run.preamble)
    if run.preamble.strip():
        builder.notice("unowned_text", "found text before the question", text=run.preamble)
    if read.is_labelled or is_bare:
        builder.ask(run.question)
        if not read.is_labelled and run.question.strip():
            builder.notice("unowned_text", "read text without a label as the question")
    else:
        builder.introduce(run.question)
    for step in run.all_steps:
        seen, behind = _behind_answer(step)
        builder.add(seen)
        if behind.strip():
            builder.notice("unowned_text", "found text after the end of the run", text=behind)
        _notice_foreign(builder, seen)
    transcript = builder.transcript()
    notices = (*loose, *transcript.notices)
    return replace(transcript, question_repairs=run.question_repairs, notices=notices)


def _behind_answer(step: TranscriptStep) -> tuple[TranscriptStep, str]:
    """Return *step*, and what follows the first paragraph of a result, if it is an answer.

    No tool returned such a result: the run has ended, and its environment says so.
    """
    seen, span = step.observation, step.observation_span
    if not isinstance(step.action, AgentFinish) or seen is None or span is None:
        return step, ""
    paragraph, _, behind = seen.partition("\n\n")
    if not behind:
        return step, ""
    return replace(
        step, observation=paragraph, observation_span=(span[0], span[0] + len(paragraph))
    ), behind


def _notice_foreign(builder: RunBuilder, step: TranscriptStep) -> None:
    """Add notices of lines in the values of a *step* that may not belong to it."""
    if isinstance(step.action, AgentAction) and isinstance(step.action.tool_input, str):
        first, *lines = step.action.tool_input.splitlines() or [""]
        if lines and not first.lstrip().startswith(("{", "[", "```")):
            what = f"the input of {step.action.tool!r} has several lines, and nothing marks its end"
            builder.notice("unclear_end", what, text="\n".join(lines))
    if isinstance(step.action, AgentFinish):
        answer = str(step.action.return_values.get("output", ""))
        for message, text in ((AGAIN, said_again(answer)), (DOUBT, ruled_off(answer))):
            if text:
                builder.notice("unclear_end", message, text=text)
    for line in (step.observation or "").splitlines()[1:]:
        if begins_foreign(line):
            what = "a line in a result might not belong to the result"
            builder.notice("unclear_end", what, text=line)


READER: Final = TextReader(
    name="plain",
    summary="text in a dialect, such as a question and ReAct steps",
    evidence=_evidence,
    read=_read,
    lack=_lack,
)
