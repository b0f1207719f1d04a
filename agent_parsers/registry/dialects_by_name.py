"""Finding dialects by name, and making parsers for them.

Each module in `agent_parsers.dialects` defines a ``DIALECT`` and is imported at its first use.
Users add their own with `register`.
"""

from __future__ import annotations

from functools import cache
from importlib import import_module
from importlib.util import find_spec
from typing import TYPE_CHECKING, Any, Final, Generic, Literal, TypeAlias, TypedDict, overload

from agent_parsers import dialects
from agent_parsers.engine.tables.dialect import Dialect
from agent_parsers.engine.tables.modes import MAX_CHARS, OnConflict
from agent_parsers.registry.names import ALIASES, OneCallName, SeveralCallsName
from agent_parsers.registry.problems import refused_name, unknown_name, wrong_name, wrong_option
from agent_parsers.toolset.problems.names import folded
from output_parsers.printable import kind_of

if TYPE_CHECKING:
    from types import UnionType

    from typing_extensions import Unpack

    from agent_parsers.actions.agent import T
    from agent_parsers.openai_functions import OpenAIFunctionsAgentOutputParser
    from agent_parsers.openai_tools import OpenAIToolsAgentOutputParser
    from agent_parsers.parsers.auto_parser import AutoParser
    from agent_parsers.parsers.dialect_parser import (
        AnyDialectParser,
        DialectParser,
        MultiActionDialectParser,
    )
    from agent_parsers.tools import ToolsAgentOutputParser
    from agent_parsers.toolset import Tools

    AnyParser: TypeAlias = (
        AnyDialectParser[T] | OpenAIFunctionsAgentOutputParser[T] | ToolsAgentOutputParser[T]
    )
    """What `get_parser` returns for a name that is not known before run time. For ``"auto"`` that
    is an `AutoParser`, which raises a `ValueError` for what needs the name of a dialect."""

    OutputOf: TypeAlias = type[T] | UnionType | None
    """The type of answers. Checkers know no more of a union than that it is one."""

    class MessageParserOptions(TypedDict, Generic[T], total=False):
        """The options of `get_parser` for any parser."""

        tools: Tools | None
        lenient: bool
        max_chars: int
        output_type: OutputOf[T]

    class ParserOptions(MessageParserOptions[T], total=False):
        """The options of `get_parser` for the parser of a dialect."""

        on_conflict: OnConflict
        start: Start
        prompt: str


Start: TypeAlias = Literal["", "content", "thought"]

AUTO: Final = "auto"
"""The name of the parser that finds the dialect of each turn."""
_WITHOUT_DIALECT: Final[dict[str, tuple[str, str]]] = {
    "openai_functions": ("openai_functions", "OpenAIFunctionsAgentOutputParser"),
    "openai_tools": ("openai_tools", "OpenAIToolsAgentOutputParser"),
    "tools": ("tools", "ToolsAgentOutputParser"),
    "anthropic_blocks": ("tools", "ToolsAgentOutputParser"),
    AUTO: ("auto", "AutoOutputParser"),
}
"""The parsers that have no dialect, each with its module and class."""
_OTHER_NAMES: Final = {
    "functions": "openai_functions",
    "function_calling": "tools",
    "tool_calling": "tools",
    "anthropic": "tools",
    "google": "tools",
}
"""Other names of them."""
_MOST_CHARS: Final = 100
"""How much of an unknown name is compared and quoted."""
KNOWN: Final[dict[str, Dialect]] = {}
"""The dialects that have been loaded or registered."""
_LOADED: Final[dict[str, Dialect]] = {}
"""The dialects of this library that have been loaded."""


def list_dialects() -> list[str]:
    """Return the names of all dialects, sorted."""
    return sorted({*KNOWN, *_shipped()})


@cache
def _shipped() -> frozenset[str]:
    """Return the names of the modules with a dialect."""
    from pkgutil import iter_modules  # imported lazily: not needed to load a dialect by name

    shipped = (module.name for module in iter_modules(dialects.__path__))
    return frozenset(name for name in shipped if not name.startswith("_"))


