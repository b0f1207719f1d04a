"""The loop of an agent: ask the model, read its turn, run the tools, until there is an answer.

It is made of what is public, so a loop of your own can do the same in seventeen lines.
"""

from __future__ import annotations

import inspect
from collections.abc import (
    AsyncIterable,
    AsyncIterator,
    Callable,
    Iterable,
    Iterator,
    Mapping,
)
from contextlib import aclosing, closing, suppress
from dataclasses import dataclass, field
from time import perf_counter
from typing import TYPE_CHECKING, Any, Generic, Literal, TypeAlias, get_args

from pydantic import BaseModel

from agent_parsers.actions.agent import AgentAction, AgentFinish, T, as_text
from agent_parsers.engine.reading.rules.known_tools import known_tools
from agent_parsers.events import (
    ActionComplete,
    AnswerDelta,
    Event,
    Finish,
    ObservationDelta,
    Repair,
    StepFailed,
    ThoughtDelta,
)
from agent_parsers.messages.writing.native import own_messages
from agent_parsers.messages.writing.past import past_of
from agent_parsers.messages.writing.request import ask
from agent_parsers.parsers.message_parser import MessageParser
from agent_parsers.registry.dialects_by_name import get_parser
from agent_parsers.toolset.running import steps_taken
from agent_parsers.transcripts.transcript import transcript_of
from output_parsers import ModelRefusalError, OutputParserException
from output_parsers.model_output import part_of
from output_parsers.runnables.functions import present
from output_parsers.streams.readers import aclose, close
from outputs.html.viewable import Viewable
from outputs.json_form.storable import Storable
from outputs.messages.ai import add_usage
from outputs.messages.ended import Ended

if TYPE_CHECKING:
    from agent_parsers.messages.writing.past import History
    from agent_parsers.parsers.dialect_parser import AnyDialectParser
    from agent_parsers.toolset import Tools, ToolSet
    from agent_parsers.toolset.running import Approve, ToolErrors
    from agent_parsers.transcripts.transcript import Transcript
    from outputs import BaseMessage, UsageMetadata

__all__ = ["AgentRun", "CutAnswerError", "MaxTurnsError", "OnCut", "arun_agent", "run_agent"]

OnCut: TypeAlias = Literal["raise", "retry", "return"]
"""What to do with an answer that was cut: raise a `CutAnswerError`, tell the model and ask again,
or return it."""

_CUT = "the answer was cut at the limit of tokens"
_CUT_TOLD = "Your answer was cut off, since it was too long. Write it again, shorter."
_ASYNCHRONOUS = "the model is asynchronous: use `await arun_agent(…)`"


