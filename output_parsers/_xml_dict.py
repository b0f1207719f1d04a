"""Dictionaries that add up."""

from __future__ import annotations

from typing import Any


class AddableDict(dict[str, Any]):
    """A dictionary that can be added to another; the sum has the keys of both.

    ::

        AddableDict(a=[1], b=None) + AddableDict(a=[2], b="x")  # {'a': [1, 2], 'b': 'x'}

    The values of a key that both have are added in turn, and None is nothing. Neither dictionary
    changes.
    """

    def __add__(self, other: dict[str, Any]) -> AddableDict:
        """Return the sum.

        Raises:
            TypeError: The values of a key do not add up.
        """
        total = AddableDict(self)
        for key, value in other.items():
            mine = total.get(key)
            if mine is None:
                total[key] = value
            elif value is not None:
                try:
                    total[key] = mine + value
                except TypeError as error:
                    types = f"{type(mine).__name__!r} and {type(value).__name__!r}"
                    raise TypeError(
                        f"Cannot add incompatible types for key {key!r}: {types}."
                    ) from error
        return total

    def __radd__(self, other: dict[str, Any]) -> AddableDict:
        """Return the sum, with *other* first."""
        return AddableDict(other) + self
