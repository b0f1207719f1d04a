"""Asking a model for its turn, without any input or output: requests out, replies in."""

from __future__ import annotations

import re
from contextlib import suppress
from typing import TYPE_CHECKING, Any, Final, Generic, Literal, TypeAlias, get_args
from uuid import uuid4

from pydantic_core import to_jsonable_python
from typing_extensions import TypedDict

from agent_parsers.actions.agent import AgentAction, AgentFinish, T
from agent_parsers.engine.reading.rules.known_tools import known_tools, output_type_of
from agent_parsers.engine.reading.turn import content_of, thought_of
from agent_parsers.events import (
    ActionComplete,
    AnswerDelta,
    Event,
    Finish,
    InputDelta,
    MarkerSeen,
    Repair,
    StepFailed,
    ThoughtDelta,
    ToolNamed,
)
from agent_parsers.loop.joined import JoinedText
from agent_parsers.loop.request import ModelRequest
from agent_parsers.messages.reading.arguments import ARGUMENT
from agent_parsers.messages.reading.pieces import as_json
from agent_parsers.messages.reading.plain import PlainReplyParser
from agent_parsers.messages.writing.native import with_native_calls, with_results
from agent_parsers.messages.writing.past import PastTurn, past_of, past_of_steps
from agent_parsers.parsers.auto_parser import AutoParser
from agent_parsers.parsers.event_parser import TurnReader
from agent_parsers.parsers.message_parser import MessageParser
from agent_parsers.parsers.turn_parser import TurnParser
from agent_parsers.registry.dialects_by_name import get_parser
from output_parsers import ModelRefusalError, OutputParserException
from output_parsers.model_output import text_of, with_message
from output_parsers.printable import kind_of
from output_parsers.prompt_values import ChatPromptValue
from output_parsers.streams.readers import Budget
from outputs import AIMessage, SystemMessage, tool_call
from outputs.growing_json.errors import JsonLimitError
from outputs.growing_json.reader import JsonReader
from outputs.messages.ai import add_usage

if TYPE_CHECKING:
    from collections.abc import Sequence

    from agent_parsers.loop.request import ToolChoice
    from agent_parsers.messages.writing.past import History
    from agent_parsers.parsers.dialect_parser import AnyDialectParser
    from agent_parsers.toolset import Tools, ToolSet
    from agent_parsers.toolset.answer_tools import AnswerTools
    from output_parsers import ProviderStrategy
    from outputs import ToolCall, UsageMetadata
    from outputs.messages.ended import Ended

ToolsIn: TypeAlias = Literal["prompt", "template"]
"""Where a model that writes calls as text learns of the tools: from the prompt, or from the chat
template of its server, which gets them as they are, and past calls and results as well."""
OnBadCall: TypeAlias = Literal["retry", "return"]
"""What to do with a call of an unknown tool, or with a wrong input: let the model correct it, or
return it to the caller, unchecked."""


class AskingOptions(TypedDict, total=False):
    """The options of `Asking` that a wrapper of a model passes on."""

    max_retries: int
    """How many turns in a row may be unreadable; by default 2."""
    on_bad_call: OnBadCall
    """Who corrects calls of unknown tools and wrong inputs: by default the model, asked again; with
    ``"return"`` the framework."""
    tools_in: ToolsIn
    """Where the model learns of the tools; by default from the ``"prompt"``."""
    as_messages: bool
    """Whether the model takes messages, as by default; if not, a text."""


def as_count(name: str, value: Any) -> int:
    """Return the *value* of the argument *name*.

    Raises:
        TypeError: It is no whole number.
    """
    if not isinstance(value, int):
        raise TypeError(f"{name} must be a whole number, not {kind_of(value)}")
    return value


def _check_past(steps: Any, system: Any) -> None:
    """Check the kinds of arguments that tell the past.

    Raises:
        TypeError: One is of another kind.
    """
    if not isinstance(steps, list | None):
        raise TypeError(
            f"steps must be a list, which grows with the run, not {kind_of(steps)}: for a run or"
            " messages use history="
        )
    if not isinstance(system, str):
        raise TypeError(f"system must be a text, not {kind_of(system)}: for messages use history=")


