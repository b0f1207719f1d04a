"""Response templates of dialects, from what the dialects write."""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING, Any

from agent_parsers import get_dialect, list_dialects
from agent_parsers.core import known_tools
from agent_parsers.templates.response.fields import answer_field, calls_field, thought_field
from agent_parsers.templates.response.spellings import Spellings
from agent_parsers.templates.template_error import TemplateError

if TYPE_CHECKING:
    from collections.abc import Sequence

    from agent_parsers import Dialect
    from agent_parsers.toolset import ToolSet

__all__ = ["response_template"]


def response_template(
    dialect: str | Dialect, *, tools: Any = None, start_anchor: str | Sequence[str] = ()
) -> dict[str, Any]:
    """Return the ``response_template`` of a dialect, for a ``tokenizer_config.json``.

    With it, transformers (`parse_response`), vLLM and SGLang read the turns of the dialect without
    a plugin. Its fields are ``thinking``, ``content`` and ``tool_calls``; it is made from what the
    dialect writes, and reads whatever `render` writes in plain words as strict parsing does.

    Args:
        dialect: A dialect, or the name of one.
        tools: The tools, in any form of `agent_parsers.toolset.Tools`. Only dialects whose inputs
            are text need them: if all tools take one text by the same name, the input becomes that
            argument; if none takes a single text, it is JSON. Otherwise, and without tools, it is
            the text as the model wrote it, which is JSON where the model wrote JSON.
        start_anchor: The text, or texts, after which the chat template of the model begins a turn;
            by default those that the dialects of this library know.

    Raises:
        TemplateError: A template cannot say how the dialect spells its turns; it is a
            `ValueError` whose message says why.
        ValueError: There is no such dialect.
    """
    found = get_dialect(dialect) if isinstance(dialect, str) else dialect
    anchors = [start_anchor] if isinstance(start_anchor, str) else list(start_anchor)
    try:
        spellings = Spellings(found)
        fields = {
            "thinking": thought_field(spellings),
            "content": answer_field(spellings),
            "tool_calls": calls_field(spellings, _argument(known_tools(tools))),
        }
    except TemplateError as error:
        raise TemplateError(f"{found.name} has no response template: {error}") from None
    return {
        "version": 1,
        "defaults": {"role": "assistant"},
        "start_anchor": anchors or _anchors(found),
        "fields": {name: field for name, field in fields.items() if field is not None},
    }


def _argument(tools: ToolSet | None) -> str | None:
    """Return the only argument of all *tools*; empty if each takes JSON, `None` if they differ."""
    if tools is None:
        return None
    lone = {_lone_text(each.get("parameters") or {}) for each in tools.openai_functions()}
    return lone.pop() if len(lone) == 1 else None


def _lone_text(schema: dict[str, Any]) -> str | None:
    """Return the name of the only parameter if it is text; empty if an input is JSON."""
    properties = schema.get("properties")
    if not properties:
        return None
    (name, declared), *others = properties.items()
    return name if not others and declared.get("type") == "string" else ""


def _anchors(dialect: Dialect) -> list[str]:
    """Return the texts after which a turn of *dialect* begins, or of any model."""
    own = _anchor(dialect)
    return [own] if own else list(_known_anchors())


def _anchor(dialect: Dialect) -> str:
    """Return the last line before the next turn, without what ends the turn before it."""
    line = dialect.turn_frame[1].strip("\n").rpartition("\n")[2]
    for stop in dialect.stop:
        line = line.removeprefix(stop)
    return line


@cache
def _known_anchors() -> tuple[str, ...]:
    return tuple(sorted({_anchor(get_dialect(name)) for name in list_dialects()} - {""}))
