"""Writing a run as LangChain messages; LangChain is imported when the function is called."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from importlib import import_module
from itertools import takewhile
from typing import TYPE_CHECKING, Any, Final

from agent_parsers.actions.agent import TurnResult, as_text
from agent_parsers.actions.tool_action import is_action, is_finish
from agent_parsers.messages.writing.past import Ids, PastTurn, past_of, pending_turn
from outputs import AIMessage, BaseMessage, FunctionMessage, ToolMessage, tool_call

if TYPE_CHECKING:
    from agent_parsers.engine.writing.render import Step

_CALLS: Final = ("tool_calls", "function_call")
"""Where a message may have the calls that are written as `tool_calls`."""
_IDS: Final = Ids("LangChain", has_functions=True)


def to_langchain(
    history: Iterable[Step | BaseMessage | TurnResult] | TurnResult,
    *,
    new_id: Callable[[int], str] | None = None,
) -> list[Any]:
    """Return a run so far as LangChain messages, for its models and for LangGraph.

    The messages have the same fields as ours. The calls of one message stay together, followed by
    their results. Steps that did not come as calls become plain messages of the assistant and the
    user.

    What a parser returned for the last turn may be at the end, or alone. Its actions become a
    message with calls for LangGraph's ``ToolNode`` to run, also if the model wrote them as text,
    which is then the content of the message. A final answer becomes a message with the answer.

    Args:
        history: Steps, and messages of any kind that `outputs.from_any` takes, such as those of
            `render_prompt`; at the end, the actions or the answer of the last turn.
        new_id: Returns an id for a call without one, given its number in the run; see `to_openai`.

    Raises:
        ImportError: LangChain is not installed.
        TypeError: *history* contains something else.
        ValueError: A call has no id or no result, or a result has no call.
    """
    theirs = import_module("langchain_core.messages")
    before, actions = _pending(history)
    past = past_of(before)
    if actions:
        past.append(pending_turn(actions))
    messages: list[BaseMessage] = []
    for item in _IDS.give(past, new_id):
        messages += _turn(item) if isinstance(item, PastTurn) else [item]
    if actions:
        del messages[-len(actions) :]
    return [getattr(theirs, type(message).__name__)(**_fields(message)) for message in messages]


def _pending(history: Any) -> tuple[list[Any], list[Any]]:
    """Return *history* without its last actions, and these if they have no results."""
    if is_action(history) or is_finish(history):
        history = [history]
    before = [_answer(each) if is_finish(each) else each for each in history]
    if before and isinstance(before[-1], list):
        return before[:-1], before[-1]
    actions = [*takewhile(is_action, reversed(before))][::-1]
    return before[: len(before) - len(actions)], actions


def _answer(finish: Any) -> AIMessage:
    return AIMessage(as_text(finish.return_values.get("output", finish.log)))


def _turn(turn: PastTurn) -> list[BaseMessage]:
    message, calls = turn.message, turn.calls
    if calls[0].is_function:
        return [message, FunctionMessage(name=calls[0].tool, content=calls[0].result)]
    beside = {n: v for n, v in message.additional_kwargs.items() if n not in _CALLS}
    made = [tool_call(name=call.tool, args=call.arguments, id=call.id) for call in calls]
    update = {"additional_kwargs": beside, "tool_calls": made, "invalid_tool_calls": []}
    results = (
        ToolMessage(
            call.result,
            tool_call_id=call.id,
            name=call.tool,
            status="error" if call.is_error else "success",
        )
        for call in calls
    )
    return [message.model_copy(update=update), *results]


def _fields(message: BaseMessage) -> dict[str, Any]:
    """Return the fields of *message* without its type, which LangChain's class sets."""
    return {name: value for name, value in message if name != "type"}
