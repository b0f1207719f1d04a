"""Rewritings: functions from table to table, one for each thing that a mode of reading adds.

A dialect declares two tables, strict and lenient. `table_for` is the recipe that makes the table of
a mode from them; the reader compiles what comes out and knows no mode.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING, Final

from agent_parsers.engine.markers.kinds import Label, Literal, Marker, spelt_texts
from agent_parsers.engine.repairs.names import repair_called_name
from agent_parsers.engine.tables.guards import (
    dressed_alike,
    outside_of_code,
    outside_of_quotations,
    outside_of_values,
)
from agent_parsers.engine.tables.modes import STRICT
from agent_parsers.engine.tables.reasoning import with_calls_in_thoughts, with_reasoning
from agent_parsers.engine.tables.table import EndTurn, Go, Note, Part, Table, Transition

if TYPE_CHECKING:
    from agent_parsers.engine.markers.mentions import Given
    from agent_parsers.engine.tables.dialect import Dialect
    from agent_parsers.engine.tables.modes import Mode, OnConflict

CUT: Final = "after the end of the turn"
"""Name of the state after the end of a turn."""
_OPENED: Final = "thought opened by the prompt"
_INVENTED: Final = "text of another turn"

END_TOKENS: Final = (
    *map(Literal, (
        "<|im_end|>", "<|eot_id|>", "<|eom_id|>", "<|endoftext|>", "<|end_of_text|>",
        "<end_of_turn>",
    )),
    Literal("</s>", last=True, unless="<s>"),  # elsewhere it closes text that is struck out
)  # fmt: skip
"""Special tokens that end a turn; a server that does not know the template leaves them in."""

_VALUES: Final = {Part.INPUT, Part.ANSWER}
"""The parts that may hold any text."""
_TURN: Final = {Part.TOOL, Part.INPUT, Part.CALL, Part.ANSWER, Part.CONTENT}
"""The parts of a turn other than thoughts."""


def table_for(dialect: Dialect, mode: Mode, on_conflict: OnConflict = "error") -> Table:
    """Return the table with which *dialect* is read in *mode*."""
    table = with_dressed_results(dialect.strict if mode in STRICT else dialect.lenient)
    is_run = mode == "transcript"
    if table.several:
        table = with_given(table, dialect.given)
    if table.lenient and table.read_tool is None:
        table = table.rewritten(read_tool=repair_called_name)
    if table.lenient and table.several:
        table = with_calls_in_thoughts(with_reasoning(table, dialect.reasoning))
    elif table.lenient and not is_run:
        table = with_quotations(table)
    if table.lenient and not is_run:
        table = with_end_tokens(table)
    if table.lenient and not table.several:
        table = with_thoughts(table, dialect.reasoning, is_run=is_run)
    return many_turns(table) if is_run else one_turn(table, on_conflict)


def with_dressed_results(table: Table) -> Table:
    """Return *table* where an observation label ends a value only if formatted like its label.

    A model that invents an observation formats its label like its own labels. Any other formatted
    label in a value may just as well be a YAML key or the heading of a report.
    """
    rows = dict(table.transitions)
    for (state, name), transition in table.transitions.items():
        marker = table.markers[name]
        is_loose = isinstance(marker, Label) and marker.loose and transition.firm
        to = table.parts[transition.to]
        if is_loose and to is Part.OBSERVATION and table.parts[state] in _VALUES:
            rows[state, name] = transition._replace(firm=False, guards=(dressed_alike,))
    return table.rewritten(transitions=rows)


def with_quotations(table: Table) -> Table:
    """Return *table* with a guard: in inputs and answers, a quoted label is plain text."""
    rows = dict(table.transitions)
    for (state, name), transition in table.transitions.items():
        if table.parts[state] in _VALUES and not isinstance(table.markers[name], Literal):
            guards = (*transition.guards, outside_of_quotations)
            rows[state, name] = transition._replace(guards=guards)
    return table.rewritten(transitions=rows)


def with_given(table: Table, given: Sequence[Given]) -> Table:
    """Return *table* with the markers of text that is *given* to the model; they end the turn.

    The text may quote or mention them, and so may a value of a call. In a thought they are text.
    """
    own = [text for marker in table.markers.values() for text in spelt_texts(marker)]
    marks = {
        mark.canonical: mark
        for mark in given
        if not any(o.startswith(mark.canonical) or mark.canonical.startswith(o) for o in own)
    }
    guards = (outside_of_code, outside_of_values)
    goes_on = {at for (at, _), row in table.transitions.items() if table.parts[row.to] in _TURN}
    rows = {
        (state, mark): EndTurn(state, guards=guards)
        for state, part in table.parts.items()
        if part in _TURN or (part is Part.SKIPPED and state in goes_on)
        if state not in table.drafts
        for mark in marks
    }
    return table.rewritten(
        markers={**table.markers, **marks}, transitions={**table.transitions, **rows}
    )


def with_end_tokens(table: Table) -> Table:
    """Return *table* with the special tokens of other models; they end the turn."""
    own = {text for marker in table.markers.values() for text in spelt_texts(marker)}
    tokens = {token.canonical: token for token in END_TOKENS if token.canonical not in own}
    rows = {
        (state, token): EndTurn(state)
        for state, part in table.parts.items()
        if part in _TURN or part is Part.THOUGHT
        for token in tokens
    }
    return table.rewritten(
        markers={**table.markers, **tokens}, transitions={**table.transitions, **rows}
    )


def with_thoughts(table: Table, pairs: Sequence[tuple[str, str]], *, is_run: bool) -> Table:
    """Return a *table* of one call that also reads blocks of reasoning, between *pairs* of marks.

    A block that is closed but was not opened was opened by the prompt: all text before is
    reasoning. Outside thoughts this counts only at the beginning of a line, since text may mention
    the markers. Only reasoning may precede a call. In a run of many turns, blocks count only within
    thoughts, and no prompt has opened one.
    """
    home = table.initial
    markers: dict[str, Marker] = {**table.markers}
    parts = {**table.parts}
    rows: dict[tuple[str, str], Transition] = {**table.transitions}
    starts: dict[str, str] = {}
    prompt_ends: dict[str, str] = {}
    ends: dict[str, str] = {}
    for opens, closes in pairs:
        block = f"{opens} {closes}"
        markers |= {opens: Literal(opens), closes: Literal(closes)}
        parts[block] = Part.THOUGHT
        end = Go(home, breaks_line=True)
        rows[block, closes] = end
        for state, part in table.parts.items():
            if part is Part.THOUGHT:
                rows |= {(state, opens): Go(block), (state, closes): end}
            elif part in _TURN and not is_run:
                for marker, transition in _late_thought(table, state, (opens, closes), block):
                    markers[marker] = Literal(marker)
                    rows[state, marker] = transition
        if is_run:
            continue
        ends[block] = "open_reasoning"
        parts[_OPENED], ends[_OPENED] = Part.THOUGHT, "open_reasoning"
        rows |= {(_OPENED, closes): end, (_OPENED, opens): Go(_OPENED)}  # the prompt's, repeated
        starts |= {"content": home, "thought": _OPENED}
        prompt_ends |= {opens: _OPENED, closes: home}
    return table.rewritten(
        markers=markers,
        parts=parts,
        transitions=rows,
        ends={**table.ends, **ends},
        starts={**table.starts, **starts},
        prompt_ends={**table.prompt_ends, **prompt_ends},
    )


def _late_thought(
    table: Table, state: str, marks: tuple[str, str], block: str
) -> Iterator[tuple[str, Transition]]:
    """Yield markers of reasoning in a *state* behind the thought, and what they do there."""
    is_call = table.parts[state] is Part.CALL
    has_reader = state in table.begun or state in table.begun.values()
    begins = "" if has_reader else "\n"  # the call reader knows what is in a string
    # Until its call begins, the text is a thought.
    drops = "" if state in table.begun else "the text before {} is reasoning, not part of the turn"
    opens, closes = (begins + mark for mark in marks)
    # If reasoning was closed before, the answer goes on after the marker.
    is_answer = table.parts[state] is Part.ANSWER
    yield closes, Go(table.initial, drops=drops, unopened=is_answer, breaks_line=True)
    if is_call:
        yield opens, Go(block, drops=drops)


def one_turn(table: Table, on_conflict: OnConflict = "error") -> Table:
    """Return *table* for a single turn, which ends where another turn begins.

    If the turn has both an action and an answer, *on_conflict* says which part counts.
    """
    parts, ends = {**table.parts}, {**table.ends}
    beside_action: set[str] = set()
    noted = {(t.to, of) for (of, _), t in table.transitions.items() if isinstance(t, Note)}
    again = {
        (state, to)
        for state, to in {*noted, *((name, name) for name in parts)}
        if table.lenient and {parts[state], parts[to]} == {Part.ANSWER}
    }
    over = CUT if table.lenient else _INVENTED  # to leave out what follows is a repair

    def in_turn(state: str, transition: Transition) -> Transition:
        to = transition.to
        if isinstance(transition, EndTurn):
            parts[over] = Part.SKIPPED
            if not table.lenient:
                ends[over] = "invented_after"
            return Go(over, firm=transition.firm, guards=transition.guards)
        if isinstance(transition, Note):
            if table.ends.get(to) != "action_and_answer" or on_conflict not in ("first", "answer"):
                return transition
            ends.pop(to, None)
            return transition._replace(drops="{} and what follows it are part of the answer")
        clash = transition.clash
        # Of several answers the last counts, which is reported.
        if transition.restarts or (not clash and (state, to) in again):
            return transition._replace(drops="dropped the text before {}")
        if not clash:
            return transition
        is_answer = parts[to] is Part.ANSWER
        if clash == "action_and_answer" and on_conflict == ("answer" if is_answer else "action"):
            left_out = "action" if is_answer else "answer"
            return transition._replace(drops=f"dropped the {left_out} before {{}}")
        # An answer is kept, since the action beside it may turn out to name no tool.
        part = Part.ANSWER if is_answer else Part.SKIPPED
        to = f"{part.name.lower()} with the problem {clash}"
        parts[to] = part
        if clash != "action_and_answer" or on_conflict == "error":
            ends[to] = clash
        elif is_answer:
            beside_action.add(to)
        return transition._replace(to=to)

    rows = {row: in_turn(row[0], transition) for row, transition in table.transitions.items()}
    return table.rewritten(parts=parts, transitions=rows, ends=ends, beside_action=beside_action)


def many_turns(table: Table) -> Table:
    """Return *table* for a transcript, in which one step follows another."""
    start = table.transcript_start or table.initial
    rows = {
        row: Go(transition.to, firm=transition.firm, guards=transition.guards)
        if isinstance(transition, EndTurn)
        else transition
        for row, transition in table.transitions.items()
        if isinstance(transition, EndTurn) or not transition.in_turn
    }
    return table.rewritten(
        parts={start: table.parts[start], **table.parts}, transitions=rows, is_run=True
    )
