"""Python functions as tools; type hints and docstrings give the schema."""

from __future__ import annotations

import inspect
import re
import typing
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import lru_cache, partial
from inspect import cleandoc
from types import SimpleNamespace, UnionType
from typing import TYPE_CHECKING, Annotated, Any, ClassVar, Final, Literal, NamedTuple

from agent_parsers.toolset.declaring.validation import problems_of
from agent_parsers.toolset.schemas.spec import ToolSpec

if TYPE_CHECKING:
    from pydantic import TypeAdapter

    from agent_parsers.toolset.problems.input_problem import InputProblem
    from agent_parsers.toolset.schemas.plain import PlainObject


class Docstring(NamedTuple):
    """The parts of a docstring."""

    description: str
    """The text before the first section."""
    parameters: dict[str, str]
    """The description of each parameter, on one line."""


_PARAMETERS: Final = {
    "args", "arguments", "attributes", "keyword args", "keyword arguments", "other parameters",
    "parameters", "params",
}  # fmt: skip
_SECTIONS: Final = _PARAMETERS | {
    "example", "examples", "note", "notes", "raises", "references", "return", "returns", "see also",
    "todo", "warning", "warnings", "warns", "yield", "yields",
}  # fmt: skip
_field = re.compile(r":(\w+)(?:[ \t]+([^:]*))?:[ \t]*(.*)").fullmatch
_google_item = re.compile(r"[*]{0,2}(\w+)[ \t]*(?:\([^)]*\))?[ \t]*:[ \t]*(.*)").fullmatch
_numpy_item = re.compile(r"[*]{0,2}(\w+(?:[ \t]*,[ \t]*[*]{0,2}\w+)*)[ \t]*(?::.*)?").fullmatch
_underline = re.compile(r"-{3,}[ \t]*").fullmatch


def read_docstring(text: str | None) -> Docstring:
    """Return the parts of the docstring *text*."""
    lines = cleandoc(text or "").split("\n")
    description: list[str] = []
    parameters: dict[str, str] = {}
    section = ""
    at = 0
    while at < len(lines):
        line = lines[at]
        title = line.strip().rstrip(":").lower()
        is_title = not line[:1].isspace() and title in _SECTIONS
        is_ruled = is_title and at + 1 < len(lines) and bool(_underline(lines[at + 1].strip()))
        if is_ruled or (is_title and line.rstrip().endswith(":")):
            section = title
            end = at + 1 + is_ruled
            stop = _section_end(lines, end, is_ruled=is_ruled)
            if section in _PARAMETERS:
                parameters.update(_items(lines[end:stop], is_ruled=is_ruled))
            at = stop
            continue
        if (found := _field(line)) is not None:
            section = "fields"
            stop = at + 1
            while stop < len(lines) and lines[stop][:1].isspace():
                stop += 1
            words = (found[2] or "").split()
            if found[1] in ("param", "parameter", "arg", "argument", "key", "keyword") and words:
                said = _joined([found[3], *lines[at + 1 : stop]])
                parameters[words[-1].lstrip("*\\")] = said
            at = stop
            continue
        if not section:
            description.append(line)
        at += 1
    return Docstring("\n".join(description).strip(), parameters)


def _section_end(lines: list[str], at: int, *, is_ruled: bool) -> int:
    """Return the line at which the section that begins at line *at* ends."""
    while at < len(lines):
        line = lines[at]
        if is_ruled and at + 1 < len(lines) and line.strip() and _underline(lines[at + 1].strip()):
            break
        if not is_ruled and line.strip() and not line[:1].isspace():
            break
        at += 1
    return at


def _items(lines: list[str], *, is_ruled: bool) -> dict[str, str]:
    """Read ``name (type): text`` or, below a rule, ``name, name : type``.

    Indented lines below continue the text.
    """
    match = _numpy_item if is_ruled else _google_item
    filled = [line for line in lines if line.strip()]
    indent = min((len(line) - len(line.lstrip()) for line in filled), default=0)
    found: dict[str, list[str]] = {}
    names: list[str] = []
    for line in filled:
        head = match(line[indent:].rstrip()) if not line[indent : indent + 1].isspace() else None
        if head is not None:
            names = [name.strip().lstrip("*") for name in head[1].split(",")]
            found.update((name, [] if is_ruled else [head[2]]) for name in names)
        else:
            for name in names:
                found[name].append(line)
    return {name: _joined(texts) for name, texts in found.items()}


def _joined(lines: list[str]) -> str:
    return " ".join(" ".join(lines).split())


# -- functions -------------------------------------------------------------------------------------


