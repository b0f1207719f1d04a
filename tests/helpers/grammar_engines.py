"""The engines of constrained decoding, each as a check whether a text fits a grammar."""

from __future__ import annotations

import sys
from importlib import import_module
from importlib.machinery import ModuleSpec
from importlib.util import find_spec
from types import ModuleType
from typing import Any

import pytest

BYTES = 256
"""Tokens of the byte tokenizer; the next number ends a text."""


def _stand_in(name: str) -> None:
    """Put a module in place of a large package that an engine imports but does not need here."""

    class StandIn(ModuleType):
        def __getattr__(self, attribute: str) -> Any:
            if attribute.startswith("__"):
                raise AttributeError(attribute)
            return type(attribute, (), {"__init__": lambda self, *_, **__: None})

    module = StandIn(name)
    module.__spec__ = ModuleSpec(name, None)
    sys.modules[name] = module


def xgrammar() -> Any:
    """Return the package xgrammar; the test is skipped without it."""
    if find_spec("xgrammar") is None:
        pytest.skip("xgrammar is not installed")
    import_module("tvm_ffi")  # it looks for torch as well, and needs the real one
    given = [name for name in ("torch", "transformers") if name not in sys.modules]
    missing = [name for name in given if find_spec(name) is None]
    for name in missing:
        _stand_in(name)
    try:
        import xgrammar as package
    finally:
        for name in missing:
            del sys.modules[name]
    return package


def llguidance() -> Any:
    """Return the package llguidance; the test is skipped without it."""
    return pytest.importorskip("llguidance", reason="llguidance is not installed")
