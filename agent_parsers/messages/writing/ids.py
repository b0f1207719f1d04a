"""The ids of calls, which APIs require but not every model provides."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from agent_parsers.messages.writing.past import PastTurn

if TYPE_CHECKING:
    from collections.abc import Callable

    from agent_parsers.messages.writing.past import Past, PastCall

__all__ = ["Ids"]


@dataclass(frozen=True, slots=True)
class Ids:
    """What an API requires of the ids of calls."""

    api: str
    """Name of the API, for error messages."""
    fits: Callable[[str], Any] = bool
    """Returns something true if the API accepts an id."""
    is_unique: bool = False
    """Whether ids must be unique in the whole run, and not only in one turn."""
    has_functions: bool = False
    """Whether the API has function calls, which need no id."""

    def give(self, past: Past, new_id: Callable[[int], str] | None) -> Past:
        """Return *past* with an id for each call.

        Args:
            past: The run so far.
            new_id: Returns an id for a call without a valid id, given its number in the run.

        Raises:
            ValueError: A call has no valid id and *new_id* is `None`, or its id is not valid.
        """
        number = 0
        taken: set[str] = set()
        done: Past = []
        for item in past:
            if not isinstance(item, PastTurn):
                done.append(item)
                continue
            if not self.is_unique:
                taken = set()
            calls = []
            for call in item.calls:
                number += 1
                calls.append(self._with_id(call, number, taken, new_id))
            done.append(PastTurn(item.message, tuple(calls)))
        return done

    def _with_id(
        self, call: PastCall, number: int, taken: set[str], new_id: Callable[[int], str] | None
    ) -> PastCall:
        if call.is_function and self.has_functions:
            return call
        call_id = call.id
        if not call_id or not self.fits(call_id) or call_id in taken:
            if new_id is None:
                raise ValueError(self._lacking(call, number))
            call_id = new_id(number)
            if not self.fits(call_id) or call_id in taken:
                raise ValueError(f"{self.api} does not take the new id {call_id!r} for a call")
        taken.add(call_id)
        return replace(call, id=call_id)

    def _lacking(self, call: PastCall, number: int) -> str:
        wrong = f"the id {call.id!r}, which {self.api} does not take here" if call.id else "no id"
        return (
            f"call {number} of the run, of {call.tool!r}, has {wrong}: say what ids to use"
            ' instead, as in new_id="call_{}".format'
        )
