"""Data types that describe how a dialect writes calls with tagged keys and values."""

from __future__ import annotations

import json
import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from enum import Enum
from functools import cached_property
from itertools import repeat
from typing import TYPE_CHECKING, Any, ClassVar, Final, NamedTuple, TypeAlias
from typing import Literal as Choice

from agent_parsers.engine.markers.kinds import BLANK, SPACE, Ahead, Atom
from agent_parsers.engine.markers.patterns import Found, Patterns
from outputs.growing_json.lenient.json_text import may_repeat
from outputs.growing_json.scalars import NOTHING
from outputs.growing_json.whole import MAX_DEPTH, parse_whole

if TYPE_CHECKING:
    from agent_parsers.engine.calls.reader import CallReader


class TagPart(Enum):
    """The role of a tag in a call."""

    WRAP = "wrap"
    """Opens a row of calls."""
    END_WRAP = "end of wrap"
    CALL = "tool"
    """Opens a call and names the tool; without a hole, the name is the text after the tag."""
    NAME = "name"
    """Opens the name of the tool, if the tag of the call does not contain it."""
    END_NAME = "end of name"
    END_CALL = "end of tool"
    KEY = "key"
    """Opens a parameter and names it; without a hole, the name is the text after the tag."""
    END_KEY = "end of key"
    VALUE = "value"
    """Opens a value, if the key has an element of its own."""
    END_VALUE = "end of value"
    KEYS = "keys"
    """Opens a row of elements named after their parameters; `OWN_KEY` counts only in it."""
    END_KEYS = "end of keys"
    OWN_KEY = "own key"
    """Opens a parameter in such a row: a tag named after the parameter."""
    OWN_NAME = "own name"
    """Closes a value: a tag named after the parameter. Closes what `KEY` opens in lenient mode."""


GAP: Final = r"\s{0,32}+"
"""Pattern for the white space allowed between a tag and the text that has to follow it."""

OWN_CLOSERS: Final = frozenset({TagPart.END_VALUE, TagPart.OWN_NAME})
"""Tags that close a value."""
CLOSERS: Final = OWN_CLOSERS | {TagPart.END_WRAP, TagPart.END_CALL, TagPart.END_KEYS}
"""Tags that may close a call or its last value."""
NEVER_BEHIND: Final = frozenset({TagPart.END_NAME, TagPart.END_KEY})
"""Tags that never directly follow a value; a second value may, which is a mistake."""

_IN_TAG: Final = r"[^<>\n{]{0,256}+"
_IN_NAME: Final = r"[\w.:-]{0,256}+"
_FIRST_SIGN, _SIGNS = r"""[^\s<>="'`/]""", r"""[^\s<>="'`]{0,256}+"""
_CUT_OFF: Final = Ahead(r"(?=[\n<{])", sample="\n")


class Hole(NamedTuple):
    """The variable part of a tag: a name, and perhaps attributes."""

    name: str
    at: int
    """Where the name begins in the tag."""
    attributes: Mapping[str, str]
    is_bare: bool = False
    """Whether the name has no quotes, so that a value may have got into it."""


@dataclass(frozen=True, slots=True)
class Element:
    """A tag without a name in it, in one or several spellings; the first is canonical."""

    canonical: str
    others: tuple[str, ...] = ()
    """Other spellings that models use."""
    borrowed: tuple[str, ...] = ()
    """Spellings of other dialects; for a `TagPart.WRAP`, they count only if a call follows."""

    forms: ClassVar[tuple[tuple[Atom, ...], ...]] = ((),)
    """The atoms that may follow a mark: the beginning of the tag, which identifies it."""
    next: ClassVar[tuple[Atom, ...]] = ()
    """The atoms that directly follow a mark of this tag."""
    rests: ClassVar[tuple[tuple[Atom, ...], ...]] = ((SPACE, r"[\w.:-]{0,64}+"),)
    """The atoms of the text after a mark that names a tool, through the name."""
    names: ClassVar[str] = rf"{SPACE}[\w.:-]{{0,64}}+{GAP}"
    """Pattern for the text after a mark of a tag that names something, through white space."""
    cut: ClassVar[str] = names
    """Pattern for the text after a mark of a tag that is cut off before or after the name."""

    def marks(self) -> Iterator[tuple[Atom, ...]]:
        """Yield the atoms of the beginning of each spelling, by which the tag is recognised."""
        for text in (self.canonical, *self.others, *self.borrowed):
            yield tuple(map(re.escape, text))

    def spellings(self) -> Iterator[tuple[Atom, ...]]:
        """Yield each spelling as a tuple of `Atom` strings, which together are its pattern."""
        for mark in self.marks():
            yield from ((*mark, *form) for form in self.forms)

    def is_canonical(self, seen: str) -> bool:
        """Return whether *seen* is the dialect's own spelling of this tag."""
        return seen == self.canonical

    def hole(self, _seen: str) -> Hole | None:
        """Return the name and attributes in the tag written as *seen*; `None` if it has no name."""
        return None

    def knows(self, _key: str) -> bool:
        """Return whether the dialect's own tag has an attribute named *key*."""
        return False

    def attributes(self, _seen: str) -> Mapping[str, str]:
        """Return the attributes that a tag without a name implies if it is written as *seen*."""
        return {}


