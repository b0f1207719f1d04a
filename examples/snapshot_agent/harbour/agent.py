"""The loop: ask the model and run the tool until there is an answer."""

from collections.abc import Callable
from typing import Any

from agent_parsers import OutputParserException, get_parser
from agent_parsers.toolset import ToolSet
from harbour.dialect import LOG
from harbour.tools import TOOLS

MAX_TURNS = 8

tools = ToolSet(TOOLS)
parser = get_parser(LOG.name, tools=tools)


def run(model: Callable[..., str], question: str) -> str:
    """Return the answer of *model*, a function from a prompt and its stop sequences to text.

    Raises:
        TimeoutError: There is no answer after eight turns.
    """
    steps: list[Any] = []
    for _ in range(MAX_TURNS):
        reply = model(parser.render_prompt(question, steps), stop=parser.stop)
        try:
            turn = parser.read(reply)
            if turn.finish is not None:
                return str(turn.output)
            steps += tools.run(turn)
        except OutputParserException as error:  # the model reads the error, and tries again
            steps.append(error)
    raise TimeoutError(f"no answer after {MAX_TURNS} turns")
