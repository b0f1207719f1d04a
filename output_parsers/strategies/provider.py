"""What a model or a function of a client says of itself."""

from __future__ import annotations

import inspect
from collections.abc import Mapping
from functools import partial
from typing import Any


def has_provider(model: Any) -> bool:
    """Return whether the provider of *model* is known to enforce a schema.

    LangChain's models say it; of another, it is so if it takes a schema, and no tools.

    Args:
        model: A model, or a function that is asked, such as a method of one.
    """
    target = model.func if isinstance(model, partial) else model
    for owner in (target, getattr(target, "__self__", None)):
        profile = getattr(owner, "profile", None)
        if isinstance(profile, Mapping):
            return bool(profile.get("structured_output"))
    names = parameters_of(model)
    return "response_format" in names and "tools" not in names


def parameters_of(model: Any) -> set[str]:
    """Return the names of the keyword parameters of *model*; ``**`` means any name."""
    target = getattr(model, "func", None) or getattr(model, "afunc", None)
    target = target or getattr(model, "invoke", model)
    try:
        parameters = inspect.signature(target).parameters.values()
    except (TypeError, ValueError):  # not a function, or one without a signature
        return set()
    names = {p.name for p in parameters if p.kind in (p.POSITIONAL_OR_KEYWORD, p.KEYWORD_ONLY)}
    return names | {"**" for p in parameters if p.kind is p.VAR_KEYWORD}
