"""Reads the calls of each dialect in each other one: ``python tools/benchmarks/foreign.py``.

Each dialect's turns with one call, with several, without parameters and with thoughts are given to
the parsers of all others, strict and lenient, with the tools declared in several shapes. So are its
calls without their special tokens to its own parser, and its calls and answers to `auto`. The
outcome is the *same
call* (the other dialect reads that form, too), the call reported as *foreign*, an *error*, *other*
calls, or an *answer*. In lenient mode the last two must not occur; the exit code is 1 if they do.
*framed* are calls whose values differ only in line breaks at both ends, which some dialects write
around a value and others in it. *known* are faults that the next change mends; the tests name them.

``--every 10`` reads every tenth turn, ``--dialect NAME`` reads in one dialect.
"""

from __future__ import annotations

import argparse
import sys
from collections import Counter
from typing import TYPE_CHECKING, Final

from agent_laws.laws.acting import no_call_is_an_answer
from agent_laws.laws.broken import BrokenLawError
from agent_laws.laws.other_readings import auto_reads_what_a_dialect_writes
from agent_laws.trials.foreign_turns import foreign_turns, stripped_turns, told_turns
from agent_laws.trials.sample_calls import calls_in, parser_for
from agent_parsers import AgentFinish, OutputParserException, get_dialect, list_dialects
from tests.helpers.known_faults import STRIPPED, is_known

if TYPE_CHECKING:
    from collections.abc import Iterator

    from agent_laws.trials.sample_calls import Meant
    from agent_parsers import Dialect, ToolSet
    from agent_parsers.engine.tables.modes import Mode

OUTCOMES: Final = ("same call", "foreign", "error", "framed", "known", "other", "answer")
MODES: Final[tuple[Mode, ...]] = ("strict", "lenient")


def outcome(dialect: Dialect, mode: Mode, text: str, tools: ToolSet, meant: list[Meant]) -> str:
    """Return the outcome of reading *text* in *dialect*."""
    try:
        turn = parser_for(dialect, mode, tools).read(text)
    except OutputParserException:
        return "error"
    if isinstance(turn.result, AgentFinish):
        return "answer"
    if calls_in(turn.result) == meant:
        is_foreign = any(repair.kind == "foreign" for repair in turn.repairs)
        return "foreign" if is_foreign else "same call"
    try:
        no_call_is_an_answer(dialect, text, meant=meant, tools=tools)
    except BrokenLawError:
        return "other"
    return "framed"


def own_turns(owner: Dialect) -> Iterator[tuple[str, str, str]]:
    """Yield the outcomes of reading what *owner* writes without its special tokens, and in `auto`.

    Each is a kind of reading, an outcome and a text.
    """
    for turn, tools, meant in stripped_turns(owner):
        found = outcome(owner, "lenient", turn.text, tools, meant)
        may_be_known = found in OUTCOMES[-2:] and is_known(STRIPPED, owner)
        yield "stripped", "known" if may_be_known else found, turn.text
    for text, tools in told_turns(owner):
        try:
            auto_reads_what_a_dialect_writes(owner, text, tools=tools)
        except BrokenLawError:
            yield "auto", "other", text
        else:
            yield "auto", "same call", text


def main() -> int:
    """Read all turns and print the outcomes."""
    parser = argparse.ArgumentParser(description=str(__doc__).partition("\n")[0])
    parser.add_argument("--every", type=int, default=1)
    parser.add_argument("--dialect", choices=list_dialects())
    asked = parser.parse_args()
    dialects = [get_dialect(name) for name in list_dialects()]
    counts: dict[str, Counter[str]] = {mode: Counter() for mode in (*MODES, "stripped", "auto")}
    for owner in dialects:
        if asked.dialect in (None, owner.name):
            for kind, found, text in own_turns(owner):
                counts[kind][found] += 1
                if found in OUTCOMES[-2:]:
                    print(f"{found}: {owner.name}, {kind}: {text!r}")
        for turn, tools, meant in [*foreign_turns(owner)][:: asked.every]:
            for dialect in dialects:
                if dialect is owner or asked.dialect not in (None, dialect.name):
                    continue
                for mode in MODES:
                    found = outcome(dialect, mode, turn.text, tools, meant)
                    counts[mode][found] += 1
                    if mode == "lenient" and found in OUTCOMES[-2:]:
                        print(f"{found}: {owner.name} in {dialect.name}: {turn.text!r}")
    print(f"{'':8}" + "".join(f"{name:>11}" for name in OUTCOMES))
    for kind, count in counts.items():
        print(f"{kind:8}" + "".join(f"{count[name]:>11}" for name in OUTCOMES))
    return int(
        any(counts[kind][name] for kind in counts if kind != "strict" for name in OUTCOMES[-2:])
    )


if __name__ == "__main__":
    sys.exit(main())
