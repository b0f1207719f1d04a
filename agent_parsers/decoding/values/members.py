"""Parts in a fixed order, of which some may be left out, with something between them."""

from __future__ import annotations

from typing import TYPE_CHECKING

from agent_parsers.decoding.tree.nodes import NOTHING, choice, optional, sequence

if TYPE_CHECKING:
    from collections.abc import Sequence

    from agent_parsers.decoding.tree.nodes import Node

__all__ = ["in_order"]


def in_order(parts: Sequence[tuple[Node, bool]], between: Node) -> tuple[Node, bool]:
    """Return one or more of *parts*, and whether all may be left out.

    Args:
        parts: Each part, and whether it is required.
        between: What stands between two parts.
    """
    required = [at for at, (_, is_required) in enumerate(parts) if is_required]
    if required:
        first = required[0]
        before = (optional(sequence(part, between)) for part, _ in parts[:first])
        return sequence(*before, parts[first][0], *_rest(parts[first + 1 :], between)), False
    options = [
        sequence(part, *_rest(parts[at + 1 :], between)) for at, (part, _) in enumerate(parts)
    ]
    return (choice(options) if options else NOTHING), True


def _rest(parts: Sequence[tuple[Node, bool]], between: Node) -> list[Node]:
    each = (sequence(between, part) for part, _ in parts)
    return [
        part if is_required else optional(part)
        for part, (_, is_required) in zip(each, parts, strict=True)
    ]
