"""Values, calls, content and results come back as they were written, or a law is broken."""

from __future__ import annotations

import html
import json
from dataclasses import replace
from typing import TYPE_CHECKING, Any

import pytest

from agent_laws import laws
from agent_laws.laws.broken import BrokenLawError
from agent_laws.laws.writing import is_same
from agent_laws.smallest import failure
from agent_laws.trials.value_tour import RESULTS, several_calls, spoken_turns, toured_inputs
from agent_parsers import AgentAction, get_dialect
from agent_parsers.dialects import hermes

from ...helpers.own_dialect import with_table
from ...helpers.stories import every_dialect, every_turn_mode
from ...helpers.wrong_dialects import HERMES, finishing, hermes_like, loaded, with_input

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from agent_parsers import Dialect
    from agent_parsers.authoring import Mode


@every_turn_mode
def test_a_value_is_read_as_it_is_written(dialect: Dialect, mode: Mode) -> None:
    for each in toured_inputs(dialect):
        laws.a_value_is_read_as_it_is_written(dialect, mode, each)


@every_turn_mode
def test_calls_and_content_of_a_turn_are_kept(dialect: Dialect, mode: Mode) -> None:
    for turn in several_calls(dialect, mode):
        laws.each_call_of_a_turn_is_made(dialect, mode, turn.text, meant=turn.meant)
    for said in spoken_turns(dialect, mode):
        laws.content_beside_a_call_is_kept(dialect, mode, **said._asdict())


@every_dialect
def test_every_result_is_written(dialect: Dialect) -> None:
    for results in RESULTS if dialect.several else RESULTS[:1]:
        laws.every_result_is_written(dialect, results)


@every_dialect
def test_no_mark_of_a_call_quotes(dialect: Dialect) -> None:
    laws.no_mark_of_a_call_quotes(dialect)


# -- readers that lose or change something ---------------------------------------------------------


def each_text(change: Callable[[str], Any]) -> Callable[[Any], Any]:
    """Return a function that applies *change* to each text in a value."""
    return each_leaf(lambda value: change(value) if isinstance(value, str) else value)


def each_leaf(change: Callable[[Any], Any]) -> Callable[[Any], Any]:
    def changed(value: Any) -> Any:
        if isinstance(value, dict):
            return {key: changed(each) for key, each in value.items()}
        return [*map(changed, value)] if isinstance(value, list) else change(value)

    return changed


def flat(value: Any) -> Any:
    """Return *value* with the items of lists in lists."""
    if isinstance(value, dict):
        return {key: flat(each) for key, each in value.items()}
    if isinstance(value, list):
        return [inner for each in value for inner in (each if isinstance(each, list) else [each])]
    return value


LOSSES: dict[str, Callable[[dict[str, Any]], dict[str, Any]]] = {
    "empty values": lambda v: {key: each for key, each in v.items() if each not in (None, "")},
    "null": lambda v: {key: each for key, each in v.items() if each is not None},
    "a third member": lambda v: dict([*v.items()][:2]),
    "a fifth member": lambda v: dict([*v.items()][:4]),
    "a key": lambda v: {key: each for key, each in v.items() if key != "id"},
    "capitals in keys": lambda v: {key.lower(): each for key, each in v.items()},
    "lists in lists": flat,
    "truth": each_leaf(lambda v: int(v) if isinstance(v, bool) else v),
    "the type of numbers": each_leaf(lambda v: int(v) if v == 1.0 and type(v) is float else v),
    "digits": each_leaf(lambda v: int(float(v)) if type(v) is int else v),
    "lines": each_text(lambda text: text.partition("\n")[0]),
    "blanks at the ends": each_text(str.strip),
    "blanks within": each_text(lambda text: " ".join(text.split(" ")).replace("  ", " ")),
    "references": each_text(html.unescape),
    "backslashes": each_text(lambda text: text.replace("\\n", "\n")),
    "the end of long texts": each_text(lambda text: text[:500]),
    "what follows a sign": each_text(lambda text: text.partition("#")[0].rstrip()),
    "what follows a second sign": each_text(lambda text: "=".join(text.split("=")[:2])),
    "quotes": each_text(lambda text: text.strip("\"'")),
    "that it is a text": each_text(lambda text: int(text) if text.isdigit() else text),
    "that it is a word": each_text(lambda text: True if text == "yes" else text),
}
"""What readers lose of an object."""


