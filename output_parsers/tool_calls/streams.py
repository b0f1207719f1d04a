"""Streamed tool calls, and the streamed function call of legacy messages.

Each call reads on where its arguments end so far, so the work for a chunk does not depend on
earlier chunks. The chunks are added once, at the end.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Any, Generic, NamedTuple, Protocol, TypeAlias, TypeVar

from output_parsers.model_output import ModelOutput, part_of
from output_parsers.streams.accumulator import Accumulator
from output_parsers.streams.readers import Budget, Changing, NewResults
from outputs import AIMessage, merge_dicts
from outputs.messages.growing_calls import GrowingCall, GrowingCalls
from outputs.messages.utils import MESSAGE_CLASSES
from outputs.messages.wire_calls import chunks_from_wire, pieces_of

if TYPE_CHECKING:
    from output_parsers.exceptions import OutputParserException
    from outputs import Generation
    from outputs.growing_json.value import Operation

PlacesOf: TypeAlias = "Callable[[list[ParsedCall]], list[tuple[ParsedCall, CallPlace]]]"
"""Returns where the result for some calls has those that it has."""


class CallsParser(Changing, Protocol):
    """The interface of a parser for `ToolCallsReader`."""

    strict: bool

    def parse_result(self, result: list[Generation], *, partial: bool = False) -> Any:
        """Parse the whole message."""

    def _result_of(self, found: Any, *, partial: bool) -> Any:
        """Return the result for the calls, or the function call, *found* in the message."""


class FunctionParser(CallsParser, Protocol):
    """The interface of a parser for `FunctionReader`."""

    args_only: bool


P = TypeVar("P", bound=CallsParser)


class _MessageReader(Generic[P]):
    """Adds up the chunks of a message; its result at the end is that of the whole message."""

    def __init__(self, parser: P) -> None:
        self._parser = parser
        self._sum = Accumulator()
        self._results = NewResults(parser)
        self._is_empty = True

    def close(self) -> Iterable[Any]:
        """Return the result for the whole message if it has changed."""
        if self._is_empty:
            return ()
        return self._results.give(self._parser.parse_result([self._sum.generation()]))


class FunctionReader(_MessageReader[FunctionParser]):
    """Returns the result for the function call so far after each chunk, if it has changed.

    Args:
        parser: The parser.
        reports_changes: Return the changes reported by the reader of the arguments instead of
            comparing results. The results must be the arguments themselves.
    """

    def __init__(self, parser: FunctionParser, *, reports_changes: bool = False) -> None:
        super().__init__(parser)
        self._reports_changes = reports_changes
        self._head: dict[str, Any] = {}
        self._args = GrowingCall(strict=parser.strict)

    def feed(self, chunk: ModelOutput, /) -> Iterable[Any]:
        """Read *chunk* and return the result if it has changed."""
        self._sum.add(chunk)
        self._is_empty = False
        piece = (getattr(part_of(chunk), "additional_kwargs", None) or {}).get("function_call")
        if not isinstance(piece, dict):
            return ()
        text = piece.get("arguments")
        if isinstance(text, str):
            self._args.add(None, text)
        if self._reports_changes:
            return self._give_changes()
        if not self._parser.args_only:
            rest = {key: value for key, value in piece.items() if key != "arguments"}
            self._head = merge_dicts(self._head, rest)
        return self._results.give(self._parser._result_of(self._so_far(), partial=True))

    def close(self) -> Iterable[Any]:
        """Return the result for the whole message if it has changed."""
        if self._reports_changes:
            self._results.last = self._so_far()
        return super().close()

    def _so_far(self) -> Any:
        args = self._args
        if self._parser.args_only or not args.has_value:
            return args.value
        return {**self._head, "arguments": args.value}

    def _give_changes(self) -> Iterable[Any]:
        changes = self._args.changes()
        # A top-level `None` counts as no value; nothing can follow it.
        if not changes or (changes[0]["path"] == "" and changes[0]["value"] is None):
            return ()
        return (changes,)


@dataclass(slots=True)
class ParsedCall:
    """A tool call with the arguments that have arrived."""

    name: str
    args: Any
    """A dictionary; in legacy messages, any JSON value."""
    id: str | None
    is_arriving: bool = False
    """Whether more of the call, even of its name, may follow; errors are reported at the end."""
    is_due: bool = True
    """Whether a parser has to build its result (again)."""
    built: Any = None
    """The result that a parser built, to reuse until it is due again."""
    error: OutputParserException | None = None
    """The error in its arguments, if they cannot be read."""


class CallPlace(NamedTuple):
    """JSON pointers to the parts of a call in a result."""

    call: str
    """The whole call."""
    args: str
    """Its arguments."""
    name: str | None
    """Its name; `None` if the result does not have it."""


class ToolCallsReader(_MessageReader[CallsParser]):
    """Returns the result for the calls so far after each chunk, if it has changed.

    If the first chunk is not an AI message, neither is the sum, and its calls are only in
    ``additional_kwargs``.

    Args:
        parser: The parser.
        places: Returns where the result for some calls has those that it has. With it, changes are
            returned, as those who read the arguments report them, instead of results.
    """

    _calls: GrowingCalls[_ArrivingCall] | None = None
    _is_ai = True
    _is_raw = False  # whether there is a field for calls in ``additional_kwargs``

    def __init__(self, parser: CallsParser, *, places: PlacesOf | None = None) -> None:
        super().__init__(parser)
        self._places = places
        self._given: list[tuple[ParsedCall, str, str | None, Any, bool]] = []  # with its fields

    def feed(self, chunk: ModelOutput, /) -> Iterable[Any]:
        """Read *chunk* and return the result if it has changed."""
        message = self._sum.add(chunk)
        self._is_empty = False
        if isinstance(message, str):
            return ()
        is_first = self._calls is None
        if self._calls is None:
            kind = MESSAGE_CLASSES.get(getattr(message, "type", ""), AIMessage)
            is_ai = self._is_ai = issubclass(kind, AIMessage)
            begin = partial(_ArrivingCall, strict=self._parser.strict and not is_ai)
            self._calls = GrowingCalls(begin, as_list=not is_ai)
        wire = (getattr(message, "additional_kwargs", None) or {}).get("tool_calls")
        entries = list(wire) if isinstance(wire, list | tuple) else None
        self._is_raw = self._is_raw or entries is not None
        pieces = pieces_of(message) if self._is_ai else chunks_from_wire(entries or [])
        if served := self._sum.served:
            pieces = [piece for piece in pieces if piece["index"] not in served]
        for piece in pieces:
            self._calls.add(piece)
        if not pieces and not is_first:
            return ()
        found = self._so_far()
        result = self._parser._result_of(found, partial=True)
        if self._places is None:
            return self._results.give(result)
        return self._give_changes(result, self._places(found or []))

    def _give_changes(
        self, result: Any, places: Sequence[tuple[ParsedCall, CallPlace]]
    ) -> Iterable[Any]:
        """Return what has changed of the *result*, in which the calls have *places*."""
        if result is None:
            return ()  # no result is none that changed
        last, given = self._results.last, self._given
        growing = {id(call.parsed): call for call in self._calls.calls} if self._calls else {}
        self._given = [
            (call, call.name, call.id, call.args, growing[id(call)].shows(call.args))
            for call, _ in places
        ]
        grown = [growing[id(call)].changes() for call, _ in places]
        goes_on = len(places) >= len(given) and all(
            call is before and call.id == its_id and growing[id(call)].value is call.args and is_own
            for (call, _), (before, _, its_id, _, is_own) in zip(places, given, strict=False)
        )
        if last is None or not goes_on:
            return self._results.give(result)
        operations: list[Operation] = []
        for number, ((call, place), changes) in enumerate(zip(places, grown, strict=True)):
            if number >= len(given):
                at = result if place.call == "" else result[number]
                operations.append({"op": "add", "path": place.call, "value": at})
                continue
            if place.name is not None and call.name != given[number][1]:
                operations.append({"op": "replace", "path": place.name, "value": call.name})
            operations += (
                {**each, "path": place.args + each["path"]}
                for each in changes
                if each["path"] or each["value"] != given[number][3]  # `{}` may stand for no text
            )
        self._results.last = result
        return (operations,) if operations else ()

    def _so_far(self) -> list[ParsedCall] | None:
        """Return the calls as a parser finds them in the sum, or `None` if there are no calls."""
        calls = [] if self._calls is None else self._calls.calls
        if self._is_ai and (found := [call.parsed for call in calls if call.read(is_raw=False)]):
            return found
        return [call.parsed for call in calls if call.read(is_raw=True)] if self._is_raw else None


class _ArrivingCall(GrowingCall):
    __slots__ = ("_budget", "_has_changed", "parsed")

    def __init__(self, index: int | None, *, strict: bool) -> None:
        super().__init__(index, strict=strict)
        self._has_changed = False
        self._budget = Budget()
        self.parsed = ParsedCall("", {}, None, is_arriving=True)

    def add(self, name: str | None, text: str | None) -> None:
        super().add(name, text)
        self._has_changed = self._has_changed or name is not None
        self._budget.add(text or "")

    def shows(self, args: Any) -> bool:
        """Return whether *args* are the value so far, or there is no value yet."""
        return not self.has_value or self.value is args

    def read(self, *, is_raw: bool) -> bool:
        """Update `parsed` with what has arrived; return whether the arguments are readable."""
        parsed = self.parsed
        has_value = self.has_value
        if is_raw and not has_value:
            return False
        value = self.value if any(self.parts) else {}
        if is_raw:
            value = value or {}
        elif not isinstance(value, dict):
            return False
        parsed.name, parsed.id = self.name, self.id
        if value is not parsed.args:
            parsed.args = value
            self._has_changed = True
        is_time = self._budget.suffices or self.is_complete
        parsed.is_due = parsed.is_due or (self._has_changed and is_time)
        if parsed.is_due:
            self._has_changed = False
            self._budget.spend()
        return True
