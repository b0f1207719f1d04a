"""Past steps as the next prompt continues them, by the names that LangChain has for it.

`DialectParser.format_scratchpad` does this for any dialect. What tools return is escaped there and
here: a line of theirs that would be read as a label gets a backslash.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal

from agent_parsers.dialects import react
from agent_parsers.engine.grammar.dialect import Result, Written
from agent_parsers.engine.writing.escape import escape
from agent_parsers.engine.writing.render import action_and_observation
from agent_parsers.native.writing.scratchpad import (
    format_to_openai_function_messages,
    format_to_openai_functions,
    format_to_openai_tool_messages,
    format_to_tool_messages,
)
from outputs import AIMessage, BaseMessage, HumanMessage

if TYPE_CHECKING:
    from collections.abc import Iterable

    from agent_parsers.engine.writing.render import Step

__all__ = [
    "format_log_to_messages",
    "format_log_to_str",
    "format_to_openai_function_messages",
    "format_to_openai_functions",
    "format_to_openai_tool_messages",
    "format_to_tool_messages",
    "format_xml",
]


def format_log_to_str(
    intermediate_steps: Iterable[Step],
    observation_prefix: str = "Observation: ",
    llm_prefix: str = "Thought: ",
) -> str:
    """Write the steps taken so far as ReAct text: each log, what the tool returned, and a label.

    Args:
        intermediate_steps: Pairs of an action and what the tool returned, or steps.
        observation_prefix: What stands before what a tool returned.
        llm_prefix: What invites the next thought.
    """
    parts: list[str] = []
    for step in intermediate_steps:
        action, observation = action_and_observation(step)
        seen = escape(react.DIALECT, observation)
        parts.append(f"{action.log}\n{observation_prefix}{seen}\n{llm_prefix}")
    return "".join(parts)


def format_log_to_messages(
    intermediate_steps: Iterable[Step], template_tool_response: str = "{observation}"
) -> list[BaseMessage]:
    """Write the steps taken so far as messages: what the model wrote, and what the tool returned.

    A message of its own needs no escapes.

    Args:
        intermediate_steps: Pairs of an action and what the tool returned, or steps.
        template_tool_response: What the user's message says; ``{observation}`` stands for what the
            tool returned.
    """
    messages: list[BaseMessage] = []
    for step in intermediate_steps:
        action, observation = action_and_observation(step)
        messages.append(AIMessage(content=action.log))
        content = template_tool_response.format(observation=observation)
        messages.append(HumanMessage(content=content))
    return messages


def format_xml(
    intermediate_steps: Iterable[Step], *, escape_format: Literal["minimal"] | None = "minimal"
) -> str:
    """Write the steps taken so far as XML tags: the tool, its input and what it returned.

    Args:
        intermediate_steps: Pairs of an action and what the tool returned, or steps.
        escape_format: ``"minimal"`` writes the tags of the format that stand in a name or an input
            as ``[[tool]]``; `None` writes them as they are.
    """
    from agent_parsers.dialects import xml  # the other formats need it not

    dialect = xml.make_dialect(escape_format)
    parts: list[str] = []
    for number, step in enumerate(intermediate_steps, 1):
        action, observation = action_and_observation(step)
        parts.append(dialect.write(Written(tool=action.tool, tool_input=action.tool_input)))
        parts.append(
            dialect.results_text([Result(action.tool, escape(dialect, observation))], number)
        )
    return "".join(parts)
