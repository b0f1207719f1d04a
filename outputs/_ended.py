"""How a text ended, which decides what may be missing at its end."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final, Literal, TypeAlias

if TYPE_CHECKING:
    from collections.abc import Mapping

__all__ = ["Ended", "ended_of"]

Ended: TypeAlias = Literal["unknown", "stop", "length"]
"""``"stop"``: the model stopped by itself or at a stop sequence. ``"length"``: the text was cut."""

_STOP: Final = frozenset(
    ("stop", "tool_calls", "function_call", "tool_use", "end_turn", "stop_sequence", "eos",
     "eos_token", "completed")
)  # fmt: skip
_LENGTH: Final = frozenset(
    ("length", "max_tokens", "max_output_tokens", "incomplete", "abort", "content_filter",
     "model_context_window_exceeded", "pause_turn")
)  # fmt: skip
_FIELDS: Final = ("finish_reason", "stop_reason", "done_reason", "status")
"""Where providers say it: OpenAI and its kin, Anthropic, Ollama, OpenAI's Responses."""


def ended_of(metadata: Mapping[str, Any]) -> Ended:
    """Return how a message ended, given its ``response_metadata``.

    A reason that is not known here says nothing. Of two reasons, the one for a cut counts.
    """
    reasons = {value.lower() for field in _FIELDS if isinstance(value := metadata.get(field), str)}
    if metadata.get("incomplete_details") or not _LENGTH.isdisjoint(reasons):
        return "length"
    return "unknown" if _STOP.isdisjoint(reasons) else "stop"
