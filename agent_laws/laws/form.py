"""Laws about the sample, the stop sequences and the instructions of a dialect."""

from __future__ import annotations

from collections.abc import Collection
from contextlib import suppress
from functools import partial
from typing import TYPE_CHECKING

from agent_laws.laws.broken import Broken, law, shown
from agent_laws.laws.writing import check_answer, check_sound, is_same
from agent_laws.trials.pieces import marker_in, sample_answer
from agent_laws.trials.stories import Refusal, outcome_of, results_in
from agent_parsers import AgentAction, AgentFinish, get_parser
from agent_parsers.authoring import instructions, replies
from agent_parsers.transcripts import parse_transcript, parse_transcripts

if TYPE_CHECKING:
    from agent_parsers import Dialect
    from agent_parsers.toolset import ToolSet


@law
def the_sample_is_one_flawless_run(dialect: Dialect) -> None:
    """Check that the sample is read as one run, without errors or repairs.

    Raises:
        BrokenLawError: The sample is not one run with a question and at least two steps, it does
            not end in an answer, or a part of it is repaired or cannot be read.
    """
    sample = dialect.sample
    runs = parse_transcripts(sample, dialect=dialect)
    if len(runs) != 1:
        raise Broken(f"the sample is read as {len(runs)} runs", text=sample)
    run = runs[0]
    check_sound(run, sample)
    if not run.question or run.preamble:
        where = f", after {run.preamble!r}" if run.preamble else ""
        raise Broken(f"the question is read as {run.question!r}{where}", text=sample)
    if len(run.steps) < 2 or run.finish is None:
        steps = ", ".join(shown(step.action) for step in run.steps)
        raise Broken(f"expected an action and then an answer, found {steps}", text=sample)
    answer = sample_answer(dialect)
    check_answer(run, answer, sample)
    if not sample.endswith((run.finish.log, answer)):
        raise Broken("the sample goes on after the answer", text=sample)


@law
def two_samples_are_two_runs(dialect: Dialect) -> None:
    """Check that two copies of the sample, one after the other, are read as two runs.

    Raises:
        BrokenLawError: They are not read as two runs, since nothing ends an answer.
    """
    text = f"{dialect.sample}\n{dialect.sample}"
    runs = parse_transcripts(text, dialect=dialect)
    if len(runs) != 2:
        answers = ", ".join(shown(run.finish) for run in runs)
        raise Broken(f"2 runs are read as {len(runs)}, with the answers {answers}", text=text)


@law
def the_steps_of_the_sample_are_written_as_they_stand(dialect: Dialect) -> None:
    """Check that rendering the steps of the sample gives the text of the sample.

    Raises:
        BrokenLawError: A rendered step differs from the sample, or cannot be read.
    """
    parser = get_parser(dialect, lenient=True)
    for number, step in enumerate(parse_transcript(dialect.sample, dialect=dialect).steps, 1):
        if step.action is None:
            raise Broken(f"step {number} cannot be read: {step.error}", text=dialect.sample)
        text = parser.render(step.action, thought=step.thought, number=number)
        if text != step.action.log:
            raise Broken(f"step {number} is rendered as other text: {text!r}", text=step.action.log)


@law
def a_stop_sequence_stops_no_step(
    dialect: Dialect, action: AgentAction, *, thought: str = ""
) -> None:
    """Check that each stop sequence ends a step after the whole action, or after two of them.

    If nothing else ends a turn, a stop sequence may end each call. If a call has no end of its own,
    the parser has to be told that the text stopped; otherwise the text is an error.

    Raises:
        BrokenLawError: A stop sequence does not occur in a rendered step, or the action in front of
            it is incomplete.
    """
    parser = get_parser(dialect, lenient=True)
    _check_stops(dialect, action, parser.render((action, "seen"), thought=thought))
    if dialect.several and dialect.turn_frame[0].strip():
        with suppress(ValueError):  # some have one call in a turn all the same
            _check_stops(dialect, action, parser.render([action, action], thought=thought), 2)


def _check_stops(dialect: Dialect, action: AgentAction, text: str, calls: int = 1) -> None:
    """Check that what stands before each stop sequence in *text* makes so many *calls*."""
    parser = get_parser(dialect, lenient=True)
    if not parser.stop:
        raise Broken("the parser has no stop sequence", text=text)
    met = {marker_in(dialect, stop) for stop in parser.stop if stop in text}
    for stop in parser.stop:
        before, found, _ = text.partition(stop)
        if not found and (
            calls > 1 or marker_in(dialect, stop) in met - {""} or (dialect.several and met)
        ):
            continue  # another spelling of one that occurs, or the end of a turn of calls
        if not found:
            raise Broken(f"the stop sequence {stop!r} is not in a rendered step", text=text)
        outcome = outcome_of(partial(parser.parse, before))
        if isinstance(outcome, Refusal):
            turn = outcome_of(partial(parser.read, before, ended="stop"))
            outcome = turn if isinstance(turn, Refusal) else turn.result
        made = results_in(outcome)
        if len(made) != calls or not all(is_same(each, action, before) for each in made):
            meant = " twice" if calls > 1 else ""
            raise Broken(
                f"if the model stops at {stop!r}, {shown(action)}{meant} is read as"
                f" {shown(outcome)}",
                text=before,
            )


