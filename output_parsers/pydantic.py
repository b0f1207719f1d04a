"""The parser that makes objects of a pydantic model from JSON."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any, Generic, TypeVar, cast

from pydantic import SkipValidation  # noqa: TC002 - pydantic reads the annotations
from typing_extensions import override

from output_parsers.exceptions import OutputParserException
from output_parsers.format_instructions import json_instructions
from output_parsers.json import JsonOutputParser
from output_parsers.json_in_prose.stream import GrowingJson
from output_parsers.model_output import text_of
from output_parsers.types.pydantic_models import dump, schema_of, validate

if TYPE_CHECKING:
    from collections.abc import Iterable

    from output_parsers.model_output import ModelOutput
    from output_parsers.streams.readers import ChunkReader
    from outputs import Generation

__all__ = ["PydanticOutputParser"]

Model = TypeVar("Model")


class PydanticOutputParser(JsonOutputParser, Generic[Model]):
    """The JSON value in what a model wrote, as an object of a pydantic model.

    ::

        class Person(BaseModel):
            name: str
            age: int | None = None

        parser = PydanticOutputParser(pydantic_object=Person)
        parser.parse('{"name": "Ada", "age": 36}')   # Person(name="Ada", age=36)

    A stream gives an object whenever what has arrived is a valid one and differs from the one
    before: here ``Person(name="Ad")`` may come first. Each is validated anew, so a stream costs as
    much as its objects are large, for each chunk. With ``diff=True`` it gives JSON Patches between
    the objects' data. What is read as JSON is said in `JsonOutputParser`.

    Raises:
        OutputParserException: There is no JSON value in the text, or it is not what the model
            says; then ``observation`` tells the language model what is wrong with it.
    """

    pydantic_object: SkipValidation[type[Any]]
    """A model of pydantic or ``pydantic.v1``."""

    @override
    def parse(self, text: str) -> Model:
        """Return the object that *text* holds as JSON.

        Raises:
            OutputParserException: There is no JSON in it, or it is not valid.
        """
        return cast("Model", super().parse(text))

    @override
    def parse_result(self, result: list[Generation], *, partial: bool = False) -> Model | None:
        """Return the object that the first of *result* holds as JSON.

        Args:
            result: What the model generated.
            partial: Whether more may follow: then it is None as long as there is no valid object.

        Raises:
            OutputParserException: There is no JSON, or it is not valid, and *partial* is not set.
        """
        try:
            return self._parse_obj(super().parse_result(result, partial=partial))
        except OutputParserException:
            if partial:
                return None
            raise

    def _parse_obj(self, obj: Any) -> Model:
        """Return *obj*, JSON data, as an object of the model."""
        model = self.pydantic_object
        try:
            return cast("Model", validate(model, obj))
        except ValueError as error:
            written = json.dumps(obj, ensure_ascii=False)
            reason = f"the JSON is not a valid {model.__name__}: {_problems(error)}"
            raise OutputParserException(
                f"Failed to parse {model.__name__} from completion {written}. Got: {error}",
                llm_output=written,
                observation=f"T{reason[1:]}. Write all of it again.",
                reason=reason,
                span=_place_of(obj, _first_place(error)),
            ) from error

    @override
    def get_format_instructions(self) -> str:
        """Return the request for JSON of the model's schema."""
        return json_instructions(self.pydantic_object)

    @override
    def _diff(self, prev: Model | None, next: Model) -> Any:
        return super()._diff(dump(prev), dump(next))

    @override
    def _reader(self) -> ChunkReader[Any]:
        if getattr(self.parse_result, "__func__", None) is not PydanticOutputParser.parse_result:
            return super()._reader()  # A subclass knows better what a result is.
        return _ObjectStream(self)

    @property
    @override
    def OutputType(self) -> type[Model]:
        """The model."""
        return self.pydantic_object

    @override
    def get_output_schema(self, config: Any = None) -> Any:
        """Return the model."""
        return self.pydantic_object

    @override
    def get_output_jsonschema(self, config: Any = None) -> Any:
        """Return the model's schema."""
        return schema_of(self.pydantic_object)

    @property
    def _type(self) -> str:
        return "pydantic"


class _ObjectStream:
    """Gives the valid objects of one stream."""

    def __init__(self, parser: PydanticOutputParser[Any]) -> None:
        self._parser = parser
        self._json = GrowingJson(parser._finder())
        self._last: Any = None

    def feed(self, chunk: ModelOutput, /) -> Iterable[Any]:
        text = chunk if isinstance(chunk, str) else text_of(chunk)
        if not self._json.feed(text):
            return ()
        try:
            # Not `_parse_obj`, which takes its time to say what is wrong.
            found = validate(self._parser.pydantic_object, self._json.value)
        except ValueError:
            return ()
        return self._output(found)

    def close(self) -> Iterable[Any]:
        if not self._json.has_text:
            return ()
        self._json.close()
        return self._output(self._parser._parse_obj(self._json.value))

    def _output(self, found: Any) -> Iterable[Any]:
        last = self._last
        if found == last:
            return ()
        self._last = found
        return (self._parser._diff(last, found) if self._parser.diff else found,)


def _problems(error: Any) -> str:
    """Return what a validation error says, without the addresses of web pages."""
    if not hasattr(error, "errors"):
        return str(error)  # A model may have a validation of its own.
    return "; ".join(
        ": ".join([".".join(map(str, problem["loc"])), problem["msg"]]).removeprefix(": ")
        for problem in error.errors()
    )


def _first_place(error: Any) -> tuple[str | int, ...]:
    """Return where the first thing is that a validation error complains of."""
    problems = error.errors() if hasattr(error, "errors") else ()
    return next((tuple(problem["loc"]) for problem in problems), ())


def _place_of(value: Any, path: tuple[str | int, ...]) -> tuple[int, int]:
    """Return where the end of *path*, as far as it leads, stands in *value* written as JSON."""
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
            break  # It is missing, or a step of the model's own.
        start += len("{") + names + sum(_chars(item) + len(", ") for item in values)
        value = value[step]
    return start, start + _chars(value)


def _chars(value: Any) -> int:
    return len(json.dumps(value, ensure_ascii=False))
