r"""Notebooks of Jupyter whose cells have run agents.

::

    {"nbformat": 4, "cells": [{"cell_type": "code", "source": […], "outputs": [
      {"output_type": "stream", "name": "stdout", "text": ["\n", "> Entering new …\n"]},
      {"output_type": "execute_result", "data": {"text/plain": ["{'input': …, 'output': …}"]}}]}]}

What a cell printed is read as the log that it is, a console or JSON: what went to a stream is one
text, to which belongs what Rich displays. Whatever else it displays, and its value, are each a text
of its own. A value that says the same as the console before it is the same run. Cells without a log
of a run are passed over. A run has the number of its cell, from 1, as its name.

Source: the notebook format 4 (nbformat.readthedocs.io), and 3, which has ``worksheets``.
"""

from __future__ import annotations

import io
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any, Final, NamedTuple

from agent_parsers import AgentAction, OutputParserException
from agent_parsers.transcripts import Notice
from agent_runs.reading.parts import is_open_end
from agent_runs.reading.reader import (
    NEAREST,
    DataReader,
    Lines,
    Reading,
    UnknownLogError,
    Values,
    squeezed,
)
from agent_runs.reading.reprs import value_of_repr
from agent_runs.sources import content_of

if TYPE_CHECKING:
    from agent_parsers.transcripts import Transcript


def _cells_of(value: Any) -> list[Any] | None:
    """Return the cells of a notebook; `None` if *value* is another object."""
    if not isinstance(value, dict) or "nbformat" not in value:
        return None
    sheets = value.get("worksheets")
    if isinstance(sheets, list):
        return [
            cell for sheet in sheets if isinstance(sheet, dict) for cell in sheet.get("cells") or ()
        ]
    cells = value.get("cells")
    return cells if isinstance(cells, list) else None


def _evidence(values: Sequence[Any]) -> Sequence[str]:
    if not values or _cells_of(values[0]) is None:
        return ()
    return ("'nbformat' and cells",)


class _Output(NamedTuple):
    """A text that a cell shows."""

    text: str
    is_value: bool = False
    """Whether it is the value of the cell."""


@dataclass
class _Seen:
    """What was found in the cells of a notebook."""

    cells: int = 0
    """How many cells show any text."""
    unread: list[str] = field(default_factory=list)
    """Which of them look like a log, and why each was not read."""
    others: list[tuple[int, str]] = field(default_factory=list)
    """The first of the others, and their texts."""
    untold: list[Notice] = field(default_factory=list)
    """The notices about what was printed that looks like a log, for the next run."""


def _read(values: Values, reading: Reading) -> Iterator[Transcript]:
    for value in values:
        cells = _cells_of(value.data)
        if cells is None:
            reading.refuse_value(value, "expected a notebook")
            continue
        seen = _Seen()
        last: Transcript | None = None
        for number, outputs in enumerate(reading.converted(_outputs, cells), 1):
            for run in _runs_in(outputs, number, reading, seen):
                if last is not None:
                    yield last
                last = run
        if last is None:
            raise UnknownLogError(
                _reason(seen, reading),
                observation="Give a notebook with a cell that printed a log.",
            )
        yield replace(last, notices=(*last.notices, *seen.untold))


_MOST: Final = 3
"""How many cells are named that could not be read."""


_MOST_TRIED: Final = 20
"""Of how many cells the error says which is nearest to a log."""


def _near(seen: _Seen, reading: Reading) -> str:
    """Return which cell is nearest to a log, and what it lacks; empty if none is near."""
    for cell, text in seen.others:
        try:
            for _ in reading.inside(Lines(io.StringIO(text))):
                pass
        except OutputParserException as error:
            lack = error.reason.partition(NEAREST)[2]
            if isinstance(error, UnknownLogError) and lack:
                return f"; cell {cell} is closest to {lack}"
    return ""


def _reason(seen: _Seen, reading: Reading) -> str:
    cells = f"{seen.cells} cell{'s' if seen.cells != 1 else ''} with output"
    if not seen.unread:
        is_one = seen.cells == 1
        none = "its only cell with output does not look" if is_one else f"none of its {cells} looks"
        return f"found no run in the notebook: {none} like a log{_near(seen, reading)}"
    more = len(seen.unread) - _MOST
    named = "; ".join(seen.unread[:_MOST]) + (f"; and {more} more" if more > 0 else "")
    return f"found no run in the notebook, which has {cells}: {named}"


