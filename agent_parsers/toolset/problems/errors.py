"""How strictly inputs are checked, and the errors raised for calls that do not fit.

::

    OutputParserException
    ├── UnknownToolError     there is no such tool, or several match the name
    ├── ToolInputError       the input does not fit the schema of the tool
    ├── AnswerError          the answer is not of the type that was asked for
    └── ForeignCallError     the call is written in a form that the dialect does not have
"""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Mapping, Sequence
from typing import Any, Final, Literal, NamedTuple, TypeAlias

from typing_extensions import override

from agent_parsers.toolset.problems.input_problem import InputProblem
from agent_parsers.toolset.problems.names import folded_start, names_alike, near_names
from output_parsers import OutputParserException

UnknownKeys: TypeAlias = Literal["forbid", "drop", "keep"]
MissingKeys: TypeAlias = Literal["forbid", "keep"]
ExtraText: TypeAlias = Literal["forbid", "drop", "keep"]


class Policy(NamedTuple):
    """How strictly inputs are checked; see `ToolSet`."""

    unknown_keys: UnknownKeys = "forbid"
    missing_keys: MissingKeys = "forbid"
    extra_text: ExtraText = "forbid"
    lenient: bool = False
    """Repair malformed JSON in texts."""


class InputNote(NamedTuple):
    """One change that was made so that an input fits."""

    message: str
    """What was changed, in a clause."""
    kind: str = ""
    """``unknown_key``, ``extra_text`` or a kind of `output_parsers.JsonRepair` if something was
    repaired or left out; ``""`` if a value was only converted to the type in the schema."""


class CheckedInput(NamedTuple):
    """An input that fits the tool."""

    tool: str
    """Name of the tool, spelt as it was declared."""
    value: str | dict[str, Any]
    """The input for the tool; the original object if nothing had to be changed."""
    notes: tuple[InputNote, ...] = ()
    """The changes that were made."""


# -- errors ----------------------------------------------------------------------------------------

_MOST_LISTED: Final = 20
_MOST_CHARS: Final = 200
"""How many characters of a name are shown."""


class UnknownToolError(OutputParserException):
    """Raised for a call to a tool that does not exist.

    Args:
        error: The reason.
        name: What the model wrote.
        near: Tools with a similar name, the most likely first, or a function that finds them; if
            there is none, the tool that alone takes the input.
        names: The names of all tools.
        tool_input: What the model wrote for the tool; empty if that is not known.
    """

    problem = "unknown_tool"

    def __init__(
        self,
        error: object,
        *,
        name: str = "",
        near: tuple[str, ...] | Callable[[], tuple[str, ...]] = (),
        names: tuple[str, ...] = (),
        tool_input: Any = "",
    ) -> None:
        self.name = name
        self.tool_input = tool_input
        self.__dict__["near"] = near
        self.names = names
        super().__init__(error, observation="", llm_output=name, send_to_llm=True)
        self.observe_later(lambda error: error.advice)

    @property
    def near(self) -> tuple[str, ...]:
        """Tools with a similar name, the most likely first; computed when first read."""
        near: tuple[str, ...] | Callable[[], tuple[str, ...]] = self.__dict__["near"]
        if callable(near):
            self.__dict__["near"] = near = near()
        return near

    @near.setter
    def near(self, near: tuple[str, ...]) -> None:
        self.__dict__["near"] = near

    @override
    def __reduce__(self) -> str | tuple[Any, ...]:
        self.near  # noqa: B018 - what finds them may not be copied
        return super().__reduce__()

    @property
    def advice(self) -> str:
        """Advice for the model, without an example, since each dialect adds its own."""
        hint = f" Did you mean {' or '.join(map(repr, self.near))}?" if self.near else ""
        listed = f"The tools are: {', '.join(self.names)}." if self.names else "There are no tools."
        return f"There is no tool {self.name[:_MOST_CHARS]!r}.{hint} {listed}"


def unknown_tool(
    name: str,
    tool_input: Any,
    names: tuple[str, ...],
    plain: Mapping[str, Sequence[str]],
    takers: Callable[[Any], tuple[str, ...]],
) -> UnknownToolError:
    """Return the error for *name*; *plain* maps simplified names to the *names* of the tools."""
    shown = name[:_MOST_CHARS]
    key = folded_start(shown)
    same = tuple(plain.get(key, ()))
    ambiguous = f"may be any of {', '.join(same)}" if len(same) > 1 else "is not one of the tools"

    def near() -> tuple[str, ...]:
        found = near_names(key, plain, 3)
        if found:
            return tuple(other for word in found for other in plain[word])[:3]
        if alike := names_alike(shown, names, 3):
            return tuple(alike)
        is_named = isinstance(tool_input, dict) or str(tool_input).lstrip().startswith("{")
        taking = takers(tool_input) if tool_input and is_named else ()
        return taking if len(taking) == 1 < len(names) else ()

    return UnknownToolError(
        f"{shown!r} {ambiguous}", name=name, near=same or near, names=names, tool_input=tool_input
    )


