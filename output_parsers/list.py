"""Parsers of lists: separated by commas, numbered, or with Markdown bullets.

A stream yields each item once it is complete, as a list of one. However the text is cut into
chunks, these are the items of the whole text.
"""

from __future__ import annotations

import re
from abc import abstractmethod
from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING, Any, ClassVar, Self

from pydantic import Field, model_validator
from typing_extensions import override

from output_parsers.model_output import ModelOutput, check_text, text_of
from output_parsers.text.list_items import CommaItems, LineItems, MatchItems, WholeText, item_of
from output_parsers.transform import BaseTransformOutputParser

if TYPE_CHECKING:
    from output_parsers.streams.readers import ChunkReader
    from output_parsers.text.list_items import ItemReader
    from output_parsers.text.timed_regex import TimeLeft

__all__ = [
    "CommaSeparatedListOutputParser",
    "ListOutputParser",
    "MarkdownListOutputParser",
    "NumberedListOutputParser",
]


class ListOutputParser(BaseTransformOutputParser[list[str]]):
    r"""A parser whose result is a list of strings.

    A subclass implements `parse`. A stream then yields the items at its end, unless the subclass
    implements `parse_iter` too::

        class Tags(ListOutputParser):
            def parse(self, text):
                return re.findall(r"#(\w+)", text)

            def parse_iter(self, text):
                return re.finditer(r"#(\w+)", text)
    """

    @abstractmethod
    def parse(self, text: str) -> list[str]:
        """Return the items in *text*, in order."""

    def parse_iter(self, text: str) -> Iterator[re.Match[str]]:
        """Yield a match for each item in *text*, in order; the item is its first group.

        Once a match is followed by another, more text must not change it.

        Raises:
            NotImplementedError: The parser cannot find the items one by one.
        """
        raise NotImplementedError(
            f"{type(self).__name__} cannot yield items one by one: use parse to get the whole list"
        )

    def _items(self) -> ItemReader:
        """Return a reader of the items of one stream."""
        if getattr(self.parse_iter, "__func__", None) is ListOutputParser.parse_iter:
            return WholeText(self.parse)
        return MatchItems(self.parse_iter, self.parse)

    @override
    def _reader(self) -> ChunkReader[list[str]]:
        return _OneByOne(self._items())

    @property
    def _type(self) -> str:
        return "list"


class CommaSeparatedListOutputParser(ListOutputParser):
    r"""Returns the items of a comma-separated list.

    ::

        CommaSeparatedListOutputParser().parse('red, "green, or so", blue')
        # ['red', 'green, or so', 'blue']

    The rules are those of CSV. An item that begins with a double quote ends at the next one, and
    may contain commas, line breaks and doubled double quotes. Spaces before an item are ignored.
    The end of a line also ends an item, and an empty line has no item. Any text can be read: there
    are no errors.
    """

    @override
    def parse(self, text: str) -> list[str]:
        """Return the items in *text*, in order."""
        check_text(text)
        if '"' in text or "\r" in text:
            reader = CommaItems()
            return [*reader.feed(text), *reader.close()]
        if text and not ("\n" in text or ",  " in text or text.startswith(" ")):
            return text.replace(", ", ",").split(",")
        lines = filter(None, text.split("\n"))
        return [item.lstrip(" ") for line in lines for item in line.split(",")]

    @override
    def _items(self) -> ItemReader:
        return CommaItems() if _is(self.parse, CommaSeparatedListOutputParser) else super()._items()

    @override
    def get_format_instructions(self) -> str:
        """Return the format instructions for the model."""
        return (
            "Reply with the items on one line, separated by commas, and nothing else. Put an item "
            'that holds a comma in double quotes. For example:\n\nfoo, "bar, or so", baz'
        )

    @property
    def _type(self) -> str:
        return "comma-separated-list"


