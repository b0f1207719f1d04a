"""Reading plain-text transcripts, and suggesting the dialect they are written in."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from agent_parsers import (
    OutputParserException,
    TranscriptParser,
    get_dialect,
    list_dialects,
    parse_transcripts,
)
from agent_parsers.cli.runs import Options, Run, Trouble, run_of_text

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from agent_parsers import Transcript
    from agent_parsers.cli.places import Document

__all__ = ["read_text"]

_DEFAULT: Final = "react"
_CHUNK: Final = 1 << 16
"""Characters to read between two updates of the progress bar."""


def read_text(
    file: str,
    document: Document,
    options: Options,
    advance: Callable[[int], None],
    why_not_json: str = "",
) -> Iterator[Run | Trouble]:
    """Read a text and yield its runs, or a report of why it cannot be read.

    Args:
        file: Name of the file.
        document: Text of the file.
        options: How to read it.
        advance: Called with the number of characters read since the last call.
        why_not_json: Why a text that begins like JSON is not JSON.
    """
    if not options.lenient:
        yield Trouble(file, "a text transcript cannot be read with --strict; only records can")
        return
    text = document.text
    if not text.strip():
        yield Trouble(file, "found nothing to read")
        return
    dialect = get_dialect(options.dialect or _DEFAULT).name
    if not get_dialect(dialect).lenient.transcript_start:
        yield Trouble(file, f"{dialect} has no text transcripts; only records can be read")
        return
    parser = TranscriptParser(dialect)
    for at in range(0, len(text), _CHUNK):
        parser.feed(text[at : at + _CHUNK])
        advance(min(_CHUNK, len(text) - at))
    parser.close()
    if options.dialect is None and (other := _other_dialect(text, dialect, parser.runs)):
        yield Trouble(file, f"found no step in {dialect}; read it with --dialect {other}")
    elif parser.runs:
        for number, transcript in enumerate(parser.runs, 1):
            yield run_of_text(file, number, dialect, document, transcript)
    else:
        reason = f"found no step in the transcript, read as {dialect}"
        if why_not_json:
            reason += f"; {why_not_json}"
        yield Trouble(file, reason)


def _other_dialect(text: str, dialect: str, runs: Sequence[Transcript]) -> str:
    """Return the dialect of a text, if it is evidently not *dialect*; else an empty string.

    If no step could be read without repairs, the text is probably in another dialect. That dialect
    is suggested only if it needs fewer repairs and has fewer errors.
    """
    steps, troubles = _count(runs)
    if troubles < steps:
        return ""
    found: dict[str, int] = {}
    for name in list_dialects():
        if name == dialect or not get_dialect(name).lenient.transcript_start:
            continue
        try:
            steps, fewer = _count(parse_transcripts(text, dialect=name))
        except OutputParserException:
            continue
        if fewer < steps and (fewer < troubles or not runs):
            found[name] = fewer
    return min(found, key=found.__getitem__, default="")


def _count(runs: Sequence[Transcript]) -> tuple[int, int]:
    """Return the number of steps, and that of repairs and steps that could not be read."""
    failed = sum(len(run.failed) for run in runs)
    steps = sum(len(run.steps) for run in runs) + failed
    return steps, failed + sum(len(run.repairs) for run in runs)
