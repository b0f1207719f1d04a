"""Imports the package that this one needs, and says so if a file of the user hides it."""

from __future__ import annotations

from importlib import import_module

try:
    import_module("outputs.lazy_names")
except ImportError:
    from importlib.util import find_spec
    from pathlib import Path

    spec = find_spec("outputs")
    if spec is not None and spec.origin is not None:
        home = Path(__file__).resolve().parents[1]
        if Path(spec.origin).resolve().parent != home / "outputs":
            raise ImportError(
                f"{spec.origin} hides the package 'outputs' of agent-parsers: rename that file",
                name="outputs",
                path=spec.origin,
            ) from None
    raise
