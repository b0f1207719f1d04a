"""Deterministic texts of a dialect, made from its tables, its sample and its `write`."""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import cache
from itertools import chain, product
from random import Random
from string import ascii_lowercase
from typing import TYPE_CHECKING, Any, Final

from agent_laws.trials.stories import DELTAS, TILES, story_of
from agent_parsers import AgentAction, AgentFinish, Dialect
from agent_parsers.authoring import Ahead, Label, Result, Written
from agent_parsers.core import Patterns
from agent_parsers.events import ActionComplete, Finish
from agent_parsers.transcripts import TranscriptParser

if TYPE_CHECKING:
    from agent_parsers.authoring import Marker, Mode, Table
    from agent_parsers.transcripts import TranscriptStep

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
    """Return turns with an action that consists only of a few brackets, quotes and similar marks.

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


_TOKENS: Final = re.compile(r"\[\[[^<>\[\]\s\0]+\]\]|[<\[][^<>\[\]\s\0]+[>\]]").findall


@cache
def template_marks(dialect: Dialect) -> list[str]:
    """Return the markers that begin or end a part of a chat prompt, or end a turn."""
    frame = [part.strip() for part in dialect.turn_frame if part.strip()]
    marks = {"<|im_start|>", "<|im_end|>", "<|eot_id|>", "</s>", *frame}
    if dialect.several:
        own = (m.canonical for m in markers(dialect) if not isinstance(m, Label))
        marks |= {mark for mark in own if not mark[0].isalnum() and mark[0] != '"'}
        each = dialect.results_text([Result(a_tool(dialect), "\0")]).partition("\0")
        marks |= {*_TOKENS("".join((*frame, *each)))}
        marks |= {mark.canonical for mark in dialect.given}
        users = (("assistant", "user"), ("Assistant", "User"), ("ASSISTANT", "USER"))
        marks |= {mark.replace(*each) for mark in marks for each in users}
    return sorted(marks)


@cache
def given_texts(dialect: Dialect) -> list[str]:
    """Return texts that prompts contain and models do not write: results and frames of turns."""
    results = [Result(a_tool(dialect), "one")] * (2 if dialect.several else 1)
    texts = [dialect.results_text(results).removesuffix(dialect.generation_prompt(2))]
    return [*texts, *dialect.turn_frame, "<|im_start|>user\n", "[INST]", "<|im_end|>"]


def given_marks(dialect: Dialect) -> list[str]:
    """Return the special tokens of `given_texts` that do not occur in turns of the model."""
    own = "".join(written(dialect))
    found = _TOKENS(" ".join(given_texts(dialect)))
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
