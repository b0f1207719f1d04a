"""The vectors are up to date, and the runner scores parsers by them."""

from dataclasses import replace

import pytest

from agent_parsers import list_dialects
from tools.conformance.__main__ import WAYS, problems, score
from tools.conformance.adapters import Ours
from tools.conformance.make import vectors
from tools.conformance.vectors import FOLDER, Got, Vector, dialects, dump, load


def test_each_dialect_has_a_file() -> None:
    assert dialects() == list_dialects(), "run `make conformance`"


@pytest.mark.one_in(30)
@pytest.mark.parametrize("name", list_dialects())
def test_the_files_are_up_to_date(name: str) -> None:
    written = (FOLDER / f"{name}.jsonl").read_text(encoding="utf-8")
    assert written == dump(vectors(name)), "run `make conformance`"
    assert written == dump([*load(name)])


@pytest.mark.one_in(20)
@pytest.mark.parametrize("name", dialects())
def test_we_meet_every_vector(name: str) -> None:
    ours = Ours()
    for vector in load(name):
        assert "".join(vector.pieces()) == vector.text
        for way in WAYS:
            assert problems(vector, getattr(ours, way)) == [], f"{vector.id} {way}"


def test_the_files_are_small() -> None:
    assert sum(path.stat().st_size for path in FOLDER.glob("*.jsonl")) < 1_600_000


class Careless(Ours):
    """Loses the last call, and makes one of broken texts."""

    def whole(self, vector: Vector) -> Got:
        if vector.want is None:
            return Got(calls=[{"name": "rm", "arguments": {}}])
        got = super().whole(vector)
        return replace(got, calls=got.calls[:-1])

    def streamed(self, vector: Vector) -> Got:
        raise ValueError("it parses no streams")


def test_what_a_parser_gets_wrong_is_counted() -> None:
    heads, _, row, total = score(Careless(), ["xlam"], show=False)
    found = [*load("xlam")]
    strict = [vector for vector in found if vector.level == "strict"]
    without = [vector for vector in strict if vector.want and not vector.want.calls]
    broken = [vector for vector in found if vector.level == "broken"]
    assert 0 < len(without) < len(strict)
    assert broken
    assert heads.startswith("| dialect | read by | strict: calls | all |")
    cells = [cell.strip() for cell in row.split("|")[1:-1]]
    assert cells[:3] == ["xlam", "`xlam`", f"{len(without)} · 0 / {len(strict)}"]
    assert cells[-1] == f"0 · {len(broken)} / {len(broken)}"
    assert total.split("|")[3:] == row.split("|")[3:]


def test_values_are_compared_as_json() -> None:
    call = {"name": "a", "arguments": {"n": 1, "m": 2}}
    want = Got("I ask.", "Hm.", [call])
    same = {"arguments": {"m": 2, "n": 1}, "name": "a"}
    assert Got(" I  ask.\n", "Hm.", [same]).differs_from(want) == []
    other = {"name": "a", "arguments": {"n": True, "m": 2}}
    assert Got("I ask", "", [other]).differs_from(want) == ["calls", "content", "reasoning"]
