"""How each kind of file is read, and what is reported if it cannot be read."""

import json
import random
import re
import signal
import subprocess
import sys
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from agent_runs.cli import files as _sources
from agent_runs.cli.shown_runs import HowToRead
from agent_runs.cli.trouble import Trouble

from ...helpers.command_line import BRIDGE, COMMAND, EXAMPLES, LAKE, MILL, command, parse
from ...helpers.effort import THOROUGH

RUN = "Question: {0}?\nThought: easy\nFinal Answer: {0}!\n"
RECORD = {"id": "a", "format": "react", "task": "a?", "steps": [{"output": "Final Answer: a!"}]}
AS_JSON = json.dumps(RECORD)


def write(path: Path, content: str | bytes) -> Path:
    path.write_bytes(content if isinstance(content, bytes) else content.encode())
    return path


def answers(*args: object, stdin: bytes = b"") -> list[str]:
    outcome = parse(*args, stdin=stdin)
    assert outcome.status == 0, outcome.stderr
    return [run["finish"]["return_values"]["output"] for run in outcome.runs]


def test_one_text_may_hold_several_runs(tmp_path: Path) -> None:
    path = write(tmp_path / "runs.txt", RUN.format("a") + RUN.format("b"))
    assert answers(path) == ["a!", "b!"]
    assert [run["record"] for run in parse(path).runs] == [1, 2]


@pytest.mark.parametrize("suffix", [".jsonl", ".ndjson", ".JSONL", ".json", ".data", ""])
def test_records_a_line_are_known_by_name_or_content(tmp_path: Path, suffix: str) -> None:
    path = write(tmp_path / f"runs{suffix}", f"\n{AS_JSON}\r\n\n{AS_JSON}\n")
    assert answers(path) == ["a!", "a!"]


@pytest.mark.parametrize("suffix", [".json", ".data", ""])
@pytest.mark.parametrize("indent", [None, 2])
def test_json_holds_a_record_or_a_list(tmp_path: Path, suffix: str, indent: int | None) -> None:
    path = tmp_path / f"runs{suffix}"
    assert answers(write(path, json.dumps(RECORD, indent=indent))) == ["a!"]
    assert answers(write(path, json.dumps([RECORD, RECORD], indent=indent))) == ["a!", "a!"]
    assert parse(path).runs[1]["record"] == 2


@pytest.mark.parametrize("content", [RUN.format("a"), AS_JSON, json.dumps([RECORD], indent=1)])
def test_standard_input_is_known_by_its_content(content: str) -> None:
    assert answers("-", stdin=content.encode()) == ["a!"]
    assert answers(stdin=content.encode()) == ["a!"]
    assert parse(stdin=content.encode()).run["file"] == "-"


@pytest.mark.parametrize("start", ["{", '{"a": 1}', "[1]", '{"steps": [] and', "[1461] The bridge"])
@pytest.mark.parametrize("suffix", [".txt", ".log", ".md", ".data", ""])
def test_a_text_may_begin_with_a_brace(tmp_path: Path, start: str, suffix: str) -> None:
    path = write(tmp_path / f"run{suffix}", f"{start}\nAction: f\nAction Input: {{}}\n")
    (step,) = parse(path, "--dialect", "react").run["steps"]
    assert (step["action"]["tool"], step["action"]["tool_input"]) == ("f", "{}")


def test_text_that_begins_like_json_is_reported_with_the_reason(tmp_path: Path) -> None:
    path = write(tmp_path / "run.data", '{\n"steps": [\n}')
    outcome = parse(path)
    assert outcome.status == 1
    assert (
        "found no run, and no known form of log, in this text, which is not JSON: "
        in outcome.stderr
    )
    assert "line 3, column 1" in outcome.stderr


@pytest.mark.parametrize("name", ["run.txt", "run.json", "run.jsonl", "run"])
def test_a_byte_order_mark_is_not_text(tmp_path: Path, name: str) -> None:
    text = RUN.format("a") if name == "run.txt" else AS_JSON
    path = write(tmp_path / name, b"\xef\xbb\xbf" + text.encode())
    assert answers(path) == ["a!"]
    assert parse(path).run["preamble"] == ""


def test_line_ends_of_windows_are_not_text(tmp_path: Path) -> None:
    path = write(tmp_path / "run.txt", RUN.format("a").replace("\n", "\r\n"))
    assert answers(path) == ["a!"]
    assert parse(path).run["question"] == "a?"


