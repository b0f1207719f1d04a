"""Format instructions for JSON."""

from __future__ import annotations

import json
from typing import Any

from output_parsers.types.models import schema_of

__all__ = ["json_instructions", "only_json_instructions"]

_EXAMPLE_SCHEMA = {
    "properties": {"cities": {"type": "array", "items": {"type": "string"}}},
    "required": ["cities"],
}
_EXAMPLE = {"cities": ["Oslo", "Bergen"]}
_COUNTEREXAMPLE = {"properties": _EXAMPLE}


def only_json_instructions(model: type[Any] | dict[str, Any]) -> str:
    """Return the request for a reply that is a JSON value and nothing else.

    Args:
        model: A pydantic or ``pydantic.v1`` model, or a JSON Schema.
    """
    return f"""\
Your whole reply is one JSON value:
- Write no words before or after it: no introduction, no heading, no explanation.
- Do not put it in a Markdown code block: no backticks.
- Keep to the rules of JSON: double quotes, no comments, no comma after the last item.

{json_instructions(model)}

The code block around the schema is there to show it to you; your reply has none."""


def json_instructions(model: type[Any] | dict[str, Any]) -> str:
    """Return the request for JSON valid against *model*, a schema or a pydantic model."""
    schema = model if isinstance(model, dict) else schema_of(model)
    return f"""\
The reply must be JSON that is valid against the schema at the end.

To see what that means: with the schema {_dump(_EXAMPLE_SCHEMA)}, the object {_dump(_EXAMPLE)} is \
valid. The object {_dump(_COUNTEREXAMPLE)} is not: it repeats the schema in place of giving values.

The schema:
```
{_dump(_trimmed(schema))}
```"""


def _trimmed(schema: dict[str, Any]) -> dict[str, Any]:
    """Return *schema* without its title and type, which the model does not need."""
    return {key: value for key, value in schema.items() if key not in ("title", "type")}


def _dump(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False)
