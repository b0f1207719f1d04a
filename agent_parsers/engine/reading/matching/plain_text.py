"""Patterns for text that cannot contain or quote a marker."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any, Final, NamedTuple

from agent_parsers.engine.markers.kinds import label_words, spelt_texts
from agent_parsers.forms.templates import pattern

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable
    from re import Match

    from agent_parsers.engine.tables.table import Table
    from agent_parsers.forms.form import Form, Marks

MOST_DEEP: Final = 64
"""How many arrays and objects may be open at once in a value; a deeper one takes the stream."""
UNSEEN: Final = "\ufeff\u200b\u2060"
"""Characters that nobody sees, but that may stand between the letters of a mark."""
WORD: Final = 5
"""How many characters of a call's first word identify a call."""
_SIGNS: Final = re.compile(r"[<\[]\s*+/?+\s*+[^\s<>/\[\]{}]{1,3}").findall
"""Finds how tags begin, as far as it takes to tell that they may be a dialect's."""

_NO_LIST: Final = r"(?!\[\s*+[^\s()\[\]]++\s*+\()"
"""Pattern for the place before a ``[`` that begins no list of Python calls."""
_JOINT: Final = r"[\s_\-\d]*+"
"""What may stand between the words of a label; more than its spellings allow."""
_WORDS: Final = re.compile(r"\w+").findall
_KEYS: Final = re.compile(r'"\w+"').findall


class KnownMarks(NamedTuple):
    """Patterns for the markers of a table."""

    first: str
    """The characters with which they begin, apart from letters."""
    words: str
    """Pattern for those that begin with a letter; empty if there are none."""
    no_tag: str
    """Pattern for a ``<`` with which none of them begins."""
    no_bracket: str
    """The same for ``[``."""
    no_other: str
    """The same for the other characters in `first`, as more alternatives."""
    last_words: frozenset[str]
    """The last words of those that begin with a letter."""
    has_bare_calls: bool
    """Whether a call is an object that no mark opens, so that one in a fence may be a call."""

    @property
    def odd(self) -> tuple[str, ...]:
        """The characters that may make a text ambiguous; a text without them is plain."""
        return tuple(sorted({*self.first, *UNSEEN, *"`~<>[{"}))

    def no_label(self, colons: str) -> str:
        """Return a pattern for one of the *colons* where it does not end a label.

        It follows a letter, with or without emphasis, a number of one or two digits, a quotation
        mark or a bracket, but not the last word of a label.
        """
        words = ["".join(map(_in_either_case, word)) for word in sorted(self.last_words)]
        numbers = (r"\d", r"\d\d")
        behind = ("", r"\*\*", *numbers, *(rf"\s{number}" for number in numbers))
        # The colon comes first, so that no time is lost where none is.
        other = "".join(f"(?<!{word}{rest}.)" for word in words for rest in behind)
        letters = [r"[^\W\d_]", r"[^\W\d_]\*\*"]
        counted = [before + number for before in (r"[^\s\d]", r"\S[ \n]") for number in numbers]
        is_said = "|".join(f"(?<={each}.)" for each in (*letters, *counted))
        return rf"[{colons}](?:(?<=[\"')\]}}].)|(?:{is_said}){other})"

    @property
    def begins(self) -> Callable[..., Match[str] | None]:
        """Finds a character that may begin a marker, apart from letters, or an escape."""
        return re.compile(rf"[{re.escape(self.first)}\\]").search


def is_in_keys(begins: Callable[[str], object], value: dict[str, Any] | list[Any]) -> bool:
    """Return whether *begins* finds a marker in a key of an object or array, at any depth."""
    inner: Iterable[Any] = value
    if isinstance(value, dict):
        if begins("\0".join(value)):
            return True
        inner = value.values()
    return any(is_in_keys(begins, each) for each in inner if isinstance(each, (dict, list)))