def spec_from_function(
    function: Callable[..., Any], *, name: str | None = None, description: str | None = None
) -> ToolSpec:
    """Return *function* as a tool.

    The schema is made from the type hints of the parameters; a parameter without a hint takes any
    value. ``**kwargs`` allows further keys. ``*args``, and what a `functools.partial` binds, are
    omitted. Descriptions are taken from `pydantic.Field`, from text in `Annotated`, or from the
    docstring. A function whose signature cannot be inspected takes any input.

    Args:
        function: Any function or method; it may be asynchronous.
        name: Name of the tool; by default the name of the function.
        description: Description of the tool; by default the docstring.

    Raises:
        TypeError: A type hint cannot be resolved, or is of a type that JSON does not have; or
            *function* is an unbound method.
    """
    doc = read_docstring(inspect.getdoc(_inner(function)))
    name = name or _name_of(function)
    description = doc.description if description is None else description
    try:
        found = _signature(function)
    except ValueError:  # some functions written in C have no signature
        return ToolSpec(name, description, origin=FunctionOrigin(function))
    return ToolSpec(
        name,
        description,
        _schema(found, doc.parameters),
        origin=FunctionOrigin(function),
    )


def _inner(function: Any) -> Any:
    """Return the function in a `functools.partial`, or *function* itself."""
    return function.func if isinstance(function, partial) else function


def _name_of(function: Any) -> str:
    name: str = _inner(function).__name__
    return name


@dataclass(frozen=True, slots=True)
class FunctionOrigin:
    """A function that is called with keyword arguments."""

    function: Any

    takes_declared_only: ClassVar = True

    def problems(self, value: dict[str, Any]) -> Iterator[InputProblem]:
        """Yield the problems that pydantic finds in the arguments."""
        parameters, rest = _signature(self.function)
        for key, item in value.items():
            parameter = parameters.get(key, rest)
            if parameter is None:
                continue
            kind = type(item)
            # Text may have half a surrogate pair, which pydantic refuses.
            if kind not in parameter.types or (kind is str and not item.isascii()):
                yield from problems_of(parameter.read, item, (key,))

    def narrowed(self, plain: PlainObject) -> PlainObject:
        """Return the objects of *plain* that are certain to have no problems."""
        parameters, rest = _signature(self.function)
        found = {key: parameters.get(key, rest) for key in plain.types}
        types = {
            key: kinds if (parameter := found[key]) is None else kinds & parameter.types
            for key, kinds in plain.types.items()
        }
        lone = plain.lone if str in types.get(plain.lone, ()) else ""
        return plain._replace(types=types, lone=lone, takes_halves=False)

    def run(self, value: Any) -> Any:
        """Call the function with arguments converted to the types of its hints.

        Raises:
            TypeError: *value* is not an object, and the function takes parameters by name.
        """
        try:
            found = _signature(self.function)
        except ValueError:
            return self.function(**value) if isinstance(value, dict) else self.function(value)
        if not isinstance(value, dict):
            raise TypeError(
                f"the input of {_name_of(self.function)} must be a dictionary, not {value!r:.100}"
            )
        read = {
            key: item if parameter is None else parameter.read(item)
            for key, item in value.items()
            for parameter in (found.parameters.get(key, found.rest),)
        }
        by_place = [key for key, parameter in found.parameters.items() if parameter.is_positional]
        while by_place and by_place[-1] not in read:
            by_place.pop()
        args = [read.pop(key, found.parameters[key].default) for key in by_place]
        return self.function(*args, **read)


class _Parameter(NamedTuple):
    adapter: TypeAdapter[Any]
    default: Any
    description: str
    is_positional: bool
    types: frozenset[type]
    """Types of which each value is taken as it is; empty if only pydantic knows."""

    def read(self, value: Any) -> Any:
        """Return *value*, which fits the schema, converted to the type of the parameter.

        Raises:
            pydantic.ValidationError: A validator rejects the value.
        """
        from agent_parsers.toolset.declaring.validation import validated

        return validated(self.adapter, value)


class _Signature(NamedTuple):
    parameters: dict[str, _Parameter]
    rest: _Parameter | None
    """The type of ``**kwargs``, or `None`."""


@lru_cache(maxsize=256)
def _signature(function: Any) -> _Signature:
    """Return the parameters of *function* that a model can give.

    Raises:
        ValueError: The function has no signature that can be inspected.
        TypeError: A type hint cannot be resolved, or has no JSON Schema.
    """
    signature = inspect.signature(function)
    name = _name_of(function)
    try:
        hints = _hints(inspect.unwrap(_inner(function)))
    except (NameError, TypeError, AttributeError) as error:
        raise TypeError(f"the type hints of {name} cannot be resolved: {error}") from error
    parameters: dict[str, _Parameter] = {}
    rest = None
    bound = function.keywords if isinstance(function, partial) else {}
    for position, (key, parameter) in enumerate(signature.parameters.items()):
        is_bare = parameter.annotation is parameter.empty
        if position == 0 and is_bare and key in ("self", "cls"):
            raise TypeError(f"{name} is an unbound method: use the method of an instance")
        if parameter.kind is parameter.VAR_POSITIONAL or key in bound:
            continue
        hint = hints.get(key, Any)
        read = _parameter(hint, parameter, f"{key} of {name}")
        if parameter.kind is parameter.VAR_KEYWORD:
            rest = read
        else:
            parameters[key] = read
    return _Signature(parameters, rest)


