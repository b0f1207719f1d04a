"""The parser that has a reply mended by a model."""

from __future__ import annotations

from typing import Any, ClassVar

from typing_extensions import override

from output_parsers.asking_again import RepairingParser
from output_parsers.base import T
from output_parsers.prompts import NAIVE_FIX_PROMPT

__all__ = ["NAIVE_FIX_PROMPT", "OutputFixingParser"]


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

    _default_prompt: ClassVar = NAIVE_FIX_PROMPT

    @override
    def parse(self, completion: str) -> T:
        """Parse *completion*, or what the model makes of it."""
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
