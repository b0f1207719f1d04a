"""Conversations that make a chat template show how it writes calls, thoughts and results.

Words that no template contains stand for names, values and texts, so that what stands between them
in a rendering is the template's own.
"""

from __future__ import annotations

import json
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from itertools import product
from typing import Any, Final

from agent_parsers.authoring import Written, WrittenCall

USER, ANSWER, CONTENT, THOUGHT = "Zuser one", "Zanswer one", "Zcontent one", "Zthought one"
FIND, PING = "zfind", "zping"
KEYS = ("zkeya", "zkeyb")
VALUES = ("zvalue one", "zvalue two")
RESULTS = ("Zresult one", "Zresult two")
TEXT_OF_RESULT: Final = 'Z "result"'
"""A result with marks of JSON."""
EOS: Final = "<|zeos|>"
"""Stands for the token ``eos_token``, unless its text is known."""
IDS: Final = ("zcall0001", "zcall0002", "zcall0003")  # nine letters, as some templates demand
NEXT: Final = "Zuser two"
HOSTILE: Final = """It's "so": \\ {b} [c] <i>&amp;</i>, é\n  x"""
VALUES_OF_TYPES: Final = {
    "zcount": 3, "zrate": 0.25, "zflag": True, "zlist": ["a", "b"], "zmap": {"b": [2]},
}  # fmt: skip

_NUMBERS: Final = {"type": "array", "items": {"type": "integer"}}
_TYPES: Final[Mapping[str, Mapping[str, Any]]] = {
    KEYS[0]: {"type": "string"},
    KEYS[1]: {"type": "string"},
    "zcount": {"type": "integer"},
    "zrate": {"type": "number"},
    "zflag": {"type": "boolean"},
    "zlist": {"type": "array", "items": {"type": "string"}},
    "zmap": {"type": "object", "additionalProperties": _NUMBERS},
}
TOOLS: Final[list[dict[str, Any]]] = [
    {
        "type": "function",
        "function": {
            "name": name,
            "description": "Zdescription.",
            "parameters": {
                "type": "object",
                "properties": {
                    key: {**kind, "description": "Zdescription."} for key, kind in _TYPES.items()
                },
                "required": [],
            },
        },
    }
    for name in (FIND, PING)
]
"""The tools of the probes."""


def _turn(*inputs: Mapping[str, Any], thought: str = "", content: str = "") -> Written:
    first, *others = (
        WrittenCall(name, dict(tool_input), call_id)
        for name, tool_input, call_id in zip((FIND, PING, FIND), inputs, IDS, strict=False)
    )
    return Written(
        thought, first.tool, first.tool_input, content=content, id=first.id, others=tuple(others)
    )


_ONE: Final = {KEYS[0]: VALUES[0]}
TURNS: Final[Mapping[str, Written]] = {
    "one": _turn(_ONE),
    "none": _turn({}),
    "two keys": _turn({KEYS[0]: VALUES[0], KEYS[1]: VALUES[1]}),
    "two calls": _turn(_ONE, {KEYS[1]: VALUES[1]}),
    "three calls": _turn(_ONE, {}, {KEYS[1]: VALUES[1]}),
    "content": _turn(_ONE, content=CONTENT),
    "content, two calls": _turn(_ONE, {KEYS[1]: VALUES[1]}, content=CONTENT),
    "thought": _turn(_ONE, thought=THOUGHT),
    "thought, content": _turn(_ONE, thought=THOUGHT, content=CONTENT),
    "hostile text": _turn({KEYS[0]: HOSTILE}),
    "types": _turn({KEYS[0]: VALUES[0], **VALUES_OF_TYPES}),
    "answer": Written(answer=ANSWER),
    "thought, answer": Written(THOUGHT, answer=ANSWER),
}
"""The turns, each by what it shows."""
UNCERTAIN: Final = {
    "hostile text": "strings with quotes and brackets",
    "types": "values other than strings",
    "two keys": "several arguments",
}
"""Turns that some templates write without quotes, escapes or commas, with what they show. The
model was given them so, but nothing can read them."""
WITH_CONTENT: Final = {"content", "content, two calls", "thought, content"}
"""Turns with content, from which calls without a mark cannot be told."""


@dataclass(frozen=True, slots=True)
class Variant:
    """A way to pass messages; templates differ in what they accept."""

    arguments: str
    """Whether arguments are an ``"object"`` or JSON ``"text"``."""
    empty: str | None
    """The content of a message without content."""
    thought: str
    """The key of a thought."""


def variants() -> list[Variant]:
    """Return the variants, the most usual first."""
    keys = ("reasoning_content", "thinking", "reasoning")
    return [Variant(*each) for each in product(("object", "text"), ("", None), keys)]


def conversations(
    variant: Variant, special_tokens: Mapping[str, str]
) -> Iterator[tuple[str, dict[str, Any]]]:
    """Yield the variables of each rendering with its name.

    The name is that of a turn, after which the results of its calls follow, or ``"NAME, last"`` if
    nothing does; ``"prompt"`` has no turn, ``"result"`` has `TEXT_OF_RESULT`, and in
    ``"answer, history"`` the user speaks again.
    """
    yield "prompt", _variables([], special_tokens, is_open=True)
    for name, turn in TURNS.items():
        said = _message(turn, variant)
        yield f"{name}, last", _variables([said], special_tokens)
        if turn.calls:
            yield name, _variables([said, *_results(turn)], special_tokens, is_open=True)
    result = next(_results(TURNS["one"])) | {"content": TEXT_OF_RESULT}
    said = _message(TURNS["one"], variant)
    yield "result", _variables([said, result], special_tokens, is_open=True)
    again = {"role": "user", "content": NEXT}
    answer = _message(TURNS["answer"], variant)
    yield "answer, history", _variables([answer, again], special_tokens)


def _variables(
    messages: list[dict[str, Any]], special_tokens: Mapping[str, str], *, is_open: bool = False
) -> dict[str, Any]:
    return {
        "bos_token": "",
        "eos_token": EOS,
        **special_tokens,
        "messages": [{"role": "user", "content": USER}, *messages],
        "tools": TOOLS,
        "functions": json.dumps(TOOLS),  # of templates that were made before ``tools``
        "datetime": "2026-01-02",
        "add_generation_prompt": is_open,
    }


def _message(turn: Written, variant: Variant) -> dict[str, Any]:
    message: dict[str, Any] = {"role": "assistant", "content": turn.said or variant.empty}
    if turn.thought:
        message[variant.thought] = turn.thought
    if turn.calls:
        message["tool_calls"] = [
            {
                "id": call.id,
                "type": "function",
                "function": {
                    "name": call.tool,
                    "arguments": call.tool_input
                    if variant.arguments == "object"
                    else json.dumps(call.tool_input, ensure_ascii=False),
                },
            }
            for call in turn.calls
        ]
    return message


def _results(turn: Written) -> Iterator[dict[str, Any]]:
    for call, result in zip(turn.calls, (*RESULTS, "Zresult three"), strict=False):
        yield {"role": "tool", "tool_call_id": call.id, "name": call.tool, "content": result}
