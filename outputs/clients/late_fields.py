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
from typing import Any, Final

from outputs.clients.plain_data import PLACE, place
from outputs.clients.text_input import TEXT_END, TEXT_START, json_inside
from outputs.messages.ai import AIMessage, AIMessageChunk
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


_place_in: Final = re.compile(rf"{PLACE}(?:_\d+)+").fullmatch


def has_place(block: Any) -> bool:
    """Return whether *block* is a piece of a streamed block."""
    return isinstance(block, dict) and _place_in(str(block.get("index"))) is not None


def number_of(index: str) -> int:
    """Return the number of the item whose blocks have this *index*."""
    return int(index[len(PLACE) :].split("_")[1])


def noted(**notes: list[Any]) -> AIMessageChunk:
    """Return an empty chunk with *notes*, which `LateFields` has as attributes of these names."""
    return AIMessageChunk([], additional_kwargs={NOTES: notes})


class LateFields:
    """Adds the fields of an item that only its whole form has, and collects what is noted.

    Calls are known by the number of their item, or by the index of their pieces.
    """

    def __init__(self) -> None:
        self._kinds: dict[str, str] = {}  # the type of each block
        self._seen: dict[str, dict[str, list[Any]]] = {}  # the pieces of its fields so far
        self._last: set[str] = set()  # the blocks whose last form has come
        self.closed: set[int] = set()
        """The items that have ended."""
        self.cut: set[int] = set()
        """The items that have ended, but not by themselves."""
        self.contradicted: str = ""
        """A field whose whole form is not what its pieces say."""
        self.unread: dict[int, str] = {}
        """The types of the pieces of calls that are not read, although they have text."""
        self.members: dict[int | None, dict[str, Any]] = {}
        """The members of calls that are not those of the API."""
        self.commentary: set[int] = set()
        """The items whose text is for the user without being the answer."""
        self.choices: list[int] = []
        """The choices, other than the first, that have calls."""

    def with_late_fields(self, message: Any) -> Any:
        """Return *message*, a chunk or a sum, with the new fields of each whole in its place."""
        if isinstance(message, AIMessage) and NOTES in message.additional_kwargs:
            message = self._without_notes(message)
        if not isinstance(message, AIMessageChunk):
            return message
        content = message.content
        if not isinstance(content, list):
            return message
        blocks: list[str | dict[Any, Any]] = []
        pieces = message.tool_call_chunks
        for block in content:
            if not isinstance(block, dict) or not has_place(block):
                blocks.append(block)
                continue
            index = block["index"]
            fields = {name: part for name, part in block.items() if name not in HOW[1:]}
            if fields.keys() - {"type", "index"} or not block.get("last"):
                self._note(index, fields)
                blocks.append(fields)
            for whole in block.get("whole", ()):
                pieces = self._add(index, whole, blocks, pieces)
            for whole in block.get("last", ()):
                found = self._place_of(whole, index)
                self._last.add(found)
                pieces = self._add(found, whole, blocks, pieces)
        if blocks == content:
            return message
        calls: dict[str, Any] = {"tool_calls": [], "invalid_tool_calls": []}  # read again
        return AIMessageChunk(**{
            **dict(message), **calls, "content": blocks, "tool_call_chunks": pieces,
        })  # fmt: skip

    def _without_notes(self, message: AIMessage) -> AIMessage:
        kwargs = dict(message.additional_kwargs)
        notes = kwargs.pop(NOTES)
        self.closed.update(notes.get("closed", ()))
        self.commentary.update(notes.get("commentary", ()))
        self.unread.update(dict(notes.get("unread", ())))
        self.choices += notes.get("choices", ())
        for members in notes.get("members", ()):
            index = members.get("index")
            self.members[index] = merge_dicts(self.members.get(index, {}), members)
        return message.model_copy(update={"additional_kwargs": kwargs})

    def _note(self, index: str, fields: dict[str, Any]) -> None:
        """Note the *fields* of a block as emitted."""
        kind = fields.get("type", "")
        known = self._kinds.setdefault(index, kind)
        if known in CALLS and kind != known and any(map(_is_text, fields.items())):
            self.unread[number_of(index)] = kind
        seen = self._seen.setdefault(index, {})
        for name, part in fields.items():
            if part:
                seen.setdefault(name, []).append(part)

    def _add(
        self,
        index: str,
        whole: dict[str, Any],
        blocks: list[str | dict[Any, Any]],
        pieces: list[ToolCallChunk],
    ) -> list[ToolCallChunk]:
        """Add to *blocks* what a *whole* has more than its pieces; return the pieces of calls."""
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
            return pieces
        self._note(index, {"type": kind, **late})
        same = next((b for b in blocks if isinstance(b, dict) and b.get("index") == index), None)
        if same is None:
            blocks.append({"type": kind, **late, "index": index})
        else:
            blocks[blocks.index(same)] = {**merge_dicts(same, late), "index": index}
        if kind == "function_call":
            return merge_lists(pieces, _pieces_of(late, number)) or []
        if kind == "custom_tool_call":
            return merge_lists(_text_pieces(late, number, ends=ends), pieces) or []
        return pieces

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

    def _place_of(self, whole: dict[str, Any], own: str) -> str:
        """Return the index of the block that the last form of an item is about.

        Servers leave out items of the last form, and change their ids.
        """
        label = "call_id" if whole["type"] in CALLS else "id"
        alike = [
            index
            for index, kind in self._kinds.items()
            if kind == whole["type"] and index not in self._last
        ]
        same = [i for i in alike if whole.get(label) in self._seen[i].get(label, ())]
        likely = [*same, *(i for i in alike if i == own)]
        for index in (*likely, *alike):
            if self._agrees(index, whole):
                return index
        if likely:
            return likely[0]
        if own not in self._kinds:
            return own
        free = 1 + max(map(number_of, self._kinds))
        return place(free, *map(int, own[len(PLACE) :].split("_")[2:]))

    def _agrees(self, index: str, whole: dict[str, Any]) -> bool:
        seen = self._seen[index]
        return all(
            _rest("".join(seen[name]), part, is_json=name == "arguments") is not None
            for name, part in whole.items()
            if name in _GROWING and name in seen and part and isinstance(part, str)
        )


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
    from outputs.growing_json.load import load_json  # imported lazily: it is rarely needed

    try:
        return bool(load_json(one) == load_json(other))
    except ValueError:
        return False


def _pieces_of(late: dict[str, Any], index: int) -> list[ToolCallChunk]:
    """Return the *late* fields of a function call as pieces of the call."""
    return [
        tool_call_chunk(
            name=late.get("name"), args=late.get("arguments"), id=late.get("call_id"), index=index
        )
    ]


def _text_pieces(late: dict[str, Any], index: int, *, ends: bool) -> list[ToolCallChunk]:
    """Return the *late* fields of the call of a custom tool as pieces of the call."""
    args = (TEXT_START if "name" in late else "") + json_inside(late.get("input", ""))
    args += TEXT_END if ends else ""
    return [tool_call_chunk(name=late.get("name"), args=args, id=late.get("call_id"), index=index)]
