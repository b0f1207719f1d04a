"""Regular expressions that give up in time.

Some patterns take exponential time on some texts, and either may come from a stranger. The package
`regex` looks at the clock while it searches; Python's `re` cannot be stopped. It knows the syntax
of `re` and more.
"""

from __future__ import annotations

from functools import lru_cache
from typing import Any, Literal

import regex  # type: ignore[import-untyped]

from output_parsers._errors import OutputParserException


@lru_cache(maxsize=256)
def compiled(pattern: str) -> Any:
    """Return *pattern*, compiled.

    Raises:
        ValueError: It is not a regular expression, or is nested too deep.
    """
    try:
        return regex.compile(pattern, regex.VERSION0)
    except (regex.error, RecursionError) as error:
        raise ValueError(f"{pattern!r} is not a regular expression: {error}") from error


def timed(how: Literal["findall", "search"], pattern: str, text: str, timeout_s: float) -> Any:
    """Return what the method *how* of the compiled *pattern* finds in *text*.

    Raises:
        OutputParserException: It took more than *timeout_s* seconds.
        ValueError: See `compiled`.
    """
    try:
        return getattr(compiled(pattern), how)(text, timeout=timeout_s)
    except TimeoutError as error:
        raise OutputParserException(
            f"Could not parse output: the regular expression {pattern!r} took longer than "
            f"{timeout_s:g} s (timeout_s)",
            observation="Your reply took too long to read. Repeat it, shorter, in the form that "
            "was asked for.",
            llm_output=text,
        ) from error
