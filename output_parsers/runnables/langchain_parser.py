"""A LangChain output parser around one of our parsers, for LangChain's chains.

This module imports LangChain, and only `as_langchain` imports this module.
"""

from __future__ import annotations

from collections.abc import AsyncIterator, Iterator
from contextlib import AbstractContextManager, contextmanager
from typing import TYPE_CHECKING, Any

from langchain_core.exceptions import OutputParserException
from langchain_core.output_parsers import BaseTransformOutputParser
from typing_extensions import override

from output_parsers.exceptions import OutputParserException as OurOutputParserException
from output_parsers.model_output import generation_of
from output_parsers.tool_calls.refusal import ModelRefusalError

if TYPE_CHECKING:
    from langchain_core.messages import BaseMessage
    from langchain_core.outputs import Generation
    from langchain_core.prompt_values import PromptValue


class LangChainOutputParser(BaseTransformOutputParser[Any]):
    """A LangChain output parser that wraps *parser*; `as_langchain` returns one.

    It returns what *parser* returns, and streams as *parser* does. It raises LangChain's
    `OutputParserException`, whose cause is ours. A `ModelRefusalError` is raised unchanged, since
    LangChain would ask again after its own exception.
    """

    parser: Any
    """Our parser, which reads the text or message."""

    def _errors(self) -> AbstractContextManager[None]:
        """Return a context that raises LangChain's exceptions in place of ours."""
        return langchains_errors()

    @property
    @override
    def OutputType(self) -> Any:
        """The type of the results."""
        return self.parser.OutputType

    @override
    def parse(self, text: str) -> Any:
        """Parse *text*.

        Raises:
            OutputParserException: LangChain's; its cause is our own.
        """
        with self._errors():
            return self.parser.invoke(text)

    @override
    async def aparse(self, text: str) -> Any:
        """Do the same as `parse`."""
        with self._errors():
            return await self.parser.ainvoke(text)

    @override
    def parse_result(self, result: list[Generation], *, partial: bool = False) -> Any:
        """Parse what a model generated.

        Args:
            result: The candidates for one prompt, the best first.
            partial: Whether more text may follow.

        Raises:
            OutputParserException: LangChain's; its cause is our own.
        """
        with self._errors():
            return self.parser.parse_result([*map(generation_of, result)], partial=partial)

    @override
    async def aparse_result(self, result: list[Generation], *, partial: bool = False) -> Any:
        """Do the same as `parse_result`."""
        with self._errors():
            ours = [*map(generation_of, result)]
            return await self.parser.aparse_result(ours, partial=partial)

    @override
    def parse_with_prompt(self, completion: str, prompt: PromptValue) -> Any:
        """Parse *completion*; a parser that can ask again uses its *prompt*."""
        with self._errors():
            return self.parser.parse_with_prompt(completion, prompt)

    @override
    def _transform(self, input: Iterator[str | BaseMessage]) -> Iterator[Any]:
        with self._errors():
            yield from self.parser.transform(input)

    @override
    async def _atransform(self, input: AsyncIterator[str | BaseMessage]) -> AsyncIterator[Any]:
        with self._errors():
            async for result in self.parser.atransform(input):
                yield result

    @override
    def get_format_instructions(self) -> str:
        """Return the format instructions for the model.

        Raises:
            NotImplementedError: The parser has no format instructions.
        """
        if not hasattr(self.parser, "get_format_instructions"):
            return super().get_format_instructions()
        instructions: str = self.parser.get_format_instructions()
        return instructions

    @property
    @override
    def _type(self) -> str:
        if not hasattr(type(self.parser), "_type"):
            return super()._type
        kind: str = self.parser._type
        return kind


@contextmanager
def langchains_errors() -> Iterator[None]:
    """Raise LangChain's exception in place of ours, with the observation for the model."""
    try:
        yield
    except ModelRefusalError:
        raise
    except OurOutputParserException as error:
        seen, text = error.observation, error.llm_output
        has_all = seen is not None and text is not None
        raise OutputParserException(error, seen, text, send_to_llm=has_all) from error
