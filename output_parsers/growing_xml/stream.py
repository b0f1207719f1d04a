"""The leaves of an XML document in a streamed text."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from output_parsers.growing_xml.errors import XmlError, unreadable
from output_parsers.growing_xml.expat import XmlReader
from output_parsers.growing_xml.trees import Leaves
from output_parsers.model_output import text_of

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from output_parsers.growing_xml.expat import Kind
    from output_parsers.growing_xml.trees import AddableDict
    from output_parsers.model_output import ModelOutput


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
