"""Writes docs/claims.md, what is promised and the tests of it: ``[--check]``.

Each claim of README and docs/safety.md is found on its page, and each test in its file. A claim
without a test, a row of a claim that is no longer made, and a test that is gone are errors.
"""

from __future__ import annotations

import ast
import re
import sys
from collections.abc import Iterator
from functools import cache
from pathlib import Path

ROOT = Path(__file__).parents[2]
PAGE = ROOT / "docs" / "claims.md"
WRITING = "agent_laws/laws/test_reading_and_writing.py"
ACTING = "agent_laws/laws/test_acting.py"
CAUTIOUS = "agent_laws/laws/test_cautious_reading.py"
FAILING = "agent_laws/laws/test_failing.py"
WORK = "agent_laws/laws/test_work.py"
JSON = "agent_laws/laws/test_json_dialects.py"
CLIENTS = "clients/test_whole_and_streamed.py"
EVENTS = "clients/test_event_laws.py"
HEAD = """\
<!-- Written by tools/docs/make_claims.py. -->
# Claims and their tests

What [README](../README.md#what-you-can-rely-on) and [Safety](safety.md#guarantees) promise, with
the tests of it. Those of laws run on every dialect, and have seeded bugs that they must catch. Some
promises have [known gaps](safety.md#known-gaps).

| page | claim | tests |
|---|---|---|
"""
CLAIMS: dict[str, dict[str, list[str]]] = {
    # README
    "Streaming gives what the whole text gives": {
        WRITING: [
            "test_any_cut_gives_the_same_story",
            "test_parsing_at_once_gives_the_result_of_the_stream",
        ],
        CLIENTS: ["test_whole_equals_streamed"],
    },
    "Half calls, quoted calls and calls inside reasoning never run": {
        ACTING: [
            "test_no_prefix_of_a_turn_acts_otherwise",
            "test_reasoning_and_quotation_never_act",
            "test_no_call_of_another_dialect_is_an_answer",
        ],
        EVENTS: ["test_a_law_holds"],
    },
    "What is rendered is read back": {
        WRITING: ["test_an_action_is_read_back_or_refused"],
        "agent_parsers/constrain/test_laws.py": ["test_what_a_grammar_allows_is_read"],
    },
    "The output of a tool cannot inject a step": {
        WRITING: [
            "test_no_observation_changes_how_the_text_around_it_is_read",
            "test_no_observation_forges_a_mark",
        ],
    },
    "Linear time": {
        WORK: ["test_twice_the_text_is_twice_the_work"],
        FAILING: ["test_any_text_is_a_turn_or_refused"],
    },
    # docs/safety.md
    "No half call acts": {
        ACTING: ["test_no_prefix_of_a_turn_acts_otherwise"],
        EVENTS: ["test_a_law_holds"],
    },
    "No key counts twice": {
        ACTING: ["test_no_key_counts_twice"],
    },
    "Nothing beside the input of a call is dropped": {
        CAUTIOUS: ["test_nothing_beside_a_call_is_dropped"],
    },
    "No value holds the next parameter": {
        ACTING: ["test_no_value_holds_the_next"],
    },
    "Reasoning and quotation never act": {
        ACTING: ["test_reasoning_and_quotation_never_act"],
        CAUTIOUS: ["test_an_enclosed_call_is_not_made", "test_strict_reading_is_never_laxer"],
        "agent_laws/laws/test_ends_of_thoughts.py": [
            "test_a_call_before_the_end_of_a_thought_is_not_made"
        ],
    },
    "No call is an answer": {
        ACTING: ["test_no_call_of_another_dialect_is_an_answer"],
        CAUTIOUS: ["test_no_call_without_its_special_tokens_is_an_answer"],
    },
    "No mark is an answer": {
        ACTING: ["test_no_mark_of_a_call_is_text", "test_what_is_given_is_never_said"],
    },
    "Nothing can be forged": {
        WRITING: [
            "test_no_observation_changes_how_the_text_around_it_is_read",
            "test_no_observation_forges_a_mark",
            "test_no_failed_turn_forges_a_mark",
            "test_what_is_read_is_read_back",
        ],
    },
    "Whole equals streamed": {
        WRITING: ["test_any_cut_gives_the_same_story"],
        JSON: ["test_any_text_gives_the_same_events_in_any_cut_and_no_text_is_lost"],
        CLIENTS: ["test_whole_equals_streamed"],
    },
    "Nothing is lost": {
        WRITING: [
            "test_no_character_is_lost_or_emitted_twice",
            "test_the_log_is_the_text_of_the_model",
        ],
    },
    "Leniency is reported": {
        FAILING: [
            "test_strict_mode_repairs_nothing",
            "test_without_a_repair_both_readings_are_the_same",
            "test_a_repair_says_what_and_where",
        ],
    },
    "There is one way to fail": {
        FAILING: ["test_any_text_is_a_turn_or_refused", "test_any_record_is_read_or_refused"],
        JSON: ["test_there_is_one_way_to_fail"],
    },
    "Work is linear": {
        WORK: [
            "test_twice_the_text_is_twice_the_work",
            "test_twice_the_text_is_twice_the_work_of_parsing_it_at_once",
        ],
        FAILING: ["test_the_limit_is_named_in_any_cut"],
        "output_parsers/test_regex.py": ["test_a_hostile_pattern_or_text_ends_in_time"],
    },
    "A refusal is a `ModelRefusalError`": {
        "agent_parsers/parsers/test_ended.py": ["test_a_refusal_is_not_a_turn"],
        "output_parsers/tool_calls/test_refusal.py": [
            "test_every_parser_raises_it_whole_and_in_part"
        ],
    },
}
"""The beginning of each claim, and its tests, by their file below tests/."""


