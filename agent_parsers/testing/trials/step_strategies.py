"""Hypothesis strategies for steps that a dialect can write, and for any steps."""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING, Any, TypeAlias

from agent_parsers import AgentAction, AgentFinish, get_parser
from agent_parsers.testing.trials.hypothesis import st
from agent_parsers.testing.trials.pieces import a_tool, sample_action, template_marks, written
from agent_parsers.testing.trials.strategies import anything, pieces, plain, soup

if TYPE_CHECKING:
    from agent_parsers import Dialect, Turn

__all__ = [
    "numbers",
    "observations",
    "plain_actions",
    "plain_input",
    "plain_steps",
    "plain_tool",
    "plain_turns",
    "steps",
    "thoughts",
    "turns",
    "wild",
    "wild_input",
    "wild_turns",
]

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
    """Return a strategy for an action or answer with a thought and number, of any text."""
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
