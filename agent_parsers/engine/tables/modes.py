"""The modes of reading, and which part counts if a turn contradicts itself."""

from __future__ import annotations

from typing import Final, Literal, TypeAlias

Mode: TypeAlias = Literal["strict", "lenient", "transcript", "langchain"]
"""``"strict"`` and ``"lenient"`` read one turn, ``"transcript"`` many turns. ``"langchain"`` is
``"strict"``, but makes the calls that LangChain's parser of the same name makes, even if lenient
mode does not, unless they stand in a thought."""
STRICT: Final = ("strict", "langchain")
"""The modes that repair nothing."""
OnConflict: TypeAlias = Literal["error", "first", "action", "answer"]
"""Which one counts if a turn has both an action and a final answer."""
EmitCalls: TypeAlias = Literal["all", "each"]
"""When a stream emits the calls of a turn: ``"all"`` at its end, if all can be made, or ``"each"``
when its block closes."""
MAX_CHARS: Final = 10_000_000
"""Default limit on the length of a turn, in characters."""

_ENDS: Final = ("unknown", "stop", "length")


def check_ended(ended: object) -> None:
    """Check that *ended* says how a text ended, and is not a provider's word.

    Raises:
        ValueError: It is not one of `Ended`.
    """
    if ended not in _ENDS:
        raise ValueError(
            f"ended must be one of {_ENDS}, not {ended!r}; outputs.ended_of converts a provider's"
            " finish reason"
        )
