"""Calls that name the tool before their JSON: the payload of such formats."""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Any, Protocol

from typing_extensions import override

from agent_parsers.engine.calls.json.named_json import NamedJson
from agent_parsers.families.call_blocks import NewCall, Payload
from agent_parsers.families.json_blocks import BARE_PROBLEMS, PROBLEMS, bare_rules, block_rules
from agent_parsers.forms.form import CallForm, write_json

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from agent_parsers.engine.calls.json.named_json import Head
    from agent_parsers.engine.grammar.problems import Problem

__all__ = ["NamedPayload", "ReadHead", "is_name"]


def is_name(text: str, signs: str = ".-") -> bool:
    """Return whether *text* may name a tool: only letters, digits, ``_`` and *signs*."""
    return re.fullmatch(rf"[\w{re.escape(signs)}]+", text) is not None


class ReadHead(Protocol):
    """Reads the head of a call."""

    def __call__(self, text: str, *, lenient: bool) -> Head | None:
        """Return the head that *text* is; `None` if it does not name a tool."""


@dataclass(frozen=True, kw_only=True)
class NamedPayload(Payload):
    """Calls that begin with the name of the tool, with only its input as JSON."""

    read_head: ReadHead
    """Reads the text before the JSON, in strict mode or with ``lenient=True``."""
    call: str
    """One call, with ``{tool}``, ``{input}``, and ``{id}`` if calls have ids."""
    write_input: Callable[[Any], str] = write_json
    """Writes an input."""
    mark: str = ""
    """The mark between the name and the JSON; a text with this mark is not prose."""
    may_lead: Callable[[str], bool] | None = None
    """Returns whether a text may still become a head; `None` if any text may. It is not asked where
    a text without a head is an error."""
    is_bare: bool = False
    """Whether a call needs no mark, so that any other text is content."""
    unnamed: Callable[[bool], NewCall | None] | None = None
    """Returns what makes the reader of a call whose JSON has its name, given whether lenient."""
    unmarked: NewCall | None = None
    """Makes the reader of content in lenient mode, if content may have calls without a mark."""

    @property
    @override
    def problems(self) -> Mapping[str, Problem]:
        return {**PROBLEMS, **BARE_PROBLEMS} if self.is_bare else PROBLEMS

    @override
    def reader(self, closer: str, *, lenient: bool) -> NewCall:
        rules = block_rules()
        unnamed = self.unnamed(lenient) if self.unnamed else None
        return partial(
            NamedJson,
            partial(self.read_head, lenient=lenient),
            (bare_rules(rules) if self.is_bare else rules)[lenient],
            closed=bool(closer),
            bare=self.is_bare,
            unnamed=unnamed,
            may_lead=self.may_lead if unnamed or self.is_bare else None,
            mark=self.mark,
        )

    @override
    def content_reader(self, *, lenient: bool) -> NewCall | None:
        if self.is_bare:
            return self.reader("", lenient=lenient)
        return self.unmarked if lenient else None

    @property
    @override
    def form(self) -> CallForm:
        return CallForm(text=self.call, write_input=self.write_input)
