# pip install agent-parsers openai && python examples/local_agent.py --help
"""An agent with a local model, behind any server with OpenAI's API: llama.cpp, vLLM, Ollama.

::

    llama-server -m model.gguf --jinja
    python examples/local_agent.py "Is it raining in Oslo?" --dialect hermes --grammar llama_cpp
"""

import argparse
from typing import Any

from openai import OpenAI

from agent_parsers import OutputParserException, ToolSet, answer_stream, get_parser, to_openai


def weather(city: str) -> str:
    """Tell the weather in a city now."""
    return f"It is raining in {city}, 12 °C."


def clock() -> str:
    """Tell the time."""
    return "14:05"


def run(asked: argparse.Namespace) -> Any:
    """Return the answer; `None` if there is none after all turns."""
    tools = ToolSet([weather, clock])
    parser = get_parser(asked.dialect, tools=tools)
    grammar = parser.structured_outputs(asked.grammar, max_thought=200) if asked.grammar else {}
    client = OpenAI(base_url=asked.url, api_key="none")
    steps: list[Any] = []
    for _ in range(asked.turns):
        prompt: Any = to_openai(parser.render_prompt(asked.question, steps, as_messages=True))
        chunks = client.chat.completions.create(
            model=asked.model, messages=prompt, stop=parser.stop or None, stream=True,
            max_tokens=asked.tokens, extra_body=grammar,
        )  # fmt: skip
        said = answer_stream(parser.events(chunks))
        try:
            for text in said:
                print(text, end="", flush=True)
            if said.finish is not None:
                print()
                return said.output
            made = tools.call(said)
            steps += made
            print("\n".join(f"{call.tool} {call.tool_input} → {seen}" for call, seen in made))
        except OutputParserException as error:  # the model reads it, and tries again
            print(f"refused: {error}")
            steps.append(error)
    return None


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
