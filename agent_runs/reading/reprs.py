"""Reading what Python printed as data: `repr` of values and objects. Nothing is evaluated.

::

    {'messages': [HumanMessage(content='Which month?', id='1'), AIMessage(content='November.')]}
    ChatMessage(_role=<ChatRole.USER: 'user'>, _content=[TextContent(text='Which month?')])

An object becomes its fields, in the form in which its library dumps it as JSON where that has more
fields. An enumeration's member becomes its value; what shows no value, such as
``<object at 0x7f…>``, becomes `None`.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Mapping
from itertools import pairwise
from typing import Any, Final

MAX_CHARS: Final = 10_000_000
"""Longest value that is read, in characters."""

_OPEN: Final = r"'(?>(?:[^'\\\n]|\\.)*)", r"\"(?>(?:[^\"\\\n]|\\.)*)"
_STRING: Final = rf"[bBuUrR]{{0,2}}(?:{_OPEN[0]}'|{_OPEN[1]}\")"
_ENUM: Final = rf"<[A-Za-z_][\w.]*+: (?P<value>{_STRING}|-?\d[\d.]*+)>"
_tokens: Final = re.compile(
    rf"(?P<string>{_STRING})|{_ENUM}|(?P<object><[^<>\n]*+(?>(?:<[^<>\n]*+>[^<>\n]*+)*)>)"
    rf"|(?P<open>[(\[{{])|(?P<close>[)\]}}])|(?P<odd>{_OPEN[0]}|{_OPEN[1]}|<)|(?P<space>\s++)"
).finditer
_key: Final = re.compile(r"[A-Za-z_]\w*+=").match

_KINDS: Final[Mapping[str, Mapping[str, str]]] = {
    **{name: {"type": kind} for name, kind in {
        "HumanMessage": "human", "AIMessage": "ai", "SystemMessage": "system",
        "ToolMessage": "tool", "FunctionMessage": "function", "RemoveMessage": "remove",
        "AIMessageChunk": "AIMessageChunk", "AgentAction": "AgentAction",
        "AgentFinish": "AgentFinish",
    }.items()},
    **{name: {"kind": kind} for name, kind in {
        "ModelRequest": "request", "ModelResponse": "response",
    }.items()},
    **{name: {"part_kind": kind} for name, kind in {
        "SystemPromptPart": "system-prompt", "UserPromptPart": "user-prompt",
        "ToolReturnPart": "tool-return", "RetryPromptPart": "retry-prompt", "TextPart": "text",
        "ThinkingPart": "thinking", "ToolCallPart": "tool-call",
    }.items()},
}  # fmt: skip
"""The fields that tell a class in JSON but that its `repr` leaves out."""
_WRAPPED: Final = {
    ("ToolCall", "arguments"): "tool_call",
    ("ToolCallResult", "origin"): "tool_call_result",
    ("ReasoningContent", "reasoning_text"): "reasoning",
}
"""The key under which Haystack has an object of this class, which has this field."""


def value_of_repr(text: str) -> Any:
    """Return the value whose `repr` is *text*.

    Raises:
        ValueError: It is not a `repr` of data and objects with named fields, or is too long.
    """
    if len(text) > MAX_CHARS:
        raise ValueError(f"the value has more than {MAX_CHARS} characters")
    pieces: list[str] = []
    end = 0
    for token in _tokens(text):
        if token["value"] is not None or token["object"] is not None:
            pieces += text[end : token.start()], token["value"] or "None"
            end = token.end()
    pieces.append(text[end:])
    try:
        return _value(ast.parse("".join(pieces).strip(), mode="eval").body)
    except (SyntaxError, RecursionError, MemoryError) as error:
        raise ValueError(f"not the repr of a Python value: {error}") from error


def fields_of_text(text: str) -> dict[str, Any]:
    """Return the fields in the `str` of a pydantic model: ``tool='search' tool_input='fog'``.

    Raises:
        ValueError: *text* is something else.
    """
    try:
        value = value_of_repr(text)
    except ValueError:
        depth, spaces = 0, []
        for token in _tokens(text):
            depth += bool(token["open"]) - bool(token["close"])
            if token["space"] and not depth and _key(text, token.end()):
                spaces.append(token.end())
        cuts = [0, *spaces, len(text)]
        fields = (text[begin:end] for begin, end in pairwise(cuts))
        value = value_of_repr(f"dict({', '.join(fields)})")
    if not isinstance(value, dict):
        raise ValueError("expected an object with fields")  # noqa: TRY004 - the text is wrong
    return value


def depth_of(line: str) -> int | None:
    """Return how many more brackets *line* opens than it closes; `None` if a string is open."""
    depth = 0
    for token in _tokens(line):
        if token["odd"] and token["odd"] != "<":
            return None
        depth += bool(token["open"]) - bool(token["close"])
    return depth


def _value(node: ast.expr) -> Any:
    match node:
        case ast.Constant(value=value):
            return value if not isinstance(value, bytes) else value.decode("utf-8", "replace")
        case ast.List(elts=items) | ast.Tuple(elts=items) | ast.Set(elts=items):
            return [_value(item) for item in items]
        case ast.Dict(keys=keys, values=values):
            pairs = zip(keys, values, strict=True)
            return {_key_of(key): _value(value) for key, value in pairs}
        case ast.UnaryOp(op=ast.USub() | ast.UAdd(), operand=ast.Constant()):
            return ast.literal_eval(node)
        case ast.Call(func=ast.Name() | ast.Attribute() as function):
            return _object(_class_name(function), node)
        case ast.Name(id="nan" | "inf" | "Ellipsis"):
            return None
    raise ValueError(f"expected a literal or an object in the repr, found {type(node).__name__}")


def _class_name(node: ast.expr) -> str:
    """Return the last name of a class, which may stand in modules."""
    within = node
    while isinstance(within, ast.Attribute):
        within = within.value
    if not isinstance(within, ast.Name):
        raise ValueError("expected the name of a class in the repr of a value")  # noqa: TRY004 - the text is wrong
    return node.attr if isinstance(node, ast.Attribute) else within.id


def _key_of(node: ast.expr | None) -> Any:
    key = _value(node) if node is not None else None
    if not isinstance(key, str | int | float | bool | None):
        raise ValueError("found a key that is not a string, a number, a boolean or None")  # noqa: TRY004 - the text is wrong
    return key


def _object(name: str, call: ast.Call) -> Any:
    values = [_part(value) for value in call.args]
    fields = {field.arg: _part(field.value) for field in call.keywords if field.arg}
    if values:  # OrderedDict({…}), UUID('…'), datetime(2026, 1, 5), defaultdict(<class 'int'>, {…})
        only = len(values) == 1 or name == "defaultdict"
        return _mapping(name, values[-1]) if only else values
    if name == "ChatMessage":
        return _chat_message(fields)
    for (owner, field), key in _WRAPPED.items():
        if name == owner and field in fields:
            origin = fields.get("origin")
            if isinstance(origin, dict):
                fields["origin"] = origin.get("tool_call", origin)
            return {key: fields}
    return {**_KINDS.get(name, {}), **fields}


def _part(node: ast.expr) -> Any:
    """Return the value of a part of an object; a constant such as ``timezone.utc`` shows none."""
    if isinstance(node, ast.Attribute):
        _class_name(node)
        return None
    return _value(node)


def _mapping(name: str, value: Any) -> Any:
    """Return the *value* of an object, as a mapping if it is a list of pairs that stands for one.

    ``OrderedDict([('a', 1)])`` is how Python before 3.12 shows it.
    """
    is_pairs = isinstance(value, list) and all(
        isinstance(pair, list) and len(pair) == 2 and isinstance(pair[0], str) for pair in value
    )
    return dict(value) if is_pairs and name.lower().endswith("dict") else value


def _chat_message(fields: dict[str, Any]) -> dict[str, Any]:
    """Return Haystack's message, or LangChain's, which has the same name."""
    if "_role" in fields:
        return {name.removeprefix("_"): value for name, value in fields.items()}
    return {"type": "chat", **fields} if "additional_kwargs" in fields else fields


def fields_of_repr(said: str) -> tuple[str, str]:
    """Return the reasoning and the text in a model's reply, which may be a list of blocks.

    The replies of Anthropic's models are such lists.
    """
    try:
        blocks = value_of_repr(said) if said.startswith("[{") else ()
    except ValueError:
        blocks = ()
    if not blocks or not all(isinstance(block, dict) and "type" in block for block in blocks):
        return "", said
    thoughts, texts = ([block.get(name) for block in blocks] for name in ("thinking", "text"))
    return "\n".join(map(str, filter(None, thoughts))), "\n".join(map(str, filter(None, texts)))
