"""Renders steps in a dialect, and checks that they can be read back."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import suppress
from dataclasses import replace
from typing import TYPE_CHECKING, Any, Final, TypeAlias

from agent_parsers.actions.agent import (
    AgentAction,
    AgentFinish,
    AgentStep,
    LoggedStep,
    as_text,
    observation_text,
    pair_of,
)
from agent_parsers.engine.reading.rules.known_tools import output_type_of
from agent_parsers.engine.reading.rules.machine import machine
from agent_parsers.engine.reading.stream import TurnStream
from agent_parsers.engine.reading.turn import Turn, read_turn
from agent_parsers.engine.tables.dialect import Dialect, Result
from agent_parsers.engine.writing.escape import escape
from agent_parsers.forms.form import Written, WrittenCall
from agent_parsers.toolset.problems.errors import answer_text, as_json
from output_parsers import OutputParserException

if TYPE_CHECKING:
    from agent_parsers.engine.tables.modes import Mode
    from agent_parsers.toolset import ToolSet

Step: TypeAlias = (
    AgentStep | tuple[AgentAction, Any] | OutputParserException | AgentFinish | LoggedStep
)
"""An action and its observation, as a pair or from a log, the error of a turn, or an answer."""
Rendered: TypeAlias = "AgentFinish | AgentAction | Step | Sequence[AgentAction] | Sequence[Step]"
"""What can be rendered: an answer, or the calls of a turn with or without their results."""


def render(
    dialect: Dialect,
    step: Rendered,
    *,
    thought: str = "",
    content: str = "",
    number: int = 1,
    tools: ToolSet | None = None,
) -> str:
    """Return *step* as text in *dialect*; see `DialectParser.render`.

    Raises:
        ValueError: The dialect cannot write the step so that it is read back unchanged.
    """
    if isinstance(step, AgentFinish):
        answer = step.return_values.get("output")
        output_type = output_type_of(tools)
        if output_type is not None and not (type(answer) is str and output_type.keeps(answer)):
            data = output_type.dump(answer)
            return write_answer(dialect, data, thought, content=content, number=number)
        if not isinstance(answer, str):
            raise ValueError(  # noqa: TRY004 - a refusal to write is always a ValueError
                f"{dialect.name} needs a string under 'output' as the answer, not {answer!r}"
            )
        written = Written(thought, answer=answer, number=number, content=content)
        # With tools, lenient mode calls what another dialect would call.
        known = None if tools is None else tools.answering(None)
        return _write(dialect, written, tools=known)
    actions, results = calls_and_results(step)
    if not all(action.tool for action in actions):
        raise ValueError(f"{dialect.name} cannot write an action without the name of a tool")
    if not actions:
        raise ValueError(f"{dialect.name} cannot write a turn without an action")
    if len(actions) > 1 and not dialect.several:
        raise ValueError(f"{dialect.name} can write only one action in a turn, not {len(actions)}")
    calls = (WrittenCall(each.tool, each.tool_input, _id_of(each)) for each in actions)
    (tool, tool_input, call_id), *others = calls
    written = Written(
        thought, tool, tool_input, number=number, content=content, id=call_id, others=tuple(others)
    )
    text = _write_action(dialect, written, tools)
    if not results:
        return text
    before, after = dialect.turn_frame
    return f"{text}{before}{write_seen(dialect, results, number)}{after}"


def write_answer(
    dialect: Dialect, answer: Any, thought: str = "", *, content: str = "", number: int = 1
) -> str:
    """Return an *answer*, text or other data, in *dialect*; in JSON formats, data stays JSON.

    Raises:
        ValueError: The dialect cannot write it so that it is read back unchanged.
    """
    written = answer_text(answer)
    text = _write(dialect, Written(thought, answer=written, number=number, content=content))
    if written is answer or '\\"' not in dialect.write(Written(answer='a"')):
        return text
    before, _, after = text.rpartition(as_json(written))
    return f"{before}{written}{after}"


def sample_answer(
    dialect: Dialect, tools: ToolSet | None, *, number: int = 1, thinks: bool = True
) -> str:
    """Return an example of an answer: a placeholder, or an example of the type of answers.

    Args:
        dialect: The dialect.
        tools: The tools, if they are known.
        number: Number of the turn in its run.
        thinks: Whether a thought precedes it, if the dialect has thoughts.
    """
    words = dialect.prompt_words
    thought = words.last_thought if dialect.thinks and thinks else ""
    output_type = output_type_of(tools)
    if output_type is not None and output_type.example is not None:
        with suppress(ValueError):  # the dialect cannot write it
            return write_answer(dialect, output_type.example, thought, number=number)
    return dialect.write(Written(thought, answer=words.answer, number=number))


def calls_and_results(
    step: AgentAction | Step | Sequence[AgentAction] | Sequence[Step],
) -> tuple[list[AgentAction], list[Result]]:
    """Return the calls of a turn, and their results if *step* has them."""
    if isinstance(step, AgentAction):
        return [step], []
    is_one = isinstance(step, AgentStep | OutputParserException)
    steps: Any = [step] if is_one or (isinstance(step, tuple) and _is_pair(step)) else step
    actions = [each for each in steps if isinstance(each, AgentAction)]
    if len(actions) == len(steps):
        return actions, []
    pairs = [action_and_observation(each) for each in steps]
    # If a turn could not be parsed, the error message takes the place of a result.
    results = [
        Result(action.tool or "error", seen, _id_of(action), is_error=not action.tool)
        for action, seen in pairs
    ]
    return [action for action, _ in pairs], results


def _is_pair(step: tuple[Any, ...]) -> bool:
    """Return whether a tuple is one action and its observation, not several steps."""
    return (
        len(step) == 2 and isinstance(step[0], AgentAction) and not isinstance(step[1], AgentAction)
    )


def _id_of(action: AgentAction) -> str | None:
    """Return the id of an action that came as a call; `None` if it has no id."""
    return getattr(action, "tool_call_id", None) or None


def write_seen(dialect: Dialect, results: Sequence[Result], number: int) -> str:
    """Return the results of one turn as text, escaped so that none of it is read as a marker.

    An error message keeps the markers of the turn that it shows as an example.
    """
    safe = [
        each._replace(text=escape(dialect, each.text, shows_turn=each.is_error)) for each in results
    ]
    return dialect.results_text(safe, number)


def action_and_observation(step: Step) -> tuple[AgentAction, str]:
    """Return the action of *step*, and its observation as text."""
    action, observation = pair_of(step)
    return action, observation_text(observation)


def _write_action(dialect: Dialect, step: Written, tools: ToolSet | None) -> str:
    """Write the calls of a turn so that they are read back as the tools take them."""
    if tools is None or not any(tools.checks(call.tool) for call in step.calls):
        return _write(dialect, step)
    if not step.others:
        return _fitted(dialect, step, tools)[0]
    alone = [Written(tool=c.tool, tool_input=c.tool_input, number=step.number) for c in step.calls]
    fitted = [_fitted(dialect, call, tools) for call in alone]
    written = _with_inputs(step, [call.tool_input for _, call, _ in fitted])
    meant = _with_inputs(step, [call.tool_input for _, _, call in fitted])
    return _write(dialect, written, meant, tools)


def _with_inputs(step: Written, inputs: Sequence[str | dict[Any, Any]]) -> Written:
    others = (c._replace(tool_input=i) for c, i in zip(step.others, inputs[1:], strict=True))
    return replace(step, tool_input=inputs[0], others=tuple(others))


def _fitted(dialect: Dialect, step: Written, tools: ToolSet) -> tuple[str, Written, Written]:
    """Write a turn of one call; return the text, the step as written, and as it is read back."""
    if not tools.checks(step.tool):
        return _write(dialect, step), step, step
    arguments = _taken(dialect, step.tool, tools, step.tool_input)
    meant = replace(step, tool_input=arguments)
    tried: list[str | dict[Any, Any]] = []
    refusals: list[ValueError] = []
    for tool_input in _forms(step.tool_input, arguments):
        if tool_input in tried:
            continue
        written = replace(step, tool_input=tool_input)
        try:
            return _write(dialect, written, meant, tools), written, meant
        except ValueError as error:
            refusals.append(error)
            tried.append(tool_input)
    raise refusals[0]  # of the step as given


def _forms(given: str | dict[Any, Any], arguments: Any) -> Iterator[str | dict[Any, Any]]:
    """Yield ways to write the *arguments* of a tool, first of all as *given*.

    After that: as an object, as an object of texts, as the text of the only parameter (models that
    are asked for an input write that), and as JSON text.
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
    """Write *step*, and check that it is read back as *meant*, by default as the step itself."""
    wanted = meant or step
    try:
        text = dialect.write(step)
    except (TypeError, ValueError, RecursionError) as error:  # such as JSON raises
        raise ValueError(f"{dialect.name} cannot write this step: {error}") from error
    modes: tuple[Mode, ...] = "strict", "lenient"
    for mode in modes:
        try:  # what strict mode refuses since lenient mode does, the latter finds
            stream = TurnStream(machine(dialect, mode), tools, refuses=False)
            turn = read_turn(stream, text, "stop")
        except OutputParserException as error:
            is_read = getattr(error, "tool_input", None) in [c.tool_input for c in wanted.calls]
            if is_read and mode == "lenient":  # it has the placeholder of an example
                continue
            raise ValueError(f"{dialect.name} cannot write this step: {error}") from error
        if turn.repairs:
            said = turn.repairs[0].message
            raise ValueError(
                f"{dialect.name} cannot write this step: reading it back needs a repair ({said})"
            )
        for part, given, read in _compare(dialect, wanted, turn):
            if given != read:
                is_object = isinstance(given, dict) and isinstance(read, str)
                raise ValueError(
                    f"{dialect.name} cannot write this step: its {part} {given!r}"
                    f" is read back as {read!r}{_OBJECTS if is_object else ''}"
                )
    return text


_OBJECTS: Final = (
    "; pass tools with their schemas, or choose a dialect whose inputs are objects, such as"
    " react_json"
)
"""What to do if a dialect cannot write an object."""


def _taken(dialect: Dialect, tool: str, tools: ToolSet, tool_input: Any) -> str | dict[str, Any]:
    """Return *tool_input* as the *tool* takes it."""
    try:
        return tools.check(tool, tool_input)
    except OutputParserException as error:
        raise ValueError(f"{dialect.name} cannot write this step: {error}") from error


def _compare(dialect: Dialect, step: Written, turn: Turn) -> Iterator[tuple[str, object, object]]:
    """Yield each part of *step*: its name, its value, and the value that was read back."""
    result = turn.result
    yield "thought", step.thought, turn.thought
    if isinstance(result, AgentFinish):
        yield "answer", None if step.tool else step.answer, result.return_values["output"]
        return
    read = result if isinstance(result, list) else [result]
    yield "number of calls", len(step.calls), len(read)
    for call, action in zip(step.calls, read, strict=True):
        yield "tool", call.tool, action.tool
        yield "input", call.tool_input, action.tool_input
    if dialect.several or step.content:
        yield "content", step.content, turn.content if dialect.several else ""
