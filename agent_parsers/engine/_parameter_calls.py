"""Payload codec for calls in which each parameter is an element."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final

from agent_parsers.engine._calls import Call, TellingReader
from agent_parsers.engine._events import Event, InputDelta, MarkerSeen, SkippedDelta, ToolNamed
from agent_parsers.engine._raw_values import RawValue

if TYPE_CHECKING:
    from collections.abc import Callable

__all__ = ["ParameterCall"]

_TAG: Final = re.compile(
    r"""(?:<(?P<end>/?)(?P<tag>[\w.:-]+)\s*)?(?:name\s*=\s*["'](?P<name>[^"'<>]*)["']\s*)?>"""
).fullmatch
_PIECES: Final = re.compile(r"[^>]*+>|[^>]++").findall


class ParameterCall(TellingReader):
    """Reads ``<invoke name="search"><parameter name="query">old bridge</parameter></invoke>``.

    The name may stand in ``<tool_name>``, and the parameters in ``<parameters>`` under their own
    names. The text begins behind ``<invoke`` or an element around it. The value of a parameter is
    text as it stands, and must be closed; a call with parameters may end with the text. It is no
    call with text between the parameters, an element of another kind, or a name that comes twice.
    What follows the first call is no part of it.
    """

    problems = frozenset({"no_tool", "long_tool", "no_call", "open_call", "after_call"})

    __slots__ = (
        "_after", "_blank", "_closer", "_end", "_found", "_held", "_inputs", "_inputs_at",
        "_inputs_end", "_is_inside", "_is_odd", "_is_over", "_key", "_pieces", "_raw", "_start",
        "_tool", "_tool_at",
    )  # fmt: skip

    def __init__(self) -> None:
        self._start = self._at = self._end = self._after = -1
        self._held: list[str] = []  # a tag that is not whole
        self._blank = ""  # white space that may stand before a tag
        self._found = 0  # tags so far
        self._tool: str | None = None
        self._tool_at = (0, 0)
        self._inputs: dict[str, str] = {}
        self._inputs_at = self._inputs_end = -1  # where their elements stand
        self._is_inside = False  # among elements that have the names of parameters
        self._is_over = False
        self._is_odd = False  # something is in it that no parameter takes
        self._raw: RawValue | None = None
        self._closer = self._key = ""  # of the value that is read; no key is the name of the tool
        self._pieces: list[str] = []

    def feed(self, text: str, at: int) -> list[Event]:
        """Take *text*, which stands at offset *at*, and return the events it completes."""
        if self._start < 0:
            self._start = self._at = at
        events: list[Event] = []
        for piece in _PIECES(text):  # no more is looked at twice than a tag
            rest = piece
            while rest:
                rest = self._read_value(rest, events) if self._raw else self._read_tag(rest, events)
        return events

    def close(self) -> tuple[list[Event], Call]:
        """Return the events that were held back, and the call: its text has ended."""
        events: list[Event] = []
        problem = "" if self._found else "no_call"
        if self._raw is not None:
            raw = self._raw
            rest = self._end_value(raw.close, events)
            if raw.is_closed:
                self._held.append(rest)
            else:
                problem = "open_call"
        if self._tool and not problem and not self._is_over:
            # What ends it may be lost to a stop sequence, but not if more of it was to come.
            is_cut = "".join(self._held).strip() or not self._inputs
            problem = "open_call" if is_cut else ""
        if self._is_odd and not problem:
            problem = "bad_call"
        self._told(self._blank + "".join(self._held), MarkerSeen, events, "tag")
        start = self._tool_at[0] if self._tool else self._start
        call = Call(
            tool=self._tool or "",
            tool_input=dict(self._inputs),
            span=(start, self._at if self._end < 0 else self._end),
            tool_span=self._tool_at,
            problem=problem or ("no_tool" if not self._tool else ""),
            after=(self._after, self._at) if self._after >= 0 else None,
            input_span=(self._inputs_at, self._inputs_end) if self._inputs else None,
        )
        return events, call

    def _read_tag(self, text: str, events: list[Event]) -> str:
        """Read up to the end of a tag; before it there is white space, or what is no part of it."""
        if not self._held and self._found:
            text = self._blank + text
            self._blank = ""
            begin = text.find("<")
            between = (text if begin < 0 else text[:begin]).rstrip()
            if between:
                self._skip(between, events)
                return text[len(between) :]
            if begin < 0:
                self._blank = text
                return ""
        self._held.append(text)
        if text[-1] != ">":
            return ""
        written = "".join(self._held)
        self._held.clear()
        self._found += 1
        self._take_tag(written, events)
        return ""

    def _take_tag(self, written: str, events: list[Event]) -> None:
        """Do what the tag says that is *written*, white space before it included."""
        tag = _TAG(written, max(written.rfind("<"), 0))
        name = (tag["tag"] or "invoke") if tag else ""
        key = tag["name"] if tag else None
        is_second = name == "invoke" and self._tool is not None
        if tag is not None and tag["end"]:
            self._is_over = self._is_over or name in ("invoke", "function_calls")
            self._is_inside = self._is_inside and name != "parameters"
        elif self._is_over or is_second:
            self._is_over = True
            if self._after < 0:
                self._after = self._at + len(written) - len(written.lstrip())
        elif tag is not None and name == "invoke" and key is not None:
            start, end = tag.span("name")
            self._told(written[:start], MarkerSeen, events, "<invoke>")
            self._name(key, events)
            written = written[end:]
        elif name == "tool_name":
            self._open(name, "")
        elif name == "parameter" and key:
            self._open_input(name, key, written)
        elif self._is_inside and name:
            self._open_input(name, name, written)
        else:
            self._is_inside = name == "parameters"
            self._is_odd = self._is_odd or (self._tool is not None and not self._is_inside)
        self._told(written, MarkerSeen, events, f"<{name}>")
        if tag is not None and tag["end"] and self._after < 0:
            self._end = self._at

    def _name(self, tool: str, events: list[Event]) -> None:
        lead = len(tool) - len(tool.lstrip())
        self._told(tool[:lead], MarkerSeen, events, "<invoke>")
        self._tool = tool.strip()
        self._tool_at = (self._at, self._at + len(self._tool))
        self._told(self._tool, ToolNamed, events)
        self._told(tool[lead + len(self._tool) :], MarkerSeen, events, "<invoke>")

    def _open_input(self, element: str, key: str, written: str) -> None:
        if self._inputs_at < 0:
            self._inputs_at = self._at + len(written) - len(written.lstrip())
        self._open(element, key)

    def _open(self, element: str, key: str) -> None:
        self._closer, self._key = f"</{element}>", key
        self._raw = RawValue(self._closer, first=not key)

    def _read_value(self, text: str, events: list[Event]) -> str:
        assert self._raw is not None, "a value is open"
        raw = self._raw
        return self._end_value(lambda: raw.feed(text), events)

    def _end_value(self, read: Callable[[], tuple[str, str]], events: list[Event]) -> str:
        """Take what *read* adds to the value; return what follows it, if it is closed."""
        assert self._raw is not None, "a value is open"
        text, rest = read()
        self._pieces.append(text)
        if self._key:
            self._told(text, InputDelta, events)
        if not self._raw.is_closed:
            return ""
        self._raw = None
        value = "".join(self._pieces)
        self._pieces.clear()
        if self._key:
            self._is_odd = self._is_odd or self._key in self._inputs
            self._inputs[self._key] = value
        else:
            self._name(value, events)
        self._told(self._closer, MarkerSeen, events, self._closer)
        self._end = self._at
        if self._key:
            self._inputs_end = self._at
        return rest[len(self._closer) :]

    def _skip(self, text: str, events: list[Event]) -> None:
        self._is_odd = self._is_odd or (self._tool is not None and not self._is_over)
        if text.strip() and self._after < 0:
            self._after = self._at + len(text) - len(text.lstrip())
        self._told(text, SkippedDelta, events)
