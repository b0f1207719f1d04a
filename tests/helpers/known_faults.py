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


HALF: Final = "test_no_prefix_of_a_turn_acts_otherwise"
BESIDE: Final = "test_nothing_beside_a_call_is_dropped"
ENCLOSED: Final = "test_an_enclosed_call_is_not_made"
LAXER: Final = "test_strict_reading_is_never_laxer"
STRIPPED: Final = "test_no_call_without_its_special_tokens_is_an_answer"
AUTO: Final = "test_auto_reads_what_a_dialect_writes"
"""The tests."""

JSON_CALLS: Final = of(
    "apriel chat command_a command_a_plus command_r conversational_chat ernie45 firefunction "
    "gigachat3 gigachat31 granite granite_fc hermes hunyuan_a13b inkling internlm2 jamba json "
    "json_toolcall llama3_json longcat minimax_m1 mistral_v3 nemotron_llama nemotron_v2 phi4_mini "
    "react_json reka_edge structured_chat xlam"
)
STEPS_STRICTLY: Final = of("conversational glm4 haystack mrkl react react_zh self_ask xml")
STEPS_LENIENTLY: Final = of("conversational glm4 haystack mrkl react react_docstore react_zh xml")
MORE_STEPS_STRICTLY: Final = of(
    "conversational glm4 haystack mrkl react react_crewai react_llamaindex react_zh self_ask xml"
)
MORE_STEPS_LENIENTLY: Final = of(
    "conversational glm4 haystack mrkl react react_crewai react_llamaindex react_zh xml"
)
"""Dialects that have the same faults."""

KNOWN: Final[dict[tuple[str, str], Known]] = {
    (HALF, "undeclared"): Known("half of a call", 1, STEPS_STRICTLY, STEPS_LENIENTLY),
    (HALF, "names"): Known("half of a call", 1, STEPS_STRICTLY, STEPS_LENIENTLY),
    (HALF, "defaults"): Known("half of a call", 1, MORE_STEPS_STRICTLY, MORE_STEPS_LENIENTLY),
    (HALF, "beginnings_with_defaults"): Known(
        "half of a call", 1, MORE_STEPS_STRICTLY, MORE_STEPS_LENIENTLY
    ),
    (HALF, "optional"): Known(
        "half of a call",
        1,
        of("glm4 haystack mrkl react react_crewai react_llamaindex react_zh xml"),
        MORE_STEPS_LENIENTLY,
    ),
    (HALF, "beginnings"): Known(
        "half of a call",
        1,
        of("glm4 xml"),
        of("conversational glm4 haystack mrkl react react_crewai react_llamaindex react_zh"),
    ),
    (HALF, "no_tools"): Known("half of a call", 1, of("glm4 self_ask"), of("glm4")),
    (HALF, "required"): Known("half of a call", 1, of("glm4 xml"), of("glm4")),
    (BESIDE, "goes_on"): Known(
        "something beside a call",
        2,
        of("chat conversational_chat json mistral mistral_v11 react_json structured_chat"),
        but(
            "anthropic_xml command_5 conversational deepseek_dsml deepseek_v32 deepseek_v41 dots "
            "functiongemma gemma4 gigachat35 glm4 glm45 glm47 haystack hunyuan_v3 hunyuan_v4 "
            "iquest_q1 k2_horizon kimi_k3 laguna lfm2 ling3 llama4_pythonic mimo minicpm3 "
            "minicpm5 minimax_m2 minimax_m3 mrkl muse_glimmer olmo3 pythonic qwen3_coder react "
            "react_crewai react_docstore react_llamaindex react_zh seed_oss self_ask "
            "smolagents_code solar_open2 step3 xml"
        ),
    ),
    (BESIDE, "parameter"): Known("something beside a call", 2, JSON_CALLS, JSON_CALLS),
    (BESIDE, "member"): Known(
        "something beside a call",
        2,
        of(
            "apriel command_a command_a_plus command_r ernie45 firefunction gigachat3 gigachat31 "
            "granite granite_fc hermes hunyuan_a13b inkling internlm2 jamba json_toolcall "
            "llama3_json longcat minimax_m1 mistral_v3 nemotron_llama nemotron_v2 phi4_mini "
            "reka_edge xlam"
        ),
        JSON_CALLS,
    ),
    (BESIDE, "two_names"): Known("something beside a call", 2, JSON_CALLS, JSON_CALLS),
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


ATTACKS: Final = {
    "prefix": HALF,
    "value": HALF,
    "enclosed": ENCLOSED,
    "beside": BESIDE,
    "laxer": LAXER,
}
"""The kinds of attacks that find a known fault, and the test that does as well."""

IN_RAW_TEXT: Final = {"react_docstore", "xml"}
"""Dialects that read half of a raw input which has its closer in it, or half of that."""


def known_attack(attack: str, dialect: str, mode: str, kind: str, *, is_empty: bool) -> bool:
    """Return whether an *attack* finds a known fault.

    Of half calls only those are known whose input *is_empty*, and of edited ones only those of
    tools that need nothing: there a value may swallow the next parameter, and no check misses it.
    """
    if attack == "edit":
        return kind == "defaults"
    if attack in ("prefix", "value") and not is_empty and dialect not in IN_RAW_TEXT:
        return False
    return known_in(ATTACKS.get(attack, ""), dialect, mode, kind) is not None


LAWS: Final = {
    named(laws.no_prefix_of_a_turn_acts_otherwise): HALF,
    named(laws.reasoning_and_quotation_never_act): ENCLOSED,
    named(laws.nothing_beside_a_call_is_dropped): BESIDE,
    named(laws.strict_reading_is_never_laxer): LAXER,
}
"""The laws that find a known fault, and the test that does as well."""


def known_law(error: BrokenLawError, kind: str) -> Known | None:
    """Return the fault by which a law is broken, if it is known."""
    return known_in(LAWS.get(error.law, ""), error.dialect, error.mode, kind)


EXAMPLE: Final = frozenset(
    f"memo-{mode}-{law.replace(' ', '_')}"
    for law, modes in {
        named(laws.no_prefix_of_a_turn_acts_otherwise): ("strict", "lenient"),
    }.items()
    for mode in modes
)
"""The laws that the dialect of the example does not keep, since the engine does not."""

HIDDEN: Final = {
    "test_the_laws_do_not_depend_on_what_else_is_registered",
    "test_what_is_wrong_is_named[a codec does without the closer]",
}
"""Tests of the laws that meet such a fault before what they look for."""


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
    is_example = name == "test_the_example_holds" and item.name.partition("[")[2][:-1] in EXAMPLE
    if is_example or item.name in HIDDEN:
        reason = "no dialect keeps this law"
    if reason:
        item.add_marker(pytest.mark.xfail(strict=True, raises=AssertionError, reason=reason))
