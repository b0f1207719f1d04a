"""Reading a text in one dialect on trial, to see how well the two fit."""

from __future__ import annotations

import json
import re
from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING, Any, Final, Literal

from agent_parsers.actions.agent import TurnResult, as_text
from agent_parsers.detecting.signs import SHARED, find_labels, telling_markers
from agent_parsers.engine.reading.rules.machine import machine
from agent_parsers.engine.reading.stream import TurnStream
from agent_parsers.engine.tables.reasoning import REASONING
from agent_parsers.engine.writing.advice import advice
from agent_parsers.events import (
    ActionComplete,
    AnswerDelta,
    Finish,
    InputDelta,
    MarkerSeen,
    ObservationDelta,
    Repair,
    StepFailed,
    ThoughtDelta,
    ToolNamed,
)
from output_parsers.exceptions import OutputParserException

if TYPE_CHECKING:
    from agent_parsers.engine.tables.dialect import Dialect
    from agent_parsers.events import Event, Span
    from agent_parsers.toolset.set import ToolSet

_CHUNK: Final = 1 << 12
_WORDS: Final = re.compile(r"\S+")
_MARK, _VALUE, _NAME = 1, 2, 3
"""What is known of a character: that it is part of a marker, of an input, or of a tool's name."""
_MARKS: Final = bytes.maketrans(b"\1\2\3", b"\1\0\0")
_NAMES: Final = bytes.maketrans(b"\1\2\3", b"\0\0\1")
_ALL: Final = bytes.maketrans(b"\1\2\3", b"\1\1\1")
_REASONING: Final = dict(REASONING)
_are_words: Final = re.compile(r"[\s\w?*#:：]*").fullmatch
_is_fence: Final = re.compile(r"\s*(?:```\w*\s*)?").fullmatch
_OPEN_THOUGHT: Final = "expected the end of the reasoning"
_COST_OF_AN_ERROR: Final = 24
"""How many characters of markers it takes to outweigh an error or a label that was missed."""


