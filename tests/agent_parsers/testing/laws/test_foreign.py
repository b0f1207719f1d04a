"""No call of a dialect is an answer in another."""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING
from zlib import crc32

import pytest

from agent_parsers import get_dialect
from agent_parsers.engine.reading.collecting import collector
from agent_parsers.foreign import finding
from agent_parsers.testing import laws
from agent_parsers.testing.laws.broken import BrokenLawError
from agent_parsers.testing.trials.sample_calls import foreign_turns

from ....helpers.effort import THOROUGH
from ....helpers.stories import DIALECTS, every_dialect, is_tried

if TYPE_CHECKING:
    from agent_parsers import Dialect, ToolSet
    from agent_parsers.testing.trials.sample_calls import Meant

    Turn = tuple[str, ToolSet, list[Meant]]

EACH = 4 if THOROUGH else 1
"""How many turns of each dialect are tried on another."""


@cache
def turns(dialect: Dialect) -> list[Turn]:
    return [(turn.text, tools, meant) for turn, tools, meant in foreign_turns(dialect) if tools]


def turns_for(dialect: Dialect, owner: Dialect) -> list[Turn]:
    found = turns(owner)
    if not found:
        return []
    first = crc32(f"{dialect.name} {owner.name}".encode())
    step = len(found) // EACH + 1
    return [found[(first + number * step) % len(found)] for number in range(EACH)]


@every_dialect
def test_no_call_of_another_dialect_is_an_answer(dialect: Dialect) -> None:
    for owner in DIALECTS:
        if owner is dialect or not is_tried(owner, dialect.name):
            continue
        for text, tools, meant in turns_for(dialect, owner):
            laws.no_call_is_an_answer(dialect, text, meant=meant, tools=tools)


def test_most_dialects_have_turns_for_others() -> None:
    without = [dialect.name for dialect in DIALECTS if not turns(dialect)]
    assert without == ["self_ask", "smolagents_code"]


# -- bugs that the law catches ---------------------------------------------------------------------


def broken_by(name: str, owner: str) -> None:
    dialect = get_dialect(name)
    for text, tools, meant in turns(get_dialect(owner)):
        laws.no_call_is_an_answer(dialect, text, meant=meant, tools=tools)


def test_it_catches_that_nobody_looks(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(collector, "foreign_calls", lambda *_: ())
    with pytest.raises(BrokenLawError, match="it is read as"):
        broken_by("hermes", "mistral")


def test_it_catches_that_only_shapes_are_tried(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(finding, "_in_dialects", lambda *_: None)
    with pytest.raises(BrokenLawError, match="it is read as"):
        broken_by("hermes", "kimi_k2")


def test_it_catches_a_call_that_is_left_out(monkeypatch: pytest.MonkeyPatch) -> None:
    find = finding.find_foreign

    def first(text: str, tools: ToolSet | None, over: int) -> finding.Foreign | None:
        found = find(text, tools, over)
        return None if found is None else found._replace(calls=found.calls[:1])

    monkeypatch.setattr(finding, "find_foreign", first)
    with pytest.raises(BrokenLawError, match="it makes"):
        broken_by("hermes", "mistral")
