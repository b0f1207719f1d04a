"""Laws about rendering: a dialect reads what it writes."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, TypeAlias

from agent_laws.laws.broken import Broken, Crashed, law, shown
from agent_laws.trials.pieces import a_tool, given_marks, sample_action, template_marks
from agent_laws.trials.stories import Outcome, results_in
from agent_parsers import AgentAction, AgentFinish, get_parser
from agent_parsers.authoring import Result, Written, escape, unescape
from agent_parsers.toolset import ToolSet
from agent_parsers.transcripts import parse_transcript
from output_parsers import OutputParserException

if TYPE_CHECKING:
    from agent_parsers import Dialect
    from agent_parsers.core import AnyDialectParser
    from agent_parsers.transcripts import Transcript, TranscriptStep

Step: TypeAlias = "AgentAction | AgentFinish"
PlainStep: TypeAlias = "tuple[str, AgentAction, str]"
"""A thought, an action, and the observation."""


def _lenient(dialect: Dialect) -> AnyDialectParser:
    return get_parser(dialect, lenient=True)


def _expect(found: object, expected: object, what: str, text: str) -> None:
    if found != expected:
        raise Broken(f"{what} should be {shown(expected)}, found {shown(found)}", text=text)


@law
def a_step_is_read_back_or_refused(
    dialect: Dialect, step: Step, *, thought: str = "", number: int = 1
) -> None:
    """Check that *step* is read back in both modes, or refused with a `ValueError`.

    Raises:
        BrokenLawError: The step is read as a different one or with repairs, or rendering it raises
            an error other than a `ValueError` that names the dialect.
    """
    parser = _lenient(dialect)
    try:
        text = parser.render(step, thought=thought, number=number)
    except ValueError as error:
        if type(error) is not ValueError:  # the mistake is the caller's, not the model's
            raise Broken(f"rendering {shown(step)} raised {type(error).__name__}") from error
        if dialect.name not in str(error):
            raise Broken(
                f"the error for {shown(step)} does not name the dialect: {error}"
            ) from error
        return
    _check_read_back(dialect, text, step, thought)


def _check_read_back(dialect: Dialect, text: str, step: Step, thought: str) -> None:
    # An input or an answer that is empty may be missing, unless the turn has ended.
    written = step.tool_input if isinstance(step, AgentAction) else step.return_values.get("output")
    is_bare = written == ""
    for lenient in (False, True):
        turn = get_parser(dialect, lenient=lenient).read(
            text, ended="stop" if is_bare else "unknown"
        )
        _expect(turn.thought, thought, "the thought", text)
        if not is_same(turn.result, step, text):
            raise Broken(f"{shown(step)} is read as {shown(turn.result)}", text=text)
        _expect(turn.repairs, (), "the list of repairs", text)


def is_same(outcome: Outcome, step: Step, log: str) -> bool:
    """Return whether *outcome* is exactly this *step* with this *log*."""
    return [_comparable(each) for each in results_in(outcome)] == [_comparable(step, log)]


def _comparable(step: Step, log: str | None = None) -> tuple[object, ...]:
    """Return the fields of *step* that are compared, with another *log* if one is given.

    Types count: ``1`` is neither ``1.0`` nor ``True``.
    """
    log = step.log if log is None else log
    if isinstance(step, AgentFinish):
        return (step.return_values, log)
    return (step.tool, step.tool_input, json.dumps(step.tool_input, sort_keys=True), log)


@law
def plain_words_are_never_refused(
    dialect: Dialect, step: Step, *, thought: str = "", number: int = 1
) -> None:
    """Check that *step*, in plain words, can be written, and is read back in both modes.

    Raises:
        BrokenLawError: The dialect refuses to write the step, or reads it as a different one.
    """
    try:
        text = _lenient(dialect).render(step, thought=thought, number=number)
    except ValueError as error:
        described = f"{shown(step)} after the thought {thought!r}"
        raise Broken(f"{described} is refused: {error}", text=_unchecked(dialect, step)) from error
    except Exception as error:
        raise Crashed(_unchecked(dialect, step)) from error
    _check_read_back(dialect, text, step, thought)


def _unchecked(dialect: Dialect, step: Step) -> str:
    """Return the text of *step* without checking that it is read back."""
    if isinstance(step, AgentFinish):
        return dialect.write(Written(answer=str(step.return_values.get("output"))))
    return dialect.write(Written(tool=step.tool, tool_input=step.tool_input))


def _without_overlap(text: str, more: str) -> str:
    """Return *more* without the end of *text*: both may have the label of the next thought."""
    sizes = range(min(len(text), len(more)), 0, -1)
    return more[next((size for size in sizes if text.endswith(more[:size])), 0) :]


def _scratchpad(dialect: Dialect, steps: Sequence[PlainStep]) -> str:
    """Return the log of an agent: rendered steps with their observations."""
    parser, text = _lenient(dialect), ""
    for number, (thought, action, observation) in enumerate(steps, 1):
        log = parser.render(action, thought=thought, number=number)
        done = action.model_copy(update={"log": _without_overlap(text, log)})
        noted = dialect.results_text([Result(action.tool, observation)], number)
        pad = parser.format_scratchpad([(done, observation)])
        if not pad.startswith(done.log):
            raise Broken(f"the scratchpad does not begin with the log {done.log!r}", text=pad)
        text += done.log + noted
    return text


def _check_action(step: TranscriptStep, action: AgentAction, text: str) -> None:
    found = step.action
    if not isinstance(found, AgentAction) or _comparable(found, "") != _comparable(action, ""):
        raise Broken(f"{shown(action)} is read as {step.error or shown(found)}", text=text)


@law
def a_scratchpad_is_a_transcript(
    dialect: Dialect, steps: Sequence[PlainStep], *, answer: str
) -> None:
    """Check that a rendered run of *steps* with a final *answer* is read back.

    Args:
        dialect: The dialect to test.
        steps: Thoughts, actions and observations, all in plain words.
        answer: The final answer, in plain words.

    Raises:
        BrokenLawError: A step is read as a different one, or a repair is reported.
    """
    text = _scratchpad(dialect, steps)
    end = AgentFinish({"output": answer}, "")
    last = _lenient(dialect).render(end, thought="enough", number=len(steps) + 1)
    text += _without_overlap(text, last)
    run = parse_transcript(text, dialect=dialect)
    check_sound(run, text)
    _check_count(run, len(steps) + 1, text)
    *taken, over = run.steps
    for step, (thought, action, observation) in zip(taken, steps, strict=True):
        _expect(step.thought, thought, "the thought", text)
        _expect(step.observation, observation, "the observation", text)
        _check_action(step, action, text)
    _expect((over.thought, over.observation), ("enough", None), "the last thought", text)
    check_answer(run, answer, text)


def _check_count(run: Transcript, count: int, text: str) -> None:
    if len(run.all_steps) != count:
        raise Broken(f"{count} steps are read as {len(run.all_steps)} steps", text=text)


def check_sound(run: Transcript, text: str) -> None:
    """Check that all of *run* was read without errors and repairs."""
    for step in run.failed:
        raise Broken(f"step {step.number} cannot be read: {step.error}", text=text)
    for repair in run.repairs:
        raise Broken(f"rendered text needs a repair: {repair.message}", text=text)


def check_answer(run: Transcript, answer: str, text: str) -> None:
    """Check that *run* ends in this *answer*."""
    found = run.finish and run.finish.return_values
    _expect(found, {"output": answer}, "the answer", text)
    _expect(run.finish, run.steps[-1].action, "the last step", text)


@law
def the_spans_of_a_step_are_where_its_parts_stand(
    dialect: Dialect, steps: Sequence[PlainStep]
) -> None:
    """Check that the spans of a step cover its thought, action and observation.

    Raises:
        BrokenLawError: A span covers other text, or the parts are not in order.
    """
    text = _scratchpad(dialect, steps)
    for step in parse_transcript(text, dialect=dialect).steps:
        spans = step.thought_span, step.action_span, step.observation_span
        if not isinstance(step.action, AgentAction) or None in spans:
            raise Broken(f"not all parts of step {step.number} are read: {spans}", text=text)
        thought, action, seen = (text[slice(*span)] for span in spans if span)
        _expect(step.thought, thought, "the thought", text)
        _expect(step.observation, seen, "the observation", text)
        begins = (step.action.tool, str(step.action.tool_input))  # the tool name may be left out
        if not action.startswith(begins):
            raise Broken(
                f"the span of {shown(step.action)} covers other text: {action!r}", text=text
            )
        edges = [edge for span in spans if span for edge in span]
        if edges != sorted(edges):
            raise Broken(f"the parts of step {step.number} are not in order: {spans}", text=text)


@law
def a_scratchpad_without_logs_is_rendered(dialect: Dialect, steps: Sequence[PlainStep]) -> None:
    """Check that actions without logs, and their observations, are rendered and read back.

    Raises:
        BrokenLawError: A step is read as a different one, or a repair is reported.
    """
    bare = [(action, observation) for _, action, observation in steps]
    text = _lenient(dialect).format_scratchpad(bare)
    run = parse_transcript(text, dialect=dialect)
    check_sound(run, text)
    _check_count(run, len(bare), text)
    for step, (action, observation) in zip(run.steps, bare, strict=True):
        _expect(step.observation, observation, "the observation", text)
        _check_action(step, action, text)


@law
def no_observation_changes_how_the_text_around_it_is_read(
    dialect: Dialect, observation: str
) -> None:
    """Check that any *observation* is read back, with the same steps around it.

    Raises:
        BrokenLawError: A step next to the observation, or the observation, is read differently.
    """
    parser = _lenient(dialect)
    action = AgentAction(a_tool(dialect), sample_action(dialect).tool_input, "")
    text = parser.format_scratchpad([(action, observation)])
    last = parser.render(AgentFinish({"output": "seven"}, ""), thought="enough", number=2)
    text += _without_overlap(text, last)
    run = parse_transcript(text, dialect=dialect)
    check_sound(run, text)
    _check_count(run, 2, text)
    taken, end = run.all_steps
    _expect((taken.observation or "").strip(), observation.strip(), "the observation", text)
    _check_action(taken, action, text)
    _expect(end.thought, "enough", "the last thought", text)
    check_answer(run, "seven", text)


def _too_often(mark: str, more: int, plain: str, text: str) -> str:
    """Say that a *mark* occurs *more* often in *text* than in the *plain* one, and show where."""
    pieces, others = text.split(mark), {*plain.split(mark)}
    at = next((n for n, piece in enumerate(pieces[1:], 1) if piece not in others), 1)
    around = f"{pieces[at - 1][-40:]}{mark}{pieces[at][:40]}"
    times = "once" if more == 1 else f"{more} times"
    return f"the marker {mark!r} occurs {times} too often, for example here: {around!r}"


@law
def no_observation_forges_a_mark(dialect: Dialect, observation: str) -> None:
    """Check that *observation* adds no markers to prompts, as text or as messages.

    Raises:
        BrokenLawError: A marker that begins or ends a part of a prompt occurs more often than if
            the observation were a plain word.
    """
    parser = _lenient(dialect)
    action = AgentAction(a_tool(dialect), sample_action(dialect).tool_input, "")
    for write in (_as_text, _as_messages):
        seen = ("yes", observation)
        plain, text = (write(parser, [(action, each), (action, "no")]) for each in seen)
        for mark in template_marks(dialect):
            if (more := text.count(mark) - plain.count(mark)) > 0:
                raise Broken(_too_often(mark, more, plain, text), text=text)


@law
def no_failed_turn_forges_a_mark(dialect: Dialect, log: str) -> None:
    """Check that *log*, a failed turn, does not change the rest of a prompt.

    Args:
        dialect: The dialect to test.
        log: A turn without the marks of the dialect for turns, but with marks of results.

    Raises:
        BrokenLawError: A marker of results or turns occurs more often in the prompt than if the
            turn were plain words, or the steps after it are read differently.
    """
    parser = _lenient(dialect)
    step = AgentAction(a_tool(dialect), sample_action(dialect).tool_input, ""), "no"
    failed = [OutputParserException("bad", llm_output=text) for text in ("hm", log)]
    for write in (_as_text, _as_messages):
        plain, text = (write(parser, [each, step]) for each in failed)
        for mark in given_marks(dialect):
            if (more := text.count(mark) - plain.count(mark)) > 0:
                raise Broken(_too_often(mark, more, plain, text), text=text)
    if not dialect.lenient.transcript_start:
        return
    pads = [parser.format_scratchpad([each, step]) for each in failed]
    wanted, found = (_acted(parse_transcript(pad, dialect=dialect)) for pad in pads)
    _expect(found, wanted, "the run", pads[1])


def _acted(run: Transcript) -> list[tuple[object, ...]]:
    """Return what the steps of a *run* did, and what came back."""
    done = ((step.action, step.observation) for step in run.all_steps)
    return [
        (getattr(action, "tool", None), getattr(action, "tool_input", None), seen)
        for action, seen in done
    ]


@law
def what_is_read_is_read_back(dialect: Dialect, log: str, observation: str) -> None:
    """Check that a run that begins with the turn *log* has no other action than that turn.

    Raises:
        BrokenLawError: A step of the run that was written has another action.
    """
    try:
        action = _lenient(dialect).read(log, ended="stop").result
    except OutputParserException:
        return
    if not isinstance(action, AgentAction):
        return
    text = _lenient(dialect).format_scratchpad([(action, observation)])
    try:
        run = parse_transcript(text, dialect=dialect)
    except OutputParserException:
        return
    for step in run.all_steps:
        if step.action is not None:
            _check_action(step, action, text)
            seen = (step.observation or "").strip()
            _expect(seen, observation.strip(), "the observation", text)


def _with_tool(parser: AnyDialectParser) -> AnyDialectParser:
    """Return the *parser* with a tool, which its prompt lists."""
    return parser.model_copy(update={"tools": ToolSet(["look_up"])})


def _as_text(parser: AnyDialectParser, steps: Sequence[Any]) -> str:
    return _with_tool(parser).render_prompt("why?", steps)


def _as_messages(parser: AnyDialectParser, steps: Sequence[Any]) -> str:
    messages = _with_tool(parser).render_prompt("why?", steps, as_messages=True)
    return "\n".join(str(message.content) for message in messages)


@law
def what_is_escaped_is_unescaped(dialect: Dialect, text: str) -> None:
    """Check that escaping and unescaping any *text* returns the same text.

    Raises:
        BrokenLawError: The result is a different text.
    """
    escaped = escape(dialect, text)
    found = unescape(dialect, escaped)
    if found != text:
        raise Broken(f"the text is escaped as {shown(escaped)}, and unescaped as {shown(found)}")


@law
def the_last_question_before_a_step_is_the_question(
    dialect: Dialect, before: Sequence[str], question: str
) -> None:
    """Check that the last of several questions before a step is read as the question.

    Raises:
        BrokenLawError: Another question is read, or there is more than one step.
    """
    table = dialect.lenient
    labels = [
        m
        for (_, m), transition in table.transitions.items()
        if transition.to == table.transcript_start
    ]
    if not labels:
        raise Broken(
            f"no marker leads to {table.transcript_start!r}, where a transcript begins,"
            " so no second run can begin"
        )
    label = table.markers[labels[0]].canonical
    action = AgentAction(a_tool(dialect), sample_action(dialect).tool_input, "")
    lines = [f"{label} {text}\n" for text in (*before, question)]
    text = "intro\n" + "".join(lines) + _lenient(dialect).render(action)
    run = parse_transcript(text, dialect=dialect)
    _expect(run.question, question, "the question", text)
    _expect(run.preamble, "\n".join(("intro", *before)), "the text before the question", text)
    _check_count(run, 1, text)
