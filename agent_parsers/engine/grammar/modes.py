"""How a text is read, and what counts where a turn contradicts itself."""

from __future__ import annotations

from typing import Literal, TypeAlias

__all__ = ["Mode", "OnConflict"]

Mode: TypeAlias = Literal["strict", "lenient", "transcript"]
"""``"strict"`` and ``"lenient"`` read one turn, ``"transcript"`` a whole run."""
OnConflict: TypeAlias = Literal["error", "first", "action", "answer"]
"""What counts in a turn that has an action and a final answer."""
