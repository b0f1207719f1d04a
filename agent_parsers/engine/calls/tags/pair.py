"""Call reader for calls whose tool and input are elements of their own."""

from __future__ import annotations

from collections.abc import Callable
from typing import ClassVar, Final

from agent_parsers.engine.calls.raw_values import RawValue, held_size
from agent_parsers.engine.calls.reader import Call, EmittingReader
from agent_parsers.engine.repairs.dressing import has_begun
from agent_parsers.engine.repairs.payloads import BadPayload, InputReader, as_written
from agent_parsers.events import Event, InputDelta, MarkerSeen, Repair, SkippedDelta, ToolNamed
from outputs.growing_json.kept_text import KeptText

_HALF_MARK: Final = 4
"""Shortest beginning of a closing tag that, at the very end, is not part of the input."""


class TagCall(EmittingReader):
    """Reads ``search</tool><tool_input>old bridge</tool_input>``, which follows ``<tool>``.

    The last closing tag may be missing, since it is the stop sequence of the model. Text between
    the elements and after them is not part of the call.

    Args:
        tool: Name of the element that names the tool.
        tool_input: Name of the element with the input.
        read_tool: Removes escapes from the name.
        read_input: Payload codec of the input.
        read_open_input: Payload codec of an input without its closing tag, if it differs.
        lenient: Whether the input may quote its closing tag (see `RawValue`), and text after the
            call is reported. If not, the first closing tag ends the input.
        strays: Tags that an input without a closing tag must not contain. It ended before them, but
            it is unclear where.
    """

    problems: ClassVar[frozenset[str]] = frozenset((
        "no_tool_name", "long_tool_name", "no_call", "open_call", "ambiguous_end",
        "several_tools", "several_inputs",
    ))  # fmt: skip

    def __init__(
        self,
        tool: str,
        tool_input: str,
        *,
        read_tool: Callable[[str], str] = str,
        read_input: InputReader = as_written,
        read_open_input: InputReader | None = None,
        lenient: bool = False,
        strays: tuple[str, ...] = (),
    ) -> None:
        self._tags = (tool, tool_input)
        self._marks = (f"</{tool}>", f"<{tool_input}>", f"</{tool_input}>")
        self._read_tool, self._read_input = read_tool, read_input
        self._read_open_input = read_open_input or read_input
        self._lenient, self._strays = lenient, strays
        self._part = 0  # what is read: the name, a gap, the input, or text after the call
        self._texts = tuple(KeptText() for _ in range(4))  # what was read of each
        self._raw = RawValue(self._marks[0], first=True)
        self._call = Call("", "", (-1, -1))
        self._start = self._at = self._end = self._after = -1
        self._held = ""  # blanks that belong to the next mark, unless text follows
        self._input_at = 0

    def feed(self, text: str, at: int) -> list[Event]:
        """Read *text*, which begins at offset *at*, and return the events it completes."""
        if self._start < 0:
            self._start = self._at = at
        events: list[Event] = []
        while text and self._part < len(self._marks):
            value, text = self._raw.feed(text)
            self._take(value, events)
            if self._raw.is_closed:
                text = self._end_part(text, events)
        self._take(text, events)
        return events

    def close(self) -> tuple[list[Event], Call]:
        """End the text; return the events that were held back, and the call."""
        events: list[Event] = []
        if self._part < len(self._marks):
            self._close_part(events)
        self._emit(self._held, SkippedDelta, events)
        call = self._call
        call.span = (self._start, self._at if self._end < 0 else self._end)
        if not self._part:
            name = str(self._texts[0])
            self._emit(name, SkippedDelta, events)
            call.span, call.problem = (self._start, self._at), "no_call"
            return events, call
        written = str(self._texts[2])
        call.problem = self._problem(written)
        if self._part > 1 and not call.problem:
            self._read_written(written, events)
        if self._after >= 0 and self._lenient:
            call.after = (self._after, self._at)
        for _, span in call.beside if self._lenient else ():
            message = "dropped the text between the name and the input"
            events.append(Repair("beside_call", span, message))
        if self._part < len(self._marks):
            # A stop sequence may have removed the closer, but only of an input that has begun.
            is_seen = has_begun(written) and not held_size(written, self._marks[2])
            call.lacks = "closer" if is_seen else "input"
        return events, call

    def _read_written(self, written: str, events: list[Event]) -> None:
        """Read the input as *written*."""
        call, at = self._call, self._input_at
        call.input_span = (at, at + len(written))
        repairs: list[Repair] = []
        is_closed = self._part == len(self._marks)
        read_input = self._read_input if is_closed else self._read_open_input
        try:
            call.tool_input = read_input(written, repairs)
        except BadPayload as bad:
            call.problem, call.span = bad.problem, bad.moved(at).span
        events += (repair.moved(at) for repair in repairs)

    def _close_part(self, events: list[Event]) -> None:
        """End the text within the call, perhaps within its last mark."""
        value, rest = self._raw.close()
        size = held_size(value, self._marks[2]) if self._part == 2 and self._lenient else 0
        cut = value[len(value) - size :] if size >= _HALF_MARK else ""
        self._take(value.removesuffix(cut), events)
        if cut:
            self._emit(cut, MarkerSeen, events, self._marks[2])
            span = (self._at - len(cut), self._at)
            events.append(Repair("unclosed", span, "dropped an incomplete closing tag"))
        if self._raw.is_closed:
            self._take(self._end_part(rest, events), events)

    def _problem(self, written: str) -> str:
        outside = f"{self._texts[1]}{self._texts[3]}"
        for tag, problem in zip(self._tags, ("several_tools", "several_inputs"), strict=True):
            if has_element(outside, tag):
                return problem
        ends = outside.count(self._marks[2]) if self._part == 3 and self._lenient else 0
        if ends and outside.replace(self._marks[2], "").strip():
            return "ambiguous_end"  # the input may have quoted the first one
        if self._part == 2 and any(stray in written for stray in self._strays):
            return "open_call"
        if self._part == 2 and self._lenient and ("<" in written or "&lt" in written):
            # imported lazily: it is rare
            from agent_parsers.engine.calls.other_closers import ends_in_closer

            return (
                "ambiguous_end" if ends_in_closer(written, self._marks[2:], any_tag=False) else ""
            )
        if self._part == 1 and self._lenient and outside.lstrip().startswith("<"):
            return "open_call"  # of another name, or cut
        return ""

    def _take(self, text: str, events: list[Event]) -> None:
        """Add text to the current part."""
        self._texts[self._part].add(text)
        if self._part == 2:
            self._emit(text, InputDelta, events)
        elif self._part and text:
            text = self._held + text
            body = text.rstrip()
            self._held = text[len(body) :]
            if body and self._after < 0:
                self._after = self._at + len(body) - len(body.lstrip())
            self._emit(body, SkippedDelta, events)

    def _end_part(self, text: str, events: list[Event]) -> str:
        """Read the mark that *text* begins with; return the text after it."""
        mark = self._marks[self._part]
        if self._part == 0:
            name = str(self._texts[0])
            tool = name.rstrip()
            self._call.tool = self._read_tool(tool)
            self._call.tool_span = (self._at, self._at + len(tool))
            self._emit(tool, ToolNamed, events, self._call.tool)
            self._held = name[len(tool) :]
        self._emit(self._held + mark, MarkerSeen, events, mark)
        self._held = ""
        self._part += 1
        if self._part == 2:
            self._input_at = self._at
            if self._after >= 0:
                self._call.beside = [("", (self._after, self._at - len(mark)))]
            self._after = -1  # text before the input does not follow the call
        if self._part < len(self._marks):
            is_first = self._part == 1 or not self._lenient
            self._raw = RawValue(self._marks[self._part], first=is_first)
        self._end = self._at if self._part in (1, 3) else -1
        return text[len(mark) :]


def has_element(text: str, name: str) -> bool:
    """Return whether *text* contains an element called *name*, with both of its tags."""
    at = text.find(f"<{name}>")
    return at >= 0 and text.find(f"</{name}>", at) >= 0
