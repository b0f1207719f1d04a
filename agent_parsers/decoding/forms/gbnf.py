"""GBNF, the notation of llama.cpp, which xgrammar, vLLM and SGLang call EBNF."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from agent_parsers.decoding.forms.rules import rules_of
from agent_parsers.decoding.texts.charsets import spelt

if TYPE_CHECKING:
    from agent_parsers.decoding.tree.nodes import Grammar

__all__ = ["Gbnf", "write_gbnf"]


class Gbnf:
    """The notation of GBNF."""

    start: Final = "root"
    is_left: Final = False  # llama.cpp refuses rules that begin with themselves

    def literal(self, text: str) -> str:
        """Return a text in double quotes."""
        return f'"{"".join(spelt(ord(char), chr(34) + chr(92)) for char in text)}"'

    def one_of(self, ranges: str, *, negated: bool) -> str:
        """Return a class in brackets."""
        return f"[{'^' if negated else ''}{ranges}]"

    def char(self, code: int) -> str:
        """Return a character as it is spelt in a class."""
        return spelt(code, "]\\^-")

    def name(self, name: str) -> str:
        """Return a name with hyphens."""
        return name

    def class_name(self, number: int) -> str:
        """Return the name of a class of characters."""
        return f"c{number}"


def write_gbnf(grammar: Grammar) -> str:
    """Return *grammar* in GBNF."""
    rules = rules_of(grammar, Gbnf())
    return "".join(f"{name} ::= {body}\n" for name, body in rules.items())
