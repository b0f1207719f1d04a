"""One tool: its name, what it is for, what it takes, and how it is run."""

from __future__ import annotations

from collections.abc import Mapping
from copy import deepcopy
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Protocol

if TYPE_CHECKING:
    from collections.abc import Iterator

    from agent_parsers.toolset.problems.input_problem import InputProblem
    from agent_parsers.toolset.schemas.schema import Schema

__all__ = ["Origin", "ToolSpec"]


class Origin(Protocol):
    """Where a tool came from, and what can run it."""

    def problems(self, value: dict[str, Any]) -> Iterator[InputProblem]:
        """Yield what the tool's own validators say against an input that fits its schema."""

    def run(self, value: Any) -> Any:
        """Run the tool; an asynchronous one returns what is to be awaited.

        Raises:
            TypeError: It cannot be run.
        """


@dataclass(frozen=True, slots=True)
class ToolSpec:
    """A tool, and what a model is told about it.

    ::

        ToolSpec("search", "Looks up a name.", {
            "type": "object",
            "properties": {"query": {"type": "string"}},
            "required": ["query"],
        })

    Raises:
        TypeError: A field is of the wrong type.
        ValueError: The name is empty, or *parameters* is not a JSON Schema of an object.
    """

    name: str
    """What the model calls it."""
    description: str = ""
    """What it is for, told to the model."""
    parameters: dict[str, Any] | None = field(default=None, hash=False)
    """JSON Schema of its input, an object; treat it as read-only. `None`: any input will do."""
    strict: bool | None = None
    """Whether OpenAI shall enforce the schema; `None` to leave that to them."""
    origin: Any = field(default=None, compare=False, repr=False)
    """What it was made from, for `ToolSet.call`; see `Origin`. `None`: it cannot be run."""

    def __post_init__(self) -> None:
        for what, value in (("name", self.name), ("description", self.description)):
            if not isinstance(value, str):
                raise TypeError(f"the {what} of a tool is text, not {value!r:.100}")
        if not self.name.strip():
            raise ValueError("a tool has an empty name")
        if self.parameters is None:
            return
        if not isinstance(self.parameters, Mapping):
            raise TypeError(
                f"the parameters of {self.name} are a JSON Schema, not {self.parameters!r:.100}"
            )
        try:
            schema = self.schema()
        except ValueError as error:
            raise ValueError(f"the parameters of {self.name}: {error}") from None
        assert schema is not None
        kinds = schema.flat(schema.root).get("type", "object")
        if "object" not in ([kinds] if isinstance(kinds, str) else kinds):
            raise ValueError(
                f"the parameters of {self.name} are those of an object, not of type {kinds!r}"
            )
        try:
            object.__setattr__(self, "parameters", deepcopy(dict(self.parameters)))
        except RecursionError:
            raise ValueError(f"the parameters of {self.name} are nested too deep") from None

    def schema(self) -> Schema | None:
        """Return *parameters*, looked through; `None` if there are none."""
        if self.parameters is None:
            return None
        from agent_parsers.toolset.schemas.schema import Schema  # names alone need none of it

        return Schema(self.parameters)

    def describe(self) -> str:
        """Return what it is, for a prompt: ``search(query: string): Looks up a name.``."""
        from agent_parsers.toolset.schemas.describe import describe

        return describe(self.name, self.description, self.schema())

    def openai_tool(self) -> dict[str, Any]:
        """Return it as one of OpenAI's ``tools``."""
        return {"type": "function", "function": self.openai_function()}

    def openai_function(self) -> dict[str, Any]:
        """Return it as one of OpenAI's ``functions``."""
        function: dict[str, Any] = {"name": self.name}
        if self.description:
            function["description"] = self.description
        if self.parameters is not None:
            function["parameters"] = deepcopy(self.parameters)
        if self.strict is not None:
            function["strict"] = self.strict
        return function

    def openai_response_tool(self) -> dict[str, Any]:
        """Return it as one of the ``tools`` of OpenAI's Responses API, which wants each field.

        That API enforces a schema unless it is told not to.
        """
        function = {"parameters": None, **self.openai_function(), "strict": bool(self.strict)}
        return {"type": "function", **function}

    def anthropic_tool(self) -> dict[str, Any]:
        """Return it as one of Anthropic's ``tools``."""
        tool: dict[str, Any] = {"name": self.name}
        if self.description:
            tool["description"] = self.description
        schema = self.parameters
        tool["input_schema"] = {"type": "object"} if schema is None else deepcopy(schema)
        return tool

    def json_schema(self) -> dict[str, Any]:
        """Return its input as a JSON Schema whose title is its name."""
        told = {"title": self.name, "description": self.description}
        schema = {"type": "object"} if self.parameters is None else deepcopy(self.parameters)
        return {key: text for key, text in told.items() if text} | {
            key: value for key, value in schema.items() if key not in told
        }
