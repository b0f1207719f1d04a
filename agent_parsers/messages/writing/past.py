"""The past of a run in one form, made from steps or messages, for writing it for any API.

APIs require ids of calls, which not every model provides: they are made here.
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from typing import Any, Final, TypeAlias

from agent_parsers.actions.agent import AgentAction, AgentActionMessageLog, AgentStep, as_text
from agent_parsers.actions.tool_action import ToolAgentAction, is_action, own_action, own_steps
from agent_parsers.messages.reading.arguments import ARGUMENT
from agent_parsers.messages.reading.pieces import CallPiece, as_json, function_pieces, tool_pieces
from agent_parsers.messages.writing.scratchpad import is_same_turn
from outputs import AIMessage, BaseMessage, FunctionMessage, HumanMessage, ToolMessage, from_any
from outputs.messages.base import text_of


@dataclass(frozen=True, slots=True)
class PastCall:
    """A call of a tool and its result."""

    tool: str
    """Name of the tool that was called."""
    written: str
    """The arguments as JSON: as the model wrote them, unless they had to be repaired."""
    result: str
    """What the tool returned, as text."""
    id: str | None = None
    """Id of the call, which its result refers to; `None` if it has no id."""
    is_error: bool = False
    """Whether the tool failed."""
    is_function: bool = False
    """Whether this is a function call, OpenAI's older form."""
    given_id: str | None = None
    """The id that the model gave."""

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
    """A message of a model that calls tools, and the results."""

    message: AIMessage
    """The message, as the model gave it."""
    calls: tuple[PastCall, ...]
    """All calls of the message, in its order."""


Past: TypeAlias = "list[BaseMessage | PastTurn]"
"""The past of a run: turns with calls, and messages without calls."""

_NO_RESULT: Final = (
    "the call of {tool!r} has no result; an API takes a message with calls only with all its"
    " results: give a step for each of them"
)

_ROLES: Final = {
    "system": "system",
    "developer": "system",
    "user": "user",
    "human": "user",
    "assistant": "assistant",
    "ai": "assistant",
}
_MOST_CHARS: Final = 40


def past_of(history: Iterable[Any]) -> Past:
    """Return *history* as turns with calls and other messages.

    Args:
        history: Steps, as pairs or `AgentStep`, and messages; see `message_of`.

    Raises:
        TypeError: *history* contains something else.
        ValueError: A call has no result, or a result has no call.
    """
    past: Past = []
    known: dict[int, BaseMessage] = {}
    waiting = [_item(each, known) for each in history]
    at = 0
    while at < len(waiting):
        item = waiting[at]
        if isinstance(item, AgentStep):
            steps = _turn_at(waiting, at)
            past += _from_steps(steps)
            at += len(steps)
        elif isinstance(item, AIMessage) and (pieces := _pieces_in(item)):
            results = waiting[at + 1 : at + 1 + len(pieces)]
            past.append(_from_messages(item, pieces, results))
            at += 1 + len(pieces)
        elif isinstance(item, ToolMessage | FunctionMessage):
            raise ValueError("found the result of a call before the message that makes the call")
        else:
            past.append(item)
            at += 1
    return past


def blocks_of(message: BaseMessage) -> list[dict[Any, Any]]:
    """Return the content of *message* as blocks."""
    content = message.content
    return [
        {"type": "text", "text": block} if isinstance(block, str) else block
        for block in ([content] if isinstance(content, str) else content)
    ]


def _item(each: Any, known: dict[int, BaseMessage]) -> AgentStep | BaseMessage:
    if isinstance(each, AgentStep):
        each = (each.action, each.observation)
    if isinstance(each, tuple) and len(each) == 2 and is_action(each[0]):
        return AgentStep.model_construct(action=own_action(each[0], known), observation=each[1])
    return message_of(each)


def message_of(each: Any) -> BaseMessage:
    """Return a message of a conversation as ours.

    Args:
        each: A message of any kind that `outputs.from_any` takes, or its role and its text, as in
            ``("user", "Hello")``; LangChain's ``"human"`` and ``"ai"`` are roles as well.

    Raises:
        TypeError: It is neither, or a text without a role.
        ValueError: The role is unknown, or the message is malformed.
    """
    if isinstance(each, str):
        raise TypeError(
            f"a text in a conversation needs a role, as in ('user', {each[:_MOST_CHARS]!r})"
        )
    match each:
        case (str(role), str(text)):
            if role not in _ROLES:
                raise ValueError(f"the roles are {', '.join(_ROLES)}, not {role!r}")
            return from_any({"role": _ROLES[role], "content": text})
    return from_any(each)


# -- steps ---------------------------------------------------------------------------------------


def _turn_at(items: Sequence[Any], at: int) -> list[AgentStep]:
    """Return the steps that begin at *at* and were taken in one turn."""
    steps = [items[at]]
    first = items[at].action
    if not isinstance(first, ToolAgentAction):
        return steps
    answered = [first.tool_call_id]
    for item in items[at + 1 :]:
        action = item.action if isinstance(item, AgentStep) else None
        if not isinstance(action, ToolAgentAction):
            break
        if not is_same_turn(action, first.message_log, answered):
            break
        answered.append(action.tool_call_id)
        steps.append(item)
    return steps


