"""A shorter `repr` for pydantic models."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from pydantic import BaseModel

    ReprArgs = Iterable[tuple[str | None, Any]]


def without_defaults(model: BaseModel, args: ReprArgs) -> Iterator[tuple[str | None, Any]]:
    """Yield the `repr` *args* of a *model* that differ from the defaults of their fields."""
    fields = type(model).model_fields
    for name, value in args:
        default = fields[name].default if name in fields else ...
        # Types first: comparing arrays returns an array, which has no truth value.
        if type(value) is not type(default) or value != default:
            yield name, value
