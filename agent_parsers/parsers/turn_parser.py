"""The base class of the parsers that read and write the turns of a dialect."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Any, ClassVar, Generic, Literal, Self, overload

from pydantic import Field, field_validator, model_validator
from typing_extensions import override

from agent_parsers.actions.agent import AgentFinish, T, TurnResult
from agent_parsers.engine.reading.message_text import text_and_end
from agent_parsers.engine.reading.rules.machine import machine
from agent_parsers.engine.repairs.payloads import BadPayload
from agent_parsers.engine.tables.dialect import Dialect
from agent_parsers.engine.tables.modes import EmitCalls, Mode, OnConflict, check_ended
from agent_parsers.engine.whole import whole_reader
from agent_parsers.parsers.constrained import Constrained
from agent_parsers.parsers.event_parser import EventParser, aparse_text, parse_text
from agent_parsers.reports import LISTENERS
from output_parsers import OutputParserException
from output_parsers.model_output import (
    announced_in,
    check_of_model,
    check_text,
    part_of,
)
from output_parsers.printable import kind_of

if TYPE_CHECKING:
    from agent_parsers.engine.reading.turn import Turn
    from agent_parsers.engine.stream_parser import StreamParser
    from agent_parsers.engine.writing.render import Rendered, Step
    from agent_parsers.explain.explanation import ExplainedChunk, Explanation
    from agent_parsers.messages.writing.past import History
    from output_parsers import ModelOutput
    from outputs import BaseMessage
    from outputs.messages.ended import Ended


class TurnParser(Constrained, EventParser, Generic[T]):
    """Reads one turn of a dialect, whole or as it streams in, and writes past turns.

    Its subclasses are `DialectParser` and `MultiActionDialectParser`.
    """

    _has_several: ClassVar[bool | None] = None
    """Whether turns may have several calls."""
    _is_langchain: ClassVar[bool] = False
    """Whether strict reading without tools is that of a class of LangChain."""
    _type_name: ClassVar[str] = ""
    """What `_type` returns; by default the name of the dialect."""

    dialect: Dialect = Field(exclude=True)
    """The format of the turns."""
    start: Literal["", "content", "thought"] = ""
    """The part in which the text begins, if not the one the dialect declares: some prompts open a
    thought, which the text then continues."""
    prompt: str = ""
    """The end of the prompt that the text continues, as another way to set `start`: after
    ``<think>`` the text is a thought, after ``</think>`` it is content."""
    on_conflict: OnConflict = "error"
    """Which part counts in lenient mode if a turn has an action and an answer: the ``"first"``, the
    ``"action"`` or the ``"answer"``; ``"error"`` raises. Strict mode follows LangChain."""

    @field_validator("dialect")
    @classmethod
    def _check_dialect(cls, dialect: Dialect) -> Dialect:
        """Raise if the results of the dialect are not of the type that this parser returns."""
        if cls._has_several is not None and dialect.several is not cls._has_several:
            has, kind = (
                ("may have several calls in a turn", "MultiActionDialectParser")
                if dialect.several
                else ("has one call in a turn", "DialectParser")
            )
            raise ValueError(f"{dialect.name} {has}: use {kind}, or get_parser")
        return dialect

    @model_validator(mode="after")
    def _check_start(self) -> Self:
        """Raise if the dialect does not have the start."""
        if self.start or self.prompt:
            machine(self.dialect, self.mode, self.on_conflict).start(self.start, self.prompt)
        return self

    @property
    def mode(self) -> Mode:
        """How turns are read: ``"lenient"``, ``"strict"``, or ``"langchain"`` as LangChain does."""
        if self.lenient:
            return "lenient"
        return "langchain" if self._is_langchain and self.tools is None else "strict"

    @property
    def _type(self) -> str:
        return self._type_name or self.dialect.name

    @property
    def stop(self) -> list[str]:
        """Stop sequences to pass to the model."""
        return list(self.dialect.stop)

    def _parse_output(
        self, output: ModelOutput, *, ended: Ended = "unknown", **_kwargs: Any
    ) -> Any:
        """Parse the text of *output*; tool calls in a message are not text."""
        if isinstance(output, str):
            text = output
        else:
            text, ended = self._text_and_end(output, ended)
        result = parse_text(self, text, ended)
        if output is not text:
            self._check_called(output, result)
        return result

    async def _aparse_output(
        self, output: ModelOutput, *, ended: Ended = "unknown", **_kwargs: Any
    ) -> Any:
        """Do the same as `_parse_output`, with `aparse`."""
        text, ended = self._text_and_end(output, ended)
        result = await aparse_text(self, text, ended)
        self._check_called(output, result)
        return result

    def _check_called(self, output: ModelOutput, result: TurnResult | None) -> None:
        """Raise if *result* is the answer of a message whose finish reason announces a call."""
        if (error := self._lost_call(output, result)) is not None:
            from agent_parsers.engine.turn_reports import report_error  # lazily: only for errors

            report_error(error, self.dialect.name, self.tools, lenient=self.lenient)
            raise error

    def _lost_call(
        self, output: ModelOutput, result: TurnResult | None
    ) -> OutputParserException | None:
        """Return the error that `_check_called` raises."""
        reason = announced_in(output, part_of(output)) if isinstance(result, AgentFinish) else ""
        if not reason or self.mode == "langchain":
            return None
        from agent_parsers.engine.writing.advice import advice  # lazily: as above

        text = self._text_in(output)
        bad = BadPayload("lost_call", (0, len(text)), mark=reason)
        reading = machine(self.dialect, self.mode, self.on_conflict)
        return reading.error(bad, text, self.tools, advice)

    def _read_whole(self, text: str, ended: Ended) -> TurnResult:
        """Return the result of a turn that *ended* like this."""
        if not isinstance(text, str):
            check_text(text)
        ended = self._known_end(text, ended)
        if LISTENERS:  # only a stream knows what was repaired
            return self._read_turn(text, ended).result
        is_langchain = self._is_langchain and self.tools is None
        # faster than the property
        mode: Mode = "lenient" if self.lenient else "langchain" if is_langchain else "strict"
        reader = whole_reader(self.dialect, mode, self.on_conflict)
        ended = self._end_of(ended)
        return reader.parse(text, self.max_chars, self.tools, self.start, self.prompt, ended)

    def _end_of(self, ended: Ended) -> Ended:
        """Return how a text ended, given what is known of that."""
        return ended

    def _check_role(self, output: ModelOutput) -> None:
        """Raise a `TypeError` if *output* is a message that a model did not write."""
        check_of_model(output)

    def _text_in(self, output: ModelOutput) -> str:
        """Return the text of *output*."""
        return self._text_and_end(output, "unknown")[0]

    def _text_and_end(self, output: ModelOutput, ended: Ended) -> tuple[str, Ended]:
        """Return the text of *output*, and how it *ended*, which *output* may say."""
        check_ended(ended)
        if isinstance(output, str):
            return output, ended
        self._check_role(output)
        try:
            text, said = text_and_end(output)
        except OutputParserException as error:
            from agent_parsers.engine.turn_reports import report_error  # lazily: only for errors

            report_error(error, self.dialect.name, self.tools, lenient=self.lenient)
            raise
        return text, said if ended == "unknown" else ended

    def read(self, output: ModelOutput, *, ended: Ended = "unknown") -> Turn[T]:
        """Read one turn and return its result, thought, content, repairs and events.

        Args:
            output: What the model wrote: a text, or a message of any kind that `outputs.from_any`
                takes. The reasoning beside the text of a message precedes the thought in it.
            ended: How the text ended; by default read from *output*.

        Raises:
            NotImplementedError: A subclass overrides `parse`, and not this method.
            OutputParserException: As for `parse`; or *output* is a message that calls tools.
            TypeError: *output* is not a text, a message of a model or a generation.
        """
        self._check_only_whole("read")
        text, ended = self._text_and_end(output, ended)
        turn: Turn[T] = self._read_turn(text, ended)
        if isinstance(output, str):
            return turn
        self._check_called(output, turn.result)
        from agent_parsers.parsers.beside_text import with_reasoning  # lazily: only for messages

        return with_reasoning(turn, output)

    def _read_turn(self, text: str, ended: Ended) -> Turn[T]:
        """Return all of a turn that *ended* like this."""
        if ended != "length" and not (self.start or self.prompt) and len(text) <= self.max_chars:
            reader = whole_reader(self.dialect, self.mode, self.on_conflict)
            turn = reader.read(text, self.tools)
            if turn is not None and not (turn.repairs and LISTENERS):  # only a stream tells those
                return turn
        from agent_parsers.engine.reading.turn import read_turn

        return read_turn(self._new_stream("all"), text, ended)

    def explain(self, output: ModelOutput, *, ended: Ended = "unknown") -> Explanation:
        """Explain why a turn parses as it does, with spans, repairs and skipped text.

        What cannot be read is explained as well, with the error in `Explanation.error`.

        Args:
            output: What the model wrote: a text, or a message or a generation with one.
            ended: How the text ended; by default read from *output*. See `parse`.

        Raises:
            TypeError: *output* is of another type, or a message that no model wrote.
        """
        self._check_only_whole("explain")
        from agent_parsers.explain.explanation import explain  # imported lazily: rarely needed

        error: OutputParserException | None = None
        try:
            text, ended = self._text_and_end(output, ended)
        except OutputParserException as failed:
            text, error = failed.llm_output or "", failed
        options = {**self._stream_options(), "ended": self._end_of(ended)}
        explanation = explain(self.dialect, text=text, **options)
        error = error or self._lost_call(output, explanation.result)
        return explanation if error is None else replace(explanation, result=None, error=error)

    def explain_chunks(
        self, chunks: Iterable[str], *, ended: Ended = "unknown"
    ) -> Iterator[ExplainedChunk]:
        """Yield what each chunk of a stream completes, what is held back after it, and why.

        The end of the text comes last; an error is in its field ``error``, and nothing is raised.

        Args:
            chunks: The text of one turn, cut anywhere.
            ended: How the text ended; see `parse`.

        Raises:
            TypeError: One of *chunks* is not a text.
        """
        self._check_only_whole("explain_chunks")
        from agent_parsers.explain.explanation import (
            explain_chunks,  # imported lazily: rarely needed
        )

        options = {**self._stream_options(), "ended": self._end_of(ended)}
        return explain_chunks(self.dialect, _texts(chunks), **options)

    @override
    def stream_parser(self, *, calls: EmitCalls = "all") -> StreamParser:
        """Return a stream parser for one turn; see its `feed` and `close`.

        Args:
            calls: Whether ``"all"`` calls of the turn are emitted at its end, if all can be made,
                or ``"each"`` when its block closes; see `StreamParser`.

        Raises:
            ValueError: *calls* is ``"each"``, and the dialect has no marks of calls, or the parser
                has neither `start` nor `prompt`.
        """
        self._check_only_whole("stream_parser")
        return self._new_stream(calls)

    def _new_stream(self, calls: EmitCalls) -> StreamParser:
        from agent_parsers.parsers.beside_text import DialectStreamParser

        options = self._stream_options()
        return DialectStreamParser(self.dialect, self._check_role, calls=calls, **options)

    def _stream_options(self) -> dict[str, Any]:
        return {
            "mode": self.mode,
            "max_chars": self.max_chars,
            "tools": self.tools,
            "on_conflict": self.on_conflict,
            "start": self.start,
            "prompt": self.prompt,
            "ended": self._end_of("unknown"),
        }

    def render(
        self, step: Rendered, *, thought: str = "", content: str = "", number: int = 1
    ) -> str:
        """Return a step in this dialect, so that parsing it yields the same thought and action.

        If the tool schema gives types to an input, the input is written in the form that the
        dialect supports: as an object, as the text of the only parameter, or as an object in JSON.
        Parsing yields it as the tool takes it.

        Args:
            step: An action, an answer, or an action with what the tool returned; if turns may have
                several calls also a list of actions, or of actions with what the tools returned.
                Text that would be read as a marker is escaped with a backslash, which parsing
                removes. The action's own ``log`` is not used: it may be in another dialect.
            thought: The thought before the action or answer.
            content: The text beside the calls, if turns may have several calls.
            number: Number of the step, for dialects that number their steps; of several calls, the
                number of the first.

        Raises:
            ValueError: The dialect cannot express the step, for example an input that contains a
                label, or the tool does not take the input.
        """
        from agent_parsers.engine.writing.render import render

        return render(
            self.dialect, step, thought=thought, content=content, number=number, tools=self.tools
        )

    def format_scratchpad(self, steps: Sequence[Step]) -> str:
        """Return the steps taken so far as text for the next prompt.

        The model's own text (``log``) is used unchanged if this dialect reads the call in it, but
        for the marks of results and of turns in a turn that failed, which are escaped; all else is
        rendered. If the model made several calls in one turn, each a step of its own, the text of
        that turn is written once.
        """
        from agent_parsers.engine.writing.past_turns import render_scratchpad
        from agent_parsers.messages.writing.conversation import own_turns

        return render_scratchpad(self.dialect, own_turns(steps, self.dialect, self.tools))

    @overload
    def render_prompt(
        self,
        question: str | None = ...,
        steps: Sequence[Step] = ...,
        *,
        system: str = ...,
        history: History = ...,
        as_messages: Literal[False] = ...,
    ) -> str: ...
    @overload
    def render_prompt(
        self,
        question: str | None = ...,
        steps: Sequence[Step] = ...,
        *,
        system: str = ...,
        history: History = ...,
        as_messages: Literal[True],
    ) -> list[BaseMessage]: ...
    def render_prompt(
        self,
        question: str | None = None,
        steps: Sequence[Step] = (),
        *,
        system: str = "",
        history: History = (),
        as_messages: bool = False,
    ) -> str | list[BaseMessage]:
        """Return the whole prompt for the next turn: the instructions, the question, past steps.

        Args:
            question: What the agent is asked, inserted unchanged; it may be left out if *history*
                ends in a question or in results.
            steps: The steps taken so far, written as by `format_scratchpad`. The prompt ends in
                the words that the next turn continues.
            system: Text before the instructions.
            history: What was said before the question: a run; or messages of any client, pairs of
                a role and a text, steps, turns, answers and errors of turns. All are written in the
                dialect; what it cannot express is described in words. System messages at the
                beginning stand before the instructions.
            as_messages: Whether to return messages for a chat model: the instructions, the
                history, the question, and for each step what the model wrote and what the tool
                returned.

        Raises:
            TypeError: *question* is not a text, or *history* contains something else.
            ValueError: A message is malformed, or has more than text and the prompt is a text; or
                the parser does not know its tools. Classes with LangChain's names write ``{tools}``
                and ``{tool_names}`` in place of tools that they do not know.
        """
        options: Any = {"system": system, "history": history, "as_messages": as_messages}
        prompt = self._prompt(question, steps, **options)
        if self.tools is None and not self._is_langchain:
            raise ValueError(
                "the prompt has to list the tools, which this parser does not know: pass tools=[…]"
                " to get_parser, or tools=[] if there are none"
            )
        return prompt

    def _prompt(
        self, question: str | None, steps: Sequence[Step], **options: Any
    ) -> str | list[BaseMessage]:
        """Return what `render_prompt` does, with placeholders for tools that are not known."""
        from agent_parsers.messages.writing.conversation import prompt_of

        said = self.get_format_instructions()
        return prompt_of(self.dialect, said, self.tools, question, steps, **options)

    def get_format_instructions(self) -> str:
        """Return the instructions that tell the model how to write its turns and call the tools.

        Without tools the text contains ``{tools}`` and ``{tool_names}`` for you to fill in.
        """
        from agent_parsers.engine.writing.prompt import instructions

        return instructions(self.dialect, self.tools)


def _texts(chunks: Iterable[str]) -> Iterator[str]:
    """Yield *chunks*; raise a `TypeError` for one that is not a text."""
    for chunk in chunks:
        if not isinstance(chunk, str):
            raise TypeError(f"explain_chunks takes chunks of text, not {kind_of(chunk)}")
        yield chunk
