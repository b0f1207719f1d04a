"""The thought at the beginning of a reply, which is not a part of the answer."""

from __future__ import annotations

import re
from typing import Final

_TAGS: Final = ("think", "thinking", "reasoning")
CLOSERS: Final = {f"<{tag}>": f"</{tag}>" for tag in _TAGS}
"""The tags that open a thought, each with the one that closes it."""

_THOUGHT: Final = re.compile(rf"\s*+<({'|'.join(_TAGS)})>(?P<rest>.*?</\1>)?", re.DOTALL)


def begins_with_thought(text: str) -> bool:
    """Return whether *text* begins with a thought, which may be open."""
    return _THOUGHT.match(text) is not None


def after_thoughts(text: str) -> int:
    """Return where the thoughts at the beginning of *text* end; the end of *text* if one is open.

    ::

        <think>The user wants a city.</think>{"city": "Oslo"}
    """
    end = 0
    while (thought := _THOUGHT.match(text, end)) is not None:
        if thought["rest"] is None:
            return len(text)
        end = thought.end()
    return end
