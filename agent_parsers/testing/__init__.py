"""Helpers for testing agents and dialects.

They write readable snapshots, simulate a model with scripted replies, compare streams of events,
and check a dialect against the laws that all dialects keep. The snapshot classes are the fixtures
of the pytest plugin. Optional libraries are imported when a name that needs them is first used.
"""

from typing import TYPE_CHECKING

from outputs.lazy_names import late_names, modules_of

if TYPE_CHECKING:
    from agent_parsers.testing.check import DialectReport, check_dialect, dialect_laws
    from agent_parsers.testing.laws.broken import BrokenLawError
    from agent_parsers.testing.snapshots.files import ReadableSnapshots, readable_snapshots
    from agent_parsers.testing.snapshots.fixtures import (
        SnapshotEvents,
        SnapshotPrompt,
        SnapshotTranscript,
        SnapshotValue,
    )
    from agent_parsers.testing.snapshots.readable import assert_same_events, readable
    from agent_parsers.testing.snapshots.scripted import ModelCall, ScriptedModel
    from agent_parsers.testing.trials.stories import cut, every_cut
    from agent_parsers.testing.trials.strategies import cuts, texts, turns

__all__ = [
    "BrokenLawError",
    "DialectReport",
    "ModelCall",
    "ReadableSnapshots",
    "ScriptedModel",
    "SnapshotEvents",
    "SnapshotPrompt",
    "SnapshotTranscript",
    "SnapshotValue",
    "assert_same_events",
    "check_dialect",
    "cut",
    "cuts",
    "dialect_laws",
    "every_cut",
    "readable",
    "readable_snapshots",
    "texts",
    "turns",
]

_MODULES = modules_of(
    {
        "agent_parsers.testing.check": "DialectReport check_dialect dialect_laws",
        "agent_parsers.testing.laws.broken": "BrokenLawError",
        "agent_parsers.testing.snapshots.files": "ReadableSnapshots readable_snapshots",
        "agent_parsers.testing.snapshots.fixtures": (
            "SnapshotEvents SnapshotPrompt SnapshotTranscript SnapshotValue"
        ),
        "agent_parsers.testing.snapshots.readable": "assert_same_events readable",
        "agent_parsers.testing.snapshots.scripted": "ModelCall ScriptedModel",
        "agent_parsers.testing.trials.stories": "cut every_cut",
        "agent_parsers.testing.trials.strategies": "cuts texts turns",
    }
)
"""The module of each name that is imported at its first use."""

if not TYPE_CHECKING:  # checkers would take any name to exist
    __getattr__, __dir__ = late_names(__name__, globals(), _MODULES)
