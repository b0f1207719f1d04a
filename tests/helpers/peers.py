"""The packages that only some tests import, to compare with them or to use them as users do."""

from __future__ import annotations

import os
from importlib.util import find_spec

PEERS = frozenset(
    (
        "PIL", "agents", "anthropic", "cloudpickle", "httpx", "langchain", "langchain_classic",
        "langchain_core", "langgraph", "llguidance", "openai", "pyarrow", "pydantic_ai",
        "smolagents", "starlette", "uvicorn",
    )
)  # fmt: skip
"""Packages that the group `peers` installs, and `dev` does not."""


def is_missing(package: str) -> bool:
    """Return whether *package* is a peer that is not installed; in CI a missing one is a fault."""
    return package in PEERS and os.environ.get("CI") != "true" and find_spec(package) is None


def missing_peer(error: BaseException | None) -> str:
    """Return the peer that is missing, if that is why there is this *error*."""
    while error is not None:
        name = error.name if isinstance(error, ImportError) else None
        peer = (name or "").partition(".")[0]
        if is_missing(peer):
            return peer
        error = error.__cause__ or error.__context__
    return ""
