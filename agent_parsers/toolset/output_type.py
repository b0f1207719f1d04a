"""The type of an agent's answers: how they are read, checked, and shown to the model."""

from __future__ import annotations

import json
from functools import cached_property, partial
from inspect import isroutine
from typing import TYPE_CHECKING, Any, NamedTuple, Never, NoReturn

from agent_parsers.toolset.declaring.validation import problems_of, validated
from agent_parsers.toolset.problems.errors import AnswerError, as_json, wrong_answer
from agent_parsers.toolset.problems.input_problem import InputProblem, shown
from agent_parsers.toolset.problems.policy import Note, Policy
from agent_parsers.toolset.schemas.arguments import BadInput
from agent_parsers.toolset.schemas.check import notes_of
from agent_parsers.toolset.schemas.describe import describe_type
from agent_parsers.toolset.schemas.fit import Fitter
from agent_parsers.toolset.schemas.schema import Schema
from output_parsers.model_output import kind_of
from output_parsers.types.pydantic_models import is_v1_model, schema_of, validate
from outputs.growing_json.lenient.repeated_keys import repeated_key
from outputs.growing_json.scalars import NOTHING
from outputs.growing_json.whole import MAX_DEPTH, parse_whole

if TYPE_CHECKING:
    from collections.abc import Callable

    from pydantic import TypeAdapter

__all__ = ["CheckedAnswer", "OutputType"]


class CheckedAnswer(NamedTuple):
    """An answer that is of the type."""

    value: Any
    """An instance of the type."""
    notes: tuple[Note, ...] = ()
    """The changes that were made."""


class OutputType:
    """The type that answers have.

    Args:
        output_type: A pydantic model, a dataclass, a `TypedDict`, ``list[…]``, a union, or any
            other type that has a JSON Schema. `Never`: each turn calls a tool.

    Raises:
        TypeError: It has no JSON Schema.
    """

    def __init__(self, output_type: Any) -> None:
        self.type = output_type
        """The type itself."""
        if isinstance(output_type, str | list | tuple | dict) or isroutine(output_type):
            raise TypeError(
                "an output_type is a type, such as a pydantic model or list[str], not"
                f" {kind_of(output_type)}"
            )
        try:
            self.json_schema: dict[str, Any] = self._read_schema()
            """Its JSON Schema; treat it as read-only."""
        except (TypeError, ValueError, NameError, RuntimeError) as error:
            reason = str(error).partition("\n")[0].partition(". Set `")[0]
            raise TypeError(f"{_named(output_type)} has no JSON Schema: {reason}") from error
        self.schema = Schema(self.json_schema)
        """The same, validated."""

    def __eq__(self, other: object) -> bool:
        return isinstance(other, OutputType) and self.type == other.type

    def __hash__(self) -> int:
        return hash(as_json(self.json_schema))

    def __reduce__(self) -> tuple[type[OutputType], tuple[Any]]:
        return OutputType, (self.type,)

    @property
    def is_never(self) -> bool:
        """Whether no answer is of the type, so that each turn has to call a tool."""
        return self.type in (Never, NoReturn)

    def _read_schema(self) -> dict[str, Any]:
        if self.is_never:
            return {"not": {}}
        if is_v1_model(self.type):
            return dict(schema_of(self.type))
        return self._adapter.json_schema()

    @cached_property
    def _adapter(self) -> TypeAdapter[Any]:
        from pydantic import TypeAdapter

        return TypeAdapter(self.type)

    @cached_property
    def _validate(self) -> Callable[[Any], Any]:
        if is_v1_model(self.type):
            return partial(validate, self.type)
        return partial(validated, self._adapter)

    def read(self, answer: Any, *, lenient: bool = False) -> CheckedAnswer:
        """Return *answer* as an instance of the type, and the changes made.

        A text is read as JSON, unless the type takes texts and it is no object or list that fits.

        Args:
            answer: What the model wrote: a text, or a value that was read from JSON.
            lenient: Repair malformed JSON, as `repair_json` does, and read it in a code fence.

        Raises:
            AnswerError: It is not of the type; the error lists all problems and has an example.
        """
        fitter = Fitter(self.schema, Policy(lenient=lenient))
        notes: list[Note] = []
        if self.is_never:
            found = f"an answer, {shown(answer)}"
            problem = InputProblem((), "a call of a tool in its place", found)
            raise self._error(fitter, answer, None, (problem,))
        try:
            written = _from_text(fitter, answer, notes) if isinstance(answer, str) else answer
        except BadInput as bad:
            raise self._error(fitter, answer, bad.value, (bad.problem,)) from None
        value, problems = fitter.fit(written)
        copied = _placeholder_in(written, self.example) if lenient and not problems else None
        if copied is not None:
            found = f"{shown(copied)}, which stands for one in the instructions"
            problems = (InputProblem((), "a value", found),)
        problems = problems or tuple(problems_of(self._validate, value))
        if problems:
            raise self._error(fitter, answer, written, problems)
        return CheckedAnswer(self._validate(value), (*notes, *notes_of(written, value)))

    def dump(self, value: Any) -> Any:
        """Return *value*, an instance of the type, as data that is read as it.

        Raises:
            ValueError: It is not of the type, or has no JSON.
        """
        try:
            if is_v1_model(self.type):
                data = json.loads(value.json(by_alias=True))
            else:
                data = self._adapter.dump_python(value, mode="json", by_alias=True)
            self._validate(data)
        except (ValueError, TypeError, AttributeError) as error:
            raise ValueError(f"the answer {value!r:.200} is not of the type asked for") from error
        return data

    @cached_property
    def example(self) -> Any:
        """An answer of placeholders, as data; `None` if it would not be valid."""
        from agent_parsers.toolset.schemas.example import corrected

        fitter = Fitter(self.schema, Policy())
        return self._valid(fitter, corrected(fitter, NOTHING, self.schema.root))

    def describe(self) -> str:
        """Return the type as text for a prompt: its shape, and a line for each member described."""
        return describe_type(self.schema)

    def _valid(self, fitter: Fitter, example: Any) -> Any:
        is_valid = not fitter.fit(example).problems and not any(
            problems_of(self._validate, example)
        )
        return example if is_valid else None

    def _error(
        self, fitter: Fitter, answer: Any, value: Any, problems: tuple[InputProblem, ...]
    ) -> AnswerError:
        from agent_parsers.toolset.schemas.example import corrected

        root = self.schema.root
        fits = not fitter.run(value, root, convert=True).problems
        wrong = [problem.path for problem in problems if problem.path] if fits else []
        example = self._valid(fitter, corrected(fitter, value, root, wrong=wrong))
        return AnswerError(
            wrong_answer(problems), answer=answer, problems=problems, example=example
        )


