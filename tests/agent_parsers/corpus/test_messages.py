"""Wild messages of models, and messages of real runs."""

import json
import os
from functools import cache
from pathlib import Path
from typing import Any

import pytest

from agent_parsers import (
    OpenAIFunctionsAgentOutputParser,
    OpenAIToolsAgentOutputParser,
    OutputParserException,
    ToolsAgentOutputParser,
)
from outputs import from_any

from ...helpers.messages import as_expected

CORPUS = Path(__file__).parents[4] / "shared" / "corpus"

if not CORPUS.is_dir() and os.environ.get("CI") != "true":
    pytest.skip(f"the corpus is not at {CORPUS}", allow_module_level=True)

PARSERS: dict[str, Any] = {
    "openai_tools": OpenAIToolsAgentOutputParser,
    "openai_functions": OpenAIFunctionsAgentOutputParser,
}
RUNS = {
    # file: runs, steps with a message
    "tau_bench_airline.jsonl": (100, 1229),
    "toolbench_functions.jsonl": (13, 52),
    "swe_agent.jsonl": (21, 39),
}
STRICT_MISSES = {
    "arguments_missing_closer_or_comma",
    "arguments_raw_newlines",
    "call_printed_as_content_json",
    "call_printed_as_content_tags",
    "name_with_namespace",
}
"""Shapes that the strict parser does not read, like LangChain's."""


@cache
def lines_of(name: str) -> list[dict[str, Any]]:
    return [json.loads(line) for line in (CORPUS / name).read_text(encoding="utf-8").splitlines()]


def wild() -> list[dict[str, Any]]:
    return [case for case in lines_of("wild.jsonl") if case["family"] == "tool_message"]


def comparable(outcome: dict[str, Any]) -> dict[str, Any]:
    """Return *outcome* with its texts stripped, and read where they hold a JSON container."""
    if "actions" in outcome:
        return {**outcome, "actions": [comparable(action) for action in outcome["actions"]]}
    return {key: _loose(value) for key, value in outcome.items()}


def _loose(value: Any) -> Any:
    if not isinstance(value, str):
        return value
    value = value.strip()
    try:
        read = json.loads(value)
    except ValueError:
        return value
    return read if isinstance(read, dict | list) else value


def is_right(outcome: dict[str, Any], case: dict[str, Any]) -> bool:
    got = comparable(outcome)
    for allowed in (case["expect"], *case.get("accept", ())):
        wanted = comparable(allowed)
        if got["kind"] == wanted["kind"] and all(
            value in ("*", got.get(key)) for key, value in wanted.items()
        ):
            return True
    return False


def outcome_of(case: dict[str, Any], *, lenient: bool) -> dict[str, Any]:
    parser = PARSERS[case["format"]](lenient=lenient, tools=case["tools"])
    try:
        return as_expected(parser.invoke(case["message"]))
    except OutputParserException as error:
        refused = error
    assert refused.observation
    assert refused.llm_output is not None
    assert refused.span is not None
    return {"kind": "error"}


def test_every_wild_message_is_read_leniently_as_it_should_be() -> None:
    assert len(wild()) == 19
    for case in wild():
        assert is_right(outcome_of(case, lenient=True), case), case["id"]


def test_strict_reading_misses_what_langchain_misses() -> None:
    missed = {
        case["shape"] for case in wild() if not is_right(outcome_of(case, lenient=False), case)
    }
    assert missed == STRICT_MISSES


def test_repairs_are_reported_and_well_formed_messages_have_none() -> None:
    for case in wild():
        parser = PARSERS[case["format"]](lenient=True, tools=case["tools"])
        try:
            repairs = parser.read(case["message"]).repairs
        except OutputParserException:
            continue
        if case["shape"] in STRICT_MISSES:
            strict = outcome_of(case, lenient=False)
            assert repairs or is_right(strict, case), case["id"]
        if case["shape"] in {"control_wellformed", "content_and_calls"}:
            assert not repairs, case["id"]


@pytest.mark.parametrize("name", RUNS)
@pytest.mark.parametrize("lenient", [False, True], ids=["strict", "lenient"])
def test_every_message_of_a_run_is_read_as_the_run_itself_read_it(name: str, lenient: bool) -> None:
    runs = lines_of(f"transcripts/{name}")
    read = 0
    for run in runs:
        steps = [step for step in run["steps"] if "message" in step]
        if not steps:
            continue
        parser = PARSERS[run["format"]](lenient=lenient)
        for step in steps:
            assert as_expected(parser.invoke(step["message"])) == step["expect"], run["id"]
            turn = parser.read(from_any(step["message"]))
            assert as_expected(turn.result) == step["expect"], run["id"]
            assert not turn.repairs
            read += 1
    assert (len(runs), read) == RUNS[name]


@pytest.mark.parametrize("name", RUNS)
def test_tools_that_are_known_are_enough_to_read_a_run(name: str) -> None:
    for run in lines_of(f"transcripts/{name}")[:20]:
        expected = [step["expect"] for step in run["steps"] if "message" in step]
        known = {action["tool"] for action in expected if action["kind"] == "action"}
        if not expected or not known:
            continue
        parser = PARSERS[run["format"]](lenient=True, tools=sorted(known))
        messages = [step["message"] for step in run["steps"] if "message" in step]
        assert [as_expected(result) for result in parser.batch(messages)] == expected


def test_a_run_is_read_the_same_by_either_name() -> None:
    for run in lines_of("transcripts/tau_bench_airline.jsonl")[:5]:
        for step in run["steps"]:
            result = ToolsAgentOutputParser().invoke(step["message"])
            assert result == OpenAIToolsAgentOutputParser().invoke(step["message"])
