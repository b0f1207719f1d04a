"""Printing a run as a table for people, and the cells and fields of such tables."""

from __future__ import annotations

import json
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any, Final

from rich import box
from rich.measure import Measurement
from rich.table import Table
from rich.text import Text

from agent_parsers import AgentAction, AgentFinish
from agent_runs.cli.trouble import name_of, trouble_lines
from output_parsers.printable import printable

if TYPE_CHECKING:
    from rich.console import Console, ConsoleOptions, RenderableType

    from agent_parsers import TranscriptStep
    from agent_runs.cli.shown_runs import ShownRun

_MOST_LINES: Final = 3
"""Most lines that a cell shows."""
_MOST_CHARS: Final = 2_000
"""Most characters of a text that are needed to fill those lines."""
_BRIEF: Final = 120
"""Most characters of the text of a notice."""
_LEAST_WIDTH: Final = 8
"""Least width of a column of text, in cells."""


class Cut:
    """Text in a cell, shortened to the words that fit on a few lines."""

    def __init__(self, text: str, style: str = "") -> None:
        words = " ".join(text[:_MOST_CHARS].split())
        self._text = Text(printable(words), style)
        self._is_long = len(text) > _MOST_CHARS

    def __rich_console__(self, console: Console, options: ConsoleOptions) -> Iterator[Text]:
        lines = self._text.wrap(console, options.max_width)
        if len(lines) > _MOST_LINES or self._is_long:
            last = lines[_MOST_LINES - 1] if len(lines) >= _MOST_LINES else lines[-1]
            last.rstrip()
            while last and last.cell_len > options.max_width - 2:
                head, space, _ = last.plain.rpartition(" ")
                last.right_crop(len(last) - (len(head) if space else len(last) - 1))
            last.append(" …")
        yield from lines[:_MOST_LINES]

    def __rich_measure__(self, console: Console, options: ConsoleOptions) -> Measurement:
        width = min(self._text.cell_len, options.max_width)
        return Measurement(min(width, _LEAST_WIDTH), width)


def print_run(console: Console, run: ShownRun, *, full: bool) -> None:
    """Print a run: the question, the steps, the answer, notices, repairs and errors.

    With *full*, print every text whole, and not what fits on a few lines of a cell.
    """
    transcript = run.transcript
    title = f"{name_of(run.file)}, run {run.number}"
    if transcript.id:
        title += f", {printable(transcript.id)}"
    console.rule(Text(f"{title} ({run.dialect})", "bold"), align="left", style="dim")
    if about := ", ".join(transcript.about):
        console.print(Text(printable(about), "dim"), soft_wrap=True)
    if transcript.question:
        console.print(field("Question", transcript.question))
    console.print(_steps(run, console.width, full=full))
    answer = run.answer.action if run.answer else None
    if isinstance(answer, AgentFinish):
        console.print(field("Final Answer", str(answer.return_values.get("output")), "green"))
    else:
        console.print(Text("No final answer", "yellow"))
    if run.repairs:
        console.print(Text(f"\nRepaired ({len(run.repairs)})", "yellow"))
        for number, repair in run.repairs:
            where = f"step {number}" if number else "question"
            console.print(Text(f"  {where}: {printable(repair.message)}"))
    if (notices := run.shown_notices) and not run.fail_on_notices:
        console.print(Text(f"\nNotices ({len(notices)})", "yellow"))
        for notice in notices:
            where = f"step {notice.step}: " if notice.step else ""
            console.print(Text(f"  {where}{printable(notice.message)}"))
            if notice.text:
                console.print(Text(f"    {printable(_brief(notice.text))}", "dim"))
    if run.troubles:
        console.print(Text(f"\nNot read ({len(run.troubles)})", "red"))
        for trouble in run.troubles:
            console.print(trouble_lines(trouble, console.width), soft_wrap=True)
    console.print()


def _brief(text: str) -> str:
    """Return the beginning of *text* on one line."""
    words = " ".join(text[:_MOST_CHARS].split())
    return words if len(words) <= _BRIEF else f"{words[:_BRIEF]} …"


def field(label: str, text: str, style: str = "") -> RenderableType:
    """Return a label with a text of any length next to it."""
    grid = Table.grid(padding=(0, 1))
    grid.add_column(no_wrap=True)
    grid.add_column(overflow="fold")
    grid.add_row(Text(f"{label}:", "bold"), _whole(text, style))
    return grid


def _steps(run: ShownRun, width: int, *, full: bool) -> Table:
    table = Table(box=box.SIMPLE_HEAD, expand=True, padding=(0, 1, 0, 0), leading=1)
    table.add_column("#", justify="right", style="dim", no_wrap=True)
    table.add_column("Thought", ratio=3, overflow="fold")
    table.add_column("Tool", max_width=width // 5, overflow="fold")
    table.add_column("Input", ratio=2, overflow="fold")
    table.add_column("Observation", ratio=3, overflow="fold")
    cell = _whole if full else Cut
    for step in run.transcript.all_steps:
        cells = (cell(*text) for text in _cells(step, is_answer=step is run.answer))
        table.add_row(str(step.number), *cells)
    return table


def _whole(text: str, style: str = "") -> Text:
    return Text("\n".join(map(printable, text.split("\n"))), style)


def _cells(step: TranscriptStep, *, is_answer: bool) -> Iterator[tuple[str, str]]:
    """Yield text and style of the cells of a step; the run's answer is printed below the table."""
    said = "\n".join(filter(None, (step.thought, step.content)))
    yield said or (step.error and step.error.llm_output) or "", ""
    match step.action:
        case AgentAction(tool=tool, tool_input=tool_input):
            yield tool, "cyan"
            yield as_text(tool_input), ""
        case AgentFinish(return_values=values):
            yield "Final Answer", "green"
            yield "" if is_answer else str(values.get("output")), ""
        case _:
            yield "not read", "red"
            yield "", ""
    yield step.observation or "", "red" if step.tool_failed else ""


def as_text(tool_input: str | dict[Any, Any]) -> str:
    """Return the input of a call for display: a text unchanged, an object as JSON."""
    if isinstance(tool_input, str):
        return tool_input
    return json.dumps(tool_input, ensure_ascii=False)
