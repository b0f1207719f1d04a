"""The parsers that have a model asked again."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Any, ClassVar

from typing_extensions import override

from output_parsers.asking_again import RepairingParser
from output_parsers.base import T
from output_parsers.prompts import NAIVE_RETRY_PROMPT, NAIVE_RETRY_WITH_ERROR_PROMPT

if TYPE_CHECKING:
    from typing import NoReturn

__all__ = [
    "NAIVE_RETRY_PROMPT",
    "NAIVE_RETRY_WITH_ERROR_PROMPT",
    "RetryOutputParser",
    "RetryWithErrorOutputParser",
]


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

    _default_prompt: ClassVar = NAIVE_RETRY_PROMPT

    @override
    def parse_with_prompt(self, completion: str, prompt_value: Any) -> T:
        """Parse *completion*, or what the model replies when it is asked again.

        Args:
            completion: The reply.
            prompt_value: What was asked: a text, or anything with a ``to_string``.
        """
        return self._read(completion, partial(self._values, prompt_value))

    async def aparse_with_prompt(self, completion: str, prompt_value: Any) -> T:
        """Do the same as `parse_with_prompt`."""
        return await self._aread(completion, partial(self._values, prompt_value))

    @override
    def parse(self, completion: str) -> NoReturn:
        """Refuse: this takes a prompt.

        Raises:
            NotImplementedError: Always.
        """
        raise NotImplementedError("a prompt is needed: use parse_with_prompt")

    def _values(
        self,
        prompt: Any,
        completion: str,
        error: Exception,  # noqa: ARG002 - for the class that tells it
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

    _default_prompt: ClassVar = NAIVE_RETRY_WITH_ERROR_PROMPT

    @override
    def _values(self, prompt: Any, completion: str, error: Exception) -> dict[str, Any]:
        return {**super()._values(prompt, completion, error), "error": repr(error)}

    @property
    def _type(self) -> str:
        return "retry_with_error"
