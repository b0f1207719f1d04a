"""One call whose parameters are tagged, as it is put together."""

from __future__ import annotations

from contextlib import suppress
from typing import TYPE_CHECKING, Any

from agent_parsers.engine.calls.json.watch import LenientWatch, StrictWatch
from agent_parsers.engine.calls.reader import Call
from agent_parsers.events import Repair
from outputs.growing_json.errors import JsonError, JsonLimitError

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from agent_parsers.engine.calls.json.watch import Watch
    from agent_parsers.engine.repairs.payloads import Lack
    from agent_parsers.events import Span

__all__ = ["JsonArguments", "TaggedCall"]


class TaggedCall:
    """A call that has begun at an offset; `end` says what came of it."""

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
        self._lacks: Lack = "values"  # without its end: what closes a value may be a part of it
        self.openers: list[str] = []  # the names of the tags that ended a value
        self.is_short = False  # see `Call.is_short`
        self.tool = ""
        self.tool_at: Span = (start, start)

    @property
    def has_inputs(self) -> bool:
        """Whether it has arguments so far, even if they are none."""
        return self._inputs_at is not None

    def add(
        self, key: str, value: Any, span: Span, others: Callable[[], Iterable[Any]] = tuple
    ) -> None:
        """Take the *value* of a parameter, which stands at *span*, and what *others* it may be."""
        if not key:
            self.spoil("no_key")
        elif key in self._inputs:  # who can say which of two is meant?
            self.spoil("two_values")
        self._inputs[key] = value
        self._others[key] = others
        self._extend(span)

    def add_all(self, arguments: JsonArguments, span: Span, *, is_cut: bool) -> None:
        """Take all *arguments*, which stand at *span*, with which the text *is_cut* or goes on."""
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
        """Say that it is no call; the first *problem* is told."""
        self._problem = self._problem or problem

    def end(self, stop: int, *, without_end: str = "") -> Call:
        """Return the call, which ends at *stop*.

        Without its end, one without arguments may have lost them as well, and one with arguments
        may have lost others.

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
    """All arguments of a call as one JSON object.

    Args:
        mends: Whether JSON is mended.
    """

    __slots__ = ("_json", "is_cut")

    def __init__(self, *, lenient: bool) -> None:
        self._json: Watch = LenientWatch() if lenient else StrictWatch()
        self._json.start(())
        self._json.is_settled = True  # there is nothing in it to watch
        self.is_cut = False

    def feed(self, text: str) -> int:
        """Read on; return how many characters of *text* were used."""
        with suppress(JsonLimitError):  # it is the reader's error as well
            return self._json.feed(text)
        return len(text)

    @property
    def repeats_key(self) -> bool:
        """Whether a key comes twice."""
        return self._json.repeats_key

    @property
    def lacks(self) -> Lack:
        """What is missing of its closers."""
        return self._json.lacks

    @property
    def known(self) -> int:
        """How many characters were read whose meaning is certain."""
        return self._json.known if self._json.end is None else self._json.end

    @property
    def is_broken(self) -> bool:
        """Whether the text is no JSON."""
        return self._json.error is not None

    @property
    def is_over(self) -> bool:
        """Whether the object has ended, or the text is no JSON."""
        return self._json.end is not None or self._json.error is not None

    @property
    def is_quoting(self) -> bool:
        """Whether the text ends inside a string."""
        return self._json.error is None and self._json.is_quoting

    def repairs(self) -> list[Repair]:
        """Return what was mended of it, with spans from its beginning."""
        if not isinstance(self._json, LenientWatch) or self.is_broken:
            return []
        return [Repair(kind, span, message) for kind, span, message in self._json.repairs]

    def close(self) -> dict[str, Any] | None:
        """Return the object; `None` if it is none, or not whole."""
        self.is_cut = not self.is_over
        try:
            value = self._json.close(supply_closers=True)
        except JsonError:
            return None
        return value if isinstance(value, dict) else None
