"""Writing what a model writes as text as the reply of a server of OpenAI's Chat Completions API.

::

    {"id": "chatcmpl-1", "object": "chat.completion.chunk", "created": 1790000000, "model": "m",
     "choices": [{"index": 0, "delta": {"content": "I look."}, "finish_reason": None}]}
    {"id": "chatcmpl-1", "object": "chat.completion", "created": 1790000000, "model": "m",
     "choices": [{"index": 0, "message": {"role": "assistant", "content": "I look.", "tool_calls": [
      {"id": "1", "type": "function", "function": {"name": "search", "arguments": "{}"}}]},
      "finish_reason": "tool_calls"}], "usage": None}

Source: https://platform.openai.com/docs/api-reference/chat/streaming
"""

from __future__ import annotations

import time
from collections.abc import Iterable, Iterator, Mapping
from typing import TYPE_CHECKING, Any, Final
from uuid import uuid4

from agent_parsers.core import ARGUMENT, as_json, pair_of
from agent_parsers.events import (
    ActionComplete,
    AnswerDelta,
    Finish,
    InputDelta,
    MarkerSeen,
    ThoughtDelta,
    ToolNamed,
)
from output_parsers import OutputParserException
from output_parsers.model_output import message_of, part_of
from outputs import AIMessage

if TYPE_CHECKING:
    from agent_parsers import AgentAction
    from agent_parsers.core import AnyDialectParser
    from agent_parsers.events import Event
    from output_parsers import ModelOutput

__all__ = ["OpenAIReply"]

_WHOLE: Final = frozenset(("stop", "tool_calls", "function_call"))
"""The reasons for which a whole reply ends."""


class OpenAIReply:
    """A Chat Completions reply, for a server whose model writes calls as text.

    `feed` takes a chunk of what the model writes and `close` its end. Both return chunks of the
    reply, for a client that asked for a stream; `completion` is the whole reply::

        reply = OpenAIReply(parser, model="qwen3")
        for chunk in model.stream(prompt):
            for each in reply.feed(chunk):
                send(each)
        for each in reply.close():
            send(each)

    Thoughts, and reasoning that comes beside the text, are its ``reasoning_content``. A call is in
    one chunk, and has an id if the model gave it none. An input that is text becomes the argument
    ``__arg1``, which `render_prompt` writes as text again. Text behind a call is held back while
    the call may still turn out to be quoted.

    Args:
        parser: A parser of a text dialect. If it has a *prompt* and the dialect marks its calls, a
            call is returned when its block closes, else at the end of the turn; see `StreamParser`.
        model: Name of the model.
    """

    def __init__(self, parser: AnyDialectParser, *, model: str = "") -> None:
        self._chunks: Final = ChatChunks(model)
        self._dialect_parser: Final = parser
        self._has_begun = False
        self.content: str = ""
        """The content so far: the text beside the calls, or the answer."""
        self.reasoning_content: str = ""
        """The thought so far: what the model wrote, and what its server sent beside the text."""
        self.tool_calls: list[dict[str, Any]] = []
        """The calls so far."""
        self.usage: Any = None
        """The tokens that the reply took, in OpenAI's form; set it to have it in the reply."""
        self._begin()

    def _begin(self) -> None:
        try:
            self._parser = self._dialect_parser.stream_parser(calls="each")
        except ValueError:
            self._parser = self._dialect_parser.stream_parser()
        self._from_before = self.reasoning_content  # the turn that is begun again
        self._answer: str | None = None
        self._ended: str | None = None
        self._is_calling = self._holds_back = False
        self._is_apart: set[str] = set()

    @property
    def is_over(self) -> bool:
        """Whether the turn has ended: whatever follows is not part of it."""
        return self._parser.is_over

    @property
    def finish_reason(self) -> str:
        """Why the reply ended: ``tool_calls`` or ``stop``, or another reason that a chunk gave."""
        if self._ended is not None and self._ended not in _WHOLE:
            return self._ended
        return "tool_calls" if self.tool_calls else "stop"

    @property
    def message(self) -> dict[str, Any]:
        """The message so far."""
        beside = {"reasoning_content": self.reasoning_content, "tool_calls": self.tool_calls}
        said = {name: value for name, value in beside.items() if value}
        return {"role": "assistant", "content": self.content or None, **said}

    @property
    def completion(self) -> dict[str, Any]:
        """The whole reply, for a client that did not ask for a stream."""
        choice = {"index": 0, "message": self.message, "finish_reason": self.finish_reason}
        return self._chunks.completion([choice], self.usage)

    def feed(self, chunk: ModelOutput) -> list[dict[str, Any]]:
        """Take the next chunk of the text and return the chunks of the reply that it completes.

        Args:
            chunk: Text, or a message or message chunk of any kind that `outputs.from_any` accepts.

        Raises:
            OutputParserException: The text is longer than the parser's *max_chars*.
            ProviderError: The chunk reports that the provider failed.
            RuntimeError: `close` was called before.
            TypeError: The chunk is neither text nor a message.
        """
        part = part_of(chunk)
        if not isinstance(part, str) and isinstance(message := message_of(part), AIMessage):
            part = message
            self._ended = message.response_metadata.get("finish_reason") or self._ended
        deltas = self._deltas(self._parser.feed(part))
        return [self._chunk(delta) for delta in deltas]

    def close(self, *, include_usage: bool = False) -> list[dict[str, Any]]:
        """End the reply and return its last chunks.

        Args:
            include_usage: Whether to add a chunk with the `usage`.

        Raises:
            OutputParserException: The turn cannot be read. Or its end showed that some of what was
                returned as content is not, as when the prompt opens a thought and the parser does
                not know.
            RuntimeError: `close` was called before.
        """
        deltas = [*self._deltas(self._parser.close())]
        content = self._answer if self._parser.content is None else self._parser.content
        if content is not None and not content.startswith(self.content):
            raise OutputParserException(
                "some of the text that was already returned as content is not content; if the"
                " prompt opens a thought, pass prompt= to the parser",
                llm_output=self._parser.text,
            )
        thought = self._from_before + (self._parser.thought or "")
        if thought.startswith(self.reasoning_content):
            deltas += self._rest_of("reasoning_content", thought)
        deltas += self._rest_of("content", content or "")
        last = self._chunk({}, self.finish_reason)
        usage = [self._chunks.usage(self.usage)] if include_usage else []
        return [*(self._chunk(delta) for delta in deltas), last, *usage]

    def retry(self, error: OutputParserException) -> tuple[AgentAction, str]:
        """Start the reply again, so that the model can correct its *error*.

        Reasoning that was returned stays.

        Returns:
            The failed turn as a step, for the history of the next prompt.

        Raises:
            OutputParserException: *error* itself, if content or a call was returned, which cannot
                be taken back, or if the error is not for the model, as when it refused.
        """
        if self.content or self.tool_calls or not error.send_to_llm:
            raise error
        self._begin()
        return pair_of(error)

    def _chunk(self, delta: dict[str, Any], finish_reason: str | None = None) -> dict[str, Any]:
        if not self._has_begun:
            self._has_begun = True
            delta = {"role": "assistant", **delta}
        return self._chunks.chunk(delta, finish_reason)

    def _deltas(self, events: Iterable[Event]) -> Iterator[dict[str, Any]]:
        for event in events:
            match event:
                case AnswerDelta(text=text) | ThoughtDelta(text=text):
                    self._holds_back |= self._is_calling
                    name = "content" if isinstance(event, AnswerDelta) else "reasoning_content"
                    if not self._holds_back:
                        yield self._said(name, text)
                case MarkerSeen():
                    self._is_apart = {"content", "reasoning_content"}
                case ToolNamed() | InputDelta():
                    self._is_calling = True
                case ActionComplete(action=action):
                    self._is_calling = False
                    self.tool_calls.append(call := _call(action))
                    yield {"tool_calls": [{"index": len(self.tool_calls) - 1, **call}]}
                case Finish(finish=finish):
                    answer = finish.return_values["output"]
                    self._answer = answer if isinstance(answer, str) else as_json(answer)

    def _said(self, name: str, text: str) -> dict[str, Any]:
        """Add *text* to a field; a marker between two texts becomes a line break."""
        so_far = getattr(self, name)
        if name in self._is_apart and so_far:
            text = "\n" + text
        self._is_apart.discard(name)
        setattr(self, name, so_far + text)
        return {name: text}

    def _rest_of(self, name: str, whole: str) -> Iterator[dict[str, Any]]:
        if rest := whole[len(getattr(self, name)) :]:
            self._is_apart.clear()
            yield self._said(name, rest)


