"""Messages of Anthropic's Messages API: calls and results are blocks of the content.

::

    {"system": "Be brief.", "messages": [
      {"role": "user", "content": "Which month has the most fog?"},
      {"role": "assistant", "content": [{"type": "text", "text": "I look it up."},
        {"type": "tool_use", "id": "t1", "name": "search", "input": {"query": "fog"}}]},
      {"role": "user", "content": [
        {"type": "tool_result", "tool_use_id": "t1", "content": "November"}]},
      {"role": "assistant", "content": "November."}]}

A file holds a list of messages, the body of a request, or a request with its response.

Source: docs.anthropic.com/en/api/messages.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from agent_parsers.runs.reading.conversations import Form
from agent_parsers.runs.reading.messages import evidence_of, message_of, read_messages
from agent_parsers.runs.reading.parts import KNOWN_PARTS, may_call
from agent_parsers.runs.reading.reader import DataReader, Reading, Values

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from agent_parsers.runs.reading.transcript import Transcript

_ROLES: Final = frozenset(("system", "user", "assistant"))
_SIGNS: Final = frozenset(("tool_use", "tool_result", "thinking", "redacted_thinking"))
_OTHERS: Final = ("input_", "output_", "image_url", "refusal", "function_")
"""How the types of OpenAI's parts begin."""
_REQUESTS: Final = ("request", "request_body", "requestBody", "body", "params")
_RESPONSES: Final = ("response", "response_body", "responseBody")


def _messages_of(record: Any) -> list[Any] | None:
    """Return the messages of a request, with its system prompt and the answer beside them."""
    request, messages = record, record.get("messages")
    for name in _REQUESTS:
        within = record.get(name)
        if messages is None and isinstance(within, dict):
            request, messages = within, within.get("messages")
    answers = (_answer_in(record.get(name)) for name in _RESPONSES)
    answer = _answer_in(record) or next(filter(None, answers), None)
    if not isinstance(messages, list):
        return [answer] if answer else None
    system = request.get("system")
    head = [{"role": "system", "content": system}] if system else []
    return [*head, *messages, *([answer] if answer else [])]


def _answer_in(response: Any) -> Any:
    is_message = isinstance(response, dict) and response.get("type") == "message"
    return response if is_message and "stop_reason" in response else None


def _is_message(value: Any) -> bool:
    if not isinstance(value, dict) or value.get("role") not in _ROLES or "tool_calls" in value:
        return False
    content = value.get("content")
    if isinstance(content, list):
        return all(map(_is_part, content))
    return isinstance(content, str)


def _is_part(part: Any) -> bool:
    kind = part.get("type") if isinstance(part, dict) else None
    return isinstance(kind, str) and (
        kind in KNOWN_PARTS or not (kind.startswith(_OTHERS) or may_call(kind))
    )


def _sign(message: dict[str, Any]) -> str:
    content = message["content"]
    kinds = [part["type"] for part in content] if isinstance(content, list) else []
    return next((f"a block of type {kind!r}" for kind in kinds if kind in _SIGNS), "")


_FORM: Final = Form(message_of, _is_message, _messages_of)


def _evidence(values: Sequence[Any]) -> Sequence[str]:
    return evidence_of(values, _FORM, _sign)


def _read(values: Values, reading: Reading) -> Iterator[Transcript]:
    return read_messages(values, reading, _FORM)


READER: Final = DataReader(
    name="anthropic",
    summary="messages of Anthropic's Messages API: lists, requests, requests with responses",
    evidence=_evidence,
    read=_read,
    before=("openai_chat",),
)
