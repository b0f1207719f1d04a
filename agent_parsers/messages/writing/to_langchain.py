"""Writing a run as LangChain messages; LangChain is imported when the function is called."""

from __future__ import annotations

from collections.abc import Callable
from importlib import import_module
from typing import TYPE_CHECKING, Any, Final

from agent_parsers.actions.tool_action import is_action
from agent_parsers.messages.writing.native import Ids, messages_of_turn, past_for_api
from agent_parsers.messages.writing.past import PastTurn, pending_turn
from outputs.messages.utils import as_langchains

if TYPE_CHECKING:
    from agent_parsers.messages.writing.past import History
    from outputs import BaseMessage

_IDS: Final = Ids("LangChain", has_functions=True)


def to_langchain(history: History, *, new_id: Callable[[int], str] | None = None) -> list[Any]:
    """Return the run so far as LangChain messages, for its models and for LangGraph.

    The messages have the same fields as ours. The calls of one message stay together, followed by
    their results. Steps that did not come as calls become plain messages of the assistant and the
    user.

    What a parser returned for the last turn may be at the end, or alone. Its actions become a
    message with calls for LangGraph's ``ToolNode`` to run, also if the model wrote them as text,
    which is then the content of the message. A final answer becomes a message with the answer.

    Args:
        history: A run; or steps, turns, answers and errors of turns, as parsers return them and
            as logs have them, and messages of any client, such as those of `render_prompt`.
        new_id: Returns an id for a call without one, given its number in the run; see `to_openai`.

    Raises:
        ImportError: LangChain is not installed.
        TypeError: *history* contains something else.
        ValueError: A call has no id, and *new_id* is `None`.
    """
    import_module("langchain_core.messages")  # first: it may not be installed
    before, actions = _pending(history)
    past = past_for_api(before)
    if actions:
        past.append(pending_turn(actions))
    messages: list[BaseMessage] = []
    for item in _IDS.give(past, new_id):
        messages += messages_of_turn(item) if isinstance(item, PastTurn) else [item]
    return [*map(as_langchains, messages)]


def _pending(history: Any) -> tuple[Any, list[Any]]:
    """Return *history* without its last actions, and these, which have no results yet."""
    items = history if isinstance(history, list) else [history]
    last = items[-1] if items else None
    actions = getattr(last, "actions", None) or (last if isinstance(last, list) else None)
    if actions and all(map(is_action, actions)):
        return items[:-1], [*actions]
    at = len(items)
    while at and is_action(items[at - 1]):
        at -= 1
    return (items[:at], items[at:]) if at < len(items) else (history, [])
