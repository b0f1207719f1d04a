"""Calls that name the tool before their JSON, given as the template of one call."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

from typing_extensions import override

from agent_parsers.engine.calls.json.named_json import Head
from agent_parsers.families.call_blocks import NewCall, Payload
from agent_parsers.families.named_blocks import NamedPayload
from agent_parsers.forms.form import CallForm

if TYPE_CHECKING:
    from collections.abc import Mapping

    from agent_parsers.engine.grammar.problems import Problem

__all__ = ["HeadedPayload"]


@dataclass(frozen=True, kw_only=True)
class HeadedPayload(Payload):
    """Calls with the name of the tool, and perhaps their id, before the JSON of their input.

    White space next to the marks means nothing. If a fence encloses the JSON, it may be missing in
    lenient mode.
    """

    call: str
    """One call, with ``{tool}``, ``{input}``, and ``{id}`` if calls have ids."""
    ids: str = ""
    """How an id is spelt, with ``{tool}`` and ``{number}``, if only the id names the tool."""

    @cached_property
    def _named(self) -> NamedPayload:
        return NamedPayload(
            read_head=self.read_head, call=self.call, mark=self._head[0][-1].strip()
        )

    @cached_property
    def _head(self) -> tuple[list[str], list[str]]:
        """The texts around the name and the id, and which of them stands between two texts.

        Raises:
            ValueError: The name is missing, or it or the id stands there twice.
        """
        segments = CallForm(text=self.call).segments
        head = segments[: segments.index("input")]
        names = head.count("tool") + ("id" in head and "{tool}" in self.ids)
        if names != 1 or head.count("id") > 1:
            raise ValueError(f"a call has its name once before its input, not in {self.call!r}")
        return [*head[::2]], [*head[1::2]]

    @property
    @override
    def problems(self) -> Mapping[str, Problem]:
        return self._named.problems

    @override
    def reader(self, closer: str, *, lenient: bool) -> NewCall:
        return self._named.reader(closer, lenient=lenient)

    @property
    @override
    def form(self) -> CallForm:
        return self._named.form

    def read_head(self, text: str, *, lenient: bool) -> Head | None:
        """Return the head of a call that *text* is; `None` if it is none."""
        texts, holes = self._head
        size = len(text.removesuffix('"')) if lenient else len(text)
        at = len(text) - len(text.lstrip())
        first = texts[0].strip()
        if not text.startswith(first, at):
            return None
        at += len(first)
        found: dict[str, tuple[int, int]] = {}
        for hole, mark in zip(holes, map(str.strip, texts[1:]), strict=True):
            stop = text.find(mark, at) if mark else size
            if stop < 0:
                return None
            value = text[at:stop]
            start = at + len(value) - len(value.lstrip())
            found[hole] = (start, start + len(value.strip()))
            at = stop + len(mark)
        if "tool" not in found:
            found |= self._in_id(text, *found["id"])
        start, stop = found.get("tool", (0, 0))
        if text[at:size].strip() or len(text[start:stop].split()) != 1:
            return None
        call_id = text[slice(*found["id"])] if "id" in found else None
        return Head(start, stop, call_id or None)

    def _in_id(self, text: str, start: int, stop: int) -> dict[str, tuple[int, int]]:
        """Return where the id between *start* and *stop* names the tool; empty if it does not."""
        before, _, behind = self.ids.partition("{tool}")
        behind, _, end = behind.partition("{number}")
        at = text.rfind(behind, start, stop) if behind else stop
        number = text[at + len(behind) : stop].removesuffix(end)
        if not text.startswith(before, start) or at < 0 or not number.isdecimal():
            return {}
        return {"tool": (start + len(before), at)}
