"""The format instructions of parsers, as templates with LangChain's names and our words."""

from __future__ import annotations

import json
from typing import Any, Final

from output_parsers.types.models import schema_of

__all__ = [
    "JSON_FORMAT_INSTRUCTIONS",
    "PYDANTIC_FORMAT_INSTRUCTIONS",
    "STRUCTURED_FORMAT_INSTRUCTIONS",
    "STRUCTURED_FORMAT_SIMPLE_INSTRUCTIONS",
    "YAML_FORMAT_INSTRUCTIONS",
    "json_instructions",
    "only_json_instructions",
]

PYDANTIC_FORMAT_INSTRUCTIONS: Final = """\
The reply must be JSON that is valid against the schema at the end.

To see what that means: with the schema {{"properties": {{"cities": {{"type": "array", "items": \
{{"type": "string"}}}}}}, "required": ["cities"]}}, the object {{"cities": ["Oslo", "Bergen"]}} is \
valid. The object {{"properties": {{"cities": ["Oslo", "Bergen"]}}}} is not: it repeats the schema \
in place of giving values.

The schema:
```
{schema}
```"""
"""The request for JSON of a schema."""

JSON_FORMAT_INSTRUCTIONS: Final = f"""\
Your whole reply is one JSON value:
- Write no words before or after it: no introduction, no heading, no explanation.
- Do not put it in a Markdown code block: no backticks.
- Keep to the rules of JSON: double quotes, no comments, no comma after the last item.

{PYDANTIC_FORMAT_INSTRUCTIONS}

The code block around the schema is there to show it to you; your reply has none."""
"""The request for a reply that is JSON of a schema and nothing else."""

YAML_FORMAT_INSTRUCTIONS: Final = """\
Reply with one YAML document between two lines of three backticks, and nothing else. Indent by two
spaces. The document must conform to the JSON Schema at the end.

For example, to the schema
{{"properties": {{"name": {{"type": "string"}}, "tags": {{"items": {{"type": "string"}}, \
"type": "array"}}}}}}
this reply conforms:
```yaml
name: "Tea: a history"
tags:
  - plants
  - trade
```
This one does not, because `tags` is not a list: {{"name": "Tea", "tags": "plants"}}

The schema:
{schema}"""
"""The request for YAML of a schema."""

STRUCTURED_FORMAT_SIMPLE_INSTRUCTIONS: Final = """\
```json
{{
{format}
}}
```"""
"""The code block with the keys of an object."""

STRUCTURED_FORMAT_INSTRUCTIONS: Final = f"""\
Reply with one Markdown code block that begins with ```json and ends with ```, and nothing else. In
it is one JSON object, in which you replace each <type> by a value of that type, and leave out the
comments.

For example, if a city's name (string) and its number of people (number) were asked for:

```json
{{{{"name": "Bonn", "people": 340000}}}}
```

What is asked for:

{STRUCTURED_FORMAT_SIMPLE_INSTRUCTIONS}"""
"""The request for a code block with an object that has these keys."""


def only_json_instructions(model: type[Any] | dict[str, Any]) -> str:
    """Return the format instructions for a reply that is a JSON value and nothing else.

    Args:
        model: A pydantic or ``pydantic.v1`` model, or a JSON Schema.
    """
    return JSON_FORMAT_INSTRUCTIONS.format(schema=schema_text(model))


def json_instructions(model: type[Any] | dict[str, Any]) -> str:
    """Return the format instructions for JSON that fits *model*, a schema or a pydantic model."""
    return PYDANTIC_FORMAT_INSTRUCTIONS.format(schema=schema_text(model))


def schema_text(model: type[Any] | dict[str, Any]) -> str:
    """Return a schema without its title and type, which the model does not need, as JSON."""
    schema = model if isinstance(model, dict) else schema_of(model)
    shown = {key: value for key, value in schema.items() if key not in ("title", "type")}
    return json.dumps(shown, ensure_ascii=False)
