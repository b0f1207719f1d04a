"""The command in a process of its own: pipes, terminals, signals, and a missing extra."""

import io
import json
import os
import re
import signal
import subprocess
import sys
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from agent_parsers.cli.screen import Screen
from agent_runs.cli.bar import ProgressBar

from ...helpers.command_line import (
    BRIDGE,
    COMMAND,
    MILL,
    ROOT,
    command,
    environment,
    process,
    terminal,
)

pytestmark = pytest.mark.one_in(2)  # each starts a process or more

RECORD = {"format": "react", "steps": [{"output": "Final Answer: a"}]}
LINE = json.dumps(RECORD).encode() + b"\n"
REACT = ("--dialect", "react")  # named where it does not matter how it is recognised
COLOUR = re.compile(r"\x1b\[[\d;]*m")


def plain(seen: str) -> str:
    return COLOUR.sub("", seen)


def test_people_read_the_same_in_a_terminal_and_in_a_pipe(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("COLUMNS", raising=False)
    status, seen, piped = terminal(["parse", BRIDGE, *REACT])
    assert (status, piped) == (0, "")
    assert "Question: Which of the two bridges" in plain(seen)
    assert command("parse", BRIDGE, *REACT).stdout == plain(seen)


def test_forced_colours_do_not_reach_json() -> None:
    outcome = process("parse", BRIDGE, *REACT, "--json", env={"FORCE_COLOR": "1"})
    assert len(outcome.runs) == 1


def test_no_color_is_heeded() -> None:
    _, seen, _ = terminal(["parse", BRIDGE, *REACT], env={"NO_COLOR": "1"})
    assert "\x1b[3" not in seen


@pytest.mark.parametrize("columns", [50, 80, 120])
def test_a_table_fits_the_terminal(columns: int) -> None:
    _, seen, _ = terminal(["parse", BRIDGE, MILL, *REACT], columns=columns)
    lines = plain(seen).splitlines()
    places = [line for line in lines if f"{MILL}:" in line]  # these are not broken up
    assert len(places) == 1
    assert all(len(line) <= columns for line in lines if line not in places)


def test_cells_are_cut_at_whole_words() -> None:
    _, seen, _ = terminal(["parse", BRIDGE, *REACT], columns=100)
    words = set(BRIDGE.read_text(encoding="utf-8").replace("\n", " ").split(" "))
    cut = [match[1] for match in re.finditer(r"(\S+) …", plain(seen))]
    assert cut
    assert set(cut) <= words


def test_on_one_screen_a_bad_step_is_reported_once() -> None:
    place = "mill_runs.jsonl:2:"
    status, seen, _ = terminal(["parse", MILL], columns=200)
    assert (status, plain(seen).count(place)) == (1, 1)
    _, seen, piped = terminal(["parse", MILL], columns=200, stderr=False)
    assert (plain(seen).count(place), piped.count(place)) == (1, 1)
    _, seen, piped = terminal(["parse", MILL, "--json"], columns=200, stdout=False)
    assert plain(seen).count(place) == 1
    assert len(json.loads(piped)) == 2


def test_without_a_file_a_terminal_gets_help_and_a_pipe_is_read() -> None:
    status, seen, _ = terminal(["parse"], stdin=True)
    assert status == 2
    assert "Usage: agent-parsers parse [OPTIONS]" in seen
    assert command("parse", "--json", stdin=LINE).run["finish"]["return_values"] == {"output": "a"}


def test_a_bar_shows_on_a_terminal_when_it_takes_long(tmp_path: Path) -> None:
    os.mkfifo(slow := tmp_path / "slow.jsonl")
    with ThreadPoolExecutor() as pool:
        pool.submit(write_slowly, slow)
        _, seen, piped = terminal(["parse", slow, "--format", "jsonl"], stdout=False)
    assert "reading " in plain(seen)
    assert "reading " not in piped
    assert len(piped.splitlines()) == 6
    assert "reading" not in terminal(["parse", MILL, "--format", "jsonl"], stdout=False)[1]


def test_a_bar_shows_while_runs_are_counted(tmp_path: Path) -> None:
    os.mkfifo(slow := tmp_path / "slow.jsonl")
    with ThreadPoolExecutor() as pool:
        pool.submit(write_slowly, slow)
        _, seen, _ = terminal(["parse", slow, "--summary"])
    assert "reading " in plain(seen)
    assert "Runs" in plain(seen)


def write_slowly(path: Path) -> None:
    with path.open("wb", buffering=0) as stream:
        for _ in range(6):
            stream.write(LINE)
            time.sleep(0.25)


def test_a_bar_shows_how_much_of_how_much(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TERM", "xterm")
    monkeypatch.setattr("agent_runs.cli.bar._PATIENCE_S", 0)
    monkeypatch.setattr("sys.stderr", seen := Tty())
    with ProgressBar(Screen(stderr=True), total=4_000_000) as bar:
        bar.advance(1_000_000)
        assert "1.0/4.0 MB" in seen.getvalue()
        bar.hide()
        bar.advance(1_000_000)
    assert "2.0/4.0 MB" in seen.getvalue()


def test_a_bar_is_for_terminals_only(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("FORCE_COLOR", "1")
    monkeypatch.setattr("agent_runs.cli.bar._PATIENCE_S", 0)
    monkeypatch.setattr("sys.stderr", seen := io.StringIO())
    with ProgressBar(Screen(stderr=True), total=None) as bar:
        bar.advance(1_000_000)
    assert seen.getvalue() == ""


class Tty(io.StringIO):
    def isatty(self) -> bool:
        return True


def test_records_a_line_come_out_as_they_come_in() -> None:
    with subprocess.Popen(
        [*COMMAND, "parse", "-", "--format", "jsonl"],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        env=environment(),
    ) as ran:
        assert ran.stdin is not None
        assert ran.stdout is not None
        for number in (1, 2, 3):
            ran.stdin.write(LINE * 20)  # their form is recognised by the first twenty
            ran.stdin.flush()
            assert json.loads(ran.stdout.readline())["record"] == number
        ran.stdin.close()
        assert ran.wait(30) == 0


@pytest.mark.parametrize("form", ["table", "json", "jsonl"])
def test_a_reader_that_has_enough_ends_it_quietly(tmp_path: Path, form: str) -> None:
    path = tmp_path / "many.jsonl"
    path.write_bytes(LINE * 3_000)
    with subprocess.Popen(
        [*COMMAND, "parse", str(path), "--format", form],
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        env=environment(),
    ) as ran:
        assert ran.stdout is not None
        assert ran.stderr is not None
        ran.stdout.readline()
        ran.stdout.close()
        assert ran.stderr.read() == b""
        assert ran.wait(30) == 141


def test_an_interrupt_ends_it_without_a_traceback() -> None:
    with subprocess.Popen(
        [*COMMAND, "parse", "-", "--format", "jsonl"],
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        env=environment(),
        # A process that a shell starts with & ignores interrupts, and so do its children.
        preexec_fn=lambda: signal.signal(signal.SIGINT, signal.SIG_DFL),  # noqa: PLW1509 - takes no lock
    ) as ran:
        assert ran.stdin is not None
        assert ran.stdout is not None
        assert ran.stderr is not None
        ran.stdin.write(LINE * 20)  # their form is recognised by the first twenty
        ran.stdin.flush()
        ran.stdout.readline()
        time.sleep(0.1)  # it waits for the next line now
        ran.send_signal(signal.SIGINT)
        assert ran.wait(30) == 130
        assert ran.stderr.read() == b""


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="no /dev/full on this system")
@pytest.mark.parametrize("args", [["parse", str(BRIDGE)], ["show", "react"], ["--version"]])
def test_a_full_disk_is_reported_in_one_line(args: list[str]) -> None:
    with Path("/dev/full").open("wb") as full:
        done = subprocess.run(
            [*COMMAND, *args], stdout=full, stderr=subprocess.PIPE, env=environment(), check=False
        )
    assert done.returncode == 1
    assert done.stderr == b"agent-parsers: cannot write: No space left on device\n"


def test_an_encoding_that_lacks_characters_is_not_an_error() -> None:
    env = {"PYTHONUTF8": "0", "PYTHONIOENCODING": "ascii"}
    assert process("parse", BRIDGE, *REACT, "--json", env=env).run["question"].count("ü") == 2
    outcome = process("parse", BRIDGE, *REACT, "--format", "table", env=env)
    assert outcome.status == 0
    assert "Untertorbr\\xfccke" in outcome.stdout


@pytest.mark.parametrize("missing", ["typer", "rich"])
def test_without_the_extra_a_line_says_how_to_get_it(tmp_path: Path, missing: str) -> None:
    (tmp_path / f"{missing}.py").write_text(f"raise ModuleNotFoundError(name={missing!r})")
    paths = os.pathsep.join([str(tmp_path), str(ROOT)])
    outcome = process("parse", BRIDGE, *REACT, env={"PYTHONPATH": paths})
    assert (outcome.status, outcome.stdout) == (1, "")
    assert outcome.stderr == (
        f"agent-parsers: the command line needs {missing};"
        ' install it with: pip install "agent-parsers[cli]"\n'
    )


def test_the_library_never_imports_the_command_line() -> None:
    code = (
        "import sys, agent_parsers, agent_parsers.__main__\n"
        "print(*{'typer', 'rich', 'click', 'agent_parsers.cli'} & sys.modules.keys())"
    )
    env = environment()
    assert subprocess.check_output([sys.executable, "-c", code], env=env, text=True) == "\n"


def modules_of(*args: object) -> set[str]:
    """Return the modules that the command loads."""
    ran = subprocess.run(
        [sys.executable, "-X", "importtime", *COMMAND[1:], *map(str, args)],
        stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, env=environment(), text=True, check=True,
    )  # fmt: skip
    lines = (line.rpartition("|") for line in ran.stderr.splitlines())
    return {name.strip() for head, _, name in lines if head.startswith("import time:")}


def test_the_help_comes_without_what_the_commands_do() -> None:
    loaded = modules_of("--help")
    assert {"typer", "agent_runs.cli.options"} <= loaded
    assert not {"pydantic", "rich", "regex", "agent_parsers.registry"} & loaded
    assert "agent_parsers.engine.tables" not in modules_of("parse", "--help")


def test_reading_a_short_text_loads_few_dialects_and_no_bar() -> None:
    loaded = modules_of("parse", BRIDGE)
    assert "agent_parsers.dialects.react" in loaded
    assert not {"agent_parsers.dialects.hermes", "rich.progress"} & loaded
