"""Reasoning: the marks of all families, and what lenient reading of calls makes of them."""

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
"""What opens and closes reasoning, in any family of models: tokens and tags, never prose."""

_END_TOKENS: Final = {"<|end|>"}
"""What closes reasoning and ends a turn as well, so that it says nothing unless it was opened."""
_ODD: Final = "read reasoning in marks that the dialect does not write"

WINDOW: Final = MOST + 1
"""How many characters behind a mark say whether the text only speaks of it."""
_BLANKS: Final = rf"[ \t]{{0,{MOST}}}+"
_AHEAD: Final = Ahead("", pending=_BLANKS, sample="\n")
_ENDS_WORD: Final = frozenset(" \t.,;:!?)]}'\"。，；：！？")
_QUOTES: Final = {"`": "`", "'": "'", '"': '"', "“": "”", "‘": "’", "«": "»", "(": ")"}


def other_reasoning(*own: str) -> tuple[tuple[str, str], ...]:
    """Return `REASONING` without the pairs that *own* marks open."""
    return tuple(marks for marks in REASONING if marks[0] not in own)


@dataclass(frozen=True, slots=True)
class Nameable(Literal):
    """A mark that text may name, so that what follows on its line says whether it is meant."""

    @override
    def spellings(self) -> Iterator[tuple[Atom, ...]]:
        """Give the atoms of each spelling."""
        for spelling in Literal.spellings(self):
            yield *spelling, _AHEAD


def is_spoken_of(last: str, blank: str, after: str) -> bool:
    """Tell whether text only speaks of a mark that stands in the middle of a line.

    It is quoted, or a word between others: ``write </think> to close it``. A mark that is meant
    stands at an edge of its line, touches a word, or follows the end of a sentence.

    Args:
        last: The last character before it, but for white space; empty if there is none.
        blank: The white space before it.
        after: The next characters, `WINDOW` at most.
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
    """Return a *table* of several calls that knows the reasoning of other families as well.

    No call counts between two marks of a pair, and only the second of them ends what the first
    opened. Where it opened nothing, the prompt did.

    Args:
        table: What the dialect says.
        pairs: What opens and closes reasoning. Marks that the table has keep their meaning.
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
