"""Runs the command line in this process, in another process, or in a terminal."""

import fcntl
import json
import os
import pty
import struct
import subprocess
import sys
import termios
from collections.abc import Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from typing import IO, Any

import pytest
from typer.testing import CliRunner

from agent_parsers.cli.commands.app import app

ROOT = Path(__file__).parents[2]
EXAMPLES = ROOT / "examples"
CORPUS = ROOT.parent / "shared" / "corpus"
BRIDGE = EXAMPLES / "bridge_run.txt"
LAKE = EXAMPLES / "lake_run.txt"
MILL = EXAMPLES / "mill_runs.jsonl"

COMMAND = [sys.executable, "-m", "agent_parsers"]


def needs_corpus() -> Path:
    """Return the folder of the corpus; skip, or fail where it is required, if it is missing."""
    if not CORPUS.is_dir():
        if os.environ.get("CI") == "true":
            pytest.fail(f"{CORPUS} is missing")
        pytest.skip(f"{CORPUS} is not here")
    return CORPUS


@dataclass(frozen=True)
class Outcome:
    """The output and the exit code of a command."""

    status: int
    stdout: str
    stderr: str

    @property
    def runs(self) -> list[dict[str, Any]]:
        """The runs in the JSON output, which is a list or has one run per line."""
        if self.stdout.startswith("["):
            runs = json.loads(self.stdout)
            assert isinstance(runs, list)
            return runs
        return [json.loads(line) for line in self.stdout.splitlines()]

    @property
    def run(self) -> dict[str, Any]:
        """The only run in the output."""
        (run,) = self.runs
        return run


def command(*args: object, stdin: bytes = b"") -> Outcome:
    """Run the command in this process; any exception except its exit is an error."""
    result = CliRunner(env={"FORCE_COLOR": None}).invoke(
        app, list(map(str, args)), input=stdin, catch_exceptions=False, prog_name="agent-parsers"
    )
    return Outcome(result.exit_code, result.stdout, result.stderr)


def parse(*args: object, stdin: bytes = b"") -> Outcome:
    """Run ``agent-parsers parse``, which writes JSON if *args* have no other format."""
    has_format = {"--format", "--json"} & set(args)
    return command("parse", *args, *(() if has_format else ("--json",)), stdin=stdin)


def environment(**more: str) -> dict[str, str]:
    """Return an environment that finds the packages and does not request colours."""
    env = {key: value for key, value in os.environ.items() if key not in {"FORCE_COLOR", "COLUMNS"}}
    return env | {"PYTHONPATH": str(ROOT), "PYTHONUTF8": "1"} | more


def process(*args: object, stdin: bytes = b"", env: Mapping[str, str] | None = None) -> Outcome:
    """Run the command in another process, with pipes as its streams."""
    done = subprocess.run(
        [*COMMAND, *map(str, args)],
        input=stdin,
        capture_output=True,
        env=environment(**(env or {})),
        check=False,
        timeout=60,
    )
    return Outcome(done.returncode, done.stdout.decode(), done.stderr.decode())


def terminal(
    arguments: Sequence[object],
    *,
    columns: int = 80,
    stdin: bool = False,
    stdout: bool = True,
    stderr: bool = True,
    env: Mapping[str, str] | None = None,
) -> tuple[int, str, str]:
    """Run the command with some of its streams connected to a terminal.

    Returns:
        The exit code, the output to the terminal, and the output to the other streams.
    """
    ours, theirs = pty.openpty()
    fcntl.ioctl(theirs, termios.TIOCSWINSZ, struct.pack("HHHH", 40, columns, 0, 0))
    ran = subprocess.Popen(
        [*COMMAND, *map(str, arguments)],
        stdin=theirs if stdin else subprocess.DEVNULL,
        stdout=theirs if stdout else subprocess.PIPE,
        stderr=theirs if stderr else subprocess.PIPE,
        env=environment(TERM="xterm-256color", **(env or {})),
    )
    os.close(theirs)
    with ThreadPoolExecutor() as pool:  # a full pipe would block the command
        pipes = [pool.submit(_drain, stream) for stream in (ran.stdout, ran.stderr) if stream]
        seen = _drain(os.fdopen(ours, "rb", buffering=0))
        piped = b"".join(pipe.result() for pipe in pipes)
    return ran.wait(60), seen.decode().replace("\r\n", "\n"), piped.decode()


def _drain(stream: IO[bytes]) -> bytes:
    read = b""
    with stream:
        while True:
            try:
                chunk = stream.read(1 << 16)
            except OSError:  # the other side of a terminal is closed
                return read
            if not chunk:
                return read
            read += chunk
