"""How a dialect writes calls whose parameters are tagged keys and values, as data."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from enum import Enum
from functools import cached_property
from typing import TYPE_CHECKING, Any, ClassVar, Final, NamedTuple, TypeAlias
from typing import Literal as Choice

from agent_parsers.engine.markers.kinds import BLANK, SPACE, Ahead
from agent_parsers.engine.markers.patterns import Patterns

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
    from re import Match

    from agent_parsers.engine.calls.reader import CallReader
    from agent_parsers.engine.markers.kinds import Atom

__all__ = [
    "Attributes", "Element", "Named", "OwnName", "TagPart", "TaggedForm", "as_text", "bare",
    "truth_values",
]  # fmt: skip


class TagPart(Enum):
    """What a tag does."""

    WRAP = "wrap"
    """Opens a row of calls."""
    END_WRAP = "end of wrap"
    CALL = "tool"
    """Opens a call, and names the tool; without a hole the name is the text that follows."""
    NAME = "name"
    """Opens the name of the tool, where the tag of its call has none."""
    END_NAME = "end of name"
    END_CALL = "end of tool"
    KEY = "key"
    """Opens a parameter and names it; without a hole the name is the text that follows."""
    END_KEY = "end of key"
    VALUE = "value"
    """Opens a value, where the key has an element of its own."""
    END_VALUE = "end of value"
    KEYS = "keys"
    """Opens a row of elements that are called what they name; `OWN_KEY` counts only in it."""
    END_KEYS = "end of keys"
    OWN_KEY = "own key"
    """Opens a parameter in such a row, by its name."""
    OWN_NAME = "own name"
    """Closes a value by the name of its parameter; what `KEY` opens, only leniently."""


GAP: Final = r"\s{0,32}+"
"""Most white space that may stand before what has to follow a tag."""

CLOSERS: Final = frozenset(
    {TagPart.END_WRAP, TagPart.END_CALL, TagPart.END_KEYS, TagPart.END_VALUE, TagPart.OWN_NAME}
)
"""What may stand behind the last value of a call."""

_IN_TAG: Final = r"[^<>\n{]{0,256}+"
_IN_NAME: Final = r"[\w.:-]{0,256}+"
_CUT_OFF: Final = Ahead(r"(?=[\n<{])", sample="\n")


class Hole(NamedTuple):
    """What stands in the hole of a tag."""

    name: str
    at: int
    """Where the name begins in the tag."""
    attributes: Mapping[str, str]


@dataclass(frozen=True, slots=True)
class Element:
    """A tag without a hole, in one or several spellings; all but the first are mended."""

    canonical: str
    others: tuple[str, ...] = ()
    """How models spell it too."""
    borrowed: tuple[str, ...] = ()
    """How other dialects do. What encloses calls is read in these words where a call follows."""

    next: ClassVar[tuple[Atom, ...]] = ()
    """What follows a mark of this tag at once."""
    names: ClassVar[str] = rf"{SPACE}[\w.:-]{{0,64}}+{GAP}"
    """Pattern for what follows a mark of a tag that names something, and white space behind it."""
    cut: ClassVar[str] = names
    """Pattern for what follows a mark of a tag that is cut before or behind the name."""

    @property
    def texts(self) -> tuple[str, ...]:
        """All spellings, or what they begin with."""
        return (self.canonical, *self.others, *self.borrowed)

    def marks(self) -> Iterator[tuple[Atom, ...]]:
        """Give the atoms of the beginning of each spelling, which tells that it is this tag."""
        for text in self.texts:
            yield tuple(map(re.escape, text))

    def rests(self) -> Iterator[tuple[Atom, ...]]:
        """Give the atoms of what follows a mark, with the name of a tool."""
        yield SPACE, r"[\w.:-]{0,64}+"

    def spellings(self) -> Iterator[tuple[Atom, ...]]:
        """Give the atoms of each spelling."""
        yield from self.marks()

    def is_canonical(self, seen: str) -> bool:
        """Tell whether *seen* is how the dialect writes this tag."""
        return seen == self.canonical

    def hole(self, _seen: str) -> Hole | None:
        """Return what stands in the hole of the tag as it is *seen*; `None` if it has none."""
        return None


@dataclass(frozen=True, slots=True)
class Named(Element):
    """A tag with a bare name, such as ``<function=N>``; *canonical* is what stands before that.

    What is mended are blanks around the sign before the name, and a missing ``>``.
    """

    names: ClassVar[str] = rf"{BLANK}[\w.:\-\"']{{1,64}}+{BLANK}>?{GAP}"
    cut: ClassVar[str] = names

    def marks(self) -> Iterator[tuple[Atom, ...]]:
        """Give the atoms of the beginning of each spelling, which tells that it is this tag."""
        for text in self.texts:
            *word, sign = map(re.escape, text)
            yield *word, BLANK, sign

    def rests(self) -> Iterator[tuple[Atom, ...]]:
        """Give the atoms of what follows a mark, with the name of a tool."""
        yield BLANK, r"[\w.:\-\"']{0,64}+", BLANK, ">?"

    def spellings(self) -> Iterator[tuple[Atom, ...]]:
        """Give the atoms of each spelling."""
        for mark in self.marks():
            yield *mark, _IN_TAG, ">"
            yield *mark, _IN_TAG, _CUT_OFF

    def is_canonical(self, seen: str) -> bool:
        """Tell whether *seen* is how the dialect writes this tag."""
        name = seen[len(self.canonical) : -1]
        return seen == f"{self.canonical}{name}>" and name == bare(name)

    def hole(self, seen: str) -> Hole:
        """Return what stands in the hole of the tag as it is *seen*."""
        before, sign, rest = seen.partition(self.canonical[-1])
        written = rest.removesuffix(">")
        name = bare(written)
        return Hole(name, len(before + sign) + written.find(name), {})


@dataclass(frozen=True, slots=True)
class OwnName(Element):
    """A tag that is called what it names, such as ``<city>``; *canonical* stands before that."""

    next: ClassVar[tuple[Atom, ...]] = (r"\w",)

    def spellings(self) -> Iterator[tuple[Atom, ...]]:
        """Give the atoms of each spelling."""
        for mark in self.marks():
            yield *mark, *self.next, _IN_NAME, ">"

    def is_canonical(self, _seen: str) -> bool:
        """Tell that every name is as good as another."""
        return True

    def hole(self, seen: str) -> Hole:
        """Return what stands in the hole of the tag as it is *seen*."""
        size = len(self.canonical)
        return Hole(seen[size:-1], size, {})


_ATTRIBUTE: Final = re.compile(
    r"""\s([\w.:-]+)\s*+=\s*+(?:"([^"]*+)"|'([^']*+)'|([^\s"'>]++))""",
).finditer


