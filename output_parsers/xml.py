"""The parser of XML."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from pydantic import field_validator
from typing_extensions import override

from output_parsers.growing_xml.expat import Kind, XmlError, XmlReader, unreadable
from output_parsers.growing_xml.trees import LeafReader, Tree
from output_parsers.model_output import check_text
from output_parsers.transform import BaseTransformOutputParser

if TYPE_CHECKING:
    from output_parsers.exceptions import OutputParserException
    from output_parsers.streams.readers import ChunkReader

__all__ = ["XML_FORMAT_INSTRUCTIONS", "XMLOutputParser"]

XML_FORMAT_INSTRUCTIONS = """\
Reply with one XML document and nothing else.
- Use the tags that are listed below; if none are listed, choose fitting names yourself.
- One outermost element holds all others. Close every element that you open, innermost first.
- In text, write &lt; for < and &amp; for &.

With the tags ["menu", "dish", "price"], this reply is right:
<menu>
  <dish>Soup</dish>
  <price>5</price>
</menu>
This one is wrong, because <dish> is never closed: <menu><dish>Soup</menu>
This one is wrong, because <drink> is not among the tags: <menu><drink>Tea</drink></menu>

The tags to use: {tags}"""
"""The request for an XML document, a template."""


class XMLOutputParser(BaseTransformOutputParser[dict[str, Any]]):
    """Returns an XML document as a dictionary of its tags.

    ::

        XMLOutputParser().parse("<menu><dish>Soup</dish><price>5</price></menu>")
        # {'menu': [{'dish': 'Soup'}, {'price': '5'}]}

    The document is the whole text, or the text in its code fence, or the text after a declaration
    of its encoding. An element is ``{tag: children}``; text between and after them is ignored. An
    element that begins with text that is not blank is ``{tag: text}``; its other content is
    ignored, as are all attributes. An empty element is ``{tag: None}``, or ``{tag: []}`` if it is
    the whole document. All this is as in LangChain.

    A stream yields each element without children once it has ended, with the path to it. The
    document may then be anywhere in the text::

        list(XMLOutputParser().transform(iter(["So: <a><b>1</b", "><b>2</b></a>"])))
        # [{'a': [{'b': '1'}]}, {'a': [{'b': '2'}]}]
    """

    tags: list[str] | None = None
    """The tags to name in the format instructions; all tags are read."""
    parser: Kind = "defusedxml"
    """The library that guards against attacks. Both choices refuse entities and all other
    declarations in a document type; ``"xml"`` does so without importing `defusedxml`."""
    encoding_matcher: re.Pattern[str] = re.compile(
        r"<(\?xml\s(?=[^<>]*encoding)[^<>]*+)>\n(.*)", re.DOTALL
    )
    """Matches a declaration of an encoding on its own line and, as the second group, the document
    after it. The declaration is ignored: it is about bytes, and the text is already decoded."""
    max_depth: int = 200
    """How deeply elements may be nested."""

    @field_validator("encoding_matcher")
    @classmethod
    def _has_two_groups(cls, pattern: re.Pattern[str]) -> re.Pattern[str]:
        if pattern.groups < 2:
            raise ValueError(
                f"the pattern {pattern.pattern!r} needs a second group, which captures the document"
            )
        return pattern

    @override
    def parse(self, text: str) -> dict[str, Any]:
        """Return the document in *text*.

        Raises:
            OutputParserException: There is no document, or it is not well-formed, nested too
                deeply, or has a document type that declares or refers to something; ``span`` has
                the place.
        """
        check_text(text)
        failure: OutputParserException | None = None
        kind = (
            self.parser if "<!DOCTYPE" in text else "xml"
        )  # nothing else is to be guarded against
        for start, end in self._documents(text):
            tree = Tree(self.max_depth)
            try:
                XmlReader(tree, kind).read(text[start:end])
            except XmlError as error:
                failure = unreadable(text, start, end, error)
                failure.__cause__ = error
            else:
                return tree.result
        assert failure is not None
        raise failure

    @override
    def _reader(self) -> ChunkReader[dict[str, Any]]:
        return LeafReader(self.parser, self.max_depth)

    def _documents(self, text: str) -> Iterator[tuple[int, int]]:
        """Yield the spans of *text* that may be the document, the most likely first."""
        start, end = 0, len(text)
        stripped = whole = _stripped(text, start, end)
        # A document may contain a fence, so the whole text is tried before the text in the fence.
        is_document = text.startswith("<", stripped[0])
        if is_document:
            declared = self.encoding_matcher.match(text, *stripped)
            whole = _stripped(text, *declared.span(2)) if declared else stripped
            yield whole
        fence, closer = text.find("```"), text.rfind("```")
        if closer - fence >= len("```"):
            start, end = fence + len("```"), closer
            start += len("xml") * text.startswith("xml", start, end)
        declared = self.encoding_matcher.search(text, start, end)
        inner = _stripped(text, *(declared.span(2) if declared else (start, end)))
        if not is_document or inner != whole:
            yield inner

    @override
    def get_format_instructions(self) -> str:
        """Return the format instructions for the model, with the `tags`."""
        tags = ", ".join(self.tags) if self.tags else "your own."
        return XML_FORMAT_INSTRUCTIONS.format(tags=tags)

    @property
    def _type(self) -> str:
        return "xml"


def _stripped(text: str, start: int, end: int) -> tuple[int, int]:
    """Return the span of *text* from *start* to *end* without white space around it."""
    inner = text[start:end]
    start = end - len(inner.lstrip())
    return start, max(start, end - len(inner) + len(inner.rstrip()))
