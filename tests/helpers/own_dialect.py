"""The dialect of the example; it is not registered, so that other tests do not see it."""

import contextlib
import io
import runpy
from dataclasses import replace
from pathlib import Path
from typing import Any

from agent_parsers import Dialect
from agent_parsers.authoring import Table, Written
from agent_parsers.registry import dialects_by_name as _registry

EXAMPLE = Path(__file__).parents[2] / "examples" / "own_dialect.py"


def _run_example() -> dict[str, Any]:
    known = dict(_registry.KNOWN)
    with contextlib.redirect_stdout(io.StringIO()):
        names = runpy.run_path(str(EXAMPLE))
    _registry.KNOWN.clear()
    _registry.KNOWN.update(known)
    return names


_NAMES = _run_example()
MEMO: Dialect = _NAMES["MEMO"]
TABLE: Table = _NAMES["TABLE"]


def write(step: Written) -> str:
    """Write one step as the example does."""
    text: str = _NAMES["write"](step)
    return text


def with_table(**changes: Any) -> Dialect:
    """Return the dialect with another strict table, and the lenient table made from it."""
    table = replace(TABLE, **changes)
    return replace(MEMO, strict=table, lenient=table.as_lenient())
