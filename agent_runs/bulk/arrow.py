"""PyArrow, or what to install if it is missing."""

from __future__ import annotations

__all__ = ["pa"]

try:
    import pyarrow as pa
except ModuleNotFoundError as error:
    raise ImportError(
        'agent_runs.bulk needs pyarrow: pip install "agent-parsers[arrow]"', name=error.name
    ) from error
