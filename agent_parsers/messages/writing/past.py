"""The past of a run in one form, made from all that may tell it, for writing it for any model.

The past is written as it was: the checks of tools apply only to calls that are still to be made. A
call may be cut, name an unknown tool, or have no result.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Final, NamedTuple, TypeAlias

from pydantic import BaseModel

from agent_parsers.actions.agent import (
    AgentAction,
    AgentActionMessageLog,
    AgentFinish,
    AgentStep,
    WithResult,
    as_text,
    observation_text,
    parts_as_text,
    parts_seen,
)
from agent_parsers.actions.tool_action import (
    ToolAgentAction,
    is_action,
    is_finish,
    log_of,
    own_action,
    own_result,
)
from agent_parsers.messages.reading.arguments import ARGUMENT
from agent_parsers.messages.reading.pieces import CallPiece, as_json, function_pieces, tool_pieces
from agent_parsers.messages.writing.entries import (
    as_output_item,
    is_message_item,
    is_output_item,
    kind_of,
    messages_of,
)
from agent_parsers.messages.writing.scratchpad import is_same_turn
from output_parsers import OutputParserException
from outputs import (
    AIMessage,
    BaseMessage,
    FunctionMessage,
    HumanMessage,
    SystemMessage,
    ToolMessage,
)
from outputs.clients.media import Parts, parts_of
from outputs.messages.base import text_of

NO_RESULT: Final = "(there is no result)"
"""What stands for the result of a past call that has none."""
NOT_RUN: Final = "Not run, because another call of this turn could not be made."
"""The result of a call that was not run because another call of its turn was wrong."""

NO_STEP: Final = "expected a step, such as (action, observation), not {}"


@dataclass(frozen=True, slots=True)
class PastCall:
    """A call to a tool and its result."""

    tool: str
    """Name of the tool that was called; may be empty."""
    tool_input: str | dict[Any, Any]
    """What the tool was called with."""
    written: str
    """The arguments as JSON: as the model wrote them, unless they had to be repaired."""
    result: str | None = None
    """What the tool returned, as text; `None` if that is not known."""
    id: str | None = None
    """Id of the call, which its result refers to; `None` if it has no id."""
    is_error: bool = False
    """Whether the tool failed, or was not run."""
    is_function: bool = False
    """Whether this is a function call, OpenAI's older form."""
    given_id: str | None = None
    """The id that the model gave."""
    answer: BaseMessage | None = None
    """The message with the result, if it came in one."""
    parts: Parts = ()
    """The parts of the result, if one of them is an image or another file."""
    is_changed: bool = False
    """Whether the tool was given other arguments than those in the message."""

    @property
    def arguments(self) -> dict[str, Any]:
        """The arguments by name."""
        value: dict[str, Any] = json.loads(self.written)
        return value

    @property
    def text(self) -> str | None:
        """The text that the tool takes instead of arguments; `None` if it takes arguments."""
        value = self.arguments.get(ARGUMENT)
        return value if isinstance(value, str) else None


@dataclass(frozen=True, slots=True)
class PastTurn:
    """A turn of a model that calls tools, and the results."""

    message: AIMessage
    """The message as the model gave it, or one with its text."""
    calls: tuple[PastCall, ...]
    """All calls of the turn, in its order."""
    log: str = ""
    """The text in which the model wrote the calls; empty if they came as calls."""
    thought: str = ""
    """The reasoning before the calls, if it is known and not in the message."""
    content: str = ""
    """What the user may see before the calls, if it is known and not in the message."""

    @property
    def is_open(self) -> bool:
        """Whether a call has no result."""
        return any(call.result is None for call in self.calls)


@dataclass(frozen=True, slots=True)
class PastAnswer:
    """A final answer."""

    finish: AgentFinish
    """The answer."""
    thought: str = ""
    """The reasoning before it, if it is known."""
    content: str = ""
    """What the user saw before the answer, if that is known."""

    @property
    def text(self) -> str:
        """The answer as text."""
        return as_text(self.finish.return_values.get("output", self.finish.log))


@dataclass(frozen=True, slots=True)
class PastError:
    """A turn that could not be read."""

    log: str
    """What the model wrote."""
    observation: str
    """The message for the model that says what was wrong."""


