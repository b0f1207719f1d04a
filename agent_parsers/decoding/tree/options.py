"""The values of the options of grammars."""

from __future__ import annotations

from typing import Literal, TypeAlias

__all__ = ["GrammarForm", "Server", "Start", "TurnKind"]

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
