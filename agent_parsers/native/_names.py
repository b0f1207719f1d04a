"""Names of tools as models write them."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Collection

__all__ = ["tool_named"]

_NAMESPACE = "functions."
"""How OpenAI's models name the tools among themselves."""

_DRESSING = " \t\r\n`'\"*"


def tool_named(name: str, tools: Collection[str] | None) -> str:
    """Return the tool that a model means by *name*.

    A name that is one of the tools is that tool. Else white space, quotes and emphasis around it
    are dressing, and so is the namespace ``functions.``; and whatever stands before the last dot,
    slash or colon, if what stands after it is one of the tools. A name that is none of them even so
    is returned without dressing.

    Args:
        name: What the model wrote.
        tools: Names of the tools there are; `None` if they are not known.
    """
    if tools is not None and name in tools:
        return name
    bare = name.strip(_DRESSING)
    if tools is not None:
        if bare in tools:
            return bare
        for separator in "./:":
            last = bare.rpartition(separator)[2]
            if last in tools:
                return last
    return bare.removeprefix(_NAMESPACE)
