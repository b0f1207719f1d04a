"""Hypothesis strategies for texts close to the format of a dialect, for cuts, and for steps."""

from __future__ import annotations

import json
from functools import cache
from typing import TYPE_CHECKING, Any, Final, TypeAlias

from agent_laws.trials.pieces import (
    a_tool,
    bodies,
    fragments,
    given_texts,
    markers,
    sample_action,
    spellings,
    table_of,
    template_marks,
    written,
)
from agent_parsers import AgentAction, AgentFinish, get_parser

if TYPE_CHECKING:
    from agent_parsers import Dialect, Turn
    from agent_parsers.authoring import Mode, OnConflict

__all__ = ["HealthCheck", "NoSuchExample", "Phase", "find", "given", "seed", "settings", "st"]
"""What others import from here, which says what to install if it is missing."""

try:
    from hypothesis import HealthCheck, Phase, find, given, seed, settings
    from hypothesis import strategies as st
    from hypothesis.errors import NoSuchExample
except ImportError as error:
    raise ImportError(
        "agent_laws generates texts with hypothesis, which is not installed:"
        " pip install 'agent-parsers[testing]'"
    ) from error


# -- texts and cuts --------------------------------------------------------------------------------

NOISE: Final = (
    *("\n", "\n\n", "\r\n", "\r", " ", "  ", "\t", " \n", "\n ", "\n\t"),
    *("[", "]", "[]", "][", "]]", "{", "}", "(", ")", "<", ">", "</", '"', '""', "'", "`", "```"),
    *(":", "：", "．", ".", "*", "**", "__", "#", "> ", "-", "_", "1", " 1", "2:", "٣", "\\", "\0"),
    *("a", "word", "two words", "x\ny", "é", "e\u0301", "ﬁ", "İ", "😀", "👩‍🚀", "\u200b", "\ufeff"),
    *("\ud800", "\udfff", "\u2028", "\x85", "\x1c", "\u3000", "\xa0"),
    *(" " * 17, "\n" * 17, "7" * 17),
)
"""Texts that are not markers, and the beginnings of some."""

WORDS: Final = ("old", "river", "bern", "seven", "who", "built", "it", "42", "Bridge", "café")
"""Words without a meaning in any dialect."""


@cache
def noise() -> st.SearchStrategy[str]:
    """Return a strategy for short texts that are not markers."""
    return st.sampled_from(NOISE)


@cache
def anything() -> st.SearchStrategy[str]:
    """Return a strategy for any text, lone surrogates included."""
    return st.text(st.characters(), max_size=40)


@cache
def plain() -> st.SearchStrategy[str]:
    """Return a strategy for a few words that any dialect can write."""
    return st.lists(st.sampled_from(WORDS), min_size=1, max_size=5).map(" ".join)


@cache
def pieces(dialect: Dialect) -> st.SearchStrategy[str]:
    """Return a strategy for a marker, the beginning of one, a piece of a turn, or noise."""
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
    """Return a strategy for texts of pieces of the dialect in any order."""
    return st.lists(pieces(dialect), max_size=12).map("".join)


@cache
def marks(dialect: Dialect) -> st.SearchStrategy[str]:
    """Return a strategy for characters with a meaning in calls, such as brackets and quotes."""
    found = {char for text in bodies(dialect) for char in text if not char.isalnum()}
    return st.sampled_from(sorted(found - {" "}) or [" "])


@st.composite
def damaged(
    draw: st.DrawFn, wholes: list[str], spoils: st.SearchStrategy[str], most: int = 3
) -> str:
    """Draw a valid text with a part removed, and something else inserted."""
    text = draw(st.sampled_from(wholes))
    for _ in range(draw(st.integers(0, most))):
        start = draw(st.integers(0, len(text)))
        size = draw(st.sampled_from([0, 0, 1, 3, 30]))
        text = text[:start] + draw(spoils) + text[start + size :]
    return text


@st.composite
def walks(draw: st.DrawFn, dialect: Dialect, mode: Mode) -> str:
    """Draw a text that walks through transitions, to reach states that `soup` seldom reaches."""
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
        rows = [
            (m, transition)
            for (source, m), transition in table.transitions.items()
            if source == state
        ]
        if not rows:
            break
        text.append(draw(filling))
        marker, transition = draw(st.sampled_from(rows))
        text.append(draw(st.sampled_from(spellings(table.markers[marker]))))
        state = transition.to
    return "".join(text) + draw(filling)


