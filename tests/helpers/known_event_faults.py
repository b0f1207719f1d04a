"""What the laws about the events of clients find today, until it is fixed.

Each row is a strict ``xfail`` in ``tests/clients/test_event_laws.py``, for each of its clients,
modes and shapes of tools. The fuzzer counts them under their own names. A row goes when its faults
are gone; then this file goes.
"""

from typing import Final, NamedTuple

from .event_laws import MODES, Setting, Trial
from .replies import SHAPES


class Known(NamedTuple):
    """Faults of one kind."""

    law: str
    clients: str
    shapes: str = " ".join(SHAPES)
    only: tuple[str, ...] = ()
    """The kinds, or the ways of delivery, that are at fault; empty for all of a law."""
    modes: str = " ".join(MODES)

    def is_in(self, law: str, setting: Setting) -> bool:
        """Return whether the faults are known of a *law* in a *setting*."""
        return (
            law == self.law
            and setting.client in self.clients.split()
            and setting.shape in self.shapes.split()
            and setting.mode in self.modes.split()
        )

    def has(self, trial: Trial) -> bool:
        """Return whether the fault of a *trial* is one of these."""
        return not self.only or trial.kind in self.only or trial.how in self.only


_ENDS, _DROPS = "no_half_call_of_events", "no_arguments_dropped"
_CHUNKS = "chat langchain ours"

KNOWN: Final[list[Known]] = []


def known_in(law: str, setting: Setting) -> list[Known]:
    """Return what is known of a *law* in a *setting*."""
    return [known for known in KNOWN if known.is_in(law, setting)]