def losing(loss: str) -> Iterator[Dialect]:
    """Yield dialects whose readers lose something: of labels, and of calls in tags."""
    change = LOSSES[loss]
    yield with_input(lambda text, _repairs: change(loaded(text)))

    def changed(calls: list[Any]) -> list[Any]:
        for call in calls:
            if not call.is_text and isinstance(call.tool_input, dict):
                call.tool_input = change(call.tool_input)
        return calls

    yield finishing(changed)


@pytest.mark.parametrize("loss", LOSSES)
def test_a_reader_that_loses_something_breaks_a_law(loss: str) -> None:
    law = laws.a_value_is_read_as_it_is_written
    for dialect in losing(loss):
        found = [failure(law, dialect, "lenient", each) for each in toured_inputs(dialect)]
        assert {error.law for error in found if error} == {"a value is read as it is written"}


@pytest.mark.parametrize(
    "change",
    [
        lambda text: text.partition("\n")[0],
        lambda text: text[:100],
        lambda text: text.partition("#")[0],
        lambda text: text.replace("  ", " "),
        html.unescape,
        str.lower,
        lambda text: json.loads(text) if text.isdigit() else text,
    ],
)
def test_a_reader_that_changes_a_text_breaks_a_law(change: Callable[[str], Any]) -> None:
    dialect = with_table(read_input=lambda text, _repairs: change(text))
    law = laws.a_value_is_read_as_it_is_written
    assert any(failure(law, dialect, "strict", each) for each in toured_inputs(dialect))


def test_a_form_that_writes_no_types_holds() -> None:
    dialect = get_dialect("qwen3_coder")
    for each in ({"n": 1}, {"n": True}, {"n": 1.0}, {"n": None}, {"n": "1"}):
        laws.a_value_is_read_as_it_is_written(dialect, "strict", each)


@pytest.mark.parametrize(
    "change",
    [
        lambda calls: calls[:1],
        lambda calls: calls[-1:],
        lambda calls: [*{str(each.tool_input): each for each in calls}.values()],
        lambda calls: calls[::-1],
    ],
)
def test_a_reader_that_loses_a_call_breaks_a_law(change: Callable[[list[Any]], list[Any]]) -> None:
    dialect, law = finishing(change), laws.each_call_of_a_turn_is_made
    turns = several_calls(dialect, "lenient")
    found = [failure(law, dialect, "lenient", *turn[:1], meant=turn.meant) for turn in turns]
    assert any(error and "are read as" in error.reason for error in found)


@pytest.mark.parametrize(
    "change",
    [
        lambda results: results[:2],
        lambda results: results[-1:],
        lambda results: results[::-1],
        lambda results: [each._replace(text=each.text[:200]) for each in results],
        lambda results: [each._replace(text=each.text.strip()) for each in results],
        lambda results: [each._replace(text=each.text.partition("\n")[0]) for each in results],
    ],
)
def test_results_that_are_not_written_break_a_law(change: Callable[[Any], Any]) -> None:
    dialect = hermes_like(render_results=lambda found, at: HERMES.results_text(change(found), at))
    found = [failure(laws.every_result_is_written, dialect, results) for results in RESULTS]
    assert any(error and "is not written" in error.reason for error in found)


@pytest.mark.parametrize(
    "mark",
    [
        "<example>",
        "<draft>",
        "<page>",
        "[quote]",
        "<scratchpad>",
        "Example:",
        "> ",
        "//",
    ],
)
def test_a_mark_of_calls_that_quotes_breaks_a_law(mark: str) -> None:
    dialect = replace(hermes.FORMAT, name="quoting", aliases=(), also={"call": (mark,)}).dialect()
    with pytest.raises(BrokenLawError, match="opens a call, but it quotes"):
        laws.no_mark_of_a_call_quotes(dialect)


@pytest.mark.parametrize("mark", ["<function_call>", "[TOOL_CALL]", "<|tool|>", "call:", "```tool"])
def test_another_mark_of_calls_holds(mark: str) -> None:
    dialect = replace(hermes.FORMAT, name="calling", aliases=(), also={"call": (mark,)}).dialect()
    laws.no_mark_of_a_call_quotes(dialect)


@pytest.mark.parametrize(("one", "other"), [(1, True), (1, 1.0), (0, False), ([1], [True])])
def test_values_of_two_types_are_not_the_same(one: Any, other: Any) -> None:
    step = AgentAction("search", {"n": one}, "")
    assert is_same(step, AgentAction("search", {"n": one}, ""), "")
    assert not is_same(step, AgentAction("search", {"n": other}, ""), "")
