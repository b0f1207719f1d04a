"""Prompts: the format instructions of a dialect, its tools, and the text for the next turn.

The dialect itself writes every sample of a turn, so the instructions and the parser cannot differ.
Text from users, such as descriptions of tools, is inserted once and not scanned again, so it may
contain braces and markers.
"""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from dataclasses import replace
from itertools import chain
from typing import TYPE_CHECKING, Any, Final

from agent_parsers.actions.agent import AgentAction
from agent_parsers.engine.reading.rules.known_tools import known_tools, output_type_of
from agent_parsers.engine.tables.dialect import Dialect, PromptWords, Result, before_words
from agent_parsers.engine.tables.table import Part
from agent_parsers.engine.writing.past_turns import TurnInPrompt, render_scratchpad
from agent_parsers.engine.writing.render import render, sample_answer
from agent_parsers.forms.form import Written
from agent_parsers.toolset import ToolSpec
from output_parsers.printable import kind_of
from outputs import AIMessage, HumanMessage, SystemMessage

if TYPE_CHECKING:
    from agent_parsers.toolset import Tools, ToolSet
    from outputs import BaseMessage

_PYTHON: Final = {
    "string": "str",
    "integer": "int",
    "number": "float",
    "boolean": "bool",
    "array": "list",
    "object": "dict",
    "null": "None",
}
_INDENT: Final = " " * 4


def list_schemas(tools: ToolSet) -> str:
    """Return two lines for each tool: name and description, then the JSON Schema of its input.

    ::

        search: Looks up a name.
            input: {"type": "object", "properties": {"query": {"type": "string"}}}
    """
    lines: list[str] = []
    for tool in tools:
        lines.append(ToolSpec(tool.name, tool.description).describe())
        if tool.parameters is not None:
            lines.append(f"{_INDENT}input: {json.dumps(tool.parameters, ensure_ascii=False)}")
    return "\n".join(lines)


def list_functions(tools: ToolSet) -> str:
    """Return *tools* as Python functions; a tool without a schema is one line of text.

    ::

        def search(query: str, limit: int = 5):
            '''Looks up a name.'''
    """
    return "\n".join(map(_function, tools))


def _function(tool: ToolSpec) -> str:
    schema = tool.schema()
    if schema is None:
        return tool.describe()
    flat = schema.flat(schema.root)
    required = flat.get("required", ())
    parameters: list[str] = []
    about: list[str] = []
    for key, node in flat.get("properties", {}).items():
        part = schema.flat(node)
        default = "" if key in required else f" = {part.get('default')!r}"
        parameters.append(f"{key}: {_type(part)}{default}")
        if text := " ".join(str(part.get("description", "")).split()):
            about.append(f"{_INDENT}{key}: {text}")
    lines = [line.rstrip() for line in tool.description.strip().splitlines()]
    if about:
        lines += ["", "Args:", *about] if lines else ["Args:", *about]
    head = f"def {tool.name}({', '.join(parameters)}):"
    if not lines:
        return f"{head} ..."
    quoted = "\n".join(lines).replace('"""', "'''")
    body = f'"""{quoted}"""' if len(lines) == 1 else f'"""{quoted}\n"""'
    return "\n".join((head, *(f"{_INDENT}{line}".rstrip() for line in body.split("\n"))))


def _type(part: dict[str, Any]) -> str:
    """Return the Python type of a parameter."""
    if values := part.get("enum"):
        return f"Literal[{', '.join(map(repr, values))}]"
    kinds = part.get("type", [])
    kinds = [kinds] if isinstance(kinds, str) else list(kinds)
    for form in (*part.get("anyOf", ()), *part.get("oneOf", ())):
        if isinstance(form, dict) and isinstance(form.get("type"), str):
            kinds.append(form["type"])
    return " | ".join(dict.fromkeys(_PYTHON[kind] for kind in kinds)) or "Any"


# -- prompts ---------------------------------------------------------------------------------------

_PLACES: Final = re.compile(r"\{(tools|tool_names|form|action|answer)\}")


def instructions(dialect: Dialect, tools: Tools | None = None) -> str:
    """Return the format instructions: how to write a turn, and which *tools* are available.

    If the tools are not known, the placeholders ``{tools}`` and ``{tool_names}`` are
    kept, for `str.replace`. If there are none, the instructions are only about answers.
    """
    known = known_tools(tools)
    action, answer = replies(dialect, known)
    texts = {"answer": answer}
    prompt = dialect.prompt_words.no_tools
    if action:
        texts |= {"form": _form(dialect, known), "action": action}
        prompt = dialect.prompt
    if known:
        texts |= {"tools": dialect.list_tools(known), "tool_names": ", ".join(known.names)}
    told = _PLACES.sub(lambda place: texts.get(place[1], place[0]), prompt)
    return "\n\n".join(filter(None, (told, told_type(known, dialect.prompt_words))))


def told_type(tools: ToolSet | None, words: PromptWords) -> str:
    """Return the part of the prompt about the type of answers; ``""`` if answers are text."""
    if (output_type := output_type_of(tools)) is None:
        return ""
    if output_type.is_never:
        return words.no_answer
    return f"{words.output_type}\n\n{output_type.describe()}"


