"""Numbers between limits, digit by digit."""

from __future__ import annotations

from math import ceil, floor
from typing import TYPE_CHECKING, Any, Final

from agent_parsers.decoding.texts.charsets import chars
from agent_parsers.decoding.tree.nodes import Chars, Repeat, choice, optional, sequence
from agent_parsers.decoding.tree.problems import GrammarError

if TYPE_CHECKING:
    from collections.abc import Iterator

    from agent_parsers.decoding.tree.nodes import Node

__all__ = ["integer", "number"]

_MOST_DIGITS: Final = 15
_DIGIT: Final = Chars(((0x30, 0x39),))
_MORE: Final = Repeat(_DIGIT, 0, _MOST_DIGITS - 1)
_NATURAL: Final = choice(["0", sequence(Chars(((0x31, 0x39),)), _MORE)])
_MINUS: Final = optional(sequence("-"))
_FRACTION: Final = sequence(".", Repeat(_DIGIT, 1, _MOST_DIGITS))
_EXPONENT: Final = sequence(Chars(chars("eE")), optional(Chars(chars("+-"))), Repeat(_DIGIT, 1, 2))
_LIMITS: Final = ("minimum", "maximum", "exclusiveMinimum", "exclusiveMaximum")


def integer(node: dict[str, Any]) -> Node:
    """Return the integers that *node*, a part of a schema, allows."""
    least, most = _limits(node)
    if least is None and most is None:
        return sequence(_MINUS, _NATURAL)
    return choice(_integers(least, most))


def number(node: dict[str, Any]) -> Node:
    """Return the numbers that *node*, a part of a schema, allows."""
    least, most = _limits(node)
    if least is None and most is None:
        return sequence(_MINUS, _NATURAL, optional(_FRACTION), optional(_EXPONENT))
    options = list(_integers(least, most))
    above = 0 if least is None else max(least, 0)
    below = None if most is None else most - 1
    options += (sequence(each, _FRACTION) for each in _naturals(above, below))
    near = 0 if most is None else max(-most, 0)
    far = None if least is None else -least - 1
    options += (sequence("-", each, _FRACTION) for each in _naturals(near, far))
    return choice(options)


def _limits(node: dict[str, Any]) -> tuple[int | None, int | None]:
    """Return the least and the greatest integer that *node* allows."""
    if "multipleOf" in node and node["multipleOf"] != 1:
        raise GrammarError("a grammar cannot say 'multipleOf'")
    least, most, above, below = (node.get(key) for key in _LIMITS)
    if isinstance(above, bool) or isinstance(below, bool):  # as in draft 4
        above, below = (least if above is True else None), (most if below is True else None)
    lows = [ceil(least)] if least is not None else []
    lows += [floor(above) + 1] if above is not None else []
    highs = [floor(most)] if most is not None else []
    highs += [ceil(below) - 1] if below is not None else []
    low, high = max(lows, default=None), min(highs, default=None)
    if low is not None and high is not None and low > high:
        raise GrammarError("no integer is between the limits of a number")
    return low, high


def _integers(least: int | None, most: int | None) -> Iterator[Node]:
    yield from _naturals(0 if least is None else max(least, 0), most)
    below_zero = None if least is None else -least
    for each in _naturals(1 if most is None else max(-most, 1), below_zero):
        yield sequence("-", each)


def _naturals(least: int, most: int | None) -> Iterator[Node]:
    """Yield the natural numbers from *least* to *most*, both included."""
    if most is not None and most < least:
        return
    if most is None or most - least >= 10**_MOST_DIGITS:
        size = len(str(least))
        yield from _between(str(least), "9" * size)
        if size < _MOST_DIGITS:
            rest = Repeat(_DIGIT, size, _MOST_DIGITS - 1)
            yield sequence(Chars(((0x31, 0x39),)), rest)
        return
    for size in range(len(str(least)), len(str(most)) + 1):
        low = max(least, 10 ** (size - 1) if size > 1 else 0)
        yield from _between(str(low), str(min(most, 10**size - 1)))


def _between(low: str, high: str) -> Iterator[Node]:
    """Yield the numbers from *low* to *high*, which have as many digits."""
    size = len(low)
    if low == "0" * size and high == "9" * size:
        yield Repeat(_DIGIT, size, size) if size > 1 else _DIGIT
        return
    if size == 1:
        yield Chars(((ord(low), ord(high)),))
        return
    first, last = int(low[0]), int(high[0])
    nines, zeros = "9" * (size - 1), "0" * (size - 1)
    if first == last:
        yield sequence(low[0], choice(_between(low[1:], high[1:])))
        return
    if low[1:] != zeros:
        yield sequence(low[0], choice(_between(low[1:], nines)))
        first += 1
    if high[1:] != nines:
        yield sequence(high[0], choice(_between(zeros, high[1:])))
        last -= 1
    if first <= last:
        digits = Chars(((0x30 + first, 0x30 + last),))
        yield sequence(digits, choice(_between(zeros, nines)))
