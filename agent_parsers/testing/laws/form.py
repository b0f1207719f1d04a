"""What must stay true of what a dialect says of itself: sample, stop sequences, instructions."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING

from agent_parsers.actions.agent import AgentAction, AgentFinish
from agent_parsers.engine.writing.prompt import instructions, replies
from agent_parsers.parsers.dialect_parser import dialect_parser
from agent_parsers.runs.transcript_parser import parse_transcript, parse_transcripts
from agent_parsers.testing.laws.broken import Broken, law, shown
from agent_parsers.testing.laws.writing import check_answer, check_sound, is_same
from agent_parsers.testing.trials.pieces import marker_in, sample_answer
from agent_parsers.testing.trials.stories import outcome_of, results_in

if TYPE_CHECKING:
    from collections.abc import Collection

    from agent_parsers.engine.grammar.dialect import Dialect

__all__ = [
    "a_stop_sequence_stops_no_step",
    "the_example_is_an_action",
    "the_instructions_name_every_tool",
    "the_instructions_show_the_labels_that_are_read",
    "the_replies_in_the_instructions_are_read",
    "the_sample_is_one_flawless_run",
    "the_steps_of_the_sample_are_written_as_they_stand",
    "two_samples_are_two_runs",
]


@law
def the_sample_is_one_flawless_run(dialect: Dialect) -> None:
    """Read the sample as a transcript.

    Raises:
        BrokenLawError: It is not one run with a question and two steps or more, the last of which
            is an answer that ends the sample, or something in it is mended or cannot be read.
    """
    sample = dialect.sample
    runs = parse_transcripts(sample, dialect=dialect)
    if len(runs) != 1:
        raise Broken(f"it is {len(runs)} runs", text=sample)
    run = runs[0]
    check_sound(run, sample)
    if not run.question or run.preamble:
        said = f"{run.question!r}, after {run.preamble!r}" if run.preamble else repr(run.question)
        raise Broken(f"its question is {said}", text=sample)
    if len(run.steps) < 2 or run.finish is None:
        steps = ", ".join(shown(step.action) for step in run.steps)
        raise Broken(f"it has no action and then an answer; it is read as {steps}", text=sample)
    answer = sample_answer(dialect)
    check_answer(run, answer, sample)
    if not sample.endswith((run.finish.log, answer)):
        raise Broken("something follows the answer", text=sample)


@law
def two_samples_are_two_runs(dialect: Dialect) -> None:
    """Read the sample twice, as a file of several runs has it.

    Raises:
        BrokenLawError: It is not two runs, since nothing ends an answer.
    """
    text = f"{dialect.sample}\n{dialect.sample}"
    runs = parse_transcripts(text, dialect=dialect)
    if len(runs) != 2:
        answers = ", ".join(shown(run.finish) for run in runs)
        raise Broken(f"the runs are 2, and are read as {len(runs)}, with {answers}", text=text)


@law
def the_steps_of_the_sample_are_written_as_they_stand(dialect: Dialect) -> None:
    """Write the steps of the sample again.

    Raises:
        BrokenLawError: One of them looks otherwise than in the sample.
    """
    parser = dialect_parser(dialect, lenient=True)
    for number, step in enumerate(parse_transcript(dialect.sample, dialect=dialect).steps, 1):
        if step.action is None:
            raise Broken(f"step {number} cannot be read: {step.error}", text=dialect.sample)
        text = parser.render(step.action, thought=step.thought, number=number)
        if text != step.action.log:
            raise Broken(f"step {number} is written as {text!r}", text=step.action.log)


@law
def a_stop_sequence_stops_no_step(
    dialect: Dialect, action: AgentAction, *, thought: str = ""
) -> None:
    """Write a step, with what the tool returned, and cut it where the model would be stopped.

    Raises:
        BrokenLawError: A stop sequence is not in it, or the action before it is not whole.
    """
    parser = dialect_parser(dialect, lenient=True)
    text = parser.render((action, "seen"), thought=thought)
    if not parser.stop:
        raise Broken("there is no stop sequence", text=text)
    met = {marker_in(dialect, stop) for stop in parser.stop if stop in text}
    for stop in parser.stop:
        before, found, _ = text.partition(stop)
        if not found and (marker_in(dialect, stop) in met - {""} or (dialect.several and met)):
            continue  # another spelling of one that is there, or what else ends a turn of calls
        if not found:
            raise Broken(f"the stop sequence {stop!r} is not in a step as it is written", text=text)
        outcome = outcome_of(partial(parser.parse, before))
        if not is_same(outcome, action, before):
            raise Broken(
                f"stopped at {stop!r}, {shown(action)} is read as {shown(outcome)}", text=before
            )


@law
def the_instructions_show_the_labels_that_are_read(dialect: Dialect) -> None:
    """Look in the instructions for the markers of strict reading.

    Raises:
        BrokenLawError: One is not there, so the model may not know it.
    """
    if dialect.several:  # a model is trained for these; the example has those it needs
        return
    told = instructions(dialect, ["look_up"])
    for name, marker in dialect.strict.markers.items():
        if marker.canonical.removesuffix(":") not in told:
            raise Broken(f"{marker.canonical!r}, the marker {name!r}, is not there", text=told)


@law
def the_instructions_name_every_tool(dialect: Dialect, tools: Collection[str], about: str) -> None:
    """Look in the instructions for *tools*, each of which is described as *about*.

    Raises:
        BrokenLawError: A name or a description is not there, or a place in braces is not filled in.
    """
    told = instructions(dialect, dict.fromkeys(tools, about))
    for name in tools:
        if name not in told:
            raise Broken(f"the tool {name!r} is not there", text=told)
    if told.count(about) < len(tools):
        times = f"{told.count(about)} times for {len(tools)} tools"
        raise Broken(f"the description {about!r} is there {times}", text=told)
    if "{tool" in told:
        raise Broken("a place for tools is not filled in", text=told)


@law
def the_replies_in_the_instructions_are_read(dialect: Dialect, tools: Collection[str]) -> None:
    """Read the turns that the model is shown as examples.

    Raises:
        BrokenLawError: One is not read, in both ways, as an action that uses one of the *tools*,
            the other as an answer, or something in it is mended.
    """
    for lenient in (False, True):
        parser = dialect_parser(dialect, lenient=lenient)
        for text, kind in zip(replies(dialect, tools), (AgentAction, AgentFinish), strict=True):
            turn = parser.read(text)
            if not all(isinstance(result, kind) for result in results_in(turn.result)):
                raise Broken(f"it comes to {shown(turn.result)}", text=text)
            if turn.repairs:
                raise Broken(f"it is mended: {turn.repairs[0].message}", text=text)


@law
def the_example_is_an_action(dialect: Dialect) -> None:
    """Read the example that a model is shown that wrote a wrong action.

    Raises:
        BrokenLawError: Strictly, it is read as something else.
    """
    text = dialect.write(dialect.example)
    outcome = outcome_of(partial(dialect_parser(dialect).parse, text))
    meant = AgentAction(dialect.example.tool, dialect.example.tool_input, text)
    if not is_same(outcome, meant, text):
        raise Broken(f"{shown(meant)} is read as {shown(outcome)}", text=text)
