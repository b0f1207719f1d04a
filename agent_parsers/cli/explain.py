"""The command ``explain``: why one reply parses as it does."""

from __future__ import annotations

import io
from enum import StrEnum
from typing import TYPE_CHECKING

from rich.text import Text

from agent_parsers import OutputParserException, read_runs
from agent_parsers.cli.files import read_whole
from agent_parsers.cli.json_form import dumps
from agent_parsers.cli.runs import Trouble
from agent_parsers.cli.screen import Screen, echo_json, trouble_lines

if TYPE_CHECKING:
    from agent_parsers.parsers.dialect_parser import AnyDialectParser

__all__ = ["View", "explain_file"]


class View(StrEnum):
    """The output format of an explanation."""

    TEXT = "text"
    JSON = "json"


def explain_file(file: str, parser: AnyDialectParser, view: View | None) -> bool:
    """Read a file with one reply, and write its explanation to standard output.

    Args:
        file: Path of the file; ``-`` is standard input.
        parser: The parser for the reply.
        view: The output format; `None` for text in a terminal, else JSON.

    Returns:
        Whether the file could be read and the reply has a result.
    """
    out = Screen()
    text = read_whole(file)
    if isinstance(text, Trouble):
        err = Screen(stderr=True)
        err.print(trouble_lines(text, err.width), soft_wrap=True)
        return False
    explanation = parser.explain(text)
    has_more = explanation.ignored and any(span.part == "skipped" for span in explanation.spans)
    if (explanation.error or has_more) and (found := _log_in(text)) is not None:
        err = Screen(stderr=True)
        words = f"{file}: this is {found}, of which one turn is explained; `parse` reads it whole"
        err.print(words, markup=False, soft_wrap=True)
    view = view or (View.TEXT if out.is_seen else View.JSON)
    if view is View.JSON:
        echo_json(dumps(explanation.to_json()))
    else:
        has_color = out.color_system is not None and not out.no_color
        drawn = explanation.render(color=has_color, width=out.width)
        out.print(Text.from_ansi(drawn), soft_wrap=True)
    return explanation.error is None


def _log_in(text: str) -> str | None:
    """Return what the log of a run in *text* is called; `None` if it may be one turn."""
    try:
        run = next(read_runs(io.StringIO(text)))
    except OutputParserException:
        return None
    if run.source is not None and run.source.reader != "plain":
        return f"a log in the form {run.source.reader!r}"
    seen = [step for step in run.all_steps if step.observation is not None]
    return f"a run of {len(run.all_steps)} steps" if len(seen) > 1 else None
