"""The parser that returns the text unchanged."""

from __future__ import annotations

from typing import ClassVar

from typing_extensions import override

from output_parsers.transform import BaseTransformOutputParser

__all__ = ["StrOutputParser"]


class StrOutputParser(BaseTransformOutputParser[str]):
    """Returns the text of a model's reply unchanged; for a stream, the text of each chunk.

    ::

        StrOutputParser().invoke(AIMessage("Hello"))  # 'Hello'
        list(StrOutputParser().transform(iter([AIMessageChunk("Hel"), "lo"])))  # ['Hel', 'lo']

    The text of a message that refuses is returned too, and may be empty, as in LangChain.
    """

    _checks_refusal: ClassVar[bool] = False

    @override
    def parse(self, text: str) -> str:
        """Return *text*."""
        return text

    @property
    def _type(self) -> str:
        return "default"
