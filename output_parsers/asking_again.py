"""Base class of the parsers that ask a model again when another parser fails."""

from __future__ import annotations

import sys
from collections.abc import Callable
from typing import Any, ClassVar, Self, TypeVar

from pydantic import Field, SkipValidation, field_validator
from typing_extensions import override

from output_parsers.base import BaseOutputParser, T
from output_parsers.exceptions import OutputParserException
from output_parsers.model_output import known_end, text_of
from output_parsers.prompts import PromptTemplate
from output_parsers.runnables.functions import present
from output_parsers.runnables.runnable import Runnable, RunnableLambda
from output_parsers.runnables.step import RunnableConfig, Step
from output_parsers.types.models import without_addresses

Parsed = TypeVar("Parsed")
"""What the parser that is passed to `from_llm` returns."""


class RepairingParser(BaseOutputParser[T]):
    """A parser that wraps another one, and asks a model for a better text if that one fails."""

    _default_prompt: ClassVar[PromptTemplate]

    _calls_others: ClassVar[bool] = True

    parser: SkipValidation[BaseOutputParser[T]]
    """The parser that reads the text, from this package or LangChain."""

    retry_chain: SkipValidation[Any]
    """Asked for a better text: a runnable or a function that takes a dictionary. The parser reads
    its result next."""

    max_retries: int = Field(default=1, ge=0)
    """How often the chain is asked; the parser reads one text more than that."""

    legacy: bool = True
    """Call the chain's ``run`` or ``arun`` with the values as keywords, if it has these methods."""

    @classmethod
    def from_llm(
        cls, llm: Any, parser: BaseOutputParser[T], prompt: Any = None, max_retries: int = 1
    ) -> Self:
        """Return a parser that asks *llm* if *parser* fails.

        Args:
            llm: A runnable of any library or a function, asynchronous or not, that takes the prompt
                as text and returns text or a message.
            parser: The parser that reads the text.
            prompt: A text with placeholders ``{like_this}`` for the input of a `retry_chain`, a
                `PromptTemplate`, or any object with a ``format_prompt``; `None` for the default.
            max_retries: How many times to ask.

        Raises:
            TypeError: *llm*, *parser* or *prompt* has the wrong type.
            ValueError: *max_retries* is below 0.
        """
        if not hasattr(parser, "parse"):
            swapped = "; pass the model first, then the parser" * hasattr(llm, "parse")
            raise TypeError(f"expected a parser, not {type(parser).__name__}{swapped}")
        chain = AskingModel(cls._default_prompt if prompt is None else prompt, llm)
        return cls(parser=parser, retry_chain=chain, max_retries=max_retries)

    @field_validator("parser")
    @classmethod
    def _can_parse(cls, parser: Any) -> Any:
        if not hasattr(parser, "parse"):
            raise ValueError(f"expected a parser, not {type(parser).__name__}")
        return parser

    @override
    def get_format_instructions(self) -> str:
        """Return the format instructions of the wrapped parser."""
        return self.parser.get_format_instructions()

    @property
    @override
    def OutputType(self) -> Any:
        """The type of the parser's results."""
        return self.parser.OutputType

    def _read(self, text: str, values: Callable[[str, Exception], dict[str, Any]]) -> T:
        """Parse *text*, or the model's corrections of it.

        Args:
            text: What a model wrote.
            values: Returns the chain's input for a text that cannot be read and its error.
        """
        attempts = Attempts(self.max_retries)
        while True:
            try:
                return self.parser.parse(text)
            except _unreadable() as error:
                if self._is_call_cut(text):
                    raise
                attempts.failed(error)
                text = self._ask(self._with_observation(values(text, error), error))

    async def _aread(self, text: str, values: Callable[[str, Exception], dict[str, Any]]) -> T:
        """Do the same as `_read`, asynchronously."""
        attempts = Attempts(self.max_retries)
        while True:
            try:
                return await self.parser.aparse(text)
            except _unreadable() as error:
                if self._is_call_cut(text):
                    raise
                attempts.failed(error)
                text = await self._aask(self._with_observation(values(text, error), error))

    def _is_call_cut(self, text: str) -> bool:
        """Return whether *text* was cut, and a model would make up the rest of a call."""
        may_be_fixed = getattr(self.parser, "_is_fixed_if_cut", True)
        return not may_be_fixed and known_end(self, text, "unknown") == "length"

    def _with_observation(self, values: dict[str, Any], error: Exception) -> dict[str, Any]:
        """Return *values* with the error worded for the model, if they include the error.

        A chain from the caller gets the error's ``repr``, as in LangChain.
        """
        if "error" not in values or not isinstance(self.retry_chain, AskingModel):
            return values
        return {**values, "error": _sent_to_model(error)}

    def _ask(self, values: dict[str, Any]) -> Any:
        """Return the result of the chain for *values*."""
        chain = self.retry_chain
        if self.legacy and hasattr(chain, "run"):
            return _present(chain.run(**values))
        return _present(_step(chain).invoke(values))

    async def _aask(self, values: dict[str, Any]) -> Any:
        """Do the same as `_ask`, asynchronously."""
        chain = self.retry_chain
        if self.legacy and hasattr(chain, "arun"):
            return await chain.arun(**values)
        return await _step(chain).ainvoke(values)