def get_dialect(name: str | Dialect) -> Dialect:
    """Return the dialect with this name or alias, or the dialect that this model writes.

    Args:
        name: Name or alias of a dialect, in any spelling: ``"ReAct-JSON"`` is ``"react_json"``. Or
            the name of a model that `dialect_for_model` knows, such as ``"Qwen/Qwen3-32B"``. A
            `Dialect` is returned unchanged.

    Raises:
        TypeError: *name* is neither a text nor a dialect.
        ValueError: There is no such dialect or model; the message suggests similar names. Or it
            is the name of a server's parser that is not one dialect; the message says what it is.
    """
    found = _find(name)
    if isinstance(found, Dialect):
        return found
    why = "it finds one for each turn" if found == AUTO else "it reads messages, not text"
    raise ValueError(f"{found!r} is not a dialect, since {why}: use get_parser({found!r})")


def register(dialect: Dialect, *, replace: bool = False) -> Dialect:
    """Register *dialect* under its name, so that `get_parser` finds it, and return it.

    Args:
        dialect: The dialect to register.
        replace: Whether to replace another dialect of that name, as when a notebook cell is
            run again. Existing parsers keep the old dialect.

    Raises:
        TypeError: *dialect* is not a `Dialect`.
        ValueError: Another dialect has this name, or one of its aliases.
    """
    if not isinstance(dialect, Dialect):
        raise TypeError(f"register takes a Dialect, not {kind_of(dialect)}")
    for name in (dialect.name, *dialect.aliases):
        if name in _WITHOUT_DIALECT:
            raise ValueError(f"{name!r} is already the name of a parser: choose another name")
        known = _called(name)
        if known is None or known is dialect or (replace and known.name == dialect.name):
            continue
        raise ValueError(f"there is already a dialect {name!r}: choose another name")
    KNOWN[dialect.name] = dialect
    return dialect


def registered() -> tuple[Dialect, ...]:
    """Return the dialects that users have registered, including replacements of ours."""
    return tuple(each for name, each in [*KNOWN.items()] if each is not _LOADED.get(name))


@overload
def get_parser(name: OneCallName, **options: Unpack[ParserOptions[T]]) -> DialectParser[T]: ...
@overload
def get_parser(
    name: SeveralCallsName, **options: Unpack[ParserOptions[T]]
) -> MultiActionDialectParser[T]: ...
@overload
def get_parser(
    name: Literal["openai_functions"], **options: Unpack[MessageParserOptions[T]]
) -> OpenAIFunctionsAgentOutputParser[T]: ...
@overload
def get_parser(
    name: Literal["openai_tools"], **options: Unpack[MessageParserOptions[T]]
) -> OpenAIToolsAgentOutputParser[T]: ...
@overload
def get_parser(
    name: Literal["tools", "anthropic_blocks"], **options: Unpack[MessageParserOptions[T]]
) -> ToolsAgentOutputParser[T]: ...
@overload
def get_parser(  # type: ignore[overload-overlap] # see `AnyParser`
    name: Literal["auto"], **options: Unpack[MessageParserOptions[T]]
) -> AutoParser[T]: ...
@overload
def get_parser(name: Dialect, **options: Unpack[ParserOptions[T]]) -> AnyDialectParser[T]: ...
@overload
def get_parser(name: str, **options: Unpack[ParserOptions[T]]) -> AnyParser[T]: ...
def get_parser(
    name: str | Dialect,
    *,
    tools: Tools | None = None,
    lenient: bool = True,
    on_conflict: OnConflict = "error",
    start: Start = "",
    prompt: str = "",
    max_chars: int = MAX_CHARS,
    output_type: Any = None,
    **others: Any,
) -> AnyParser | AutoParser:
    """Return a parser for a dialect, or for what a model writes.

    ::

        get_parser("react")              # a dialect: `list_dialects` has their names
        get_parser("Qwen/Qwen3-32B")     # a model: its dialect is in the parser's `repr`
        get_parser(my_dialect)
        get_parser("tools")              # messages with tool calls, from any API
        get_parser("gpt-5")              # the same, since its API returns tool calls
        get_parser("auto")               # any of them: each turn shows what it is written in

    Args:
        name: A dialect, its name or an alias, or the name of an open model; see `get_dialect`.
            ``"openai_functions"``, ``"openai_tools"`` and ``"tools"`` read messages with calls, not
            text; the last one is also what the models of OpenAI, Anthropic and Google are read
            with. ``"auto"`` finds out what each turn is written in.
        tools: The tools, for the prompt and to check names and inputs: a `ToolSet`, or names,
            functions, models, schemas and other forms; see `agent_parsers.toolset.Tools`. `None`
            accepts any name and any input.
        lenient: Whether to repair common mistakes; if false, only turns that follow the dialect
            are read. Repairs are reported by `DialectParser.read` and as events, not by `parse`.
        on_conflict: Which part counts in lenient mode if a turn has an action and an answer: the
            ``"first"``, the ``"action"`` or the ``"answer"``; ``"error"`` raises.
        start: The part in which the text begins, if not the one the dialect declares:
            ``"content"``, or ``"thought"`` if the prompt has opened a thought.
        prompt: The end of the prompt that the text continues, as another way to set *start*.
        max_chars: Longest turn that is accepted, in characters.
        output_type: The type of the answer, such as a pydantic model, a dataclass or
            ``list[str]``: it is read from JSON like the input of a tool, and is the ``output`` of
            the turn. Without *tools*, no tool may be called. `None` leaves the answer as text.
        **others: No others are taken; for another library's name, the error gives ours.

    Returns:
        A `DialectParser`, which returns one action or the answer. For a dialect whose
        turns may have several calls, a `MultiActionDialectParser`, which returns a list of actions
        or the answer. For messages, a `MessageParser`. For ``"auto"``, an `AutoParser`, which
        returns a list too.

    Raises:
        TypeError: *name* is neither a text nor a dialect, one of *tools* is not a tool, or there is
            no such argument.
        ValueError: There is no such dialect or model, another argument has a wrong value, two tools
            have the same name, or the dialect does not have the start; ``"auto"`` has none, and no
            *on_conflict*.
    """
    if others:
        raise wrong_option(next(iter(others)), get_parser)
    if output_type is not None:
        from agent_parsers.toolset import ToolSet

        given = tools if isinstance(tools, ToolSet) else ToolSet(() if tools is None else tools)
        tools = given.answering(output_type)
    found = _find(name)
    if isinstance(found, str):
        if found == AUTO and (start or prompt or on_conflict != "error"):
            raise ValueError(
                '"auto" takes no start, prompt or on_conflict, which need a dialect: name one, as'
                ' in get_parser("hermes"); list_dialects() returns the names'
            )
        module, kind = _WITHOUT_DIALECT[found]
        parser: type[ToolsAgentOutputParser] = getattr(
            import_module(f"agent_parsers.{module}"), kind
        )
        return parser(tools=tools, lenient=lenient, max_chars=max_chars)
    from agent_parsers.parsers.dialect_parser import dialect_parser

    return dialect_parser(
        found,
        tools=tools,
        lenient=lenient,
        on_conflict=on_conflict,
        start=start,
        prompt=prompt,
        max_chars=max_chars,
    )


