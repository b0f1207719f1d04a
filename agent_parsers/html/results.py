"""What a turn led to, as HTML: its calls, or its answer, and the notes about it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from agent_parsers import AgentAction
from agent_parsers.core import input_as_text
from outputs.html import NamedText, html_text

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from agent_parsers.core import TurnResult
    from agent_parsers.events import Repair

__all__ = ["badges_html", "messages_html", "repairs_html", "result_fields"]


def result_fields(result: TurnResult | None) -> Iterator[NamedText]:
    """Yield the tool and the input of each call, or the answer."""
    match result:
        case None:
            pass
        case AgentAction(tool=tool, tool_input=tool_input):
            yield NamedText("tool", tool)
            yield NamedText("input", input_as_text(tool_input))
        case list() as actions:
            for action in actions:
                yield from result_fields(action)
        case finish:
            values = finish.return_values
            yield NamedText(
                "answer", input_as_text(values["output"] if [*values] == ["output"] else values)
            )


def badges_html(badges: Iterable[tuple[str, str]]) -> str:
    """Return *badges*: each has a part, which gives the colour, and a text."""
    drawn = "".join(
        f'<span class="ap-badge ap-{part}">{html_text(text)}</span>' for part, text in badges
    )
    return f'<div class="ap-badges">{drawn}</div>' if drawn else ""


def repairs_html(repairs: Iterable[Repair]) -> str:
    """Return *repairs* without a place."""
    return messages_html(("repaired", repair.message) for repair in repairs)


def messages_html(messages: Iterable[tuple[str, str]]) -> str:
    """Return *messages* without a place, each with its kind."""
    items = "".join(
        f'<li><span class="ap-{kind}">{kind}</span>'
        f'<div class="ap-text" dir="auto">{html_text(message)}</div></li>'
        for kind, message in messages
    )
    return f'<ul class="ap-notes">{items}</ul>' if items else ""
