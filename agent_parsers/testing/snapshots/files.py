"""Stores each snapshot in a text file of its own, in a folder of the project."""

from __future__ import annotations

import re
import warnings
from collections.abc import Iterator
from functools import cache
from hashlib import sha256
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final
from urllib.parse import quote

from agent_parsers.testing.snapshots.readable import difference, readable

try:
    from syrupy.data import Snapshot, SnapshotCollection, SnapshotCollections
    from syrupy.extensions.base import AbstractSyrupyExtension
except ImportError as error:
    raise ImportError(
        "agent_parsers.testing compares snapshots with syrupy, which is not installed:"
        " pip install 'agent-parsers[testing]'"
    ) from error

if TYPE_CHECKING:
    import pytest
    from syrupy.location import PyTestLocation
    from syrupy.types import SerializedData, SnapshotIndex

_MAX_BYTES: Final = 200
"""Maximum length of the name of a file or folder; file systems allow 255 bytes."""

_FIXTURES: Final = frozenset(("snapshot", "_agent_snapshot"))
"""Fixtures of tests that use snapshots, directly or through another fixture."""

_SELECTING: Final = ("keyword", "markexpr", "deselect", "ignore", "ignore_glob", "lf")
"""Options of pytest that deselect tests."""


class ReadableSnapshots(AbstractSyrupyExtension):
    """Writes each snapshot to a text file of its own, below ``snapshots/`` in pytest's root.

    The fixtures of the pytest plugin use this extension. To use it in a fixture of your own::

        @pytest.fixture
        def snapshot(snapshot):
            return snapshot.use_extension(ReadableSnapshots)

        def test_prompt(snapshot):
            assert parser.get_format_instructions() == snapshot(name="react/prompt")

    A `str` is written unchanged, any other value as `readable` shows it. The caller may name the
    file, here ``snapshots/react/prompt.txt``. Otherwise it is named after the test: the snapshot of
    ``test_total[vat]`` in ``tests/shop/test_cart.py`` is ``snapshots/shop/cart/total[vat].txt``,
    and the second snapshot of that test is ``total[vat].2.txt``. All ``.txt`` files in the folder
    count as snapshots.

    ``pytest --snapshot-update`` writes the files, and deletes those that no test uses. Since a file
    does not record which test it belongs to, unused files are looked for only if all tests were
    selected, ran in one process, and those that use snapshots passed.
    """

    snapshot_dirname: str | Path = "snapshots"
    """The folder, relative to pytest's root; the plugin uses the option ``agent_snapshots``."""
    file_extension = "txt"
    write_immediately = True

    def serialize(self, data: object, **_options: Any) -> SerializedData:
        """Return *data* as text; syrupy's filters and matchers are ignored."""
        return readable(data)

    @classmethod
    def dirname(cls, *, test_location: PyTestLocation) -> str:
        """Return the folder, which is the same for all tests."""
        return str(test_location.item.config.rootpath / cls.snapshot_dirname)

    @classmethod
    def get_file_basename(cls, *, test_location: PyTestLocation, index: SnapshotIndex) -> str:
        """Return the path of a file below the folder, without the suffix.

        Raises:
            ValueError: The name given by the caller leads out of the folder.
        """
        if isinstance(index, str):
            return "/".join(_file_name(part) for part in index.split("/"))
        module = Path(test_location.filepath)
        root = test_location.item.config.rootpath
        folders = module.parent.relative_to(root).parts if module.is_relative_to(root) else ()
        test = test_location.testname.removeprefix("test_")
        if test_location.classname is not None:
            test = f"{test_location.classname}.{test}"
        parts = (
            *(folders[1:] if folders[:1] == ("tests",) else folders),
            module.stem.removeprefix("test_"),
            f"{test}.{index + 1}" if index else test,
        )
        return "/".join(map(_file_name, parts))

    @classmethod
    def get_snapshot_name(cls, *, test_location: PyTestLocation, index: SnapshotIndex = 0) -> str:
        """Return the last part of the path as the name of the snapshot."""
        return cls.get_file_basename(test_location=test_location, index=index).rpartition("/")[2]

    @classmethod
    def write_snapshot(cls, **options: Any) -> None:
        """Write a file; ignore the warning that its name does not match the test."""
        with warnings.catch_warnings():
            warnings.filterwarnings("ignore", r"\s*Can not relate snapshot")
            super().write_snapshot(**options)

    @classmethod
    def write_snapshot_collection(
        cls, *, snapshot_collection: SnapshotCollection, **_options: Any
    ) -> None:
        """Write the snapshot of a file; line ends are kept."""
        (snapshot,) = snapshot_collection
        text = str(snapshot.data)
        Path(snapshot_collection.location).write_bytes(text.encode("utf-8", "surrogatepass"))

    def read_snapshot_data_from_location(
        self, *, snapshot_location: str, **_options: Any
    ) -> SerializedData | None:
        """Return the text of a file, or `None` if there is no such file."""
        try:
            data = Path(snapshot_location).read_bytes()
        except FileNotFoundError:
            return None
        return data.decode("utf-8", "surrogatepass")

    def read_snapshot_collection(self, *, snapshot_location: str) -> SnapshotCollection:
        """Return a collection with the one snapshot of a file."""
        collection = SnapshotCollection(location=snapshot_location)
        collection.add(Snapshot(name=Path(snapshot_location).name.removesuffix(".txt")))
        return collection

    def discover_snapshots(
        self, *, test_location: PyTestLocation, ignore_extensions: list[str] | None = None
    ) -> SnapshotCollections:
        """Return all snapshots in the folder, to find the unused ones."""
        found = SnapshotCollections()
        if "txt" in (ignore_extensions or ()) or not _is_complete(test_location.item.session):
            return found
        for path in sorted(Path(self.dirname(test_location=test_location)).rglob("*.txt")):
            found.add(self.read_snapshot_collection(snapshot_location=str(path)))
        return found

    def diff_lines(
        self, serialized_data: SerializedData, snapshot_data: SerializedData
    ) -> Iterator[str]:
        """Yield the lines that differ; see `difference`."""
        return difference(str(snapshot_data), str(serialized_data))

    def delete_snapshots(self, *, snapshot_location: str, **_options: Any) -> None:
        """Delete a file."""
        Path(snapshot_location).unlink()


