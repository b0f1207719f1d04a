"""The type of an agent's answers: how they are read, checked, and shown to the model."""

from __future__ import annotations

import json
import re
from collections.abc import Callable
from contextlib import suppress
from copy import deepcopy
from dataclasses import replace
from functools import cached_property
from inspect import isroutine
from typing import TYPE_CHECKING, Any, Final, NamedTuple, Never, NoReturn

from agent_parsers.toolset.declaring.validation import problems_of, validated
from agent_parsers.toolset.problems.errors import (
    CUT_ANSWER,
    AnswerError,
    InputNote,
    Policy,
    answer_text,
    as_json,
    wrong_answer,
)
from agent_parsers.toolset.problems.input_problem import InputProblem, shown
from agent_parsers.toolset.schemas.check import notes_of
from agent_parsers.toolset.schemas.fit import Fitter
from agent_parsers.toolset.schemas.scalars import is_usual_number
from agent_parsers.toolset.schemas.schema import Schema
from agent_parsers.toolset.schemas.spec import KEY, describe_type
from agent_parsers.toolset.schemas.written_input import BadInput, parted
from output_parsers.printable import kind_of
from output_parsers.strategies.strategy import AutoStrategy, ProviderStrategy, ToolStrategy
from output_parsers.types.models import is_v1_model, schema_of, validate
from outputs.growing_json.errors import JsonLimitError
from outputs.growing_json.lenient.json_text import repeated_key
from outputs.growing_json.reader import JsonReader, parse_partial_json
from outputs.growing_json.scalars import NOTHING
from outputs.growing_json.whole import MAX_DEPTH, parse_whole

if TYPE_CHECKING:
    from pydantic import TypeAdapter


class CheckedAnswer(NamedTuple):
    """An answer of the required type."""

    value: Any
    """An instance of the type."""
    notes: tuple[InputNote, ...] = ()
    """The changes that were made."""


