"""Dialects by name, and those that users add."""

from collections.abc import Iterator
from dataclasses import replace

import pytest

from agent_parsers import (
    AgentAction,
    AgentFinish,
    AgentStep,
    Dialect,
    OutputParserException,
    ToolNamed,
    get_dialect,
    get_parser,
    list_dialects,
    parse_transcript,
    register,
)
from agent_parsers.authoring import EndTurn, Go, Literal, Part, Problem, Table, Written
from agent_parsers.registry import dialects_by_name as registry


@pytest.fixture(autouse=True)
def forget() -> Iterator[None]:
    """Forget the dialects that a test registers."""
    known = dict(registry.KNOWN)
    yield
    registry.KNOWN.clear()
    registry.KNOWN.update(known)


# -- names ---------------------------------------------------------------------------------------


def test_the_dialects_are_listed_in_order() -> None:
    names = list_dialects()
    assert {"react", "react_docstore"} <= set(names)
    assert names == sorted(names)


@pytest.mark.parametrize("name", list_dialects())
def test_a_dialect_is_found_by_its_name_and_by_each_alias(name: str) -> None:
    dialect = get_dialect(name)
    assert [get_dialect(alias) for alias in dialect.aliases] == [dialect] * len(dialect.aliases)
    assert get_parser(name).dialect is dialect


@pytest.mark.parametrize(
    ("name", "hint"),
    [("reakt", " Did you mean 'react'?"), ("zero_shot_reakt", " Did you mean 'zero_shot_react'?"),
     ("xyz", ""), ("", "")],
)  # fmt: skip
def test_an_unknown_name_is_an_error_that_names_the_nearest(name: str, hint: str) -> None:
    for find in (get_dialect, get_parser):
        with pytest.raises(ValueError, match="there is no dialect") as caught:
            find(name)
        assert str(caught.value) == (
            f"there is no dialect {name!r}.{hint} The dialects are: {', '.join(list_dialects())}"
        )


def test_a_private_module_is_not_a_dialect() -> None:
    for name in ("__init__", "_x", "os"):
        with pytest.raises(ValueError, match="there is no dialect"):
            get_dialect(name)


# -- a dialect of one's own ----------------------------------------------------------------------

SAMPLE = """\
ASK How is the weather in Bern?
SO I look out of the window.
CALL window WITH Bern
SEEN It rains.
SO I know it.
SAY It rains."""

TABLE = Table(
    markers={
        "ask": Literal("\nASK "),
        "call": Literal("\nCALL "),
        "with": Literal(" WITH "),
        "seen": Literal("\nSEEN "),
        "so": Literal("\nSO "),
        "say": Literal("\nSAY "),
    },
    parts={
        "thought": Part.THOUGHT,
        "tool": Part.TOOL,
        "input": Part.INPUT,
        "seen": Part.OBSERVATION,
        "answer": Part.ANSWER,
        "ask": Part.QUESTION,
    },
    transitions={
        ("thought", "so"): Go("thought"),
        ("thought", "call"): Go("tool"),
        ("thought", "say"): Go("answer"),
        ("tool", "with"): Go("input"),
        ("input", "seen"): EndTurn("seen"),
        ("seen", "so"): Go("thought"),
        ("ask", "ask"): Go("ask"),
        ("ask", "so"): Go("thought"),
    },
    ends={"tool": "no_input"},
    transcript_start="ask",
)


def write(step: Written) -> str:
    thought = f"SO {step.thought}\n" if step.thought else ""
    act = f"CALL {step.tool} WITH {step.tool_input}" if step.tool else f"SAY {step.answer}"
    return thought + act


WINDOW = Dialect(
    name="window",
    aliases=("glass",),
    summary="for the tests",
    sample=SAMPLE,
    strict=replace(TABLE, transitions={**TABLE.transitions, ("input", "seen"): Go("seen")}),
    lenient=replace(TABLE, lenient=True),
    problems={
        "no_action_or_answer": Problem("expected CALL or SAY", "Write CALL or SAY."),
        "no_input": Problem("expected WITH", "Write WITH after the tool."),
        "no_tool_name": Problem("expected a tool", "Name a tool."),
        "long_tool_name": Problem("expected a tool on one line", "Name a tool on one line."),
    },
    stop=("\nSEEN",),
    write=write,
    render_observation=lambda observation, _number: f"\nSEEN {observation}\nSO ",
    prompt="Tools: {tool_names}",
)


def test_a_dialect_of_a_user_works_like_the_others() -> None:
    assert register(WINDOW) is WINDOW
    assert "window" in list_dialects()
    assert get_dialect("window") is get_dialect("glass") is WINDOW
    parser = get_parser("window", tools={"window": "shows the weather"})

    turn = parser.read("SO I look.\nCALL window WITH Bern\nSEEN sun")
    log = "SO I look.\nCALL window WITH Bern"
    action = AgentAction("window", "Bern", log)
    assert turn.result == action
    assert turn.thought == "I look."
    assert [repair.kind for repair in turn.repairs] == ["invented"]
    assert parser.parse("SAY rain") == AgentFinish({"output": "rain"}, "SAY rain")
    assert ToolNamed("window", (5, 11)) in parser.events(["CALL win", "dow WI", "TH Bern"])
    with pytest.raises(OutputParserException, match="expected WITH"):
        parser.parse("CALL window")
    with pytest.raises(OutputParserException, match="'door' is not one of the tools"):
        parser.parse("CALL door WITH x")

    assert parser.render(action, thought="I look.") == log
    assert parser.format_scratchpad([AgentStep(action=action, observation="rain")]) == (
        f"{log}\nSEEN rain\nSO "
    )
    with pytest.raises(ValueError, match="window cannot write this step"):
        parser.render(AgentFinish({"output": "rain"}, ""), thought="a\nCALL x WITH y")
    assert parser.get_format_instructions() == "Tools: window"
    assert parser.stop == ["\nSEEN"]

    run = parse_transcript(SAMPLE, dialect="window")
    assert run.question == "How is the weather in Bern?"
    assert [step.thought for step in run.steps] == ["I look out of the window.", "I know it."]
    assert run.steps[0].observation == "It rains."
    assert run.finish is not None
    assert run.finish.return_values == {"output": "It rains."}


def test_a_dialect_may_be_registered_twice() -> None:
    register(WINDOW)
    register(WINDOW)
    assert list_dialects().count("window") == 1


def test_a_dialect_may_take_the_place_of_one_of_its_name() -> None:
    register(WINDOW)
    other = register(replace(WINDOW, aliases=()), replace=True)
    assert get_dialect("window") is other
    with pytest.raises(ValueError, match=r"^there is already a dialect 'react'$"):
        register(replace(WINDOW, aliases=("react",)), replace=True)


@pytest.mark.parametrize("name", ["window", "react"])
def test_a_name_that_is_taken_is_rejected(name: str) -> None:
    register(WINDOW)
    with pytest.raises(ValueError, match=f"^there is already a dialect '{name}'$"):
        register(replace(WINDOW, name=name))


def test_the_dialects_that_are_shipped_may_be_registered_too() -> None:
    assert register(get_dialect("react")) is get_dialect("react")


def test_get_parser_is_lenient_by_default() -> None:
    text = "final answer: 42"
    assert get_parser("react").lenient
    assert isinstance(get_parser("react").parse(text), AgentFinish)
    strict = get_parser("react", lenient=False)
    with pytest.raises(OutputParserException, match="Could not parse LLM output"):
        strict.parse(text)