def _hints(function: Any) -> dict[str, Any]:
    """Return the type hints of the parameters, without the return type."""
    hints = dict(getattr(function, "__annotations__", {}))
    hints.pop("return", None)
    names = getattr(function, "__globals__", {})
    local = {kind.__name__: kind for kind in getattr(function, "__type_params__", ())}
    alone = SimpleNamespace(__annotations__=hints)
    return typing.get_type_hints(alone, globalns=names, localns=local, include_extras=True)


def _parameter(hint: Any, parameter: inspect.Parameter, what: str) -> _Parameter:
    from pydantic import TypeAdapter
    from pydantic.errors import PydanticUserError
    from pydantic.fields import FieldInfo

    from agent_parsers.toolset.declaring.input_schema import InputSchema

    default = parameter.default
    description = ""
    for extra in getattr(hint, "__metadata__", ()):
        said = extra if isinstance(extra, str) else getattr(extra, "documentation", None)
        description = said if isinstance(said, str) else description
    if isinstance(default, FieldInfo):
        hint, field = Annotated[hint, default], default
        default = (
            parameter.empty if field.is_required() else field.get_default(call_default_factory=True)
        )
    elif default is None and hint is not Any:
        hint = _or_none(hint)
    try:
        adapter: TypeAdapter[Any] = TypeAdapter(hint)
        adapter.json_schema(schema_generator=InputSchema)
    except (PydanticUserError, TypeError) as error:
        why = str(error).partition("\n")[0].partition(". ")[0]
        raise TypeError(
            f"the parameter {what} has no JSON Schema: {why}. If your program supplies it, bind it"
            " with functools.partial"
        ) from error
    is_positional = parameter.kind is parameter.POSITIONAL_ONLY
    kinds = frozenset(typing.get_args(hint) if _is_union(hint) else (hint,))
    types = kinds if kinds <= _PLAIN_TYPES else frozenset()
    return _Parameter(adapter, default, description, is_positional, types)


_PLAIN_TYPES: Final = frozenset([str, int, bool, type(None)])


def _is_union(hint: Any) -> bool:
    return typing.get_origin(hint) in (typing.Union, UnionType)


def _or_none(hint: Any) -> Any:
    """Return *hint* made optional; metadata of `Annotated` stays outermost."""
    if hasattr(hint, "__metadata__"):
        return Annotated[typing.Optional[hint.__origin__], *hint.__metadata__]  # noqa: UP045
    return typing.Optional[hint]  # noqa: UP045 - a hint may be text, which has no `|`


def _schema(found: _Signature, said: dict[str, str]) -> dict[str, Any]:
    from pydantic import TypeAdapter
    from pydantic_core import PydanticSerializationError

    from agent_parsers.toolset.declaring.input_schema import InputSchema

    everything = dict(found.parameters)
    adapters = [(key, parameter.adapter) for key, parameter in everything.items()]
    if found.rest is not None:
        adapters.append(("**", found.rest.adapter))
    inputs: list[tuple[str, Literal["validation"], TypeAdapter[Any]]] = [
        (key, "validation", adapter) for key, adapter in adapters
    ]
    schemas, extra = (
        TypeAdapter.json_schemas(inputs, schema_generator=InputSchema) if inputs else ({}, {})
    )
    properties: dict[str, Any] = {}
    required = []
    for key, parameter in everything.items():
        part = dict(schemas[key, "validation"])
        if text := parameter.description or said.get(key, ""):
            part.setdefault("description", text)
        if parameter.default is inspect.Parameter.empty:
            required.append(key)
        else:
            try:
                part["default"] = parameter.adapter.dump_python(
                    parameter.default, mode="json", warnings="error"
                )
            except PydanticSerializationError:
                part.pop("default", None)  # the default is not a JSON value
        properties[key] = part
    schema: dict[str, Any] = {"type": "object", "properties": properties}
    if required:
        schema["required"] = required
    if found.rest is not None:
        schema["additionalProperties"] = schemas["**", "validation"] or True
    if extra.get("$defs"):
        schema["$defs"] = extra["$defs"]
    return schema
