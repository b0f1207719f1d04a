"""Why one reply parses as it does: what the command ``explain`` does."""

from __future__ import annotations

from enum import StrEnum
from typing import TYPE_CHECKING

from rich.text import Text

from agent_parsers.cli.json_form import dumps
from agent_parsers.cli.runs import Trouble
from agent_parsers.cli.screen import Screen, echo_json, trouble_lines
from agent_parsers.cli.sources import read_whole

if TYPE_CHECKING:
    from agent_parsers.parsers.dialect_parser import AnyDialectParser

__all__ = ["View", "explain_file"]


class View(StrEnum):
    """How an explanation is written."""

    TEXT = "text"
    JSON = "json"


def explain_file(file: str, parser: AnyDialectParser, view: View | None) -> bool:
    """Read a file that holds one reply, and write to standard output why it parses as it does.

    Args:
        file: Its path; ``-`` is standard input.
        parser: What reads the reply.
        view: How to write; `None`: as suits who reads the output.

    Returns:
        Whether it could be read, and has a result.
    """
    out = Screen()
    text = read_whole(file)
    if isinstance(text, Trouble):
        err = Screen(stderr=True)
        err.print(trouble_lines(text, err.width), soft_wrap=True)
        return False
    explanation = parser.explain(text)
    view = view or (View.TEXT if out.is_seen else View.JSON)
    if view is View.JSON:
        echo_json(dumps(explanation.to_json()))
    else:
        has_color = out.color_system is not None and not out.no_color
        drawn = explanation.render(color=has_color, width=out.width)
        out.print(Text.from_ansi(drawn), soft_wrap=True)
    return explanation.error is None