class OutputType:
    """The type of an agent's answers.

    Args:
        output_type: A pydantic model, a dataclass, a `TypedDict`, ``list[…]``, a union, or any
            other type that has a JSON Schema; or a JSON Schema, whose answers are data. `Never`:
            each turn calls a tool.

    Raises:
        TypeError: It has no JSON Schema.
    """

    def __init__(self, output_type: Any) -> None:
        self.type = output_type
        """The type itself."""
        if isinstance(output_type, AutoStrategy | ProviderStrategy | ToolStrategy):
            raise TypeError(
                f"{type(output_type).__name__} says how to ask for an answer: pass it to"
                " run_agent(output_type=…), and only its schema to a parser"
            )
        if isinstance(output_type, str | list | tuple) or isroutine(output_type):
            raise TypeError(
                "an output_type must be a type, such as a pydantic model or list[str], or a JSON"
                f" Schema, not {kind_of(output_type)}"
            )
        try:
            self.json_schema: dict[str, Any] = self._read_schema()
            """Its JSON Schema; treat it as read-only."""
            self.schema: Schema = Schema(self.json_schema)
            """The same, validated."""
        except (TypeError, ValueError, LookupError, NameError, RuntimeError) as error:
            reason = str(error).partition("\n")[0].partition(". Set `")[0]
            name = f"{getattr(output_type, '__name__', output_type)!r:.100}"
            raise TypeError(f"the output_type {name} has no JSON Schema: {reason}") from error

    def __eq__(self, other: object) -> bool:
        return isinstance(other, OutputType) and self.type == other.type

    def __hash__(self) -> int:
        return hash(as_json(self.json_schema))

    def __reduce__(self) -> tuple[type[OutputType], tuple[Any]]:
        return OutputType, (self.type,)

    @property
    def is_never(self) -> bool:
        """Whether the type allows no answer, so that each turn has to call a tool."""
        return self.type in (Never, NoReturn)

    @property
    def takes_text(self) -> bool:
        """Whether any text is an answer of the type."""
        try:
            return bool(self.read("…").value == "…")
        except AnswerError:
            return False

    def _read_schema(self) -> dict[str, Any]:
        if self.is_never:
            return {"not": {}}
        if isinstance(self.type, dict):
            return self.type
        if is_v1_model(self.type):
            return dict(schema_of(self.type))
        from agent_parsers.toolset.declaring.input_schema import InputSchema

        return self._adapter.json_schema(schema_generator=InputSchema)

    @cached_property
    def _adapter(self) -> TypeAdapter[Any]:
        from pydantic import TypeAdapter

        return TypeAdapter(self.type)

    def _validate(self, value: Any) -> Any:
        """Return an instance of the type; validators may change what they are given, so a copy."""
        from pydantic import ValidationError

        if isinstance(self.type, dict):  # the fitter has checked it
            return deepcopy(value)
        if is_v1_model(self.type):
            return validate(self.type, deepcopy(value))
        try:
            return self._adapter.validate_python(deepcopy(value))
        except ValidationError:
            return validated(self._adapter, deepcopy(value))  # as JSON: in strict mode, a date

    def read(self, answer: Any, *, lenient: bool = False, is_cut: bool = False) -> CheckedAnswer:
        """Return *answer* as an instance of the type, and the changes made.

        A text that is JSON of the type is read as JSON, so the quotes around a JSON string are not
        part of it; any other is a text, if the type takes texts. A number stays a text if the type
        takes both, and would be written with other digits.

        Args:
            answer: What the model wrote: a text, or a value that was read from JSON.
            lenient: Repair malformed JSON, as `repair_json` does, and read it in a code fence.
            is_cut: Whether the text may go on; then only an object, a list, or a text where the
                type takes any shows its end.

        Raises:
            AnswerError: It is not of the type; the error lists all problems and has an example.
        """
        fitter, root = Fitter(self.schema, Policy(lenient=lenient)), self.schema.root
        notes: list[InputNote] = []
        if self.is_never:
            found = f"an answer, {shown(answer)}"
            problem = InputProblem((), "a tool call instead of an answer", found)
            raise self._error(fitter, answer, None, (problem,))
        try:
            written = answer
            if isinstance(answer, str):
                written = _from_text(fitter, answer, notes, is_cut=is_cut)
        except BadInput as bad:
            raise self._error(fitter, answer, bad.value, (bad.problem,)) from None
        value, problems = fitter.fit(written)
        is_whole = isinstance(written, dict | list) or (
            isinstance(written, str) and fitter.fits(f"{answer}…", root)
        )
        if is_cut and not is_whole:
            problems = (InputProblem((), "a whole answer", f"{shown(written)}, which is cut off"),)
        copied = _placeholder_in(written, self.example) if lenient and not problems else None
        if copied is not None:
            found = f"{shown(copied)}, which is a placeholder in the instructions"
            problems = (InputProblem((), "a value", found),)
        made: list[Any] = []
        if not problems:
            problems = tuple(map(_of_answer, problems_of(self._keep(made), value)))
        if problems:
            raise self._error(fitter, answer, written, problems)
        return CheckedAnswer(made[0], (*notes, *notes_of(written, value)))

    def _keep(self, made: list[Any]) -> Callable[[Any], Any]:
        """Return what validates a value, and adds the instance to *made*."""

        def read(value: Any) -> Any:
            made.append(self._validate(value))
            return made[-1]

        return read

    def dump(self, value: Any) -> Any:
        """Return *value*, an instance of the type, as data from which it can be read again.

        Raises:
            ValueError: It is not of the type, or has no JSON.
        """
        try:
            if isinstance(self.type, dict):
                data = value
            elif is_v1_model(self.type):
                data = json.loads(value.json(by_alias=True))
            else:
                data = self._adapter.dump_python(value, mode="json", by_alias=True)
                # what the model does not give, such as fields with `init=False`
                data = Fitter(self.schema, Policy(unknown_keys="drop")).fit(data).value
            for way in (data, as_json(data)) if isinstance(data, str) else (data,):
                back = self.read(answer_text(way)).value
                if back == value and type(back) is type(value):
                    return way
        except (ValueError, TypeError, AttributeError, RecursionError) as error:
            kind = kind_of(value)
            raise ValueError(f"the answer, of type {kind}, does not fit the output_type") from error
        raise ValueError(
            f"the answer, of type {kind_of(value)}, would be read back as another value"
        )

    def keeps(self, text: str) -> bool:
        """Return whether *text*, given as an answer, is read as itself, or is not of the type."""
        try:
            return bool(self.read(text, lenient=True).value == text)
        except AnswerError:
            return True

    @cached_property
    def example(self) -> Any:
        """An answer of placeholders, as data; `None` if it would not be valid."""
        from agent_parsers.toolset.schemas.example import corrected

        fitter = Fitter(self.schema, Policy())
        return self._valid(fitter, corrected(fitter, NOTHING, self.schema.root))

    def describe(self) -> str:
        """Return the type as text for a prompt: its shape, and the descriptions of its members."""
        return describe_type(self.schema)

    def _valid(self, fitter: Fitter, example: Any) -> Any:
        is_valid = not fitter.fit(example).problems and not any(
            problems_of(self._validate, example)
        )
        return example if is_valid else None

    def _error(
        self, fitter: Fitter, answer: Any, value: Any, problems: tuple[InputProblem, ...]
    ) -> AnswerError:
        from agent_parsers.toolset.schemas.example import corrected_input

        example = self._valid(fitter, corrected_input(fitter, value, problems))
        if problems == (CUT_ANSWER,) and _placeholder_in(example, self.example) is None:
            example = self.example  # which cannot be taken for the answer
        return AnswerError(
            wrong_answer(problems), answer=answer, problems=problems, example=example
        )


