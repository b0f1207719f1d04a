r"""The events of a LlamaIndex agent, as its guide prints them.

::

    User: Which month has the most fog?
    Thought: I look it up.
    Action: search
    Action Input: {"query": "fog"}
    Call search with {'query': 'fog'}
    Returned: November
    Thought: I know.
    Answer: November.

The text of the model streams in, and each result prints ``Call TOOL with INPUT`` and ``Returned:``
behind it. Programs print ``User:`` and ``Agent:`` themselves, or nothing. A result ends where the
next turn begins, with ``Thought:``. If such lines stand in it too, its end is not clear. A
`FunctionAgent` writes no labels; there, only a result of one line is certain.

Source: LlamaIndex's guide "Streaming output and events" (0.12 to 0.14).
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Final

from agent_parsers import get_dialect
from agent_runs.readers.text.around import Around
from agent_runs.readers.text.boxes import add_shown_call, read_turn
from agent_runs.reading.building import RunBuilder
from agent_runs.reading.reader import Lines, Reading, Runs, TextReader, line_of
from agent_runs.splitting.ansi import without_codes

_CALL: Final = re.compile(r"Call (?P<tool>[^\s]+) with (?P<args>\{.*\})\s*")
_RETURNED: Final = "Returned: "
_SIGN: Final = re.compile(rf"(?m:^)Call \S+ with \{{.*\}}[ \t]*\n{_RETURNED.rstrip()}")
_LABEL: Final = re.compile(r"(?m:^)(?P<name>User|Thought|Action Input|Action|Answer|Agent):[ \t]*")
_LETTERS: Final = {
    "User": "U", "Thought": "T", "Action": "C", "Action Input": "I", "Answer": "N", "Agent": "G",
}  # fmt: skip
_TURN: Final = re.compile("(?P<begins>U?)(?P<turn>TNG?|TCI)")
_TURNS: Final = {
    (True, True): re.compile("(?:TNG?(?:UTNG?)*U|(?:UTNG?)*U?)TCI"),
    (True, False): re.compile("(?:TNG?)?(?:UTNG?)*"),
    (False, True): re.compile("(?:TNG?)?U?TCI"),
    (False, False): re.compile("(?:TNG?)?"),
}
"""The labels of whole turns in a text, by whether runs have questions, and a call follows it."""
_LAST: Final = {True: re.compile(r"TCI\Z"), False: re.compile(r"TNG?\Z")}
"""The labels of its last turn."""


def _evidence(head: str) -> Sequence[str]:
    found = _SIGN.search(head)
    return (f"'Call … with' and 'Returned:' in line {line_of(found)}",) if found else ()


def _read(lines: Lines, reading: Reading) -> Runs:
    if reading.dialect is None:
        name = "the form of LlamaIndex's events"
        reading = reading.in_dialect(get_dialect("react_llamaindex"), name)
    console = _Console(reading)
    text: list[str] = []
    line = lines.number
    for raw in lines:
        shown = without_codes(raw)
        call = _CALL.fullmatch(shown)
        if call is None or not without_codes(lines.peek()).startswith(_RETURNED.rstrip()):
            text.append(shown)
            continue
        yield from console.take("".join(text), line, is_last=False)
        console.call(call["tool"], call["args"])
        line = lines.number
        text = [without_codes(next(lines)).removeprefix(_RETURNED.rstrip()).removeprefix(" ")]
    yield from console.take("".join(text), line, is_last=True)
    yield from console.close()


class _Console:
    """The run that is being read, and the text between runs."""

    def __init__(self, reading: Reading) -> None:
        self._reading = reading
        self._around = Around()
        self._run: RunBuilder | None = None
        self._turn = ""  # what the model wrote before the next call
        self._line = 0  # of the text that is being read
        self._asks = False  # whether runs begin with a question

    def call(self, tool: str, shown: str) -> None:
        """Add a call, after the turn of the model that asks for it."""
        run = self._now()
        run.think(read_turn(self._turn, self._reading)[0].thought if self._turn else "")
        add_shown_call(tool, shown, run, log=self._turn)
        self._turn = ""

    def take(self, text: str, line: int, *, is_last: bool) -> Runs:
        """Process the *text* between two calls, from a *line* on: a result, and turns of the model.

        *is_last*: no call follows.
        """
        self._line = line
        labels = list(_LABEL.finditer(text))
        ends = [*(label.start() for label in labels), len(text)][1:]
        values = [text[label.end() : end] for label, end in zip(labels, ends, strict=True)]
        before = text[: labels[0].start()] if labels else text
        letters = "".join(_LETTERS[label["name"]] for label in labels)
        self._asks = self._asks or letters.startswith("U")
        is_clear = letters != "" and _TURNS[self._asks, not is_last].fullmatch(letters) is not None
        if self._run is None:
            self._around.put(before, line)
            if not is_clear and letters[:1] == "U":
                self._ask(values[0], is_clear=letters == "U")
        elif is_clear:
            self._run.observe_more(before.removesuffix("\n"))
        elif not letters and "\n" not in text.strip("\n"):
            self._run.observe_more(text.strip("\n"))
        else:
            why = "text of the model may follow it"
            if letters:
                why = "it contains lines that look like a turn"
            message = f"the log does not show where a result ends: {why}"
            self._run.notice("unclear_end", message, text=text)
        turns = _TURN.finditer(letters) if is_clear else _LAST[not is_last].finditer(letters)
        for found in turns:
            at = found.start()
            if is_clear and found["begins"]:
                yield from self._end_run()
                self._now().ask(values[at].strip())
                at += 1
            elif self._run is not None and self._run.is_answered:
                yield from self._end_run()
            if letters[at + 1] == "N":
                self._answer(values[at : found.end()])
            else:
                self._turn = text[labels[at].start() : ends[at + 2]]

    def _ask(self, text: str, *, is_clear: bool) -> None:
        """Begin a run whose question and first thought, without a label, are *text*."""
        question, _, said = text.strip().partition("\n")
        if is_clear and not said.strip():
            self._now().ask(question)
        else:
            message = "the log does not show where the question ends"
            self._now().notice("unclear_end", message, text=text, line=self._line)

    def close(self) -> Runs:
        """Process the end of the log, and yield the last runs."""
        yield from self._end_run()
        yield from self._around.release()

    def _answer(self, values: list[str]) -> None:
        """Add an answer: *values* are its thought, itself, and perhaps what was printed of it."""
        thought, answer, *printed = values
        answer = answer.strip()
        half = answer[: len(answer) // 2]
        if answer == f"{half}\n{half}":  # the program has printed it once more
            answer = half
        run = self._now()
        run.think(thought)
        run.answer(answer)
        if printed:
            self._around.put(printed[0].strip().removeprefix(answer), self._line)

    def _now(self) -> RunBuilder:
        if self._run is None:
            self._run = RunBuilder(self._reading.at(self._line))
        return self._run

    def _end_run(self) -> Runs:
        if self._run is not None:
            yield from self._around.hold(self._run)
            self._run = None


READER: Final = TextReader(
    name="llamaindex_stream",
    summary="events of LlamaIndex's agents, printed as in LlamaIndex's guide",
    evidence=_evidence,
    read=_read,
    signs=("returned:",),
)
