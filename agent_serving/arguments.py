"""The arguments of a call as JSON, while the model still writes them."""

from __future__ import annotations

import json
import re
from contextlib import suppress
from typing import TYPE_CHECKING, Any, Final

from agent_parsers.authoring import write_python_value, write_value
from agent_parsers.core import as_json

if TYPE_CHECKING:
    from agent_parsers import AgentAction
    from agent_parsers.authoring import Form
    from agent_parsers.toolset import ToolSpec

_MOST_HELD: Final = 400
"""The most characters before the arguments, and of a key or number in them."""
_PLAIN_SCHEMA: Final = frozenset(
    ("$schema", "additionalProperties", "description", "properties", "required", "title", "type")
)
_PLAIN_VALUE: Final = frozenset(("default", "description", "examples", "title", "type"))
"""The keywords of schemas under which a value of the type stays as it was written."""
_TYPES: Final = {"string": str, "boolean": bool, "integer": int}
_KEY: Final = re.compile(r'("?)\s*([{,])\s*("[^"\\\x00-\x1f]*")\s*:\s*(?=\S)').match
_SCALAR: Final = re.compile(r"(-?\d{1,15}|true|false)\s*(?=[,}])").match
_CHARS: Final = re.compile(
    r'(?>(?:[^"\\\x00-\x1f]++|\\["\\/bfnrt]|\\u(?![dD][89a-fA-F])[0-9a-fA-F]{4})*)'
).match
_HALF_ESCAPE: Final = re.compile(r"(?:\\(?:u[0-9a-fA-F]{0,3})?)?\Z").match


def arguments_of(action: AgentAction) -> str:
    """Return the arguments of a call as servers report them, an object in JSON.

    An input that is no object in JSON is an argument named ``input``.
    """
    given = action.tool_input
    if isinstance(given, str):
        with suppress(ValueError, RecursionError):
            given = json.loads(given)
    return as_json(given if isinstance(given, dict) else {"input": action.tool_input})


