r"""Messages of a logger as JSON, one a line.

::

    {"ts": "2026-01-05T09:00:00Z", "level": "info", "msg": "Thought: I look it up.\nAction: …"}
    {"log": "Thought: I look it up.\n", "stream": "stdout", "time": "2026-01-05T09:00:00Z"}

The text is in ``msg``, ``message``, ``event`` (structlog) or ``log`` (Docker's json-file driver,
which writes pieces that end where a line ends). What the messages say is read as a log of its own,
one for each logger.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any, Final

from agent_runs.detecting.records import LogRecord, runs_of_records
from agent_runs.reading.reader import DataReader, Reading, Values
from agent_runs.splitting.labels import begins_any

_TEXTS: Final = ("message", "msg", "event", "log", "text", "body")
_TIMES: Final = (
    "time", "timestamp", "@timestamp", "ts", "asctime", "datetime", "date", "t",
    "level", "levelname", "severity", "lvl", "log_level", "stream",
)  # fmt: skip
"""Keys of which a logger writes at least one."""
_LEVELS: Final = ("level", "levelname", "severity", "lvl", "log_level")
_HEAD: Final = 1_000
"""How many messages are looked at, to see who says what an agent says."""
_OWNERS: Final = (
    "logger", "logger_name", "name", "service", "container_name", "container", "app", "source",
    "stream",
)  # fmt: skip
"""Keys that say whose message it is."""


def _text_key(value: Any) -> str:
    """Return the key of the text in a message of a logger; ``""`` if *value* is none."""
    if not isinstance(value, dict) or not any(key in value for key in _TIMES):
        return ""
    return next((key for key in _TEXTS if isinstance(value.get(key), str)), "")


def _evidence(values: Sequence[Any]) -> Sequence[str]:
    keys = [_text_key(value) for value in values]
    if not values or not all(keys):
        return ()
    return (f"{keys[0]!r} with a time or level in the first value",)


def _records(values: Values, reading: Reading) -> Iterator[LogRecord]:
    head = [data for data in values.head(_HEAD) if _text_key(data)]
    labelled = {_kind_of(data) for data in head if begins_any(data[_text_key(data)])}
    for value in values:
        key = _text_key(value.data)
        if not key:
            reading.refuse_value(value, "expected a record of a logger")
            continue
        text: str = value.data[key].replace("\r\n", "\n")
        if not text.endswith("\n") and key != "log":
            text += "\n"
        names = (str(value.data[key]).partition(".")[0] for key in _OWNERS if key in value.data)
        owner = " ".join(names)
        if not owner and labelled and (kind := _kind_of(value.data)) not in labelled:
            owner = kind  # a logger without a name, which never says what an agent says
        level = next((str(value.data[key]) for key in _LEVELS if key in value.data), "")
        yield LogRecord(value.line, owner, text.splitlines(keepends=True), level.lower())


def _kind_of(value: Mapping[str, Any]) -> str:
    """Return what tells the messages of loggers without names apart: the level and the keys."""
    levels = (str(value[key]) for key in _LEVELS if key in value)
    return " ".join((*levels, *sorted(value.keys() - {*_TIMES, *_TEXTS})))


READER: Final = DataReader(
    name="json_lines",
    summary="messages of a logger as JSON: python-json-logger, structlog, Docker's json-file",
    evidence=_evidence,
    read=lambda values, reading: runs_of_records(_records(values, reading), reading),
)
