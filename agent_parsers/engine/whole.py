"""Reads a whole text: in one match, respelt and in one match, or else as a stream."""

from __future__ import annotations

import re
from functools import cache, partial
from typing import TYPE_CHECKING, Final

from agent_parsers.actions.agent import AgentFinish
from agent_parsers.engine.reading.matching.respelling import respeller
from agent_parsers.engine.reading.matching.step_matcher import step_matcher
from agent_parsers.engine.reading.quoting.marks import speaks_of_thoughts
from agent_parsers.engine.reading.rules.known_tools import known_tools
from agent_parsers.engine.reading.rules.machine import machine
from agent_parsers.engine.reading.turn import events_of, turn_before_events
from agent_parsers.engine.tables.modes import MAX_CHARS, check_ended
from agent_parsers.engine.tables.problems import too_long
from agent_parsers.engine.writing.advice import advice

if TYPE_CHECKING:
    from collections.abc import Collection

    from agent_parsers.actions.agent import TurnResult
    from agent_parsers.engine.reading.matching.matcher import Matcher, PlainStep
    from agent_parsers.engine.reading.rules.machine import Advise, Machine
    from agent_parsers.engine.reading.turn import PlainTurn, Turn
    from agent_parsers.engine.tables.dialect import Dialect
    from agent_parsers.engine.tables.modes import Mode, OnConflict
    from agent_parsers.toolset import ToolSet
    from outputs.messages.ended import Ended


class WholeReader:
    """Reads whole turns, with the same results as a stream but faster.

    A turn in the spelling of its dialect is read by one regular expression. One that differs only
    in spelling is respelt once, then read in the same way. Everything else, invalid turns included,
    is read by a `TurnStream`, which reports errors with their spans, and observations that *advise*
    writes.
    """

    def __init__(self, machine: Machine, advise: Advise | None = None) -> None:
        self._machine = machine
        self._advise = advise
        self._match: Matcher | None = None
        if not machine.table.several:
            self._match = step_matcher(machine)
        elif machine.dialect.form is not None:
            # imported lazily: dialects with one action do not need it
            from agent_parsers.engine.reading.matching.turn_matcher import turn_matcher

            self._match = turn_matcher(machine)
        self._respell = None if self._match is None else respeller(machine)
        self._is_lenient = machine.lenient
        # What strict mode calls is what lenient mode calls without a repair.
        is_strict = machine.mode == "strict"
        self._calls = whole_reader(machine.dialect, "lenient")._match if is_strict else None
        self._keeps_end = machine.table.keeps_input_end  # which lenient mode does not

    def parse(
        self,
        text: str,
        max_chars: int = MAX_CHARS,
        tools: ToolSet | Collection[str] | None = None,
        start: str = "",
        prompt: str = "",
        ended: Ended = "unknown",
    ) -> TurnResult:
        """Read one whole turn of *max_chars* at most; for *start* and *prompt* see `Machine.start`.

        Raises:
            OutputParserException: The text is neither an action nor an answer, or is both, or is
                too long, or it names an unknown tool, or one that does not take the input.
        """
        check_ended(ended)
        if len(text) > max_chars:
            raise too_long("text", text[:max_chars], max_chars)
        # "stop" accepts whatever "unknown" accepts, and more
        if self._match is not None and not (start or prompt) and ended != "length":
            if (calls := self._first(text)) is not None:
                result = calls.result(text, tools, is_exact=True)
                if result is not None and not isinstance(result, AgentFinish):
                    return result
            result = self._match.result(text, tools)
            if result is not None and self._counts(isinstance(result, AgentFinish), text):
                return result
            if (turn := self._respelt(text, tools)) is not None:
                return self._match.result_of(turn, text)
        # imported lazily: few turns need it
        from agent_parsers.engine.reading.stream import TurnStream

        stream = TurnStream(
            self._machine, known_tools(tools), start=start, prompt=prompt, advise=self._advise
        )
        stream.read_whole(text, ended=ended)
        assert stream.result is not None, "a turn that was read without an error has a result"
        return stream.result

    def plain(self, text: str, tools: ToolSet | Collection[str] | None = None) -> PlainTurn | None:
        """Return the parts of a turn, respelt if necessary; `None` if only a stream can read it."""
        if (calls := self._first(text)) is not None:
            turn = calls.read(text, tools)
            if turn is not None and turn.calls and not turn.repairs:
                return turn
        turn = None if self._match is None else self._match.read(text, tools)
        if turn is not None and not self._counts(not turn.calls, text):
            return None
        return self._respelt(text, tools) if turn is None else turn

    def _first(self, text: str) -> Matcher | None:
        """Return the matcher of lenient mode that tries a strict *text* first; it reads calls."""
        if self._calls is None or (self._keeps_end and text[-1:].isspace()):
            return None
        if "\\u" in text and _HALF(text) is not None:
            return None  # which not all strict readers take
        return self._calls if self._calls.may_call(text) else None

    def _counts(self, is_answer: bool, text: str) -> bool:
        """Return whether what the matcher of this mode finds is surely what lenient mode allows."""
        if is_answer or self._is_lenient:
            return True
        return self._calls is None and not speaks_of_thoughts(text)  # as LangChain reads

    def read(self, text: str, tools: ToolSet | Collection[str] | None = None) -> Turn | None:
        """Read one whole turn; return `None` if only a stream can read it. See also `plain`."""
        turn = self.plain(text, tools)
        if turn is None or self._match is None:
            return None
        result = self._match.result_of(turn, text)
        read_events = partial(events_of, self._machine, text, tools)
        repairs = tuple(turn.repairs)
        return turn_before_events(result, turn.thought, turn.content, repairs, read_events)

    def step(self, text: str, tools: ToolSet | Collection[str] | None = None) -> PlainStep | None:
        """Return a step with the spans of its parts; `None` if only a stream can read it."""
        if (calls := self._first(text)) is not None:
            step = calls.step(text, tools)
            if step is not None and not isinstance(step.action, AgentFinish):
                return step
        step = None if self._match is None else self._match.step(text, tools)
        is_answer = step is None or isinstance(step.action, AgentFinish)
        return step if self._counts(is_answer, text) else None

    def _respelt(self, text: str, tools: ToolSet | Collection[str] | None) -> PlainTurn | None:
        """Return the parts of a respelt turn; `None` if only a stream can read it."""
        if self._respell is None or self._match is None or (spelt := self._respell(text)) is None:
            return None
        turn = self._match.read(spelt.text, tools)
        if turn is None or not turn.calls:  # an answer is as it is written
            return None
        # What is repaired in an input stands behind all labels.
        moved = (repair.moved(len(text) - len(spelt.text)) for repair in turn.repairs)
        return turn._replace(repairs=(*spelt.repairs, *moved))


_HALF: Final = re.compile(
    r"\\u[dD][89abAB]..(?!\\u[dD][c-fC-F])|(?<!\\u[dD][89abAB]..)\\u[dD][c-fC-F]", re.DOTALL
).search
"""Finds the escape of half of a character without the other half, as JSON may have it."""


@cache
def whole_reader(dialect: Dialect, mode: Mode, on_conflict: OnConflict = "error") -> WholeReader:
    """Return the cached reader of whole turns of *dialect* in *mode*."""
    return WholeReader(machine(dialect, mode, on_conflict), advice)
