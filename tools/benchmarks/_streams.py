"""Rows of ``make bench`` about streams: a chunk by what came before it, memory, and growth."""

from __future__ import annotations

import math
import time
import tracemalloc
from collections import deque
from functools import cached_property, partial
from typing import TYPE_CHECKING, Any, Final, Literal, TypeAlias

from pydantic import BaseModel
from pydantic_core import from_json

import output_parsers as op
from agent_parsers import StreamParser, get_dialect, get_parser
from agent_parsers.authoring import Written
from outputs import JsonReader
from tools.benchmarks._peers import (
    CREWAI,
    LANGCHAIN,
    LANGCHAIN_CORE,
    LLAMAINDEX,
    REACT,
    beside,
    tried,
)
from tools.benchmarks._timing import Row, Timed, no_cells
from tools.benchmarks.json_floor import Floor

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from tools.benchmarks._timing import Call

Reader: TypeAlias = "Callable[[str, list[str]], float]"
"""Reads the text before, then some chunks; returns the CPU seconds for the chunks."""

CHUNK: Final = 4
ACTION: Final = "Thought: I need its age.\nAction: search\nAction Input: "
CALL: Final = '<tool_call>\n{"name": "search", "arguments": {"query": "'
CODE: Final = "    if a < b:\n        return '<p>old bridges</p>'  # of Bern\n\n"
"""The text of an argument: code that contains something like tags."""
DEEP: Final = '{"kind": "room", "inside": ' * 50
LEAST: Final = "the least reader"
DIALECTS: Final = ("hermes", "qwen3_coder", "glm45", "minimax_m2", "deepseek_dsml")

SIZES: Final = (1_000, 4_000, 16_000, 64_000, 256_000)
LABEL: Final = "Final Answer:"
LABELS: Final = {LANGCHAIN: LABEL, LLAMAINDEX: "Answer:", CREWAI: LABEL}
SENTENCE: Final = "The bridge was built of oak, burnt down in 1460 and then built again of stone. "
RECORD: Final = '{"name": "Untertorbrücke", "year": 1489, "of": "stone"}, '
MOST, TURN_S = 256, 0.01
"""Maximum number of chunks that are timed at once, and about how long that takes."""
LONG_S: Final = 0.005
"""A hostile text grows to 64 KB, or until reading it takes this long."""

HOSTILE: Final = {
    "`Action:` in each line": ("Thought: a", "\nAction: a"),
    "`Action:` and blanks": ("Action:", " "),
    "`Action:` and line breaks": ("Action:", "\n"),
    "`Action: Action: …`": ("Thought: a\n", "Action: "),
    "all labels, again and again": ("Thought: a", "\nAction:\nAction Input:\nFinal Answer:"),
    "`Action Input:` in each line": ("Action: a", "\nAction Input: {"),
    "open braces": ("Action: a\nAction Input: ", "{"),
    "half labels": ("Thought: a", "\nFinal Answ\nActio"),
    "digits": ("Action", "1"),
    "quotes": ('Action: a\nAction Input: "', '\\"'),
}


class Item(BaseModel):
    """An item of a list."""

    name: str
    page: int = 0


class Items(BaseModel):
    """A long list."""

    items: list[Item]


def in_chunks(text: str) -> list[str]:
    return [text[at : at + CHUNK] for at in range(0, len(text), CHUNK)]


# -- streams of ours -------------------------------------------------------------------------------


