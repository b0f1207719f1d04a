"""Errors in XML."""

from __future__ import annotations

from output_parsers.exceptions import OutputParserException

_OBSERVATION = (
    "Reply with one complete, well-formed XML document: one outermost element, every tag closed, "
    "&lt; and &amp; in place of < and & in text, and no document type."
)


class XmlError(ValueError):
    """A text is not an XML document, or the document is refused.

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
        """Return the error's offset in *document*, which starts with the text read."""
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
