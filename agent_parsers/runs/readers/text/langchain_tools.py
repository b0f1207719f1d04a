r"""Calls as the consoles of LangChain's tool-calling agents show them.

::

    Invoking: `search` with `{'query': 'fog'}`
    responded: I look it up.

The line ``responded:`` and the empty line behind it hold the text beside the call. Without a text
there are two empty lines. The input is a Python literal, or a text if the tool takes one.

Source: `langchain_classic.agents.output_parsers.tools`.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final, NamedTuple

from agent_parsers.runs.reading.reprs import value_of_repr

if TYPE_CHECKING:
    from agent_parsers.runs.reading.building import RunBuilder

__all__ = ["INVOKING", "Invocation", "add_invocation", "read_invocation", "text_of"]

INVOKING: Final = "Invoking: `"
_WITH: Final = "` with `"
_RESPONDED: Final = "`\nresponded: "


class Invocation(NamedTuple):
    """A call that is shown in this form."""

    tool: str
    tool_input: str
    """As it is shown."""
    said: str = ""
    """The text beside it."""


def read_invocation(text: str) -> Invocation | None:
    """Return the call that *text* shows; `None` if it has another form."""
    text = text.strip()
    tool, has_input, rest = text.removeprefix(INVOKING).partition(_WITH)
    if not text.startswith(INVOKING) or not has_input or "\n" in tool:
        return None
    tool_input, has_text, said = rest.partition(_RESPONDED)
    if not has_text:
        if not tool_input.endswith("`"):
            return None
        tool_input = tool_input[:-1]
    return Invocation(tool, tool_input, said)


def add_invocation(call: Invocation, run: RunBuilder, *, log: str) -> None:
    """Add *call* to *run*, with its input as a value."""
    run.think(text_of(call.said))
    tool_input: Any = call.tool_input
    is_literal = True
    if tool_input.startswith(("{", "[")):
        try:
            tool_input = value_of_repr(tool_input)
        except ValueError:
            is_literal = False
    run.call(call.tool, tool_input, log=log)
    if not is_literal:
        run.notice("untyped_values", "the input is shown as Python, and is no literal")


def text_of(said: str) -> str:
    """Return the text in what the model said: Anthropic's models say a list of blocks."""
    if not said.startswith("[{"):
        return said
    try:
        blocks = value_of_repr(said)
    except ValueError:
        return said
    if not all(isinstance(block, dict) and "type" in block for block in blocks):
        return said
    return "\n".join(str(block.get("text") or block.get("thinking") or "") for block in blocks)
