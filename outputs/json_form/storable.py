"""The base class of values that can be written as JSON."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, Final, Self

TABLES: Final[dict[str, None]] = {}
"""The modules whose ``KINDS`` say how values are written. A package adds its own when it is
imported, and they are imported when the first value is written or read."""


class Storable:
    """A value that can be written as JSON and read back."""

    __slots__ = ()

    def to_json(self) -> dict[str, Any]:
        """Return the value as data for `json.dumps`; `from_json` reads it back.

        An object has the name of its class as ``type``, and the fields of the class under their
        names; the outermost has the ``version`` of the form too. docs/json.md describes it.

        Raises:
            TypeError: A field holds something that the form has no place for, such as a date in the
                input of a tool; the message says where.
        """
        from outputs.json_form.kinds import write_document  # imported lazily: not all need it

        return write_document(self, TABLES)

    @classmethod
    def from_json(cls, data: Mapping[str, Any]) -> Self:
        """Return the value that `to_json` wrote as *data*; unknown keys are ignored.

        Raises:
            TypeError: *data* is not an object, such as its text before `json.loads`.
            ValueError: *data* has another version, is not of this class, or is malformed; the
                message says where.
        """
        from outputs.json_form.kinds import read_document  # imported lazily: not all need it

        return read_document(data, cls, TABLES)