@dataclass(frozen=True, slots=True)
class Attributes(Element):
    """A tag with the name as an attribute: ``<invoke name="N">``; *canonical* is ``<invoke``.

    What is mended are other quotes, or none, and attributes that the dialect does not know.
    """

    known: Mapping[str, Sequence[str]] = field(default_factory=dict)
    """What other attributes the dialect writes behind the name, and their values."""

    next: ClassVar[tuple[Atom, ...]] = (r"[\s>]",)
    names: ClassVar[str] = (
        rf"\s{SPACE}(?=(?:\w[^<>\n{{]{{0,200}}?\s)?name{SPACE}=)\w{_IN_TAG}(?:>{GAP})?"
    )
    cut: ClassVar[str] = rf"(?:{names}|\s{SPACE}n(?:a(?:me?)?)?)"

    def rests(self) -> Iterator[tuple[Atom, ...]]:
        """Give the atoms of what follows a mark, with the name of a tool."""
        yield (">",)
        yield r"\s", SPACE, r"\w", _IN_TAG, ">"

    def spellings(self) -> Iterator[tuple[Atom, ...]]:
        """Give the atoms of each spelling."""
        for mark in self.marks():
            yield *mark, ">"
            yield *mark, r"\s", _IN_TAG, ">"

    def is_canonical(self, seen: str) -> bool:
        """Tell whether *seen* is how the dialect writes this tag, be it without a name."""
        found = self.hole(seen).attributes
        is_known = all(found.get(key) in values for key, values in self.known.items())
        written = "".join(f' {key}="{found.get(key, "")}"' for key in ("name", *self.known))
        return (is_known and seen == f"{self.canonical}{written}>") or seen == f"{self.canonical}>"

    def hole(self, seen: str) -> Hole:
        """Return what stands in the hole of the tag as it is *seen*."""
        found: dict[str, str] = {}
        start = len(seen) - 1
        for attribute in _ATTRIBUTE(seen):
            key, value = attribute[1], attribute[attribute.lastindex or 0]
            if key in found:
                return Hole("", len(seen) - 1, {})  # which of the two is meant?
            found[key] = value
            if key == "name":
                start = attribute.start(attribute.lastindex or 0)
        name = bare(found.get("name", ""))
        return Hole(name, start + found.get("name", "").find(name), found)


