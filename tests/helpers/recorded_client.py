"""Real client libraries with recorded responses; nothing uses the network."""

import json
from collections.abc import Callable
from importlib import import_module
from typing import Any

from .wire import Fields, sse


class Recorded:
    """A transport that returns recorded responses.

    Args:
        library: The client library; its HTTP library is used.
    """

    def __init__(self, library: Any) -> None:
        bases = library.DefaultHttpxClient.__mro__
        kind = next(base for base in bases if base.__name__ == "Client")
        self._http = import_module(kind.__module__.partition(".")[0])
        self._body = b""
        self._type = ""

    def client(self, make: Callable[..., Any]) -> Any:
        """Return a client that uses this transport."""
        transport = self._http.MockTransport(self._answer)
        name = "AsyncClient" if make.__name__.startswith("Async") else "Client"
        http = getattr(self._http, name)(transport=transport)
        return make(api_key="none", base_url="http://test.invalid", http_client=http, max_retries=0)

    def whole(self, body: Fields) -> None:
        """Set the next response."""
        self._body, self._type = json.dumps(body).encode(), "application/json"

    def stream(self, events: list[Fields] | bytes) -> None:
        """Set the next response to a stream."""
        self._body = events if isinstance(events, bytes) else sse(events)
        self._type = "text/event-stream"

    def _answer(self, request: Any) -> Any:
        return self._http.Response(
            200, headers={"content-type": self._type}, content=self._body, request=request
        )
