"""Deterministic steps with values, calls, content and results of all kinds."""

from __future__ import annotations

import json
from collections.abc import Iterator
from contextlib import suppress
from functools import cache
from typing import TYPE_CHECKING, Any, Final, NamedTuple

from agent_laws.trials.pieces import a_tool, sample_action
from agent_laws.trials.sample_calls import Meant, parser_for, turn_of
from agent_laws.trials.stories import Refusal
from agent_parsers.authoring import Written, WrittenCall

if TYPE_CHECKING:
    from agent_parsers import Dialect
    from agent_parsers.authoring import Mode

_TEXTS: Final = (
    "Thun", "two  blanks", "one\ntwo", "one\n\ntwo\n  three", "12", "007", "1.0", "1e5", "true",
    "yes", "null", "None", "NaN", "2026-01-02", "a=b=c", "a, b", "k: v", "see #7 of it",
    "50% & more", "x &amp; y", "C:\\new\\table", "it's", 'say "hi"', "'quoted'", '"quoted"',
    "{}", "[1]", "É, ß und 東京 😀", "UPPER lower", "word " * 400 + "end",
)  # fmt: skip
"""Texts that no reader may change."""
_VALUES: Final[tuple[Any, ...]] = (
    True, False, None, 0, 1, -7, 1.0, 0.25, -2.5, 1e30, 2**60, 2**60 + 1, "", [], {}, [1, [2, []]],
    [[1, 2], []], [1, 2], {"x": {"y": [None, True]}}, [True, 1, 1.0, "1"], ["", None], [""], [None],
    {"x": ""}, {"x": None}, " one ", "one ",
)  # fmt: skip
"""Values of all types."""
_LONG: Final = "a7long " * 200
RESULTS: Final = (
    ("a7one",),
    ("a7one", "a7two", "a7three", "a7four"),
    (f"{_LONG}a7end",),
    ("  a7blanks\n  in it  ", "\na7lines\n\n"),
    ("a7one", _LONG * 4, "a7three"),
)
"""Results of a turn, some of them long or with blanks at their ends."""
CONTENT: Final = "One moment a7said."
_THOUGHT: Final = "I look it up."


class SeveralCalls(NamedTuple):
    """A turn with several calls."""

    text: str
    """The turn."""
    meant: tuple[Meant, ...]
    """Its calls."""


class Spoken(NamedTuple):
    """A turn with a call and content."""

    text: str
    """The turn."""
    content: str
    """What it says beside the call."""
    thought: str = ""
    """The thought before it."""


@cache
def toured_inputs(dialect: Dialect) -> tuple[Any, ...]:
    """Return inputs of the kind that *dialect* takes: texts, or objects with all kinds of values.

    Quotes around a whole input may be left out, as LangChain does.
    """
    sample = sample_action(dialect).tool_input
    if isinstance(sample, str):
        texts = [text for text in _TEXTS if text[0] not in "'\""]
        return tuple(f"print({text!r})" if "(" in sample else text for text in texts)
    return (
        *({"query": value} for value in (*_TEXTS, *_VALUES)),
        *({"query": "Thun", "unit": value} for value in (*_VALUES, *_TEXTS[-1:])),
        *({f"key{at}": str(at) for at in range(count)} for count in (0, 3, 4, 5, 12)),
        {"id": "x", "name": "y", "type": "z"},
        {"Query": "a", "dry_run": "b", "toPlace": "c"},
    )


@cache
def several_calls(dialect: Dialect, _mode: Mode) -> tuple[SeveralCalls, ...]:
    """Return turns with several calls, some of which are the same, and with two in one block."""
    tool, given = a_tool(dialect), sample_action(dialect).tool_input
    if not dialect.several or not isinstance(given, dict) or tool != "search":
        return ()
    rows = (
        [("search", "a7"), ("search", "a8")],
        [("search", "a7"), ("search", "a7")],
        [("search", "a7"), ("look_up", "a7"), ("search", "a7"), ("search", "a8"), ("ping", "a7")],
    )
    found: list[SeveralCalls] = []
    for row in rows:
        meant = tuple(Meant(name, {"query": word}) for name, word in row)
        first, *others = (WrittenCall(*call) for call in meant)
        with suppress(ValueError):
            text = dialect.write(Written("", *first[:2], others=tuple(others)))
            found.append(SeveralCalls(text, meant))
    call = dialect.write(Written("", "search", {"query": "a7"}))
    return (*found, *_in_one_block(call))


def _in_one_block(text: str) -> Iterator[SeveralCalls]:
    """Yield turns with the first object of JSON in *text*, a call of ``search``, twice."""
    at = text.find("{")
    with suppress(ValueError):
        value, end = json.JSONDecoder().raw_decode(text, max(at, 0))
        if isinstance(value, dict) and "search" in json.dumps(value):
            for word, between in (("a8", "\n"), ("a8", ", "), ("a7", "\n")):
                again = text[at:end].replace("a7", word)
                meant = tuple(Meant("search", {"query": each}) for each in ("a7", word))
                yield SeveralCalls(f"{text[:end]}{between}{again}{text[end:]}", meant)


@cache
def spoken_turns(dialect: Dialect, mode: Mode) -> tuple[Spoken, ...]:
    """Return turns with a call and content: before it, beside a thought, behind it, and in it.

    There are none if the dialect has no content beside calls. What follows a call ends the turn in
    some formats, which strict reading does not report.
    """
    tool, given = a_tool(dialect), sample_action(dialect).tool_input
    found: list[Spoken] = []
    if dialect.several:
        for thought in ("", _THOUGHT) if dialect.thinks else ("",):
            with suppress(ValueError):
                text = dialect.write(Written(thought, tool, given, content=CONTENT))
                found.append(Spoken(text, CONTENT, thought))
    if not found or CONTENT not in found[0].text:
        return ()
    call = dialect.write(Written("", tool, given))
    turn = turn_of(parser_for(dialect, "strict", None), f"{call}\n{CONTENT}", "stop")
    if mode == "lenient" and not isinstance(turn, Refusal):
        found.append(Spoken(f"{call}\n{CONTENT}", CONTENT))
        end = call.rfind("}") + 1
        found += [Spoken(f"{call[:end]}\n{CONTENT}\n{call[end:]}", CONTENT)] if end else ()
    return tuple(found)
