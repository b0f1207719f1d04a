"""Help for tests of what is built on these parsers.

Snapshots that a person can read, a model that follows a script, and streams compared. The fixtures
are those of the pytest plugin. What needs another library imports it with the first use of a name.
"""

from typing import TYPE_CHECKING

from outputs.lazy_names import late_names

if TYPE_CHECKING:
    from agent_parsers.testing.check import check_dialect, dialect_laws
    from agent_parsers.testing.laws.broken import BrokenLawError
    from agent_parsers.testing.pins.pins import (
        SnapshotEvents,
        SnapshotPrompt,
        SnapshotTranscript,
        SnapshotValue,
    )
    from agent_parsers.testing.pins.readable import readable
    from agent_parsers.testing.pins.same_events import assert_same_events
    from agent_parsers.testing.pins.scripted import ModelCall, ScriptedModel
    from agent_parsers.testing.pins.snapshots import ReadableSnapshots, readable_snapshots
    from agent_parsers.testing.report import DialectReport
    from agent_parsers.testing.trials.step_strategies import turns
    from agent_parsers.testing.trials.stories import cut, every_cut
    from agent_parsers.testing.trials.strategies import cuts, texts

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

_MODULES = {
    "check_dialect": "agent_parsers.testing.check",
    "dialect_laws": "agent_parsers.testing.check",
    "BrokenLawError": "agent_parsers.testing.laws.broken",
    "SnapshotEvents": "agent_parsers.testing.pins.pins",
    "SnapshotPrompt": "agent_parsers.testing.pins.pins",
    "SnapshotTranscript": "agent_parsers.testing.pins.pins",
    "SnapshotValue": "agent_parsers.testing.pins.pins",
    "readable": "agent_parsers.testing.pins.readable",
    "assert_same_events": "agent_parsers.testing.pins.same_events",
    "ModelCall": "agent_parsers.testing.pins.scripted",
    "ScriptedModel": "agent_parsers.testing.pins.scripted",
    "ReadableSnapshots": "agent_parsers.testing.pins.snapshots",
    "readable_snapshots": "agent_parsers.testing.pins.snapshots",
    "DialectReport": "agent_parsers.testing.report",
    "turns": "agent_parsers.testing.trials.step_strategies",
    "cut": "agent_parsers.testing.trials.stories",
    "every_cut": "agent_parsers.testing.trials.stories",
    "cuts": "agent_parsers.testing.trials.strategies",
    "texts": "agent_parsers.testing.trials.strategies",
}
"""Where each name is that is imported at its first use."""

__getattr__, __dir__ = late_names(__name__, globals(), _MODULES)
