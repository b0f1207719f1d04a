"""Prompts: what a model is told of a dialect, and the whole text, or messages, for its next turn.

All that shows how a turn looks is written by the dialect itself, so that what a model is told and
what is read are the same. What users put in, such as descriptions of tools, is put in once and not
looked at again, so it may hold braces and marks.
"""

from __future__ import annotations

import re
from dataclasses import replace
from typing import TYPE_CHECKING, Final

from agent_parsers.actions.agent import AgentAction
from agent_parsers.engine.grammar.dialect import Dialect, Result, Written
from agent_parsers.engine.grammar.table import Part
from agent_parsers.engine.reading.known_tools import known_tools
from agent_parsers.engine.writing.past_turns import past_turns, render_scratchpad
from agent_parsers.engine.writing.render import render
from outputs import AIMessage, HumanMessage, SystemMessage

if TYPE_CHECKING:
    from collections.abc import Sequence

    from agent_parsers.engine.writing.render import Step
    from agent_parsers.toolset import Tools, ToolSet
    from outputs import BaseMessage

__all__ = ["instructions", "render_prompt", "replies"]

_PLACES: Final = re.compile(r"\{(tools|tool_names|form|action|answer)\}")


def instructions(dialect: Dialect, tools: Tools | None = None) -> str:
    """Return what a model is told about the form of its turns, and about the *tools*.

    Without tools, ``{tools}`` and ``{tool_names}`` stay, for `str.replace`.
    """
    known = known_tools(tools)
    action, answer = _replies(dialect, known)
    told = {"form": _form(dialect, known), "action": action, "answer": answer}
    if known is not None:
        told["tools"] = dialect.list_tools(known) if len(known) else dialect.words.no_tools
        told["tool_names"] = ", ".join(known.names)
    return _PLACES.sub(lambda place: told.get(place[1], place[0]), dialect.prompt)


def replies(dialect: Dialect, tools: Tools | None = None) -> tuple[str, str]:
    """Return two turns as they should be, which the instructions show: an action, an answer."""
    return _replies(dialect, known_tools(tools))


def render_prompt(
    dialect: Dialect,
    told: str,
    question: str,
    tools: Tools | None,
    steps: Sequence[Step],
    *,
    system: str = "",
    as_messages: bool = False,
) -> str | list[BaseMessage]:
    """Return the prompt for the next turn; see `DialectParser.render_prompt`.

    Args:
        dialect: How turns are written.
        told: The instructions.
        question: What the agent is asked.
        tools: The tools there are.
        steps: What it has done so far.
        system: What stands before the instructions.
        as_messages: Whether to return messages.
    """
    known = known_tools(tools)
    head = "\n\n".join(filter(None, (system, told)))
    asked = _asked(dialect, question)
    if not as_messages:
        pad = render_scratchpad(dialect, steps, known, with_generation_prompt=True)
        return "\n\n".join(filter(None, (head, dialect.words.begin, f"{asked}\n{pad}")))
    messages: list[BaseMessage] = [SystemMessage(head)] if head else []
    messages.append(HumanMessage(asked))
    for turn in past_turns(dialect, steps, known):
        messages += (AIMessage(turn.log), HumanMessage(turn.seen.strip("\n")))
    return messages


def _asked(dialect: Dialect, question: str) -> str:
    """Return the *question* behind its label, if the dialect has one."""
    table = dialect.lenient
    for (_, name), transition in table.transitions.items():
        if table.parts[transition.to] is Part.QUESTION:
            label = table.markers[name].canonical.strip()
            return f"{label}{question}" if label.endswith("：") else f"{label} {question}"
    return question


# -- how a turn looks -----------------------------------------------------------------------------


def _form(dialect: Dialect, tools: ToolSet | None) -> str:
    """Return a run that says what stands where."""
    words = dialect.words
    names = "{tool_names}" if tools is None else ", ".join(tools.names)
    given = words.tool_input
    if words.arguments is not None and tools is not None and any(map(tools.checks, tools.names)):
        given = words.arguments
    step = Written(words.thought, words.tool.replace("{tool_names}", names), given)
    seen = dialect.results_text([Result(dialect.example.tool, words.observation)]).removesuffix(
        dialect.generation_prompt(2)
    )
    lines = _asked(dialect, words.question), dialect.write(step) + seen.rstrip("\n"), words.repeats
    return "\n".join((*lines, _last_turn(dialect)))


def _last_turn(dialect: Dialect) -> str:
    words = dialect.words
    thought = words.last_thought if dialect.thinks else ""
    return dialect.write(Written(thought, answer=words.answer, number=2))


def _replies(dialect: Dialect, tools: ToolSet | None) -> tuple[str, str]:
    uses = (_use(dialect, tools, name) for name in tools.names) if tools is not None else iter(())
    action = next(filter(None, uses), "")
    if not action:
        example = dialect.example
        action = dialect.write(replace(example, thought=_thought(dialect, example.tool)))
    return action, _last_turn(dialect)


def _use(dialect: Dialect, tools: ToolSet, name: str) -> str:
    """Write an action that uses the tool *name*; ``""`` if the dialect cannot say it."""
    arguments = tools.example(name)
    if arguments is not None:
        arguments = dialect.words.in_place(arguments)
    step: Written | None
    known: ToolSet | None = tools
    if dialect.show is not None:
        step, known = dialect.show(name, arguments), None
    else:
        step = Written(
            tool=name, tool_input=dialect.example.tool_input if arguments is None else arguments
        )
    if step is None:
        return ""
    action = AgentAction(step.tool, step.tool_input, "")
    try:
        return render(dialect, action, thought=_thought(dialect, name), tools=known)
    except ValueError:
        return ""


def _thought(dialect: Dialect, tool: str) -> str:
    """Return what the model thinks before it uses a *tool*; empty where it writes no thoughts."""
    return dialect.words.use.replace("{tool}", tool) if dialect.thinks else ""
