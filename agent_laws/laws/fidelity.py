"""Laws about what is kept: values, calls, content and results come back as they were written."""

from __future__ import annotations

import json
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from agent_laws.laws.broken import Broken, law, shown
from agent_laws.trials.pieces import a_tool
from agent_laws.trials.sample_calls import Meant, calls_in, parser_for, reading, turn_of
from agent_laws.trials.stories import Refusal
from agent_parsers.authoring import Result, Written

if TYPE_CHECKING:
    from agent_parsers import Dialect
    from agent_parsers.authoring import Mode


@law
def a_value_is_read_as_it_is_written(dialect: Dialect, mode: Mode, tool_input: Any) -> None:
    """Check that the text of a call with *tool_input* is read as that input, types included.

    The text may be refused. If the dialect does not write types, it may also be read as another
    input that has the same text; texts stay texts. Blanks at the ends of a text count in quotes.

    Raises:
        BrokenLawError: A value is changed, or lost.
    """
    tool = a_tool(dialect)
    text = written_text(dialect, Written("", tool, tool_input))
    calls = [] if text is None else calls_in(reading(dialect, mode, text, ended="stop"))
    if not calls or exact(calls) == exact([Meant(tool, tool_input)]):
        return
    found = calls[0].tool_input
    if found == _stripped(tool_input) and json.dumps(_blank_in(tool_input)) not in str(text):
        return
    is_text = isinstance(tool_input, str) or all(isinstance(v, str) for v in tool_input.values())
    again = written_text(dialect, Written("", tool, found))
    if len(calls) > 1 or is_text or again != text:
        raise Broken(f"the input {shown(tool_input)} is read as {shown(found)}", text=text)


def _stripped(tool_input: Any) -> Any:
    """Return an input without the blanks at the ends of its texts."""
    if isinstance(tool_input, dict):
        return {key: _stripped(each) for key, each in tool_input.items()}
    return tool_input.strip() if isinstance(tool_input, str) else tool_input


def _blank_in(tool_input: Any) -> Any:
    """Return the text in an input that has blanks at its ends, or else the input."""
    texts = [*tool_input.values()] if isinstance(tool_input, dict) else [tool_input]
    return next((each for each in texts if each != _stripped(each)), tool_input)


@law
def each_call_of_a_turn_is_made(
    dialect: Dialect, mode: Mode, text: str, *, meant: Sequence[Meant]
) -> None:
    """Check that *text*, a turn with several calls, makes all of them, or is refused.

    Args:
        dialect: The dialect to test.
        mode: The mode in which the text is read.
        text: A turn that the dialect writes, or one with two calls in one block.
        meant: Its calls, in order.

    Raises:
        BrokenLawError: A call is missing, perhaps one that is like another, or others are made.
    """
    outcome = reading(dialect, mode, text, ended="stop")
    made = calls_in(outcome)
    if not isinstance(outcome, Refusal) and exact(made) != exact(meant):
        raise Broken(f"the calls {shown([*meant])} are read as {shown(made)}")


@law
def content_beside_a_call_is_kept(
    dialect: Dialect, mode: Mode, text: str, *, content: str, thought: str = ""
) -> None:
    """Check that *text*, a turn with a call, has this *content*, whatever else is in it.

    The text may be refused, or be repaired.

    Raises:
        BrokenLawError: The content or the thought is missing.
    """
    turn = turn_of(parser_for(dialect, mode, None), text, "stop")
    if isinstance(turn, Refusal) or turn.repairs:
        return
    if content not in turn.content:
        raise Broken(f"the content {content!r} is read as {turn.content!r}")
    if thought != turn.thought:
        raise Broken(f"the thought {thought!r} is read as {turn.thought!r}")


@law
def every_result_is_written(dialect: Dialect, results: Sequence[str]) -> None:
    """Check that the text for the model has all of the *results* of a turn, as they are.

    Raises:
        BrokenLawError: A result, or a part of it, is missing, or they are in another order.
    """
    tool = a_tool(dialect)
    text = dialect.results_text([Result(tool, result) for result in results])
    at = 0
    for result in results:
        spelt = (
            result,
            *(json.dumps(result, ensure_ascii=is_plain)[1:-1] for is_plain in (False, True)),
        )
        places = [(text.find(each, at), each) for each in spelt]
        place, found = max(places)
        if place < 0:
            raise Broken(f"the result {shown(result)} is not written", text=text)
        at = place + len(found)


def written_text(dialect: Dialect, step: Written) -> str | None:
    """Return the text of *step*, or `None` if the dialect refuses to write it."""
    try:
        return dialect.write(step)
    except ValueError:
        return None


def exact(calls: Sequence[Meant]) -> list[tuple[str, str]]:
    """Return *calls* in a form that tells ``1`` from ``1.0`` and ``True``."""
    return [(call.tool, json.dumps(call.tool_input, sort_keys=True)) for call in calls]
