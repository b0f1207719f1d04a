"""Grammars for constrained decoding: a server that has one lets a model write only valid turns.

`TurnParser.grammar` writes them, and `TurnParser.structured_outputs` the requests with them.
"""

from typing import TYPE_CHECKING

from outputs.lazy_names import late_names, modules_of

if TYPE_CHECKING:
    from agent_parsers.constrain.export import GrammarOptions
    from agent_parsers.constrain.parts.options import GrammarForm, Server
    from agent_parsers.constrain.parts.tree import (
        GrammarError,
        GrammarNote,
        GrammarText,
        GrammarTree,
    )

__all__ = [
    "GrammarError", "GrammarForm", "GrammarNote", "GrammarOptions", "GrammarText", "GrammarTree",
    "Server",
]  # fmt: skip

_MODULES = modules_of(
    {
        "agent_parsers.constrain.export": "GrammarOptions",
        "agent_parsers.constrain.parts.options": "GrammarForm Server",
        "agent_parsers.constrain.parts.tree": "GrammarError GrammarNote GrammarText GrammarTree",
    }
)
"""The module of each name that is imported at its first use."""

if not TYPE_CHECKING:  # checkers would take any name to exist
    __getattr__, __dir__ = late_names(__name__, globals(), _MODULES)
