"""What parsers have in common that ask a model to mend what another parser could not read."""

from __future__ import annotations

import inspect
import sys
from typing import TYPE_CHECKING, Any, ClassVar

from pydantic import Field, SkipValidation, field_validator
from typing_extensions import override

from output_parsers.base import BaseOutputParser, T
from output_parsers.exceptions import OutputParserException
from output_parsers.model_output import text_of
from output_parsers.prompts import PromptTemplate
from output_parsers.runnables.runnable import Runnable, RunnableLambda
from output_parsers.runnables.step import Step
from output_parsers.types.pydantic_models import without_addresses

if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import Self

    from output_parsers.runnables.batching import RunnableConfig


class RepairingParser(BaseOutputParser[T]):
    """A parser that hands on to another, and asks a model for a better text when that fails."""

    _default_prompt: ClassVar[PromptTemplate]

    parser: SkipValidation[BaseOutputParser[T]]
    """The parser that reads the text, ours or LangChain's."""

    retry_chain: SkipValidation[Any]
    """What is asked for a better text: a runnable or a function that takes a dictionary. Whatever
    it gives is what the parser reads next."""

    max_retries: int = Field(default=1, ge=0)
    """How often it is asked; the parser reads once more than that."""

    legacy: bool = True
    """Call the chain's ``run``, or ``arun``, with the values by name, if it has that."""

    @classmethod
    def from_llm(
        cls, llm: Any, parser: BaseOutputParser[T], prompt: Any = None, max_retries: int = 1
    ) -> Self:
        """Return a parser that asks *llm*.

        Args:
            llm: A runnable, ours or another library's, or a function, asynchronous or not, that
                takes the prompt as text and gives text or a message.
            parser: The parser that reads the text.
            prompt: What to ask: a text with places ``{like_this}`` for what a `retry_chain` gets,
                a `PromptTemplate`, or anything with its ``format_prompt``. None for the usual one.
            max_retries: How often to ask.

        Raises:
            TypeError: *llm*, *parser* or *prompt* is none of these.
            ValueError: *max_retries* is below 0.
        """
        if not hasattr(parser, "parse"):
            swapped = "; the model comes first, then the parser" * hasattr(llm, "parse")
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
        """Return those of the parser."""
        return self.parser.get_format_instructions()

    @property
    @override
    def OutputType(self) -> Any:
        """The type of what the parser gives."""
        return self.parser.OutputType

    def _read(self, text: str, values: Callable[[str, Exception], dict[str, Any]]) -> T:
        """Parse *text*, or what the model makes of it when it is told *values*.

        Args:
            text: What a model wrote.
            values: Gives what to tell about a text that cannot be read and the error.
        """
        attempts = Attempts(self.max_retries)
        while True:
            try:
                return self.parser.parse(text)
            except _unreadable() as error:
                attempts.failed(error)
                text = self._ask(self._emit(values(text, error), error))

    async def _aread(self, text: str, values: Callable[[str, Exception], dict[str, Any]]) -> T:
        """Do the same as `_read`."""
        attempts = Attempts(self.max_retries)
        while True:
            try:
                return await self.parser.aparse(text)
            except _unreadable() as error:
                attempts.failed(error)
                text = await self._aask(self._emit(values(text, error), error))

    def _emit(self, values: dict[str, Any], error: Exception) -> dict[str, Any]:
        """Return *values* with what helps a model about *error*, if they tell it.

        A chain of the caller's gets the error's ``repr``, as LangChain gives it.
        """
        if "error" not in values or not isinstance(self.retry_chain, AskingModel):
            return values
        return {**values, "error": _sent_to_model(error)}

    def _ask(self, values: dict[str, Any]) -> Any:
        """Return a better text, or whatever else the chain gives for *values*."""
        chain = self.retry_chain
        if self.legacy and hasattr(chain, "run"):
            return _present(chain.run(**values))
        return _present(_step(chain).invoke(values))

    async def _aask(self, values: dict[str, Any]) -> Any:
        """Do the same as `_ask`."""
        chain = self.retry_chain
        if self.legacy and hasattr(chain, "arun"):
            return await chain.arun(**values)
        return await _step(chain).ainvoke(values)


