"""The playground as a server: for this machine only."""

import contextlib
import http.client
import json
import signal
import socket
import struct
import subprocess
import threading
import time
from collections.abc import Iterator
from urllib.request import urlopen

import pytest

from agent_parsers.playground.server import PAGE_FILES, PlaygroundServer

from ...helpers.command_line import COMMAND, command

JSON = {"Content-Type": "application/json"}


@pytest.fixture(scope="module")
def server() -> Iterator[PlaygroundServer]:
    with PlaygroundServer() as server:
        thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01})
        thread.start()
        yield server
        server.shutdown()
        thread.join()


def ask(
    server: PlaygroundServer,
    method: str,
    path: str,
    body: bytes | None = None,
    headers: dict[str, str] | None = None,
) -> tuple[int, dict[str, str], bytes]:
    connection = http.client.HTTPConnection("127.0.0.1", server.server_port, timeout=5)
    try:
        connection.request(method, path, body, headers or {})
        reply = connection.getresponse()
        return reply.status, dict(reply.getheaders()), reply.read()
    finally:
        connection.close()


def test_the_page_and_its_files_are_served(server: PlaygroundServer) -> None:
    for name in ("", "?a=b", *PAGE_FILES):
        status, headers, body = ask(server, "GET", f"/{name}")
        assert status == 200
        assert body
        assert "default-src 'none'" in headers["Content-Security-Policy"]
    assert b'name="python" content="server"' in ask(server, "GET", "/")[2]


def test_it_answers(server: PlaygroundServer) -> None:
    request = json.dumps({"dialect": "react", "text": "Final Answer: 1", "view": "events"})
    status, _, body = ask(server, "POST", "/answer", request.encode(), JSON)
    assert status == 200
    assert json.loads(body)["chunks"]
    status, _, body = ask(server, "POST", "/answer", b"\xff", JSON)
    assert status == 200
    assert json.loads(body)["problem"]


@pytest.mark.parametrize(
    ("method", "path", "body", "headers", "status"),
    [
        ("GET", "/../answers.py", None, {}, 404),
        ("GET", "/%2e%2e/answers.py", None, {}, 404),
        ("GET", "/worker.js", None, {}, 404),
        ("GET", "/", None, {"Host": "evil.example"}, 403),
        ("POST", "/answer", b"{}", {**JSON, "Host": "evil.example:80"}, 403),
        ("POST", "/answer", b"{}", {**JSON, "Origin": "http://evil.example"}, 403),
        ("POST", "/answer", b"{}", {**JSON, "Origin": "null"}, 403),
        ("POST", "/answer", b"{}", {"Content-Type": "text/plain"}, 415),
        ("POST", "/other", b"{}", JSON, 404),
        ("POST", "/answer", b"", {**JSON, "Content-Length": "9999999"}, 413),
        ("POST", "/answer", b"", {**JSON, "Content-Length": "9" * 5_000}, 413),
        ("POST", "/answer", b"", {**JSON, "Content-Length": "-1"}, 411),
        ("DELETE", "/", None, {}, 501),
    ],
)
def test_it_refuses(
    server: PlaygroundServer,
    method: str,
    path: str,
    body: bytes | None,
    headers: dict[str, str],
    status: int,
) -> None:
    assert ask(server, method, path, body, headers)[0] == status


def send(server: PlaygroundServer, request: bytes) -> socket.socket:
    connection = socket.create_connection(("127.0.0.1", server.server_port), timeout=5)
    connection.sendall(request.replace(b"HOST", f"Host: 127.0.0.1:{server.server_port}".encode()))
    return connection


@pytest.mark.parametrize(
    "request_",
    [
        b"GET / HTTP/1.1\r\nHOST\r\nContent-Length: 30\r\n\r\n",
        (
            b"POST /answer HTTP/1.1\r\nHOST\r\nContent-Type: application/json\r\n"
            b"Content-Length: 2\r\nTransfer-Encoding: chunked\r\n\r\n{}"
        ),
    ],
)
def test_the_rest_of_a_request_is_no_other_request(
    server: PlaygroundServer, request_: bytes
) -> None:
    with send(server, request_ + b"GET / HTTP/1.1\r\nHOST\r\n\r\n") as connection:
        said = b""
        with contextlib.suppress(ConnectionResetError):  # by what is not read
            while chunk := connection.recv(1 << 16):
                said += chunk
    assert said.count(b"Content-Security-Policy") == 1


def test_a_page_that_is_closed_is_no_error(
    server: PlaygroundServer, capfd: pytest.CaptureFixture[str]
) -> None:
    head = b"POST /answer HTTP/1.1\r\nHOST\r\nContent-Type: application/json\r\n"
    connection = send(server, head + b"Content-Length: 100\r\n\r\n{")
    connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
    connection.close()  # with a reset
    assert b"playground.js" in urlopen(server.url, timeout=10).read()  # it comes after that
    ends = time.monotonic() + 5
    while any("process_request" in each.name for each in threading.enumerate()):
        assert time.monotonic() < ends
        time.sleep(0.01)
    assert not capfd.readouterr().err


def test_a_port_in_use_is_an_error(server: PlaygroundServer) -> None:
    with pytest.raises(OSError, match="in use"):
        PlaygroundServer(server.server_port)


def test_the_command_serves_until_it_is_interrupted() -> None:
    process = subprocess.Popen(
        [*COMMAND, "playground"],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        # Tests in the background of a shell ignore it.
        preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL),  # noqa: PLW1509 - takes no lock
    )
    assert process.stdout is not None
    address = process.stdout.readline().strip()
    assert b"playground.js" in urlopen(address, timeout=10).read()
    process.send_signal(signal.SIGINT)
    _, said = process.communicate(timeout=10)
    assert (process.returncode, said) == (130, "")


def test_the_command_says_that_a_port_is_in_use(server: PlaygroundServer) -> None:
    outcome = command("playground", "--port", server.server_port)
    assert outcome.status == 2
    assert "in use" in outcome.stderr