Tag: TypeAlias = Element | Named | OwnName | Attributes


def bare(name: str) -> str:
    """Return *name* without the white space and quotes around it."""
    return name.strip().strip("\"'").strip()


def as_text(written: str, _attributes: Mapping[str, str]) -> Any:
    """Return the text of a value as it is *written*."""
    return written


def truth_values(written: str, _attributes: Mapping[str, str]) -> Iterator[Any]:
    """Yield what a text may be as it is *written*, where it is to be true or false."""
    if written.strip() in ("0", "1"):
        yield written.strip() == "1"


@dataclass(frozen=True, kw_only=True, eq=False)
class TaggedForm:
    """How calls are written, and what else is read.

    A tag may lack its part: what a dialect does not have is not looked for.
    """

    tags: Mapping[TagPart, Tag]
    """How each part is written."""
    trims: bool = False
    """Whether a line break at each end of a value is part of its tags."""
    nests: bool = False
    """Whether parameters within a value are part of it."""
    read_value: Callable[[str, Mapping[str, str]], Any] = as_text
    """Makes a value of its text and the attributes of its tag; a `ValueError` says it has none."""
    other_values: Callable[[str, Mapping[str, str]], Iterable[Any]] = truth_values
    """Gives what else the value may be, for a tool that does not take that one."""
    quote: tuple[str, str] | None = None
    """What a value may stand in that quotes tags; it is no part of the value."""
    json_arguments: Choice["no", "odd", "yes"] = "no"
    """Whether a JSON object may stand for all parameters, and whether that is mended."""
    json_calls: Callable[[], CallReader] | None = None
    """Reads calls in JSON that stand where a call should, which is mended."""
    lenient: bool = False
    """Whether what models really write is mended."""

    @cached_property
    def _patterns(self) -> Patterns:
        return Patterns({part.value: tag for part, tag in self.tags.items()})

    @cached_property
    def whole(self) -> re.Pattern[str]:
        """Finds the first tag; `part` tells what it is."""
        return self._patterns.whole

    @cached_property
    def growing(self) -> re.Pattern[str]:
        """Does so too, or finds the beginning of one at the end; ``lastindex`` is `None` then."""
        return self._patterns.growing

    @cached_property
    def _parts(self) -> tuple[TagPart, ...]:
        return tuple(map(TagPart, self._patterns.names))

    def part(self, tag: Match[str]) -> TagPart:
        """Return what a *tag* does that was found, be it spelt so or not."""
        return self._parts[(tag.lastindex or 1) - 1]

    def is_known(self, tag: Match[str]) -> bool:
        """Tell whether a *tag* that was found is spelt as it may be."""
        return self.lenient or self.tags[self.part(tag)].is_canonical(tag[0])

    def part_in_value(self, tag: Match[str]) -> TagPart | None:
        """Return what a *tag* does that was found in a value; `None` if it is text there."""
        return self.part(tag) if self.is_known(tag) else None

    def hole(self, part: TagPart, seen: str) -> Hole | None:
        """Return what stands in the hole of the tag as it is *seen*; `None` if it has none."""
        return self.tags[part].hole(seen)

    def is_closing(self, text: str, *, surely: bool = True) -> bool:
        """Tell whether *text* begins a closing tag, and *surely* no other."""
        begun = [part for part, tag in self.tags.items() if tag.canonical.startswith(text)]
        return CLOSERS.issuperset(begun) if surely and begun else not CLOSERS.isdisjoint(begun)
