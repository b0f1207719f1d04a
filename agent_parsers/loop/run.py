"""The loop of an agent: ask the model, read its turn, run the tools, until there is an answer.

It is made of what is public, so a loop of your own can do the same in seventeen lines.
"""

from __future__ import annotations

import inspect
from collections.abc import AsyncIterable, Callable
from contextlib import suppress
from dataclasses import dataclass, field
from functools import partial
from time import perf_counter
from typing import TYPE_CHECKING, Any, Generic, Literal, Never, TypeAlias, get_args

from agent_parsers.actions.agent import AgentFinish, T, observation_text
from agent_parsers.events import Event, ObservationDelta, Repair
from agent_parsers.loop.asking import Asking, ToolsIn, as_count
from agent_parsers.loop.replies import ASYNCHRONOUS, achunks_of, chunks_of, end_of
from agent_parsers.loop.request import ask, returns_awaitable
from agent_parsers.messages.writing.native import own_messages
from agent_parsers.registry.problems import wrong_option
from agent_parsers.toolset.running import (
    check_approve,
    in_thread,
    is_asynchronous,
    steps_taken,
)
from agent_parsers.transcripts.transcript import transcript_of
from output_parsers import OutputParserException
from output_parsers.runnables.functions import is_coroutine_function, present
from output_parsers.strategies.provider import has_provider
from output_parsers.streams.readers import aclose, close
from outputs.html.viewable import Viewable
from outputs.json_form.storable import Storable

if TYPE_CHECKING:
    from agent_parsers.actions.agent import AgentAction
    from agent_parsers.loop.request import ModelRequest, ToolChoice
    from agent_parsers.messages.writing.past import History
    from agent_parsers.parsers.dialect_parser import AnyDialectParser
    from agent_parsers.parsers.message_parser import MessageParser
    from agent_parsers.toolset import Tools, ToolSet
    from agent_parsers.toolset.running import Approve, ToolErrors
    from agent_parsers.transcripts.transcript import Transcript
    from outputs import BaseMessage, UsageMetadata
    from outputs.messages.ended import Ended

OnCut: TypeAlias = Literal["raise", "retry", "return"]
"""What to do with an answer that was cut: raise a `CutAnswerError`, tell the model and ask again,
or return it."""

_CUT = "the answer was cut off"
_CUT_TOLD = "Your answer was cut off. Write a shorter answer."


@dataclass(slots=True)
class AgentRun(Storable, Viewable, Generic[T]):
    """What an agent has done, and its final answer.

    ``print`` shows it in short lines, and a notebook shows it as a page. Pass it to whatever takes
    a run, such as ``history=``, `to_openai`, a report, or the writers of `agent_runs`.
    """

    _view = "agent_parsers.html.runs"

    steps: list[Any] = field(default_factory=list)
    """Each call with its observation, and the error of each turn that could not be read."""
    finish: AgentFinish | None = None
    """The final answer; `None` while there is none."""
    question: str = ""
    """What the agent was asked; empty if that stands in the history."""
    thoughts: list[str] = field(default_factory=list)
    """The reasoning before each of the steps, and before the answer; of several calls in one turn,
    the first has it."""
    contents: list[str] = field(default_factory=list)
    """What the user may see before the calls of each of the steps, in the same way."""
    repairs: list[Repair] = field(default_factory=list)
    """What was repaired, in the order of the turns; each span is one of its turn."""
    is_cut: bool = False
    """Whether the answer was cut off at the token limit."""
    ended: Ended = "unknown"
    """How the last reply ended, as far as that is known."""
    usage: UsageMetadata | None = None
    """The tokens of all requests, as far as replies tell them; `None` if none does."""
    turns: int = 0
    """How often the model was asked."""
    seconds: float = 0.0
    """How long the run took."""
    step_repairs: list[tuple[Repair, ...]] = field(default_factory=list)
    """The `repairs` of each of the steps, and of the answer, as in `thoughts`; of a turn that could
    not be read, its error has them."""

    @property
    def output(self) -> T | None:
        """The value of the answer; `None` while there is none."""
        answer: T | None = None if self.finish is None else self.finish.output
        return answer

    @property
    def transcript(self) -> Transcript:
        """The run as a `Transcript`, as if it was read from a log."""
        return transcript_of(self)

    @property
    def messages(self) -> list[BaseMessage]:
        """The run as messages: the question, the turns with their results, the answer."""
        return own_messages(self)

    def __str__(self) -> str:
        """Return the question and the steps as short lines, as a person reads them."""
        return str(self.transcript)


