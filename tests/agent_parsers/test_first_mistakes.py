"""What a newcomer is told after a first mistake: ``snapshots/first_mistakes.txt``, to read aloud.

A line that just works, since its meaning is clear, shows its result.
"""

import re
from collections.abc import AsyncIterator
from enum import Enum
from pathlib import Path
from typing import Any

import pytest
from pydantic import BaseModel

import agent_parsers
import agent_runs
import output_parsers
from agent_parsers.dialects import react
from agent_parsers.testing import SnapshotValue
from outputs import AIMessage

ROOT = str(Path(__file__).parents[2])


class Person(BaseModel):
    name: str


class Colour(Enum):
    RED = "red"


class Searcher:
    def __call__(self, query: str) -> str:
        return query


def search(query: str) -> str:
    """Looks up a name."""
    return query


def bare(query):  # type: ignore[no-untyped-def]
    return query


async def model() -> AsyncIterator[str]:
    yield "Final Answer: 42"


def closed() -> Any:
    parser = agent_parsers.get_parser("react").stream_parser()
    parser.feed("Final Answer: 42")
    parser.close()
    return parser


MISTAKES = """\
# the name of a parser
get_parser("reakt")
get_parser("ReAct")
get_parser("react-json")
get_parser("openai")
get_parser("openai-tools")
get_parser("Qwen/Qwen3-32B")
get_parser("gpt-5")
get_parser("gpt-4o").parse("Final Answer: 42")
get_parser("openai/o3")
get_parser("claude-sonnet-4-5")
get_parser("gemini-2.5-pro")
get_parser("chatgpt")
get_parser("anthropic")
get_parser("functions")
get_parser("tool_calling")
get_parser("langchain")
get_parser("mistral-large")
get_parser("qwen")
get_parser("")
get_dialect("gpt-4o")
get_parser("acme/agent-7b")
get_parser("ByteDance-Seed/UI-TARS-1.5-7B")
get_parser(dialect_for_model("gpt-5"))
get_parser(None)
get_parser(react)
get_parser(react.DIALECT)
get_parser(ReActSingleInputOutputParser)
get_parser(ReActSingleInputOutputParser())
get_parser(["react"])
get_dialect("tools")
dialect_for_model(None)
register("react")
parse_transcript("Question: Why?", dialect="reakt")

# imports
from agent_parsers import ReactParser
from agent_parsers import JsonOutputParser
from agent_parsers import AIMessage
from agent_parsers import LLM
from agent_parsers import AgentExecutor
from outputs import AgentAction
from output_parsers import HumanMessage
from output_parsers import Parser
import agent_parsers.react

# options
get_parser("react", [search])
get_parser("react", tool=[search])
get_parser("react", strict=True)
get_parser("react", functions=[search])
get_parser("react", model="gpt-5")
get_parser("react", on_conflict="last")
get_parser("react", start="thoughts")
get_parser("react", lenient="maybe")
get_parser("react", max_chars="many")
get_parser("react", max_chars=-1)
get_parser("react", prompt=None)
ReActSingleInputOutputParser("lenient")
ReActSingleInputOutputParser(leniant=True)
DialectParser()
DialectParser(dialect="react")
DialectParser(dialect=get_dialect("hermes"))
StreamParser("react")
StreamParser(get_dialect("react"), mode="loose")
StreamParser(get_dialect("react"), on_conflict="last")

# tools
get_parser("react", tools="search")
get_parser("react", tools=search)
get_parser("react", tools=3)
get_parser("react", tools=[search, search])
get_parser("react", tools=["search", "search"])
get_parser("react", tools=[""])
get_parser("react", tools=[None])
get_parser("react", tools=[Searcher])
get_parser("react", tools=[Searcher()])
get_parser("react", tools=[lambda query: query])
get_parser("react", tools={"name": "search", "parameters": {}})
get_parser("react", tools=[{"query": "text"}])
ToolSet([bare]).describe()
ToolSet([search]).run("search")
ToolSet([search]).call(AgentAction("serch", "Bern", ""))
ToolSet(["search"]).call(AgentAction("search", "Bern", ""))
ToolSet([search], unknown_keys="ignore")

# what the model wrote
parser.parse(None)
parser.parse(b"Final Answer: 42")
parser.parse(42)
parser.parse(["Final Answer: 42"])
parser.parse(AIMessage("Final Answer: 42"))
parser.read(None)
parser.invoke(None)
parser.invoke(["Final Answer: 42"])
parser.read({"role": "assistent", "content": "Final Answer: 42"})
parser("Final Answer: 42")
parser.batch("Final Answer: 42")
parser.parse("I don't know.")
messages.parse(None)
messages.invoke(None)
messages.read(42)
messages.read({"role": "assistent", "content": "42"})
messages.read({"role": "user", "content": "42"})
messages.invoke([AIMessage("42")])
ToolsAgentOutputParser().invoke("42")
ToolsAgentOutputParser().parse("42")

# streams
parser.events(None)
parser.events(model())
parser.aevents(["Final Answer: 42"])
parser.events(AIMessage("Final Answer: 42"))
parser.stream_parser().feed(None)
closed().feed("more")
closed().close()
answer_stream(parser.events(["Final Answer: 42"])).finish
list(answer_stream(["Final Answer: 42"]))

# answers of a type
get_parser("react", output_type="Person")
get_parser("react", output_type=Person(name="Ada"))
get_parser("react", output_type=3)
get_parser("react", output_type=search)
get_parser("react", output_type=[Person])
get_parser("react", output_type=Searcher)
get_parser("react", output_type=Person).parse("Final Answer: Ada")
get_parser("react", output_type=Person).read('Final Answer: {"name": "Ada"}').output
get_parser("react", output_type=Colour).read("Final Answer: green")
get_parser("react", response_model=Person)

# agents
run_agent("gpt-5", "Why?", parser, [search])
run_agent(str, "Why?", "raect", [search])
run_agent(str, "Why?", messages, [search])
run_agent(str, "Why?", parser)
run_agent(str, "Why?", parser, [search], max_iterations=3)
run_agent(str, "Why?", parser, [search], response_format=Person)
run_agent(str, "Why?", parser, [search], max_turn=3)
run_agent(str, None, parser, [search])
run_agent(lambda: "Final Answer: 42", "Why?", parser, [search])
run_agent(lambda prompt: None, "Why?", parser, [search])

# steps and results
parser.format_scratchpad(["Final Answer: 42"])
parser.render("42")
parser.render_prompt("Why?", "steps")
messages.format_scratchpad(["Final Answer: 42"])
messages.render_prompt("Why?", as_messages=False)
parser.render_prompt(None)
parser.render_prompt(["Why?"])
parser.render_prompt(AIMessage("Why?"))
messages.render_prompt([AIMessage("Why?")])
AgentAction("search")
AgentAction("search", "Bern")
AgentAction(tool="search", tool_input="Bern", observation="x")
AgentStep(AgentAction("search", "Bern"), "x").observation
AgentFinish("42")
AgentFinish({"output": "42"})
parse_transcript("run.txt")
parse_transcript(Path("run.txt"))
list(read_runs("no_such_run.txt"))

# general parsers
PydanticOutputParser()
PydanticOutputParser(Person)
PydanticOutputParser(pydantic_object=Person(name="Ada"))
PydanticOutputParser(model=Person)
PydanticOutputParser(pydantic_object=Person).parse(None)
PydanticOutputParser(pydantic_object=Person).parse(AIMessage("{}"))
JsonOutputParser(pydantic_object="Person")
EnumOutputParser(enum=3)
EnumOutputParser(enum=Colour).parse("green")
RegexParser()
RegexParser(regex="(", output_keys=["a"])
XMLOutputParser(tags="name")
PydanticToolsParser(tools=[3])
CombiningOutputParser(parsers=[StrOutputParser()])
OutputFixingParser.from_llm(None, StrOutputParser())
OutputFixingParser.from_llm(StrOutputParser(), str)
parser | 3
"""

