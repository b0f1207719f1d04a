"""The parsers of LangChain's text and chat agents; strict unless ``lenient=True``."""

from __future__ import annotations

from abc import abstractmethod
from typing import TYPE_CHECKING, Any, Self

from pydantic import Field, SerializeAsAny, SkipValidation, model_validator
from typing_extensions import override

from agent_parsers.actions.agent import AgentAction, AgentFinish
from agent_parsers.dialects import (
    chat,
    conversational,
    conversational_chat,
    mrkl,
    react_docstore,
    structured_chat,
)
from agent_parsers.engine.reading.message_text import text_and_end
from agent_parsers.engine.tables.dialect import Dialect
from agent_parsers.parsers.dialect_parser import DialectParser, InstructedParser, NamedParser
from agent_parsers.parsers.event_parser import AgentOutputParser, parse_text
from output_parsers import OutputFixingParser, OutputParserException
from output_parsers.model_output import known_end

if TYPE_CHECKING:
    from output_parsers import ModelOutput
    from outputs.messages.ended import Ended


class MadeParser(NamedParser):
    """A parser whose dialect is made from its other fields, also after copying or unpickling."""

    _is_langchain = True

    @abstractmethod
    def _make(self) -> Dialect:
        """Return the dialect that the fields describe."""

    @model_validator(mode="after")
    def _set_dialect(self) -> Self:
        self.__dict__["dialect"] = self._make()  # an assignment would be validated again
        return self

    @override
    def __getstate__(self) -> dict[Any, Any]:
        state = super().__getstate__()
        fields = {name: value for name, value in state["__dict__"].items() if name != "dialect"}
        return {**state, "__dict__": fields}

    @override
    def __setstate__(self, state: dict[Any, Any]) -> None:
        super().__setstate__(state)
        self.__dict__["dialect"] = self._make()


# -- text agents -----------------------------------------------------------------------------------


class ReActOutputParser(NamedParser):
    """Reads ReAct text as in the paper: ``Action 1: Search[entity]`` and ``Finish[answer]``."""

    _type_name = "react"
    _is_langchain = True

    dialect: Dialect = Field(default=react_docstore.DIALECT, exclude=True)


class MRKLOutputParser(InstructedParser):
    """Reads ReAct text like LangChain's MRKL agent: an action after the answer is ignored."""

    _type_name = "mrkl"
    dialect: Dialect = Field(default=mrkl.DIALECT, exclude=True)


class ConvoTextOutputParser(MadeParser, InstructedParser):
    """Reads the text of LangChain's conversational agent: an action, or a reply after ``AI:``.

    It corresponds to `langchain_classic.agents.conversational.output_parser.ConvoOutputParser`. It
    has another name here because the parser of the chat agent, which reads JSON, has that name too.

    Raises:
        ValueError: The prefix is empty, or the same as another label.
    """

    _type_name = "conversational"
    dialect: Dialect = Field(default=conversational.DIALECT, exclude=True)
    ai_prefix: str = conversational.AI_PREFIX
    """The word before the colon and the reply."""

    @override
    def _make(self) -> Dialect:
        return conversational.make_dialect(self.ai_prefix)


# -- chat agents, which write actions as JSON ------------------------------------------------------


class ChatOutputParser(InstructedParser):
    """Like `ReActJsonSingleInputOutputParser`, but requires a line break after the fence."""

    _type_name = "chat"
    dialect: Dialect = Field(default=chat.DIALECT, exclude=True)


class StructuredChatOutputParser(InstructedParser):
    """Reads one JSON object in a code fence; text without one is the final answer.

    Returns `AgentAction` or `AgentFinish`, as `langchain_classic` does.
    """

    _type_name = "structured_chat"
    dialect: Dialect = Field(default=structured_chat.DIALECT, exclude=True)


class ConvoOutputParser(InstructedParser):
    """Reads one JSON object, which must have both ``action`` and ``action_input``.

    Returns `AgentAction` or `AgentFinish`, as `langchain_classic` does.
    """

    _type_name = "conversational_chat"
    dialect: Dialect = Field(default=conversational_chat.DIALECT, exclude=True)


class StructuredChatOutputParserWithRetries(AgentOutputParser):
    """Reads structured chat, and can ask a model to fix text that cannot be read.

    ::

        parser = StructuredChatOutputParserWithRetries.from_llm(llm)
    """

    _type_name = "structured_chat_with_retries"

    base_parser: SkipValidation[SerializeAsAny[AgentOutputParser]] = Field(
        default_factory=StructuredChatOutputParser
    )
    """The parser that reads the text."""
    output_fixing_parser: SkipValidation[OutputFixingParser[AgentAction | AgentFinish]] | None = (
        None
    )
    """The parser that asks a model to fix the text; `None` to fix nothing."""

    @model_validator(mode="before")
    @classmethod
    def _check_arguments(cls, given: Any) -> Any:
        """Check that none of the arguments is one of the base parser, perhaps misspelt."""
        theirs = StructuredChatOutputParser.model_fields.keys() - cls.model_fields.keys()
        for name in given.keys() - cls.model_fields.keys() if isinstance(given, dict) else ():
            from difflib import get_close_matches  # imported lazily: an error

            if near := get_close_matches(name, theirs, n=1, cutoff=0.8):
                raise TypeError(
                    f"{cls.__name__} has no argument {name!r}: pass it to the base parser, as in"
                    f" {cls.__name__}(base_parser=StructuredChatOutputParser({near[0]}=…))"
                )
        return given

    @override
    def get_format_instructions(self) -> str:
        """Return the instructions that tell the model how to write its turns."""
        return self.base_parser.get_format_instructions()

    @override
    def parse(self, text: str, *, ended: Ended = "unknown") -> AgentAction | AgentFinish:
        """Read one turn.

        Args:
            text: What the model wrote.
            ended: How the text ended. A text that was cut is not sent to the model to fix, since
                the model would make up the rest.

        Raises:
            OutputParserException: The text cannot be read, and was not fixed.
        """
        base, ended = self.base_parser, known_end(self, text, ended)
        try:
            if self.output_fixing_parser is not None and ended != "length":
                return self.output_fixing_parser.parse(text)
            is_ours = isinstance(base, DialectParser)
            return base.invoke(text, ended=ended) if is_ours else base.parse(text)
        except OutputParserException as error:
            raise OutputParserException(
                f"Could not parse LLM output: {text}",
                observation=error.observation,
                llm_output=text,
                span=error.span if error.llm_output == text else None,
            ) from error

    @override
    def _parse_output(
        self, output: ModelOutput, *, ended: Ended = "unknown", **_kwargs: Any
    ) -> AgentAction | AgentFinish:
        if isinstance(base := self.base_parser, DialectParser):
            base._check_role(output)
        text, said = text_and_end(output)
        ended = said if ended == "unknown" else ended
        result: AgentAction | AgentFinish = parse_text(self, text, ended)
        if isinstance(base, DialectParser):
            base._check_called(output, result)
        return result

    @classmethod
    def from_llm(
        cls, llm: Any = None, base_parser: StructuredChatOutputParser | None = None
    ) -> Self:
        """Return a parser that asks a model to fix text that cannot be read.

        Args:
            llm: The model; `None` to fix nothing.
            base_parser: The parser that reads the text.
        """
        base = base_parser or StructuredChatOutputParser()
        if llm is None:
            return cls(base_parser=base)
        fixing = OutputFixingParser[AgentAction | AgentFinish].from_llm(llm=llm, parser=base)
        return cls(base_parser=base, output_fixing_parser=fixing)
