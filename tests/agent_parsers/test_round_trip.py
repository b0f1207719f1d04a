"""What a dialect writes it reads back; what it cannot write it refuses."""

import re
from functools import cache

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agent_parsers import (
    AgentAction,
    AgentFinish,
    Dialect,
    DialectParser,
    get_parser,
    parse_transcript,
    parse_transcripts,
)
from agent_parsers.engine import escape, unescape

from .stories import every_dialect
from .strategies import (
    a_tool,
    anything,
    pieces,
    plain,
    plain_input,
    plain_tool,
    sample_action,
    sample_answer,
    soup,
)


@cache
def wild(dialect: Dialect) -> st.SearchStrategy[str]:
    """Text for a part of a step: plain words, marks of the dialect, or anything."""
    return st.one_of(
        plain(), st.lists(pieces(dialect), max_size=3).map("".join), plain_and(dialect), anything()
    )


@st.composite
def plain_and(draw: st.DrawFn, dialect: Dialect) -> str:
    return draw(plain()) + draw(pieces(dialect)) + draw(plain())


@cache
def wild_input(dialect: Dialect) -> st.SearchStrategy[object]:
    part = drawn(wild(dialect))
    leaves = st.none() | st.booleans() | st.integers() | st.floats() | part
    # A part may be as long as a whole run, so there are few.
    values = st.recursive(
        leaves,
        lambda v: st.lists(v, max_size=3) | st.dictionaries(part, v, max_size=3),
        max_leaves=8,
    )
    objects = st.dictionaries(plain(), values, max_size=3)
    return wild(dialect) | wild(dialect) | plain_input(dialect) | objects


def drawn(strategy: st.SearchStrategy[str]) -> st.SearchStrategy[str]:
    """Do as *strategy* does, but without its long name, of which Hypothesis warns."""

    @st.composite
    def draw_one(draw: st.DrawFn) -> str:
        return draw(strategy)

    return draw_one()


def written(
    parser: DialectParser, step: AgentAction | AgentFinish, thought: str, number: int
) -> str | None:
    """Return how *step* is written; `None` if it is refused as it should be."""
    try:
        return parser.render(step, thought=thought, number=number)
    except ValueError as error:
        refused = error
    assert type(refused) is ValueError, "it is the caller's mistake, not the model's"
    assert parser.dialect.name in str(refused)
    return None


def assert_read_back(
    dialect: Dialect, text: str, step: AgentAction | AgentFinish, thought: str
) -> None:
    for lenient in (False, True):
        turn = DialectParser(dialect=dialect, lenient=lenient).read(text)
        assert turn.thought == thought
        assert turn.result == step.model_copy(update={"log": text})
        assert not turn.repairs


@every_dialect
@given(data=st.data())
def test_an_action_is_read_back_or_refused(dialect: Dialect, data: st.DataObject) -> None:
    tool = data.draw(st.one_of(plain_tool(dialect), wild(dialect)), "tool")
    tool_input = data.draw(wild_input(dialect), "tool_input")
    thought = data.draw(st.one_of(st.just(""), plain(), wild(dialect)), "thought")
    step = AgentAction(tool, tool_input, "")  # type: ignore[arg-type]  # str or dict
    number = data.draw(st.integers(1, 99), "number")
    text = written(DialectParser(dialect=dialect), step, thought, number)
    if text is not None:
        assert_read_back(dialect, text, step, thought)


@every_dialect
@given(data=st.data())
def test_an_answer_is_read_back_or_refused(dialect: Dialect, data: st.DataObject) -> None:
    answer = data.draw(wild(dialect), "answer")
    thought = data.draw(st.one_of(st.just(""), plain(), wild(dialect)), "thought")
    step = AgentFinish({"output": answer}, "")
    number = data.draw(st.integers(1, 99), "number")
    text = written(DialectParser(dialect=dialect), step, thought, number)
    if text is not None:
        assert_read_back(dialect, text, step, thought)


@every_dialect
@given(data=st.data())
def test_plain_words_are_never_refused(dialect: Dialect, data: st.DataObject) -> None:
    parser = get_parser(dialect.name)
    thought = data.draw(st.one_of(st.just(""), plain()), "thought")
    number = data.draw(st.integers(1, 99), "number")
    action = AgentAction(data.draw(plain_tool(dialect)), data.draw(plain_input(dialect)), "")
    answer = AgentFinish({"output": data.draw(plain())}, "")
    for step in (action, answer):
        text = parser.render(step, thought=thought, number=number)
        assert_read_back(dialect, text, step, thought)


