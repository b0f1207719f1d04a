"""The parser that has a model fix replies that another parser cannot read."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, ClassVar

from typing_extensions import override

from output_parsers.asking_again import Parsed, RepairingParser
from output_parsers.base import BaseOutputParser, T
from output_parsers.prompts import NAIVE_FIX_PROMPT

__all__ = ["NAIVE_FIX_PROMPT", "OutputFixingParser"]


class OutputFixingParser(RepairingParser[T]):
    """Wraps another parser and asks a model to fix what that parser cannot read.

    ::

        parser = OutputFixingParser.from_llm(model, DatetimeOutputParser())

    The model sees the reply, the error and the format instructions, but not the original prompt;
    for that see `RetryOutputParser`. A `retry_chain` receives ``completion``, ``error`` and, if the
    parser has format instructions, ``instructions``.

    Raises:
        OutputParserException: The last text cannot be read either. This is the parser's error; its
            cause, unless it already has one, is the previous error.
    """

    _default_prompt: ClassVar = NAIVE_FIX_PROMPT

    if TYPE_CHECKING:  # pyright infers no `T` from the argument of a class method

        @classmethod
        @override
        def from_llm(
            cls,
            llm: Any,
            parser: BaseOutputParser[Parsed],
            prompt: Any = None,
            max_retries: int = 1,
        ) -> OutputFixingParser[Parsed]: ...

    @override
    def parse(self, completion: str) -> T:
        """Parse *completion*, or the model's fixed version of it."""
        return self._read(completion, self._values)

    @override
    async def aparse(self, completion: str) -> T:
        """Do the same as `parse`."""
        return await self._aread(completion, self._values)

    def _values(self, completion: str, error: Exception) -> dict[str, Any]:
        values = {"completion": completion, "error": repr(error)}
        try:
            return {"instructions": self.parser.get_format_instructions(), **values}
        except NotImplementedError:
            return values

    @property
    def _type(self) -> str:
        return "output_fixing"
