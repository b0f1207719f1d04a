"""`ToolSpec`: the name, description, schema and origin of one tool, also in words."""

from __future__ import annotations

import json
from collections.abc import Collection, Iterator, Mapping, Sequence
from copy import deepcopy
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Final, Protocol

from agent_parsers.toolset.problems.input_problem import InputProblem, shown

if TYPE_CHECKING:
    from agent_parsers.toolset.schemas.schema import Node, Schema

_WORDS: Final = {
    "null": "null",
    "integer": "an integer",
    "number": "a number",
    "boolean": "true or false",
    "object": "an object",
    "array": "a list",
    "string": "a string",
}
KEY: Final = "<key>"
"""Stands in examples for any key of an object."""
FORMATS: Final = {
    "date": "2025-01-31",
    "time": "12:30:00Z",
    "date-time": "2025-01-31T12:30:00Z",
    "email": "name@example.com",
    "uri": "https://example.com",
    "uuid": "123e4567-e89b-42d3-a456-426614174000",
    "ipv4": "192.0.2.1",
    "ipv6": "2001:db8::1",
    "duration": "PT30M",
}
"""An example of each format of texts."""
_OF_NO_USE: Final = ("binary", "string")
"""Formats that tell a model nothing."""
_DECIMAL: Final = "^(?!^[-+.]*$)[+-]?"
"""How pydantic's pattern of decimals begins."""
_LONGEST_PATTERN: Final = 60
_MOST_PLAIN: Final = 1e15
_MOST_LISTED: Final = 12
_MOST_UNIONS: Final = 3
_MOST_LEVELS: Final = 4

# -- what is expected ------------------------------------------------------------------------------


def type_words(node: dict[str, Any]) -> list[str]:
    """Return the names of the types that *node* declares.

    ``"nullable": true``, as OpenAPI 3.0 has it, adds null.
    """
    names = node.get("type", [])
    found = [names] if isinstance(names, str) else list(names)
    return [*found, "null"] if found and is_nullable(node) and "null" not in found else found


def is_nullable(node: dict[str, Any]) -> bool:
    """Return whether *node* takes null by OpenAPI's keyword ``nullable``, whatever else it says."""
    return node.get("nullable") is True


def words_of(kinds: Collection[str]) -> str:
    """Return *kinds* in words, such as ``an integer or null``."""
    return " or ".join(_WORDS[kind] for kind in kinds)


def expected_by(schema: Schema, node: Node, depth: int = 0) -> str:
    """Return what *node* expects, in words."""
    flat = schema.flat(node)
    for keyword in ("enum", "const"):
        if keyword in flat:
            return one_of_words(flat["enum"] if keyword == "enum" else [flat["const"]])
    if kinds := type_words(flat):
        return words_of(kinds)
    for keyword in ("anyOf", "oneOf"):
        if keyword in flat and depth < _MOST_UNIONS:
            words = [expected_by(schema, part, depth + 1) for part in flat[keyword]]
            return " or ".join(dict.fromkeys(words))
    return "an object" if "properties" in flat else "a value"


def bounds_of(node: dict[str, Any]) -> tuple[Any, Any, Any, Any]:
    """Return the bounds of *node* for numbers: at least, more than, at most, less than."""
    low, high = node.get("minimum"), node.get("maximum")
    above, below = node.get("exclusiveMinimum"), node.get("exclusiveMaximum")
    if isinstance(above, bool):  # as in drafts before the sixth
        above, low = (low, None) if above else (None, low)
    if isinstance(below, bool):
        below, high = (high, None) if below else (None, high)
    return low, above, high, below


def counted(count: int, noun: str) -> str:
    """Return *count* and *noun*, in the plural unless *count* is 1."""
    return f"{count} {noun}" if count == 1 else f"{count} {noun}s"


def one_of_words(values: Sequence[Any]) -> str:
    """Return *values* in words: one alone, several after ``one of``; a long list is cut."""
    if len(values) == 1:
        return shown(values[0])
    listed = ", ".join(shown(value) for value in values[:_MOST_LISTED])
    return f"one of {listed}{', …' if len(values) > _MOST_LISTED else ''}"


# -- tools and types for a prompt ------------------------------------------------------------------


def describe(name: str, description: str, schema: Schema | None) -> str:
    """Return name, parameters and description of a tool; without a *schema* it takes any input.

    ::

        search(query: string, limit: integer = 5): Looks up a name.
            query: What to look for.
    """
    head, lines = name, []
    if schema is not None:
        flat = schema.flat(schema.root)
        required = flat.get("required", ())
        parameters = []
        for key, node in flat.get("properties", {}).items():
            part = schema.flat(node)
            default = "" if key in required else f" = {_default(part)}"
            parameters.append(f"{key}: {_type(schema, node)}{default}")
            if text := _line(part.get("description", "")):
                lines.append(f"    {key}: {text}")
        head = f"{name}({', '.join(parameters)})"
    if description.strip():
        first, *more = (line.strip() for line in description.splitlines() if line.strip())
        head = f"{head}: {first}"
        lines = [f"    {line}" for line in more] + lines
    return "\n".join((head, *lines))


