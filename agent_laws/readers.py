"""Checking the reader of a form against what all readers of logs keep."""

from __future__ import annotations

import io
import json
import random
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from agent_laws.unread_texts import leaves, texts_said, unread_texts
from agent_laws.watched_forms import Watch
from agent_parsers import OutputParserException
from agent_runs.read_log import read_runs
from agent_runs.readers.known import FormOfLog, reader_of, readers_of_data, readers_of_text
from agent_runs.reading.building import UNASKED
from agent_runs.reading.reader import (
    HEAD_CHARS,
    HEAD_VALUES,
    MALFORMED,
    DataReader,
    Lines,
    TextReader,
)
from agent_runs.recognition import LAST_RESORT
from agent_runs.sources import RunsFrom, as_it_is, open_log

if TYPE_CHECKING:
    from agent_parsers.transcripts import Transcript

_PLACES: Final = 20
_MOST_LINES: Final = 60
"""Of a longer log, so many line ends are cut at."""
_OTHERS: Final = (
    "Question: q\nThought: t\nAction: a\nAction Input: b\nObservation: c\nFinal Answer: d\n",
    '[{"role": "user", "content": "q"}, {"role": "assistant", "content": "a"}]',
    '{"a": 1}\n{"a": 2}\n', "Dear Ada,\n\nit rains.\n",
)  # fmt: skip
"""Texts of other forms, or of none."""


@dataclass(frozen=True)
class ReaderReport:
    """The result of `check_reader`; ``str`` lists what is wrong, or may be, one per line."""

    reader: str
    """Name of the reader."""
    runs: tuple[Transcript, ...]
    """The runs that it read, to compare with the logs."""
    failures: tuple[str, ...]
    """What is wrong, a sentence each."""
    doubts: tuple[str, ...] = ()
    """What may be wrong, a sentence each: parts that were dropped, and what no log has."""

    @property
    def ok(self) -> bool:
        """Whether there are no failures."""
        return not self.failures

    def raise_for_failures(self) -> None:
        """Raise an `AssertionError` if there are failures.

        Raises:
            AssertionError: There are failures; the message lists them and the doubts.
        """
        if self.failures:
            raise AssertionError(str(self))

    def __str__(self) -> str:
        seen = (*self.failures, *self.doubts)
        found = "\n".join(f"- {each}" for each in seen) or "nothing is wrong"
        return f"{self.reader}, {len(self.runs)} runs:\n{found}"


def check_reader(form: FormOfLog, logs: Iterable[RunsFrom]) -> ReaderReport:
    """Check that the reader of a *form* of logs works on some *logs* in that form.

    Each log must be recognised as this form and no other, and contain a run with a step or an
    answer. Each result must have its call. A log that is cut anywhere must give no half value
    without a notice, and a malformed log must raise nothing but `OutputParserException`. Texts in
    other forms must not be recognised. If a row of a table of messages matches parts, each of its
    paths must find something in one of them. No step may have an error. Doubts are parts that the
    runs drop, calls without input or result, runs without an answer, sentences of a JSON log that
    are in none of its runs, rows that match no part of any log, paths that find nothing where a log
    may have nothing, such as the name of the model, and pieces of a console that match nothing, or
    whose groups match no text.

    Args:
        form: A table or a reader; it need not be registered.
        logs: Whole logs, as `read_runs` takes them.
    """
    reader = reader_of(form)
    failures: list[str] = []
    doubts: list[str] = []
    runs: list[Transcript] = []
    watch = Watch()
    watched = watch.form(form)
    for number, source in enumerate(logs, 1):
        failures += (f"log {number}: {each}" for each in _of_recognition(form, source))
        try:
            found = [*read_runs(source, format=watched)]
        except OutputParserException as error:
            failures.append(f"log {number} cannot be read: {error.reason}")
            continue
        if not any(run.steps for run in found):
            failures.append(f"log {number} has no run with a step or an answer")
        runs += found
        text = _text_of(source)
        failures += (f"log {number} has {each}" for each in _of_steps(found))
        doubts += (f"log {number}: {each}" for each in _of_notices(found))
        doubts += (f"log {number}: {each}" for each in unread_texts(form, text, found))
        for law in (_of_cuts, _of_malformed):
            failures += (f"log {number}, {each}" for each in _tried(law, text, form))
    for other in _OTHERS:
        if _evidence(reader, other):
            failures.append(f"the reader accepts a text in another form: {other[:40]!r}")
    doubts += watch.unseen.values()
    lacks_results = any(note.kind == "no_observation" for run in runs for note in run.notices)
    failures += (miss for miss, is_found in watch.needed.items() if not is_found)
    for miss in (miss for miss, is_found in watch.others.items() if not is_found):
        is_wrong = lacks_results and " at output=" in miss
        (failures if is_wrong else doubts).append(miss)
    return ReaderReport(reader.name, tuple(runs), tuple(failures), tuple(doubts))


_LACKS: Final = ("no_input", "no_answer", "no_observation")
"""Notices of what a log may lack, or a form may not find."""


def _of_steps(runs: Iterable[Transcript]) -> Iterator[str]:
    """Yield what is wrong with the steps of *runs*, to be read after ``log 1 has``."""
    errors = [step.error.reason for run in runs for step in run.failed if step.error is not None]
    if unasked := errors.count(UNASKED):
        yield f"results that belong to no call: {unasked}"
    for reason in dict.fromkeys(each for each in errors if each != UNASKED):
        yield f"steps that cannot be read, {errors.count(reason)}: {reason}"


