"""Lark, the notation that llguidance, xgrammar, vLLM and OpenAI take."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from agent_parsers.decoding.forms.rules import rules_of
from agent_parsers.decoding.texts.charsets import spelt

if TYPE_CHECKING:
    from agent_parsers.decoding.tree.nodes import Grammar

__all__ = ["Lark", "write_lark"]


class Lark:
    """The notation of Lark."""

    start: Final = "start"
    is_left: Final = True  # with rules that end so, the work of llguidance would be quadratic

    def literal(self, text: str) -> str:
        """Return a text in double quotes; nothing at all for the empty text."""
        # Each character apart: llguidance prefers the longest lexeme, so that of two texts that
        # begin alike it would only see the longer one.
        return " ".join(f'"{spelt(ord(char), chr(34) + chr(92))}"' for char in text) or '""'

    def one_of(self, ranges: str, *, negated: bool) -> str:
        """Return a class in a regular expression."""
        return f"/[{'^' if negated else ''}{ranges}]/"

    def char(self, code: int) -> str:
        """Return a character as it is spelt in a class."""
        return spelt(code, "]\\^-[/")

    def name(self, name: str) -> str:
        """Return a name with underscores."""
        return name.replace("-", "_")

    def class_name(self, number: int) -> str:
        """Return the name of a class of characters."""
        return f"C{number}"


def write_lark(grammar: Grammar) -> str:
    """Return *grammar* in Lark."""
    rules = rules_of(grammar, Lark())
    return "".join(f"{name}: {body}\n" for name, body in rules.items())
