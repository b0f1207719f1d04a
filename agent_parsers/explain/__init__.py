"""Explanations of why a turn parsed as it did, as text for a terminal and as data."""

from typing import TYPE_CHECKING

from outputs.lazy_names import late_names, modules_of

if TYPE_CHECKING:
    from agent_parsers.explain.explanation import ExplainedChunk as ExplainedChunk
    from agent_parsers.explain.explanation import Explanation as Explanation
    from agent_parsers.explain.findings import ExplainedRepair as ExplainedRepair
    from agent_parsers.explain.findings import ExplainedSpan as ExplainedSpan
    from agent_parsers.explain.findings import IgnoredMarker as IgnoredMarker

_MODULES = modules_of(
    {
        "agent_parsers.explain.explanation": "ExplainedChunk Explanation",
        "agent_parsers.explain.findings": "ExplainedRepair ExplainedSpan IgnoredMarker",
    }
)
"""The module of each name that is imported at its first use."""

if not TYPE_CHECKING:  # checkers would take any name to exist
    __getattr__, __dir__, __all__ = late_names(__name__, globals(), _MODULES)
