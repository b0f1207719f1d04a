"""The pytest plugin of agent-parsers: fixtures that pin prompts and parsed results.

It is a separate module because pytest imports it in every run: the packages are imported by the
first fixture that is used. PYTEST_DONT_REWRITE: it has no assertions to rewrite.
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
    """Add the option for the folder of the snapshots."""
    parser.addini(
        "agent_snapshots",
        "folder of the snapshots of agent-parsers, relative to pytest's root",
        default="snapshots",
    )


@pytest.fixture
def _agent_snapshot(request: pytest.FixtureRequest) -> SnapshotAssertion:
    """Syrupy's ``snapshot``, stored in readable files in the folder of the option."""
    if not request.config.pluginmanager.hasplugin("syrupy"):
        pytest.fail(
            f"{request.node.name} compares snapshots, which needs syrupy: it is not installed"
            " (pip install 'agent-parsers[testing]') or not loaded (-p syrupy)",
            pytrace=False,
        )
    from agent_parsers.testing import readable_snapshots

    snapshot: SnapshotAssertion = request.getfixturevalue("snapshot")
    return snapshot.use_extension(readable_snapshots(request.config.getini("agent_snapshots")))


@pytest.fixture
def snapshot_prompt(_agent_snapshot: SnapshotAssertion) -> SnapshotPrompt:
    """Pins the prompts of a parser, and its results for replies."""
    from agent_parsers.testing import SnapshotPrompt

    return SnapshotPrompt(_agent_snapshot)


@pytest.fixture
def snapshot_transcript(_agent_snapshot: SnapshotAssertion) -> SnapshotTranscript:
    """Pins the result of reading the transcript of a run."""
    from agent_parsers.testing import SnapshotTranscript

    return SnapshotTranscript(_agent_snapshot)


@pytest.fixture
def snapshot_events(_agent_snapshot: SnapshotAssertion) -> SnapshotEvents:
    """Pins the events of replies as they stream in."""
    from agent_parsers.testing import SnapshotEvents

    return SnapshotEvents(_agent_snapshot)


@pytest.fixture
def snapshot_value(_agent_snapshot: SnapshotAssertion) -> SnapshotValue:
    """Pins any value as readable text."""
    from agent_parsers.testing import SnapshotValue

    return SnapshotValue(_agent_snapshot)
