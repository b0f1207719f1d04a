"""The result of an agent turn: an action or the final answer.

Field names, positional arguments and ``messages`` follow ``langchain_core.agents``.
"""

from __future__ import annotations

import json
from collections.abc import AsyncIterator, Awaitable, Iterable, Iterator, Mapping, Sequence
from dataclasses import fields, is_dataclass
from datetime import date, time, timedelta
from decimal import Decimal
from enum import Enum
from types import MappingProxyType
from typing import Annotated, Any, ClassVar, Final, Generic, Literal, Protocol, TypeAlias
from uuid import UUID

from pydantic import BaseModel, ConfigDict
from pydantic_core import to_jsonable_python
from typing_extensions import TypeVar

from output_parsers.exceptions import OutputParserException
from outputs import AIMessage, BaseMessage, FunctionMessage, HumanMessage
from outputs.clients.media import MediaFile, Parts, parts_of
from outputs.json_form.storable import TABLES, Storable
from outputs.messages.base import OR_MESSAGE, OrLangChains, is_langchains, text_of

TABLES["agent_parsers.json_form"] = None


class _AsLangChainPrintsIt:
    """Makes the `repr` of a pydantic model that of LangChain's: all fields but the ``type``."""

    __slots__ = ()

    def __repr_args__(self) -> Iterable[tuple[str | None, Any]]:
        args: Iterable[tuple[str | None, Any]] = super().__repr_args__()  # type: ignore[misc]
        return (each for each in args if each[0] != "type")


class AgentAction(_AsLangChainPrintsIt, BaseModel, Storable):
    """One tool call that the model asked for.

    Args:
        tool: Name of the tool.
        tool_input: What the tool is called with: text, or arguments by name.
        log: The model's own text that led to this action, unchanged; ``""`` for an action that no
            model wrote, which is then rendered.
    """

    model_config: ClassVar[ConfigDict] = ConfigDict(defer_build=True)

    tool: str
    """Name of the tool; never empty in an action that a parser returned. A step whose action has no
    tool is a turn that could not be parsed."""
    tool_input: str | dict[Any, Any]
    """What the tool is called with: text, or arguments by name."""
    log: str = ""
    """The model's own text that led to this action, thought included, unchanged."""
    type: Literal["AgentAction"] = "AgentAction"
    """Distinguishes this class from its subclasses and siblings in serialised form."""

    def __init__(
        self, tool: str, tool_input: str | dict[Any, Any], log: str = "", **kwargs: Any
    ) -> None:
        super().__init__(tool=tool, tool_input=tool_input, log=log, **kwargs)

    @property
    def messages(self) -> Sequence[BaseMessage]:
        """The messages that represent this action in a chat history."""
        return [AIMessage(content=self.log)]


class AgentActionMessageLog(AgentAction):
    """An action that keeps the messages it came in, for the next prompt.

    Args:
        message_log: The messages the model sent.
    """

    message_log: Sequence[Annotated[BaseMessage, OR_MESSAGE]]
    """The messages the model sent, in order; those of LangChain are kept as they are."""
    type: Literal["AgentActionMessageLog"] = "AgentActionMessageLog"  # type: ignore[assignment]  # the tag of the subclass
    """Distinguishes this class from its subclasses and siblings in serialised form."""

    @property
    def messages(self) -> Sequence[BaseMessage]:
        """The messages that represent this action in a chat history."""
        return self.message_log


class AgentStep(_AsLangChainPrintsIt, BaseModel, Storable):
    """An action and its observation.

    Args:
        action: The action that was taken.
        observation: What the tool returned.
    """

    model_config: ClassVar[ConfigDict] = ConfigDict(defer_build=True)

    action: Annotated[AgentAction, OrLangChains("langchain_core.agents", "AgentAction")]
    """The action that was taken; one of LangChain's is kept as it is."""
    observation: Any
    """What the tool returned."""

    def __init__(self, action: AgentAction, observation: Any, **kwargs: Any) -> None:
        super().__init__(action=action, observation=observation, **kwargs)

    @property
    def messages(self) -> Sequence[BaseMessage]:
        """The observation as a message: a `FunctionMessage` if the action came in a message.

        Otherwise it is a `HumanMessage`. It is LangChain's message if the action is LangChain's.
        """
        content = observation_text(self.observation)
        if hasattr(self.action, "message_log"):
            return in_kind_of(
                [self.action], [FunctionMessage(name=self.action.tool, content=content)]
            )
        return in_kind_of([self.action], [HumanMessage(content=content)])


