"""Regular expressions with a time limit.

Some patterns take exponential time on some texts, and both may be from an untrusted source. The
package `regex` supports a timeout; Python's `re` cannot be interrupted. `regex` supports the syntax
of `re` and more. Its timeout does not apply to compiling: see `_is_bomb`.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from functools import lru_cache
from time import perf_counter, process_time
from typing import Any

import regex  # type: ignore[import-untyped]

from output_parsers.exceptions import OutputParserException


@lru_cache(maxsize=256)
def compiled(pattern: str, flags: re.RegexFlag = re.NOFLAG) -> Any:
    """Return the compiled *pattern*.

    Args:
        pattern: A regular expression.
        flags: The flags, as in `re`.

    Raises:
        ValueError: *pattern* is not a regular expression, is nested too deeply, or repeats too
            much.
    """
    if _is_bomb(pattern):
        raise ValueError(
            f"the nested repetitions in the regular expression {pattern!r:.200} expand to more"
            f" than {_MAX_COPIES:,} copies"
        )
    known = flags & (re.IGNORECASE | re.MULTILINE | re.DOTALL | re.VERBOSE)
    is_ascii = regex.ASCII if flags & re.ASCII else 0  # its value differs from that in `re`
    try:
        return regex.compile(pattern, regex.VERSION0 | known.value | is_ascii)
    except (regex.error, RecursionError) as error:
        raise ValueError(f"{pattern!r:.200} is not a regular expression: {error}") from error


class TimeLeft:
    """The wall-clock time that is left for searches in one text.

    The timeout of `regex` is in CPU time of the process, which includes all its threads but not
    other processes. So a search first gets a small part of the time; the wall-clock time that it
    takes determines the timeout of the next attempt.

    Args:
        seconds: How long all searches together may take.
    """

    _FIRST = 1 / 16
    """The part of the time for the first attempt."""

    def __init__(self, seconds: float) -> None:
        self._seconds = self._left = seconds

    def search(self, pattern: Any, text: str, **where: Any) -> Any:
        """Return the first match of the compiled *pattern* in *text*, or None.

        Args:
            pattern: The pattern.
            text: The text.
            where: As in `regex`: ``pos``, where a match may begin, and ``partial``, whether it may
                need more text than there is.

        Raises:
            OutputParserException: The search took too long, or too much memory.
        """
        return self._run(
            lambda seconds: pattern.search(text, timeout=seconds, **where), pattern, text
        )

    def matches(self, pattern: Any, text: str) -> list[Any]:
        """Return all matches of the compiled *pattern* in *text*.

        Raises:
            OutputParserException: As in `search`.
        """
        found: list[Any] = self._run(
            lambda seconds: [*pattern.finditer(text, timeout=seconds)], pattern, text
        )
        return found

    def _run(self, attempt: Callable[[float], Any], pattern: Any, text: str) -> Any:
        computing = self._seconds * self._FIRST
        try:
            while self._left > 0:
                began, computed = perf_counter(), process_time()
                try:
                    return attempt(computing)
                except TimeoutError:
                    share = (process_time() - computed) / (perf_counter() - began)
                finally:
                    self._left -= perf_counter() - began
                computing = self._left * share
                if computing < self._seconds * self._FIRST / 4:
                    break
        except MemoryError as error:
            raise _too_much("more memory than is available", pattern, text) from error
        raise _too_much(f"longer than {self._seconds:g} s (timeout_s)", pattern, text)


def value_of(match: Any) -> str | tuple[str, ...]:
    """Return the item of `re.findall` for *match*: its group, all groups, or the whole match."""
    groups = match.re.groups
    value: str | tuple[str, ...] = match.groups("") if groups > 1 else match[groups] or ""
    return value


def _too_much(cost: str, pattern: Any, text: str) -> OutputParserException:
    return OutputParserException(
        f"Could not parse output: the regular expression {pattern.pattern!r:.200} took {cost}",
        observation="Your reply took too long to read. Write a shorter reply in the required form.",
        llm_output=text,
    )


_MAX_COPIES = 300_000
"""How many parts of a pattern may be copied; each copy takes about 500 bytes."""

_PIECES = re.compile(
    r"""\\. | \[\^?\]?(?:\\.|[^\]\\])*\]       # a character that is escaped, or one of a set
    | (?P<open>\() | (?P<close>\))
    | (?:(?P<some>\+) | \{(?P<count>\d+)(?:,\d*)?\} | [*?])[?+]?
    | .""",
    re.DOTALL | re.VERBOSE,
)


def _is_bomb(pattern: str) -> bool:
    """Return whether compiling *pattern* would take gigabytes: ``((a{999}){999}){999}``.

    The package `regex` copies a part once for each required repetition, and once more.
    """
    sizes, last, copies = [0], 0, 0  # the sizes of the open groups, and of the last part
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
