"""Refusals of a model, which providers mark in its message."""

from __future__ import annotations

from collections.abc import Mapping
from functools import partial
from typing import Any

from pydantic import BaseModel

from output_parsers.exceptions import ModelRefusalError
from output_parsers.model_output import ModelOutput, part_of
from output_parsers.streams.accumulator import Accumulator
from outputs import BaseMessage, ChatGeneration
from outputs.messages.base import is_langchains, text_of
from outputs.messages.ended import is_filtered, is_held_back, is_refused


def refusal_in(message: Any) -> str | None:
    """Return the words in which *message* refuses, or `None` if it does not refuse.

    OpenAI-compatible providers put them in a content block or in a separate field::

        AIMessage([{"type": "refusal", "refusal": "I can't help with that."}])
        AIMessage("", additional_kwargs={"refusal": "I can't help with that."})
    """
    content = message.content
    if isinstance(content, list):
        texts = [
            str(block.get("refusal") or "")
            for block in content
            if isinstance(block, dict) and block.get("type") == "refusal"
        ]
        if texts:
            return "".join(texts)
    beside = (getattr(message, "additional_kwargs", None) or {}).get("refusal")
    return beside if isinstance(beside, str) and beside else None


def refusal_error(message: Any, text: str, *, calls: bool) -> ModelRefusalError | None:
    """Return the error for a *message* that refuses, or `None` if it does not refuse.

    This is what decides it for every parser. In addition to `refusal_in`, it recognises Anthropic's
    stop reason for refusals, whose message may have some text; an empty refusal in a message
    without content; and a message whose whole content was held back by a filter.

    Args:
        message: The message.
        text: The text of the message.
        calls: Whether the message has calls.
    """
    error = _refusal_error(message, text, calls=calls)
    if error is not None and (isinstance(message, BaseMessage) or is_langchains(message)):
        error.ai_message = message
    return error


def _refusal_error(message: Any, text: str, *, calls: bool) -> ModelRefusalError | None:
    refusal = refusal_in(message)
    if refusal is not None:
        return ModelRefusalError.saying(refusal)
    metadata = getattr(message, "response_metadata", None)
    metadata = metadata if isinstance(metadata, Mapping) else {}
    if metadata and is_refused(metadata):
        details = metadata.get("stop_details")
        details = details if isinstance(details, Mapping) else {}
        explanation, category = (details.get(each) or "" for each in ("explanation", "category"))
        return ModelRefusalError.saying(str(explanation) or text, str(category))
    if calls or text.strip():
        return None
    beside = getattr(message, "additional_kwargs", None) or {}
    if isinstance(beside.get("refusal"), str):
        return ModelRefusalError.saying("")
    return ModelRefusalError.by_filter() if is_filtered(metadata) else None


def may_refuse(message: Any) -> bool:
    """Return whether `refusal_error` may find a refusal in *message*, or in a chunk of one."""
    beside = getattr(message, "additional_kwargs", None)
    if beside and isinstance(beside.get("refusal"), str):
        return True
    metadata = getattr(message, "response_metadata", None)
    if metadata and isinstance(metadata, Mapping) and is_held_back(metadata):
        return True
    return isinstance(message.content, list) and refusal_in(message) is not None


def check_refusal(message: Any) -> None:
    """Check that *message*, which may be `None`, does not refuse.

    Raises:
        ModelRefusalError: It refuses, as `refusal_error` says, whatever else it contains.
    """
    if message is not None and may_refuse(message):
        text = text_of(message.content or "", untyped=True)
        error = refusal_error(message, text, calls=has_calls(message))
        if error is not None:
            raise error


def has_calls(message: Any) -> bool:
    """Return whether *message*, or a chunk of one, has calls or pieces of calls."""
    # A missing attribute of a pydantic model takes longer than parsing.
    find = vars(message).get if isinstance(message, BaseModel) else partial(getattr, message)
    if find("tool_calls", None) or find("tool_call_chunks", None):
        return True
    beside = find("additional_kwargs", None)
    if beside and (beside.get("tool_calls") or beside.get("function_call")):
        return True
    return bool(find("invalid_tool_calls", None))


class RefusalInChunks:
    """Notices a refusal in a message that arrives in chunks."""

    def __init__(self) -> None:
        self.texts: list[str] = []
        """The texts of the chunks."""
        self._has_calls = False
        self._chunks: Accumulator | None = None  # from the first that may refuse

    def take(self, chunk: ModelOutput) -> None:
        """Read the next *chunk*."""
        part = part_of(chunk)
        if isinstance(part, str):
            self.texts.append(part)
            return
        self.texts.append(text_of(part.content or "", untyped=True))
        self._has_calls = self._has_calls or has_calls(part)
        if self._chunks is None and may_refuse(part):
            self._chunks = Accumulator()
        if self._chunks is not None:
            self._chunks.add(part)

    def check(self) -> None:
        """Check at the end of the message that it does not refuse.

        Raises:
            ModelRefusalError: It refuses.
        """
        if self._chunks is None:
            return
        generation = self._chunks.generation()
        assert isinstance(generation, ChatGeneration)
        text = "".join(self.texts)
        error = refusal_error(generation.message, text, calls=self._has_calls)
        if error is not None:
            raise error
