"""The command ``explain``: why one reply parses as it does."""

from __future__ import annotations

import io
from pathlib import Path
from typing import TYPE_CHECKING

from rich.text import Text

from agent_parsers import OutputParserException
from agent_parsers.cli.options import TextOrJson
from agent_parsers.cli.screen import Screen, echo_json
from agent_parsers.core import Following, draw_outcome
from agent_runs import read_runs
from agent_runs.cli.files import read_chunks, read_whole
from agent_runs.cli.json_output import dumps
from agent_runs.cli.trouble import Trouble, trouble_lines

if TYPE_CHECKING:
    from agent_parsers.core import AnyDialectParser


def explain_file(
    file: str, parser: AnyDialectParser, view: TextOrJson, page: str | None = None
) -> bool:
    """Read a file with one reply, and write its explanation to standard output.

    Args:
        file: Path of the file; ``-`` is standard input.
        parser: The parser for the reply.
        view: The output format.
        page: Path of a page of HTML to write instead.

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
    if page is not None:
        Path(page).write_text(explanation.to_html(), encoding="utf-8")
    elif view is TextOrJson.JSON:
        echo_json(dumps(explanation.to_json()))
    else:
        drawn = explanation.render(color=out.has_color, width=out.width)
        out.print(Text.from_ansi(drawn), soft_wrap=True)
    return explanation.error is None


def follow_file(file: str, parser: AnyDialectParser) -> bool:
    """Show a reply in colours while it arrives, and then its notes and its outcome.

    Args:
        file: Path of the file; ``-`` is standard input.
        parser: The parser for the reply.

    Returns:
        Whether the file could be read and the reply has a result.
    """
    out = Screen()
    following = Following(parser.stream_parser(), color=out.has_color)
    trouble: Trouble | None = None
    for chunk in read_chunks(file):
        if isinstance(chunk, Trouble):
            trouble = chunk
        else:
            out.print_piece(following.feed(chunk))
    out.print_piece(following.close())
    if trouble is not None:
        out.print()
        err = Screen(stderr=True)
        err.print(trouble_lines(trouble, err.width), soft_wrap=True)
        return False
    explanation = parser.explain(following.text)
    if not following.text.endswith("\n"):
        out.print()
    drawn = draw_outcome(explanation, color=out.has_color, width=out.width)
    out.print(Text.from_ansi(f"\n{drawn}"), soft_wrap=True)
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
