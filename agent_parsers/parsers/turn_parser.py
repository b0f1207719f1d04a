"""What reads and writes the turns of a dialect, be they of one action or of several calls."""

from __future__ import annotations

from functools import lru_cache
from inspect import signature
from typing import TYPE_CHECKING, Any, ClassVar, Literal, overload

from pydantic import Field, field_validator, model_validator
from typing_extensions import override

from agent_parsers.engine.grammar.dialect import Dialect
from agent_parsers.engine.grammar.modes import OnConflict
from agent_parsers.engine.reading.machine import machine
from agent_parsers.engine.reading.message_text import text_and_end
from agent_parsers.parsers.event_parser import EventParser

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from typing import Self

    from agent_parsers.engine.grammar.modes import Mode
    from agent_parsers.engine.reading.turn import Turn
    from agent_parsers.engine.stream_parser import StreamParser
    from agent_parsers.engine.writing.render import Rendered, Step
    from agent_parsers.explain.explanation import Explanation
    from output_parsers import ModelOutput
    from outputs import BaseMessage
    from outputs.messages.ended import Ended

__all__ = ["TurnParser"]


class TurnParser(EventParser):
    """Reads one turn of a dialect, whole or while it comes in, and writes past turns as it does.

    Its classes are `DialectParser` and `MultiActionDialectParser`.
    """

    _has_several: ClassVar[bool | None] = None
    """Whether turns may have several calls."""

    dialect: Dialect = Field(exclude=True)
    """How turns are written."""
    start: Literal["", "content", "thought"] = ""
    """Where the text begins, if not where the dialect says: the same text means different things
    after different prompts, some of which open a thought."""
    prompt: str = ""
    """The end of the prompt that the text continues, which says the same: after ``<think>`` it is a
    thought, after ``</think>`` content."""
    on_conflict: OnConflict = "error"
    """What counts in a lenient turn that has an action and an answer: the ``"first"``, the
    ``"action"``, the ``"answer"``, or none. Strict reading follows LangChain."""

    @field_validator("dialect")
    @classmethod
    def _check_dialect(cls, dialect: Dialect) -> Dialect:
        """Refuse a dialect whose turns come to something else than this parser returns."""
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
        """Refuse a start that the dialect does not know."""
        if self.start or self.prompt:
            machine(self.dialect, self.mode, self.on_conflict).start(self.start, self.prompt)
        return self

    @property
    def mode(self) -> Mode:
        """How turns are read."""
        return "lenient" if self.lenient else "strict"

    @property
    def stop(self) -> list[str]:
        """Stop sequences to pass to the model."""
        return list(self.dialect.stop)

    def _parse_output(
        self, output: ModelOutput, *, ended: Ended = "unknown", **_kwargs: Any
    ) -> Any:
        """Parse the text of *output*, which calls of tools are not; it says how it ended.

        Args:
            output: A text, a message or a generation.
            ended: How it ended, if that is known better.
        """
        text, said = (output, ended) if isinstance(output, str) else text_and_end(output)
        if ended == "unknown":
            ended = said
        parse: Callable[..., Any] = getattr(self, "parse")  # noqa: B009 - of the subclasses
        # Who overrides it may know of the text alone.
        if ended == "unknown" or not _takes_end(getattr(parse, "__func__", parse)):
            return parse(text)
        return parse(text, ended=ended)

    def _text_in(self, output: ModelOutput) -> str:
        """Return the text that *output* has for this parser."""
        return output if isinstance(output, str) else text_and_end(output)[0]

    def read(self, text: str, *, ended: Ended = "unknown") -> Turn:
        """Read one turn and return all that is to know of it.

        Args:
            text: What the model wrote.
            ended: How the text ended; see `parse`.

        Raises:
            OutputParserException: As `parse` does.
        """
        from agent_parsers.engine.reading.turn import read_turn

        return read_turn(self.stream_parser(), text, ended)

    def explain(self, text: str, *, ended: Ended = "unknown") -> Explanation:
        """Say why a turn parses as it does: spans, repairs, what did not count; it never raises.

        Args:
            text: What the model wrote.
            ended: How the text ended; see `parse`.
        """
        from agent_parsers.explain.explanation import explain  # only who asks why needs it

        return explain(
            self.dialect,
            self.mode,
            text,
            self.tools,
            self.max_chars,
            on_conflict=self.on_conflict,
            start=self.start,
            prompt=self.prompt,
            ended=ended,
        )

    @override
    def stream_parser(self) -> StreamParser:
        """Return what reads one turn as it comes in, by `feed` and `close`."""
        from agent_parsers.engine.stream_parser import StreamParser

        return StreamParser(
            self.dialect,
            mode=self.mode,
            max_chars=self.max_chars,
            tools=self.tools,
            on_conflict=self.on_conflict,
            start=self.start,
            prompt=self.prompt,
        )

    def render(
        self, step: Rendered, *, thought: str = "", content: str = "", number: int = 1
    ) -> str:
        """Write a step as this dialect does, so that reading it gives the same thought and action.

        An input that the schema of a tool gives types is written as the dialect can say it: as an
        object, as the text of the only parameter, or as an object in JSON. It is read back as the
        tool takes it.

        Args:
            step: An action, an answer, or an action with what the tool returned; where a turn may
                have several calls also a list of actions, or of actions with what the tools
                returned. What would be read as a marker in that gets a backslash, which reading
                takes off. The action's own ``log`` is not used: it may be in another dialect.
            thought: What the model thought before.
            content: What it said beside calls, where turns may have several.
            number: Number of the step, for dialects that count; of several calls that of the first.

        Raises:
            ValueError: The dialect cannot say this, such as an input that holds a label, or the
                tool does not take the input.
        """
        from agent_parsers.engine.writing.render import render

        return render(
            self.dialect, step, thought=thought, content=content, number=number, tools=self.tools
        )

    def format_scratchpad(self, steps: Sequence[Step]) -> str:
        """Write the steps taken so far, as the next prompt continues them.

        The model's own text (``log``) is used as it is; an action without one is rendered. Calls
        that the model made in one turn, each a step of its own, have that turn once.
        """
        from agent_parsers.engine.writing.past_turns import render_scratchpad

        return render_scratchpad(self.dialect, steps, self.tools)

    @overload
    def render_prompt(
        self,
        question: str,
        steps: Sequence[Step] = ...,
        *,
        system: str = ...,
        as_messages: Literal[False] = ...,
    ) -> str: ...
    @overload
    def render_prompt(
        self,
        question: str,
        steps: Sequence[Step] = ...,
        *,
        system: str = ...,
        as_messages: Literal[True],
    ) -> list[BaseMessage]: ...
    def render_prompt(
        self,
        question: str,
        steps: Sequence[Step] = (),
        *,
        system: str = "",
        as_messages: bool = False,
    ) -> str | list[BaseMessage]:
        """Return the whole prompt for the next turn: the instructions, the question, past steps.

        Args:
            question: What the agent is asked; it is put in as it is.
            steps: What it has done so far, written as `format_scratchpad` does. The text ends in
                what invites the next turn.
            system: What stands before the instructions.
            as_messages: Whether to return messages for a chat model: the instructions, the
                question, and for each step what the model wrote and what the tool returned.
        """
        from agent_parsers.engine.writing.prompt import render_prompt

        told = self.get_format_instructions()
        return render_prompt(
            self.dialect, told, question, self.tools, steps, system=system, as_messages=as_messages
        )

    def get_format_instructions(self) -> str:
        """Return what to tell the model about the form of its turns, and about the tools.

        A parser that was given no tools leaves ``{tools}`` and ``{tool_names}`` for you to fill in.
        """
        from agent_parsers.engine.writing.prompt import instructions

        return instructions(self.dialect, self.tools)


@lru_cache
def _takes_end(parse: Callable[..., Any]) -> bool:
    """Tell whether *parse* takes how the text ended."""
    known = signature(parse).parameters.values()
    return any(each.name == "ended" or each.kind is each.VAR_KEYWORD for each in known)
