"""A LangChain output parser around one of our agent parsers, for LangChain's executors.

This module imports LangChain, and only `as_langchain` imports this module. It passes its input to
our parser and converts the result to LangChain's classes.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from functools import cache
from types import FunctionType
from typing import TYPE_CHECKING, Any, Final, NamedTuple, TypeAlias

from langchain_core.agents import AgentAction, AgentActionMessageLog, AgentFinish
from langchain_core.messages import AIMessage, BaseMessage
from pydantic import BaseModel
from typing_extensions import override

from agent_parsers.actions import agent as ours
from agent_parsers.actions.tool_action import ToolAgentAction as OurToolAgentAction
from agent_parsers.actions.tool_action import own_steps
from agent_parsers.engine.tables.dialect import Dialect
from output_parsers.model_output import message_of
from output_parsers.runnables.langchain_parser import LangChainOutputParser
from outputs import from_any
from outputs.messages.utils import as_langchains, message_chunk_to_message

if TYPE_CHECKING:
    from langchain_core.outputs import Generation

    from agent_parsers.messages.writing.past import History

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
            result: The generations of a model. A `parse_result` of your own gets all of them.
            partial: For a `parse_result` of your own.
        """
        is_own = not _is_of_package(self.parser.parse_result)
        found: Result = (
            super().parse_result(result, partial=partial)
            if is_own
            else self._result(self.parser.invoke, result[0])
        )
        return found

    @override
    async def aparse_result(self, result: list[Generation], *, partial: bool = False) -> Result:
        """Do the same as `parse_result`, without another thread."""
        methods = self.parser.parse_result, self.parser.aparse_result
        found: Result = await (
            self._aresult(self.parser.ainvoke, result[0])
            if all(map(_is_of_package, methods))
            else super().aparse_result(result, partial=partial)
        )
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
        """Return *result* in LangChain's classes, with the LangChain message that was *given*.

        What is LangChain's, or is neither an action nor an answer, remains as it is.
        """
        first = given[0] if isinstance(given, list) and given else given  # of some generations
        messages = _Messages(first, may_differ=not _is_of_package(type(self.parser)))
        if isinstance(result, list | tuple) and any(map(_is_ours, result)):
            return [_theirs(each, messages, self._kinds()) for each in result]
        found: Result = _theirs(result, messages, self._kinds())
        return found

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
        is_own = not _is_of_package(self.parser.get_format_instructions)
        is_own = is_own or instructions == getattr(self.parser, "format_instructions", None)
        if is_own or dialect is None or dialect.name != "conversational_chat":
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
        question: str | None = None,
        intermediate_steps: Sequence[tuple[AgentAction, Any]] = (),
        *,
        system: str = "",
        history: History = (),
    ) -> list[BaseMessage]:
        """Return the whole prompt for the next turn, as messages for a chat model.

        Args:
            question: What the agent is asked; it may be left out if *history* ends in a question.
            intermediate_steps: The steps so far, in the form that LangChain's executor passes them.
            system: Text before the instructions.
            history: What was said before the question: messages of LangChain or of any client,
                and whatever else `render_prompt` of our parser takes.
        """
        steps = own_steps(intermediate_steps)
        options: Any = {"system": system, "history": history, "as_messages": True}
        prompt = self.parser.render_prompt(question, steps, **options)
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


def _is_of_package(thing: Any) -> bool:
    """Return whether a class or a method is ours, and not a user's."""
    return thing.__module__.partition(".")[0] in _PACKAGES


_PACKAGES: Final = ("agent_parsers", "agent_serving", "output_parsers")


def _is_ours(result: object) -> bool:
    return isinstance(result, ours.AgentAction | ours.AgentFinish) and not isinstance(
        result, AgentAction | AgentFinish
    )


def _theirs(result: Any, messages: _Messages, kinds: Kinds) -> Any:
    """Return an action or an answer of ours in one of *kinds*, and any other *result* unchanged."""
    if not _is_ours(result):
        return result
    if not _is_of_package(type(result)):
        return of_users_class(result, messages)
    if isinstance(result, ours.AgentFinish):
        return kinds.finish(result.return_values, result.log)
    fields: dict[str, Any] = {
        "tool": result.tool, "tool_input": result.tool_input, "log": result.log
    }  # fmt: skip
    if not isinstance(result, ours.AgentActionMessageLog):
        return kinds.action(**fields)
    fields["message_log"] = messages.of(result.message_log)
    if not isinstance(result, OurToolAgentAction):
        return kinds.logged(**fields)
    return kinds.called()(tool_call_id=result.tool_call_id, **fields)


