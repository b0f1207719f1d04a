"""Writes docs/agent-parsers.schema.json from the fields of the JSON form: ``[--check]``."""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

from agent_runs.reading.reader import UnknownLogError  # noqa: F401 - adds the classes of all
from outputs.json_form.kinds import VERSION, known_kinds
from outputs.json_form.storable import TABLES

if TYPE_CHECKING:
    from outputs.json_form.kinds import Kind

FILE = Path(__file__).parents[2] / "docs" / "agent-parsers.schema.json"


def schema() -> dict[str, Any]:
    """Return the JSON Schema of all that `to_json` returns."""
    kinds = dict(sorted(known_kinds(TABLES).items()))
    return {
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "title": "agent-parsers",
        "description": "What to_json() returns, and the command line prints. See docs/json.md.",
        "type": "object",
        "properties": {
            "version": {"const": VERSION},
            "messages": {
                "description": "The messages to which the actions refer, by their index.",
                "type": "array",
                "items": {
                    "type": "object",
                    "properties": {"type": {"type": "string"}},
                    "required": ["type", "content"],
                },
            },
        },
        "required": ["version", "type"],
        "anyOf": [{"$ref": f"#/$defs/{name}"} for name in kinds],
        "$defs": {name: _object(kind) for name, kind in kinds.items()},
    }


def _object(kind: Kind) -> dict[str, Any]:
    fields = {**kind.fields, **kind.later, **kind.more}
    return {
        "description": (kind.cls.__doc__ or "").partition("\n")[0].replace("`", ""),
        "type": "object",
        "properties": {
            "type": {"const": kind.cls.__name__},
            **{name: field.schema() for name, field in fields.items()},
        },
        "required": ["type", *(name for name in fields if name not in kind.later)],
    }


def main() -> int:
    """Write the schema, or with ``--check`` say whether it is as it should be."""
    text = json.dumps(schema(), indent=2) + "\n"
    if "--check" in sys.argv[1:]:
        is_same = FILE.exists() and FILE.read_text("utf-8") == text
        if not is_same:
            print(f"docs/{FILE.name} is out of date: run `make schema`")
        return 0 if is_same else 1
    FILE.write_text(text, "utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
