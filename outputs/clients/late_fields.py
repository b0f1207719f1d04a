"""What a stream says about its items beside their pieces: their whole form, their end, and notes.

An item of a stream comes in pieces, and again as a whole, which may have more than the pieces::

    {"type": "response.function_call_arguments.delta", "output_index": 1, "delta": "{}"}
    {"type": "response.output_item.done", "output_index": 1, "item": {"arguments": "{}", …}}
    {"type": "response.completed", "response": {"output": [{…}, {"arguments": "{}", …}]}}

A block of a chunk has the first kind of whole as ``whole``, the second as ``last``: lists, since
the sum of chunks has all of them. What is not about a block stands in ``additional_kwargs``, under
`NOTES`.
"""

from __future__ import annotations

import re
from itertools import islice
from typing import Any, Final

from outputs.clients.plain_data import PLACE, place
from outputs.clients.text_input import TEXT_END, TEXT_START, json_inside
from outputs.clients.unread_calls import NamedCall, calls_beside, raw_calls
from outputs.messages.ai import AIMessage, AIMessageChunk
from outputs.messages.growing_calls import known_id
from outputs.messages.merging import merge_dicts, merge_lists
from outputs.messages.tool import ToolCallChunk, tool_call_chunk

NOTES: Final = "stream_notes"
"""Where ``additional_kwargs`` of a chunk have what `LateFields` notes."""

HOW: Final = ("index", "whole", "last")
"""The keys that a block has only while it is streamed."""

CALLS: Final = frozenset(("custom_tool_call", "function_call", "tool_use"))
"""The types of blocks that are calls, which the program has to make."""

COMMENTARY: Final = "commentary"
"""The ``phase`` of a text that is for the user, but not the answer."""

_GROWING: Final = frozenset(("arguments", "input", "name", "refusal", "text"))
"""The fields that are streamed in pieces, so that the whole may have more of them."""


_MOST: Final = 16
"""How many items are compared with a last form whose id and place do not tell its item."""

_place_in: Final = re.compile(rf"{PLACE}(?:_\d+)+").fullmatch


def has_place(block: Any) -> bool:
    """Return whether *block* is a piece of a streamed block."""
    return isinstance(block, dict) and _place_in(str(block.get("index"))) is not None


def number_of(index: str) -> int:
    """Return the number of the item whose blocks have this *index*."""
    return int(index[len(PLACE) :].split("_")[1])


def noted(**notes: list[Any]) -> AIMessageChunk:
    """Return an empty chunk with *notes* for the attributes of `LateFields` with these names."""
    return AIMessageChunk([], additional_kwargs={NOTES: notes})


def noted_calls(fields: dict[str, Any]) -> dict[str, Any]:
    """Return ``additional_kwargs`` with a note of the calls that `calls_beside` finds in *fields*.

    The pieces of the stream have these calls too, so the calls are compared, not added.
    """
    calls: list[Any] = []
    for name, part in calls_beside(fields).items():
        for entry in part if isinstance(part, list) else [part]:
            calls += raw_calls([entry]) or [(name, None)]
    return {NOTES: {"messages": [calls]}} if calls else {}


