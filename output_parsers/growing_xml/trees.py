"""XML documents as dictionaries: one for the whole document, or one for each leaf."""

from __future__ import annotations

import re
from collections.abc import Callable, Iterator
from typing import Any

from output_parsers.growing_xml.expat import Kind, XmlError, XmlReader, unreadable
from output_parsers.model_output import ModelOutput, text_of


class AddableDict(dict[str, Any]):
    """A dictionary that supports ``+``; the sum has the keys of both.

    ::

        AddableDict(a=[1], b=None) + AddableDict(a=[2], b="x")  # {'a': [1, 2], 'b': 'x'}

    The values of a common key are added, ignoring `None`. Neither dictionary is changed.
    """

    def __add__(self, other: dict[str, Any]) -> AddableDict:
        """Return the sum.

        Raises:
            TypeError: The values of a common key cannot be added.
        """
        total = AddableDict(self)
        for key, value in other.items():
            mine = total.get(key)
            if mine is None:
                total[key] = value
            elif value is not None:
                try:
                    total[key] = mine + value
                except TypeError as error:
                    types = f"{type(mine).__name__!r} and {type(value).__name__!r}"
                    raise TypeError(
                        f"Cannot add incompatible types for key {key!r}: {types}."
                    ) from error
        return total

    def __radd__(self, other: dict[str, Any]) -> AddableDict:
        """Return the sum, with *other* first."""
        return AddableDict(other) + self


class _Elements:
    """The open elements, innermost last.

    Args:
        max_depth: How many elements may be open at once.
    """

    refusal: Callable[[str], XmlError]

    def __init__(self, max_depth: int) -> None:
        self._max_depth = max_depth
        # The tag of each, its text in pieces, and its children.
        self._open: list[tuple[str, list[str], list[Any]]] = []

    def start(self, tag: str, _attributes: object, /) -> None:
        """Open an element."""
        if len(self._open) >= self._max_depth:
            raise self.refusal(
                f"elements are nested more than {self._max_depth} levels deep (max_depth)"
            )
        self._open.append(("{" + tag if "}" in tag else tag, [], []))

    def text(self, text: str, /) -> None:
        """Add text; text after the first child of an element is ignored."""
        _, texts, children = self._open[-1]
        if not children:
            texts.append(text)


class Tree(_Elements):
    """Builds the dictionary of a whole document; `result` has it at the end.

    An element is ``{tag: children}``. If it starts with text that is not blank, it is ``{tag:
    text}`` and its children are ignored. Without children it is ``{tag: text or None}``, except
    that an empty outermost element is ``{tag: []}``.
    """

    def __init__(self, max_depth: int) -> None:
        super().__init__(max_depth)
        self.result: dict[str, Any] = {}

    def end(self, _tag: str, /) -> None:
        """Close the innermost open element."""
        tag, texts, children = self._open.pop()
        text = "".join(texts) or None
        is_blank = text is None or text.isspace()
        value: Any = children if is_blank and children else text
        if self._open:
            self._open[-1][2].append({tag: value})
        else:
            self.result = {tag: [] if is_blank and not children else value}


class Leaves(_Elements):
    """Collects the path of each element without children once it has ended, for `take`.

    The path of ``<b>1</b>`` in ``<a>`` is ``{"a": [{"b": "1"}]}``. All levels are `AddableDict`.
    """

    def __init__(self, max_depth: int) -> None:
        super().__init__(max_depth)
        self.done: bool = False
        """Whether the outermost element has ended."""
        self._leaves: list[AddableDict] = []

    def end(self, _tag: str, /) -> None:
        """Close the innermost open element."""
        tag, texts, children = self._open.pop()
        if not children:
            path = AddableDict({tag: "".join(texts) or None})
            for parent, _, _ in reversed(self._open):
                path = AddableDict({parent: [path]})
            self._leaves.append(path)
        if not self._open:
            self.done = True
        elif not (siblings := self._open[-1][2]):
            siblings.append(None)  # that there was one is all that matters

    def take(self) -> list[AddableDict]:
        """Return the leaves that have ended since this was last called."""
        leaves, self._leaves = self._leaves, []
        return leaves


# -- leaves in a stream ----------------------------------------------------------------------------


class LeafReader:
    """Yields the leaves of the first document in a stream, as they end.

    The document begins at the first tag, or at the document type before it. Text before and after
    the document is ignored.
    """

    def __init__(self, kind: Kind, max_depth: int) -> None:
        self._leaves = Leaves(max_depth)
        self._reader = XmlReader(self._leaves, kind)
        self._beginning = _Beginning()
        self._text: list[str] = []

    def feed(self, chunk: ModelOutput, /) -> Iterator[AddableDict]:
        """Read *chunk* and yield the leaves that have ended.

        Raises:
            OutputParserException: The document cannot be read.
        """
        text = chunk if isinstance(chunk, str) else text_of(chunk)
        if not self._leaves.done:
            self._text.append(text)
            yield from self._after(self._reader.feed, self._beginning.skip(text))

    def close(self) -> Iterator[AddableDict]:
        """Yield the leaves that were held back.

        Raises:
            OutputParserException: The document is not complete, or there is no document.
        """
        if not self._leaves.done:
            yield from self._after(self._reader.close)

    def _after(self, read: Callable[..., None], *text: str) -> Iterator[AddableDict]:
        """Call *read*, yield the leaves that have ended, and then raise its error, if any."""
        error: XmlError | None = None
        try:
            read(*text)
        except XmlError as failure:
            error = failure
        yield from self._leaves.take()
        if error is not None and not self._leaves.done:
            whole, start = "".join(self._text), self._beginning.position
            if not error.is_short:
                # How much text follows the error depends on the chunks, so it is left out.
                whole = whole[: start + error.offset(whole[start:]) + 1]
            raise unreadable(whole, start, len(whole), error) from error


_OPENERS = re.compile(r"<(?:(?P<comment>!--)|!DOCTYPE|[^\W\d]|:)")
_LONGEST_OPENER = len("<!DOCTYPE")


class _Beginning:
    """Finds where the document in a stream begins, skipping comments before it."""

    def __init__(self) -> None:
        self.position = 0
        """Where the document begins, once that is known."""
        self._is_found = False
        self._is_comment = False
        self._passed_chars = 0
        self._held = ""

    def skip(self, text: str) -> str:
        """Return the part of *text*, and of what was held back, that belongs to the document."""
        if self._is_found:
            return text
        text = self._held + text
        start, self._is_found = self._find(text)
        self._held = text[start:]
        self._passed_chars += start
        if not self._is_found:
            return ""
        self.position = self._passed_chars
        return self._held

    def _find(self, text: str) -> tuple[int, bool]:
        """Return where the document may begin, and whether that is certain without more text."""
        start = 0
        while True:
            if self._is_comment:
                end = text.find("-->", start)
                if end < 0:
                    return max(start, len(text) - len("--")), False
                start, self._is_comment = end + len("-->"), False
            opener = _OPENERS.search(text, start)
            if opener is None:
                held = text.rfind("<", max(start, len(text) - _LONGEST_OPENER))
                return (held if held >= 0 else len(text)), False
            if not opener["comment"]:
                return opener.start(), True
            start, self._is_comment = opener.end(), True
