"""Grammars for constrained decoding: a server that has one lets a model write only valid turns.

`TurnParser.grammar` writes them, and `TurnParser.structured_outputs` the requests with them.
"""

from typing import TYPE_CHECKING

from outputs.lazy_names import late_names

if TYPE_CHECKING:
    from agent_parsers.decoding.export import GrammarOptions
    from agent_parsers.decoding.parts.options import GrammarForm, Server
    from agent_parsers.decoding.parts.tree import (
        GrammarError,
        GrammarNote,
        GrammarText,
        GrammarTree,
    )

__all__ = [
    "GrammarError", "GrammarForm", "GrammarNote", "GrammarOptions", "GrammarText", "GrammarTree",
    "Server",
]  # fmt: skip

_MODULES = {
    "GrammarOptions": "agent_parsers.decoding.export",
    "GrammarForm": "agent_parsers.decoding.parts.options",
    "GrammarNote": "agent_parsers.decoding.parts.tree",
    "GrammarText": "agent_parsers.decoding.parts.tree",
    "GrammarTree": "agent_parsers.decoding.parts.tree",
    "Server": "agent_parsers.decoding.parts.options",
    "GrammarError": "agent_parsers.decoding.parts.tree",
}
"""The module of each name that is imported at its first use."""

if not TYPE_CHECKING:  # checkers would take any name to exist
    __getattr__, __dir__ = late_names(__name__, globals(), _MODULES)
