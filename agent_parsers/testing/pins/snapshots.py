"""Snapshots as plain text files, one for each, in a folder of the project."""

from __future__ import annotations

import re
import warnings
from functools import cache
from hashlib import sha256
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final
from urllib.parse import quote

from agent_parsers.testing.pins.difference import difference
from agent_parsers.testing.pins.readable import readable

try:
    from syrupy.data import Snapshot, SnapshotCollection, SnapshotCollections
    from syrupy.extensions.base import AbstractSyrupyExtension
except ImportError as error:
    raise ImportError(
        "agent_parsers.testing compares snapshots with syrupy, which is not installed:"
        " pip install 'agent-parsers[testing]'"
    ) from error

if TYPE_CHECKING:
    from collections.abc import Iterator

    import pytest
    from syrupy.location import PyTestLocation
    from syrupy.types import SerializedData, SnapshotIndex

__all__ = ["ReadableSnapshots", "readable_snapshots"]

_MAX_BYTES: Final = 200
"""Longest name of a file or folder; file systems allow 255 bytes."""

_FIXTURES: Final = frozenset(("snapshot", "_agent_snapshot"))
"""What tests take that use snapshots, perhaps through a fixture that takes it."""

_SELECTING: Final = ("keyword", "markexpr", "deselect", "ignore", "ignore_glob", "lf")
"""Options of pytest that leave tests out."""


class ReadableSnapshots(AbstractSyrupyExtension):
    """Writes each snapshot to a text file of its own, below ``snapshots/`` in pytest's root.

    The fixtures of the pytest plugin use it. A fixture of your own has it by::

        @pytest.fixture
        def snapshot(snapshot):
            return snapshot.use_extension(ReadableSnapshots)

        def test_prompt(snapshot):
            assert parser.get_format_instructions() == snapshot(name="react/prompt")

    A `str` is written as it is, anything else by `readable`. The caller names the file, here
    ``snapshots/react/prompt.txt``; or else it is named after the test: ``test_total[vat]`` in
    ``tests/shop/test_cart.py`` has ``snapshots/shop/cart/total[vat].txt``, and its second snapshot
    is ``total[vat].2.txt``. All ``.txt`` files of the folder are taken for snapshots.

    ``pytest --snapshot-update`` writes the files, and deletes those that no test uses. A file does
    not tell which test it belongs to. So unused ones are looked for only if all tests were
    selected, ran in one process, and passed if they take a snapshot.
    """

    snapshot_dirname: str | Path = "snapshots"
    """The folder, relative to pytest's root; the plugin's have what ``agent_snapshots`` says."""
    file_extension = "txt"
    write_immediately = True

    def serialize(self, data: object, **_options: Any) -> SerializedData:
        """Return *data* as text; filters and matchers of syrupy are not used."""
        return readable(data)

    @classmethod
    def dirname(cls, *, test_location: PyTestLocation) -> str:
        """Return the folder of all snapshots, whichever test they belong to."""
        return str(test_location.item.config.rootpath / cls.snapshot_dirname)

    @classmethod
    def get_file_basename(cls, *, test_location: PyTestLocation, index: SnapshotIndex) -> str:
        """Return the path of a file below the folder, without its suffix.

        Raises:
            ValueError: The name that the caller gave leads out of the folder.
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
        """Return the last part of the path, which is what a file tells of itself."""
        return cls.get_file_basename(test_location=test_location, index=index).rpartition("/")[2]

    @classmethod
    def write_snapshot(cls, **options: Any) -> None:
        """Write a file, whose name need not tell which test it belongs to."""
        with warnings.catch_warnings():
            warnings.filterwarnings("ignore", r"\s*Can not relate snapshot")
            super().write_snapshot(**options)

    @classmethod
    def write_snapshot_collection(
        cls, *, snapshot_collection: SnapshotCollection, **_options: Any
    ) -> None:
        """Write the one snapshot of a file; line ends stay what they are."""
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
        """Return what a file holds, which is one snapshot."""
        collection = SnapshotCollection(location=snapshot_location)
        collection.add(Snapshot(name=Path(snapshot_location).name.removesuffix(".txt")))
        return collection

    def discover_snapshots(
        self, *, test_location: PyTestLocation, ignore_extensions: list[str] | None = None
    ) -> SnapshotCollections:
        """Return what the folder holds, so that it can be told what is not used."""
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
    """Return `ReadableSnapshots` that are kept in *folder*, relative to pytest's root."""
    return type("ReadableSnapshots", (ReadableSnapshots,), {"snapshot_dirname": folder})


def _file_name(name: str) -> str:
    """Return *name* as one that every file system accepts."""
    if name in ("", ".", ".."):
        raise ValueError(f"a snapshot is named by a path below its folder; {name!r} is no part")
    name = re.sub(r'[\\/:*?"<>|%\x00-\x1f\x7f]', lambda char: quote(char[0], safe=""), name)
    data = name.encode("utf-8", "replace")
    if len(data) <= _MAX_BYTES:
        return name
    return f"{data[:_MAX_BYTES].decode(errors='ignore')}~{sha256(data).hexdigest()[:8]}"


def _is_complete(session: pytest.Session) -> bool:
    """Tell whether all tests were selected, and those that take a snapshot have passed."""
    config = session.config
    is_elsewhere = config.invocation_params.dir != config.rootpath
    if any(config.getoption(option, None) for option in _SELECTING) or (
        is_elsewhere and not config.getoption("file_or_dir")
    ):
        return False
    reporter = config.pluginmanager.get_plugin("terminalreporter")  # a worker has none
    stats: dict[str, list[Any]] = getattr(reporter, "stats", {})
    passed = {report.nodeid for report in stats.get("passed", ())}
    tests = (
        item
        for item in session.items
        if not _FIXTURES.isdisjoint(getattr(item, "fixturenames", ()))
    )
    return all(test.nodeid in passed for test in tests)