def claims() -> Iterator[tuple[str, str]]:
    """Yield the page of each claim and its first sentence."""
    readme = (ROOT / "README.md").read_text("utf-8")
    listed = readme.partition("\n## What you can rely on\n")[2].partition("\n## ")[0]
    for item in re.findall(r"^- (.+(?:\n  .+)*)", listed, re.MULTILINE):
        yield "README", " ".join(item.split())
    safety = (ROOT / "docs" / "safety.md").read_text("utf-8")
    rows = safety.partition("\n## Guarantees\n")[2].partition("\n## ")[0]
    for row in re.findall(r"^\| (?!guarantee|-)(.+?) \|", rows, re.MULTILINE):
        yield "Safety", re.split(r"(?<=[a-z`)])\. ", row, maxsplit=1)[0].rstrip(".") + "."


@cache
def _tests_in(path: str) -> frozenset[str]:
    tree = ast.parse((ROOT / "tests" / path).read_text("utf-8"))
    return frozenset(each.name for each in tree.body if isinstance(each, ast.FunctionDef))


def page() -> str:
    """Return the text of docs/claims.md.

    Raises:
        LookupError: A claim has no test, or a test or a claim is gone.
    """
    left = dict(CLAIMS)
    rows = []
    for page_name, claim in claims():
        begun = next(filter(claim.startswith, left), None)
        if begun is None:
            raise LookupError(f"{page_name} claims what no row of make_claims.py has: {claim}")
        tests = left.pop(begun)
        pairs = [(path, test) for path, names in tests.items() for test in names]
        for path, test in pairs:
            if test not in _tests_in(path):
                raise LookupError(f"there is no {test} in tests/{path}")
        shown = ", ".join(f"[`{test}`](../tests/{path})" for path, test in pairs)
        rows.append(f"| {page_name} | {_without_links(claim)} | {shown} |\n")
    if left:
        raise LookupError(f"nobody claims this any more: {', '.join(left)}")
    return HEAD + "".join(rows)


def _without_links(text: str) -> str:
    return re.sub(r"\[([^]]+)\]\([^)]+\)", r"\1", text)


def main() -> int:
    """Write the page, or with ``--check`` say whether it is as it should be."""
    text = page()
    if PAGE.exists() and PAGE.read_text("utf-8") == text:
        return 0
    if "--check" in sys.argv[1:]:
        print("docs/claims.md is out of date: run `make reference`")
        return 1
    PAGE.write_text(text, "utf-8")
    return 0


if __name__ == "__main__":
    sys.exit(main())
