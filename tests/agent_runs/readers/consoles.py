"""Logs of consoles, written as the frameworks print them, and runs in a short form."""

import re
import textwrap
from collections.abc import Iterator
from typing import Any

from agent_parsers import AgentAction, AgentFinish, Transcript
from agent_runs import read_runs
from agent_runs.reading.parts import is_open_end

ESC = "\x1b["
GREEN, BLUE, YELLOW = "32;1", "36;1", "33;1"
RESULT = "9 days\n\nThought: so it says\nFinal Answer: 12"
"""A result that looks like a turn of the model."""


def coloured(text: str, colour: str) -> str:
    """Return *text* as LangChain colours it."""
    return f"{ESC}{colour}m{ESC}1;3m{text}{ESC}0m"


def chain(inside: str, name: str = "AgentExecutor") -> str:
    """Return what is printed *inside* a chain, with its beginning and its end."""
    begin, end = (
        bold(f"> {text}") for text in (f"Entering new {name} chain...", "Finished chain.")
    )
    return f"\n\n{begin}\n{inside}\n\n{end}\n"


def bold(text: str) -> str:
    return f"{ESC}1m{text}{ESC}0m"


def without_colours(log: str) -> str:
    return re.sub(r"\x1b\[[0-9;]*m", "", log)


def box(title: str, text: str, *, width: int = 60, padding: int = 2, subtitle: str = "") -> str:
    """Return *text* in a panel as Rich draws it."""
    inner = width - 2 - 2 * padding
    lines = [""] if padding == 2 else []
    for line in text.split("\n"):
        lines += textwrap.wrap(line, inner, drop_whitespace=True, break_on_hyphens=False) or [""]
    lines += lines[:1] if padding == 2 else []
    top = f" {title} ".center(width - 2, "─") if title else "─" * (width - 2)
    below = f"─ {subtitle} ".ljust(width - 2, "─") if subtitle else "─" * (width - 2)
    side = " " * padding
    middle = "".join(f"│{side}{line.ljust(inner)}{side}│\n" for line in lines)
    return f"╭{top}╮\n{middle}╰{below}╯\n"


def agno(title: str, text: str, *, width: int = 60) -> str:
    """Return *text* in a panel as Agno draws it."""
    lines = box("", text, width=width, padding=1).splitlines()[1:-1]
    blank = f"┃{' ' * (width - 2)}┃\n"
    inside = "".join(f"┃{line[1:-1]}┃\n" for line in lines)
    return f"┏{f'━ {title} '.ljust(width - 2, '━')}┓\n{blank}{inside}{blank}┗{'━' * (width - 2)}┛\n"


def runs_of(log: Any, **given: Any) -> list[Transcript]:
    """Return the runs in *log*, none of which has an escape code or a frame in a value."""
    runs = [*read_runs(log, **given)]
    for run in runs:
        for text in values_of(run):
            assert not re.search(r"\x1b|\[[0-9;]+m|[╭╰│┃┏┗]|> (?:Entering|Finished) ", text), text
    return runs


def values_of(run: Transcript) -> Iterator[str]:
    yield run.question
    for step in run.all_steps:
        yield step.thought
        yield step.content
        yield step.observation or ""
        action = step.action
        yield repr(action.tool_input if isinstance(action, AgentAction) else action)


def steps_of(run: Transcript) -> list[tuple[str, str | None, Any, str | None]]:
    """Return the thought, tool, input and result of each step but the answer."""
    return [
        (step.thought, step.action.tool, step.action.tool_input, step.observation)
        if isinstance(step.action, AgentAction)
        else (step.thought, None, None, step.observation)
        for step in run.all_steps
        if not isinstance(step.action, AgentFinish)
    ]


def said_in(run: Transcript) -> list[tuple[str, str]]:
    """Return the thought and the content of each step."""
    return [(step.thought, step.content) for step in run.all_steps]


def answer_of(run: Transcript) -> Any:
    return run.finish.return_values["output"] if run.finish else None


def notices_of(run: Transcript) -> list[str]:
    """Return the kinds of its notices, but for those about the end of the log."""
    return [notice.kind for notice in run.notices if not is_open_end(notice)]
