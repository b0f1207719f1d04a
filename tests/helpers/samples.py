"""The samples of Python in the README and the pages of the documentation."""

from __future__ import annotations

import re
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING

from .peers import is_missing

if TYPE_CHECKING:
    from collections.abc import Iterator

ROOT = Path(__file__).parents[2]
PAGES = [ROOT / "README.md", *sorted((ROOT / "docs").glob("*.md"))]
ENGINES = ("daft", "datasets", "duckdb", "llama_index", "polars", "pyspark", "ray")
"""Engines for tables, and another large package, which are installed only where they are tried."""
_BLOCK = re.compile(r"^```python( continued)?\n(.*?)^```$", re.DOTALL | re.MULTILINE)


def samples(page: Path) -> Iterator[str]:
    """Yield the code of each sample, on the lines that it has in the page.

    A continued sample includes the code before it.
    """
    text, code = page.read_text("utf-8"), ""
    for block in _BLOCK.finditer(text):
        before = code if block[1] else ""
        gap = text.count("\n", 0, block.start(2)) - before.count("\n")
        code = before + "\n" * gap + block[2]
        yield code


def missing_engine(code: str) -> str:
    """Return an engine or a peer that *code* imports and that is not installed, or ``""``."""
    imported = re.findall(r"^(?:import|from) (\w+)", code, re.MULTILINE)
    return next((name for name in imported if _is_missing(name)), "")


def _is_missing(name: str) -> bool:
    return (name in ENGINES and find_spec(name) is None) or is_missing(name)
