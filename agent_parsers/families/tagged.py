"""What the dialects have in common whose parameters are tagged: their tables."""

from __future__ import annotations

from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING, Final

from agent_parsers.engine.calls.tags.calls import TaggedCalls
from agent_parsers.engine.calls.tags.form import Part
from agent_parsers.engine.calls.tags.marks import CallStart, Wrapper
from agent_parsers.engine.grammar.table import Go, Role
from agent_parsers.engine.markers.kinds import Literal
from agent_parsers.families.call_blocks import calls_table
from agent_parsers.families.turn_writer import TAGS

if TYPE_CHECKING:
    from agent_parsers.engine.calls.tags.form import TaggedForm
    from agent_parsers.engine.grammar.table import Move, Table
    from agent_parsers.engine.markers.kinds import Marker

__all__ = ["tagged_table"]

_AFTER: Final = "after"
_BARE: Final = "call without a wrapper"
_END: Final = "end of another wrapper"


def tagged_table(
    form: TaggedForm,
    *,
    thought: tuple[str, str] = TAGS,
    other_thought: tuple[str, str] | None = None,
    ends: tuple[str, ...] = (),
    drafts: bool = True,
) -> Table:
    """Return a table for turns of thoughts, content and blocks of tagged calls.

    What wraps calls opens a block, and leniently a call that nothing wraps does, if it begins a
    line and more of it follows than the name of a tool; without a wrapper each call is a block. A
    call that nothing wraps is a draft in a thought. What closes a value behind a block tells that a
    value was not over: the turn is refused.

    Args:
        form: How calls are written.
        thought: What opens and closes a thought.
        other_thought: What does so too, leniently.
        ends: What ends the turn.
        drafts: Whether a block in a thought is always a draft. If not, it is read, leniently, in a
            thought that is still open, if the text ends behind it.
    """
    tags = form.tags
    wrapped = Part.WRAP in tags
    opener, closer = (Part.WRAP, Part.END_WRAP) if wrapped else (Part.CALL, Part.END_CALL)
    also = {"call": tags[opener].others, "end of call": tags[closer].others}
    if other_thought is not None:
        also |= {"thought": other_thought[:1], "end of thought": other_thought[1:]}
    mark = tags[Part.CALL].canonical
    is_whole = mark[-1] == ">"  # else it goes on, and the reader has to have all of it
    new_call = partial(TaggedCalls, form, mark if is_whole and not wrapped else mark[0])
    table = calls_table(
        partial(TaggedCalls, form) if wrapped else new_call,
        call=(tags[opener].canonical, tags[closer].canonical),
        thought=thought,
        ends=ends,
        drafts=drafts or (),
        mends=form.mends,
        also=also if form.mends else {},
    )
    markers: dict[str, Marker] = {**table.markers}
    moves: dict[tuple[str, str], Move] = {}
    roles = {**table.roles, _AFTER: Role.CONTENT}
    readers = {}
    content = [(name, move) for (state, name), move in table.moves.items() if state == "content"]
    stray = tags.get(Part.END_VALUE)
    if stray is not None and stray.canonical[-1] == ">":
        markers["end of value"] = Literal(stray.canonical)
        moves[_AFTER, "end of value"] = Go(_AFTER, clash="two_ends")
    if not wrapped and not is_whole:
        markers["call"] = CallStart.of(form, is_usual=True)
    elif wrapped and form.mends:
        markers["call"] = Wrapper.of(form)
        markers[_BARE] = CallStart.of(form, is_usual=False)
        roles[_BARE] = Role.CALL
        readers[_BARE] = new_call
        moves |= {(_BARE, name): _later(move, "content") for name, move in content}
        # It comes first, as it takes only the first character of what others may begin with, too.
        bare = Go(_BARE, odd="read a call without what encloses calls")
        moves |= {("content", _BARE): bare, (_AFTER, _BARE): bare}
        if borrowed := tags[closer].borrowed:
            markers[_END] = Literal(borrowed[0], borrowed[1:])
            closes = Go(_AFTER, closes=True, odd="read what closes the calls of another dialect")
            moves |= {(state, _END): closes for state in ("call", _BARE, _AFTER)}
    for (state, name), move in table.moves.items():
        moves[state, name] = _later(move, "content") if state == "call" else move
    for name, move in content:
        moves["content", name] = move
        moves[_AFTER, name] = _later(move, "content")
    return replace(table, markers=markers, roles=roles, moves=moves, readers=readers)


def _later(move: Move, before: str) -> Move:
    """Return what a *move* is behind a block, where it would lead to the state *before*."""
    if isinstance(move, Go) and move.to == before and not move.restarts:
        return move._replace(to=_AFTER)
    return move
