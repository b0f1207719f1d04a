"""Finding writers by their names; every dialect is one as well."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Final

from agent_parsers import get_dialect, list_dialects
from agent_parsers.core import did_you_mean, known_tools
from agent_parsers.transcripts import transcript_of
from agent_runs.writers.chats import WRITERS
from agent_runs.writers.text import writer_in

if TYPE_CHECKING:
    from agent_parsers.toolset import Tools
    from agent_runs.writers.writer import Writer

_WRITERS: Final = {writer.name: writer for writer in WRITERS}


def list_writers() -> dict[str, str]:
    """Return the writers by name, each with a description; `get_writer` also takes dialects."""
    return {name: writer.summary for name, writer in sorted(_WRITERS.items())}


def get_writer(name: str, *, tools: Tools | None = None) -> Writer:
    """Return the writer with this name, or the writer of text in the dialect with this name.

    Args:
        name: The name.
        tools: The tools of the runs. If each has a schema, `openai`, `anthropic` and `sharegpt`
            write them beside each run, as training on calls needs them; for text in a dialect, see
            `to_text`.

    Raises:
        ValueError: There is no such writer or dialect, and the message suggests the closest names;
            or the dialect has no transcripts.
    """
    writer = _WRITERS.get(name)
    if writer is not None:
        return _of_any_run(writer.with_tools(known_tools(tools)))
    try:
        dialect = get_dialect(name)
    except ValueError:
        hint = did_you_mean(name, [*list_writers(), *list_dialects()])
        raise ValueError(
            f"there is no writer and no dialect {name!r}.{hint} list_writers() returns all writers"
        ) from None
    return _of_any_run(writer_in(dialect, known_tools(tools)))


def _of_any_run(writer: Writer) -> Writer:
    """Return a *writer* that takes runs of `run_agent` as well."""
    return replace(writer, write=lambda run: writer.write(transcript_of(run)))
