"""A local server with scripted replies, in the wire formats of three APIs.

It implements OpenAI's Chat Completions and Responses APIs and Anthropic's Messages API, streamed or
not, so that a loop can be tried with the real client but without a model. It needs only the
standard library.
"""

from __future__ import annotations

import json
import select
import time
from dataclasses import dataclass, replace
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from threading import Thread
from typing import TYPE_CHECKING, Any, TypeAlias

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence
    from typing import Self

Json: TypeAlias = dict[str, Any]

PIECE = 6
"""Number of characters in each piece of a stream."""


@dataclass(frozen=True)
class Reply:
    """A reply of the model: text, and calls with their arguments as JSON text."""

    text: str = ""
    calls: Sequence[tuple[str, str]] = ()
    number: int = 0
    """Position in the script; it is part of the ids of the calls."""


class ScriptedServer(ThreadingHTTPServer):
    """Returns scripted replies, one for each request; use it in a ``with`` statement.

    Args:
        replies: The replies, in order.
        heeds_stop: Whether a text ends before a stop sequence, as with most servers.
        pause_s: Pause before each piece of a stream, in seconds.
    """

    daemon_threads = False  # leaving the `with` waits for the replies

    def __init__(
        self, replies: Sequence[Reply | str], *, heeds_stop: bool = True, pause_s: float = 0
    ) -> None:
        super().__init__(("127.0.0.1", 0), _Handler)
        self.replies = [Reply(each) if isinstance(each, str) else each for each in replies]
        self.heeds_stop = heeds_stop
        self.pause_s = pause_s
        self.url = f"http://127.0.0.1:{self.server_port}"
        self.requests: list[Json] = []
        """The requests so far."""
        self.ends: list[str] = []
        """How each reply ended."""

    def __enter__(self) -> Self:
        Thread(target=self.serve_forever, kwargs={"poll_interval": 0.01}).start()
        return self

    def __exit__(self, *error: object) -> None:
        self.shutdown()
        self.server_close()

    def reply_to(self, request: Json) -> Reply | None:
        """Return the next reply, or `None` if no reply is left."""
        number = len(self.requests)
        self.requests.append(request)
        if number >= len(self.replies):
            return None
        reply = replace(self.replies[number], number=number + 1)
        stops = request.get("stop") or request.get("stop_sequences") or ()
        ends = [at for stop in stops if (at := reply.text.find(stop)) >= 0]
        if not ends or not self.heeds_stop:
            return reply
        return replace(reply, text=reply.text[: min(ends)])


class _Handler(BaseHTTPRequestHandler):
    @property
    def script(self) -> ScriptedServer:
        """The server."""
        assert isinstance(self.server, ScriptedServer)
        return self.server

    def do_POST(self) -> None:
        """Answer a request."""
        request = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
        reply = self.script.reply_to(request)
        whole, pieces = _APIS[self.path]
        if reply is None:
            self._begin(400, "application/json")
            error = {"type": "invalid_request_error", "message": "the script is over"}
            self.wfile.write(json.dumps({"type": "error", "error": error}).encode())
        elif request.get("stream"):
            self._begin(200, "text/event-stream")
            self.script.ends.append(self._stream(pieces(reply)))
        else:
            self._begin(200, "application/json")
            self.wfile.write(json.dumps(whole(reply)).encode())
            self.script.ends.append("whole")

    def _begin(self, status: int, kind: str) -> None:
        self.send_response(status)
        self.send_header("Content-Type", kind)
        self.end_headers()

    def _stream(self, events: Iterable[Json]) -> str:
        """Send *events* until the client disconnects; return how the stream ended."""
        kind = ""
        for event in events:
            time.sleep(self.script.pause_s)
            if select.select([self.connection], [], [], 0)[0]:  # readable: the client disconnected
                return "the client left"
            kind = f"event: {event['type']}\n" if "type" in event else ""
            try:
                self.wfile.write(f"{kind}data: {json.dumps(event)}\n\n".encode())
            except ConnectionError:  # it disconnected just now
                return "the client left"
        if not kind:
            self.wfile.write(b"data: [DONE]\n\n")
        return "whole"

    def log_message(self, *args: object, **names: object) -> None:
        """Do not log requests."""


# -- POST /v1/chat/completions ---------------------------------------------------------------------


def _completion(reply: Reply) -> Json:
    message: Json = {"role": "assistant", "content": reply.text or None}
    if reply.calls:
        message["tool_calls"] = [_tool_call(reply, *each) for each in enumerate(reply.calls)]
    return _choice("chat.completion", _finish(reply), message=message)


def _chunks(reply: Reply) -> Iterator[Json]:
    deltas: list[Json] = [{"role": "assistant", "content": ""}]
    deltas += [{"content": piece} for piece in _pieces(reply.text)]
    for index, (name, arguments) in enumerate(reply.calls):
        calls = [{"index": index, **_tool_call(reply, index, (name, ""))}]
        calls += [
            {"index": index, "function": {"arguments": piece}} for piece in _pieces(arguments)
        ]
        deltas += [{"tool_calls": [call]} for call in calls]
    for delta in deltas:
        yield _choice("chat.completion.chunk", None, delta=delta)
    yield _choice("chat.completion.chunk", _finish(reply), delta={})


