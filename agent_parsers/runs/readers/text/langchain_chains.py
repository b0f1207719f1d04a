"""Chains of LangChain as they stand in a console: one inside another, with text around them."""

from __future__ import annotations

from typing import TYPE_CHECKING, TypeAlias

from agent_parsers.runs.readers.text.around import Around
from agent_parsers.runs.readers.text.langchain_pieces import GREEN, End, Piece, Start
from agent_parsers.runs.readers.text.langchain_turns import NESTED, Chain

if TYPE_CHECKING:
    from collections.abc import Callable, Generator, Iterable, Iterator

    from agent_parsers.runs.readers.text.langchain_pieces import Event
    from agent_parsers.runs.reading.building import RunBuilder
    from agent_parsers.runs.reading.reader import Reading
    from agent_parsers.runs.reading.transcript import Transcript

__all__ = ["Outside", "RunOf", "read_chains"]

RunOf: TypeAlias = "Callable[[Chain, Reading], RunBuilder | None]"
"""Returns the run in a chain; `None` if there is none."""
Outside: TypeAlias = "Callable[[str, RunBuilder | None], tuple[str, str]]"
"""Takes what it knows from text outside of chains, for the run before it if there is one. Returns
the rest of the text, and the question of the run behind it."""


def read_chains(
    events: Iterable[Event], reading: Reading, run_of: RunOf, outside: Outside
) -> Iterator[Transcript]:
    """Yield the runs in chains, each when the text behind it has been read."""
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

    def take(self, event: Event) -> Iterator[Transcript]:
        """Take the next event, and yield the runs that it ends."""
        match event:
            case Piece():
                (self._chains[-1] if self._chains else self._outside).pieces.append(event)
            case Start(name, line):
                while self._chains and self._chains[-1].is_over_before(name):
                    yield from self._end(self._chains.pop())
                question = ""
                if not self._chains:
                    question = yield from self._leave_outside()
                self._chains.append(Chain(name, line, question))
            case End():
                # Without a beginning, the log was cut before it.
                chain = self._chains.pop() if self._chains else self._outside
                chain.has_ended = True
                if chain is self._outside:
                    self._outside = Chain("", 0)
                yield from self._end(chain)

    def close(self) -> Iterator[Transcript]:
        """End the log, and yield the runs that it ends."""
        while self._chains:
            yield from self._end(self._chains.pop())
        yield from self._leave_outside()
        yield from self._around.release()

    def _leave_outside(self) -> Generator[Transcript, None, str]:
        """Read the text outside of chains, and return the question in it."""
        outside, self._outside = self._outside, Chain("", 0)
        if any(piece.colour == GREEN for piece in outside.pieces):
            yield from self._end(outside)
            return ""
        text, question = self._read_outside(outside.text, self._around.held)
        if outside.pieces:
            self._around.put(text, outside.pieces[0].line)
        yield from self._around.release()
        return question

    def _end(self, chain: Chain) -> Iterator[Transcript]:
        run = self._run_of(chain, self._reading)
        if run is not None:
            if chain.question:
                run.ask(chain.question)
            yield from self._around.hold(run)
            return
        outer = self._chains[-1] if self._chains else self._outside
        outer.pieces.append(Piece(chain.text, NESTED, chain.line))
