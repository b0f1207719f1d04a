"""Reasoning blocks: the markers of all model families, and the table transitions for them."""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Final

from typing_extensions import override

from agent_parsers.engine.grammar.table import Go, Part, Table, Transition
from agent_parsers.engine.markers.kinds import ENDS_SENTENCE, MOST, Ahead, Literal, spelt_texts

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from agent_parsers.engine.markers.kinds import Atom, Marker

__all__ = ["REASONING", "WINDOW", "Nameable", "is_spoken_of", "other_reasoning", "with_reasoning"]

REASONING: Final[tuple[tuple[str, str], ...]] = (
    ("<think>", "</think>"),
    ("<thinking>", "</thinking>"),
    ("<reasoning>", "</reasoning>"),
    ("<think:opensource>", "</think:opensource>"),
    ("<seed:think>", "</seed:think>"),
    ("<longcat_think>", "</longcat_think>"),
    ("<mm:think>", "</mm:think>"),
    ("[THINK]", "[/THINK]"),
    ("<|START_THINKING|>", "<|END_THINKING|>"),
    ("<|channel>thought", "<channel|>"),
    ("<|channel|>analysis<|message|>", "<|end|>"),
)
"""What opens and closes reasoning in any family of models: special tokens and tags, not prose."""

_END_TOKENS: Final = {"<|end|>"}
"""Closes reasoning but also ends a turn, so it counts only if the reasoning was opened before."""
_ODD: Final = "read reasoning in marks that the dialect does not write"

WINDOW: Final = MOST + 1
"""How many characters after a marker decide whether the text only mentions it."""
_BLANKS: Final = rf"[ \t]{{0,{MOST}}}+"
_AHEAD: Final = Ahead("", pending=_BLANKS, sample="\n")
_ENDS_WORD: Final = frozenset(" \t.,;:!?)]}'\"。，；：！？")
_QUOTES: Final = {"`": "`", "'": "'", '"': '"', "“": "”", "‘": "’", "«": "»", "(": ")"}


def other_reasoning(*own: str) -> tuple[tuple[str, str], ...]:
    """Return `REASONING` without the pairs that the markers *own* open."""
    return tuple(marks for marks in REASONING if marks[0] not in own)


@dataclass(frozen=True, slots=True)
class Nameable(Literal):
    """A marker that text may mention: the rest of its line decides whether it counts."""

    @override
    def spellings(self) -> Iterator[tuple[Atom, ...]]:
        """Yield the atoms of each spelling."""
        for spelling in Literal.spellings(self):
            yield *spelling, _AHEAD


def is_spoken_of(last: str, blank: str, after: str) -> bool:
    """Return whether the text only mentions a marker in the middle of a line.

    A marker is mentioned if it is quoted, or a word among others: ``write </think> to close it``. A
    marker counts if it begins or ends its line, touches a word, or follows the end of a sentence.

    Args:
        last: The last character before the marker that is not white space; empty at the beginning.
        blank: The white space before the marker.
        after: The characters after the marker, at most `WINDOW`.
    """
    if not last or "\n" in blank:
        return False
    if not blank and after[:1] and after[0] == _QUOTES.get(last):
        return True
    follows = after.lstrip(" \t")[:1]
    is_word = bool(blank) and last not in ENDS_SENTENCE
    is_last = follows in ("", "\n", "\r") and len(after) < WINDOW
    return is_word and not is_last and after[0] in _ENDS_WORD


def with_reasoning(table: Table, pairs: Sequence[tuple[str, str]]) -> Table:
    """Return a *table* of several calls that also reads the reasoning blocks of other families.

    No call counts inside a block, and only the second marker of a pair ends what the first opened.
    A closing marker without an opening one ends a thought that the prompt opened.

    Args:
        table: The table of the dialect.
        pairs: What opens and closes reasoning. Markers of the table keep their meaning.
    """
    known = {text: name for name, mark in table.markers.items() for text in spelt_texts(mark)}
    home = table.initial
    talking = [
        name
        for name, part in table.parts.items()
        if part in (Part.CONTENT, Part.CALL) and name not in table.drafts
    ]
    over = [
        (name, transition)
        for (state, name), transition in table.transitions.items()
        if state == home and table.parts[transition.to] is Part.SKIPPED
    ]
    markers: dict[str, Marker] = {**table.markers}
    parts = {**table.parts}
    transitions: dict[tuple[str, str], Transition] = {**table.transitions}
    starts, prompt_ends = {"content": home, **table.starts}, {**table.prompt_ends}
    for opens, closes in pairs:
        if any(opens.startswith(text) or text.startswith(opens) for text in known):
            continue
        end = known.get(closes, closes)
        markers |= {opens: Literal(opens)}
        parts[opens] = Part.THOUGHT
        transitions |= {(state, opens): Go(opens, odd=_ODD) for state in talking}
        transitions |= {
            (opens, opens): Go(opens),
            **{(opens, name): transition for name, transition in over},
        }
        transitions[opens, end] = Go(home, closes=True)
        if closes not in known:
            markers[closes] = Literal(closes)
            late = Go(home, closes=True, restarts=True, unopened=True, odd=_ODD)
            if closes not in _END_TOKENS:
                transitions |= {(state, closes): late for state in talking}
        prompt_ends = {opens: opens, **prompt_ends}
        if closes not in _END_TOKENS:
            prompt_ends.setdefault(closes, home)
        starts.setdefault("thought", opens)
    ends = {name: "open_reasoning" for name in parts if name not in table.parts}
    return replace(
        table,
        markers=markers,
        parts=parts,
        transitions=transitions,
        starts=starts,
        prompt_ends=prompt_ends,
        ends={**table.ends, **ends},
    )
