"""Writing a run as JSON; `JSON_SHAPE` documents the shape for users."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from typing import TYPE_CHECKING, Any, Final

if TYPE_CHECKING:
    from agent_runs.cli.shown_runs import ShownRun

JSON_SHAPE: Final = """\
version, type, id, preamble, question, question_repairs,
file, record (number of the run in the file), dialect (or the reader)
steps: number, thought, content, action (tool, tool_input, log; or for the
       answer return_values, log), observation, repairs (kind, span,
       message), thought_span, action_span, observation_span; tool_failed
       if the log says so
failed: the same, with error (message, reason, problem, observation for the
       model, llm_output, send_to_llm, span, begins_at (line and column of
       llm_output), line, column) instead of an action; line, column (in
       the file or, in records and messages, in the model's text)
source: reader, within, dialect, evidence, file, line
notices: kind, message, step, text, line
conversation (id, turn), metadata, called_by: if the log has them
finish: return_values, log; or null

docs/json.md describes it. Transcript.from_json reads it."""
"""The keys of a run."""

# JSON allows these characters. But a terminal obeys U+009B and changes of direction, some readers
# treat U+0085 and U+2028 as the end of a line, and a lone surrogate cannot be encoded at all.
_UNSAFE: Final = re.compile("[\x7f-\x9f\u2028-\u202e\u2066-\u2069\ud800-\udfff]")


def as_json(run: ShownRun) -> str:
    """Return *run* as one line of JSON that is safe to encode as UTF-8 and to print.

    It is the transcript as JSON, with the file and the number of the run.
    """
    written = run.transcript.to_json()
    for step, failed in zip(written["failed"], run.transcript.failed, strict=True):
        place = run.place_of(failed.error) if failed.error is not None else None
        step["line"], step["column"] = place or (None, None)
    found = {"file": run.file, "record": run.number, "dialect": run.dialect}
    return dumps({**written, **found})


def dumps(
    value: Any, *, allow_nan: bool = False, default: Callable[[Any], Any] | None = None
) -> str:
    """Return *value* as one line of JSON that is safe to encode as UTF-8 and to print."""
    text = json.dumps(value, ensure_ascii=False, allow_nan=allow_nan, default=default)
    return _UNSAFE.sub(lambda char: f"\\u{ord(char[0]):04x}", text)
