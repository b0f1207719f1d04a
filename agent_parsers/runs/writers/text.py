"""Runs as text in a dialect that has transcripts, such as ReAct.

::

    Question: Which month has the most fog?
    Thought: I look.
    Action: search
    Action Input: fog
    Observation: November
    Thought: I now know the final answer
    Final Answer: November.

Every turn is rendered as the dialect writes it, so that it reads back as the same turn.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

from agent_parsers.actions.agent import AgentAction
from agent_parsers.engine.writing.escape import escape
from agent_parsers.engine.writing.prompt import asked_in
from agent_parsers.engine.writing.render import render
from agent_parsers.registry.dialects_by_name import get_dialect
from agent_parsers.runs.writers.turns import turns_of
from agent_parsers.runs.writers.writer import Writer

if TYPE_CHECKING:
    from agent_parsers.engine.grammar.dialect import Dialect
    from agent_parsers.runs.reading.transcript import Transcript
    from agent_parsers.runs.writers.turns import RunCall, RunTurn

__all__ = ["to_text", "writer_in"]


def to_text(run: Transcript, dialect: str | Dialect = "react") -> str:
    """Return *run* as text in *dialect*; steps that could not be read are left out.

    Raises:
        ValueError: The dialect has no transcripts, or cannot write a turn of the run.
    """
    if isinstance(dialect, str):
        dialect = get_dialect(dialect)
    _check(dialect)
    parts = [f"{asked_in(dialect, escape(dialect, run.question))}\n"] if run.question else []
    number = 1
    for turn in turns_of(run):
        if turn.error is not None:
            continue
        text = _turn(dialect, turn, number)
        number += max(len(turn.calls), 1)
        parts.append(text if text.endswith("\n") else f"{text}\n")
    return "".join(parts)


def _check(dialect: Dialect) -> None:
    """Check that *dialect* has transcripts."""
    if not dialect.lenient.transcript_start:
        raise ValueError(
            f"{dialect.name!r} has no form of transcripts: choose another dialect, or messages"
        )


def _turn(dialect: Dialect, turn: RunTurn, number: int) -> str:
    if turn.finish is not None:
        return render(dialect, turn.finish, thought=turn.thought, number=number)
    if all(call.observation is None for call in turn.calls):
        actions = [_action(call) for call in turn.calls]
        return render(
            dialect,
            actions if dialect.several else actions[0],
            thought=turn.thought,
            number=number,
        )
    texts: list[str] = []
    thought = turn.thought
    for call in turn.calls:  # a dialect with transcripts has one call in a turn
        step = (_action(call), call.observation or "")
        text = render(dialect, step, thought=thought, number=number + len(texts))
        texts.append(text.removesuffix(dialect.generation_prompt(number + len(texts) + 1)))
        thought = ""
    return "".join(text if text.endswith("\n") else f"{text}\n" for text in texts)


def _action(call: RunCall) -> AgentAction:
    return AgentAction(call.tool, call.tool_input, "")


def writer_in(dialect: Dialect) -> Writer:
    """Return the writer of text in *dialect*.

    Raises:
        ValueError: It has no transcripts.
    """
    _check(dialect)
    return Writer(
        name=dialect.name,
        summary=f"text in {dialect.name}: {dialect.summary}",
        write=lambda run: to_text(run, dialect),
        is_one_a_file=True,
        holds=frozenset(
            {"thoughts of calls", "thoughts of answers", "text inputs", "parallel calls"}
        ),
    )
