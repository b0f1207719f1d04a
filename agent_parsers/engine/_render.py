"""Writing steps as a dialect writes them, and making sure that they can be read back."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, TypeAlias

from agent_parsers._agent import AgentAction, AgentFinish, AgentStep
from agent_parsers.engine._dialect import Dialect, Written
from agent_parsers.engine._escape import escape
from agent_parsers.engine._stream import StreamParser
from agent_parsers.engine._turn import Turn, read_turn
from output_parsers import OutputParserException

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

__all__ = ["Step", "action_and_observation", "render", "render_scratchpad"]

Step: TypeAlias = AgentStep | tuple[AgentAction, Any]
"""A step that was taken: an action and what the tool returned."""


def render(
    dialect: Dialect,
    step: AgentAction | AgentFinish | Step,
    *,
    thought: str = "",
    number: int = 1,
) -> str:
    """Write *step* in *dialect*; see `DialectParser.render`.

    Raises:
        ValueError: Read back, what was written is not the same step.
    """
    if isinstance(step, AgentFinish):
        answer = step.return_values.get("output")
        if not isinstance(answer, str):
            raise ValueError(  # noqa: TRY004 - a refusal to write is always a ValueError
                f"{dialect.name} answers with a text under 'output', not {answer!r}"
            )
        return _write(dialect, Written(thought, answer=answer, number=number))
    if not isinstance(step, AgentAction):
        action, observation = action_and_observation(step)
        text = render(dialect, action, thought=thought, number=number)
        return text + dialect.write_observation(escape(dialect, observation), number)
    if not step.tool:
        raise ValueError(f"{dialect.name} cannot write an action without the name of a tool")
    return _write(dialect, Written(thought, step.tool, step.tool_input, number=number))


def render_scratchpad(dialect: Dialect, steps: Sequence[Step]) -> str:
    """Write the *steps* taken so far; see `DialectParser.format_scratchpad`."""
    text: list[str] = []
    for number, step in enumerate(steps, 1):
        action, observation = action_and_observation(step)
        if not action.log and text and not text[-1].endswith("\n"):
            text.append("\n")  # its label begins a line, and not the thought that was invited
        log = action.log or render(dialect, action, number=number)
        text.append(log if dialect.closer in log else log + dialect.closer)
        text.append(dialect.write_observation(escape(dialect, observation), number))
    return "".join(text)


def action_and_observation(step: Step) -> tuple[AgentAction, str]:
    """Return the action of *step*, and what the tool returned as text."""
    action, observation = step if isinstance(step, tuple) else (step.action, step.observation)
    return action, str(observation)


def _write(dialect: Dialect, step: Written) -> str:
    try:
        text = dialect.write(step)
    except (TypeError, ValueError, RecursionError) as error:  # as of JSON
        raise ValueError(f"{dialect.name} cannot write this step: {error}") from error
    for mode in ("strict", "lenient"):
        try:
            turn = read_turn(StreamParser(dialect, mode=mode, max_chars=None), text)
        except OutputParserException as error:
            raise ValueError(f"{dialect.name} cannot write this step: {error}") from error
        for part, meant, read in _compare(step, turn):
            if meant != read:
                raise ValueError(
                    f"{dialect.name} cannot write this step: its {part} {meant!r}"
                    f" is read back as {read!r}"
                )
    return text


def _compare(step: Written, turn: Turn) -> Iterator[tuple[str, object, object]]:
    """Pair each part of *step* with what was read of it."""
    result = turn.result
    yield "thought", step.thought, turn.thought
    if isinstance(result, AgentAction):
        yield "tool", step.tool, result.tool
        yield "input", step.tool_input, result.tool_input
    else:
        yield "answer", None if step.tool else step.answer, result.return_values["output"]