class ToolInputError(OutputParserException):
    """Raised for an input that does not fit the schema of the tool; lists all problems.

    ::

        the input of search has 2 problems
        - query: expected a string, found nothing
        - limit: expected an integer, found "many"

    Args:
        error: The reason.
        tool: Name of the tool.
        tool_input: What the model wrote.
        problems: All problems, in the order of the schema.
        example: A corrected input: the values that fit, and placeholders for the rest. `None` if no
            valid example is known.
        example_text: The same example for a dialect whose inputs are text: JSON, or the value of
            the lone parameter.
    """

    problem = "wrong_input"

    def __init__(
        self,
        error: object,
        *,
        tool: str = "",
        tool_input: Any = "",
        problems: tuple[InputProblem, ...] = (),
        example: dict[str, Any] | None = None,
        example_text: str | None = None,
    ) -> None:
        self.tool = tool
        self.tool_input = tool_input
        self.problems = problems
        self.example = example
        self.example_text = example_text
        shown = () if example is None else (f"For example: {as_json(example)}",)
        super().__init__(
            error,
            observation="\n".join((self.advice, *shown)),
            llm_output=tool_input if isinstance(tool_input, str) else as_json(tool_input),
            send_to_llm=True,
        )

    @property
    def advice(self) -> str:
        """Advice for the model, without the example, since each dialect adds its own."""
        return "\n".join((f"The input of {self.tool} is not right:", *problem_lines(self.problems)))


def placeholder_error(tool: str, tool_input: dict[str, Any], name: str) -> ToolInputError:
    """Return the error for an input in which the argument *name* is only a placeholder."""
    found = as_json(tool_input[name])
    problem = InputProblem(
        (name,), "a value", f"{found}, which is a placeholder in the instructions"
    )
    return ToolInputError(
        wrong_input(tool, (problem,)),
        tool=tool,
        tool_input=tool_input,
        problems=(problem,),
    )


CUT_ANSWER: Final = InputProblem((), "whole JSON", "only its beginning, since it is cut off")
"""The problem of an answer whose end is missing."""


class AnswerError(OutputParserException):
    """Raised for an answer that is not of the type that was asked for; lists all problems.

    ::

        the answer has a problem
        - days: expected an integer, found "many"

    Args:
        error: The reason.
        answer: What the model wrote: a text, or a value that was read from JSON.
        problems: All problems, in the order of the schema.
        example: A corrected answer, as data: the values that fit, and placeholders for the rest.
            `None` if no valid example is known.
    """

    problem = "wrong_answer"

    def __init__(
        self,
        error: object,
        *,
        answer: Any = "",
        problems: tuple[InputProblem, ...] = (),
        example: Any = None,
    ) -> None:
        self.answer = answer
        self.problems = problems
        self.example = example
        shown = () if example is None else (f"For example: {answer_text(example)}",)
        super().__init__(
            error,
            observation="\n".join((self.advice, *shown)),
            llm_output=answer if isinstance(answer, str) else as_json(answer),
            send_to_llm=True,
        )

    @property
    def advice(self) -> str:
        """Advice for the model, without the example, since each dialect adds its own."""
        if self.problems == (CUT_ANSWER,):
            return "Your answer is cut off. Write the whole answer again."
        return "\n".join(("Your answer is not right:", *_answer_lines(self.problems)))


class ForeignCallError(OutputParserException):
    """Raised for an answer that contains a tool call in another format than its dialect's.

    Args:
        error: The reason.
        form: Whose form it is, to follow the word "call": ``"in the form of hermes"``.
    """

    problem = "foreign_call"

    def __init__(self, error: object, *, form: str = "") -> None:
        self.form = form
        super().__init__(error, observation=self.advice, llm_output="", send_to_llm=True)

    @property
    def advice(self) -> str:
        """Advice for the model, without an example, since each dialect adds its own."""
        return (
            f"Your reply looks like a call {self.form}, so nothing was done. Write a call in the "
            "form that you were given, or write your answer without such a call."
        )


def wrong_input(tool: str, problems: tuple[InputProblem, ...]) -> str:
    """Return the reason for a `ToolInputError`, with all *problems*."""
    return _counted(f"the input of {tool}", len(problems), problem_lines(problems))


def wrong_answer(problems: tuple[InputProblem, ...]) -> str:
    """Return the reason for an `AnswerError`, with all *problems*."""
    return _counted("the answer", len(problems), _answer_lines(problems))


def _answer_lines(problems: tuple[InputProblem, ...]) -> list[str]:
    return problem_lines(
        each if each.path else f"the answer: {str(each).partition(': ')[2]}" for each in problems
    )


def _counted(what: str, problems: int, lines: Iterable[str]) -> str:
    count = "a problem" if problems == 1 else f"{problems} problems"
    return "\n".join((f"{what} has {count}", *lines))


def problem_lines(problems: Iterable[object]) -> list[str]:
    """Return *problems* as the lines of a list; the rest after twenty are only counted."""
    lines = [f"- {problem}" for problem in problems]
    if len(lines) > _MOST_LISTED:
        lines[_MOST_LISTED:] = [f"- and {len(lines) - _MOST_LISTED} more"]
    return lines


def answer_text(value: Any) -> str:
    """Return *value* as an answer is written: text as it is, anything else as JSON."""
    return value if isinstance(value, str) else as_json(value)


def as_json(value: Any) -> str:
    """Return *value* as JSON; if that fails, return a description of its type."""
    try:
        return json.dumps(value, ensure_ascii=False, default=str)
    except (TypeError, ValueError, RecursionError):
        return f"a value of type {type(value).__name__}"
