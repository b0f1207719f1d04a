"""The log of runs, a line of JSON for each request, as `agent_runs` reads it.

::

    {"request": {"model": "m", "messages": […], "tools": […]},
     "response": {"object": "chat.completion", "choices": […]}, "time": "2026-11-30T10:00:00Z"}

All faces are logged as Chat Completions. There are no headers, so no keys.
"""

from __future__ import annotations

import json
import logging
import os
from collections.abc import Callable, Mapping
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path
from typing import TYPE_CHECKING, Any, Final

from agent_serving.serve.exchange.events import ReplyCall, ReplyEnd, ReplyFailure, ReplyText
from agent_serving.serve.faces.chat_face import ChatFace, ChatWriter

if TYPE_CHECKING:
    from agent_serving.serve.answering import ReplyEvent
    from agent_serving.serve.exchange.events import Asked

_log: Final = logging.getLogger(__name__)

_KEPT: Final = frozenset(
    ("role", "type", "name", "id", "tool_call_id", "model", "object", "finish_reason", "time")
)
"""The texts that stay if the others are redacted."""
_NAMED: Final = ("error", "usage")
"""What stays as a whole."""


class RunLog:
    """Writes runs to a file that only its owner can read.

    Args:
        path: The file; runs are added to it.
        is_redacted: Whether texts, arguments and results are left out.

    Raises:
        OSError: The file cannot be written.
    """

    def __init__(self, path: str, *, is_redacted: bool = False) -> None:
        self._path: Final = Path(path)
        self._is_redacted: Final = is_redacted
        self._append("")
        self._path.chmod(0o600)  # also if it was there before

    def record(self, asked: Asked) -> Callable[[ReplyEvent | ReplyFailure], None]:
        """Return a function that takes the events of the replies to *asked* and writes the run."""
        writer = ChatWriter(replace(asked, include_usage=False))
        state = {"left": asked.count, "within": False}

        def take(event: ReplyEvent | ReplyFailure) -> None:
            if isinstance(event, ReplyFailure):
                if state["left"]:
                    state["left"] = 0
                    self._write(asked, ChatFace().error(event))
                return
            if not state["within"]:
                state["within"] = True
                writer.begin()
            match event:
                case ReplyText():
                    writer.say(event)
                case ReplyCall():
                    writer.call(event)
                case ReplyEnd():
                    writer.end(event)
                    state["within"] = False
                    state["left"] -= 1
                    if not state["left"]:
                        self._write(asked, writer.whole)

        return take

    def _write(self, asked: Asked, response: dict[str, Any]) -> None:
        head = [{"role": "system", "content": asked.system}] if asked.system else []
        messages = [*head, *asked.history]
        request = {"model": asked.model, "messages": messages, "tools": [*asked.tools]}
        line = {
            "request": request,
            "response": response,
            "time": datetime.now(UTC).isoformat(timespec="milliseconds"),
        }
        try:
            self._append(json.dumps(_redacted(line) if self._is_redacted else line) + "\n")
        except OSError as error:  # the client gets its reply, with or without a log
            _log.error("a run could not be written to %s: %s", self._path, error)

    def _append(self, text: str) -> None:
        opened = os.open(self._path, os.O_WRONLY | os.O_APPEND | os.O_CREAT, 0o600)
        try:
            os.write(opened, text.encode())
        finally:
            os.close(opened)


def _redacted(value: Any, name: str = "") -> Any:
    """Return a *value* in which texts are replaced by how long they are."""
    if name in _NAMED:
        return value
    if isinstance(value, Mapping):
        return {key: _redacted(each, key) for key, each in value.items()}
    if isinstance(value, list):
        return [_redacted(each, name) for each in value]
    if not isinstance(value, str) or name in _KEPT or not value:
        return value
    if name == "arguments":  # an object, so that the log stays one
        return json.dumps({"redacted": f"{len(value)} characters"})
    return f"[{len(value)} characters]"
