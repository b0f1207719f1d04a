"""Grammars for constrained decoding: a server that has one lets a model write only valid turns.

`TurnParser.grammar` writes them, and `TurnParser.structured_outputs` the requests with them.
"""

from agent_parsers.decoding.export import GrammarForm, GrammarOptions, Server
from agent_parsers.decoding.tree.problems import GrammarError

__all__ = ["GrammarError", "GrammarForm", "GrammarOptions", "Server"]
