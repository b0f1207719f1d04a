"""Reading a text in one dialect on trial, to see how well the two fit."""

from __future__ import annotations

import io
import json
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Final, Literal

from agent_parsers.actions.agent import as_text
from agent_parsers.engine.stream_parser import StreamParser
from agent_parsers.events import (
    ActionComplete,
    Finish,
    MarkerSeen,
    ObservationDelta,
    Repair,
    StepFailed,
    ThoughtDelta,
)
from agent_parsers.runs.detecting.signs import find_labels, telling_markers
from agent_parsers.runs.reading.reader import Lines
from agent_parsers.runs.splitting.runs_of_log import RunsOfLog
from output_parsers.exceptions import OutputParserException

if TYPE_CHECKING:
    from agent_parsers.engine.grammar.dialect import Dialect
    from agent_parsers.events import Event
    from agent_parsers.toolset.set import ToolSet

__all__ = ["Trial", "try_dialect"]

_CHUNK: Final = 1 << 12
_COST_OF_AN_ERROR: Final = 24
"""How many characters of markers it takes to outweigh an error or a label that was missed."""


@dataclass
class Trial:
    """What a dialect read in a text.

    A dialect that did not write the text takes its markers for words. So the dialect fits that
    knows the most of it: of all characters, the most are markers, or marks inside calls, such as
    the keys of JSON. Values may hold any text, but a label that is left in a thought was missed,
    and counts against the dialect as an error does.
    """

    dialect: Dialect
    form: Literal["reply", "transcript"]
    marked: int = 0
    """How many characters of the text are markers and marks."""
    actions: int = 0
    answers: int = 0
    repairs: int = 0
    errors: list[OutputParserException] = field(default_factory=list)
    markers: dict[str, str] = field(default_factory=dict)
    """The markers seen, as they are written for the first time, by their names."""
    is_told: bool = False
    """Whether one of them tells the dialect from plain text."""
    texts: dict[str, list[str]] = field(default_factory=dict)
    """The calls, answers and observations."""
    thoughts: list[str] = field(default_factory=list)
    """The thoughts, one behind the other."""

    def __post_init__(self) -> None:
        self._names = {name.lstrip("\n") for name in self.dialect.lenient.markers}

    @property
    def is_found(self) -> bool:
        """Whether the dialect knows more of the text than that it is text."""
        return bool(self.actions or (self.is_told and self.answers))

    @property
    def is_clean(self) -> bool:
        """Whether everything could be read, and nothing seems to be missed."""
        return self.is_found and not (self.errors or self.repairs or self.missed)

    @property
    def is_begun(self) -> bool:
        """Whether the dialect finds nothing whole, but its markers."""
        return not self.is_found and bool(self.is_told and self.errors)

    @property
    def missed(self) -> int:
        """How many labels stand in the thoughts."""
        return sum(1 for _ in find_labels("".join(self.thoughts)))

    @property
    def fit(self) -> tuple[int, int]:
        """How well they fit."""
        return self.marked - _COST_OF_AN_ERROR * (len(self.errors) + self.missed), -self.repairs

    @property
    def reading(self) -> tuple[tuple[str, ...], ...]:
        """What was read; equal for two dialects that read the text alike."""
        if not self.is_found:
            return (
                *(("errors", error.reason) for error in self.errors),
                ("by", *self.markers.values()),
            )
        return tuple((kind, *"".join(self.texts[kind]).split()) for kind in sorted(self.texts))

    def take(self, event: Event, text: str, offset: int = 0) -> None:
        """Take the next event of *text*, given the *offset* of its spans."""
        match event:
            case ThoughtDelta(text=thought):
                self.thoughts.append(thought)
            case MarkerSeen():
                self.thoughts.append("\n")
        match event:
            case MarkerSeen(name=name, span=span) if name not in ("start", "end"):
                written = text[span[0] + offset : span[1] + offset].strip()
                self.marked += len(written)
                if name in self._names:
                    self.markers.setdefault(name, written)
                    self.is_told = self.is_told or name in telling_markers(self.dialect)
            case ActionComplete(action=action):
                self.actions += 1
                call = f" {action.tool} {_canonical(action.tool_input)} "
                self.texts.setdefault("calls", []).append(call)
            case Finish(finish=finish):
                self.answers += 1
                answer = f" {as_text(finish.return_values['output'])} "
                self.texts.setdefault("answers", []).append(answer)
            case ObservationDelta():
                self.texts.setdefault("observations", []).append(event.text)
            case StepFailed(error=error):
                self.errors.append(error)
            case Repair(kind=kind) if kind != "quoted":  # that finds the text to be right
                self.repairs += 1


def try_dialect(dialect: Dialect, text: str, tools: ToolSet | None = None) -> Trial:
    """Read *text* in *dialect*, as one reply or as a transcript, whichever fits better."""
    log = _try_log(dialect, text, tools) if dialect.lenient.transcript_start else None
    if log is not None and log.is_clean and "observations" in log.texts:
        return log  # a turn ends before them
    turn = _try_turn(dialect, text, tools)
    if log is None or (turn.is_found, turn.fit) >= (log.is_found, log.fit):
        return turn
    return log


def _try_turn(dialect: Dialect, text: str, tools: ToolSet | None) -> Trial:
    parser = StreamParser(dialect, mode="lenient", max_chars=None, tools=tools)
    trial = Trial(dialect, "reply")
    for at in range(0, len(text), _CHUNK):
        for event in parser.feed(text[at : at + _CHUNK]):
            trial.take(event, text)
    try:
        parser.close()
    except OutputParserException as error:
        trial.errors.append(error)
    for event in parser.last_events:
        trial.take(event, text)
    return trial


def _try_log(dialect: Dialect, text: str, tools: ToolSet | None) -> Trial:
    trial = Trial(dialect, "transcript")
    lines = Lines(io.StringIO(text, newline="\n"))
    for _run in RunsOfLog(lines, dialect, tools, lambda event, at: trial.take(event, text, at)):
        pass
    return trial


def _canonical(tool_input: Any) -> str:
    """Return an input as text; an object is equal to its JSON."""
    if isinstance(tool_input, str):
        try:
            tool_input = json.loads(tool_input)
        except (ValueError, RecursionError):
            return str(tool_input)
    return json.dumps(tool_input, sort_keys=True, default=str)
