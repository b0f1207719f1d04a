"""Builds one call whose parameters are tagged."""

from __future__ import annotations

from contextlib import suppress
from typing import TYPE_CHECKING, Any

from agent_parsers.engine.calls.json.watch import LenientWatch, watch
from agent_parsers.engine.calls.reader import Call
from agent_parsers.events import Repair
from outputs.growing_json.errors import JsonError, JsonLimitError

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from agent_parsers.engine.repairs.payloads import Lack
    from agent_parsers.events import Span

__all__ = ["JsonArguments", "TaggedCall"]


class TaggedCall:
    """A call that began at an offset; `end` returns the result."""

    __slots__ = (
        "_inputs", "_inputs_at", "_lacks", "_others", "_problem", "_start", "is_short", "openers",
        "tool", "tool_at",
    )  # fmt: skip

    def __init__(self, start: int) -> None:
        self._start = start
        self._inputs: dict[str, Any] = {}
        self._inputs_at: Span | None = None
        self._others: dict[str, Callable[[], Iterable[Any]]] = {}
        self._problem = ""
        self._lacks: Lack = "values"  # without its end, a closing tag may be part of a value
        self.openers: list[str] = []  # names in the tags that ended a value
        self.is_short = False  # see `Call.is_short`
        self.tool = ""
        self.tool_at: Span = (start, start)

    @property
    def has_inputs(self) -> bool:
        """Whether arguments were read, even an empty object."""
        return self._inputs_at is not None

    def add(
        self, key: str, value: Any, span: Span, others: Callable[[], Iterable[Any]] = tuple
    ) -> None:
        """Add the *value* of a parameter at *span*, and the *others* it may stand for."""
        if not key:
            self.spoil("no_key")
        elif key in self._inputs:  # it is unclear which one is meant
            self.spoil("two_values")
        self._inputs[key] = value
        self._others[key] = others
        self._extend(span)

    def add_all(self, arguments: JsonArguments, span: Span, *, is_cut: bool) -> None:
        """Add all *arguments* at *span*; *is_cut* is whether the text ends with them."""
        self._lacks = arguments.lacks or "closer"
        value = arguments.close()
        if value is not None and arguments.repeats_key:
            self.spoil("two_values")
        if value is None:
            self.spoil("open_call" if is_cut and arguments.is_cut else "bad_input")
        else:
            self._inputs |= value
        self._extend(span)

    def _extend(self, span: Span) -> None:
        self._inputs_at = (span if self._inputs_at is None else self._inputs_at)[0], span[1]

    def spoil(self, problem: str) -> None:
        """Mark the call as invalid; the first *problem* is the one reported."""
        self._problem = self._problem or problem

    def end(self, stop: int, *, without_end: str = "") -> Call:
        """Return the call, which ends at *stop*.

        A call that lacks its end may have lost some or all of its arguments as well.

        Args:
            stop: Where it ends.
            without_end: Name of the problem if its end is missing.
        """
        if without_end and not self.has_inputs:
            self.spoil(without_end)
        is_cut = without_end == "open_call"
        return Call(
            tool=self.tool,
            tool_input=self._inputs,
            span=(self._start, stop),
            tool_span=self.tool_at,
            problem=self._problem or ("" if self.tool else "no_tool"),
            input_span=self._inputs_at,
            others=self._others,
            lacks=self._lacks if is_cut else "",
            openers=tuple(self.openers),
            is_short=self.is_short,
        )


class JsonArguments:
    """Reads all arguments of a call as one JSON object.

    Args:
        lenient: Whether to repair JSON.
    """

    __slots__ = ("_json", "is_cut")

    def __init__(self, *, lenient: bool) -> None:
        self._json = watch(lenient=lenient)
        self.is_cut = False

    def feed(self, text: str) -> int:
        """Read *text*; return how many of its characters were used."""
        with suppress(JsonLimitError):  # the reader records it as its error
            return self._json.feed(text)
        return len(text)

    @property
    def repeats_key(self) -> bool:
        """Whether an object repeats a key."""
        return self._json.repeats_key

    @property
    def lacks(self) -> Lack:
        """Which closers are missing."""
        return self._json.lacks

    @property
    def known(self) -> int:
        """How many characters were read whose meaning is certain."""
        return self._json.known if self._json.end is None else self._json.end

    @property
    def is_broken(self) -> bool:
        """Whether the text is not JSON."""
        return self._json.error is not None

    @property
    def is_over(self) -> bool:
        """Whether the object has ended, or the text is not JSON."""
        return self._json.end is not None or self._json.error is not None

    @property
    def is_quoting(self) -> bool:
        """Whether the text ends inside a string."""
        return self._json.error is None and self._json.is_quoting

    def repairs(self) -> list[Repair]:
        """Return the repairs made, with spans from the start of the JSON."""
        if not isinstance(self._json, LenientWatch) or self.is_broken:
            return []
        return [Repair(kind, span, message) for kind, span, message in self._json.repairs]

    def close(self) -> dict[str, Any] | None:
        """Return the object; `None` if the text is not an object, or not complete."""
        self.is_cut = not self.is_over
        try:
            value = self._json.close(supply_closers=True)
        except JsonError:
            return None
        return value if isinstance(value, dict) else None
