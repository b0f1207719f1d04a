"""Logs that are still being written: pipes, and files that grow."""

from __future__ import annotations

import gzip
import io
import json
import lzma
import os
from threading import Event, Thread
from typing import TYPE_CHECKING, Any

import pytest

from agent_parsers import OutputParserException
from agent_runs import read_runs, sources

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from pathlib import Path

    from agent_parsers import Transcript

STEP = "Thought: I look.\nAction: search\nAction Input: fog\nObservation: nine days\n"
FIRST = f"Question: Which month?\n{STEP}Thought: I know.\nFinal Answer: November.\n"
SECOND = "\nQuestion: And the least?\nFinal Answer: July.\n"
PAUSE = ""


class Pieces(io.BytesIO):
    """A pipe through which *pieces* come; at a `PAUSE` nothing comes for a while."""

    def __init__(self, pieces: Sequence[str]) -> None:
        super().__init__()
        self._pieces = [*pieces]

    def wait(self, seconds: float | None) -> bool:
        """Wait for the next piece."""
        while self._pieces[:1] == [PAUSE]:
            if seconds is not None:
                return False
            del self._pieces[0]
        return True

    def peek(self, _size: int = 0, /) -> bytes:
        return self._pieces[0].encode() if self._pieces else b""

    def read1(self, _size: int | None = -1, /) -> bytes:
        return self._pieces.pop(0).encode() if self._pieces else b""


def read_live(pieces: Sequence[str], **options: Any) -> Iterator[Transcript]:
    """Read the runs that come in *pieces*."""
    pipe = Pieces(pieces)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(sources, "waiting_on", lambda _stream, **_: pipe.wait)
        yield from read_runs(pipe, **options)


def told(runs: Iterator[Transcript]) -> list[tuple[str, int, Any, int]]:
    return [(r.question, len(r.steps), r.output, r.source.line if r.source else 0) for r in runs]


def test_a_run_is_given_when_nothing_follows_its_answer() -> None:
    pieces = [FIRST, PAUSE, SECOND]
    runs = read_live(pieces)
    first = next(runs)
    assert first.output == "November."
    assert [notice.kind for notice in first.notices] == ["cut_value"]
    assert told(runs) == [("And the least?", 1, "July.", 9)]


@pytest.mark.parametrize("cut", range(1, FIRST.count("\n")))
def test_a_pause_within_a_run_does_not_end_it(cut: int) -> None:
    lines = FIRST.splitlines(keepends=True)
    pieces = ["".join(lines[:cut]), PAUSE, "".join(lines[cut:]), PAUSE, SECOND]
    assert told(read_live(pieces)) == told(read_runs(io.StringIO(FIRST + SECOND)))


def test_half_a_line_is_waited_for() -> None:
    pieces = [FIRST[:-5], PAUSE, FIRST[-5:], PAUSE, SECOND]
    assert told(read_live(pieces)) == told(read_runs(io.StringIO(FIRST + SECOND)))


def test_what_changes_a_given_run_is_an_error() -> None:
    runs = read_live([FIRST, PAUSE, "And December, too.\n"])
    assert next(runs).output == "November."
    with pytest.raises(OutputParserException, match=r"the log continues it \(line 1 of the file\)"):
        next(runs)


def test_each_error_is_told_once() -> None:
    failed: list[OutputParserException] = []
    lines = [json.dumps({"messages": [{"role": "user", "content": f"q{n}"},
                                      {"role": "assistant", "content": "a"}]})
             for n in range(3)]  # fmt: skip
    pieces = [f"{lines[0]}\n{{broken\n", PAUSE, f"{lines[1]}\n", PAUSE, f"{lines[2]}\n"]
    runs = told(read_live(pieces, on_error=failed.append))
    assert [run[0] for run in runs] == ["q0", "q1", "q2"]
    assert [run[3] for run in runs] == [1, 3, 4]
    assert len(failed) == 1