def _runs_in(
    outputs: Sequence[_Output], cell: int, reading: Reading, seen: _Seen
) -> Iterator[Transcript]:
    """Yield the runs in the *outputs* of a cell."""
    texts = [output for output in outputs if output.text.strip()]
    seen.cells += bool(texts)
    found: list[Transcript] = []
    for text, is_value in texts:
        runs, why = _runs_of(text, reading, is_value=is_value)
        if not (runs or why) and len(seen.others) < _MOST_TRIED:
            seen.others.append((cell, text))
        if why:
            seen.unread.append(f"cell {cell} {why}")
        if why and not is_value:
            message = f"cell {cell} looks like a log, but {why}"
            seen.untold.append(Notice("unowned_text", message, text=text))
        if is_value and found and len(runs) == 1 and _says_the_same(runs[0], found[-1]):
            found[-1] = replace(found[-1], question=found[-1].question or runs[0].question)
        elif is_value and found and not found[-1].question:
            found[-1] = replace(found[-1], question=_question_in(text, found[-1]))
            found += runs
        else:
            found += runs
    for run in found:
        # Its lines are those of the text; the file has others. And the text is whole.
        notices = [replace(each, line=0) for each in run.notices if not is_open_end(each)]
        source = replace(run.source, line=0) if run.source else None
        notices, seen.untold = [*seen.untold, *notices], []
        yield replace(run, id=run.id or f"cell {cell}", source=source, notices=(*notices,))


def _runs_of(text: str, reading: Reading, *, is_value: bool) -> tuple[list[Transcript], str]:
    """Return the runs in a *text*; if there are none, the reason if it looks like a log."""
    log = Lines(io.StringIO(text)) if is_value else content_of(io.StringIO(text))
    readers = reading.readers_of(log, in_dialect=not is_value)
    errors: list[OutputParserException] = []
    runs: list[Transcript] = []
    try:
        runs += reading.inside(log, on_error=errors.append) if readers else ()
    except UnknownLogError:  # it is a frame of a log, such as a warning under its level
        return [], ""
    except OutputParserException as raised:
        errors.append(raised)
    if not runs:
        return [], f"was not read: {errors[0]}" if errors else ""
    for error in errors:
        if reading.on_error is None:
            raise error
        reading.on_error(error)
    return runs, ""


def _says_the_same(value: Transcript, printed: Transcript) -> bool:
    """Return whether the *value* of a cell says no more than what the cell *printed*."""
    calls = _calls_of(value)
    return _answer_of(value) == _answer_of(printed) and (not calls or calls == _calls_of(printed))


def _question_in(text: str, printed: Transcript) -> str:
    """Return the question that a value names beside the answer, as LangChain's agents do."""
    try:
        value = value_of_repr(text)
    except ValueError:
        return ""
    if not isinstance(value, dict) or squeezed(str(value.get("output"))) != _answer_of(printed):
        return ""
    question = value.get("input")
    return question if isinstance(question, str) else ""


def _answer_of(run: Transcript) -> str:
    return squeezed(str(run.finish.return_values["output"] if run.finish else None))


def _calls_of(run: Transcript) -> list[tuple[str, str]]:
    actions = [step.action for step in run.all_steps]
    calls = [each for each in actions if isinstance(each, AgentAction)]
    return [(each.tool, squeezed(str(each.tool_input))) for each in calls]


def _outputs(cell: Mapping[str, Any]) -> list[_Output]:
    """Return the texts that *cell* shows: its streams, what it displays, and its value."""
    streams: dict[str, str] = {}
    others: list[_Output] = []
    for output in cell.get("outputs") or ():
        kind = output["output_type"]
        if kind == "stream":
            name = output.get("name") or output.get("stream") or "stdout"
            streams[name] = streams.get(name, "") + _joined(output["text"])
        elif kind in ("display_data", "execute_result", "pyout"):
            data = output.get("data") or output
            text = _joined(data.get("text/plain") or output.get("text") or "")
            if kind == "display_data" and _is_of_rich(data):
                printed = streams.get("stdout", "")
                is_open = bool(printed) and not printed.endswith("\n")
                streams["stdout"] = printed + ("\n" if is_open else "") + text
            else:
                others.append(_Output(text, is_value=kind != "display_data"))
    return [*map(_Output, streams.values()), *others]


def _is_of_rich(data: Mapping[str, Any]) -> bool:
    """Return whether *data* is text that was printed with Rich, which adds it as HTML."""
    html = _joined(data.get("text/html") or "<pre")
    return {*data} <= {"text/plain", "text/html"} and html.startswith("<pre")


def _joined(text: object) -> str:
    """Return the *text* of an output, which may be a list of its lines."""
    lines = [text] if isinstance(text, str) else text
    if not isinstance(lines, list) or not all(isinstance(line, str) for line in lines):
        raise TypeError(
            f"the text of an output is {type(text).__name__}, not a string or a list of strings"
        )
    return "".join(lines)


READER: Final = DataReader(
    name="notebook",
    summary="Jupyter notebooks (.ipynb) whose cells printed a log in another form",
    evidence=_evidence,
    read=_read,
)
