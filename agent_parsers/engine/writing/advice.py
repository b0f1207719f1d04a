"""Observations of errors: what is wrong, what the model wrote, and an example in its dialect."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import replace
from functools import lru_cache
from json.encoder import encode_basestring
from typing import TYPE_CHECKING, Any, Final

from agent_parsers.actions.agent import AgentAction
from agent_parsers.engine.reading.rules.known_tools import output_type_of
from agent_parsers.engine.tables.dialect import Dialect, before_words
from agent_parsers.toolset.problems.errors import AnswerError, ToolInputError, answer_text, as_json
from agent_parsers.toolset.problems.names import nearest

if TYPE_CHECKING:
    from agent_parsers.toolset import ToolSet
    from output_parsers import OutputParserException

_ANY_TOOL: Final = "tool_name"
"""Stands in examples for the name of a tool, if it is not known which tools there are."""
_MOST_SHOWN: Final = 80
"""Most characters that are shown of what the model wrote."""
_LONGEST_EXAMPLE: Final = 1000
"""Longest example with the model's own arguments, in characters; a longer one has placeholders."""


def advice(
    dialect: Dialect,
    said: str,
    written: str,
    tools: ToolSet | None,
    error: OutputParserException | None = None,
    named: str = "",
) -> str:
    """Return an observation to send back to the model, with an example of an action.

    If there are no tools, the example is an answer.

    Args:
        dialect: The dialect in which the model should write.
        said: What is wrong; ignored if there is an *error*.
        written: The text at fault.
        tools: The available tools, if they are known.
        error: The error that the tools raised. The example then uses the tool of the error and the
            valid part of the arguments that the model wrote. Without an error it uses the
            tool that was *named*, or else the one whose name is most like *written*, or else the
            first, with placeholders.
        named: The name of the tool that the model wrote before the error, if any.
    """
    tool, arguments = "", None
    if error is not None:
        said, tool, arguments = _said_of(error, tools)
    lines = [said]
    if found := _shown(written, said):
        lines.append(dialect.prompt_words.wrote.replace("{text}", found))
    if tools is not None and len(tools):
        tool = tool or _meant(named, tools) or _meant(_one_line(written), tools) or tools.names[0]
    output_type = output_type_of(tools)
    takes_answers = output_type is None or not output_type.is_never
    if isinstance(error, AnswerError) and takes_answers:
        example = _answer(dialect, error.example)
    elif tools is not None and not len(tools):
        example = _answer(dialect, tools=tools)
    else:
        example = _example(dialect, tools, tool, arguments)
    if example:
        # In a scratchpad the example is in an observation, which no label that acts may begin a
        # line of. A mark before each line would do as well, but models write it back.
        lines.append(f"{before_words(dialect.prompt_words.example, example)}{example}")
    return "\n".join(lines)


def advice_on_call(error: OutputParserException, written: str, tools: ToolSet) -> str:
    """Return an observation about a native tool call, with an example of its arguments.

    The *error* is what the tools raised for the text *written*.
    """
    said, tool, arguments = _said_of(error, tools)
    lines = [said]
    if found := _shown(written, said):
        lines.append(f"You wrote: {found}")
    if example := tool and _first_short(map(as_json, _examples(tools, tool, arguments))):
        lines.append(f"For example, call {tool} with these arguments:\n{example}")
    if isinstance(error, AnswerError) and error.example is not None:
        lines.append(f"For example:\n{answer_text(error.example)}")
    return "\n".join(lines)


def _meant(written: str, tools: ToolSet) -> str:
    """Return the tool whose name is *written*, or most like it; ``""`` if there is none."""
    return tools.find(written) or nearest(written, tools.names) or ""