def describe_type(schema: Schema) -> str:
    """Return what a value of *schema* looks like.

    ::

        {city: string, days?: integer}
            city: Where the journey ends.
    """
    lines = [_type(schema, schema.root)]
    for key, node in schema.flat(schema.root).get("properties", {}).items():
        if text := _line(schema.flat(node).get("description", "")):
            lines.append(f"    {key}: {text}")
    return "\n".join(lines)


def _line(text: Any) -> str:
    return " ".join(str(text).split())


def _default(node: dict[str, Any]) -> str:
    return json.dumps(node["default"], ensure_ascii=False) if "default" in node else "…"


def _type(schema: Schema, node: Node, level: int = 0) -> str:
    """Return the type of *node* as one word or a few."""
    flat = schema.flat(node)
    for keyword in ("enum", "const"):
        if keyword in flat:
            values = flat["enum"] if keyword == "enum" else [flat["const"]]
            return " | ".join(json.dumps(value, ensure_ascii=False) for value in values)
    for keyword in ("anyOf", "oneOf"):
        if keyword in flat and "type" not in flat and level < _MOST_LEVELS:
            return " | ".join(
                dict.fromkeys(_type(schema, part, level + 1) for part in flat[keyword])
            )
    kinds = type_words(flat)
    names = (_container(schema, flat, kind, level) + _facts(flat, kind) for kind in kinds)
    return " | ".join(names) or "any"


def _container(schema: Schema, flat: dict[str, Any], name: str, level: int) -> str:
    if level >= _MOST_LEVELS:
        return name
    items = flat.get("items", True)
    if name == "array" and flat.get("prefixItems"):
        return f"[{', '.join(_type(schema, part, level + 1) for part in flat['prefixItems'])}]"
    if name == "array" and isinstance(items, dict):
        return f"array[{_type(schema, items, level + 1)}]"
    if name == "object" and flat.get("properties"):
        required = flat.get("required", ())
        members = (
            f"{key}{'' if key in required else '?'}: {_type(schema, part, level + 1)}"
            for key, part in flat["properties"].items()
        )
        return f"{{{', '.join(members)}}}"
    rest = flat.get("additionalProperties", True)
    if name == "object" and isinstance(rest, dict) and rest:
        return f"object of {_type(schema, rest, level + 1)}"
    return name


def _facts(flat: dict[str, Any], name: str) -> str:
    """Return what is checked of a value of the type *name* besides its type, behind a space."""
    if name in ("integer", "number"):
        low, above, high, below = bounds_of(flat)
        step = flat.get("multipleOf")
        if low is not None and high is not None and above is None and below is None:
            signs = [f"{_plain(low)}..{_plain(high)}"]
        else:
            bounds = {">=": low, ">": above, "<=": high, "<": below}
            signs = [f"{sign} {_plain(at)}" for sign, at in bounds.items() if _is_number(at)]
        said = [f"a multiple of {step}"] if step is not None else []
        return "".join(f" {each}" for each in signs) + _in_brackets(said)
    said = []
    if name == "string":
        kind, pattern = flat.get("format"), flat.get("pattern", "")
        if kind is not None and kind not in _OF_NO_USE:
            said.append(f"{kind}, as {FORMATS[kind]}" if kind in FORMATS else kind)
        if pattern.startswith(_DECIMAL):
            said.append("a decimal")
        elif pattern and len(pattern) <= _LONGEST_PATTERN:
            said.append(f"matching {pattern}")
        said += _sizes(flat, "minLength", "maxLength", "character")
    elif name == "array" and "prefixItems" not in flat:
        said += _sizes(flat, "minItems", "maxItems", "item")
        said += ["all different"] * (flat.get("uniqueItems") is True)
    return _in_brackets(said)


def _is_number(value: Any) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool)


def _plain(number: Any) -> Any:
    """Return a *number* as an integer if it is one."""
    return int(number) if abs(number) < _MOST_PLAIN and number % 1 == 0 else number


def _in_brackets(said: Sequence[str]) -> str:
    return f" ({', '.join(said)})" if said else ""


def _sizes(flat: dict[str, Any], low: str, high: str, noun: str) -> Iterator[str]:
    least, most = flat.get(low, 0), flat.get(high)
    if least and most is not None:
        yield counted(most, noun) if least == most else f"{least} to {counted(most, noun)}"
    elif least:
        yield f"at least {counted(least, noun)}"
    elif most is not None:
        yield f"at most {counted(most, noun)}"


# -- the tool --------------------------------------------------------------------------------------


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
                raise TypeError(f"the {what} of a tool must be a string, not {value!r:.100}")
        if not self.name.strip():
            raise ValueError("a tool has an empty name")
        if self.parameters is None:
            return
        if not isinstance(self.parameters, Mapping):
            raise TypeError(
                f"the parameters of {self.name} must be a JSON Schema, not {self.parameters!r:.100}"
            )
        try:
            schema = self.schema()
        except ValueError as error:
            raise ValueError(f"the parameters of {self.name}: {error}") from None
        assert schema is not None
        kinds = schema.flat(schema.root).get("type", "object")
        if "object" not in ([kinds] if isinstance(kinds, str) else kinds):
            raise ValueError(
                f"the parameters of {self.name} must have the type 'object', not {kinds!r}"
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

        return Schema(self.parameters, self.origin)

    def describe(self) -> str:
        """Return a description for a prompt: ``search(query: string): Looks up a name.``."""
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
