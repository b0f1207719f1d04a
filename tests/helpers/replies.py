"""Replies as *(thought, text, calls)*, for tools of every shape that can hide half a call."""

import json
from collections.abc import Callable, Sequence
from typing import Any, Final, NamedTuple

Fields = dict[str, Any]


class Call(NamedTuple):
    """A call of a tool."""

    tool: str
    input: Fields


class Reply(NamedTuple):
    """What a model means to say."""

    thought: str
    text: str
    calls: Sequence[Call] = ()

    def message(self) -> Fields:
        """Return the reply as a message of Chat Completions."""
        calls = [
            {
                "id": f"call_{number}",
                "type": "function",
                "function": {"name": call.tool, "arguments": json.dumps(call.input)},
            }
            for number, call in enumerate(self.calls)
        ]
        message: Fields = {"role": "assistant", "content": self.text or None}
        if self.thought:
            message["reasoning_content"] = self.thought
        return {**message, "tool_calls": calls} if calls else message


def search(query: str, limit: int = 10) -> str:
    """Looks up a name."""
    return ""


def cleanup(path: str = "/", force: bool = True) -> str:
    """Removes files."""
    return ""


def clock() -> str:
    """Tells the time."""
    return ""


def clock_reset() -> str:
    """Sets the time to zero."""
    return ""


def note(text: str) -> str:
    """Writes a note."""
    return ""


class Shape(NamedTuple):
    """Tools of one shape, and calls of them."""

    tools: Sequence[Callable[..., str]] | None
    calls: Sequence[Call]

    def replies(self) -> list[Reply]:
        """Return replies with each of the calls alone, with several calls, and with none."""
        first, last = self.calls[0], self.calls[-1]
        return [
            *(Reply("", "", [call]) for call in self.calls),
            Reply("Hm.", "I look.", [first, last]),
            Reply("", "So:", [last, first, last]),
            Reply("Easy.", "It is done."),
        ]


_SEARCH: Final = Call("search", {"query": "old bridges"})
_CLEANUP: Final = Call("cleanup", {"path": "/tmp/a"})
_CLOCK: Final = Call("clock", {})

SHAPES: Final[dict[str, Shape]] = {
    "required": Shape([search], [_SEARCH, Call("search", {"query": "a", "limit": 3})]),
    "defaults": Shape(
        [cleanup], [_CLEANUP, Call("cleanup", {}), Call("cleanup", {"path": "b", "force": False})]
    ),
    "none": Shape([clock], [_CLOCK]),
    "begins": Shape([clock, clock_reset], [Call("clock_reset", {}), _CLOCK]),
    "text": Shape([note], [Call("note", {"text": 'Buy "bread", {milk}.'})]),
    "any": Shape(None, [_CLEANUP, _CLOCK, _SEARCH]),
}
"""Tools with a required parameter, with defaults only, with no parameter, with a name that begins
another, with one text, and tools that are not known."""
