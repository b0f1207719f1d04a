"""Builds the playground as files for any web server: the page, and Python for the browser.

Python is Pyodide, from npm; the wheels are those of the project and of what it needs, from the
index that pip uses. Neither is kept in the repository.
"""

from __future__ import annotations

import json
import shutil
import subprocess
import sys
import tarfile
from importlib.resources import files
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Final

from site_pages import ROOT

__all__ = ["build_playground", "of_the_site"]

PYODIDE: Final = "314.0.7"
"""The version of Pyodide."""
TAGS: Final = (
    "--python-version", "3.14", "--implementation", "cp", "--abi", "cp314",
    "--platform", "pyemscripten_2026_0_wasm32",
)  # fmt: skip
"""What its Python is, for pip."""
NEEDED: Final = ("pydantic", "defusedxml", "jsonpatch")
"""What the playground imports; `regex` is imported by one parser only, and has no such wheel."""
FILES: Final = (
    "pyodide.mjs", "pyodide.asm.mjs", "pyodide.asm.wasm", "python_stdlib.zip", "pyodide-lock.json",
)  # fmt: skip
"""The files of Pyodide that a page needs."""


def build_playground(folder: Path) -> None:
    """Write the playground into *folder*."""
    shutil.rmtree(folder, ignore_errors=True)
    shutil.copytree(str(files("agent_serving.playground") / "page"), folder)
    index = folder / "index.html"
    index.write_text(of_the_site(index.read_text("utf-8")), "utf-8")
    _fetch_pyodide(folder / "pyodide")
    wheels = folder / "wheels"
    _pip("wheel", "--quiet", "--no-deps", "--wheel-dir", str(wheels), str(ROOT))
    _pip("download", "--quiet", "--only-binary", ":all:", *TAGS, "--dest", str(wheels), *NEEDED)
    names = sorted(path.name for path in wheels.iterdir())
    (folder / "wheels.json").write_text(json.dumps(names), "utf-8")


def of_the_site(page: str) -> str:
    """Return the *page* of the playground as part of the site: Python in it, and a way back."""
    for served, in_site in _CHANGES.items():
        assert served in page, f"the page has no {served}"
        page = page.replace(served, in_site)
    return page


_CHANGES: Final = {
    'name="python" content="server"': 'name="python" content="page"',
    '<a id="home" href="../" hidden>': '<a id="home" href="../">',
}
"""What is otherwise on the page that a server on this machine has."""


def _pip(*arguments: str) -> None:
    command = [sys.executable, "-m", "pip", "--disable-pip-version-check", *arguments]
    subprocess.run(command, check=True)


def _fetch_pyodide(folder: Path) -> None:
    with TemporaryDirectory() as scratch:
        command = ["npm", "pack", "--silent", f"pyodide@{PYODIDE}"]
        subprocess.run(command, check=True, cwd=scratch, stdout=subprocess.DEVNULL)
        (archive,) = Path(scratch).glob("*.tgz")
        with tarfile.open(archive) as packed:
            packed.extractall(scratch, filter="data")
        folder.mkdir()
        for name in FILES:
            shutil.copyfile(Path(scratch) / "package" / name, folder / name)
