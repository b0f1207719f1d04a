"""Parses tables of turns: Arrow in, Arrow out. Needs the extra ``arrow``."""

from typing import TYPE_CHECKING

from outputs.lazy_names import late_names

if TYPE_CHECKING:
    from agent_runs.bulk.columns import TURN_FIELDS as TURN_FIELDS
    from agent_runs.bulk.table_parser import TableParser as TableParser
    from agent_runs.bulk.table_parser import parse_table as parse_table

_MODULES = {
    "TURN_FIELDS": "agent_runs.bulk.columns",
    "TableParser": "agent_runs.bulk.table_parser",
    "parse_table": "agent_runs.bulk.table_parser",
}
"""The module of each name that is imported at its first use."""

if not TYPE_CHECKING:  # checkers would take any name to exist
    __getattr__, __dir__, __all__ = late_names(__name__, globals(), _MODULES)
