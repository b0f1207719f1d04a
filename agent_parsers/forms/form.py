"""How a dialect spells its turns, as data: texts with holes for what differs.

Turns are written by filling the holes. Readers of whole turns, grammars and templates look at the
texts between the holes instead, so none of them has to learn a spelling from turns that were
written.
"""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace
from functools import cached_property
from itertools import count
from typing import Any, Final, NamedTuple, TypeAlias

CallId: TypeAlias = "Callable[[str, str | None, int], str]"
"""Returns the id of a call, given the tool, the existing id or `None`, and the call's number."""

Marks: TypeAlias = tuple[str, str]
"""Text before and after something."""


class WrittenCall(NamedTuple):
    """One call in a turn that is to be written."""

    tool: str
    """Name of the tool."""
    tool_input: str | dict[Any, Any]
    """Input of the tool."""
    id: str | None = None
    """The id that the model gave the call; `None` if it has no id."""


@dataclass(frozen=True, slots=True)
class Written:
    """One step that is to be written: a thought, then an action or an answer.

    In dialects whose turns may have several calls, it is a whole turn, which may also have
    `content`.
    """

    thought: str = ""
    """The thought before the action or answer; may be empty."""
    tool: str = ""
    """Name of the tool; empty if this is an answer."""
    tool_input: str | dict[Any, Any] = ""
    """Input of the tool."""
    answer: str = ""
    """The final answer."""
    number: int = 1
    """Number of the step, for dialects that count; with several calls, that of the first."""
    content: str = ""
    """The content beside calls."""
    id: str | None = None
    """The id of the call; `None` if it has no id."""
    others: tuple[WrittenCall, ...] = ()
    """The calls of the turn after the first."""

    @property
    def calls(self) -> tuple[WrittenCall, ...]:
        """All calls of the turn; empty for an answer."""
        if not self.tool:
            return ()
        return (WrittenCall(self.tool, self.tool_input, self.id), *self.others)

    @property
    def said(self) -> str:
        """The answer, or the content next to the calls."""
        return self.content if self.tool else self.answer


# -- values ------------------------------------------------------------------------------------


def write_json(value: Any) -> str:
    """Return *value* as JSON in the style of chat templates.

    Raises:
        ValueError: It contains a value that JSON does not have, such as NaN.
    """
    return json.dumps(value, ensure_ascii=False, allow_nan=False)


def write_object(value: Any) -> str:
    """Return an object as JSON.

    Raises:
        ValueError: *value* is not an object.
    """
    if not isinstance(value, dict):
        raise ValueError(f"the input must be an object, not {value!r}")  # noqa: TRY004
    return write_json(value)


def write_value(value: Any) -> str:
    """Return *value* as chat templates write it: strings unchanged, anything else as JSON."""
    return value if isinstance(value, str) else write_json(value)


def write_python_value(value: Any) -> str:
    """Return *value* as some templates write it, with ``True`` and ``None`` as in Python.

    Lists and objects are written as JSON; text is unchanged.
    """
    return str(value) if value is None or isinstance(value, bool) else write_value(value)


def inputs_of(call: WrittenCall) -> dict[str, Any]:
    """Return the parameters of a *call*.

    Raises:
        ValueError: Its input is not an object.
    """
    if not isinstance(call.tool_input, dict):
        raise ValueError(f"the input must be an object, not {call.tool_input!r}")  # noqa: TRY004
    return call.tool_input


# -- calls and turns ---------------------------------------------------------------------------

_OBJECT: Final = {"key": "value"}
NUMBER: Final = "{number}"
"""Stands for the number of a step."""
_HOLE_IN_ID: Final = re.compile(r"(\{(?:tool|number|\d+)\})")
_HOLE: Final = re.compile(r'\{("?)(tool|id|number|input|parameters|key|value|is_text|type)\1\}')
_IS_TEXT: Final[Mapping[type, str]] = {str: "true", object: "false"}


def _segments(text: str) -> tuple[str, ...]:
    """Return the texts of a template, with the names of the holes between them.

    A hole whose name is in quotes is named with them.
    """
    found: list[str] = []
    at = 0
    for hole in _HOLE.finditer(text):
        found += (text[at : hole.start()], hole[0][1:-1])
        at = hole.end()
    return (*found, text[at:])