@dataclass(slots=True)
class AgentRun(Storable, Viewable, Generic[T]):
    """What an agent has done, and what it answers in the end.

    ``print`` shows it in short lines, a notebook as a page; it goes to all that takes a run, such
    as ``history=``, `to_openai`, a report, or the writers of `agent_runs`.
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
    """Whether the answer was cut at the limit of tokens."""
    usage: UsageMetadata | None = None
    """The tokens of all requests, as far as replies tell them; `None` if none does."""
    turns: int = 0
    """How often the model was asked."""
    seconds: float = 0.0
    """How long the run took."""

    @property
    def output(self) -> T | None:
        """What is answered."""
        answer: T | None = None if self.finish is None else self.finish.output
        return answer

    @property
    def transcript(self) -> Transcript:
        """The run as one that was read from a log."""
        return transcript_of(self)

    @property
    def messages(self) -> list[BaseMessage]:
        """The run as messages: the question, the turns with their results, the answer."""
        return own_messages(self)

    def __str__(self) -> str:
        """Return the question and the steps as short lines, as a person reads them."""
        return str(self.transcript)


class CutAnswerError(RuntimeError):
    """The answer was cut at the limit of tokens; `run` is what was done, and has the answer."""

    def __init__(self, run: AgentRun) -> None:
        super().__init__(run)
        self.run = run

    def __str__(self) -> str:
        return (
            "the answer was cut at the limit of tokens: raise that limit, or say what to do with"
            ' on_cut="retry" or on_cut="return"'
        )


class MaxTurnsError(RuntimeError):
    """The model has had all its turns and has not answered; `run` is what was done."""

    def __init__(self, run: AgentRun, turns: int) -> None:
        super().__init__(run, turns)
        self.run = run
        self.turns = turns

    def __str__(self) -> str:
        return f"no answer after {self.turns} turns: raise max_turns, or look at the steps of `run`"


def run_agent(
    model: Any,
    question: str | None,
    parser: str | AnyDialectParser[T] | MessageParser[Any, T],
    tools: Tools | ToolSet | None = None,
    *,
    system: str = "",
    history: History = (),
    steps: list[Any] | None = None,
    max_turns: int = 8,
    max_retries: int = 2,
    as_messages: bool = True,
    ended: Ended = "unknown",
    on_event: Callable[[Event], object] | None = None,
    on_cut: OnCut = "raise",
    tool_errors: ToolErrors = (),
    approve: Approve | None = None,
) -> AgentRun[T]:
    """Ask a model until it answers, run the tools it calls, and tell it what it got wrong.

    Args:
        model: A function that is asked: of a client, such as
            ``partial(client.chat.completions.create, model="gpt-5")``, or any that takes a prompt
            and perhaps ``stop``, and returns a text, a message, or chunks of either. Or a chat
            model of LangChain. A text cannot say how it ended: return ``(text, "stop")``,
            ``(text, "length")`` or a `Generation`, if your client knows that.
        question: What the agent is asked; see `DialectParser.render_prompt`.
        parser: A parser of any dialect, or of messages; or its name, or that of a model, as
            `get_parser` takes them.
        tools: The tools, as functions; by default those of the parser. A parser without tools gets
            them.
        system: Text before the instructions.
        history: What was said before the question, such as an earlier run.
        steps: The steps of a run that is to go on. The list grows with the run, and so it has them
            if a tool raises, those of other calls of that turn included.
        max_turns: How many turns the model has.
        max_retries: How many turns in a row may be unreadable; the model reads what was wrong and
            tries again.
        as_messages: Whether the prompt is messages; if not, a text.
        ended: How replies end that do not say it: ``"stop"`` is for a model that returns whole
            replies as text. If it is not known, half a call may be one of a tool without an input,
            and is an error.
        on_event: Called with the events of each turn as they arrive, and then with an
            `ObservationDelta` for each call or a `StepFailed`. With it, clients are asked for
            chunks.
        on_cut: What to do with an answer that was cut at the limit of tokens: raise an error, tell
            the model and ask again, or return it.
        tool_errors: Exceptions for the model to read when a tool raises them, such as
            ``(LookupError, TimeoutError)``. A `ToolException` always is.
        approve: Called with each action before a tool of its turn runs. It returns `True`; or
            `False`, or a text for the model, if the call is not to run; or other arguments for it.

    Raises:
        CutAnswerError: The answer was cut.
        MaxTurnsError: The model has not answered in *max_turns*.
        ModelRefusalError: The model refused; asking again does not help.
        OutputParserException: More than *max_retries* turns in a row could not be read; a note of
            the last error says how many.
        TypeError: *model* is asynchronous or no function, or there are no tools.
        Exception: What a tool or the model raised; of a tool, as for `ToolSet.call`.

    Whatever is raised has the run so far as ``run``.
    """
    loop = _Loop(parser, tools, question, steps, max_retries, on_event, on_cut)
    history = past_of(history)
    with loop:
        for _ in range(max_turns):
            prompt = loop.prompt(question, system=system, history=history, as_messages=as_messages)
            reply, end = _end_of(present(loop.ask(model, prompt), _ASYNCHRONOUS), ended)
            if isinstance(reply, AsyncIterable):
                raise TypeError(_ASYNCHRONOUS)
            try:
                chunks = loop.counted(_chunks(reply))
                with closing(loop.parser.events(chunks, stop_early=True, **end)) as events:
                    for event in events:
                        loop.take(event)
            except OutputParserException as error:
                loop.retry(error)
                continue
            if loop.is_over():
                return loop.run
            if loop.actions:
                with loop.calls:
                    loop.add(loop.tools.call(loop.actions, errors=tool_errors, approve=approve))
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
    max_turns: int = 8,
    max_retries: int = 2,
    as_messages: bool = True,
    ended: Ended = "unknown",
    on_event: Callable[[Event], object] | None = None,
    on_cut: OnCut = "raise",
    tool_errors: ToolErrors = (),
    approve: Approve | None = None,
    sequential: bool = False,
) -> AgentRun[T]:
    """Do the same as `run_agent` with a model, tools and *approve* that may be asynchronous.

    The tools of a turn run concurrently, functions that are not asynchronous in threads, unless
    they are to be *sequential*.
    """
    loop = _Loop(parser, tools, question, steps, max_retries, on_event, on_cut)
    history = past_of(history)
    with loop:
        for _ in range(max_turns):
            prompt = loop.prompt(question, system=system, history=history, as_messages=as_messages)
            reply = loop.ask(model, prompt, is_asynchronous=True)
            reply, end = _end_of(await reply if inspect.isawaitable(reply) else reply, ended)
            chunks = loop.acounted(reply if isinstance(reply, AsyncIterable) else _chunks(reply))
            try:
                events = loop.parser.aevents(chunks, stop_early=True, **end)
                async with aclosing(events):
                    async for event in events:
                        loop.take(event)
            except OutputParserException as error:
                loop.retry(error)
                continue
            if loop.is_over():
                return loop.run
            if loop.actions:
                with loop.calls:
                    taken = loop.tools.acall(
                        loop.actions, errors=tool_errors, approve=approve, sequential=sequential
                    )
                    loop.add(await taken)
        raise MaxTurnsError(loop.run, max_turns)


class _Loop:
    """What both loops have in common: a run, and the turn that is being read."""

    def __init__(
        self,
        parser: str | AnyDialectParser[T] | MessageParser[Any, T],
        tools: Tools | ToolSet | None,
        question: str | None,
        steps: list[Any] | None,
        max_retries: int,
        on_event: Callable[[Event], object] | None,
        on_cut: OnCut,
    ) -> None:
        if isinstance(parser, str):
            parser = get_parser(parser, tools=tools)
        if not hasattr(parser, "render_prompt"):
            raise TypeError(
                f'an agent has a parser, as of get_parser("react"), not {parser!r:.100}'
            )
        if tools is not None:
            parser = parser.model_copy(
                update={"tools": _with_type(known_tools(tools), parser.tools)}
            )
        if parser.tools is None:
            raise TypeError("the agent has no tools: give functions, or an empty list")
        self.parser: Any = parser
        self.tools: ToolSet = parser.tools
        self.run = AgentRun([] if steps is None else steps, question=question or "")
        self.run.thoughts += [""] * len(self.run.steps)
        self.run.contents += [""] * len(self.run.steps)
        self.actions: list[AgentAction] = []
        self.calls = _Calls(self)
        self._thought: list[str] = []  # pieces of that of the turn
        self._content: list[str] = []  # pieces of that of the turn
        self._repaired_before = 0  # how many repairs there were before the turn
        self._began = 0.0
        self._usage: UsageMetadata | None = None  # of the turn
        self._usage_before: UsageMetadata | None = None
        self._raised: BaseException | None = None  # by `on_event`
        self._on_cut = on_cut
        self._retries = self._max_retries = max_retries
        self._on_event = on_event

    def prompt(self, question: str | None, **options: Any) -> Any:
        """Return the prompt for the next turn."""
        return self.parser.render_prompt(question, self.run.steps, **options)

    def ask(self, model: Any, prompt: Any, *, is_asynchronous: bool = False) -> Any:
        """Begin a turn: return what *model* replies to *prompt*."""
        self.run.finish = None
        self.run.turns += 1
        self.actions = []
        self._thought, self._content = [], []
        self._repaired_before = len(self.run.repairs)
        self._usage, self._usage_before = None, self.run.usage
        named = self.tools if isinstance(self.parser, MessageParser) else None
        return ask(
            model,
            prompt,
            self.parser.stop,
            named,
            is_streamed=self._on_event is not None,
            is_asynchronous=is_asynchronous,
        )

    def counted(self, chunks: Iterable[Any]) -> Iterator[Any]:
        """Yield *chunks* of a reply, and add up the tokens that they tell."""
        try:
            yield from map(self._counted, chunks)
        finally:
            close(chunks)

    async def acounted(self, chunks: AsyncIterable[Any] | Iterable[Any]) -> AsyncIterator[Any]:
        """Do the same as `counted` for chunks that may be asynchronous."""
        if not isinstance(chunks, AsyncIterable):
            for chunk in self.counted(chunks):
                yield chunk
            return
        try:
            async for chunk in chunks:
                yield self._counted(chunk)
        finally:
            await aclose(chunks)

    def _counted(self, chunk: Any) -> Any:
        """Return a *chunk* as a message, unless it is a text, a generation or no chunk at all."""
        part = chunk
        with suppress(TypeError, ValueError):  # the parser says what is wrong
            part = part_of(chunk)
        usage = getattr(part, "usage_metadata", None)
        if usage:
            known, given = self._usage, usage.get("input_tokens")
            # Some servers tell in each chunk what all of them have cost so far.
            is_so_far = bool(given) and known is not None and known["input_tokens"] == given
            self._usage = usage if is_so_far or known is None else add_usage(known, usage)
            self.run.usage = add_usage(self._usage_before, self._usage)
        is_within = isinstance(part, str) or part is getattr(chunk, "message", None)
        return chunk if is_within else part

    def take(self, event: Event) -> None:
        """Take an event of the turn."""
        self._tell(event)
        if isinstance(event, ActionComplete):
            self.actions.append(event.action)
        elif isinstance(event, Finish):
            self.run.finish = event.finish
        elif isinstance(event, ThoughtDelta):
            self._thought.append(event.text)
        elif isinstance(event, AnswerDelta):
            self._content.append(event.text)
        elif isinstance(event, Repair):
            self.run.repairs.append(event)

    def retry(self, error: OutputParserException) -> None:
        """Make *error* a step, so that the model reads it; raise it if that does not help."""
        if isinstance(error, ModelRefusalError) or error is self._raised:
            raise error
        if not self._retries:
            if self._max_retries:
                error.add_note(f"after {self._max_retries + 1} tries in a row")
            raise error
        self._retries -= 1
        self.run.steps.append(error)
        self.run.thoughts.append("")  # the text of the error has them
        self.run.contents.append("")
        self._tell(StepFailed(error, error.span or (0, 0)))

    def __enter__(self) -> None:
        """Begin the run."""
        self._began = perf_counter() - self.run.seconds

    def __exit__(self, _kind: object, error: BaseException | None, _trace: object) -> None:
        """End the run, and keep it on the *error* that ends it."""
        self.run.seconds = perf_counter() - self._began
        if error is not None:
            with suppress(AttributeError):
                BaseException.__setattr__(error, "run", self.run)  # its class may be frozen

    def add(self, steps: list[tuple[AgentAction, Any]]) -> None:
        """Add the *steps* of a turn to the run."""
        self.run.steps += steps
        self.run.thoughts += ("" if at else "".join(self._thought) for at in range(len(steps)))
        self.run.contents += ("" if at else "".join(self._content) for at in range(len(steps)))
        for seen in (as_text(observation) for _, observation in steps):
            self._tell(ObservationDelta(seen, (0, len(seen))))

    def _tell(self, event: Event) -> None:
        if self._on_event is None:
            return
        try:
            self._on_event(event)
        except OutputParserException as error:
            self._raised = error
            raise

    def is_over(self) -> bool:
        """Return whether the turn that was read is an answer.

        Raises:
            CutAnswerError: It was cut.
            OutputParserException: It was cut, as too many turns before it.
        """
        finish = self.run.finish
        repairs = self.run.repairs[self._repaired_before :]
        self.run.is_cut = finish is not None and any(each.kind == "cut" for each in repairs)
        if finish is not None and self.run.is_cut and self._on_cut != "return":
            if self._on_cut == "raise":
                raise CutAnswerError(self.run)
            self.run.finish, self.run.is_cut = None, False
            self.retry(OutputParserException(_CUT, _CUT_TOLD, finish.log))
            return False
        self._retries = self._max_retries
        if finish is not None:
            self.run.thoughts.append("".join(self._thought))
            self.run.contents.append("")
        return finish is not None


@dataclass(slots=True)
class _Calls:
    """Adds the steps of the calls that ran before what is raised in it to the run of a *loop*."""

    loop: _Loop

    def __enter__(self) -> None:
        pass

    def __exit__(self, _kind: object, error: BaseException | None, _trace: object) -> None:
        if error is not None:
            self.loop.add(steps_taken(error))


def _with_type(tools: ToolSet | None, known: ToolSet | None) -> ToolSet | None:
    """Return *tools* for answers of the type that the *known* ones of the parser have."""
    if tools is None or known is None or known.output_type is None:
        return tools
    return tools.answering(known.output_type.type)


def _end_of(reply: Any, ended: Ended) -> tuple[Any, dict[str, Ended]]:
    """Return what a model replied, and how that ended, as an argument if it is known.

    Args:
        reply: What the model replied, or a pair of that and how it ended.
        ended: How it ended, unless the pair says it.
    """
    if isinstance(reply, tuple) and len(reply) == 2 and reply[1] in get_args(Ended):
        reply, ended = reply
    return reply, {} if ended == "unknown" else {"ended": ended}


def _chunks(reply: Any) -> Iterable[Any]:
    """Return what a model replied as chunks; a whole message is one."""
    is_whole = isinstance(reply, str | BaseModel | Mapping) or not isinstance(reply, Iterable)
    return [reply] if is_whole else reply
