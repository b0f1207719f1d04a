"""The text of a message other than its calls: the reasoning, the content, and the refusal.

Providers send reasoning in blocks, or beside the content::

    {"type": "thinking", "thinking": "The user wants to know …", "signature": "…"}
    {"type": "reasoning", "summary": [{"type": "summary_text", "text": "Looking up …"}]}
    AIMessage("Hello", additional_kwargs={"reasoning_content": "The user says hello."})
"""

from __future__ import annotations

from collections.abc import Container, Iterable, Iterator
from typing import TYPE_CHECKING, Any, Final, Literal, TypeAlias

from outputs.clients.late_fields import COMMENTARY, has_place, number_of

if TYPE_CHECKING:
    from outputs import AIMessage

Kind: TypeAlias = Literal["thought", "commentary", "content", "refusal"]
"""What a text of a message is: reasoning, or for the user. *Commentary* is for the user, too, but
is no part of an answer."""

_REASONING: Final = ("reasoning_content", "reasoning", "thinking")
BESIDE: Final = frozenset((*_REASONING, "refusal"))
"""The keys of ``additional_kwargs`` under which providers send reasoning and refusals."""


def is_commentary(block: Any, items: Container[int] = ()) -> bool:
    """Return whether the text of *block* is not the answer, although it is for the user.

    *items* are the streamed ones that are known to be commentary.
    """
    if not isinstance(block, dict):
        return False
    return block.get("phase") == COMMENTARY or (
        bool(items) and has_place(block) and number_of(block["index"]) in items
    )


def said_in(message: AIMessage) -> Iterator[tuple[Kind, str]]:
    """Yield the texts of *message*, in order: the reasoning, the content, and the refusal."""
    last = ""
    for kind, text in texts_in(message):
        if {last, kind} == {"commentary", "content"}:
            yield "content", "\n"
        yield "content" if kind == "commentary" else kind, text
        last = kind


def thought_in(message: AIMessage) -> str:
    """Return the reasoning in *message*."""
    return "".join(text for kind, text in said_in(message) if kind == "thought")


def texts_in(message: AIMessage, commentary: Container[int] = ()) -> Iterator[tuple[Kind, str]]:
    """Do the same as `said_in`, but keep commentary apart from content.

    What the model says between its calls, on the way to an answer, is commentary, and so is the
    text of streamed items of which this is known.
    """
    for texts in _parts_of(message, commentary):
        yield from texts


def two_fields(message: AIMessage) -> tuple[str, str]:
    """Return the reasoning in *message*, and the text for the user besides its calls.

    Two texts of one field are joined by a line break if something stands between them, such as a
    call or a text of the other field, and so are the paragraphs of an item of reasoning.
    """
    parts: dict[str, list[str]] = {"thought": [], "content": []}
    last = ""
    for texts in _parts_of(message):
        if not texts:  # such as a call, or an image
            last = ""
        for kind, text in texts:
            if kind == "refusal" or not text:
                continue
            part = parts["thought" if kind == "thought" else "content"]
            if kind != last and part:
                part.append("\n")
            part.append(text)
            last = kind
    return "".join(parts["thought"]), "".join(parts["content"])


def _parts_of(
    message: AIMessage, commentary: Container[int] = ()
) -> Iterator[list[tuple[Kind, str]]]:
    """Yield the texts of each part of *message*, in order; none where two parts are divided."""
    beside = message.additional_kwargs
    if beside:
        for name in _REASONING:
            if isinstance(thought := beside.get(name), str) and thought:
                yield [("thought", thought)]
                break
    content = message.content
    if isinstance(content, str):
        yield [("content", content)]
    else:
        for block in content:
            is_no_answer = is_commentary(block, commentary)
            texts = [
                ("commentary" if is_no_answer and kind == "content" else kind, text)
                for kind, text in _said_in_block(block)
            ]
            if _has_parts(block):
                for each in texts:
                    yield from ([each], [])
            else:
                yield texts
    if beside and isinstance(refusal := beside.get("refusal"), str):
        yield [("refusal", refusal)]


def _has_parts(block: str | dict[Any, Any]) -> bool:
    """Return whether *block* is an item of reasoning, whose texts are paragraphs of their own."""
    return isinstance(block, dict) and block.get("type") == "reasoning" and "summary" in block


def _said_in_block(block: str | dict[Any, Any]) -> Iterator[tuple[Kind, str]]:
    if isinstance(block, str):
        yield "content", block
        return
    match block:
        case {"type": "thinking", "thinking": str(text)}:
            yield "thought", text
        case {"type": "thinking", "thinking": list(parts)}:  # Mistral's
            yield from _thoughts_in(parts)
        case {"type": "reasoning", "reasoning": str(text)}:
            yield "thought", text
        case {"type": "reasoning"}:
            for name in ("summary", "content"):
                if isinstance(texts := block.get(name), list):
                    yield from _thoughts_in(texts)
        case {"type": "refusal", "refusal": str(text)}:
            yield "refusal", text
        case {"type": "text" | None, "text": str(text)}:
            yield "content", text
        case {"text": str(text)} if "type" not in block:
            yield "content", text


def _thoughts_in(parts: Iterable[Any]) -> Iterator[tuple[Kind, str]]:
    for part in parts:
        if isinstance(part, dict) and isinstance(part.get("text"), str):
            yield "thought", part["text"]