class Asking(Generic[T]):
    """Asks a model for a turn, and again if the turn cannot be read; does no I/O of its own.

    ::

        asking = Asking("hermes", "Where is Thun?", tools=[search])
        while not asking.is_done:
            request = asking.request()
            for chunk in your_model(request.prompt, stop=request.stop):
                show(asking.feed(chunk))
                if asking.is_over:
                    break
            show(asking.close())
        asking.actions    # to be run; or asking.finish, the answer

    `run_agent` is a loop around it. To go on, add the steps that were taken to `steps` and request
    again.

    Args:
        parser: A parser of any dialect, or of messages; or its name, or that of a model, as
            `get_parser` takes them. That of ``"auto"`` only with tools in the template.
        question: What the model is asked; see `DialectParser.render_prompt`.
        steps: The steps taken so far. The list grows by the errors of turns that are asked again.
        tools: The tools; by default those of the parser.
        system: Text before the instructions.
        history: What was said before the question.
        as_messages: Whether the prompt is messages; if not, a text. A request that is *plain* is
            then the question alone, or a text in which each message follows its role.
        tools_in: See `ToolsIn`.
        plain: Whether a request in which there is nothing to read, neither tools nor past calls nor
            a type of the answer, goes to the model as it is, and its reply is the answer, which may
            quote calls: for a wrapper of a model, which also gets such requests. Calls of the past
            are then native: a text of the *history* makes none.
        output_type: The type of the answer, a JSON Schema, or a strategy; by default that of the
            parser. A parser of messages asks for it as a `ToolStrategy` does; or as a
            `ProviderStrategy`, if *has_provider*. An answer with a `ToolStrategy` is a call, and
            other calls beside it are `actions`.
        has_provider: Whether the provider of the model can enforce a schema.
        tool_choice: Whether the model may call a tool; see `ToolChoice`.
        on_bad_call: See `OnBadCall`.
        max_retries: How many turns in a row may be unreadable.
        parallel: Whether a turn may have several calls; if not, more than one is an error that the
            model reads.
        stop: Stop sequences beside those of the parser.

    Raises:
        TypeError: *parser* is not a parser, there are no tools, or the strategy does not fit it.
        ValueError: *tool_choice* is no tool, a tool has the name of one for the answer, or the
            parser of ``"auto"`` is to write a prompt.
    """

    def __init__(
        self,
        parser: str | AnyDialectParser[T] | MessageParser[Any, T] | AutoParser[T],
        question: str | None = None,
        steps: list[Any] | None = None,
        *,
        tools: Tools | ToolSet | None = None,
        system: str = "",
        history: History = (),
        as_messages: bool = True,
        tools_in: ToolsIn = "prompt",
        plain: bool = False,
        output_type: Any = None,
        has_provider: bool = False,
        tool_choice: ToolChoice = "auto",
        on_bad_call: OnBadCall = "retry",
        max_retries: int = 2,
        parallel: bool = True,
        stop: Sequence[str] = (),
    ) -> None:
        for name, value, known in (
            ("on_bad_call", on_bad_call, OnBadCall), ("tools_in", tools_in, ToolsIn)
        ):  # fmt: skip
            if value not in get_args(known):
                raise ValueError(f"{name} must be one of {get_args(known)}, not {value!r}")
        if isinstance(parser, str):
            parser = get_parser(parser, tools=tools)
        if not hasattr(parser, "render_prompt"):
            raise TypeError(
                f'expected a parser, such as get_parser("react"), or its name, not {parser!r:.100}'
            )
        given = parser.tools if tools is None else known_tools(tools)
        if given is None:
            raise TypeError("pass tools=[…], or tools=[] for an agent without tools")
        self.tools: Final[ToolSet] = given
        """The tools that can be run."""
        _check_past(steps, system)
        self.steps: Final[list[Any]] = [] if steps is None else steps
        """The steps taken so far, and the errors of turns that were asked again."""
        typed = output_type_of(parser.tools) or output_type_of(given)
        if output_type is None and typed is not None:
            output_type = typed.type
        self._is_native: Final = isinstance(parser, MessageParser)
        self._answers: AnswerTools | None = None
        self._provider: ProviderStrategy[Any] | None = None
        listed = self._ask_for(output_type, has_provider=has_provider)
        self._choice: Final = tool_choice
        self._listed: Final = listed
        self._is_typed: Final = listed.output_type is not None and self._provider is None
        chosen = self._chosen(listed)
        past = with_results(past_of(history))
        self._is_plain = self._is_buffered = False
        if plain and not (len(chosen) or chosen.output_type):
            before = (*past, *past_of(self.steps))
            if not any(isinstance(each, PastTurn) for each in before):
                parser = get_parser("tools", tools=[])
                self._is_plain = not len(listed)  # or a call of these is no answer
                self._is_buffered = not as_messages
                as_messages = True
        if plain and isinstance(parser, TurnParser):
            from agent_parsers.messages.writing.conversation import with_quoted_calls

            past = with_quoted_calls(past, parser.dialect)
        is_asked = any(not isinstance(each, SystemMessage) for each in past)
        takes_any = isinstance(parser, MessageParser) and bool(past)
        if plain and question is None and not (is_asked or takes_any):
            question = ""  # the system's words are all there is
        self.parser: Final[Any] = parser.model_copy(update={"tools": chosen})
        """The parser that reads the replies."""
        is_templated = tools_in == "template" and not self._is_native
        self._writer: Final[Any] = (
            get_parser("tools", tools=self.parser.tools) if is_templated else self.parser
        )
        self._prompted: Final[dict[str, Any]] = {
            "system": system, "history": past, "as_messages": as_messages,
        }  # fmt: skip
        self.question: Final = question
        """What the model is asked."""
        self._on_bad_call: Final = on_bad_call
        if as_count("max_retries", max_retries) < 0:
            raise ValueError(f"max_retries must be 0 or more, not {max_retries}")
        self._retries = self._max_retries = max_retries
        self._parallel: Final = parallel
        own = () if isinstance(self.parser, AutoParser) else self.parser.stop
        self._stop: Final = [*dict.fromkeys((*own, *stop))]
        self.ended: Ended = "unknown"
        """How the last reply ended, as far as that is known."""
        self.usage: UsageMetadata | None = None
        """The tokens of all replies, as far as they tell them; `None` if none does."""
        self.repairs: list[Repair] = []
        """What was repaired, in the order of the replies; each span is one of its reply."""
        self._begin()

    def _begin(self) -> None:
        self._stream: Any = (
            PlainReplyParser(self.parser.max_chars)
            if self._is_plain
            else self.parser.stream_parser()
        )
        self._chunks: list[Any] = []  # kept if the turn may be read again
        self._error: OutputParserException | None = None
        self._given: list[AgentAction] = []  # calls that give the answer
        self._events: list[Event] = []
        self._said: dict[str, JoinedText] = {"thought": JoinedText(), "content": JoinedText()}
        self._repaired_before = len(self.repairs)
        self._growing: _GrowingAnswer | None = None
        self._usage: UsageMetadata | None = None  # of the reply
        self._usage_before = self.usage
        self.is_done: bool = False
        """Whether there is a turn: actions, or the answer."""
        self.actions: list[AgentAction] = []
        """The calls of the turn that are to be run, in order."""
        self.finish: AgentFinish | None = None
        """The final answer; `None` if there is none."""
        self.answer_steps: list[tuple[AgentAction, str]] = []
        """The calls that gave the answer beside other calls, with what the model reads of them."""

    # -- the request -----------------------------------------------------------------------------

    def _ask_for(self, output_type: Any, *, has_provider: bool) -> ToolSet:
        """Return the tools that the model is shown, for answers of the type."""
        if output_type is None:
            return self.tools.answering(None)
        from agent_parsers.toolset.answer_tools import AnswerTools, strategy_of

        strategy = strategy_of(output_type, is_native=self._is_native, has_provider=has_provider)
        if isinstance(strategy, AnswerTools):
            self._answers = strategy
            if same := [name for name in strategy.specs if name in self.tools]:
                raise ValueError(
                    f"the model answers by calling {same[0]!r}, but a tool of the agent has this"
                    " name too: rename one of them"
                )
            return self.tools.answering(None).adding(strategy.specs.values())
        if hasattr(strategy, "schema_spec"):
            self._provider = strategy
            strategy = strategy.schema
        return self.tools.answering(strategy)

    def _chosen(self, listed: ToolSet) -> ToolSet:
        """Return those of the *listed* tools that the model may call."""
        choice = self._choice
        answers = () if self._answers is None else self._answers.specs
        if choice == "auto" or (choice == "required" and answers):
            return listed
        if choice == "none":
            return listed.only(answers)
        from typing import Never

        if choice != "required":
            known = [*(answers or listed.names)]
            if choice not in known:
                raise ValueError(
                    'tool_choice must be "auto", "none", "required", or the name of a tool, not'
                    f" {choice!r}; the tools are {', '.join(known) or 'none'}"
                )
            listed = listed.only([choice])
        return listed.answering(Never)

    def request(self) -> ModelRequest:
        """Return the next request for the model, and get ready for its reply."""
        self._begin()
        prompted: dict[str, Any] = dict(self._prompted)
        if self._answers is not None:
            names = " or ".join(self._answers.specs)
            told = f"Give your final answer by calling {names}."
            prompted["system"] = "\n\n".join(filter(None, (prompted["system"], told)))
        steps: list[Any] = with_results(past_of_steps(self.steps))
        if self._writer is not self.parser:
            history = prompted["history"]
            past = with_native_calls([*history, *steps], self._read_past)
            prompted["history"], steps = past[: len(history)], past[len(history) :]
        if not self._parallel and len(self.parser.tools):
            prompted["system"] = "\n\n".join(filter(None, (prompted["system"], _ONE_CALL)))
        prompt = self._writer.render_prompt(self.question, steps, **prompted)
        if self._is_buffered and isinstance(prompt, list):
            is_question = len(prompt) == 1 and prompt[0].type == "human"
            prompt = (
                prompt[0].text if is_question else f"{ChatPromptValue(prompt).to_string()}\nAI:"
            )
        choice, listed = self._choice, self._listed
        if self._writer is not self.parser:  # a template makes a model do nothing
            choice = "auto"
        elif self._answers is not None and choice in ("auto", "none"):
            choice, listed = "required", self.parser.tools
        is_told = self._is_native or self._writer is not self.parser
        tools = listed if is_told and len(listed) else None
        return ModelRequest(prompt, [*self._stop], tools, choice, self._provider)

    def _read_past(self, text: str) -> tuple[str, str]:
        """Return the thought and the content of a turn that the model wrote in the past."""
        try:
            turn = self.parser.model_copy(update={"tools": None}).read(text, ended="stop")
        except OutputParserException:  # then its calls say what is known of it
            return "", ""
        return turn.thought, turn.content

    # -- the reply -------------------------------------------------------------------------------

    @property
    def is_over(self) -> bool:
        """Whether the turn is over, so that no further text can be part of it."""
        return self._error is not None or self._stream.is_over

    @property
    def thought(self) -> str:
        """The reasoning of the turn so far."""
        return self._said["thought"].text

    @property
    def content(self) -> str:
        """What the user may see so far: text beside the calls, or the answer as written so far."""
        return self._said["content"].text

    def content_since(self, start: int) -> str:
        """Return `content` from offset *start* on, for example what the last chunk added.

        The time depends on the length of what is returned, not of all content.
        """
        return self._said["content"].since(start)

    @property
    def is_checked(self) -> bool:
        """Whether the answer is checked against a type, and may therefore be rejected."""
        is_typed = self.parser.tools.output_type is not None
        return is_typed or self._answers is not None or self._provider is not None

    @property
    def is_called(self) -> bool:
        """Whether the model gave its final answer as a call."""
        return self.finish is not None and bool(self._given)

    @property
    def is_cut(self) -> bool:
        """Whether the answer was cut off at the token limit."""
        made = self.repairs[self._repaired_before :]
        return self.finish is not None and any(each.kind == "cut" for each in made)

    @property
    def finish_reason(self) -> Literal["tool_calls", "length", "stop"]:
        """Why the turn ended, as a server with native calls would report it."""
        if self.actions:
            return "tool_calls"
        return "length" if self.is_cut or self.ended == "length" else "stop"

    @property
    def partial(self) -> Any:
        """The answer so far as data, if it is written as JSON; `None` before it begins."""
        if self._growing is None:
            return None
        value = self._growing.value
        return value if self._answers is None else self._answers.partial(value)

    def has_grown(self) -> bool:
        """Return whether `partial` has changed since the last call.

        If a long answer has many values, this is not checked after every chunk.
        """
        growing = self._growing
        is_grown = growing is not None and growing.has_changed(is_last=self.is_done)
        return is_grown and self.partial is not None

    def feed(self, chunk: Any) -> list[Event]:
        """Take the next *chunk* of the reply, or all of it; return the events it completes.

        Raises:
            ProviderError: The provider failed, and reports it instead of the rest.
            TypeError: *chunk* is neither text nor a message.
        """
        if self._error is not None:
            return []
        part = self._counted(chunk)
        if self._on_bad_call == "return":
            self._chunks.append(part)
        if self._provider is not None:  # what may be a call is held back, the answer as well
            self._grow(text_of(part))
        try:
            return self._taken(self._stream.feed(part))
        except OutputParserException as error:  # the model is told at the end
            if isinstance(error, ModelRefusalError):
                raise
            self._error = error
            return []

    def close(self, ended: Ended = "unknown") -> list[Event]:
        """End the reply and return the last events; afterwards ask again unless `is_done`.

        Args:
            ended: How the reply ended, if it does not say that itself.

        Raises:
            ModelRefusalError: The model refused; asking again does not help.
            OutputParserException: More than *max_retries* replies in a row could not be read; a
                note says how many.
            StructuredOutputError: The answer cannot be used, and is not to be asked for again.
        """
        said: Ended = getattr(self._stream, "ended", "unknown")
        self.ended = ended if said == "unknown" else said
        events: list[Event] = []
        try:
            try:
                if self._error is not None:
                    raise self._error
                for event in TurnReader(self._stream, ended).close():
                    events += self._taken([event])
            except OutputParserException as error:
                if not self._returns(error):
                    raise
                events += self._unchecked(error, ended)
            events += self._end()
        except OutputParserException as error:
            return [*events, self.retry(error)]
        if not self._is_plain:  # the end of a turn shows what was quoted, and what was a thought
            thought, content = self._stream.thought, self._stream.content
            self._said = {
                "thought": JoinedText(thought_of(self._events) if thought is None else thought),
                "content": JoinedText(content_of(self._events) if content is None else content),
            }
        self.is_done = True
        self._retries = self._max_retries
        return events

    def retry(self, error: OutputParserException) -> StepFailed:
        """Make *error* a step, so that the model reads it in the next request.

        Raises:
            OutputParserException: *error* itself, if asking again does not help.
        """
        self.is_done, self.finish, self.actions = False, None, []
        if isinstance(error, ModelRefusalError):
            raise error
        if self._answers is not None:
            self._answers.handle(error)
        if not self._retries:
            if self._max_retries:
                error.add_note(f"after {self._max_retries + 1} tries in a row")
            raise error
        self._retries -= 1
        self.steps.append(error)
        return StepFailed(error, error.span or (0, 0))

    def _counted(self, chunk: Any) -> Any:
        """Return a *chunk* as a message, unless it is a text, a generation or no chunk at all.

        The tokens that it tells are added up.
        """
        with suppress(TypeError, ValueError):  # the parser says what is wrong
            chunk = with_message(chunk)
        part = getattr(chunk, "message", chunk)  # of a generation
        usage = getattr(part, "usage_metadata", None)
        if usage:
            known, given = self._usage, usage.get("input_tokens")
            # Some servers tell in each chunk what all of them have cost so far.
            is_so_far = bool(given) and known is not None and known["input_tokens"] == given
            self._usage = usage if is_so_far or known is None else add_usage(known, usage)
            self.usage = add_usage(self._usage_before, self._usage)
        return chunk

    def _grow(self, text: str) -> None:
        """Take *text* of an answer that is given as text."""
        self._growing = self._growing or _GrowingAnswer()
        self._growing.add(text)

    def _say(self, event: Event) -> None:
        """Add the text of an *event* to what was said."""
        if isinstance(event, ThoughtDelta | AnswerDelta):
            kind = "thought" if isinstance(event, ThoughtDelta) else "content"
            self._said[kind].add(event.text)
            return
        for said in self._said.values():
            said.part()

    def _taken(self, events: list[Event]) -> list[Event]:
        """Take *events* of the turn; return them without the calls that give the answer."""
        shown: list[Event] = []
        self._events += events
        for event in events:
            match event:
                case ActionComplete(action=action):
                    if self._answers is not None and action.tool in self._answers.specs:
                        self._given.append(action)
                        continue
                    self.actions.append(action)
                case Finish(finish=finish):
                    self.finish = finish
                    if self._answers is not None:
                        continue
                case ThoughtDelta() | MarkerSeen():
                    self._say(event)
                case AnswerDelta(text=text):
                    self._say(event)
                    if self._is_typed or self._answers is not None:
                        self._grow(text)
                case ToolNamed(tool=tool) if self._answers is not None:
                    self._growing = _GrowingAnswer() if tool in self._answers.specs else None
                case InputDelta(text=text) if self._answers is not None:
                    if self._growing is not None:
                        self._growing.add(text)
                case Repair():
                    self.repairs.append(event)
                case _:
                    pass
            shown.append(event)
        return shown

    # -- the answer ------------------------------------------------------------------------------

    def _end(self) -> list[Event]:
        """End a turn that was read; return the event of an answer that is given by a call.

        Raises:
            OutputParserException: The answer cannot be used.
        """
        if not self._parallel and len(self.actions) > 1:
            tools = ", ".join(action.tool for action in self.actions)
            raise OutputParserException(
                f"found {len(self.actions)} calls in a turn that may have only one: {tools}",
                f"None of your {len(self.actions)} calls was run. {_ONE_CALL}",
                self._stream.text,
            )
        answers = self._answers
        if answers is None:
            return []
        at = len(self._stream.text)
        if self.finish is not None:
            value = answers.read_text(self.finish, lenient=self.parser.lenient, is_cut=self.is_cut)
            self.finish = AgentFinish({"output": value}, self.finish.log)
        elif self._given:
            value = answers.read_calls(self._given)
            self.finish = AgentFinish({"output": value}, self._given[0].log)
            if self.actions:
                self.answer_steps = [(self._given[0], answers.strategy.told(value))]
        else:
            return []
        return [Finish(self.finish, (at, at))]

    def _returns(self, error: OutputParserException) -> bool:
        """Return whether the caller gets the calls of a turn in which one is wrong."""
        if self._on_bad_call == "retry":
            return False
        from agent_parsers.toolset import ToolInputError, UnknownToolError

        if isinstance(error, ToolInputError):
            return self._answers is None or error.tool not in self._answers.specs
        return isinstance(error, UnknownToolError)

    def _unchecked(self, error: OutputParserException, ended: Ended) -> list[Event]:
        """Read the turn again, with any tools and inputs, since a call is wrong.

        Raises:
            OutputParserException: *error*, if something else is wrong as well.
        """
        from agent_parsers.toolset import UnknownToolError

        answers = {} if self._answers is None else self._answers.specs
        names = [name for name in self.parser.tools.names if name not in answers]
        found: OutputParserException = error
        while True:
            if isinstance(found, UnknownToolError) and found.name not in names:
                names.append(found.name)
            elif found is not error:
                raise error
            tools = known_tools([*names, *answers.values()])
            stream = self.parser.model_copy(update={"tools": tools}).stream_parser()
            try:
                events = [event for chunk in self._chunks for event in stream.feed(chunk)]
                events += TurnReader(stream, ended).close()
            except OutputParserException as another:
                found = another
                continue
            self.actions, self._given = [], []
            self._stream, self._events = stream, events
            return self._taken([event for event in events if isinstance(event, ActionComplete)])

    # -- for other frameworks --------------------------------------------------------------------

    @property
    def message(self) -> AIMessage:
        """The turn as a message, as a server with native calls would return it.

        Each call has an id, which no other of the run has, and arguments by name: a text is the
        argument of a tool that has one alone, and else ``__arg1``, which prompts show as text
        again. An answer with a type is JSON.
        """
        content = self.content
        if self.is_checked and self.finish is not None:
            content = as_json(to_jsonable_python(self.finish.output))
        thought = {"reasoning_content": self.thought} if self.thought else {}
        past = (*self._prompted["history"], *past_of_steps(self.steps)) if self.actions else ()
        ids = {call.id for turn in past if isinstance(turn, PastTurn) for call in turn.calls}
        calls = [self._call(action, ids) for action in self.actions]
        return AIMessage(content, tool_calls=calls, additional_kwargs=thought)

    def _call(self, action: AgentAction, taken: set[str | None]) -> ToolCall:
        given = action.tool_input
        if not isinstance(given, dict):
            known = self.tools[action.tool].parameters if action.tool in self.tools else None
            keys = [*(known or {}).get("properties", ())]
            given = {keys[0] if len(keys) == 1 else ARGUMENT: given}
        # All APIs take an id of nine letters and digits, and Mistral's takes no other.
        call_id = getattr(action, "tool_call_id", None)
        if not call_id or call_id in taken:
            call_id = uuid4().hex[:9]
        taken.add(call_id)
        return tool_call(name=action.tool, args=given, id=call_id)


