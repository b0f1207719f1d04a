"""Writing past steps as messages, for the next prompt of a model that calls tools.

::

    AIMessage("", tool_calls=[search, lookup])
    ToolMessage("42", tool_call_id="1", additional_kwargs={"name": "search"})
    ToolMessage("43", tool_call_id="2", additional_kwargs={"name": "lookup"})
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from functools import partial
from typing import TYPE_CHECKING, Any

from agent_parsers.actions.agent import (
    AgentAction,
    AgentActionMessageLog,
    in_kind_of,
    observation_text,
    pair_of,
)
from agent_parsers.actions.tool_action import ToolAgentAction, own_action
from outputs import AIMessage, FunctionMessage, ToolMessage

if TYPE_CHECKING:
    from agent_parsers.engine.writing.render import Step
    from outputs import BaseMessage


def format_to_tool_messages(intermediate_steps: Sequence[Step]) -> list[BaseMessage]:
    """Return the steps taken so far as messages: the model's, and a `ToolMessage` for each result.

    Each call of a message is a step of its own; the message they share is written once, before
    their results. A result that is not text is written as JSON, with its characters unescaped, or
    with `str` if JSON cannot express it. The result of a call without an id has the id ``""``. An
    action that is not a `ToolAgentAction` is written as an `AIMessage` with its ``log``, and its
    result is left out, as in LangChain.

    If an action came from LangChain, as in its executor, the messages are LangChain's.

    Args:
        intermediate_steps: Pairs of an action and what the tool returned, or steps.
    """
    messages: list[BaseMessage] = []
    turn: Sequence[BaseMessage] = ()  # messages of the turn of the last call
    answered: list[str | None] = []  # ids of its calls so far
    pairs, kept = _own_pairs(intermediate_steps)
    for action, observation in pairs:
        if not isinstance(action, ToolAgentAction):
            messages.append(AIMessage(content=action.log))
            turn = ()
            continue
        call_id = action.tool_call_id
        if not is_same_turn(action, turn, answered):
            messages += action.message_log
            turn = action.message_log
            answered = []
        answered.append(call_id)
        messages.append(
            ToolMessage(
                observation_text(observation),
                tool_call_id=call_id or "",
                additional_kwargs={"name": action.tool},
            )
        )
    return kept(messages)


format_to_openai_tool_messages = format_to_tool_messages
"""Another name for it, as in LangChain."""


def format_to_openai_function_messages(intermediate_steps: Sequence[Step]) -> list[BaseMessage]:
    """Return the steps so far as messages: the model's, and a `FunctionMessage` for each result.

    Results are written as by `format_to_tool_messages`. An action that did not come in a message
    is written as an `AIMessage` with its ``log``, and its result is left out, as in LangChain.
    If an action came from LangChain, the messages are LangChain's.

    Args:
        intermediate_steps: Pairs of an action and what the tool returned, or steps.
    """
    messages: list[BaseMessage] = []
    pairs, kept = _own_pairs(intermediate_steps)
    for action, observation in pairs:
        if isinstance(action, AgentActionMessageLog):
            messages += action.message_log
            seen = observation_text(observation)
            messages.append(FunctionMessage(name=action.tool, content=seen))
        else:
            messages.append(AIMessage(content=action.log))
    return kept(messages)


format_to_openai_functions = format_to_openai_function_messages
"""Another name for it, as in LangChain."""


def _own_pairs(
    steps: Iterable[Step],
) -> tuple[list[tuple[AgentAction, Any]], Callable[[list[BaseMessage]], list[BaseMessage]]]:
    """Return *steps* with our actions, and what gives messages the kind that the steps came in."""
    pairs = [*map(pair_of, steps)]
    known: dict[int, BaseMessage] = {}
    own = [(own_action(action, known), seen) for action, seen in pairs]
    return own, partial(in_kind_of, [action for action, _ in pairs], known=known)


def is_same_turn(
    action: ToolAgentAction, turn: Sequence[BaseMessage], answered: Sequence[str | None]
) -> bool:
    """Return whether *action* is another call of the messages *turn*, where some are answered.

    A model that repeats itself writes an equal message, but no call is answered twice.
    """
    if not turn or not action.message_log:
        return False
    last = turn[-1]
    if action.message_log[-1] is last:
        return True
    if list(action.message_log) != list(turn) or not isinstance(last, AIMessage):
        return False
    if action.tool_call_id is not None:
        return action.tool_call_id not in answered
    return len(answered) < len(last.tool_calls)
