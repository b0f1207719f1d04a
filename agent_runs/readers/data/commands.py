r"""Commands in the text of agents that work in a shell, none of which is a dialect of this library.

::

    I look for the file first.

    ```
    find_file "x.py"
    ```

SWE-agent takes the last fence (``swe_agent_fence``) or the last ``<command>`` (``swe_agent_xml``),
mini-swe-agent the only fence with its name (``mini_swe_agent``). The rest is the thought.

Source: ``sweagent/tools/parsing.py`` of SWE-agent 1.1; ``minisweagent/config`` of mini-swe-agent 1
and 2.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Final

from agent_parsers import OutputParserException

if TYPE_CHECKING:
    from agent_parsers.events import Span

TOOL: Final = "bash"
"""The tool that runs the commands."""

_fences: Final = re.compile(r"^```(\S*+)[ \t]*+(?:\n|\Z)", re.MULTILINE).finditer
_named_fence: Final = re.compile(r"^```(?:mswea_bash_command|bash)[ \t]*\n", re.MULTILINE).finditer
_OPENER, _CLOSER = "<command>", "</command>"


def command_in(form: str, text: str) -> tuple[str, str]:
    """Return the thought and the command in *text*, given the name of its form in `COMMAND_FORMS`.

    Raises:
        OutputParserException: There is not exactly one command.
    """
    span = COMMAND_FORMS[form](text)
    if span is None:
        raise OutputParserException(
            "expected exactly one command",
            observation="Write exactly one command.",
            llm_output=text,
        )
    (begin, start), (end, stop) = span
    thought = "\n".join(filter(None, (text[:begin].strip(), text[stop:].strip())))
    return thought, text[start:end].strip()


def _last_fence(text: str) -> tuple[Span, Span] | None:
    """Return where the last fence opens and closes; a fence with a word may hold another."""
    opened: list[re.Match[str]] = []
    last: tuple[Span, Span] | None = None
    for mark in _fences(text):
        if not opened or mark[1]:
            opened.append(mark)
            continue
        opener = opened.pop()
        if not opened:
            last = opener.span(), (mark.start(), mark.end())
    return last


def _only_fence(text: str) -> tuple[Span, Span] | None:
    found = [*_named_fence(text)]
    if len(found) != 1:
        return None
    end = text.find("\n```", found[0].end() - 1)
    return (found[0].span(), (end, end + len("\n```"))) if end >= 0 else None


def _last_element(text: str) -> tuple[Span, Span] | None:
    begin, end = text.rfind(_OPENER), text.rfind(_CLOSER)
    if not 0 <= begin < end:
        return None
    return (begin, begin + len(_OPENER)), (end, end + len(_CLOSER))


COMMAND_FORMS: Final[Mapping[str, Callable[[str], tuple[Span, Span] | None]]] = {
    "swe_agent_fence": _last_fence,
    "swe_agent_xml": _last_element,
    "mini_swe_agent": _only_fence,
}
"""What finds the marks before and after the command in each form."""