def test_a_log_without_a_run_is_an_error_at_its_end() -> None:
    with pytest.raises(OutputParserException, match="found no run"):
        list(read_live(["words\n", PAUSE, "more\n"]))


def test_a_pipe_gives_each_run_before_the_next_is_written() -> None:
    reading, writing = os.pipe()
    is_given = Event()

    def write() -> None:
        os.write(writing, FIRST.encode())
        is_given.wait(60)  # it would never be given if only the end of the log told it
        os.write(writing, SECOND.encode())
        os.close(writing)

    thread = Thread(target=write)
    thread.start()
    with os.fdopen(reading, "rb") as pipe:
        runs = read_runs(pipe)
        assert next(runs).output == "November."
        assert thread.is_alive()
        is_given.set()
        assert told(runs) == [("And the least?", 1, "July.", 9)]
    thread.join()


def test_a_file_that_grows_is_followed(tmp_path: Path) -> None:
    path = tmp_path / "agent.log"
    path.write_text(FIRST)
    runs = read_runs(path, follow=True)
    assert next(runs).output == "November."
    with path.open("a") as file:
        file.write(SECOND)
    assert next(runs).output == "July."


def test_a_folder_and_a_pattern_stand_for_their_files(tmp_path: Path) -> None:
    (tmp_path / "a").mkdir()
    (tmp_path / "a" / "one.log").write_text(FIRST)
    (tmp_path / "two.log").write_text(SECOND)
    (tmp_path / ".hidden.log").write_text(SECOND)
    assert [run.output for run in read_runs(tmp_path)] == ["November.", "July."]
    assert [run.output for run in read_runs(f"{tmp_path}/*/*.log")] == ["November."]
    (tmp_path / "b.txt").write_text("words\n")
    failed: list[OutputParserException] = []
    assert len(list(read_runs(str(tmp_path), on_error=failed.append))) == 2
    assert len(failed) == 1
    with pytest.raises(OutputParserException, match="found no run"):
        list(read_runs(tmp_path))


def test_a_pattern_without_files_is_a_text() -> None:
    with pytest.raises(OutputParserException, match="there is no file with this name"):
        list(read_runs("nowhere/*.log"))


def test_packed_logs_are_read_whatever_their_name(tmp_path: Path) -> None:
    path = tmp_path / "log"
    for pack in (gzip.compress, lzma.compress):
        path.write_bytes(pack(FIRST.encode()))
        assert told(read_runs(path)) == told(read_runs(FIRST))
    path.write_bytes(gzip.compress(FIRST.encode()) + gzip.compress(SECOND.encode()))
    assert len(list(read_runs(path))) == 2


def test_a_log_packed_by_zstd_is_read(tmp_path: Path) -> None:
    zstd = pytest.importorskip("zstandard", reason="no package unpacks zstd here")
    path = tmp_path / "log"
    path.write_bytes(zstd.compress(FIRST.encode()) + zstd.compress(SECOND.encode()))
    assert len(list(read_runs(path))) == 2


def test_zstd_says_what_to_install(monkeypatch: pytest.MonkeyPatch) -> None:
    def no_module(name: str) -> None:
        raise ImportError(name)

    monkeypatch.setattr("agent_runs.archives.import_module", no_module)
    with pytest.raises(OutputParserException, match=r"pip install backports\.zstd"):
        list(read_runs(b"\x28\xb5\x2f\xfd\x00\x00"))


def test_a_packed_log_that_was_cut_is_an_error_behind_its_runs() -> None:
    noise = os.urandom(1 << 17).hex()
    log = f"{FIRST}{SECOND * 2000}\nQuestion: {noise}\n"  # more than is looked at for its form
    packed = gzip.compress(log.encode())
    runs = read_runs(packed[:-1000])
    assert next(runs).output == "November."
    with pytest.raises(OutputParserException, match="broken or incomplete"):
        list(runs)
