"""Writes turns of several calls, and their results, as the chat templates of open models do."""

from __future__ import annotations

import json
import re
from dataclasses import dataclass
from operator import attrgetter
from typing import TYPE_CHECKING, Any, Final, TypeAlias

from agent_parsers.engine.markers.mentions import Given

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from agent_parsers.engine.grammar.dialect import Result, Written, WrittenCall

__all__ = [
    "IM_END", "LINES", "TAGS", "CallId", "Marks", "ResultForm", "ResultsWriter", "TurnWriter",
    "chatml", "given_marks", "inputs_of", "numbered_id", "role_frame", "write_json",
    "write_python_value", "write_value",
]  # fmt: skip

CallId: TypeAlias = "Callable[[str, str | None, int], str]"
"""Returns the id of a call, given the tool, the existing id or `None`, and the call's number."""

Marks: TypeAlias = tuple[str, str]
"""Text before and after something."""

TAGS: Final = ("<think>", "</think>")
"""Tags around a thought."""
LINES: Final = ("<think>\n", "\n</think>\n\n")
"""The same tags, in templates that put them on lines of their own."""
_HOLE: Final = re.compile(r"\{(text|tool|id)\}")
_MARK: Final = re.compile(r"<(\w+)>[^<>]*</\1>|[<\[\]][^<>\[\]\s]+[>\]]").match
"""Matches an element of words, or a mark in brackets such as ``<|im_start|>``."""
IM_END: Final = "<|im_end|>"
"""What ends a turn in ChatML."""


def role_frame(around: Marks, results: str, model: str = "assistant") -> Marks:
    """Return the turn frame of a template that names the role of each turn.

    Args:
        around: Text before a role, which ends the turn before, and text after it.
        results: The role of results.
        model: The role of the model.
    """
    return results.join(around), model.join(around)


def chatml(role: str) -> Marks:
    """Return the turn frame of ChatML around results, which are in a turn of this *role*."""
    return role_frame((f"{IM_END}\n<|im_start|>", "\n"), role)


@dataclass(frozen=True, kw_only=True)
class TurnWriter:
    """Writes turns: a thought, content and calls, or a thought and an answer.

    Without `thought`, a thought is left out; `render` notices that and raises.
    """

    call: Callable[[WrittenCall], str]
    """Writes one call."""
    calls: tuple[str, str, str] = ("", "", "")
    """Text before all calls, between two calls, and after all calls."""
    is_single: bool = False
    """Whether the chat template refuses a turn of several calls."""
    thought: Marks | None = None
    """Text before and after a thought; `None` if the dialect has no thoughts."""
    content: Marks | None = ("", "")
    """Text before and after content beside calls; `None` if the dialect has no such content."""
    is_content_last: bool = False
    """Whether content follows the calls."""
    answer: Marks = ("", "")
    """Text before and after an answer."""
    call_id: CallId | None = None
    """Returns the ids of calls; `None` if calls have no ids."""

    def __call__(self, step: Written) -> str:
        """Return one turn as text.

        Raises:
            ValueError: The dialect cannot write the turn.
        """
        thought = _within(self.thought, step.thought) if step.thought and self.thought else ""
        if not step.calls:
            return thought + _within(self.answer, step.answer)
        if self.is_single and step.others:
            raise ValueError("its chat template has one call in a turn")
        if step.content and self.content is None:
            raise ValueError("it has no content beside calls")
        calls = step.calls
        if self.call_id is not None:
            calls = tuple(
                call._replace(id=self.call_id(call.tool, call.id, number))
                for number, call in enumerate(calls, step.number)
            )
        before, between, behind = self.calls
        written = f"{before}{between.join(map(self.call, calls))}{behind}"
        said = _within(self.content, step.content) if step.content and self.content else ""
        return thought + (written + said if self.is_content_last else said + written)


