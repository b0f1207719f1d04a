# pip install agent-parsers openai && python examples/local_agent.py --help
"""An agent with a local model, behind any server with OpenAI's API: llama.cpp, vLLM, Ollama.

::

    llama-server -m model.gguf --jinja
    python examples/local_agent.py "Is it raining in Oslo?" --dialect hermes --grammar llama_cpp
"""

import argparse
from functools import partial

from openai import OpenAI

from agent_parsers import ActionComplete, AnswerDelta, Event, get_parser, run_agent
from agent_parsers.events import ObservationDelta, StepFailed
from agent_parsers.loop import AgentRun


def weather(city: str) -> str:
    """Tell the weather in a city now."""
    return f"It is raining in {city}, 12 °C."


def clock() -> str:
    """Tell the time."""
    return "14:05"


def show(event: Event) -> None:
    """Print what happens, and the answer while it is written."""
    match event:
        case AnswerDelta(text=text):
            print(text, end="", flush=True)
        case ActionComplete(action=action):
            print(action.tool, action.tool_input)
        case ObservationDelta(text=seen):
            print("→", seen)
        case StepFailed(error=error):
            print(f"refused: {error}")


def run(asked: argparse.Namespace) -> AgentRun:
    """Run the agent; see `run_agent` for the errors."""
    parser = get_parser(asked.dialect, tools=[weather, clock])
    grammar = parser.structured_outputs(asked.grammar, max_thought=200) if asked.grammar else {}
    client = OpenAI(base_url=asked.url, api_key="none")
    model = partial(
        client.chat.completions.create,
        model=asked.model, max_tokens=asked.tokens, extra_body=grammar,
    )  # fmt: skip
    return run_agent(model, asked.question, parser, max_turns=asked.turns, on_event=show)


if __name__ == "__main__":
    options = argparse.ArgumentParser(description="An agent with a local model.")
    options.add_argument("question")
    options.add_argument("--url", default="http://127.0.0.1:8080/v1")
    options.add_argument("--model", default="local", help="as the server calls it")
    options.add_argument("--dialect", default="hermes", help="what the model writes")
    options.add_argument("--grammar", help="constrain it: llama_cpp, vllm or sglang")
    options.add_argument("--turns", type=int, default=6)
    options.add_argument("--tokens", type=int, default=300, help="most tokens of a turn")
    run(options.parse_args())
    print()

# $ python examples/local_agent.py --help
# > usage: local_agent.py [-h] [--url URL] [--model MODEL] [--dialect DIALECT]
# >                       [--grammar GRAMMAR] [--turns TURNS] [--tokens TOKENS]
# >                       question
# >
# > An agent with a local model.
# >
# > positional arguments:
# >   question
# >
# > options:
# >   -h, --help         show this help message and exit
# >   --url URL
# >   --model MODEL      as the server calls it
# >   --dialect DIALECT  what the model writes
# >   --grammar GRAMMAR  constrain it: llama_cpp, vllm or sglang
# >   --turns TURNS
# >   --tokens TOKENS    most tokens of a turn
