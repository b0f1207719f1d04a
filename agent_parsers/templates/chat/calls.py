"""The calls of a format, as they were found in what a chat template writes."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from agent_parsers.templates.chat.marks import same_beginning, same_end

if TYPE_CHECKING:
    from agent_parsers.authoring import Marks, Payload

__all__ = ["AroundCalls", "CallsOfTemplate"]


@dataclass(frozen=True, kw_only=True)
class CallsOfTemplate:
    """How calls are written: the fields of a `CallFormat` that say so."""

    payload: Payload
    call: Marks | None
    between: str = ""
    region: Marks | None = None
    calls: tuple[str, str, str]
    """Text before all calls, between two calls, and after all calls, with every blank."""
    ids: str = ""
    """How ids are spelt, see `Form.ids`; empty if calls have no ids."""


@dataclass(frozen=True)
class AroundCalls:
    """What stands around calls."""

    before: str
    """Before the first call of a turn."""
    between: str | None
    """Between two calls; `None` if a turn has one call."""
    behind: str
    """After the last call."""

    def split(self) -> tuple[Marks, str, Marks]:
        """Return the marks of each call, what stands between calls, and the marks of all."""
        before, between, behind = self.before, self.between, self.behind
        if between is None:
            return (before, behind), "", ("", "")
        opener = same_end(before, between)
        closer = same_beginning(behind, between[: len(between) - len(opener)])
        if not opener.strip():
            opener = closer = ""
        around = before.removesuffix(opener), behind.removeprefix(closer)
        return (opener, closer), between[len(closer) : len(between) - len(opener)], around