@dataclass(frozen=True, slots=True)
class PastResult:
    """A result whose call is not known."""

    tool: str
    """Name of the tool; may be empty."""
    text: str
    """What the tool returned, as text."""


History: TypeAlias = Any
"""A run; or any number of steps, turns, actions, answers, errors of turns, runs and messages."""
Past: TypeAlias = "list[BaseMessage | PastTurn | PastAnswer | PastError | PastResult]"
"""The past of a run; a message in it has no calls but those that its text may have."""


class _Step(NamedTuple):
    """A call that was made in the past."""

    action: AgentAction
    observation: Any
    is_seen: bool
    """Whether there is an observation."""
    thought: str = ""
    content: str = ""
    has_failed: bool = False
    """Whether the tool failed, as a log says."""


def past_of(history: Any) -> Past:
    """Return *history* as turns, answers, errors and other messages.

    Args:
        history: A run, or any number of: steps, as pairs of an action and what its tool returned,
            as `AgentStep`, or as the steps of a log; turns, actions and answers that a parser
            returned; errors of turns; runs; and messages of any client, see `messages_of`.

    Raises:
        TypeError: *history* contains something else.
        ValueError: A message is malformed.
    """
    past: Past = []
    known: dict[int, BaseMessage] = {}
    told = [each for item in _items(history) for each in _told(item, known)]
    at = 0
    while at < len(told):
        item = told[at]
        if isinstance(item, _Step):
            steps = _turn_at(told, at)
            past += _from_steps(steps)
            at += len(steps)
            continue
        at += 1
        if isinstance(item, ToolMessage | FunctionMessage):
            _add_result(past, item)
        elif isinstance(item, AIMessage) and (pieces := _pieces_in(item)):
            past.append(_from_message(item, pieces))
        else:
            past.append(item)
    return past


def past_of_steps(steps: Any) -> Past:
    """Do the same as `past_of` for *steps*, which are not messages.

    Raises:
        TypeError: *steps* contains something else.
    """
    if isinstance(steps, str) or (isinstance(steps, list) and str in map(type, steps)):
        raise TypeError(NO_STEP.format("str"))
    if isinstance(steps, list) and any(map(_is_pair_of_texts, steps)):
        raise TypeError(NO_STEP.format("a pair of strings"))
    return past_of(steps)


def _is_pair_of_texts(step: Any) -> bool:
    return isinstance(step, tuple) and [*map(type, step)] == [str, str]


def _items(history: Any) -> Iterator[Any]:
    """Yield what *history*, one thing or several, consists of."""
    items: list[Any] = []  # of one output of the Responses API
    for each in [history] if _is_one(history) else history:
        is_said = is_message_item(each)
        if not (is_said or is_output_item(each)) or (items and not _goes_on(items, each)):
            yield from _output(items)
            items = []
        if is_said or is_output_item(each):
            items.append(each)
        elif isinstance(each, list) and all(map(is_action, each)):  # the calls of a turn
            yield from each
        else:
            yield each
    yield from _output(items)


def _goes_on(items: Sequence[Any], each: Any) -> bool:
    """Return whether *each* belongs to the output with *items*: reasoning, words, then calls."""
    if is_message_item(each):
        return all(kind_of(item) == "reasoning" for item in items)
    return not (kind_of(each) == "reasoning" and any(map(is_message_item, items)))


def _output(items: list[Any]) -> Iterator[Any]:
    """Yield the *items* of an output of the Responses API as one, a message alone as it is."""
    if len(items) == 1 and is_message_item(items[0]):
        yield items[0]
    elif items:
        yield [as_output_item(item) if is_message_item(item) else item for item in items]


def _is_one(history: Any) -> bool:
    """Return whether *history* is one thing, and not several."""
    if isinstance(history, tuple) and len(history) == 2 and isinstance(history[0], str):
        return isinstance(history[1], str)  # a role and a text
    is_whole = isinstance(history, str | Mapping | BaseModel) or _is_pair(history)
    return is_whole or not isinstance(history, Iterable)


def _is_pair(value: object) -> bool:
    """Return whether *value* is a pair of an action and what its tool returned."""
    return isinstance(value, tuple) and len(value) == 2 and is_action(value[0])