class LateFields:
    """Adds the fields that only the complete form of an item has, and collects the notes.

    Calls are identified by the number of their item or by the index of their pieces.
    """

    def __init__(self) -> None:
        self._kinds: dict[str, str] = {}  # the type of each block
        self._open: dict[str, dict[str, None]] = {}  # by type: the blocks whose last form may come
        self._labelled: dict[tuple[str, Any], list[str]] = {}  # by type and id: the blocks
        self._free = 0  # the first number that no item has
        self._seen: dict[str, dict[str, list[Any]]] = {}  # the pieces of its fields so far
        self._last: set[str] = set()  # the blocks whose last form has come
        self.closed: set[int] = set()
        """The items that have ended."""
        self.cut: set[int] = set()
        """The items that have ended, but not by themselves."""
        self.contradicted: str = ""
        """A field whose complete form differs from the sum of its pieces."""
        self.unread: dict[int, str] = {}
        """The types of the pieces of calls that are not read, although they have text."""
        self.members: dict[int | None, dict[str, Any]] = {}
        """The members of calls that are not those of the API."""
        self.commentary: set[int] = set()
        """The items whose text is for the user without being the answer."""
        self.choices: list[int] = []
        """The choices, other than the first, that have calls."""
        self.begun: dict[int, str] = {}
        """The types of calls that are not read, and of which only the beginning has come."""
        self.whole_calls: list[NamedCall] = []
        """The calls of the last whole message that came with a piece, or stood beside one."""

    def with_late_fields(self, message: Any) -> Any:
        """Return *message*, a chunk or a sum, with the fields that only the complete items have."""
        if isinstance(message, AIMessage) and NOTES in message.additional_kwargs:
            message = self._without_notes(message)
        if not isinstance(message, AIMessageChunk):
            return message
        content = message.content
        if not isinstance(content, list):
            return message
        new = _Blocks(message.tool_call_chunks)
        for block in content:
            if not isinstance(block, dict) or not has_place(block):
                new.blocks.append(block)
                continue
            index = block["index"]
            fields = {name: part for name, part in block.items() if name not in HOW[1:]}
            if number_of(index) in self.commentary and not self._seen.get(index, {}).get("phase"):
                fields["phase"] = COMMENTARY  # whether or not the item has an end
            if fields.keys() - {"type", "index"} or not block.get("last"):
                self._note(index, fields)
                new.append(index, fields)
            for whole in block.get("whole", ()):
                self._add(self._begun_at(whole, index), whole, new)
            for whole in block.get("last", ()):
                found = self._place_of(whole, index)
                self._last.add(found)
                self._open.get(whole["type"], {}).pop(found, None)
                self._add(found, whole, new)
        if new.blocks == content:
            return message
        calls: dict[str, Any] = {"tool_calls": [], "invalid_tool_calls": []}  # read again
        return AIMessageChunk(**{
            **dict(message), **calls, "content": new.blocks, "tool_call_chunks": new.pieces(),
        })  # fmt: skip

    def _without_notes(self, message: AIMessage) -> AIMessage:
        kwargs = dict(message.additional_kwargs)
        notes = kwargs.pop(NOTES)
        self.closed.update(notes.get("closed", ()))
        self.commentary.update(notes.get("commentary", ()))
        self.unread.update(dict(notes.get("unread", ())))
        self.begun.update(dict(notes.get("begun", ())))
        self.choices += notes.get("choices", ())
        if messages := notes.get("messages"):
            self.whole_calls = messages[-1]
        for members in notes.get("members", ()):
            index = members.get("index")
            self.members[index] = merge_dicts(self.members.get(index, {}), members)
        return message.model_copy(update={"additional_kwargs": kwargs})

    def _note(self, index: str, fields: dict[str, Any]) -> None:
        """Note the *fields* of a block as emitted."""
        kind = fields.get("type", "")
        if self._kinds.get(index) != kind:  # items without a number share an index
            if index not in self._last:
                self._open.setdefault(kind, {})[index] = None
            self._free = max(self._free, number_of(index) + 1)
            self.begun.pop(number_of(index), None)
        known = self._kinds.setdefault(index, kind)
        if known in CALLS and kind != known and any(map(_is_text, fields.items())):
            self.unread[number_of(index)] = kind
        seen = self._seen.setdefault(index, {})
        for name, part in fields.items():
            if part:
                seen.setdefault(name, []).append(part)
                if name == _label_of(kind) and isinstance(part, str):
                    self._labelled.setdefault((kind, part), []).append(index)

    def _add(self, index: str, whole: dict[str, Any], new: _Blocks) -> None:
        """Add to the *new* blocks what a *whole* has more than its pieces."""
        kind = whole["type"]
        number = number_of(index)
        late = self._late(index, whole)
        is_cut = whole.get("status") == "incomplete"
        ends = kind in CALLS and number not in self.closed and index in self._last and not is_cut
        if kind == "custom_tool_call" or (kind in CALLS and whole.get("arguments")):
            self.closed.add(number)  # some servers have the arguments only in the last form
        if is_cut and kind in CALLS:
            self.cut.add(number)
        if not late and not (ends and kind == "custom_tool_call"):
            return
        self._note(index, {"type": kind, **late})
        new.add(index, {"type": kind, **late})
        if kind == "function_call":
            new.add_piece(_piece_of(late, number))
        elif kind == "custom_tool_call":
            new.add_piece(_text_piece(late, number, ends=ends), is_first=True)

    def _late(self, index: str, whole: dict[str, Any]) -> dict[str, Any]:
        seen = self._seen.get(index, {})
        late: dict[str, Any] = {}
        for name, part in whole.items():
            if not part or name in ("status", "type"):
                continue
            if name not in seen:
                late[name] = part
            elif name in _GROWING and isinstance(part, str):
                rest = _rest("".join(seen[name]), part, is_json=name == "arguments")
                if rest is None:
                    self.contradicted = self.contradicted or name
                elif rest:
                    late[name] = rest
        return late

    def _begun_at(self, whole: dict[str, Any], own: str) -> str:
        """Return the index of the block that a *whole* is about: a call is known by its id.

        Servers leave out the number of the item in some events.
        """
        call_id = known_id(whole.get("call_id")) if whole["type"] in CALLS else None
        begun = self._labelled.get((whole["type"], call_id), [])
        return begun[0] if begun and own not in begun else own

    def _place_of(self, whole: dict[str, Any], own: str) -> str:
        """Return the index of the block that the last form of an item is about.

        Servers leave out items of the last form, and change their ids.
        """
        kind = whole["type"]
        alike = self._open.get(kind, {})
        label = whole.get(_label_of(kind))
        same = self._labelled.get((kind, label), ()) if isinstance(label, str) else ()
        likely = [index for index in (*islice(same, _MOST), own) if index in alike]
        for index in (*likely, *islice(alike, _MOST)):
            if None not in self._rests(index, whole):
                return index
        if likely:
            return likely[0]
        # A call is known by its id; the parts of a text share that, and are known by their place.
        again = same if kind in CALLS else [own] if own in same or not label else []
        for index in islice(again, _MOST):
            if index in self._last and self._rests(index, whole) <= {""}:
                return index  # the last form comes again
        if own not in self._kinds:
            return own
        return place(self._free, *map(int, own[len(PLACE) :].split("_")[2:]))

    def _rests(self, index: str, whole: dict[str, Any]) -> set[str | None]:
        """Return what the fields of a *whole* have behind their pieces; `None` if one differs."""
        seen = self._seen.get(index, {})
        return {
            _rest("".join(seen.get(name, ())), part, is_json=name == "arguments")
            for name, part in whole.items()
            if name in _GROWING and part and isinstance(part, str)
        }