def _find(name: str | Dialect) -> Dialect | str:
    """Return the dialect that *name* refers to, or the name of a parser of messages.

    Raises:
        TypeError: *name* is neither a text nor a dialect.
        ValueError: There is no such dialect or model.
    """
    if isinstance(name, Dialect):
        return name
    if not isinstance(name, str):
        raise wrong_name(name)
    if name in _WITHOUT_DIALECT:
        return name
    if (dialect := _called(name)) is not None:
        return dialect
    if name in _OTHER_NAMES:  # a user's dialect may have such a name
        return _OTHER_NAMES[name]
    known = {*_WITHOUT_DIALECT, *list_dialects()}
    known.update(alias for alias, owner in ALIASES.items() if owner not in KNOWN)
    known.update(alias for dialect in [*KNOWN.values()] for alias in dialect.aliases)
    key = folded(name[:_MOST_CHARS])
    found = {_find(other) for other in known if folded(other) == key}
    if len(found) == 1:
        return found.pop()
    # imported lazily: long tables, which the name of a dialect does not need
    from agent_parsers.registry.for_model import calls_by_api, row_for_model
    from agent_parsers.registry.server_names import REFUSED

    if key in REFUSED:
        raise refused_name(name, REFUSED[key])

    row = row_for_model(name)
    if row is not None and row.dialect is not None:
        return get_dialect(row.dialect)
    if row is None and calls_by_api(name):
        return "tools"
    raise unknown_name(name[:_MOST_CHARS], known, is_model=row is not None)


def _called(name: str) -> Dialect | None:
    """Return the dialect with exactly this name or alias."""
    if name in KNOWN:
        return KNOWN[name]
    if name.isidentifier() and name[0] != "_" and find_spec(f"{dialects.__name__}.{name}"):
        return _load(name)
    if name in ALIASES:
        _called(ALIASES[name])
    return next((dialect for dialect in [*KNOWN.values()] if name in dialect.aliases), None)


def _load(name: str) -> Dialect:
    dialect: Dialect = import_module(f"{dialects.__name__}.{name}").DIALECT
    _LOADED[name] = KNOWN[name] = dialect
    return dialect
