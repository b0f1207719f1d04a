"""Why a text is no XML that a parser reads."""

from __future__ import annotations

from output_parsers.exceptions import OutputParserException

_OBSERVATION = (
    "Reply with one complete, well-formed XML document: one outermost element, every tag closed, "
    "&lt; and &amp; in place of < and & in text, and no document type."
)


class XmlError(ValueError):
    """What was read is no document, or one that is refused.

    Args:
        reason: Why.
        byte: Where, as an offset into all that was read, in UTF-8.
        message: The reason as expat puts it, if it does: with a line, and a column from 0.
        is_short: Whether all would be well if more came.
    """

    def __init__(
        self, reason: str, byte: int, message: str | None = None, *, is_short: bool = False
    ) -> None:
        super().__init__(message or reason)
        self.reason = reason
        self.byte = byte
        self.is_short = is_short

    def offset(self, document: str) -> int:
        """Return where, as an offset into *document*, which is or begins with what was read."""
        read = document.encode(errors="surrogatepass")[: self.byte]
        return len(read.decode(errors="ignore"))


def unreadable(text: str, start: int, end: int, error: XmlError) -> OutputParserException:
    """Return what to raise if the document from *start* to *end* of *text* cannot be read."""
    document = text[start:end]
    at = start + error.offset(document)
    exception = OutputParserException(
        f"Failed to parse XML format from completion {document}. Got: {error}",
        llm_output=text,
        span=(at, min(at + 1, len(text))),
        reason=f"the XML cannot be read: {error.reason}",
    )
    # Expat counts in the document and columns from 0, which is LangChain's message. What is told
    # to the model and to people is the place in the whole text.
    exception.observation = (
        f"Your XML could not be read: {error.reason}, at line {exception.line}, column"
        f" {exception.column}. {_OBSERVATION}"
    )
    return exception
