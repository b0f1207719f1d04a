"""Laws about turns read in other ways: strictly, by `auto`, or with more beside a call."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Any, Final

from agent_laws.laws.broken import Broken, law, shown
from agent_laws.trials.sample_calls import ENDS, NOT_CUT, calls_in, parser_for, reading, turn_of
from agent_laws.trials.stories import Refusal, outcome_of
from agent_parsers import AgentFinish, get_parser

if TYPE_CHECKING:
    from agent_parsers import Dialect
    from agent_parsers.authoring import Mode
    from agent_parsers.toolset import Tools, ToolSet

_SIZES: Final = (1, 7)
"""How long the chunks of a stream are."""


@law
def strict_reading_is_never_laxer(
    dialect: Dialect, text: str, *, tools: Tools | ToolSet | None = None
) -> None:
    """Check that strict mode makes no call of *text* if lenient mode makes none.

    Args:
        dialect: The dialect to test.
        text: Any text.
        tools: The tools that the parser knows.

    Raises:
        BrokenLawError: Strict mode makes a call that lenient mode does not make.
    """
    for ended in ENDS:
        strict = reading(dialect, "strict", text, tools=tools, ended=ended)
        if not calls_in(strict):
            continue
        lenient = reading(dialect, "lenient", text, tools=tools, ended=ended)
        if not calls_in(lenient):
            reason = f"strict mode reads {shown(strict)}, lenient mode {shown(lenient)}"
            raise Broken(f"{reason} (ended: {ended})")


@law
def nothing_beside_a_call_is_dropped(
    dialect: Dialect,
    mode: Mode,
    text: str,
    *,
    tools: Tools | ToolSet | None = None,
    may_repair: bool = False,
) -> None:
    """Check that *text*, a turn with something next to the arguments of a call, is refused.

    Args:
        dialect: The dialect to test.
        mode: The mode in which texts are read.
        text: The turn.
        tools: The tools that the parser knows.
        may_repair: Whether the call may be made if something is reported as a repair.

    Raises:
        BrokenLawError: The turn is read, and nothing says that a part of it is missing.
    """
    parser = parser_for(dialect, mode, tools)
    for ended in NOT_CUT:
        turn = turn_of(parser, text, ended)
        if isinstance(turn, Refusal) or (may_repair and calls_in(turn.result) and turn.repairs):
            continue
        raise Broken(
            f"a part is dropped, and the rest is read as {shown(turn.result)} (ended: {ended})"
        )


@law
def auto_reads_what_a_dialect_writes(
    dialect: Dialect, text: str, *, tools: Tools | ToolSet | None
) -> None:
    """Check that `auto` reads *text* as its dialect does, or refuses it, in any chunks.

    Args:
        dialect: The dialect to test, which must be registered.
        text: A turn that the dialect writes, with calls or with an answer.
        tools: The tools, which take the calls.

    Raises:
        BrokenLawError: The calls, the answer or the thought differ, or they do in a stream.
    """
    parser = get_parser("auto", tools=tools)
    found = outcome_of(lambda: parser.read(text))
    for size in _SIZES:
        streamed = outcome_of(partial(_streamed, parser, text, size))
        whole = found if isinstance(found, Refusal) else (found.result, found.dialect)
        if streamed != whole:
            raise Broken(f"chunks of {size} give {shown(streamed)}, the whole text {shown(whole)}")
    wanted = outcome_of(lambda: parser_for(dialect, "lenient", tools).read(text))
    if isinstance(found, Refusal) or isinstance(wanted, Refusal):
        return
    if calls_in(found.result) != calls_in(wanted.result):
        raise Broken(f"expected {shown(wanted.result)}, found {shown(found.result)}")
    if isinstance(wanted.result, AgentFinish) and found.content != wanted.content:
        raise Broken(f"the answer {wanted.content!r} is read as {found.content!r}")
    if found.thought != wanted.thought:
        raise Broken(f"the thought {wanted.thought!r} is read as {found.thought!r}")


def _streamed(parser: Any, text: str, size: int) -> tuple[Any, str]:
    stream = parser.stream_parser()
    for at in range(0, len(text), size):
        stream.feed(text[at : at + size])
    stream.close()
    return stream.result, stream.dialect
