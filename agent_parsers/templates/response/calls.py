"""The calls in the value of the field ``tool_calls``."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Iterator

__all__ = ["calls_of"]


def calls_of(value: Any) -> Iterator[tuple[str, str | dict[str, Any], str | None]]:
    """Yield the name, the input and the id of each call in *value*: one call, or a list of them.

    A call is ``{"function": {"name": …, "arguments": …}}``, or the inner object alone; its
    arguments are an object or text.

    Raises:
        ValueError: Something is not a call; the message says in a clause what is wrong.
    """
    for item in value if isinstance(value, list) else [value]:
        call = item.get("function", item) if isinstance(item, dict) else None
        if not isinstance(call, dict):
            raise ValueError("expected a call")  # noqa: TRY004 - the model's mistake
        name, arguments = call.get("name"), call.get("arguments")
        if not isinstance(name, str) or not name.strip():
            raise ValueError("expected the name of a tool")
        if not isinstance(arguments, dict | str):
            raise ValueError(  # noqa: TRY004 - the model's mistake
                "expected the arguments of the call, as an object or text"
            )
        call_id = item.get("id")
        yield name.strip(), arguments, call_id if isinstance(call_id, str) else None
