"""Package names that are imported at their first use, which keeps importing the package cheap."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from importlib import import_module
from types import ModuleType
from typing import Any

__all__ = ["late_names", "modules_of"]


def modules_of(names: Mapping[str, str]) -> dict[str, str]:
    """Return the module of each name, from the *names* of each module, with blanks between them."""
    return {name: module for module, own in names.items() for name in own.split()}


def late_names(
    package: str, namespace: dict[str, Any], modules: Mapping[str, str], *below: str
) -> tuple[Callable[[str], Any], Callable[[], list[str]], list[str]]:
    """Return the ``__getattr__``, ``__dir__`` (PEP 562) and ``__all__`` of a package.

    Args:
        package: The package's name.
        namespace: The package's globals, which cache the imported values.
        modules: The module that defines each name.
        below: Packages of this distribution; the error about a name of theirs says so.
    """

    def import_name(name: str) -> Any:
        if name not in modules:
            homes = (other for other in below if name in import_module(other).__all__)
            home = None if name.startswith("_") else next(homes, None)
            hint = f"; {home} has it" if home else ""
            raise AttributeError(f"module {package!r} has no attribute {name!r}{hint}")
        value = namespace[name] = getattr(import_module(modules[name]), name)
        return value

    def list_names() -> list[str]:
        return [*namespace, *modules]

    def is_own(name: str) -> bool:
        is_help = name.startswith("_") or name in ("TYPE_CHECKING", *__all__)
        return not (is_help or isinstance(namespace[name], ModuleType))

    late = (name for name in modules if not name.startswith("_"))
    return import_name, list_names, sorted({*late, *filter(is_own, namespace)})
