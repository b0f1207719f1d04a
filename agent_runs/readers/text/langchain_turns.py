"""Turns of LangChain's agents, by the colours in which they are printed.

Calls of tool-calling agents look like this.

::

    Invoking: `search` with `{'query': 'fog'}`
    responded: I look it up.

The line ``responded:`` and the empty line behind it hold the text beside the call. Without a text
there are two empty lines. The input is a Python literal, or a text if the tool takes one.

Source: `langchain_classic.agents.output_parsers.tools`.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, field
from itertools import pairwise
from typing import TYPE_CHECKING, Final, NamedTuple

from agent_parsers import AgentFinish, OutputParserException
from agent_runs.readers.text.boxes import add_shown_call, in_its_dialect, read_turn
from agent_runs.readers.text.langchain_pieces import GREEN, PrintedText
from agent_runs.reading.building import RunBuilder
from agent_runs.reading.reprs import fields_of_repr

if TYPE_CHECKING:
    from agent_parsers.transcripts import TranscriptStep
    from agent_runs.reading.reader import Reading

INVOKING: Final = "Invoking: `"
_WITH: Final = "` with `"
_RESPONDED: Final = "`\nresponded: "


class Invocation(NamedTuple):
    """A call that LangChain prints after ``Invoking:``."""

    tool: str
    tool_input: str
    """As it is shown."""
    said: str = ""
    """The text beside it."""


def read_invocation(text: str) -> Invocation | None:
    """Return the call that *text* shows; `None` if it has another form."""
    text = text.strip()
    tool, has_input, rest = text.removeprefix(INVOKING).partition(_WITH)
    if not text.startswith(INVOKING) or not has_input or "\n" in tool:
        return None
    tool_input, has_text, said = rest.partition(_RESPONDED)
    if not has_text:
        if not tool_input.endswith("`"):
            return None
        tool_input = tool_input[:-1]
    return Invocation(tool, tool_input, said)


def add_invocation(call: Invocation, run: RunBuilder, *, log: str) -> None:
    """Add *call* to *run*, with its input read as a Python value."""
    thought, text = fields_of_repr(call.said)
    run.think(thought)
    run.say(text)
    add_shown_call(call.tool, call.tool_input, run, log=log)


CREW: Final = "CrewAgentExecutor"
"""The name of the chain of CrewAI's agents, which prints results in another way."""
NESTED: Final = "nested"
"""The colour of a text that is the output of another chain."""
PROMPT: Final = "Prompt after formatting:\n"
_LABEL: Final = r"(?:Observation(?: \d+)?|Intermediate answer):"
_BEFORE_RESULT: Final = re.compile(rf"\n+[ \t]*{_LABEL}[ \t]*\Z")
_BEGIN_OF_RESULT: Final = re.compile(rf"\n{_LABEL}[ \t]?")
_AFTER_RESULT: Final = re.compile(r"\A\n(?:Thought(?: \d+)?:)?")
_PARTS: Final = re.compile(r"(?m)^[ \t]*(Action Input|Observation):|^Observation")
NO_TOOL: Final = r" is not a valid tool, try (?:another one|one of \[[^\]\n]*+\])\."
REFUSED: Final = (
    r"Invalid or incomplete response"
    r"|Invalid Format: Missing 'Action:' after 'Thought:'?"
    r"|Invalid Format: Missing 'Action Input:' after 'Action:'"
)
"""What LangChain returns to a model whose text it could not read."""
_OWN_RESULT: Final = re.compile(rf"[^\n]{{1,200}}?{NO_TOOL}|(?P<refused>{REFUSED})")
"""What LangChain itself returns to the model, without a colour."""
REFUSAL: Final = "Parsing LLM output produced both a final answer and a parse-able action:"
"""What LangChain puts before a text that has both, of which it does neither."""


@dataclass
class Chain:
    """The text printed between the beginning and the end of a chain."""

    name: str
    line: int
    question: str = ""
    """What is printed before it, if it is the question of its run."""
    pieces: list[PrintedText] = field(default_factory=list)
    has_ended: bool = False
    before: list[Chain] = field(default_factory=list)
    """The chains of this name that began right before it, and printed nothing."""

    @property
    def is_mixed(self) -> bool:
        """Whether this text also has what the chains in `before` printed at the same time.

        Then a call follows another one without a result in between.
        """
        if not self.before:
            return False
        found = [piece.colour for piece in self.pieces if piece.text.strip()]
        found = [colour for colour in found if colour not in ("", NESTED)]
        if found:
            return (GREEN, GREEN) in pairwise(found)
        return ("Action Input", "Action Input") in pairwise(_PARTS.findall(self.text))

    @property
    def text(self) -> str:
        """All text that was printed in the chain."""
        return "".join(piece.text for piece in self.pieces)

    @property
    def is_agent(self) -> bool:
        """Whether the name of the chain says that it belongs to an agent."""
        return re.search("agent|executor", self.name, re.IGNORECASE) is not None

    def is_over_before(self, inner: str) -> bool:
        """Return whether this chain failed before the chain *inner* began."""
        filled = [piece for piece in self.pieces if piece.text.strip()]
        if filled and re.search(r"(?m:^)Traceback \(most recent call last\):", filled[-1].text):
            return True
        coloured = [piece.colour for piece in filled if piece.colour not in ("", NESTED)]
        is_waiting = coloured[-1:] == [GREEN]
        if not coloured:
            text = self.text
            is_waiting = text.rfind("Action") > text.rfind("\nObservation:")
            is_waiting = is_waiting or text.rfind(INVOKING) >= 0
        return inner == self.name and not is_waiting