@dataclass(frozen=True, kw_only=True)
class ResultsWriter:
    """Writes what the calls of a turn returned."""

    each: Marks = ("", "")
    """Text before and after each result."""
    between: str | None = None
    """Text between two results. In a `CallFormat`, `None` stands for the end of a turn of results
    and the beginning of the next."""
    around: Marks = ("", "")
    """Text before and after all results."""
    text: Callable[[Result], str] = attrgetter("text")
    """Returns one result as text."""
    call_id: CallId | None = None
    """Returns the ids of calls; `None` if results do not contain them."""

    @property
    def opener(self) -> str:
        """The text before the first result."""
        form = self.text.form if isinstance(self.text, ResultForm) else ""
        return self.around[0] + self.each[0] + form.partition("{")[0]

    def __call__(self, results: Sequence[Result], number: int) -> str:
        """Return the results as text; the first call has this *number*."""
        if self.call_id is not None:
            results = [
                result._replace(id=self.call_id(result.tool, result.id, at))
                for at, result in enumerate(results, number)
            ]
        written = (_within(self.each, self.text(result)) for result in results)
        return _within(self.around, (self.between or "").join(written))


def given_marks(opener: str, frame: Marks, ends: Sequence[str]) -> tuple[Given, ...]:
    """Return the marks of what the model is given: results, and turns of another role.

    Words and brackets are no marks, since an answer may begin with them.

    Args:
        opener: The text before the first result.
        frame: The text before and after results, see `Dialect.turn_frame`.
        ends: What ends a turn of the model, which needs no other mark.
    """
    begun, (model, role) = _first_mark(frame[0], ends)[0], _first_mark(frame[1], ends)
    found = {_first_mark(opener, ends)[0]: "", begun: role if begun == model else ""}
    return tuple(Given(mark, own=own) for mark, own in found.items() if mark)


def _first_mark(text: str, ends: Sequence[str]) -> tuple[str, str]:
    """Return the mark that *text* begins with behind *ends*, if any, and the rest of the text."""
    text = text.strip()
    while end := next(filter(text.startswith, ends), ""):
        text = text.removeprefix(end).lstrip()
    found = _MARK(text)
    return ("", "") if found is None else (found[0], text[found.end() :].lstrip())


@dataclass(frozen=True)
class ResultForm:
    """Writes one result, with the name of its tool or with its text as JSON."""

    form: str
    """The result, with ``{text}``, and perhaps ``{tool}`` and ``{id}``."""
    is_json: bool = False
    """Whether the text is a string in JSON."""

    def __call__(self, result: Result) -> str:
        """Return *result* as text."""
        text = write_json(result.text) if self.is_json else result.text
        values = {"text": text, "tool": result.tool, "id": result.id or ""}
        return _HOLE.sub(lambda hole: values[hole[1]], self.form)


def _within(marks: Marks, text: str) -> str:
    return f"{marks[0]}{text}{marks[1]}"


def write_json(value: Any) -> str:
    """Return *value* as JSON, as chat templates write it.

    Raises:
        ValueError: It contains a value that JSON does not have, such as not-a-number.
    """
    return json.dumps(value, ensure_ascii=False, allow_nan=False)


def write_value(value: Any) -> str:
    """Return *value* as chat templates write it: text unchanged, anything else as JSON."""
    return value if isinstance(value, str) else write_json(value)


def write_python_value(value: Any) -> str:
    """Return *value* as templates do that leave ``True`` and ``None`` to Python.

    Lists and objects are written as JSON, text unchanged.
    """
    return str(value) if value is None or isinstance(value, bool) else write_value(value)


def numbered_id(_tool: str, known: str | None, number: int) -> str:
    """Return the *known* id of a call, or its *number* in nine digits, as Mistral's ids have."""
    return f"{number:09d}" if known is None else known


def inputs_of(call: WrittenCall) -> dict[str, Any]:
    """Return the parameters of a *call*.

    Raises:
        ValueError: Its input is not an object.
    """
    if not isinstance(call.tool_input, dict):
        raise ValueError(f"the input is an object of parameters, not {call.tool_input!r}")  # noqa: TRY004
    return call.tool_input