def chunks() -> Iterator[Row]:
    long_text = ACTION + "oldest bridge in " * 250
    long_call = CALL + "oldest bridge in " * 250 + '"}}\n</tool_call>'
    for name, mode, text, aim in (
        ("react", "lenient", long_text, 0.8 * 35),  # what it was in commit 22e19e6d
        ("react", "strict", long_text, None),
        ("hermes", "lenient", long_call, 0.55 * 38),
        ("hermes", "strict", long_call, None),
    ):
        pieces = in_chunks(text)
        yield beside(
            f"`{name}`, {mode}, a chunk of a long input",
            "`str.find` in it",
            partial(_streamed, name, mode, pieces),
            lambda pieces=pieces: [piece.find("<") for piece in pieces],
            aim=aim,
            per=len(pieces),
        )
    for name in DIALECTS:
        dialect = get_dialect(name)
        calls = [
            in_chunks(dialect.write(Written(tool="write", tool_input={"content": CODE * count})))
            for count in (1_000, 16)
        ]
        yield Row(
            f"`{name}`, a chunk of an input of 64 KB",
            "of an input of 1 KB",
            tuple(Timed(partial(_streamed, name, "lenient", of), len(of)) for of in calls),
        )
    for name, before, aim in (("react", ACTION, 2), ("hermes", CALL, 3)):
        yield Row(
            f"`{name}`, bytes kept for a character",
            "",
            (partial(_kept, name, before),),
            aim,
            figure=float,
            cells=no_cells,
            most_rounds=1,
        )
    for diff in (True, False):
        parser = op.PydanticOutputParser(pydantic_object=Items, diff=diff)
        texts = [
            Items(items=[Item(name=f"item {each}") for each in range(count)]).model_dump_json()
            for count in (800, 100)
        ]
        yield Row(
            f"`PydanticOutputParser(diff={diff})`, power of growth",
            "an eighth of the text",
            tuple(Timed(partial(_exhaust, parser, in_chunks(text))) for text in texts),
            1.1,
            figure=partial(power, factor=len(texts[0]) / len(texts[1])),
        )


def power(long: float, short: float, factor: float) -> float:
    """Return the power by which a time grows, from those of two texts, of which one is longer."""
    return math.log(long / short, factor)


def _streamed(name: str, mode: Literal["strict", "lenient"], pieces: list[str]) -> None:
    parser = StreamParser(get_dialect(name), mode=mode)
    for piece in pieces:
        parser.feed(piece)
    parser.close()


def _kept(name: str, before: str) -> float:
    """Return how many bytes a stream keeps for a character of a long input."""
    text = "oldest bridge " * 10_000
    kept = 0
    for _ in range(2):  # the first time, patterns are compiled, and they stay
        parser = StreamParser(get_dialect(name))
        parser.feed(before)
        tracemalloc.start()
        for at in range(0, len(text), CHUNK):
            parser.feed(text[at : at + CHUNK])
        kept, _ = tracemalloc.get_traced_memory()
        tracemalloc.stop()
    return kept / len(text)


def _exhaust(parser: Any, pieces: list[str]) -> None:
    deque(parser.transform(iter(pieces)), maxlen=0)


# -- the next chunk beside others ------------------------------------------------------------------


