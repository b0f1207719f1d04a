"""Reports of what models get wrong, for services that count it.

::

    from collections import Counter
    from agent_parsers.reports import on_report

    wrong = Counter()
    on_report(lambda report: wrong.update([(report.dialect, report.what, report.name)]))
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal, NamedTuple

if TYPE_CHECKING:
    from agent_parsers.events import Repair
    from output_parsers import OutputParserException

__all__ = ["Report", "on_report"]


@dataclass(frozen=True, slots=True)
class Report:
    """One repair or error. Unless you ask for it, no text that the model wrote is included."""

    what: Literal["repair", "error"]
    """Whether the text was repaired, or could not be read."""
    name: str
    """The kind of the repair, such as ``label``, or the name of the problem, such as ``no_input``;
    see `agent_parsers.Repair` and `OutputParserException.problem`."""
    dialect: str
    """Name of the dialect, or ``tools`` or ``openai_functions`` for messages with calls."""
    lenient: bool
    """Whether the text was read leniently."""
    tool: str
    """The tool of the call at fault, if it is one of the parser's tools; else empty."""
    span: tuple[int, int] | None
    """Where in the text; `None` if that is not known. For a step of a transcript, an error's span
    counts from the beginning of the transcript."""
    cause: Repair | OutputParserException | None = None
    """The repair or the error itself, which quotes the model. `None` unless you asked for it."""


class Listener(NamedTuple):
    """A function that gets the reports."""

    tell: Callable[[Report], object]
    with_text: bool

    def hear(self, report: Report) -> None:
        """Pass on *report*; an exception in the listener is logged, and the turn goes on."""
        try:
            self.tell(report)
        except Exception:
            from logging import getLogger  # imported lazily: only for this

            getLogger(__name__).exception("a listener for reports failed")


LISTENERS: list[Listener] = []
"""Those who get reports. While there are none, nothing is collected."""


def on_report(tell: Callable[[Report], object], *, with_text: bool = False) -> Callable[[], None]:
    """Call *tell* with a `Report` of each repair and each error, from now on, in all parsers.

    Each is reported once: by `parse`, `invoke`, `read`, streams and events at the end of the turn,
    and by transcripts at the end of each step; never by `explain`. A stream that is given up before
    its end reports nothing more. *tell* runs in the thread that reads, so it should be quick; an
    exception in it is logged, and the turn goes on.

    Args:
        tell: Takes a report.
        with_text: Whether reports may have what the model wrote, which may be private: the `cause`,
            and names of tools that the parser does not have.

    Returns:
        A function that ends it.

    Raises:
        TypeError: *tell* is no function, or it is asynchronous.
    """
    from output_parsers.runnables.functions import check_function  # lazily: only for this

    check_function(tell, "on_report takes a function of a report")
    listener = Listener(tell, with_text)
    LISTENERS.append(listener)

    def end() -> None:
        if listener in LISTENERS:
            LISTENERS.remove(listener)

    return end