def around(marks: Marks | None, text: str) -> str:
    """Return a pattern that matches *text* between *marks*, or nothing at all.

    White space between the text and a mark is part of the text.
    """
    if marks is None:
        return ""
    before, after = (pattern(mark) if mark.strip() else "" for mark in marks)
    return f"(?>(?:{before}{text}{after})?)"


def plain_text(
    known: KnownMarks, *, of_thought: bool = False, stop: str = "", label: str = ""
) -> str:
    """Return a pattern for text without *known* markers, and without quotations except short code.

    Brackets may occur in it if it is *of_thought*, since calls do not count there. The text *stop*
    must not occur in it, nor a line begin with *label*, if these begin with a letter.
    """
    lines = "\n" if label[:1].isalpha() else ""
    odd = re.escape("".join(sorted({*known.odd, *lines})))
    parts = [rf"`[^`\n{odd}]++`(?!`)", known.no_tag, r"\[[\d ,x]*+\]"]
    if lines:
        parts.append(rf"\n(?!{re.escape(label)})")
    if ">" not in known.first:
        parts.append(r"(?<=\S)>|(?<=\S )>")
    braces = {"{"}
    shown = {*known.first, *UNSEEN, *"`<["} - braces | (braces if known.has_bare_calls else set())
    inside = re.escape("".join(sorted(shown)))
    code = rf"(?>(?:[^{inside}]++|{known.no_tag}|{_NO_LIST}{known.no_bracket})*)"
    parts.append(rf"(?<=\S\n)```[a-z]*+\n{code}(?<=\n)```(?=\n|\Z)")
    if of_thought:
        parts += (known.no_bracket, "" if "{" in known.first else r"\{")
    others = "|".join(filter(None, parts))
    if stop.strip()[:1].isalpha():
        return rf"(?>(?:(?!{re.escape(stop)})(?:[^{odd}]|{others}))*)"
    return rf"(?>(?:[^{odd}]++|{others})*)"


def known_marks(table: Table, form: Form, *, in_calls: bool = False) -> KnownMarks:
    """Return patterns for the markers of a *table* and the texts of a *form*.

    If *in_calls*, the keys of a call in JSON are markers, unless others show where calls are.
    """
    first: set[str] = set()
    words: set[str] = set()
    parts = [form.call.text, *form.calls, *(form.thought or ())]
    if form.call.parameters is not None:
        parts += (form.call.parameters.text, form.call.parameters.write_value(""))
    spelt = [found for text in parts for found in _SIGNS(text)]  # in the middle of marks
    for marker in table.markers.values():
        for text in filter(None, label_words(marker) or spelt_texts(marker)):
            if text[0].isalnum():
                words.add(text)
            else:
                first.add(text[0])
                spelt.append(text)
    if in_calls and not first:
        first.add('"')
        spelt += _KEYS(form.call.text)
    return KnownMarks(
        first="".join(sorted(first)),
        words="|".join(_JOINT.join(map(re.escape, text.split())) for text in sorted(words)),
        no_tag=_none_of("<", [*spelt, "<!"]),
        no_bracket=_none_of("[", spelt),
        no_other="".join(f"|{_none_of(sign, spelt)}" for sign in sorted(first - {*"<["})),
        last_words=frozenset(_WORDS(text)[-1] for text in words),
        has_bare_calls=f"{form.calls[0]}{form.call.text}".lstrip().startswith(("{", "[")),
    )


def _in_either_case(letter: str) -> str:
    return f"[{re.escape(letter.lower())}{re.escape(letter.upper())}]"


def _none_of(sign: str, marks: Iterable[str]) -> str:
    """Return a pattern for a *sign* with which none of some *marks* begins.

    In a mark, white space and a slash may follow the sign.
    """
    rests = {mark[1:].lstrip().removeprefix("/").lstrip()[:3] for mark in marks if mark[0] == sign}
    rest = "|".join(sorted(map(re.escape, rests))) or r"(?!)"
    return rf"{re.escape(sign)}(?!\s*+/?+\s*+(?:{rest}))"
