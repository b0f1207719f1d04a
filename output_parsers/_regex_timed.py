"""Regular expressions that give up in time.

Some patterns take exponential time on some texts, and either may come from a stranger. The package
`regex` looks at the clock while it searches; Python's `re` cannot be stopped. It knows the syntax
of `re` and more. What it looks at no clock for is compiling: see `_is_bomb`.
"""

from __future__ import annotations

import re
from functools import lru_cache
from typing import Any, Literal

import regex  # type: ignore[import-untyped]

from output_parsers._errors import OutputParserException


@lru_cache(maxsize=256)
def compiled(pattern: str) -> Any:
    """Return *pattern*, compiled.

    Raises:
        ValueError: It is not a regular expression, or is nested too deep, or repeats too much.
    """
    if _is_bomb(pattern):
        raise ValueError(
            f"the regular expression {pattern!r:.200} repeats more than {_MAX_COPIES:,} parts, by "
            "numbers within numbers"
        )
    try:
        return regex.compile(pattern, regex.VERSION0)
    except (regex.error, RecursionError) as error:
        raise ValueError(f"{pattern!r:.200} is not a regular expression: {error}") from error


def timed(how: Literal["findall", "search"], pattern: str, text: str, timeout_s: float) -> Any:
    """Return what the method *how* of the compiled *pattern* finds in *text*.

    Raises:
        OutputParserException: It took more than *timeout_s* seconds, or more memory than `regex`
            allows itself.
        ValueError: See `compiled`.
    """
    try:
        return getattr(compiled(pattern), how)(text, timeout=timeout_s)
    except (TimeoutError, MemoryError) as error:
        is_late = isinstance(error, TimeoutError)
        cost = f"longer than {timeout_s:g} s (timeout_s)" if is_late else "too much memory"
        raise OutputParserException(
            f"Could not parse output: the regular expression {pattern!r:.200} took {cost}",
            observation="Your reply took too long to read. Repeat it, shorter, in the form that "
            "was asked for.",
            llm_output=text,
        ) from error


_MAX_COPIES = 300_000
"""How many parts of a pattern may be copied: each takes some 500 bytes."""

_PIECES = re.compile(
    r"""\\. | \[\^?\]?(?:\\.|[^\]\\])*\]       # a character that is escaped, or one of a set
    | (?P<open>\() | (?P<close>\))
    | (?:(?P<some>\+) | \{(?P<count>\d+)(?:,\d*)?\} | [*?])[?+]?
    | .""",
    re.DOTALL | re.VERBOSE,
)


def _is_bomb(pattern: str) -> bool:
    """Tell whether *pattern* is short and would take gigabytes, as ``((a{999}){999}){999}``.

    The package `regex` copies a part for each time that it has to be there, and once more.
    """
    sizes, last, copies = [0], 0, 0  # of the groups that are open, and of the last part
    for piece in _PIECES.finditer(pattern):
        if piece["open"]:
            sizes.append(0)
        elif piece["close"]:
            last = sizes.pop() if len(sizes) > 1 else 0
            sizes[-1] += last
        elif times := 1 if piece["some"] else int((piece["count"] or "0")[:9]):
            copies += last * times
            sizes[-1] += last * times
            last += last * times
            if copies > _MAX_COPIES:
                return True
        else:
            last = 1
            sizes[-1] += 1
    return False
