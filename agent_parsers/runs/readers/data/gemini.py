"""Contents of Gemini's API: messages of parts, whose calls have no ids.

::

    {"contents": [
      {"role": "user", "parts": [{"text": "Which month has the most fog?"}]},
      {"role": "model", "parts": [{"functionCall": {"name": "search", "args": {"query": "fog"}}}]},
      {"role": "user", "parts": [
        {"functionResponse": {"name": "search", "response": {"result": "November"}}}]},
      {"role": "model", "parts": [{"text": "November."}]}]}

The Python SDK dumps the same with names such as ``function_call``. A response has its content under
``candidates``.

Source: ai.google.dev/api/caching#Content.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from agent_parsers.runs.readers.data.conversations import Form
from agent_parsers.runs.readers.data.messages import evidence_of, read_messages
from agent_parsers.runs.readers.data.parts import call_of, result_of
from agent_parsers.runs.reading.reader import DataReader, Reading, Values
from agent_parsers.runs.reading.said import Said, SaidCall, SaidResult

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from agent_parsers.runs.reading.transcript import Transcript

_ROLES: Final = {
    "user": "user", "model": "assistant", "function": "tool", "tool": "tool", "system": "system",
}  # fmt: skip
_CALLS: Final = ("functionCall", "function_call")
_RESULTS: Final = ("functionResponse", "function_response")
_SYSTEM: Final = ("systemInstruction", "system_instruction")
_RESULT_KEYS: Final = ("result", "output", "error")
"""The one key of a response under which a text stands."""


def _said(content: Mapping[str, Any]) -> Said:
    texts: list[str] = []
    thoughts: list[str] = []
    calls: list[SaidCall] = []
    results: list[SaidResult] = []
    left_out: list[str] = []
    for part in content["parts"]:
        if call := _of(part, _CALLS):
            calls.append(call_of(call))
        elif result := _of(part, _RESULTS):
            returned = _response(result.get("response"))
            results.append(result_of(returned, result.get("id"), result["name"]))
        elif isinstance(part.get("text"), str):
            (thoughts if part.get("thought") is True else texts).append(part["text"])
        else:
            kinds = [name for name, value in part.items() if value is not None]
            left_out.append(f"a part with {', '.join(kinds)}")
    role = "tool" if results and not texts else _ROLES[content.get("role") or "user"]
    return Said(
        role,  # type: ignore[arg-type]
        ("" if role == "assistant" else "\n").join(texts),
        "\n".join(thoughts),
        calls,
        results,
        left_out=left_out,
    )


def _of(part: Mapping[str, Any], names: tuple[str, ...]) -> Any:
    return next((part[name] for name in names if part.get(name)), None)


def _response(response: Any) -> Any:
    if isinstance(response, dict) and len(response) == 1:
        [(key, value)] = response.items()
        if key in _RESULT_KEYS:
            return value
    return response


def _messages_of(record: Mapping[str, Any]) -> list[Any] | None:
    contents = record.get("contents")
    within = record.get("request")
    if contents is None and isinstance(within, dict):
        return _joined(_messages_of(within), record.get("response"))
    if isinstance(contents, str):
        contents = [{"role": "user", "parts": [{"text": contents}]}]
    if isinstance(contents, dict):
        contents = [contents]
    if isinstance(contents, list):
        system = _of(record, _SYSTEM)
        if isinstance(system, str):
            system = {"parts": [{"text": system}]}
        head = [{**system, "role": "system"}] if isinstance(system, dict) else []
        return _joined([*head, *contents], record.get("response") or record)
    return _joined(None, record)


def _joined(messages: list[Any] | None, response: Any) -> list[Any] | None:
    """Return *messages* with the content of a *response*, if there is one."""
    candidates = response.get("candidates") if isinstance(response, dict) else None
    if not (isinstance(candidates, list) and candidates and isinstance(candidates[0], dict)):
        return messages
    answer = candidates[0].get("content")
    return [*(messages or ()), answer] if _is_message(answer) else messages


def _is_message(value: Any) -> bool:
    return (
        isinstance(value, dict)
        and (value.get("role") or "user") in _ROLES
        and isinstance(value.get("parts"), list)
        and all(isinstance(part, dict) and "part_kind" not in part for part in value["parts"])
    )


_FORM: Final = Form(_said, _is_message, _messages_of)


def _evidence(values: Sequence[Any]) -> Sequence[str]:
    return evidence_of(values, _FORM, lambda content: "'parts'" if "role" in content else "")


def _read(values: Values, reading: Reading) -> Iterator[Transcript]:
    return read_messages(values, reading, _FORM)


READER: Final = DataReader(
    name="gemini",
    summary="contents of Gemini's API: lists, requests, responses",
    evidence=_evidence,
    read=_read,
)
