"""The members of a JSON call: the tool's name, its input, and where they stand."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from functools import cached_property
from typing import TYPE_CHECKING, Any, Final, Literal, TypeAlias

from agent_parsers.toolset.problems.names import folded
from outputs.growing_json.scalars import NOTHING
from outputs.growing_json.whole import MAX_DEPTH, parse_whole

if TYPE_CHECKING:
    from agent_parsers.events import Span

_REMARKS: Final = frozenset(
    ("thought", "thoughts", "reasoning", "reason", "explanation", "observation", "plan", "speak",
     "criticism", "comment", "confidence", "status", "id", "type", "role", "content", "question")
)  # fmt: skip
"""Folded keys under which models add remarks to a call."""


Kind: TypeAlias = Literal["tool", "input", "rival", "alias", "id", ""]
"""What a member of a call is. A rival has another dialect's key for the input, and an alias one for
the tool, where only the dialect's own keys are read."""


@dataclass(frozen=True, kw_only=True)
class CallKeys:
    """The keys that a dialect uses in the JSON object of a call."""

    tool: str
    """Key of the tool's name; empty if the name is the only key, and the input its value."""
    input: str
    """Key of its input."""
    is_call_alone: bool = True
    """Whether an object with the tool's key is a call even without an input."""
    other_tools: frozenset[str] = frozenset()
    """Other dialects' keys for the tool, as `folded` returns them. They count only beside a key for
    an input, since objects with a name are common. A second name of the tool is an error."""
    other_inputs: frozenset[str] = frozenset()
    """The same for the input. Such a key beside the dialect's own key is an error."""
    wrappers: frozenset[str] = frozenset()
    """Keys under which a call may be nested, in an object or as the first item of a list."""
    id: str = ""
    """Key of the call's id, if the dialect has one."""
    encoded: frozenset[str] = frozenset()
    """Keys of inputs that may be written as a string containing the JSON object."""
    folds: bool = False
    """Whether keys match regardless of case, spaces and marks, and other dialects' keys are
    read."""

    @cached_property
    def quoted(self) -> tuple[str, str]:
        """The keys of the tool and its input, in quotes; ``{`` and ``:`` if the tool has no key."""
        if not self.tool:
            return "{", ":"
        return f'"{self.tool}"', f'"{self.input}"'

    def kind(self, key: str) -> tuple[Kind, bool]:
        """Return the kind of member with this *key*, and whether it is another dialect's key."""
        if key == self.tool:
            return "tool", False
        if key == self.input:
            return "input", False
        if key and key == self.id:
            return "id", False
        key = folded(key)
        if not self.folds:
            is_alias = key in self.other_tools
            return ("rival" if key in self.other_inputs else "alias" if is_alias else ""), is_alias
        if key == folded(self.tool):
            return "tool", False
        if key == folded(self.input):
            return "input", False
        if key in self.other_tools:
            return "tool", True
        return ("input", True) if key in self.other_inputs else ("", False)

    def is_odd(self, key: str) -> bool:
        """Return whether *key* is not one of the dialect's own keys."""
        return bool(self.tool) and key not in (self.tool, self.input)

    def is_encoded(self, key: str) -> bool:
        """Return whether the input under *key* may be a string that contains a JSON object."""
        return key in self.encoded or not self.tool


@dataclass(slots=True, eq=False)
class Member:
    """A member of an object; positions are offsets in the whole text."""

    key: str
    kind: Kind
    is_other: bool
    """Whether the key is another dialect's."""
    key_end: int
    """Where its colon ends."""
    start: int = -1
    """Where its value begins, including the quote of a string; -1 while unknown."""
    is_text: bool = False
    """Whether the value is a string."""
    end: int = -1
    """Where its value ends; -1 while it is open."""
    value: Any = NOTHING
    is_begun: bool = False
    """Whether part of its value was emitted."""

    @property
    def span(self) -> Span:
        """Span of the value, without quotes."""
        return self.start + self.is_text, self.end - self.is_text

    @property
    def place(self) -> Span:
        """Span of the value, from the colon on."""
        return self.key_end, max(self.key_end, self.end)


@dataclass(slots=True, eq=False)
class Candidate:
    """An object that may be the call."""

    members: list[Member] = field(default_factory=list)


def is_remark(key: str) -> bool:
    """Return whether models use this *key* to add remarks to a call."""
    return folded(key) in _REMARKS


def names_space(key: str) -> bool:
    """Return whether the member with this *key* says in which namespace the tool is."""
    return folded(key) in ("namespace", "server", "servername", "mcpserver")


def _keys_in(value: Any) -> Iterator[str]:
    """Yield the keys in the objects in *value*, which may be JSON as text, but for remarks."""
    if isinstance(value, str) and value.lstrip()[:1] == "{":
        value = parse_whole(value, MAX_DEPTH)
    if isinstance(value, dict):
        yield from (key for key in value if not is_remark(key))
        value = list(value.values())
    for part in value if isinstance(value, list) else ():
        yield from _keys_in(part)


def is_name(member: Member) -> bool:
    """Return whether a *member* names a tool."""
    is_tool = member.kind in ("tool", "alias")
    return is_tool and (not member.is_other or isinstance(member.value, str))