class Attempts:
    """Counts the attempts at one text.

    Args:
        max_retries: How many attempts may follow the first.
    """

    def __init__(self, max_retries: int) -> None:
        self._left = max_retries
        self._previous: Exception | None = None

    def failed(self, error: Exception) -> None:
        """Note that an attempt failed.

        Raises:
            Exception: It was the last attempt: *error* itself. Its cause, unless it already has
                one, is the error of the previous attempt.
        """
        previous = self._previous
        if self._left == 0:
            if previous is None or previous is error or error.__cause__ is not None:
                raise error
            raise error from previous
        self._left -= 1
        self._previous = error


class AskingModel(Runnable[dict[str, Any], str]):
    """Fills values into a prompt, asks a model, and returns the text of its reply.

    Args:
        prompt: A text with placeholders, a `PromptTemplate`, or any object with a
            ``format_prompt``.
        llm: A runnable of any library or a function, asynchronous or not, that takes the prompt as
            text and returns text or a message.

    Raises:
        TypeError: *prompt* or *llm* has the wrong type.
    """

    def __init__(self, prompt: Any, llm: Any) -> None:
        self.name: str | None = None
        self.prompt: Any = PromptTemplate(prompt) if isinstance(prompt, str) else prompt
        if not hasattr(self.prompt, "format_prompt"):
            raise TypeError(f"expected a string or a prompt template, not {type(prompt).__name__}")
        self.model: Any = _step(llm)
        # Another library's prompt may be more than text; its models accept it as it is.
        self._takes_values = self.model is llm and not isinstance(llm, Step)

    @override
    def invoke(
        self, input: dict[str, Any], config: RunnableConfig | None = None, **kwargs: Any
    ) -> str:
        """Return the text of the model's reply."""
        return _text(_present(self.model.invoke(self._question(input))))

    @override
    async def ainvoke(
        self, input: dict[str, Any], config: RunnableConfig | None = None, **kwargs: Any
    ) -> str:
        """Return the text of the model's reply."""
        return _text(await self.model.ainvoke(self._question(input)))

    def _question(self, values: dict[str, Any]) -> Any:
        # The prompt may have a placeholder for instructions that the parser does not have.
        if "instructions" in getattr(self.prompt, "input_variables", ()):
            values = {"instructions": "", **values}
        question = self.prompt.format_prompt(**values)
        return question if self._takes_values else question.to_string()


def _step(thing: Any) -> Any:
    """Return a runnable unchanged, and a function or an object with only ``invoke`` as one."""
    invoke = getattr(thing, "invoke", None)
    if not callable(invoke) or isinstance(thing, type):
        return RunnableLambda(thing)
    return thing if callable(getattr(thing, "ainvoke", None)) else RunnableLambda(invoke)


def _unreadable() -> tuple[type[Exception], ...]:
    """Return the exceptions that parsers raise: ours and, if LangChain is imported, its own."""
    theirs = getattr(sys.modules.get("langchain_core.exceptions"), "OutputParserException", None)
    return (OutputParserException,) if theirs is None else (OutputParserException, theirs)


def _sent_to_model(error: Exception) -> str:
    """Return the message of *error* for the model, without links to web pages."""
    observation: str | None = getattr(error, "observation", None)
    return without_addresses(observation or str(error))


def _text(reply: Any) -> str:
    """Return the text of a model's *reply*."""
    try:
        return text_of(reply)
    except TypeError as error:
        raise TypeError(
            f"expected the model to return a string or a message, got {type(reply).__name__}"
        ) from error


def _present(reply: Any) -> Any:
    """Return *reply*; raise if it would have to be awaited."""
    return present(
        reply, "the model is asynchronous: use ainvoke or aparse instead of invoke or parse"
    )
