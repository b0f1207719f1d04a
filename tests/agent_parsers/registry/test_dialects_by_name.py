"""Dialects by name, and those that users add."""

import subprocess
import sys
from collections import Counter
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from agent_parsers import (
    AgentAction,
    AgentFinish,
    AgentStep,
    Dialect,
    DialectParser,
    MessageParser,
    OutputParserException,
    ToolNamed,
    ToolsAgentOutputParser,
    dialect_for_model,
    get_dialect,
    get_parser,
    list_dialects,
    parse_transcript,
    register,
)
from agent_parsers.authoring import EndTurn, Go, Literal, Part, Problem, Table, Written
from agent_parsers.dialects import react
from agent_parsers.registry import dialects_by_name as registry
from agent_parsers.registry.for_model import ROWS
from agent_parsers.registry.names import ALIASES
from agent_parsers.toolset.problems.names import folded


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
    ("name", "expected"),
    [("ReAct", "react"), ("react-json", "react_json"), ("React Single Input", "react"),
     ("`Qwen3-Coder`", "qwen3_coder"), ("GPT-OSS", "harmony"), ("Qwen/Qwen3-32B", "hermes"),
     ("ollama/gpt-oss:20b", "harmony"), ("zai-org/GLM-4.6V", "glm45")],
)  # fmt: skip
def test_a_name_is_found_in_any_spelling_and_by_the_model(name: str, expected: str) -> None:
    assert get_dialect(name) is get_dialect(expected)
    assert f"<Dialect {expected!r}>" in repr(get_parser(name))


@pytest.mark.parametrize("name", ["tools", "Tools", "openai-tools", "OpenAI_Functions"])
def test_a_message_parser_is_found_in_any_spelling_but_is_no_dialect(name: str) -> None:
    parser = get_parser(name)
    assert isinstance(parser, MessageParser)
    right = name.lower().replace("-", "_")
    with pytest.raises(ValueError, match=rf"^'{right}' is not a dialect, since it reads messages"):
        get_dialect(name)


def test_a_spelling_of_a_dialect_and_the_table_of_models_agree() -> None:
    """It makes no difference that a dialect in another spelling is looked for before a model."""
    names = {*list_dialects(), *ALIASES}
    for row in ROWS:
        for model in row.names.replace("*", "").split():
            same = {get_dialect(name).name for name in names if folded(name) == folded(model)}
            assert same <= {row.dialect}, model
    for name in names:
        assert dialect_for_model(name) in (None, get_dialect(name).name), name


def test_a_spelling_of_two_dialects_is_not_guessed() -> None:
    register(WINDOW)
    register(replace(WINDOW, name="Win-Dow", aliases=()))
    assert get_dialect("Win-Dow").name == "Win-Dow"
    with pytest.raises(ValueError, match=r"^there is no dialect 'WINDOW'.*'window'"):
        get_dialect("WINDOW")


@pytest.mark.parametrize(
    ("name", "hint"),
    [("reakt", " Did you mean 'react' or 'react_zh'?"), ("hermis", " Did you mean 'hermes'?"),
     ("xyz", ""), ("acme/agent-7b", ""), ("", ""), ("gpt-2", ""), ("x" * 10**6, "")],
)  # fmt: skip
def test_an_unknown_name_is_an_error_that_names_the_nearest(name: str, hint: str) -> None:
    for find in (get_dialect, get_parser):
        with pytest.raises(ValueError, match="there is no dialect") as caught:
            find(name)
        assert str(caught.value) == (
            f"there is no dialect {name[:100]!r}, and no known model of this name.{hint}"
            " list_dialects() returns the names; for another model choose the dialect that it"
            ' writes, or "tools" if its API returns tool calls'
        )


@pytest.mark.parametrize(
    "name", ["gpt-4o", "openai/gpt-5-mini", "o3", "o4-mini", "claude-sonnet-4-5", "gemini-2.5-pro",
             "anthropic", "tool_calling", "bedrock/anthropic.claude-3-haiku"],
)  # fmt: skip
def test_a_model_whose_api_returns_tool_calls_is_read_from_messages(name: str) -> None:
    assert type(get_parser(name)) is ToolsAgentOutputParser
    with pytest.raises(ValueError, match="'tools' is not a dialect, since it reads messages"):
        get_dialect(name)


@pytest.mark.parametrize("name", ["gpt-oss-20b", "openai/gpt-oss-120b"])
def test_the_open_models_of_an_owner_of_closed_ones_have_their_dialect(name: str) -> None:
    assert get_dialect(name).name == "harmony"


@pytest.mark.parametrize("name", ["o3d-7b", "o30", "geminids", "my-gpt-4"])
def test_a_name_that_only_resembles_that_of_a_closed_model_is_unknown(name: str) -> None:
    with pytest.raises(ValueError, match="there is no dialect"):
        get_parser(name)


def test_a_users_dialect_may_have_the_name_of_an_owner() -> None:
    register(replace(WINDOW, name="google", aliases=()))
    assert get_dialect("google").name == "google"