class Members:
    """Finds the call among nested objects by its *keys*, while a `JsonWatch` reads them."""

    def __init__(self, keys: CallKeys) -> None:
        self.keys = keys
        self._stack: list[Candidate] = []  # one for each open container that may be the call
        self._last: Member | None = None  # the member whose value has not ended
        self.call: list[Member] = []
        """The members for its name and its input, in the order in which they were found."""
        self.tool: Member | None = None
        """The member that names the tool; `None` until the call is found."""
        self.tool_input: Member | None = None
        """The member that holds its input."""
        self.own: Candidate = Candidate()
        """The object that is the call."""
        self._around: list[Candidate] = []  # the containers in which it stands, if it is wrapped
        self.is_wrapped: bool = False
        """Whether the call stands inside another object."""
        self.has_more: bool = False
        """Whether something follows the call, in a list that another object wraps or, if its key is
        the name of the tool, in the call itself."""

    @property
    def id(self) -> str | None:
        """The id that the model gave the call; `None` if it is missing or not a string."""
        ids = [member.value for member in self.own.members if member.kind == "id"]
        return ids[-1].strip() or None if ids and isinstance(ids[-1], str) else None

    @property
    def _others(self) -> list[Member]:
        """The members that are not the tool's name, its input or the call's id, at every level."""
        found = [*self.own.members, *(member for each in self._around for member in each.members)]
        known = self.tool, self.tool_input
        return [member for member in found if member.kind != "id" and member not in known]

    @property
    def is_twice(self) -> bool:
        """Whether two members name the tool, or two hold its input."""
        return any(
            is_name(other) or (other.kind in ("input", "rival") and self.tool_input is not None)
            for other in self._others
        )

    @property
    def beside(self) -> list[Member]:
        """The members of a call that neither name the tool nor hold its input."""
        return [other for other in self._others if not is_name(other)]

    @property
    def keys_beside(self) -> tuple[tuple[str, Span], ...]:
        """The keys and places of those members, and of what is in one that is an object."""
        found: list[tuple[str, Span]] = []
        for member in self.beside:
            inside = () if is_remark(member.key) else _keys_in(member.value)
            found += ((key, member.place) for key in (member.key, *inside))
        return tuple(found)

    @property
    def has_others(self) -> bool:
        """Whether the call has other members that may be its input, under an unknown key.

        An object or list under another dialect's key for the tool is one of them, since it cannot
        be a name.
        """
        return any(
            other.value is not None
            if other.kind in ("tool", "alias")
            else other.kind != "" or not is_remark(other.key)
            for other in self._others
        )

    def open(self) -> None:
        """Record the beginning of an object or list that may be the call, or contain it."""
        self._stack.append(Candidate())
        self._last = None

    def close(self, depth: int) -> None:
        """Record that such an object or list ends; *depth* of them are still open."""
        del self._stack[depth:]
        self._last = None

    def begin_value(self, at: int, *, is_text: bool = False) -> None:
        """Record that the value of the last key begins: a string, an object or a list."""
        if self._last is not None:
            self._last.start, self._last.is_text = at, is_text

    def end_value(self, at: int, members: Mapping[str, Any]) -> None:
        """Record that the value of the last key ended; it is in *members*."""
        if self._last is not None:
            self._last.end, self._last.value = at, members.get(self._last.key, NOTHING)
            self._last = None

    def add_key(self, key: str, at: int) -> None:
        """Record that a *key* was read, whose colon ends at *at*."""
        self._last = None
        if not self.keys.tool:
            self._add_name(key, at)
            return
        candidate = self._stack[-1]
        member = self._last = Member(key, *self.keys.kind(key), at)
        candidate.members.append(member)
        if self.tool is None:
            self._settle(candidate)
        elif member.kind == "input" and self.tool_input is None and candidate is self.own:
            self.tool_input = member
            self.call.append(member)

    def _add_name(self, key: str, at: int) -> None:
        """Take *key*, whose colon ends at *at*, for the name, and its value for the input."""
        self.has_more = self.tool is not None
        if self.has_more:
            return
        self.tool = Member(key, "tool", False, at, at, True, at, key)
        self.tool_input = self._last = Member(key, "input", False, at)
        self.own = self._stack[-1]
        self.own.members = self.call = [self.tool, self.tool_input]

    def _settle(self, candidate: Candidate) -> None:
        """Take *candidate* as the call, if its members so far make it one."""
        # The dialect's own key counts before another dialect's.
        by_key = sorted(candidate.members, key=lambda member: member.is_other)
        tool, tool_input = (
            next((member for member in by_key if member.kind == kind), None)
            for kind in ("tool", "input")
        )
        if tool is None:
            return
        if tool_input is None and (tool.is_other or not self.keys.is_call_alone):
            return
        self._around = self._stack[:-1]
        self.is_wrapped = bool(self._around)
        for outer in self._around:
            del outer.members[-1:]  # the one that holds the call
        self.own, self.tool, self.tool_input = candidate, tool, tool_input
        self.call = [member for member in candidate.members if member in (tool, tool_input)]