class AgentFinish(_AsLangChainPrintsIt, BaseModel, Storable):
    """The final answer of an agent.

    Args:
        return_values: What the run returns; parsers put the answer under ``"output"``.
        log: The model's own text that led to the answer, unchanged.
    """

    model_config: ClassVar[ConfigDict] = ConfigDict(defer_build=True)

    return_values: dict[Any, Any]
    """What the run returns; parsers put the answer under ``"output"``."""
    log: str
    """The model's own text that led to the answer, unchanged."""
    type: Literal["AgentFinish"] = "AgentFinish"
    """Distinguishes this class from its subclasses and siblings in serialised form."""

    def __init__(self, return_values: dict[Any, Any], log: str, **kwargs: Any) -> None:
        super().__init__(return_values=return_values, log=log, **kwargs)

    @property
    def output(self) -> Any:
        """The answer, ``return_values["output"]``; `None` if there is none."""
        return self.return_values.get("output")

    @property
    def messages(self) -> Sequence[BaseMessage]:
        """The messages that represent this answer in a chat history."""
        return [AIMessage(content=self.log)]


def is_from_langchain(action: Any) -> bool:
    """Return whether *action* is LangChain's, or came in LangChain messages."""
    is_theirs = hasattr(action, "lc_id")
    return is_theirs or any(map(is_langchains, getattr(action, "message_log", ())))


def in_kind_of(
    actions: Iterable[Any],
    messages: Sequence[BaseMessage],
    known: Mapping[int, BaseMessage] = MappingProxyType({}),
) -> list[BaseMessage]:
    """Return *messages*, which represent *actions*, as messages of the library of the actions.

    If an action is from LangChain, they become LangChain's, since its prompts and models take no
    others. *known* maps the `id` of a message of the actions to ours that represents it.
    """
    actions = list(actions)
    if not any(map(is_from_langchain, actions)):
        return [*messages]
    from outputs.messages.utils import as_langchains  # imported lazily: LangChain is there

    logs = (getattr(action, "message_log", ()) for action in actions)
    given = {id(known[id(each)]): each for log in logs for each in log if id(each) in known}
    return [as_langchains(given.get(id(each), each)) for each in messages]


class LoggedStep(Protocol):
    """A step of a log, such as a `TranscriptStep`."""

    @property
    def action(self) -> AgentAction | AgentFinish | None:
        """The action or the answer; `None` if it could not be read."""

    @property
    def observation(self) -> str | None:
        """What the tool returned."""

    @property
    def error(self) -> OutputParserException | None:
        """Why there is no action."""


TurnResult: TypeAlias = AgentAction | list[AgentAction] | AgentFinish
"""What `parse` returns for a turn; a list if a turn of the dialect may have several calls."""


T = TypeVar("T", default=Any)
"""The type of the answer."""


class WithResult(Generic[T]):
    """A turn whose result has the same properties in every dialect."""

    __slots__ = ()

    result: TurnResult

    @property
    def actions(self) -> list[AgentAction]:
        """The tool calls of the turn, in order; empty if the turn is an answer."""
        if isinstance(self.result, AgentFinish):
            return []
        return self.result if isinstance(self.result, list) else [self.result]

    @property
    def finish(self) -> AgentFinish | None:
        """The final answer; `None` if the turn calls tools."""
        return self.result if isinstance(self.result, AgentFinish) else None

    @property
    def output(self) -> T | None:
        """The value of the answer; `None` if the turn calls tools."""
        if not isinstance(self.result, AgentFinish):
            return None
        answer: T | None = self.result.output
        return answer


def observed(observation: Any) -> Any:
    """Return what a tool returned: *observation*, or the text of a `ToolMessage` of any library.

    Raises:
        TypeError: It was not awaited, or is a generator or another iterator, which has not run.
    """
    if isinstance(observation, Awaitable | Iterator | AsyncIterator):
        from output_parsers.runnables.functions import check_value  # lazily: only for the error

        check_value(observation)
    return text_of(observation.content) if _is_message(observation) else observation


def parts_seen(observation: Any) -> Parts:
    """Return the parts of what a tool returned, if one of them is an image or another file."""
    if _is_message(observation):
        return parts_of(observation.content, is_content=True)
    return parts_of(observation)


def _is_message(observation: Any) -> bool:
    return getattr(observation, "type", None) == "tool" and hasattr(observation, "content")


