"""Functions that write a run for a provider's API, and the stream parser of messages."""

from typing import TYPE_CHECKING

from outputs.lazy_names import late_names

if TYPE_CHECKING:
    from agent_parsers.messages.reading.stream import MessageStreamParser as MessageStreamParser
    from agent_parsers.messages.writing.to_anthropic import to_anthropic as to_anthropic
    from agent_parsers.messages.writing.to_langchain import to_langchain as to_langchain
    from agent_parsers.messages.writing.to_openai import to_openai as to_openai
    from agent_parsers.messages.writing.to_openai_responses import (
        to_openai_responses as to_openai_responses,
    )

_MODULES = {
    "MessageStreamParser": "agent_parsers.messages.reading.stream",
    "to_anthropic": "agent_parsers.messages.writing.to_anthropic",
    "to_langchain": "agent_parsers.messages.writing.to_langchain",
    "to_openai": "agent_parsers.messages.writing.to_openai",
    "to_openai_responses": "agent_parsers.messages.writing.to_openai_responses",
}
"""The module of each name that is imported at its first use."""

if not TYPE_CHECKING:  # checkers would take any name to exist
    __getattr__, __dir__, __all__ = late_names(__name__, globals(), _MODULES)
