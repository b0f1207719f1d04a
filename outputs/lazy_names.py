"""Names of a package that are imported at their first use: a program pays for what it uses."""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

__all__ = ["late_names"]


def late_names(
    package: str, namespace: dict[str, Any], modules: Mapping[str, str]
) -> tuple[Callable[[str], Any], Callable[[], list[str]]]:
    """Return the ``__getattr__`` and the ``__dir__`` of a package (PEP 562).

    Args:
        package: Its name.
        namespace: Its globals, which keep what was imported.
        modules: In which module each name is.
    """

    def import_name(name: str) -> Any:
        if name not in modules:
            raise AttributeError(f"module {package!r} has no attribute {name!r}")
        value = namespace[name] = getattr(import_module(modules[name]), name)
        return value

    def list_names() -> list[str]:
        return [*namespace, *modules]

    return import_name, list_names