@dataclass(frozen=True, slots=True)
class Named(Element):
    """A tag with a bare name, such as ``<function=N>``; *canonical* is the part before the name.

    Blanks around the sign before the name, and a missing ``>``, are repaired.
    """

    forms: ClassVar[tuple[tuple[Atom, ...], ...]] = ((_IN_TAG, ">"), (_IN_TAG, _CUT_OFF))
    rests: ClassVar[tuple[tuple[Atom, ...], ...]] = ((BLANK, r"[\w.:\-\"']{0,64}+", BLANK, ">?"),)
    names: ClassVar[str] = rf"{BLANK}[\w.:\-\"']{{1,64}}+{BLANK}>?{GAP}"
    cut: ClassVar[str] = names

    def marks(self) -> Iterator[tuple[Atom, ...]]:
        """Yield the atoms of the beginning of each spelling, by which the tag is recognised."""
        for *word, sign in Element.marks(self):
            yield *word, BLANK, sign

    def is_canonical(self, seen: str) -> bool:
        """Return whether *seen* is the dialect's own spelling of this tag."""
        name = seen[len(self.canonical) : -1]
        return seen == f"{self.canonical}{name}>" and name == bare(name)

    def hole(self, seen: str) -> Hole:
        """Return the name and attributes in the tag written as *seen*."""
        before, sign, rest = seen.partition(self.canonical[-1])
        written = rest.removesuffix(">")
        name = bare(written)
        return Hole(name, len(before + sign) + written.find(name), {}, is_bare=True)


@dataclass(frozen=True, slots=True)
class OwnName(Element):
    """A tag named after a parameter, such as ``<city>``; *canonical* precedes the name."""

    forms: ClassVar[tuple[tuple[Atom, ...], ...]] = ((r"\w", _IN_NAME, ">"),)
    next: ClassVar[tuple[Atom, ...]] = (r"\w",)

    def is_canonical(self, _seen: str) -> bool:
        """Return `True`: any name is canonical."""
        return True

    def hole(self, seen: str) -> Hole:
        """Return the name and attributes in the tag written as *seen*."""
        size = len(self.canonical)
        return Hole(seen[size:-1], size, {})


class MarkedName(OwnName):
    """An `OwnName` behind a mark of its own, as no prose has: its name may have nearly any sign."""

    __slots__ = ()
    forms: ClassVar[tuple[tuple[Atom, ...], ...]] = ((_FIRST_SIGN, _SIGNS, ">"),)
    next: ClassVar[tuple[Atom, ...]] = (_FIRST_SIGN,)


_ATTRIBUTE: Final = re.compile(
    r"""\s([\w.:-]+)\s*+=\s*+(?:"([^"]*+)"|'([^']*+)'|([^\s"'>]++))"""
).finditer


def attribute_names(seen: str) -> list[str]:
    """Return the names of the attributes in the tag written as *seen*."""
    return [attribute[1] for attribute in _ATTRIBUTE(seen)]


