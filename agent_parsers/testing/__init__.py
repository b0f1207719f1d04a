"""Help for tests of what is built on these parsers.

Snapshots that a person can read, a model that follows a script, and streams compared. The fixtures
are those of the pytest plugin. What needs another library imports it with the first use of a name.
"""

from typing import TYPE_CHECKING

from outputs._late import late_names

if TYPE_CHECKING:
    from agent_parsers.testing._broken import BrokenLawError
    from agent_parsers.testing._check import check_dialect, dialect_laws
    from agent_parsers.testing._pins import PinEvents, PinPrompt, PinTranscript, PinValue
    from agent_parsers.testing._readable import readable
    from agent_parsers.testing._report import DialectReport
    from agent_parsers.testing._same_events import assert_same_events
    from agent_parsers.testing._scripted import ModelCall, ScriptedModel
    from agent_parsers.testing._snapshots import ReadableSnapshots, readable_snapshots
    from agent_parsers.testing._step_strategies import turns
    from agent_parsers.testing._stories import cut, every_cut
    from agent_parsers.testing._strategies import cuts, texts

__all__ = [
    "BrokenLawError",
    "DialectReport",
    "ModelCall",
    "PinEvents",
    "PinPrompt",
    "PinTranscript",
    "PinValue",
    "ReadableSnapshots",
    "ScriptedModel",
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
    "BrokenLawError": "_broken",
    "check_dialect": "_check",
    "dialect_laws": "_check",
    "DialectReport": "_report",
    "PinEvents": "_pins",
    "PinPrompt": "_pins",
    "PinTranscript": "_pins",
    "PinValue": "_pins",
    "readable": "_readable",
    "assert_same_events": "_same_events",
    "ModelCall": "_scripted",
    "ScriptedModel": "_scripted",
    "ReadableSnapshots": "_snapshots",
    "readable_snapshots": "_snapshots",
    "cut": "_stories",
    "every_cut": "_stories",
    "cuts": "_strategies",
    "texts": "_strategies",
    "turns": "_step_strategies",
}
"""Where each name is that is imported at its first use."""

__getattr__, __dir__ = late_names(__name__, globals(), _MODULES)
