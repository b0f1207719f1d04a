"""The runs of one conversation, each of which knows those before it."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from types import MappingProxyType
from typing import TYPE_CHECKING, Any

from agent_parsers.transcripts import Conversation

if TYPE_CHECKING:
    from agent_parsers.transcripts import Transcript


class RunsSoFar:
    """The runs of one conversation that have been read so far."""

    def __init__(
        self,
        name: str = "",
        about: Mapping[str, Any] = MappingProxyType({}),
        called_by: str = "",
        is_conversation: bool = False,
    ) -> None:
        self.name = name
        """Its id, if it has one."""
        self._about = about
        self._called_by = called_by
        self._is_conversation = is_conversation
        self._runs: list[Transcript] = []

    def add(self, run: Transcript, own: Mapping[str, Any], *, is_last: bool) -> Transcript:
        """Add the next run and its *own* metadata, and return it with its place.

        If it *is_last*, no other run follows; a single run has no place in a conversation.
        """
        about = {**self._about, **own}
        if about or self._called_by:
            run = replace(run, metadata=about, called_by=self._called_by)
        if self._is_conversation and not (is_last and not self._runs):
            turn = len(self._runs) + 1
            run = replace(run, conversation=Conversation(self.name, turn, self._runs))
            self._runs.append(run)
        return run


def with_more(about: Mapping[str, Any], more: Mapping[str, Any]) -> dict[str, Any]:
    """Merge *more* metadata into that *about* a run; numbers of tokens and costs are added up.

    For anything else, such as the time, the first value counts.
    """
    found = {**more, **about}
    for name in more.keys() & about.keys():
        if name.endswith(("_tokens", "cost")):
            found[name] = about[name] + more[name]
    return found
