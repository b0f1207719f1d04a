"""Projects for tests of the pytest plugin."""

import pytest
import syrupy

from ....helpers.project import Project


@pytest.fixture
def project(pytester: pytest.Pytester, monkeypatch: pytest.MonkeyPatch) -> Project:
    monkeypatch.setenv("PYTEST_DISABLE_PLUGIN_AUTOLOAD", "1")
    monkeypatch.delenv("PYTEST_XDIST_WORKER", raising=False)  # the run within is a single process
    monkeypatch.setattr(syrupy, "_syrupy", syrupy._syrupy)  # a run within this one sets it
    return Project(pytester)
