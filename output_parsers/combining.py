"""The parser of several outputs in one text."""

from __future__ import annotations

import re
from collections.abc import Mapping
from contextlib import suppress
from typing import Any, ClassVar

from pydantic import BaseModel, SkipValidation, field_validator
from typing_extensions import override

from output_parsers.base import BaseOutputParser
from output_parsers.exceptions import OutputParserException
from output_parsers.list import ListOutputParser
from output_parsers.model_output import check_text

__all__ = ["CombiningOutputParser"]

_MIN_PARSERS = 2
_EMPTY_LINE = re.compile(r"\r?\n\r?\n")


class CombiningOutputParser(BaseOutputParser[dict[str, Any]]):
    r"""Parses each part of a text with its own parser and merges the results in a dictionary.

    ::

        which = RegexParser(regex="Choice: (.*)", output_keys=["choice"])
        why = RegexParser(regex="Because: (.*)", output_keys=["reason"])
        CombiningOutputParser(parsers=[which, why]).parse("Choice: tea\n\nBecause: it rains")
        # {'choice': 'tea', 'reason': 'it rains'}

    The parts are separated by empty lines, so no part can contain one. If several parts have the
    same key, the last one wins. Text after the last part is ignored. Both are as in LangChain.

    Raises:
        ValueError: At construction: there are fewer than two parsers, or one of them is a list
            parser or a `CombiningOutputParser`.
    """

    _calls_others: ClassVar[bool] = True

    parsers: list[SkipValidation[BaseOutputParser[Any]]]
    """The parsers, in the order of the parts. Each returns a dictionary or a pydantic model."""

    @field_validator("parsers")
    @classmethod
    def _can_be_combined(cls, parsers: list[BaseOutputParser[Any]]) -> list[BaseOutputParser[Any]]:
        if len(parsers) < _MIN_PARSERS:
            raise ValueError("Must have at least two parsers")
        for parser in parsers:
            if not hasattr(parser, "parse"):
                raise ValueError(f"expected a parser, not {type(parser).__name__}")
            kind = _kind(parser)
            if kind == "combining":
                raise ValueError("Cannot nest combining parsers")
            if kind == "list" or isinstance(parser, ListOutputParser):
                raise ValueError("Cannot combine list parsers")
        return parsers

    @override
    def parse(self, text: str) -> dict[str, Any]:
        """Return the merged results of the parsers for the parts of *text*.

        Raises:
            OutputParserException: A part is missing, or its parser raises this or returns something
                other than a dictionary.
        """
        pairs = zip(self.parsers, self._parts(text), strict=False)
        return _merged(text, [parser.parse(part) for parser, part in pairs])

    @override
    async def aparse(self, text: str) -> dict[str, Any]:
        """Do the same as `parse`, with the `aparse` of each parser in turn."""
        pairs = zip(self.parsers, self._parts(text), strict=False)
        return _merged(text, [await parser.aparse(part) for parser, part in pairs])

    def _parts(self, text: str) -> list[str]:
        check_text(text)
        parts = _EMPTY_LINE.split(text)
        if len(parts) < len(self.parsers):
            raise OutputParserException(
                f"expected {len(self.parsers)} outputs, separated by empty lines, got {len(parts)}",
                observation=f"Your reply has {len(parts)} of {len(self.parsers)} parts. Separate "
                "the parts with empty lines, and leave no empty line within a part.",
                llm_output=text,
            )
        return [part.strip() for part in parts]

    @override
    def get_format_instructions(self) -> str:
        """Return the format instructions for the model.

        Raises:
            NotImplementedError: One of the parsers has no format instructions.
        """
        parts = "\n\n".join(
            f"Part {number}: {parser.get_format_instructions()}"
            for number, parser in enumerate(self.parsers, 1)
        )
        return (
            f"Your reply has {len(self.parsers)} parts, in this order, with an empty line after "
            f"each and no empty line within any of them.\n\n{parts}"
        )

    @property
    def _type(self) -> str:
        return "combining"


def _kind(parser: BaseOutputParser[Any]) -> str | None:
    """Return the type name of *parser*, or `None` if it has no type name."""
    with suppress(NotImplementedError):
        return parser._type
    return None


def _merged(text: str, results: list[Any]) -> dict[str, Any]:
    """Return all entries of *results* in one dictionary.

    Raises:
        OutputParserException: A result is neither a dictionary nor a pydantic model.
    """
    merged: dict[str, Any] = {}
    for number, result in enumerate(results, 1):
        # Models of pydantic.v1 are not instances of `BaseModel`, but have this attribute.
        if not isinstance(result, Mapping | BaseModel) and not hasattr(result, "__fields_set__"):
            raise OutputParserException(
                f"expected output {number} to be a dictionary, because outputs are merged by "
                f"key; got {type(result).__name__}",
                observation=f"Part {number} of your reply is not a set of named values. Write it "
                "as named values.",
                llm_output=text,
            )
        # Iterating over a model yields pairs; `update` would call a field named ``keys``.
        merged.update(result if isinstance(result, Mapping) else iter(result))
    return merged
