"""The parser that has a reply mended by a model."""

from __future__ import annotations

from typing import Any

from typing_extensions import override

from output_parsers._base import BaseOutputParser, T
from output_parsers._errors import OutputParserException
from output_parsers._prompts import NAIVE_FIX_PROMPT
from output_parsers._repairing import AskingModel, Attempts, RepairingParser


class OutputFixingParser(RepairingParser[T]):
    """Parses as another parser does; what that cannot read, it has mended by a model.

    ::

        parser = OutputFixingParser.from_llm(model, DatetimeOutputParser())

    The model sees the reply, the error and the format instructions, but not what was asked; for
    that see `RetryOutputParser`. A `retry_chain` gets these as ``completion``, ``error`` and
    ``instructions``, the last only if the parser has any.

    Raises:
        OutputParserException: The last text cannot be read either. The error is that of the
            parser; its cause, unless it has one of its own, is the error before.
    """

    @classmethod
    def from_llm(
        cls,
        llm: Any,
        parser: BaseOutputParser[T],
        prompt: Any = NAIVE_FIX_PROMPT,
        max_retries: int = 1,
    ) -> OutputFixingParser[T]:
        """Return a parser that asks *llm*.

        Args:
            llm: A runnable, ours or another library's, or a function, asynchronous or not, that
                takes the prompt as text and gives text or a message.
            parser: The parser that reads the reply.
            prompt: What to ask, with places for ``instructions``, ``completion`` and ``error``.
            max_retries: How often to ask.
        """
        chain = AskingModel(prompt, llm)
        return cls(parser=parser, retry_chain=chain, max_retries=max_retries)

    @override
    def parse(self, completion: str) -> T:
        """Parse *completion*, or what the model makes of it."""
        attempts = Attempts(self.max_retries)
        while True:
            try:
                return self.parser.parse(completion)
            except OutputParserException as error:
                attempts.failed(error)
                completion = self._ask(self._values(completion, error))

    @override
    async def aparse(self, completion: str) -> T:
        """Do the same as `parse`."""
        attempts = Attempts(self.max_retries)
        while True:
            try:
                return await self.parser.aparse(completion)
            except OutputParserException as error:
                attempts.failed(error)
                completion = await self._aask(self._values(completion, error))

    def _values(self, completion: str, error: OutputParserException) -> dict[str, Any]:
        values = {"completion": completion, "error": repr(error)}
        try:
            return {"instructions": self.parser.get_format_instructions(), **values}
        except NotImplementedError:
            return values

    @property
    def _type(self) -> str:
        return "output_fixing"
