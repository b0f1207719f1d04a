"""The reader of JSON as models write it, which repairs it and reports every repair."""

from __future__ import annotations

from collections.abc import Iterable
from contextlib import suppress
from typing import Any, ClassVar

from typing_extensions import override

from outputs.growing_json.errors import JsonLimitError
from outputs.growing_json.lenient.ahead import (
    ALL_CLOSERS,
    CLOSERS,
    MAX_CHARS,
    bare_key,
    closing_fence,
    half_quoted_key,
)
from outputs.growing_json.lenient.strings import JsonRepair, LenientStrings
from outputs.growing_json.scalars import WORDS, skip_space
from outputs.growing_json.steps import NextChars, Step
from outputs.growing_json.value import conflicting, repeated
from outputs.growing_json.whole import MAX_DEPTH

_WORDS: dict[str, tuple[tuple[str, Any], ...]] = {
    **{first: (word,) for first, word in WORDS.items()},
    "N": (WORDS["N"], ("None", None)),
    "T": (("True", True),),
    "F": (("False", False),),
    "u": (("undefined", None),),
}
_MISSING = "supplied the missing "


def missing_at_end(text: str, repairs: Iterable[JsonRepair]) -> str:
    """Return the brackets that were missing at the end of *text*, the innermost first.

    Brackets that were missing before another bracket or before a closing fence are not included.
    """
    return next((
        repair.message.removeprefix(_MISSING)
        for repair in repairs
        if repair.kind == "missing_closer" and not text[repair.span[0] :].strip()
    ), "")  # fmt: skip


