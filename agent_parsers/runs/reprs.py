"""Objects that a log shows as Python's `repr`, such as ``FunctionCall(id='c1', name='search')``."""

from __future__ import annotations

import re
from typing import Any, Final

from agent_parsers.engine.calls.code.python_scan import PythonArguments, read_literal
from agent_parsers.engine.repairs.payloads import BadPayload

__all__ = ["literal", "read_objects"]

_BEGIN: Final = re.compile(r"[\[,\s]*(?P<name>[A-Za-z_]\w*)\(")


def literal(text: str) -> Any:
    """Return the value of *text* as a Python literal.

    Raises:
        ValueError: The text is another expression, or is too large.
    """
    try:
        return read_literal(text)
    except BadPayload as bad:
        raise ValueError(f"not a Python literal: {bad.problem}") from bad


def read_objects(text: str) -> list[tuple[str, dict[str, Any]]]:
    """Return the name and fields of each object in *text*: one, or a list of them.

    Raises:
        ValueError: The text is something else, or a field is no literal.
    """
    objects = []
    at = 0
    while (begin := _BEGIN.match(text, at)) is not None:
        fields = PythonArguments(0, lenient=False)
        used = fields.feed(text[begin.end() :])
        if fields.problem or fields.unnamed or used <= 0:
            raise ValueError(f"not an object with literals: {fields.problem or 'unnamed'}")
        objects.append((begin["name"], dict(fields.values)))
        at = begin.end() + used
    if not objects or text[at:].strip() not in ("", "]"):
        raise ValueError("expected objects such as Name(field='value')")
    return objects
