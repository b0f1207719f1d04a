"""The past of a run as an API takes it: messages, and turns whose calls have ids and results."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any, Final, Literal, TypeAlias

from agent_parsers.actions.agent import as_text
from agent_parsers.messages.reading.pieces import function_pieces, is_call_block, tool_pieces
from agent_parsers.messages.reading.said import said_in
from agent_parsers.messages.writing.past import (
    NO_RESULT,
    Past,
    PastAnswer,
    PastCall,
    PastError,
    PastResult,
    PastTurn,
    past_of,
)
from outputs import AIMessage, BaseMessage, FunctionMessage, HumanMessage, ToolMessage, tool_call
from outputs.clients.media import MediaFile
from outputs.messages.base import text_of

if TYPE_CHECKING:
    from agent_parsers.messages.writing.past import History
    from outputs.clients.media import Parts

_CALLS: Final = ("tool_calls", "function_call")
"""Where a message may have the calls that are written as `tool_calls`."""

ForApi: TypeAlias = "list[BaseMessage | PastTurn]"
"""The past of a run: turns whose calls came as calls, and messages without calls."""


def past_for_api(history: Any) -> ForApi:
    """Return *history*, which `past_of` takes, in the form that an API takes.

    Calls that the model wrote as text stay text, followed by a message of the user: the results. A
    call without a result gets one that says so, unless the history ends with it: then its tool is
    still to be run.

    Raises:
        TypeError: *history* contains something else.
        ValueError: A message is malformed.
    """
    past = past_of(history)
    done: ForApi = []
    for number, item in enumerate(past, 1):
        done += _for_api(item, is_last=number == len(past))
    return done


def _for_api(item: Any, *, is_last: bool) -> Iterator[BaseMessage | PastTurn]:
    match item:
        case PastAnswer():
            if item.content:
                yield AIMessage(item.content)
            yield AIMessage(item.text, additional_kwargs=_reasoning(item.thought))
        case PastResult():
            named = f"Result of {item.tool}:\n" if item.tool else ""
            yield HumanMessage(f"{named}{item.text}")
        case PastError():
            yield from (AIMessage(item.log), HumanMessage(item.observation))
        case PastTurn(log=""):
            yield _as_calls(item, is_last=is_last)
        case PastTurn():
            if _has_calls(item.message):  # which the model also wrote as text
                yield _as_calls(item, is_last=is_last)
                return
            message = item.message
            if item.thought and item.thought.strip() not in item.log:  # it came beside the text
                beside = {**_reasoning(item.thought), **message.additional_kwargs}
                message = message.model_copy(update={"additional_kwargs": beside})
            yield message
            told = [call.result for call in item.calls if call.result is not None]
            yield from map(HumanMessage, told)
        case _:
            yield item


def with_results(past: Past) -> Past:
    """Return *past* with a result for each call; if there was none, the result says so."""
    return [
        replace(
            item,
            calls=tuple(
                call if call.result is not None else replace(call, result=NO_RESULT)
                for call in item.calls
            ),
        )
        if isinstance(item, PastTurn) and item.is_open
        else item
        for item in past
    ]


def with_native_calls(past: Past, read: Callable[[str], tuple[str, str]]) -> Past:
    """Return *past* with the calls that a model wrote as text as native calls with ids.

    *read* returns the thought and the content of such a text.
    """
    done: Past = []
    for number, item in enumerate(past):
        if isinstance(item, PastTurn) and item.log and not _has_calls(item.message):
            thought, content = read(item.log)
            message = AIMessage(content, additional_kwargs=_reasoning(thought or item.thought))
            calls = tuple(
                replace(call, id=call.id or f"call{number:03}{index:02}", answer=None)
                for index, call in enumerate(item.calls)
            )
            done.append(replace(item, message=message, calls=calls, log=""))
        else:
            done.append(item)
    return done


def _has_calls(message: AIMessage) -> bool:
    return bool(tool_pieces(message) or function_pieces(message))


def _as_calls(turn: PastTurn, *, is_last: bool) -> PastTurn:
    """Return a *turn* of calls in which each has a name, and a result unless it is the last."""
    calls = tuple(
        replace(
            call,
            tool=call.tool or "unknown",
            result=call.result if call.result is not None or is_last else NO_RESULT,
        )
        for call in turn.calls
    )
    message = turn.message  # a log or a run may know more of the turn
    if turn.content and not text_of(message.content, untyped=True).strip():
        content = message.content
        said = [{"type": "text", "text": turn.content}, *content] if content else turn.content
        message = message.model_copy(update={"content": said})
    if turn.thought and not any(kind == "thought" for kind, _ in said_in(message)):
        beside = {**_reasoning(turn.thought), **message.additional_kwargs}
        message = message.model_copy(update={"additional_kwargs": beside})
    return replace(turn, message=message, calls=calls)


def _reasoning(thought: str) -> dict[str, str]:
    return {"reasoning_content": thought} if thought else {}


def own_messages(history: History) -> list[BaseMessage]:
    """Return *history*, which `past_of` takes, as our messages, for a model that calls tools.

    Raises:
        TypeError: *history* contains something else.
        ValueError: A message is malformed.
    """
    messages: list[BaseMessage] = []
    for item in past_for_api(history):
        if isinstance(item, PastTurn) and _has_calls(item.message):
            messages += (_as_run(item), *_results(item))
        else:
            messages += messages_of_turn(item) if isinstance(item, PastTurn) else [item]
    return messages


def _as_run(turn: PastTurn) -> AIMessage:
    """Return the message of a *turn* as the model gave it, but with the arguments that were run."""
    message = turn.message
    if not any(call.is_changed for call in turn.calls):
        return message
    if turn.calls[0].is_function:
        written = {"name": turn.calls[0].tool, "arguments": turn.calls[0].written}
        beside = {**message.additional_kwargs, "function_call": written}
        return message.model_copy(update={"additional_kwargs": beside})
    made = _with_calls(turn)
    if isinstance(made.content, list):
        content = [block for block in made.content if not is_call_block(block)]
        made = made.model_copy(update={"content": content})
    return made


def messages_of_turn(turn: PastTurn) -> list[BaseMessage]:
    """Return a *turn* of calls as its message and the results that are known."""
    if turn.calls[0].is_function:
        return [turn.message, *_results(turn)]
    results = (
        _tool_message(call, name=call.tool) for call in turn.calls if call.result is not None
    )
    return [_with_calls(turn), *results]


def _with_calls(turn: PastTurn) -> AIMessage:
    """Return the message of a *turn*, which is not one function call, with all its calls."""
    message, calls = turn.message, turn.calls
    beside = {name: v for name, v in message.additional_kwargs.items() if name not in _CALLS}
    made = [tool_call(name=call.tool, args=call.arguments, id=call.id) for call in calls]
    update = {"additional_kwargs": beside, "tool_calls": made, "invalid_tool_calls": []}
    return message.model_copy(update=update)


def _results(turn: PastTurn) -> Iterator[BaseMessage]:
    """Yield the results of a *turn* that are known."""
    for call in turn.calls:
        if call.result is None:
            continue
        if call.answer is not None:
            yield call.answer
        elif call.is_function:
            yield FunctionMessage(name=call.tool, content=call.result)
        else:
            yield _tool_message(call, additional_kwargs={"name": call.tool})


def _tool_message(call: PastCall, **named: Any) -> ToolMessage:
    """Return the result of a *call*, with the name of its tool where it is wanted."""
    status: Literal["error", "success"] = "error" if call.is_error else "success"
    content = blocks_of_parts(call.parts) if call.parts else call.result
    return ToolMessage(content, tool_call_id=call.id or "", status=status, **named)


def blocks_of_parts(
    parts: Parts, write: Callable[[MediaFile], dict[str, Any]] = lambda file: file.block
) -> list[Any]:
    """Return *parts* of a result as blocks of a message; *write* makes the blocks of files."""
    return [
        write(part) if isinstance(part, MediaFile) else {"type": "text", "text": as_text(part)}
        for part in parts
    ]


@dataclass(frozen=True, slots=True)
class Ids:
    """What an API requires of call ids."""

    api: str
    """Name of the API, for error messages."""
    fits: Callable[[str], Any] = bool
    """Returns something true if the API accepts an id."""
    is_unique: bool = False
    """Whether ids must be unique in the whole run, and not only in one turn."""
    has_functions: bool = False
    """Whether the API has function calls, which need no id."""

    def give(self, past: ForApi, new_id: Callable[[int], str] | None) -> ForApi:
        """Return *past* with an id for each call.

        A call without a valid id gets ``new_id(number)``, given its number in the run.

        Raises:
            ValueError: A call has no valid id and *new_id* is `None`, or its id is not valid.
        """
        number = 0
        taken: set[str] = set()
        done: ForApi = []
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
            done.append(replace(item, calls=tuple(calls)))
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
                raise ValueError(
                    f"the id {call_id!r} from new_id is already in use, or not valid for {self.api}"
                )
        taken.add(call_id)
        return replace(call, id=call_id)

    def _lacking(self, call: PastCall, number: int) -> str:
        wrong = f"the id {call.id!r}, which {self.api} does not accept here" if call.id else "no id"
        return (
            f"call {number} of the run, to {call.tool!r}, has {wrong}: pass a function that makes"
            ' ids, as in new_id="call_{}".format'
        )
