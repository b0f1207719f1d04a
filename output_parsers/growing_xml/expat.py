"""Safe incremental XML reading with Python's expat.

A document type definition can make a short text expand to gigabytes (nested entities), make every
element expensive (default attributes), and name files and URLs to be read. So a definition that
declares or refers to anything is refused. `defusedxml` is a second guard against the same.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, Literal, Protocol
from xml.parsers import expat

from output_parsers.exceptions import OutputParserException

_OBSERVATION = (
    "Reply with one complete, well-formed XML document: one outermost element, every tag closed, "
    "&lt; and &amp; in place of < and & in text, and no document type."
)


class XmlError(ValueError):
    """The text is not an XML document, or the document is refused.

    Args:
        reason: What is wrong.
        byte: Where, as a byte offset into the text read so far, in UTF-8.
        message: Expat's message, if there is one: with a line, and a column from 0.
        is_short: Whether the document only lacks its end.
    """

    def __init__(
        self, reason: str, byte: int, message: str | None = None, *, is_short: bool = False
    ) -> None:
        super().__init__(message or reason)
        self.reason = reason
        self.byte = byte
        self.is_short = is_short

    def offset(self, document: str) -> int:
        """Return the offset of the error in *document*, the beginning of which was read."""
        read = document.encode(errors="surrogatepass")[: self.byte]
        return len(read.decode(errors="ignore"))


def unreadable(text: str, start: int, end: int, error: XmlError) -> OutputParserException:
    """Return the exception for a document, from *start* to *end* of *text*, that cannot be read."""
    document = text[start:end]
    at = start + error.offset(document)
    exception = OutputParserException(
        f"Failed to parse XML format from completion {document}. Got: {error}",
        llm_output=text,
        span=(at, min(at + 1, len(text))),
        reason=f"the XML cannot be read: {error.reason}",
    )
    # Expat counts from the start of the document and columns from 0, as in LangChain's message. The
    # observation and the span refer to the whole text.
    exception.observation = (
        f"Your XML could not be read: {error.reason}, at line {exception.line}, column"
        f" {exception.column}. {_OBSERVATION}"
    )
    return exception


# -- reading with expat ----------------------------------------------------------------------------

Kind = Literal["defusedxml", "xml"]


class Builder(Protocol):
    """Receives the parts of a document, without comments and processing instructions.

    The methods are expat's handlers directly: a wrapper would take as long as they do.
    """

    refusal: Callable[[str], XmlError]
    """Returns the error for refusing the document at the current position, given the reason."""

    def start(self, tag: str, attributes: object, /) -> None:
        """Receive the start of an element."""

    def text(self, text: str, /) -> None:
        """Receive text; the text between two tags may arrive in pieces."""

    def end(self, tag: str, /) -> None:
        """Receive the end of the innermost open element."""


class XmlReader:
    """Reads one document, whole or in pieces, and passes its parts to *builder*.

    Args:
        builder: Receives the parts of the document; a tag in a namespace is ``namespace}tag``.
        kind: The library that refuses declarations in addition to this class.
    """

    _FREE_CHARS = 4096
    """Older versions of expat read an unfinished tag again with each piece. Once more than this was
    read in vain, the next piece must be as long as that, or the cost would be quadratic."""

    def __init__(self, builder: Builder, kind: Kind) -> None:
        self._held: list[str] = []
        self._held_chars = 0
        self._vain_chars = 0
        self._parser = parser = _guarded() if kind == "defusedxml" else expat.ParserCreate(*_UTF_8)
        parser.buffer_text = True
        parser.ordered_attributes = True  # the cheapest form, since attributes are ignored
        self._builder = builder
        builder.refusal = self._refusal
        parser.StartElementHandler = builder.start
        parser.EndElementHandler = builder.end
        parser.CharacterDataHandler = builder.text

    def read(self, text: str) -> None:
        """Read *text* as the whole document.

        Raises:
            XmlError: *text* is not well-formed, or is refused by *builder* or for its document
                type.
        """
        self._parse(text, is_last=True)
        del self._builder.refusal  # now nothing refers to itself, and all goes at once

    def feed(self, text: str) -> None:
        """Read *text*, the next piece of the document, up to the last character that may end a tag.

        Raises:
            XmlError: As in `read`.
        """
        self._held.append(text)
        self._held_chars += len(text)
        if ">" not in text:
            return
        if self._vain_chars > max(self._FREE_CHARS, self._held_chars):
            return
        held = "".join(self._held)
        end = held.rfind(">") + 1
        self._held = [held[end:]]
        self._held_chars = len(held) - end
        before = self._parser.CurrentByteIndex
        self._parse(held[:end])
        is_vain = self._parser.CurrentByteIndex == before
        self._vain_chars = self._vain_chars + end if is_vain else 0

    def close(self) -> None:
        """Read the text held back and end the document.

        Raises:
            XmlError: As in `read`.
        """
        self._parse("".join(self._held), is_last=True)

    def _parse(self, text: str, *, is_last: bool = False) -> None:
        try:
            if "<!DOCTYPE" in text:
                # An exception in a handler does not stop expat before the end of its input, so the
                # declarations in the brackets are not passed to it.
                self._parser.StartDoctypeDeclHandler = self._doctype
                head = text[: text.find("[", text.index("<!DOCTYPE")) + 1]
                text = text[len(head) :]
                self._parser.Parse(head.encode(errors="surrogatepass"), False)
            self._parser.Parse(text.encode(errors="surrogatepass"), is_last)
        except expat.ExpatError as error:
            reason = expat.ErrorString(error.code) or "not well-formed"
            is_short = reason in _SHORT
            at = self._parser.ErrorByteIndex
            raise XmlError(reason, at, str(error), is_short=is_short) from error

    def _doctype(self, _name: str, system: object, public: object, declares: int) -> None:
        if declares or system or public:
            raise self._refusal(
                "a DOCTYPE with declarations or an external reference is not allowed"
            )

    def _refusal(self, reason: str) -> XmlError:
        return XmlError(reason, self._parser.CurrentByteIndex)


_UTF_8 = ("utf-8", "}")
"""Expat's encoding, which overrides the declared one since the text is already decoded, and the
separator between namespace and name."""

_SHORT = {
    expat.errors.XML_ERROR_NO_ELEMENTS,
    expat.errors.XML_ERROR_PARTIAL_CHAR,
    expat.errors.XML_ERROR_UNCLOSED_CDATA_SECTION,
    expat.errors.XML_ERROR_UNCLOSED_TOKEN,
}
"""Expat's errors for a document that only lacks its end."""


def _guarded() -> Any:
    """Return an expat parser guarded by `defusedxml`."""
    from defusedxml.ElementTree import XMLParser  # type: ignore[import-untyped]

    return XMLParser(target=object(), encoding="utf-8").parser
