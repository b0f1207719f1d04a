"""A dialect checks itself when it is built, and says what is wrong with it."""

import copy
import pickle
import re
from collections.abc import Mapping
from dataclasses import FrozenInstanceError, replace
from typing import Any

import pytest
from pydantic import BaseModel

from agent_parsers import Dialect, get_dialect, list_dialects
from agent_parsers.engine import (
    BracketCall,
    Cut,
    Go,
    Literal,
    Note,
    Problem,
    Role,
    Table,
    Written,
)

WRONG = Problem("wrong", "Do better.")


def table(**changes: Any) -> Table:
    """A small table that holds together."""
    parts: dict[str, Any] = {
        "markers": {"say": Literal("SAY ")},
        "roles": {"thought": Role.THOUGHT, "answer": Role.ANSWER},
        "moves": {("thought", "say"): Go("answer")},
    }
    return Table(**{**parts, **changes})


def dialect(strict: Table, **changes: Any) -> Dialect:
    """A small dialect that holds together if its table does."""
    parts: dict[str, Any] = {
        "name": "small",
        "summary": "only answers",
        "sample": "SAY hello",
        "lenient": table(),
        "problems": {"nothing": WRONG},
        "stop": (),
        "write": lambda step: f"SAY {step.answer}",
        "write_observation": lambda observation, _number: observation,
        "instructions": "",
    }
    return Dialect(strict=strict, **{**parts, **changes})


# -- tables --------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("changes", "reason"),
    [
        ({"moves": {("prose", "say"): Go("answer")}}, "moves: state 'prose' has no role"),
        ({"moves": {("thought", "say"): Go("end")}}, "moves: state 'end' has no role"),
        ({"moves": {("thought", "say"): Cut("end")}}, "moves: state 'end' has no role"),
        (
            {"moves": {("thought", "act"): Go("answer")}},
            "moves: marker 'act' of state 'thought' is not declared",
        ),
        (
            {"moves": {("thought", "say"): Note("answer")}},
            "moves: a note on 'say' changes the role of 'thought'",
        ),
        (
            {"markers": {"say": Literal("SAY "), "z": Literal("Z"), "a": Literal("A")}},
            "markers: ['a', 'z'] occur in no move",
        ),
        ({"roles": {}, "moves": {}, "markers": {}}, "roles: a table has at least one state"),
        ({"ends": {"end": "nothing"}}, "state 'end' has no role"),
        ({"transcript_start": "question"}, "state 'question' has no role"),
    ],
)
def test_a_table_that_does_not_hold_together_is_refused(
    changes: Mapping[str, Any], reason: str
) -> None:
    with pytest.raises(ValueError, match=f"^{re.escape(reason)}$"):
        table(**changes)


def test_a_turn_begins_in_the_first_state() -> None:
    assert table().initial == "thought"


def test_a_note_may_lead_to_another_state_of_the_same_role() -> None:
    roles = {"thought": Role.THOUGHT, "draft": Role.THOUGHT}
    moves = {("thought", "say"): Note("draft")}
    assert table(roles=roles, moves=moves).moves == moves


def test_a_table_cannot_be_changed() -> None:
    with pytest.raises(FrozenInstanceError):
        table().mends = True  # type: ignore[misc]  # that is the point


# -- dialects ------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("strict", "changes", "reason"),
    [
        (table(), {"problems": {}}, "dialect 'small': no problem ['nothing'] (strict)"),
        (
            table(ends={"thought": "early", "answer": "late"}),
            {},
            "dialect 'small': no problem ['early', 'late'] (strict)",
        ),
        (
            table(moves={("thought", "say"): Go("answer", clash="both")}),
            {},
            "dialect 'small': no problem ['both'] (strict)",
        ),
        (
            table(roles={"thought": Role.THOUGHT, "answer": Role.TOOL}),
            {},
            "dialect 'small': no problem ['long_tool', 'no_input', 'no_tool'] (strict)",
        ),
        (
            table(
                roles={"thought": Role.THOUGHT, "answer": Role.CALL},
                new_call=BracketCall,
            ),
            {"problems": dict.fromkeys(("nothing", "no_tool"), WRONG)},
            "dialect 'small': no problem ['after_call', 'no_call', 'open_call'] (strict)",
        ),
        (
            table(roles={"thought": Role.THOUGHT, "answer": Role.CALL}),
            {
                "problems": dict.fromkeys(
                    ("nothing", "after_call", "no_call", "no_tool", "open_call"), WRONG
                )
            },
            "dialect 'small': a call state but no new_call (strict)",
        ),
        (
            table(),
            {"lenient": table(ends={"thought": "early"})},
            "dialect 'small': no problem ['early'] (lenient)",
        ),
    ],
)
def test_a_dialect_that_does_not_hold_together_is_refused(
    strict: Table, changes: dict[str, Any], reason: str
) -> None:
    with pytest.raises(ValueError, match=f"^{re.escape(reason)}$"):
        dialect(strict, **changes)


def test_a_dialect_may_have_problems_that_it_does_not_use() -> None:
    problems = {"nothing": WRONG, "other": WRONG}
    assert dialect(table(), problems=problems).problems == problems


@pytest.mark.parametrize("name", list_dialects())
def test_a_dialect_pickles_by_its_name(name: str) -> None:
    known = get_dialect(name)
    assert pickle.loads(pickle.dumps(known)) is known
    assert copy.deepcopy(known) is known


def test_a_dialect_that_is_not_registered_cannot_be_pickled() -> None:
    with pytest.raises(pickle.PicklingError, match=r"'small' is pickled by name; register\(\)"):
        pickle.dumps(dialect(table()))


def test_a_copy_of_a_dialect_is_the_same() -> None:
    one = dialect(table())
    assert copy.copy(one) is copy.deepcopy(one) is one


def test_a_dialect_is_equal_to_itself_alone() -> None:
    one = dialect(table())
    assert one != replace(one)
    assert {one: 1}[one] == 1


def test_a_model_may_hold_a_dialect() -> None:
    class Settings(BaseModel):
        dialect: Dialect

    one = dialect(table())
    assert Settings(dialect=one).dialect is one
    with pytest.raises(ValueError, match="instance of Dialect"):
        Settings(dialect="react")  # type: ignore[arg-type]  # that is the point


@pytest.mark.parametrize("name", list_dialects())
def test_a_dialect_goes_by_names_of_its_own(name: str) -> None:
    known = get_dialect(name)
    assert known.name == name
    assert name not in known.aliases
    others = [get_dialect(other) for other in list_dialects() if other != name]
    taken = {word for other in others for word in (other.name, *other.aliases)}
    assert not taken & {name, *known.aliases}


@pytest.mark.parametrize("name", list_dialects())
def test_a_dialect_speaks_of_all_tools_in_its_instructions(name: str) -> None:
    instructions = get_dialect(name).instructions
    assert "{tools}" in instructions
    assert instructions == instructions.strip()


@pytest.mark.parametrize("name", list_dialects())
def test_a_dialect_stops_before_the_observation_it_writes(name: str) -> None:
    known = get_dialect(name)
    observation = known.write_observation("seen", 3)
    assert known.closer in known.stop or any(stop in observation for stop in known.stop)
    written = known.write(Written("a thought", answer="an answer", number=3))
    assert not any(stop in written.removesuffix(known.closer) for stop in known.stop)