@cache
def texts(dialect: Dialect, mode: Mode = "lenient") -> st.SearchStrategy[str]:
    """Return a hypothesis strategy for texts that *dialect* is to parse.

    Most of them are close to its format: walks through its transitions, its sample and turns with
    a part removed or inserted, and markers in any order. Some are arbitrary texts.

    Args:
        dialect: The dialect.
        mode: ``"strict"`` or ``"lenient"`` for one turn, ``"transcript"`` for whole runs.
    """
    wholes = [dialect.sample, *written(dialect)]
    near = (walks(dialect, mode), damaged(wholes, pieces(dialect)))
    return st.one_of(*near, soup(dialect), *near, anything())


@cache
def cuts() -> st.SearchStrategy[list[int]]:
    """Return a strategy for chunk sizes, some of them 0; see `cut`."""
    sizes = st.sampled_from([1, 2, 3, 5, 8, 20, 0])
    return st.lists(sizes, min_size=1, max_size=6).filter(any)


@cache
def tool_lists(dialect: Dialect) -> st.SearchStrategy[list[str] | None]:
    """Return a strategy for `None`, and for tool lists with and without the usual tools."""
    usual = sorted({"search", sample_action(dialect).tool, "word"})
    return st.sampled_from([None, None, ["other"], usual])


def policies() -> st.SearchStrategy[OnConflict]:
    """Return a strategy for the ``on_conflict`` policies."""
    return st.sampled_from(("error", "error", "first", "action", "answer"))


# -- steps -----------------------------------------------------------------------------------------

Step: TypeAlias = "AgentAction | AgentFinish"


@cache
def plain_tool(dialect: Dialect) -> st.SearchStrategy[str]:
    """Return a strategy for tool names that the dialect can write."""
    names = ["search", "look_up", "Calculator", "tool2"]
    return st.sampled_from(names if a_tool(dialect) == "search" else [a_tool(dialect)])


@cache
def plain_input(dialect: Dialect) -> st.SearchStrategy[Any]:
    """Return a strategy for inputs of the type that the sample of the dialect has."""
    sample = sample_action(dialect).tool_input
    if isinstance(sample, str):
        is_code = "(" in sample  # without the closer, the input must be valid Python
        return plain().map("print({!r})".format) if is_code else plain()
    return st.dictionaries(st.sampled_from(["query", "unit"]), plain(), min_size=1)


def numbers() -> st.SearchStrategy[int]:
    """Return a strategy for the number of a step."""
    return st.integers(1, 99)


@cache
def wild(dialect: Dialect) -> st.SearchStrategy[str]:
    """Return a strategy for a part of a step: plain words, markers, or any text."""
    return st.one_of(
        plain(), st.lists(pieces(dialect), max_size=3).map("".join), plain_and(dialect), anything()
    )


@st.composite
def plain_and(draw: st.DrawFn, dialect: Dialect) -> str:
    """Draw plain words with a piece of the dialect between them."""
    return draw(plain()) + draw(pieces(dialect)) + draw(plain())


def drawn(strategy: st.SearchStrategy[str]) -> st.SearchStrategy[str]:
    """Return *strategy* with a short `repr`; Hypothesis warns about long ones."""

    @st.composite
    def draw_one(draw: st.DrawFn) -> str:
        return draw(strategy)

    return draw_one()


@cache
def wild_input(dialect: Dialect) -> st.SearchStrategy[Any]:
    """Return a strategy for any input, whether or not the dialect can write it."""
    part = drawn(wild(dialect))
    leaves = st.none() | st.booleans() | st.integers() | st.floats() | part
    # A part may be as long as a whole run, so there are only a few.
    values = st.recursive(
        leaves,
        lambda v: st.lists(v, max_size=3) | st.dictionaries(part, v, max_size=3),
        max_leaves=8,
    )
    objects = st.dictionaries(plain(), values, max_size=3)
    return wild(dialect) | wild(dialect) | plain_input(dialect) | objects