_ONE_CALL: Final = "Call only one tool at a time."
_OPENS: Final = re.compile(r"\s*(?:`{3,}\w*\s*)?(?=[{\[])")
"""What may stand before an answer in JSON."""
_MOST_BEFORE: Final = 100
"""How many characters that may be."""


class _GrowingAnswer:
    """An answer in JSON, as far as it has arrived."""

    def __init__(self) -> None:
        self._reader = JsonReader()
        self._budget = Budget()
        self._before: str | None = ""  # text before the JSON; `None` once it has begun

    @property
    def value(self) -> Any:
        """The value so far; `None` before it begins, or if the text is not an object or a list."""
        return None if self._before is not None else self._reader.value

    def add(self, text: str) -> None:
        """Add *text*, which comes next."""
        if self._before is not None:
            if len(self._before) > _MOST_BEFORE:
                return
            self._before += text
            if (opened := _OPENS.match(self._before)) is None:
                return
            text, self._before = self._before[opened.end() :], None
        self._budget.add(text)
        with suppress(JsonLimitError):
            self._reader.feed(text)

    def has_changed(self, *, is_last: bool) -> bool:
        """Return whether the value has changed since the last call, unless that costs too much.

        If nothing follows (*is_last*), the cost does not matter.
        """
        if self._before is not None or not (is_last or self._budget.suffices):
            return False
        self._budget.spend()
        return self._reader.changed()
