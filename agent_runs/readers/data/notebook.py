r"""Notebooks of Jupyter whose cells have run agents.

::

    {"nbformat": 4, "cells": [{"cell_type": "code", "source": […], "outputs": [
      {"output_type": "stream", "name": "stdout", "text": ["\n", "> Entering new …\n"]},
      {"output_type": "execute_result", "data": {"text/plain": ["{'input': …, 'output': …}"]}}]}]}

What a cell printed is read as the console that it is. Rich prints to ``display_data``. The value of
the cell stands behind it, as if it had been printed too. Cells without a log of a run are passed
over. A run has the number of its cell, from 1, as its name.

Source: the notebook format 4 (nbformat.readthedocs.io), and 3, which has ``worksheets``.
"""

from __future__ import annotations

import io
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import replace
from typing import TYPE_CHECKING, Any, Final

from agent_runs.reading.reader import DataReader, Lines, Reading, UnknownLogError, Values

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


def _read(values: Values, reading: Reading) -> Iterator[Transcript]:
    for value in values:
        cells = _cells_of(value.data)
        if cells is None:
            reading.refuse_value(value, "expected a notebook")
            continue
        for number, printed in enumerate(reading.converted(_printed, cells), 1):
            for text in printed.values():
                yield from _runs_in(text, number, reading)


def _runs_in(text: str, cell: int, reading: Reading) -> Iterator[Transcript]:
    """Yield the runs in what *cell* printed."""
    lines = Lines(io.StringIO(text))
    if not text.strip() or not reading.has_form(lines):
        return
    with suppress(UnknownLogError):  # also of what stands in it, such as a warning under its level
        for run in reading.inside(lines):
            # Its lines are those of the text; the file has others.
            notices = tuple(replace(notice, line=0) for notice in run.notices)
            source = replace(run.source, line=0) if run.source else None
            yield replace(run, id=run.id or f"cell {cell}", source=source, notices=notices)


def _printed(cell: Mapping[str, Any]) -> dict[str, str]:
    """Return what *cell* printed, by the name of the stream."""
    printed: dict[str, str] = {}
    for output in cell.get("outputs") or ():
        kind = output["output_type"]
        if kind == "stream":
            name, text = output.get("name") or output.get("stream") or "stdout", output["text"]
        elif kind in ("display_data", "execute_result", "pyout"):
            name = "stdout"
            text = (output.get("data") or output).get("text/plain") or output.get("text") or ""
        else:
            continue  # an error
        text = _joined(text)
        before = printed.get(name, "")
        if before and not before.endswith("\n"):
            before += "\n" if kind != "stream" else ""
        printed[name] = before + text
    return printed


def _joined(text: str | Iterable[str]) -> str:
    return text if isinstance(text, str) else "".join(text)


READER: Final = DataReader(
    name="notebook",
    summary="Jupyter notebooks (.ipynb) whose cells printed a log of another form",
    evidence=_evidence,
    read=_read,
)