def replies(dialect: Dialect, tools: Tools | None = None) -> tuple[str, str]:
    """Return the two turns that the instructions show as examples: an action and an answer.

    If there are no tools, the action is ``""``.
    """
    known = known_tools(tools)
    if known is not None and not len(known):
        return "", sample_answer(dialect, known)
    uses = (_use(dialect, known, name) for name in known.names) if known is not None else iter(())
    action = next(filter(None, uses), "")
    if not action:
        example = dialect.example
        action = dialect.write(replace(example, thought=_thought(dialect, example.tool)))
    return action, sample_answer(dialect, known, number=2)


def render_prompt(
    dialect: Dialect,
    format_instructions: str,
    question: str | None,
    turns: Sequence[TurnInPrompt],
    *,
    system: str = "",
    earlier: Sequence[Sequence[BaseMessage]] = (),
    as_messages: bool = False,
) -> str | list[BaseMessage]:
    """Return the prompt for the next turn; see `DialectParser.render_prompt`.

    Args:
        dialect: The dialect of the turns.
        format_instructions: How to write a turn; see `instructions`.
        question: The question to the agent; `None` if it is in *earlier*.
        turns: The turns so far, with what the tools returned.
        system: Text to put before the instructions.
        earlier: What was said before the question, in the dialect: single messages, and calls with
            their results.
        as_messages: Whether to return messages instead of text.

    Raises:
        TypeError: *question* is not a string.
        ValueError: A message of *earlier* has more than text, and the prompt is plain text.
    """
    check_question(question, earlier)
    head = "\n\n".join(filter(None, (system, format_instructions)))
    exchanges = [*earlier]
    if question is not None:
        exchanges.append([HumanMessage(asked_in(dialect, question))])
    if not as_messages:
        pad = render_scratchpad(dialect, turns, with_generation_prompt=True)
        said = f"{_as_text(exchanges)}\n{pad}"
        return "\n\n".join(filter(None, (head, dialect.prompt_words.begin, said)))
    messages: list[BaseMessage] = [SystemMessage(head)] if head else []
    messages += chain.from_iterable(exchanges)
    for turn in turns:
        messages.append(AIMessage(turn.log))
        if turn.has_results:
            messages.append(HumanMessage(turn.seen.strip("\n")))
    return messages


def _as_text(exchanges: Sequence[Sequence[BaseMessage]]) -> str:
    """Return what was said, with an empty line before each question."""
    text = ""
    for said in exchanges:
        if not all(isinstance(message.content, str) for message in said):
            raise ValueError(
                "a plain-text prompt cannot contain images or other blocks: use as_messages=True"
            )
        is_question = len(said) == 1 and isinstance(said[0], HumanMessage)
        lines = "\n".join(message.text for message in said)
        between = "\n\n" if is_question else "\n"
        text += f"{between}{lines}" if text else lines
    return text


def check_question(question: object, earlier: object) -> None:
    """Raise `TypeError` unless *question* is a string, or `None` after *earlier* messages.

    It says how to pass a conversation.
    """
    if isinstance(question, str) or (question is None and earlier):
        return
    said = f"render_prompt takes the question as a string, not {kind_of(question)}"
    if isinstance(question, list | tuple) or hasattr(question, "content"):
        said += "; pass a conversation as history="
    raise TypeError(said)


def asked_in(dialect: Dialect, question: str) -> str:
    """Return the *question* after its label, if the dialect has one."""
    table = dialect.lenient
    for (_, name), transition in table.transitions.items():
        if table.parts[transition.to] is Part.QUESTION:
            label = table.markers[name].canonical.strip()
            return f"{before_words(label, question)}{question}"
    return question


# -- samples of turns -----------------------------------------------------------------------------


def _form(dialect: Dialect, tools: ToolSet | None) -> str:
    """Return the steps of a sample transcript, in which each part says what belongs there.

    It has no question: a model that is shown one writes one.
    """
    words = dialect.prompt_words
    names = "{tool_names}" if tools is None else ", ".join(tools.names)
    given = words.tool_input
    if words.arguments is not None and tools is not None and any(map(tools.checks, tools.names)):
        given = words.arguments
    elif tools is not None and _may_be_half(dialect) and {} in map(tools.example, tools.names):
        given = words.inputs[0]
    step = Written(words.thought, words.tool.replace("{tool_names}", names), given)
    seen = dialect.results_text([Result(dialect.example.tool, words.observation)]).removesuffix(
        dialect.generation_prompt(2)
    )
    last = sample_answer(dialect, tools, number=2)
    return "\n".join((dialect.write(step) + seen.rstrip("\n"), words.repeats, last))


def _may_be_half(dialect: Dialect) -> bool:
    """Return whether a call without an input looks like half of a call with one."""
    form = dialect.form
    if form is None or form.own_tool or not dialect.prompt_words.inputs:
        return False
    return form.call.text.partition("{input}")[2] == dialect.closer


def _use(dialect: Dialect, tools: ToolSet, name: str) -> str:
    """Write an action that uses the tool *name*; ``""`` if the dialect cannot write it."""
    arguments = tools.example(name)
    if arguments is not None:
        arguments = dialect.prompt_words.in_place(arguments)
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
    """Return a thought before the use of *tool*; ``""`` if the dialect has no thoughts."""
    return dialect.prompt_words.use.replace("{tool}", tool) if dialect.thinks else ""
