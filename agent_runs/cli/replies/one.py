"""One reply of a model."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from rich.text import Text

from agent_parsers import OutputParserException, get_parser
from agent_parsers.cli.options import AUTO, Format
from agent_parsers.cli.output import write_out
from agent_parsers.cli.screen import Screen, echo_json
from agent_runs import detect
from agent_runs.cli.explain import say_what_it_is
from agent_runs.cli.files import read_whole
from agent_runs.cli.replies.rows import HowToReadReplies, row_of, row_text
from agent_runs.cli.table import as_text, field
from agent_runs.cli.trouble import Trouble, trouble_lines, trouble_of
from output_parsers.printable import printable
from outputs import AIMessage, from_any

if TYPE_CHECKING:
    from agent_parsers import Turn


def read_reply(file: str, options: HowToReadReplies, form: Format, out: str | None) -> bool:
    """Read a file with one reply, and write its parts; errors also go to standard error.

    Return whether the file and the reply could be read.
    """
    return write_out(out, [file], form.suffix, lambda _: _write_reply(file, options, form))


def _write_reply(file: str, options: HowToReadReplies, form: Format) -> bool:
    seen, err = Screen(), Screen(stderr=True)
    text = read_whole(file)
    if isinstance(text, Trouble):
        err.print(trouble_lines(text, err.width), soft_wrap=True)
        return False
    parser: Any = get_parser(options.dialect, tools=options.tools, lenient=options.lenient)
    message = _message_in(text) if options.dialect == AUTO else None
    trouble: Trouble | None = None
    read: Turn[Any] | OutputParserException
    dialect: str | None = "tools"
    try:
        read = turn = parser.read(text if message is None else message)
        if options.dialect == AUTO:
            dialect = turn.dialect or None
    except OutputParserException as error:
        read, trouble = error, trouble_of(file, error, first_line=1)
        if message is None and options.dialect == AUTO and not detect([text]).candidates:
            dialect = None
    if message is None:
        explanation = parser.explain(text)
        say_what_it_is(file, explanation, is_plain=dialect is None)
        dialect = None if dialect is None else explanation.dialect
    if form is Format.TABLE:
        _print(seen, dialect, read, trouble)
    else:
        echo_json(row_text({"dialect": dialect, **row_of(read)}))
    if trouble and not (form is Format.TABLE and seen.is_seen and err.is_seen):
        err.print(trouble_lines(trouble, err.width), soft_wrap=True)
    return trouble is None


def _message_in(text: str) -> AIMessage | None:
    """Return the message of a model that *text* is, as APIs return it; `None` if it is not one."""
    if text.lstrip()[:1] != "{":
        return None
    try:
        message = from_any(json.loads(text))
    except (ValueError, TypeError, RecursionError):
        return None
    return message if isinstance(message, AIMessage) else None


def _print(
    out: Screen,
    dialect: str | None,
    read: Turn[Any] | OutputParserException,
    trouble: Trouble | None,
) -> None:
    """Print what is in a reply, or why it cannot be read and what to say to the model."""
    out.print(Text(dialect or "plain text", "bold cyan"))
    if trouble is not None:
        out.print(trouble_lines(trouble, out.width), soft_wrap=True)
    if isinstance(read, OutputParserException):
        if read.observation:
            out.print(field("Observation", read.observation))
        return
    row = row_of(read)
    if row["thought"]:
        out.print(field("Thought", row["thought"]))
    if row["content"] and row["content"] != row["answer"]:
        out.print(field("Content", row["content"]))
    for call in row["calls"]:
        out.print(field("Action", call["tool"], "cyan"))
        out.print(field("Action Input", as_text(call["input"])))
    if row["kind"] == "answer":
        out.print(field("Final Answer", as_text(row["answer"]), "green"))
    if read.repairs:
        out.print(Text(f"\nRepaired ({len(read.repairs)})", "yellow"))
        for repair in read.repairs:
            out.print(Text(f"  {printable(repair.message)}"))
