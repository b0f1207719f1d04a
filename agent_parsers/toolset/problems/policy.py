"""How strictly inputs are checked, and the result of a check."""

from __future__ import annotations

from typing import Any, Literal, NamedTuple, TypeAlias

__all__ = ["CheckedInput", "ExtraText", "InputNote", "MissingKeys", "Policy", "UnknownKeys"]

UnknownKeys: TypeAlias = Literal["forbid", "drop", "keep"]
MissingKeys: TypeAlias = Literal["forbid", "keep"]
ExtraText: TypeAlias = Literal["forbid", "drop", "keep"]


class Policy(NamedTuple):
    """How strictly inputs are checked; see `ToolSet`."""

    unknown_keys: UnknownKeys = "forbid"
    missing_keys: MissingKeys = "forbid"
    extra_text: ExtraText = "forbid"
    lenient: bool = False
    """Repair malformed JSON in texts."""


class InputNote(NamedTuple):
    """One change that was made so that an input fits."""

    message: str
    """What was changed, in a clause."""
    kind: str = ""
    """``unknown_key``, ``extra_text`` or a kind of `output_parsers.JsonRepair` if something was
    repaired or left out; ``""`` if a value was only converted to the type in the schema."""


class CheckedInput(NamedTuple):
    """An input that fits the tool."""

    tool: str
    """Name of the tool, spelt as it was declared."""
    value: str | dict[str, Any]
    """The input for the tool; the original object if nothing had to be changed."""
    notes: tuple[InputNote, ...] = ()
    """The changes that were made."""
