"""What LangChain's ``AgentExecutor(verbose=True)`` prints.

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

A chain stands inside another, with text around both.

Source: `langchain_core.callbacks.stdout`, `langchain_classic.agents.agent` (1.0.8).
"""

from __future__ import annotations

from collections.abc import Callable, Generator, Iterable, Iterator, Sequence
from dataclasses import replace
from typing import TYPE_CHECKING, Final, TypeAlias

from agent_parsers.transcripts import Notice
from agent_runs.readers.text.around import Around
from agent_runs.readers.text.langchain_pieces import (
    COLOUR_SIGN,
    GREEN,
    SIGN,
    End,
    PrintedText,
    Start,
    read_pieces,
)
from agent_runs.readers.text.langchain_plain import run_by_labels
from agent_runs.readers.text.langchain_turns import CREW, NESTED, Chain, run_by_colours
from agent_runs.reading.reader import HEAD_CHARS, Lines, NumberedLines, Reading, TextReader, line_of
from agent_runs.reading.reprs import value_of_repr
from agent_runs.splitting.ansi import with_codes, without_codes
from agent_runs.splitting.separators import LOGGED, is_logged

if TYPE_CHECKING:
    from agent_parsers.transcripts import Transcript
    from agent_runs.readers.text.langchain_pieces import Event
    from agent_runs.reading.building import RunBuilder

RunOf: TypeAlias = "Callable[[Chain, Reading], RunBuilder | None]"
"""Returns the run in a chain; `None` if there is none."""
Outside: TypeAlias = "Callable[[str, RunBuilder | None], tuple[str, str]]"
"""Takes what it knows from text outside of chains, for the run before it if there is one. Returns
the rest of the text, and the question of the run behind it."""


def read_chains(
    events: Iterable[Event], reading: Reading, run_of: RunOf, outside: Outside
) -> Iterator[Transcript]:
    """Yield the runs in the chains, each one once the text after it has been read."""
    chains = _Chains(reading, run_of, outside)
    for event in events:
        yield from chains.take(event)
    yield from chains.close()


class _Chains:
    """The chains that are open, and the text around them."""

    def __init__(self, reading: Reading, run_of: RunOf, outside: Outside) -> None:
        self._reading = reading
        self._run_of = run_of
        self._read_outside = outside
        self._chains: list[Chain] = []  # from the outside
        self._outside = Chain("", 0)  # what stands outside of all chains
        self._around = Around()
        self._has_run = False
        self._mixed = 0  # how many chains that ran at the same time have not ended
        self._doubtful: Chain | None = None  # the last one, which others may have printed into

    def take(self, event: Event) -> Iterator[Transcript]:
        """Process the next event, and yield the runs that end there."""
        match event:
            case PrintedText():
                (self._chains[-1] if self._chains else self._outside).pieces.append(event)
            case Start(name, line):
                self._mixed, self._doubtful = 0, None
                before: list[Chain] = []
                while self._chains and self._chains[-1].is_over_before(name):
                    chain = self._chains.pop()
                    if chain.text.strip():
                        yield from self._end(chain)
                    else:
                        before = [*chain.before, chain]
                        chain.before = []
                question = ""
                if not self._chains:
                    question = yield from self._leave_outside()
                chain = Chain(name, line, question, before=before)
                if not self._chains and chain.is_agent:
                    yield from self._around.release()  # all behind its run has been read
                self._chains.append(chain)
            case End() if self._mixed and not self._chains:
                self._mixed -= 1
                self._outside = Chain("", 0)
            case End() if self._doubtful is not None and not self._chains:
                self._around.held = None
                self._refuse_mixed(self._doubtful)
                self._mixed -= 1
                self._outside = Chain("", 0)
            case End():
                # Without a beginning, the log was cut before it.
                chain = self._chains.pop() if self._chains else self._outside
                chain.has_ended = True
                if chain is self._outside:
                    self._outside = Chain("", 0)
                yield from self._end(chain)

    def close(self) -> Iterator[Transcript]:
        """Process the end of the log, and yield the last runs."""
        while self._chains:
            yield from self._end(self._chains.pop())
        yield from self._leave_outside()
        yield from self._around.release()
        text, line = self._around.rest()
        if text and self._has_run:
            self._reading.refuse("found a chain or text that belongs to no run", text, line=line)

    def _leave_outside(self) -> Generator[Transcript, None, str]:
        """Read the text outside of chains, and return the question in it."""
        outside, self._outside = self._outside, Chain("", 0)
        if any(piece.colour == GREEN for piece in outside.pieces):
            yield from self._end(outside)
            outside, self._outside = self._outside, Chain("", 0)  # all of it, if it was no run
            text, question = outside.text, ""
        else:
            text, question = self._read_outside(outside.text, self._around.held)
        if outside.pieces:
            self._around.put(text, outside.pieces[0].line)
        return question

    def _refuse_mixed(self, chain: Chain) -> None:
        """Refuse the chains that ran while *chain* did: each line may belong to any of them."""
        self._mixed, self._doubtful = len(chain.before), None
        reason = f"found {self._mixed + 1} chains that ran at the same time, so it is unclear"
        line = chain.before[0].line
        self._reading.refuse(f"{reason} which line belongs to which chain", chain.text, line=line)

    def _end(self, chain: Chain) -> Iterator[Transcript]:
        if chain.is_mixed:
            self._refuse_mixed(chain)
            return
        for each in chain.before:
            yield from self._end(each)
        self._doubtful = chain if chain.before else None
        run = self._run_of(chain, self._reading)
        if run is not None:
            if chain.question:
                run.ask(chain.question)
            self._has_run = True
            yield from self._around.hold(run)
            return
        outer = self._chains[-1] if self._chains else self._outside
        line = chain.line or min((piece.line for piece in chain.pieces), default=0)
        outer.pieces.append(PrintedText(chain.text, NESTED, line))