def _from_text(fitter: Fitter, text: str, notes: list[InputNote], *, is_cut: bool) -> Any:
    """Return the value that an answer is as *text*.

    Raises:
        BadInput: It is JSON that is broken or ambiguous, or has other text around it.
    """
    body, root = text.strip(), fitter.schema.root
    value = parse_whole(body, MAX_DEPTH)
    is_text = fitter.fits(text, root)
    if isinstance(value, dict | list) and (key := repeated_key(body, ())) is not None:
        raise BadInput(InputProblem((key,), "one value", "the key more than once"), value)
    if "." in body and value is not NOTHING:
        value = _with_decimals(
            fitter, value, json.loads(body, parse_float=_exact, strict=False), root
        )
    if value is not NOTHING:
        return text if is_text and fitter.fit(value).problems else value
    if is_text:
        return _repaired(fitter, body, notes) if _may_be_data(fitter, body) else text
    if body[:1].isalnum() and not fitter.fit(body).problems:
        return body
    items = None if is_cut else _listed(fitter, text)
    if items is not None:
        notes.append(InputNote("read each line as an item of the list", "list_lines"))
        return items
    return _repaired(fitter, body, notes)


def _exact(written: str) -> float | str:
    """Return a number as a text if it would be written with other digits."""
    return float(written) if is_usual_number(written) else written


def _with_decimals(fitter: Fitter, value: Any, exact: Any, node: Any) -> Any:
    """Return *value* with the text of each number that a float changes, where texts are taken too.

    So it is for a decimal. *exact* is the same value with texts in place of all such numbers.
    """
    flat = fitter.schema.flat(node)
    if isinstance(value, dict) and value and isinstance(exact, dict):
        known = flat.get("properties", {})
        others = flat.get("additionalProperties", True)
        return {
            key: _with_decimals(fitter, each, exact[key], known.get(key, others))
            for key, each in value.items()
        }
    if isinstance(value, list) and isinstance(exact, list):
        first, rest = flat.get("prefixItems", ()), flat.get("items", True)
        return [
            _with_decimals(fitter, each, exact[at], first[at] if at < len(first) else rest)
            for at, each in enumerate(value)
        ]
    is_changed = isinstance(value, float) and isinstance(exact, str)
    is_any = is_changed and fitter.fits({}, node)
    return exact if is_changed and not is_any and fitter.fits(exact, node) else value


def _listed(fitter: Fitter, text: str) -> list[str] | None:
    """Return what stands on the lines of *text*, if all begin with a hyphen and a list is meant.

    Where some are indented deeper, there are lists in it.
    """
    lines = [line for line in text.expandtabs().split("\n") if line.strip()]
    columns = {len(line) - len(line.lstrip()) for line in lines}
    is_list = len(columns) == 1 and all(line.lstrip().startswith("- ") for line in lines)
    if not (is_list and fitter.policy.lenient):
        return None
    items = [line.strip()[2:].strip() for line in lines]
    return None if fitter.fit(items).problems else items


