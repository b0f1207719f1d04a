"""What may stand in strings: of JSON, of Python, or between marks without any escapes."""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING, Any, Final

from agent_parsers.decoding.texts.automaton import Automaton, intersection
from agent_parsers.decoding.texts.charsets import ANY, Charset, chars, minus
from agent_parsers.decoding.tree.nodes import Chars, Repeat, Text, choice, optional, sequence
from agent_parsers.decoding.tree.problems import GrammarError

if TYPE_CHECKING:
    from agent_parsers.decoding.tree.nodes import Node

__all__ = ["JSON_ESCAPES", "Strings"]

JSON_ESCAPES: Final = '"\\/bfnrt'
"""The characters that JSON has after a backslash, apart from ``u``."""

_PLAIN: Final = minus(ANY, ((1, 0x1F), (0x22, 0x22), (0x5C, 0x5C)))
_HEX: Final = chars("0123456789abcdefABCDEF")
_DIGIT: Final = Chars(((0x30, 0x39),))


def _escaped(escapes: Charset) -> Automaton:
    """Return the texts between the quotes of a string, with these characters after a backslash."""
    return Automaton(
        (
            ((_PLAIN, 0), (chars("\\"), 1)),
            ((escapes, 0), (chars("u"), 2)),
            ((minus(_HEX, chars("dD")), 4), (chars("dD"), 3)),
            ((chars("01234567"), 5),),  # beyond them are halves of surrogate pairs
            ((_HEX, 5),),
            ((_HEX, 6),),
            ((_HEX, 0),),
        ),
        0,
        frozenset([0]),
    )


def _digits(count: int) -> Node:
    return Repeat(_DIGIT, count, count)


def _day(months: list[Node], last: list[Node]) -> Node:
    days = [sequence("0", Chars(chars("123456789"))), sequence("1", _DIGIT)]
    return sequence(choice(months), "-", choice([*days, *last]))


_TWENTIES: Final = sequence("2", _DIGIT)
_DATE: Final = sequence(
    Chars(chars("12")), _digits(3), "-",
    choice([
        _day([sequence("0", Chars(chars("13578"))), sequence("1", Chars(chars("02")))],
             [_TWENTIES, sequence("30"), sequence("31")]),
        _day([sequence("0", Chars(chars("469"))), sequence("11")], [_TWENTIES, sequence("30")]),
        _day([sequence("02")], [sequence("2", Chars(chars("012345678")))]),
    ]),
)  # fmt: skip
_HOUR: Final = choice([sequence(Chars(chars("01")), _DIGIT), sequence("2", Chars(chars("0123")))])
_SIXTY: Final = sequence(Chars(chars("012345")), _DIGIT)
_TIME: Final = sequence(
    _HOUR, ":", _SIXTY, ":", _SIXTY, optional(sequence(".", Repeat(_DIGIT, 1, 6))),
    optional(choice(["Z", sequence(Chars(chars("+-")), _HOUR, ":", _SIXTY)])),
)  # fmt: skip
_FORMATS: Final[dict[str, Node]] = {
    "date": _DATE,
    "time": _TIME,
    "date-time": sequence(_DATE, "T", _TIME),
    "uuid": sequence(
        *(part for size in (8, 4, 4, 4) for part in (Repeat(Chars(_HEX), size, size), "-")),
        Repeat(Chars(_HEX), 12, 12),
    ),
}
_CHECKED: Final = frozenset({*_FORMATS, "email", "uri", "ipv4", "ipv6"})
"""The formats that the check of a tool knows."""


class Strings:
    """What may stand in a string.

    Args:
        within: Accepts the texts that may stand there; `None` for any.
        escapes: The characters that may follow a backslash; ``""`` if there are no escapes.
        barred: Characters that complete what may not stand there. Strings of limited length have
            none of them, since an automaton that counts would be too large.
    """

    def __init__(self, within: Automaton | None, escapes: str, barred: Charset = ()) -> None:
        self._within = within
        self._escapes = chars(escapes)
        self._barred = barred

    @property
    def has_escapes(self) -> bool:
        """Whether a backslash begins an escape."""
        return bool(self._escapes)

    @cached_property
    def text(self) -> Automaton:
        """Any text in a string."""
        if not self._escapes:
            assert self._within is not None, "something has to end the text"
            return self._within
        made = _escaped(self._escapes)
        return made if self._within is None else intersection(made, self._within)

    def body(
        self, flat: dict[str, Any], within: Automaton | None = None, begins: Charset = ANY
    ) -> Node:
        """Return the texts that *flat*, a part of a schema, allows, without quotes.

        Args:
            flat: The part.
            within: Accepts what any text may be, if not all of them.
            begins: The characters with which a text may begin.

        Raises:
            GrammarError: The schema has something that a grammar cannot say.
        """
        form = flat.get("format", "")
        if form in _FORMATS:
            return _FORMATS[form]
        if form in _CHECKED:
            raise GrammarError(f"a grammar cannot say the format {form!r}")
        least, most = int(flat.get("minLength", 0)), flat.get("maxLength")
        if not least and most is None:
            made = self.text if within is None else intersection(self.text, within)
            return Text(made)
        most = None if most is None else int(most)
        if begins is ANY:
            return Repeat(self._char, least, most)
        first = Chars(minus(begins, self._barred))
        rest = Repeat(self._char, max(least - 1, 0), None if most is None else most - 1)
        return sequence(first, rest)

    def may_hold(self, text: str) -> bool:
        """Return whether *text* may stand around strings."""
        return self._within is None or self._within.accepts(text)

    def check(self, written: str) -> None:
        """Raise if *written*, a value without escapes, may not stand there."""
        if not self.may_hold(written):
            raise GrammarError(f"{written:.80} has a mark in it that the dialect would read")

    @property
    def _char(self) -> Node:
        plain = Chars(minus(_PLAIN if self._escapes else ANY, self._barred))
        if not self._escapes:
            return plain
        first = choice(
            [
                sequence(Chars(minus(_HEX, chars("dD"))), Chars(_HEX)),
                sequence(Chars(chars("dD")), Chars(chars("01234567"))),
            ]
        )
        code = sequence("\\u", first, Chars(_HEX), Chars(_HEX))
        return choice([plain, sequence("\\", Chars(self._escapes)), code])
