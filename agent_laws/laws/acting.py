"""Laws about calls: a text makes one only if it is meant, and no mark of a call is an answer."""

from __future__ import annotations

import ast
from collections.abc import Iterable, Sequence
from functools import partial
from typing import TYPE_CHECKING, Any, Final

from agent_laws.laws.broken import Broken, law, shown
from agent_laws.trials.marked_turns import PROSE
from agent_laws.trials.sample_calls import (
    ENDS,
    NOT_CUT,
    Meant,
    calls_in,
    first_wrong,
    is_cut_short,
    parser_for,
    raw_input,
    reading,
    turn_of,
)
from agent_laws.trials.stories import Refusal, outcome_of, results_in, story_from
from agent_parsers import AgentFinish, StreamParser
from agent_parsers.core import known_tools
from agent_parsers.events import ActionComplete, Event, ToolNamed, merge_events
from agent_parsers.testing.chunks import cut

if TYPE_CHECKING:
    from agent_laws.trials.stories import Outcome, Story
    from agent_parsers import AgentAction, Dialect
    from agent_parsers.authoring import Mode
    from agent_parsers.toolset import Tools, ToolSet
    from outputs import Ended

_ENDED: tuple[Ended, ...] = ("unknown", "length")


@law
def no_prefix_of_a_turn_acts_otherwise(
    dialect: Dialect,
    mode: Mode,
    text: str,
    *,
    tools: Tools | ToolSet | None = None,
    at: Iterable[int] | None = None,
) -> None:
    """Check that no prefix of *text* makes a call that the whole turn does not make.

    A prefix may result in an error, in some of the calls, or in an answer as long as it names no
    tool. The one exemption is raw text as the last input of a turn: there is no sign that it is
    cut, unless the caller reports it (``ended="length"``) or its closer is missing.

    Args:
        dialect: The dialect to test.
        mode: The mode in which texts are read.
        text: A whole turn.
        tools: The tools that the parser knows.
        at: Positions at which to cut; `None` for every position, the end included.

    Raises:
        BrokenLawError: A prefix makes a call that the whole turn does not make in that order, or is
            read as an answer although a call has begun.
    """
    meant = calls_in(reading(dialect, mode, text, tools=tools, ended="stop"))
    raw = raw_input(dialect, text)
    named = _first_name(dialect, mode, text, tools)
    for end in range(len(text) + 1) if at is None else at:
        for ended in _ENDED:
            found = reading(
                dialect, mode, text[:end], tools=tools, ended=ended, as_stream=bool(end % 2)
            )
            calls = calls_in(found)
            wrong = first_wrong(calls, meant)
            if wrong is not None:
                if (
                    raw is not None
                    and raw.may_end(text[:end], ended)
                    and (wrong == len(meant) - 1 and is_cut_short(calls[wrong], meant[wrong], raw))
                ):
                    continue
                raise Broken(_otherwise(found, wrong, meant, ended), text=text[:end])
            is_named = named is not None and len(text[:end].rstrip()) > named
            if isinstance(found, AgentFinish) and is_named:
                reason = f"a call has begun, but the result is {shown(found)} (ended: {ended})"
                raise Broken(reason, text=text[:end])


def _first_name(
    dialect: Dialect, mode: Mode, text: str, tools: Tools | ToolSet | None
) -> int | None:
    """Return where the name of the first tool in *text* ends, or `None` if no tool is named."""
    story = story_from(parser_for(dialect, mode, tools).stream_parser(), [text])
    return next((event.span[1] for event in story.of(ToolNamed)), None)


def _otherwise(found: Outcome, place: int, meant: Sequence[Meant], ended: Ended) -> str:
    call = shown(results_in(found)[place])
    if place >= len(meant):
        return f"the text is read with an extra call, {call} (ended: {ended})"
    tool, tool_input = meant[place]
    return f"the text is read as {call}, expected {tool!r} with {tool_input!r} (ended: {ended})"


@law
def no_key_counts_twice(
    dialect: Dialect, mode: Mode, text: str, *, tools: Tools | ToolSet | None = None
) -> None:
    """Check that *text*, a turn with a call that has a duplicate key, is refused.

    Raises:
        BrokenLawError: The turn is read without an error.
    """
    for ended in NOT_CUT:
        found = reading(dialect, mode, text, tools=tools, ended=ended, as_stream=ended == "stop")
        if not isinstance(found, Refusal):
            raise Broken(f"a key appears twice, but the text is read as {shown(found)}")


