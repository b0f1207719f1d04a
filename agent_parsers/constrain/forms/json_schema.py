"""JSON Schemas, for dialects whose turns may be JSON and nothing else."""

from __future__ import annotations

import json
from copy import deepcopy
from typing import TYPE_CHECKING, Any, Final

from agent_parsers.constrain.parts.slots import SLOTS, Slot
from agent_parsers.constrain.parts.tree import GrammarError
from agent_parsers.constrain.turns.shapes import Shapes, json_in
from agent_parsers.engine.reading.rules.known_tools import output_type_of

if TYPE_CHECKING:
    from agent_parsers.constrain.parts.options import TurnOptions
    from agent_parsers.toolset import ToolSet

_NAME: Final = "^[A-Za-z][A-Za-z0-9_]{0,63}$"


def write_json_schema(
    shapes: Shapes, tools: ToolSet | None, options: TurnOptions
) -> dict[str, Any]:
    """Return the JSON Schema for turns without thoughts; `None` for *tools* accepts any.

    Raises:
        GrammarError: The turns are not only JSON.
    """
    definitions: dict[str, Any] = {}
    found: list[Any] = []
    if options.turn != "answer":
        names: list[str | None] = [None] if tools is None else [*tools.names]
        calls = [_call(shapes, tools, tool, definitions, options) for tool in names]
        written = shapes.turn(names[0], thought=False, content=False) if names else ""
        found += [_listed(calls, options)] if json_in(written)[:1] == "[" else calls
    if options.turn != "call":
        written = shapes.answer(thought=False)
        if not (shapes.quotes_answer and shapes.reads_bare_answer):
            raise GrammarError(
                "an answer is free text, which a JSON Schema cannot describe: pass turn='call'"
            )
        answer: dict[str, Any] = {"type": "string"}
        if (output_type := output_type_of(tools)) is not None:
            answer = _defined("answer", output_type.json_schema, definitions)
        found.append(_filled(json.loads(json_in(written)), {Slot.ANSWER: answer}))
    schema = found[0] if len(found) == 1 else {"anyOf": found}
    return {**schema, "$defs": definitions} if definitions else schema


def _call(
    shapes: Shapes,
    tools: ToolSet | None,
    tool: str | None,
    definitions: dict[str, Any],
    options: TurnOptions,
) -> dict[str, Any]:
    """Return the schema of a call of *tool*; what it refers to is added to *definitions*."""
    if not shapes.reads_bare_call:
        raise GrammarError("a call has text around its JSON, which a JSON Schema cannot describe")
    if tool is not None:
        shapes.check_name(tool)
    written = json_in(shapes.turn(tool, thought=False, content=False))
    value = json.loads(written.replace(Slot.INPUT, f'"{Slot.INPUT}"'))
    spec = tools[tool] if tools is not None and tool is not None else None
    schema: dict[str, Any] = {"type": "object"}
    if spec is not None and spec.parameters is not None and options.schema_inputs:
        schema = _defined(spec.name, spec.parameters, definitions)
    if shapes.takes_texts and schema == {"type": "object"}:
        schema = {"type": ["object", "string"]}
    slots = {
        Slot.INPUT: schema,
        Slot.TOOL: {"type": "string", "pattern": _NAME},
    }
    filled = _filled(value[0] if isinstance(value, list) else value, slots)
    assert isinstance(filled, dict), "a call is an object"
    return filled


def _defined(name: str, schema: dict[str, Any], definitions: dict[str, Any]) -> dict[str, Any]:
    """Return *schema*; one with references is added to *definitions*, and referred to."""
    moved: dict[str, Any] = _moved(deepcopy(schema), f"#/$defs/{name}")
    if "$ref" not in json.dumps(moved):
        return moved
    definitions[name] = moved
    return {"$ref": f"#/$defs/{name}"}


def _listed(calls: list[dict[str, Any]], options: TurnOptions) -> dict[str, Any]:
    items = calls[0] if len(calls) == 1 else {"anyOf": calls}
    most = {} if options.max_calls is None else {"maxItems": options.max_calls}
    return {"type": "array", "items": items, "minItems": 1, **most}


def _filled(value: Any, slots: dict[str, Any]) -> dict[str, Any]:
    """Return the schema of *value*, in which some texts are slots."""
    if isinstance(value, str) and SLOTS.fullmatch(value):
        if value.startswith(Slot.ID):
            return {"type": "string", "pattern": f"^[A-Za-z0-9]{{{len(value)}}}$"}
        return slots[value]  # type: ignore[no-any-return]
    if isinstance(value, dict):
        return {
            "type": "object",
            "properties": {key: _filled(item, slots) for key, item in value.items()},
            "required": [*value],
            "additionalProperties": False,
        }
    return {"const": value}


def _moved(node: Any, to: str) -> Any:
    """Return a schema with its references as they are under *to*, and without unknown keys."""
    if isinstance(node, list):
        return [_moved(each, to) for each in node]
    if not isinstance(node, dict):
        return node
    moved = {key: _moved(value, to) for key, value in node.items()}
    if isinstance(moved.get("$ref"), str):
        moved["$ref"] = f"{to}{moved['$ref'].removeprefix('#')}"
    if isinstance(moved.get("properties"), dict) and "type" in moved:
        moved.setdefault("additionalProperties", False)
    return moved
