"""Patterns for what stands between the texts and inputs of a turn that a dialect writes."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Final

from agent_parsers.core import SLOTS, Slot

if TYPE_CHECKING:
    from collections.abc import Iterable

__all__ = ["begins_without", "literal", "spelt", "without_partial"]

_SPECIAL: Final = re.compile(r"[][\\^$.|?*+(){}]")
_BLANK_OR_SLOT: Final = re.compile(rf"[ \t\r\n]+|{SLOTS.pattern}")
_BRACKETS: Final = frozenset("<>[]{}")
_PARTIAL: Final = re.compile(r"[^\s<>]*<[^<>]*\Z")


def literal(text: str) -> str:
    """Return a pattern for exactly this *text*, which reads alike in all engines."""
    escaped = _SPECIAL.sub(r"\\\g<0>", text)
    return escaped.replace("\n", r"\n").replace("\t", r"\t")


def spelt(text: str) -> str:
    """Return a pattern for a *text* with slots, in which white space may vary where dialects do.

    The slot of a tool becomes the group ``name``; ids and numbers of steps are read over.
    """
    text = text.strip()
    made = []
    at = 0
    for found in _BLANK_OR_SLOT.finditer(text):
        before, after = text[: found.start()], text[found.end() :]
        made.append(literal(text[at : found.start()]))
        at = found.end()
        if found[0] == Slot.TOOL:
            made.append(f"(?P<name>{_name(after)})")
        elif found[0] in (Slot.ID, Slot.NUMBER):
            made.append("[0-9]+" if found[0] == Slot.NUMBER else "[A-Za-z0-9_-]+")
        else:
            made.append(_blank(before, found[0], after))
    return "".join(made) + literal(text[at:])


def begins_without(words: Iterable[str]) -> str:
    """Return a pattern for the least text that shows that none of *words* begins here."""
    nodes: dict[str, list[str]] = {}
    for word in words:
        if word:
            nodes.setdefault(word[0], []).append(word[1:])
    goes_on = [
        literal(char) + begins_without(rests) for char, rests in nodes.items() if "" not in rests
    ]
    other = f"[^{''.join(map(literal, nodes))}]"
    return f"(?:{'|'.join((other, *goes_on))})" if goes_on else other


def _name(after: str) -> str:
    """Return a pattern for a name, given what follows it."""
    if not after:
        return r"[^\s<{]+"
    ends = "".join(dict.fromkeys(literal(char) for char in after[:1] if not char.isspace()))
    return rf"[^\n{ends}]+?"


def _blank(before: str, blank: str, after: str) -> str:
    """Return a pattern for the white space between two texts."""
    if "\n" in blank:
        is_free = before[-1:] in _BRACKETS or after[:1] in _BRACKETS
        return r"\s*" if is_free else r"[ \t]*\n\s*"
    is_inner = before[-1:].isalnum() and after[:1].isalnum()
    return literal(blank) if is_inner else r"[ \t]*"


def without_partial(text: str) -> tuple[str, str]:
    """Return *text* without the beginning of a tag at its end, and that beginning."""
    found = _PARTIAL.search(text)
    return (text, "") if found is None else (text[: found.start()], found[0])
