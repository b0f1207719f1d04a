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

from agent_parsers.runs.readers.text.langchain_chains import read_chains
from agent_parsers.runs.readers.text.langchain_pieces import COLOUR_SIGN, SIGN, read_pieces
from agent_parsers.runs.readers.text.langchain_plain import run_by_labels
from agent_parsers.runs.readers.text.langchain_turns import CREW, run_by_colours
from agent_parsers.runs.reading.reader import HEAD_CHARS, Lines, Reading, TextReader, line_of
from agent_parsers.runs.reading.reprs import value_of_repr
from agent_parsers.runs.splitting.ansi import with_codes, without_codes

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from agent_parsers.runs.readers.text.langchain_turns import Chain
    from agent_parsers.runs.reading.building import RunBuilder
    from agent_parsers.runs.reading.transcript import Transcript

_MAX_RETURNED: Final = 1_000_000


def _evidence(head: str) -> Sequence[str]:
    found = SIGN.search(head)
    if found is None:
        return ()
    shown = without_codes(found[0])
    what = repr(shown[shown.index(">") :]) if ">" in shown else "the green of LangChain's agents"
    return (f"{what} in line {line_of(found)}",)


def _read(lines: Lines, reading: Reading) -> Iterator[Transcript]:
    lines = with_codes(lines, COLOUR_SIGN)
    is_coloured = COLOUR_SIGN.search(lines.head(HEAD_CHARS)) is not None
    run_by = run_by_colours if is_coloured else run_by_labels

    def run_of(chain: Chain, reading: Reading) -> RunBuilder | None:
        return None if chain.name == CREW else run_by(chain, reading)

    events = read_pieces(lines, is_coloured=is_coloured)
    yield from read_chains(events, reading, run_of, _take_returned)


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