def is_run(value: object) -> bool:
    """Return whether *value* is a run, of an agent or read from a log."""
    return hasattr(value, "finish") and (hasattr(value, "steps") or hasattr(value, "all_steps"))


def _told(
    item: Any, known: dict[int, BaseMessage]
) -> Iterator[_Step | PastAnswer | PastError | PastResult | PastTurn | BaseMessage]:
    """Yield what *item*, one of a history, tells."""
    if isinstance(item, PastTurn | PastAnswer | PastError | PastResult):
        yield item
    elif isinstance(item, OutputParserException):
        yield _from_error(item)
    elif isinstance(item, AgentStep) or (not isinstance(item, tuple) and _is_langchain_step(item)):
        yield _Step(own_action(item.action, known), item.observation, is_seen=True)
    elif _is_pair(item):
        yield _Step(own_action(item[0], known), item[1], is_seen=True)
    elif is_action(item):
        yield _Step(own_action(item, known), None, is_seen=False)
    elif is_finish(item):
        yield PastAnswer(own_result(item))
    elif is_run(item):
        yield from _from_run(item, known)
    elif hasattr(item, "thought_span"):  # a step of a log
        yield from _from_logged(item, known)
    elif isinstance(item, WithResult) or (hasattr(item, "actions") and hasattr(item, "finish")):
        yield from _from_turn(item)
    else:
        yield from messages_of(item)


def _is_langchain_step(item: Any) -> bool:
    return not hasattr(item, "thought_span") and is_action(getattr(item, "action", None))


def _from_run(
    run: Any, known: dict[int, BaseMessage]
) -> Iterator[_Step | PastAnswer | PastError | PastResult | PastTurn | BaseMessage]:
    if text := getattr(run, "preamble", ""):
        yield SystemMessage(text)
    if text := getattr(run, "question", ""):
        yield HumanMessage(text)
    if hasattr(run, "all_steps"):
        for step in run.all_steps:
            yield from _told(step, known)
        return
    texts = [
        (*each, *[""] * (len(run.steps) + 1 - len(each))) for each in (run.thoughts, run.contents)
    ]
    for step, *said in zip(run.steps, *texts, strict=False):
        for told in _told(step, known):
            yield (
                told._replace(thought=said[0], content=said[1]) if isinstance(told, _Step) else told
            )
    if run.finish is not None:
        yield PastAnswer(run.finish, *(each[len(run.steps)] for each in texts))


def _from_logged(
    step: Any, known: dict[int, BaseMessage]
) -> Iterator[_Step | PastAnswer | PastError | PastTurn]:
    """Yield what a *step* of a log tells."""
    seen = step.observation
    if step.error is not None:
        told = _from_error(step.error)
        if seen is not None and isinstance(told, PastError):
            told = replace(told, observation=seen)
        yield told
    elif isinstance(step.action, AgentFinish):
        yield PastAnswer(step.action, step.thought, step.content)
    else:
        action = own_action(step.action, known)
        said = step.thought, step.content
        yield _Step(action, seen, seen is not None, *said, has_failed=step.tool_failed)


def _from_turn(turn: Any) -> Iterator[_Step | PastAnswer]:
    if turn.finish is not None:
        yield PastAnswer(turn.finish, turn.thought)
    for number, action in enumerate(turn.actions):
        said = ("", "") if number else (turn.thought, getattr(turn, "content", ""))
        yield _Step(own_action(action), None, False, *said)


def blocks_of(message: BaseMessage) -> list[dict[Any, Any]]:
    """Return the content of *message* as blocks."""
    content = message.content
    return [
        {"type": "text", "text": block} if isinstance(block, str) else block
        for block in ([content] if isinstance(content, str) else content)
    ]


# -- steps ---------------------------------------------------------------------------------------


