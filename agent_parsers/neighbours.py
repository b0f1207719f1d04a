"""Imports the packages that this one needs, and says so if a file of the user hides one of them."""

from __future__ import annotations

from importlib import import_module

try:
    import_module("output_parsers.neighbours")  # it says what hides the package below it
except ImportError:
    from importlib.util import find_spec
    from pathlib import Path

    spec = find_spec("output_parsers")
    if spec is not None and spec.origin is not None:
        home = Path(__file__).resolve().parents[1]
        if Path(spec.origin).resolve().parent != home / "output_parsers":
            raise ImportError(
                f"{spec.origin} hides the package 'output_parsers' of agent-parsers: rename that"
                " file",
                name="output_parsers",
                path=spec.origin,
            ) from None
    raise
