"""How the time grows with the length of hostile texts: ``make growth``.

Everything public that reads text is tried: parsers of all dialects and of models' outputs, whole
and streamed, JSON readers, detectors, response templates, and readers of logs, whose sample holds
the hostile text as its thought, its result or its answer, or is repeated itself. Give words to try
only what has one of them in its name::

    python -m benchmarks.growth [--jobs 2] [hermes log …]

Method: lengths grow eightfold, from 512 characters to 256 K or until a read takes 1 ms. The
exponent is that between the last two, from the CPU time of the thread. One of 1.1 or more is
measured again, up to three times, as noise only adds: with texts eight times as long while a read
takes less than half a second, and the best of three reads of each length, less what a linear scan
of the two texts, timed in between, grows too much.
"""

from __future__ import annotations

import gc
import json
import math
import sys
import time
from concurrent.futures import ProcessPoolExecutor
from contextlib import suppress
from functools import partial
from itertools import chain, groupby
from statistics import median
from typing import TYPE_CHECKING, Any, Final, NamedTuple

import output_parsers as op
import outputs
from agent_parsers import (
    StreamParser,
    answer_stream,
    get_dialect,
    get_parser,
    list_dialects,
    parse_transcripts,
    read_runs,
)
from agent_parsers.runs import detect, detect_log, list_readers
from agent_parsers.runs.readers.text import plain
from agent_parsers.templates import from_response_template
from agent_parsers.testing.laws.work import RUNS
from outputs import AIMessage, AIMessageChunk
from tests.agent_parsers.runs.readers.data_logs import LOGS as DATA_LOGS
from tests.agent_parsers.runs.readers.text_logs import ANSWER, RESULT, THOUGHT
from tests.agent_parsers.runs.readers.text_logs import LOGS as TEXT_LOGS
from tests.helpers.public_parsers import SUBJECTS as PARSERS
from tests.helpers.response_templates import exports

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    Read = Callable[[str], object]

LABELS: Final = (
    ("", "\nAction: a"), ("Action:", " "), ("Thought: a\n", "Action: "),
    ("Thought: a", "\nAction:\nAction Input:\nFinal Answer:"),
    ("Action: a", "\nAction Input: {"), ("Action: a\nAction Input: ", "{"),
    ("Thought: a", "\nFinal Answ\nActio"), ("Action: a\nAction Input: \"", '\\"'),
    ("", "<tool_call>"), ("<tool_call>\n", '{"name": '), ("<think>", "</thin"),
)  # fmt: skip
VALUES: Final = (
    '{"a": ', '{"a": {"b": [', "see {x} ", "it is {a: 1} ", "```json\n", "```{", "[1", "{//",
    '{"a": "the "b" ', '["a", "b" ', "\\u00e9", "\\", "<a>", "<a><b></a>", "<!--", "&amp;",
    "1. a\n", "- a\n", "'a', ", "a: b\n", "\x1b[1m", "│ a │\n",
)  # fmt: skip
SHAPES: Final = (*LABELS, *(("", run) for run in (*VALUES, *RUNS)))
"""The beginning of a text, and what is repeated behind it."""

FIRST, LAST, TIMES = 512, 1 << 18, 8
LONG_S, SLOW_S = 0.001, 0.5
AIM: Final = 1.1


class Subject(NamedTuple):
    """What reads a text, and the text around the hostile one."""

    kind: str
    name: str
    read: Read
    around: tuple[str, str] = ("", "")
    own: str = ""
    """What is repeated as well, such as the sample of a reader."""
    in_json: bool = False


class Cell(NamedTuple):
    """How the time of a subject grows with a shape."""

    exponent: float
    seconds: float
    size: int
    subject: str
    shape: str


# -- what reads ------------------------------------------------------------------------------------


def subjects() -> Iterator[Subject]:
    yield from chain(_dialects(), _parsers(), _json(), _detectors(), _templates(), _logs())


def _chunks(text: str, size: int = 16) -> list[str]:
    return [text[at : at + size] for at in range(0, len(text), size)]


def _dialects() -> Iterator[Subject]:
    for name in list_dialects():
        for lenient in (False, True):
            parser = get_parser(name, lenient=lenient)
            mode = "lenient" if lenient else "strict"
            yield Subject(f"dialects, {mode}", name, parser.parse)
            streamed = partial(_streamed, parser)
            yield Subject(f"dialects, {mode}, streamed", name, streamed)
        dialect = get_dialect(name)
        if dialect.lenient.transcript_start:
            read = partial(parse_transcripts, dialect=dialect)
            yield Subject("transcripts", name, read)
            yield Subject("transcripts, streamed", name, partial(_fed, partial(_transcript, name)))


def _streamed(parser: Any, text: str) -> None:
    for _ in parser.events(_chunks(text)):
        pass


