"""The front door: dialects by name, and parsers for them.

A dialect is a module in `agent_parsers.dialects` that has a ``DIALECT``; it is imported when it is
first asked for. Users add their own with `register`.
"""

from __future__ import annotations

import copyreg
from importlib import import_module
from importlib.util import find_spec
from typing import TYPE_CHECKING, Final, Literal, TypeAlias, overload

from agent_parsers import dialects
from agent_parsers.engine.grammar.dialect import Dialect
from agent_parsers.engine.reading.machine import MAX_CHARS
from agent_parsers.parsers.dialect_parser import AnyDialectParser, dialect_parser
from agent_parsers.toolset.problems.names import did_you_mean

if TYPE_CHECKING:
    from collections.abc import Callable

    from agent_parsers.engine.grammar.modes import OnConflict
    from agent_parsers.native.message_parser import MessageParser
    from agent_parsers.toolset import Tools

__all__ = ["get_dialect", "get_parser", "list_dialects", "register"]

Start: TypeAlias = Literal["", "content", "thought"]
NativeName: TypeAlias = Literal["openai_functions", "openai_tools", "tools", "anthropic_blocks"]
"""What reads messages, and is no dialect of text."""

_NATIVE: Final[dict[str, tuple[str, str]]] = {
    "openai_functions": ("openai_functions", "OpenAIFunctionsAgentOutputParser"),
    "openai_tools": ("openai_tools", "OpenAIToolsAgentOutputParser"),
    "tools": ("tools", "ToolsAgentOutputParser"),
    "anthropic_blocks": ("tools", "ToolsAgentOutputParser"),
}
KNOWN: Final[dict[str, Dialect]] = {}
"""The dialects that were loaded or registered so far."""


def list_dialects() -> list[str]:
    """Return the names of all dialects, sorted."""
    from pkgutil import iter_modules  # who names a dialect does without

    shipped = (module.name for module in iter_modules(dialects.__path__))
    return sorted({*KNOWN, *(name for name in shipped if not name.startswith("_"))})


def get_dialect(name: str) -> Dialect:
    """Return the dialect called *name*, or that has it as an alias.

    Raises:
        ValueError: There is none; the message names the nearest.
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
    """Make *dialect* known by its name, so that `get_parser` finds it, and return it.

    Args:
        dialect: What to make known.
        replace: Whether it takes the place of another dialect of that name, as when the cell of a
            notebook runs again. Parsers that were made before keep theirs.

    Raises:
        ValueError: Another dialect has this name, or one of its aliases.
    """
    for name in (dialect.name, *dialect.aliases):
        if name in _NATIVE:
            raise ValueError(f"{name!r} is the name of a parser of messages")
        try:
            known = get_dialect(name)
        except ValueError:
            continue
        if known is not dialect and not (replace and known.name == dialect.name):
            raise ValueError(f"there is a dialect {name!r} already")
    KNOWN[dialect.name] = dialect
    return dialect


def _reduce(dialect: Dialect) -> tuple[Callable[[str], Dialect], tuple[str]]:
    """Pickle a dialect by its name, so that a parser can go to another process."""
    if dialect.name not in list_dialects() or get_dialect(dialect.name) is not dialect:
        from pickle import PicklingError

        raise PicklingError(
            f"dialect {dialect.name!r} is pickled by name; register() it here and where it goes"
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
        tools: The tools there are, for the prompt and to check names and inputs: a `ToolSet`, or
            names, functions, models, schemas and other forms; see `agent_parsers.toolset.Tools`.
            `None`: any name will do, and any input.
        lenient: Whether what models really write is mended, or only what the dialect says is read.
            What was mended is told by `DialectParser.read` and by events, not by `parse`.
        on_conflict: What counts in a lenient turn that has an action and an answer: the
            ``"first"``, the ``"action"``, the ``"answer"``, or none, which is an ``"error"``.
        start: Where the text begins, if not where the dialect says: ``"content"``, or ``"thought"``
            if the prompt has opened one.
        prompt: The end of the prompt that the text continues, which says the same.
        max_chars: Longest turn that is read, in characters.

    Returns:
        A `DialectParser`, whose turns come to one action or the answer, or where the dialect may
        have several calls in a turn a `MultiActionDialectParser`, whose turns come to a list of
        actions or the answer. For messages, a `MessageParser`.

    Raises:
        ValueError: There is no such dialect, or two tools have the same name, or the dialect has no
            such start.
    """
    if name in _NATIVE:
        module, kind = _NATIVE[name]
        parser: type[MessageParser] = getattr(import_module(f"agent_parsers.{module}"), kind)
        return parser(tools=tools, lenient=lenient, max_chars=max_chars)
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
