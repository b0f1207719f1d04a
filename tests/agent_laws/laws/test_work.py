"""The work of parsing is proportional to the length of the text; laws of tool schemas."""

from collections.abc import Callable, Iterable, Sequence
from itertools import cycle

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from agent_laws import cuts, laws
from agent_laws.laws import work
from agent_laws.laws.work import (
    CHUNKS,
    Shape,
    Work,
    counted_patterns,
    growth,
    shapes,
    takes_twice_its_share,
)
from agent_laws.laws.writing import is_same
from agent_laws.trials.pieces import a_tool
from agent_laws.trials.stories import Story, outcome_of, story_from
from agent_laws.trials.strategies import policies
from agent_parsers import (
    ActionComplete,
    AgentAction,
    Dialect,
    OutputParserException,
    StreamParser,
    ToolInputError,
    ToolSet,
    UnknownToolError,
)
from agent_parsers.authoring import Literal
from agent_parsers.engine.markers.patterns import Patterns
from agent_parsers.engine.tables.modes import Mode, OnConflict
from agent_parsers.parsers.dialect_parser import dialect_parser
from agent_parsers.testing import cut

from ...helpers.effort import DEEP
from ...helpers.stories import (
    DIALECTS,
    RUNS,
    TURNS,
    every_dialect,
    every_mode,
    every_turn_mode,
    named,
    some,
)
from ...helpers.tool_replies import actions_in, arguments, replies, tool_sets

# The work of parsing is proportional to the length of the text.

SIZES = [(d, mode, size) for d, mode in TURNS + RUNS for size in some([*CHUNKS], d)]
"""Patterns are compiled again for each, which takes longer than reading a few texts."""


def some_shapes(dialect: Dialect, part: float) -> Sequence[Shape]:
    return some(shapes(dialect), dialect, part, thorough=1 / 24)


@every_dialect
def test_there_are_many_shapes(dialect: Dialect) -> None:
    assert len(shapes(dialect)) >= 80


@pytest.mark.parametrize(("dialect", "mode", "size"), SIZES, ids=named)
def test_twice_the_text_is_twice_the_work(dialect: Dialect, mode: Mode, size: int) -> None:
    laws.twice_the_text_is_twice_the_work(dialect, mode, some_shapes(dialect, 1 / 16), size=size)


@every_turn_mode
def test_twice_the_text_is_twice_the_work_of_parsing_it_at_once(
    dialect: Dialect, mode: Mode
) -> None:
    if not dialect.several:  # others are parsed as a stream
        law = laws.twice_the_text_is_twice_the_work_of_parsing_it_at_once
        law(dialect, mode, some_shapes(dialect, 1 / 3))


@every_turn_mode
def test_eight_times_the_text_takes_less_than_sixteen_times_as_long(
    dialect: Dialect, mode: Mode
) -> None:
    """The clock sees what the count does not: a pattern that goes back and forth."""
    law = laws.eight_times_the_text_takes_less_than_sixteen_times_as_long
    law(dialect, mode, some_shapes(dialect, 1 / 4), chars=[8_000 if DEEP else 2_000])


class TestTheCountOfWork:
    """Guards the other tests, which would pass if nothing were counted."""

    def test_sees_text_that_is_put_together_again_for_each_chunk(self) -> None:
        def do(text: str, size: int) -> int:
            parser = StreamParser(DIALECTS[0])
            return work.count(lambda: [(parser.feed(c), parser.text) for c in cut(text, [size])])

        work = Work()
        do("word", 1)  # work done only at first use is not counted
        assert all(growth(do, ("", "word "), size) > 2.5 for size in (1, 4, 4096))

    def test_sees_text_that_is_searched_again_for_each_chunk(self) -> None:
        def do(text: str, size: int) -> int:
            search = Patterns({"a": Literal("Action:")}).whole.search
            ends = range(0, len(text), size)
            return work.count(lambda: [search(text[:end], 0) for end in ends])

        work = Work()
        with counted_patterns(work):
            assert all(growth(do, ("", "word "), size) > 2.5 for size in (1, 4, 4096))

    def test_sees_what_any_search_looks_at(self) -> None:
        work = Work()
        with counted_patterns(work):
            found = Patterns({"a": Literal("Action:")}).whole.finditer("Action: Action:")
            assert len([*found]) == 2
        assert work.total == len("Action: Action:")

    @pytest.mark.parametrize("size", [1, 4])
    def test_allows_a_window_that_is_longer_than_the_texts(self, size: int) -> None:
        """Such as a header, of which up to 190 characters are held back and searched again."""

        def do(text: str, size: int) -> int:
            return sum(min(end, 190) for end in range(0, len(text), size))

        assert growth(do, ("", "to="), size) <= 2.2


# -- the clock tells slow reading from a busy machine ----------------------------------------------

SHORT, LONG = "a" * 4_000, "a" * 128_000


class Machine:
    """A machine whose clock shows what its work costs, times how busy it is at that moment.

    A scan costs a nanosecond a character.
    """

    def __init__(self) -> None:
        self.now_s = 0.0
        self.busy = cycle([1.0])

    def work(self, units: float) -> None:
        self.now_s += units * 1e-9 * next(self.busy)

    def reads(self, cost: Callable[[int], float]) -> Callable[[str], object]:
        return lambda text: self.work(cost(len(text)))


@pytest.fixture
def machine(monkeypatch: pytest.MonkeyPatch) -> Machine:
    machine = Machine()
    monkeypatch.setattr(work, "_now", lambda: machine.now_s)
    monkeypatch.setattr(work, "_scan", lambda text, passes: machine.work(len(text) * passes))
    return machine


