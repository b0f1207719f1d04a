"""Imports Hypothesis, or raises an error that names the extra to install."""

from __future__ import annotations

try:
    from hypothesis import HealthCheck, Phase, find, given, seed, settings
    from hypothesis import strategies as st
    from hypothesis.errors import NoSuchExample
except ImportError as error:
    raise ImportError(
        "agent_parsers.testing draws texts with hypothesis, which is not installed:"
        " pip install 'agent-parsers[testing]'"
    ) from error

__all__ = ["HealthCheck", "NoSuchExample", "Phase", "find", "given", "seed", "settings", "st"]