class _PatternListOutputParser(ListOutputParser):
    """A parser whose items are the matches of a regular expression."""

    pattern: str
    """A regular expression for an item; its first group is the item's text.

    A custom pattern is matched by the package `regex`, which supports the syntax of `re` and more.
    A stream then yields an item once the next one has begun. The items do not depend on the chunks
    as long as the pattern does not look further ahead than that.
    """
    timeout_s: float = Field(default=1.0, gt=0)
    """How long a custom pattern may take with one text, in seconds."""

    _flags: ClassVar[re.RegexFlag]
    """The flags of `pattern`."""

    _lines: ClassVar[LineItems.Form]
    """The form of the default pattern's items, which are found in linear time."""

    @model_validator(mode="after")
    def _is_a_pattern(self) -> Self:
        if not self._is_default():
            self._compiled()
        return self

    def parse(self, text: str) -> list[str]:
        """Return the items in *text*, in order; an empty list if there are no items.

        Raises:
            OutputParserException: A custom pattern took too long.
        """
        check_text(text)
        if self.pattern == self._lines.item.pattern and type(self).parse_iter is _PARSE_ITER:
            return self._lines.item.findall(text)
        return [item_of(match) for match in self.parse_iter(text)]

    @override
    def parse_iter(self, text: str) -> Iterator[re.Match[str]]:
        """Yield a match for each item in *text*, in order; the item is its first group.

        With a custom pattern, the matches are those of the package `regex`.

        Raises:
            OutputParserException: A custom pattern took too long.
        """
        if self._is_default():
            return self._lines.item.finditer(text)
        return iter(self._time_left().matches(self._compiled(), text))

    @override
    def _items(self) -> ItemReader:
        if not _is(self.parse_iter, _PatternListOutputParser):
            return super()._items()
        if not _is(self.parse, _PatternListOutputParser):
            return WholeText(self.parse)
        if self._is_default():
            return LineItems(self._lines)
        time_left, pattern = self._time_left(), self._compiled()
        return MatchItems(
            lambda text: time_left.matches(pattern, text),
            lambda text: [item_of(match) for match in time_left.matches(pattern, text)],
        )

    def _is_default(self) -> bool:
        return self.pattern == self._lines.item.pattern

    def _compiled(self) -> Any:
        from output_parsers.text.timed_regex import compiled

        return compiled(self.pattern, self._flags)

    def _time_left(self) -> TimeLeft:
        from output_parsers.text.timed_regex import TimeLeft

        return TimeLeft(self.timeout_s)


_PARSE_ITER = _PatternListOutputParser.parse_iter


class NumberedListOutputParser(_PatternListOutputParser):
    r"""Returns the items of a numbered list.

    ::

        NumberedListOutputParser().parse("Two colours:\n1. red\n2. green")  # ['red', 'green']

    An item is the text after a number, a full stop and white space, up to the end of the line.
    All other text is ignored.
    """

    # Only the first digit of a number may start a match. Otherwise `re` would search for the end of
    # a long number from each of its digits. A pattern that begins with a digit is found sooner than
    # one that begins by looking back.
    pattern: str = r"\d(?<!\d\d)\d*\.\s([^\n]+)"

    _flags: ClassVar = re.NOFLAG
    _lines: ClassVar = LineItems.Form(re.compile(pattern), opener=re.compile(r"\d\.\n\Z"))

    @override
    def get_format_instructions(self) -> str:
        """Return the format instructions for the model."""
        return (
            "Reply with a numbered list, one item on each line, the number followed by a full stop "
            "and a space. For example:\n\n1. foo\n2. bar\n3. baz"
        )

    @property
    def _type(self) -> str:
        return "numbered-list"


class MarkdownListOutputParser(_PatternListOutputParser):
    r"""Returns the items of a Markdown list.

    ::

        MarkdownListOutputParser().parse("Two colours:\n- red\n  * green")  # ['red', 'green']

    An item is a line that begins, indented or not, with a hyphen or an asterisk and white space.
    All other text is ignored.
    """

    pattern: str = r"^[^\S\n]*[-*]\s([^\n]+)$"

    _flags: ClassVar = re.MULTILINE
    _lines: ClassVar = LineItems.Form(
        re.compile(pattern, re.MULTILINE), opener=re.compile(r"^[^\S\n]*[-*]\n\Z", re.MULTILINE)
    )

    @override
    def get_format_instructions(self) -> str:
        """Return the format instructions for the model."""
        return (
            "Reply with a Markdown list, one item on each line, each after a hyphen and a space. "
            "For example:\n\n- foo\n- bar\n- baz"
        )

    @property
    def _type(self) -> str:
        return "markdown-list"


class _OneByOne:
    """Returns each item of a stream as a list of one."""

    def __init__(self, items: ItemReader) -> None:
        self._items = items

    def feed(self, chunk: ModelOutput, /) -> Iterable[list[str]]:
        text = chunk if isinstance(chunk, str) else text_of(chunk)
        return [[item] for item in self._items.feed(text)]

    def close(self) -> Iterable[list[str]]:
        return [[item] for item in self._items.close()]


def _is(method: object, cls: type) -> bool:
    """Return whether a bound *method* is defined by *cls* and not by a subclass."""
    return getattr(method, "__func__", None) in vars(cls).values()