@law
def the_instructions_show_the_labels_that_are_read(dialect: Dialect) -> None:
    """Check that the instructions, and the question below them, show the markers of strict mode.

    Raises:
        BrokenLawError: A marker is missing, so the model may not know it.
    """
    if (
        dialect.several
    ):  # models are trained for these formats, so the instructions show only some markers
        return
    prompt = get_parser(dialect, tools=["look_up"], lenient=False).render_prompt("Why?")
    for name, marker in dialect.strict.markers.items():
        if marker.canonical.removesuffix(":") not in prompt:
            raise Broken(f"the prompt lacks {marker.canonical!r}, the marker {name!r}", text=prompt)


@law
def the_instructions_name_every_tool(dialect: Dialect, tools: Collection[str], about: str) -> None:
    """Check that the instructions list *tools*, each with the description *about*.

    Raises:
        BrokenLawError: A name or a description is missing, or a placeholder is not filled in.
    """
    prompt = instructions(dialect, dict.fromkeys(tools, about))
    for name in tools:
        if name not in prompt:
            raise Broken(f"the prompt lacks the tool {name!r}", text=prompt)
    if prompt.count(about) < len(tools):
        times = f"{prompt.count(about)} times for {len(tools)} tools"
        raise Broken(f"the description {about!r} occurs {times}", text=prompt)
    if "{tool" in prompt:
        raise Broken("a placeholder for tools is not filled in", text=prompt)


@law
def the_replies_in_the_instructions_are_read(dialect: Dialect, tools: Collection[str]) -> None:
    """Check that the example replies in the instructions are read, in both modes, without repairs.

    Raises:
        BrokenLawError: The first is not read as an action that calls one of *tools*, the second is
            not read as an answer, or a repair is reported.
    """
    for lenient in (False, True):
        parser = get_parser(dialect, lenient=lenient)
        for text, kind in zip(replies(dialect, tools), (AgentAction, AgentFinish), strict=True):
            turn = parser.read(text)
            if not all(isinstance(result, kind) for result in results_in(turn.result)):
                raise Broken(f"the reply is read as {shown(turn.result)}", text=text)
            if turn.repairs:
                raise Broken(f"the reply is repaired: {turn.repairs[0].message}", text=text)


@law
def without_tools_no_call_is_shown(dialect: Dialect) -> None:
    """Check that neither the prompt nor an observation shows a call if there are no tools.

    Raises:
        BrokenLawError: The instructions, a paragraph of them, or the observation of a call that was
            refused is read as an action; or the example that they show is not read as an answer.
    """
    parser = get_parser(dialect, lenient=True)
    told = instructions(dialect, [])
    call = dialect.write(dialect.example)
    refused = outcome_of(partial(get_parser(dialect, lenient=True, tools=[]).parse, call))
    observation = (refused.observation or "") if isinstance(refused, Refusal) else ""
    shown_answer = observation.partition(dialect.prompt_words.example)[2]
    for text in (told, *told.split("\n\n"), observation, shown_answer):
        for made in results_in(outcome_of(partial(parser.parse, text))):
            if isinstance(made, AgentAction):
                raise Broken(f"the text is read as {shown(made)}", text=text)
    for text in filter(None, (replies(dialect, [])[1], shown_answer)):
        outcome = outcome_of(partial(parser.parse, text))
        if not isinstance(outcome, AgentFinish):
            raise Broken(f"the example is read as {shown(outcome)}", text=text)


@law
def what_is_copied_from_the_instructions_is_no_turn(dialect: Dialect, tools: ToolSet) -> None:
    """Check that lenient mode refuses the example replies in the instructions.

    Small models copy them. They call a tool with placeholders, or answer with one. An input that no
    schema describes, such as code, is not checked.

    Raises:
        BrokenLawError: One is read as an action that a tool takes, or as an answer.
    """
    parser = get_parser(dialect, lenient=True, tools=tools)
    for text in replies(dialect, tools):
        outcome = outcome_of(partial(parser.parse, text))
        made = results_in(outcome)
        if any(isinstance(each, AgentFinish) or tools.checks(each.tool) for each in made):
            raise Broken(f"the copied reply is read as {shown(outcome)}", text=text)


@law
def the_example_is_an_action(dialect: Dialect) -> None:
    """Check that the example shown after a wrong action is read as that action in strict mode.

    Raises:
        BrokenLawError: It is read as something else.
    """
    text = dialect.write(dialect.example)
    outcome = outcome_of(partial(get_parser(dialect, lenient=False).parse, text))
    meant = AgentAction(dialect.example.tool, dialect.example.tool_input, text)
    if not is_same(outcome, meant, text):
        raise Broken(f"{shown(meant)} is read as {shown(outcome)}", text=text)


@law
def a_prompt_ends_where_a_word_may_begin(dialect: Dialect) -> None:
    """Check that neither a prompt nor a scratchpad ends in a space or a tab.

    Tokenizers join a space to the word after it, so a model that reads a space at the end does not
    write the words that it was trained to write there.

    Raises:
        BrokenLawError: A prompt ends in a blank or a tab.
    """
    action = AgentAction(dialect.example.tool, dialect.example.tool_input, "")
    parser = get_parser(dialect, lenient=False, tools=[action.tool])
    for steps in ((), ((action, "seen"),)):
        for text in (parser.render_prompt("Why?", steps), parser.format_scratchpad(steps)):
            if text != text.rstrip(" \t"):
                raise Broken("a prompt ends in white space", text=text)
