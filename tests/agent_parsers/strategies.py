"""Texts for any dialect, made from nothing but its own tables, sample and writer."""

import re
from collections.abc import Callable, Iterator
from functools import cache
from itertools import chain, product
from random import Random
from string import ascii_lowercase
from typing import Any

from hypothesis import Phase, find, settings
from hypothesis import strategies as st

from agent_parsers import (
    ActionComplete,
    AgentAction,
    AgentFinish,
    Dialect,
    Finish,
    parse_transcript,
)
from agent_parsers.engine import Both, Marker, Mode, Table, Written

from .stories import DELTAS, TILES, told

NOISE = [
    *("\n", "\n\n", "\r\n", "\r", " ", "  ", "\t", " \n", "\n ", "\n\t"),
    *("[", "]", "[]", "][", "]]", "{", "}", "(", ")", "<", ">", "</", '"', '""', "'", "`", "```"),
    *(":", "：", "．", ".", "*", "**", "__", "#", "> ", "-", "_", "1", " 1", "2:", "٣", "\\", "\0"),
    *("a", "word", "two words", "x\ny", "é", "e\u0301", "ﬁ", "İ", "😀", "👩‍🚀", "\u200b", "\ufeff"),
    *(
        "\ud800",
        "\udfff",
        "\u2028",
        "\x85",
        "\x1c",
        "\u3000",
        "\xa0",
        " " * 17,
        "\n" * 17,
        "7" * 17,
    ),
]
"""What is no marker of any dialect, or little of one."""

WORDS = ["old", "river", "bern", "seven", "who", "built", "it", "42", "Bridge", "café"]
"""Words that mean nothing to any dialect."""

_ALPHABET = "".join(map(chr, range(128))) + "：．٣３ÅÉßİ\x85\xa0\u2003\u2028\u3000"
_VARIANTS = 40


@cache
def noise() -> st.SearchStrategy[str]:
    return st.sampled_from(NOISE)


@cache
def anything() -> st.SearchStrategy[str]:
    """Any text at all, lone surrogates included."""
    return st.text(st.characters(), max_size=40)


@cache
def plain() -> st.SearchStrategy[str]:
    """A few words that any dialect can say."""
    return st.lists(st.sampled_from(WORDS), min_size=1, max_size=5).map(" ".join)


@cache
def plain_tool(dialect: Dialect) -> st.SearchStrategy[str]:
    names = ["search", "look_up", "Calculator", "tool2"]
    return st.sampled_from(names if a_tool(dialect) == "search" else [a_tool(dialect)])


@cache
def a_tool(dialect: Dialect) -> str:
    """Name a tool that the dialect can write; in some there is but one, which goes without name."""
    sample = sample_action(dialect)
    text = dialect.write(Written("", "search", sample.tool_input))
    (action,) = told(dialect, "lenient", [text]).of(ActionComplete)
    return "search" if action.action.tool == "search" else sample.tool


@cache
def plain_input(dialect: Dialect) -> st.SearchStrategy[Any]:
    """Inputs of the type that the dialect's own sample has."""
    if isinstance(sample_action(dialect).tool_input, str):
        return plain()
    return st.dictionaries(st.sampled_from(["query", "unit"]), plain(), min_size=1)


def sample_action(dialect: Dialect) -> AgentAction:
    steps = parse_transcript(dialect.sample, dialect=dialect).steps
    return next(step.action for step in steps if isinstance(step.action, AgentAction))


def sample_answer(dialect: Dialect) -> str:
    finish = parse_transcript(dialect.sample, dialect=dialect).finish
    assert isinstance(finish, AgentFinish), "a sample has an answer"
    answer: str = finish.return_values["output"]
    return answer


@cache
def spellings(marker: Marker) -> list[str]:
    """Spell *marker* in many ways, the canonical one first."""
    random = Random(marker.canonical)
    ways = list(marker.spellings())
    spelt = ["\n" + marker.canonical, marker.canonical]
    spelt += ("".join(_write(random.choice(ways), random)) for _ in range(_VARIANTS))
    return list(dict.fromkeys(spelt))


