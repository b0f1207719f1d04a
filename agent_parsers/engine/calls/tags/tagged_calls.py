"""Call reader for blocks of calls whose parameters are tagged keys and values."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, ClassVar, Final

from typing_extensions import override

from agent_parsers.engine.calls.json.watch import JsonWatch, repairs_within, watch
from agent_parsers.engine.calls.reader import Call, CallReader
from agent_parsers.engine.calls.tags.block import GAP, In, TaggedBlock
from agent_parsers.engine.calls.tags.form import OWN_CLOSERS, TaggedForm, TagPart
from agent_parsers.events import Event, InputDelta, MarkerSeen, SkippedDelta
from outputs.growing_json.errors import JsonError

if TYPE_CHECKING:
    from agent_parsers.engine.calls.tags.values import TaggedValue
    from agent_parsers.engine.markers.patterns import Found

_ends_name: Final = re.compile(r"[\n{]").search


class TaggedCalls(TaggedBlock):
    """Reads ``<function=N><parameter=K>V</parameter></function>``, in the tags of a `TaggedForm`.

    Several calls may follow each other. Text before the first call is not part of any call; text
    after a call is content. A call with text between its parameters, or with a repeated parameter,
    is invalid.

    A tag that may only be outside values ends the value. If closing tags of values are also left
    over, the value may have quoted that tag, and it is unclear where the value ends. In that case
    all calls are invalid. The text may begin with *lead*, the part of the marker before it that
    belongs to the call.
    """

    problems: ClassVar[frozenset[str]] = frozenset((
        "no_tool_name", "long_tool_name", "no_call", "open_call", "after_call", "bad_input",
        "no_key", "no_value", "repeated_key", "bad_value", "ambiguous_end", "stray_text",
        "odd_tag", "open_tag", "other_form",
    ))  # fmt: skip

    def __init__(self, form: TaggedForm, lead: str = "") -> None:
        super().__init__(form, is_bare=bool(lead))
        self._tail = lead  # text that is not decided yet
        self._lead = len(lead)  # how much of it precedes the first chunk
        self._json: JsonWatch | None = None  # reads arguments in JSON
        self._json_at = -1
        self._element: CallReader | None = None  # reads a call in JSON in place of its name

    @property
    @override
    def is_quoting(self) -> bool:
        if self._json is not None:
            return self._json.is_quoting
        if self._element is not None:
            return self._element.is_quoting
        if self._value is not None:
            return not self._value.is_at_closer
        return super().is_quoting

    @property
    @override
    def is_in_value(self) -> bool:
        return self.is_quoting or self._value is not None

    @override
    def close(self) -> tuple[list[Event], Call]:
        events, first = super().close()
        calls = [first, *self.more]
        if self._inner is not None:
            calls[:0] = self._calls
        if self._is_short and self._surplus:
            for call in calls:
                call.refuse("ambiguous_end")
        calls[0].repairs = (*self._repairs, *calls[0].repairs)
        self.more: tuple[Call, ...] = tuple(calls[1:])
        return events, calls[0]

    @override
    def _finish(self, events: list[Event]) -> list[Call]:
        if self._start >= 0:
            self._end_text(events)
        return self._calls or [Call("", "", (self._start, self._at), problem="no_call")]

    @override
    def _run(self, text: str, events: list[Event], *, is_last: bool = False) -> None:
        """Read the tail and the *text* after it; if it *is_last*, nothing follows."""
        if self._lead:
            self._at -= self._lead
            self._lead = 0
        text, self._tail = self._tail + text, ""
        at = 0
        while at < len(text):
            if self._value is not None:
                at = self._read_value(self._value, text, at, events, is_last=is_last)
                continue
            stop, tag = self._next_tag(text, at)
            if (json := self._json) is not None:
                at = self._read_json(json, text, at, stop, events)
                if tag is not None and at == stop and json is self._json and not json.is_quoting:
                    self._end_json(events)
            elif self._element is not None:
                at = self._read_element(self._element, text, at, stop, tag, events)
            elif self._in is In.NAME or self._in is In.KEY:
                at = self._read_name(text, at, stop, events)
            else:
                at = self._read_text(text, at, stop, events)
            if self._inner is not None:
                return  # it has read the rest
            if at > stop or text[at:stop].strip():
                continue  # another kind of text begins there
            if tag is None:
                self._tail = text[at:]
                return
            if self._json is not None:  # the tag is part of a string
                at = self._read_json(self._json, text, at, tag.end(), events)
            else:
                self._take(tag, text[at : tag.end()], events)
                at = tag.end()

    def _next_tag(self, text: str, at: int) -> tuple[int, Found | None]:
        """Return where the next tag in *text* begins, from *at* on, and the tag if it is whole."""
        find = self._form.patterns.growing
        while (tag := find(text, at)) is not None:
            if tag.lastindex is None:
                return tag.start(), None
            part = self._form.part(tag)
            # Between calls, only a tag that opens a call is reported for its spelling.
            is_tag = self._in is not In.BLOCK or part is TagPart.CALL or self._form.is_known(tag)
            if part is TagPart.OWN_KEY:
                is_tag = self._in is In.CALL and self._in_keys
            if is_tag and part is not TagPart.OWN_NAME:
                return tag.start(), tag
            at = tag.end()
        return len(text), None

    def _read_text(self, text: str, at: int, stop: int, events: list[Event]) -> int:
        """Read text without tags from *at* to *stop*, up to the white space at its end."""
        body = text[at:stop].rstrip()
        end = at + len(body)
        if not body:
            return at
        if self._text_at < 0:
            body = body.lstrip()
            self._emit(text[at : end - len(body)], MarkerSeen, events, GAP)
            if body[0] == "{" and self._may_have_json:
                self._miss_end_of_name((self._at, self._at + 1))
                self._json, self._json_at = watch(base=self._at, lenient=self._lenient), self._at
                return end - len(body)
            new_calls = self._form.json_calls
            if body[0] in "{[" and new_calls and self._in is In.BLOCK and self._last is None:
                self._repair("json", "read a call in JSON", (self._at, self._at + 1))
                self._hand_on(new_calls(), text[end - len(body) :], events)
                return len(text)
            self._text_at = self._at
        if self._in is not In.BLOCK:
            self._call.refuse("stray_text")
        self._emit(body, self._text_kind(), events)
        return end

    @property
    def _may_have_json(self) -> bool:
        """Whether the arguments of the call may stand here as JSON."""
        arguments = self._form.json_arguments
        is_read = self._in_keys if arguments == "in keys" else arguments != "no"
        return is_read and self._in is In.CALL and self._call.input_span is None

    def _read_name(self, text: str, at: int, stop: int, events: list[Event]) -> int:
        """Read a name written as text, up to the next tag or the end of the line."""
        if not self._held:
            size = len(text[at:stop]) - len(text[at:stop].lstrip())
            self._emit(text[at : at + size], MarkerSeen, events, GAP)
            at += size
            new_calls = self._form.json_calls
            if new_calls and self._in is In.NAME and text[at : at + 1] in ("{", "["):
                self._repair("json", "read a call in JSON", (self._at, self._at + 1))
                self._element = new_calls()
                return at
        end = _ends_name(text, at, stop) if self._in is In.NAME else None
        part = text[at : stop if end is None else end.start()]
        if part:
            self._held.add(part)
        if end is not None:
            self._end_name(events)
        return at + len(part)

    def _read_element(
        self,
        element: CallReader,
        text: str,
        at: int,
        stop: int,
        tag: Found | None,
        events: list[Event],
    ) -> int:
        """Read a call in JSON up to the *tag* at *stop*; return where it ends, with its own tag."""
        end = at + len(text[at:stop].rstrip())
        self._feed_element(element, text[at:end], events)
        if tag is None:
            return end
        if element.is_quoting:
            self._feed_element(element, text[end : tag.end()], events)
            return tag.end()
        element.see_closer()
        self._end_element(element, events)
        part, span = self._form.part(tag), self._span(tag[0], text[end : tag.end()])
        if part is not TagPart.END_CALL:
            mark = self._form.tags[TagPart.END_CALL].canonical
            self._repair("unclosed", f"supplied the missing {mark} after the call", span)
            return end
        self._check_tag(part, tag[0], span)
        self._emit(text[end : tag.end()], MarkerSeen, events, part.value)
        return tag.end()

    def _feed_element(self, element: CallReader, text: str, events: list[Event]) -> None:
        if text:
            events += element.feed(text, self._at)
            self._at += len(text)

    def _end_element(self, element: CallReader, events: list[Event]) -> None:
        """End the call in JSON, or the calls, in place of the current one."""
        last, first = element.close()
        events += last
        self._calls += (first, *element.more)
        self._last = self._calls[-1]
        self._element, self._in = None, In.BLOCK

    def _read_json(
        self, json: JsonWatch, text: str, at: int, stop: int, events: list[Event]
    ) -> int:
        """Read arguments in JSON; return where they end, or *stop* if they continue."""
        used = json.feed(text[at:stop])
        self._emit_known(text[at : at + used], json.known, events)
        at += used
        if json.end is not None or json.error is not None:
            held = self._take_held()
            rest = held.rstrip()
            self._held.add(rest)
            self._end_json(events)
            at -= len(held) - len(rest)  # white space belongs to the next tag
        return at

    def _end_json(self, events: list[Event]) -> None:
        """Add the arguments in JSON; text from an error on is not part of the call."""
        json, self._json = self._json, None
        assert json is not None, "arguments in JSON are open"
        held, is_broken = self._take_held(), json.error is not None
        if not is_broken:
            self._emit(held, InputDelta, events)
        may_be_cut = json.end is None and not is_broken
        self._call.lacks = json.lacks or "arguments"  # parameters in tags may follow
        try:
            value = json.close(supply_closers=True)
        except JsonError:
            value = None
        if not isinstance(value, dict):
            self._call.refuse(self._open_call_or("bad_input") if may_be_cut else "bad_input")
        else:
            if json.repeats_key:
                self._call.refuse("repeated_key")
            self._inputs |= value
        span = (self._json_at, self._at)
        self._has_json = True
        self._add_input(span)
        if not is_broken:
            self._repairs += repairs_within(json, self._at - len(held) + len(held.rstrip()))
        if self._form.json_arguments == "odd":
            self._repair("json", "read arguments in JSON", span)
        if is_broken:
            self._text_at = self._at
            self._emit(held, SkippedDelta, events)

    def _read_value(
        self, value: TaggedValue, text: str, at: int, events: list[Event], *, is_last: bool
    ) -> int:
        """Read a value; return where it ends, including its tag."""
        if value.is_fresh:
            value.is_fresh = False
            size = 2 if text.startswith("\r\n", at) else text.startswith("\n", at)
            if size:
                self._emit(text[at : at + size], MarkerSeen, events, GAP)
                value.at = self._at
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
        if part in OWN_CLOSERS:
            if part is TagPart.OWN_NAME and not self._in_keys:
                self._repair("closer", f"read {tag[0]!r} as the end of the value", span)
            self._check_tag(part, tag[0], span)
            self._emit(written, MarkerSeen, events, TagPart.END_VALUE.value)
        else:
            self._take(tag, written, events)
        return tag.end()

    def _end_text(self, events: list[Event]) -> None:
        """End everything that is open at the end of the text."""
        self._is_over = True
        if self._value is not None:
            self._run("", events, is_last=True)
        if self._json is not None and self._json.is_quoting:
            tail, self._tail = self._tail, ""
            at = self._read_json(self._json, tail, 0, len(tail), events)
            self._run(tail[at:], events, is_last=True)
        if self._json is not None:
            self._end_json(events)
        if self._element is not None:
            self._end_last_element(self._element, events)
        is_half = self._value is not None and self._end_last_value(self._value)
        is_closed = self._is_met or is_half
        cut = self._tail.strip()  # the beginning of a tag
        if cut:  # if the call seems to end there, that may be part of a value
            is_closed = is_half = self._form.is_closing(cut)
        if self._in is In.NAME and is_closed:
            self._end_name(events)
            self._miss_end_of_name(self._call.tool_span)
        elif self._in is In.NAME:
            self._emit(self._take_held(), SkippedDelta, events)
            self._call.refuse("open_call")
        elif self._in is In.KEY:
            self._end_key(None, events)
        if self._text_at >= 0:
            self._emit(self._tail, self._text_kind(), events)
        else:
            if cut and not is_closed:
                self._end_cut(cut)
            self._emit(self._tail, MarkerSeen, events, "tag")
        self._end_run()
        is_open = self._in is not In.BLOCK
        self._leave(without_end="" if is_closed else self._open_call_or("open_tag"))
        if is_half and is_open and self._last is not None:
            self._last.lacks = "values"

    def _end_last_element(self, element: CallReader, events: list[Event]) -> None:
        """End a call in JSON that is open at the end of the text."""
        if element.is_quoting or not self._form.is_closing(self._tail.strip()):
            self._feed_element(element, self._tail.rstrip(), events)
            self._tail = ""
        if self._is_met:
            element.see_closer()
        self._end_element(element, events)

    def _end_last_value(self, value: TaggedValue) -> bool:
        """End a *value* that is open at the end of the text; return whether its call is closed."""
        is_repaired = self._form.lenient and value.lose_quote()
        self._end_value(value, TagPart.END_VALUE if is_repaired else None)
        if is_repaired:
            span = (value.at, self._at)
            self._repair("unclosed", "supplied the missing closing quote of a value", span)
        return is_repaired

    def _end_cut(self, cut: str) -> None:
        """Report that the text ends in an incomplete tag, *cut*, that may open something."""
        if self._in is not In.BLOCK:
            self._call.refuse(self._open_call_or("stray_text"))
        elif self._last is None or not self._form.is_closing(cut, surely=False):
            span = (self._at, self._at + len(self._tail))
            self._calls.append(Call("", "", span, problem="open_call"))
