"""What parsers have in common that ask a model to mend what another parser could not read."""

from __future__ import annotations

import inspect
from typing import TYPE_CHECKING, Any

from pydantic import Field, SkipValidation
from typing_extensions import override

from output_parsers._base import BaseOutputParser, T
from output_parsers._model_output import text_of
from output_parsers._runnable import Runnable, RunnableLambda
from output_parsers._step import Step

if TYPE_CHECKING:
    from output_parsers._batching import RunnableConfig
    from output_parsers._errors import OutputParserException


class RepairingParser(BaseOutputParser[T]):
    """A parser that hands on to another, and asks a model for a better text when that fails."""

    parser: SkipValidation[BaseOutputParser[T]]
    """The parser that reads the text."""

    retry_chain: SkipValidation[Any]
    """What is asked for a better text: a runnable or a function that takes a dictionary. Whatever
    it gives is what the parser reads next."""

    max_retries: int = Field(default=1, ge=0)
    """How often it is asked; the parser reads once more than that."""

    legacy: bool = True
    """Call the chain's ``run``, or ``arun``, with the values by name, if it has that."""

    @override
    def get_format_instructions(self) -> str:
        """Return those of the parser."""
        return self.parser.get_format_instructions()

    @property
    @override
    def OutputType(self) -> Any:
        """The type of what the parser gives."""
        return self.parser.OutputType

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
        self._previous: OutputParserException | None = None

    def failed(self, error: OutputParserException) -> None:
        """Note that an attempt failed.

        Raises:
            OutputParserException: It was the last: *error* itself. Its cause, unless it has one of
                its own, is the error of the attempt before.
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
        prompt: A `PromptTemplate`, or anything that has its ``format_prompt``.
        llm: A runnable, ours or another library's, or a function, asynchronous or not, that takes
            the prompt as text and gives text or a message.

    Raises:
        TypeError: *llm* is neither.
    """

    def __init__(self, prompt: Any, llm: Any) -> None:
        self.name = None
        self.prompt = prompt
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
        return text_of(_present(self.model.invoke(self._question(input))))

    @override
    async def ainvoke(
        self,
        input: dict[str, Any],
        config: RunnableConfig | None = None,
        **kwargs: Any,
    ) -> str:
        """Return the text of the model's reply."""
        return text_of(await self.model.ainvoke(self._question(input)))

    def _question(self, values: dict[str, Any]) -> Any:
        # A parser may have no instructions where the prompt has a place for them.
        if "instructions" in getattr(self.prompt, "input_variables", ()):
            values = {"instructions": "", **values}
        question = self.prompt.format_prompt(**values)
        return question if self._takes_values else question.to_string()


def _step(thing: Any) -> Any:
    """Return a runnable itself, or a function as one."""
    if callable(getattr(thing, "invoke", None)) and callable(getattr(thing, "ainvoke", None)):
        return thing
    return RunnableLambda(thing)


def _present(reply: Any) -> Any:
    """Return *reply*, which is here and not awaited."""
    if inspect.isawaitable(reply):
        if inspect.iscoroutine(reply):
            reply.close()
        raise TypeError("the model is asynchronous: use ainvoke, or aparse")
    return reply
