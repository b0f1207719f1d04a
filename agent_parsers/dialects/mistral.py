"""Calls after ``[TOOL_CALLS]``: Mistral's models, in three generations with the same mark.

    [THINK]I have to look it up.[/THINK]Let me see.\
[TOOL_CALLS]search[ARGS]{"query": "Lake Thun"}[TOOL_CALLS]ping[ARGS]{}

* v3, v7 (7B v0.3, Nemo, Small 3.1, Large 2): a list of objects, ``[TOOL_CALLS] [{"name": …}]``
* v11 (Small 3.2): ``[TOOL_CALLS]search[CALL_ID]a1b2c3d4e[ARGS]{…}``
* v13 and later (Magistral, Devstral, Ministral 3, Medium and Large 3), the form that is written:
  ``[TOOL_CALLS]search[ARGS]{…}``

All are read; the first character after the mark decides which it is. Nothing closes a call, which
ends with its JSON. Before September 2025 Magistral wrote ``<think>`` for a thought. A model may
forget the mark between two calls: ``[ARGS]`` shows that the second is one.

Source: the instruct tokenizers of mistralai/mistral-common.
"""

from functools import partial
from typing import Any

from typing_extensions import override

from agent_parsers.authoring import (
    TAGS,
    Call,
    CallFormat,
    Given,
    Head,
    JsonPayload,
    NamedJson,
    NamedPayload,
    ResultsWriter,
)
from agent_parsers.events import Event, Repair
from agent_parsers.families.call_blocks import NewCall
from agent_parsers.families.json_blocks import is_name

SIGNS = ".:/-"
"""What a name may also contain, but not end in, if no mark follows it."""
MARK, CALL_ID, ARGS = "[TOOL_CALLS]", "[CALL_ID]", "[ARGS]"
END = "</s>"
GIVEN = (Given("[INST]"), Given("[SYSTEM_PROMPT]"), Given("[AVAILABLE_TOOLS]"))
THOUGHT = ("[THINK]", "[/THINK]")
RESULT = ("[TOOL_RESULTS]", "[/TOOL_RESULTS]")


def read_head(text: str, *, lenient: bool) -> Head | None:
    """Read the head of a call; if it has no name, the JSON may have it."""
    named, args, rest = text.partition(ARGS)
    named, _, call_id = named.partition(CALL_ID)
    name = named.rstrip()
    odd = "" if args else f"accepted a name without {ARGS} after it"
    if args and name != named:
        odd = "read a name with white space after it"
    is_named = name[:1] not in '["' if args else is_name(name, SIGNS) and name[-1] not in SIGNS
    if not is_named or len(name.split()) != 1 or rest.strip() not in ("", '"' * lenient):
        return None
    return Head(0, len(name), call_id.strip() or None, odd) if lenient or not odd else None


def may_lead(text: str) -> bool:
    """Return whether *text* may be the beginning of the head of a call."""
    if text.lstrip()[:1] == "[":
        return False
    name, *rest = text.partition(CALL_ID)[0].split() or [""]
    word = name.partition("[")[0]  # a mark may be attached to the name
    may_be_name = not name or (0 < len(word) <= 128 and not {*word} & {*']{}"'})
    return may_be_name and "".join(rest)[:1] in ("", "[", '"')


class GluedCalls(NamedJson):
    """Reads several calls after a single mark."""

    def __init__(self, *args: Any, **options: Any) -> None:
        super().__init__(*args, **options)
        self._new_call = partial(type(self), *args, **options)
        self._next: GluedCalls | None = None

    @override
    def _read_after(self, text: str, events: list[Event]) -> str:
        self._held.add(text)
        whole = str(self._held)
        head, brace, _ = whole.partition("{")
        if len(head) <= 300 and may_lead(head):
            if not brace:
                return ""
            if ARGS in head:
                return self._read_next(events)
        self._step = super()._read_after
        return self._take_held()

    def _read_next(self, events: list[Event]) -> str:
        """Leave the text that is held to the reader of the next call."""
        self._after = -1
        self._next = self._new_call()
        return self._hand_on(self._next, self._take_held(), events)

    @override
    def _finish(self, events: list[Event]) -> list[Call]:
        if self._step == self._read_after:
            super()._read_after(self._take_held(), events)
        return super()._finish(events)

    @override
    def close(self) -> tuple[list[Event], Call]:
        begun: list[Event] = []
        if self._step == self._read_after and ARGS in str(self._held):
            self._read_next(begun)
        if self._next is None:
            return super().close()
        self._inner = None
        events, call = super().close()
        last, second = self._next.close()
        self.more = (*self.more, second, *self._next.more)
        if not self._lenient:
            call.refuse("bad_call")
        elif not second.problem:
            odd = Repair("marks", second.span, f"accepted a call without {MARK}")
            second.repairs = (odd, *second.repairs)
        return [*begun, *events, *last], call


class GluedPayload(NamedPayload):
    """Calls that begin with the name of the tool, each after a mark or after another call."""

    @override
    def reader(self, closer: str, *, lenient: bool) -> NewCall:
        new_call = super().reader(closer, lenient=lenient)
        assert isinstance(new_call, partial), "NamedPayload.reader returns a partial"
        return partial(GluedCalls, *new_call.args, **new_call.keywords)


# Servers that remove special tokens leave only the list.
LIST = JsonPayload(call_id="id", row=("[", ", ", "]"), unmarked=f"accepted calls without {MARK}")
PAYLOAD = GluedPayload(
    read_head=read_head,
    call=f"{{tool}}{ARGS}{{input}}",
    may_lead=may_lead,
    unnamed=lambda lenient: LIST.reader("", lenient=lenient),
    unmarked=LIST.content_reader(lenient=True),
)
FORMAT = CallFormat(
    name="mistral",
    aliases=("mistral_v13", "ministral"),
    summary="[TOOL_CALLS], a name, and JSON after [ARGS] (Mistral)",
    payload=PAYLOAD,
    call=(MARK, ""),
    thought=THOUGHT,
    other_thought=TAGS,
    ends=(END,),
    results=ResultsWriter(each=RESULT, between=""),
    turn_frame=(END, ""),
)
DIALECT = FORMAT.dialect(given=GIVEN)
