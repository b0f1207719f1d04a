"""Reads many steps that are spelt as the form of their dialect says."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from agent_parsers.engine.reading.canonical.columns import (
    TRIPLE,
    ActionColumns,
    AnswerColumns,
    TurnColumns,
    columns_of,
    marked,
    picked,
)
from agent_parsers.engine.reading.canonical.short_steps import LONGEST
from agent_parsers.engine.reading.rules.known_tools import known_tools
from agent_parsers.engine.repairs.payloads import BadPayload
from outputs.growing_json.scalars import NOTHING

if TYPE_CHECKING:
    from collections.abc import Collection, Sequence

    from agent_parsers.engine.reading.canonical.short_steps import ShortSteps
    from agent_parsers.engine.reading.canonical.steps import StepReader
    from agent_parsers.engine.reading.turn import PlainTurn
    from agent_parsers.events import Repair
    from agent_parsers.toolset import ToolSet


def step_columns(
    reader: StepReader, texts: Sequence[str], tools: ToolSet | Collection[str] | None
) -> TurnColumns:
    """Return what is in those of many steps that `StepReader.read` takes.

    Args:
        reader: Reads one step.
        texts: The whole steps.
        tools: The available tools, or only their names.
    """
    found = TurnColumns([], [])
    if reader.short is not None:
        found = _Steps(reader.short, texts, tools).columns()
    others: dict[int, PlainTurn] = {}
    for place in found.places_left(len(texts)):
        if (turn := reader.read_long(texts[place], tools)) is not None:
            others[place] = turn
    if not others:
        return found
    more = columns_of(others)
    return TurnColumns([*found.actions, *more.actions], [*found.answers, *more.answers])


class _Steps:
    """Many steps, matched."""

    def __init__(
        self, steps: ShortSteps, texts: Sequence[str], tools: ToolSet | Collection[str] | None
    ) -> None:
        self._steps, self._tools = steps, tools
        self._known = known_tools(tools)
        self._groups = dict(zip(steps.groups, _columns(steps, texts), strict=True))

    def columns(self) -> TurnColumns:
        """Return what is in them."""
        return TurnColumns([self._actions()], [self._answers()])

    def _places(self, group: str) -> Sequence[int]:
        """Return which of the steps have this *group*."""
        column = self._groups.get(group, ())
        if all(column):
            return range(len(column))
        return [n for n, each in enumerate(column) if each is not None]

    def _actions(self) -> ActionColumns:
        """Return the steps with an action."""
        steps = self._steps
        places, tools = self._called(self._places("tool" if steps.reads_name else "input"))
        is_checked = self._known is not None and any(map(self._known.checks, set(tools)))
        inputs: Sequence[Any] | None = None
        if not is_checked:
            written, said = self._groups["input"], self._groups.get("text")
            texts = None if said is None else picked(said, places)
            inputs = steps.plain_inputs(picked(written, places), texts)
        if inputs is None:
            inputs = [self._input(n, tool) for n, tool in zip(places, tools, strict=True)]
        if {*map(type, inputs)} != {str}:
            kept = [n for n, each in enumerate(inputs) if each is not NOTHING]
            places, tools, inputs = (picked(each, kept) for each in (places, tools, inputs))
        size = len(places)
        thoughts = self._thoughts(places)
        return ActionColumns(places, thoughts, [""] * size, [1] * size, tools, inputs, [])

    def _called(self, places: Sequence[int]) -> tuple[Sequence[int], Sequence[str]]:
        """Return which of the steps at *places* call a tool that they may call, and those tools."""
        steps, tools = self._steps, self._tools
        if not steps.reads_name:
            name = steps.only_tool(tools)
            return (places, [name] * len(places)) if steps.takes(name, tools) else ([], [])
        written = picked(self._groups["tool"], places)
        names = {each: each.strip() for each in dict.fromkeys(written)}
        if refused := {each for each, name in names.items() if not steps.takes(name, tools)}:
            kept = [n for n, each in enumerate(written) if each not in refused]
            places, written = picked(places, kept), picked(written, kept)
        if len(names) == 1:
            return places, [*names.values()] * len(places)
        return places, [names[each] for each in written]

    def _input(self, place: int, tool: str) -> Any:
        """Return the input of the step at a *place*; `NOTHING` if it is repaired or odd."""
        repairs: list[Repair] = []
        written = self._groups["input"][place]
        said = self._groups["text"][place] if "text" in self._groups else None
        try:
            value = self._steps.value(written, said, tool, self._known, repairs)
        except BadPayload:
            return NOTHING
        return NOTHING if repairs else value

    def _answers(self) -> AnswerColumns:
        """Return the steps with an answer."""
        steps = self._steps
        places = self._places("answer")
        contents: Sequence[str] = picked(self._groups.get("answer", ()), places)
        if not steps.keeps_answer_space:
            contents = [each.strip() for each in contents]
        answers: Sequence[Any] | None = steps.plain_answers(contents, self._tools)
        if answers is None:
            answers = [self._answer(each) for each in contents]
            kept = [n for n, each in enumerate(answers) if each is not None]
            places, contents, answers = (picked(e, kept) for e in (places, contents, answers))
        return AnswerColumns(places, self._thoughts(places), contents, answers)

    def _answer(self, content: str) -> Any:
        """Return the answer that is written so; `None` if it is repaired or odd."""
        repairs: list[Repair] = []
        answer = self._steps.answer(content, self._tools, repairs)
        return None if repairs else answer

    def _thoughts(self, places: Sequence[int]) -> Sequence[str]:
        """Return the thoughts of the steps at some *places*."""
        if "thought" not in self._groups:
            return [""] * len(places)
        thoughts = picked(self._groups["thought"], places)
        if all(thoughts):
            return [*map(str.strip, thoughts)]
        return [each.strip() if each else "" for each in thoughts]


def _columns(steps: ShortSteps, texts: Sequence[str]) -> list[tuple[Any, ...]]:
    """Return the groups of the matches of many steps; `None` where there is no match."""
    nothing = (None,) * len(steps.groups)
    if max(map(len, texts), default=0) <= LONGEST:
        rows = [nothing if found is None else found.groups() for found in map(steps.match, texts)]
    elif steps.loose is None:
        rows = [*map(steps.groups_of, texts)]
    else:
        rows = [nothing if found is None else found.groups() for found in map(steps.loose, texts)]
        for place in _unsure(steps, rows):
            rows[place] = steps.groups_of(texts[place])
    for place in marked(texts, TRIPLE, steps.half_stops):
        rows[place] = nothing
    return [*zip(*rows, strict=True)] or [()] * len(nothing)


def _unsure(steps: ShortSteps, rows: Sequence[tuple[Any, ...]]) -> set[int]:
    """Return the places of those *rows* of loose matches that are none, or that have odd texts.

    To look for a character in all texts at once takes a tenth of the time of a match.
    """
    unsure = {place for place, row in enumerate(rows) if not any(row)}
    for name, column in zip(steps.groups, zip(*rows, strict=True), strict=True):
        whole = "\0".join(filter(None, column))
        for odd in steps.odd.get(name, ()):
            if odd not in whole:
                continue
            there = [place for place, text in enumerate(column) if text and odd in text]
            if (name, odd) == ("input", ":"):  # one behind quotes is that of a key
                there = [n for n in there if column[n].count(":") != column[n].count('":')]
            unsure.update(there)
    return unsure
