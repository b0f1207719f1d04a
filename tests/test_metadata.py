"""The README in the metadata of the package, where no other file is beside it."""

from __future__ import annotations

import re
import runpy
import sys
import tomllib
from pathlib import Path
from types import ModuleType, SimpleNamespace
from typing import Any

import pytest

ROOT = Path(__file__).parents[1]
README = (ROOT / "README.md").read_text("utf-8")


@pytest.fixture
def hook(monkeypatch: pytest.MonkeyPatch) -> dict[str, Any]:
    """The names of the build hook; what it is based on is there only while a package is built."""
    name = "hatchling.metadata.plugin.interface"
    interface = ModuleType(name)
    vars(interface)["MetadataHookInterface"] = type("MetadataHookInterface", (), {})
    monkeypatch.setitem(sys.modules, name, interface)
    return runpy.run_path(str(ROOT / "hatch_build.py"))


def test_the_readme_of_the_package_has_no_relative_link_and_no_picture(
    hook: dict[str, Any],
) -> None:
    metadata: dict[str, Any] = {}
    hook["StandaloneReadme"].update(SimpleNamespace(root=ROOT), metadata)
    text = metadata["readme"]["text"]
    assert metadata["readme"]["content-type"] == "text/markdown"
    assert [to for to in re.findall(r"\]\(([^)]*)\)", text) if ":" not in to] == []
    assert not re.search(r"<picture|<img|<source|\.png|\.svg|!\[", text)
    for path in re.findall(r"\(`([\w/.-]+/[\w.-]+\.\w+)`\)", text):
        assert (ROOT / path).exists(), path
    assert re.findall(r"^```.*?^```$", text, re.MULTILINE | re.DOTALL) == re.findall(
        r"^```.*?^```$", README, re.MULTILINE | re.DOTALL
    )
    assert re.findall(r"^#.*", text, re.MULTILINE) == re.findall(r"^#.*", README, re.MULTILINE)


def test_a_link_is_its_words_with_the_path(hook: dict[str, Any]) -> None:
    written = "[all](docs/a.md#b), ![x](docs/x.png)[here](#b), [out](https://x.example/a.md)\n"
    alone = hook["standalone"](f"{written}```text\n[all](a.md)\n```\n")
    assert alone.startswith(
        "all (`docs/a.md`), [here](#b), [out](https://x.example/a.md)\n```text\n"
    )
    assert "\n[all](a.md)\n" in alone


def test_the_hook_is_part_of_the_build() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))
    hatch = project["tool"]["hatch"]
    assert "readme" in project["project"]["dynamic"]
    assert hatch["metadata"]["hooks"]["custom"]["path"] == "hatch_build.py"
    assert "hatch_build.py" in hatch["build"]["targets"]["sdist"]["include"]
