"""Numbers between limits: the checks of schemas take all that a grammar has, and it has all."""

from __future__ import annotations

import json
from fractions import Fraction
from random import Random
from typing import Any

import pytest

from agent_parsers import get_dialect
from agent_parsers.decoding.parts.tree import Grammar, Notes, NoValue, Text
from agent_parsers.decoding.values import numbers
from agent_parsers.decoding.values.cases import cases
from agent_parsers.decoding.values.numbers import integer, number
from agent_parsers.decoding.values.patterns import automaton_of
from agent_parsers.toolset.schemas.scalars import number_faults
from agent_parsers.toolset.schemas.schema import Schema

from ...helpers.grammar_samples import Sampler

STEPS = (None, None, None, 1, 5, 7, 0.1, 0.25, 0.01)


def drawn_limits(random: Random, kind: str) -> dict[str, Any]:
    node: dict[str, Any] = {"type": kind}
    for keywords in (("minimum", "exclusiveMinimum"), ("maximum", "exclusiveMaximum")):
        if random.random() < 0.7:
            size = random.choice((1, 1, 20, 1000))
            value = round(random.uniform(-size, size), random.choice((0, 0, 1, 3)))
            node[random.choice(keywords)] = int(value) if value.is_integer() else value
    step = random.choice(STEPS)
    return node if step is None else node | {"multipleOf": step}


@pytest.mark.parametrize("kind", ["integer", "number"])
def test_a_grammar_has_just_the_numbers_between_limits(kind: str) -> None:
    random, tried, sampled = Random(kind), 0, 0
    for _ in range(150):
        node, notes = drawn_limits(random, kind), Notes()
        (case,) = cases(Schema(node), node, notes)
        try:
            made = integer(case, notes) if kind == "integer" else number(case, notes)
        except NoValue:
            assert not [*fitting(node, random)], node
            continue
        automaton = made.automaton if isinstance(made, Text) else automaton_of(made)
        sampler = Sampler(get_dialect("react"), Grammar(made), 1)
        for _ in range(10):
            sentence = sampler.sentence()
            value = json.loads(sentence)
            assert notes.found or not [*number_faults(value, node)], (node, sentence)
            sampled += 1
        for value in fitting(node, random):
            assert automaton.accepts(value), (node, value)
            tried += 1
    assert min(tried, sampled) > 500


def fitting(node: dict[str, Any], random: Random) -> list[str]:
    """Return numbers that fit *node*, near its limits and elsewhere, as they are written."""
    found = []
    limits = [Fraction(str(value)) for key, value in node.items() if "imum" in key] or [Fraction(0)]
    for _ in range(40):
        digits = 0 if node["type"] == "integer" else random.choice((0, 1, 2, 4))
        away = random.choice((0, 0, 1, 3, 50)) * Fraction(random.randint(-20, 20), 20)
        value = round(random.choice(limits) + away, digits) if digits else round(limits[0] + away)
        written = json.dumps(float(value) if digits else int(value))
        if "." in written:
            written = written.rstrip("0").rstrip(".") if digits else written
        if not [*number_faults(json.loads(written), node)] and written != "-0":
            found.append(written)
    return found


def test_a_limit_that_is_exceeded_is_found(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(numbers, "floor", lambda value: int(value // 1) + 1)
    with pytest.raises(AssertionError, match="imum"):
        test_a_grammar_has_just_the_numbers_between_limits("number")