@law
def no_value_holds_the_next(
    dialect: Dialect,
    mode: Mode,
    text: str,
    *,
    values: Sequence[str],
    tools: Tools | ToolSet | None = None,
) -> None:
    """Check that *text*, a call with a mistake between two values, keeps the values or is refused.

    Args:
        dialect: The dialect to test.
        mode: The mode in which texts are read.
        text: A turn with one call.
        values: The values of its input, in order; white space around them does not count.
        tools: The tools that the parser knows.

    Raises:
        BrokenLawError: A call is made with other values, or with some of them.
    """
    for ended in NOT_CUT:
        found = reading(dialect, mode, text, tools=tools, ended=ended, as_stream=ended == "stop")
        for call in calls_in(found):
            given = call.tool_input
            if not isinstance(given, dict) or [str(v).strip() for v in given.values()] != [*values]:
                raise Broken(f"the values are {shown([*values])}, but the call is {shown(call)}")


@law
def reasoning_and_quotation_never_act(
    dialect: Dialect,
    mode: Mode,
    text: str,
    *,
    meant: Sequence[Meant] = (),
    tools: Tools | ToolSet | None = None,
    may_repair: bool = False,
) -> None:
    """Check that a call inside reasoning or a quotation in *text* is not made.

    Args:
        dialect: The dialect to test.
        mode: The mode in which texts are read.
        text: A turn in which reasoning or a quotation contains a call.
        meant: The calls outside the reasoning or quotation, in order; may be empty.
        tools: The tools that the parser knows.
        may_repair: Whether the quoted call may be made after all, if that is reported as a repair
            and the text was not cut.

    Raises:
        BrokenLawError: Another call is made, or the result is an empty answer.
    """
    parser = parser_for(dialect, mode, tools)
    for ended in ENDS:
        found = reading(dialect, mode, text, tools=tools, ended=ended, as_stream=ended == "stop")
        wrong = first_wrong(calls_in(found), meant)
        if wrong is not None:
            if may_repair and ended != "length":
                turn = turn_of(parser, text, ended)
                if not isinstance(turn, Refusal) and turn.repairs:
                    continue
            raise Broken(_otherwise(found, wrong, meant, ended))
        if isinstance(found, AgentFinish) and not str(found.return_values.get("output")).strip():
            raise Broken(f"the text is read as an empty answer (ended: {ended})")


@law
def a_call_emitted_early_is_a_call_of_the_turn(
    dialect: Dialect,
    mode: Mode,
    text: str,
    *,
    sizes: Sequence[int] = (1,),
    start: str = "",
    meant: Sequence[Meant] | None = None,
    tools: Tools | ToolSet | None = None,
) -> None:
    """Check the events of *text* with ``calls="each"``, in one piece and in chunks.

    The calls are those of the result, if the turn has one, and everything else is the same as with
    ``calls="all"``. If the turn is an error, the error names the calls that were emitted; a thought
    that ends after a call may be the reason only if *start* is empty. Dialects that do not emit
    each call are not checked.

    Args:
        dialect: The dialect to test.
        mode: The mode in which texts are read.
        text: A turn, whole or cut short.
        sizes: Sizes of the chunks in characters, used over and over.
        start: The part in which the text begins; empty if the prompt did not open one.
        meant: The calls of the whole turn; those that are emitted are the first of them. `None` if
            the text has no meaning.
        tools: The tools that the parser knows.

    Raises:
        BrokenLawError: A call is emitted that the turn does not make, or anything else differs.
    """
    known = known_tools(tools)
    prompt = "" if start else _PROMPT
    read = partial(StreamParser, dialect, mode=mode, tools=known, start=start, prompt=prompt)
    try:
        whole = story_from(read(calls="each"), [text])
    except ValueError:
        return
    chunks = [*cut(text, sizes)]
    if (in_chunks := story_from(read(calls="each"), chunks)) != whole:
        raise Broken(
            f"the text gives {shown(whole)} in one piece, but {shown(in_chunks)} in chunks",
            chunks=chunks,
        )
    usual = story_from(read(), [text])
    emitted = [_made(event.action) for event in whole.of(ActionComplete)]
    expected = [_made(event.action) for event in usual.of(ActionComplete)]
    is_refuted = isinstance(whole.outcome, Refusal) and not isinstance(usual.outcome, Refusal)
    if not is_refuted and _without_calls(whole) != _without_calls(usual):
        raise Broken(f"calls='each' gives {shown(whole)}, calls='all' {shown(usual)}")
    if isinstance(whole.outcome, Refusal):
        notes = " ".join(whole.outcome.error.__notes__)
        if any(tool not in notes for tool, *_ in emitted):
            raise Broken(f"the error does not name the calls {shown(emitted)}")
        if is_refuted and (start or not emitted):
            raise Broken(
                f"the turn is read as {shown(whole.outcome)}, expected {shown(usual.outcome)}"
            )
    elif whole.outcome != usual.outcome:
        raise Broken(f"the result is {shown(whole.outcome)}, expected {shown(usual.outcome)}")
    elif emitted != expected:
        raise Broken(f"the stream emits {shown(emitted)}, expected {shown(expected)}")
    calls = [Meant(tool, value) for tool, value, _ in emitted]
    if meant is not None and first_wrong(calls, meant) is not None:
        raise Broken(f"the stream emits {shown(calls)}, expected {shown(meant)}")


