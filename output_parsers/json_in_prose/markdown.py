"""The JSON value in a reply or a stream, with the rules and errors of LangChain's functions."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterable
from contextlib import suppress
from typing import Any, Final

from output_parsers.exceptions import OutputParserException
from output_parsers.json_in_prose.find import JsonFinder, text_of_value
from output_parsers.json_in_prose.search import FENCE, STRIP, CandidateSearch
from output_parsers.model_output import ModelOutput, text_of
from outputs.growing_json.errors import JsonError
from outputs.growing_json.reader import JsonReader, parse_partial_json
from outputs.growing_json.scalars import NOTHING
from outputs.growing_json.value import Operation, differ
from outputs.growing_json.whole import MAX_DEPTH, parse_container, parse_whole

_ESCAPES: Final = str.maketrans({"\n": r"\n", "\r": r"\r", "\t": r"\t"})
_action_input = re.compile(r'("action_input":\s*+")((?>(?:[^"\\]|\\.)*))', re.DOTALL)
_to_container = re.compile(rf"[{STRIP}]*+(?:(?<={FENCE})json[{STRIP}]*+)?(?=[{{[])").match
_scalar = re.compile(rf'[{STRIP}]*+(?:["\-0-9]|true|false|null|NaN|Infinity)').match


def parse_json_markdown(
    json_string: str, *, parser: Callable[[str], Any] = parse_partial_json, lenient: bool = False
) -> Any:
    r"""Return the JSON value in a model's reply, which may be cut short.

    ::

        'Here it is:\n```json\n{"a": [1, 2]}\n```\nAnything else?'    {"a": [1, 2]}
        '{"a": [1, 2'                                                 {"a": [1, 2]}

    Args:
        json_string: A value with any text after it, or any text and then a fence with a value,
            closed or not.
        parser: Parses the text of the value, by default `parse_partial_json`; raises
            `json.JSONDecodeError` if it cannot.
        lenient: Read the value as `repair_json` does, which accepts prose around it and repairs
            many mistakes, but rejects a value that is cut short.

    Returns:
        The value, as `parse_partial_json` or `repair_json` returns it.

    Raises:
        json.JSONDecodeError: There is no value, or an array or object breaks before it ends.
        ValueError: There are both *lenient* and a *parser*.
        JsonLimitError: The value is nested too deeply or has too long a number (a
            `json.JSONDecodeError`).
    """
    if lenient:
        from output_parsers.json_in_prose.repair import repaired_value

        if parser is not parse_partial_json:
            raise ValueError("lenient=True and parser= cannot be combined: pass only one of them")
        return repaired_value(json_string)
    if parser is not parse_partial_json:
        return _parse_with(parser, json_string)
    value = _find_whole(json_string)
    if value is not NOTHING:
        return value
    finder = JsonFinder()
    finder.feed(json_string)
    return finder.close().value


def parse_and_check_json_markdown(text: str, expected_keys: Iterable[str]) -> dict[str, Any]:
    """Return the JSON object in a model's reply, as `parse_json_markdown` finds it.

    Args:
        text: The reply.
        expected_keys: The keys that the object must have; it may have others.

    Raises:
        OutputParserException: There is no value, it is not an object, or a key is missing.
    """
    try:
        value = parse_json_markdown(text)
    except json.JSONDecodeError as error:
        raise OutputParserException(
            f"Got invalid JSON object. Error: {error}",
            llm_output=text,
            span=_span_of(error, text),
            observation=f"That is not valid JSON: {error.msg}. Reply with one JSON object.",
            reason=f"the JSON cannot be read: {error.msg}",
        ) from error
    if not isinstance(value, dict):
        raise OutputParserException(
            f"Expected JSON object (dict), but got: {type(value).__name__}. ",
            llm_output=text,
            observation="Reply with one JSON object, in braces.",
        )
    for key in expected_keys:
        if key not in value:
            raise OutputParserException(
                f"Got invalid return object. Expected key `{key}` to be present, but got {value}",
                llm_output=text,
                observation=f"The JSON object lacks the key {json.dumps(key)}. Write the whole "
                "object again, with this key.",
            )
    return value


def invalid_json(text: str, error: json.JSONDecodeError) -> OutputParserException:
    """Return the exception for *text* that is not JSON, given the *error*."""
    stripped = text.strip()
    shift = len(text) - len(text.lstrip())
    start, end = (max(0, place - shift) for place in _span_of(error, text))
    exception = OutputParserException(
        f"Invalid json output: {stripped}",
        llm_output=stripped,
        span=(start, end),
        reason=f"the JSON cannot be read: {error.msg}",
    )
    exception.observation = (
        f"That is not valid JSON: {error.msg}, at line {exception.line}, column"
        f" {exception.column}. Reply with the JSON value and nothing else."
    )
    return exception


def _span_of(error: json.JSONDecodeError, text: str) -> tuple[int, int]:
    """Return the span of the character in *text* at which *error* occurred."""
    start = error.pos
    if not isinstance(error, JsonError):  # A `JsonError` counts from the start of the text.
        start += max(text.rfind(error.doc), 0)
    start = min(start, len(text))
    return start, min(start + 1, len(text))


def _find_whole(text: str) -> Any:
    """Return the array or object in *text*, parsed in C, or `NOTHING` if that fails."""
    before = _to_container(text)
    if before is None:
        fence = text.find(FENCE)
        if fence < 0 or _scalar(text):
            return NOTHING
        before = _to_container(text, fence)
        if before is None:
            return NOTHING
    start = before.end()
    # No array or object is a prefix of another, so a wrong guess of its end cannot be parsed.
    value = _parse_between(text, start, len(text))
    if value is NOTHING:
        value = _parse_between(text, start, text.rfind(FENCE, start))
    return parse_container(text, start, MAX_DEPTH)[0] if value is NOTHING else value


def _parse_between(text: str, start: int, end: int) -> Any:
    while end > start and text[end - 1] in STRIP:
        end -= 1  # Not `rstrip`, which would copy a long text.
    if end <= start or text[end - 1] not in "}]":
        return NOTHING
    return parse_whole(text[start:end], MAX_DEPTH)


def _parse_with(parser: Callable[[str], Any], text: str) -> Any:
    """Return the result of *parser* for the text or, if that fails, for the value found in it."""
    with suppress(json.JSONDecodeError):
        return parser(_escape_action_input(text.strip(STRIP)))
    text = text[max(0, text.find(FENCE)) :]
    finder = JsonFinder()
    finder.feed(text)
    span = finder.span
    found = text_of_value(text) if span is None else text[slice(*span)]
    return parser(_escape_action_input(found))


def _escape_action_input(text: str) -> str:
    """Escape raw line breaks and tabs in an action's input, where models often leave them."""
    return _action_input.sub(lambda found: found[1] + found[2].translate(_ESCAPES), text)


