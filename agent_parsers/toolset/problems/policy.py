"""What becomes of what a schema leaves open, and what a checked input is."""

from __future__ import annotations

from typing import Any, Literal, NamedTuple, TypeAlias

__all__ = ["CheckedInput", "ExtraText", "MissingKeys", "Note", "Policy", "UnknownKeys"]

UnknownKeys: TypeAlias = Literal["forbid", "drop", "keep"]
MissingKeys: TypeAlias = Literal["forbid", "keep"]
ExtraText: TypeAlias = Literal["forbid", "drop", "keep"]


class Policy(NamedTuple):
    """What becomes of what a schema leaves open; see `ToolSet`."""

    unknown_keys: UnknownKeys = "forbid"
    missing_keys: MissingKeys = "forbid"
    extra_text: ExtraText = "forbid"
    lenient: bool = False
    """Mend JSON in texts that is not quite right."""


class Note(NamedTuple):
    """Something that was done so that an input fits."""

    message: str
    """What, in a sentence."""
    kind: str = ""
    """``unknown_key``, ``extra_text`` or a kind of `output_parsers.JsonRepair` if the model's words
    were mended or left out; ``""`` if they were only read as the type that the schema says."""


class CheckedInput(NamedTuple):
    """An input that fits the tool."""

    tool: str
    """Name of the tool, as it is."""
    value: str | dict[str, Any]
    """What the tool takes; the same object as was given if nothing had to be changed."""
    notes: tuple[Note, ...] = ()
    """What was changed."""