@every_dialect
@pytest.mark.parametrize("values", [{}, {"output": 42}, {"output": None}, {"answer": "42"}])
def test_an_answer_that_is_no_text_is_refused(dialect: Dialect, values: dict[str, object]) -> None:
    with pytest.raises(ValueError, match=dialect.name):
        get_parser(dialect.name).render(AgentFinish(values, ""))


def without_overlap(text: str, more: str) -> str:
    """Leave out of *more* what *text* ends in: both may have the label of the next thought."""
    sizes = range(min(len(text), len(more)), 0, -1)
    return more[next((size for size in sizes if text.endswith(more[:size])), 0) :]


@st.composite
def plain_steps(draw: st.DrawFn, dialect: Dialect) -> list[tuple[str, AgentAction, str]]:
    step = st.tuples(
        plain(),
        st.builds(AgentAction, plain_tool(dialect), plain_input(dialect), st.just("")),
        plain() | st.lists(plain(), min_size=1, max_size=3).map("\n".join),
    )
    return draw(st.lists(step, min_size=1, max_size=5))


def scratchpad(parser: DialectParser, steps: list[tuple[str, AgentAction, str]]) -> str:
    """Put together what prompts and models write in turns, as the log of an agent has it."""
    text = ""
    for number, (thought, action, observation) in enumerate(steps, 1):
        log = parser.render(action, thought=thought, number=number)
        done = action.model_copy(update={"log": without_overlap(text, log)})
        noted = parser.dialect.write_observation(observation, number)
        assert parser.format_scratchpad([(done, observation)]).startswith(done.log)
        text += done.log + noted
    return text


@every_dialect
@given(data=st.data())
def test_a_scratchpad_is_a_transcript(dialect: Dialect, data: st.DataObject) -> None:
    parser = get_parser(dialect.name)
    steps = data.draw(plain_steps(dialect), "steps")
    answer = data.draw(plain(), "answer")
    text = scratchpad(parser, steps)
    last = parser.render(
        AgentFinish({"output": answer}, ""), thought="enough", number=len(steps) + 1
    )
    run = parse_transcript(text + without_overlap(text, last), dialect=dialect)

    assert not run.repairs
    assert not run.failed
    *taken, end = run.steps
    assert [(s.thought, s.observation) for s in taken] == [(t, o) for t, _, o in steps]
    for step, (_, action, _) in zip(taken, steps, strict=True):
        assert isinstance(step.action, AgentAction)
        assert (step.action.tool, step.action.tool_input) == (action.tool, action.tool_input)
    assert (end.thought, end.observation) == ("enough", None)
    assert run.finish == end.action
    assert run.finish is not None
    assert run.finish.return_values == {"output": answer}


@every_dialect
@given(data=st.data())
def test_the_spans_of_a_step_are_where_its_parts_stand(
    dialect: Dialect, data: st.DataObject
) -> None:
    steps = data.draw(plain_steps(dialect), "steps")
    text = scratchpad(get_parser(dialect.name), steps)
    for step in parse_transcript(text, dialect=dialect).steps:
        assert step.thought_span
        assert text[slice(*step.thought_span)] == step.thought
        assert step.observation_span
        assert text[slice(*step.observation_span)] == step.observation
        assert step.action_span
        assert isinstance(step.action, AgentAction)
        begins = (step.action.tool, str(step.action.tool_input))  # the tool may go without name
        assert text[slice(*step.action_span)].startswith(begins)
        assert step.thought_span[1] <= step.action_span[0]
        assert step.action_span[1] <= step.observation_span[0]


@every_dialect
@given(data=st.data())
def test_a_scratchpad_without_logs_is_rendered(dialect: Dialect, data: st.DataObject) -> None:
    parser = get_parser(dialect.name)
    steps = [(action, observation) for _, action, observation in data.draw(plain_steps(dialect))]
    run = parse_transcript(parser.format_scratchpad(steps), dialect=dialect)
    assert not run.repairs
    assert [step.observation for step in run.steps] == [observation for _, observation in steps]
    for step, (action, _) in zip(run.steps, steps, strict=True):
        assert isinstance(step.action, AgentAction)
        assert (step.action.tool, step.action.tool_input) == (action.tool, action.tool_input)


