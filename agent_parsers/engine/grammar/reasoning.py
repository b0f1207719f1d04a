"""Reasoning blocks: the markers of all model families, and the table transitions for them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Final

from agent_parsers.engine.grammar.table import Go, Part, Table, Transition
from agent_parsers.engine.markers.kinds import Literal, spelt_texts

if TYPE_CHECKING:
    from collections.abc import Sequence

    from agent_parsers.engine.markers.kinds import Marker

__all__ = ["REASONING", "other_reasoning", "with_reasoning"]

REASONING: Final[tuple[tuple[str, str], ...]] = (
    ("<think>", "</think>"),
    ("<thinking>", "</thinking>"),
    ("<reasoning>", "</reasoning>"),
    ("<think:opensource>", "</think:opensource>"),
    ("<think:6124c78e>", "</think:6124c78e>"),
    ("<seed:think>", "</seed:think>"),
    ("<longcat_think>", "</longcat_think>"),
    ("<mm:think>", "</mm:think>"),
    ("<ifm|think>", "</ifm|think>"),
    ("<|open|>think<|sep|>", "<|close|>think<|sep|>"),
    ("<|plamo:begin_think:plamo|>", "<|plamo:end_think:plamo|>"),
    ("<|inner_prefix|>", "<|inner_suffix|>"),
    ("<|content_thinking|>", "<|end_message|>"),
    ("[THINK]", "[/THINK]"),
    ("<|START_THINKING|>", "<|END_THINKING|>"),
    ("<|channel>thought", "<channel|>"),
    ("<|channel|>analysis<|message|>", "<|end|>"),
)
"""What opens and closes reasoning in any family of models: special tokens and tags, not prose."""

_END_TOKENS: Final = {"<|end|>", "<|end_message|>"}
"""Closes reasoning but also ends a turn, so it counts only if the reasoning was opened before."""
_ODD: Final = "read reasoning in marks that the dialect does not write"


def other_reasoning(*own: str) -> tuple[tuple[str, str], ...]:
    """Return `REASONING` without the pairs that the markers *own* open."""
    return tuple(marks for marks in REASONING if marks[0] not in own)


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
    return table.rewritten(
        markers=markers,
        parts=parts,
        transitions=transitions,
        starts=starts,
        prompt_ends=prompt_ends,
        ends={**table.ends, **ends},
    )
