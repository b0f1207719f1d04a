"""Runs as text in a dialect that has transcripts, such as ReAct.

::

    Question: Which month has the most fog?
    Thought: I look.
    Action: search
    Action Input: fog
    Observation: November
    Thought: I now know the final answer
    Final Answer: November.

Every turn is rendered as the dialect writes it, so that it reads back as the same turn. What the
model said to the user beside a call is part of the thought, since such dialects have no other place
for it. Where inputs are text, an object is written as JSON, which a parser with the schemas of the
tools reads as the object.
"""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any, Final

from agent_parsers import AgentAction, get_dialect
from agent_parsers.authoring import escape
from agent_parsers.core import asked_in, known_tools, render, with_called
from agent_runs.writers.writer import RunCall, RunTurn, Writer, turns_of

if TYPE_CHECKING:
    from agent_parsers import Dialect
    from agent_parsers.core import Rendered
    from agent_parsers.toolset import Tools, ToolSet
    from agent_parsers.transcripts import Transcript


def to_text(
    run: Transcript, dialect: str | Dialect = "react", *, tools: Tools | None = None
) -> str:
    """Return *run* as text in *dialect*, without the steps that could not be read.

    Args:
        run: The run.
        dialect: The dialect to write, or its name.
        tools: The tools of the run, in any form that `get_parser` takes. Inputs are then written
            so that they fit these tools.

    Raises:
        ValueError: The dialect has no transcripts, or cannot write a turn of the run.
    """
    if isinstance(dialect, str):
        dialect = get_dialect(dialect)
    _check(dialect)
    called = (call.tool for turn in turns_of(run) for call in turn.calls)
    known = with_called(known_tools(tools), called)
    parts = [f"{asked_in(dialect, escape(dialect, run.question))}\n"] if run.question else []
    number = 1
    for turn in turns_of(run):
        if turn.error is not None:
            continue
        text = _turn(dialect, turn, number, known)
        number += max(len(turn.calls), 1)
        parts.append(text if text.endswith("\n") else f"{text}\n")
    return "".join(parts)


def _check(dialect: Dialect) -> None:
    """Check that *dialect* has transcripts."""
    if not dialect.lenient.transcript_start:
        raise ValueError(
            f"{dialect.name!r} has no format for whole runs: choose another dialect, or a writer of"
            " messages, such as 'openai'"
        )


def _turn(dialect: Dialect, turn: RunTurn, number: int, tools: ToolSet | None) -> str:
    thought = "\n".join(filter(None, (turn.thought, turn.content)))
    if turn.finish is not None:
        return render(dialect, turn.finish, thought=thought, number=number)
    if all(call.observation is None for call in turn.calls):
        actions = [_action(call) for call in turn.calls]
        step = actions if dialect.several else actions[0]
        return _render(dialect, step, thought, number, tools)
    texts: list[str] = []
    for call in turn.calls:  # a dialect with transcripts has one call in a turn
        seen = [(_action(call), call.observation or "")]
        text = _render(dialect, seen, thought, number + len(texts), tools)
        texts.append(text.removesuffix(dialect.generation_prompt(number + len(texts) + 1)))
        thought = ""
    return "".join(text if text.endswith("\n") else f"{text}\n" for text in texts)


def _render(
    dialect: Dialect, step: Rendered, thought: str, number: int, tools: ToolSet | None
) -> str:
    """Render *step* with its inputs as they are or, if the dialect cannot write them, as JSON."""
    try:
        return render(dialect, step, thought=thought, number=number, tools=tools)
    except ValueError as error:
        written = _with_json(step)
        if written == step:
            raise
        try:
            return render(dialect, written, thought=thought, number=number, tools=tools)
        except ValueError:
            raise error from None


def _with_json(step: Any) -> Any:
    """Return *step* with each input that is an object as JSON."""
    if isinstance(step, list):
        return [_with_json(each) for each in step]
    if isinstance(step, tuple):
        return _with_json(step[0]), step[1]
    if isinstance(step.tool_input, str):
        return step
    try:
        text = json.dumps(step.tool_input, ensure_ascii=False, allow_nan=False)
    except (TypeError, ValueError, RecursionError):  # it is no JSON
        return step
    return AgentAction(step.tool, text, "")


def _action(call: RunCall) -> AgentAction:
    return AgentAction(call.tool, call.tool_input, "")


def writer_in(dialect: Dialect, tools: ToolSet | None = None) -> Writer:
    """Return the writer of text in *dialect*, for runs with these *tools*.

    Raises:
        ValueError: It has no transcripts.
    """
    _check(dialect)
    return Writer(
        name=dialect.name,
        summary=f"text in {dialect.name}: {dialect.summary}",
        write=lambda run: to_text(run, dialect, tools=tools),
        is_one_a_file=True,
        holds=_HELD | ({"object inputs"} if tools is not None or _has_objects(dialect) else set()),
    )


_HELD: Final = frozenset({"reasoning", "content", "text inputs", "parallel calls"})
"""What every dialect with transcripts has a place for."""


def _has_objects(dialect: Dialect) -> bool:
    """Return whether inputs in *dialect* may be objects, without the schemas of the tools."""
    try:
        render(dialect, AgentAction(dialect.example.tool, {"key": "value"}, ""))
    except ValueError:
        return False
    return True