class _Result:
    """What is printed after a turn: perhaps its result, and text that is not part of it."""

    def __init__(self, pieces: Sequence[PrintedText], *, is_refused: bool) -> None:
        self.text: str | None = None
        self.others: list[PrintedText] = []
        self.is_direct = False
        """Whether the agent returns it as its answer, without another turn."""
        self.is_refusal = False
        """Whether it says that LangChain could not read the turn."""
        results = [at for at, piece in enumerate(pieces) if piece.colour not in ("", NESTED)]
        if results:
            at = results[-1]
            self.text = pieces[at].text
            before, after = [*pieces[:at]], [*pieces[at + 1 :]]
            is_labelled = bool(before) and _BEFORE_RESULT.search(before[-1].text) is not None
            if is_labelled:
                before[-1] = before[-1]._replace(text=_BEFORE_RESULT.sub("", before[-1].text))
            if after and not after[0].colour:
                self.is_direct = is_labelled and after[0].text == "\n" and len(after) == 1
                after[0] = after[0]._replace(text=_AFTER_RESULT.sub("", after[0].text))
            self.others = before + after
        else:
            self._read_uncoloured(pieces, is_refused=is_refused)
        self.others = [piece for piece in self.others if piece.text.strip()]

    def _read_uncoloured(self, pieces: Sequence[PrintedText], *, is_refused: bool) -> None:
        for piece in pieces:
            if piece.colour or self.text is not None:
                self.others.append(piece)
                continue
            label = _BEGIN_OF_RESULT.search(piece.text)
            begin = label.end() if label else 0
            own = _OWN_RESULT.match(piece.text, begin)
            if own is not None:
                end = own.end()
                self.is_refusal = own["refused"] is not None
            elif label is not None:
                end = piece.text.find("\nThought:", begin)
                end = end if end >= 0 else len(piece.text)
            elif is_refused and "\n" not in piece.text.strip():
                end = len(piece.text)  # what the program says of a text that cannot be read
            else:
                self.others.append(piece)
                continue
            self.text = piece.text[begin:end]
            before = piece.text[: label.start() if label else begin]
            after = _AFTER_RESULT.sub("", piece.text[end:])
            self.others += (piece._replace(text=before), piece._replace(text=after))


def run_by_colours(chain: Chain, reading: Reading) -> RunBuilder | None:
    """Return the run in *chain*; `None` if it is not the chain of an agent."""
    _recolour_prompts(chain.pieces)
    *turns, end = (
        *(at for at, piece in enumerate(chain.pieces) if piece.colour == GREEN),
        len(chain.pieces),
    )
    texts = [chain.pieces[at].text for at in turns]
    are_native = any(map(read_invocation, texts))  # then the answer has no label
    reading = in_its_dialect(() if are_native else texts, reading.at(chain.line))
    run = RunBuilder(reading)
    is_run = chain.is_agent or _is_only_answer(chain)
    for piece in chain.pieces[: min((*turns, end))]:
        disown(piece, run)
    result: _Result | None = None
    for at, following in pairwise((*turns, end)):
        text = chain.pieces[at].text
        rest = chain.pieces[at + 1 : following]
        call = read_invocation(text)
        is_last = following == end and not any(piece.text.strip() for piece in rest)
        steps: Sequence[TranscriptStep] = ()
        if reading.dialect and call is None:
            steps = read_turn(text, reading, is_followed=not is_last)
        is_answer = bool(steps) and isinstance(steps[-1].action, AgentFinish)
        if is_last and (chain.has_ended or is_answer):
            is_run = is_run or is_answer
            if is_answer:
                run.add(steps[-1])
            elif text.strip():
                # Tools agents answer without any form, and so does any agent that is asked for its
                # answer when its iterations have run out.
                thought, answer = fields_of_repr(text.strip())
                run.think(thought)
                run.answer(answer, log=text)
            elif result is not None and result.is_direct:
                run.answer(result.text)
            continue
        is_read = call is not None or (bool(steps) and not is_answer and not steps[-1].error)
        is_run = is_run or is_read
        result = _Result(rest, is_refused=not is_read)
        if result.is_refusal or is_answer or text.startswith(REFUSAL):  # but the agent went on
            steps, call = [], None
        if call is not None:
            add_invocation(call, run, log=text)
        else:
            _add_steps(steps, text, run)
        if result.text is not None:
            run.observe_more(result.text)
        for piece in result.others:
            disown(piece, run)
    return run if is_run else None


def _add_steps(steps: Sequence[TranscriptStep], text: str, run: RunBuilder) -> None:
    """Add the *steps* in the *text* of a turn; without any, LangChain refused it."""
    if not steps:
        run.think(text)
        run.fail(refused(text))
    for step in steps:
        run.add(step)


def refused(text: str) -> OutputParserException:
    """Return the error of a turn that LangChain could not read."""
    return OutputParserException(
        "expected an action, found text in another form",
        observation="Write an action.",
        llm_output=text,
    )


def disown(piece: PrintedText, run: RunBuilder) -> None:
    """Add a notice about a text that belongs to no step."""
    if piece.text.strip():
        what = "the output of a chain" if piece.colour == NESTED else "text"
        message = f"found {what} outside of the steps"
        run.notice("unowned_text", message, text=piece.text, line=piece.line)


def _recolour_prompts(pieces: list[PrintedText]) -> None:
    """Set the prompts that an LLMChain prints in green apart from what models write."""
    for at, piece in enumerate(pieces[:-1]):
        if not piece.colour and piece.text.endswith(PROMPT) and pieces[at + 1].colour == GREEN:
            pieces[at + 1] = pieces[at + 1]._replace(colour=NESTED)


def _is_only_answer(chain: Chain) -> bool:
    """Return whether the chain prints one text of a model and nothing else."""
    filled = [piece.colour for piece in chain.pieces if piece.text.strip()]
    return chain.has_ended and filled == [GREEN]
