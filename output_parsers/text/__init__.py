"""Text utilities: regular expressions with a time limit, list items, YAML."""

from typing import TYPE_CHECKING

from outputs.lazy_names import late_names

if TYPE_CHECKING:
    from output_parsers.text.timed_regex import TimeLeft as TimeLeft
    from output_parsers.text.timed_regex import compiled as compiled

_MODULES = {
    "TimeLeft": "output_parsers.text.timed_regex",
    "compiled": "output_parsers.text.timed_regex",
}
"""The module of each name that is imported at its first use."""

if not TYPE_CHECKING:  # checkers would take any name to exist
    __getattr__, __dir__, __all__ = late_names(__name__, globals(), _MODULES)