def _choice(kind: str, finish: str | None, **said: Json) -> Json:
    choice = {"index": 0, "finish_reason": finish, **said}
    return {"id": "1", "object": kind, "created": 0, "model": "scripted", "choices": [choice]}


def _finish(reply: Reply) -> str:
    return "tool_calls" if reply.calls else "stop"


def _tool_call(reply: Reply, index: int, call: tuple[str, str]) -> Json:
    function = {"name": call[0], "arguments": call[1]}
    return {"id": f"call_{reply.number}_{index}", "type": "function", "function": function}


# -- POST /v1/responses ----------------------------------------------------------------------------


def _response(reply: Reply) -> Json:
    return _response_of([item for item, _, _ in _items(reply)], "completed")


def _response_events(reply: Reply) -> Iterator[Json]:
    yield {"type": "response.created", "response": _response_of([], "in_progress")}
    items = list(_items(reply))
    for number, (item, kind, text) in enumerate(items):
        at = {"output_index": number, "item_id": item["id"]}
        empty: Json = {"content": []} if "content" in item else {"arguments": ""}
        begun = {**item, "status": "in_progress", **empty}
        yield {"type": "response.output_item.added", "output_index": number, "item": begun}
        for piece in _pieces(text):
            yield {"type": f"response.{kind}.delta", "content_index": 0, "delta": piece, **at}
        yield {"type": "response.output_item.done", "output_index": number, "item": item}
    done = _response_of([item for item, _, _ in items], "completed")
    yield {"type": "response.completed", "response": done}


def _items(reply: Reply) -> Iterator[tuple[Json, str, str]]:
    """Yield the items of a reply, each with the name of its events and the streamed text."""
    if reply.text:
        content = [{"type": "output_text", "text": reply.text, "annotations": []}]
        said = {"type": "message", "role": "assistant", "content": content}
        yield {"id": "msg_1", "status": "completed", **said}, "output_text", reply.text
    for index, (name, arguments) in enumerate(reply.calls):
        ids = {"id": f"fc_{index}", "call_id": f"call_{reply.number}_{index}"}
        call = {"type": "function_call", "name": name, "arguments": arguments, **ids}
        yield {"status": "completed", **call}, "function_call_arguments", arguments


def _response_of(output: list[Json], status: str) -> Json:
    about = {"id": "resp_1", "object": "response", "created_at": 0, "model": "scripted"}
    chosen = {"parallel_tool_calls": True, "tool_choice": "auto", "tools": []}
    return {**about, **chosen, "status": status, "output": output}


# -- POST /v1/messages -----------------------------------------------------------------------------


def _message(reply: Reply) -> Json:
    content: list[Json] = [{"type": "text", "text": reply.text}] if reply.text else []
    for index, (name, arguments) in enumerate(reply.calls):
        content.append(_tool_use(reply, index, name, json.loads(arguments)))
    return _around(content, _stop_reason(reply))


def _events(reply: Reply) -> Iterator[Json]:
    yield {"type": "message_start", "message": _around([], None)}
    blocks: list[tuple[Json, str, str, str]] = []
    if reply.text:
        blocks.append(({"type": "text", "text": ""}, "text_delta", "text", reply.text))
    for index, (name, arguments) in enumerate(reply.calls):
        begun = _tool_use(reply, index, name, {})
        blocks.append((begun, "input_json_delta", "partial_json", arguments))
    for index, (begun, kind, key, text) in enumerate(blocks):
        yield {"type": "content_block_start", "index": index, "content_block": begun}
        for piece in _pieces(text):
            delta = {"type": kind, key: piece}
            yield {"type": "content_block_delta", "index": index, "delta": delta}
        yield {"type": "content_block_stop", "index": index}
    ending = {"stop_reason": _stop_reason(reply), "stop_sequence": None}
    yield {"type": "message_delta", "delta": ending, "usage": {"output_tokens": 1}}
    yield {"type": "message_stop"}


def _around(content: list[Json], stop_reason: str | None) -> Json:
    return {
        "id": "msg_1",
        "type": "message",
        "role": "assistant",
        "model": "scripted",
        "content": content,
        "stop_reason": stop_reason,
        "stop_sequence": None,
        "usage": {"input_tokens": 1, "output_tokens": 1},
    }


def _stop_reason(reply: Reply) -> str:
    return "tool_use" if reply.calls else "end_turn"


def _tool_use(reply: Reply, index: int, name: str, given: Json) -> Json:
    call_id = f"toolu_{reply.number}_{index}"
    return {"type": "tool_use", "id": call_id, "name": name, "input": given}


def _pieces(text: str) -> list[str]:
    return [text[at : at + PIECE] for at in range(0, len(text), PIECE)]


_APIS = {
    "/v1/chat/completions": (_completion, _chunks),
    "/v1/responses": (_response, _response_events),
    "/v1/messages": (_message, _events),
}
