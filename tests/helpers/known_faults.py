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

ACTING_STRICTLY: Final = but(
    "functionary_v32 glm4 harmony inkling llama3_json muse_glimmer pythonic react_crewai "
    "react_docstore react_llamaindex self_ask smolagents_code xlam"
)
ACTING_LENIENTLY: Final = but("functionary_v32 glm4 harmony inkling muse_glimmer")
"""Dialects that have the same faults."""

KNOWN: Final[dict[tuple[str, str], Known]] = {
    (ENCLOSED, "thought"): Known(
        "a call that is enclosed",
        3,
        but(
            "functionary_v32 glm4 inkling llama3_json muse_glimmer pythonic react_crewai "
            "react_docstore react_llamaindex self_ask smolagents_code xlam"
        ),
        but("functionary_v32 glm4 inkling muse_glimmer"),
    ),
    (ENCLOSED, "element"): Known("a call that is enclosed", 3, ACTING_STRICTLY, ACTING_LENIENTLY),
    (ENCLOSED, "bracket"): Known("a call that is enclosed", 3, ACTING_STRICTLY, ACTING_LENIENTLY),
    (ENCLOSED, "comment"): Known("a call that is enclosed", 3, ACTING_STRICTLY, ACTING_LENIENTLY),
    (ENCLOSED, "strike"): Known(
        "a call that is enclosed",
        3,
        but(
            "functionary_v32 glm4 harmony inkling llama3_json muse_glimmer pythonic react_crewai "
            "react_docstore react_llamaindex smolagents_code xlam"
        ),
        ACTING_LENIENTLY,
    ),
    (ENCLOSED, "indented"): Known(
        "a call that is enclosed",
        3,
        but(
            "functionary_v32 gigachat3 glm4 harmony inkling json_toolcall llama3_json "
            "muse_glimmer pythonic react_crewai react_docstore react_llamaindex react_zh self_ask "
            "smolagents_code xlam"
        ),
        but(
            "functionary_v32 gigachat3 glm4 harmony inkling json_toolcall llama3_json muse_glimmer"
        ),
    ),
    (ENCLOSED, "table"): Known(
        "a call that is enclosed",
        3,
        but(
            "chat deepseek_v3 functionary_v32 gigachat3 glm4 harmony inkling json_toolcall "
            "llama3_json muse_glimmer pythonic react_crewai react_docstore react_llamaindex "
            "react_zh self_ask smolagents_code xlam"
        ),
        but(
            "chat functionary_v32 gigachat3 glm4 harmony inkling json_toolcall llama3_json "
            "muse_glimmer pythonic react_crewai react_docstore react_llamaindex smolagents_code "
            "xlam"
        ),
    ),
    (ENCLOSED, "quotation_in_a_line"): Known(
        "a call that is enclosed",
        3,
        but(
            "chat deepseek_v3 functionary_v32 gigachat3 glm4 harmony inkling json_toolcall "
            "llama3_json muse_glimmer pythonic react_crewai react_docstore react_llamaindex "
            "react_zh smolagents_code xlam"
        ),
        but(
            "chat functionary_v32 gigachat3 glm4 harmony haystack inkling json_toolcall "
            "llama3_json mrkl muse_glimmer pythonic react react_crewai react_docstore "
            "react_llamaindex react_zh smolagents_code xlam"
        ),
    ),
    (ENCLOSED, "quotation_around_lines"): Known(
        "a call that is enclosed", 3, ACTING_STRICTLY, ACTING_LENIENTLY
    ),
    (ENCLOSED, "quotation_with_words"): Known(
        "a call that is enclosed", 3, ACTING_STRICTLY, ACTING_LENIENTLY
    ),
    (ENCLOSED, "around_all"): Known(
        "a call that is enclosed", 3, ACTING_STRICTLY, but("harmony inkling muse_glimmer")
    ),
    (ENCLOSED, "line_signs"): Known(
        "a call that is enclosed",
        3,
        of(
            "apertus apriel command_5 conversational deepseek_v31 firefunction functionary_v31 "
            "functiongemma gemma4 gigachat31 glm47 granite granite_fc haystack hunyuan_a13b "
            "hunyuan_v4 iquest_q1 jamba kimi_k2 kimi_k3 laguna lfm2 llama3_function_tag "
            "llama4_pythonic minicpm5 mistral mistral_v11 mistral_v3 mrkl nemotron_llama "
            "nemotron_v2 olmo3 phi4_mini plamo3 react solar_open xml"
        ),
        but(
            "anthropic_xml chat command_r conversational_chat deepseek_dsml deepseek_v3 "
            "deepseek_v32 deepseek_v41 dots functionary_v32 gigachat3 gigachat35 glm4 glm45 "
            "harmony hunyuan_v3 inkling json json_toolcall k2_horizon ling3 llama3_json mimo "
            "minicpm3 minimax_m2 minimax_m3 muse_glimmer pythonic qwen3_coder react_docstore "
            "react_json seed_oss solar_open2 step3 structured_chat xlam"
        ),
    ),
    (LAXER, ""): Known(
        "strict reading that is laxer",
        3,
        but(
            "functionary_v32 glm4 inkling llama3_json muse_glimmer react_crewai react_llamaindex "
            "smolagents_code"
        ),
    ),
    (STRIPPED, ""): Known(
        "a call that is an answer",
        7,
        of("minicpm3 muse_glimmer"),
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
    "enclosed": ENCLOSED,
    "laxer": LAXER,
}
"""The kinds of attacks that find a known fault, and the test that does as well."""


def known_attack(attack: str, dialect: str, mode: str, kind: str) -> bool:
    """Return whether an *attack* finds a known fault.

    Of edited calls only those of tools that need nothing are known: there a value may swallow the
    next parameter, and no check misses it.
    """
    if attack == "edit":
        return kind == "defaults"
    return known_in(ATTACKS.get(attack, ""), dialect, mode, kind) is not None


LAWS: Final = {
    named(laws.reasoning_and_quotation_never_act): ENCLOSED,
    named(laws.strict_reading_is_never_laxer): LAXER,
}
"""The laws that find a known fault, and the test that does as well."""


def known_law(error: BrokenLawError, kind: str) -> Known | None:
    """Return the fault by which a law is broken, if it is known."""
    return known_in(LAWS.get(error.law, ""), error.dialect, error.mode, kind)


EXAMPLE: Final = frozenset(
    f"memo-{mode}-{law.replace(' ', '_')}"
    for law, modes in {
        named(laws.reasoning_and_quotation_never_act): ("strict", "lenient"),
        named(laws.strict_reading_is_never_laxer): ("lenient",),
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