NAMES: dict[str, Any] = {
    name: getattr(package, name)
    for package in (agent_parsers, agent_runs, output_parsers)
    for name in package.__all__
}
OWN = [AIMessage, Colour, Person, Searcher, bare, closed, model, search]
NAMES |= {each.__name__: each for each in OWN} | {"react": react, "Path": Path}


def outcome(code: str) -> str:
    """Return the kind and message of the error that *code* raises, or its result."""
    parser, messages = agent_parsers.get_parser("react"), agent_parsers.get_parser("tools")
    names = {**NAMES, "parser": parser, "messages": messages}
    try:
        if "import " in code:
            exec(code, names)
            return "works"
        return f"works: {eval(code, names)!r}"
    except (ImportError, RuntimeError, TypeError, ValueError) as error:
        notes = getattr(error, "__notes__", [])
        message = re.sub(PYTHONS_HINT, "", str(error))
        return "\n".join([f"{type(error).__name__}: {message}", *notes]).replace(ROOT, "…")


PYTHONS_HINT = r"(?<=argument '\w{4}')\. Did you mean '\w+'\?$"
"""What Python 3.13 adds to its own message."""

LINES = [line for line in MISTAKES.splitlines() if line and line[0] != "#"]


def test_the_table(snapshot_value: SnapshotValue) -> None:
    sections = [
        line if line[:1] in ("#", "") else f">>> {line}\n" + indented(outcome(line))
        for line in MISTAKES.splitlines()
    ]
    snapshot_value("\n".join(sections) + "\n", name="first_mistakes")


def indented(text: str) -> str:
    return "".join(f"    {line}\n" for line in text.splitlines())


def test_there_are_many_mistakes() -> None:
    assert len(set(LINES)) == len(LINES) >= 40


@pytest.mark.parametrize("code", LINES)
def test_a_mistake_is_explained_in_a_few_words(code: str) -> None:
    said = outcome(code)
    assert len(said) < 400
    assert len(said.splitlines()) <= 5  # a place in a text has three
    assert not re.search(r"https?://|pydantic\.dev|object has no attribute|is not iterable", said)
