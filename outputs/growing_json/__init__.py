"""Incremental JSON reading: whole values, partial values and their changes."""

from typing import TYPE_CHECKING

from outputs.lazy_names import late_names

if TYPE_CHECKING:
    from outputs.growing_json.arguments import read_arguments as read_arguments
    from outputs.growing_json.arguments import value_or_text as value_or_text
    from outputs.growing_json.lenient.json_text import repeated_key as repeated_key

_MODULES = {
    "read_arguments": "outputs.growing_json.arguments",
    "value_or_text": "outputs.growing_json.arguments",
    "repeated_key": "outputs.growing_json.lenient.json_text",
}
"""The module of each name that is imported at its first use."""

if not TYPE_CHECKING:  # checkers would take any name to exist
    __getattr__, __dir__, __all__ = late_names(__name__, globals(), _MODULES)