# -- streams ---------------------------------------------------------------------------------------


class GrowingJson:
    """The value in a text that arrives in chunks.

    Args:
        finder: Finds and reads the value.
    """

    def __init__(self, finder: CandidateSearch[Any]) -> None:
        self.value: Any = None
        """The value after its last change."""
        self._finder = finder
        self._reader: JsonReader | None = None
        self._is_new = True  # whether the reader has changed since the last value
        self._replaces = True  # whether it changed between the last value and the one before
        self.has_text: bool = False
        """Whether any text has arrived, even if it was empty."""

    def feed(self, text: str) -> bool:
        """Read the next piece of text; return whether the value has changed.

        Raises:
            OutputParserException: The value is nested too deeply, or has too long a number.
        """
        self.has_text = True
        try:
            self._finder.feed(text)
        except json.JSONDecodeError as error:
            raise invalid_json(self._finder.text, error) from error
        reader = self._finder.reader
        if reader is None:
            return False
        if reader is not self._reader:
            self._reader = reader
            self._is_new = True
            reader.changed()
        elif not reader.changed():
            return False
        value = reader.value
        if value is None:
            return False
        if (self._is_new or reader.error is not None) and not differ(value, self.value):
            return False
        self._replaces, self._is_new = self._is_new, False
        self.value = value
        return True

    def close(self) -> bool:
        """End the text and return whether the value has changed.

        Raises:
            OutputParserException: There is no value in the text, or its end cannot be read.
        """
        if not self.has_text:
            return False
        try:
            value = self._finder.close().value
        except json.JSONDecodeError as error:
            raise invalid_json(self._finder.text, error) from error
        if value is None or not differ(value, self.value):
            return False
        self._replaces = True
        self.value = value
        return True

    def operations(self) -> list[Operation]:
        """Return what changed since the last call, as JSON Patch operations."""
        operations = [] if self._reader is None else self._reader.changes()
        if not self._replaces:
            return operations
        return [{"op": "replace", "path": "", "value": self.value}]


class JsonStream:
    """Returns values or differences for the chunks of one stream.

    Args:
        finder: Finds and reads the value.
        difference: Returns the output for the new value and the previous one, which is `None` at
            first. If *difference* is `None`, the output is the value.
    """

    def __init__(
        self, finder: CandidateSearch[Any], difference: Callable[[GrowingJson, Any], Any] | None
    ) -> None:
        self._json = GrowingJson(finder)
        self._difference = difference
        self._last: Any = None

    def feed(self, chunk: ModelOutput, /) -> Iterable[Any]:
        """Return the output for *chunk* if it has changed the value."""
        text = chunk if isinstance(chunk, str) else text_of(chunk)
        return self._output() if self._json.feed(text) else ()

    def close(self) -> Iterable[Any]:
        """Return the output for the end of the stream if it has changed the value."""
        return self._output() if self._json.close() else ()

    def _output(self) -> Iterable[Any]:
        last, self._last = self._last, self._json.value
        if self._difference is None:
            return (self._last,)
        return (self._difference(self._json, last),)
