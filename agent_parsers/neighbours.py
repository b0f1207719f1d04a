"""Imports the packages that this one needs, and says so if a file of the user hides one of them."""

from __future__ import annotations

from importlib import import_module

try:
    import_module("outputs.lazy_names")
    import_module("output_parsers.printable")
except ImportError:
    from importlib.util import find_spec
    from pathlib import Path

    home = Path(__file__).resolve().parents[1]
    for name in ("outputs", "output_parsers"):
        spec = find_spec(name)
        if spec is None or spec.origin is None:
            continue
        if Path(spec.origin).resolve().parent != home / name:
            raise ImportError(
                f"{spec.origin} hides the package {name!r} of agent-parsers: rename that file",
                name=name,
                path=spec.origin,
            ) from None
    raise