def _transcript(name: str) -> StreamParser:
    return StreamParser(get_dialect(name), mode="transcript", max_chars=None)


def _fed(make: Callable[[], Any], text: str) -> None:
    reader = make()
    for chunk in _chunks(text):
        reader.feed(chunk)
    reader.close()


def _parsers() -> Iterator[Subject]:
    ours = [known for known in PARSERS if "tests" not in type(known.parser).__module__]
    for at, known in enumerate(ours):
        name = f"{type(known.parser).__name__} {at}"
        whole, parts = partial(_whole, known.reads), partial(_parts, known.reads)
        yield Subject("parsers", name, partial(_invoked, known.parser, whole))
        if hasattr(known.parser, "transform"):
            read = partial(_transformed, known.parser, parts)
            yield Subject("parsers, streamed", name, read)
    auto = get_parser("auto")
    yield Subject("parsers", "auto", auto.parse)
    yield Subject("parsers, streamed", "auto", partial(_streamed, auto))
    react = get_parser("react")
    yield Subject(
        "parsers, streamed", "answer_stream",
        lambda text: list(answer_stream(react.events(_chunks(text)))),
    )  # fmt: skip


def _invoked(parser: Any, message: Callable[[str], Any], text: str) -> None:
    parser.invoke(message(text))


def _transformed(parser: Any, parts: Callable[[str], list[Any]], text: str) -> None:
    for _ in parser.transform(iter(parts(text))):
        pass


def _whole(reads: str, text: str) -> Any:
    call = {"name": "City", "arguments": text}
    if reads == "function":
        return AIMessage(content="", additional_kwargs={"function_call": call})
    if reads == "tools":
        calls = [{"id": "c", "type": "function", "function": call}]
        return AIMessage(content="", additional_kwargs={"tool_calls": calls})
    return text


def _parts(reads: str, text: str) -> list[Any]:
    if reads == "function":
        called = [
            {"name": "" if at else "City", "arguments": c} for at, c in enumerate(_chunks(text))
        ]
        return [AIMessageChunk("", additional_kwargs={"function_call": each}) for each in called]
    if reads == "tools":
        first = {"name": "City", "args": "", "id": "c", "index": 0}
        rest = [{**first, "name": None, "id": None, "args": chunk} for chunk in _chunks(text)]
        return [AIMessageChunk("", tool_call_chunks=[each]) for each in (first, *rest)]
    return _chunks(text)


def _json() -> Iterator[Subject]:
    whole: dict[str, Read] = {
        "parse_partial_json": op.parse_partial_json,
        "parse_partial_json, strict": partial(op.parse_partial_json, strict=True),
        "parse_json_markdown": op.parse_json_markdown,
        "repair_json": op.repair_json,
    }
    for name, read in whole.items():
        yield Subject("JSON readers", name, read)
    for reader in (outputs.JsonReader, outputs.LenientJsonReader):
        yield Subject("JSON readers", reader.__name__, partial(_fed, reader))
        yield Subject("JSON readers", f"{reader.__name__}, values", partial(_looked_at, reader))


def _looked_at(make: Callable[[], Any], text: str) -> None:
    reader = make()
    for chunk in _chunks(text):
        reader.feed(chunk)
        _ = reader.changed


def _detectors() -> Iterator[Subject]:
    yield Subject("detectors", "detect", detect)
    yield Subject("detectors", "detect_log", lambda text: _afresh(detect_log, text))


def _afresh(read: Callable[..., Any], text: str, **options: Any) -> Any:
    """Call *read* as if it had not seen the text before."""
    plain._detected.cache_clear()
    return read(f"{text}\n", **options)


def _templates() -> Iterator[Subject]:
    for name, template in exports().items():
        parser = from_response_template(template, name=name, timeout_s=60)
        yield Subject("response templates", name, parser.parse)
        yield Subject("response templates, streamed", name, partial(_streamed, parser))


def _logs() -> Iterator[Subject]:
    yield Subject("readers of logs", "auto", lambda text: [*_afresh(read_runs, text)])
    samples: dict[str, Any] = {**TEXT_LOGS, **{name: of[0] for name, of in DATA_LOGS.items()}}
    for name in list_readers():
        in_json = name not in TEXT_LOGS
        log = json.dumps(samples[name]) if in_json else samples[name]
        read = partial(_read_log, name)
        own = f"{log}\n"
        yield Subject("readers of logs", name, read, own=own)
        for place in (THOUGHT, RESULT, ANSWER):
            head, found, tail = log.partition(place)
            if found:
                yield Subject(
                    "readers of logs", f"{name}, in {place!r}", read, (head, tail), "", in_json
                )


def _read_log(name: str, text: str) -> None:
    for _ in _afresh(read_runs, text, format=name, on_error=lambda _error: None):
        pass


# -- the clock -------------------------------------------------------------------------------------