def test_work_that_grows_with_the_text_takes_its_share(machine: Machine) -> None:
    assert not takes_twice_its_share(machine.reads(lambda size: 100 * size), SHORT, LONG)


def test_work_that_grows_with_the_square_of_the_text_takes_more(machine: Machine) -> None:
    assert takes_twice_its_share(machine.reads(lambda size: size * size), SHORT, LONG)


def test_work_that_grows_with_the_square_is_seen_on_a_machine_that_is_busy(
    machine: Machine,
) -> None:
    machine.busy = cycle([1.0, 2.5, 1.5, 4.0, 3.0, 1.2, 2.0])
    assert takes_twice_its_share(machine.reads(lambda size: size * size), SHORT, LONG)


def test_a_machine_that_slows_down_all_long_work_is_no_fault_of_the_text(machine: Machine) -> None:
    def cost(size: int) -> float:
        return size * (100 if size < 8_000 else 400)

    def scan(text: str, passes: int) -> None:
        machine.work(passes * cost(len(text)) / 100)

    assert takes_twice_its_share(machine.reads(cost), SHORT, LONG)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(work, "_scan", scan)
        assert not takes_twice_its_share(machine.reads(cost), SHORT, LONG)


def test_a_long_text_that_was_slow_once_is_measured_again(machine: Machine) -> None:
    slow = iter([True] * 5)

    def cost(size: int) -> float:
        return size * (4_000 if size > 8_000 and next(slow, False) else 100)

    assert not takes_twice_its_share(machine.reads(cost), SHORT, LONG)
    assert next(slow, None) is None


# Laws of dialects with tool schemas.

FEW = settings(max_examples=max(8, settings().max_examples // 6))
"""Drawing tools and a reply takes time, and each test runs for every dialect and mode."""


def story(
    dialect: Dialect,
    mode: Mode,
    chunks: Iterable[str],
    tools: ToolSet,
    on_conflict: OnConflict = "error",
) -> Story:
    return story_from(
        StreamParser(dialect, mode=mode, tools=tools, on_conflict=on_conflict), chunks
    )


@every_mode
@FEW
@given(data=st.data())
def test_any_cut_gives_the_same_story(dialect: Dialect, mode: Mode, data: st.DataObject) -> None:
    tools = data.draw(tool_sets(dialect), "tools")
    text = data.draw(replies(dialect, mode, tools), "text")
    on_conflict = data.draw(policies(), "on_conflict")
    whole = story(dialect, mode, [text], tools, on_conflict)
    sizes = data.draw(cuts(), "sizes")
    assert story(dialect, mode, cut(text, sizes), tools, on_conflict) == whole
    assert story(dialect, mode, list(text), tools, on_conflict) == whole
    if mode != "transcript":
        parser = dialect_parser(
            dialect, lenient=mode == "lenient", tools=tools, on_conflict=on_conflict
        )
        assert outcome_of(lambda: parser.parse(text)) == whole.outcome


@every_turn_mode
@FEW
@given(data=st.data())
def test_an_action_has_an_input_that_its_tool_takes(
    dialect: Dialect, mode: Mode, data: st.DataObject
) -> None:
    tools = data.draw(tool_sets(dialect), "tools")
    text = data.draw(replies(dialect, mode, tools), "text")
    whole = story(dialect, mode, [text], tools)
    actions = [event.action for event in whole.of(ActionComplete)]
    assert actions == actions_in(whole.outcome)
    for action in actions:
        if tools.checks(action.tool):
            assert tools.check(action.tool, action.tool_input) == action.tool_input
        elif action.tool not in tools:
            assert a_tool(dialect) != "search", "the tool goes without name"


@every_dialect
@FEW
@given(data=st.data())
def test_arguments_are_read_back(dialect: Dialect, data: st.DataObject) -> None:
    tools = data.draw(tool_sets(dialect), "tools")
    name = a_tool(dialect)
    if not tools.checks(name):
        return
    value = data.draw(arguments(tools, name), "arguments")
    step = AgentAction(name, tools.check(name, value), "")
    for lenient in (False, True):
        parser = dialect_parser(dialect, lenient=lenient, tools=tools)
        text = parser.render(step)
        turn = parser.read(text)
        assert is_same(turn.result, step, text)
        assert not turn.repairs


def example_in(error: OutputParserException) -> str:
    said = str(error.observation)
    example = said.partition("For example:")[2] or said.partition("例如：")[2]
    return example.removeprefix(" ")  # some dialects begin a call on a new line


@every_turn_mode
@FEW
@given(data=st.data())
def test_the_example_of_an_error_is_what_the_parser_takes(
    dialect: Dialect, mode: Mode, data: st.DataObject
) -> None:
    tools = data.draw(tool_sets(dialect), "tools")
    text = data.draw(replies(dialect, mode, tools), "text")
    parser = dialect_parser(dialect, lenient=mode == "lenient", tools=tools)
    outcome = outcome_of(lambda: parser.parse(text))
    error = getattr(outcome, "error", None)
    if not isinstance(error, ToolInputError | UnknownToolError):
        return
    assert error.llm_output == text
    assert error.span is not None
    assert error.send_to_llm
    assert len(str(error.observation)) < 10_000
    if example := example_in(error):  # without schemas, since a placeholder is no input
        assert actions_in(dialect_parser(dialect, lenient=False, tools=tools.names).parse(example))
    else:
        assert isinstance(error, ToolInputError)
        assert error.example is None
