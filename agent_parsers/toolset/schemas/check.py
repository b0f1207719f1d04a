"""Checks and converts one input of a tool; see `ToolSet.check`."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any, Final

from agent_parsers.toolset.problems.errors import (
    CheckedInput,
    InputNote,
    Policy,
    ToolInputError,
    wrong_input,
)
from agent_parsers.toolset.problems.input_problem import InputProblem, Path, shown, where
from agent_parsers.toolset.schemas.fit import Fitter
from agent_parsers.toolset.schemas.scalars import from_text, is_usual_number, unescaped
from agent_parsers.toolset.schemas.written_input import BadInput, read_arguments
from outputs.growing_json.scalars import NOTHING
from outputs.growing_json.whole import MAX_DEPTH, parse_whole

if TYPE_CHECKING:
    from agent_parsers.toolset.schemas.schema import Node, Schema
    from agent_parsers.toolset.schemas.spec import ToolSpec


def check_input(spec: ToolSpec, schema: Schema, tool_input: Any, policy: Policy) -> CheckedInput:
    """Return *tool_input*, which the model wrote, converted to what the tool takes.

    Raises:
        ToolInputError: The input does not fit.
    """
    fitter = Fitter(schema, policy)
    notes: list[InputNote] = []
    try:
        arguments = read_arguments(fitter, tool_input, notes)
    except BadInput as bad:
        raise _error(spec, fitter, tool_input, bad.value, (bad.problem,)) from None
    is_plain = schema.plain is not None and schema.plain.fits(arguments)
    value, problems = (arguments, ()) if is_plain else fitter.fit(arguments)
    if not problems and spec.origin is not None:
        problems = tuple(spec.origin.problems(value))
    if problems:
        raise _error(spec, fitter, tool_input, value, problems)
    return CheckedInput(spec.name, value, (*notes, *notes_of(arguments, value)))


def resolve(
    schema: Schema,
    policy: Policy,
    arguments: dict[str, Any],
    others: Mapping[str, Callable[[], Iterable[Any]]],
    unnamed: Sequence[Any],
    texts: Collection[str],
) -> dict[str, Any] | None:
    """Return *arguments* with ambiguous ones decided by the schema; see `ToolSet.resolve`."""
    fitter = Fitter(schema, policy)
    flat = schema.flat(schema.root)
    properties, more = flat.get("properties", {}), flat.get("additionalProperties", True)
    names = [*properties][: len(unnamed)]
    if len(names) < len(unnamed) or any(name in arguments for name in names):
        return None
    meant = {**dict(zip(names, unnamed, strict=True)), **arguments}
    for name, read in others.items():
        part = properties.get(name, more)
        if name not in texts:
            meant[name] = _typed(fitter, meant[name], part)
        if fitter.run(meant[name], part, convert=True).problems:
            fits = (x for x in read() if not fitter.run(x, part, convert=True).problems)
            meant[name] = next(fits, meant[name])
    return meant


def _typed(fitter: Fitter, value: Any, part: Node) -> Any:
    """Return text converted to the first non-string type of *part* that it can be read as.

    A text that *part* lists, in an enum or as a constant, stays that text. If *part* takes other
    text as well, a number is read only if it would be written with the same characters: phone
    numbers and versions would lose some. Wherever *part* allows null, the text ``null`` is read as
    null. If *part* declares no type, other text stays a string.
    """
    if not isinstance(value, str):
        return value
    if all(fitter.fits(one, part) for one in _ONE_OF_EACH):
        return None if value == "null" else value
    takes_text = fitter.fits(value, part)
    if takes_text and fitter.schema.lists(value, part):
        return value
    for kind in _KINDS:
        read = from_text(value, (kind,))
        if read is NOTHING or not fitter.fits(read, part):
            continue
        if not takes_text or kind not in ("integer", "number") or is_usual_number(value):
            return read
    return value


_KINDS: Final = ("null", "integer", "number", "boolean", "object", "array")
_ONE_OF_EACH: Final[tuple[Any, ...]] = (None, 0, True, {}, [])


def _error(
    spec: ToolSpec,
    fitter: Fitter,
    tool_input: Any,
    value: Any,
    problems: tuple[InputProblem, ...],
) -> ToolInputError:
    from agent_parsers.toolset.schemas.example import (  # imported lazily: only errors need it
        corrected_input,
        example_text,
    )

    example = corrected_input(fitter, value if isinstance(value, dict) else {}, problems)
    is_valid = _is_valid(spec, fitter, example)
    return ToolInputError(
        wrong_input(spec.name, problems),
        tool=spec.name,
        tool_input=tool_input,
        problems=problems,
        example=example if is_valid else None,
        example_text=example_text(fitter.schema, example) if is_valid else None,
    )


def example_of(spec: ToolSpec, schema: Schema, policy: Policy) -> dict[str, Any] | None:
    """Return an input of placeholders, or `None` if it would not be valid."""
    from agent_parsers.toolset.schemas.example import corrected

    fitter = Fitter(schema, policy)
    example = corrected(fitter, {}, schema.root)
    return example if _is_valid(spec, fitter, example) else None


def _is_valid(spec: ToolSpec, fitter: Fitter, example: Any) -> bool:
    """Return whether *example* fits; it may fail a pattern or a validator."""
    if not isinstance(example, dict) or fitter.fit(example).problems:
        return False
    return spec.origin is None or not any(spec.origin.problems(example))


def notes_of(old: Any, new: Any, path: Path = ()) -> Iterator[InputNote]:
    """Yield notes about how *new* differs from *old*, which is at *path* in the whole value."""
    if new is old:
        return
    if isinstance(old, dict) and isinstance(new, dict):
        for key, item in old.items():
            if key in new:
                yield from notes_of(item, new[key], (*path, key))
            else:
                what = f"dropped the key {where((*path, key))}, which is unknown"
                yield InputNote(what, "unknown_key")
    elif isinstance(old, list) and isinstance(new, list):
        for index, (item, new_item) in enumerate(zip(old, new, strict=True)):
            yield from notes_of(item, new_item, (*path, index))
    elif old is not NOTHING:
        kind = "case" if isinstance(old, str) and isinstance(new, str) else ""
        yield InputNote(f"{where(path)}: read {shown(old)} as {shown(new)}", kind)
        if isinstance(old, str) and isinstance(new, dict | list):
            yield from _repairs_of(old.strip(), path)


def _repairs_of(text: str, path: Path) -> Iterator[InputNote]:
    """Yield notes about the repairs of *text*, which was read as an object or a list."""
    if unescaped(text) is not None:
        yield InputNote(f"{where(path)}: read JSON whose quotes are escaped", "double_encoding")
    elif parse_whole(text, MAX_DEPTH) is NOTHING:
        from output_parsers import repair_json  # imported lazily: only malformed JSON needs it

        for repair in repair_json(text).repairs:
            yield InputNote(f"{where(path)}: {repair.message}", repair.kind)
