"""What type checkers say of `get_parser`: checked by mypy and pyright, never run."""

from typing import assert_type

from pydantic import BaseModel

import agent_parsers
from agent_parsers import (
    AgentAction,
    AgentFinish,
    Dialect,
    DialectParser,
    MultiActionDialectParser,
    OpenAIFunctionsAgentOutputParser,
    OpenAIToolsAgentOutputParser,
    ToolsAgentOutputParser,
    dialect_for_model,
    get_dialect,
    get_parser,
    run_agent,
)
from outputs import AIMessage


def check_names_of_dialects(text: str) -> None:
    assert_type(get_parser("react"), DialectParser)
    assert_type(get_parser("react").parse(text), AgentAction | AgentFinish)
    assert_type(
        get_parser("zero_shot_react", on_conflict="first").parse(text), AgentAction | AgentFinish
    )
    assert_type(get_parser("hermes"), MultiActionDialectParser)
    assert_type(get_parser("hermes").parse(text), list[AgentAction] | AgentFinish)
    assert_type(get_parser("qwen3", tools=["search"]).parse(text), list[AgentAction] | AgentFinish)


def check_names_of_message_parsers(message: AIMessage) -> None:
    assert_type(get_parser("tools"), ToolsAgentOutputParser)
    assert_type(get_parser("tools").invoke(message), list[AgentAction] | AgentFinish)
    assert_type(get_parser("anthropic_blocks", lenient=False), ToolsAgentOutputParser)
    assert_type(get_parser("openai_tools"), OpenAIToolsAgentOutputParser)
    assert_type(get_parser("openai_tools").invoke(message), list[AgentAction] | AgentFinish)
    assert_type(get_parser("openai_functions"), OpenAIFunctionsAgentOutputParser)
    assert_type(get_parser("openai_functions").invoke(message), AgentAction | AgentFinish)


async def check_async(text: str, message: AIMessage) -> None:
    assert_type(await get_parser("react").ainvoke(text), AgentAction | AgentFinish)
    assert_type(await get_parser("hermes").ainvoke(text), list[AgentAction] | AgentFinish)
    assert_type(await get_parser("tools").ainvoke(message), list[AgentAction] | AgentFinish)


def check_dialects(dialect: Dialect) -> None:
    assert_type(get_parser(dialect), DialectParser | MultiActionDialectParser)
    assert_type(get_parser(get_dialect("Qwen/Qwen3-8B")), DialectParser | MultiActionDialectParser)


def check_any_name(name: str, text: str) -> None:
    assert_type(
        get_parser(name),
        DialectParser
        | MultiActionDialectParser
        | OpenAIFunctionsAgentOutputParser
        | ToolsAgentOutputParser,
    )
    assert_type(get_parser(name).stop, list[str])
    assert_type(get_parser(name).parse(text), AgentAction | AgentFinish | list[AgentAction])


def check_the_version() -> None:
    assert_type(agent_parsers.__version__, str)


def check_models(model: str) -> None:
    found = dialect_for_model(model)
    get_parser(found)  # type: ignore[arg-type]  # it may be None
    assert found is not None
    assert_type(get_parser(found), MultiActionDialectParser)


class Trip(BaseModel):
    city: str


def check_types_of_answers(text: str, name: str, message: AIMessage) -> None:
    assert_type(get_parser("react", output_type=Trip).read(text).output, Trip | None)
    assert_type(get_parser("hermes", output_type=list[Trip]).read(text).output, list[Trip] | None)
    assert_type(get_parser("tools", output_type=Trip).read(message).output, Trip | None)
    assert_type(get_parser("auto", output_type=Trip).read(text).output, Trip | None)
    assert_type(get_parser(name, output_type=int).read(text).output, int | None)
    assert_type(run_agent(str, "?", get_parser("react", output_type=Trip)).output, Trip | None)