def _may_be_data(fitter: Fitter, text: str) -> bool:
    """Return whether *text*, which is of the type, may be meant as other data of the type."""
    if not text.startswith(("{", "[", "```")):
        return False
    forms = [fitter.schema.flat(part) for part in fitter.schema.same_value(fitter.schema.root)]
    return any(form.get("type") in ("object", "array") for form in forms)


def _repaired(fitter: Fitter, text: str, notes: list[InputNote]) -> Any:
    """Return the value that *text*, which is not JSON, becomes by repairs."""
    # imported lazily: only malformed JSON needs it
    from output_parsers.json_in_prose.repair import repaired_with_last_keys

    try:
        value, repairs = repaired_with_last_keys(text) if fitter.policy.lenient else (NOTHING, ())
    except json.JSONDecodeError:
        value, repairs = NOTHING, ()
    written = _FENCE.sub("", text) if fitter.policy.lenient else text
    if (begun := _begun(written)) is not NOTHING:
        raise BadInput(CUT_ANSWER, begun)
    if not isinstance(value, dict | list):
        if text[:1] not in ("{", "["):
            return text  # its problem is that it is a text
        raise BadInput(InputProblem((), "JSON", "text that cannot be read as JSON"))
    if any(repair.kind == "missing_closer" for repair in repairs):
        raise BadInput(CUT_ANSWER, value)
    if (key := repeated_key(text, repairs)) is not None:
        raise BadInput(InputProblem((key,), "one value", "the key more than once"), value)
    extra, within = parted(text, repairs)
    extra = extra.strip().removesuffix("json").strip()
    if extra:
        found = f"the text {shown(extra)}"
        raise BadInput(InputProblem((), "nothing but the JSON", found), value)
    if len(within) < len(repairs):
        notes.append(InputNote("read the JSON in a code fence", "surrounding_text"))
    notes += within
    return value


_FENCE: Final = re.compile(r"\A```\w*\s*")
_STRING: Final = re.compile(r'"(?>(?:[^"\\]|\\.)*)("?)', re.DOTALL)
_CUT: Final = "<>"
_LAST_WORD: Final = re.compile(r"[\w.+-]+\Z")


def _begun(text: str) -> Any:
    """Return what is whole of an object or a list that *text* begins; `NOTHING` if it is none.

    A placeholder stands in place of the value in which the text ends.
    """
    reader = JsonReader(strict=True)
    with suppress(JsonLimitError):
        reader.feed(text)
    if text[:1] not in ("{", "[") or reader.error is not None or reader.complete:
        return NOTHING
    strings = [*_STRING.finditer(text)]
    is_open = strings and not strings[-1][1]
    before = text[: strings[-1].start()] if is_open else _LAST_WORD.sub("", text)
    return _with_placeholder(parse_partial_json(f'{before}"{_CUT}"'), "value")


def _with_placeholder(value: Any, name: str) -> Any:
    """Return *value* with a placeholder in place of `_CUT`, which can only be its last part."""
    if isinstance(value, dict) and value:
        key = next(reversed(value))
        return {**value, key: _with_placeholder(value[key], key)}
    if isinstance(value, list) and value:
        return [*value[:-1], _with_placeholder(value[-1], name)]
    return f"<{name}>" if value == _CUT else value


def _placeholder_in(value: Any, example: Any, name: str = "value") -> str | None:
    """Return a text of *value* that is a placeholder in *example*, or that the example lacks.

    Args:
        value: A part of an answer.
        example: The same part of the example; `None` if it has none.
        name: The key under which they stand; a placeholder shows it.
    """
    if isinstance(value, str):
        return value if value == f"<{name}>" and example in (value, None) else None
    if isinstance(value, dict):
        known = example if isinstance(example, dict) else {}
        if KEY in value and KEY in known:
            return KEY
        parts = [(each, known.get(key), key) for key, each in value.items()]
    elif isinstance(value, list):
        first = example[0] if isinstance(example, list) and example else None
        parts = [(each, first, name) for each in value]
    else:
        return None
    return next(filter(None, (_placeholder_in(*part) for part in parts)), None)


def _of_answer(problem: InputProblem) -> InputProblem:
    expected = problem.expected.replace("a value that the tool accepts", "a valid answer")
    return replace(problem, expected=expected)
