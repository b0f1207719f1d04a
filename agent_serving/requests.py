"""What a request to a server says: the dialect, the tools, and what is to be constrained."""

from __future__ import annotations

import logging
from collections.abc import Iterable
from typing import Any, Final, Literal

from agent_parsers import get_dialect, list_dialects
from agent_parsers.core import TurnOptions, machine, write_grammar
from agent_parsers.toolset import ToolSet

_log: Final = logging.getLogger(__name__)


def served_names() -> dict[str, str]:
    """Return all dialects by the names that servers use, such as ``ap_hermes``."""
    return {f"ap_{name}": name for name in list_dialects()}


def tools_of(tools: Iterable[Any] | None) -> ToolSet | None:
    """Return the *tools* of a request, pydantic models in OpenAI's format, as a `ToolSet`.

    Returns `None` without tools. Arguments get the types that the schemas ask for. Missing and
    unknown arguments are left to the client. If a schema is invalid, this is logged, and arguments
    are not converted.
    """
    written = [tool.model_dump(exclude_none=True) for tool in tools or ()]
    try:
        return ToolSet(written, unknown_keys="keep", missing_keys="keep") if written else None
    except (TypeError, ValueError) as error:
        _log.warning(
            "arguments are not converted, since the schemas of the tools cannot be read: %s", error
        )
        return None


def ends_in_mark(dialect: str, text: str) -> Literal["", "opens", "closes"]:
    """Return whether *text* ends with a mark that opens or closes a reasoning block."""
    return machine(get_dialect(dialect), "lenient").thought_mark(text)


def turn_tag(
    dialect: str,
    tools: Iterable[Any],
    *,
    must_call: bool,
    max_calls: int | None = None,
    prompt: str = "",
    thoughts: bool = True,
) -> dict[str, Any]:
    """Return a structural tag of the turns that may follow a prompt.

    The arguments of calls follow the schemas of the *tools*; a tool without a schema has no
    parameters.

    Args:
        dialect: Name of the dialect.
        tools: The tools that may be called, pydantic models in OpenAI's form.
        must_call: Whether each turn calls a tool.
        max_calls: The most calls of a turn.
        prompt: The end of the prompt, which may have opened or closed a thought.
        thoughts: Whether what is constrained begins at the prompt's end, so that a turn may have a
            thought; if not, it begins behind the thought.

    Raises:
        ValueError: The dialect has no such grammar, or the tools cannot be read.
    """
    declared = [_with_schema(tool.model_dump(exclude_none=True)) for tool in tools]
    mark = ends_in_mark(dialect, prompt) if thoughts else "closes"
    options = TurnOptions(
        turn="call" if must_call else "any",
        start={"opens": "thought", "closes": "content", "": ""}[mark],  # type: ignore[arg-type]
        thoughts=mark != "closes",
        max_calls=max_calls,
    )
    tag = write_grammar("structural_tag", get_dialect(dialect), ToolSet(declared), options)
    assert isinstance(tag, dict), "a structural tag is an object"
    return dict(tag)


def _with_schema(tool: dict[str, Any]) -> dict[str, Any]:
    function = tool.get("function", tool)
    function.setdefault("parameters", {"type": "object", "properties": {}})
    return tool