class _Blocks:
    """The blocks of a chunk, and the *pieces* of its calls, with what wholes have more."""

    def __init__(self, pieces: list[ToolCallChunk]) -> None:
        self.blocks: list[str | dict[Any, Any]] = []
        self._places: dict[str, int] = {}
        self._pieces = pieces
        self._numbers = {piece["index"] for piece in pieces}
        self._first: list[ToolCallChunk] = []  # come before those of their call
        self._last: list[ToolCallChunk] = []

    def append(self, index: str, block: dict[Any, Any]) -> None:
        """Append *block*, whose index is *index*."""
        self._places.setdefault(index, len(self.blocks))
        self.blocks.append(block)

    def add(self, index: str, fields: dict[str, Any]) -> None:
        """Add *fields* to the block with this *index*, or as a new block."""
        if index not in self._places:
            self.append(index, {**fields, "index": index})
            return
        place = self._places[index]
        same = self.blocks[place]
        assert isinstance(same, dict), "only blocks have an index"
        late = {name: part for name, part in fields.items() if name != "type"}
        self.blocks[place] = {**merge_dicts(same, late), "index": index}

    def add_piece(self, piece: ToolCallChunk, *, is_first: bool = False) -> None:
        """Add a *piece* of a call before or after the other pieces of the call."""
        is_first = is_first and piece["index"] in self._numbers
        (self._first if is_first else self._last).append(piece)

    def pieces(self) -> list[ToolCallChunk]:
        """Return the pieces of the calls, merged into one for each call."""
        if not (self._first or self._last):
            return self._pieces
        return merge_lists([], self._first, self._pieces, self._last) or []


def _label_of(kind: str) -> str:
    """Return the name of the field that tells one item of this *kind* from the others."""
    return "call_id" if kind in CALLS else "id"


def _is_text(field: tuple[str, Any]) -> bool:
    name, part = field
    return name not in ("index", "type") and isinstance(part, str) and bool(part.strip())


def _rest(before: str, whole: str, *, is_json: bool) -> str | None:
    """Return what a *whole* has behind what came *before*; `None` if they differ."""
    if whole.startswith(before):
        rest = whole[len(before) :]
        return rest if rest.strip() else ""
    if before.strip() == whole.strip():
        return ""
    return "" if is_json and _is_same_json(before, whole) else None


def _is_same_json(one: str, other: str) -> bool:
    from outputs.growing_json.load import load_json, value_key  # lazily: they are rarely needed

    try:
        return value_key(load_json(one)) == value_key(load_json(other))
    except (RecursionError, ValueError):
        return False


def _piece_of(late: dict[str, Any], index: int) -> ToolCallChunk:
    """Return the *late* fields of a function call as a piece of the call."""
    name, args = late.get("name"), late.get("arguments")
    return tool_call_chunk(name=name, args=args, id=late.get("call_id"), index=index)


def _text_piece(late: dict[str, Any], index: int, *, ends: bool) -> ToolCallChunk:
    """Return the *late* fields of the call of a custom tool as a piece of the call."""
    args = (TEXT_START if "name" in late else "") + json_inside(late.get("input", ""))
    args += TEXT_END if ends else ""
    return tool_call_chunk(name=late.get("name"), args=args, id=late.get("call_id"), index=index)