def test_files_are_read_in_order_and_named(tmp_path: Path) -> None:
    runs = parse(MILL, BRIDGE, "-", stdin=RUN.format("a").encode()).runs
    assert [run["file"] for run in runs] == [str(MILL), str(MILL), str(BRIDGE), "-"]


ADVICE = "; if the log has another encoding, such as cp1252 on Windows, pass it as --encoding"


def test_what_cannot_be_read_does_not_stop_the_rest(tmp_path: Path) -> None:
    wrong = write(tmp_path / "latin.txt", RUN.format("é").encode("latin-1"))
    (tmp_path / "empty").mkdir()
    outcome = parse(tmp_path / "missing.txt", tmp_path / "empty", wrong, BRIDGE)
    assert outcome.status == 1
    assert [run["file"] for run in outcome.runs] == [str(BRIDGE)]
    assert outcome.stderr.splitlines() == [
        f"{tmp_path / 'missing.txt'}: No such file or directory",
        f"{tmp_path / 'empty'}: Is a directory",
        f"{wrong}: not UTF-8: byte 0xe9 (line 1, column 11 of the file){ADVICE}",
        "not read: 3 files or records; read: 4 steps of 1 run",
    ]


def test_folders_and_patterns_stand_for_their_files(tmp_path: Path) -> None:
    for name in ("b.txt", "a.txt", ".c.txt"):
        write(tmp_path / name, RUN.format(name))
    assert answers(tmp_path) == ["a.txt!", "b.txt!"]
    assert answers(f"{tmp_path}/b*") == ["b.txt!"]


@pytest.mark.skipif(
    signal.getsignal(signal.SIGINT) == signal.SIG_IGN,
    reason="what this process starts ignores interrupts",
)
def test_one_file_is_followed_until_that_is_interrupted(tmp_path: Path) -> None:
    path = write(tmp_path / "log.txt", RUN.format("a"))
    outcome = parse("--follow", path, path)
    assert outcome.status == 2
    assert "only one file can be followed" in outcome.stderr
    arguments = [*COMMAND, "parse", "--follow", "--format", "jsonl", str(path)]
    with subprocess.Popen(arguments, stdout=subprocess.PIPE, stderr=subprocess.PIPE) as process:
        assert process.stdout is not None
        assert b"a!" in process.stdout.readline()
        with path.open("a") as file:
            file.write(RUN.format("b"))
        assert b"b!" in process.stdout.readline()
        process.send_signal(signal.SIGINT)
        assert process.wait(60) == 0


@pytest.mark.parametrize("name", ["no.txt", "no.json", "no"])
def test_an_invalid_utf8_byte_has_a_place(tmp_path: Path, name: str) -> None:
    path = write(tmp_path / name, "é\nüb\n".encode() + b"\xc3\xa4\xff")
    shown = f"{path}: not UTF-8: byte 0xff (line 3, column 2 of the file){ADVICE}\n"
    assert shown in parse(path).stderr


def test_a_damaged_record_does_not_stop_the_rest(tmp_path: Path) -> None:
    good = AS_JSON.encode()
    path = write(tmp_path / "runs.jsonl", b"\n".join([good, b'{"\xff"}', b'{"steps": 1,}', good]))
    outcome = parse(path)
    assert (outcome.status, [run["source"]["line"] for run in outcome.runs]) == (1, [1, 4])
    wrong_byte, not_json, total = outcome.stderr.splitlines()
    assert wrong_byte == f"{path}: not UTF-8: byte 0xff, column 3{ADVICE} (line 2 of the file)"
    assert not_json.startswith(f"{path}: not JSON: ")  # each version of Python has its own words
    assert not_json.endswith(" (line 3 of the file)")
    assert total == "not read: 2 files or records; read: 2 steps of 2 runs"


@pytest.mark.parametrize("encoding", ["utf-16", "utf-16-le", "latin-1"])
def test_another_encoding_is_read_or_reported_once(tmp_path: Path, encoding: str) -> None:
    text = AS_JSON.replace("a!", "é!")
    path = write(tmp_path / "runs.jsonl", (text + "\n").encode(encoding))
    outcome = parse(path)
    if encoding != "latin-1":  # its bytes show it
        assert outcome.run["finish"]["return_values"]["output"] == "é!"
    else:
        assert (outcome.status, outcome.runs) == (1, [])
        assert outcome.stderr.count(str(path)) == 1
    named = parse("--encoding", encoding, path)
    assert named.run["finish"]["return_values"]["output"] == "é!"
    assert parse("--encoding", "utf-99", path).status == 2


