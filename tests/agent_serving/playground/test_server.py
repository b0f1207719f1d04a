"""The playground as a server, and what it answers."""

import contextlib
import http.client
import io
import json
import signal
import socket
import struct
import subprocess
import threading
import time
from collections.abc import Iterator
from typing import Any
from urllib.request import urlopen

import pytest
from hypothesis import given
from hypothesis import strategies as st

from agent_laws import texts
from agent_parsers import Dialect, OutputParserException, get_parser, list_dialects
from agent_serving.playground.answers import LONGEST_TEXT, answer
from agent_serving.playground.server import PAGE_FILES, PlaygroundServer

from ...helpers.command_line import COMMAND, command
from ...helpers.stories import every_dialect

# The playground as a server: for this machine only.

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


# What the playground shows for its inputs.

VIEWS = ("reading", "events", "prompt", "grammar", "template", "python")
TURN = "Thought: hm\nAction: search\nAction Input: lakes"
CALL = '<tool_call>{"name": "f", "arguments": {}}</tool_call>'


def shown(**request: Any) -> Any:
    return json.loads(answer(json.dumps({"dialect": "react", "text": TURN, **request})))


def printed_by(code: str) -> str:
    printed = io.StringIO()
    with contextlib.redirect_stdout(printed):
        exec(compile(code, "shown", "exec"), {})
    return printed.getvalue()


def test_the_dialects_come_with_a_turn_that_can_be_read() -> None:
    rows = json.loads(answer('{"list": true}'))["dialects"]
    assert [row["name"] for row in rows] == list_dialects()
    for row in rows:
        assert get_parser(row["name"], lenient=False).read(row["text"]).result, row["name"]


def test_the_first_text_is_broken_and_read() -> None:
    first = json.loads(answer('{"list": true}'))
    it = shown(text=first["text"], tools=first["tools"], dialect="auto")
    assert (it["dialect"], it["is_error"]) == ("react", False)
    assert "trailing comma" in it["html"]


def test_a_dialect_is_found_and_the_time_is_that_of_the_parser() -> None:
    it = shown(text=CALL, dialect="auto")
    assert it["dialect"] == "hermes"
    assert 0 < it["parsed_us"] < 1e6
    assert "get_parser('hermes')" in shown(dialect="auto", view="python", text=CALL)["text"]
    assert "choose a dialect" in shown(dialect="auto", text="hello")["problem"]


@every_dialect
@given(data=st.data())
def test_every_view_has_something_to_show(dialect: Dialect, data: st.DataObject) -> None:
    text = data.draw(texts(dialect, "lenient"))
    view = data.draw(st.sampled_from(VIEWS))
    mode = data.draw(st.sampled_from(["lenient", "strict"]))
    it = shown(dialect=dialect.name, text=text, view=view, mode=mode, cuts=[1, 3, 10_000])
    assert it.keys() & {"html", "chunks", "text", "problem"}
    if view in ("reading", "events", "prompt", "python"):
        assert "problem" not in it


def test_a_stream_is_cut_where_it_is_asked_to() -> None:
    it = shown(view="events", cuts=[20, 3, 20, -1, 0, 999])
    assert [chunk["text"] for chunk in it["chunks"]] == [TURN[:3], TURN[3:20], TURN[20:], ""]
    names = [event["name"] for chunk in it["chunks"] for event in chunk["events"]]
    assert names[-1] == "ActionComplete"
    assert it["chunks"][0]["held"] == "Tho"
    assert "Thought:" in it["chunks"][0]["reason"]


def test_an_error_is_drawn_where_the_stream_ends() -> None:
    it = shown(view="events", tools="find, clock")
    assert "'search' is not one of the tools" in it["chunks"][-1]["error"]


@pytest.mark.parametrize("mode", ["strict", "lenient"])
@pytest.mark.parametrize("ended", ["unknown", "stop", "length"])
@pytest.mark.parametrize("tools", ["", "search, clock"])
def test_the_program_does_what_the_page_shows(mode: str, ended: str, tools: str) -> None:
    code = shown(view="python", mode=mode, ended=ended, tools=tools)["text"]
    parser = get_parser("react", tools=tools.split(", ") or None if tools else None)
    try:
        expected = str(parser.read(TURN, ended=ended).result)  # type: ignore[arg-type]
    except OutputParserException as error:
        expected = error.pointer()
    assert printed_by(code).startswith(expected)


def test_the_program_has_the_schemas_of_the_tools() -> None:
    properties = {"properties": {"n": {"type": "integer"}}}
    tools = json.dumps([{"name": "add", "parameters": {"type": "object", **properties}}])
    text = "<tool_call>\n<function=add>\n<parameter=n>\n5\n</parameter>\n</function>\n</tool_call>"
    it = shown(dialect="qwen3_coder", text=text, tools=tools, view="python")
    assert "{'n': 5}" in printed_by(it["text"])


def test_the_program_begins_where_the_turn_does() -> None:
    it = shown(dialect="qwen3", text="hm", start="thought", view="python")
    assert "{'output': 'hm'}" not in printed_by(it["text"])


@pytest.mark.parametrize(
    ("request_", "problem"),
    [
        ({"dialect": "reakt"}, "no dialect 'reakt'"),
        ({"tools": "[1"}, "EOF while parsing"),
        ({"tools": '["a", 3]'}, "not int"),
        ({"text": 3}, "expected text"),
        ({"text": "a" * (LONGEST_TEXT + 1)}, "at most 100,000 characters"),
        ({"cuts": ["a"]}, "cuts"),
        ({"view": "source"}, "view"),
        ({"more": 1}, "more"),
        ({"start": "middle"}, "start"),
    ],
)
def test_a_wrong_request_is_a_problem(request_: dict[str, Any], problem: str) -> None:
    assert problem in shown(**request_)["problem"]


@pytest.mark.parametrize("request_", ["", "nonsense", "[" * 100_000, b"\xff", "3", "null"])
def test_what_is_no_request_is_a_problem(request_: str | bytes) -> None:
    assert json.loads(answer(request_))["problem"]


def test_lone_surrogates_are_read() -> None:
    it = json.loads(
        answer('{"dialect": "react", "text": "Final Answer: \\ud800", "view": "events"}')
    )
    assert it["chunks"][0]["events"][-1]["said"] == '"\ud800"'
