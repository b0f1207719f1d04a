"""The options of grammars."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, TypeAlias, get_args

GrammarForm: TypeAlias = Literal[
    "lark", "llguidance", "gbnf", "regex", "json_schema", "structural_tag"
]
"""The form of a grammar."""
Server: TypeAlias = Literal[
    "vllm", "sglang", "llama_cpp", "openai_tool", "openai_chat_tool", "anthropic"
]
"""A server, or an API of it, that constrains decoding."""

TurnKind: TypeAlias = Literal["any", "call", "answer"]
"""Which turns a grammar has."""
Start: TypeAlias = Literal["", "content", "thought"]
"""Where a turn begins: in its content, or in a thought that the prompt has opened."""


@dataclass(frozen=True)
class TurnOptions:
    """Options that decide which turns a grammar allows."""

    turn: TurnKind = "any"
    start: Start = ""
    thoughts: bool = True
    """Whether a turn may have a thought."""
    max_calls: int | None = None
    """The most calls of a turn; `None` for any number."""
    schema_inputs: bool = True
    """Whether inputs follow the schemas of the tools."""
    exact: bool = False
    """Whether to raise an error if the grammar cannot express all of these schemas."""
    max_thought: int | None = None
    """The most characters of a thought; `None` for any number."""
    max_content: int | None = None
    """The most characters of content beside calls; `None` for none if each turn has a call, and
    for any number otherwise."""

    def __post_init__(self) -> None:
        for name, value, known in (("turn", self.turn, TurnKind), ("start", self.start, Start)):
            if value not in get_args(known):
                raise ValueError(f"{name} must be one of {get_args(known)}, not {value!r}")
        if self.max_calls is not None and self.max_calls < 1:
            raise ValueError(f"max_calls must be at least 1, not {self.max_calls!r}")
        for name in ("max_thought", "max_content"):
            if (most := getattr(self, name)) is not None and most < 0:
                raise ValueError(f"{name} must be at least 0, not {most!r}")
        if self.start == "thought" and not self.has_thoughts:
            raise ValueError(
                "start='thought' needs thoughts: remove thoughts=False or max_thought=0"
            )

    @property
    def has_thoughts(self) -> bool:
        """Whether a turn may have a thought."""
        return self.thoughts and self.max_thought != 0

    @property
    def has_content(self) -> bool:
        """Whether a turn may have content beside its calls."""
        return self.turn != "call" if self.max_content is None else self.max_content > 0
