"""Token usage: how many tokens a model read and wrote, and how usages are added."""

from __future__ import annotations

from typing import Any, NotRequired, cast

from typing_extensions import TypedDict

_MAX_DEPTH = 100


class InputTokenDetails(TypedDict, total=False):
    """The breakdown of input tokens; it may be incomplete and need not sum to the total."""

    audio: int
    """Audio tokens."""
    cache_creation: int
    """Tokens that were not cached yet and were written to the cache."""
    cache_read: int
    """Tokens that were read from the cache."""


class OutputTokenDetails(TypedDict, total=False):
    """The breakdown of output tokens; it may be incomplete and need not sum to the total."""

    audio: int
    """Audio tokens."""
    reasoning: int
    """Reasoning tokens, which are not part of the reply."""


class UsageMetadata(TypedDict):
    """Token counts of one message, in the same form for every provider."""

    input_tokens: int
    """Tokens of the prompt, of all kinds."""
    output_tokens: int
    """Tokens of the reply, of all kinds."""
    total_tokens: int
    """Input and output tokens together."""
    input_token_details: NotRequired[InputTokenDetails]
    """The breakdown of the input tokens."""
    output_token_details: NotRequired[OutputTokenDetails]
    """The breakdown of the output tokens."""


def add_usage(left: UsageMetadata | None, right: UsageMetadata | None) -> UsageMetadata:
    """Return the sum of two usages, count by count; `None` and missing counts are zero.

    Example:
        ``{"input_tokens": 5, "output_tokens": 0, "total_tokens": 5}`` and
        ``{"input_tokens": 0, "output_tokens": 7, "total_tokens": 7}`` give
        ``{"input_tokens": 5, "output_tokens": 7, "total_tokens": 12}``.

    Raises:
        ValueError: A value is neither a count nor a dictionary of counts, a count meets a
            dictionary, or dictionaries are nested more than 100 levels deep.
    """
    if left and right:
        return cast("UsageMetadata", _add(dict(left), dict(right), depth=0))
    return left or right or UsageMetadata(input_tokens=0, output_tokens=0, total_tokens=0)


def _add(left: dict[str, Any], right: dict[str, Any], *, depth: int) -> dict[str, Any]:
    if depth >= _MAX_DEPTH:
        raise ValueError(f"token counts are nested more than {_MAX_DEPTH} levels deep")
    total: dict[str, Any] = {}
    for key in left | right:
        ours, theirs = left.get(key, 0), right.get(key, 0)
        if isinstance(ours, int) and isinstance(theirs, int):
            total[key] = ours + theirs
            continue
        ours, theirs = left.get(key, {}), right.get(key, {})
        if not (isinstance(ours, dict) and isinstance(theirs, dict)):
            found = [type(usage[key]).__name__ for usage in (left, right) if key in usage]
            raise ValueError(  # noqa: TRY004 - the type LangChain raises
                f"{key!r} must be a count or a dictionary of counts, not {' and '.join(found)}"
            )
        total[key] = _add(ours, theirs, depth=depth + 1)
    return total
