"""Structural tags, the form of xgrammar, which vLLM and SGLang take as well."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from agent_parsers.decoding.forms.gbnf import write_gbnf

if TYPE_CHECKING:
    from agent_parsers.decoding.tree.nodes import Grammar

__all__ = ["write_structural_tag"]


def write_structural_tag(grammar: Grammar) -> dict[str, Any]:
    """Return *grammar* as a structural tag.

    It is one EBNF grammar: an outline of tags, with a grammar for each text and call in it, says
    the same, but repeats what these have in common.
    """
    form = {"type": "grammar", "grammar": write_gbnf(grammar)}
    return {"type": "structural_tag", "format": form}
