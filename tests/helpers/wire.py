"""What servers send for a message: a whole response, or the events of a stream.

Messages are assistant messages of Chat Completions, as in the corpus. Streamed texts are cut as in
real streams, within words and within escapes.
"""

import json
from collections.abc import Iterator, Sequence
from typing import Any

Fields = dict[str, Any]

USAGE = {"prompt_tokens": 5, "completion_tokens": 7, "total_tokens": 12}


def cut(text: str, most: int = 9) -> list[str]:
    """Return *text* in at most this many pieces."""
    size = max(3, -(-len(text) // most))
    return [text[at : at + size] for at in range(0, len(text), size)]


def calls_of(message: Fields) -> list[Fields]:
    """Return the id, name and arguments of each call; function calls are given an id."""
    if call := message.get("function_call"):
        return [{"id": "call_1", **call}]
    return [{"id": call["id"], **call["function"]} for call in message.get("tool_calls") or ()]


# -- Chat Completions ----------------------------------------------------------------------------


def completion(message: Fields) -> Fields:
    choice = {"index": 0, "finish_reason": "stop", "logprobs": None, "message": message}
    return {
        "id": "chatcmpl-1",
        "object": "chat.completion",
        "created": 1,
        "model": "gpt-5",
        "choices": [choice],
        "usage": USAGE,
    }


def completion_chunks(message: Fields) -> list[Fields]:
    said = map(completion_chunk, completion_deltas(message))
    return [*said, completion_chunk({}, "stop"), completion_chunk(None)]


def completion_chunk(delta: Fields | None, reason: str | None = None) -> Fields:
    """Return a chunk with this *delta*, or without one, the last chunk, which has the usage."""
    choice = {"index": 0, "delta": delta, "finish_reason": reason, "logprobs": None}
    return {
        "id": "chatcmpl-1",
        "object": "chat.completion.chunk",
        "created": 1,
        "model": "gpt-5",
        "choices": [] if delta is None else [choice],
        "usage": USAGE if delta is None else None,
    }


def completion_deltas(message: Fields) -> Iterator[Fields]:
    yield {"role": "assistant", "content": None, "refusal": None}
    for text in cut(message.get("reasoning_content") or ""):
        yield {"reasoning_content": text}
    for text in cut(message.get("content") or ""):
        yield {"content": text}
    for text in cut(message.get("refusal") or ""):
        yield {"refusal": text}
    if call := message.get("function_call"):
        yield {"function_call": {"name": call["name"], "arguments": ""}}
        for text in cut(call["arguments"]):
            yield {"function_call": {"arguments": text}}
    for index, call in enumerate(message.get("tool_calls") or ()):
        function = {"name": call["function"]["name"], "arguments": ""}
        yield {"tool_calls": [{**call, "index": index, "function": function}]}
        for text in cut(call["function"]["arguments"] or ""):
            yield {"tool_calls": [{"index": index, "function": {"arguments": text}}]}


# -- Responses -----------------------------------------------------------------------------------


def response(message: Fields) -> Fields:
    return {
        "id": "resp_1",
        "object": "response",
        "created_at": 1,
        "model": "gpt-5",
        "status": "completed",
        "error": None,
        "incomplete_details": None,
        "instructions": None,
        "metadata": {},
        "parallel_tool_calls": True,
        "temperature": 1.0,
        "tool_choice": "auto",
        "tools": [],
        "top_p": 1.0,
        "output": _items(message),
        "usage": {
            "input_tokens": 5,
            "input_tokens_details": {"cached_tokens": 0},
            "output_tokens": 7,
            "output_tokens_details": {"reasoning_tokens": 0},
            "total_tokens": 12,
        },
    }


def _items(message: Fields) -> list[Fields]:
    items: list[Fields] = []
    if text := message.get("reasoning_content"):
        summary = [{"type": "summary_text", "text": text}]
        items.append({"type": "reasoning", "id": "rs_1", "summary": summary})
    parts: list[Fields] = []
    if text := message.get("content"):
        parts.append({"type": "output_text", "text": text, "annotations": [], "logprobs": []})
    if text := message.get("refusal"):
        parts.append({"type": "refusal", "refusal": text})
    for part in parts:
        items.append({
            "type": "message", "id": "msg_1", "role": "assistant", "status": "completed",
            "content": [part],
        })  # fmt: skip
    for number, call in enumerate(calls_of(message)):
        items.append({
            "type": "function_call", "id": f"fc_{number}", "call_id": call["id"],
            "name": call["name"], "arguments": call["arguments"] or "", "status": "completed",
        })  # fmt: skip
    return items


def response_events(message: Fields) -> list[Fields]:
    whole = response(message)
    begun = {**whole, "status": "in_progress", "output": [], "usage": None}
    events: list[Fields] = [
        {"type": "response.created", "response": begun},
        {"type": "response.in_progress", "response": begun},
    ]
    for index, item in enumerate(whole["output"]):
        events += _item_events(item, index)
    events.append({"type": "response.completed", "response": whole})
    return [{**event, "sequence_number": number} for number, event in enumerate(events)]


def _item_events(item: Fields, index: int) -> Iterator[Fields]:
    begun = {**item, "status": "in_progress"}
    empty: Fields = {"message": {"content": []}, "reasoning": {"summary": []}}
    begun |= empty.get(item["type"], {"arguments": ""})
    place = {"output_index": index, "item_id": item["id"]}
    yield {"type": "response.output_item.added", "output_index": index, "item": begun}
    if item["type"] == "message":
        (part,) = item["content"]
        place["content_index"] = 0
        kind, name = "response.output_text", "text"
        if part["type"] == "refusal":
            kind, name = "response.refusal", "refusal"
        yield {"type": "response.content_part.added", **place, "part": {**part, name: ""}}
        for text in cut(part[name]):
            yield {"type": f"{kind}.delta", **place, "delta": text, "logprobs": []}
        yield {"type": f"{kind}.done", **place, "logprobs": [], name: part[name]}
        yield {"type": "response.content_part.done", **place, "part": part}
    elif item["type"] == "reasoning":
        for text in cut(item["summary"][0]["text"]):
            kind = "response.reasoning_summary_text.delta"
            yield {"type": kind, **place, "summary_index": 0, "delta": text}
    else:
        kind = "response.function_call_arguments"
        for text in cut(item["arguments"]):
            yield {"type": f"{kind}.delta", **place, "delta": text}
        written = {"name": item["name"], "arguments": item["arguments"]}
        yield {"type": f"{kind}.done", **place, **written}
    yield {"type": "response.output_item.done", "output_index": index, "item": item}


# -- Anthropic's Messages ------------------------------------------------------------------------


def anthropic_message(message: Fields) -> Fields | None:
    """Return the message, or `None` if its arguments are not an object."""
    content: list[Fields] = []
    if text := message.get("reasoning_content"):
        content.append({"type": "thinking", "thinking": text, "signature": "c2ln"})
    if text := message.get("content"):
        content.append({"type": "text", "text": text, "citations": None})
    for call in calls_of(message):
        try:
            given = json.loads(call["arguments"] or "{}")
        except ValueError:
            return None
        if not isinstance(given, dict):
            return None
        content.append({"type": "tool_use", "id": call["id"], "name": call["name"], "input": given})
    return {
        "id": "msg_1",
        "type": "message",
        "role": "assistant",
        "model": "claude-5",
        "content": content,
        "stop_reason": "tool_use" if calls_of(message) else "end_turn",
        "stop_sequence": None,
        "usage": {"input_tokens": 5, "output_tokens": 7},
    }


def anthropic_events(message: Fields) -> list[Fields]:
    whole = anthropic_message({"content": message.get("content")}) or {}
    begun = {**whole, "content": [], "stop_reason": None}
    begun["usage"] = {"input_tokens": 5, "output_tokens": 1}
    events: list[Fields] = [{"type": "message_start", "message": begun}]
    blocks: list[tuple[Fields, Sequence[Fields]]] = []
    if text := message.get("reasoning_content"):
        deltas = [{"type": "thinking_delta", "thinking": part} for part in cut(text)]
        deltas.append({"type": "signature_delta", "signature": "c2ln"})
        blocks.append(({"type": "thinking", "thinking": "", "signature": ""}, deltas))
    if text := message.get("content"):
        deltas = [{"type": "text_delta", "text": part} for part in cut(text)]
        blocks.append(({"type": "text", "text": "", "citations": None}, deltas))
    for call in calls_of(message):
        use = {"type": "tool_use", "id": call["id"], "name": call["name"], "input": {}}
        texts = ["", *cut(call["arguments"] or "")]
        blocks.append((use, [{"type": "input_json_delta", "partial_json": t} for t in texts]))
    for index, (block, deltas) in enumerate(blocks):
        place = {"index": index}
        events.append({"type": "content_block_start", **place, "content_block": block})
        events.append({"type": "ping"})
        events += ({"type": "content_block_delta", **place, "delta": delta} for delta in deltas)
        events.append({"type": "content_block_stop", **place})
    ended = {"stop_reason": "end_turn", "stop_sequence": None}
    return [
        *events,
        {"type": "message_delta", "delta": ended, "usage": {"output_tokens": 7}},
        {"type": "message_stop"},
    ]


# -- bytes ---------------------------------------------------------------------------------------


def sse(events: Sequence[Fields]) -> bytes:
    """Return *events* as server-sent events; those of Chat Completions have no names."""
    lines: list[str] = []
    for event in events:
        if "type" in event:
            lines.append(f"event: {event['type']}\n")
        lines.append(f"data: {json.dumps(event)}\n\n")
    if "type" not in events[0]:
        lines.append("data: [DONE]\n\n")
    return "".join(lines).encode()


def events_in(recorded: str) -> list[Fields]:
    """Return the *recorded* events, including those that clients hide."""
    data = [line[6:] for line in recorded.splitlines() if line.startswith("data: ")]
    return [json.loads(each) for each in data if each != "[DONE]"]
