"""Faults that the laws find today; the next change of the engine mends them and deletes this file.

Each is a test, a kind of its cases, and the dialects for which it fails in strict and in lenient
mode; `section` is that of the plan for the change. These tests try all of their cases, in every
profile, and must fail.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final, NamedTuple, TypeVar

import pytest

from agent_parsers import Dialect

from .stories import some

T = TypeVar("T")


class Known(NamedTuple):
    """A kind of fault."""

    fault: str
    """The name under which it is counted."""
    section: int
    """The section of the plan that mends it."""
    strict: frozenset[str] = frozenset()
    """The dialects that have it in strict mode, or in all modes if the law names none."""
    lenient: frozenset[str] = frozenset()
    """The dialects that have it in lenient mode."""


def of(names: str) -> frozenset[str]:
    """Return these dialects."""
    return frozenset(names.split())


STRIPPED: Final = "test_no_call_without_its_special_tokens_is_an_answer"
"""The test."""

KNOWN: Final[dict[tuple[str, str], Known]] = {
    (STRIPPED, ""): Known(
        "a call that is an answer",
        7,
        of("minicpm3 muse_glimmer"),
    ),
}


def known_in(test: str, dialect: str, mode: str = "", kind: str = "") -> Known | None:
    """Return the fault for which this *test* fails, if it is known."""
    known = KNOWN.get((test, kind))
    if known is None:
        return None
    return known if dialect in (known.lenient if mode == "lenient" else known.strict) else None


def sample(
    found: Sequence[T], test: str, dialect: Dialect, part: float, mode: str = "", kind: str = ""
) -> Sequence[T]:
    """Return a *part* of the cases of a *test*, or all if it is known to fail."""
    is_known = known_in(test, dialect.name, mode, kind) is not None
    return found if is_known or not found else some(found, dialect, part)


def known_attack(attack: str, kind: str) -> bool:
    """Return whether an *attack* finds a known fault.

    Of edited calls only those of tools that need nothing are known: there a value may swallow the
    next parameter, and no check misses it.
    """
    return attack == "edit" and kind == "defaults"


def mark_known(item: pytest.Item) -> None:
    """Expect that a test fails for a fault that is known."""
    params = getattr(getattr(item, "callspec", None), "params", {})
    dialect, mode = params.get("dialect"), params.get("mode", "")
    kind = params.get("kind", params.get("shape", ""))
    name = getattr(item, "originalname", item.name)
    known = known_in(name, dialect.name, mode, kind) if isinstance(dialect, Dialect) else None
    reason = f"{known.fault}, section {known.section}" if known else ""
    if reason:
        item.add_marker(pytest.mark.xfail(strict=True, raises=AssertionError, reason=reason))
