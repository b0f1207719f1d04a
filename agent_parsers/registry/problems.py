"""Errors for names of dialects that are not known, or are no names at all."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from typing import Any, Final

from agent_parsers.engine.tables.dialect import Dialect
from agent_parsers.toolset.problems.names import did_you_mean
from output_parsers.printable import kind_of

_NO_FORMATS: Final = ("langchain", "langgraph", "llamaindex", "llama_index", "crewai", "autogen")
"""Frameworks, whose agents write several formats."""
_MEANT: Final = {
    "strict": "lenient=False",
    "tool": "tools",
    "functions": "tools",
    **dict.fromkeys(("response_model", "response_format", "output_model", "schema"), "output_type"),
    **dict.fromkeys(("max_iterations", "max_steps", "recursion_limit"), "max_turns"),
    **dict.fromkeys(("retries", "max_tries"), "max_retries"),
    **dict.fromkeys(("system_prompt", "instructions", "system_message"), "system"),
    **dict.fromkeys(("messages", "chat_history", "message_history"), "history"),
    **dict.fromkeys(("handle_tool_error", "handle_tool_errors"), "tool_errors"),
    "handle_parsing_errors": "max_retries",
    **dict.fromkeys(("callbacks", "verbose", "stream"), "on_event"),
    "intermediate_steps": "steps",
}
"""What arguments of other libraries are called here."""
_OF_CLIENTS: Final = ("max_tokens", "seed", "stop", "temperature", "timeout", "top_p")
"""What the function of a client takes."""


def unknown_name(name: str, known: set[str], *, is_model: bool) -> ValueError:
    """Return the error for *name*, which is not among the *known* ones of dialects and parsers.

    With *is_model*, it is a model whose format no dialect reads.
    """
    if is_model:
        return ValueError(
            f"no dialect reads the calls that the model {name!r} writes;"
            ' use get_parser("tools") if its server returns them as tool calls'
        )
    if name.lower() in _NO_FORMATS:
        return ValueError(
            f"{name!r} is a framework, not a format: name the format that its agents write, such"
            ' as "react", or "tools" if they call tools. list_dialects() returns the names'
        )
    hint = "" if "/" in name else did_you_mean(name.lower(), known)
    return ValueError(
        f"there is no dialect {name!r}, and no known model of this name.{hint}"
        " list_dialects() returns the names; for another model choose the dialect that it writes,"
        ' or "tools" if its API returns tool calls'
    )


def refused_name(name: str, why: str) -> ValueError:
    """Return the error for *name*, which is not a dialect, and *why* it is not."""
    return ValueError(f"{name!r} is not a dialect: {why}. list_dialects() returns the names")


def wrong_option(name: str, function: Callable[..., Any]) -> TypeError:
    """Return the error for an argument that a *function* does not have."""
    own = inspect.signature(function).parameters
    meant = _MEANT.get(name, "")
    hint = f": use {meant}" if meant.partition("=")[0] in own else did_you_mean(name, own)
    if name in _OF_CLIENTS and "model" in own:
        hint = f": set it on the model, as in partial(create, {name}=…)"
    elif not meant and hint:
        hint = f".{hint}"
    return TypeError(f"{function.__name__}() got an unexpected keyword argument {name!r}{hint}")


def wrong_name(value: object) -> TypeError:
    """Return the error for *value*, which is neither a name nor a dialect."""
    said = f"expected a Dialect, or the name of a dialect or model, not {kind_of(value)}"
    if value is None:
        return TypeError(
            f"{said}: dialect_for_model returns None for an unknown model, while get_parser(model)"
            ' raises an error that names it. Choose a dialect, such as "react"; list_dialects()'
            " returns the names"
        )
    if isinstance(getattr(value, "DIALECT", None), Dialect):
        return TypeError(f"{said}: pass its DIALECT")
    return TypeError(f"{said}, which is already a parser" if hasattr(value, "parse") else said)
