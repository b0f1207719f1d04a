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

Kind: TypeAlias = Literal["thought", "content", "refusal"]

_REASONING: Final = ("reasoning_content", "reasoning")
BESIDE: Final = frozenset((*_REASONING, "refusal"))
"""The keys of ``additional_kwargs`` under which providers send reasoning and refusals."""


def is_commentary(block: Any, items: Container[int] = ()) -> bool:
    """Return whether the text of *block* is not the answer, although it is for the user.

    Args:
        block: A block of the content.
        items: The streamed items of which this is known.
    """
    if not isinstance(block, dict):
        return False
    return block.get("phase") == COMMENTARY or (
        bool(items) and has_place(block) and number_of(block["index"]) in items
    )


def said_in(message: AIMessage, commentary: Container[int] = ()) -> Iterator[tuple[Kind, str]]:
    """Yield the texts of *message*, in order: the reasoning, the content, and the refusal.

    What the model says between its calls, on the way to an answer, is a thought.

    Args:
        message: A message, or a chunk of one.
        commentary: The streamed items whose text is no answer.
    """
    beside = message.additional_kwargs
    if beside:
        for name in _REASONING:
            if isinstance(thought := beside.get(name), str) and thought:
                yield "thought", thought
                break
    content = message.content
    if isinstance(content, str):
        yield "content", content
    else:
        for block in content:
            is_thought = is_commentary(block, commentary)
            for kind, text in _said_in_block(block):
                yield "thought" if is_thought and kind == "content" else kind, text
    if beside and isinstance(refusal := beside.get("refusal"), str):
        yield "refusal", refusal


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
