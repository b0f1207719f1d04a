"""Finding dialects by name, and making parsers for them.

Each module in `agent_parsers.dialects` defines a ``DIALECT`` and is imported at its first use.
Users add their own with `register`.
"""

from __future__ import annotations

import copyreg
from importlib import import_module
from importlib.util import find_spec
from typing import TYPE_CHECKING, Final, Literal, TypeAlias, overload

from agent_parsers import dialects
from agent_parsers.engine.grammar.dialect import Dialect
from agent_parsers.engine.grammar.modes import MAX_CHARS
from agent_parsers.toolset.problems.names import did_you_mean

if TYPE_CHECKING:
    from collections.abc import Callable

    from agent_parsers.engine.grammar.modes import OnConflict
    from agent_parsers.native.message_parser import MessageParser
    from agent_parsers.parsers.dialect_parser import AnyDialectParser
    from agent_parsers.toolset import Tools

__all__ = ["get_dialect", "get_parser", "list_dialects", "register"]

Start: TypeAlias = Literal["", "content", "thought"]
NativeName: TypeAlias = Literal["openai_functions", "openai_tools", "tools", "anthropic_blocks"]
"""Names of the parsers that read messages instead of a text dialect."""

_NATIVE: Final[dict[str, tuple[str, str]]] = {
    "openai_functions": ("openai_functions", "OpenAIFunctionsAgentOutputParser"),
    "openai_tools": ("openai_tools", "OpenAIToolsAgentOutputParser"),
    "tools": ("tools", "ToolsAgentOutputParser"),
    "anthropic_blocks": ("tools", "ToolsAgentOutputParser"),
}
KNOWN: Final[dict[str, Dialect]] = {}
"""The dialects that have been loaded or registered."""


def list_dialects() -> list[str]:
    """Return the names of all dialects, sorted."""
    from pkgutil import iter_modules  # imported lazily: not needed to load a dialect by name

    shipped = (module.name for module in iter_modules(dialects.__path__))
    return sorted({*KNOWN, *(name for name in shipped if not name.startswith("_"))})


def get_dialect(name: str) -> Dialect:
    """Return the dialect with this name or alias.

    Raises:
        ValueError: There is no such dialect; the message suggests the closest name.
    """
    if name in KNOWN:
        return KNOWN[name]
    if name.isidentifier() and name[0] != "_" and find_spec(f"{dialects.__name__}.{name}"):
        return _load(name)
    names = list_dialects()
    loaded = [get_dialect(known) for known in names]
    for dialect in loaded:
        if name in dialect.aliases:
            return dialect
    hint = did_you_mean(name, [*names, *(a for d in loaded for a in d.aliases)])
    raise ValueError(f"there is no dialect {name!r}.{hint} The dialects are: {', '.join(names)}")


def register(dialect: Dialect, *, replace: bool = False) -> Dialect:
    """Register *dialect* under its name, so that `get_parser` finds it, and return it.

    Args:
        dialect: The dialect to register.
        replace: Whether to replace another dialect of that name, as when a notebook cell is
            run again. Existing parsers keep the old dialect.

    Raises:
        ValueError: Another dialect has this name, or one of its aliases.
    """
    for name in (dialect.name, *dialect.aliases):
        if name in _NATIVE:
            raise ValueError(f"{name!r} is the name of a message parser")
        try:
            known = get_dialect(name)
        except ValueError:
            continue
        if known is not dialect and not (replace and known.name == dialect.name):
            raise ValueError(f"there is already a dialect {name!r}")
    KNOWN[dialect.name] = dialect
    return dialect


def _reduce(dialect: Dialect) -> tuple[Callable[[str], Dialect], tuple[str]]:
    """Pickle a dialect by its name, so that parsers can be sent to other processes."""
    if dialect.name not in list_dialects() or get_dialect(dialect.name) is not dialect:
        from pickle import PicklingError

        raise PicklingError(
            f"dialect {dialect.name!r} is pickled by name; register() it in both processes"
        )
    return get_dialect, (dialect.name,)


copyreg.pickle(Dialect, _reduce)


@overload
def get_parser(  # type: ignore[overload-overlap]  # no dialect has one of these names
    name: NativeName,
    *,
    tools: Tools | None = None,
    lenient: bool = True,
    max_chars: int = MAX_CHARS,
) -> MessageParser: ...
@overload
def get_parser(
    name: str,
    *,
    tools: Tools | None = None,
    lenient: bool = True,
    on_conflict: OnConflict = "error",
    start: Start = "",
    prompt: str = "",
    max_chars: int = MAX_CHARS,
) -> AnyDialectParser: ...
def get_parser(
    name: str,
    *,
    tools: Tools | None = None,
    lenient: bool = True,
    on_conflict: OnConflict = "error",
    start: Start = "",
    prompt: str = "",
    max_chars: int = MAX_CHARS,
) -> AnyDialectParser | MessageParser:
    """Return a parser for the dialect called *name*.

    Args:
        name: Name or alias of a dialect; `list_dialects` has the names. ``"openai_functions"``,
            ``"openai_tools"`` and ``"tools"`` read messages with calls, not text.
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

    Returns:
        A `DialectParser`, which returns one action or the answer. For a dialect whose
        turns may have several calls, a `MultiActionDialectParser`, which returns a list of actions
        or the answer. For messages, a `MessageParser`.

    Raises:
        ValueError: There is no such dialect, two tools have the same name, or the dialect does not
            have the start.
    """
    if name in _NATIVE:
        module, kind = _NATIVE[name]
        parser: type[MessageParser] = getattr(import_module(f"agent_parsers.{module}"), kind)
        return parser(tools=tools, lenient=lenient, max_chars=max_chars)
    from agent_parsers.parsers.dialect_parser import dialect_parser

    return dialect_parser(
        get_dialect(name),
        tools=tools,
        lenient=lenient,
        on_conflict=on_conflict,
        start=start,
        prompt=prompt,
        max_chars=max_chars,
    )


def _load(name: str) -> Dialect:
    dialect: Dialect = import_module(f"{dialects.__name__}.{name}").DIALECT
    KNOWN[name] = dialect
    return dialect
