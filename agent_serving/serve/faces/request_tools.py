"""The tools that a request offers, and which of them may be called, in one form for two faces.

Responses and Messages have tools flat; a tool is taken as::

    {"type": "function", "name": "search", "description": "…", "parameters": {…}}

A custom tool of OpenAI's takes a text. It is shown to the model as a function with one argument,
and keeps its type, by which a reply is written::

    {"type": "custom", "name": "run", "description": "…", "parameters": {…"input"…}}

A tool in a namespace is known to the model by both names, as in ``crm__search``.

A tool that only its provider could run is left out with a warning, since clients such as Codex
always send some.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any, Final

from agent_parsers.core import ARGUMENT, as_json
from agent_serving.serve.faces.fields import check_choice, check_names

if TYPE_CHECKING:
    from agent_parsers.loop import ToolChoice
    from agent_serving.serve.faces.fields import Fields

TEXT: Final = "input"
"""The argument of a custom tool."""
_TEXT_SCHEMA: Final = {
    "type": "object",
    "properties": {TEXT: {"type": "string"}},
    "required": [TEXT],
    "additionalProperties": False,
}
_BETWEEN: Final = "__"
"""Stands between a namespace and a name, as agents have it for tools of MCP servers."""
_WORDS: Final = ("auto", "none", "required")


class OfferedTools:
    """Collects the tools of a request."""

    def __init__(self) -> None:
        self.tools: list[dict[str, Any]] = []
        """The functions."""
        self.warnings: list[str] = []
        """What is left out."""
        self._left_out: list[str] = []

    def add_function(
        self, fields: Fields, schema: str, *, is_needed: bool = False, namespace: str = ""
    ) -> None:
        """Add a function.

        Args:
            fields: Those of the tool.
            schema: The name of the field with the JSON Schema.
            is_needed: Whether there must be one; if not, a function without it takes no arguments.
            namespace: The namespace in which it is.

        Raises:
            ValueError: It has no name or no schema, or a wrong one, or there is one of the name.
        """
        take = fields.need if is_needed else fields.take
        parameters = take(schema, Mapping)
        strict = fields.take("strict", bool)
        self._add(
            fields,
            "function",
            {"type": "object", "properties": {}} if parameters is None else parameters,
            namespace,
            **({} if strict is None else {"strict": strict}),
        )

    def add_custom(self, fields: Fields, namespace: str = "") -> None:
        """Add a tool that takes a text; its grammar is shown to the model, but not enforced.

        Args:
            fields: Those of the tool.
            namespace: The namespace in which it is.

        Raises:
            ValueError: As for `add_function`.
        """
        form = fields.take_object("format")
        grammar = form.take("definition", str)
        self._add(fields, "custom", _TEXT_SCHEMA, namespace)
        if grammar:
            tool = self.tools[-1]
            syntax = form.take("syntax", str) or "this"
            told = f"The input is a text that follows this grammar ({syntax}):\n{grammar}"
            tool["description"] = "\n\n".join(filter(None, (tool.get("description"), told)))
            self.warnings.append(
                f"the grammar of the custom tool {tool['name']!r} is shown to the model, but not"
                " enforced"
            )

    def _add(self, fields: Fields, kind: str, parameters: Any, namespace: str, **more: Any) -> None:
        name = shown_name(fields.need("name", str), namespace)
        if any(tool["name"] == name for tool in self.tools):
            raise ValueError(f"{fields.at('name')}: two tools have the name {name!r}")
        description = fields.take("description", str)
        told = {"description": description} if description else {}
        if namespace:
            more["namespace"] = namespace
        self.tools.append(
            {"type": kind, "name": name, **told, "parameters": dict(parameters), **more}
        )

    def leave_out(self, fields: Fields, kind: str) -> None:
        """Drop a tool of a *kind* that only its provider can run."""
        name = fields.take("name", str)
        self._left_out += [kind, *filter(None, [name])]
        self.warnings.append(
            f"`{fields.path}`, a tool of the type {kind!r}, is dropped: only its provider can run"
            " it; declare a function instead"
        )

    def choose(self, mode: str, names: Sequence[str] | None = None) -> ToolChoice:
        """Return the tool choice, and keep only the tools that may be called.

        Args:
            mode: The tool choice in the request.
            names: The names of the tools that may be called; `None` for all.

        Raises:
            ValueError: There is no such mode or tool, or no tool to call.
        """
        known = [tool["name"] for tool in self.tools]
        if names is not None:
            names = [name for name in names if name in known or name not in self._left_out]
            check_names(names, known)
            if mode == "required" and len(names) == 1 and names[0] not in _WORDS:
                return names[0]
            self.tools = [tool for tool in self.tools if tool["name"] in names]
        if mode == "required" and not self.tools and self._left_out:
            raise ValueError(
                "`tool_choice` requires a call, but there is no tool to call: only its provider"
                f" can run {', '.join(self._left_out)}; declare a function instead"
            )
        return check_choice(mode, self.tools)


def shown_name(name: str, namespace: str) -> str:
    """Return the name that the model sees for a tool in *namespace*, which may be empty."""
    if not namespace:
        return name
    return f"{namespace.removesuffix(_BETWEEN)}{_BETWEEN}{name}"


def own_name(tool: Mapping[str, Any]) -> str:
    """Return the name of a *tool* in its namespace."""
    name: str = tool["name"]
    return name.removeprefix(shown_name("", tool.get("namespace", "")))


def as_custom(text: str) -> str:
    """Return the arguments, as JSON, of a call to a custom tool whose input is *text*."""
    return as_json({TEXT: text})


def text_given(arguments: str) -> str:
    """Return the text in the *arguments* of a custom tool; other arguments stay JSON."""
    try:
        given = json.loads(arguments)
    except ValueError:
        return arguments
    if isinstance(given, dict) and len(given) == 1:
        ((name, text),) = given.items()
        if name in (TEXT, ARGUMENT) and isinstance(text, str):
            return text
    return arguments
