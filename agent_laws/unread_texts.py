"""Texts of a log that are in none of its runs."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator
from contextlib import suppress
from dataclasses import fields
from typing import TYPE_CHECKING, Any, Final

from agent_parsers import AgentAction
from agent_runs.tables.messages import Messages
from agent_runs.tables.part import MessagePart

if TYPE_CHECKING:
    from agent_parsers.transcripts import Transcript
    from agent_runs.readers.known import FormOfLog

_SENTENCE: Final = re.compile(r"[^\W\d_]\S*\s+\S*[^\W\d_]|[^\W_][.!?…。！？]\Z").search
"""Matches two words, or the end of a sentence; names, ids, types and times have neither."""
_MOST: Final = 10
"""How many places are listed of each log."""


def _names(path: str) -> tuple[str, ...]:
    """Return the keys in a *path* of a table."""
    return tuple(re.findall(r"\w+", path))


def leaves(value: Any) -> Iterator[str]:
    """Yield the texts in *value*, with single blanks for white space."""
    for _, text in _placed(value):
        yield text


def _placed(value: Any, place: str = "") -> Iterator[tuple[str, str]]:
    """Yield the texts in *value*, each with its place, such as ``calls[].name``."""
    if isinstance(value, dict):
        for key, each in value.items():
            yield from _placed(each, f"{place}.{key}" if place else str(key))
    elif isinstance(value, list):
        for each in value:
            yield from _placed(each, f"{place}[]")
    elif isinstance(value, str) and value.strip():
        yield place, " ".join(value.split())


def texts_said(run: Transcript) -> Iterator[str]:
    """Yield the texts of the question, the steps and the answer of a *run*."""
    yield from leaves(run.question)
    for step in run.all_steps:
        yield from leaves([step.thought, step.content, step.observation])
        if isinstance(step.action, AgentAction):
            yield from leaves([step.action.tool, step.action.tool_input])
        elif step.action is not None:
            yield from leaves(step.action.return_values)


def unread_texts(form: FormOfLog, text: str, runs: Iterable[Transcript]) -> Iterator[str]:
    """Yield where the log *text* has texts that are in none of its *runs*, a clause each.

    The texts are sentences, and values beside arguments. A log that is not JSON has none: what a
    console shows beside its pieces is a notice.
    """
    known = _Known(runs)
    lost: dict[str, str] = {}
    for value in _values(text):
        for place, each in [*_placed(value), *_beside_arguments(value, form)]:
            is_meant = place.startswith("=") or _SENTENCE(each)
            if is_meant and place.lstrip("=") not in lost and not known.has(each):
                lost[place.lstrip("=")] = each
    for place, each in [*lost.items()][:_MOST]:
        yield f"no run has the text at {place!r}: {each[:60]!r}"
    if len(lost) > _MOST:
        yield f"no run has the texts at {len(lost) - _MOST} more places"


class _Known:
    """The texts in runs."""

    def __init__(self, runs: Iterable[Transcript]) -> None:
        found: dict[str, None] = {}
        for run in runs:
            notices = [text for each in run.notices for text in (each.message, each.text)]
            errors = [step.error.llm_output for step in run.failed if step.error is not None]
            found |= dict.fromkeys(texts_said(run))
            found |= dict.fromkeys(leaves([run.preamble, run.id, dict(run.metadata)]))
            found |= dict.fromkeys(leaves([*notices, *errors]))
        self._texts = found
        self._all = "\n".join(found)

    def has(self, text: str) -> bool:
        """Return whether a run has *text*, or the texts in it if it is JSON."""
        if text in self._texts or text in self._all:
            return True
        with suppress(ValueError, RecursionError):
            inner = [*leaves(json.loads(text))]
            return text not in inner and all(map(self.has, inner))
        return False


def _values(text: str) -> list[Any]:
    """Return the values of a log: one, the items of one list, or one a line; none if no JSON."""
    with suppress(ValueError, RecursionError):
        value = json.loads(text)
        return value if isinstance(value, list) else [value]
    with suppress(ValueError, RecursionError):
        return [json.loads(line) for line in text.splitlines() if line.strip()]
    return []


def _beside_arguments(value: Any, form: FormOfLog) -> Iterator[tuple[str, str]]:
    """Yield the texts at and beside the arguments of calls, except what the table reads.

    Their places begin with an equals sign.
    """
    if not isinstance(form, Messages):
        return
    paths = [row.arguments for row in form.parts if isinstance(row.arguments, str)]
    places = {_names(path) for row in paths for path in row.split("|") if path[:1] not in ("", "=")}
    read = {name for path in _other_paths(form) for name in _names(path)}
    holders = {place[:-1] or place for place in places}

    def within(value: Any, place: str) -> Iterator[tuple[str, str]]:
        for key, each in value.items() if isinstance(value, dict) else ():
            yield from within(each, f"{place}.{key}" if place else str(key))
        for each in value if isinstance(value, list) else ():
            yield from within(each, f"{place}[]")
        if isinstance(value, dict) and any(_names(place)[-len(of) :] == of for of in holders):
            own = {key: each for key, each in value.items() if key not in read}
            yield from ((f"={name}", text) for name, text in _placed(own, place))

    yield from within(value, "")


def _other_paths(form: Messages) -> Iterator[str]:
    """Yield the paths in a table, other than those of arguments."""
    rows = (getattr(row, name) for row in form.parts for name in _IN_ROWS)
    own = (getattr(form, each.name) for each in fields(form) if each.name not in _WORDS)
    yield from (path for path in (*rows, *own) if isinstance(path, str))


_IN_ROWS: Final = [each.name for each in fields(MessagePart) if each.name != "arguments"]
_WORDS: Final = ("name", "summary")
"""The fields of a table that are no paths."""
