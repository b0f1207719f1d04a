"""Writes the results of calls, and what frames turns, as the chat templates of open models do."""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from operator import attrgetter
from typing import TYPE_CHECKING, Final

from agent_parsers.engine.markers.mentions import Given
from agent_parsers.forms.form import CallId, Marks, within, write_json

if TYPE_CHECKING:
    from agent_parsers.engine.tables.dialect import Result

TAGS: Final = ("<think>", "</think>")
"""Tags around a thought."""
LINES: Final = ("<think>\n", "\n</think>\n\n")
"""The same tags, in templates that put them on lines of their own."""
_HOLE: Final = re.compile(r"\{(text|tool|id)\}")
_MARK: Final = re.compile(
    r"<(\w+)>[^<>]*</\1>|<\|[^<>|\n]+\|>|\[\[[^\[\]\n]+\]\]|<<[^<>\n]+>>|\{\{[^{}\n]+\}\}"
    r'|[<\[\]][^<>\[\]\s]+[>\]]|<\w+ \w+="?\Z'
).match
"""Matches an element of words, a mark in brackets, or what begins a tag with the tool's name."""
_CASES: Final = (str.lower, str.title, str.upper)
_ROLES: Final = [(c("assistant"), c(role)) for c in _CASES for role in ("user", "system")]
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
    """Return the turn frame of ChatML for results in a turn of this *role*."""
    return role_frame((f"{IM_END}\n<|im_start|>", "\n"), role)


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
        written = (within(self.each, self.text(result)) for result in results)
        return within(self.around, (self.between or "").join(written))


def given_marks(opener: str, frame: Marks, ends: Sequence[str]) -> tuple[Given, ...]:
    """Return the marks of what the model is given: results, and turns of another role.

    Words and brackets are no marks, since an answer may begin with them. The first result follows
    *opener*; for *frame* see `Dialect.turn_frame`. What *ends* a turn of the model needs no other
    mark. If the role stands within the mark of a turn, so do the roles that *frame* does not have.
    """
    begun, (model, role) = _first_mark(frame[0], ends)[0], _first_mark(frame[1], ends)
    found = {_first_mark(opener, ends)[0]: "", begun: role if begun == model else ""}
    found |= {model.replace(a, b): "" for a, b in _ROLES if begun not in ("", model) and a in model}
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
    """Writes one result, perhaps with the name of its tool or with its text as JSON."""

    form: str
    """The result, with ``{text}``, and perhaps ``{tool}`` and ``{id}``."""
    is_json: bool = False
    """Whether the text is a string in JSON."""

    def __call__(self, result: Result) -> str:
        """Return *result* as text."""
        text = write_json(result.text) if self.is_json else result.text
        values = {"text": text, "tool": result.tool, "id": result.id or ""}
        return _HOLE.sub(lambda hole: values[hole[1]], self.form)


@dataclass(frozen=True)
class NumberedIds:
    """Makes ids of calls that contain the number of the call, counted from 0."""

    text: str
    """An id, with ``{number}``, and perhaps ``{tool}``."""

    def __call__(self, tool: str, known: str | None, number: int) -> str:
        """Return the *known* id of a call if it has this form, else one made from its *number*."""
        written = re.escape(self.text.replace("{tool}", tool)).replace(r"\{number\}", r"\d+")
        if known is not None and re.fullmatch(written, known):
            return known
        return self.text.replace("{tool}", tool).replace("{number}", str(number - 1))


def numbered_id(_tool: str, known: str | None, number: int) -> str:
    """Return the *known* id of a call; if it is `None`, its *number* in nine digits (Mistral)."""
    return f"{number:09d}" if known is None else known
