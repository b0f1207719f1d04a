"""What the markers of a plain turn do: where each leads, if only its spelling has to be known."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from agent_parsers.engine.markers.kinds import Label, spelt_texts
from agent_parsers.engine.reading.canonical.marks import OTHERWISE, key_of
from agent_parsers.engine.tables.guards import outside_of_calls, outside_of_values
from agent_parsers.engine.tables.table import Part

if TYPE_CHECKING:
    from collections.abc import Iterable
    from collections.abc import Set as AbstractSet

    from agent_parsers.engine.markers.kinds import Marker
    from agent_parsers.engine.reading.rules.states import Crossing, State
    from agent_parsers.engine.tables.guards import Guard

SAID: Final = frozenset({Part.THOUGHT, Part.CALL})
"""The parts that are thoughts before an answer: text before a call is one."""

OF_CALLS: Final[AbstractSet[Guard]] = {outside_of_calls, outside_of_values}
"""The guards that refuse nothing before a call has begun."""


def spells_words(markers: Iterable[Marker]) -> bool:
    """Return whether all labels among *markers* are words, so that none looks like dress."""
    labels = (marker for marker in markers if isinstance(marker, Label))
    texts = (text for label in labels for text in (label.words, *label.also))
    return all(word[0].isalpha() for text in texts for word in text.split())


def leads_of(
    state: State, keys: AbstractSet[str], guards: AbstractSet[Guard] = OF_CALLS
) -> dict[str, Crossing | None]:
    """Return what markers do in *state*, by their *keys*; all others are text there.

    `None` if a stream has to say it; the *guards* are those that need none.
    """
    by_key: dict[str, Crossing | None] = {}
    for crossing in sorted(state.crossings, key=lambda each: bool(key_of(each.marker))):
        key = key_of(crossing.marker)
        is_known = key not in by_key and only_leads(crossing, guards)
        by_key[key] = by_key[key + OTHERWISE] = crossing if is_known else None
        if not key:  # another marker may be spelt alike
            by_key |= dict.fromkeys(spelt_texts(crossing.marker))
    by_key[""] = None
    for key in keys - by_key.keys():
        inside = [each for each in by_key if each and each in key]
        if inside:  # another marker stands in this one
            by_key[key] = by_key[inside[0]] if inside == [key.lstrip("\n")] else None
    return by_key


def reachable(initial: State, guards: AbstractSet[Guard] = OF_CALLS) -> list[State]:
    """Return the states of plain turns; *guards* as for `leads_of`."""
    found = [initial]
    for state in found:
        for crossing in state.crossings:
            if only_leads(crossing, guards) and crossing.to not in found:
                found.append(crossing.to)
    return found


def only_leads(crossing: Crossing, guards: AbstractSet[Guard]) -> bool:
    """Return whether a marker only leads to another state; *guards* as for `leads_of`."""
    to = crossing.to
    if crossing.breaks_line or crossing.ends_thought or not set(crossing.guards) <= guards:
        return False
    if crossing.drops or crossing.odd or crossing.late:
        return False
    return not (to.is_cut or to.beside_action or to.is_bare)
