"""The parsers that have a model asked again."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from typing_extensions import override

from output_parsers._base import BaseOutputParser, T
from output_parsers._errors import OutputParserException
from output_parsers._prompts import NAIVE_RETRY_PROMPT, NAIVE_RETRY_WITH_ERROR_PROMPT
from output_parsers._repairing import AskingModel, Attempts, RepairingParser

if TYPE_CHECKING:
    from typing import NoReturn


class RetryOutputParser(RepairingParser[T]):
    """Parses as another parser does; when that fails, has the model asked again.

    ::

        parser = RetryOutputParser.from_llm(model, DatetimeOutputParser())
        parser.parse_with_prompt(reply, "When did the Titanic sink?")

    The model sees what was asked and the reply that could not be read. A `retry_chain` gets these
    as ``prompt`` and ``completion``. Without a prompt there is nothing to ask, so `parse` and
    `invoke` are not for this parser.

    Raises:
        OutputParserException: The last reply cannot be read either. The error is that of the
            parser; its cause, unless it has one of its own, is the error before.
    """

    @classmethod
    def from_llm(
        cls,
        llm: Any,
        parser: BaseOutputParser[T],
        prompt: Any = NAIVE_RETRY_PROMPT,
        max_retries: int = 1,
    ) -> RetryOutputParser[T]:
        """Return a parser that asks *llm*.

        Args:
            llm: A runnable, ours or another library's, or a function, asynchronous or not, that
                takes the prompt as text and gives text or a message.
            parser: The parser that reads the reply.
            prompt: What to ask, with places for ``prompt`` and ``completion``.
            max_retries: How often to ask.
        """
        chain = AskingModel(prompt, llm)
        return cls(parser=parser, retry_chain=chain, max_retries=max_retries)

    @override
    def parse_with_prompt(self, completion: str, prompt_value: Any) -> T:
        """Parse *completion*, or what the model replies when it is asked again.

        Args:
            completion: The reply.
            prompt_value: What was asked: a text, or anything with a ``to_string``.
        """
        attempts = Attempts(self.max_retries)
        while True:
            try:
                return self.parser.parse(completion)
            except OutputParserException as error:
                attempts.failed(error)
                completion = self._ask(self._values(completion, prompt_value, error))

    async def aparse_with_prompt(self, completion: str, prompt_value: Any) -> T:
        """Do the same as `parse_with_prompt`."""
        attempts = Attempts(self.max_retries)
        while True:
            try:
                return await self.parser.aparse(completion)
            except OutputParserException as error:
                attempts.failed(error)
                completion = await self._aask(self._values(completion, prompt_value, error))

    @override
    def parse(self, completion: str) -> NoReturn:
        """Refuse: this takes a prompt.

        Raises:
            NotImplementedError: Always.
        """
        raise NotImplementedError("a prompt is needed: use parse_with_prompt")

    def _values(
        self,
        completion: str,
        prompt: Any,
        error: OutputParserException,  # noqa: ARG002 - for the class that tells it
    ) -> dict[str, Any]:
        text = prompt.to_string() if hasattr(prompt, "to_string") else prompt
        return {"prompt": text, "completion": completion}

    @property
    def _type(self) -> str:
        return "retry"


class RetryWithErrorOutputParser(RetryOutputParser[T]):
    """Does the same as `RetryOutputParser`, and tells the model the parser's error, too.

    A `retry_chain` gets it as ``error``.
    """

    @classmethod
    @override
    def from_llm(
        cls,
        llm: Any,
        parser: BaseOutputParser[T],
        prompt: Any = NAIVE_RETRY_WITH_ERROR_PROMPT,
        max_retries: int = 1,
    ) -> RetryWithErrorOutputParser[T]:
        """Return a parser that asks *llm*; the prompt has a place for ``error`` as well."""
        chain = AskingModel(prompt, llm)
        return cls(parser=parser, retry_chain=chain, max_retries=max_retries)

    @override
    def _values(self, completion: str, prompt: Any, error: OutputParserException) -> dict[str, Any]:
        return {**super()._values(completion, prompt, error), "error": repr(error)}

    @property
    def _type(self) -> str:
        return "retry_with_error"
