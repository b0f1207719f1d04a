"""The declaration of a dialect: what it needs, and the errors that problems become."""

import copy
import pickle
import re
from collections.abc import Mapping
from dataclasses import FrozenInstanceError, replace
from typing import Any

import pytest
from pydantic import BaseModel

from agent_parsers import (
    AgentAction,
    Dialect,
    DialectParser,
    OutputParserException,
    get_dialect,
    list_dialects,
)
from agent_parsers.authoring import (
    BracketCall,
    EndTurn,
    Go,
    Label,
    Literal,
    Note,
    Part,
    Problem,
    Result,
    Table,
    Written,
    read_json_input,
)
from agent_parsers.engine.repairs.inputs import (
    repair_answer,
    repair_object_input,
    repair_written_input,
)
from agent_parsers.engine.repairs.names import repair_tool_name

# A dialect checks itself when it is built, and its errors say what is wrong.

WRONG = Problem("wrong", "Do better.")


def table(**changes: Any) -> Table:
    """A small consistent table."""
    parts: dict[str, Any] = {
        "markers": {"say": Literal("SAY ")},
        "parts": {"thought": Part.THOUGHT, "answer": Part.ANSWER},
        "transitions": {("thought", "say"): Go("answer")},
    }
    return Table(**{**parts, **changes})


def dialect(strict: Table, **changes: Any) -> Dialect:
    """A small dialect, consistent if its table is."""
    parts: dict[str, Any] = {
        "name": "small",
        "summary": "only answers",
        "sample": "SAY hello",
        "lenient": table(),
        "problems": {"no_action_or_answer": WRONG},
        "stop": (),
        "write": lambda step: f"SAY {step.answer}",
        "render_observation": lambda observation, _number: observation,
        "prompt": "",
    }
    parts = {**parts, **changes}
    if parts["lenient"] is None:
        del parts["lenient"]
    return Dialect(strict=strict, **parts)


# -- tables --------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("changes", "reason"),
    [
        (
            {"transitions": {("prose", "say"): Go("answer")}},
            "transitions: state 'prose' is not in parts",
        ),
        (
            {"transitions": {("thought", "say"): Go("end")}},
            "transitions: state 'end' is not in parts",
        ),
        (
            {"transitions": {("thought", "say"): EndTurn("end")}},
            "transitions: state 'end' is not in parts",
        ),
        (
            {"transitions": {("thought", "act"): Go("answer")}},
            "transitions: marker 'act' of 'thought' is not in markers",
        ),
        (
            {"transitions": {("thought", "say"): Note("answer")}},
            "transitions: Note 'say' must lead to a state with the same part as 'thought'",
        ),
        (
            {"markers": {"say": Literal("SAY "), "z": Literal("Z"), "a": Literal("A")}},
            "markers: ['a', 'z'] occur in no transition",
        ),
        (
            {"parts": {}, "transitions": {}, "markers": {}},
            "parts: a table needs at least one state",
        ),
        ({"ends": {"end": "no_action_or_answer"}}, "state 'end' is not in parts"),
        ({"transcript_start": "question"}, "state 'question' is not in parts"),
    ],
)
def test_an_inconsistent_table_is_refused(changes: Mapping[str, Any], reason: str) -> None:
    with pytest.raises(ValueError, match=f"^{re.escape(reason)}$"):
        table(**changes)


def test_a_turn_begins_in_the_first_state() -> None:
    assert table().initial == "thought"


def test_a_note_may_lead_to_another_state_of_the_same_part() -> None:
    parts = {"thought": Part.THOUGHT, "draft": Part.THOUGHT}
    transitions = {("thought", "say"): Note("draft")}
    assert table(parts=parts, transitions=transitions).transitions == transitions


def test_a_table_cannot_be_changed() -> None:
    with pytest.raises(FrozenInstanceError):
        table().lenient = True  # type: ignore[misc]  # that is the point


# -- a strict table as a lenient one -------------------------------------------------------------

LABELS = Table(
    markers={"tool": Label("Tool"), "with": Label("With"), "say": Label("Say")},
    parts={"thought": Part.THOUGHT, "tool": Part.TOOL, "with": Part.INPUT, "answer": Part.ANSWER},
    transitions={
        ("thought", "tool"): Go("tool"),
        ("tool", "with"): Go("with"),
        ("with", "say"): EndTurn("answer"),
        ("thought", "say"): Go("answer"),
        ("answer", "say"): Go("answer"),
    },
)


def test_lenient_labels_may_be_dressed_but_are_firm_within_values() -> None:
    lenient = LABELS.as_lenient()
    assert lenient.lenient
    assert lenient.markers["tool"] == Label("Tool", loose=True)
    firm = {row for row, transition in lenient.transitions.items() if transition.firm}
    assert firm == {("with", "say"), ("answer", "say")}
    assert lenient.as_lenient() is lenient


def test_codecs_of_the_engine_become_lenient_and_others_stay() -> None:
    def own(text: str, _repairs: object) -> str:
        return text

    assert LABELS.as_lenient().read_input is repair_written_input
    assert LABELS.as_lenient().read_tool is repair_tool_name
    assert LABELS.as_lenient().read_answer is repair_answer
    assert (
        replace(LABELS, read_input=read_json_input).as_lenient().read_input is repair_object_input
    )
    other = replace(LABELS, read_input=own, read_answer=own).as_lenient()
    assert (other.read_input, other.read_answer) == (own, own)