@dataclass
class DialectTrial:
    """What a dialect read in a text; its properties are valid once the whole text was read.

    A dialect that did not write the text takes its markers for words. So the dialect fits that
    knows the most of it: of all characters, the most are markers, or marks inside calls, such as
    the keys of JSON. Values may hold any text, but a label that is left in a thought was missed,
    and counts against the dialect as an error does.
    """

    dialect: Dialect
    form: Literal["reply", "transcript"]
    size: int
    """How many characters the text has."""
    is_likely: bool = True
    """Whether the text has a telling marker of the dialect."""
    actions: int = 0
    answers: int = 0
    repairs: int = 0
    errors: list[OutputParserException] = field(default_factory=list)
    markers: dict[str, str] = field(default_factory=dict)
    """The markers seen, as they are written for the first time, by their names."""
    is_told: bool = False
    """Whether one of them tells the dialect from plain text, and not only the end of something."""
    has_own_mark: bool = False
    """Whether one of them is not a mark that dialects read whatever they write."""
    is_framed: bool = False
    """Whether a reply is an answer between marks of the dialect, and nothing else."""
    inputs: list[Any] = field(default_factory=list)
    """The inputs of the calls."""
    texts: dict[str, list[str]] = field(default_factory=dict)
    """The calls, answers and observations."""
    thoughts: list[str] = field(default_factory=list)
    """The thoughts, one behind the other."""
    unowned: int = 0
    """How many texts of a log are quoted, and hold a call."""
    first_mark: int = -1
    """Where the first marker begins; -1 without one."""
    opening: str = ""
    """The first mark that dialects do not share, if only a block of reasoning stands before it."""
    opening_at: int = -1
    """Where it begins; -1 without one."""
    result: TurnResult | None = None
    """What `parse` returns for a reply; `None` for a log, and with an error."""
    call_spans: list[Span] = field(default_factory=list)
    """Where the calls are."""
    content: list[Span] = field(default_factory=list)
    """Where the text is that is content to the dialect."""
    said: list[Span] = field(default_factory=list)
    """Where its thoughts are, and its content."""

    def __post_init__(self) -> None:
        self._names = {name.lstrip("\n") for name in self.dialect.lenient.markers}
        self._known = bytearray(self.size)
        """What is known of each character; 0 is nothing."""
        self._reasons = False  # whether a block of reasoning is open whose marks dialects share
        self._has_words = self._has_own_thought = False  # outside of such blocks, so far

    @cached_property
    def marked(self) -> int:
        """How many characters of the text belong to markers or other marks."""
        return self._known.count(_MARK)

    @property
    def names_tools(self) -> bool:
        """Whether the text names a tool to call; code, for example, does not."""
        return _NAME in self._known

    def has_mark_at(self, at: int) -> bool:
        """Return whether the character at offset *at* belongs to a mark of the dialect."""
        return self._known[at] == _MARK

    @property
    def is_found(self) -> bool:
        """Whether the dialect recognises more than plain text in the text."""
        return bool(self.actions or (self.answers and (self.is_told or self.is_framed)))

    @property
    def is_clean(self) -> bool:
        """Whether everything could be read, and nothing seems to be missed."""
        answers = "\n".join(self.texts.get("answers", ()))
        has_faults = self.errors or self.repairs or self.missed or any(find_labels(answers))
        return self.is_found and not has_faults

    @property
    def is_begun(self) -> bool:
        """Whether the dialect finds its markers, but nothing complete."""
        return not self.is_found and bool(self.is_told and self.errors)

    @property
    def speaks(self) -> bool:
        """Whether the text is more than plain text to the dialect, even if it cannot be read."""
        return self.is_found or bool(self.errors and self.marked)

    @cached_property
    def missed(self) -> int:
        """How many labels are in the thoughts."""
        return sum(1 for _ in find_labels("".join(self.thoughts)))

    @cached_property
    def fit(self) -> tuple[int, int]:
        """How well the dialect fits the text; greater is better."""
        faults = len(self.errors) + self.missed + self.unowned
        return self.marked - _COST_OF_AN_ERROR * faults, -self.repairs

    @cached_property
    def reading(self) -> tuple[tuple[str, ...], ...]:
        """What was read; equal for two dialects that read the text alike."""
        if not self.is_found:
            return (
                *(("errors", error.reason) for error in self.errors),
                ("by", *self.markers.values()),
            )
        errors = ("errors", str(len(self.errors)))  # each dialect has its own words for them
        calls = ("calls", *self.texts.get("calls", ()))  # white space may count in them
        others = sorted(self.texts.keys() - {"calls"})
        return errors, calls, *((kind, *"".join(self.texts[kind]).split()) for kind in others)

    def take(self, event: Event, text: str, offset: int = 0) -> None:
        """Record the next event of *text*; *offset* is added to its span."""
        self._take_text(event, offset)
        match event:
            case MarkerSeen(name=name, span=span) if name not in ("start", "end"):
                written = text[span[0] + offset : span[1] + offset].strip()
                for word in _WORDS.finditer(text, span[0] + offset, span[1] + offset):
                    self._know(*word.span(), _MARK)
                self._take_mark(written, span[0] + offset)
                if name in self._names:
                    if self.first_mark < 0:
                        self.first_mark = span[0] + offset
                    self.markers.setdefault(name, written)
                    self.is_told = self.is_told or (
                        name in telling_markers(self.dialect) and not name.startswith("end of ")
                    )
            case InputDelta(span=span):
                self._know(span[0] + offset, span[1] + offset, _VALUE)
            case ToolNamed(span=span):
                self._know(span[0] + offset, span[1] + offset, _NAME)
            case ActionComplete(action=action, span=span):
                self.actions += 1
                self.call_spans.append((span[0] + offset, span[1] + offset))
                self.inputs.append(action.tool_input)
                call = f"{action.tool} {_canonical(action.tool_input).strip()}"
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

    def _take_text(self, event: Event, offset: int) -> None:
        """Take the next event, as far as it says where thoughts and content stand."""
        match event:
            case ThoughtDelta(text=thought, span=span):
                self.thoughts.append(thought)
                self.said.append((span[0] + offset, span[1] + offset))
                if not (self._reasons or _is_fence(thought)):
                    self._has_words = self._has_own_thought = True
            case AnswerDelta(span=span):
                self._has_words = self._has_words or bool(event.text.strip())
                self.content.append((span[0] + offset, span[1] + offset))
                self.said.append(self.content[-1])
            case MarkerSeen():
                self.thoughts.append("\n")

    def _take_mark(self, written: str, at: int) -> None:
        """Take the next marker, as far as it says how the text begins."""
        if any(written in mark for mark in SHARED):  # which may be half of it
            self._reasons = written in _REASONING
            if written in _REASONING.values():
                self._has_words = False  # they are reasoning, which the prompt may have opened
        elif not self._reasons:
            if not (self.has_own_mark or self._has_words):
                self.opening, self.opening_at = written, at
            self.has_own_mark = True

    def frames_answer(self, text: str) -> bool:
        """Return whether *text* is an answer between marks, one of them the dialect's own.

        A block of reasoning may stand before it. The mark behind the answer may be missing if that
        is a special token, since servers remove those, or if the first opens a thought; and a
        block of reasoning may stand in the place of the first.
        """
        is_read = self.answers and not (self.actions or self.errors)
        if not (is_read and self.has_own_mark) or self._has_mark_in_content():
            return False
        ends = self.has_mark_at(len(text.rstrip()) - 1)
        if not self.opening:
            return ends and self.has_mark_at(len(text) - len(text.lstrip()))
        answer = None if self.dialect.form is None else self.dialect.form.answer
        is_special = isinstance(answer, tuple) and all("<|" in mark for mark in answer)
        return is_special or ends or self._has_own_thought

    def _has_mark_in_content(self) -> bool:
        """Return whether a mark stands between two pieces of content."""
        if not self.content:
            return False
        return _MARK in self._known[self.content[0][0] : self.content[-1][1]]

    def outdoes(self, other: DialectTrial) -> bool:
        """Return whether this dialect recognises all that *other* does, and reads the text better.

        If it does not, the text may as well be written in the other dialect: that has marks which
        are words here, or it knows as much and refuses the text, or each repairs the text in its
        own way.
        """
        if self.claims(other):
            return True
        if other.claims(self) or not self._knows(_ALL, other, _MARKS):
            return False
        if self.frames(other):
            return True
        if (other.speaks and self.fit <= other.fit) or self.borrows(other):
            return False
        if other.is_found and not other.errors:
            return not (self.repairs or self.missed) or self.repairs < other.repairs
        if not self.is_found and other.errors:
            return True  # both refuse the text
        if other._knows(_MARKS, self, _MARKS) and other._knows(_NAMES, self, _NAMES):
            return False
        return self.is_clean or not other.is_open

    def claims(self, other: DialectTrial) -> bool:
        """Return whether the text is an answer between marks that *other* reads as words.

        The first mark decides: whatever follows it may be quoted. Labels are words in any text.
        """
        has_mark = self.is_framed and not _are_words(self.opening)
        return has_mark and not other.has_mark_at(self.opening_at)

    def frames(self, other: DialectTrial) -> bool:
        """Return whether line breaks around values are marks here, but in *other* part of them."""
        if self.inputs == other.inputs or len(self.inputs) != len(other.inputs):
            return False
        return all(map(_is_framed, self.inputs, other.inputs))

    def borrows(self, owner: DialectTrial) -> bool:
        """Return whether *owner* writes the telling markers that this dialect only reads.

        Lenient mode reads the marks of other formats, whose dialect may refuse what is in them.
        """
        telling = telling_markers(self.dialect)
        told = {written for name, written in self.markers.items() if name in telling}
        return told <= owner.own_markers and not told <= self.own_markers

    @cached_property
    def own_markers(self) -> set[str]:
        """The markers seen that are written as the dialect writes them."""
        written = set(self.markers.values())
        return {each.canonical for each in self.dialect.lenient.markers.values()} & written

    @property
    def is_open(self) -> bool:
        """Whether all signs of the dialect are in a thought that does not end."""
        refused = any(error.reason.startswith(_OPEN_THOUGHT) for error in self.errors)
        return self.is_likely and not self.is_told and refused

    def _know(self, start: int, end: int, what: int) -> None:
        self._known[start:end] = bytes([what]) * (end - start)

    def _knows(self, kinds: bytes, other: DialectTrial, others: bytes) -> bool:
        """Return whether the characters of *kinds* here include those of *others* in *other*."""
        own, theirs = self._known.translate(kinds), other._known.translate(others)
        part = int.from_bytes(theirs)
        return part & int.from_bytes(own) == part


