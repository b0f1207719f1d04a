"""Numbers between limits, digit by digit."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from fractions import Fraction
from math import ceil, floor, lcm
from typing import Any, Final

from agent_parsers.constrain.parts.automaton import Automaton, chars, intersection
from agent_parsers.constrain.parts.tree import (
    Chars,
    Node,
    Notes,
    NoValue,
    Repeat,
    Text,
    choice,
    optional,
    sequence,
)
from agent_parsers.constrain.values.patterns import automaton_of

_MOST_DIGITS: Final = 15
_DIGIT: Final = Chars(((0x30, 0x39),))
_MORE: Final = Repeat(_DIGIT, 0, _MOST_DIGITS - 1)
_NATURAL: Final = choice(["0", sequence(Chars(((0x31, 0x39),)), _MORE)])
_MINUS: Final = optional(sequence("-"))
_FRACTION: Final = sequence(".", Repeat(_DIGIT, 1, _MOST_DIGITS))
_EXPONENT: Final = sequence(Chars(chars("eE")), optional(Chars(chars("+-"))), Repeat(_DIGIT, 1, 2))
_FEW: Final = 200
"""The most multiples that are written one by one."""
_MOST_STEP: Final = 100
"""The greatest integer whose multiples are told by their digits."""
_MOST_DECIMALS: Final = 9
_FINE: Final = 6
"""How many decimals a number has at least that is close to a limit which it may not reach."""


@dataclass(frozen=True)
class _Limits:
    """The numbers that a part of a schema allows."""

    least: Fraction | None
    most: Fraction | None
    is_above: bool = False
    """Whether they are above the least, and not the least itself."""
    is_below: bool = False

    def scaled(self, decimals: int) -> tuple[int | None, int | None]:
        """Return the limits as integers, multiplied by 10 to the power of *decimals*."""
        low = high = None
        if self.least is not None:
            low = self.least * 10**decimals
            low = floor(low) + 1 if self.is_above else ceil(low)
        if self.most is not None:
            high = self.most * 10**decimals
            high = ceil(high) - 1 if self.is_below else floor(high)
        return low, high

    @property
    def negated(self) -> _Limits:
        """The limits of the numbers with their signs reversed."""
        low = None if self.most is None else -self.most
        high = None if self.least is None else -self.least
        return _Limits(low, high, self.is_below, self.is_above)

    @property
    def natural(self) -> _Limits:
        """The limits of the numbers that are not below zero."""
        if self.least is None or self.least < 0:
            return replace(self, least=Fraction(0), is_above=False)
        return self

    @property
    def decimals(self) -> int:
        """How many decimals the limits have, or numbers next to a limit that is excluded."""
        found = _FINE if self.is_above else 0
        for limit in filter(None, (self.least, self.most)):
            while found < _MOST_DECIMALS and limit * 10**found % 1:
                found += 1
        return found


def integer(node: dict[str, Any], notes: Notes) -> Node:
    """Return the integers that *node*, a part of a schema, allows."""
    limits, step = _limits(node), 1
    for each in node.get("multipleOf", ()):
        step = lcm(step, _fraction(each).numerator)
    least, most = limits.scaled(0)
    if step == 1:
        return _whole(least, most)
    if (found := _multiples(limits, Fraction(step))) is not None:
        return found
    if step > _MOST_STEP:
        notes.add(
            "multipleOf", f"a grammar cannot check for multiples of numbers above {_MOST_STEP}"
        )
        return _whole(least, most)
    made = intersection(_divisible(step), automaton_of(_whole(least, most)))
    if not made.accepting:
        raise NoValue(f"no multiple of {float(step):g} is between the minimum and the maximum")
    return Text(made)


def number(node: dict[str, Any], notes: Notes) -> Node:
    """Return the numbers that *node*, a part of a schema, allows."""
    limits, steps = _limits(node), [*map(_fraction, node.get("multipleOf", ()))]
    most_decimals = None
    for step in steps:
        if len(steps) == 1 and (found := _multiples(limits, step)) is not None:
            return found
        if step.denominator == 1:
            return integer(node, notes)
        size = len(str(step.denominator)) - 1
        if step.numerator == 1 and step.denominator == 10**size:
            most_decimals = min(size, most_decimals or size)
        else:
            notes.add("multipleOf", f"a grammar cannot check for multiples of {float(step)}")
    if limits.least is None and limits.most is None:
        if most_decimals is not None:
            fraction = sequence(".", Repeat(_DIGIT, 1, most_decimals))
            return sequence(_MINUS, _NATURAL, optional(fraction))
        return sequence(_MINUS, _NATURAL, optional(_FRACTION), optional(_EXPONENT))
    options = [*_decimals(limits.natural, most_decimals)]
    if limits.least is None or limits.least < 0:
        below = limits.negated.natural
        options += (sequence("-", each) for each in _decimals(below, most_decimals))
    if not options:
        raise NoValue("no number is between the minimum and the maximum")
    return choice(options)


def _fraction(value: Any) -> Fraction:
    return Fraction(repr(value) if isinstance(value, float) else value)  # 0.3 is 3/10


def _limits(node: dict[str, Any]) -> _Limits:
    lows = [(_fraction(node["minimum"]), False)] if "minimum" in node else []
    lows += [(_fraction(node["exclusiveMinimum"]), True)] if "exclusiveMinimum" in node else []
    highs = [(_fraction(node["maximum"]), True)] if "maximum" in node else []
    highs += [(_fraction(node["exclusiveMaximum"]), False)] if "exclusiveMaximum" in node else []
    least, is_above = max(lows, default=(None, False))
    most, is_reached = min(highs, default=(None, True))
    return _Limits(least, most, is_above, not is_reached)


def _multiples(limits: _Limits, step: Fraction) -> Node | None:
    """Return all multiples of *step* if they are few and have few decimals."""
    if limits.least is None or limits.most is None:
        return None
    inside = replace(limits, least=limits.least / step, most=limits.most / step)
    low, high = inside.scaled(0)
    assert low is not None, "there is a minimum"
    assert high is not None, "there is a maximum"
    if high < low:
        raise NoValue(f"no multiple of {float(step):g} is between the minimum and the maximum")
    if high - low > _FEW or (step * 10**_MOST_DECIMALS).denominator > 1:
        return None
    return choice(_written(step * each) for each in range(low, high + 1))


def _written(value: Fraction) -> str:
    if value.denominator == 1:
        return str(value.numerator)
    digits = f"{abs(value.numerator) * 10**_MOST_DECIMALS // value.denominator:010d}"
    whole, decimals = digits[:-_MOST_DECIMALS], digits[-_MOST_DECIMALS:].rstrip("0")
    return f"{'-' if value < 0 else ''}{whole}.{decimals}"


def _divisible(step: int) -> Automaton:
    """Return the automaton of digits, with or without a sign, of multiples of *step*."""
    rows = [
        tuple((chars(str(digit)), (rest * 10 + digit) % step + 1) for digit in range(10))
        for rest in range(step)
    ]
    return Automaton(((*rows[0], (chars("-"), 0)), *rows), 0, frozenset([1]))


def _whole(least: int | None, most: int | None) -> Node:
    if least is None and most is None:
        return sequence(_MINUS, _NATURAL)
    if least is not None and most is not None and least > most:
        raise NoValue("no integer is between the minimum and the maximum")
    return choice(_integers(least, most))


def _integers(least: int | None, most: int | None) -> Iterator[Node]:
    yield from _naturals(0 if least is None else max(least, 0), most)
    below_zero = None if least is None else -least
    for each in _naturals(1 if most is None else max(-most, 1), below_zero):
        yield sequence("-", each)


def _decimals(limits: _Limits, most_decimals: int | None) -> Iterator[Node]:
    """Yield the numbers between *limits*, which are not below zero, without a sign."""
    size = limits.decimals if most_decimals is None else most_decimals
    for decimals in range(size + 1):
        low, high = limits.scaled(decimals)
        assert low is not None, "the minimum is not below zero"
        yield from _with_decimals(low, high, decimals)
    if most_decimals is not None:
        return
    low, high = limits.scaled(size)
    assert low is not None, "the minimum is not below zero"
    # A number of more decimals is between two with so many, of which the latter may be too large.
    last = None if limits.most is None else floor(limits.most * 10**size) - 1
    digits = max(len(str(low)), len(str(last)) if last is not None else 1)
    more = Repeat(_DIGIT, 1, max(_MOST_DIGITS - 1 - digits, 1))
    dot = () if size else (".",)
    for each in _with_decimals(low, last, size):
        yield sequence(each, *dot, more)


def _with_decimals(low: int, high: int | None, decimals: int) -> Iterator[Node]:
    """Yield the numbers from *low* to *high*, of which the last digits are *decimals*."""
    if not decimals:
        yield from _naturals(low, high)
        return
    if high is not None and high < low:
        return
    scale, any_digits = 10**decimals, Repeat(_DIGIT, decimals, decimals)
    first, begin = divmod(low, scale)
    last, end = (None, scale - 1) if high is None else divmod(high, scale)

    def between(whole: int, least: int, most: int) -> Iterator[Node]:
        for each in _between(f"{least:0{decimals}d}", f"{most:0{decimals}d}"):
            yield sequence(f"{whole}.", each)

    if first == last:
        yield from between(first, begin, end)
        return
    if begin:
        yield from between(first, begin, scale - 1)
        first += 1
    if last is not None and end < scale - 1:
        yield from between(last, 0, end)
        last -= 1
    for each in _naturals(first, last):
        yield sequence(each, ".", any_digits)


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
