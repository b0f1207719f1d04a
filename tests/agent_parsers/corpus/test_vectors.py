"""What other projects' tests expect of a text, for the dialects that we share with them.

The vectors are not part of this project: without them these tests are skipped, but not in CI. Each
text is read as a whole, strictly and leniently, and in chunks, in thorough runs character by
character. `MET` has how many are met of those that we agree on, and of each verdict about the
others; every vector that is not met has a verdict and a cause.
"""

from __future__ import annotations

import os
from collections import Counter
from functools import cache
from typing import TYPE_CHECKING, Final

import pytest

from tools.benchmarks.vectors import CHUNK, FILES, FOLDER, VERDICTS, differs, vectors_of, verdicts

from ...helpers.effort import THOROUGH

if TYPE_CHECKING:
    from collections.abc import Mapping

if not FOLDER.is_dir() and os.environ.get("CI") != "true":
    pytest.skip(f"there are no vectors in {FOLDER}", allow_module_level=True)

MET: Final[Mapping[str, Mapping[str, tuple[int, int]]]] = {
    "vectors": {"agreed": (410, 410), "ours right": (0, 52), "taste": (4, 28), "option": (0, 6)},
    "vectors4": {
        "agreed": (185, 185), "reference right": (14, 16), "ours right": (0, 45), "taste": (0, 12),
        "option": (0, 2),
    },
}  # fmt: skip
"""Vectors that are met, and all of them."""
STRICT: Final[Mapping[str, int]] = {"vectors": 374, "vectors4": 169}
"""How many of those that we agree on are met in strict mode."""
LEAST: Final = 0.87
"""The part of the vectors that is met where the reference is right."""


@cache
def failures(name: str, way: str) -> frozenset[str]:
    size = 1 if THOROUGH else CHUNK
    return frozenset(each["id"] for each in vectors_of(name) if differs(each, way, size))


def verdict_of(vector: str) -> str:
    return verdicts().get(vector, ("agreed", ""))[0]


@pytest.mark.parametrize("name", FILES)
def test_as_many_are_met_as_the_table_says(name: str) -> None:
    every = Counter(verdict_of(each["id"]) for each in vectors_of(name))
    failed = Counter(map(verdict_of, failures(name, "lenient")))
    assert {verdict: (every[verdict] - failed[verdict], every[verdict]) for verdict in every} == (
        MET[name]
    )


def test_where_the_reference_is_right_nearly_all_are_met() -> None:
    met = [MET[name].get("reference right", (0, 0)) for name in FILES]
    assert sum(each for each, _ in met) >= LEAST * sum(every for _, every in met)


def test_each_that_is_not_met_has_a_cause() -> None:
    listed = [
        name for causes in VERDICTS.values() for each in causes.values() for name in each.split()
    ]
    assert len(listed) == len({*listed})
    assert {*listed} <= {each["id"] for name in FILES for each in vectors_of(name)}
    assert {vector for name in FILES for vector in failures(name, "lenient")} <= {*listed}


@pytest.mark.parametrize("name", FILES)
def test_as_many_are_met_strictly(name: str) -> None:
    agreed = {each["id"] for each in vectors_of(name) if verdict_of(each["id"]) == "agreed"}
    assert len(agreed - failures(name, "strict")) == STRICT[name]


@pytest.mark.parametrize("name", FILES)
def test_chunks_make_no_difference(name: str) -> None:
    assert failures(name, "streamed") == failures(name, "lenient")