def _filled(segments: tuple[str, ...], values: Mapping[str, str]) -> str:
    """Return the text of *segments*, of which every other one is the name of a hole."""
    filled = list(segments)
    for number in range(1, len(filled), 2):
        name = filled[number]
        filled[number] = write_json(values[name[1:-1]]) if name[0] == '"' else values[name]
    return "".join(filled)


def _check_holes(form: CallForm | ParameterForm, needed: str) -> None:
    """Raise `ValueError` if the text of a *form* has the *needed* hole not once."""
    holes = form.segments[1::2]
    if holes.count(needed) != 1:
        found = ", ".join(f"{{{name}}}" for name in holes) or "no fields"
        kind = type(form).__name__
        raise ValueError(
            f"text= of a {kind} needs {{{needed}}} once, but has {found}: {form.text!r}"
        )


@dataclass(frozen=True, kw_only=True)
class ParameterForm:
    """How a call's parameters are spelt, if each of them has text around it, such as tags."""

    text: str
    """One parameter, with ``{key}`` and ``{value}``; ``{is_text}`` says whether it is text, and
    ``{type}`` which type it has."""
    between: str = ""
    """Text between two parameters."""
    write_value: Callable[[Any], str] = write_value
    """Writes a value."""
    types: Mapping[type, str] = field(default_factory=lambda: _IS_TEXT, hash=False)
    """How ``{is_text}`` and ``{type}`` are spelt, by the type of the value; for others `object`."""
    sorts: bool = False
    """Whether they are in the order of their names, ignoring case."""

    def __post_init__(self) -> None:
        _check_holes(self, "value")

    @cached_property
    def segments(self) -> tuple[str, ...]:
        """The texts around the fields of one parameter, alternating with the fields' names."""
        return _segments(self.text)

    @property
    def names_types(self) -> bool:
        """Whether a parameter says which type its value has."""
        return "type" in self.segments[1::2]

    def __call__(self, parameters: dict[str, Any]) -> str:
        """Return all *parameters* as text."""
        keys = sorted(parameters, key=str.lower) if self.sorts else parameters
        return self.between.join(self._one(key, parameters[key]) for key in keys)

    def _one(self, key: str, value: Any) -> str:
        kind = self.types.get(type(value), self.types[object])
        values = {"key": key, "value": self.write_value(value), "is_text": kind, "type": kind}
        return _filled(self.segments, values)


@dataclass(frozen=True, kw_only=True)
class CallForm:
    """How one call is spelt."""

    text: str
    """The call, with ``{tool}``, ``{input}`` or ``{parameters}``, ``{id}`` if calls have ids, and
    ``{number}`` if they are numbered. In quotes, as in ``{"tool"}``, the name or the id is a string
    in JSON."""
    write_input: Callable[[Any], str] = write_json
    """Writes an input for ``{input}``."""
    parameters: ParameterForm | None = None
    """How ``{parameters}`` are spelt."""

    def __post_init__(self) -> None:
        _check_holes(self, "input" if self.parameters is None else "parameters")

    @cached_property
    def segments(self) -> tuple[str, ...]:
        """The texts around the fields of the call, alternating with the fields' names."""
        return _segments(self.text)

    @property
    def names(self) -> set[str]:
        """The names of its fields, without quotes."""
        return {name.strip('"') for name in self.segments[1::2]}

    @cached_property
    def has_json_input(self) -> bool:
        """Whether an input is written as JSON."""
        try:
            return bool(json.loads(self.write_input(_OBJECT)) == _OBJECT)
        except ValueError:
            return False

    def __call__(self, call: WrittenCall, number: int = 1) -> str:
        """Return one call as text, with its *number* in the turn.

        Raises:
            ValueError: The form cannot express its input.
        """
        values = {"tool": call.tool, "id": call.id or "", "number": str(number)}
        if self.parameters is None:
            values["input"] = self.write_input(call.tool_input)
        else:
            values["parameters"] = self.parameters(inputs_of(call))
        return _filled(self.segments, values)


