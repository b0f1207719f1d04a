"""The parser of JSON, whole or streamed."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from pydantic import SkipValidation, field_validator
from typing_extensions import TypeVar, override

from output_parsers.format_instructions import only_json_instructions
from output_parsers.json_in_prose.find import JsonFinder
from output_parsers.json_in_prose.markdown import (
    JsonStream,
    invalid_json,
    parse_and_check_json_markdown,
    parse_json_markdown,
)
from output_parsers.model_output import check_text
from output_parsers.tool_calls.refusal import check_refusal
from output_parsers.transform import BaseCumulativeTransformOutputParser
from output_parsers.types.models import schema_of
from outputs import Generation
from outputs.growing_json.reader import parse_partial_json

if TYPE_CHECKING:
    from output_parsers.json_in_prose.search import CandidateSearch
    from output_parsers.streams.readers import ChunkReader

__all__ = [
    "JsonOutputParser",
    "SimpleJsonOutputParser",
    "parse_and_check_json_markdown",
    "parse_json_markdown",
    "parse_partial_json",
]

Value = TypeVar("Value", default=Any)
"""What a subclass turns the JSON into."""


class JsonOutputParser(BaseCumulativeTransformOutputParser[Value]):
    r"""Returns the JSON value in a model's reply, in a code fence or not.

    ::

        parser = JsonOutputParser()
        parser.parse('Here it is:\n```json\n{"city": "Oslo"}\n```')   # {"city": "Oslo"}
        list(parser.transform(iter(['{"city": "Os', 'lo"', "}"])))
        # [{"city": "Os"}, {"city": "Oslo"}]

    A stream yields the value so far whenever it has changed. Each chunk is read once, so its cost
    does not depend on the text before it. The values share their closed containers: treat them as
    read-only. With ``diff=True`` a stream yields lists of JSON Patch operations instead (RFC 6902),
    the first of which replaces the whole document.

    By default text is read by `parse_json_markdown`, which accepts a value that is cut short. With
    ``lenient`` it is read by `repair_json`, which repairs many mistakes but rejects a cut value. If
    the whole text is an error, a stream ends with the same error.

    Raises:
        ModelRefusalError: It is a message that refuses.
        OutputParserException: There is no JSON value in the text.
    """

    pydantic_object: SkipValidation[type[Any] | None] = None
    """A pydantic or ``pydantic.v1`` model whose schema is in the format instructions. The value is
    not validated; `PydanticOutputParser` does that."""

    lenient: bool = False
    """Whether to repair text that is not quite JSON; `repair_json` also reports the repairs."""

    @field_validator("pydantic_object")
    @classmethod
    def _check_model(cls, model: Any) -> Any:
        if not (model is None or isinstance(model, type | dict)):  # a schema works too
            raise ValueError(f"expected pydantic_object to be a model class, not {model!r}")
        return model

    @override
    def parse(self, text: str) -> Value:
        """Return the JSON value in *text*.

        Raises:
            OutputParserException: There is no JSON value; ``span`` has the place of the error.
        """
        check_text(text)
        value: Value
        if getattr(self.parse_result, "__func__", None) is _PARSE_RESULT:
            value = self._whole(text)  # without a generation, which takes as long as a short value
        else:
            value = self.parse_result([Generation(text=text)])
        return value

    @override
    def parse_result(self, result: list[Generation], *, partial: bool = False) -> Any:
        """Return the JSON value in the first generation in *result*.

        Args:
            result: What the model generated.
            partial: Whether more may follow; then the result is `None` until there is a value.

        Raises:
            ModelRefusalError: The message of the first generation in *result* refuses.
            OutputParserException: There is no value, and *partial* is not set.
        """
        check_refusal(vars(result[0]).get("message"))
        text = result[0].text
        if not partial:
            return self._whole(text)
        try:
            finder = self._finder()
            finder.feed(text if self.lenient else text.strip())
        except json.JSONDecodeError:
            return None
        return None if finder.reader is None else finder.reader.value

    def _whole(self, text: str) -> Any:
        text = text if self.lenient else text.strip()
        try:
            return parse_json_markdown(text, lenient=self.lenient)
        except json.JSONDecodeError as error:
            raise invalid_json(text, error) from error

    @override
    def get_format_instructions(self) -> str:
        """Return the format instructions: JSON only, with the schema of ``pydantic_object``."""
        if self.pydantic_object is None:
            return "Return a JSON object."
        return only_json_instructions(self._get_schema(self.pydantic_object))

    @staticmethod
    def _get_schema(pydantic_object: Any) -> dict[str, Any]:
        """Return the JSON Schema of the model, or itself, for the format instructions."""
        return pydantic_object if isinstance(pydantic_object, dict) else schema_of(pydantic_object)

    @override
    def _diff(self, prev: Any, next: Any) -> Any:
        """Return the JSON Patch from *prev* to *next*; streams know it without comparing."""
        import jsonpatch

        return jsonpatch.make_patch(prev, next).patch

    @override
    def _reader(self) -> ChunkReader[Any]:
        if getattr(self.parse_result, "__func__", None) is not _PARSE_RESULT:
            return super()._reader()  # A subclass defines its own results.
        finder = self._finder()
        if not self.diff:
            return JsonStream(finder, None)
        if getattr(self._diff, "__func__", None) is JsonOutputParser._diff:
            return JsonStream(finder, lambda growing, _last: growing.operations())
        return JsonStream(finder, lambda growing, last: self._diff(last, growing.value))

    @override
    def _reads_only_text(self) -> bool:
        return getattr(self.parse_result, "__func__", None) is _PARSE_RESULT

    def _finder(self) -> CandidateSearch[Any]:
        """Return a finder of the value for one stream."""
        if not self.lenient:
            return JsonFinder()
        from output_parsers.json_in_prose.repair import LenientJsonFinder

        return LenientJsonFinder()

    @property
    def _type(self) -> str:
        return "simple_json_output_parser"


_PARSE_RESULT = JsonOutputParser.parse_result
SimpleJsonOutputParser = JsonOutputParser
