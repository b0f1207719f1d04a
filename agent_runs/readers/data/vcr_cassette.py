r"""Cassettes of VCR: the requests of a test and their responses, as YAML or JSON.

::

    interactions:
    - request:
        method: POST
        uri: https://api.example.com/v1/chat/completions
        body: '{"messages": [{"role": "user", "content": "Which month?"}]}'
      response:
        body: {string: '{"choices": [{"message": {"role": "assistant", "content": "May."}}]}'}
    version: 1

The bodies, also under ``parsed_body``, are requests and responses of an API, in a form of their
own. A request has the whole conversation before it, so those that go on are one. A response may be
a stream of events of OpenAI's APIs or Anthropic's; another is left out, with a notice.

Source: ``vcr/serializers`` of vcrpy 7; the cassettes of pydantic-ai.
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import reduce
from operator import add
from typing import Any, Final, NamedTuple

from agent_parsers.transcripts import Notice
from agent_runs.reading.endings import UNENDED
from agent_runs.reading.parts import text_of
from agent_runs.reading.reader import DataReader, Reading, Runs, Value, Values
from agent_runs.tables.part import at, loaded


class _Interaction(NamedTuple):
    """A request and its response, as far as they are data."""

    record: dict[str, Any]
    uri: str
    has_stream: bool
    """Whether the response is a stream that is not known."""


def _interactions(value: Any) -> list[Mapping[str, Any]] | None:
    found = value.get("interactions") if isinstance(value, Mapping) else None
    is_one = isinstance(found, list) and all(
        isinstance(each, Mapping) and {"request", "response"} <= each.keys() for each in found
    )
    return found if is_one and found else None


def _body(message: Any) -> Any:
    """Return the body of a request or a response, as data if it is JSON."""
    body = at(message, "parsed_body|body")
    return loaded(at(body, "string") if isinstance(body, Mapping) and "string" in body else body)


def _interaction(found: Mapping[str, Any]) -> _Interaction:
    asked, told = _body(found["request"]), _body(found["response"])
    record = {"request": asked} if isinstance(asked, dict) else {}
    status = at(found, "response.status.code|response.status_code")
    if isinstance(status, int) and status >= 400 and not at(told, "error"):
        told = {"error": f"{status} {text_of(told)}".strip()}
    if record and isinstance(told, dict):
        record["response"] = told
    is_stream = isinstance(told, str) and told.lstrip().startswith(("data:", "event:"))
    if record and is_stream and (said := _said_in_stream(told)) is not None:
        record["response"] = said
    is_lost = is_stream and "response" not in record
    return _Interaction(record, str(at(found, "request.uri") or "a request"), is_lost)


def _said_in_stream(text: str) -> dict[str, Any] | None:
    """Return the response whose pieces are the events of a stream; `None` if that is not known."""
    lines = (line[5:].strip() for line in text.splitlines() if line.startswith("data:"))
    events = [json.loads(line) for line in lines if line.startswith("{")]
    whole = [event["response"] for event in events if event.get("type") in _WHOLE]
    if whole:  # of the Responses API
        response: dict[str, Any] = whole[-1]
        return response
    wrong = [event["error"] for event in events if event.get("error")]
    events = [event for event in events if not event.get("error")]
    if wrong and not events:
        return {"error": wrong[0]}
    if not events or not (events[0].get("type") == "message_start" or "choices" in events[0]):
        return None
    others = {index for each in _choices(events) if (index := each.get("index") or 0)}
    for event in events if others else ():
        event["choices"] = [each for each in _choices([event]) if not each.get("index")]
    events = [event for event in events if event["choices"]] if others else events
    from agent_parsers.messages import to_anthropic, to_openai  # imported lazily: few need it
    from outputs import from_any, message_chunk_to_message

    chunks = [from_any(event) for event in events if event.get("type") not in _SILENT]
    message = message_chunk_to_message(reduce(add, chunks))
    more = {"error": wrong[0]} if wrong else {}
    if "choices" in events[0]:
        reasons = [each.get("finish_reason") for each in _choices(events)]
        is_done = any(reasons) or "[DONE]" in text
        reason = next(filter(None, reasons), None) if is_done else UNENDED
        choice = {"message": to_openai(message)[0], "finish_reason": reason}
        return {"choices": [choice, *({} for _ in others)], **more}
    is_done = any(event.get("type") == "message_stop" for event in events)
    reasons = [at(event, "delta.stop_reason") for event in events]
    reason = next(filter(None, reasons), "") if is_done else UNENDED
    return {"type": "message", "stop_reason": reason, **to_anthropic(message)[0], **more}


def _choices(events: Sequence[Mapping[str, Any]]) -> list[Mapping[str, Any]]:
    """Return the choices in the *events* of a stream."""
    return [each for event in events for each in event.get("choices") or ()]


_WHOLE: Final = ("response.completed", "response.incomplete", "response.failed")
_SILENT: Final = ("ping", "message_stop")


def _evidence(values: Sequence[Any]) -> Sequence[str]:
    found = [_interactions(value) for value in values]
    return ("'interactions' with 'request' and 'response'",) if found and all(found) else ()


def _read(values: Values, reading: Reading) -> Runs:
    for value in values:
        interactions = _interactions(value.data)
        if interactions is None:
            reading.refuse_value(value, "expected a VCR cassette with 'interactions'")
            continue
        records: list[Value] = []
        left_out: list[str] = []
        for found in reading.converted(_interaction, interactions, line=value.line):
            if not found.record or not reading.has_form(Values([Value(found.record)])):
                left_out.append(f"a request that is not a conversation: {found.uri}")
                continue
            records.append(Value(found.record, value.line))
            if found.has_stream:
                left_out.append(f"a response that is a stream of an unknown form: {found.uri}")
        if not records:
            reading.refuse("no request of the cassette is a conversation in a known form")
            continue
        inner = replace(reading, is_scripted=True)
        runs = [*inner.inside(Values(records, are_items=True))]
        notices = [Notice("unowned_text", f"dropped {words}") for words in left_out]
        if runs and notices:
            runs[-1] = replace(runs[-1], notices=(*runs[-1].notices, *notices))
        yield from runs


READER: Final = DataReader(
    name="vcr_cassette",
    summary="cassettes of VCR: requests to an API with their responses, as YAML or JSON",
    evidence=_evidence,
    read=_read,
)