def _of_notices(runs: Iterable[Transcript]) -> Iterator[str]:
    """Yield the notices of *runs* that a form may be to blame for."""
    notices = [notice for run in runs for notice in run.notices]
    for message in dict.fromkeys(each.message for each in notices):
        if message.startswith("dropped") or any(
            each.kind in _LACKS for each in notices if each.message == message
        ):
            yield message


def _tried(
    law: Callable[[str, FormOfLog], Iterator[str]], text: str, form: FormOfLog
) -> Iterator[str]:
    try:
        yield from law(text, form)
    except Exception as error:  # noqa: BLE001 - a reader of a user may raise anything
        yield f"with a part missing: raises {type(error).__name__}: {error}"


def _of_cuts(text: str, form: FormOfLog) -> Iterator[str]:
    halves = {value: at for at, value in half_values(text, form)}
    for value, at in [*halves.items()][:3]:
        yield f"cut at character {at}: gives half of a value without a notice: {value[-60:]!r}"


def half_values(text: str, form: str | FormOfLog = "auto") -> Iterator[tuple[int, str]]:
    """Yield the half values without a notice in beginnings of a log, each with its offset."""
    try:
        known = {
            value for run in read_runs(io.StringIO(text), format=form) for value in texts_said(run)
        }
    except OutputParserException:
        return
    for at in _cuts(text):
        try:
            runs = [*read_runs(io.StringIO(text[:at]), format=form)]
        except OutputParserException:
            continue
        for run in runs:
            kinds = {notice.kind for notice in run.notices}
            if not run.failed and kinds.isdisjoint({"cut_value", "unclear_end"}):
                yield from ((at, each) for each in texts_said(run) if not _is_whole(each, known))


def _cuts(text: str) -> Iterator[int]:
    chance = random.Random(len(text))
    ends = [at + 1 for at, char in enumerate(text) if char == "\n"]
    yield from ends if len(ends) <= _MOST_LINES else chance.sample(ends, _MOST_LINES)
    yield from (chance.randrange(len(text)) for _ in range(_PLACES) if text)


def _is_whole(value: str, known: set[str]) -> bool:
    """Return whether *value* is one of those *known*, or JSON of them."""
    if value in known:
        return True
    try:
        return known.issuperset(leaves(json.loads(value)))
    except (ValueError, RecursionError):
        return False


def _text_of(source: RunsFrom) -> str:
    if isinstance(source, Mapping | list):
        return json.dumps(source)
    if isinstance(source, bytes):
        return source.decode("utf-8")
    if isinstance(source, str) and "\n" in source:
        return source
    if hasattr(source, "read"):
        raise TypeError("check_reader reads a log several times, so it needs a path or a string")
    try:
        is_file = Path(source).is_file()
    except OSError:  # a text that is too long for a name
        is_file = False
    return Path(source).read_text("utf-8") if is_file else str(source)


def _evidence(reader: Any, source: RunsFrom) -> bool:
    """Return whether a reader takes a log for its own."""
    with open_log(source) as log:
        content = as_it_is(log.content)
        is_text = isinstance(content, Lines)
        if is_text is not isinstance(reader, TextReader):
            return False
        size = HEAD_CHARS if is_text else HEAD_VALUES
        try:
            return bool(reader.evidence(content.head(size)))
        except MALFORMED:
            return False


def _of_recognition(form: FormOfLog, source: RunsFrom) -> Iterator[str]:
    reader = reader_of(form)
    if not _evidence(reader, source):
        yield "the log is not recognised: it contains no sign of this form"
    others: dict[str, TextReader | DataReader] = {**readers_of_text(), **readers_of_data()}
    for name, other in others.items():
        is_apart = name in (*reader.before, reader.name, LAST_RESORT)
        if not is_apart and reader.name not in other.before and _evidence(other, source):
            yield f"it is also recognised as {name!r}: pass before=({name!r},) if yours is better"


def _of_malformed(text: str, form: FormOfLog) -> Iterator[str]:
    """Yield what goes wrong where parts of a log are missing or are of another type."""
    chance = random.Random(len(text))
    lines = text.splitlines(keepends=True)
    try:
        value = json.loads(text)
    except ValueError:
        value = None
    for _ in range(_PLACES):
        odd: Any
        if value is None:
            at = chance.randrange(len(lines))
            odd = io.StringIO("".join((*lines[:at], *lines[at + 1 :])))
        else:
            odd = _without_one(json.loads(text), chance)
        try:
            for _run in read_runs(odd, format=form, on_error=lambda _error: None):
                pass
        except OutputParserException:
            continue
    yield from ()


def _without_one(value: Any, chance: random.Random) -> Any:
    """Return *value* with one of its parts taken out or replaced."""
    within, key = value, None
    while isinstance(within, dict | list) and within:
        above = within
        key = chance.choice([*within] if isinstance(within, dict) else range(len(within)))
        within = above[key]
        if chance.random() < 0.3 and above is not value:
            break
    if key is not None:
        above[key] = chance.choice([None, 7, "x", [], {}, [{}]])
    return value
