"""The tables of the dialects that write parameters in tags."""

from __future__ import annotations

from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING, Final

from agent_parsers.engine.calls.tags.calls import TaggedCalls
from agent_parsers.engine.calls.tags.form import TagPart
from agent_parsers.engine.calls.tags.marks import CallStart, Wrapper
from agent_parsers.engine.grammar.table import Go, Part
from agent_parsers.engine.markers.kinds import Literal
from agent_parsers.families.call_blocks import calls_table
from agent_parsers.families.turn_writer import TAGS

if TYPE_CHECKING:
    from agent_parsers.engine.calls.tags.form import TaggedForm
    from agent_parsers.engine.grammar.table import Table, Transition
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

    A wrapper around calls opens a block; in a form without a wrapper, each call is a block. In
    lenient mode, a call without its wrapper is a block too if it begins a line and has more than
    the name of a tool; in a thought, such a call is a draft. A closing tag of a value after a block
    shows that the value had not ended, so the turn is refused.

    Args:
        form: The form of calls.
        thought: What opens and closes a thought.
        other_thought: Other markers that do so in lenient mode.
        ends: Markers that end the turn.
        drafts: Whether a block in a thought is always a draft. If not, lenient mode reads a block
            in a thought that is still open if the text ends after it.
    """
    tags = form.tags
    wrapped = TagPart.WRAP in tags
    opener, closer = (
        (TagPart.WRAP, TagPart.END_WRAP) if wrapped else (TagPart.CALL, TagPart.END_CALL)
    )
    also = {"call": tags[opener].others, "end of call": tags[closer].others}
    if other_thought is not None:
        also |= {"thought": other_thought[:1], "end of thought": other_thought[1:]}
    mark = tags[TagPart.CALL].canonical
    is_whole = mark[-1] == ">"  # otherwise the tag goes on, and the call reader needs all of it
    new_call = partial(TaggedCalls, form, mark if is_whole and not wrapped else mark[0])
    table = calls_table(
        partial(TaggedCalls, form) if wrapped else new_call,
        call=(tags[opener].canonical, tags[closer].canonical),
        thought=thought,
        ends=ends,
        drafts=drafts or (),
        lenient=form.lenient,
        also=also if form.lenient else {},
    )
    markers: dict[str, Marker] = {**table.markers}
    transitions: dict[tuple[str, str], Transition] = {}
    parts = {**table.parts, _AFTER: Part.CONTENT}
    readers = {}
    content = [
        (name, transition)
        for (state, name), transition in table.transitions.items()
        if state == "content"
    ]
    stray = tags.get(TagPart.END_VALUE)
    if stray is not None and stray.canonical[-1] == ">":
        markers["end of value"] = Literal(stray.canonical)
        transitions[_AFTER, "end of value"] = Go(_AFTER, clash="two_ends")
    if not wrapped and not is_whole:
        markers["call"] = CallStart.of(form, is_usual=True)
    elif wrapped and form.lenient:
        markers["call"] = Wrapper.of(form)
        markers[_BARE] = CallStart.of(form, is_usual=False)
        parts[_BARE] = Part.CALL
        readers[_BARE] = new_call
        transitions |= {
            (_BARE, name): _later(transition, "content") for name, transition in content
        }
        # It comes first, since it takes only one character, with which others may begin too.
        bare = Go(_BARE, odd="read a call without what encloses calls")
        transitions |= {("content", _BARE): bare, (_AFTER, _BARE): bare}
        if borrowed := tags[closer].borrowed:
            markers[_END] = Literal(borrowed[0], borrowed[1:])
            closes = Go(_AFTER, closes=True, odd="read what closes the calls of another dialect")
            transitions |= {(state, _END): closes for state in ("call", _BARE, _AFTER)}
    for (state, name), transition in table.transitions.items():
        transitions[state, name] = _later(transition, "content") if state == "call" else transition
    for name, transition in content:
        transitions["content", name] = transition
        transitions[_AFTER, name] = _later(transition, "content")
    return replace(table, markers=markers, parts=parts, transitions=transitions, readers=readers)


def _later(transition: Transition, before: str) -> Transition:
    """Return a *transition* as it is after a block: to `_AFTER` instead of the state *before*."""
    if isinstance(transition, Go) and transition.to == before and not transition.restarts:
        return transition._replace(to=_AFTER)
    return transition
