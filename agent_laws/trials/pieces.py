"""Deterministic texts of a dialect, made from its tables, its sample and its `write`.

The text of a reply can be stopped at a stop sequence and cut into chunks, as a server does.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from functools import cache
from itertools import chain, product
from random import Random
from string import ascii_lowercase
from typing import TYPE_CHECKING, Any, Final, Literal, TypeAlias

from agent_laws.trials.stories import DELTAS, TILES, story_of
from agent_laws.trials.stories import cut as cut_to
from agent_parsers import AgentAction, AgentFinish, Dialect
from agent_parsers.authoring import Ahead, Label, Result, Written
from agent_parsers.core import CallPiece, Patterns, as_json, function_pieces, tool_pieces
from agent_parsers.events import ActionComplete, Finish
from agent_parsers.transcripts.transcript_parser import TranscriptParser
from outputs import AIMessage, AIMessageChunk, tool_call_chunk

if TYPE_CHECKING:
    from agent_parsers.authoring import Marker, Mode, Table
    from agent_parsers.transcripts.transcript import TranscriptStep

_ALPHABET: Final = "".join(map(chr, range(128))) + "：．٣３ÅÉßİ\x85\xa0\u2003\u2028\u3000"
_VARIANTS: Final = 40


def table_of(dialect: Dialect, mode: Mode) -> Table:
    """Return the table for this *mode*."""
    return dialect.strict if mode == "strict" else dialect.lenient


@cache
def a_tool(dialect: Dialect) -> str:
    """Return the name of a tool that the dialect can write; some dialects have only one."""
    sample = sample_action(dialect)
    text = dialect.write(Written("", "search", sample.tool_input))
    read = [event.action.tool for event in story_of(dialect, "lenient", [text]).of(ActionComplete)]
    return sample.tool if read and read != ["search"] else "search"


@cache
def sample_action(dialect: Dialect) -> AgentAction:
    """Return the first action of the sample, or else the example of the dialect."""
    for step in _sample_steps(dialect):
        if isinstance(step.action, AgentAction):
            return step.action
    return AgentAction(dialect.example.tool, dialect.example.tool_input, "")


@cache
def sample_answer(dialect: Dialect) -> str:
    """Return the answer of the sample, or ``""`` if it has no answer."""
    for step in _sample_steps(dialect):
        if isinstance(step.action, AgentFinish):
            return str(step.action.return_values["output"])
    return ""


def _sample_steps(dialect: Dialect) -> list[TranscriptStep]:
    if not dialect.lenient.transcript_start:
        return []
    parser = TranscriptParser(dialect)
    return parser.feed(dialect.sample) + parser.close()


@cache
def spellings(marker: Marker) -> list[str]:
    """Return many spellings of *marker*, the canonical one first."""
    random = Random(marker.canonical)
    ways = list(marker.spellings())
    spelt = ["\n" + marker.canonical, marker.canonical]
    spelt += ("".join(_write(random.choice(ways), random)) for _ in range(_VARIANTS))
    return list(dict.fromkeys(spelt))


def _write(atoms: tuple[str, ...], random: Random) -> Iterator[str]:
    for atom in atoms:
        if isinstance(atom, Ahead):
            yield atom.sample
            continue
        is_run = re.fullmatch(atom, "") is not None
        times = random.choice([0, 0, 0, 0, 1, 1, 2, 16, 17]) if is_run else 1
        yield random.choice(_fitting(atom)) * times


@cache
def _fitting(atom: str) -> list[str]:
    """Return characters that *atom* matches, from several scripts."""
    matches = re.compile(f"(?s:{atom})").fullmatch
    return [char for char in dict.fromkeys(f"{_ALPHABET}{atom}") if matches(char)]


@cache
def markers(dialect: Dialect) -> list[Marker]:
    """Return all markers of the dialect, from both tables."""
    tables = (dialect.strict, dialect.lenient)
    return list(dict.fromkeys(marker for table in tables for marker in table.markers.values()))


def marker_in(dialect: Dialect, text: str) -> str:
    """Return the name of the first marker of lenient mode in *text*, or ``""``."""
    patterns = _patterns(dialect)
    found = patterns.whole.search(f"\n{text}\n", 0)
    return "" if found is None else patterns.names[(found.lastindex or 1) - 1]


@cache
def _patterns(dialect: Dialect) -> Patterns:
    return Patterns(dialect.lenient.markers)


@cache
def written(dialect: Dialect) -> list[str]:
    """Return whole turns that the dialect writes."""
    tool_input = sample_action(dialect).tool_input
    thought = "a thought" if dialect.thinks else ""
    steps = [
        Written(thought, "search", tool_input, number=2),
        Written(thought, answer="42", number=3),
        Written("", "search", tool_input),
        Written("", answer="42"),
    ]
    return [dialect.write(step) for step in steps]


def _cut_at(dialect: Dialect, kinds: tuple[type[Any], ...]) -> list[str]:
    """Return pieces of the sample and of written turns, cut at events of these *kinds*."""
    runs: list[tuple[Mode, str]] = []
    if dialect.lenient.transcript_start:
        runs.append(("transcript", dialect.sample))
    runs += (("lenient", text) for text in written(dialect))
    return [
        text[slice(*event.span)]
        for mode, text in runs
        for event in story_of(dialect, mode, [text]).of(*kinds)
        if event.span[0] < event.span[1]
    ]


@cache
def fragments(dialect: Dialect) -> list[str]:
    """Return markers, the texts between them, whole turns, and observations."""
    found = [*_cut_at(dialect, TILES), *bodies(dialect), *written(dialect), dialect.sample]
    found += (
        *dialect.stop,
        *(dialect.results_text([Result("search", text)]) for text in ("word", "")),
    )
    return [text for text in dict.fromkeys(found) if text]


@cache
def bodies(dialect: Dialect) -> list[str]:
    """Return texts that may follow a marker: words, and calls."""
    found = [*_cut_at(dialect, (ActionComplete, Finish, *DELTAS)), "word"]
    return sorted({text for text in found if "\n" not in text})


@cache
def small_inputs(dialect: Dialect) -> list[str]:
    """Return turns with an action that consists of a few brackets, quotes and similar marks.

    The marks are the input or the whole action, both with and without the closer of the dialect.
    """
    marks = [*map("".join, chain.from_iterable(product('[]"\n a', repeat=n) for n in range(4)))]
    marks += map("".join, product("[]\na", repeat=4))
    text, tool_input = written(dialect)[2], sample_action(dialect).tool_input
    found = story_of(dialect, "lenient", [text]).of(ActionComplete)
    frames = [(text[: event.span[0]], "") for event in found]
    if isinstance(tool_input, str) and text.count(tool_input) == 1:
        head, tail = text.split(tool_input)
        frames += ((head, ""), (head, tail))
    return [head + mark + tail for head, tail in dict.fromkeys(frames) for mark in marks]


@cache
def template_marks(dialect: Dialect) -> list[str]:
    """Return the markers that begin or end a part of a chat prompt, and the end of a turn."""
    frame = [part.strip() for part in dialect.turn_frame if part.strip()]
    marks = {"<|im_start|>", "<|im_end|>", "<|eot_id|>", "</s>", *frame}
    if dialect.several:
        own = (m.canonical for m in markers(dialect) if not isinstance(m, Label))
        marks |= {mark for mark in own if not mark[0].isalnum() and mark[0] != '"'}
        each = dialect.results_text([Result(a_tool(dialect), "\0")]).partition("\0")
        marks |= {*re.findall(r"[<\[][^<>\[\]\s\0]+[>\]]", "".join((*frame, *each)))}
    return sorted(marks)


@cache
def given_texts(dialect: Dialect) -> list[str]:
    """Return what the model is given besides words: results, as written, and the frame of turns."""
    results = [Result(a_tool(dialect), "one")] * (2 if dialect.several else 1)
    texts = [dialect.results_text(results).removesuffix(dialect.generation_prompt(2))]
    return [*texts, *dialect.turn_frame, "<|im_start|>user\n", "[INST]", "<|im_end|>"]


def given_marks(dialect: Dialect) -> list[str]:
    """Return the special tokens of `given_texts` with which no turn of the model is written."""
    own = "".join(written(dialect))
    found = re.findall(r"[<\[][^<>\[\]\s]+[>\]]", " ".join(given_texts(dialect)))
    return sorted({mark for mark in found if mark not in own})


@cache
def quiet_letters(dialect: Dialect) -> set[str]:
    """Return the lower-case letters that occur in no marker of the dialect."""
    ways = (way for marker in markers(dialect) for way in marker.spellings())
    atoms = {atom for way in ways for atom in way}
    return {char for char in ascii_lowercase if not any(re.fullmatch(a, char) for a in atoms)}


@cache
def rows(dialect: Dialect, mode: Mode) -> list[str]:
    """Return three short texts for each transition of the table that can be reached."""
    table = table_of(dialect, mode)
    start = table.transcript_start if mode == "transcript" else table.initial
    random = Random(dialect.name)

    def go(path: str, marker: str) -> str:
        return f"{path}\n{table.markers[marker].canonical} {random.choice(bodies(dialect))}"

    paths = {start: random.choice(bodies(dialect))}
    queue = [start]
    for state in queue:
        if (begun := table.begun.get(state, state)) not in paths:
            paths[begun] = f"{paths[state]}\n{written(dialect)[2]}"
            queue.append(begun)
        for (source, marker), transition in table.transitions.items():
            if source == state and transition.to not in paths:
                paths[transition.to] = go(paths[state], marker)
                queue.append(transition.to)
    return [
        go(paths[state], marker) + end
        for state, marker in table.transitions
        if state in paths
        for end in ("", "\n", "]")
    ]


Cut: TypeAlias = int | Sequence[int] | Literal["tokens", "whole"]
"""How a text is cut: a chunk size in characters, sizes used over and over, or a name."""

Reply: TypeAlias = str | AIMessage | BaseException

_tokens: Final = re.compile(r"\n+|[^\S\n]?(?:\w{1,6}|[^\w\s]{1,3})|[^\S\n]").findall
"""Pieces like tokens: short words with the space in front, punctuation, line breaks."""


def check_cut(cut: Cut) -> None:
    """Raise a `ValueError` if *cut* is not valid."""
    sizes = [cut] if isinstance(cut, int) else cut
    if isinstance(sizes, str):
        if sizes not in ("tokens", "whole"):
            raise ValueError(f"cut is a size, sizes, 'tokens' or 'whole', not {cut!r}")
    elif not sizes or min(sizes) < 1:
        raise ValueError(f"the sizes of pieces are positive, not {cut!r}")


def stopped(reply: Reply, stops: Sequence[str], half_stop: int) -> Reply:
    """Return *reply* up to the first of *stops* that occurs in it.

    The content of a message is cut; later content blocks, and all calls, are removed.

    Args:
        reply: Text, message or exception.
        stops: Stop sequences.
        half_stop: How many characters of the stop sequence remain.
    """
    if isinstance(reply, BaseException) or not any(stops):
        return reply
    if isinstance(reply, str):
        end = _end(reply, stops, half_stop)
        return reply[:end]
    if isinstance(reply.content, str):
        end = _end(reply.content, stops, half_stop)
        return reply if end is None else _without_calls(reply, reply.content[:end])
    for number, block in enumerate(reply.content):
        text = block if isinstance(block, str) else block.get("text")
        if isinstance(text, str) and (end := _end(text, stops, half_stop)) is not None:
            last = text[:end] if isinstance(block, str) else {**block, "text": text[:end]}
            return _without_calls(reply, [*reply.content[:number], last])
    return reply


def _end(text: str, stops: Sequence[str], half_stop: int) -> int | None:
    """Return where *text* ends if it is stopped by one of *stops*, or `None` if it is not."""
    found = [(at, stop) for stop in stops if stop and (at := text.find(stop)) >= 0]
    if not found:
        return None
    at, stop = min(found)
    return at + min(half_stop, len(stop) - 1)


def _without_calls(message: AIMessage, content: Any) -> AIMessage:
    calls: dict[str, Any] = {"tool_calls": [], "invalid_tool_calls": []}
    kept = {"content": content, "additional_kwargs": _other_kwargs(message)}
    return message.model_copy(update=kept | calls)


def pieces_of(reply: str | AIMessage, cut: Cut) -> Iterator[str | AIMessageChunk]:
    """Yield *reply* in one or more pieces: texts, or message chunks that add up to the message.

    Text blocks are cut, other content blocks are not. Calls follow the content.
    """
    if isinstance(reply, str):
        yield from _cut(reply, cut)
        return
    for piece in chain(_content_pieces(reply, cut), _call_pieces(reply, cut)):
        yield AIMessageChunk(**{"content": "", "id": reply.id, **piece})
    yield AIMessageChunk(
        "",
        id=reply.id,
        additional_kwargs=_other_kwargs(reply),
        response_metadata=reply.response_metadata,
        usage_metadata=reply.usage_metadata,
        chunk_position="last",
    )


def _cut(text: str, cut: Cut) -> Iterable[str]:
    """Cut *text* into one or more pieces."""
    if cut == "whole" or not text:
        return [text]
    if cut == "tokens":
        return list(_tokens(text))
    assert not isinstance(cut, str)
    return cut_to(text, [cut] if isinstance(cut, int) else cut)


def _content_pieces(message: AIMessage, cut: Cut) -> Iterator[dict[str, Any]]:
    content = message.content
    if isinstance(content, str):
        for piece in _cut(content, cut) if content else ():
            yield {"content": piece}
        return
    for index, block in enumerate(content):
        if isinstance(block, dict) and isinstance(block.get("text"), str):
            rest = block  # the other fields of the block are sent once
            for piece in _cut(block["text"], cut):
                yield {"content": [{**rest, "text": piece, "index": index}]}
                rest = {"type": block.get("type", "text")}
        else:
            yield {"content": [block]}


def _call_pieces(message: AIMessage, cut: Cut) -> Iterator[dict[str, Any]]:
    for index, call in enumerate(tool_pieces(message)):
        head = tool_call_chunk(name=call.name, args="", id=call.id, index=index)
        yield {"tool_call_chunks": [head]}
        for piece in _cut(_written(call), cut):
            yield {"tool_call_chunks": [tool_call_chunk(args=piece, index=index)]}
    for call in function_pieces(message):
        yield {"additional_kwargs": {"function_call": {"name": call.name, "arguments": ""}}}
        for piece in _cut(_written(call), cut):
            yield {"additional_kwargs": {"function_call": {"arguments": piece}}}


def _written(call: CallPiece) -> str:
    """Return the arguments of *call* as text."""
    if call.arguments is None:
        return ""
    return call.arguments if isinstance(call.arguments, str) else as_json(call.arguments)


def _other_kwargs(message: AIMessage) -> dict[str, Any]:
    """Return the additional fields of *message*, without its calls."""
    calls = ("tool_calls", "function_call")
    return {key: value for key, value in message.additional_kwargs.items() if key not in calls}
