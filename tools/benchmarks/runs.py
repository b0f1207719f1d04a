"""Measures how fast logs are read, how much memory that takes, and when the first run comes out.

Run ``python tools/benchmarks/runs.py [MEGABYTES]``; the default is 50. Each form is measured in a
process of its own, so that the memory is that of one log. Times are those of the processor. JSON is
beside what `json.loads` takes for the same lines, one after another. The last line says what the
first text file of a process takes, which has to find its form and its dialect.
"""

from __future__ import annotations

import json
import resource
import subprocess
import sys
import time
from itertools import count
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Final

from agent_runs import read_runs

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

MEGABYTES: Final = 50
TEXT: Final = """\
Question: Which ferry leaves pier {number} first?
Thought: The timetable of the lake has all departures of the day.
Action: timetable
Action Input: {{"pier": {number}, "day": "today"}}
Observation: 06:10 Meilen
06:40 Thalwil, on working days only
Thought: I know it now.
Final Answer: The one to Meilen, at ten past six.

"""


def text() -> Iterator[str]:
    return (TEXT.format(number=number) for number in count())


def under_prefixes() -> Iterator[str]:
    for run in text():
        yield "".join(f"2026-01-05 09:00:00,260 INFO agent {line}\n" for line in run.splitlines())


def console() -> Iterator[str]:
    """Yield runs as LangChain's executor prints them."""
    green, blue = "\x1b[32;1m\x1b[1;3m", "\x1b[36;1m\x1b[1;3m"
    for number in count():
        _, thought, *call, result, more, last, answer = TEXT.format(number=number).splitlines()[:8]
        said = "\n".join((thought.removeprefix("Thought:"), *call))
        seen = f"{result.removeprefix('Observation: ')}\n{more}"
        yield (
            "\n\n\x1b[1m> Entering new AgentExecutor chain...\x1b[0m\n"
            f"{green}{said}\x1b[0m\nObservation: {blue}{seen}\x1b[0m\n"
            f"Thought:{green}{last.removeprefix('Thought:')}\n{answer}\x1b[0m\n"
            "\n\x1b[1m> Finished chain.\x1b[0m\n"
        )


def long_messages() -> Iterator[str]:
    """Yield runs with a system message, four calls and long results, one a line."""
    line = "the ferry leaves pier two and goes on to the other side of the lake in winter"
    for number in count():
        said: list[object] = [
            {"role": "system", "content": f"{line}. " * 8},
            {"role": "user", "content": f"Which ferry leaves pier {number} first?"},
        ]
        for call in range(4):
            function = {"name": "timetable", "arguments": json.dumps({"pier": call, "q": line})}
            calls = [{"id": f"c{call}", "type": "function", "function": function}]
            said += (
                {"role": "assistant", "content": line, "tool_calls": calls},
                {"role": "tool", "tool_call_id": f"c{call}", "content": f"{line}\n" * 8},
            )
        said.append({"role": "assistant", "content": f"{line}. " * 4})
        yield f"{json.dumps({'messages': said})}\n"


def messages(number: int) -> str:
    function = {"name": "timetable", "arguments": json.dumps({"pier": number})}
    call = {"id": "c1", "type": "function", "function": function}
    said = [
        {"role": "user", "content": f"Which ferry leaves pier {number} first?"},
        {"role": "assistant", "content": "The timetable has it.", "tool_calls": [call]},
        {"role": "tool", "tool_call_id": "c1", "content": "06:10 Meilen\n06:40 Thalwil"},
        {"role": "assistant", "content": "The one to Meilen, at ten past six."},
    ]
    return json.dumps({"messages": said})


def json_lines() -> Iterator[str]:
    return (f"{messages(number)}\n" for number in count())


def json_list() -> Iterator[str]:
    yield f"[{messages(0)}"
    yield from (f", {messages(number)}" for number in count(1))


FORMS: Final[dict[str, tuple[Callable[[], Iterator[str]], str]]] = {
    "text": (text, ""),
    "text under prefixes": (under_prefixes, ""),
    "coloured console": (console, ""),
    "JSON, a run a line": (json_lines, ""),
    "JSON, long results": (long_messages, ""),
    "JSON, one list": (json_list, "]"),
}


def main() -> None:
    if len(sys.argv) == 3:
        measure(Path(sys.argv[2]))
        return
    megabytes = float(sys.argv[1]) if len(sys.argv) > 1 else MEGABYTES
    titles = f"{'runs':>9}{'runs/s':>9}{'MB/s':>7}{'json.loads':>12}{'first run':>11}{'memory':>9}"
    print(f"{'':22}{titles}")
    with TemporaryDirectory() as folder:
        (first_file := Path(folder) / "first").write_text(TEXT.format(number=1) * 4, "utf-8")
        for name, (pieces, end) in FORMS.items():
            path = Path(folder) / "log"
            write(path, pieces(), end, round(megabytes * 1e6))
            runs, seconds, first, kilobytes, floor = measured(path)
            ratio = f"{seconds / floor:.1f} x" if floor else ""
            print(
                f"{name:22}{runs:>9,}{runs / seconds:>9,.0f}{megabytes / seconds:>7.2f}{ratio:>12}"
                f"{first:>9.2f} s{kilobytes / 1024:>6.0f} MB"
            )
        print(f"first text file of a process: {measured(first_file)[1]:.2f} s")


def measured(path: Path) -> list[float]:
    """Return what `measure` prints in a process of its own."""
    done = subprocess.run(
        [sys.executable, __file__, "measure", str(path)], capture_output=True, text=True, check=True
    )
    found: list[float] = json.loads(done.stdout)
    return found


def write(path: Path, pieces: Iterator[str], end: str, size: int) -> None:
    with path.open("w", encoding="utf-8") as file:
        while size > 0:
            size -= file.write(next(pieces))
        file.write(end)


def measure(path: Path) -> None:
    """Read a log; print its runs, the seconds, those to the first run, KB, and `_floor`."""
    begun = time.process_time()
    first = 0.0
    runs = 0
    for _run in read_runs(path):
        runs += 1
        first = first or time.process_time() - begun
    seconds = time.process_time() - begun
    memory = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss
    print(json.dumps([runs, seconds, first, memory, _floor(path)]))


def _floor(path: Path) -> float:
    """Return the seconds that `json.loads` takes for the lines of a file; 0 if they are no JSON."""
    lines = path.read_bytes().splitlines()
    if len(lines) < 2 or not lines[0].startswith(b"{"):
        return 0.0
    begun = time.process_time()
    for line in lines:
        json.loads(line)
    return time.process_time() - begun


if __name__ == "__main__":
    main()
