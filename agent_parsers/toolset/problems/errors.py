"""What is raised when a model calls a tool in a way that does not work.

::

    OutputParserException
    ├── UnknownToolError     there is no such tool, or more than one that may be meant
    └── ToolInputError       the input is not what the tool takes
"""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any, Final

from output_parsers import OutputParserException

if TYPE_CHECKING:
    from collections.abc import Iterable

    from agent_parsers.toolset.problems.input_problem import InputProblem

__all__ = ["ToolInputError", "UnknownToolError"]

_MOST_TOLD: Final = 20
_MOST_CHARS: Final = 200
"""How much of a name is shown."""


class UnknownToolError(OutputParserException):
    """A name that is none of the tools.

    Args:
        error: The reason.
        name: What the model wrote.
        near: The tools that may be meant, the most likely first.
        names: All names there are.
    """

    def __init__(
        self,
        error: object,
        *,
        name: str = "",
        near: tuple[str, ...] = (),
        names: tuple[str, ...] = (),
    ) -> None:
        self.name = name
        self.near = near
        self.names = names
        super().__init__(error, observation=self.advice, llm_output=name, send_to_llm=True)

    @property
    def advice(self) -> str:
        """What to tell the model, without an example, which a dialect writes in its own way."""
        hint = f" Did you mean {' or '.join(map(repr, self.near))}?" if self.near else ""
        listed = f"The tools are: {', '.join(self.names)}." if self.names else "There are no tools."
        return f"There is no tool {self.name[:_MOST_CHARS]!r}.{hint} {listed}"


class ToolInputError(OutputParserException):
    """An input that is not what the tool takes, with all that is wrong with it.

    ::

        the input of search has 2 problems
        - query: expected a string, found nothing
        - limit: expected an integer, found "many"

    Args:
        error: The reason.
        tool: Name of the tool.
        tool_input: What the model wrote.
        problems: All that is wrong, in the order of the schema.
        example: An input as it should be: what was right, and placeholders for the rest. `None` if
            that is not known.
        example_text: The same for a dialect whose inputs are text: JSON, or the value of the lone
            parameter.
    """

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
        super().__init__(
            error,
            observation=self._observation(),
            llm_output=tool_input if isinstance(tool_input, str) else as_json(tool_input),
            send_to_llm=True,
        )

    @property
    def advice(self) -> str:
        """What to tell the model, without the example, which a dialect writes in its own way."""
        return "\n".join((f"The input of {self.tool} is not right:", *told(self.problems)))

    def _observation(self) -> str:
        if self.example is None:
            return self.advice
        return f"{self.advice}\nFor example: {as_json(self.example)}"


def told(problems: Iterable[InputProblem]) -> list[str]:
    """Return *problems* as lines of a list, those beyond the twentieth by number."""
    lines = [f"- {problem}" for problem in problems]
    if len(lines) > _MOST_TOLD:
        lines[_MOST_TOLD:] = [f"- and {len(lines) - _MOST_TOLD} more"]
    return lines


def as_json(value: Any) -> str:
    """Return *value* as JSON where that can be written, else as Python shows it."""
    try:
        return json.dumps(value, ensure_ascii=False, default=str)
    except (TypeError, ValueError, RecursionError):
        return f"a value of type {type(value).__name__}"
