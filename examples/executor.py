# pip install agent-parsers && python examples/executor.py
"""An executor: one loop for any dialect and for messages, synchronous and asynchronous.

It shows the answer while the model writes it, and reports errors in a turn to the model.
"""

from __future__ import annotations

import asyncio
from textwrap import indent
from typing import TYPE_CHECKING, Any, TypeAlias

from agent_parsers import OutputParserException, ToolSet, answer_stream, get_parser
from agent_parsers.testing import ScriptedModel
from output_parsers import ModelRefusalError

if TYPE_CHECKING:
    from collections.abc import AsyncIterable, Callable, Iterable

    from agent_parsers import DialectParser, MessageParser, MultiActionDialectParser

    Parser: TypeAlias = DialectParser | MultiActionDialectParser | MessageParser
    Model: TypeAlias = Callable[..., Iterable[Any]]
    AsyncModel: TypeAlias = Callable[..., AsyncIterable[Any]]

MAX_TURNS = 8


def run(
    model: Model, question: str, parser: Parser, tools: ToolSet, show: Callable[[str], object]
) -> str:
    """Return the answer of an agent.

    Args:
        model: Returns chunks of text or of messages for a prompt and its ``stop`` sequences.
        question: The question for the agent.
        parser: A parser of any dialect.
        tools: The tools that the agent can use.
        show: Called with each piece of the answer while it is written.

    Raises:
        TimeoutError: There is no answer after eight turns.
    """
    steps: list[Any] = []
    for _ in range(MAX_TURNS):
        prompt = parser.render_prompt(question, steps, as_messages=True)
        said = answer_stream(parser.events(model(prompt, stop=parser.stop)))
        try:
            for text in said:
                show(text)
            if said.finish is not None:
                return str(said.output)
            steps += tools.run(said)
        except ModelRefusalError:
            raise  # asking again does not help
        except OutputParserException as error:  # the model reads the error, and tries again
            steps.append(error)
    raise TimeoutError(f"no answer after {MAX_TURNS} turns")


async def arun(
    model: AsyncModel, question: str, parser: Parser, tools: ToolSet, show: Callable[[str], object]
) -> str:
    """Return the answer of an agent with an asynchronous model and tools; see `run`."""
    steps: list[Any] = []
    for _ in range(MAX_TURNS):
        prompt = parser.render_prompt(question, steps, as_messages=True)
        said = answer_stream(parser.aevents(model(prompt, stop=parser.stop)))
        try:
            async for text in said:
                show(text)
            if said.finish is not None:
                return str(said.output)
            steps += await tools.arun(said)
        except ModelRefusalError:
            raise  # asking again does not help
        except OutputParserException as error:
            steps.append(error)
    raise TimeoutError(f"no answer after {MAX_TURNS} turns")


# -- to try it with a scripted model ---------------------------------------------------------------


def area(lake: str) -> str:
    """Look up how large a lake is."""
    return {"Thun": "48.3 km²", "Brienz": "29.8 km²"}[lake]


SCRIPTS: dict[str, list[Any]] = {
    "react": [
        "I have to look it up.\nAction: aera\nAction Input: Thun",  # there is no such tool
        "I see.\nAction: area\nAction Input: Thun\nObservation: 7",  # it makes up a result
        "I know now.\nFinal Answer: Lake Thun has 48.3 km².",
    ],
    "hermes": [
        '<tool_call>\n{"name": "area", "arguments": {"lake": "Thun"}}\n</tool_call>',
        "Lake Thun has 48.3 km².",
    ],
    "tools": [
        {
            "role": "assistant",
            "content": None,
            "tool_calls": [
                {"id": "1", "function": {"name": "area", "arguments": '{"lake": "Thun"}'}}
            ],
        },
        {"role": "assistant", "content": "Lake Thun has 48.3 km²."},
    ],
}

if __name__ == "__main__":
    for name, script in SCRIPTS.items():
        known = ToolSet([area])
        given = ("How large is Lake Thun?", get_parser(name, tools=known), known)
        model, pieces = ScriptedModel(script), list[str]()
        run(model.stream, *given, pieces.append)
        print(f"{name}, {len(model.calls)} turns: {'|'.join(pieces)}")
        again = ScriptedModel(script)
        print("  async:", asyncio.run(arun(again.astream, *given, pieces.append)))
        if name == "react":
            print(indent(model.calls[1].prompt[-1].content, "    told: "))

# $ python examples/executor.py
# > react, 3 turns: Lake| Thun| has| 48|.|3| km²|.
# >   async: Lake Thun has 48.3 km².
# >     told: Observation: There is no tool 'aera'. Did you mean 'area'? The tools are: area.
# >     told: For example: Action: area
# >     told: Action Input: Thun
# > hermes, 2 turns: Lake| Thun| has| 48|.|3| km²|.
# >   async: Lake Thun has 48.3 km².
# > tools, 2 turns: Lake| Thun| has| 48|.|3| km²|.
# >   async: Lake Thun has 48.3 km².
