"""The agent of the examples with a local model, before a server that replies as in a script."""

import argparse
import importlib
from pathlib import Path
from typing import Any

import openai  # noqa: F401 - the example needs it
import pytest

from agent_parsers import AgentAction, AgentFinish, get_parser, list_dialects
from agent_parsers.loop import MaxTurnsError

EXAMPLES = Path(__file__).parents[1] / "examples"


@pytest.fixture
def example(monkeypatch: pytest.MonkeyPatch) -> Any:
    monkeypatch.syspath_prepend(EXAMPLES)
    return importlib.import_module("local_agent")


def asked(url: str, **given: Any) -> argparse.Namespace:
    usual = {"dialect": "hermes", "grammar": None, "turns": 4, "tokens": 300, "model": "m"}
    return argparse.Namespace(
        question="Is it raining in Oslo?", url=f"{url}/v1", **{**usual, **given}
    )


@pytest.mark.one_in(12)
@pytest.mark.parametrize("name", list_dialects())
@pytest.mark.parametrize("grammar", [None, "llama_cpp"])
def test_it_tells_of_an_error_calls_and_answers(
    name: str, grammar: str | None, example: Any, capsys: pytest.CaptureFixture[str]
) -> None:
    if name in ("smolagents_code", "self_ask"):
        pytest.skip("it has one tool, which is not named")
    if name == "command_5" and grammar is not None:
        pytest.skip("it has no grammar")
    server = importlib.import_module("scripted_server")
    parser = get_parser(name, tools=[example.weather, example.clock])
    call = parser.render(AgentAction("weather", {"city": "Oslo"}, ""))
    wrong = call.replace("weather", "whether")
    with server.ScriptedServer(
        [wrong, call, parser.render(AgentFinish({"output": "Yes."}, ""))]
    ) as it:
        assert example.run(asked(it.url, dialect=name, grammar=grammar)).output == "Yes."
        requests = it.requests
    assert len(requests) == 3
    assert all(("grammar" in each) is (grammar is not None) for each in requests)
    assert "Oslo" in str(requests[-1]["messages"])
    said = capsys.readouterr().out
    assert "refused: " in said
    assert "weather {'city': 'Oslo'}\n→ It is raining in Oslo, 12 °C.\n" in said
    assert said.endswith("Yes.")


def test_it_gives_up(example: Any) -> None:
    server = importlib.import_module("scripted_server")
    with server.ScriptedServer(["<tool_call>"] * 2) as it, pytest.raises(MaxTurnsError):
        example.run(asked(it.url, turns=2))
