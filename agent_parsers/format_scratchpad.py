"""Writing past steps for the next prompt, with functions named as in LangChain.

`DialectParser.format_scratchpad` does this for any dialect. Both escape what tools return: a line
that would be read as a label is prefixed with a backslash.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import TYPE_CHECKING, Literal

from agent_parsers.actions.agent import AgentAction, in_kind_of, observed, pair_of
from agent_parsers.dialects import react
from agent_parsers.engine.tables.dialect import Result
from agent_parsers.engine.writing.escape import escape
from agent_parsers.forms.form import Written
from agent_parsers.messages.writing.scratchpad import (
    format_to_openai_function_messages,
    format_to_openai_functions,
    format_to_openai_tool_messages,
    format_to_tool_messages,
)
from outputs import AIMessage, BaseMessage, HumanMessage

if TYPE_CHECKING:
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
    """Return the steps taken so far as ReAct text: each log, the observation, and a label.

    Args:
        intermediate_steps: Pairs of an action and what the tool returned, or steps.
        observation_prefix: Text before what a tool returned.
        llm_prefix: Label after each step, which the next thought continues.
    """
    parts: list[str] = []
    for step in intermediate_steps:
        action, observation = _action_and_text(step)
        told = ""
        if observation is not None:
            told = f"{observation_prefix}{escape(react.DIALECT, observation)}\n"
        parts.append(f"{action.log}\n{told}{llm_prefix}")
    return "".join(parts)


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
        action, observation = _action_and_text(step)
        messages.append(AIMessage(content=action.log))
        if observation is None:
            continue
        content = template_tool_response.format(observation=observation)
        messages.append(HumanMessage(content=content))
    return in_kind_of([pair_of(step)[0] for step in steps], messages)


def _action_and_text(step: Step) -> tuple[AgentAction, str | None]:
    """Return the action of *step*, and `str` of what the tool returned, as LangChain does.

    An answer has no observation: it is `None`.
    """
    action, observation = pair_of(step)
    is_answer = observation is None and not action.tool
    return action, None if is_answer else str(observed(observation))


def format_xml(
    intermediate_steps: Iterable[Step], *, escape_format: Literal["minimal"] | None = "minimal"
) -> str:
    """Return the steps taken so far in XML tags: the tool, its input and what it returned.

    Args:
        intermediate_steps: Pairs of an action and what the tool returned, or steps.
        escape_format: ``"minimal"`` writes tags of the format inside a name or an input as
            ``[[tool]]``; `None` leaves them unchanged.
    """
    from agent_parsers.dialects import xml  # imported lazily: only this format needs it

    dialect = xml.make_dialect(escape_format)
    parts: list[str] = []
    for number, step in enumerate(intermediate_steps, 1):
        action, observation = _action_and_text(step)
        if observation is None:
            parts.append(action.log)
            continue
        parts.append(dialect.write(Written(tool=action.tool, tool_input=action.tool_input)))
        parts.append(
            dialect.results_text([Result(action.tool, escape(dialect, observation))], number)
        )
    return "".join(parts)
