"""Runs as the command line shows them, also as JSON, and what of them could not be read."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, Final

from agent_runs.cli.trouble import FilePlace, Trouble, place_in_file, trouble_of

if TYPE_CHECKING:
    from agent_parsers import (
        Dialect,
        OutputParserException,
        Repair,
        ToolSet,
        Transcript,
        TranscriptStep,
    )
    from agent_parsers.transcripts import Notice

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


@dataclass(frozen=True, slots=True)
class HowToRead:
    """The options for reading files."""

    reader: str = "auto"
    """Name of the reader; ``"auto"`` recognises the form of each file."""
    dialect: Dialect | None = None
    """The dialect of the models' text; `None` to recognise it."""
    tools: ToolSet | None = None
    """The tools of the runs; `None` to accept any."""
    fail_on_notices: bool = False
    """Whether a notice counts as something that could not be read."""
    follow: bool = False
    """Whether to wait for more at the end of a file, until the user interrupts that."""
    encoding: str | None = None
    """The encoding of the files; `None` for UTF-8, or UTF-16 where their bytes show it."""


@dataclass(frozen=True, slots=True)
class ShownRun:
    """One run of an agent, with its file and number."""

    file: str
    number: int
    """Number of the run in its file, from 1."""
    transcript: Transcript
    fail_on_notices: bool = False
    """Whether notices are troubles."""

    @property
    def dialect(self) -> str:
        """The dialect that the run was read in, or else the form of its log."""
        from agent_parsers.core import form_of  # imported lazily: the help needs none of it

        return form_of(self.transcript)

    @property
    def repairs(self) -> list[tuple[int, Repair]]:
        """The repairs, each with the number of its step, or 0 if it is before the first step."""
        question = [(0, repair) for repair in self.transcript.question_repairs]
        steps = self.transcript.all_steps
        return [*question, *((step.number, repair) for step in steps for repair in step.repairs)]

    @property
    def answer(self) -> TranscriptStep | None:
        """The step with the final answer; `None` if the run ended without one."""
        from agent_parsers import AgentFinish  # imported lazily: the help needs none of it

        steps = self.transcript.steps
        return next((step for step in steps if isinstance(step.action, AgentFinish)), None)

    @property
    def troubles(self) -> list[Trouble]:
        """The steps that could not be read and, with `fail_on_notices`, the notices.

        A notice that the log ends with the answer does not count.
        """
        failed = [
            self._trouble(step.error, step.number)
            for step in self.transcript.failed
            if step.error is not None
        ]
        if not self.fail_on_notices:
            return failed
        return failed + [self._noticed(notice) for notice in self.shown_notices]

    @property
    def shown_notices(self) -> tuple[Notice, ...]:
        """The notices; see `notices_to_show`."""
        from agent_runs.reading.parts import notices_to_show  # imported lazily: as above

        return notices_to_show(self.transcript)

    @property
    def first_line(self) -> int:
        """The line of the file where the run's text begins; 0 unless the file is plain text."""
        from agent_parsers.core import first_line_of  # imported lazily: as above

        return first_line_of(self.transcript)

    def place_of(self, error: OutputParserException) -> FilePlace | None:
        """Return where an error of the run is: in the file, or in the model's text."""
        return place_in_file(error, self.first_line)

    def _trouble(self, error: OutputParserException, step: int) -> Trouble:
        trouble = trouble_of(self.file, error, self.first_line, self._within(step))
        source = self.transcript.source
        if trouble.place is None and source is not None and source.line:
            within = self._within(step, ", which begins there;")
            return replace(trouble, place=FilePlace(source.line, 0), within=within)
        return trouble

    def _within(self, step: int, behind: str = ",") -> str:
        name = f' "{self.transcript.id}"' if self.transcript.id else ""
        return f"run {self.number}{name}" + (f"{behind} step {step}" if step else "")

    def _noticed(self, notice: Notice) -> Trouble:
        place = FilePlace(notice.line, 0) if notice.line else None
        return Trouble(self.file, notice.message, place, self._within(notice.step))


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
