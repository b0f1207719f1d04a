"""Deterministic turns with a call within reasoning or a quotation.

Strict mode knows only the reasoning markers of its own dialect, so it is only tried on those.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import cache
from typing import TYPE_CHECKING, Final, NamedTuple

from agent_laws.trials.sample_calls import Meant, calls_in, reading, usual_turn, written_turn
from agent_parsers.authoring import Result, Written
from agent_parsers.core import REASONING

if TYPE_CHECKING:
    from agent_parsers import Dialect
    from agent_parsers.authoring import Mode

_BEFORE, _AFTER = "The manual says:\n", "\nI will not do that."
_PROBE, _ANSWER = "a7thought", "a7answer"
_MARKS: Final = {
    "a fence with text": ("````\nFor example:\n", "\nand so on.\n````"),
    "tildes": ("~~~\n", "\n~~~"),
    "three quotes": ('"""\n', '\n"""'),
    "a comment": ("<!-- ", " -->"),
    "a comment of lines": ("<!--\n", "\n-->"),
    "a result": ("<tool_response>\n", "\n</tool_response>"),
    "a result of Mistral": ("[TOOL_RESULTS]", "[/TOOL_RESULTS]"),
    "a result of DeepSeek": (
        "<｜tool▁outputs▁begin｜><｜tool▁output▁begin｜>",
        "<｜tool▁output▁end｜><｜tool▁outputs▁end｜>",
    ),
}
"""Texts in front of and behind a quotation."""
_PAIRS: Final = (
    *(("«\n", "\n»"), ("“\n", "\n”"), ("「\n", "\n」"), ("---\n", "\n---")),
    *(("<page>\n", "</page>"), ("BEGIN PAGE\n", "\nEND PAGE"), ("/*\n", "\n*/")),
    *(("<<EOF\n", "\nEOF"), ("I saw ~~~\n", "\n~~~")),
)
"""More of them, in which a call of a turn that has only one may be quoted."""
_OF_LINES: Final = ("---", "END PAGE", "EOF", "~~~")
"""Those that end a quotation only if nothing else stands on their line."""


class QuotedCall(NamedTuple):
    """A turn with a call that is not meant."""

    what: str
    """How the call is enclosed."""
    text: str
    """The turn."""
    meant: tuple[Meant, ...] = ()
    """The calls after the quotation, which are meant."""
    may_repair: bool = False
    """Whether the call may be made as a repair, since some families mean it."""
    start: str = ""
    """The part in which the turn begins; empty if it begins with no thought."""


def reasoning_marks(dialect: Dialect) -> tuple[tuple[str, str], ...]:
    """Return the markers of reasoning that lenient mode has to know in a *dialect*.

    These are its own and those of all model families, whatever else is registered: what a text
    means depends on the dialect alone.
    """
    return tuple(dict.fromkeys((*REASONING, *dialect.reasoning, *own_marks(dialect))))


@cache
def own_marks(dialect: Dialect) -> tuple[tuple[str, str], ...]:
    """Return the markers that the dialect writes around a thought, if it has any."""
    if not dialect.several or not dialect.thinks:
        return ()
    with_thought = dialect.write(Written(_PROBE, answer=_ANSWER))
    before = dialect.write(Written(answer=_ANSWER)).partition(_ANSWER)[0]
    opens, _, rest = with_thought.partition(_PROBE)
    closes = rest.partition(_ANSWER)[0].removesuffix(before)
    # A thought without a closing marker stands behind a label.
    return ((opens.strip(), closes.strip()),) if closes.strip() else ()


@cache
def quotations(dialect: Dialect, mode: Mode) -> tuple[QuotedCall, ...]:
    """Return turns with a call inside reasoning or a quotation that this *mode* recognises."""
    call, real = usual_turn(dialect, "quoted"), usual_turn(dialect, "meant")
    meant = tuple(calls_in(reading(dialect, mode, real.text, ended="stop")))
    found = [*_reasoned(dialect, mode, call.text)]
    if mode == "lenient":
        found += _quoted(dialect, call.text)
        found += _quoted_object(dialect)
    behind = (each for each in found if not each.may_repair)
    return (
        *found,
        *(
            q._replace(what=f"{q.what}, then a call", text=f"{q.text}\n{real.text}", meant=meant)
            for q in behind
        ),
    )


def _reasoned(dialect: Dialect, mode: Mode, call: str) -> Iterator[QuotedCall]:
    own = own_marks(dialect)
    for opens, closes in own if mode == "strict" else reasoning_marks(dialect):
        what = f"{opens} and {closes}"
        yield QuotedCall(what, f"{opens}\n{call}\n{closes}\nDone.")
        yield QuotedCall(what, f"{opens}Maybe:\n{call}\nOr not.{closes}Done.")
        yield QuotedCall(what, f"{opens}Maybe:\n{call}\nOr not.\n{closes}\n")
        yield QuotedCall(what, f"Let me see.\n{opens}\n{call}\n{closes}\nDone.")
        if (opens, closes) in own:
            alone = f"Maybe:\n{call}\nOr not.\n{closes}\n\nDone."
            yield QuotedCall(f"{closes} alone", alone, start="thought")
            yield QuotedCall(f"{opens} alone", f"{opens}\nMaybe:\n{call}\nOr not.")
            yield QuotedCall(f"{opens} alone", f"{opens}\nMaybe:\n{call}", may_repair=True)


def _quoted(dialect: Dialect, call: str) -> Iterator[QuotedCall]:
    def within(what: str, quoted: str) -> Iterator[QuotedCall]:
        yield QuotedCall(what, f"{_BEFORE}{quoted}{_AFTER}")

    for what, (opens, closes) in _MARKS.items():
        yield from within(what, f"{opens}{call}{closes}")
    yield from within("lines of >", "\n".join(f"> {line}" for line in call.splitlines()))
    line = " ".join(call.split("\n"))
    if calls_in(reading(dialect, "lenient", line, ended="stop")):
        yield QuotedCall("backticks", f"{_BEFORE}Write `{line}` then.{_AFTER}")
        yield QuotedCall("two backticks", f"{_BEFORE}Write ``{line}`` then.{_AFTER}")
    if "```" not in call:  # otherwise the dialect itself writes calls in fences
        yield QuotedCall("a fence before text", f"{_BEFORE}```\n{call}\n```{_AFTER}")
        yield QuotedCall("a fence of JSON before text", f"{_BEFORE}```json\n{call}\n```{_AFTER}")
        seen = dialect.results_text([Result("search", "Lake Thun")])
        for sign in ("```", "~~~"):
            run = f"{sign}\n{call}\n{seen.strip()}\n{sign}"
            yield from within("a fence around a call and its result", run)
    yield from _in_results(dialect, call)


def _quoted_object(dialect: Dialect) -> Iterator[QuotedCall]:
    """Yield quoted calls with an object as their input or behind them."""
    if dialect.several:
        return
    inner = {"query": {"text": "quoted"}}
    turns = (written_turn(dialect, given) for given in ("quoted", {"query": "quoted"}, inner))
    for turn in filter(None, turns):
        for opens, closes in (*_MARKS.values(), *_PAIRS):
            quoted = f"{_BEFORE}{opens}{turn.text}{closes}"
            yield QuotedCall("marks before an object", f'{quoted}{_AFTER} It has {{"lakes": 1}}')
            if closes.strip() not in _OF_LINES:
                yield QuotedCall("a mark on the last line", f"{quoted} {{}}")


def _in_results(dialect: Dialect, call: str) -> Iterator[QuotedCall]:
    seen = dialect.results_text([Result("search", call)])
    opens, _, closes = seen.partition(call)
    # In some dialects, a result has no markers other than the turn of another role, or brackets.
    is_marked = opens.startswith(("<", "[")) and closes.endswith((">", "]")) and len(opens) > 1
    if not dialect.several or is_marked:
        yield QuotedCall("its own result", f"{_BEFORE}{seen}{_AFTER}")
