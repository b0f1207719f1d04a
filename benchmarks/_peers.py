"""The contenders: our parsers, strict and lenient, and those of three frameworks."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from crewai.agents.parser import parse as crewai_parse
from langchain_classic.agents.output_parsers import ReActSingleInputOutputParser
from llama_index.core.agent.react.output_parser import ReActOutputParser

from agent_parsers import get_parser

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

STRICT, LENIENT = "here, strict", "here, lenient"
LANGCHAIN, LLAMAINDEX, CREWAI = "LangChain", "LlamaIndex", "CrewAI"

FRAMEWORKS: Final = {
    LANGCHAIN: "langchain-classic",
    LLAMAINDEX: "llama-index-core",
    CREWAI: "crewai",
}
"""Names of their packages."""

REACT: Final[dict[str, Callable[[str], object]]] = {
    LANGCHAIN: ReActSingleInputOutputParser().parse,
    LLAMAINDEX: ReActOutputParser().parse,
    CREWAI: crewai_parse,
}
"""The ReAct parser of each framework."""

ANSWERS: Final = {LANGCHAIN: "Final Answer:", LLAMAINDEX: "Answer:", CREWAI: "Final Answer:"}
"""Their labels for the answer."""


def both(dialect: str, tools: Sequence[Callable[..., object]] | None = None) -> dict[str, Any]:
    """Return our two parsers of *dialect*, with these *tools*."""
    return {
        STRICT: get_parser(dialect, tools=tools, lenient=False),
        LENIENT: get_parser(dialect, tools=tools),
    }