def _write(atoms: tuple[str, ...], random: Random) -> Iterator[str]:
    for atom in atoms:
        ahead = "." if atom.startswith("(?=") else ""
        fitting = [char for char in _ALPHABET if re.fullmatch(f"(?s:{atom}{ahead})", char)]
        is_run = re.fullmatch(atom, "") is not None
        times = random.choice([0, 0, 0, 0, 1, 1, 2, 16, 17]) if is_run else 1
        yield random.choice(fitting) * times


@cache
def markers(dialect: Dialect) -> list[Marker]:
    """All markers of the dialect, in either table."""
    tables = (dialect.strict, dialect.lenient)
    return list(dict.fromkeys(marker for table in tables for marker in table.markers.values()))


@cache
def written(dialect: Dialect) -> list[str]:
    """Whole turns, as the dialect writes them."""
    tool_input = sample_action(dialect).tool_input
    steps = [
        Written("a thought", "search", tool_input, number=2),
        Written("a thought", answer="42", number=3),
        Written("", "search", tool_input),
        Written("", answer="42"),
    ]
    return [dialect.write(step) for step in steps]


def _cut_at(dialect: Dialect, kinds: tuple[type[Any], ...]) -> list[str]:
    """Cut the sample, and turns as the dialect writes them, at what the parser tells apart."""
    runs: list[tuple[Mode, str]] = [("transcript", dialect.sample)]
    runs += (("lenient", text) for text in written(dialect))
    return [
        text[slice(*event.span)]
        for mode, text in runs
        for event in told(dialect, mode, [text]).of(*kinds)
        if event.span[0] < event.span[1]
    ]


@cache
def fragments(dialect: Dialect) -> list[str]:
    """Markers and what stands between them, whole turns, observations."""
    found = [*_cut_at(dialect, TILES), *bodies(dialect), *written(dialect), dialect.sample]
    found += (*dialect.stop, *(dialect.write_observation(text, 1) for text in ("word", "")))
    return list(dict.fromkeys(found))


@cache
def bodies(dialect: Dialect) -> list[str]:
    """What may follow a marker: words, and calls."""
    found = [*_cut_at(dialect, (ActionComplete, Finish, *DELTAS)), "word"]
    return sorted({text for text in found if "\n" not in text})


@cache
def small_inputs(dialect: Dialect) -> list[str]:
    """Turns with an action whose input, or all of it, is any few marks that a codec may stumble on.

    The input is left open, and closed as the dialect closes one.
    """
    marks = [*map("".join, chain.from_iterable(product('[]"\n a', repeat=n) for n in range(4)))]
    marks += map("".join, product("[]\na", repeat=4))
    text, tool_input = written(dialect)[2], sample_action(dialect).tool_input
    (action,) = told(dialect, "lenient", [text]).of(ActionComplete)
    frames = [(text[: action.span[0]], "")]
    if isinstance(tool_input, str):
        head, tail = text.split(tool_input)
        frames += ((head, ""), (head, tail))
    return [head + mark + tail for head, tail in dict.fromkeys(frames) for mark in marks]


@cache
def quiet_letters(dialect: Dialect) -> set[str]:
    """Small letters that occur in no marker of the dialect."""
    ways = (way for marker in markers(dialect) for way in marker.spellings())
    atoms = {atom for way in ways for atom in way}
    return {char for char in ascii_lowercase if not any(re.fullmatch(a, char) for a in atoms)}


@cache
def pieces(dialect: Dialect) -> st.SearchStrategy[str]:
    """A marker, the beginning of one, a piece of a turn, or noise."""
    spelt = [text for marker in markers(dialect) for text in spellings(marker)]
    canonical = ["\n" + marker.canonical for marker in markers(dialect)]
    begun = [text[:size] for text in canonical for size in range(1, len(text))]
    return st.one_of(
        st.sampled_from(canonical),
        st.sampled_from(fragments(dialect)),
        noise(),
        st.sampled_from(spelt),
        st.sampled_from(begun),
        st.text(st.characters(), max_size=3),
    )