@dataclass(frozen=True, kw_only=True)
class Form:
    """How a dialect spells its turns: a thought, content and calls, or a thought and an answer.

    Without `thought`, thoughts are not written; `render` notices that and raises.
    """

    call: CallForm
    """How one call is spelt."""
    calls: tuple[str, str, str] = ("", "", "")
    """Text before all calls, between two calls, and after all calls."""
    is_single: bool = False
    """Whether a turn has one call, or the chat template refuses several."""
    thought: Marks | None = None
    """Text before and after a thought; `None` if the dialect has no thoughts. ``{number}`` in this
    and other texts is the number of the step."""
    no_thought: str = ""
    """What stands in place of a thought if there is none."""
    around: Marks = ("", "")
    """Text before and after all that follows the thought."""
    content: Marks | None = ("", "")
    """Text before and after content beside calls; `None` if the dialect has no such content."""
    is_content_last: bool = False
    """Whether content follows the calls."""
    answer: Marks | str = ("", "")
    """Text before and after an answer; or the name of the tool whose call is the answer."""
    call_id: CallId | None = None
    """Returns the ids of calls; `None` if calls have no ids."""
    ids: str = ""
    """How an id is spelt, with ``{tool}``, with ``{number}`` for digits, and with ``{9}`` for nine
    letters or digits (or any other count); empty if calls have no ids."""
    own_tool: str = ""
    """Name of the only tool, if calls do not name it."""
    own: Callable[[Written], str] | None = None
    """Writes turns in place of all this, if texts with holes cannot say each of them. They still
    say what a turn with one call looks like, or only an answer: see `shows_calls`."""
    others: tuple[Form, ...] = ()
    """Other forms in which `own` writes some turns."""
    escape: Callable[[str], str] | None = None
    """Escapes the name of a tool, an input that is text, and an answer; `None` if nothing does."""

    def __post_init__(self) -> None:
        if self.own is not None or "id" not in self.call.names:
            return
        if self.call_id is None:
            raise ValueError(f"calls have ids, but call_id= is missing: {self.call.text!r}")
        if not self.ids:
            raise ValueError(f"calls have ids, but ids= is missing: {self.call.text!r}")

    def pattern_of_ids(self, tool: str) -> str:
        """Return a pattern for an id, with the group ``id``, given a pattern for the *tool*."""
        if not self.ids:
            return ""
        holes = {"{tool}": tool, "{number}": "[0-9]++"}
        parts = enumerate(_HOLE_IN_ID.split(self.ids))
        spelt = (
            holes.get(part, f"[A-Za-z0-9]{part}") if number % 2 else re.escape(part)
            for number, part in parts
        )
        return f"(?P<id>{''.join(spelt)})"

    @property
    def shows_calls(self) -> bool:
        """Whether the form shows how calls are spelt: calls name the tool, or there is only one."""
        return bool(self.own_tool) or "tool" in f"{self.call.text}{self.ids}"

    def __call__(self, step: Written) -> str:
        """Return one turn as text.

        Raises:
            ValueError: The dialect cannot write the turn.
        """
        if self.own is not None:
            return self.own(step)
        if self.escape is not None:
            texts = (step.tool, self.call.write_input(step.tool_input), step.answer)
            tool, tool_input, answer = map(self.escape, texts)
            step = replace(step, tool=tool, tool_input=tool_input, answer=answer)
        thought = self.no_thought
        if step.thought and self.thought:
            opener, closer = self.thought
            thought = f"{opener.replace(NUMBER, str(step.number))}{step.thought}{closer}"
        return thought + within(self.around, self._said(step))

    def _said(self, step: Written) -> str:
        """Return what follows the thought of a turn."""
        calls = step.calls
        if not calls and isinstance(self.answer, tuple):
            return within(self.answer, step.answer)
        if not calls:
            calls = (WrittenCall(str(self.answer), step.answer),)
        if self.is_single and step.others:
            raise ValueError("a turn can have only one call")
        if step.content and self.content is None:
            raise ValueError("a turn with calls cannot have content as well")
        if self.call_id is not None:
            calls = tuple(
                call._replace(id=self.call_id(call.tool, call.id, number))
                for number, call in enumerate(calls, step.number)
            )
        before, between, behind = self.calls
        before = before.replace(NUMBER, str(step.number))
        written = f"{before}{between.join(map(self.call, calls, count(1)))}{behind}"
        said = within(self.content, step.content) if step.content and self.content else ""
        return written + said if self.is_content_last else said + written


def within(marks: Marks, text: str) -> str:
    """Return *text* between its *marks*."""
    return f"{marks[0]}{text}{marks[1]}"