class Attempts:
    """Counts the attempts at one text.

    Args:
        max_retries: How many may follow the first.
    """

    def __init__(self, max_retries: int) -> None:
        self._left = max_retries
        self._previous: Exception | None = None

    def failed(self, error: Exception) -> None:
        """Note that an attempt failed.

        Raises:
            Exception: It was the last: *error* itself. Its cause, unless it has one of its own, is
                the error of the attempt before.
        """
        previous = self._previous
        if self._left == 0:
            if previous is None or previous is error or error.__cause__ is not None:
                raise error
            raise error from previous
        self._left -= 1
        self._previous = error


class AskingModel(Runnable[dict[str, Any], str]):
    """Fills values in a prompt, asks a model, and gives the text of its reply.

    Args:
        prompt: A text with places, a `PromptTemplate`, or anything that has its ``format_prompt``.
        llm: A runnable, ours or another library's, or a function, asynchronous or not, that takes
            the prompt as text and gives text or a message.

    Raises:
        TypeError: *prompt* or *llm* is none of these.
    """

    def __init__(self, prompt: Any, llm: Any) -> None:
        self.name = None
        self.prompt = PromptTemplate(prompt) if isinstance(prompt, str) else prompt
        if not hasattr(self.prompt, "format_prompt"):
            raise TypeError(f"expected a prompt, not {type(prompt).__name__}")
        self.model = _step(llm)
        # A prompt of another library may be more than text, which its models understand.
        self._takes_values = self.model is llm and not isinstance(llm, Step)

    @override
    def invoke(
        self,
        input: dict[str, Any],
        config: RunnableConfig | None = None,
        **kwargs: Any,
    ) -> str:
        """Return the text of the model's reply."""
        return _text(_present(self.model.invoke(self._question(input))))

    @override
    async def ainvoke(
        self,
        input: dict[str, Any],
        config: RunnableConfig | None = None,
        **kwargs: Any,
    ) -> str:
        """Return the text of the model's reply."""
        return _text(await self.model.ainvoke(self._question(input)))

    def _question(self, values: dict[str, Any]) -> Any:
        # A parser may have no instructions where the prompt has a place for them.
        if "instructions" in getattr(self.prompt, "input_variables", ()):
            values = {"instructions": "", **values}
        question = self.prompt.format_prompt(**values)
        return question if self._takes_values else question.to_string()


def _step(thing: Any) -> Any:
    """Return a runnable itself; a function, or an object that only has an ``invoke``, as one."""
    invoke = getattr(thing, "invoke", None)
    if not callable(invoke) or isinstance(thing, type):
        return RunnableLambda(thing)
    return thing if callable(getattr(thing, "ainvoke", None)) else RunnableLambda(invoke)


def _unreadable() -> tuple[type[Exception], ...]:
    """Return what parsers raise about a text: ours and, if LangChain is imported, its own."""
    theirs = getattr(sys.modules.get("langchain_core.exceptions"), "OutputParserException", None)
    return (OutputParserException,) if theirs is None else (OutputParserException, theirs)


def _sent_to_model(error: Exception) -> str:
    """Return what *error* says to a model, without the addresses of pages it cannot read."""
    observation: str | None = getattr(error, "observation", None)
    return without_addresses(observation or str(error))


def _text(reply: Any) -> str:
    """Return the text of a model's *reply*."""
    try:
        return text_of(reply)
    except TypeError as error:
        raise TypeError(
            f"the model gave {type(reply).__name__} in place of a text or a message"
        ) from error


def _present(reply: Any) -> Any:
    """Return *reply*, which is here and not awaited."""
    if inspect.isawaitable(reply):
        if inspect.iscoroutine(reply):
            reply.close()
        raise TypeError("the model is asynchronous: use ainvoke, or aparse")
    return reply