def _turn_at(items: Sequence[Any], at: int) -> list[_Step]:
    """Return the steps that begin at *at* and were taken in one turn."""
    steps = [items[at]]
    first = items[at].action
    answered = [_id_of(first)]
    for item in items[at + 1 :]:
        if not isinstance(item, _Step) or type(item.action) is not type(first):
            break
        action = item.action
        if isinstance(first, ToolAgentAction) and isinstance(action, ToolAgentAction):
            is_same = is_same_turn(action, first.message_log, answered)
        else:
            is_same = bool(first.log) and action.log == first.log
            is_same = is_same and (action.tool, action.tool_input) not in [
                (step.action.tool, step.action.tool_input) for step in steps
            ]
        if not is_same:
            break
        answered.append(_id_of(action))
        steps.append(item)
    return steps


def _from_steps(steps: Sequence[_Step]) -> Past:
    action = steps[0].action
    log = action.message_log if isinstance(action, AgentActionMessageLog) else []
    message = log[-1] if log else None
    said = {"thought": steps[0].thought, "content": steps[0].content}
    if not action.tool:
        return [PastError(action.log, observation_text(steps[0].observation))]
    if not isinstance(message, AIMessage):
        calls = tuple(_call_of(step, None, is_function=False) for step in steps)
        return [PastTurn(AIMessage(action.log), calls, action.log, **said)]
    is_function = not isinstance(action, ToolAgentAction)
    pieces = function_pieces(message) if is_function else tool_pieces(message)
    waiting = list(steps)
    found = [(piece, _take(waiting, piece)) for piece in pieces]
    made = [
        _call_of_piece(piece, is_function=is_function)
        if step is None
        else _call_of(step, piece, is_function=is_function)
        for piece, step in found
    ]
    made += (_call_of(step, None, is_function=is_function) for step in waiting)
    is_text = not pieces and (message.text or all(_id_of(step.action) is None for step in steps))
    return [*log[:-1], PastTurn(message, tuple(made), message.text if is_text else "", **said)]


def pending_turn(actions: Sequence[Any]) -> PastTurn:
    """Return the turn of *actions*, ours or LangChain's, whose results are not known yet.

    Calls that the model wrote as text are added to the message with this text.
    """
    turn = past_of([*actions])[-1]
    assert isinstance(turn, PastTurn), "actions have a tool"
    return replace(turn, calls=tuple(replace(call, is_function=False) for call in turn.calls))


def _take(waiting: list[_Step], piece: CallPiece) -> _Step | None:
    """Remove the step that made the call of *piece* from *waiting*, and return it."""
    for place, step in enumerate(waiting):
        if (_id_of(step.action) or None) == (piece.id or None):
            return waiting.pop(place)
    return None


def _id_of(action: AgentAction) -> str | None:
    return action.tool_call_id if isinstance(action, ToolAgentAction) else None


def _call_of(step: _Step, piece: CallPiece | None, *, is_function: bool) -> PastCall:
    action = step.action
    given = action.tool_input
    written = None
    if piece is not None and _is_alike(piece.arguments, given):
        written = piece.written or _valid(piece.arguments)
    if written is None:
        written = as_json(given if isinstance(given, dict) else {ARGUMENT: given})
    return PastCall(
        tool=action.tool,
        tool_input=given,
        written=written,
        is_changed=piece is not None and _was_changed(action),
        result=observation_text(step.observation) if step.is_seen else None,
        parts=parts_seen(step.observation) if step.is_seen else (),
        id=_id_of(action),
        is_error=step.has_failed or getattr(step.observation, "status", "") == "error",
        is_function=is_function,
        given_id=_id_of(action),
    )


def _was_changed(action: AgentAction) -> bool:
    """Return whether the tool got another input than was read: the log of the call has that one."""
    said = log_of(action.tool, action.tool_input, "").rstrip()
    is_told = action.log.startswith(said.partition(" with `")[0])
    return is_told and not action.log.startswith(said)


def _is_alike(arguments: Any, given: Any) -> bool:
    """Return whether the *arguments* that a model wrote are those *given* to the tool.

    Others are given if a person changed them; values may have been read as those of other types.
    """
    written = _valid(arguments)
    if written is None or not isinstance(given, dict):
        return True
    return bool(with_texts(json.loads(written)) == with_texts(given))


def with_texts(tool_input: Any) -> Any:
    """Return an input with all values as text, as dialects with tags write them."""
    if not isinstance(tool_input, dict):
        return tool_input
    return {str(key): as_text(value) for key, value in tool_input.items()}


