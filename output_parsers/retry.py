"""The parsers that ask the model again when another parser fails."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Any, ClassVar, NoReturn

from typing_extensions import override

from output_parsers.asking_again import Parsed, RepairingParser
from output_parsers.base import BaseOutputParser, T
from output_parsers.prompt_values import text_of_prompt
from output_parsers.prompts import (
    NAIVE_COMPLETION_RETRY,
    NAIVE_COMPLETION_RETRY_WITH_ERROR,
    NAIVE_RETRY_PROMPT,
    NAIVE_RETRY_WITH_ERROR_PROMPT,
)

__all__ = [
    "NAIVE_COMPLETION_RETRY",
    "NAIVE_COMPLETION_RETRY_WITH_ERROR",
    "NAIVE_RETRY_PROMPT",
    "NAIVE_RETRY_WITH_ERROR_PROMPT",
    "RetryOutputParser",
    "RetryWithErrorOutputParser",
]


class RetryOutputParser(RepairingParser[T]):
    """Wraps another parser and asks the model again when that parser fails.

    ::

        parser = RetryOutputParser.from_llm(model, DatetimeOutputParser())
        parser.parse_with_prompt(reply, "When did the Titanic sink?")

    The model sees the original prompt and the reply that could not be read. A `retry_chain`
    receives them as ``prompt`` and ``completion``. This parser always needs the prompt, so it does
    not support `parse` and `invoke`.

    Raises:
        OutputParserException: The last reply cannot be read either. This is the parser's error; its
            cause, unless it already has one, is the previous error.
    """

    _default_prompt: ClassVar = NAIVE_RETRY_PROMPT

    if TYPE_CHECKING:  # pyright infers no `T` from the argument of a class method

        @classmethod
        @override
        def from_llm(
            cls,
            llm: Any,
            parser: BaseOutputParser[Parsed],
            prompt: Any = None,
            max_retries: int = 1,
        ) -> RetryOutputParser[Parsed]: ...

    @override
    def parse_with_prompt(self, completion: str, prompt_value: Any) -> T:
        """Parse *completion*, or the model's reply when it is asked again.

        Args:
            completion: The reply.
            prompt_value: The original prompt: a text, or a prompt value of any library, which is
                an object with a ``to_string``.

        Raises:
            TypeError: *prompt_value* is neither.
        """
        return self._read(completion, partial(self._values, prompt_value))

    async def aparse_with_prompt(self, completion: str, prompt_value: Any) -> T:
        """Do the same as `parse_with_prompt`."""
        return await self._aread(completion, partial(self._values, prompt_value))

    @override
    def parse(self, completion: str) -> NoReturn:
        """Not supported: this parser needs a prompt.

        Raises:
            NotImplementedError: Always.
        """
        raise NotImplementedError(
            "parse() has no prompt for asking the model again: use parse_with_prompt"
        )

    def _values(
        self,
        prompt: Any,
        completion: str,
        error: Exception,  # noqa: ARG002 - for the subclass
    ) -> dict[str, Any]:
        return {"prompt": text_of_prompt(prompt), "completion": completion}

    @property
    def _type(self) -> str:
        return "retry"


class RetryWithErrorOutputParser(RetryOutputParser[T]):
    """A `RetryOutputParser` that also shows the parser's error to the model.

    A `retry_chain` receives it as ``error``.
    """

    _default_prompt: ClassVar = NAIVE_RETRY_WITH_ERROR_PROMPT

    if TYPE_CHECKING:

        @classmethod
        @override
        def from_llm(
            cls,
            llm: Any,
            parser: BaseOutputParser[Parsed],
            prompt: Any = None,
            max_retries: int = 1,
        ) -> RetryWithErrorOutputParser[Parsed]: ...

    @override
    def _values(self, prompt: Any, completion: str, error: Exception) -> dict[str, Any]:
        return {**super()._values(prompt, completion, error), "error": repr(error)}

    @property
    def _type(self) -> str:
        return "retry_with_error"