class LenientJsonReader(LenientStrings):
    """A `JsonReader` that repairs what models write instead of JSON.

    ::

        reader = LenientJsonReader()
        reader.feed("{name: 'Ada', tags: [1, 2,],}")
        reader.close()   # {"name": "Ada", "tags": [1, 2]}
        reader.repairs   # unquoted keys, quotes, trailing commas, each with its span

    It repairs missing closing brackets, trailing commas, commas missing before a key on a new line,
    comments (``//``, ``#``, ``/* */``), the literals of Python and JavaScript (``True``, ``None``,
    ``undefined``, which is read as `None`), strings in single or typographic quotes, unescaped
    quotes inside a string, raw line breaks, keys without quotes or without the opening quote, and
    doubled braces. Ambiguous text is an error, and so is a value that is cut in the middle. Of two
    values for one key the last one counts, as for `json.loads`; `repair_json` refuses them.

    Valid JSON is read as `json.loads` reads it, without repairs. However a text is cut into chunks,
    the final value, the repairs and the error are the same. Once there is an `error`, `value` no
    longer changes.

    Args:
        max_depth: How many arrays and objects may be open at once.
        max_chars: How many characters may be read; `None` for no limit.
    """

    __slots__ = ("_brace", "_comma", "_doubled", "_supplied")

    def __init__(self, *, max_depth: int = MAX_DEPTH, max_chars: int | None = None) -> None:
        super().__init__(max_depth=max_depth, max_chars=max_chars)
        self._brace = -1  # where the last object was opened
        self._comma = 0  # where the last comma stands
        self._doubled: set[int] = set()  # the depths at which braces are doubled
        self._supplied = False  # whether a bracket was missing before another

    @property
    def repairs(self) -> list[JsonRepair]:
        """The repairs so far, in the order of the text."""
        return sorted(self._repairs, key=lambda repair: repair.span)

    @override
    def close(self, *, supply_closers: bool = True) -> Any:
        """End the text and return the whole value.

        Args:
            supply_closers: Accept a value that lacks only brackets at its end.

        Raises:
            JsonSyntaxError: The text cannot be read as JSON, or is ambiguous.
            JsonLimitError: A limit was exceeded.
            JsonIncompleteError: The text ended in the middle of a value, or where one was expected.
        """
        if self.end is None and self.error is None and not self._ended:
            self._ended = True
            self._feed("")  # Decides about the text held back.
        whole = self.end is not None
        closers = None if whole else self._missing_closers()
        value = super().close(supply_closers=supply_closers)
        if not whole and closers and self.end is not None:
            self._report_missing(0, closers)
        return value

    @override
    def _missing_closers(self) -> str | None:
        # If a bracket was missing before another, that one may simply have been the wrong bracket.
        return None if self._supplied else super()._missing_closers()

    def _report_missing(self, pos: int, closers: str) -> None:
        self._repair("missing_closer", pos, pos, _MISSING + closers)

    def _fence(self, chunk: str, pos: int) -> int:
        """End the value at a closing fence, where its closing brackets are missing."""
        fence = closing_fence(chunk, pos)
        if fence is not None and fence.end() == len(chunk) and not self._ended:
            self._held = chunk[pos:]
            return len(chunk)
        closers = self._missing_closers()
        if fence is None or closers is None:
            return self._unexpected(chunk, pos)
        self._report_missing(pos, closers)
        return self._close_all(pos)

    def _close(self, chunk: str, pos: int) -> int:
        """Read a closing bracket."""
        wanted = list if chunk[pos] == "]" else dict
        if not isinstance(self._grown.top, wanted):
            return self._close_outer(chunk, pos, wanted)
        if wanted is dict and self._grown.depth in self._doubled:
            return self._close_doubled(chunk, pos)
        return self._close_container(chunk, pos)

    def _close_outer(self, chunk: str, pos: int, wanted: type) -> int:
        """Read a closing bracket before which others are missing."""
        tops = [top for top, _ in self._grown.frames()]
        missing = ""
        while tops and not isinstance(tops[-1], wanted):
            missing += "]" if isinstance(tops.pop(), list) else "}"
        if not tops:
            return self._unexpected(chunk, pos)
        self._supplied = True
        self._report_missing(pos, missing)
        for _ in missing:
            self._doubled.discard(self._grown.depth)
            self._grown.close()
        return self._close(chunk, pos)

    def _close_doubled(self, chunk: str, pos: int) -> int:
        if pos + 1 == len(chunk) and not self._ended:
            self._held = "}"
            return pos + 1
        self._doubled.discard(self._grown.depth)
        if chunk.startswith("}", pos + 1):
            self._repair("doubled_brace", pos + 1, pos + 2, "dropped a doubled brace")
            pos += 1
        return self._close_container(chunk, pos)

    def _open_braces(self, chunk: str, pos: int) -> int:
        self._brace = self._offset + pos
        return self._open_object(chunk, pos)

    def _double_brace(self, chunk: str, pos: int) -> int:
        depth = self._grown.depth
        if self._offset + pos != self._brace + 1 or depth in self._doubled:
            return self._unexpected(chunk, pos)
        self._doubled.add(depth)
        self._repair("doubled_brace", pos, pos + 1, "dropped a doubled brace")
        return pos + 1

    def _await_item(self, _chunk: str, pos: int) -> int:
        self._comma = self._offset + pos
        self._state = self._NEXT_ITEM
        return pos + 1

    def _await_member(self, _chunk: str, pos: int) -> int:
        self._comma = self._offset + pos
        self._state = self._KEY
        return pos + 1

    def _close_after_comma(self, chunk: str, pos: int) -> int:
        span = (self._comma, self._comma + 1)
        self._repairs.append(JsonRepair("trailing_comma", span, "dropped a trailing comma"))
        # The bracket may be held back and read again; the comma is reported once.
        self._state = self._AFTER_ITEM if chunk[pos] == "]" else self._AFTER_MEMBER
        return self._close(chunk, pos)

    def _supply_comma(self, chunk: str, pos: int) -> int:
        self._repair("missing_comma", pos, pos, "supplied a missing comma")
        if isinstance(self._grown.top, dict):
            return self._open_key(chunk, pos)
        return self._VALUE[chunk[pos]](self, chunk, pos)

    def _supply_comma_before_number(self, chunk: str, pos: int) -> int:
        """Read another number, unless it may be the next thousand: ``1 000`` is one number."""
        ahead = chunk[pos : pos + 4]
        if len(ahead) < 4 and not self._ended:
            self._held = chunk[pos:]
            return len(chunk)
        is_group = ahead[:3].isdigit() and not ahead[3:].isdigit()
        if is_group and not isinstance(self._grown.top[-1], str | list | dict | bool | None):
            return self._break(chunk, pos, f"expected {self._state.expected}")
        return self._supply_comma(chunk, pos)

    def _bare_key(self, chunk: str, pos: int) -> int:
        """Read a key without quotes, or without the opening quote."""
        ahead = chunk[pos : pos + MAX_CHARS]
        size = len(ahead)
        end, quote = bare_key(ahead, 0).end(), half_quoted_key(ahead, 0).end()
        colon = skip_space(ahead, end).end()
        if size in (colon, quote) and size < MAX_CHARS and not self._ended:
            self._held = ahead
            return len(chunk)
        if end and ahead[colon : colon + 1] == ":":
            self._repair("unquoted_key", pos, pos + end, "accepted a key without quotes")
            self._grown.key, stop = ahead[:end], colon
        elif quote and ahead[quote : quote + 1] in ALL_CLOSERS:
            self._repair("missing_quote", pos, pos, "supplied the opening quote of a key")
            self._grown.key, stop = ahead[:quote], quote + 1
        else:
            return self._break(chunk, pos, f"expected {self._state.expected}")
        self._state = self._COLON
        return pos + stop

    def _word(self, chunk: str, pos: int) -> int:
        expected = _WORDS[chunk[pos]]
        for word, value in expected:
            if chunk.startswith(word, pos):
                stop = pos + len(word)
                if (word, value) not in WORDS.values():
                    said = {True: "true", False: "false", None: "null"}[value]
                    self._repair("literal", pos, stop, f"read {word} as {said}")
                return self._put(value, stop)
        rest = chunk[pos : pos + 10]
        if any(len(rest) < len(word) and word.startswith(rest) for word, _ in expected):
            self._held = rest
            return len(chunk)
        return self._break(chunk, pos, "expected a value")

    def _comment(self, chunk: str, pos: int) -> int:
        if chunk.startswith("/*", pos):
            self._start = self._offset + pos
            self._inside = LenientJsonReader._block_comment
            return self._block_comment(chunk, pos + 2)
        if chunk.startswith(("#", "//"), pos):
            self._start = self._offset + pos
            self._inside = LenientJsonReader._line_comment
            return self._line_comment(chunk, pos)
        if pos + 1 == len(chunk) and not self._ended:
            self._held = "/"
            return pos + 1
        return self._break(chunk, pos, f"expected {self._state.expected}")

    def _line_comment(self, chunk: str, pos: int) -> int:
        stop = chunk.find("\n", pos)
        return len(chunk) if stop < 0 else self._end_comment(stop)

    def _block_comment(self, chunk: str, pos: int) -> int:
        stop = chunk.find("*/", pos)
        if stop < 0:
            if chunk.endswith("*") and len(chunk) > pos:
                self._held = "*"
            return len(chunk)
        return self._end_comment(stop + 2)

    def _end_comment(self, stop: int) -> int:
        self._inside = None
        span = (self._start, self._offset + stop)
        self._repairs.append(JsonRepair("comment", span, "dropped a comment"))
        return stop

    @override
    def _unexpected(self, chunk: str, pos: int) -> int:
        if self._state is self._KEY or self._state is self._FIRST_KEY:
            return self._bare_key(chunk, pos)
        return super()._unexpected(chunk, pos)

    _SPACE: ClassVar[dict[str, Step]] = LenientStrings._SPACE | dict.fromkeys("#/", _comment)
    _VALUE: ClassVar = NextChars(
        LenientStrings._VALUE.expected,
        LenientStrings._VALUE
        | _SPACE
        | {"{": _open_braces}
        | dict.fromkeys(CLOSERS, LenientStrings._open_text)
        | dict.fromkeys("tfnNITFu", _word),
        False,
    )
    # After an opening bracket or a comma an item is expected. If the text ends there, the item is
    # lost, so these states are not closable.
    _FIRST_ITEM: ClassVar = NextChars("a value or ']'", _VALUE | {"]": _close}, False)
    _NEXT_ITEM: ClassVar = NextChars("a value", _VALUE | {"]": _close_after_comma}, False)
    _AFTER_ITEM: ClassVar = NextChars(
        "',' or ']'",
        {
            **_SPACE,
            ",": _await_item,
            **dict.fromkeys("]}", _close),
            **dict.fromkeys(["[", "{", *CLOSERS], _supply_comma),
            **dict.fromkeys("-0123456789", _supply_comma_before_number),
            "`": _fence,
        },
    )
    _KEY: ClassVar = NextChars(
        "a key",
        {**_SPACE, "}": _close_after_comma, **dict.fromkeys(CLOSERS, LenientStrings._open_key)},
        False,
    )
    _FIRST_KEY: ClassVar = NextChars(
        "a key or '}'", _KEY | {"}": _close, "{": _double_brace}, False
    )
    _COLON: ClassVar = NextChars("':'", LenientStrings._COLON | _SPACE)
    _AFTER_MEMBER: ClassVar = NextChars(
        "',' or '}'",
        {
            **_SPACE,
            ",": _await_member,
            **dict.fromkeys("]}", _close),
            **dict.fromkeys(CLOSERS, _supply_comma),
            "`": _fence,
        },
    )


class KeyReader(LenientJsonReader):
    """A `LenientJsonReader` that notices keys that appear twice, at any depth."""

    __slots__ = ()
    _READS_REMAINS = True  # so that all members are kept

    @property
    def repeated_key(self) -> str | None:
        """A key that appears twice in one object; `None` if there is none."""
        return repeated(next(iter(self._grown.overwritten.values()), ()))

    @property
    def conflicting_key(self) -> str | None:
        """A key with two different values in one object; `None` if there is none."""
        return next(
            (
                key
                for each in self._grown.overwritten.values()
                if (key := conflicting(each)) is not None
            ),
            None,
        )


def broken_at(text: str) -> str:
    """Return the character in a string at which *text* stops being JSON; else ``""``."""
    reader = LenientJsonReader()
    with suppress(JsonLimitError):
        reader.feed(text)
    return reader.broke_at
