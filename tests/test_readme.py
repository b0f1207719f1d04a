"""The samples in the documentation print the output they show."""

from __future__ import annotations

import ast
import contextlib
import io
import re
from types import SimpleNamespace
from typing import TYPE_CHECKING, Any

import pytest

from agent_parsers import AgentAction
from agent_parsers.registry import dialects_by_name as _registry
from agent_parsers.reports import LISTENERS

from .helpers.command_line import command
from .helpers.opentelemetry import Recorded
from .helpers.samples import PAGES, ROOT, missing_engine, samples

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

SAMPLES = [
    pytest.param(code, id=f"{page.name}-{number}")
    for page in PAGES
    for number, code in enumerate(samples(page))
]


pytestmark = [pytest.mark.usefixtures("brief_texts"), pytest.mark.one_in(3)]


@pytest.fixture(autouse=True)
def examples(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let samples import the modules of the examples."""
    monkeypatch.syspath_prepend(ROOT / "examples")


@pytest.fixture(autouse=True)
def forget() -> Iterator[None]:
    """Unregister the dialects and the listeners that a sample registers."""
    known = dict(_registry.KNOWN)
    yield
    _registry.KNOWN.clear()
    _registry.KNOWN.update(known)
    LISTENERS.clear()


@pytest.fixture
def telemetry(monkeypatch: pytest.MonkeyPatch) -> Recorded:
    """Let a sample import OpenTelemetry, which is not installed everywhere."""
    recorded = Recorded()
    recorded.install(monkeypatch)
    return recorded


@pytest.fixture
def scripted_openai(monkeypatch: pytest.MonkeyPatch) -> None:
    """Let a sample ask a server that is not there."""
    openai = pytest.importorskip("openai")
    replies = iter(
        [
            '<tool_call>\n{"name": "search", "arguments": {"query": "Bern"}}\n</tool_call>',
            "It was built from 1461 to 1489.",
        ]
    )

    def create(*, model: str, messages: Any, stop: Any = None, stream: bool = False) -> Any:
        assert model in SERVED
        message = {"role": "assistant", "content": next(replies)}
        return {"choices": [{"message": message, "finish_reason": "stop"}]}

    completions = SimpleNamespace(create=create)
    client = SimpleNamespace(chat=SimpleNamespace(completions=completions))
    monkeypatch.setattr(openai, "OpenAI", lambda **_options: client)


SERVED = ("Qwen/Qwen3-8B",)
"""The models that the server of a sample has."""


COMMANDS = re.findall(
    r"agent-parsers (\w+ examples/.*)$", (ROOT / "README.md").read_text("utf-8"), re.MULTILINE
)


@pytest.mark.one_in(1)
@pytest.mark.parametrize("words", COMMANDS)
def test_a_command_of_the_readme_works(
    words: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "examples").symlink_to(ROOT / "examples")
    monkeypatch.chdir(tmp_path)
    assert command(*words.split()).status == 0


def test_the_readme_has_commands_and_few_words() -> None:
    assert len(COMMANDS) == 3
    page = (ROOT / "README.md").read_text("utf-8")
    words = re.sub(r"^```.*?^```$", "", page, flags=re.MULTILINE | re.DOTALL)
    assert len(words.split()) <= 600


def test_the_pages_have_samples() -> None:
    assert len(SAMPLES) >= 4


@pytest.mark.one_in(1)
def test_a_loop_has_as_many_lines_as_the_pages_say() -> None:
    page = ROOT / "docs" / "executors.md"
    loop = next(
        node
        for code in samples(page)
        for node in ast.parse(code).body
        if isinstance(node, ast.FunctionDef) and node.name == "run"
    )
    assert loop.end_lineno is not None
    assert loop.end_lineno - loop.lineno + 1 == 17
    loops = ("docs/coming-from.md", "agent_parsers/loop/run.py")
    for source in (page, *(ROOT / each for each in loops)):
        assert "seventeen lines" in source.read_text("utf-8")


@pytest.mark.one_in(1)
def test_a_sample_says_that_it_goes_on_from_the_one_above() -> None:
    for page in PAGES:
        for first in re.findall(
            r"^```python continued\n(.*)$", page.read_text("utf-8"), re.MULTILINE
        ):
            assert first == "# continues from above", page


@pytest.mark.parametrize("code", SAMPLES)
def test_a_sample_prints_what_it_says(code: str, request: pytest.FixtureRequest) -> None:
    if engine := missing_engine(code):
        pytest.skip(f"{engine} is not installed")
    if "opentelemetry" in code:
        request.getfixturevalue("telemetry")
    if "localhost:8000" in code:
        request.getfixturevalue("scripted_openai")
    said = [line[2:].removeprefix(" ") for line in code.splitlines() if line[:2] == "#>"]
    printed = io.StringIO()
    with contextlib.redirect_stdout(printed):
        exec(compile(code, "sample", "exec", dont_inherit=True), {})
    assert printed.getvalue().splitlines() == said


def telemetry_sample() -> str:
    page = ROOT / "docs" / "production.md"
    (code,) = (code for code in samples(page) if "import metrics" in code)
    return code


@pytest.mark.one_in(1)
def test_spans_and_counts_have_the_names_of_the_conventions(telemetry: Recorded) -> None:
    space: dict[str, Any] = {}
    exec(compile(telemetry_sample(), "sample", "exec", dont_inherit=True), space)
    space["call"](space["tools"], SimpleNamespace(tool="area", tool_input="Thun", tool_call_id="c"))
    with pytest.raises(KeyError):
        space["call"](space["tools"], AgentAction("area", "nowhere", ""))
    tool = {
        "gen_ai.operation.name": "execute_tool",
        "gen_ai.tool.name": "area",
        "gen_ai.tool.type": "function",
    }
    assert telemetry.spans == [
        ("execute_tool area", tool),
        ("execute_tool area", {**tool, "gen_ai.tool.call.id": "c"}),
        ("execute_tool area", {**tool, "error.type": "KeyError", "status": "error"}),
    ]
    (count,) = telemetry.counts
    assert count[:2] == ("agent_parsers.reports", 1)
    assert count[2] == {
        "agent_parsers.what": "repair",
        "agent_parsers.name": "label",
        "agent_parsers.dialect": "react",
        "gen_ai.tool.name": "area",
    }


@pytest.mark.one_in(1)
def test_the_sample_runs_with_opentelemetry_itself() -> None:
    pytest.importorskip("opentelemetry", reason="OpenTelemetry is not installed")
    exec(compile(telemetry_sample(), "sample", "exec", dont_inherit=True), {})


def test_links_lead_somewhere() -> None:
    for page in PAGES:
        text = page.read_text("utf-8")
        prose = re.sub(r"^```.*?^```$", "", text, flags=re.DOTALL | re.MULTILINE)
        for link in re.findall(r"\]\(([^)#:]+)\)", prose):
            assert (page.parent / link).exists(), f"{page.name}: {link}"
