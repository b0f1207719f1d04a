"""Faults that the laws find today; the next change of the engine mends them and deletes this file.

Each is a test, a kind of its cases, and the dialects for which it fails in strict and in lenient
mode; `section` is that of the plan for the change. These tests try all of their cases, in every
profile, and must fail.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Final, NamedTuple, TypeVar

import pytest

from agent_parsers import Dialect, list_dialects
from agent_parsers.testing import BrokenLawError, DialectReport, laws
from agent_parsers.testing.laws.broken import named

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


EVERY: Final = frozenset(list_dialects())


def but(names: str) -> frozenset[str]:
    """Return all dialects but these."""
    return EVERY - set(names.split())


def of(names: str) -> frozenset[str]:
    """Return these dialects."""
    return frozenset(names.split())


ENCLOSED: Final = "test_an_enclosed_call_is_not_made"
LAXER: Final = "test_strict_reading_is_never_laxer"
STRIPPED: Final = "test_no_call_without_its_special_tokens_is_an_answer"
AUTO: Final = "test_auto_reads_what_a_dialect_writes"
"""The tests."""

KNOWN: Final[dict[tuple[str, str], Known]] = {
    (ENCLOSED, "around_all"): Known("a call that is enclosed", 3, of("ernie45"), of("ernie45")),
    (STRIPPED, ""): Known(
        "a call that is an answer",
        7,
        of(
            "apertus command_a command_a_plus deepseek_dsml deepseek_v3 deepseek_v31 deepseek_v32 "
            "gigachat3 gigachat31 gigachat35 glm4 granite harmony internlm2 kimi_k2 lfm2 "
            "llama4_pythonic minicpm3 mistral mistral_v11 mistral_v3 muse_glimmer plamo3 "
            "solar_open step3"
        ),
    ),
    (AUTO, ""): Known(
        "an answer that auto reads otherwise",
        7,
        of(
            "command_5 command_a command_a_plus conversational_chat ernie45 functionary_v32 "
            "harmony hunyuan_a13b inkling json minicpm3 muse_glimmer solar_open2"
        ),
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


ATTACKS: Final = {"enclosed": ENCLOSED}
"""The kinds of attacks that find a known fault, and the test that does as well."""


def known_attack(attack: str, dialect: str, mode: str, kind: str) -> bool:
    """Return whether an *attack* finds a known fault.

    Of edited calls only those of tools that need nothing are known: there a value may swallow the
    next parameter, and no check misses it.
    """
    if attack == "edit":
        return kind == "defaults"
    return known_in(ATTACKS.get(attack, ""), dialect, mode, kind) is not None


LAWS: Final = {named(laws.reasoning_and_quotation_never_act): ENCLOSED}
"""The laws that find a known fault, and the test that does as well."""


def known_law(error: BrokenLawError, kind: str) -> Known | None:
    """Return the fault by which a law is broken, if it is known."""
    return known_in(LAWS.get(error.law, ""), error.dialect, error.mode, kind)


def without_known(report: DialectReport) -> DialectReport:
    """Return a report without the laws that no dialect keeps."""
    failures = (failure for failure in report.failures if failure.law not in LAWS)
    return replace(report, failures=tuple(failures))


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