def try_reply(
    dialect: Dialect, text: str, tools: ToolSet | None = None, *, is_likely: bool = True
) -> DialectTrial:
    """Read *text* as one reply in *dialect*, of which it *is_likely* to have a telling marker."""
    stream = TurnStream(machine(dialect, "lenient"), tools, advise=advice, reads_foreign=False)
    trial = DialectTrial(dialect, "reply", len(text), is_likely)
    for at in range(0, len(text), _CHUNK):
        for event in stream.feed(text[at : at + _CHUNK]):
            trial.take(event, text)
    try:
        stream.close()
    except OutputParserException as error:
        trial.errors.append(error)
    for event in stream.last_events:
        trial.take(event, text)
    trial.result = stream.result
    trial.is_framed = trial.frames_answer(text)
    return trial


def _canonical(tool_input: Any) -> str:
    """Return an input as text; an object is equal to its JSON."""
    if isinstance(tool_input, str):
        try:
            tool_input = json.loads(tool_input)
        except (ValueError, RecursionError):
            return str(tool_input)
    return json.dumps(tool_input, sort_keys=True, default=str)


def _is_framed(value: Any, framed: Any) -> bool:
    """Return whether *framed* is *value*, but for a line break at both ends of some texts in it."""
    if isinstance(value, dict) and isinstance(framed, dict) and value.keys() == framed.keys():
        return all(_is_framed(value[key], framed[key]) for key in value)
    return framed == value or (isinstance(value, str) and framed == f"\n{value}\n")