def test_a_framework_is_no_format() -> None:
    with pytest.raises(ValueError, match="'LangChain' is a framework, not a format"):
        get_parser("LangChain")


def test_an_argument_of_another_library_leads_to_ours() -> None:
    ask: Any = get_parser
    for wrong, ours in (("strict", "lenient=False"), ("tool", "tools")):
        with pytest.raises(TypeError, match=f"argument '{wrong}': use {ours}$"):
            ask("react", **{wrong: True})
    with pytest.raises(TypeError, match=r"argument 'model'$"):
        ask("react", model="x")


def test_a_model_whose_format_no_dialect_reads_is_an_error() -> None:
    with pytest.raises(ValueError, match="no dialect reads the calls that the model 'UI-TARS-"):
        get_parser("UI-TARS-1.5-7B")


@pytest.mark.parametrize(
    ("value", "said"),
    [(None, "dialect_for_model returns None"), (3, "not int$"),
     (DialectParser, "not the class DialectParser, which is already a parser$"),
     (react, "not module: pass its DIALECT$"),
     (DialectParser(dialect=react.DIALECT), "not DialectParser, which is already a parser$"),
     (["react"], "not list$"), (b"react", "not bytes$")],
)  # fmt: skip
def test_what_is_neither_a_name_nor_a_dialect_is_an_error(value: Any, said: str) -> None:
    for find in (get_dialect, get_parser):
        with pytest.raises(TypeError, match=said) as caught:
            find(value)
        assert "\n" not in str(caught.value)


def test_the_names_in_the_types_are_those_of_the_dialects() -> None:
    script = Path(__file__).parents[3] / "tools" / "docs" / "make_names.py"
    done = subprocess.run(
        [sys.executable, "-B", str(script), "--check"], capture_output=True, text=True, check=False
    )
    assert (done.stdout, done.returncode) == ("", 0), done.stdout + done.stderr


def test_a_name_or_an_alias_is_that_of_one_dialect() -> None:
    dialects = [get_dialect(name) for name in list_dialects()]
    names = Counter(name for each in dialects for name in {each.name, *each.aliases})
    assert [name for name, count in names.items() if count > 1] == []


def test_an_alias_brings_along_one_dialect() -> None:
    code = (
        "import sys, agent_parsers; agent_parsers.get_dialect('zero_shot_react');"
        "print(*[n for n in sys.modules if n.startswith('agent_parsers.dialects.')])"
    )
    loaded = subprocess.check_output([sys.executable, "-c", code], text=True)
    assert loaded.split() == ["agent_parsers.dialects.react"]


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
        f"{log}\nSEEN rain\nSO"
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


def test_a_dialect_need_not_be_registered() -> None:
    parser = get_parser(WINDOW, tools=["window"])
    assert isinstance(parser, DialectParser)
    assert parser.parse("CALL window WITH Bern").tool_input == "Bern"
    assert "window" not in list_dialects()
    assert get_dialect(WINDOW) is WINDOW


def test_a_name_that_only_a_model_has_is_free() -> None:
    mine = register(replace(WINDOW, name="Qwen3-32B", aliases=("REACT",)))
    assert get_dialect("Qwen3-32B") is get_dialect("REACT") is mine
    assert get_dialect("react") is react.DIALECT


def test_an_alias_goes_with_the_dialect_that_is_replaced() -> None:
    register(replace(get_dialect("chat"), aliases=()), replace=True)
    with pytest.raises(ValueError, match="there is no dialect 'chat_agent'"):
        get_dialect("chat_agent")


def test_a_dialect_may_be_registered_twice() -> None:
    register(WINDOW)
    register(WINDOW)
    assert list_dialects().count("window") == 1


def test_a_dialect_may_take_the_place_of_one_of_its_name() -> None:
    register(WINDOW)
    other = register(replace(WINDOW, aliases=()), replace=True)
    assert get_dialect("window") is other
    with pytest.raises(
        ValueError, match=r"^there is already a dialect 'react': choose another name$"
    ):
        register(replace(WINDOW, aliases=("react",)), replace=True)


@pytest.mark.parametrize("name", ["window", "react"])
def test_a_name_that_is_taken_is_rejected(name: str) -> None:
    register(WINDOW)
    with pytest.raises(
        ValueError, match=f"^there is already a dialect '{name}': choose another name$"
    ):
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


WHILE_LOADING = """
import sys, threading
from agent_parsers import get_dialect, list_dialects
from agent_parsers.registry.dialects_by_name import registered

sys.setswitchinterval(1e-6)
names = list_dialects()
loading = threading.Thread(target=lambda: [get_dialect(name) for name in names])
loading.start()
while loading.is_alive():
    assert registered() == ()
"""


def test_a_thread_may_look_through_the_dialects_while_another_loads_some() -> None:
    subprocess.run([sys.executable, "-c", WHILE_LOADING], check=True, timeout=120)
