"""What one message of a table says, up to what its tools returned and behind it."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Literal, TypeAlias

from agent_runs.reading.said import Said, SaidCall, SaidResult

Role: TypeAlias = Literal["system", "user", "assistant", "tool"]
SaidByProgram: TypeAlias = Literal["", "system", "error"]
"""What a text is that the program says: no question and no answer, or an error; else empty."""


@dataclass
class SaidTurn:
    """The parts of a message up to the results of its calls."""

    texts: list[str] = field(default_factory=list)
    system: list[str] = field(default_factory=list)
    thoughts: list[str] = field(default_factory=list)
    errors: list[str] = field(default_factory=list)
    refusals: list[str] = field(default_factory=list)
    calls: list[SaidCall] = field(default_factory=list)
    results: list[SaidResult] = field(default_factory=list)
    left_out: list[str] = field(default_factory=list)
    signed: list[Mapping[str, Any]] = field(default_factory=list)

    def of_kind(self, what: str) -> list[str]:
        """Return the list with the texts of one kind of part."""
        kinds = {"text": self.texts, "system": self.system, "thought": self.thoughts}
        return {**kinds, "error": self.errors, "refusal": self.refusals}[what]

    def set_apart(self, program: Callable[[str], SaidByProgram]) -> None:
        """Move texts that the program wrote to the lists of the kinds that *program* returns."""
        texts, self.texts = self.texts, []
        for text in texts:
            self.of_kind(program(text) or "text").append(text)

    def said(self, role: Role, join: str) -> list[Said]:
        """Return the messages of the turn; texts of the assistant are joined by *join*."""
        before: list[Said] = []
        if role != "assistant":  # only a model refuses
            self.texts, self.refusals = [*self.texts, *self.refusals], []
        if self.texts and self.system and role == "user":
            before, self.system = [Said("system", "\n".join(self.system))], []
        texts = self.texts or self.system
        is_model = role == "assistant" and (self.calls or self.refusals or not self.system)
        if not self.texts and not is_model and (self.results or self.system):
            role = "tool" if self.results else "system"
        said = Said(
            role,
            (join if role == "assistant" else "\n").join(texts),
            "\n".join(self.thoughts),
            self.calls,
            self.results,
            left_out=self.left_out,
            signed=self.signed,
            errors=self.errors,
            refused="".join(self.refusals),
        )
        return [*before, said]


def joined(said: Sequence[Said]) -> Said:
    """Return the first of the parts of one message, with the others linked after it."""
    found = said[-1]
    for each in reversed(said[:-1]):
        each.then = found
        found = each
    return found
