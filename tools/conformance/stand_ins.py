"""Imports parsers of inference servers without what they need a GPU for.

A server's package is taken from the environment, or from the folder that ``AGENT_PARSERS_SERVERS``
names, where ``vllm/vllm``, ``sglang/sglang`` and ``verl/verl`` may be unpacked wheels. Whatever
else they import and is not installed becomes a stand-in: an object that takes part in anything and
does nothing. So do the parts of a server listed in `STOOD_IN`. The parsers themselves and their
base classes are the real ones. vLLM in an environment with torch is used as it is.
"""

from __future__ import annotations

import importlib.util
import os
import sys
from importlib.abc import Loader, MetaPathFinder
from importlib.machinery import ModuleSpec
from pathlib import Path
from types import FunctionType, ModuleType
from typing import Any, Final

__all__ = ["SERVERS", "find", "provide", "version_of"]

SERVERS: Final = ("vllm", "sglang", "verl", "trl")
STOOD_IN: Final = {
    "vllm": (
        "vllm.config", "vllm.distributed", "vllm.model_executor", "vllm.multimodal",
        "vllm.platforms", "vllm.transformers_utils", "xgrammar",
    ),
    "sglang": ("sglang.srt.platforms", "sglang.srt.utils", "xgrammar"),
    "verl": ("verl.utils.rollout_trace", "verl.utils.ray_utils"),
    "trl": ("trl.models",),
}  # fmt: skip
"""Modules that reach for a device when they are imported, or import much that does."""
WHOLE_WITH: Final = {"vllm": "torch"}
"""A package beside which a server is installed with all that its parsers need."""
BARE: Final = {
    "verl": ("verl", "verl.utils", "verl.experimental", "verl.experimental.agent_loop"),
    "trl": ("trl",),
}
"""Packages whose ``__init__`` imports much that does."""


def find(server: str) -> Path | None:
    """Return the folder in which the package of a *server* is, or `None`."""
    if folder := os.environ.get("AGENT_PARSERS_SERVERS"):
        path = Path(folder) / server
        if (path / server).is_dir():
            return path
    spec = importlib.util.find_spec(server)
    return Path(spec.origin).parents[1] if spec is not None and spec.origin else None


def version_of(server: str) -> str:
    """Return the version of a *server* that `find` finds."""
    path = find(server)
    infos = sorted(path.glob(f"{server}-*.dist-info")) if path is not None else []
    return infos[-1].name.removeprefix(f"{server}-").removesuffix(".dist-info") if infos else "?"


def provide(server: str) -> None:
    """Make the parsers of a *server* importable in this process, which is of no other use then.

    Raises:
        ModuleNotFoundError: The package is not there.
    """
    path = find(server)
    if path is None:
        raise ModuleNotFoundError(
            f"{server} is not installed, and AGENT_PARSERS_SERVERS names no folder with it",
            name=server,
        )
    sys.path.append(str(path))
    if server in WHOLE_WITH and importlib.util.find_spec(WHOLE_WITH[server]) is not None:
        return
    for name in BARE.get(server, ()):
        bare = ModuleType(name)
        bare.__path__ = [str(path.joinpath(*name.split(".")))]
        sys.modules[name] = bare
    importlib.import_module("transformers")  # before torch seems to be there
    sys.meta_path.insert(0, _Finder(STOOD_IN[server]))
    sys.meta_path.append(_Finder(()))


class _StandInKind(type):
    """A class with any attribute, which decorates by doing nothing."""

    def __getattr__(cls, name: str) -> Any:
        if name.startswith("__"):
            raise AttributeError(name)
        return StandIn

    def __call__(cls, *args: Any, **kwargs: Any) -> Any:
        if len(args) == 1 and not kwargs and isinstance(args[0], FunctionType):
            return args[0]
        return super().__call__()

    def __or__(cls, other: Any) -> Any:
        return cls

    def __ror__(cls, other: Any) -> Any:
        return cls

    def __iter__(cls) -> Any:
        return iter(())


class StandIn(metaclass=_StandInKind):
    """Stands in for whatever a missing module has."""

    def __init_subclass__(cls, **kwargs: Any) -> None:
        pass

    def __class_getitem__(cls, item: Any) -> Any:
        return cls

    def __getattr__(self, name: str) -> Any:
        if name.startswith("__"):
            raise AttributeError(name)
        return StandIn

    def __call__(self, *args: Any, **kwargs: Any) -> Any:
        return args[0] if len(args) == 1 and callable(args[0]) else self

    @classmethod
    def __get_pydantic_core_schema__(cls, source: Any, handler: Any) -> Any:
        from pydantic_core import core_schema

        return core_schema.any_schema()


class _Module(ModuleType):
    def __getattr__(self, name: str) -> Any:
        if name.startswith("__"):
            raise AttributeError(name)
        return StandIn


class _Finder(MetaPathFinder, Loader):
    """Finds stand-ins for *names* and what is in them, or, without names, for what is missing."""

    def __init__(self, names: tuple[str, ...]) -> None:
        self.names = names

    def find_spec(self, fullname: str, path: Any = None, target: Any = None) -> ModuleSpec | None:
        top = fullname.partition(".")[0]
        if self.names:
            wanted = any(f"{fullname}.".startswith(f"{name}.") for name in self.names)
        else:
            wanted = top not in {*SERVERS, "agent_parsers", "conformance", *sys.stdlib_module_names}
        return ModuleSpec(fullname, self, is_package=True) if wanted else None

    def create_module(self, spec: ModuleSpec) -> ModuleType:
        module = _Module(spec.name)
        module.__path__ = []
        vars(module)["__version__"] = "0"
        return module

    def exec_module(self, module: ModuleType) -> None:
        pass
