"""Why a text is no YAML that a parser reads, told without PyYAML, which may be missing."""

from __future__ import annotations


class YamlError(ValueError):
    """A text is no YAML, or breaks one of the bounds.

    Args:
        reason: Why.
        position: Where in the text, if that is known.
    """

    def __init__(self, reason: str, position: int | None) -> None:
        super().__init__(reason)
        self.position = position