def measured(subject: Subject) -> list[Cell]:
    """Return how the time of *subject* grows with each shape."""
    gc.freeze()
    cells = []
    for head, run in (*SHAPES, *([("", subject.own)] if subject.own else ())):
        exponent, size, seconds = _growth(subject, head, run)
        for _ in range(3):
            if exponent >= AIM:
                exponent, size, seconds = _confirmed(subject, head, run, size)
        shown = f"{head}{run}…" if run != subject.own else "its sample"
        cells.append(Cell(exponent, seconds, size, subject.name, repr(shown)[:60]))
    return cells


def _text(subject: Subject, head: str, run: str, size: int) -> str:
    text = head + run * max(size // len(run), 1)
    if subject.in_json:
        text = json.dumps(text)[1:-1]
    return text.join(subject.around)


def _growth(subject: Subject, head: str, run: str) -> tuple[float, int, float]:
    """Return the exponent between the last two lengths, the last one, and its seconds."""
    size = max(FIRST, 2 * len(run))
    _seconds(subject.read, _text(subject, head, run, size))  # compiles patterns
    taken = _seconds(subject.read, _text(subject, head, run, size))
    while True:
        size, before = size * TIMES, taken
        taken = _seconds(subject.read, _text(subject, head, run, size))
        if taken >= LONG_S or size * TIMES > LAST:
            return math.log(taken / before, TIMES), size, taken


def _confirmed(subject: Subject, head: str, run: str, size: int) -> tuple[float, int, float]:
    """Measure again, on texts from *size* on, next to a scan that is linear."""
    while True:
        short, long = (_text(subject, head, run, each) for each in (size // TIMES, size))
        passes = max(round(_seconds(subject.read, short) / max(_seconds(_scan, short), 1e-7)), 1)
        works = [
            (read, text)
            for read in (subject.read, partial(_scan, passes=passes))
            for text in (short, long)
        ]
        rounds = [[_seconds(*work) for work in works] for _ in range(3)]
        small, big, scan, long_scan = (min(each) for each in zip(*rounds, strict=True))
        extra = max(math.log(long_scan / scan, len(long) / len(short)) - 1, 0)
        found = math.log(big / small, len(long) / len(short)) - extra
        if found < AIM or big > SLOW_S or size * TIMES > 2 * LAST:
            return found, size, big
        size *= TIMES


def _scan(text: str, passes: int = 1) -> None:
    for _ in range(passes):
        [(at, char) for at, char in enumerate(text)]


def _seconds(read: Read, text: str) -> float:
    gc.disable()
    start = time.thread_time()
    with suppress(Exception):  # each has its own
        read(text)
    taken = time.thread_time() - start
    gc.enable()
    return max(taken, 1e-6)


# -- the table -------------------------------------------------------------------------------------


def _numbered(number: int) -> list[Cell]:
    return measured(_SUBJECTS[number])


_SUBJECTS: Final[list[Subject]] = []


def main(arguments: Sequence[str]) -> None:
    jobs, words = 1, list(arguments)
    if "--jobs" in words:
        at = words.index("--jobs")
        jobs = int(words[at + 1])
        del words[at : at + 2]
    known = (
        each for each in subjects() if not words or any(word in _title(each) for word in words)
    )
    _SUBJECTS.extend(sorted(known, key=lambda each: each.kind))
    over: list[str] = []
    count = 0
    print("| what | readers | texts | median | worst | where |\n|---|--:|--:|--:|--:|---|")
    with ProcessPoolExecutor(jobs) as pool:
        measurements = zip(_SUBJECTS, pool.map(_numbered, range(len(_SUBJECTS))), strict=True)
        for kind, group in groupby(measurements, key=lambda each: each[0].kind):
            cells = [cell for _, of_subject in group for cell in of_subject]
            print(_row(kind, cells), flush=True)
            count += len(cells)
            high = sorted((cell for cell in cells if cell.exponent >= AIM), reverse=True)
            over += (f"{cell.exponent:.2f}  {kind}: {_at(cell)}" for cell in high)
    print(
        f"\n{len(SHAPES)} shapes, {count:,} texts, {len(over)} with {AIM} or more", *over, sep="\n"
    )


def _title(subject: Subject) -> str:
    return f"{subject.kind}: {subject.name}"


def _row(kind: str, cells: list[Cell]) -> str:
    worst = max(cells)
    readers = len({cell.subject.partition(", in ")[0] for cell in cells})
    middle = median(cell.exponent for cell in cells)
    where = _at(worst).replace("|", "\\|")
    return (
        f"| {kind} | {readers} | {len(cells):,} | {middle:.2f} | {worst.exponent:.2f} | {where} |"
    )


def _at(cell: Cell) -> str:
    return f"{cell.subject}, {cell.shape}, {cell.seconds * 1e3:.1f} ms at {cell.size // 1024} K"


if __name__ == "__main__":
    main(sys.argv[1:])
