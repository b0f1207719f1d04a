"""Call reader for blocks of calls whose parameters are tagged keys and values."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final

from typing_extensions import override

from agent_parsers.engine.calls.reader import Call
from agent_parsers.engine.calls.tags.call import JsonArguments
from agent_parsers.engine.calls.tags.form import TagPart
from agent_parsers.engine.calls.tags.tags import GAP, In, TagActions
from agent_parsers.events import Event, InputDelta, MarkerSeen, SkippedDelta

if TYPE_CHECKING:
    from re import Match

    from agent_parsers.engine.calls.tags.form import TaggedForm
    from agent_parsers.engine.calls.tags.values import TaggedValue

__all__ = ["TaggedCalls"]

_ends_name: Final = re.compile(r"[\n{]").search


class TaggedCalls(TagActions):
    """Reads ``<function=N><parameter=K>V</parameter></function>`` in the tags of any `TaggedForm`.

    Several calls may follow each other. Text before the first call is not part of any call; text
    after a call is content. A call with text between its parameters, or with a repeated parameter,
    is invalid.

    A tag that must stand outside a value ends the value. If closing tags of values are also left
    over, the value may have quoted that tag, and it is unclear where the value ends. In that case
    all calls are invalid.

    Args:
        form: How calls are written.
        lead: The part of the marker before the text that belongs to the call.
    """

    problems = frozenset(
        {
            *("no_tool", "long_tool", "no_call", "open_call", "after_call", "bad_input"),
            *("no_key", "no_value", "two_values", "bad_value", "two_ends", "stray_text"),
            *("odd_tag", "open_tag", "other_form"),
        }
    )

    __slots__ = ("_json", "_json_at", "_start", "_tail")

    def __init__(self, form: TaggedForm, lead: str = "") -> None:
        super().__init__(form, len(lead))
        self._start = -1
        self._tail = lead  # text that is not decided yet
        self._json: JsonArguments | None = None
        self._json_at = -1  # where the arguments in JSON begin

    @property
    @override
    def is_quoting(self) -> bool:
        """Whether the next text is inside a value, which may quote any marker."""
        if self._inner is not None:
            return self._inner.is_quoting
        if self._json is not None:
            return self._json.is_quoting
        return self._value is not None and not self._value.is_at_closer

    @property
    @override
    def is_in_value(self) -> bool:
        """Whether the text ends inside a value, or after something that may close it."""
        return self.is_quoting or self._value is not None

    @override
    def feed(self, text: str, at: int) -> list[Event]:
        """Read *text*, which begins at offset *at*, and return the events it completes."""
        if self._start < 0:
            self._start = self._at = at
        events: list[Event] = []
        if self._inner is not None:
            return self._inner.feed(text, at)
        self._read(self._tail + text, events, is_last=False)
        return events

    @override
    def close(self) -> tuple[list[Event], Call]:
        """End the text; return the events held back and the first call; `more` has the others."""
        events: list[Event] = []
        if self._inner is None and self._start >= 0:
            self._end_text(events)
        if self._inner is not None:
            last, first = self._inner.close()
            events += last
            self._calls += (first, *self._inner.more)
        calls = self._calls or [Call("", "", (self._start, self._at), problem="no_call")]
        if self._is_short and self._surplus:
            for call in calls:
                call.problem = call.problem or "two_ends"
        calls[0].repairs = (*self._repairs, *calls[0].repairs)
        self.more = tuple(calls[1:])
        return events, calls[0]

    def _read(self, text: str, events: list[Event], *, is_last: bool) -> None:
        self._tail = ""
        at = 0
        while at < len(text):
            if self._inner is not None:
                events += self._inner.feed(text[at:], self._at)
                return
            if self._value is not None:
                at = self._read_value(self._value, text, at, events, is_last=is_last)
                continue
            tag = self._next_tag(text, at)
            stop = len(text) if tag is None else tag.start()
            if self._json is not None:
                at = self._read_json(self._json, text, at, stop, events)
                if at == stop and self._ends_json(tag):
                    self._end_json(self._json, events)
            elif self._in is In.NAME or self._in is In.KEY:
                at = self._read_name(text, at, stop, events)
            else:
                at = self._read_text(text, at, stop, events)
            if text[at:stop].strip():
                continue  # another kind of text begins there
            if tag is None or tag.lastindex is None:
                self._tail = text[at:]
                return
            if self._json is not None and self._json.is_quoting:
                at = self._read_json(self._json, text, at, tag.end(), events)
                continue
            self._take(tag, text[at : tag.end()], events)
            at = tag.end()

    def _next_tag(self, text: str, at: int) -> Match[str] | None:
        """Return the next tag in *text* from *at* on, or the beginning of one at its end."""
        find = self._form.growing.search
        while (tag := find(text, at)) is not None and tag.lastindex is not None:
            part = self._form.part(tag)
            # Between calls, only a tag that opens a call is reported for its spelling.
            is_tag = self._in is not In.BLOCK or part is TagPart.CALL or self._form.is_known(tag)
            if part is TagPart.OWN_KEY:
                is_tag = self._in is In.CALL and self._in_keys
            if is_tag and part is not TagPart.OWN_NAME:
                break
            at = tag.end()
        return tag

    def _read_text(self, text: str, at: int, stop: int, events: list[Event]) -> int:
        """Read text without tags from *at* to *stop*, up to the white space at its end."""
        body = text[at:stop].rstrip()
        if not body:
            return at
        is_first = self._text_at < 0
        if is_first:
            self._emit(body[: len(body) - len(body.lstrip())], MarkerSeen, events, GAP)
            at += len(body) - len(body.lstrip())
            body = body.lstrip()
        if self._in is not In.BLOCK:
            if is_first and body[0] == "{" and self._may_be_json():
                self._miss_end_of_name((self._at, self._at + 1))
                self._json = JsonArguments(lenient=self._form.lenient)
                self._json_at = self._at
                return at
            self._call.spoil("stray_text")
        elif is_first and self._last is None and body[0] in "{[" and self._form.json_calls:
            self._inner = self._form.json_calls()
            self._repair("json", "read a call in JSON", (self._at, self._at + 1))
            return at
        if is_first:
            self._text_at = self._at - self._lead
        self._emit(body, self._text_kind(), events)
        return at + len(body)

    def _may_be_json(self) -> bool:
        """Return whether a brace may begin the arguments of the call."""
        is_read = self._in is In.CALL and self._form.json_arguments != "no"
        return is_read and not self._call.has_inputs

    def _read_name(self, text: str, at: int, stop: int, events: list[Event]) -> int:
        """Read a name written as text, up to the next tag or the end of the line."""
        if not self._held:
            size = len(text[at:stop]) - len(text[at:stop].lstrip())
            self._emit(text[at : at + size], MarkerSeen, events, GAP)
            at += size
        end = _ends_name(text, at, stop) if self._in is In.NAME else None
        part = text[at : stop if end is None else end.start()]
        if part:
            self._held.append(part)
        at += len(part)
        if end is not None:
            self._end_name(events)
        return at

    def _read_json(
        self, json: JsonArguments, text: str, at: int, stop: int, events: list[Event]
    ) -> int:
        """Read arguments in JSON; return where they end, or *stop* if they continue."""
        used = json.feed(text[at:stop])
        self._held.append(text[at : at + used])
        text_known = "".join(self._held)
        size = json.known - (self._at - self._json_at)
        self._emit(text_known[:size], InputDelta, events)
        self._held = [text_known[size:]]
        at += used
        if json.is_over:
            rest = self._held[0]
            blank = len(rest) - len(rest.rstrip())  # this belongs to the next tag
            self._held = [rest[: len(rest) - blank]]
            self._end_json(json, events)
            at -= blank
        return at

    def _ends_json(self, tag: Match[str] | None) -> bool:
        """Return whether a *tag* ends arguments in JSON that are not complete."""
        is_whole = tag is not None and tag.lastindex is not None
        return is_whole and self._json is not None and not self._json.is_quoting

    def _end_json(self, json: JsonArguments, events: list[Event]) -> None:
        """Add the arguments in JSON; text from an error on is not part of the call."""
        rest = "".join(self._held)
        self._held.clear()
        self._json = None
        is_broken = json.is_broken
        if not is_broken:
            self._emit(rest, InputDelta, events)
        is_cut = self._cut_or("") != ""
        self._call.add_all(json, (self._json_at, self._at), is_cut=is_cut)
        self._repairs += (repair.moved(self._json_at) for repair in json.repairs())
        if self._form.json_arguments == "odd":
            self._repair("json", "read arguments in JSON", (self._json_at, self._at))
        if is_broken:
            self._text_at = self._at
            self._emit(rest, SkippedDelta, events)

    def _read_value(
        self, value: TaggedValue, text: str, at: int, events: list[Event], *, is_last: bool
    ) -> int:
        """Read a value; return where it ends, including its tag."""
        if value.is_fresh:
            value.is_fresh = False
            size = 2 if text.startswith("\r\n", at) else text.startswith("\n", at)
            if size:
                self._emit(text[at : at + size], MarkerSeen, events, GAP)
                self._value_at = self._at
                return at + size
        stop, tag = value.search(text, at, is_last=is_last)
        if stop > at:
            value.add(text[at:stop])
            self._emit(text[at:stop], InputDelta, events)
        if tag is None:
            self._tail = text[stop:]
            return len(text)
        part, written = self._form.part(tag), text[stop : tag.end()]
        span = self._span(tag[0], written)
        self._end_value(value, part, span)
        if part is TagPart.OWN_NAME or part is TagPart.END_VALUE:
            self._check_tag(part, tag[0], span)
            self._emit(written, MarkerSeen, events, TagPart.END_VALUE.value)
        else:
            self._take(tag, written, events)
        return tag.end()

    def _end_text(self, events: list[Event]) -> None:
        """End everything that is open at the end of the text."""
        self._is_over = True
        if self._value is not None:
            self._read(self._tail, events, is_last=True)
        if self._json is not None:
            tail = self._tail
            if self._json.is_quoting:
                at = self._read_json(self._json, tail, 0, len(tail), events)
                self._read(tail[at:], events, is_last=True)
            if self._json is not None:
                self._end_json(self._json, events)
        is_closed = self._is_met
        is_half = False  # whether the apparent end of the call may be part of a value
        if self._value is not None:
            is_half = self._end_last_value(self._value)
            is_closed = is_closed or is_half
        cut = self._tail.strip()  # the beginning of a tag
        if cut:
            is_closed = is_half = self._form.is_closing(cut)
        if self._in is In.NAME and is_closed:
            self._end_name(events)
            self._miss_end_of_name(self._call.tool_at)
        elif self._in is In.NAME:
            self._emit("".join(self._held), SkippedDelta, events)
            self._call.spoil("open_call")
        elif self._in is In.KEY:
            self._end_key(None, events)
        if self._text_at >= 0:
            self._emit(self._tail, self._text_kind(), events)
        elif cut and not is_closed:
            self._end_cut(cut)
        self._emit(self._tail if self._text_at < 0 else "", MarkerSeen, events, "tag")
        self._end_run()
        is_open = self._in is not In.BLOCK
        self._leave(without_end="" if is_closed else self._cut_or("open_tag"))
        if is_half and is_open and self._last is not None:
            self._last.lacks = "values"

    def _end_last_value(self, value: TaggedValue) -> bool:
        """End a *value* that is open at the end of the text; return whether its call is closed."""
        is_repaired = self._form.lenient and value.lose_quote()
        self._end_value(value, TagPart.END_VALUE if is_repaired else None)
        if is_repaired:
            span = (self._value_at, self._at)
            self._repair("unclosed", "ended what quotes a value without its mark", span)
        return is_repaired

    def _end_cut(self, cut: str) -> None:
        """Report that the text ends in an incomplete tag, *cut*, that may open something."""
        if self._in is not In.BLOCK:
            self._call.spoil(self._cut_or("stray_text"))
        elif self._last is None or not self._form.is_closing(cut, surely=False):
            start = self._at - self._lead
            span = (start, start + len(self._tail))
            self._calls.append(Call("", "", span, problem="open_call"))