@cache
def thoughts(dialect: Dialect) -> st.SearchStrategy[str]:
    """Return a strategy for thoughts: empty, plain, or hard to write."""
    return st.one_of(st.just(""), plain(), wild(dialect))


@cache
def observations(dialect: Dialect) -> st.SearchStrategy[str]:
    """Return a strategy for observations, some with markers of *dialect*."""
    return wild(dialect) | soup(dialect)


@cache
def forgeries(dialect: Dialect) -> st.SearchStrategy[str]:
    """Return a strategy for observations that look like the turns around them."""
    part = st.sampled_from(
        [*template_marks(dialect), *dialect.turn_frame, *written(dialect), "\\", "\n"]
    )
    return st.lists(part | plain(), max_size=6).map("".join)


@cache
def failed_turns(dialect: Dialect) -> st.SearchStrategy[str]:
    """Return a strategy for failed turns that contain text that occurs only in results."""
    part = st.sampled_from([*given_texts(dialect), "\n"])
    return st.lists(part | plain(), max_size=4).map("".join).map("Hm. {}x".format)


@cache
def turns_and_results(dialect: Dialect) -> st.SearchStrategy[tuple[str, str]]:
    """Return a strategy for turns with words before an action, and results that look like turns."""
    action = {"action": a_tool(dialect), "action_input": "a"}
    fence = "`" * 3
    calls = [*written(dialect), json.dumps(action), f"{fence}{json.dumps(action)}{fence}"]
    other = json.dumps({"action": "other", "action_input": "b"})
    results = [*calls, other, f"{fence}json\n{other}\n{fence}", "\n", "no"]
    leads = st.sampled_from(["", "I look: ", "I look.\n", "I see {} in it: "])
    turns = st.tuples(leads, st.sampled_from(calls)).map("".join)
    return st.tuples(turns, st.lists(st.sampled_from(results), min_size=1, max_size=3).map("".join))


@cache
def steps(dialect: Dialect) -> st.SearchStrategy[Step]:
    """Return a strategy for actions and answers, some of which *dialect* may not be able to write.

    `DialectParser.render` raises a `ValueError` for those.
    """
    tool = st.one_of(plain_tool(dialect), wild(dialect))
    actions: st.SearchStrategy[Step] = st.builds(
        AgentAction, tool, wild_input(dialect), st.just("")
    )
    return actions | wild(dialect).map(_answer)


def _answer(text: str) -> AgentFinish:
    return AgentFinish({"output": text}, "")


@st.composite
def plain_steps(draw: st.DrawFn, dialect: Dialect) -> list[tuple[str, AgentAction, str]]:
    """Draw the steps of a run: a thought, an action and an observation each."""
    step = st.tuples(
        plain(),
        plain_actions(dialect),
        plain() | st.lists(plain(), min_size=1, max_size=3).map("\n".join),
    )
    return draw(st.lists(step, min_size=1, max_size=5))


@cache
def plain_actions(dialect: Dialect) -> st.SearchStrategy[AgentAction]:
    """Return a strategy for actions of plain words."""
    return st.builds(AgentAction, plain_tool(dialect), plain_input(dialect), st.just(""))


@cache
def plain_turns(dialect: Dialect) -> st.SearchStrategy[tuple[Step, str, int]]:
    """Return a strategy for an action or answer with a thought and number, in plain words."""
    steps: st.SearchStrategy[Step] = plain_actions(dialect) | plain().map(_answer)
    thoughts = st.just("") | plain() if dialect.thinks else st.just("")
    return st.tuples(steps, thoughts, numbers())


@cache
def wild_turns(dialect: Dialect) -> st.SearchStrategy[tuple[Step, str, int]]:
    """Return a strategy for an action or answer with a thought and number, in any text."""
    return st.tuples(steps(dialect), thoughts(dialect), numbers())


@cache
def turns(dialect: Dialect) -> st.SearchStrategy[Turn]:
    """Return a strategy for turns that *dialect* can write, as a parser returns them.

    A `Turn` has the action or answer as ``result``, the ``thought``, and the text as
    ``result.log``.
    """
    parser = get_parser(dialect, lenient=False)
    return plain_turns(dialect).map(
        lambda said: parser.read(parser.render(said[0], thought=said[1], number=said[2]))
    )
