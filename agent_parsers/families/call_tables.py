"""The tables of tool-call dialects of open models: thoughts, content, and blocks of calls."""

from __future__ import annotations

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import TYPE_CHECKING, Final

from agent_parsers.engine.calls.marks import Before
from agent_parsers.engine.markers.kinds import Literal, Marker
from agent_parsers.engine.tables.reasoning import CLOSES_OUTERMOST, OPENS_NO_OTHER
from agent_parsers.engine.tables.table import Go, Part, Table, Transition
from agent_parsers.families.results_writer import TAGS

if TYPE_CHECKING:
    from agent_parsers.engine.calls.reader import CallReader
    from agent_parsers.forms.form import Marks

_PARTS: Final = {"thought": Part.THOUGHT, "said": Part.CONTENT}
_ODD: Final = "accepted a mark that this dialect does not use"


def calls_table(
    new_call: Callable[[], CallReader],
    *,
    call: Marks | None,
    region: Marks | None = None,
    thought: Marks | None = TAGS,
    ends: tuple[str, ...] = (),
    drafts: Collection[str] = (),
    lenient: bool = False,
    bare: Callable[[], CallReader] | None = None,
    also: Mapping[str, tuple[str, ...]] | None = None,
    odd_marks: Sequence[Marks] = (),
    is_word: bool = False,
) -> Table:
    """Return a table for turns of thoughts, content and blocks of calls.

    Args:
        new_call: Makes the call reader of a block.
        call: What opens and closes a block. If the closer is ``""``, the call reader decides where
            the call ends and content follows. `None` if only `bare` finds calls.
        region: What opens and closes the group of all blocks, if the dialect has one; ``""`` if
            nothing closes it. A block outside of it is an error, which lenient mode repairs.
        thought: What opens and closes a thought; `None` if the dialect has no thoughts.
        ends: Markers that end the turn.
        drafts: Markers that open no more than drafts in a thought, see `CallFormat`.
        lenient: Whether to read what models really write.
        bare: Makes the reader of content, if content may contain calls without a marker.
        also: Other spellings of markers, see `CallFormat`.
        odd_marks: Other marks of a block that lenient mode reads, see `CallFormat`.
        is_word: Whether what opens a block is also a word of prose, see `CallFormat`.
    """
    odd: set[str] = set()  # the names of markers that are reported
    openers = [opener for opener, _ in odd_marks] if lenient else []
    if openers and not (call and call[1]):
        odd = {"end of call"} if call else {"call", "end of call"}
        call = (call[0] if call else openers.pop(0), odd_marks[0][1])
    pairs = {"call": call, "region": region, "thought": thought}
    spelt = {name: pair[0] for name, pair in pairs.items() if pair}
    spelt |= {f"end of {name}": pair[1] for name, pair in pairs.items() if pair and pair[1]}
    markers: dict[str, Marker] = {
        **{name: Literal(text, (also or {}).get(name, ())) for name, text in spelt.items()},
        **{f"end {end}": Literal(end) for end in ends},
    }
    if call and is_word:
        markers["call"] = Before(call[0])
    begins = {"call": Go("call")} if call else {}
    transitions: dict[tuple[str, str], Go] = {}
    if call is not None:
        transitions["call", "call"] = Go("call")  # the first call lacks its closer
    inside, holding = "content", ["content"]  # the state between blocks; the states with content
    if region is not None:
        odd_call = Go("call", odd="accepted a call without the marks around all calls")
        begins = {"call": odd_call if lenient else Go("call", clash="unenclosed_call")}
        begins["region"] = Go("region")
        inside, holding = "region", ["content", "region"]
        if region[1]:
            ended = Go("content", closes=True)
            transitions |= {(state, "end of region"): ended for state in (*holding, "call")}
        transitions |= {("region", name): Go(name) for name in begins}
    if call and call[1]:
        closed = partial(Go, closes=True, of_call="stray_closer")
        transitions |= {(state, "end of call"): closed(state) for state in holding}
        transitions["call", "end of call"] = Go(inside, closes=True)
    elif call:
        holding.append("call")
    transitions |= {("content", name): go for name, go in begins.items()}
    if thought is not None:
        if lenient and call and call[1]:
            holding.append("call")
        transitions |= {(state, "thought"): Go("thought") for state in holding}
        transitions["thought", "thought"] = Go("thought", guards=OPENS_NO_OTHER)
        # The prompt may have opened the thought that ends here.
        late = "" if lenient else "call_in_thought"  # the thought may have quoted the call
        ended = Go("content", closes=True, restarts=lenient, late=late, unopened=True)
        transitions |= {(state, "end of thought"): ended for state in holding}
        ends_it = Go("content", closes=True, guards=CLOSES_OUTERMOST)
        transitions["thought", "end of thought"] = ends_it
    parts = {"content": Part.CONTENT if bare is None else Part.CALL}
    parts |= {"call": Part.CALL} if call else {}
    parts |= {"region": Part.CONTENT} if region else {}
    parts |= {"thought": Part.THOUGHT} if thought else {}
    for end in ends:
        transitions |= {(state, f"end {end}"): Go("over") for state in parts}
    transitions = {
        key: transition._replace(odd=_ODD) if key[1] in odd else transition
        for key, transition in transitions.items()
    }
    acting = [name for name in begins if name not in drafts]
    for opener in openers:
        acting.append(f"call after {opener}")
        markers[f"call after {opener}"] = Literal(opener)
        transitions |= {
            (state, f"call after {opener}"): transition._replace(odd=_ODD)
            for (state, name), transition in transitions.items()
            if name == "call"
        }
    return Table(
        new_call=new_call,
        readers={"content": bare} if bare else {},
        markers=markers,
        parts=parts | ({"over": Part.SKIPPED} if ends else {}),
        transitions=transitions,
        ends={name: "open_reasoning" for name, part in parts.items() if part is Part.THOUGHT},
        acting=acting if lenient else (),
        regions=("region",) if region else (),
        several=True,
        starts={name: name for name in ("content", "thought") if name in parts},
        prompt_ends={thought[0]: "thought", thought[1]: "content"} if thought else {},
        lenient=lenient,
        one_line_tools=True,
    )


