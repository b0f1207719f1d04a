"""Why a text is no XML that a parser reads."""

from __future__ import annotations

from output_parsers._errors import OutputParserException

_OBSERVATION = (
    "Reply with one complete, well-formed XML document: one outermost element, every tag closed, "
    "&lt; and &amp; in place of < and & in text, and no document type."
)


class XmlError(ValueError):
    """What was read is no document, or one that is refused.

    Args:
        reason: Why.
        byte: Where, as an offset into all that was read, in UTF-8.
        is_short: Whether all would be well if more came.
    """

    def __init__(self, reason: str, byte: int, *, is_short: bool = False) -> None:
        super().__init__(reason)
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
    return OutputParserException(
        f"Failed to parse XML format from completion {document}. Got: {error}",
        observation=f"Your XML could not be read: {error}. {_OBSERVATION}",
        llm_output=text,
        span=(at, min(at + 1, len(text))),
    )
