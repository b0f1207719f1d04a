"""Repairing JSON in a whole text."""

from __future__ import annotations

from typing import Any, NamedTuple

from output_parsers.json_in_prose.find_lenient import LenientJsonFinder
from outputs.growing_json.lenient.strings import JsonRepair
from outputs.growing_json.scalars import NOTHING
from outputs.growing_json.whole import MAX_DEPTH, parse_whole

__all__ = ["JsonRepair", "RepairedJson", "repair_json"]


class RepairedJson(NamedTuple):
    """A value and the repairs that were needed to read it."""

    value: Any
    repairs: tuple[JsonRepair, ...]
    """Every repair with its span, in the order of the text; empty if the text is JSON."""


def repair_json(text: str) -> RepairedJson:
    r"""Return the JSON value in a model's reply, repaired where it is not quite JSON.

    ::

        value, repairs = repair_json("Sure:\n{'tool': 'search', 'args': {limit: 3,}}")
        value       # {"tool": "search", "args": {"limit": 3}}
        repairs[0]  # JsonRepair("surrounding_text", (0, 6), "left out the text around the value")

    It repairs missing closing brackets, also before a closing fence; trailing commas, and missing
    commas before a key on a new line; comments; Python and JavaScript literals; single and
    typographic quotes; quotes and line breaks inside strings; invalid escapes; keys without quotes
    or without the opening quote; doubled braces; text and fences around the value.

    Valid JSON is never changed. If the text begins with a value, or has one in a fence, that is the
    value, whatever prose follows: ``{"a": 1} or {"a": 2}`` is the first. Otherwise two values are
    an error, as are two adjacent values and any other ambiguous text. A value that is cut is an
    error too: ``{"path": "a.txt", "text": "Dear`` and ``{"amount": 1``.

    Raises:
        JsonSyntaxError: The text cannot be read, or is ambiguous; ``pos`` has the place.
        JsonIncompleteError: The value is cut in the middle.
        JsonLimitError: The value is nested too deeply or has too long a number. All three are
            subclasses of `json.JSONDecodeError`.
    """
    value = parse_whole(text, MAX_DEPTH)
    if value is not NOTHING:
        return RepairedJson(value, ())
    finder = LenientJsonFinder()
    finder.feed(text)
    found = finder.close()
    return RepairedJson(found.value, found.repairs)
