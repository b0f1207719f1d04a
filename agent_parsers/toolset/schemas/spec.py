"""`ToolSpec`: the name, description, schema and origin of one tool."""

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
    """The object that a tool was made from, which can run it."""

    def problems(self, value: dict[str, Any]) -> Iterator[InputProblem]:
        """Yield the problems that the tool's own validators find in an input that fits."""

    def run(self, value: Any) -> Any:
        """Run the tool; an asynchronous tool returns an awaitable.

        Raises:
            TypeError: The tool cannot be run.
        """


@dataclass(frozen=True, slots=True)
class ToolSpec:
    """A tool as it is described to a model.

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
    """The name that the model uses."""
    description: str = ""
    """The description for the model."""
    parameters: dict[str, Any] | None = field(default=None, hash=False)
    """JSON Schema of the input, an object; treat it as read-only. `None` allows any input."""
    strict: bool | None = None
    """Whether OpenAI should enforce the schema; `None` leaves it to OpenAI's default."""
    origin: Any = field(default=None, compare=False, repr=False)
    """What the tool was made from, for `ToolSet.call`; see `Origin`. `None`: it cannot be run."""

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
        """Return *parameters* as a validated schema, or `None` if there are no parameters."""
        if self.parameters is None:
            return None
        from agent_parsers.toolset.schemas.schema import Schema

        return Schema(self.parameters)

    def describe(self) -> str:
        """Return a description for a prompt: ``search(query: string): Looks up a name.``."""
        from agent_parsers.toolset.schemas.words import describe

        return describe(self.name, self.description, self.schema())

    def openai_tool(self) -> dict[str, Any]:
        """Return the tool in the form of OpenAI's ``tools``."""
        return {"type": "function", "function": self.openai_function()}

    def openai_function(self) -> dict[str, Any]:
        """Return the tool in the form of OpenAI's ``functions``."""
        function: dict[str, Any] = {"name": self.name}
        if self.description:
            function["description"] = self.description
        if self.parameters is not None:
            function["parameters"] = deepcopy(self.parameters)
        if self.strict is not None:
            function["strict"] = self.strict
        return function

    def openai_response_tool(self) -> dict[str, Any]:
        """Return the tool in the form of the ``tools`` of OpenAI's Responses API.

        That API requires each field, and enforces a schema unless ``strict`` is false.
        """
        function = {"parameters": None, **self.openai_function(), "strict": bool(self.strict)}
        return {"type": "function", **function}

    def anthropic_tool(self) -> dict[str, Any]:
        """Return the tool in the form of Anthropic's ``tools``."""
        tool: dict[str, Any] = {"name": self.name}
        if self.description:
            tool["description"] = self.description
        schema = self.parameters
        tool["input_schema"] = {"type": "object"} if schema is None else deepcopy(schema)
        return tool

    def json_schema(self) -> dict[str, Any]:
        """Return the JSON Schema of the input, titled with the name of the tool."""
        texts = {"title": self.name, "description": self.description}
        schema = {"type": "object"} if self.parameters is None else deepcopy(self.parameters)
        return {key: text for key, text in texts.items() if text} | {
            key: value for key, value in schema.items() if key not in texts
        }
