"""Recognising the form of a log: each reader says what in the log shows that it is its own."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Final

from agent_parsers import OutputParserException
from agent_parsers.runs.nearest import seen_in
from agent_parsers.runs.readers.known import readers_of_data, readers_of_text, tables_of_messages
from agent_parsers.runs.reading.reader import (
    HEAD_CHARS,
    MALFORMED,
    DataReader,
    Lines,
    NotJson,
    TextReader,
    UnknownLogError,
    Values,
)
from agent_parsers.runs.signs_inside import forms_with_runs
from agent_parsers.runs.sources import as_it_is, open_log

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from agent_parsers import Dialect
    from agent_parsers.runs.sources import RunsFrom

__all__ = ["LogForm", "detect_log", "form_of", "forms_of"]

HEAD_VALUES: Final = 20
"""How many values of a JSON file are looked at."""
_NOTHING: Final = "found nothing to read"
LAST_RESORT: Final = "plain"
"""The reader of text in a dialect, which is asked last: such text may stand in any other log."""


@dataclass(frozen=True, slots=True)
class LogForm:
    """A form that a log has."""

    reader: str
    """Name of its reader."""
    evidence: tuple[str, ...]
    """What in the log shows it."""


def detect_log(source: RunsFrom) -> LogForm:
    """Return the form of the log in *source*, without reading its runs.

    Args:
        source: What `read_runs` reads from. An open file is read in part.

    Raises:
        OSError: The file cannot be read.
        OutputParserException: No reader knows the form, or several do; the message names them.
    """
    with open_log(source) as log:
        return form_of(as_it_is(log.content))


def form_of(log: Lines | Values, dialect: Dialect | None = None) -> LogForm:
    """Return the form of *log*, of which nothing is taken.

    Args:
        log: The log.
        dialect: The dialect that the user named; a text in no other form is taken to be in it.

    Raises:
        OutputParserException: No reader knows the form, or several do; the message names them.
    """
    forms = forms_of(log, dialect)
    if len(forms) == 1:
        return forms[0]
    shown = log.head(200)[:1000].strip() if isinstance(log, Lines) else repr(log.head(1))[:1000]
    advice = "Give a log in a form that list_readers() has, or name its dialect."
    if not forms:
        kind = "JSON" if isinstance(log, Values) else "text"
        reason = f"found no run, and no form of log, in this {kind}" if shown else _NOTHING
        if isinstance(log, Lines) and log.hint and shown:
            reason += f", {log.hint}"
        reason += seen_in(log, tables_of_messages()) if shown else ""
        raise UnknownLogError(reason, observation=advice, llm_output=shown)
    names = " or ".join(f"{form.reader!r} ({form.evidence[0]})" for form in forms)
    reason = f"this may be a log of {names}: say which, as format="
    raise OutputParserException(reason, observation=advice, llm_output=shown)


def forms_of(log: Lines | Values, dialect: Dialect | None = None) -> list[LogForm]:
    """Return all forms that *log* may have, of which nothing is taken; arguments: `form_of`."""
    readers: Mapping[str, TextReader | DataReader]
    found: dict[str, Sequence[str]] = {}
    head = ""
    if isinstance(log, Lines):
        readers = readers_of_text()
        head = log.head(HEAD_CHARS)
        for name, text_reader in readers_of_text().items():
            if name != LAST_RESORT and (evidence := text_reader.evidence(head)):
                found[name] = evidence
        if not found and head.strip():
            last = readers_of_text()[LAST_RESORT]
            evidence = (f"dialect={dialect.name!r}",) if dialect else last.evidence(head)
            if evidence:
                found[LAST_RESORT] = evidence
    else:
        readers = readers_of_data()
        values = [value for value in log.head(HEAD_VALUES) if not isinstance(value, NotJson)]
        found = _evidence_in(values) or _evidence_in(values[:1])
    weaker = {name for winner in found for name in readers[winner].before}
    names = [name for name in found if name not in weaker]
    if isinstance(log, Lines) and len(names) > 1:
        names = forms_with_runs(names, head)
    return [LogForm(name, tuple(found[name])) for name in names]


def _evidence_in(values: Sequence[Any]) -> dict[str, Sequence[str]]:
    """Return what shows each form of data that *values* may have, by the reader's name."""
    found = {}
    for name, reader in readers_of_data().items():
        try:
            evidence = reader.evidence(values)
        except MALFORMED:
            continue  # it has another form
        if evidence:
            found[name] = evidence
    return found


def check_kind(reader: TextReader | DataReader, log: Lines | Values) -> None:
    """Check that a *reader* takes text if *log* is text, and JSON if it is JSON.

    Raises:
        OutputParserException: It does not.
    """
    if isinstance(reader, DataReader) is not isinstance(log, Values):
        needs = "JSON" if isinstance(reader, DataReader) else "text"
        raise OutputParserException(
            f"expected {needs} for the form {reader.name!r}, found other content",
            observation=f"Give {needs}, or name another form.",
        )
