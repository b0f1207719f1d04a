"""Grammars for constrained decoding: a server that has one lets a model write only valid turns.

`TurnParser.grammar` writes them, and `TurnParser.structured_outputs` the requests with them.
"""

from typing import TYPE_CHECKING

from outputs.lazy_names import late_names, modules_of

if TYPE_CHECKING:
    from agent_parsers.constrain.export import GrammarOptions as GrammarOptions
    from agent_parsers.constrain.parts.options import GrammarForm as GrammarForm
    from agent_parsers.constrain.parts.options import Server as Server
    from agent_parsers.constrain.parts.tree import GrammarError as GrammarError
    from agent_parsers.constrain.parts.tree import GrammarNote as GrammarNote
    from agent_parsers.constrain.parts.tree import GrammarText as GrammarText
    from agent_parsers.constrain.parts.tree import GrammarTree as GrammarTree

_MODULES = modules_of(
    {
        "agent_parsers.constrain.export": "GrammarOptions",
        "agent_parsers.constrain.parts.options": "GrammarForm Server",
        "agent_parsers.constrain.parts.tree": "GrammarError GrammarNote GrammarText GrammarTree",
    }
)
"""The module of each name that is imported at its first use."""

if not TYPE_CHECKING:  # checkers would take any name to exist
    __getattr__, __dir__, __all__ = late_names(__name__, globals(), _MODULES)