@dataclass(frozen=True, slots=True)
class Attributes(Element):
    """A tag with the name as an attribute: ``<invoke name="N">``; *canonical* is ``<invoke``.

    Other quotes, missing quotes, and attributes that the dialect does not know are repaired.
    """

    known: Mapping[str, Sequence[str]] = field(default_factory=dict, hash=False)
    """Other attributes that the dialect writes after the name, and their allowed values."""

    forms: ClassVar[tuple[tuple[Atom, ...], ...]] = ((">",), (r"\s", _IN_TAG, ">"))
    next: ClassVar[tuple[Atom, ...]] = (r"[\s>]",)
    rests: ClassVar[tuple[tuple[Atom, ...], ...]] = ((">",), (r"\s", SPACE, r"\w", _IN_TAG, ">"))
    names: ClassVar[str] = (
        rf"\s{SPACE}(?=(?:\w[^<>\n{{]{{0,200}}?\s)?name{SPACE}=)\w{_IN_TAG}(?:>{GAP})?"
    )
    cut: ClassVar[str] = rf"(?:{names}|\s{SPACE}n(?:a(?:me?)?)?)"

    def is_canonical(self, seen: str) -> bool:
        """Return whether *seen* is the dialect's own spelling of the tag, even without a name."""
        found = self.hole(seen).attributes
        is_known = all(found.get(key) in values for key, values in self.known.items())
        written = "".join(f' {key}="{found.get(key, "")}"' for key in ("name", *self.known))
        return (is_known and seen == f"{self.canonical}{written}>") or seen == f"{self.canonical}>"

    def knows(self, key: str) -> bool:
        """Return whether the dialect's own tag has an attribute named *key*."""
        return key == "name" or key in self.known

    def hole(self, seen: str) -> Hole:
        """Return the name and attributes in the tag written as *seen*."""
        found: dict[str, str] = {}
        start, is_bare = len(seen) - 1, False
        for attribute in _ATTRIBUTE(seen):
            key, value = attribute[1], attribute[attribute.lastindex or 0]
            if key in found:
                return Hole("", len(seen) - 1, {})  # it is unclear which one is meant
            found[key] = value
            if key == "name":
                start, is_bare = attribute.start(attribute.lastindex or 0), bool(attribute[4])
        name = bare(found.get("name", ""))
        return Hole(name, start + found.get("name", "").find(name), found, is_bare=is_bare)


Tag: TypeAlias = Element | Named | OwnName | Attributes


def bare(name: str) -> str:
    """Return *name* without the white space and quotes around it."""
    return name.strip().strip("\"'").strip()


_is_name: Final = re.compile(r"""[^\s<>=:"'`,;()\[\]{}]++""").fullmatch


def is_name(name: str) -> bool:
    """Return whether *name* looks like the name of a parameter only, without part of a value.

    ``ids: [4]`` and ``command=replace`` do not: there the model forgot to end the tag.
    """
    return _is_name(name) is not None


class OddValueError(ValueError):
    """Raised by `TaggedForm.read_value` for text that is a valid value only in lenient mode.

    Args:
        message: What the repair says.
        value: The value.
        lists: See `Call.lists`; the paths do not have the parameter itself.
    """

    def __init__(self, message: str, value: Any, lists: Sequence[tuple[str, ...]]) -> None:
        super().__init__(message)
        self.value = value
        self.lists = lists


def as_text(written: str, _attributes: Mapping[str, str]) -> Any:
    """Return the text *written* unchanged: the value is a string."""
    return written


def as_json(written: str) -> Any:
    """Return the value of the JSON *written*, or the text unchanged if it is not JSON (``NaN``).

    Raises:
        ValueError: A key is repeated.
    """
    value = parse_whole(written, MAX_DEPTH)
    if value is NOTHING:
        return written
    if may_repeat(written, value):
        raise ValueError("the same key appears twice")
    try:
        json.dumps(value, allow_nan=False)
    except ValueError:  # it is not a number, or too large for one
        return written
    return value


def says_nothing(_attributes: Mapping[str, str]) -> bool:
    """Return `False`: no attribute says what kind of value it is."""
    return False


def truth_values(written: str, _attributes: Mapping[str, str]) -> Iterator[Any]:
    """Yield the Boolean that *written* may mean if it is ``0`` or ``1``."""
    if written.strip() in ("0", "1"):
        yield written.strip() == "1"