@every_dialect
@given(data=st.data())
def test_no_observation_changes_how_the_text_around_it_is_read(
    dialect: Dialect, data: st.DataObject
) -> None:
    parser = get_parser(dialect.name)
    observation = data.draw(wild(dialect) | soup(dialect), "observation")
    action = AgentAction(a_tool(dialect), sample_action(dialect).tool_input, "")
    answer = AgentFinish({"output": "seven"}, "")
    text = parser.format_scratchpad([(action, observation)])
    last = parser.render(answer, thought="enough", number=2)
    run = parse_transcript(text + without_overlap(text, last), dialect=dialect)
    taken, end = run.all_steps
    assert (taken.observation or "").strip() == observation.strip()
    assert isinstance(taken.action, AgentAction)
    assert (taken.action.tool, taken.action.tool_input) == (action.tool, action.tool_input)
    assert (end.thought, end.error) == ("enough", None)
    assert run.finish is not None
    assert run.finish.return_values == {"output": "seven"}
    assert not run.repairs


@every_dialect
@given(data=st.data())
def test_what_is_escaped_is_unescaped(dialect: Dialect, data: st.DataObject) -> None:
    observation = data.draw(soup(dialect) | anything(), "observation")
    slashes = st.sampled_from(["", "\\", "\\\\"])
    observation = re.sub(r"(?<=[\n<])", lambda _: data.draw(slashes), observation)
    assert unescape(dialect, escape(dialect, observation)) == observation


@every_dialect
@given(before=st.lists(plain(), max_size=3), question=plain())
def test_the_last_question_before_a_step_is_the_question(
    dialect: Dialect, before: list[str], question: str
) -> None:
    label = question_label(dialect)
    action = AgentAction(a_tool(dialect), sample_action(dialect).tool_input, "")
    lines = [f"{label} {text}\n" for text in (*before, question)]
    text = "intro\n" + "".join(lines) + get_parser(dialect.name).render(action)
    run = parse_transcript(text, dialect=dialect)
    assert run.question == question
    assert run.preamble == "\n".join(("intro", *before))
    assert len(run.all_steps) == 1


def question_label(dialect: Dialect) -> str:
    table = dialect.lenient
    moves = table.moves.items()
    marker = next(marker for (_, marker), go in moves if go.to == table.transcript_start)
    return table.markers[marker].canonical


@every_dialect
def test_the_sample_is_one_flawless_run(dialect: Dialect) -> None:
    (run,) = parse_transcripts(dialect.sample, dialect=dialect)
    assert run.question
    assert not run.preamble
    assert len(run.steps) >= 2
    assert not run.failed
    assert not run.repairs
    assert run.finish is not None
    assert run.finish.return_values == {"output": sample_answer(dialect)}
    assert dialect.sample.endswith((run.finish.log, sample_answer(dialect)))


@every_dialect
def test_the_steps_of_the_sample_are_written_as_they_stand(dialect: Dialect) -> None:
    parser = get_parser(dialect.name)
    run = parse_transcript(dialect.sample, dialect=dialect)
    for number, step in enumerate(run.steps, 1):
        assert step.action is not None
        text = parser.render(step.action, thought=step.thought, number=number)
        assert text == step.action.log


@every_dialect
def test_the_model_is_told_of_the_labels_that_are_read(dialect: Dialect) -> None:
    told = get_parser(dialect.name, tools=["look_up"]).get_format_instructions()
    for marker in dialect.strict.markers.values():
        words = marker.canonical.removesuffix(":")
        assert words in told


@every_dialect
@given(names=st.lists(plain(), unique=True), about=plain())
def test_the_model_is_told_of_every_tool(dialect: Dialect, names: list[str], about: str) -> None:
    told = get_parser(dialect.name, tools=dict.fromkeys(names, about)).get_format_instructions()
    assert all(name in told for name in names)
    assert told.count(about) >= len(names)
    assert "{tool" not in told


@every_dialect
@given(data=st.data())
def test_a_stop_sequence_stops_no_step(dialect: Dialect, data: st.DataObject) -> None:
    """The model stops at it, so what it wrote before must be whole, and an observation have it."""
    parser = get_parser(dialect.name)
    action = AgentAction(data.draw(plain_tool(dialect)), data.draw(plain_input(dialect)), "")
    text = parser.render((action, "seen"), thought=data.draw(plain()))
    assert parser.stop
    for stop in parser.stop:
        before, found, _ = text.partition(stop)
        assert found
        assert parser.parse(before) == action.model_copy(update={"log": before})
