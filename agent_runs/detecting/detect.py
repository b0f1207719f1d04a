"""Finding the dialect of a text, which is a reply or the log of whole runs."""

from __future__ import annotations

import io
import re
from collections.abc import Iterable, Mapping
from functools import lru_cache, partial
from itertools import accumulate
from typing import TYPE_CHECKING, Final

from agent_parsers.core import Detection, DialectTrial, detection_of, known_tools, try_reply
from agent_runs.reading.reader import Lines
from agent_runs.splitting.labels import begins_any, has_log_mark
from agent_runs.splitting.runs_of_log import FRAMES, RunsOfLog
from output_parsers.printable import kind_of

if TYPE_CHECKING:
    from agent_parsers import Dialect
    from agent_parsers.toolset import Tools, ToolSet

_holds_call: Final = re.compile(r'"action(?:_input)?"\s*:').search
"""Finds the key of a call in JSON."""
_HEAD: Final = 1 << 13
"""How much of a long text is read, if a dialect is found in it, in characters."""
_BEFORE: Final = 1 << 10
"""How much may stand before the first label of a log to be read with it, in characters."""
_NEAR: Final = 4
"""How many lines are read from each label on, behind the first part of a log."""


def detect(texts: str | Iterable[str], *, tools: Tools | None = None) -> Detection:
    r"""Detect the dialect of a text, or of several texts by the same model.

    A text is what a model wrote in one turn, or the log of whole runs. A search for the markers of
    all dialects finds the candidates, and each of these reads the text. The one with the most
    markers in the text fits best; errors and repairs count against it::

        >>> from agent_runs import detect
        >>> detect("Thought: It is late.\nAction: clock\nAction Input: Bern").dialect
        'react'

    Plain text and JSON without a call have no dialect. The text is ambiguous if markers of another
    dialect are plain words to the best one, or if another dialect has as many markers in the text
    but refuses it.

    With several texts, those without a sign of a dialect do not count. If one text is ambiguous,
    another may decide. If one speaks for a dialect and another against it, they are ambiguous.

    After the first 8,192 characters, the rest of a text is read only if they have no sign of a
    dialect.

    Args:
        texts: The text, or texts of one model; each may be cut off anywhere.
        tools: The tools of the agent, in any form that `get_parser` takes. A dialect that reads
            other names fits less.

    Raises:
        TypeError: One of *texts* is not a string.
    """
    known = known_tools(tools)
    is_message = isinstance(texts, Mapping | bytes) or hasattr(texts, "content")
    if is_message or not isinstance(texts, Iterable):
        raise TypeError(
            f"expected a string, or strings by one model, found {kind_of(texts)}: pass the text of"
            " a message"
        )
    given = [texts] if isinstance(texts, str) else [*texts]
    for text in given:
        if not isinstance(text, str):
            raise TypeError(f"expected a string, or strings by one model, found {kind_of(text)}")
    attempt = partial(try_text, known)
    detection = detection_of([text[:_HEAD] for text in given], attempt)
    if detection.candidates or all(len(text) <= _HEAD for text in given):
        return detection
    return detection_of(given, attempt)


@lru_cache(maxsize=4)
def detect_in_head(head: str) -> Detection:
    """Find the dialect of a log from its *head*, by reading at most two parts of that.

    The first part begins at the first label of a dialect. If that shows no dialect, the second part
    is the text after the other labels.
    """
    lines = head.splitlines(keepends=True)
    is_frame = FRAMES["begin"].match
    marked = [at for at, line in enumerate(lines) if begins_any(line) or is_frame(line)]
    if not marked:
        return Detection((), text=head[:1000])
    before = len("".join(lines[: marked[0]]))
    text = head[before:] if before > _BEFORE else head
    detection = detect(text[:_HEAD])
    if detection.candidates or len(text) <= _HEAD:
        return detection
    first = len(head) - len(text) + _HEAD
    later = {at for at, size in enumerate(accumulate(map(len, lines))) if size > first}
    near = {near for at in marked for near in range(at, at + _NEAR)}
    return detect("".join(lines[at] for at in sorted(later & near))[:_HEAD])


def try_text(
    tools: ToolSet | None, dialect: Dialect, text: str, is_likely: bool = True
) -> DialectTrial:
    """Read *text* in *dialect*, as one reply or as a transcript, whichever fits better.

    The dialect *is_likely* if the text has a telling marker of it.
    """
    turn = try_reply(dialect, text, tools, is_likely=is_likely)
    if not dialect.lenient.transcript_start or (turn.is_clean and not has_log_mark(dialect, text)):
        return turn  # a log would show nothing else
    log = _try_log(dialect, text, tools)
    if log.is_clean and "observations" in log.texts:
        return log  # a turn ends before them
    if (turn.is_found, turn.fit) >= (log.is_found, log.fit):
        return turn
    if turn.is_found and not (turn.errors or log.is_clean or "observations" in log.texts):
        return turn
    log.is_likely = is_likely
    return log


def _try_log(dialect: Dialect, text: str, tools: ToolSet | None) -> DialectTrial:
    trial = DialectTrial(dialect, "transcript", len(text))
    lines = Lines(io.StringIO(text, newline="\n"))
    for run in RunsOfLog(lines, dialect, tools, lambda event, at: trial.take(event, text, at)):
        trial.unowned += run.is_quoted and any(map(_holds_call, run.lines))
    return trial
