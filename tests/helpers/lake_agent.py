"""A tool, and what a text model writes to call it, for the tests of models of frameworks."""

from __future__ import annotations

from typing import Any

from pydantic import BaseModel

from agent_parsers import AgentAction, AgentFinish, get_parser
from agent_parsers.testing import ScriptedModel

DEPTHS = {"Geneva": "310 m", "Como": "425 m"}
LAKE = '{"name": "Como", "metres": 425}'
DIALECTS = ["hermes", "react", "kimi_k2", "qwen3_coder"]
"""With calls in JSON, in labelled lines, with ids of their own, and in tags."""


class Lake(BaseModel):
    """A lake and its depth."""

    name: str
    metres: int


def depth(lake: str) -> str:
    """Tells how deep a lake is.

    Args:
        lake: Name of the lake.
    """
    return DEPTHS[lake]


def call(lake: str = "Como", name: str = "depth", said: str = "Let me look.") -> str:
    """Return a turn in hermes."""
    arguments = f'{{"lake": "{lake}"}}'
    return f'{said}\n<tool_call>\n{{"name": "{name}", "arguments": {arguments}}}\n</tool_call>'


def called(name: str, arguments: str) -> str:
    """Return a call in hermes."""
    return f'<tool_call>\n{{"name": "{name}", "arguments": {arguments}}}\n</tool_call>'


def two_turns(dialect: str) -> ScriptedModel:
    """Return a model that answers two questions, the first after a call of an unknown tool."""
    parser: Any = get_parser(dialect, tools=[depth])
    first, second = (
        parser.render(AgentAction("depth", {"lake": lake}, "")) for lake in ("Geneva", "Como")
    )
    answers = [parser.render(AgentFinish({"output": text}, "")) for text in ("310 m.", "425 m.")]
    return ScriptedModel([first.replace("depth", "dept"), first, answers[0], second, answers[1]])


def prompts(model: ScriptedModel) -> list[str]:
    """Return what a model was asked, as texts."""
    return [
        each.prompt if isinstance(each.prompt, str) else "\n".join(m.text for m in each.prompt)
        for each in model.calls
    ]