class ChatChunks:
    """Makes the chunks of one reply, which all have the same id, and the completion.

    Args:
        model: Name of the model.
    """

    def __init__(self, model: str) -> None:
        said = {"id": f"chatcmpl-{uuid4().hex}", "created": int(time.time()), "model": model}
        self._about: Final[dict[str, Any]] = said
        self._of_chunk: Final = {**said, "object": "chat.completion.chunk"}

    def chunk(
        self, delta: dict[str, Any], reason: str | None = None, *, index: int = 0, **beside: Any
    ) -> dict[str, Any]:
        """Return a chunk with the *delta* of a choice, and the fields *beside* it."""
        choice = {"index": index, "delta": delta, **beside, "finish_reason": reason}
        return {**self._of_chunk, "choices": [choice]}

    def usage(self, usage: Any) -> dict[str, Any]:
        """Return the last chunk, which has the *usage*."""
        return {**self._of_chunk, "choices": [], "usage": usage}

    def completion(self, choices: list[dict[str, Any]], usage: Any) -> dict[str, Any]:
        """Return the whole reply."""
        return {**self._about, "object": "chat.completion", "choices": choices, "usage": usage}


def as_usage(usage: Mapping[str, Any]) -> dict[str, Any]:
    """Return the ``usage_metadata`` of a message in the format of this API."""
    return {
        "prompt_tokens": usage["input_tokens"],
        "completion_tokens": usage["output_tokens"],
        "total_tokens": usage["total_tokens"],
    }


def _call(action: AgentAction) -> dict[str, Any]:
    given = action.tool_input
    arguments = as_json(given if isinstance(given, dict) else {ARGUMENT: given})
    # All APIs take an id of nine letters and digits, and Mistral's takes no other.
    call_id = getattr(action, "tool_call_id", None) or uuid4().hex[:9]
    return call_part(call_id, action.tool, arguments)


def call_part(call_id: str | None, name: str, arguments: str) -> dict[str, Any]:
    """Return a call with *arguments* as JSON text, in the format of ``tool_calls``."""
    return {
        "id": call_id,
        "type": "function",
        "function": {"name": name, "arguments": arguments},
    }


def image_part(url: str) -> dict[str, Any]:
    """Return the image at *url*, which may be a data URL, as a part of a message's content."""
    return {"type": "image_url", "image_url": {"url": url}}