def with_sentences(table: Table, opens: Marker, closes: Marker) -> Table:
    """Return *table* with thoughts between *opens* and *closes*.

    These are sentences. No other dialect reads them as marks of a thought, since they are prose.
    """
    ends = {
        ("thought", name): go
        for (state, name), go in table.transitions.items()
        if state == "content" and table.parts[go.to] is Part.SKIPPED
    }
    return replace(
        table,
        markers={**table.markers, "thought": opens, "end of thought": closes},
        parts={**table.parts, "thought": Part.THOUGHT},
        transitions={
            **table.transitions,
            **{(state, "thought"): Go("thought") for state in ("content", "call")},
            ("thought", "end of thought"): Go("content", closes=True),
            **ends,
        },
        ends={**table.ends, "thought": "open_reasoning"},
        starts={**table.starts, "thought": "thought"},
        prompt_ends={**table.prompt_ends, opens.canonical: "thought"},
    )


def with_messages(table: Table, thought: str, said: str) -> Table:
    """Return *table* with thoughts and content in messages, which all end as a call does.

    A message that is *said* is an answer, or content beside calls; empty if nothing opens one.
    """
    opened = {"thought": thought, "said": said} if said else {"thought": thought}
    late = "" if table.lenient else "call_in_thought"  # the thought may have quoted the call
    rows: dict[tuple[str, str], Transition] = {
        # The prompt may have opened the thought that ends here.
        ("content", "end of call"): Go(
            "content", closes=True, restarts=table.lenient, late=late, unopened=True
        ),
        ("thought", "thought"): Go("thought", guards=OPENS_NO_OTHER),
        ("thought", "end of call"): Go("content", closes=True, guards=CLOSES_OUTERMOST),
    }
    if not table.lenient:
        rows["thought", "call"] = Go("call", clash="call_in_thought")
    for (state, name), row in table.transitions.items():
        if state == "content" and said:
            rows["said", name] = row
        if state == "content" and table.parts[row.to] is Part.SKIPPED:
            rows["thought", name] = row
    for name in opened:
        rows |= {(state, name): Go(name) for state in ("content", "call")}
    if said:
        rows["said", "thought"] = Go("thought")
    return replace(
        table,
        markers={**table.markers, **{name: Literal(text) for name, text in opened.items()}},
        parts={**table.parts, **{name: _PARTS[name] for name in opened}},
        transitions={**table.transitions, **rows},
        ends={**table.ends, "thought": "open_reasoning"},
        starts={**table.starts, **{name: name for name in opened}},
        prompt_ends={**table.prompt_ends, **{text: name for name, text in opened.items()}},
    )


@dataclass(frozen=True)
class AnswerBlock:
    """Adds marks around answers to a table, see `with_answer_block`."""

    opener: str
    """What opens an answer."""
    closer: str
    """What closes it; empty if only the end of the turn does."""

    def __call__(self, table: Table) -> Table:
        """Return *table* with the marks."""
        if self.closer:
            marks = {"answer": Literal(self.opener), "end of answer": Literal(self.closer)}
            return with_answer_block(table, marks, {})
        return replace(
            table,
            markers={**table.markers, "answer": Literal(self.opener)},
            transitions={**table.transitions, ("content", "answer"): Go("content")},
        )


def with_answer_block(
    table: Table, markers: Mapping[str, Marker], rows: Mapping[tuple[str, str], Transition]
) -> Table:
    """Return a *table* of calls with content between ``"answer"`` and ``"end of answer"``.

    Whatever may follow content, another block among it, may follow a block; other text behind it is
    left out. The *markers* have these two, and perhaps others, with further transitions in *rows*.
    """
    content = {name: row for (state, name), row in table.transitions.items() if state == "content"}
    return replace(
        table,
        markers={**table.markers, **markers},
        parts={**table.parts, "answered": Part.SKIPPED},
        transitions={
            **table.transitions,
            ("content", "answer"): Go("content"),
            ("content", "end of answer"): Go("answered"),
            **{("answered", name): row for name, row in content.items()},
            ("answered", "answer"): Go("content"),
            **rows,
        },
    )
