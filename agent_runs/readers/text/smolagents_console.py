r"""What the agents of smolagents print.

::

    ╭──────────────────── New run ────────────────────╮
    │                                                 │
    │ Which month has the most fog?                   │
    │                                                 │
    ╰─ InferenceClientModel - Qwen ───────────────────╯
    ━━━━━━━━━━━━━━━━━━━━━ Step 1 ━━━━━━━━━━━━━━━━━━━━━
    ╭─────────────────────────────────────────────────╮
    │ Calling tool: 'search' with arguments: {'q': 1} │
    ╰─────────────────────────────────────────────────╯
    Observations: November
    [Step 1: Duration 0.02 seconds]

A `CodeAgent` has code in place of a call, between ``─ Executing parsed code: ─`` and a line; then
``Execution logs:`` and ``Out:``. Versions 1.0 and 1.1 print it in a box, with a number before each
line. All end with ``Final answer:``. Text is wrapped at the width of the console, and each ``[`` of
an observation is printed as ``|``. The text of the model is shown with ``verbosity_level=2`` only.
A managed agent has its own ``New run - NAME`` inside a step. All these boxes and lines are as wide
as the console; others are text.

Source: `smolagents/agents.py` and `smolagents/monitoring.py` (1.0, 1.1, 1.26).
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from typing import Any, Final

from agent_runs.readers.text.around import Around
from agent_runs.readers.text.boxes import Box, Loose, read_boxes
from agent_runs.reading.building import RunBuilder
from agent_runs.reading.reader import Lines, Reading, Runs, TextReader
from agent_runs.reading.reprs import value_of_repr
from agent_runs.splitting.ansi import without_codes
from agent_runs.splitting.wrapping import cells, joined

_CODE_TOOL: Final = "python_interpreter"
"""The name that the memory of a `CodeAgent` has for its code."""

_SIGN: Final = re.compile(r"(?m:^)[ \t]*(?:[╭┌]─+ New run(?: - [^\n]*?)? ─+[╮┐]|━+ Step \d+ ━+)")
_RUN: Final = re.compile(r"New run(?: - .*)?")
_STEP: Final = re.compile(r"━+ Step \d+ ━+")
_END_OF_STEP: Final = re.compile(r"\[Step \d+: Duration [\d.]+ seconds[^\n]*\]")
_DURATION: Final = re.compile(r"\[Step \d+: Duration(?: [\d.]+(?: [^\]]*)?)?")
"""The end of a step that may go on in the next line, since narrow consoles wrap it too."""
_MAX_WRAPPED: Final = 5
_CODE_TITLE: Final = re.compile(r"Executing (?:parsed|this) code:")
_CODE: Final = re.compile(rf" ─ {_CODE_TITLE.pattern} ─+ *")
_NUMBER: Final = re.compile(r" *1 ")
"""The number of the first line of code in a box, with the spaces around it."""
_END_OF_CODE: Final = re.compile(r" ─+ *")
_SAID: Final = re.compile(r"Output message of the LLM: ─+")
_CALL: Final = re.compile(
    r"Calling tool: '(?P<tool>[^\n]*?)' with arguments: (?P<args>.*)", re.DOTALL
)
_OBSERVATIONS: Final = "Observations: "
_ANSWER: Final = re.compile(r"(?m:^)(?:Out - )?Final answer: ?")
_OUT: Final = re.compile(r"(?m:^)Out: ")
_PRINTED: Final = re.compile(r"(?:Out - )?Final answer: |Out: |Execution logs:")
_CODE_BEGINS: Final = re.compile(r"<code>|(?m:^)(?:Code:\s*)?```|(?m:^)Action:")
_LIMIT: Final = "Reached max steps."


def _evidence(head: str) -> Sequence[str]:
    found = _SIGN.search(without_codes(head))
    return (f"{found[0].strip(' ╭╮┌┐─━')!r} in a frame of smolagents",) if found else ()


def _read(lines: Lines, reading: Reading) -> Runs:
    console = _Console(reading)
    for part in _with_whole_ends(read_boxes(lines)):
        if isinstance(part, Box):
            yield from console.take_box(part)
        else:
            yield from console.take_line(part)
    yield from console.close()


def _with_whole_ends(parts: Iterable[Box | Loose]) -> Iterator[Box | Loose]:
    """Yield *parts*, with the lines of each wrapped end of a step joined."""
    held: list[Loose] = []
    for part in parts:
        if not isinstance(part, Loose) or not (held or _DURATION.fullmatch(part.text.strip())):
            yield from held
            held = []
            yield part
            continue
        held.append(part)
        text = " ".join(line.text.strip() for line in held)
        if _END_OF_STEP.fullmatch(text):
            yield Loose(text, held[0].line)
            held = []
        elif not _DURATION.fullmatch(text) or len(held) > _MAX_WRAPPED:
            yield from held
            held = []
    yield from held


@dataclass
class _Run:
    """A run that is being read."""

    run: RunBuilder
    lines: list[str] = field(default_factory=list)
    """The lines since the last frame."""
    line: int = 0
    """The line of the file where they begin."""
    inside: str = ""
    """What the lines are: ``"code"`` or ``"said"``; empty for what was printed."""
    calls: int = 0
    """Number of calls in the step that wait for their results."""
    is_final: bool = False
    """Whether the step calls `final_answer`."""
    is_code: bool = False
    """Whether the step runs code."""
    is_over: bool = False
    is_altered: bool = False


class _Console:
    """The runs that are open: each is one of an agent that the next one works for."""

    def __init__(self, reading: Reading) -> None:
        self._reading = reading
        self._runs: list[_Run] = []
        self._width = 80
        self._around = Around()

    def take_box(self, box: Box) -> Runs:
        """Process a box, and yield the runs that end there."""
        text = box.text()
        is_own = not self._runs or box.width == self._width
        if is_own and _RUN.fullmatch(box.title):
            yield from self._begin(box, text)
            return
        if is_own and _CODE_TITLE.fullmatch(box.title) and (code := _code_in(box)) is not None:
            self._width = box.width
            now = self._now(box.line)
            self._take_text(now)
            now.is_altered |= code.count("\n") + 1 < len(box.lines)
            _call_code(code, now)
            return
        call = _CALL.fullmatch(text)
        if call is None or not is_own:
            for number, line in enumerate(box.drawn, box.line):
                yield from self.take_line(Loose(line, number))
            return
        if not self._runs:
            self._width = box.width
        now = self._now(box.line)
        self._take_text(now)
        if call["tool"] == "final_answer":
            now.is_final = True
            return
        now.is_altered |= box.is_wrapped
        now.run.call(call["tool"], _input_of(call["args"], box))
        now.calls += 1

    def _begin(self, box: Box, question: str) -> Runs:
        """Begin the run of *box*, and yield those that are over."""
        self._width = box.width
        while self._runs and not self._runs[-1].calls:
            yield from self._end()
        if not self._runs:
            yield from self._around.release()
        run = RunBuilder(self._reading.at(box.line), name=box.title[len("New run - ") :])
        run.ask(question)
        self._runs.append(_Run(run, is_altered=box.is_wrapped))

    def take_line(self, loose: Loose) -> Runs:
        """Process a line outside of all boxes, and yield the runs that end there."""
        text = loose.text
        bare = text.strip()
        is_step = _STEP.fullmatch(bare) is not None
        is_step = is_step and (not self._runs or cells(bare) == self._width)
        if not self._runs and not is_step:
            self._around.put(f"{text}\n", loose.line)
            return
        now = self._now(loose.line)
        if now.inside == "code" and not _END_OF_CODE.fullmatch(text):
            now.lines.append(text)
        elif _END_OF_STEP.fullmatch(bare):
            self._take_text(now)
            now.calls = 0
            now.is_final = now.is_code = False
            if now.is_over:
                yield from self._end()
        elif is_step:
            self._take_text(now)
            self._width = cells(bare)
        elif _CODE.fullmatch(text):
            self._take_text(now)
            now.inside = "code"
        elif now.inside == "code":
            self._take_code(now)
        elif _SAID.fullmatch(bare):
            self._take_text(now)
            now.inside = "said"
        elif bare == _LIMIT:
            self._take_text(now)
            now.is_over = True
        else:
            now.line = now.line if now.lines else loose.line
            now.lines.append(text)

    def close(self) -> Runs:
        """Process the end of the log, and yield the last runs."""
        while self._runs:
            yield from self._end()
        yield from self._around.release()

    def _now(self, line: int) -> _Run:
        if not self._runs:  # the log was cut before its question
            self._runs.append(_Run(RunBuilder(self._reading.at(line))))
        return self._runs[-1]

    def _end(self) -> Runs:
        now = self._runs.pop()
        self._take_text(now)
        if now.is_altered:
            message = "lines are wrapped, and '[' is printed as '|': both are inferred, or kept"
            now.run.notice("altered_text", message, step=0)
        yield from self._around.hold(now.run)

    def _take_code(self, now: _Run) -> None:
        lines = [line[2:].rstrip() for line in now.lines]
        code = joined(lines, self._width - 4)
        now.is_altered |= code.count("\n") + 1 < len(lines)
        now.lines, now.inside = [], ""
        _call_code(code, now)

    def _take_text(self, now: _Run) -> None:
        """Take the lines since the last frame."""
        if now.inside == "code":
            self._take_code(now)
            return
        lines, inside = [line.rstrip() for line in now.lines], now.inside
        now.lines, now.inside = [], ""
        text = joined(lines, self._width, begins=_PRINTED.match)
        if not text.strip():
            return
        now.is_altered |= text.count("\n") + 1 < len("\n".join(lines).strip("\n").split("\n"))
        if inside == "said":
            said = text[: found.start()] if (found := _CODE_BEGINS.search(text)) else text
            now.run.think(said.strip().removeprefix("Thought:"))
            return
        answer = None
        if now.is_final or now.is_code or not now.calls:
            text, answer = _split_answer(text, is_repeated=now.is_final)
        seen = text.removeprefix(_OBSERVATIONS.rstrip()).removeprefix(" ")
        now.is_altered |= not now.is_code and "|" in seen
        if now.calls == 1:
            now.run.observe_more(seen if seen.strip() or answer is None else answer)
            now.calls = 0
        elif text.strip() and (now.calls or not now.is_final):
            what = "a result without its call" if now.calls else "text outside of the steps"
            now.run.notice("unowned_text", f"found {what}", text=text, line=now.line)
        if answer is not None:
            now.run.answer(answer)
            now.is_over = True


def _call_code(code: str, now: _Run) -> None:
    now.run.call(_CODE_TOOL, code)
    now.calls += 1
    now.is_code = True


def _code_in(box: Box) -> str | None:
    """Return the code in *box*, whose lines have numbers; `None` if they have none.

    What goes on in the next line, since it was too long, has no number there.
    """
    rows = [line[1:-1].rstrip() for line in box.lines]
    number = _NUMBER.match(f"{rows[0]} ") if rows else None
    if number is None:
        return None
    begin = number.end()
    wrapped: list[list[str]] = []
    for row in rows:
        shown, code = row[:begin].strip(), row[begin:]
        if shown == str(len(wrapped) + 1):
            wrapped.append([code])
        elif not shown:
            wrapped[-1].append(code)
        else:
            return None
    width = box.width - 4 - begin
    return "\n".join(joined(lines, width, has_breaks=False) for lines in wrapped)


def _input_of(shown: str, box: Box) -> Any:
    """Return the input that is *shown* in *box*: an object, or a text."""
    if not shown.startswith("{"):
        return shown
    whole = _CALL.fullmatch(box.text(has_breaks=False))  # the repr of an object is one line
    for text in (shown, whole["args"] if whole else ""):
        with suppress(ValueError):
            return value_of_repr(text)
    return shown


def _split_answer(text: str, *, is_repeated: bool) -> tuple[str, str | None]:
    """Return what a last step printed before its answer, and the answer; `None` if it has none.

    An answer that *is_repeated* is printed before too, as an observation.
    """
    found = list(_ANSWER.finditer(text))
    for answer in found if is_repeated else ():
        before, said = text[: answer.start()].strip(), text[answer.end() :].strip()
        if before.removeprefix(_OBSERVATIONS).strip() == said.replace("[", "|"):
            return "", said
    # What code prints may look like an answer. Without an answer, the value of the code follows.
    if not found or _OUT.search(text, found[-1].end()):
        return text, None
    return text[: found[-1].start()], text[found[-1].end() :]


READER: Final = TextReader(
    name="smolagents_console",
    summary="console of smolagents (1.0 to 1.26): agents with calls or code, in colours or not",
    evidence=_evidence,
    read=_read,
    signs=("─ new run", "━ step "),
)