def _valid(arguments: Any) -> str | None:
    """Return *arguments* as JSON if they are an object or empty, else `None`."""
    if arguments is None or arguments == "":
        return "{}"
    if not isinstance(arguments, str):
        return as_json(arguments) if isinstance(arguments, dict) else None
    try:
        value = json.loads(arguments)
    except (ValueError, RecursionError):
        return None
    return arguments if isinstance(value, dict) else None


# -- errors --------------------------------------------------------------------------------------


def _from_error(error: OutputParserException) -> PastError | PastTurn:
    """Return the turn that failed with *error*: with its calls, if an API takes them back."""
    told = str(error) if error.observation is None else error.observation
    message = error.ai_message
    pieces = [] if message is None else _pieces_in(message)
    if message is None or not pieces:
        return PastError(error.llm_output or "", told)
    calls = [_call_of_piece(each, is_function=not tool_pieces(message)) for each in pieces]
    if not all(
        call.tool and _valid(each.arguments) for call, each in zip(calls, pieces, strict=True)
    ):
        return PastError(_prose(message, pieces), told)
    wrong = getattr(error, "tool", None)
    place = next((n for n, call in enumerate(calls) if call.tool == wrong), 0)
    if error.call_at is not None:
        place = min(error.call_at, len(calls) - 1)
    if answers := getattr(error, "tool_names", ()):  # of which there may be only one
        places = {number for number, call in enumerate(calls) if call.tool in answers}
    else:
        places = {place}
    made = (
        replace(call, result=told if number in places else NOT_RUN, is_error=True)
        for number, call in enumerate(calls)
    )
    return PastTurn(message, tuple(made))


def _prose(message: AIMessage, pieces: Sequence[CallPiece]) -> str:
    """Return what a *message* says, and its calls, which no API takes back, as text."""
    said = [message.text] if message.text else []
    return "\n".join((*said, *(f"{each.name or '?'}({each.arguments or ''})" for each in pieces)))


# -- messages ------------------------------------------------------------------------------------


def _pieces_in(message: AIMessage) -> list[CallPiece]:
    return tool_pieces(message) or function_pieces(message)


def _from_message(message: AIMessage, pieces: Sequence[CallPiece]) -> PastTurn:
    is_function = not tool_pieces(message)
    return PastTurn(
        message, tuple(_call_of_piece(each, is_function=is_function) for each in pieces)
    )


def _call_of_piece(piece: CallPiece, *, is_function: bool) -> PastCall:
    written = _valid(piece.arguments)
    given: Any = piece.arguments if written is None else json.loads(written)
    if written is None:
        written = as_json({ARGUMENT: given})
    elif isinstance(text := given.get(ARGUMENT), str):
        given = text
    return PastCall(
        tool=piece.name if isinstance(piece.name, str) else "",
        tool_input=given if isinstance(given, str | dict) else as_json(given),
        written=piece.written or written,
        id=piece.id,
        is_function=is_function,
        given_id=piece.id,
    )


def _add_result(past: Past, message: ToolMessage | FunctionMessage) -> None:
    """Add the result in *message* to its call, or to *past* as what the user says."""
    content = message.content
    parts = parts_of(content, is_content=True)
    text = parts_as_text(parts) or text_of(content) or (as_text(content) if content else "")
    for place in range(len(past) - 1, -1, -1):
        turn = past[place]
        if not isinstance(turn, PastTurn):
            continue
        at = _answered(turn, message)
        if at < 0:
            continue
        calls = list(turn.calls)
        is_error = getattr(message, "status", "") == "error"
        calls[at] = replace(calls[at], result=text, is_error=is_error, answer=message, parts=parts)
        past[place] = replace(turn, calls=tuple(calls))
        return
    past.append(PastResult(message.name or "", text))


def _answered(turn: PastTurn, message: ToolMessage | FunctionMessage) -> int:
    """Return the number of the call whose result *message* is; -1 if it is of none."""
    call_id = getattr(message, "tool_call_id", None)
    for number, call in enumerate(turn.calls):
        if call.result is not None:
            continue
        if call_id and call.id:
            is_it = call_id == call.id
        else:
            is_it = not message.name or message.name == call.tool
        if is_it:
            return number
    return -1