class CertainArguments:
    """The beginning of the arguments of one call, as far as it is certain.

    It is the beginning of what `arguments_of` returns for the complete call. Texts grow; whole
    numbers and booleans follow once they are complete. Any other value waits for the end of the
    call, with all that follows it. So does a value of another type than the tool takes, and a call
    that is not spelt as the `Form` of its dialect says.

    Args:
        form: How the dialect spells its turns.
        spec: The tool.
        head: The text of the call before its first input.
    """

    def __init__(self, form: Form, spec: ToolSpec, head: str) -> None:
        self._types: Final = _types_of(spec.parameters)
        self._parameter: Final = _parameter_of(form)
        self._between = ""  # the text since the last input
        self._next: re.Match[str] | None = None  # the first parameter
        self._held = ""  # input that is not decided
        self._type: type | None = None  # of the value that the input is in
        self._is_first = True
        self.id: str | None = None
        """The id of the call, if the model wrote one."""
        self.is_certain: bool = self._read_head(form, spec.name, head)
        """Whether the call is spelt as its form says, so far."""

    def mark(self, text: str) -> None:
        """Take *text* from between two inputs."""
        if self.is_certain:
            self._between += text
            self.is_certain = len(self._between) <= _MOST_HELD

    def feed(self, text: str) -> str:
        """Take more of the input and return what it adds to the arguments."""
        if not self.is_certain:
            return ""
        if self._parameter is None:
            self._held += text
            return self._read_json()
        opened = self._open_parameter() if self._next or self._between else ""
        if self._type is str and self.is_certain:
            return opened + _escaped(text)
        self._held += text
        if len(self._held) > _MOST_HELD:
            self._stop()
        return opened

    def _read_head(self, form: Form, tool: str, head: str) -> bool:
        """Read what stands before the input; return whether it is spelt as the form says."""
        segments = form.call.segments
        end = next(at for at in range(1, len(segments), 2) if segments[at] in _INPUTS)
        parameters = form.call.parameters
        writes_plainly = (
            form.call.has_json_input
            if parameters is None
            else self._parameter is not None
            and parameters.write_value in (write_value, write_python_value)
        )
        if form.own is not None or not writes_plainly or len(head) > _MOST_HELD:
            return False
        has_id = any("id" in hole for hole in segments[1:end:2])
        if "id" in form.call.names and not (has_id and form.ids):
            return False  # the id follows the input, or may be any text
        ids = form.pattern_of_ids(re.escape(tool))
        holes = {
            "tool": re.escape(tool),
            '"tool"': re.escape(as_json(tool)),
            "id": ids,
            '"id"': f'"{ids}"',
        }
        pattern = "".join(
            holes[segments[at]] if at % 2 else _spelt(segments[at]) for at in range(end)
        )
        opener = "" if self._parameter is None else self._parameter[0]
        found = re.search(_in_one(rf"{pattern}\s*{opener}\Z"), head)
        if found is None:
            return False
        self._next = None if self._parameter is None else found
        self.id = found.groupdict().get("id")
        return True

    # -- parameters with texts of their own around them ------------------------------------------

    def _open_parameter(self) -> str:
        """Read what stands between two values; return the end of one and the key of the next."""
        assert self._parameter is not None
        opener, closer = self._parameter
        found, closed = self._next, ""
        if found is None:
            found = re.fullmatch(_in_one(rf"\s*{closer}\s*{opener}"), self._between)
            closed = '"' if self._type is str else self._scalar(self._held)
        self._between, self._held, self._next = "", "", None
        if found is None or not self.is_certain:
            return self._stop()
        opened = self._open(found["key"])
        is_text = found.groupdict().get("is_text")
        if is_text and (is_text == "true") is not (self._type is str):
            return closed + self._stop()
        return closed + opened

    def _scalar(self, text: str) -> str:
        """Return a complete number or boolean."""
        found = _SCALAR(f"{text},")
        value = json.loads(found[1]) if found is not None else None
        return as_json(value) if type(value) is self._type else self._stop()

    # -- an object in JSON -----------------------------------------------------------------------

    def _read_json(self) -> str:
        made = []
        while self.is_certain:
            if self._type is str:
                chars = _CHARS(self._held)
                assert chars is not None, "it may be empty"
                made.append(_escaped(json.loads(f'"{chars[0]}"')))
                self._held = self._held[chars.end() :]
            elif self._type is not None and (found := _SCALAR(self._held)) is not None:
                made.append(self._scalar(found[1]))
                self._held = self._held[found.end() :]
                self._type = None
            # A quote ends a text only if a key follows; else it may be part of it.
            found = _KEY(self._held)
            if found is None or self._type in (int, bool):
                if len(self._held) > _MOST_HELD or not self._may_go_on():
                    self._stop()
                break
            closer, sign, key = found.groups()
            if bool(closer) is not (self._type is str) or (sign == "{") is not self._is_first:
                self._stop()
                break
            opened = self._open(json.loads(key))
            self._held = self._held[found.end() :]
            if self._type is str and self._held[0] != '"':
                self._stop()
                break
            if self._type is str:
                self._held = self._held[1:]
            made.append(closer + opened)
        return "".join(made)

    def _may_go_on(self) -> bool:
        """Return whether more text may make a text that ends here go on plainly."""
        if self._type is not str or self._held[:1] == '"':
            return True
        return _HALF_ESCAPE(self._held) is not None

    # --------------------------------------------------------------------------------------------

    def _open(self, key: str) -> str:
        """Return what stands before the value of *key*."""
        self._type = self._types.pop(key, None)  # a key that comes twice is an error
        if self._type is None:
            return self._stop()
        lead, self._is_first = "{" if self._is_first else ", ", False
        return f"{lead}{as_json(key)}: " + '"' * (self._type is str)

    def _stop(self) -> str:
        self.is_certain = False
        return ""


_INPUTS: Final = ("input", "parameters")


def _in_one(pattern: str) -> str:
    """Return *pattern* with one place for white space where it has several in a row."""
    return re.sub(r"(?:\\s\*)+", r"\\s*", pattern)


def _spelt(text: str) -> str:
    """Return a pattern of *text* with any white space where it has some."""
    return r"\s*".join(map(re.escape, re.split(r"\s+", text)))


def _parameter_of(form: Form) -> tuple[str, str] | None:
    """Return patterns of what opens and closes a parameter.

    It is `None` if the input is one object, or if the type of each value is written.
    """
    if form.call.parameters is None or form.call.parameters.names_types:
        return None
    segments = form.call.parameters.segments
    value = segments.index("value")
    holes = {"key": r"(?P<key>[^\s<>=\"']+)", "is_text": "(?P<is_text>true|false)"}
    opener, closer = (
        "".join(holes[s] if at % 2 else _spelt(s) for at, s in part)
        for part in ([*enumerate(segments[:value])], [*enumerate(segments[value + 1 :], value + 1)])
    )
    return opener, closer + _spelt(form.call.parameters.between)


def _types_of(schema: dict[str, Any] | None) -> dict[str, type]:
    """Return the types of the parameters whose values stay as they are written."""
    if schema is None or not schema.keys() <= _PLAIN_SCHEMA:
        return {}
    return {
        key: _TYPES[each["type"]]
        for key, each in schema.get("properties", {}).items()
        if isinstance(each, dict)
        and each.keys() <= _PLAIN_VALUE
        and isinstance(each.get("type"), str)
        and each["type"] in _TYPES
    }


def _escaped(text: str) -> str:
    return as_json(text)[1:-1]