def _named(output_type: Any) -> str:
    return f"the output_type {getattr(output_type, '__name__', output_type)!r:.100}"


def _from_text(fitter: Fitter, text: str, notes: list[Note]) -> Any:
    """Return the value that an answer is as *text*.

    Raises:
        BadInput: It is JSON that is broken or ambiguous, or has other text around it.
    """
    body, root = text.strip(), fitter.schema.root
    value = parse_whole(body, MAX_DEPTH)
    is_text = fitter.fits(text, root)
    if isinstance(value, dict | list):
        if (key := repeated_key(body, ())) is not None:
            raise BadInput(InputProblem((key,), "one value", "the key more than once"), value)
        return value if not (is_text and fitter.fit(value).problems) else text
    if is_text or (value is NOTHING and body[:1].isalpha() and not fitter.fit(body).problems):
        return text if is_text else body
    if value is not NOTHING:
        return value
    return _repaired(fitter, body, notes)


def _repaired(fitter: Fitter, text: str, notes: list[Note]) -> Any:
    """Return the value that *text*, which is not JSON, becomes by repairs."""
    from output_parsers import repair_json  # imported lazily: only malformed JSON needs it

    try:
        value, repairs = repair_json(text) if fitter.policy.lenient else (NOTHING, ())
    except json.JSONDecodeError:
        value, repairs = NOTHING, ()
    if not isinstance(value, dict | list):
        if text[:1] not in ("{", "["):
            return text  # its problem is that it is a text
        raise BadInput(InputProblem((), "JSON", "text that cannot be read as JSON"))
    if any(repair.kind == "missing_closer" for repair in repairs):
        raise BadInput(InputProblem((), "whole JSON", "the beginning of it"), value)
    if (key := repeated_key(text, repairs)) is not None:
        raise BadInput(InputProblem((key,), "one value", "the key more than once"), value)
    spans = [repair.span for repair in repairs if repair.kind == "surrounding_text"]
    extra = " ".join(text[start:end].strip(" \t\r\n`") for start, end in spans)
    extra = extra.strip().removesuffix("json").strip()
    if extra:
        found = f"the text {shown(extra)}"
        raise BadInput(InputProblem((), "nothing but the JSON", found), value)
    if spans:
        notes.append(Note("read the JSON that stands in a code fence", "surrounding_text"))
    notes += (
        Note(repair.message, repair.kind) for repair in repairs if repair.kind != "surrounding_text"
    )
    return value


def _placeholder_in(value: Any, example: Any) -> str | None:
    """Return a text of *value* that is a placeholder in *example*, at the same place."""
    if isinstance(value, str):
        is_copied = value == example and value.startswith("<") and value.endswith(">")
        return value if is_copied else None
    if isinstance(value, dict) and isinstance(example, dict):
        pairs = [(each, example.get(key)) for key, each in value.items()]
    elif isinstance(value, list) and isinstance(example, list) and example:
        pairs = [(each, example[0]) for each in value]
    else:
        return None
    return next(filter(None, (_placeholder_in(*pair) for pair in pairs)), None)
