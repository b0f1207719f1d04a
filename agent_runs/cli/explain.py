"""The command ``explain``: why one reply parses as it does."""

from __future__ import annotations

import io
from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from rich.text import Text

from agent_parsers import OutputParserException
from agent_parsers.cli.options import TextOrJson
from agent_parsers.cli.screen import Screen, echo_json
from agent_parsers.cli.wording import on_command_line
from agent_parsers.core import AutoParser, Following, draw_outcome
from agent_runs import read_runs
from agent_runs.cli.files import read_chunks, read_whole
from agent_runs.cli.shown_runs import dumps
from agent_runs.cli.trouble import Trouble, name_of, trouble_lines

if TYPE_CHECKING:
    from agent_parsers.core import AnyDialectParser
    from agent_parsers.explain import Explanation


def explain_file(
    file: str, parser: AnyDialectParser | AutoParser, view: TextOrJson, page: str | None
) -> bool:
    """Write the explanation of the one reply in a file to standard output, or a *page* of HTML.

    Return whether the file could be read and the reply has a result.
    """
    out = Screen()
    text = read_whole(file)
    if isinstance(text, Trouble):
        err = Screen(stderr=True)
        err.print(trouble_lines(text, err.width), soft_wrap=True)
        return False
    explanation = parser.explain(text)
    is_plain = isinstance(parser, AutoParser) and not (
        explanation.error or parser.read(text).dialect
    )
    say_what_it_is(file, explanation, is_plain=is_plain)
    if view is TextOrJson.JSON:
        echo_json(dumps(explanation.to_json()))
        return explanation.error is None
    explanation = _in_options(explanation)
    if page is not None:
        Path(page).write_text(explanation.to_html(), encoding="utf-8")
    else:
        drawn = explanation.render(color=out.has_color, width=out.width)
        out.print(Text.from_ansi(drawn), soft_wrap=True)
    return explanation.error is None


def follow_file(file: str, parser: AnyDialectParser) -> bool:
    """Show a reply in colours while it arrives, and then its notes and its result.

    Return whether the file could be read and the reply has a result.
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


def say_what_it_is(file: str, explanation: Explanation, *, is_plain: bool) -> None:
    """Warn on standard error if a file that was read as one reply is a log, or plain text.

    *is_plain*: there is no sign of a dialect in it.
    """
    has_more = explanation.ignored and any(span.part == "skipped" for span in explanation.spans)
    words = "no sign of a dialect, so the whole text is the answer; use --dialect to choose one"
    may_be_log = explanation.error or has_more or is_plain
    if may_be_log and (found := _log_in(explanation.text)) is not None:
        words = f"this is {found}; use `parse` to read all of it"
    elif not is_plain:
        return
    err = Screen(stderr=True)
    err.print(f"{name_of(file)}: {words}", markup=False, soft_wrap=True)


def _in_options(explanation: Explanation) -> Explanation:
    """Return an explanation whose error speaks of options, as people read it."""
    error = explanation.error
    if error is None or (reason := on_command_line(error.reason)) == error.reason:
        return explanation
    said = OutputParserException(
        reason, llm_output=error.llm_output, span=error.span, observation=error.observation
    )
    return replace(explanation, error=said)


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
