"""XML read as it comes in, by Python's expat, and nothing that a document could do harm with.

A document type definition can make a short text stand for gigabytes (entities made of entities),
make every element dear (attributes by default), and name files and addresses to be read. So one
that declares or refers to anything is refused. `defusedxml` refuses the same a second time.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Literal, Protocol
from xml.parsers import expat

from output_parsers.growing_xml.errors import XmlError

if TYPE_CHECKING:
    from collections.abc import Callable

Kind = Literal["defusedxml", "xml"]


class Builder(Protocol):
    """Takes what a document consists of, without comments and instructions.

    The methods are expat's own handlers: a call between takes as long as they do.
    """

    refusal: Callable[[str], XmlError]
    """Makes an error of a reason to refuse the document, at the place that has been reached."""

    def start(self, tag: str, attributes: object, /) -> None:
        """Take the beginning of an element."""

    def text(self, text: str, /) -> None:
        """Take text; what stands between two tags may come in pieces."""

    def end(self, tag: str, /) -> None:
        """Take the end of the innermost element that is open."""


class XmlReader:
    """Reads one document, whole or in pieces, and tells *builder* what it consists of.

    Args:
        builder: Takes the parts of the document; a tag in a namespace is ``namespace}tag``.
        kind: Whose refusal of declarations stands behind ours.
    """

    _FREE_CHARS = 4096
    """Older versions of expat read a tag that has not ended anew with each piece. When more than
    this was read in vain, the next piece is as long as that: else the cost is quadratic."""

    def __init__(self, builder: Builder, kind: Kind) -> None:
        self._held: list[str] = []
        self._held_chars = 0
        self._vain_chars = 0
        self._parser = parser = _guarded() if kind == "defusedxml" else expat.ParserCreate(*_UTF_8)
        parser.buffer_text = True
        parser.ordered_attributes = True  # the cheapest form: nobody looks at them
        builder.refusal = self._refusal
        parser.StartElementHandler = builder.start
        parser.EndElementHandler = builder.end
        parser.CharacterDataHandler = builder.text
        parser.StartDoctypeDeclHandler = self._doctype

    def read(self, text: str) -> None:
        """Read *text*, which is the whole document.

        Raises:
            XmlError: It is not well-formed, or refused by *builder* or for its document type.
        """
        self._parse(text, is_last=True)

    def feed(self, text: str) -> None:
        """Read *text*, a piece of the document, as far as a tag may have ended.

        Raises:
            XmlError: As `read` does.
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
        """Read what was held back: the document ends here.

        Raises:
            XmlError: As `read` does.
        """
        self._parse("".join(self._held), is_last=True)

    def _parse(self, text: str, *, is_last: bool = False) -> None:
        try:
            if "<!DOCTYPE" in text:
                # An exception does not stop expat, which goes on to the end of what it was given:
                # so it is not given what is declared in the brackets.
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
            raise self._refusal("a document type that declares or refers to something is forbidden")

    def _refusal(self, reason: str) -> XmlError:
        return XmlError(reason, self._parser.CurrentByteIndex)


_UTF_8 = ("utf-8", "}")
"""How expat is set up: a text has been decoded, so that what it says of its encoding is void; and
what stands between a namespace and a name."""

_SHORT = {
    expat.errors.XML_ERROR_NO_ELEMENTS,
    expat.errors.XML_ERROR_PARTIAL_CHAR,
    expat.errors.XML_ERROR_UNCLOSED_CDATA_SECTION,
    expat.errors.XML_ERROR_UNCLOSED_TOKEN,
}
"""What expat says of a document that only lacks its end."""


def _guarded() -> Any:
    """Return an expat parser that `defusedxml` watches."""
    from defusedxml.ElementTree import XMLParser  # type: ignore[import-untyped]

    return XMLParser(target=object(), encoding="utf-8").parser
