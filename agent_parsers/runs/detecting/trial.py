"""Reading a text in one dialect on trial, to see how well the two fit."""

from __future__ import annotations

import json
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Final

from agent_parsers.actions.agent import as_text
from agent_parsers.engine.stream_parser import StreamParser
from agent_parsers.events import (
    ActionComplete,
    Finish,
    MarkerSeen,
    ObservationDelta,
    Repair,
    StepFailed,
)
from agent_parsers.runs.detecting.signs import telling_markers
from output_parsers.exceptions import OutputParserException

if TYPE_CHECKING:
    from agent_parsers.engine.grammar.dialect import Dialect
    from agent_parsers.engine.grammar.modes import Mode
    from agent_parsers.events import Event
    from agent_parsers.toolset.set import ToolSet

__all__ = ["Trial", "try_dialect"]

_CHUNK: Final = 1 << 12
_COST_OF_AN_ERROR: Final = 16
"""How many characters of markers it takes to outweigh an error: about two labels."""


@dataclass
class Trial:
    """What a dialect read in a text.

    A dialect that did not write the text takes its markers for words. So the dialect fits that
    knows the most of it: of all characters, the most are markers, or marks inside calls, such as
    the keys of JSON.
    """

    dialect: Dialect
    mode: Mode
    marked: int = 0
    """How many characters of the text are markers and marks."""
    actions: int = 0
    answers: int = 0
    repairs: int = 0
    errors: list[OutputParserException] = field(default_factory=list)
    markers: dict[str, None] = field(default_factory=dict)
    """The telling markers and marks seen, as they are written."""
    texts: dict[str, list[str]] = field(default_factory=dict)
    """The calls, answers and observations."""

    @property
    def is_found(self) -> bool:
        """Whether the dialect knows more of the text than that it is text."""
        return bool(self.actions or (self.markers and self.answers))

    @property
    def is_begun(self) -> bool:
        """Whether the dialect finds nothing whole, but its markers."""
        return not self.is_found and bool(self.markers and self.errors)

    @property
    def fit(self) -> tuple[int, int]:
        """How well they fit."""
        return self.marked - _COST_OF_AN_ERROR * len(self.errors), -self.repairs

    @property
    def reading(self) -> tuple[tuple[str, ...], ...]:
        """What was read; equal for two dialects that read the text alike."""
        if not self.is_found:
            return (*(("errors", error.reason) for error in self.errors), ("by", *self.markers))
        return tuple((kind, *"".join(self.texts[kind]).split()) for kind in sorted(self.texts))

    def take(self, event: Event, text: str, telling: frozenset[str]) -> None:
        """Take the next event of *text*; *telling* has the names of telling markers."""
        match event:
            case MarkerSeen(name=name, span=span) if name not in ("start", "end"):
                written = text[slice(*span)].strip()
                self.marked += len(written)
                if name in telling:
                    self.markers[written] = None
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
    trials = [_try(dialect, "lenient", text, tools)]
    if dialect.lenient.transcript_start:
        trials.append(_try(dialect, "transcript", text, tools))
    return max(trials, key=lambda trial: (trial.is_found, trial.fit))


def _try(dialect: Dialect, mode: Mode, text: str, tools: ToolSet | None) -> Trial:
    parser = StreamParser(dialect, mode=mode, max_chars=None, tools=tools)
    trial = Trial(dialect, mode)
    telling = telling_markers(dialect)
    for at in range(0, len(text), _CHUNK):
        for event in parser.feed(text[at : at + _CHUNK]):
            trial.take(event, text, telling)
    try:
        parser.close()
    except OutputParserException as error:
        trial.errors.append(error)
    for event in parser.last_events:
        trial.take(event, text, telling)
    return trial


def _canonical(tool_input: Any) -> str:
    """Return an input as text; an object is equal to its JSON."""
    if isinstance(tool_input, str):
        try:
            tool_input = json.loads(tool_input)
        except (ValueError, RecursionError):
            return str(tool_input)
    return json.dumps(tool_input, sort_keys=True, default=str)
