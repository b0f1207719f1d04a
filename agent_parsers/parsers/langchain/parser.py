"""A LangChain output parser around one of our agent parsers, for LangChain's executors.

This module imports LangChain, and only `as_langchain` imports this module. It passes its input to
our parser and converts the result to LangChain's classes.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from functools import cache
from typing import TYPE_CHECKING, Any, Final, NamedTuple, TypeAlias

from langchain_core.agents import AgentAction, AgentActionMessageLog, AgentFinish
from langchain_core.messages import AIMessage, BaseMessage
from typing_extensions import override

from agent_parsers.actions import agent as ours
from agent_parsers.actions.tool_action import ToolAgentAction as OurToolAgentAction
from agent_parsers.actions.tool_action import own_steps
from agent_parsers.engine.tables.dialect import Dialect
from output_parsers.runnables.langchain_parser import LangChainOutputParser
from outputs.messages.utils import as_langchains

if TYPE_CHECKING:
    from langchain_core.outputs import Generation

_TOLD: Final = ("{tools}", "{tool_names}")
"""What stands in instructions for tools that are not known."""
_BRACES: Final = re.compile(r"(\{tools\}|\{tool_names\}|[{}])")

Result: TypeAlias = AgentAction | list[AgentAction] | AgentFinish


class LangChainParser(LangChainOutputParser):
    r"""A LangChain output parser that wraps *parser*; `as_langchain` returns one.

    ::

        parser = get_parser("react", tools=tools).as_langchain()

        def prompt(given):
            return parser.render_prompt(given["input"], given["intermediate_steps"])

        agent = RunnableLambda(prompt) | model.bind(stop=parser.stop) | parser
        AgentExecutor(agent=agent, tools=tools, handle_parsing_errors=True)

    It returns an `AgentAction`, or a list of them if turns may have several calls, or an
    `AgentFinish`, all of `langchain_core.agents`. A call in a message is a `ToolAgentAction`, of
    `langchain_classic` if that is installed. A stream yields its result once, at its end.
    """

    @override
    def model_post_init(self, context: Any, /) -> None:
        if self._has_several:
            self._kinds().called()  # imported now, and not in the middle of a run

    @property
    def _has_several(self) -> bool:
        return bool(self.parser._has_several)

    @property
    @override
    def OutputType(self) -> Any:
        """The type of the results, which tells LangChain's executor how many calls to expect."""
        return list[AgentAction] | AgentFinish if self._has_several else AgentAction | AgentFinish

    @property
    def stop(self) -> list[str]:
        """Stop sequences to pass to the model: ``model.bind(stop=parser.stop)``."""
        stop: list[str] = self.parser.stop
        return stop

    # -- reading ---------------------------------------------------------------------------------

    @override
    def parse_result(self, result: list[Generation], *, partial: bool = False) -> Result:
        """Read the first generation in *result*, a text or a message; see `invoke`.

        Args:
            result: The generations of a model.
            partial: Ignored.
        """
        found: Result = self._result(self.parser.invoke, result[0])
        return found

    @override
    async def aparse_result(self, result: list[Generation], *, partial: bool = False) -> Result:
        """Do the same as `parse_result`, without another thread."""
        found: Result = await self._aresult(self.parser.ainvoke, result[0])
        return found

    @override
    def parse(self, text: str) -> Result:
        """Read one turn.

        Raises:
            OutputParserException: Of both libraries, with an observation for the model; its cause
                is our own.
            ValueError: The parser reads messages only, not text.
        """
        found: Result = self._result(self.parser.parse, text)
        return found

    @override
    async def aparse(self, text: str) -> Result:
        """Do the same as `parse`, directly in this thread."""
        found: Result = await self._aresult(self.parser.aparse, text)
        return found

    @override
    def _of_langchain(self, result: Any, given: Any) -> Result:
        """Return *result* in LangChain's classes, with the LangChain message that was *given*."""
        kinds = self._kinds()
        if isinstance(result, ours.AgentFinish):
            return kinds.finish(result.return_values, result.log)
        message = getattr(given, "message", given)
        if isinstance(result, ours.AgentAction):
            return _their_action(result, message, {}, kinds)
        known: dict[int, BaseMessage] = {}
        return [_their_action(action, message, known, kinds) for action in result]

    def _kinds(self) -> Kinds:
        """Return the classes of the results."""
        return _LANGCHAINS

    @override
    def get_format_instructions(self) -> str:
        """Return the format instructions for the model.

        LangChain's conversational agent, for chat models, formats those of its parser twice, so
        braces in them stand four times, as in LangChain's own.
        """
        instructions = super().get_format_instructions()
        dialect = getattr(self.parser, "dialect", None)
        if dialect is None or dialect.name != "conversational_chat":
            return instructions
        are_told = self.parser.tools is not None
        return "".join(
            part if part in _TOLD and not are_told else part * (4 if part in "{}" else 1)
            for part in _BRACES.split(instructions)
        )

    # -- writing ---------------------------------------------------------------------------------

    def format_scratchpad(
        self, intermediate_steps: Sequence[tuple[AgentAction, Any]]
    ) -> str | list[BaseMessage]:
        """Return the steps taken so far as our parser writes them, as text or messages.

        Args:
            intermediate_steps: Steps in the form that LangChain's executor passes them.
        """
        past = self.parser.format_scratchpad(own_steps(intermediate_steps))
        return past if isinstance(past, str) else [*map(as_langchains, past)]

    def render_prompt(
        self,
        question: str,
        intermediate_steps: Sequence[tuple[AgentAction, Any]] = (),
        *,
        system: str = "",
    ) -> list[BaseMessage]:
        """Return the whole prompt for the next turn, as messages for a chat model.

        Args:
            question: What the agent is asked.
            intermediate_steps: The steps so far, in the form that LangChain's executor passes them.
            system: Text before the instructions.
        """
        steps = own_steps(intermediate_steps)
        prompt = self.parser.render_prompt(question, steps, system=system, as_messages=True)
        return [*map(as_langchains, prompt)]

    # -- LangChain's `dumpd` and `load` ----------------------------------------------------------

    @classmethod
    @override
    def _as_data(cls, value: Any) -> Any:
        return value.name if isinstance(value, Dialect) else super()._as_data(value)

    @classmethod
    @override
    def _arguments(cls, package: Any, data: dict[str, Any]) -> dict[str, Any]:
        named = {"dialect": package.get_dialect(data["dialect"])} if "dialect" in data else {}
        return data | named