_MAX_RETURNED: Final = 1_000_000


def _evidence(head: str) -> Sequence[str]:
    found = SIGN.search(head)
    if found is None:
        return ()
    what = "the green colour code that LangChain prints for agents"
    if ">" in (shown := without_codes(found[0])):
        what = repr(shown[shown.index(">") :])
    return (f"{what} in line {line_of(found)}",)


def _read(lines: Lines, reading: Reading) -> Iterator[Transcript]:
    lines = with_codes(lines, COLOUR_SIGN)
    is_coloured = COLOUR_SIGN.search(lines.head(HEAD_CHARS)) is not None
    run_by = run_by_colours if is_coloured else run_by_labels

    def run_of(chain: Chain, reading: Reading) -> RunBuilder | None:
        return None if chain.name == CREW else run_by(chain, reading)

    logged: list[Notice] = []
    own = NumberedLines(_without_logged(lines, logged))
    events = read_pieces(own, is_coloured=is_coloured)
    for found in read_chains(events, reading, run_of, _take_returned):
        run = replace(found, notices=(*found.notices, *logged))
        logged.clear()
        yield run


def _without_logged(lines: Lines, notices: list[Notice]) -> Iterator[tuple[int, str]]:
    """Yield *lines* with their numbers, without those of known loggers, which become *notices*."""
    while line := lines.peek():
        number = lines.number
        next(lines)
        if is_logged(line):
            notices.append(Notice("unowned_text", LOGGED, text=line.rstrip("\n"), line=number))
        else:
            yield number, line


def _take_returned(text: str, run: RunBuilder | None) -> tuple[str, str]:
    """Take the question of *run* from what its chain returned."""
    end = len(text.rstrip())
    begin = max(f"\n{text}".rfind(start, 0, end + 1) for start in ("\n{'", "\n'", '\n"'))
    if run is None or begin < 0 or not 0 < end - begin <= _MAX_RETURNED:
        return text, ""
    try:
        returned = value_of_repr(text[begin:end])
    except ValueError:
        return text, ""
    if returned == run.answered:
        return text[:begin], ""
    question = returned.get("input") if isinstance(returned, dict) else None
    if not isinstance(question, str):
        return text, ""
    run.ask(question)
    return text[:begin], ""


READER: Final = TextReader(
    name="langchain_console",
    summary="console of LangChain's AgentExecutor(verbose=True), with or without colours",
    evidence=_evidence,
    read=_read,
    signs=("> entering new ", "[1;3m"),
)
