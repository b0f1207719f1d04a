"""Helpers for testing agents: readable snapshots, and a model with scripted replies.

The snapshot classes are the fixtures of the pytest plugin. Optional libraries are imported when a
name that needs them is first used. The laws of dialects are in `agent_laws`.
"""

from typing import TYPE_CHECKING

from outputs.lazy_names import late_names, modules_of

if TYPE_CHECKING:
    from agent_parsers.testing.chunks import cut as cut
    from agent_parsers.testing.snapshots.files import ReadableSnapshots as ReadableSnapshots
    from agent_parsers.testing.snapshots.files import readable_snapshots as readable_snapshots
    from agent_parsers.testing.snapshots.fixtures import SnapshotEvents as SnapshotEvents
    from agent_parsers.testing.snapshots.fixtures import SnapshotPrompt as SnapshotPrompt
    from agent_parsers.testing.snapshots.fixtures import SnapshotTranscript as SnapshotTranscript
    from agent_parsers.testing.snapshots.fixtures import SnapshotValue as SnapshotValue
    from agent_parsers.testing.snapshots.readable import assert_same_events as assert_same_events
    from agent_parsers.testing.snapshots.readable import readable as readable
    from agent_parsers.testing.snapshots.scripted import ModelCall as ModelCall
    from agent_parsers.testing.snapshots.scripted import ScriptedModel as ScriptedModel

_MODULES = modules_of(
    {
        "agent_parsers.testing.chunks": "cut",
        "agent_parsers.testing.snapshots.files": "ReadableSnapshots readable_snapshots",
        "agent_parsers.testing.snapshots.fixtures": (
            "SnapshotEvents SnapshotPrompt SnapshotTranscript SnapshotValue"
        ),
        "agent_parsers.testing.snapshots.readable": "assert_same_events readable",
        "agent_parsers.testing.snapshots.scripted": "ModelCall ScriptedModel",
    }
)
"""The module of each name that is imported at its first use."""

if not TYPE_CHECKING:  # checkers would take any name to exist
    __getattr__, __dir__, __all__ = late_names(__name__, globals(), _MODULES)