@dataclass(frozen=True, kw_only=True, eq=False)
class TaggedForm:
    """How a dialect writes calls in tags, and which other spellings are accepted.

    Parts that are missing from `tags` are not part of the dialect and are not looked for.
    """

    tags: Mapping[TagPart, Tag]
    """How each part is written."""
    trims: bool = False
    """Whether a line break at each end of a value is part of its tags."""
    nests: bool = False
    """Whether tags of parameters inside a value are part of the value."""
    read_value: Callable[[str, Mapping[str, str]], Any] = as_text
    """Returns a value, given its text and its tag's attributes; raises `ValueError` if invalid."""
    other_values: Callable[[str, Mapping[str, str]], Iterable[Any]] = truth_values
    """Returns other values that the text may stand for, if the tool does not accept the first."""
    says_text: Callable[[Mapping[str, str]], bool] = says_nothing
    """Returns whether the attributes of a value's tag say that it is a string."""
    holds_elements: Callable[[Mapping[str, str]], bool] = says_nothing
    """Returns whether the attributes of a value's tag say that it has elements like its own."""
    quote: tuple[str, str] | None = None
    """Opening and closing quotation marks for a value that contains tags; not part of the value."""
    json_arguments: Choice["no", "odd", "yes", "in keys"] = "no"
    """Whether a JSON object may replace all parameters; ``"odd"`` if that is a repair."""
    json_calls: Callable[[], CallReader] | None = None
    """Creates the reader of calls in JSON in place of tagged calls, which is a repair."""
    lenient: bool = False
    """Whether to repair common mistakes of models."""

    @cached_property
    def patterns(self) -> Patterns:
        """The patterns that find tags, and an incomplete tag at the end of a text."""
        return Patterns({part.value: tag for part, tag in self.tags.items()})

    @cached_property
    def whole(self) -> re.Pattern[str]:
        """Pattern that finds the first tag; `part` returns its role."""
        return self.patterns.whole

    @cached_property
    def _parts(self) -> dict[int | str | None, TagPart]:
        parts: dict[int | str | None, TagPart] = {part.value: part for part in self.tags}
        parts.update(enumerate(map(TagPart, self.patterns.names), 1))
        return parts

    def part(self, tag: Found) -> TagPart:
        """Return the role of the match *tag*, in any spelling."""
        return self._parts[tag.lastindex]

    def is_known(self, tag: Found) -> bool:
        """Return whether the spelling of the match *tag* is accepted."""
        return self.lenient or self.tags[self.part(tag)].is_canonical(tag[0])

    def read(self, tag: Found) -> tuple[TagPart | None, Hole | None]:
        """Return the role and the name of the match *tag*; ``(None, None)`` if it is plain text."""
        if not self.is_known(tag):
            return None, None
        part = self.part(tag)
        return part, self.tags[part].hole(tag[0])

    @cached_property
    def _stems(self) -> tuple[str, ...]:
        """What tags that may follow a value begin with, without white space, in small letters."""
        spelt = (
            "".join(text.split()).casefold().rstrip("=>")
            for part, tag in self.tags.items()
            if part not in NEVER_BEHIND
            for text in (tag.canonical, *tag.others)
        )
        return tuple({stem for stem in spelt if any(map(str.isalnum, stem))})

    @cached_property
    def closers(self) -> tuple[str, ...]:
        """The tags that close a value, in all spellings."""
        tags = (self.tags[part] for part in OWN_CLOSERS if part in self.tags)
        return tuple(text for tag in tags for text in (tag.canonical, *tag.others))

    def is_like_tag(self, text: str, at: int, *, is_last: bool) -> bool | None:
        """Return whether a tag begins at *at* in *text*, ignoring white space and letter case.

        Return `None` while that is unknown.
        """
        size = 2 * max(map(len, self._stems), default=0)
        begun = "".join(text[at : at + size].split()).casefold()
        if begun.startswith(self._stems):
            return True
        may_go_on = not is_last and at + size > len(text)
        return None if may_go_on and any(map(str.startswith, self._stems, repeat(begun))) else False

    def is_closing(self, text: str, *, surely: bool = True) -> bool:
        """Return whether *text* may begin a closing tag and, if *surely*, no other tag."""
        begun = [part for part, tag in self.tags.items() if tag.canonical.startswith(text)]
        return CLOSERS.issuperset(begun) if surely and begun else not CLOSERS.isdisjoint(begun)
