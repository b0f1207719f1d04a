"""The error for a value that has no JSON form, or JSON that is not one."""

from __future__ import annotations

from typing import Any, Final

__all__ = ["Misfit", "name_of"]

_NAMES: Final = {
    dict: "an object",
    list: "a list",
    str: "a text",
    bool: "a boolean",
    int: "a number",
    float: "a number",
    type(None): "null",
}


class Misfit(Exception):  # noqa: N818 - internal: the caller sees a `TypeError` or `ValueError`
    """Raised with a reason; each value that contains the place adds the way to it."""

    def __init__(self, reason: str, *path: object) -> None:
        super().__init__(reason, *path)
        self._reason = reason
        self._path = path

    def below(self, key: object) -> Misfit:
        """Return the same error within what *key* leads to."""
        return Misfit(self._reason, key, *self._path)

    def __str__(self) -> str:
        path = "".join(f"[{key!r}]" if _needs_brackets(key) else f".{key}" for key in self._path)
        return f"{path.removeprefix('.')}: {self._reason}" if path else self._reason


def _needs_brackets(key: object) -> bool:
    return not (isinstance(key, str) and key.isidentifier())


def name_of(value: Any) -> str:
    """Return what *value* is, for messages."""
    return _NAMES.get(type(value)) or f"a value of type {type(value).__name__}"
