r"""What LangChain's ``AgentExecutor(verbose=True)`` prints.

The colours are shown here by their names, in angle brackets::

    <bold>> Entering new AgentExecutor chain...</>
    <green> I look it up.
    Action: search
    Action Input: fog</>
    Observation: <blue>November</>
    Thought:<green> I know.
    Final Answer: November.</>

    <bold>> Finished chain.</>

The question is not printed. What the model wrote is green, what a tool returned has the colour of
the tool. ``Observation:`` and ``Thought:`` are uncoloured, and only the agents of
``initialize_agent`` print them. The results of an unknown tool and of a text that LangChain could
not read have no colour. If the iterations run out, an empty green text ends the chain.

Tools may run chains of their own, which stand before the result, and a program may print more. The
result of ``invoke``, ``{'input': …, 'output': …}``, which programs print behind the chain and
notebooks show there, has the question.

Source: `langchain_core.callbacks.stdout`, `langchain_classic.agents.agent` (1.0.8).
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from agent_parsers.engine.calls.code.python_scan import read_literal
from agent_parsers.engine.repairs.payloads import BadPayload
from agent_parsers.runs.readers.reader import HEAD_CHARS, Lines, Reading, TextReader
from agent_parsers.runs.readers.text.ansi import with_codes, without_codes
from agent_parsers.runs.readers.text.langchain_pieces import (
    COLOUR_SIGN,
    GREEN,
    SIGN,
    End,
    Piece,
    Start,
    read_pieces,
)
from agent_parsers.runs.readers.text.langchain_plain import run_by_labels
from agent_parsers.runs.readers.text.langchain_turns import NESTED, Chain, run_by_colours

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from agent_parsers.runs.building import RunBuilder
    from agent_parsers.runs.readers.text.langchain_pieces import Event
    from agent_parsers.runs.transcript import Transcript

_MAX_RETURNED: Final = 1_000_000


def _evidence(head: str) -> Sequence[str]:
    found = SIGN.search(head)
    if found is None:
        return ()
    line = head.count("\n", 0, found.start()) + 1
    shown = without_codes(found[0])
    what = repr(shown[shown.index(">") :]) if ">" in shown else "the green of LangChain's agents"
    return (f"{what} in line {line}",)


def _read(lines: Lines, reading: Reading) -> Iterator[Transcript]:
    lines = with_codes(lines, COLOUR_SIGN)
    is_coloured = COLOUR_SIGN.search(lines.head(HEAD_CHARS)) is not None
    console = _Console(reading, lines.number, is_coloured=is_coloured)
    for event in read_pieces(lines, is_coloured=is_coloured):
        yield from console.take(event)
    yield from console.close()


class _Console:
    """Puts chains together, and finds the runs in them."""

    def __init__(self, reading: Reading, line: int, *, is_coloured: bool) -> None:
        self._reading = reading
        self._run_of = run_by_colours if is_coloured else run_by_labels
        self._chains: list[Chain] = []  # the open ones, from the outside
        self._outside = Chain("", line)  # what stands outside of all chains
        self._held: RunBuilder | None = None  # a run, until the text behind it has been read

    def take(self, event: Event) -> Iterator[Transcript]:
        """Take the next event, and yield the runs that it ends."""
        match event:
            case Piece():
                (self._chains[-1] if self._chains else self._outside).pieces.append(event)
            case Start(name, line):
                while self._chains and self._chains[-1].is_over_before(name):
                    yield from self._end(self._chains.pop())
                if not self._chains:
                    yield from self._leave_outside(line)
                self._chains.append(Chain(name, line))
            case End(line):
                # Without a beginning, the log was cut before it.
                chain = self._chains.pop() if self._chains else self._outside
                chain.has_ended = True
                if chain is self._outside:
                    self._outside = Chain("", line)
                yield from self._end(chain)

    def close(self) -> Iterator[Transcript]:
        """End the log, and yield the runs that it ends."""
        while self._chains:
            yield from self._end(self._chains.pop())
        yield from self._leave_outside(0)
        if self._held is not None:
            yield self._held.transcript()

    def _leave_outside(self, line: int) -> Iterator[Transcript]:
        """Give the text outside of chains to the run before it, or keep it for the one behind."""
        outside = self._outside
        if any(piece.colour == GREEN for piece in outside.pieces):
            self._outside = Chain("", line)
            yield from self._end(outside)
        elif self._held is not None:
            self._outside = Chain("", line)
            text = _take_returned(outside.text, self._held)
            _disown(text, outside, "behind", self._held)
            yield self._held.transcript()
            self._held = None

    def _end(self, chain: Chain) -> Iterator[Transcript]:
        run = self._run_of(chain, self._reading)
        if run is None:
            around = self._chains[-1] if self._chains else self._outside
            around.pieces.append(Piece(chain.text, NESTED, chain.line))
            return
        if self._held is not None:
            yield self._held.transcript()
        elif not self._chains and self._outside is not chain:
            _disown(self._outside.text, self._outside, "before", run)
            self._outside = Chain("", chain.line)
        self._held = run


def _disown(text: str, chain: Chain, where: str, run: RunBuilder) -> None:
    if text.strip():
        line = chain.pieces[0].line
        run.notice("unowned_text", f"found text {where} the run", text=text, line=line)


def _take_returned(text: str, run: RunBuilder) -> str:
    """Take the question from what the chain returned, and return *text* without it."""
    end = len(text.rstrip())
    begin = f"\n{text}".rfind("\n{'", 0, end + 1)
    if begin < 0 or not 0 < end - begin <= _MAX_RETURNED:
        return text
    try:
        returned = read_literal(text[begin:end])
    except BadPayload:
        return text
    question = returned.get("input")
    if not isinstance(question, str) or "output" not in returned:
        return text
    run.ask(question)
    return text[:begin]


READER: Final = TextReader(
    name="langchain_console",
    summary="console of LangChain's AgentExecutor(verbose=True), with or without colours",
    evidence=_evidence,
    read=_read,
)
