"""What our rows are beside: other libraries, fresh processes, and calls of our own."""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
from functools import cache, cached_property, partial
from importlib import import_module
from importlib.util import find_spec
from typing import TYPE_CHECKING, Any, Final, NamedTuple

from tools.benchmarks._timing import Row, Timed

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from tools.benchmarks._timing import Call, Sample


class Peer(NamedTuple):
    """A library that does the same work."""

    name: str
    package: str
    module: str

    @property
    def is_missing(self) -> bool:
        return find_spec(self.module.partition(".")[0]) is None

    def row(
        self,
        title: str,
        ours: Any,
        theirs: Callable[[Any], Any],
        aim: float | None = None,
        *,
        per: float = 1,
        clock: Callable[[Any], Sample] | None = None,
        **more: Any,
    ) -> Row:
        """Return a row beside what *theirs* makes of the module, or one that names the package.

        Args:
            title: What is measured.
            ours: A call of ours, or what *clock* takes.
            theirs: Makes the same of the peer's module.
            aim: The ratio that is wanted.
            per: How many things a call does.
            clock: Makes a sample; without one, the call is timed.
            more: Other fields of the row.
        """
        if self.is_missing:
            return Row(title, self.name, (), aim, missing=self.package)
        clock = clock or partial(Timed, per=per)
        both = (clock(ours), clock(theirs(import_module(self.module))))
        return Row(title, self.name, both, aim, **more)


LANGCHAIN: Final = Peer("LangChain", "langchain-classic", "langchain_classic.agents.output_parsers")
LANGCHAIN_CORE: Final = Peer("LangChain", "langchain-core", "langchain_core.output_parsers")
CONVERSATIONAL: Final = Peer(
    "LangChain", "langchain-classic", "langchain_classic.agents.conversational.output_parser"
)
LANGCHAIN_JSON: Final = Peer("LangChain", "langchain-core", "langchain_core.utils.json")
LLAMAINDEX: Final = Peer(
    "LlamaIndex", "llama-index-core", "llama_index.core.agent.react.output_parser"
)
CREWAI: Final = Peer("CrewAI", "crewai", "crewai.agents.parser")
JSON_REPAIR: Final = Peer("json_repair", "json-repair", "json_repair")
REACT: Final[Mapping[Peer, Callable[[Any], Callable[[str], object]]]] = {
    LANGCHAIN: lambda module: module.ReActSingleInputOutputParser().parse,
    LLAMAINDEX: lambda module: module.ReActOutputParser().parse,
    CREWAI: lambda module: module.parse,
}
"""How the ReAct parser of each framework is made from its module."""


def beside(
    title: str,
    what: str,
    ours: Call,
    theirs: Call,
    aim: float | None = None,
    per: float = 1,
    **more: Any,
) -> Row:
    """Return a row beside a call that needs no other library."""
    return Row(title, what, (Timed(ours, per), Timed(theirs, per)), aim, **more)


def tried(parse: Callable[[str], object], text: str) -> object:
    """Return what *parse* returns, or the error it raises."""
    try:
        return parse(text)
    except Exception as error:  # noqa: BLE001 - each library has its own
        return error


class Fresh:
    """Measures the CPU seconds of a fresh process that runs some code, or what the code prints."""

    def __init__(self, code: str) -> None:
        clock = "" if "print(" in code else "\nimport time\nprint(time.process_time())"
        self.command = [sys.executable, "-c", code + clock]

    @cached_property
    def _environment(self) -> dict[str, str]:
        """Variables with which the bytecode is cached, also where nothing is to be written."""
        env = {**os.environ, "PYTHONPYCACHEPREFIX": _bytecode().name}
        env.pop("PYTHONDONTWRITEBYTECODE", None)
        subprocess.check_output(self.command, env=env)
        return env

    def __call__(self) -> float:
        return float(subprocess.check_output(self.command, env=self._environment).split()[-1])


@cache
def _bytecode() -> tempfile.TemporaryDirectory[str]:
    return tempfile.TemporaryDirectory()
