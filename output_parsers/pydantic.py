"""The parser that returns JSON as objects of a pydantic model."""

from __future__ import annotations

import json
from collections.abc import Iterable
from functools import partial
from typing import TYPE_CHECKING, Any, Literal, TypeVar, cast, overload

from pydantic import SkipValidation  # noqa: TC002 - pydantic reads the annotations
from typing_extensions import override

from output_parsers.exceptions import OutputParserException
from output_parsers.format_instructions import json_instructions
from output_parsers.json import JsonOutputParser
from output_parsers.json_in_prose.markdown import GrowingJson
from output_parsers.model_output import ModelOutput, text_of
from output_parsers.streams.readers import Budget, NewResults
from output_parsers.types.models import dump, schema_of, validate

if TYPE_CHECKING:
    from output_parsers.streams.readers import ChunkReader
    from outputs import Generation

__all__ = ["PydanticOutputParser"]

Model = TypeVar("Model")


class PydanticOutputParser(JsonOutputParser[Model]):
    """Returns the JSON value in a model's reply as an object of a pydantic model.

    ::

        class Person(BaseModel):
            name: str
            age: int | None = None

        parser = PydanticOutputParser(pydantic_object=Person)
        parser.parse('{"name": "Ada", "age": 36}')   # Person(name="Ada", age=36)

    A stream yields an object whenever the JSON so far is valid and differs from the previous
    object: here ``Person(name="Ad")`` may be the first. Each object is validated whole. To keep the
    work linear, an object of some hundred values or more is not validated at every chunk, but the
    last one always is. With ``diff=True`` a stream yields JSON Patches between the data of one
    object and the next. For what is read as JSON, see `JsonOutputParser`.

    Raises:
        OutputParserException: There is no JSON value in the text, or it is not valid for the
            pydantic model; then ``observation`` tells the language model what is wrong.
    """

    pydantic_object: SkipValidation[type[Model]]
    """A pydantic or ``pydantic.v1`` model."""

    @override
    def parse(self, text: str) -> Model:
        """Return the object that the JSON in *text* describes.

        Raises:
            OutputParserException: There is no JSON value, or it is not valid for the model.
        """
        return super().parse(text)

    # With *partial* it may be `None`, which the base classes do not allow.
    @overload
    def parse_result(
        self, result: list[Generation], *, partial: Literal[False] = False
    ) -> Model: ...
    @overload
    def parse_result(self, result: list[Generation], *, partial: bool = False) -> Model | Any: ...
    @override
    def parse_result(self, result: list[Generation], *, partial: bool = False) -> Model | Any:
        """Return the object that the JSON in the first generation in *result* describes.

        Args:
            result: What the model generated.
            partial: Whether more may follow; then the result is `None` until it is valid.

        Raises:
            ModelRefusalError: The message of the first generation in *result* refuses.
            OutputParserException: There is no valid JSON, and *partial* is not set.
        """
        data = super().parse_result(result, partial=partial)
        try:
            return self._parse_obj(data)
        except OutputParserException:
            if partial:
                return None
            raise

    def _parse_obj(self, obj: Any) -> Model:
        """Return *obj*, JSON data, as an object of the model.

        A subclass may override it; a stream then asks it for each object.
        """
        model = self.pydantic_object
        try:
            return cast("Model", validate(model, obj))
        except ValueError as error:
            written = json.dumps(obj, ensure_ascii=False)
            reason = f"the JSON is not a valid {model.__name__}: {_problems(error)}"
            raise OutputParserException(
                f"Failed to parse {model.__name__} from completion {written}. Got: {error}",
                llm_output=written,
                observation=f"T{reason[1:]}. Write the whole JSON again.",
                reason=reason,
                span=_place_of(obj, _first_place(error)),
            ) from error

    @override
    def get_format_instructions(self) -> str:
        """Return the format instructions for JSON that fits the schema of the pydantic model."""
        return json_instructions(self._get_schema(self.pydantic_object))

    @override
    def _diff(self, prev: Model | None, next: Model) -> Any:
        return super()._diff(dump(prev), dump(next))

    @override
    def _reader(self) -> ChunkReader[Any]:
        if getattr(self.parse_result, "__func__", None) is not PydanticOutputParser.parse_result:
            return super()._reader()  # A subclass defines its own results.
        return _ObjectStream(self)

    @override
    def _reads_only_text(self) -> bool:
        return getattr(self.parse_result, "__func__", None) is PydanticOutputParser.parse_result

    @property
    @override
    def OutputType(self) -> type[Model]:
        """The pydantic model."""
        return self.pydantic_object

    @override
    def get_output_schema(self, config: Any = None) -> Any:
        """Return the pydantic model."""
        return self.pydantic_object

    @override
    def get_output_jsonschema(self, config: Any = None) -> Any:
        """Return the JSON Schema of the pydantic model."""
        return schema_of(self.pydantic_object)

    @property
    def _type(self) -> str:
        return "pydantic"


class _ObjectStream:
    """Returns the valid objects of one stream."""

    def __init__(self, parser: PydanticOutputParser[Any]) -> None:
        self._parser = parser
        self._json = GrowingJson(parser._finder())
        self._budget = Budget()
        self._results = NewResults(parser)
        self._is_due = False
        is_own = getattr(parser._parse_obj, "__func__", None) is PydanticOutputParser._parse_obj
        # Without the words of an error, which take longer than validation.
        self._build = partial(validate, parser.pydantic_object) if is_own else parser._parse_obj

    def feed(self, chunk: ModelOutput, /) -> Iterable[Any]:
        text = chunk if isinstance(chunk, str) else text_of(chunk)
        self._budget.add(text)
        self._is_due |= self._json.feed(text)
        if not (self._is_due and self._budget.suffices):
            return ()
        self._is_due = False
        self._budget.spend()
        try:
            found = self._build(self._json.value)
        except (ValueError, TypeError, LookupError, AttributeError):
            return ()  # not yet: the end of the stream raises what is wrong
        return self._results.give(found)

    def close(self) -> Iterable[Any]:
        if not self._json.has_text:
            return ()
        self._json.close()
        return self._results.give(self._parser._parse_obj(self._json.value))


def _problems(error: Any) -> str:
    """Return the problems in a validation error, without links to web pages."""
    if not hasattr(error, "errors"):
        return str(error)  # A model may override its validation.
    return "; ".join(
        ": ".join([".".join(map(str, problem["loc"])), problem["msg"]]).removeprefix(": ")
        for problem in error.errors()
    )


def _first_place(error: Any) -> tuple[str | int, ...]:
    """Return the path to the first problem in a validation error."""
    problems = error.errors() if hasattr(error, "errors") else ()
    return next((tuple(problem["loc"]) for problem in problems), ())


def _place_of(value: Any, path: tuple[str | int, ...]) -> tuple[int, int]:
    """Return the span of the value at *path*, as far as that exists, in *value* written as JSON."""
    start = 0
    for step in path:
        if isinstance(value, dict) and step in value:
            members = [*value.items()]
            before = list(value).index(step)
            names = sum(_chars(name) + len(": ") for name, _ in members[: before + 1])
            values = [item for _, item in members[:before]]
        elif isinstance(value, list) and isinstance(step, int) and step < len(value):
            names, values = 0, value[:step]
        else:
            break  # It is missing, or a step that only the model has.
        start += len("{") + names + sum(_chars(item) + len(", ") for item in values)
        value = value[step]
    return start, start + _chars(value)


def _chars(value: Any) -> int:
    return len(json.dumps(value, ensure_ascii=False))
