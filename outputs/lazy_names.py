"""Package names that are imported at their first use, which keeps importing the package cheap."""

from __future__ import annotations

import sys
from collections.abc import Callable, Mapping
from importlib import import_module
from types import FrameType, ModuleType
from typing import Any, Final

__all__ = ["late_names", "modules_of"]

_IMPORTLIB: Final = "importlib._bootstrap"
"""What looks for a name in a package before it looks for a module of this name."""


def modules_of(names: Mapping[str, str]) -> dict[str, str]:
    """Return the module of each name, given the *names* of each module, separated by spaces."""
    return {name: module for module, own in names.items() for name in own.split()}


def late_names(
    package: str, namespace: dict[str, Any], modules: Mapping[str, str], *beside: str
) -> tuple[Callable[[str], Any], Callable[[], list[str]], list[str]]:
    """Return the ``__getattr__``, ``__dir__`` (PEP 562) and ``__all__`` of a package.

    Args:
        package: The package's name.
        namespace: The package's globals, which cache the imported values.
        modules: The module that defines each name.
        beside: Other packages of this distribution; the error about a name of theirs says so.
    """

    def import_name(name: str) -> Any:
        if name not in modules:
            asking = sys._getframe(1)
            is_probe = name[:1] in ("", "_") or asking.f_globals.get("__name__") == _IMPORTLIB
            hint = "" if is_probe else _hint(name, modules, beside)
            if hint and _is_imported(asking):
                said = f"cannot import name {name!r} from {package!r}{hint}"
                raise ImportError(said, name=package, path=namespace.get("__file__"))
            raise AttributeError(f"module {package!r} has no attribute {name!r}{hint}")
        value = namespace[name] = getattr(import_module(modules[name]), name)
        return value

    def list_names() -> list[str]:
        return sorted({*namespace, *modules})

    def is_own(name: str) -> bool:
        is_help = name.startswith("_") or name in ("TYPE_CHECKING", *__all__)
        return not (is_help or isinstance(namespace[name], ModuleType))

    late = (name for name in modules if not name.startswith("_"))
    return import_name, list_names, sorted({*late, *filter(is_own, namespace)})


def _hint(name: str, modules: Mapping[str, str], beside: tuple[str, ...]) -> str:
    """Return where there is such a *name*, or one like it; ``""`` if there is none."""
    from difflib import get_close_matches  # lazily, as all that only errors need

    for other in beside:
        if name in import_module(other).__all__:
            return f"; {other} has it"
    folded = {each.casefold(): each for each in modules if each[0] != "_"}
    near = get_close_matches(name.casefold(), folded, 1, 0.75)
    return f". Did you mean {folded[near[0]]!r}?" if near else ""


def _is_imported(frame: FrameType) -> bool:
    """Return whether a ``from … import`` in *frame* asks for a name.

    It would replace an `AttributeError`, and its hint, by an error of its own.
    """
    from opcode import opname

    code = frame.f_code.co_code
    return opname[code[frame.f_lasti]] == "IMPORT_FROM"
