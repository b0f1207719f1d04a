"""What runs in the place of an agent parser in a LangChain pipeline.

Its results and exceptions are instances of LangChain's classes and of ours, so that LangChain's
executor takes them, and a loop that looks for ours takes them too. This module imports LangChain.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import AbstractContextManager, contextmanager
from functools import cache
from typing import Any, Final

from langchain_core import agents as theirs
from langchain_core.exceptions import OutputParserException
from typing_extensions import override

from agent_parsers.actions import agent as ours
from agent_parsers.actions import tool_action
from agent_parsers.actions.tool_action import own_result
from agent_parsers.parsers.langchain.parser import Kinds, LangChainParser, tool_action_class
from output_parsers import OutputParserException as OurOutputParserException
from output_parsers.runnables.langchain_parser import langchains_errors


class PipelineParser(LangChainParser):
    """Returns and raises what both libraries take."""

    @override
    def _kinds(self) -> Kinds:
        return _BOTH

    @override
    def _errors(self) -> AbstractContextManager[None]:
        return errors_of_both()


class _Equal:
    """Compares results as ours, whether of both libraries or of one."""

    def __eq__(self, other: object) -> bool:
        return bool(own_result(self) == own_result(other))

    __hash__ = None  # type: ignore[assignment]  # as for any model that can be changed


class AgentAction(_Equal, theirs.AgentAction, ours.AgentAction):  # type: ignore[misc]  # two kinds of messages
    """An action of both libraries."""


class AgentActionMessageLog(  # type: ignore[misc]  # two kinds of messages
    _Equal, theirs.AgentActionMessageLog, ours.AgentActionMessageLog
):
    """An action of both libraries, with LangChain's messages."""


class AgentFinish(_Equal, theirs.AgentFinish, ours.AgentFinish):  # type: ignore[misc]  # two kinds of messages
    """An answer of both libraries."""


@cache
def _tool_action_class() -> type[theirs.AgentAction]:
    kinds = (_Equal, tool_action_class(), tool_action.ToolAgentAction)
    members = {"__module__": __name__, "__doc__": "A call of both libraries."}
    both: type[theirs.AgentAction] = type("ToolAgentAction", kinds, members)
    return both


def __getattr__(name: str) -> Any:
    if name == "ToolAgentAction":  # for pickle
        return _tool_action_class()
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")


_BOTH: Final = Kinds(AgentAction, AgentActionMessageLog, _tool_action_class, AgentFinish)


# -- exceptions ------------------------------------------------------------------------------------


@contextmanager
def errors_of_both() -> Iterator[None]:
    """Raise exceptions that are LangChain's as well in place of ours."""
    try:
        with langchains_errors():
            yield
    except OutputParserException as error:
        cause = error.__cause__
        if isinstance(cause, OurOutputParserException):
            raise _both(cause, error) from cause
        raise


def _both(error: OurOutputParserException, langchains: OutputParserException) -> Exception:
    """Return *error* as an exception of both libraries, with what LangChain's executor reads."""
    said = error.observation  # written now, since the copy may be pickled
    fields = {**vars(error), "observation": said, "send_to_llm": langchains.send_to_llm}
    return _restored(type(error), error.args, fields)


def _restored(kind: Any, args: tuple[Any, ...], fields: dict[str, Any]) -> Exception:
    error = _both_kind(kind).__new__(_both_kind(kind), *args)
    error.__dict__.update(fields)
    return error


@cache
def _both_kind(kind: Any) -> type[Exception]:
    def reduce(error: Exception) -> Any:
        return _restored, (kind, error.args, vars(error))

    members = {"__module__": kind.__module__, "__doc__": kind.__doc__, "__reduce__": reduce}
    return type(kind.__name__, (kind, OutputParserException), members)
