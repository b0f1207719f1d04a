"""The thought at the beginning of a reply, which is not a part of the answer."""

from __future__ import annotations

import re
from typing import Final

_TAGS: Final = ("think", "thinking", "reasoning")
CLOSERS: Final = {f"<{tag}>": f"</{tag}>" for tag in _TAGS}
"""The tags that open a thought, each with the one that closes it."""

_THOUGHT: Final = re.compile(rf"\s*+<({'|'.join(_TAGS)})>(?P<rest>.*?</\1>)?", re.DOTALL)

_find_closer: Final = re.compile(rf"</(?P<tag>{'|'.join(_TAGS)})>").search


def begins_with_thought(text: str) -> bool:
    """Return whether *text* begins with a thought, closed or not."""
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


def is_in_thought(text: str, end: int) -> bool:
    """Return whether *end* is inside a thought: a closing tag without an opening one follows.

    Some prompts open the thought, so that a reply has only its end::

        Maybe {"city": "Bern"}?</think>{"city": "Oslo"}
    """
    closer = _find_closer(text, end)
    return closer is not None and text.find(f"<{closer['tag']}>", end, closer.start()) < 0