@cache
def readable_snapshots(folder: str | Path = "snapshots") -> type[ReadableSnapshots]:
    """Return a `ReadableSnapshots` class for *folder*, relative to pytest's root."""
    return type("ReadableSnapshots", (ReadableSnapshots,), {"snapshot_dirname": folder})


def _file_name(name: str) -> str:
    """Return *name* changed to one that every file system accepts."""
    if name in ("", ".", ".."):
        raise ValueError(
            f"a snapshot's name is a path below its folder, and no part of it may be {name!r}"
        )
    name = re.sub(r'[\\/:*?"<>|%\x00-\x1f\x7f]', lambda char: quote(char[0], safe=""), name)
    data = name.encode("utf-8", "replace")
    if len(data) <= _MAX_BYTES:
        return name
    return f"{data[:_MAX_BYTES].decode(errors='ignore')}~{sha256(data).hexdigest()[:8]}"


def _is_complete(session: pytest.Session) -> bool:
    """Return whether all tests were selected, and those that use snapshots passed."""
    config = session.config
    is_elsewhere = config.invocation_params.dir != config.rootpath
    if any(config.getoption(option, None) for option in _SELECTING) or (
        is_elsewhere and not config.getoption("file_or_dir")
    ):
        return False
    reporter = config.pluginmanager.get_plugin("terminalreporter")  # workers of xdist have none
    stats: dict[str, list[Any]] = getattr(reporter, "stats", {})
    passed = {report.nodeid for report in stats.get("passed", ())}
    tests = (
        item
        for item in session.items
        if not _FIXTURES.isdisjoint(getattr(item, "fixturenames", ()))
    )
    return all(test.nodeid in passed for test in tests)
