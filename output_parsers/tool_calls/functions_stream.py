"""Streamed function calls."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Protocol

from output_parsers.model_output import part_of
from output_parsers.streams.accumulator import Accumulator
from output_parsers.streams.readers import Changing, NewResults
from output_parsers.tool_calls.arguments import GrowingArguments
from outputs import merge_dicts

if TYPE_CHECKING:
    from collections.abc import Iterable

    from output_parsers.model_output import ModelOutput
    from outputs import Generation


class FunctionParser(Changing, Protocol):
    """The interface of a parser for `FunctionReader`."""

    strict: bool
    args_only: bool

    def parse_result(self, result: list[Generation], *, partial: bool = False) -> Any:
        """Parse the whole message."""

    def _result_of(self, call: Any, *, partial: bool) -> Any:
        """Return the result for *call*, a call or its arguments."""


class FunctionReader:
    """Returns the result for the call so far after each chunk, if it has changed.

    Args:
        parser: The parser.
        reports_changes: Return the changes reported by the reader of the arguments instead of
            comparing results. The results must be the arguments themselves.
    """

    def __init__(self, parser: FunctionParser, *, reports_changes: bool = False) -> None:
        self._parser = parser
        self._reports_changes = reports_changes
        self._sum = Accumulator()
        self._head: dict[str, Any] = {}
        self._args = GrowingArguments(strict=parser.strict)
        self._results = NewResults(parser)
        self._is_empty = True

    def feed(self, chunk: ModelOutput, /) -> Iterable[Any]:
        """Read *chunk* and return the result if it has changed."""
        self._sum.add(chunk)
        self._is_empty = False
        piece = (getattr(part_of(chunk), "additional_kwargs", None) or {}).get("function_call")
        if not isinstance(piece, dict):
            return ()
        text = piece.get("arguments")
        if isinstance(text, str):
            self._args.feed(text)
        if self._reports_changes:
            return self._give_changes()
        if not self._parser.args_only:
            rest = {key: value for key, value in piece.items() if key != "arguments"}
            self._head = merge_dicts(self._head, rest)
        return self._results.give(self._parser._result_of(self._so_far(), partial=True))

    def close(self) -> Iterable[Any]:
        """Return the result for the whole message if it has changed."""
        if self._is_empty:
            return ()
        result = self._parser.parse_result([self._sum.generation()])
        if self._reports_changes:
            self._results.last = self._so_far()
        return self._results.give(result)

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
