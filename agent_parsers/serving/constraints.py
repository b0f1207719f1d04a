"""What a request asks to be constrained, as a structural tag that servers take."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from agent_parsers.decoding.export import write_grammar
from agent_parsers.decoding.tree.options import TurnOptions
from agent_parsers.registry.dialects_by_name import get_dialect
from agent_parsers.serving.turns import ends_in_mark
from agent_parsers.toolset import ToolSet

if TYPE_CHECKING:
    from collections.abc import Iterable

__all__ = ["turn_tag"]


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
