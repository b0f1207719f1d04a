"""Writing steps as a dialect writes them, and making sure that they can be read back."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any, NamedTuple, TypeAlias

from agent_parsers._agent import AgentAction, AgentFinish, AgentStep, as_text
from agent_parsers.engine._dialect import Dialect, Written
from agent_parsers.engine._escape import escape
from agent_parsers.engine._machine import machine
from agent_parsers.engine._stream import StreamParser
from agent_parsers.engine._turn import Turn, read_turn
from output_parsers import OutputParserException

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from agent_parsers.engine._rules import Mode
    from agent_parsers.tools import ToolSet

__all__ = [
    "PastTurn", "Step", "action_and_observation", "past_turns", "render", "render_scratchpad",
]  # fmt: skip

Step: TypeAlias = AgentStep | tuple[AgentAction, Any]
"""A step that was taken: an action and what the tool returned."""


def render(
    dialect: Dialect,
    step: AgentAction | AgentFinish | Step,
    *,
    thought: str = "",
    number: int = 1,
    tools: ToolSet | None = None,
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
        text = render(dialect, action, thought=thought, number=number, tools=tools)
        return text + dialect.write_observation(escape(dialect, observation), number)
    if not step.tool:
        raise ValueError(f"{dialect.name} cannot write an action without the name of a tool")
    written = Written(thought, step.tool, step.tool_input, number=number)
    return _write_action(dialect, written, tools)


class PastTurn(NamedTuple):
    """A step that was taken, as the prompt has it."""

    log: str
    """What the model wrote, and what its stop sequence took."""
    seen: str
    """What the tool returned, without what invites the next turn."""
    is_rendered: bool
    """Whether there was no log, so that it was rendered."""


def past_turns(
    dialect: Dialect, steps: Sequence[Step], tools: ToolSet | None = None
) -> Iterator[PastTurn]:
    """Yield the *steps* taken so far; the model's own text is used as it is."""
    for number, step in enumerate(steps, 1):
        action, observation = action_and_observation(step)
        log = action.log or render(dialect, action, number=number, tools=tools)
        seen = dialect.write_observation(escape(dialect, observation), number)
        yield PastTurn(
            log if dialect.closer in log else log + dialect.closer,
            seen.removesuffix(dialect.invite(number + 1)),
            not action.log,
        )


def render_scratchpad(
    dialect: Dialect,
    steps: Sequence[Step],
    tools: ToolSet | None = None,
    *,
    is_invited: bool = False,
) -> str:
    """Write the *steps* taken so far; see `DialectParser.format_scratchpad`.

    Args:
        dialect: How to write them.
        steps: What was done.
        tools: The tools there are.
        is_invited: Whether the first turn is invited as the others are.
    """
    text: list[str] = []
    invitation = dialect.invite(1) if is_invited else ""
    for number, turn in enumerate(past_turns(dialect, steps, tools), 1):
        if invitation and _begins_with_label(dialect, turn.log):
            invitation = ""
        elif turn.is_rendered and (invitation or (text and not text[-1].endswith("\n"))):
            invitation = f"{invitation.rstrip()}\n"
        text += (invitation, turn.log, turn.seen)
        invitation = dialect.invite(number + 1)
    return "".join((*text, invitation))


def _begins_with_label(dialect: Dialect, log: str) -> bool:
    """Tell whether *log* begins with a label, and does not go on with what invited it."""
    found = machine(dialect, "lenient").initial.whole(f"\n{log.lstrip()}", 0)
    return found is not None and found.start() == 0


def action_and_observation(step: Step) -> tuple[AgentAction, str]:
    """Return the action of *step*, and what the tool returned as text."""
    action, observation = step if isinstance(step, tuple) else (step.action, step.observation)
    return action, str(observation)


def _write_action(dialect: Dialect, step: Written, tools: ToolSet | None) -> str:
    """Write an action so that it is read back as what the tool takes."""
    if tools is None or not tools.checks(step.tool):
        return _write(dialect, step)
    arguments = _taken(dialect, step, tools, step.tool_input)
    meant = replace(step, tool_input=arguments)
    tried: list[str | dict[Any, Any]] = []
    for tool_input in _forms(step.tool_input, arguments):
        if tool_input in tried:
            continue
        try:
            return _write(dialect, replace(step, tool_input=tool_input), meant, tools)
        except ValueError as error:
            refusal = error
            tried.append(tool_input)
    raise refusal


def _forms(given: str | dict[Any, Any], arguments: Any) -> Iterator[str | dict[Any, Any]]:
    """Yield ways to write the *arguments* of a tool, which came as *given*.

    As objects where the dialect has them, else as texts by name; else as the text of the only
    parameter, as models write it that are asked for an input; else as one JSON object.
    """
    yield given
    if isinstance(arguments, dict):
        yield arguments
        texts = {key: as_text(value) for key, value in arguments.items()}
        yield texts
        if len(texts) == 1:
            yield from texts.values()
        yield as_text(arguments)


def _write(
    dialect: Dialect, step: Written, meant: Written | None = None, tools: ToolSet | None = None
) -> str:
    """Write *step*, and make sure that it is read back as what is *meant*, or as it is."""
    try:
        text = dialect.write(step)
    except (TypeError, ValueError, RecursionError) as error:  # as of JSON
        raise ValueError(f"{dialect.name} cannot write this step: {error}") from error
    names = None if tools is None else tools.names  # their errors would have an example: this one
    for mode in ("strict", "lenient"):
        try:
            turn = read_turn(StreamParser(dialect, mode=mode, max_chars=None, tools=names), text)
        except OutputParserException as error:
            raise ValueError(f"{dialect.name} cannot write this step: {error}") from error
        if tools is not None and isinstance(turn.result, AgentAction):
            taken = _taken(dialect, step, tools, turn.result.tool_input, mode)
            turn = replace(turn, result=turn.result.model_copy(update={"tool_input": taken}))
        for part, wanted, read in _compare(meant or step, turn):
            if wanted != read:
                raise ValueError(
                    f"{dialect.name} cannot write this step: its {part} {wanted!r}"
                    f" is read back as {read!r}"
                )
    return text


def _taken(
    dialect: Dialect, step: Written, tools: ToolSet, tool_input: Any, mode: Mode = "strict"
) -> str | dict[str, Any]:
    """Return *tool_input* as the tool of *step* takes it."""
    try:
        return tools.check(step.tool, tool_input, lenient=mode == "lenient")
    except OutputParserException as error:
        raise ValueError(f"{dialect.name} cannot write this step: {error}") from error


def _compare(step: Written, turn: Turn) -> Iterator[tuple[str, object, object]]:
    """Pair each part of *step* with what was read of it."""
    result = turn.result
    yield "thought", step.thought, turn.thought
    if isinstance(result, AgentAction):
        yield "tool", step.tool, result.tool
        yield "input", step.tool_input, result.tool_input
    else:
        yield "answer", None if step.tool else step.answer, result.return_values["output"]