class CutAnswerError(RuntimeError):
    """The answer was cut off, as by the token limit; `run` has the steps and the answer."""

    def __init__(self, run: AgentRun) -> None:
        super().__init__(run)
        self.run = run

    def __str__(self) -> str:
        return (
            "the answer was cut off, at the token limit or by a filter or an error of the provider:"
            ' raise that limit, or pass on_cut="retry" or on_cut="return"'
        )


class MaxTurnsError(RuntimeError):
    """The model used up its turns without an answer; `run` has the steps."""

    def __init__(self, run: AgentRun, turns: int) -> None:
        super().__init__(run, turns)
        self.run = run
        self.turns = turns

    def __str__(self) -> str:
        turns = "1 turn" if self.turns == 1 else f"{self.turns} turns"
        return f"no answer after {turns}: increase max_turns, or inspect error.run.steps"


def run_agent(
    model: Any,
    question: str | None,
    parser: str | AnyDialectParser[T] | MessageParser[Any, T],
    tools: Tools | ToolSet | None = None,
    *,
    system: str = "",
    history: History = (),
    steps: list[Any] | None = None,
    output_type: Any = None,
    tool_choice: ToolChoice = "auto",
    max_turns: int = 8,
    max_retries: int = 2,
    as_messages: bool = True,
    tools_in: ToolsIn = "prompt",
    ended: Ended = "unknown",
    on_event: Callable[[Event], object] | None = None,
    on_partial: Callable[[Any], object] | None = None,
    on_cut: OnCut = "raise",
    tool_errors: ToolErrors = (),
    approve: Approve | None = None,
    **others: Never,
) -> AgentRun[T]:
    """Ask a model until it answers, run the tools it calls, and tell it what it got wrong.

    Args:
        model: A function that is asked: of a client, such as
            ``partial(client.chat.completions.create, model="gpt-5")``, or any that takes a prompt
            and perhaps ``stop``, and returns a text, a message, or chunks of either. Or a chat
            model of LangChain. A text cannot say how it ended: return ``(text, "stop")``,
            ``(text, "length")``, a pair with your provider's word or a `Generation`, if your client
            knows that.
        question: What the agent is asked; see `DialectParser.render_prompt`.
        parser: A parser of any dialect, or of messages; or its name, or that of a model, as
            `get_parser` takes them.
        tools: The tools, as functions; by default those of the parser. A parser without tools gets
            them.
        system: Text before the instructions.
        history: What was said before the question, such as an earlier run.
        steps: The steps of a run that is to go on. The list grows with the run, and so it has them
            if a tool raises, those of other calls of that turn included.
        output_type: The type of the answer, such as a pydantic model, ``list[str]`` or a JSON
            Schema; by default that of the parser. A prompt in text tells of it. A client that takes
            tools gets it as one more tool, which the model calls with its answer; a model that is
            known to take a schema gets that. A `ToolStrategy` or a `ProviderStrategy` says which of
            both, an `AutoStrategy` leaves it open. Tools that are called beside an answer run.
        tool_choice: Whether the model may call a tool: ``"auto"``, ``"none"``, ``"required"``, or
            the name of the only tool that it may call. An answer where a call is required is an
            error that the model reads.
        max_turns: How many turns the model has.
        max_retries: How many turns in a row may be unreadable; the model reads what was wrong and
            tries again.
        as_messages: Whether the prompt is messages; if not, a text.
        tools_in: Where a model that writes calls as text learns of the tools: the ``"prompt"``;
            or the chat ``"template"`` of its server, which gets them from the client, and past
            calls and their results as messages.
        ended: How replies end that do not say it: ``"stop"`` is for a model that returns whole
            replies as text. If it is not known, half a call may be one of a tool without an input,
            and is an error.
        on_event: Called with the events of each turn as they arrive, and then with an
            `ObservationDelta` for each call or a `StepFailed`. With it, clients are asked for
            chunks.
        on_partial: Called with the answer so far, as data, while it arrives, if it is written as
            JSON: it has neither been checked nor made an instance of its type. Clients are asked
            for chunks.
        on_cut: What to do with an answer that was cut off at the token limit: raise an error, tell
            the model and ask again, or return it.
        tool_errors: Exceptions for the model to read when a tool raises them, such as
            ``(LookupError, TimeoutError)``. A `ToolException` always is.
        approve: Called with each action before a tool of its turn runs. It returns `True`; or
            `False`, or a text for the model, if the call is not to run; or other arguments for it.
        **others: No others are taken; for another library's name, the error gives ours.

    Raises:
        CutAnswerError: The answer was cut.
        MaxTurnsError: The model has not answered in *max_turns*.
        ModelRefusalError: The model refused; asking again does not help.
        OutputParserException: More than *max_retries* turns in a row could not be read; a note of
            the last error says how many.
        StructuredOutputError: An answer cannot be used, and the ``handle_errors`` of the
            `ToolStrategy` do not let the model correct it.
        TypeError: *model* is asynchronous or no function, there are no tools, *output_type* has no
            JSON Schema, or there is no such argument.
        ValueError: *tool_choice* is no tool.
        Exception: What a tool or the model raised; of a tool, as for `ToolSet.call`.

    Whatever is raised has the run so far as ``run``.
    """
    if others:
        raise wrong_option(next(iter(others)), run_agent)
    check_approve(approve)
    asking = Asking(
        parser, question, steps, tools=tools, system=system, history=history,
        as_messages=as_messages, tools_in=tools_in, output_type=output_type,
        has_provider=has_provider(model), tool_choice=tool_choice, max_retries=max_retries,
    )  # fmt: skip
    if is_coroutine_function(approve):
        raise TypeError("approve is asynchronous: use `await arun_agent(…)`")
    for spec in asking.tools:
        if is_asynchronous(spec.origin):
            raise TypeError(f"the tool {spec.name!r} is asynchronous: use `await arun_agent(…)`")
    loop = _Loop(asking, on_event, on_partial, on_cut, max_turns)
    with loop:
        for _ in range(loop.max_turns):
            reply, end = end_of(present(loop.ask(model), ASYNCHRONOUS), ended)
            if isinstance(reply, AsyncIterable):
                raise TypeError(ASYNCHRONOUS)
            source = iter(chunks := chunks_of(reply))
            try:
                for chunk in source:
                    loop.take(chunk)
                    if asking.is_over:
                        break
            finally:
                close(source, chunks)
            if not loop.ends_turn(end):
                continue
            if asking.actions:
                with loop.calls:
                    called = asking.tools.run(asking.actions, errors=tool_errors, approve=approve)
                    loop.add(called)
            if loop.is_over():
                return loop.run
        raise MaxTurnsError(loop.run, max_turns)