def _from_steps(steps: Sequence[AgentStep]) -> Past:
    action = steps[0].action
    log = action.message_log if isinstance(action, AgentActionMessageLog) else []
    message = log[-1] if log else None
    if not isinstance(message, AIMessage):
        return [AIMessage(action.log), HumanMessage(as_text(steps[0].observation))]
    is_function = not isinstance(action, ToolAgentAction)
    pieces = function_pieces(message) if is_function else tool_pieces(message)
    if not pieces and (message.text or all(_id_of(step.action) is None for step in steps)):
        # The calls are in the text, so the results go into messages of the user.
        seen = (HumanMessage(as_text(step.observation)) for step in steps)
        return [*log, *seen]
    waiting = list(steps)
    calls = []
    for piece in pieces:
        step = _take(waiting, piece)
        if step is None:
            raise ValueError(_NO_RESULT.format(tool=piece.name or ""))
        calls.append(_call_of(step, piece, is_function=is_function))
    calls += (_call_of(step, None, is_function=is_function) for step in waiting)
    return [*log[:-1], PastTurn(message, tuple(calls))]


def pending_turn(actions: Sequence[Any]) -> PastTurn:
    """Return the turn of *actions*, ours or LangChain's, whose results are not known yet.

    Calls that the model wrote as text are added to the message with this text.
    """
    taken = own_steps((action, "") for action in actions)
    steps = [AgentStep.model_construct(action=a, observation=seen) for a, seen in taken]
    *_, last = _from_steps(steps)
    if isinstance(last, PastTurn):
        made = tuple(replace(call, is_function=False) for call in last.calls)
        return replace(last, calls=made)
    calls = tuple(_call_of(step, None, is_function=False) for step in steps)
    message = steps[0].action.messages[-1]
    assert isinstance(message, AIMessage), "a model wrote it"
    return PastTurn(message, calls)


def _take(waiting: list[AgentStep], piece: CallPiece) -> AgentStep | None:
    """Remove the step that made the call of *piece* from *waiting*, and return it."""
    for place, step in enumerate(waiting):
        if (_id_of(step.action) or None) == (piece.id or None):
            return waiting.pop(place)
    return None


def _id_of(action: AgentAction) -> str | None:
    return action.tool_call_id if isinstance(action, ToolAgentAction) else None


def _call_of(step: AgentStep, piece: CallPiece | None, *, is_function: bool) -> PastCall:
    action = step.action
    written = None if piece is None else piece.written or _valid(piece.arguments)
    if written is None:
        given = action.tool_input
        written = as_json(given if isinstance(given, dict) else {ARGUMENT: given})
    return PastCall(
        tool=action.tool,
        written=written,
        result=as_text(step.observation),
        id=_id_of(action),
        is_error=getattr(step.observation, "status", "") == "error",
        is_function=is_function,
        given_id=_id_of(action),
    )


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


# -- messages ------------------------------------------------------------------------------------


def _pieces_in(message: AIMessage) -> list[CallPiece]:
    return tool_pieces(message) or function_pieces(message)


def _from_messages(
    message: AIMessage, pieces: Sequence[CallPiece], results: Sequence[Any]
) -> PastTurn:
    is_function = not tool_pieces(message)
    waiting = list(results)
    calls = []
    for piece in pieces:
        found = next((r for r in waiting if _answers(r, piece, is_function=is_function)), None)
        if found is None:
            raise ValueError(_NO_RESULT.format(tool=piece.name or ""))
        waiting.remove(found)
        content = found.content
        if not piece.name:
            raise ValueError("found a call without the name of a tool")
        calls.append(
            PastCall(
                tool=piece.name,
                written=piece.written
                or _valid(piece.arguments)
                or as_json({ARGUMENT: piece.arguments}),
                result=text_of(content) or (as_text(content) if content else ""),
                id=piece.id,
                is_error=getattr(found, "status", "") == "error",
                is_function=is_function,
                given_id=piece.id,
            )
        )
    return PastTurn(message, tuple(calls))


def _answers(result: Any, piece: CallPiece, *, is_function: bool) -> bool:
    if is_function:
        return isinstance(result, FunctionMessage) and result.name == piece.name
    return isinstance(result, ToolMessage) and result.tool_call_id == (piece.id or "")


@dataclass(frozen=True, slots=True)
class Ids:
    """What an API requires of the ids of calls."""

    api: str
    """Name of the API, for error messages."""
    fits: Callable[[str], Any] = bool
    """Returns something true if the API accepts an id."""
    is_unique: bool = False
    """Whether ids must be unique in the whole run, and not only in one turn."""
    has_functions: bool = False
    """Whether the API has function calls, which need no id."""

    def give(self, past: Past, new_id: Callable[[int], str] | None) -> Past:
        """Return *past* with an id for each call.

        Args:
            past: The run so far.
            new_id: Returns an id for a call without a valid id, given its number in the run.

        Raises:
            ValueError: A call has no valid id and *new_id* is `None`, or its id is not valid.
        """
        number = 0
        taken: set[str] = set()
        done: Past = []
        for item in past:
            if not isinstance(item, PastTurn):
                done.append(item)
                continue
            if not self.is_unique:
                taken = set()
            calls = []
            for call in item.calls:
                number += 1
                calls.append(self._with_id(call, number, taken, new_id))
            done.append(PastTurn(item.message, tuple(calls)))
        return done

    def _with_id(
        self, call: PastCall, number: int, taken: set[str], new_id: Callable[[int], str] | None
    ) -> PastCall:
        if call.is_function and self.has_functions:
            return call
        call_id = call.id
        if not call_id or not self.fits(call_id) or call_id in taken:
            if new_id is None:
                raise ValueError(self._lacking(call, number))
            call_id = new_id(number)
            if not self.fits(call_id) or call_id in taken:
                raise ValueError(f"{self.api} does not take the new id {call_id!r} for a call")
        taken.add(call_id)
        return replace(call, id=call_id)

    def _lacking(self, call: PastCall, number: int) -> str:
        wrong = f"the id {call.id!r}, which {self.api} does not take here" if call.id else "no id"
        return (
            f"call {number} of the run, of {call.tool!r}, has {wrong}: say what ids to use"
            ' instead, as in new_id="call_{}".format'
        )
