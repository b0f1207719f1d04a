r"""The panels that Agno prints with ``agent.print_response``.

::

    ┏━ Message ━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━┓
    ┃                                           ┃
    ┃ Which month has the most fog?             ┃
    ┃                                           ┃
    ┗━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━┛
    ┏━ Tool Calls ━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━┓
    ┃                                           ┃
    ┃ • search(query=fog, month=None)           ┃
    ┃                                           ┃
    ┗━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━━┛
    ┏━ Response (0.8s) ━━━━━━━━━━━━━━━━━━━━━━━━━┓

A run begins with ``Message``, and ends with ``Response``; with ``show_message=False`` it begins
behind the last ``Response``. Arguments are shown without quotation marks, and results not at all.
``Response`` has all that the model said, also before its calls, and nothing between: if there were
calls, it is left out, with a notice, since nobody can tell where the answer begins in it, unless
``debug_mode`` logs the messages too (`agno_debug`).

Source: `agno/utils/print_response/agent.py`, `team.py` and `agno/utils/response.py` (3.1).
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from itertools import takewhile
from typing import Final

from agent_parsers import OutputParserException
from agent_runs.readers.text.agno_debug import Logged, begins_record, turns_in
from agent_runs.readers.text.around import Around
from agent_runs.readers.text.boxes import Box, Loose, read_boxes
from agent_runs.reading.building import RunBuilder
from agent_runs.reading.parts import may_call
from agent_runs.reading.reader import Lines, NumberedLines, Reading, Runs, TextReader, line_of
from agent_runs.splitting.ansi import without_codes
from agent_runs.splitting.wrapping import joined

_SIGN: Final = re.compile(
    r"(?:^|┛)┏━ (Message|Tool Calls|(?:Response|Thinking) \(\d+\.\ds\)) ━+┓$", re.MULTILINE
)
_FRAMES: Final = frozenset(("Citations", "Memories", "Session Summary"))
"""Titles of panels that say nothing of a run."""
_THOUGHT: Final = re.compile(r"Reasoning step \d+|Thinking \(\d+\.\ds\)")
_CALLS: Final = frozenset(("Tool Calls", "Team Tool Calls"))
_RESPONSE: Final = re.compile(r"Response \(\d+\.\ds\)")
_CALL: Final = re.compile(r"• (?P<tool>[\w.:-]+)\((?P<args>.*)\)", re.DOTALL)
_NEXT_CALL: Final = re.compile(r"(?<=\))\n(?=• [\w.:-]+\()")
_BEGINS_CALL: Final = re.compile(r"• [\w.:-]+\(").match
_COMPRESSED: Final = re.compile(r"\n\ncompressed: \d+ \| Saved: [^\n]*\Z")
_NAME: Final = re.compile(r"(?:\A|, )(\w+)=")
_OPENERS: Final = ("[", "{")
_OTHERS: Final = re.compile(r"[\W_]+")
_LIVE: Final = "\x1b[?25l"
"""Hides the cursor, while panels are drawn again and again."""
_STILL: Final = "\x1b[?25h"
_UP: Final = "\x1b[1A"
_ERASED: Final = "\x1b[2K"
_WHOLE: Final = "Give the whole log, or one written with debug_mode."


def _evidence(head: str) -> Sequence[str]:
    found = _SIGN.search(without_codes(head))
    return (f"a panel with the title {found[1]!r} in line {line_of(found)}",) if found else ()


def _read(lines: Lines, reading: Reading) -> Runs:
    around = Around()
    panels: list[Box] = []
    loose: list[Loose] = []
    for part in read_boxes(NumberedLines(_drawn(lines))):
        is_message = isinstance(part, Box) and part.title == "Message"
        if panels and (is_message or _RESPONSE.fullmatch(panels[-1].title)):
            yield from around.hold(_run(panels, loose, around, reading))
            panels, loose = [], []
        if not isinstance(part, Box):
            loose.append(part)
        elif part.title not in _FRAMES:
            panels.append(part)
    if panels:
        yield from around.hold(_run(panels, loose, around, reading))
        loose = []
    for line in loose:
        around.put(f"{line.text}\n", line.line)
    yield from around.release()


def _drawn(lines: Lines) -> Iterator[tuple[int, str]]:
    """Yield *lines* with their numbers, without those that a terminal draws over.

    A panel begins a line, though a file may have no line end before it.
    """
    held: list[tuple[int, str]] = []
    is_live = False
    for raw in lines:
        line = raw
        is_live = is_live or _LIVE in line
        if is_live and _ERASED in line:
            held = held[: len(held) - line.count(_UP)]
            line = line.rpartition(_ERASED)[2]
        before, corner, after = line.partition("┛")
        if "┏━" in after:
            held.append((lines.number - 1, f"{before}{corner}\n"))
            line = after
        held.append((lines.number - 1, line))
        is_live = is_live and _STILL not in raw
        if not is_live:
            yield from held
            held = []
    yield from held


def _run(
    panels: Sequence[Box], loose: Sequence[Loose], around: Around, reading: Reading
) -> RunBuilder:
    """Return the run in *panels*, between which are *loose* lines."""
    run = RunBuilder(reading.at(panels[0].line))
    turns = turns_in(loose)
    if not _agree(panels, turns):
        turns = []
    calls = _calls_of(turns)
    for line in takewhile(lambda line: not (turns and begins_record(line.text)), loose):
        around.put(f"{line.text}\n", line.line)
    for box in panels:
        text = box.text(padding=1)
        if box.title == "Message":
            run.ask(text)
        elif _THOUGHT.fullmatch(box.title):
            run.think(text)
        elif box.title in _CALLS:
            _add_calls(box, calls, run)
        elif not _RESPONSE.fullmatch(box.title):
            _leave_out(box, text, run)
        elif turns and not turns[-1].tools:
            _note_end(turns[-1], "the answer", run)
            run.answer(turns[-1].text, log=turns[-1].text)
        elif not turns and not run.is_begun:
            run.answer(text, log=text)
        elif not turns and text.strip():
            message = "the panel of the answer also contains what the model said before the calls"
            run.notice("unclear_end", message, text=text, line=box.line, step=0)
        if not box.is_whole:
            run.notice("cut_value", f"the log cuts the panel {box.title!r} short", line=box.line)
    if any(box.is_wrapped for box in panels):
        message = "the panels wrapped long lines; spaces and line breaks are inferred"
        run.notice("altered_text", message, step=0)
    return run


def _agree(panels: Sequence[Box], turns: Sequence[Logged]) -> bool:
    """Return whether the messages that are logged are those that the panels show."""
    asked = [turn.text for turn in turns if turn.role == "user"]
    said = [turn.text for turn in turns if turn.role == "assistant"]
    shown = [call for box in panels if box.title in _CALLS for call in _shown_calls(box)]
    found = [_CALL.match(call) for call in shown]
    return (
        bool(said)
        and turns[-1].role == "assistant"
        and [tool for turn in turns for tool in turn.tools]
        == [each and each["tool"] for each in found]
        and _letters("".join(said)) == _letters(panels[-1].text(padding=1))
        and all(
            asked and _letters(asked[-1]) == _letters(box.text(padding=1))
            for box in panels
            if box.title == "Message"
        )
    )


def _letters(text: str) -> str:
    """Return what of *text* is the same however it is wrapped, and rendered as Markdown."""
    return _OTHERS.sub("", text)


def _calls_of(turns: Sequence[Logged]) -> Iterator[tuple[str, str, Logged | None]]:
    """Yield the text before each call, the id of the call, and its result."""
    for at, turn in enumerate(turns):
        results = [*takewhile(lambda each: each.role == "tool", turns[at + 1 :])]
        by_id = {result.ids[0]: result for result in results if result.ids}
        for number, call_id in enumerate(turn.ids if turn.role == "assistant" else ()):
            in_order = results[number] if number < len(results) and not by_id else None
            yield turn.text if number == 0 else "", call_id, by_id.get(call_id, in_order)


def _note_end(turn: Logged, what: str, run: RunBuilder) -> None:
    if not turn.is_clear:
        message = f"the log does not show where {what} ends"
        run.notice("unclear_end", message, text=turn.text)


def _shown_calls(box: Box) -> list[str]:
    lines = [line[1:].rstrip() for line in box.lines]
    text = joined(lines, box.width - 4, begins=_BEGINS_CALL)
    return _NEXT_CALL.split(_COMPRESSED.sub("", text))


def _add_calls(box: Box, logged: Iterator[tuple[str, str, Logged | None]], run: RunBuilder) -> None:
    """Add the calls in a panel; of one that the log cuts, the last call may go on."""
    calls = _shown_calls(box)
    for number, shown in enumerate(calls, 1):
        said, call_id, result = next(logged, ("", "", None))
        run.say(said)
        found = _CALL.fullmatch(shown)
        if found is None or (number == len(calls) and not box.is_whole):
            reason = "expected a call as Agno shows it" if box.is_whole else "a call is cut short"
            run.fail(OutputParserException(reason, observation=_WHOLE, llm_output=shown))
            continue
        tool, given = found["tool"], _arguments(found["args"])
        run.call(tool, given or {}, call_id=call_id)
        if given is None:
            reason = f"the log does not show where the arguments of {tool!r} end"
            run.notice("unclear_end", reason, text=found["args"], line=box.line)
        elif given:
            run.notice("untyped_values", f"the log shows the arguments of {tool!r} without types")
            if len(given) > 1:
                reason = (
                    f"an argument of {tool!r} that contains ', name=' would look like two arguments"
                )
                run.notice("unclear_end", reason, text=found["args"], line=box.line)
        if result is not None:
            run.observe(result.text, call_id=call_id)
            _note_end(result, "the result", run)


def _arguments(shown: str) -> dict[str, str] | None:
    """Return arguments by name, each as text; `None` if they are not shown so."""
    names = [*_NAME.finditer(shown)]
    if not names or names[0].start():
        return None if shown else {}
    ends = [*(found.start() for found in names[1:]), len(shown)]
    given: dict[str, str] = {}
    name, begin = "", 0
    for found, end in zip(names, ends, strict=True):
        if not name:
            name, begin = found[1], found.end()
        value = shown[begin:end]
        if value[:1] in _OPENERS and end < len(shown) and not _is_closed(value):
            continue  # what looks like a name stands in the value
        if name in given:
            return None
        given[name], name = value, ""
    return given


def _is_closed(value: str) -> bool:
    return value.count("[") + value.count("{") == value.count("]") + value.count("}")


def _leave_out(box: Box, text: str, run: RunBuilder) -> None:
    """Say that a panel is left out; one that may have calls is a step that is not read."""
    if may_call(box.title) or "tool call" in text:
        reason = f"found calls in a panel {box.title!r}: they were not made, or not by this agent"
        run.fail(OutputParserException(reason, observation=_WHOLE, llm_output=text))
    else:
        shown = f"{box.title}\n{text}"
        run.notice("unowned_text", "found a panel outside of the steps", text=shown, line=box.line)


READER: Final = TextReader(
    name="agno_console",
    summary="panels that Agno's print_response shows, streamed or not, also with debug_mode (3.1)",
    evidence=_evidence,
    read=_read,
)
