"""What reads a turn in one match: the interface that steps and turns of calls share."""

from __future__ import annotations

from abc import ABC, abstractmethod
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from agent_parsers.actions.agent import AgentAction, AgentFinish, TurnResult
    from agent_parsers.engine.reading.rules.known_tools import KnownTools
    from agent_parsers.engine.reading.turn import PlainTurn
    from agent_parsers.events import Span


class PlainStep(NamedTuple):
    """A step in a run, with the spans of its parts."""

    thought: str
    thought_span: Span | None
    """Where the thought is; `None` without a thought."""
    action: AgentAction | AgentFinish
    span: Span
    """Span of the action, from the name of its tool on, or of the answer."""


class Matcher(ABC):
    """Reads whole turns that are spelt exactly as in their dialect; others need a stream."""

    @abstractmethod
    def read(self, text: str, tools: KnownTools) -> PlainTurn | None:
        """Return the parts of a whole turn; `None` if only a stream can read it."""

    @abstractmethod
    def result_of(self, turn: PlainTurn, text: str) -> TurnResult:
        """Return the result of a *turn* with this *text*."""

    def may_call(self, text: str) -> bool:  # noqa: ARG002 - turns use it
        """Return whether *text* contains the usual beginning of a call."""
        return True

    def result(self, text: str, tools: KnownTools, *, is_exact: bool = False) -> TurnResult | None:
        """Return the result of a turn; `None` if it needs a stream or, if *is_exact*, a repair."""
        turn = self.read(text, tools)
        if turn is None or (is_exact and turn.repairs):
            return None
        return self.result_of(turn, text)

    def step(
        self,
        text: str,  # noqa: ARG002 - steps use them
        tools: KnownTools,  # noqa: ARG002
        at: int = 0,  # noqa: ARG002
    ) -> PlainStep | None:
        """Return a step that needs no repairs, with the spans of its parts; see also `read`.

        Its *text* begins at offset *at* of the whole text. Turns with several calls are not steps.
        """
        return None
