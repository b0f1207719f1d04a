"""JSON as models write it, read whole."""

from __future__ import annotations

from typing import Any, NamedTuple

from output_parsers.json_in_prose.find_lenient import LenientJsonFinder
from outputs.growing_json.lenient.strings import JsonRepair
from outputs.growing_json.scalars import NOTHING
from outputs.growing_json.whole import MAX_DEPTH, parse_whole

__all__ = ["JsonRepair", "RepairedJson", "repair_json"]


class RepairedJson(NamedTuple):
    """A value, and what was mended to read it."""

    value: Any
    repairs: tuple[JsonRepair, ...]
    """Nothing if the text is JSON, else every mend with its span, in the order of the text."""


def repair_json(text: str) -> RepairedJson:
    r"""Return the JSON value in what a model wrote, mended where it is not quite JSON.

    ::

        value, repairs = repair_json("Sure:\n{'tool': 'search', 'args': {limit: 3,}}")
        value       # {"tool": "search", "args": {"limit": 3}}
        repairs[0]  # JsonRepair("surrounding_text", (0, 6), "left out the text around the value")

    What is mended: closing brackets that are missing, also before a closing fence; trailing commas,
    and missing ones before a new line's key; comments; the words of Python and JavaScript; single
    and typographic quotes; quotes and line breaks inside strings; backslashes that escape nothing;
    keys without quotes, or without the first; doubled braces; text and fences around the value.

    A text that is JSON is never changed. A text that begins with a value, or has one in a fence, is
    that value, whatever prose comes after it: ``{"a": 1} or {"a": 2}`` is the first. Otherwise two
    values are an error, as are two that follow each other, and all else that has two readings. So
    is half a value: ``{"path": "a.txt", "text": "Dear`` is an error, and so is ``{"amount": 1``.

    Raises:
        JsonSyntaxError: The text has no reading, or has two; ``pos`` tells where that shows.
        JsonIncompleteError: The value is cut in the middle.
        JsonLimitError: It is nested too deep or has too long a number. All three are a
            `json.JSONDecodeError`.
    """
    value = parse_whole(text, MAX_DEPTH)
    if value is not NOTHING:
        return RepairedJson(value, ())
    finder = LenientJsonFinder()
    finder.feed(text)
    found = finder.close()
    return RepairedJson(found.value, found.repairs)