# -- from ours to LangChain's ----------------------------------------------------------------------


class _ToolAgentAction(AgentActionMessageLog):
    """A tool call in a message, used if `langchain_classic` is not installed."""

    tool_call_id: str | None
    """Id of the call, which its result refers to."""


@cache
def tool_action_class() -> type[AgentActionMessageLog]:
    """Return the class for calls in messages, which LangChain's scratchpads look for."""
    try:
        from langchain_classic.agents.output_parsers.tools import ToolAgentAction
    except ImportError:
        return _ToolAgentAction
    return ToolAgentAction


class Kinds(NamedTuple):
    """The classes of the results."""

    action: Callable[..., AgentAction]
    logged: Callable[..., AgentAction]
    called: Callable[[], Callable[..., AgentAction]]
    """Returns the class for calls in messages, which takes time to import."""
    finish: Callable[..., AgentFinish]


_LANGCHAINS: Final = Kinds(AgentAction, AgentActionMessageLog, tool_action_class, AgentFinish)


def _their_action(
    action: ours.AgentAction,
    message: Any,
    known: dict[int, BaseMessage],
    kinds: Kinds,
) -> AgentAction:
    """Return *action*, read in *message*, in one of *kinds*.

    Calls of one message share it, as *known* by `id`.
    """
    fields: dict[str, Any] = {
        "tool": action.tool, "tool_input": action.tool_input, "log": action.log
    }  # fmt: skip
    if not isinstance(action, ours.AgentActionMessageLog):
        return kinds.action(**fields)
    if isinstance(message, AIMessage):
        # Keep the message itself: it may have fields that its provider needs back.
        given: list[BaseMessage] = [message]
    else:
        for each in action.message_log:
            if id(each) not in known:
                known[id(each)] = as_langchains(each)
        given = [known[id(each)] for each in action.message_log]
    if not isinstance(action, OurToolAgentAction):
        return kinds.logged(message_log=given, **fields)
    return kinds.called()(message_log=given, tool_call_id=action.tool_call_id, **fields)
