"""A page of the errors of replies, read strictly and leniently, side by side."""

from collections.abc import Mapping
from itertools import zip_longest
from textwrap import wrap
from typing import Any, Final

from agent_laws.trials.stories import results_in
from agent_parsers import AgentAction, OutputParserException
from agent_parsers.testing.snapshots.pages import heading, quoted

COLUMN: Final = 56
"""Characters in a column."""


def errors_page(strict: Any, lenient: Any, replies: Mapping[str, Any]) -> str:
    """Return what two parsers read, or their errors, for each of the *replies*, by title."""
    sections = []
    for title, reply in replies.items():
        columns = [outcome(parser, reply) for parser in (strict, lenient)]
        lines = [row(*cells) for cells in zip_longest(*columns, fillvalue="")]
        sections.append(f"{heading(title)}{quoted(reply)}\n" + "\n".join(lines))
    return f"{row('STRICT', 'LENIENT')}\n\n" + "\n\n".join(sections) + "\n"


def outcome(parser: Any, reply: Any) -> list[str]:
    """Return the result of *reply*, in lines for a column."""
    try:
        turn = parser.read(reply)
    except OutputParserException as error:
        reason = (
            str(error).replace(reply, "{text}")
            if reply and reply == error.llm_output
            else str(error)
        )
        place = f"{error.line}:{error.column}"
        sent = [] if error.send_to_llm else ["(not sent by LangChain's executor)"]
        return [*column(f"{place} {reason}"), *column(f"> {error.observation}"), *sent]
    summaries = [
        f"{result.tool} {result.tool_input!r}"
        if isinstance(result, AgentAction)
        else f"answer {result.return_values['output']!r}"
        for result in results_in(turn.result)
    ]
    repaired = [f"repaired: {repair.message}" for repair in turn.repairs]
    return [line for text in (*summaries, *repaired) for line in column(text)]


def column(text: str) -> list[str]:
    return wrap(text, COLUMN - 2, subsequent_indent="    ")


def row(left: str, right: str) -> str:
    return f"{left:<{COLUMN}}{right}".rstrip()
