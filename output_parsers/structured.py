"""The parser of a JSON object with keys that are described in words."""

from __future__ import annotations

import json
from typing import Any, Self

from pydantic import BaseModel
from typing_extensions import override

from output_parsers.base import BaseOutputParser
from output_parsers.format_instructions import (
    STRUCTURED_FORMAT_INSTRUCTIONS,
    STRUCTURED_FORMAT_SIMPLE_INSTRUCTIONS,
)
from output_parsers.model_output import check_text

__all__ = [
    "STRUCTURED_FORMAT_INSTRUCTIONS",
    "STRUCTURED_FORMAT_SIMPLE_INSTRUCTIONS",
    "ResponseSchema",
    "StructuredOutputParser",
]


class ResponseSchema(BaseModel):
    """One key of the object that a `StructuredOutputParser` reads."""

    name: str
    """The key."""
    description: str
    """A description of the value, in words for the model."""
    type: str = "string"
    """The type of the value, in words for the model: ``list of strings``."""


class StructuredOutputParser(BaseOutputParser[dict[str, Any]]):
    r"""Returns a JSON object that has certain keys.

    ::

        parser = StructuredOutputParser.from_response_schemas(
            [ResponseSchema(name="answer", description="the answer, in one word")]
        )
        parser.parse('```json\n{"answer": "Paris"}\n```')  # {'answer': 'Paris'}

    The object may be in a code fence or at the start of the text. It may have other keys as well.
    The types of the values are in the format instructions but are not checked.
    """

    response_schemas: list[ResponseSchema]
    """The keys that the object must have."""

    @classmethod
    def from_response_schemas(cls, response_schemas: list[ResponseSchema]) -> Self:
        """Return a parser of objects with the keys that *response_schemas* describe."""
        return cls(response_schemas=response_schemas)

    @override
    def parse(self, text: str) -> dict[str, Any]:
        """Return the object in *text*.

        Raises:
            OutputParserException: There is no JSON object, or it lacks a key.
        """
        from output_parsers.json_in_prose.markdown import parse_and_check_json_markdown

        check_text(text)
        return parse_and_check_json_markdown(text, [key.name for key in self.response_schemas])

    @override
    def get_format_instructions(self, only_json: bool = False) -> str:
        """Return the format instructions for the model.

        Args:
            only_json: Return only the code block with the keys, without text around it.
        """
        last = len(self.response_schemas) - 1
        lines = (
            f"\t{json.dumps(key.name, ensure_ascii=False)}: <{key.type}>"
            f"{',' if number < last else ''}  // {' '.join(key.description.split())}"
            for number, key in enumerate(self.response_schemas)
        )
        template = (
            STRUCTURED_FORMAT_SIMPLE_INSTRUCTIONS if only_json else STRUCTURED_FORMAT_INSTRUCTIONS
        )
        return template.format(format="\n".join(lines))

    @property
    def _type(self) -> str:
        return "structured"