def pair_of(step: Any) -> tuple[AgentAction, Any]:
    """Return the action of *step* and its observation.

    The error of a turn that could not be read is a step too: its action has no tool, and its
    observation says what was wrong. So is an answer, which has no observation: it is `None`.

    Args:
        step: A pair of an action and an observation, an `AgentStep`, the step of a log, an error,
            or an answer.

    Raises:
        TypeError: *step* is not a step.
    """
    if isinstance(step, OutputParserException):
        said = str(step) if step.observation is None else step.observation
        return AgentAction("", "", log=step.llm_output or ""), said
    if isinstance(step, tuple) and len(step) == 2 and hasattr(step[0], "tool"):
        action, seen = step
        return action, seen
    if getattr(step, "type", None) == "AgentFinish":
        return AgentAction("", "", log=step.log), None
    if hasattr(step, "action") and hasattr(step, "observation"):
        if step.action is None:  # it could not be read
            action, said = pair_of(step.error)
            return action, said if step.observation is None else step.observation
        is_answer = getattr(step.action, "type", None) == "AgentFinish"
        return pair_of(step.action) if is_answer else (step.action, step.observation)
    raise TypeError(f"expected a step, such as (action, observation), not {type(step).__name__}")


def observation_text(observation: Any) -> str:
    """Return an observation as text, like `as_text`, with each file replaced by its type."""
    return parts_as_text(parts_seen(observation)) or as_text(observation)


def has_failed(observation: Any) -> bool:
    """Return whether an observation says that its tool failed, or was not allowed to run."""
    return getattr(observation, "status", None) == "error"


def parts_as_text(parts: Parts) -> str:
    """Return *parts* as text, with each file replaced by its type."""
    return "\n".join(map(as_text, parts))


def as_text(value: Any) -> str:
    """Return a value as text, the same in every dialect: an input, an answer, an observation.

    Text stays as it is. Anything else is written as JSON, pydantic models and dataclasses in it as
    objects; if something in it has no JSON form, it is `str` of the whole.
    """
    value = observed(value)
    if isinstance(value, str):
        return value
    if isinstance(value, MediaFile):
        return str(value)
    try:
        return json.dumps(value, ensure_ascii=False, default=_as_object)
    except (TypeError, ValueError, RecursionError):
        return str(value)


def as_data(answer: Any) -> Any:
    """Return an *answer* with the instances of types in it as data for JSON."""
    if isinstance(answer, list):
        return [*map(as_data, answer)]
    if isinstance(answer, dict):
        return {key: as_data(each) for key, each in answer.items()}
    is_typed = is_dataclass(answer) or hasattr(type(answer), "__get_pydantic_core_schema__")
    if is_typed or isinstance(answer, _JSON_TYPES):
        return to_jsonable_python(answer, by_alias=True)
    return answer


_JSON_TYPES: Final = (Enum, date, time, timedelta, Decimal, UUID, set, frozenset)
"""Types of Python that JSON has in another form, and that nothing else is written as."""


def _as_object(value: Any) -> Any:
    """Return a pydantic model or a dataclass as a dictionary; raise a `TypeError` for others."""
    if isinstance(value, BaseModel):
        return value.model_dump(mode="json")
    if is_dataclass(value) and not isinstance(value, type):
        return {each.name: getattr(value, each.name) for each in fields(value)}
    raise TypeError


# Building a pydantic model takes about 0.9 µs, most of it for validation. A parser knows that its
# strings are valid, so it fills the model's four slots itself, in 0.4 µs.
_new: Final = object.__new__
_set_fields_set: Final = BaseModel.__dict__["__pydantic_fields_set__"].__set__
_set_extra: Final = BaseModel.__dict__["__pydantic_extra__"].__set__
_set_private: Final = BaseModel.__dict__["__pydantic_private__"].__set__


def make_action(tool: str, tool_input: str | dict[Any, Any], log: str) -> AgentAction:
    """Return `AgentAction(tool, tool_input, log)`, without validation: the values are valid."""
    action: AgentAction = _new(AgentAction)
    fields = action.__dict__
    fields["tool"], fields["tool_input"], fields["log"] = tool, tool_input, log
    fields["type"] = "AgentAction"
    _set_fields_set(action, {"tool", "tool_input", "log"})
    _set_extra(action, None)
    _set_private(action, None)
    return action


def make_finish(output: Any, log: str) -> AgentFinish:
    """Return `AgentFinish({"output": output}, log)`; see `make_action`."""
    finish: AgentFinish = _new(AgentFinish)
    fields = finish.__dict__
    fields["return_values"], fields["log"] = {"output": output}, log
    fields["type"] = "AgentFinish"
    _set_fields_set(finish, {"return_values", "log"})
    _set_extra(finish, None)
    _set_private(finish, None)
    return finish
