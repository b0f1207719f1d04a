"""Prompts as values: for models that take text, and for models that take messages.

::

    StringPromptValue(text="When did the Titanic sink?").to_messages()   # a human message
    ChatPromptValue(messages=[SystemMessage("Be brief."), HumanMessage("When?")]).to_string()

The second is ``System: Be brief.`` and, on the next line, ``Human: When?``.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any, Self

from typing_extensions import override

from outputs import BaseMessage, HumanMessage
from outputs.messages.base import is_langchains

__all__ = ["ChatPromptValue", "PromptValue", "StringPromptValue", "text_of_prompt"]


class PromptValue(ABC):
    """A prompt, for models that take text and for models that take messages."""

    __slots__ = ()

    @abstractmethod
    def to_string(self) -> str:
        """Return the prompt as text."""

    @abstractmethod
    def to_messages(self) -> list[BaseMessage]:
        """Return the prompt as messages."""


class StringPromptValue(str, PromptValue):
    """A prompt that is text; it is a `str`, so that any function or model can take it."""

    __slots__ = ()

    def __new__(cls, text: str) -> Self:
        """Create a prompt from *text*."""
        return super().__new__(cls, text)

    def __repr__(self) -> str:
        return f"{type(self).__name__}(text={super().__repr__()})"

    @property
    def text(self) -> str:
        """The text."""
        return str(self)

    @override
    def to_string(self) -> str:
        """Return the text."""
        return str(self)

    @override
    def to_messages(self) -> list[BaseMessage]:
        """Return the text as a human message."""
        return [HumanMessage(str(self))]


@dataclass(frozen=True)
class ChatPromptValue(PromptValue):
    """A prompt that consists of messages, such as those of an agent parser's ``render_prompt``.

    Raises:
        TypeError: There is something other than messages.
    """

    messages: Sequence[BaseMessage]
    """The messages, in order."""

    def __post_init__(self) -> None:
        given: Any = self.messages
        is_list = isinstance(given, Sequence) and not isinstance(given, str)
        for message in given if is_list else [None]:
            if not (isinstance(message, BaseMessage) or is_langchains(message)):
                found = message if is_list else given
                raise TypeError(
                    "expected a list of messages, such as [HumanMessage('Hello')];"
                    f" found {type(found).__name__}{' in the list' * is_list}"
                )

    @override
    def to_string(self) -> str:
        """Return the messages as text, each after the name of its role: ``Human: When?``."""
        return "\n".join(map(_spoken, self.messages))

    @override
    def to_messages(self) -> list[BaseMessage]:
        """Return the messages, in a new list."""
        return list(self.messages)


def text_of_prompt(prompt: Any) -> str:
    """Return the text of a prompt, which is a text or has a ``to_string``, as LangChain's have.

    Raises:
        TypeError: It is neither.
    """
    if isinstance(prompt, str):
        return str(prompt)
    if not hasattr(prompt, "to_string"):
        raise TypeError(
            "expected the prompt as a string or as a prompt value, such as"
            f" ChatPromptValue(messages=[…]); found {type(prompt).__name__}"
        )
    text: str = prompt.to_string()
    return text


def _spoken(message: BaseMessage) -> str:
    """Return a message as LangChain writes it in a prompt for a model that takes text."""
    kind = message.type.removesuffix("MessageChunk")
    is_ai = kind.lower() == "ai"
    role = "AI" if is_ai else getattr(message, "role", kind.title())
    calls: Any = ""
    if is_ai:
        calls = getattr(message, "tool_calls", None) or message.additional_kwargs.get(
            "function_call", ""
        )
    return f"{role}: {message.text}{calls}"
