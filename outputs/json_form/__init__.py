"""The JSON form of values: objects with the name of their class and its fields, read back whole."""

from typing import TYPE_CHECKING

from outputs.lazy_names import late_names

if TYPE_CHECKING:
    from outputs.json_form.storable import TABLES as TABLES
    from outputs.json_form.storable import Storable as Storable
    from outputs.json_form.values import Misfit as Misfit
    from outputs.json_form.values import write_value as write_value

_MODULES = {
    "Misfit": "outputs.json_form.values",
    "Storable": "outputs.json_form.storable",
    "TABLES": "outputs.json_form.storable",
    "write_value": "outputs.json_form.values",
}
"""The module of each name that is imported at its first use."""

if not TYPE_CHECKING:  # checkers would take any name to exist
    __getattr__, __dir__, __all__ = late_names(__name__, globals(), _MODULES)
