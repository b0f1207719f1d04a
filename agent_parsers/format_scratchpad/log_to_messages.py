"""Writing past steps as messages of the assistant and the user."""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING

from agent_parsers.actions.agent import in_kind_of, pair_of
from agent_parsers.format_scratchpad.log import action_and_text
from outputs import AIMessage, BaseMessage, HumanMessage

if TYPE_CHECKING:
    from agent_parsers.engine.writing.render import Step

__all__ = ["format_log_to_messages"]


def format_log_to_messages(
    intermediate_steps: Iterable[Step], template_tool_response: str = "{observation}"
) -> list[BaseMessage]:
    """Return the steps taken so far as messages: what the model wrote, and what the tool returned.

    The observations are not escaped, since each is a message of its own. If an action came from
    LangChain, as in its executor, the messages are LangChain's.

    Args:
        intermediate_steps: Pairs of an action and what the tool returned, or steps.
        template_tool_response: Text of the user's message; ``{observation}`` is replaced by what
            the tool returned.
    """
    messages: list[BaseMessage] = []
    steps = [*intermediate_steps]
    for step in steps:
        action, observation = action_and_text(step)
        messages.append(AIMessage(content=action.log))
        if observation is None:
            continue
        content = template_tool_response.format(observation=observation)
        messages.append(HumanMessage(content=content))
    return in_kind_of([pair_of(step)[0] for step in steps], messages)
