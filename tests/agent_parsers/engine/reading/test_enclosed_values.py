"""Values that lack their own closer; docs/safety.md names the dialects concerned."""

import re
from pathlib import Path
from typing import get_args

import pytest

from agent_parsers import (
    AgentAction,
    Dialect,
    MultiActionDialectParser,
    OutputParserException,
)
from outputs.messages.ended import Ended

from ....helpers.stories import DIALECTS, named

PAGE = Path(__file__).parents[4] / "docs" / "safety.md"
HEAD = "| closer of a value | dialects without a block around the calls | with one |"

OPEN = (True, True, False)
"""Whether a value is taken after each of the three ends, if one closer encloses it."""
WHOLE = (True, True, True)
"""The same if the closers of the call and of the block around it follow."""


def note(place: str, unit: str) -> str:
    """Write down a place."""
    return place + unit


def table() -> list[set[str]]:
    """Return the dialects in each of the last two columns of the table."""
    rows = PAGE.read_text("utf-8").partition(HEAD)[2].partition("\n\n")[0].splitlines()[2:]
    cells = [row.strip("|").split("|")[1:] for row in rows]
    return [set(re.findall(r"`(\w+)`", " ".join(column))) for column in zip(*cells, strict=True)]


def outcomes(dialect: Dialect) -> set[tuple[bool, ...]]:
    """Return what is taken if the text right behind a value is missing, whatever its length."""
    parser = MultiActionDialectParser(dialect=dialect, tools=[note], lenient=True)
    call = AgentAction("note", {"place": "Oslo", "unit": "quux"}, "")
    text = parser.render([call])

    def is_taken(text: str, ended: Ended) -> bool:
        try:
            result = parser.parse(text, ended=ended)
        except OutputParserException:
            return False
        calls = result if isinstance(result, list) else [result]
        made = [(each.tool, each.tool_input) for each in calls if isinstance(each, AgentAction)]
        return made == [(call.tool, call.tool_input)]

    end = text.index("quux") + len("quux")
    cuts = [text[:end] + text[start:] for start in range(end + 1, len(text))]
    found = {tuple(is_taken(cut, ended) for ended in get_args(Ended)) for cut in cuts}
    return found & {OPEN, WHOLE}


@pytest.mark.parametrize("dialect", [d for d in DIALECTS if d.several], ids=named)
def test_the_page_names_a_dialect_that_takes_a_value_without_its_closer(dialect: Dialect) -> None:
    taken = outcomes(dialect)
    bare, blocks = (dialect.name in column for column in table())
    assert bare == (OPEN in taken and WHOLE not in taken)
    assert blocks == (OPEN in taken and WHOLE in taken)
