"""The playground as a server on this machine, with nothing but the standard library."""

from __future__ import annotations

import sys
from collections.abc import Mapping
from http import HTTPStatus
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from importlib.resources import files
from typing import Final

from typing_extensions import override

from agent_serving.playground.answers import answer

PAGE_FILES: Final[Mapping[str, str]] = {
    "index.html": "text/html; charset=utf-8",
    "playground.css": "text/css; charset=utf-8",
    "playground.js": "text/javascript; charset=utf-8",
}
"""The files of the page, and the type of each."""

_LONGEST_REQUEST: Final = 1 << 20
"""Longest request that is read, in bytes."""
_MOST_DIGITS: Final = len(str(_LONGEST_REQUEST))
_TIMEOUT_S: Final = 10
_POLICY: Final = (
    "default-src 'none'; script-src 'self'; style-src 'self' 'unsafe-inline'; connect-src 'self';"
    " img-src data:; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"
)


class PlaygroundServer(ThreadingHTTPServer):
    """Serves the playground to this machine only; ``serve_forever`` runs it.

    Args:
        port: Where it listens; 0 takes any free port.

    Raises:
        OSError: The port is in use.
    """

    daemon_threads = True

    def __init__(self, port: int = 0) -> None:
        super().__init__(("127.0.0.1", port), _Handler)

    @property
    def url(self) -> str:
        """The address of the page."""
        return f"http://127.0.0.1:{self.server_port}/"

    @override
    def handle_error(self, request: object, client_address: object) -> None:
        """Report an error, unless the page was closed before its answer came."""
        if not isinstance(sys.exc_info()[1], ConnectionError):
            super().handle_error(request, client_address)  # type: ignore[arg-type]


class _Handler(BaseHTTPRequestHandler):
    """Answers one request a connection (HTTP/1.0), so that no rest of one is read as the next."""

    timeout = _TIMEOUT_S
    server_version = "agent-parsers"
    sys_version = ""

    def do_GET(self) -> None:
        name = self.path.partition("?")[0].removeprefix("/") or "index.html"
        if not self._is_from_here():
            self._refuse(HTTPStatus.FORBIDDEN, "this page works only at 127.0.0.1 or localhost")
        elif name not in PAGE_FILES:
            self._refuse(HTTPStatus.NOT_FOUND, "there is no such page")
        else:
            page = files("agent_serving.playground") / "page" / name
            self._send(HTTPStatus.OK, page.read_bytes(), PAGE_FILES[name])

    def do_POST(self) -> None:
        size = self.headers.get("Content-Length", "")
        if not self._is_from_here():
            self._refuse(HTTPStatus.FORBIDDEN, "this page works only at 127.0.0.1 or localhost")
        elif self.path != "/answer":
            self._refuse(HTTPStatus.NOT_FOUND, "there is no such page")
        elif self.headers.get_content_type() != "application/json":
            self._refuse(HTTPStatus.UNSUPPORTED_MEDIA_TYPE, "send application/json")
        elif not (size.isascii() and size.isdigit()):
            self._refuse(HTTPStatus.LENGTH_REQUIRED, "the Content-Length of the request is missing")
        elif len(size) > _MOST_DIGITS or int(size) > _LONGEST_REQUEST:
            what = f"the request is longer than {_LONGEST_REQUEST:,} bytes"
            self._refuse(HTTPStatus.REQUEST_ENTITY_TOO_LARGE, what)
        else:
            shown = answer(self.rfile.read(int(size)))
            self._send(HTTPStatus.OK, shown.encode(), "application/json")

    def _is_from_here(self) -> bool:
        """Return whether a browser asks for this address by its own name, and from this page.

        A page of another site can have its name resolve to this machine, or send requests to it.
        """
        assert isinstance(self.server, PlaygroundServer)
        port = self.server.server_port
        hosts = {f"127.0.0.1:{port}", f"localhost:{port}"}
        origin = self.headers.get("Origin")
        is_own = origin is None or origin.removeprefix("http://") in hosts
        return self.headers.get("Host") in hosts and is_own

    def _refuse(self, status: HTTPStatus, why: str) -> None:
        self._send(status, why.encode(), "text/plain; charset=utf-8")

    def _send(self, status: HTTPStatus, body: bytes, kind: str) -> None:
        self.send_response(status)
        self.send_header("Content-Type", kind)
        self.send_header("Content-Length", str(len(body)))
        self.send_header("Content-Security-Policy", _POLICY)
        self.send_header("X-Content-Type-Options", "nosniff")
        self.send_header("Referrer-Policy", "no-referrer")
        self.send_header("Cache-Control", "no-store")
        self.end_headers()
        self.wfile.write(body)

    @override
    def log_message(self, format: str, *args: object) -> None:
        """Log nothing: the address of a page may contain what the user typed."""