@cache
def soup(dialect: Dialect) -> st.SearchStrategy[str]:
    """Pieces of the dialect in any order."""
    return st.lists(pieces(dialect), max_size=12).map("".join)


@cache
def marks(dialect: Dialect) -> st.SearchStrategy[str]:
    """Give the characters that mean something in the calls of the dialect: brackets, quotes."""
    found = {char for text in bodies(dialect) for char in text if not char.isalnum()}
    return st.sampled_from(sorted(found - {" "}) or [" "])


@st.composite
def damaged(
    draw: st.DrawFn, wholes: list[str], spoils: st.SearchStrategy[str], most: int = 3
) -> str:
    """Take something written as it should be; leave a part of it out, put something in."""
    text = draw(st.sampled_from(wholes))
    for _ in range(draw(st.integers(0, most))):
        start = draw(st.integers(0, len(text)))
        size = draw(st.sampled_from([0, 0, 1, 3, 30]))
        text = text[:start] + draw(spoils) + text[start + size :]
    return text


@st.composite
def walks(draw: st.DrawFn, dialect: Dialect, mode: Mode) -> str:
    """Go along the rows of a table, so that states which soup seldom reaches are reached."""
    table = table_of(dialect, mode)
    state = table.transcript_start if mode == "transcript" else table.initial
    filling = st.one_of(
        st.sampled_from(bodies(dialect)),
        damaged(bodies(dialect), marks(dialect) | noise()),
        st.sampled_from(fragments(dialect)),
        noise(),
    )
    text: list[str] = []
    for _ in range(draw(st.integers(1, 7))):
        if state in table.begun and draw(st.booleans()):
            text.append(written(dialect)[2])
            state = table.begun[state]
        rows = [(m, move) for (source, m), move in table.moves.items() if source == state]
        if not rows:
            break
        text.append(draw(filling))
        marker, move = draw(st.sampled_from(rows))
        text.append(draw(st.sampled_from(spellings(table.markers[marker]))))
        state = move.to
    return "".join(text) + draw(filling)


@cache
def texts(dialect: Dialect, mode: Mode) -> st.SearchStrategy[str]:
    """Texts that a parser of *dialect* may be given, most of them near to its form."""
    wholes = [dialect.sample, *written(dialect)]
    near = (walks(dialect, mode), damaged(wholes, pieces(dialect)))
    return st.one_of(*near, soup(dialect), *near, anything())


def assert_found(dialect: Dialect, mode: Mode, condition: Callable[[str], bool]) -> None:
    """Fail if no text of *dialect* that meets the *condition* is to be had."""
    search = settings(max_examples=3_000, phases=[Phase.generate], database=None)
    find(texts(dialect, mode), condition, settings=search, random=Random(0))


@cache
def cuts() -> st.SearchStrategy[list[int]]:
    """Sizes of chunks, some of them empty."""
    sizes = st.sampled_from([1, 2, 3, 5, 8, 20, 0])
    return st.lists(sizes, min_size=1, max_size=6).filter(any)


@cache
def tool_lists(dialect: Dialect) -> st.SearchStrategy[list[str] | None]:
    """No list, a list that lacks the usual tools, or one that has them."""
    usual = sorted({"search", sample_action(dialect).tool, "word"})
    return st.sampled_from([None, None, ["other"], usual])


def policies() -> st.SearchStrategy[Both]:
    """What may count in a turn with an action and an answer."""
    return st.sampled_from(("error", "error", "first", "action", "answer"))


def table_of(dialect: Dialect, mode: Mode) -> Table:
    return dialect.strict if mode == "strict" else dialect.lenient


@cache
def rows(dialect: Dialect, mode: Mode) -> list[str]:
    """For each row of the table a short text that goes over it."""
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
        for (source, marker), move in table.moves.items():
            if source == state and move.to not in paths:
                paths[move.to] = go(paths[state], marker)
                queue.append(move.to)
    return [
        go(paths[state], marker) + end
        for state, marker in table.moves
        if state in paths
        for end in ("", "\n", "]")
    ]