async def arun_agent(
    model: Any,
    question: str | None,
    parser: str | AnyDialectParser[T] | MessageParser[Any, T],
    tools: Tools | ToolSet | None = None,
    *,
    system: str = "",
    history: History = (),
    steps: list[Any] | None = None,
    output_type: Any = None,
    tool_choice: ToolChoice = "auto",
    max_turns: int = 8,
    max_retries: int = 2,
    as_messages: bool = True,
    tools_in: ToolsIn = "prompt",
    ended: Ended = "unknown",
    on_event: Callable[[Event], object] | None = None,
    on_partial: Callable[[Any], object] | None = None,
    on_cut: OnCut = "raise",
    tool_errors: ToolErrors = (),
    approve: Approve | None = None,
    sequential: bool = False,
    **others: Never,
) -> AgentRun[T]:
    """Do the same as `run_agent` with a model, tools and *approve* that may be asynchronous.

    The tools of a turn run concurrently, functions that are not asynchronous in threads, unless
    they are to be *sequential*. A model that is not asynchronous is asked in a thread. *on_event*
    and *on_partial* may be asynchronous.
    """
    if others:
        raise wrong_option(next(iter(others)), arun_agent)
    check_approve(approve)
    asking = Asking(
        parser, question, steps, tools=tools, system=system, history=history,
        as_messages=as_messages, tools_in=tools_in, output_type=output_type,
        has_provider=has_provider(model), tool_choice=tool_choice, max_retries=max_retries,
    )  # fmt: skip
    loop = _Loop(asking, on_event, on_partial, on_cut, max_turns, is_asynchronous=True)
    with loop:
        for _ in range(loop.max_turns):
            reply = await loop.aask(model)
            reply, end = end_of(await reply if inspect.isawaitable(reply) else reply, ended)
            source = aiter(chunks := achunks_of(reply))
            try:
                async for chunk in source:
                    loop.take(chunk)
                    await loop.settle()
                    if asking.is_over:
                        break
            finally:
                await aclose(source, chunks)
            is_read = loop.ends_turn(end)
            await loop.settle()
            if not is_read:
                continue
            if asking.actions:
                with loop.calls:
                    called = asking.tools.arun(
                        asking.actions, errors=tool_errors, approve=approve, sequential=sequential
                    )
                    loop.add(await called)
                await loop.settle()
            if loop.is_over():
                return loop.run
        raise MaxTurnsError(loop.run, max_turns)


