"""A temporary project with tests and snapshots of its own."""

from collections.abc import Sequence
from pathlib import Path
from textwrap import dedent

import pytest

import agent_parsers
import agent_parsers.testing

SECTION = r"""[pytest]
filterwarnings = error:::(pytest_)?agent_parsers\b
"""
PLUGINS = ("syrupy", "pytest_agent_parsers")

# A run within this process forgets the modules that it is the first to import. Their classes would
# be made twice.
LOADED = [
    getattr(door, name) for door in (agent_parsers, agent_parsers.testing) for name in door.__all__
]


class Project:
    """A project whose tests run with the plugin, within this process."""

    def __init__(self, pytester: pytest.Pytester) -> None:
        self.pytester = pytester
        self.root = pytester.path
        self.configure()

    def configure(self, *options: str) -> None:
        self.pytester.makeini(SECTION + "\n".join(options))

    def write(self, name: str, code: str) -> Path:
        path = self.root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(dedent(code), encoding="utf-8")
        return path

    def run(self, *args: str, plugins: Sequence[str] = PLUGINS) -> str:
        loaded = [part for plugin in plugins for part in ("-p", plugin)]
        return str(self.pytester.runpytest_inprocess(*loaded, *args).stdout)

    def files(self, folder: str = "snapshots") -> dict[str, str]:
        root = self.root / folder
        files = (path for path in sorted(root.rglob("*")) if path.is_file())
        return {path.relative_to(root).as_posix(): path.read_bytes().decode() for path in files}

    def only_snapshot(self) -> str:
        """Write the only snapshot of the project, check that it passes, and return it."""
        assert "1 snapshot generated" in self.run("--snapshot-update")
        assert "1 snapshot passed" in self.run()
        (page,) = self.files().values()
        return page