def test_a_bad_step_of_a_record_has_its_line_and_its_text(tmp_path: Path) -> None:
    steps = [
        {"output": "Final Answer: 1", "observation": {"output": "x"}},
        {"output": 'Thought: \U0001f9c0 "é"\tü\\\nHERE it fails'},
    ]
    record = json.dumps({"format": "react", "steps": steps})
    outcome = parse(write(tmp_path / "runs.jsonl", f"{AS_JSON}\n{record}\n"))
    assert outcome.status == 1
    assert outcome.stderr.startswith(
        f"{tmp_path / 'runs.jsonl'}:2: expected an Action or a Final Answer"
        " (run 2, which begins there; step 2)\n"
        "      | HERE it fails\n      | ^^^^^"
    )


def test_the_place_of_a_bad_step_in_a_text_is_of_the_file(tmp_path: Path) -> None:
    whole = "Thought: b\nAction: a\nAction Input: b\nObservation: c\n"
    bad = "Thought: x\nhmm\nObservation: y\n"
    run = f"Question: a\n{bad}{whole}  {bad}Thought: y\nAction: serch\nAction Input: a\n"
    path = write(tmp_path / "runs.txt", "\n\n" + RUN.format("é") + run)
    lines = Path(path).read_text(encoding="utf-8").split("\n")
    outcome = parse(path, "--dialect", "react", "--tools", "a,search")
    assert outcome.status == 1
    found = [
        (each["line"], each["column"], lines[each["line"] - 1][each["column"] - 1 :])
        for each in outcome.runs[1]["failed"]
    ]
    begin = lines.index("Question: a") + 1
    assert found == [
        (begin + 1, 1, "Thought: x"),
        (begin + 8, 1, "  Thought: x"),
        (begin + 12, 9, "serch"),
    ]
    for line, column, _ in found:
        shown = lines[line - 1].rstrip()
        assert f"{path}:{line}:{column}: " in outcome.stderr
        assert f"\n{line:>5} | {shown}\n" in outcome.stderr


def test_the_lines_of_a_report_are_of_the_file(tmp_path: Path) -> None:
    text = "\n\nQuestion: a\nThought: x\nhmm\nObservation: y\nThought: z\n"
    path = write(tmp_path / "l.log", text)
    page = command("report", path, "--dialect", "react").stdout
    assert re.findall(r'class="ap-sub">line (\d+)<', page) == ["4", "7"]


@pytest.mark.parametrize(
    ("record", "reason"),
    [
        ("5", "expected an object, found 5"),
        ("null", "expected an object, found null"),
        ("[]", "expected an object, found an empty list"),
        ("{}", "expected 'steps', a list with at least one step"),
        ('{"steps": [{}]}', "expected 'format', the name of a dialect"),
        ('{"format": ["react"], "steps": [{}]}', "expected 'format', the name of a dialect"),
        ('{"format": "r", "steps": [{}]}', "there is no dialect 'r'"),
        ('{"format": "react"}', "expected 'steps', a list with at least one step"),
        ('{"format": "react", "steps": [{}]}', "expected a string 'output' in step 1"),
        ('{"format": "react", "steps": [7]}', "expected a string 'output' in step 1"),
        ("[" * 100_000, "nested too deeply"),
        ("9" * 5_000, "JSON that cannot be read: Exceeds the limit"),
    ],
)
def test_what_is_wrong_with_a_record_is_said(tmp_path: Path, record: str, reason: str) -> None:
    path = write(tmp_path / "runs.jsonl", f"{AS_JSON}\n{record}\n{AS_JSON}\n")
    outcome = parse(path)
    assert (outcome.status, len(outcome.runs)) == (1, 2)
    assert f"{path}: {reason}" in outcome.stderr
    assert "(line 2 of the file)" in outcome.stderr


def test_deep_nesting_does_not_crash(tmp_path: Path) -> None:
    limit = sys.getrecursionlimit()
    for depth in range(limit - 150, limit, 5 if THOROUGH else 15):
        nested = "[" * depth + "]" * depth
        for record in (
            f'{{"steps": [{{"output": "Final Answer: 1", "observation": {nested}}}]}}',
            f'{{"format": "react", "steps": {nested}}}',
        ):
            outcome = parse(write(tmp_path / "run.json", record), "--dialect", "react")
            deep = "nested too deeply" in outcome.stderr
            assert deep or ("found no run" in outcome.stderr) or outcome.status == 0