class _Loop:
    """What both loops have in common: a run, and who hears of it."""

    def __init__(
        self,
        asking: Asking[Any],
        on_event: Callable[[Event], object] | None,
        on_partial: Callable[[Any], object] | None,
        on_cut: OnCut,
        max_turns: int,
        *,
        is_asynchronous: bool = False,
    ) -> None:
        self.max_turns = as_count("max_turns", max_turns)
        if on_cut not in get_args(OnCut):
            raise ValueError(f"on_cut must be one of {get_args(OnCut)}, not {on_cut!r}")
        self._asking = asking
        self.run: AgentRun[Any] = AgentRun(
            asking.steps, question=asking.question or "", repairs=asking.repairs
        )
        self._repaired = 0  # how many of the repairs belong to a step already
        self._add_texts("", "")
        self.calls = _Calls(self, asking)
        self._began = 0.0
        self._on_event = on_event
        self._on_partial = on_partial
        self._on_cut = on_cut
        self._waiting: list[Any] | None = [] if is_asynchronous else None

    def ask(self, model: Any) -> Any:
        """Begin a turn: return what *model* replies."""
        return ask(model, self._request(), is_streamed=self._is_streamed)

    async def aask(self, model: Any) -> Any:
        """Do the same as `ask`; a *model* that is not asynchronous runs in a thread."""
        asked = partial(
            ask, model, self._request(), is_streamed=self._is_streamed, is_asynchronous=True
        )
        return asked() if returns_awaitable(model) else await in_thread(asked)

    def _request(self) -> ModelRequest:
        request = self._asking.request()
        self.run.turns += 1
        self.run.finish = None
        return request

    @property
    def _is_streamed(self) -> bool:
        return self._on_event is not None or self._on_partial is not None

    def take(self, chunk: Any) -> None:
        """Take a chunk of the reply."""
        self._tell(self._asking.feed(chunk))
        self._show_partial()

    def _show_partial(self) -> None:
        if self._on_partial is not None and self._asking.has_grown():
            self._heard(self._on_partial(self._asking.partial))

    def ends_turn(self, ended: Ended) -> bool:
        """End the reply; return whether it is accepted, so that it is not asked for again.

        Raises:
            CutAnswerError: It is an answer that was cut.
            OutputParserException: It cannot be read, and neither could too many before it.
        """
        self._tell(self._asking.close(ended))
        self._show_partial()
        finish = self._asking.finish
        self.run.is_cut, self.run.ended = self._asking.is_cut, self._asking.ended
        if finish is not None and self.run.is_cut and self._on_cut != "return":
            if self._on_cut == "raise":
                self.run.finish = finish
                raise CutAnswerError(self.run)
            cut = OutputParserException(_CUT, _CUT_TOLD, finish.log)
            self.run.is_cut = False
            self._tell([self._asking.retry(cut)])
        if not self._asking.is_done:
            self._add_texts("", "")  # the text of the error has them
        return self._asking.is_done

    def is_over(self) -> bool:
        """Return whether the turn is an answer."""
        self.run.finish = self._asking.finish
        if self.run.finish is None:
            return False
        self.run.steps += self._asking.answer_steps
        self._add_texts("", "")
        is_alone = not self._asking.actions  # else the first of its steps has both
        self.run.thoughts.append(self._asking.thought if is_alone else "")
        is_called = is_alone and self._asking.is_called
        self.run.contents.append(self._asking.content if is_called else "")
        self.run.step_repairs.append(self._new_repairs())
        return True

    def __enter__(self) -> None:
        """Begin the run."""
        self._began = perf_counter() - self.run.seconds

    def __exit__(self, _kind: object, error: BaseException | None, _trace: object) -> None:
        """End the run, and keep it on the *error* that ends it."""
        self.run.seconds = perf_counter() - self._began
        self.run.usage = self._asking.usage
        if error is not None:
            with suppress(AttributeError):
                BaseException.__setattr__(error, "run", self.run)  # its class may be frozen

    def add(self, steps: list[tuple[AgentAction, Any]]) -> None:
        """Add the *steps* of a turn to the run."""
        self.run.steps += steps
        self._add_texts(self._asking.thought, self._asking.content)
        if self._on_event is not None:
            seen = (observation_text(observation) for _, observation in steps)
            self._tell([ObservationDelta(each, (0, len(each))) for each in seen])

    def _add_texts(self, thought: str, content: str) -> None:
        """Add what was said before the new steps, and repaired; the first of them has it."""
        for texts, text in ((self.run.thoughts, thought), (self.run.contents, content)):
            while len(texts) < len(self.run.steps):
                texts.append(text)
                text = ""  # noqa: PLW2901
        while len(self.run.step_repairs) < len(self.run.steps):
            self.run.step_repairs.append(self._new_repairs())

    def _new_repairs(self) -> tuple[Repair, ...]:
        """Return the repairs that belong to no step yet."""
        new = tuple(self._asking.repairs[self._repaired :])
        self._repaired += len(new)
        return new

    def _tell(self, events: list[Event]) -> None:
        if self._on_event is not None:
            for event in events:
                self._heard(self._on_event(event))

    def _heard(self, answer: Any) -> None:
        """Keep what is to be awaited of a listener's *answer*.

        Raises:
            TypeError: It is to be awaited, and `run_agent` cannot.
        """
        if self._waiting is None:
            present(answer, "on_event or on_partial is asynchronous: use `await arun_agent(…)`")
        elif inspect.isawaitable(answer):
            self._waiting.append(answer)

    async def settle(self) -> None:
        """Await what asynchronous listeners returned."""
        while self._waiting:
            await self._waiting.pop(0)


@dataclass(slots=True)
class _Calls:
    """Adds the steps of the calls that ran before what is raised in it to the run of a *loop*."""

    loop: _Loop
    asking: Asking[Any]

    def __enter__(self) -> None:
        pass

    def __exit__(self, _kind: object, error: BaseException | None, _trace: object) -> None:
        if error is None:
            return
        self.loop.add(steps_taken(error))
        for action in self.asking.actions if len(self.asking.actions) == 1 else ():
            said = f"raised by the call to {action.tool!r} with {action.tool_input!r:.500}"
            with suppress(AttributeError):  # its class may be frozen
                error.add_note(said)  # of several calls, there is a note already
