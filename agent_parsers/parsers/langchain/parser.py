"""A LangChain output parser around one of our agent parsers, for LangChain's executors.

This module imports LangChain, and only `as_langchain` imports this module. It passes its input to
our parser and converts the result to LangChain's classes.
"""

from __future__ import annotations

from collections.abc import AsyncIterator, Callable, Iterator, Sequence
from functools import cache
from typing import TYPE_CHECKING, Any, Final, NamedTuple, TypeAlias

from langchain_core.agents import AgentAction, AgentActionMessageLog, AgentFinish
from langchain_core.messages import AIMessage, BaseMessage, BaseMessageChunk, messages_from_dict
from langchain_core.outputs import ChatGeneration, Generation
from typing_extensions import override

from agent_parsers.actions import agent as ours
from agent_parsers.actions.tool_action import ToolAgentAction as OurToolAgentAction
from agent_parsers.actions.tool_action import own_steps
from output_parsers.runnables.langchain_parser import LangChainOutputParser

if TYPE_CHECKING:
    from outputs import BaseMessage as OurMessage

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
    def parse(self, text: str) -> Result:
        """Read one turn.

        Raises:
            OutputParserException: LangChain's, with an observation for the model; its cause is our
                own.
            ValueError: The parser reads messages only, not text.
        """
        with self._errors():
            return self._theirs(self.parser.parse(text), None)

    @override
    async def aparse(self, text: str) -> Result:
        """Do the same as `parse`, at once and in this thread."""
        with self._errors():
            return self._theirs(await self.parser.aparse(text), None)

    @override
    def parse_with_prompt(self, completion: str, prompt: Any) -> Result:
        """Read one turn; a parser that can ask again uses its *prompt*."""
        return self._theirs(super().parse_with_prompt(completion, prompt), None)

    @override
    def parse_result(self, result: list[Generation], *, partial: bool = False) -> Result:
        """Read the first of *result*, a text or a message.

        Args:
            result: The generations of a model.
            partial: Ignored.

        Raises:
            OutputParserException: LangChain's, with an observation for the model; its cause is our
                own.
            ModelRefusalError: The message refuses. The exception is ours, since an executor would
                send LangChain's to the model and ask again.
        """
        with self._errors():
            return self._theirs(self.parser.invoke(result[0]), _message_in(result[0]))

    @override
    async def aparse_result(self, result: list[Generation], *, partial: bool = False) -> Result:
        """Do the same as `parse_result`, at once and in this thread."""
        with self._errors():
            return self._theirs(await self.parser.ainvoke(result[0]), _message_in(result[0]))

    @override
    def _transform(self, input: Iterator[str | BaseMessage]) -> Iterator[Result]:
        yield self.parse_result([_sum([*input])])

    @override
    async def _atransform(self, input: AsyncIterator[str | BaseMessage]) -> AsyncIterator[Result]:
        yield await self.aparse_result([_sum([chunk async for chunk in input])])

    def _kinds(self) -> Kinds:
        """Return the classes of the results."""
        return _LANGCHAINS

    def _theirs(
        self,
        result: ours.AgentAction | list[ours.AgentAction] | ours.AgentFinish,
        message: BaseMessage | None,
    ) -> Result:
        """Return *result* in LangChain's classes; *message* is the LangChain message it came in."""
        kinds = self._kinds()
        if isinstance(result, ours.AgentFinish):
            return kinds.finish(result.return_values, result.log)
        if isinstance(result, ours.AgentAction):
            return _their_action(result, message, {}, kinds)
        known: dict[int, BaseMessage] = {}
        return [_their_action(action, message, known, kinds) for action in result]

    # -- writing ---------------------------------------------------------------------------------

    def format_scratchpad(
        self, intermediate_steps: Sequence[tuple[AgentAction, Any]]
    ) -> str | list[BaseMessage]:
        """Return the steps taken so far as our parser writes them, as text or messages.

        Args:
            intermediate_steps: Steps in the form that LangChain's executor passes them.
        """
        past = self.parser.format_scratchpad(own_steps(intermediate_steps))
        return past if isinstance(past, str) else _their_messages(past)

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
        return _their_messages(
            self.parser.render_prompt(question, steps, system=system, as_messages=True)
        )


def _sum(chunks: list[Any]) -> Generation:
    """Return the turn that came in *chunks*."""
    if chunks and all(isinstance(chunk, str) for chunk in chunks):
        return Generation(text="".join(chunks))
    first, *rest = chunks or [AIMessage("")]
    for chunk in chunks:
        if not isinstance(chunk, BaseMessageChunk if rest else BaseMessage):
            kind = type(chunk).__name__
            raise TypeError(f"expected chunks of text or of one message, found {kind}")
    return ChatGeneration(message=first + rest if rest else first)


def _message_in(generation: Generation) -> BaseMessage | None:
    return generation.message if isinstance(generation, ChatGeneration) else None


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
    message: BaseMessage | None,
    known: dict[int, BaseMessage],
    kinds: Kinds,
) -> AgentAction:
    """Return *action* in one of *kinds*; calls of one message share it, as *known* by `id`."""
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
                known[id(each)] = _their_messages([each])[0]
        given = [known[id(each)] for each in action.message_log]
    if not isinstance(action, OurToolAgentAction):
        return kinds.logged(message_log=given, **fields)
    return kinds.called()(message_log=given, tool_call_id=action.tool_call_id, **fields)


def _their_messages(messages: Sequence[OurMessage]) -> list[BaseMessage]:
    return messages_from_dict(
        [{"type": message.type, "data": message.model_dump()} for message in messages]
    )
