"""What may stand in strings: of JSON, of Python, or between marks without any escapes."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from functools import cached_property
from typing import TYPE_CHECKING, Any, Final

from agent_parsers.constrain.parts.automaton import (
    ANY,
    SPACES,
    Automaton,
    Charset,
    chars,
    intersection,
    minus,
)
from agent_parsers.constrain.parts.tree import (
    Chars,
    GrammarError,
    NoValue,
    Text,
    choice,
    repeat,
    sequence,
)
from agent_parsers.constrain.values.patterns import of_pattern
from agent_parsers.forms.form import write_json

if TYPE_CHECKING:
    from agent_parsers.constrain.parts.tree import Node, Notes
    from agent_parsers.constrain.values.cases import Case

JSON_ESCAPES: Final = '"\\/bfnrt'
"""The characters that JSON has after a backslash, apart from ``u``."""

_PLAIN: Final = minus(ANY, ((1, 0x1F), (0x22, 0x22), (0x5C, 0x5C)))
_HEX: Final = chars("0123456789abcdefABCDEF")


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


_HOUR: Final = r"(?:[01]\d|2[0-3])"
_TIME: Final = rf"{_HOUR}:[0-5]\d:[0-5]\d(?:\.\d{{1,6}})?(?:Z|[+-]{_HOUR}:[0-5]\d)?"
_MONTHS: Final = (
    r"(?:0[13578]|1[02])-(?:0[1-9]|[12]\d|3[01])",
    r"(?:0[469]|11)-(?:0[1-9]|[12]\d|30)",
    r"02-(?:0[1-9]|1\d|2[0-8])",
)
_DATE: Final = rf"[12]\d{{3}}-(?:{'|'.join(_MONTHS)})"
_BYTE: Final = r"(?:25[0-5]|2[0-4]\d|1\d\d|[1-9]?\d)"
_PART: Final = "[0-9A-Fa-f]{1,4}"
_FORMATS: Final[dict[str, str]] = {
    "date": _DATE,
    "time": _TIME,
    "date-time": f"{_DATE}T{_TIME}",
    "uuid": "[0-9A-Fa-f]{8}(?:-[0-9A-Fa-f]{4}){3}-[0-9A-Fa-f]{12}",
    "email": r"[^\s@]+@[^\s@.]+(?:\.[^\s@.]+)*",
    "uri": r"[A-Za-z][A-Za-z0-9+.-]*:\S+",
    "ipv4": rf"{_BYTE}(?:\.{_BYTE}){{3}}",
    "ipv6": "|".join([
        f"(?:{_PART}:){{7}}{_PART}", "::",
        *(f"(?:{_PART}:){{1,{7 - n}}}(?::{_PART}){{{n}}}" for n in range(1, 7)),
        f"(?:{_PART}:){{1,7}}:", f":(?::{_PART}){{1,7}}",
    ]),
}  # fmt: skip
"""The formats that the check of a tool knows, as regular expressions of what it accepts."""
_MOST_COUNT: Final = 1000
"""The most characters that are counted; engines refuse grammars that repeat more often."""
_MOST_PAIRS: Final = 30_000
"""The most states of an automaton that counts characters, before it is made smaller."""
_NAMES: Final = {'"': '"', "\\": "\\", "\b": "b", "\f": "f", "\n": "n", "\r": "r", "\t": "t"}
"""How characters are written after a backslash."""
_ENDS: Final = Automaton(
    (((SPACES, 0), (minus(ANY, SPACES), 1)), ((SPACES, 0), (minus(ANY, SPACES), 1))),
    0,
    frozenset([1]),
)
"""Texts that do not end in white space."""


def _in_quotes(texts: Automaton) -> Automaton:
    """Return the automaton of *texts* as they are written in quotes, by `json.dumps`."""
    rows = [*texts.rows]
    for state, row in enumerate(texts.rows):
        plain = [(_common(charset, _PLAIN), to) for charset, to in row]
        named = [
            (chars(name), to)
            for charset, to in row
            for char, name in _NAMES.items()
            if _common(charset, chars(char))
        ]
        rows[state] = tuple(each for each in plain if each[0])
        if named:
            rows[state] += ((chars("\\"), len(rows)),)
            rows.append(tuple(named))
    return Automaton(tuple(rows), texts.start, texts.accepting)


def _common(one: Charset, other: Charset) -> Charset:
    return minus(one, minus(ANY, other))


def _counted(least: int, most: int | None) -> Automaton:
    """Return the automaton of texts of so many characters."""
    size = least if most is None else most
    rows: list[tuple[tuple[Charset, int], ...]] = [((ANY, at + 1),) for at in range(size)]
    rows.append(((ANY, size),) if most is None else ())
    return Automaton(tuple(rows), 0, frozenset(range(least, size + 1)))


def _marked(value: Any) -> str:
    return f"{write_json(value):.80} contains a marker of the dialect"


def constants(case: Case, ways: Iterable[tuple[str, Strings, str]], notes: Notes) -> Iterator[Node]:
    """Yield the texts of an enumeration.

    Each of the *ways* to write one is the text before it, what it may contain, and the text after
    it. *notes* collects the texts that cannot be written.
    """
    for value in case["enum"]:
        if not isinstance(value, str):
            continue
        is_written = False
        for before, strings, behind in ways:
            written = write_json(value)[1:-1] if strings.has_escapes else value
            if strings.may_hold(written):
                is_written = True
                yield sequence(before, written, behind)
        if not is_written:
            notes.add("enum", _marked(value))


def count_of(flat: Case, keyword: str, notes: Notes) -> int | None:
    """Return the number for a *keyword* in *flat*, unless engines cannot count that far."""
    if keyword not in flat:
        return None
    count = int(flat[keyword])
    if count <= _MOST_COUNT:
        return count
    notes.add(keyword, f"grammar engines cannot count beyond {_MOST_COUNT}")
    return None


class Strings:
    """What a string may contain.

    Args:
        within: Accepts the texts that are allowed there; `None` for any.
        escapes: The characters that may follow a backslash; ``""`` if there are no escapes.
        barred: The last characters of what is not allowed there. Strings of limited length contain
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
        self, flat: Case, notes: Notes, within: Automaton | None = None, begins: Charset = ANY
    ) -> Node:
        """Return the texts that *flat*, a case of a schema, allows, without quotes.

        A text begins with one of *begins*. If *within* is given, it must accept the text, which
        then does not end in white space.

        Raises:
            NoValue: There is no such text.
        """
        least = count_of(flat, "minLength", notes) or 0
        most = count_of(flat, "maxLength", notes)
        is_counted = least > 0 or most is not None
        made = self._of_patterns(flat, notes)
        if made is not None:
            if is_counted:
                made = self._of_length(made, least, most, notes)
            made = _in_quotes(made) if self._escapes else made
            made = made if self._within is None else intersection(made, self._within)
        elif not is_counted:
            made = self.text
        if made is not None:
            if within is not None:
                made = intersection(intersection(made, within), _ENDS)
            if not made.smallest.accepting:
                raise NoValue("no string that the dialect can write fits the schema")
            return Text(made.smallest)
        if most is not None and most < least:
            raise NoValue("maxLength is less than minLength")
        if within is None:
            return repeat(self._char, least, most)
        return self._bare(least, most, minus(begins, self._barred))

    def _bare(self, least: int, most: int | None, begins: Charset) -> Node:
        """Return texts of so many characters, of which the first and the last are no blanks."""
        ends = minus(minus(ANY, self._barred), SPACES)
        if self._escapes:  # neither is a quote or a backslash
            begins, ends = _common(begins, _PLAIN), _common(ends, _PLAIN)
        first, last = Chars(begins), Chars(ends)
        if most is not None and most < 2:
            return first
        between = repeat(self._char, max(least - 2, 0), None if most is None else most - 2)
        longer = sequence(first, between, last)
        return longer if least > 1 else choice([first, longer])

    def _of_patterns(self, flat: Case, notes: Notes) -> Automaton | None:
        """Return the texts of the patterns and formats of *flat*; `None` for any."""
        made: Automaton | None = None
        formats = (f"^(?:{_FORMATS[each]})$" for each in flat.get("format", ()) if each in _FORMATS)
        for keyword, patterns in (("format", formats), ("pattern", flat.get("pattern", ()))):
            for pattern in patterns:
                try:
                    found = of_pattern(pattern)
                except GrammarError as error:
                    notes.add(keyword, f"no grammar can be made from {pattern!r}: {error}")
                    continue
                made = found if made is None else intersection(made, found)
        return made

    def _of_length(self, made: Automaton, least: int, most: int | None, notes: Notes) -> Automaton:
        if len(made.rows) * (most or least) > _MOST_PAIRS:
            keyword = "minLength" if most is None else "maxLength"
            notes.add(keyword, "together with the pattern, it would make the grammar too large")
            return made
        return intersection(made, _counted(least, most))

    def may_hold(self, text: str) -> bool:
        """Return whether *text* is allowed there."""
        return self._within is None or self._within.accepts(text)

    def check(self, written: str, value: Any) -> None:
        """Raise `NoValue` if *value*, as it is *written*, is not allowed there."""
        if not self.may_hold(written):
            raise NoValue(_marked(value))

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
