"""The content of a message: text, or a list of blocks."""

from __future__ import annotations

import warnings
from typing import Any, TypeAlias

from outputs.messages.merging import ListMerger

Content: TypeAlias = str | list[str | dict[Any, Any]]
"""Text, or a list of text and blocks such as ``{"type": "text", "text": "Hello"}``."""


class TextAccessor(str):
    """The text of a message; also callable, because it used to be a method."""

    __slots__ = ()

    def __call__(self) -> str:
        """Return the text, with a `DeprecationWarning`: ``.text`` is a property now."""
        warnings.warn(
            "message.text() is deprecated; use the property message.text",
            DeprecationWarning,
            stacklevel=2,
        )
        return str(self)


def text_of(content: Content, *, untyped: bool = False) -> str:
    """Return the text in *content*: plain strings and blocks of type ``text``, joined.

    Args:
        content: Text or blocks.
        untyped: Include blocks that have a ``text`` but no ``type``.
    """
    if isinstance(content, str):
        return content
    types = ("text", None) if untyped else ("text",)
    return "".join(
        block if isinstance(block, str) else block["text"]
        for block in content
        if isinstance(block, str)
        or (block.get("type") in types and isinstance(block.get("text"), str))
    )


def merge_content(first_content: Content | None, *contents: Content) -> Content:
    """Return the sum of contents, in linear time and without changing any of them.

    Texts are joined. If there is a list, the result is a list: text before it becomes the first
    item, text after it is joined to the last item if that is text and otherwise becomes a new item,
    and lists are merged by the rules of `merge_lists`.

    Raises:
        TypeError: Blocks with the same index cannot be merged; see `merge_dicts`.
    """
    pieces: list[str] = []
    merger: ListMerger | None = None
    for content in ("" if first_content is None else first_content, *contents):
        if isinstance(content, str):
            if merger is None:
                pieces.append(content)
            else:
                merger.extend_text(content)
        elif merger is None:
            merger = ListMerger(["".join(pieces), *content] if pieces else content)
        else:
            merger.extend(content)
    return "".join(pieces) if merger is None else merger.result()
