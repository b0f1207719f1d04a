"""Writing turns of several calls, and their results, as the chat templates of open models do."""

from __future__ import annotations

import json
from dataclasses import dataclass
from operator import attrgetter
from typing import TYPE_CHECKING, Any, Final, TypeAlias

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from agent_parsers.engine.grammar.dialect import Result, Written, WrittenCall

__all__ = [
    "LINES", "TAGS", "CallId", "ResultsWriter", "TurnWriter", "chatml", "inputs_of", "write_json",
    "write_value",
]  # fmt: skip

CallId: TypeAlias = "Callable[[str, str | None, int], str]"
"""Makes the id of a call, given the tool, the id there is, and its number."""

TAGS: Final = ("<think>", "</think>")
"""What stands around a thought."""
LINES: Final = ("<think>\n", "\n</think>\n\n")
"""The same, in templates that have the tags on lines of their own."""


def chatml(role: str) -> tuple[str, str]:
    """Return what ChatML has around results: in the turn of this *role*, then the model's next."""
    end = "<|im_end|>\n<|im_start|>"
    return f"{end}{role}\n", f"{end}assistant\n"


@dataclass(frozen=True, kw_only=True)
class TurnWriter:
    """Writes turns: a thought, what is said, and calls, or a thought and an answer.

    A dialect without thoughts does not write one; `render` sees that, and refuses.
    """

    call: Callable[[WrittenCall], str]
    """Writes one call."""
    calls: tuple[str, str, str] = ("", "", "")
    """What stands before all calls, between two of them, and behind all."""
    is_single: bool = False
    """Whether the chat template refuses a turn of several calls."""
    thought: tuple[str, str] | None = None
    """What stands around a thought; `None` if the dialect has none."""
    content: tuple[str, str] | None = ("", "")
    """What stands around content beside calls; `None` if there can be none."""
    is_content_last: bool = False
    """Whether content stands behind the calls."""
    answer: tuple[str, str] = ("", "")
    """What stands around an answer."""
    call_id: CallId | None = None
    """Makes the ids of calls, if they have such."""

    def __call__(self, step: Written) -> str:
        """Write one turn.

        Raises:
            ValueError: The dialect cannot say this.
        """
        thought = _within(self.thought, step.thought) if step.thought and self.thought else ""
        if not step.calls:
            return thought + _within(self.answer, step.answer)
        if self.is_single and step.others:
            raise ValueError("its chat template has one call in a turn")
        if step.content and self.content is None:
            raise ValueError("nothing is said beside calls")
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

    each: tuple[str, str] = ("", "")
    """What stands around each result."""
    between: str = ""
    """What stands between two results."""
    around: tuple[str, str] = ("", "")
    """What stands around all results."""
    text: Callable[[Result], str] = attrgetter("text")
    """Writes one result."""
    call_id: CallId | None = None
    """Makes the ids of calls, if results name them."""

    def __call__(self, results: Sequence[Result], number: int) -> str:
        """Write what the calls returned, of which the first has this *number*."""
        if self.call_id is not None:
            results = [
                result._replace(id=self.call_id(result.tool, result.id, at))
                for at, result in enumerate(results, number)
            ]
        written = (_within(self.each, self.text(result)) for result in results)
        return _within(self.around, self.between.join(written))


def _within(marks: tuple[str, str], text: str) -> str:
    return f"{marks[0]}{text}{marks[1]}"


def write_json(value: Any) -> str:
    """Write *value* as chat templates do.

    Raises:
        ValueError: It holds what is no JSON, such as not-a-number.
    """
    return json.dumps(value, ensure_ascii=False, allow_nan=False)


def write_value(value: Any) -> str:
    """Write a *value* as chat templates do: text as it stands, anything else as JSON."""
    return value if isinstance(value, str) else write_json(value)


def inputs_of(call: WrittenCall) -> dict[str, Any]:
    """Return the parameters of a *call*.

    Raises:
        ValueError: Its input is no object.
    """
    if not isinstance(call.tool_input, dict):
        raise ValueError(f"the input is an object of parameters, not {call.tool_input!r}")  # noqa: TRY004
    return call.tool_input
