r"""Messages of OpenAI's Chat Completions API, as most tools and data sets store them.

::

    {"messages": [
      {"role": "user", "content": "Which month has the most fog?"},
      {"role": "assistant", "content": null, "tool_calls": [{"id": "c1", "type": "function",
        "function": {"name": "search", "arguments": "{\"query\": \"fog\"}"}}]},
      {"role": "tool", "tool_call_id": "c1", "content": "November"},
      {"role": "assistant", "content": "November."}]}

A file holds a list of messages, the body of a request with its messages, or the same with the
answer of a proxy beside it (``{"request": …, "response": …}``), one object or one a line, as for
fine-tuning and batches, or with the messages as JSON text. Benchmarks have them under ``traj``
(tau-bench), or one record for each of ``simulations`` (tau2-bench). The deprecated
``function_call`` and the role ``function`` are read too.

Source: platform.openai.com/docs/api-reference/chat.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from agent_parsers.runs.reading.conversations import Form
from agent_parsers.runs.reading.messages import evidence_of, message_of, read_messages
from agent_parsers.runs.reading.parts import may_call
from agent_parsers.runs.reading.reader import DataReader, Reading, Value, Values
from agent_parsers.runs.tables.paths import loaded

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from agent_parsers.runs.reading.transcript import Transcript

_ROLES: Final = frozenset(("system", "developer", "user", "assistant", "tool", "function"))
_OTHERS: Final = ("output_", "input_text", "input_image", "thinking", "redacted_")
"""How the types of other APIs' parts begin."""
_ELSEWHERE: Final = frozenset(("parts", "items", "contents"))
"""Where messages of other forms have their content."""
_REQUESTS: Final = ("request", "request_body", "requestBody", "body", "input")
_RESPONSES: Final = ("response", "response_body", "responseBody", "output")


def _messages_of(record: Any) -> list[Any] | None:
    """Return the messages of a request, with the answer if it stands beside them."""
    if not isinstance(record, dict):
        return None
    asked = record.get("messages")
    for name in ("conversations", "traj"):
        asked = record.get(name) if asked is None else asked
    asked = loaded(asked)
    if not isinstance(asked, list):
        within = (record.get(name) for name in _REQUESTS)
        requests = (request for request in within if isinstance(request, dict))
        found = [request["messages"] for request in requests if "messages" in request]
        asked = found[0] if found and isinstance(found[0], list) else None
    answer = _answer_in(record)
    for name in _RESPONSES:
        answer = answer or (_answer_in(record[name]) if name in record else None)
    if asked is None:
        return [answer] if answer else None
    return [*asked, answer] if answer and answer not in asked[-1:] else asked


def _answer_in(response: Any) -> Any:
    """Return the message of a completion, or of the body in which a batch has it."""
    if not isinstance(response, dict):
        return None
    choices = response.get("choices")
    if isinstance(choices, list):
        return choices[0].get("message") if choices and isinstance(choices[0], dict) else None
    return _answer_in(response.get("body"))


def _is_message(value: Any) -> bool:
    if (
        not isinstance(value, dict)
        or value.get("role") not in _ROLES
        or not _ELSEWHERE.isdisjoint(value)
    ):
        return False
    content = value.get("content")
    if content is None or isinstance(content, str):
        return True
    return isinstance(content, list) and all(map(_is_part, content))


def _is_part(part: Any) -> bool:
    kind = part.get("type") if isinstance(part, dict) else None
    return isinstance(kind, str) and not (kind.startswith(_OTHERS) or may_call(kind))


def _sign(message: dict[str, Any]) -> str:
    calls = message.get("tool_calls")
    if isinstance(calls, list) and calls and isinstance(calls[0], dict) and "function" in calls[0]:
        return "'role', and 'tool_calls' with 'function',"
    if isinstance(message.get("function_call"), dict):
        return "'role' and 'function_call'"
    return "'role' and 'content'" if "content" in message else ""


FORM: Final = Form(message_of, _is_message, _messages_of)


def _records(value: Any) -> list[Any]:
    """Return the records in a *value*: of a file of simulations, as of tau2-bench, one for each."""
    found = value.get("simulations") if isinstance(value, dict) else None
    return found if isinstance(found, list) else [value]


def _evidence(values: Sequence[Any]) -> Sequence[str]:
    return evidence_of([each for value in values for each in _records(value)], FORM, _sign)


def _read(values: Values, reading: Reading) -> Iterator[Transcript]:
    flat = (Value(each, line) for data, line in values for each in _records(data))
    return read_messages(Values(flat, are_items=values.are_items), reading, FORM)


READER: Final = DataReader(
    name="openai_chat",
    summary="messages of OpenAI's Chat Completions API: lists, requests, fine-tuning files",
    evidence=_evidence,
    read=_read,
)
