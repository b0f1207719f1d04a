"""Label and tag dialects: real runs with XML tags, and outputs that other parsers fail on."""

import json
import os
from pathlib import Path
from typing import Any

import pytest

from agent_parsers import AgentAction, OutputParserException, get_dialect, get_parser, parse_record
from agent_parsers.testing import cut
from agent_parsers.testing.trials.stories import story_of

CORPUS = Path(__file__).parents[4] / "shared" / "corpus"
FORMATS = (*("xml", "anthropic_xml", "self_ask", "conversational", "haystack", "react_llamaindex"),)

if not CORPUS.is_dir() and os.environ.get("CI") != "true":
    pytest.skip(f"the corpus is not at {CORPUS}", allow_module_level=True)


def lines_of(name: str) -> list[dict[str, Any]]:
    return [*map(json.loads, (CORPUS / name).read_text(encoding="utf-8").splitlines())]


RUNS = [run for run in lines_of("transcripts/langchain_notebooks.jsonl") if run["format"] == "xml"]
WILD = [case for case in lines_of("wild.jsonl") if case["format"] in FORMATS]

every_run = pytest.mark.parametrize("run", RUNS, ids=lambda run: run["id"])


def as_expected(result: Any) -> dict[str, Any]:
    if isinstance(result, list):
        (result,) = result
    if isinstance(result, AgentAction):
        return {"kind": "action", "tool": result.tool, "tool_input": result.tool_input}
    return {"kind": "finish", "output": result.return_values["output"]}


def test_the_corpus_is_the_one_we_know() -> None:
    assert len(RUNS) == 6
    assert len(WILD) == 28


@every_run
def test_every_turn_is_read_as_the_run_itself_read_it(run: dict[str, Any]) -> None:
    for step in run["steps"]:
        result = get_parser("xml").parse(step["output"])
        assert as_expected(result) == step["expect"]
        story = story_of(get_dialect("xml"), "lenient", cut(step["output"], [7]))
        assert story.outcome == result
    assert [as_expected(step.action) for step in parse_record(run).steps] == [
        step["expect"] for step in run["steps"]
    ]


@every_run
def test_strict_reading_differs_only_where_an_answer_is_not_closed(run: dict[str, Any]) -> None:
    parser = get_parser("xml", lenient=False)
    for step in run["steps"]:
        if step["expect"]["kind"] == "action":
            assert as_expected(parser.parse(step["output"])) == step["expect"]
        else:
            with pytest.raises(OutputParserException, match="Malformed output"):
                parser.parse(step["output"])


def alike(found: Any, expected: Any) -> bool:
    """Compare as the corpus says: texts without the white space around them, JSON as JSON."""
    return expected == "*" or _value(found) == _value(expected)


def _value(value: Any) -> Any:
    if not isinstance(value, str):
        return value
    try:
        parsed = json.loads(value)
    except ValueError:
        return value.strip()
    return parsed if isinstance(parsed, dict | list) else value.strip()


def is_met(found: dict[str, Any], expected: dict[str, Any]) -> bool:
    keys = expected.keys() - {"kind"}
    return found["kind"] == expected["kind"] and all(alike(found[k], expected[k]) for k in keys)


@pytest.mark.parametrize("case", WILD, ids=lambda case: case["id"])
def test_what_others_stumble_over_is_read(case: dict[str, Any]) -> None:
    parser = get_parser(case["format"], tools=case["tools"] or None)
    try:
        found = as_expected(parser.parse(case["text"]))
    except OutputParserException:
        found = {"kind": "error"}
    assert any(is_met(found, right) for right in (case["expect"], *(case.get("accept") or [])))
