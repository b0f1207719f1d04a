"""The native cases of the corpus: wild messages of models, and messages of real runs."""

import json
import os
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

import pytest

from agent_parsers import MessageParser, OpenAIFunctionsAgentOutputParser, ToolsAgentOutputParser

from .effort import THOROUGH

CORPUS = Path(__file__).parents[3] / "shared" / "corpus"

if not CORPUS.is_dir() and os.environ.get("CI") != "true":
    pytest.skip(f"the corpus is not at {CORPUS}", allow_module_level=True)

RUNS = ("tau_bench_airline", "toolbench_functions", "swe_agent")
WILD = 19
COUNT = WILD + 1229 + 52 + 39
"""Number of messages: wild ones, and those in the runs."""

EACH = 8
"""One in this many messages of the runs is given to clients, unless the run is thorough."""


@dataclass(frozen=True)
class Case:
    """A message, and the parsers that read it."""

    id: str
    message: dict[str, Any]
    format: str
    tools: tuple[str, ...] | None

    @property
    def is_function(self) -> bool:
        return self.format == "openai_functions"

    def parsers(self, *, by_function: bool = True) -> list[MessageParser]:
        """Return the parsers that read it; only Chat Completions has functions."""
        parser: Any = ToolsAgentOutputParser
        if self.is_function and by_function:
            parser = OpenAIFunctionsAgentOutputParser
        if self.tools is None:
            return [parser(lenient=True)]
        return [parser(), parser(lenient=True, tools=self.tools)]


@cache
def all_cases() -> list[Case]:
    """Return all cases."""
    found = [*_wild(), *_runs()]
    assert len(found) == COUNT
    return found


def cases() -> list[Case]:
    """Return the cases for clients: all wild messages, and a part of those in the runs."""
    found = all_cases()
    return found if THOROUGH else found[:WILD] + found[WILD::EACH]


def _lines(name: str) -> Iterator[dict[str, Any]]:
    for line in (CORPUS / name).read_text(encoding="utf-8").splitlines():
        yield json.loads(line)


def _wild() -> Iterator[Case]:
    for line in _lines("wild.jsonl"):
        if line["family"] == "tool_message":
            yield Case(line["id"], line["message"], line["format"], tuple(line["tools"]))


def _runs() -> Iterator[Case]:
    for name in RUNS:
        for run in _lines(f"transcripts/{name}.jsonl"):
            for number, step in enumerate(run["steps"]):
                if "message" in step:
                    yield Case(f"{run['id']}-{number}", step["message"], run["format"], None)
