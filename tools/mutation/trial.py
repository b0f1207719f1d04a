"""A copy of the project in which tests run with one mutant at a time."""

from __future__ import annotations

import multiprocessing
import os
import re
import resource
import shutil
import sys
from contextlib import contextmanager
from importlib import import_module
from importlib.metadata import entry_points
from itertools import count
from pathlib import Path
from typing import TYPE_CHECKING, Final

from .related import ROOT

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from .mutants import Mutant

__all__ = ["Copy"]

_LEFT_OUT: Final = shutil.ignore_patterns(".*", "__pycache__", "dist", "build")
_PRELOADED: Final = ("hypothesis", "langchain_classic", "pydantic", "pytest", "regex")
"""Imported once, with the plugins of pytest; the processes that run the tests are forked."""

_OPTIONS: Final = (
    "-n0", "-x", "-q", "--no-header", "--tb=no", "-p", "no:cacheprovider",
    "-o", "faulthandler_timeout=60",
)  # fmt: skip
_PASSED: Final = (0, 5)
"""Exit codes of pytest: all passed, or there was none."""

_SECONDS: Final = 120
"""Time on the processor for a run of tests; a mutant may loop for ever."""
_MAX_BYTES: Final = 4 << 30
"""Memory for a run of tests; a mutant may build a list without end."""


class Copy:
    """A copy of the project.

    Args:
        root: An empty folder for it.
    """

    def __init__(self, root: Path) -> None:
        self._root = root / "copy"
        self._log = root / "log"
        self._changes = count(1)
        shutil.copytree(ROOT, self._root, ignore=_LEFT_OUT)
        for module in _PRELOADED:
            import_module(module)
        for plugin in entry_points(group="pytest11"):
            if not plugin.value.startswith("pytest_agent_parsers"):
                plugin.load()

    @contextmanager
    def changed(self, mutant: Mutant) -> Iterator[None]:
        """Change the copy while the context lasts."""
        file = self._root / mutant.path
        source = file.read_bytes()
        self._write(file, mutant.applied_to(source))
        try:
            yield
        finally:
            self._write(file, source)

    def killer(self, tests: Sequence[str]) -> str | None:
        """Run *tests*; return the one that fails, or what else is wrong; `None` if all pass."""
        run = multiprocessing.get_context("fork").Process(target=self._run, args=(tests,))
        run.start()
        run.join()
        if run.exitcode in _PASSED:
            return None
        if run.exitcode is None or run.exitcode < 0:
            return "out of time"
        said = self._log.read_text(encoding="utf-8", errors="replace")
        failed = re.search(r"^(?:FAILED|ERROR) (.+?)(?: - .*)?$", said, re.MULTILINE)
        return failed[1] if failed else said.strip().rpartition("\n")[2]

    def _write(self, file: Path, source: bytes) -> None:
        file.write_bytes(source)
        moment = next(self._changes)  # so that no compiled file from before is taken for this one
        os.utime(file, (moment, moment))

    def _run(self, tests: Sequence[str]) -> None:
        """Run *tests* in this process, which then ends."""
        import pytest

        resource.setrlimit(resource.RLIMIT_CPU, (_SECONDS, _SECONDS))
        resource.setrlimit(resource.RLIMIT_AS, (_MAX_BYTES, _MAX_BYTES))
        os.environ |= {"PYTHONPATH": str(self._root), "CI": "1"}  # the same examples in each run
        os.chdir(self._root)
        sys.path[:] = [str(self._root), *(each for each in sys.path if Path(each) != ROOT)]
        for name in [name for name in sys.modules if name.partition(".")[0] == "tests"]:
            del sys.modules[name]
        with self._log.open("w") as log:
            for stream in (1, 2):
                os.dup2(log.fileno(), stream)
        code = pytest.main([*_OPTIONS, *tests])
        sys.stdout.flush()
        os._exit(code)
