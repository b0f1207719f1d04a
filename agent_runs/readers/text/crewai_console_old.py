r"""What CrewAI printed with ``verbose=2`` before it had panels (0.1 to 0.28).

::

     [DEBUG]: == Working Agent: Planner
     [INFO]: == Starting Task: Which month has the most fog?


    > Entering new CrewAgentExecutor chain...
    Thought: I look it up.
    Action: search
    Action Input: {"query": "fog"}


    November

    Thought: I know.
    Final Answer: November.

    > Finished chain.
     [DEBUG]: == [Planner] Task output: November.

The chain is one of LangChain, with the text of the model in green. A result is purple, an error
that a tool returns red: ``\x1b[95m \n\nRESULT\n\x1b[00m\n``. The lines around the chain are bold.
Without colours, a result is what stands between the line with one space and the next ``Thought:``.

Source: `crewai/utilities/printer.py`, `crewai/utilities/logger.py`,
`crewai/agents/executor.py` (0.28).
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Final

from agent_parsers import get_dialect
from agent_runs.readers.text.boxes import add_turn
from agent_runs.readers.text.langchain_console import read_chains
from agent_runs.readers.text.langchain_pieces import COLOUR_SIGN, read_pieces
from agent_runs.readers.text.langchain_turns import CREW, NESTED, Chain, run_by_colours
from agent_runs.reading.building import RunBuilder
from agent_runs.reading.reader import (
    HEAD_CHARS,
    Lines,
    Reading,
    Runs,
    TextReader,
    line_of,
    texts_behind,
)
from agent_runs.splitting.ansi import ESCAPE, with_codes, without_codes

_RESULT_COLOURS: Final = ("95", "91")
_COLOURS: Final = "9[1-5]"
_HEADER: Final = re.compile(
    r"(?m:^) ?(?:\[[^\]\n]*\])? ?\[(?:DEBUG|INFO)\]: (?:== )?"
    r"(?P<what>Working Agent|Starting Task|\[[^\]\n]*\] Task output): "
)
_SIGN: Final = re.compile(
    rf"(?m:^)(?:{ESCAPE}\[[0-9;]*m)* ?(?:\[[^\]\n]*\])? ?\[(?:DEBUG|INFO)\]: (?:== )?"
    r"(?:Working Agent|Starting Task): [^\n]*"
    rf"|(?m:^)(?:{ESCAPE}\[1m)?> Entering new {CREW} chain\.\.\."
)
_NEXT_TURN: Final = re.compile(r"\n\n(?=Thought:|Action:|Final Answer:)")
_TURN: Final = re.compile(r"\n(?=Thought:)")
_BEFORE_RESULT: Final = " \n\n"


def _evidence(head: str) -> Sequence[str]:
    found = _SIGN.search(head)
    return (f"{without_codes(found[0]).strip()[:80]!r} in line {line_of(found)}",) if found else ()


def _read(lines: Lines, reading: Reading) -> Runs:
    lines = with_codes(lines, COLOUR_SIGN)
    is_coloured = COLOUR_SIGN.search(lines.head(HEAD_CHARS)) is not None
    if reading.dialect is None:
        reading = reading.in_dialect(get_dialect("react_crewai"), "the form of CrewAI's console")
    events = read_pieces(lines, is_coloured=is_coloured, others=_COLOURS)
    run_by = _run_by_colours if is_coloured else _run_by_lines

    def run_of(chain: Chain, reading: Reading) -> RunBuilder | None:
        return run_by(chain, reading) if chain.name in ("", CREW) else None

    yield from read_chains(events, reading, run_of, _read_headers)


def _run_by_colours(chain: Chain, reading: Reading) -> RunBuilder | None:
    for at, piece in enumerate(chain.pieces):
        if piece.colour in _RESULT_COLOURS:
            text = piece.text.removeprefix(_BEFORE_RESULT).removesuffix("\n")
            chain.pieces[at] = piece._replace(text=text)
    return run_by_colours(chain, reading)


def _run_by_lines(chain: Chain, reading: Reading) -> RunBuilder:
    run = RunBuilder(reading.at(chain.line))
    text = "".join(piece.text for piece in chain.pieces if piece.colour != NESTED)
    turn, *others = text.split(f"\n{_BEFORE_RESULT}")
    for result in others:
        _add_turns(turn, run, reading, is_followed=True)
        ends = list(_NEXT_TURN.finditer(result))
        turn = result[ends[-1].end() :] if ends else ""
        if len(ends) == 1:
            run.observe_more(result[: ends[0].start()])
        elif ends:
            message = "the log does not show where a result ends: several turns may begin in it"
            run.notice("unclear_end", message, text=result)
        else:
            run.observe_more(result.removesuffix("\n\n"))
    _add_turns(turn, run, reading)
    return run


def _add_turns(text: str, run: RunBuilder, reading: Reading, *, is_followed: bool = False) -> None:
    """Add the turns in *text*; all but the last have got no result."""
    turns = _TURN.split(text)
    if sum("Action Input:" in turn for turn in turns) < 2:
        turns = [text]
    for at, turn in enumerate(turns, 1):
        if turn.strip():
            add_turn(turn, run, reading, is_followed=is_followed or at < len(turns))


def _read_headers(text: str, run: RunBuilder | None) -> tuple[str, str]:
    """Take the answer of *run* and the question of the next one from the lines around chains."""
    headers = list(_HEADER.finditer(text))
    rest = text[: headers[0].start()] if headers else text
    question = ""
    for header, said in texts_behind(headers, text):
        match header["what"]:
            case "Working Agent":
                rest += said.partition("\n")[2]
            case "Starting Task":
                question = said.strip()
            case _ if run is not None:
                rest += _behind_answer(said, run)
            case _:
                rest += said
    return rest, question


def _behind_answer(said: str, run: RunBuilder) -> str:
    """Return what stands behind the answer of *run*, which the log repeats."""
    answer = run.answered
    if answer is None:
        run.answer(said.strip())
        return ""
    said = said.strip()
    return said.removeprefix(answer.strip()) if isinstance(answer, str) else said


READER: Final = TextReader(
    name="crewai_console_old",
    summary="console of CrewAI 0.1 to 0.28 with verbose=2, with or without colours",
    evidence=_evidence,
    read=_read,
    before=("langchain_console",),
    signs=("working agent: ", "starting task: ", f"> entering new {CREW} chain".casefold()),
)