def test_the_dialect_of_a_text_is_found_and_said() -> None:
    run = parse(LAKE).run
    assert run["dialect"] == run["source"]["dialect"] == "react_docstore"
    assert any("Action 1:" in reason for reason in run["source"]["evidence"])
    (run,) = parse(LAKE, "--dialect", "react").runs  # the option of the user takes precedence
    assert run["dialect"] == "react"


def test_prose_is_reported_to_have_no_steps(tmp_path: Path) -> None:
    path = write(tmp_path / "notes.txt", "The mill rests on Sunday.\n")
    said = parse(path).stderr
    assert (
        f"{path}: found no run, and no known form of log, in this text: the first line is" in said
    )
    assert "; `agent-parsers readers --why FILE` shows" in said
    assert f"{path}: found nothing to read\n" in parse(write(path, " \n")).stderr


def test_hostile_text_reaches_neither_screen_nor_decoder(tmp_path: Path) -> None:
    bad = "\x1b[2J\x9b31m\u202e[bold]x[/bold] :cheese: \ud800\u2028\x07"
    steps = [
        {"output": f"Thought: {bad}\nAction: {bad}\nAction Input: {bad}", "observation": bad},
        {"output": f"{bad} only"},
        {"output": f"Final Answer: {bad}"},
    ]
    record = {"id": bad, "format": "react", "task": bad, "steps": steps}
    path = write(tmp_path / "runs.jsonl", f"{json.dumps(record)}\n")
    for form in ("table", "json", "jsonl"):
        outcome = parse(path, "--format", form)
        seen = outcome.stdout + outcome.stderr
        assert outcome.status == 1
        assert not set(seen) & set("\x1b\x9b\x07\u202e\ud800\u2028")
        assert "[bold]x[/bold] :cheese:" in seen
    assert parse(path).run["question"] == bad
    assert len(parse(path, "--format", "jsonl").stdout.splitlines()) == 1


def test_a_file_may_have_any_name(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)  # the path of a long folder would be shortened
    path = write(Path("[red]\x1b[31m é.txt"), RUN.format("a"))
    assert parse(path).run["file"] == str(path)
    shown = parse(path, "--format", "table").stdout
    assert "[red]" in shown.replace("\n", "")
    assert "\x1b" not in shown
    assert parse("\0").stderr.splitlines()[0].endswith("embedded null byte")


def test_a_closed_standard_input_is_reported(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(_sources.sys, "stdin", None)
    (trouble,) = _sources.read_file("-", HowToRead(), lambda _: None)
    assert trouble == Trouble("-", "standard input is closed")


def test_two_lists_of_steps_in_one_record_are_refused(tmp_path: Path) -> None:
    good, bad = '{"output": "Final Answer: 1"}', '{"output": "no"}'
    record = f'{{"format": "react", "steps": [{bad}], "steps": [{good}, {bad}]}}'
    outcome = parse(write(tmp_path / "run.json", record))
    assert outcome.status == 1
    assert "JSON in which the key 'steps' appears twice in an object" in outcome.stderr


SEEDS = [path.read_bytes() for path in sorted(EXAMPLES.iterdir()) if path.is_file()]
PIECES = [b"{", b"[", b'"', b"\\", b"\n", b"\xff", b"\x00", b"\x1b[31m", b"Action:", b"\\ud800"]


def damaged(seed: int) -> bytes:
    """Return a file that once was an example."""
    rng = random.Random(seed)
    content = bytearray(rng.choice(SEEDS))
    for _ in range(rng.randrange(1, 12)):
        at = rng.randrange(len(content) + 1)
        stop = min(len(content), at + rng.choice([0, 0, 1, 3, 200]))
        content[at:stop] = rng.choice(PIECES)
    return bytes(content[: rng.choice([len(content), rng.randrange(len(content) + 1)])])


@pytest.mark.parametrize("suffix", [".txt", ".json", ".jsonl", ""])
def test_damaged_files_do_not_crash(tmp_path: Path, suffix: str) -> None:
    path = tmp_path / f"damaged{suffix}"
    for seed in range(20 if THOROUGH else 6):
        path.write_bytes(damaged(seed))
        form = ("table", "json", "jsonl")[seed % 3]
        outcome = parse(path, "--format", form)
        assert outcome.status in (0, 1)
        assert bool(outcome.stderr) == bool(outcome.status)
        if form != "table":
            assert isinstance(outcome.runs, list)


@given(content=st.binary(max_size=200))
@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
def test_arbitrary_bytes_do_not_crash(tmp_path: Path, content: bytes) -> None:
    path = write(tmp_path / "any.data", content)
    assert parse(path).status in (0, 1)
    assert parse(path, "--format", "table").status in (0, 1)