_PROMPT: Final = "How large is it?"
"""The end of a prompt that opens no thought."""


def _made(action: AgentAction) -> tuple[str, Any, str | None]:
    return action.tool, action.tool_input, getattr(action, "tool_call_id", None)


def _without_calls(story: Story) -> list[Event]:
    return merge_events(event for event in story.events if not isinstance(event, ActionComplete))


# -- laws about marks ------------------------------------------------------------------------------


@law
def no_mark_of_a_call_is_text(dialect: Dialect, mode: Mode, text: str, *, mark: str) -> None:
    """Check that *text*, in which a *mark* begins a call, makes calls or is refused.

    Args:
        dialect: The dialect to test.
        mode: The mode in which texts are read.
        text: A turn that does not quote the mark, nor mention it in a sentence.
        mark: The mark.

    Raises:
        BrokenLawError: The turn is an answer, or the mark or what follows it is content.
    """
    parser = parser_for(dialect, mode, None)
    for ended in NOT_CUT:
        turn = turn_of(parser, text, ended)
        if isinstance(turn, Refusal):
            continue
        if isinstance(turn.result, AgentFinish):
            raise Broken(
                f"expected a call after its mark, found {shown(turn.result)} (ended: {ended})"
            )
        if mark in turn.content or PROSE in turn.content:
            raise Broken(f"expected a call after its mark, found {turn.content!r} (ended: {ended})")


@law
def what_is_given_is_never_said(
    dialect: Dialect,
    mode: Mode,
    text: str,
    *,
    seen: str,
    meant: Sequence[Meant] = (),
    is_all: bool = False,
) -> None:
    """Check that the turn in *text* ends before a result, since a model does not write results.

    Args:
        dialect: The dialect to test.
        mode: The mode in which texts are read.
        text: A turn and a result after it, with the marks of results.
        seen: A word of the result.
        meant: The calls before the result.
        is_all: Whether there is nothing before the result, so that the turn has to be refused.

    Raises:
        BrokenLawError: The result is part of an answer or of content, other calls are made, or in
            lenient mode those before the result are not.
    """
    parser = parser_for(dialect, mode, None)
    for ended in NOT_CUT:
        turn = turn_of(parser, text, ended)
        if isinstance(turn, Refusal):
            if meant and mode == "lenient":
                raise Broken(f"the text is read as {shown(turn)}, expected {shown(list(meant))}")
            continue
        if is_all or seen in turn.content:
            raise Broken(f"the result of a tool is read as {shown(turn.result)} (ended: {ended})")
        calls = calls_in(turn.result)
        if first_wrong(calls, meant) is not None or len(calls) < len(meant):
            raise Broken(f"the text is read as {shown(calls)}, expected {shown(list(meant))}")


@law
def no_call_is_an_answer(
    dialect: Dialect, text: str, *, meant: Sequence[Meant], tools: Tools | ToolSet
) -> None:
    """Check that *text*, a turn with calls in another form, makes those calls or is refused.

    Args:
        dialect: The dialect to test, in lenient mode.
        text: A turn as another dialect writes it, or in no dialect's form.
        meant: Its calls, in order.
        tools: The tools, which take the calls.

    Raises:
        BrokenLawError: The turn is read as an answer, or makes other calls, or some of them.
    """
    parser = parser_for(dialect, "lenient", tools)
    turn = outcome_of(lambda: parser.read(text))
    if isinstance(turn, Refusal):
        return
    if isinstance(turn.result, AgentFinish):
        raise Broken(f"expected {shown(meant)}, found {shown(turn.result)}")
    made = calls_in(turn.result)
    if len(made) == 1 and made[0].tool == dialect.prompt_words.tool:  # the only one of the dialect
        made = _calls_in_code(made[0].tool_input) or made
    if [*map(_unframed, made)] != [*map(_unframed, meant)]:
        raise Broken(f"expected {shown(meant)}, found {shown(made)}")


def _calls_in_code(code: Any) -> list[Meant]:
    """Return the calls of a block of code; none if it does anything else."""
    try:
        calls: list[Any] = [line.value for line in ast.parse(code).body]
        if any(call.args for call in calls):
            return []
        return [
            Meant(call.func.id, {each.arg: ast.literal_eval(each.value) for each in call.keywords})
            for call in calls
        ]
    except (AttributeError, SyntaxError, TypeError, ValueError):
        return []


def _unframed(call: Meant) -> Meant:
    """Return *call* without line breaks at both ends of texts.

    Some dialects write them around a value, and in others they are part of it; no text shows which.
    """
    given = call.tool_input
    if isinstance(given, dict):
        given = {
            key: value.removeprefix("\n").removesuffix("\n") if isinstance(value, str) else value
            for key, value in given.items()
        }
    return Meant(call.tool, given)