class _Messages:
    """LangChain's messages for those of actions, which calls of one message share.

    The message that was *given* stands for what our parser makes of it, since it may have fields
    that its provider needs back. If a class of a user's made the actions, theirs *may differ*.
    """

    def __init__(self, given: Any, *, may_differ: bool) -> None:
        message = getattr(given, "message", given)
        self._given = message if isinstance(message, AIMessage) else None
        self._may_differ = may_differ
        self._known: dict[int, BaseMessage] = {}

    def of(self, log: Sequence[Any]) -> list[BaseMessage]:
        """Return the messages for those of a *log*."""
        if self._given is not None and not (self._may_differ and self._differs(log)):
            return [self._given]
        for each in log:
            if id(each) not in self._known:
                self._known[id(each)] = _with_calls(as_langchains(each), each)
        return [self._known[id(each)] for each in log]

    def _differs(self, log: Sequence[Any]) -> bool:
        """Return whether *log* is not the given message alone, in one of the forms it gets here."""
        assert self._given is not None
        forms = (self._given, from_any(self._given), message_of(self._given))
        whole = [message_chunk_to_message(each) for each in forms[1:]]
        return len(log) != 1 or not any(log[0] == form for form in [*forms, *whole])


def _with_calls(theirs: Any, message: Any) -> Any:
    """Return *theirs* with the calls of *message*; a chunk reads them from its pieces again."""
    if theirs is message or not getattr(message, "tool_calls", None):
        return theirs
    return theirs.model_copy(update={"tool_calls": [*message.tool_calls]})


# -- classes of users ------------------------------------------------------------------------------


def of_users_class(result: Any, messages: _Messages | None = None) -> Any:
    """Return *result*, of a class of a user's, as an instance of LangChain's as well."""
    state = BaseModel.__getstate__(result)
    fields = dict(state["__dict__"])
    if messages is not None and "message_log" in fields:
        fields["message_log"] = messages.of(fields["message_log"])
    return _restored(type(result), {**state, "__dict__": fields})


def _restored(kind: type, state: dict[Any, Any]) -> Any:
    both = _users_class(kind)
    result = both.__new__(both)
    BaseModel.__setstate__(result, state)
    return result


@cache
def _users_class(kind: type) -> Any:
    """Return a class that is *kind*, with all that it adds to ours, and LangChain's as well."""
    their_kinds: dict[Any, Any] = {
        ours.AgentAction: AgentAction,
        ours.AgentActionMessageLog: AgentActionMessageLog,
        OurToolAgentAction: tool_action_class(),
        ours.AgentFinish: AgentFinish,
    }
    base = next(each for each in kind.__mro__ if each in their_kinds)
    members: dict[str, Any] = {}
    for each in reversed(kind.__mro__[: kind.__mro__.index(base)]):
        members |= {name: it for name, it in vars(each).items() if isinstance(it, _METHODS)}
    members |= {
        "__module__": kind.__module__,
        "__qualname__": kind.__qualname__,
        "__doc__": kind.__doc__,
        "__reduce__": lambda self: (_restored, (kind, BaseModel.__getstate__(self))),
        "__eq__": lambda self, other: _as(kind, self) == _as(kind, other),
        "__hash__": None,
    }
    return type(base)(kind.__name__, (their_kinds[base], kind), members)


_METHODS: Final = (FunctionType, property, classmethod, staticmethod)


def _as(kind: Any, value: Any) -> Any:
    """Return *value* as an instance of *kind* alone, with our messages, if it is one."""
    if not isinstance(value, kind):
        return value
    state = BaseModel.__getstate__(value)
    fields = dict(state["__dict__"])
    if "message_log" in fields:
        fields["message_log"] = [*map(from_any, fields["message_log"])]
    plain = kind.__new__(kind)
    BaseModel.__setstate__(plain, {**state, "__dict__": fields})
    return plain
