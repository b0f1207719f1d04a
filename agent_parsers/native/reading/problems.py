"""The errors in the calls of a message, worded for a person and for the model."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from agent_parsers.engine.grammar.problems import Problem
from output_parsers import OutputParserException

if TYPE_CHECKING:
    from agent_parsers.events import Span
    from agent_parsers.toolset import ToolSet

__all__ = [
    "BAD_TAG",
    "CUT_CONTENT_CALL",
    "NOTHING",
    "NO_ARGUMENTS",
    "NO_FUNCTION",
    "NO_NAME",
    "NO_TOOL",
    "PAUSED",
    "SEVERAL",
    "TOO_DEEP",
    "TWICE",
    "BadCall",
    "cut_arguments",
    "error_of",
    "no_json",
    "no_object",
    "open_arguments",
    "reworded",
    "too_long",
    "twice",
]


class BadCall(Exception):  # noqa: N818 - never leaves the package
    """A call that cannot be made.

    Args:
        problem: What is wrong, or the error that the tools raised.
        span: Where, in `str` characters from the start of the text; `None` for all of it.
    """

    def __init__(self, problem: Problem | OutputParserException, span: Span | None = None) -> None:
        super().__init__(problem.reason)
        self.problem = problem
        self.span = span


NO_NAME = Problem(
    "expected a call with the name of a tool",
    "You called a tool without a name. Call one of the tools by its name.",
)
SEVERAL = Problem(
    "found several calls; this parser reads one at a time",
    "You called several tools. Call one tool at a time.",
)
NO_FUNCTION = Problem(
    "found calls of tools, but this parser reads the one call of a function: get_parser('tools')"
    " reads calls of tools",
    "You called a tool, but such calls are not read here, so nothing was done.",
)
NO_TOOL = Problem(
    "found the call of a function, but this parser reads calls of tools:"
    " get_parser('openai_functions') reads the call of a function",
    "You called a function, but such calls are not read here, so nothing was done.",
)
NOTHING = Problem(
    "expected a call or an answer, found no text and no call",
    "You wrote nothing. Call a tool, or write your answer.",
)
PAUSED = Problem(
    "the provider has paused the turn (pause_turn): send it back as it is, and it goes on",
    "Your turn was paused. Go on.",
)
NO_ARGUMENTS = Problem(
    "expected a call with arguments",
    "You called a function without arguments. Call it again, with a JSON object as arguments.",
)
TOO_DEEP = Problem(
    "expected arguments that are nested less deep (max_depth)",
    "The arguments are nested too deep. Call it again, with fewer levels.",
)
BAD_TAG = Problem(
    "expected a whole tool call after its opening tag",
    "Your tool call cannot be read. Write it again, whole.",
)
CUT_CONTENT_CALL = Problem(
    "expected the rest of a tool call that was written as content",
    "Your tool call is cut off or broken, so nothing was done. Write it again, whole.",
)


TWICE = Problem(
    "found a key twice in a tool call; which value counts?",
    "Your tool call has a key twice, so nothing was done. Write it again, with each key once.",
)


def no_json(tool: str, function: Any, reason: str) -> Problem:
    """Return the problem that the arguments of a call are not JSON.

    Args:
        tool: Name of the tool.
        function: Name and arguments as the provider sent them; LangChain's message quotes them.
        reason: What was expected and where, from the JSON reader.
    """
    return Problem(
        f"the arguments of {tool!r} are not valid JSON: {reason}",
        f"The arguments of {tool} are not valid JSON: {reason}. Call it again, with a JSON object"
        " as arguments.",
        exact=f"Could not parse tool input: {function} because the `arguments` is not valid JSON.",
        send_to_llm=False,
    )


def no_object(tool: str, kind: str) -> Problem:
    """Return the problem that the arguments of *tool* are a value of a *kind* no tool takes."""
    return Problem(
        f"expected a JSON object as the arguments of {tool!r}, not {kind}",
        f"The arguments of {tool} are {kind}. Call it again, with a JSON object as arguments.",
    )


def cut_arguments(tool: str) -> Problem:
    """Return the problem that the arguments of *tool* end in the middle of a value."""
    return Problem(
        f"expected the rest of the arguments of {tool!r}, which end in the middle of a value",
        f"The arguments of {tool} are cut off, so nothing was done. Call it again, with all of"
        " them.",
    )


def open_arguments(tool: str) -> Problem:
    """Return the problem that the arguments of *tool* do not show their own end."""
    return Problem(
        f"expected the rest of the arguments of {tool!r}, which may be cut",
        f"The arguments of {tool} may be cut off, so nothing was done. Call it again, with all of"
        " them.",
    )


def twice(tool: str, key: str) -> Problem:
    """Return the problem that the arguments of *tool* have a *key* twice."""
    return Problem(
        f"found the key {key[:60]!r} twice in the arguments of {tool!r}; which value counts?",
        f"The arguments of {tool} have the key {key[:60]!r} twice, so nothing was done. Call it"
        " again, with each key once.",
    )


def reworded(
    error: OutputParserException, tools: ToolSet, text: str, span: Span
) -> OutputParserException:
    """Return the *error* that the *tools* raised as the error of a message with this *text*."""
    from agent_parsers.engine.writing.advice import (  # imported lazily: only errors need it
        LONGEST_EXAMPLE,
        examples,
        said_of,
        shown,
    )
    from agent_parsers.toolset.problems.errors import as_json

    said, tool, arguments = said_of(error)
    lines = [said]
    if found := shown(text[slice(*span)], said):
        lines.append(f"You wrote: {found}")
    if tool:
        texts = (as_json(given) for given in examples(tools, tool, arguments))
        if example := next((text for text in texts if len(text) <= LONGEST_EXAMPLE), ""):
            lines.append(f"For example, call {tool} with these arguments:\n{example}")
    error.observation = "\n".join(lines)
    error.llm_output, error.span = text, span
    return error


def too_long(text: str, max_chars: int) -> OutputParserException:
    """Return the error for a message whose *text* is longer than *max_chars*."""
    return OutputParserException(
        f"the message is longer than max_chars={max_chars:,} characters",
        observation="Your reply is too long. Answer in fewer words.",
        llm_output=text,
        send_to_llm=True,
        span=(max_chars, max_chars),
    )


def error_of(problem: Problem, text: str, span: Span, *, strict: bool) -> OutputParserException:
    """Return the exception for a *problem* in a message with this *text*."""
    return OutputParserException(
        (strict and problem.exact) or problem.reason,
        observation=problem.observation,
        llm_output=text,
        send_to_llm=problem.send_to_llm or not strict,
        span=span,
    )
