"""Names of tools that are read as they are written."""

from __future__ import annotations

from functools import lru_cache, partial
from typing import TYPE_CHECKING, Final

from agent_parsers.engine.repairs.names import is_bare_name, repair_called_name, repair_tool_name
from agent_parsers.engine.repairs.payloads import BadPayload, ToolHead

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from agent_parsers.engine.reading.rules.machine import Machine
    from agent_parsers.events import Repair

_MOST_NAMES: Final = 256
"""How many names of tools are remembered."""


def plain_names(machine: Machine) -> Callable[[str], bool]:
    """Return a function that says whether a tool's name is read as written, without repairs."""
    is_left = _LEAVES_PLAIN_NAMES.get(machine.table.read_tool) or partial(_is_left, machine)
    return lru_cache(_MOST_NAMES)(is_left)


def _is_line(name: str) -> bool:
    return bool(name) and name.isprintable()


def _is_left(machine: Machine, name: str) -> bool:
    """Return whether the dialect, which reads names in its own way, leaves this one as it is."""
    repairs: list[Repair] = []
    try:
        head = machine.read_head(name, (0, 0), None, repairs)
    except BadPayload:
        return False
    return _is_line(name) and head == ToolHead(name) and not repairs


_LEAVES_PLAIN_NAMES: Final[Mapping[object, Callable[[str], bool]]] = {
    None: _is_line,
    repair_called_name: _is_line,
    repair_tool_name: is_bare_name,
}
"""By the reader of names: whether it returns a name as it is written, so it need not be called."""