def test_without_a_lenient_table_the_strict_one_is_made_lenient() -> None:
    parser = DialectParser(dialect=dialect(LABELS, lenient=None), lenient=True)
    turn = parser.read("**tool:** search\nWith: `x`\nSay: no")
    assert isinstance(turn.result, AgentAction)
    assert (turn.result.tool, turn.result.tool_input) == ("search", "x")
    assert {repair.kind for repair in turn.repairs} == {"label", "backticks", "invented"}


def test_an_invented_step_is_an_error_in_strict_mode() -> None:
    strict = DialectParser(dialect=dialect(LABELS))
    with pytest.raises(OutputParserException, match="the model must not write") as caught:
        strict.parse("Tool: search\nWith: x\nSay: no")
    assert caught.value.span == (21, 28)


# -- dialects ------------------------------------------------------------------------------------


class OddCall(BracketCall):
    problems = frozenset({"no_call", "odd_call"})


@pytest.mark.parametrize(
    ("strict", "changes", "reason"),
    [
        (
            table(ends={"thought": "soon", "answer": "late"}),
            {},
            "dialect 'small': strict table has undefined problems ['late', 'soon']",
        ),
        (
            table(transitions={("thought", "say"): Go("answer", clash="twice")}),
            {},
            "dialect 'small': strict table has undefined problems ['twice']",
        ),
        (
            table(parts={"thought": Part.THOUGHT, "answer": Part.CALL}, new_call=OddCall),
            {},
            "dialect 'small': strict table has undefined problems ['odd_call']",
        ),
        (
            table(parts={"thought": Part.THOUGHT, "answer": Part.CALL}),
            {},
            "dialect 'small': strict call states need new_call=",
        ),
        (
            table(),
            {"lenient": table(ends={"thought": "soon"})},
            "dialect 'small': lenient table has undefined problems ['soon']",
        ),
        (
            Table(
                markers={"say": Label("SAY"), "tell": Label("Say")},
                parts={"thought": Part.THOUGHT, "answer": Part.ANSWER},
                transitions={("thought", "say"): Go("answer"), ("thought", "tell"): Go("answer")},
            ),
            {"lenient": None},
            "dialect 'small': markers 'say' and 'tell' have the same spelling (lenient)",
        ),
    ],
)
def test_an_inconsistent_dialect_is_refused(
    strict: Table, changes: dict[str, Any], reason: str
) -> None:
    with pytest.raises(ValueError, match=f"^{re.escape(reason)}$"):
        dialect(strict, **changes)


def test_a_dialect_may_have_problems_that_it_does_not_use() -> None:
    problems = {"no_action_or_answer": WRONG, "other": WRONG}
    assert dialect(table(), problems=problems).problems == problems


@pytest.mark.parametrize("name", list_dialects())
def test_a_dialect_pickles_by_its_name(name: str) -> None:
    known = get_dialect(name)
    assert pickle.loads(pickle.dumps(known)) is known
    assert copy.deepcopy(known) is known


def test_a_dialect_that_is_not_registered_cannot_be_pickled() -> None:
    with pytest.raises(pickle.PicklingError, match="'small' is pickled by its name: register it"):
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
def test_a_dialect_lists_the_tools_in_its_instructions(name: str) -> None:
    instructions = get_dialect(name).prompt
    assert "{tools}" in instructions
    assert instructions == instructions.strip()


@pytest.mark.parametrize("name", list_dialects())
def test_a_dialect_stops_before_the_observation_it_writes(name: str) -> None:
    known = get_dialect(name)
    observation = known.turn_frame[0] + known.results_text([Result("search", "seen")], 3)
    assert known.closer in known.stop or any(stop in observation for stop in known.stop)
    written = known.write(Written("a thought", answer="an answer", number=3))
    assert not any(stop in written.removesuffix(stop) for stop in known.stop)


# The errors that problems become.

PROBLEM = Problem(
    "expected the arguments of {tool!r}",
    "Write the arguments of {tool}.",
    exact="Could not parse {tool}",
    send_to_llm=False,
)


@pytest.mark.parametrize(
    ("strict", "message", "is_sent"),
    [(True, "Could not parse {text}", False), (False, "expected the arguments of '{text}'", True)],
)
def test_the_words_of_a_model_are_never_filled_in(
    strict: bool, message: str, is_sent: bool
) -> None:
    error = PROBLEM.about(tool="{text}").error("all of it", (0, 3), strict=strict)
    assert str(error).startswith(message)
    assert error.observation == "Write the arguments of {text}."
    assert (error.llm_output, error.span, error.send_to_llm) == ("all of it", (0, 3), is_sent)


def test_an_observation_that_says_more_replaces_that_of_the_problem() -> None:
    problem = Problem("expected more", "Write more.", exact_observation="More!")
    assert problem.error("", (0, 0), strict=True).observation == "More!"
    assert problem.error("", (0, 0), strict=False).observation == "Write more."
    error = problem.error("", (0, 0), strict=False, observation="Write more, as here: x")
    assert error.observation == "Write more, as here: x"
