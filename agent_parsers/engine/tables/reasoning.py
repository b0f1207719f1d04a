"""Reasoning blocks: the markers of all model families, and the table transitions for them."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Final

from agent_parsers.engine.markers.kinds import Literal, Marker, spelt_texts
from agent_parsers.engine.tables.guards import (
    begins_the_text,
    closes_the_outermost,
    opens_no_other,
    outside_of_ticks,
)
from agent_parsers.engine.tables.table import Go, Part, Table, Transition

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
    ("◁think▷", "◁/think▷"),
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

OPENS_NO_OTHER: Final = (outside_of_ticks, opens_no_other)
"""Guards of a mark that opens a thought, within that thought: it counts only at the beginning."""
CLOSES_OUTERMOST: Final = (outside_of_ticks, closes_the_outermost)
"""Guards of a mark that closes a thought."""

_END_TOKENS: Final = {"<|end|>", "<|end_message|>"}
"""They close reasoning but also end a turn, so they count only if reasoning was opened before."""
_ODD: Final = "accepted the reasoning marks of another family of models"


def other_reasoning(*own: str) -> tuple[tuple[str, str], ...]:
    """Return `REASONING` without the pairs that are opened by one of the markers *own*."""
    return tuple(marks for marks in REASONING if marks[0] not in own)


def with_reasoning(table: Table, pairs: Sequence[tuple[str, str]]) -> Table:
    """Return *table*, whose turns may have several calls, with other families' reasoning blocks.

    No call counts inside a block, and only the second marker of one of the *pairs* ends what the
    first opened. A closing marker without an opening one ends a thought that the prompt opened.
    Markers of the table keep their meaning.
    """
    known = {text: name for name, mark in table.markers.items() for text in spelt_texts(mark)}
    home = table.initial
    talking = [name for name, part in table.parts.items() if part in (Part.CONTENT, Part.CALL)]
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
            (opens, opens): Go(opens, guards=OPENS_NO_OTHER),
            **{(opens, name): transition for name, transition in over},
        }
        transitions[opens, end] = Go(home, closes=True, guards=CLOSES_OUTERMOST)
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


def with_calls_in_thoughts(table: Table) -> Table:
    """Return a *table* of several calls that also reads calls in a thought that is still open.

    For each thought, there is a state inside such a call, and one after it, from which more calls
    may follow. Whatever else may follow the thought may follow the calls.
    """
    home, states = table.initial, table.parts
    opens = {
        name: go.to
        for (state, name), go in table.transitions.items()
        if state == home and name in table.acting
    }
    inside = {*opens.values()}  # the states of calls, and those between the calls of a group
    rows: dict[tuple[str, str], Transition] = {**table.transitions}
    inside |= {
        go.to for (state, _), go in rows.items() if state in inside and states[go.to] is Part.CALL
    } - {home}
    goes = [(name, go) for (state, name), go in rows.items() if state in inside]
    calls = {name for name, go in goes if go.to in inside and states[go.to] is Part.CALL}
    closers = {name for name, go in goes if isinstance(go, Go) and go.closes and not go.unopened}
    skips = [
        (name, go)
        for (state, name), go in rows.items()
        if (state in inside or state == home) and states[go.to] is Part.SKIPPED
    ]
    # Behind an answer block, a turn may go on, so that its end closes no more than a call does.
    open_ends = {
        state for (state, _), go in rows.items() if states[state] is Part.SKIPPED and go.to == home
    }
    inner_ends = {name for name, go in skips if go.to in open_ends}
    over = {
        name: go._replace(guards=(begins_the_text,)) for name, go in skips if go.to not in open_ends
    }
    parts, ends = {**states}, {**table.ends}
    drafts: list[str] = []
    for thought in [state for state, part in states.items() if part is Part.THOUGHT and opens]:
        call, behind = f"call in {thought}", f"{thought} behind a call"
        to = {name: call if states[state] is Part.CALL else behind for name, state in opens.items()}
        parts |= {call: Part.CALL, behind: Part.THOUGHT}
        if thought in ends:
            ends[behind] = ends[thought]
        drafts += call, behind
        after = over | {
            name: Go(thought, closes=True) if go.to == thought else go
            for (state, name), go in table.transitions.items()
            if state == thought
        }
        after |= {name: Go(behind, closes=True) for name in closers}
        after |= {name: Go(behind, closes=True, guards=(begins_the_text,)) for name in inner_ends}
        after |= {name: Go(to.get(name, call)) for name in (*calls, *opens)}
        rows |= {(thought, name): Go(state) for name, state in to.items()}
        rows |= {(state, name): go for state in (call, behind) for name, go in after.items()}
    return table.rewritten(parts=parts, transitions=rows, ends=ends, drafts=drafts)