def _said_of(
    error: OutputParserException, tools: ToolSet | None
) -> tuple[str, str, dict[str, Any] | None]:
    """Return what to tell the model, and a tool and arguments for an example if they are known."""
    from agent_parsers.toolset import ForeignCallError, UnknownToolError

    if isinstance(error, ToolInputError):
        return error.advice, error.tool, error.example
    if isinstance(error, ForeignCallError | AnswerError):
        return error.advice, "", None
    assert isinstance(error, UnknownToolError), "tools raise only these errors"
    tool = next(iter(error.near), "")
    if not (tool and error.tool_input and tools is not None and tools.checks(tool)):
        return error.advice, tool, None
    try:
        given = tools.read(tool, error.tool_input).value
    except ToolInputError as wrong:
        return error.advice, tool, wrong.example
    return error.advice, tool, given if isinstance(given, dict) else None


def _examples(
    tools: ToolSet, tool: str, arguments: dict[str, Any] | None
) -> Iterator[dict[str, Any]]:
    """Yield arguments of *tool* that an example may show: those of an error, then placeholders."""
    if arguments is not None:
        yield arguments
    if (placeholders := tools.example(tool)) is not None:
        yield placeholders


def _shown(text: str, said: str) -> str:
    """Return *text* on one line, cut if it is long; ``""`` if *said* shows it already."""
    line = _one_line(text)
    return "" if line in said or encode_basestring(line) in said else line


def _one_line(text: str) -> str:
    line = " ".join(text[: 4 * _MOST_SHOWN].split())
    return line if len(line) <= _MOST_SHOWN else line[: _MOST_SHOWN - 1] + "…"


def _example(
    dialect: Dialect, tools: ToolSet | None, tool: str, arguments: dict[str, Any] | None
) -> str:
    """Write an action that uses *tool*; ``""`` if no example is sure to be right."""
    if tools is None or (tool and not tools.checks(tool)):
        return _example_of(dialect, tool)
    if not tool:
        return ""
    own = "" if arguments is None else _written(dialect, tools, tool, arguments)
    return _first_short([own]) or _with_placeholders(dialect, tools, tool)


@lru_cache(64)  # many errors of a table have the same, which takes longer than reading a row
def _example_of(dialect: Dialect, tool: str) -> str:
    """Write an action that uses *tool*; if that is not known, it names none."""
    if not tool and dialect.form is not None and dialect.form.own_tool and dialect.show is None:
        return dialect.write(dialect.example)
    example = dialect.show and dialect.show(tool or _ANY_TOOL, None)
    return dialect.write(example or replace(dialect.example, tool=tool or _ANY_TOOL))


@lru_cache(64)
def _with_placeholders(dialect: Dialect, tools: ToolSet, tool: str) -> str:
    placeholders = tools.example(tool)
    if placeholders is None:
        return ""
    return _first_short([_written(dialect, tools, tool, placeholders)])


def _first_short(examples: Iterable[str]) -> str:
    return next((text for text in examples if 0 < len(text) <= _LONGEST_EXAMPLE), "")


def _answer(dialect: Dialect, example: Any = None, *, tools: ToolSet | None = None) -> str:
    """Write an *example* of an answer, or that of the *tools*; ``""`` if none is short."""
    # imported lazily: only few errors need it
    from agent_parsers.engine.writing.render import sample_answer, write_answer

    if tools is not None:
        return _first_short([sample_answer(dialect, tools, thinks=False)])
    if example is None:
        return ""
    try:
        return _first_short([write_answer(dialect, example)])
    except ValueError:  # the dialect cannot write this
        return ""


def _written(dialect: Dialect, tools: ToolSet, tool: str, arguments: dict[str, Any]) -> str:
    # imported lazily: only errors of known tools need it
    from agent_parsers.engine.writing.render import render

    arguments = dialect.prompt_words.in_place(arguments)
    try:
        return render(dialect, AgentAction(tool, arguments, ""), tools=tools)
    except ValueError:  # the dialect names no tools, or cannot write this
        example = dialect.show and dialect.show(tool, arguments)
        return dialect.write(example) if example else ""
