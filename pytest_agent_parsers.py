"""The pytest plugin of agent-parsers: fixtures that pin prompt formats and what is read.

It is a module by itself because pytest imports it in every run: the packages are imported by the
first fixture that is used. It asserts nothing: PYTEST_DONT_REWRITE lets it be imported before.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from syrupy.assertion import SnapshotAssertion

    from agent_parsers.testing import (
        SnapshotEvents,
        SnapshotPrompt,
        SnapshotTranscript,
        SnapshotValue,
    )


def pytest_addoption(parser: pytest.Parser) -> None:
    """Add the option that says where snapshots are kept."""
    parser.addini(
        "agent_snapshots",
        "folder of the snapshots of agent-parsers, relative to pytest's root",
        default="snapshots",
    )


@pytest.fixture
def _agent_snapshot(request: pytest.FixtureRequest) -> SnapshotAssertion:
    """Syrupy's ``snapshot``, kept in readable files where the option says."""
    if not request.config.pluginmanager.hasplugin("syrupy"):
        pytest.fail(
            f"{request.node.name} compares snapshots, which takes syrupy: it is not installed"
            " (pip install 'agent-parsers[testing]') or not loaded (-p syrupy)",
            pytrace=False,
        )
    from agent_parsers.testing import readable_snapshots

    snapshot: SnapshotAssertion = request.getfixturevalue("snapshot")
    return snapshot.use_extension(readable_snapshots(request.config.getini("agent_snapshots")))


@pytest.fixture
def snapshot_prompt(_agent_snapshot: SnapshotAssertion) -> SnapshotPrompt:
    """Pins what a model is told by a parser, and what it makes of replies."""
    from agent_parsers.testing import SnapshotPrompt

    return SnapshotPrompt(_agent_snapshot)


@pytest.fixture
def snapshot_transcript(_agent_snapshot: SnapshotAssertion) -> SnapshotTranscript:
    """Pins what the transcript of a run is read as."""
    from agent_parsers.testing import SnapshotTranscript

    return SnapshotTranscript(_agent_snapshot)


@pytest.fixture
def snapshot_events(_agent_snapshot: SnapshotAssertion) -> SnapshotEvents:
    """Pins the events of replies as they are read while they come in."""
    from agent_parsers.testing import SnapshotEvents

    return SnapshotEvents(_agent_snapshot)


@pytest.fixture
def snapshot_value(_agent_snapshot: SnapshotAssertion) -> SnapshotValue:
    """Pins any value as readable text."""
    from agent_parsers.testing import SnapshotValue

    return SnapshotValue(_agent_snapshot)
