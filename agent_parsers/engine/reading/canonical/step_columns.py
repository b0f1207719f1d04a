"""Reads many steps that are spelt as the form of their dialect says."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from agent_parsers.engine.reading.canonical.columns import (
    TurnColumns,
    holes_in,
    marked,
    with_holes,
    without_holes,
)
from agent_parsers.engine.reading.canonical.short_steps import END, LONGEST
from agent_parsers.engine.reading.quoting.watch import TRIPLE
from agent_parsers.engine.reading.rules.known_tools import known_tools
from agent_parsers.engine.repairs.payloads import BadPayload
from outputs.growing_json.scalars import NOTHING

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable, Sequence

    from agent_parsers.engine.reading.canonical.short_steps import ShortSteps
    from agent_parsers.engine.reading.canonical.steps import StepReader
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
    if reader.short is None:
        found = TurnColumns.of_nothing(len(texts))
    else:
        found = _Steps(reader.short, texts, tools).columns()
    # Answers that are calls are no columns, but they may be read alone.
    is_call = reader.short is not None and reader.short.answer_name
    read = reader.read if is_call else reader.read_long
    left = []
    for place in found.left:
        if (turn := read(texts[place], tools)) is None:
            left.append(place)
        else:
            found.put(place, *turn)
    found.left = left
    return found


class _Steps:
    """Many steps, matched."""

    def __init__(
        self, steps: ShortSteps, texts: Sequence[str], tools: ToolSet | Collection[str] | None
    ) -> None:
        self._steps, self._tools = steps, tools
        self._known = known_tools(tools)
        self._size = len(texts)
        columns: list[list[Any]] = _columns(steps, texts)
        self._groups = dict(zip(steps.groups, columns, strict=True))

    def columns(self) -> TurnColumns:
        """Return what is in them."""
        tools = self._called()
        inputs = self._inputs(tools)
        contents, answers = self._answers()
        nothing: list[Any] = [None] * self._size
        left = holes_in(tools)
        if left and answers.count(None) < self._size:
            left = [place for place in left if answers[place] is None]
        thoughts = self._thoughts()
        for place in left:
            thoughts[place] = contents[place] = None
        return TurnColumns(thoughts, contents, answers, tools, inputs, nothing, left)

    def _called(self) -> list[str | None]:
        """Return the tools that the steps call and may call."""
        steps, tools = self._steps, self._tools
        if not steps.reads_name:
            name = steps.only_tool(tools)
            if not steps.takes(name, tools):
                return [None] * self._size
            return [None if each is None else name for each in self._groups["input"]]
        written = self._groups["tool"]
        names = {each: each.strip() for each in {*written} if each is not None}
        names = {each: name for each, name in names.items() if steps.takes(name, tools)}
        return [*map(names.get, written)]

    def _inputs(self, tools: list[str | None]) -> list[Any]:
        """Return the inputs of the steps that call *tools*, from which it takes what is odd."""
        steps = self._steps
        holes = holes_in(tools)
        known = self._known
        is_checked = known is not None and any(tool and known.checks(tool) for tool in {*tools})
        inputs: Sequence[Any] | None = None
        if not is_checked:
            written, said = self._groups["input"], self._groups.get("text")
            texts = None if said is None else without_holes(said, holes)
            inputs = steps.plain_inputs(without_holes(written, holes), texts)
        if inputs is None:
            places = without_holes(range(self._size), holes)
            inputs = [self._input(place, tools[place] or "") for place in places]
        column = with_holes(inputs, holes)
        if type(NOTHING) in {*map(type, inputs)}:
            for place, each in enumerate(column):
                if each is NOTHING:
                    tools[place] = None
        return column

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

    def _answers(self) -> tuple[list[str | None], list[Any]]:
        """Return the contents and the answers of the steps."""
        steps, written = self._steps, self._groups.get("answer", ())
        nothing: list[Any] = [None] * self._size
        if written.count(None) == len(written):
            return [""] * self._size, nothing
        holes = holes_in(written)
        contents = without_holes(written, holes)
        if not steps.keeps_answer_space:
            contents = [*map(str.strip, contents)]
        answers = steps.plain_answers(contents, self._tools)
        if answers is None:
            answers = [*map(self._answer, contents)]
        said = with_holes(contents, holes)
        answered = said if answers is contents else with_holes(answers, holes)
        if holes:
            said = [each or "" for each in said]
        return said, answered

    def _answer(self, content: str) -> Any:
        """Return the answer that is written so; `None` if it is repaired or odd."""
        repairs: list[Repair] = []
        answer = self._steps.answer(content, self._tools, repairs)
        return None if repairs else answer

    def _thoughts(self) -> list[str | None]:
        """Return the thoughts of the steps."""
        thoughts = self._groups.get("thought")
        if thoughts is None:
            return [""] * self._size
        for place in holes_in(thoughts):
            thoughts[place] = ""
        return [*map(str.strip, thoughts)]


def _columns(steps: ShortSteps, texts: Sequence[str]) -> list[list[Any]]:
    """Return the groups of the matches of many steps; `None` where there is no match."""
    columns, unsure = _split(steps, texts)
    for place in unsure:
        for column, group in zip(columns, steps.groups_of(texts[place]), strict=True):
            column[place] = group
    answers = dict(zip(steps.groups, columns, strict=True)).get("answer", ())
    has_answers = answers.count(None) < len(answers)
    # An input ends with its line, and so not in half a stop sequence, which is a line of its own.
    ends = steps.half_stops if has_answers or steps.split is None else ()
    for place in marked(texts, TRIPLE, ends):
        for column in columns:
            column[place] = None
    return columns


def _split(steps: ShortSteps, texts: Sequence[str]) -> tuple[list[list[Any]], Iterable[int]]:
    """Return the groups of many steps that are found at once, and the places of unsure ones."""
    size = len(steps.groups) + 1
    if steps.split is None:
        return [[None] * len(texts) for _ in range(size - 1)], range(len(texts))
    odd: Iterable[int] = ()
    whole = END.join((*texts, ""))
    if whole.count("\0") > len(texts):
        odd = [place for place, text in enumerate(texts) if "\0" in text]
        whole = END.join("" if "\0" in text else text for text in (*texts, ""))
    pieces = steps.split(whole)
    columns = [pieces[at::size] for at in range(1, size)]
    there = {each for chars in steps.odd.values() for each in chars if each in whole}
    return columns, {*odd, *_unsure(steps, texts, columns, there)}


def _unsure(
    steps: ShortSteps,
    texts: Sequence[str],
    columns: Sequence[Sequence[str | None]],
    there: set[str],
) -> set[int]:
    """Return the places of steps that may be odd.

    To look for a character in all texts at once takes a tenth of the time of a match.

    Args:
        steps: Says what is odd.
        texts: The steps.
        columns: Their groups, which were split off.
        there: Which of the odd characters are in them.
    """
    unsure: set[int] = set()
    if max(map(len, texts), default=0) > LONGEST:  # whose thought may have a word of a label
        found = map(any, zip(*columns, strict=True))
        unsure.update(n for n, is_found in enumerate(found) if not is_found)
    for name, column in zip(steps.groups, columns, strict=True):
        odd = there.intersection(steps.odd.get(name, ()))
        whole = "\0".join(filter(None, {*column} if name == "tool" else column)) if odd else ""
        for each in filter(whole.__contains__, odd):
            if (name, each) != ("input", ":"):
                unsure.update(n for n, text in enumerate(column) if text and each in text)
            elif not _is_of_keys(whole):
                unsure.update(n for n, text in enumerate(column) if text and not _is_of_keys(text))
    return unsure


def _is_of_keys(text: str) -> bool:
    """Return whether each colon in a *text* stands behind quotes, as that of a key does."""
    return text.count(":") == text.count('":')