class NextChunks:
    """Measures the CPU seconds of a chunk that follows *size* characters of a text."""

    def __init__(self, read: Reader, head: str, body: str, size: int) -> None:
        self.read, self.head, self.body, self.size = read, head, body, size

    @cached_property
    def _count(self) -> int:
        """How many chunks are timed at once."""
        return max(1, min(MOST, int(TURN_S / max(self._seconds(1), 1e-7))))

    def __call__(self) -> float:
        return self._seconds(self._count)

    def _seconds(self, count: int) -> float:
        end = self.size + CHUNK * count
        text = self.head + self.body * (end // len(self.body) + 1)
        return self.read(text[: self.size], in_chunks(text[self.size : end])) / count


def by_feed(before: str, pieces: list[str]) -> float:
    """Read a turn of ReAct with `feed`."""
    parser = get_parser("react").stream_parser()
    parser.feed(before)
    start = time.process_time()
    for piece in pieces:
        parser.feed(piece)
    return time.process_time() - start


def asked_again(read: Callable[[str], object], label: str, before: str, pieces: list[str]) -> float:
    """Read the whole text so far again after each chunk."""
    text = before.replace(LABEL, label, 1)
    start = time.process_time()
    for piece in pieces:
        text += piece
        tried(read, text)
    return time.process_time() - start


def by_transform(parser: Any, before: str, pieces: list[str]) -> float:
    """Read JSON with `transform`."""
    start = 0.0

    def given() -> Iterator[str]:
        nonlocal start
        yield before
        start = time.process_time()
        yield from pieces

    deque(parser.transform(given()), maxlen=0)
    return time.process_time() - start


def by_length() -> Iterator[Row]:
    """Yield the rows of the plot."""
    for size in SIZES:
        clock = partial(NextChunks, head=f"Thought: hm\n{LABEL} ", body=SENTENCE, size=size)
        for peer, make in REACT.items():
            yield peer.row(
                f"ReAct after {size // 1_000} KB",
                by_feed,
                lambda them, peer=peer, make=make: partial(asked_again, make(them), LABELS[peer]),
                clock=clock,
                before=size,
            )
    for size in SIZES:
        yield _next_json("JSON", "[", RECORD, size)
    yield _next_json("JSON, one long text,", '{"text": "', SENTENCE, 16_000)
    yield _next_json("JSON at depth 50", DEEP + "[", RECORD, 16_000)


def _next_json(title: str, head: str, body: str, size: int) -> Row:
    return LANGCHAIN_CORE.row(
        f"{title} after {size // 1_000} KB",
        partial(by_transform, op.JsonOutputParser()),
        lambda them: partial(by_transform, them.JsonOutputParser()),
        clock=partial(NextChunks, head=head, body=body, size=size),
        before=size if title == "JSON" else 0,
    )


# -- JSON beside the least that is possible --------------------------------------------------------


def json_streams() -> Iterator[Row]:
    plain, lenient = op.JsonOutputParser(), op.JsonOutputParser(lenient=True)
    for title, head, body, tail in (
        ("small objects", "[", RECORD, "{}]"),
        ("one long text", '{"text": "', SENTENCE, '"}'),
        ("depth 50", DEEP + "[", RECORD, "{}]" + "}" * 50),
    ):
        for size in (16_000, 64_000):
            text = head + body * (size // len(body)) + tail
            pieces, kb = in_chunks(text), size // 1_000
            floor = partial(_floored, pieces)
            contests: list[tuple[str, Call, str, Call, float | None]] = [
                ("`JsonOutputParser`", partial(_exhaust, plain, pieces), LEAST, floor, 3),
            ]
            if size == SIZES[2]:
                contests += [
                    ("`JsonReader`", partial(_looked_at, pieces), LEAST, floor, None),
                    ("lenient", partial(_exhaust, lenient, pieces), "strict", contests[0][1], None),
                    (
                        "patches",
                        partial(_exhaust, op.JsonOutputParser(diff=True), pieces),
                        "objects", contests[0][1], None,
                    ),
                ]  # fmt: skip
            for what, ours, than, theirs, aim in contests:
                yield beside(
                    f"{what}, {title}, {kb} KB", than, ours, theirs, aim=aim, per=len(pieces)
                )
        again = partial(from_json, allow_partial="trailing-strings")
        yield Row(
            f"the next chunk of {title} after 64 KB",
            "`from_json` of all again",
            (
                NextChunks(partial(by_transform, plain), head, body, 64_000),
                NextChunks(partial(asked_again, again, LABEL), head, body, 64_000),
            ),
        )


def _floored(pieces: list[str]) -> None:
    floor = Floor()
    for piece in pieces:
        floor.feed(piece)
        floor.snapshot()


def _looked_at(pieces: list[str]) -> None:
    reader = JsonReader()
    for piece in pieces:
        reader.feed(piece)
        reader.value  # noqa: B018 - reading the property does the work


# -- hostile texts ---------------------------------------------------------------------------------


class Growth:
    """Measures the power by which time grows from a quarter of a hostile text to all of it."""

    def __init__(self, read: Callable[[str], object], head: str, piece: str) -> None:
        self.read, self.head, self.piece = read, head, piece

    @cached_property
    def _both(self) -> tuple[Timed, Timed]:
        size, taken = 500, 0.0
        while size < 64_000 and taken < LONG_S:
            size *= 2
            start = time.process_time()
            self._timed(size).call()
            taken = time.process_time() - start
        return self._timed(size), self._timed(size // 4)

    def _timed(self, size: int) -> Timed:
        return Timed(partial(tried, self.read, self.head + self.piece * (size // len(self.piece))))

    def __call__(self) -> float:
        long, short = self._both
        return power(long(), short(), factor=4)


def hostile() -> Iterator[Row]:
    react = get_parser("react")

    def ours(text: str) -> None:
        tried(react.parse, text)
        tried(lambda text: list(react.events(in_chunks(text))), text)

    for title, (head, piece) in HOSTILE.items():
        here = Growth(ours, head, piece)
        for peer, make in REACT.items():
            yield peer.row(
                title,
                here,
                lambda them, make=make, text=(head, piece): Growth(make(them), *text),
                clock=lambda growth: growth,
                figure=lambda ours, _theirs: ours,
                cells=lambda ours, theirs: (f"{ours:.1f}", f"{theirs:.1f}"),
                weight=0.5,
            )
