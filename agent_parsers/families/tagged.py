"""Calls with their parameters in tags: the payload of such formats, and their tables."""

from __future__ import annotations

import re
from collections.abc import Callable, Collection, Iterable, Mapping
from dataclasses import dataclass, replace
from functools import partial
from typing import TYPE_CHECKING, Any, Final

from typing_extensions import override

from agent_parsers.engine.calls.tags.form import (
    Attributes,
    Element,
    MarkedName,
    Named,
    OwnName,
    TaggedForm,
    TagPart,
    as_text,
    says_nothing,
    truth_values,
)
from agent_parsers.engine.calls.tags.marks import CallStart, Wrapper
from agent_parsers.engine.calls.tags.tagged_calls import TaggedCalls
from agent_parsers.engine.markers.kinds import Literal, Marker
from agent_parsers.engine.tables.table import Go, Part, Table, Transition
from agent_parsers.families.call_blocks import NewCall, Payload
from agent_parsers.families.call_tables import calls_table
from agent_parsers.families.results_writer import TAGS
from agent_parsers.forms.form import CallForm, Marks, ParameterForm, write_value

if TYPE_CHECKING:
    from agent_parsers.engine.calls.tags.form import Tag
    from agent_parsers.families.json_blocks import JsonPayload

_AFTER: Final = "after"
_BARE: Final = "call without a wrapper"
_END: Final = "end of another wrapper"
_WRAPS: Final = (TagPart.WRAP, TagPart.END_WRAP)
_NAME: Final = ' name="'
_HOLE: Final = re.compile(r"\{(\w+)\}").findall
_TAG: Final = re.compile(r"<[^<>]*>").findall
_AFTER_NAME: Final = re.compile(r"""["']?(?: [\w.:-]+="\{is_text\}")?\s*/?>|""").fullmatch
"""Matches what a tag has behind the name in it."""


def tagged_table(
    form: TaggedForm,
    *,
    thought: Marks | None = TAGS,
    ends: tuple[str, ...] = (),
    drafts: Collection[str] = (),
    also: Mapping[str, tuple[str, ...]] | None = None,
) -> Table:
    """Return a table for turns of thoughts, content and blocks of tagged calls.

    A wrapper around calls opens a block; in a form without a wrapper, each call is a block. In
    lenient mode, a call without its wrapper is a block too if it begins a line and has more than
    the name of a tool; in a thought, such a call is a draft. A closing tag of a value after a block
    shows that the value had not ended, so the turn is refused.

    Args:
        form: The form of calls.
        thought: What opens and closes a thought.
        ends: Markers that end the turn.
        drafts: Markers that open no more than drafts in a thought, see `CallFormat`.
        also: Other spellings that lenient mode reads, see `CallFormat`.

    Raises:
        ValueError: *also* has spellings of the tags around calls, which belong to the tags.
    """
    if also and not also.keys().isdisjoint(("call", "end of call")):
        raise ValueError("pass other spellings of tags as spellings= of the TaggedPayload")
    tags = form.tags
    wrapped = TagPart.WRAP in tags
    opener, closer = (
        (TagPart.WRAP, TagPart.END_WRAP) if wrapped else (TagPart.CALL, TagPart.END_CALL)
    )
    others = {**(also or {}), "call": tags[opener].others, "end of call": tags[closer].others}
    mark = tags[TagPart.CALL].canonical
    is_whole = mark[-1] == ">"  # otherwise the tag goes on, and the call reader needs all of it
    new_call = partial(TaggedCalls, form, mark if is_whole and not wrapped else mark[0])
    table = calls_table(
        partial(TaggedCalls, form) if wrapped else new_call,
        call=(tags[opener].canonical, tags[closer].canonical),
        thought=thought,
        ends=ends,
        drafts=drafts,
        lenient=form.lenient,
        also=others if form.lenient else {},
    )
    markers: dict[str, Marker] = {**table.markers}
    transitions: dict[tuple[str, str], Transition] = {}
    parts = {**table.parts, _AFTER: Part.CONTENT}
    readers = {}
    content = [
        (name, row) for (state, name), row in table.transitions.items() if state == "content"
    ]
    stray = tags.get(TagPart.END_VALUE)
    if form.lenient and stray is not None and stray.canonical[-1] == ">":
        markers["end of value"] = Literal(stray.canonical)
        transitions[_AFTER, "end of value"] = Go(_AFTER, clash="ambiguous_end")
    if not wrapped and not is_whole:
        markers["call"] = CallStart.of(form, is_usual=True)
    elif wrapped and form.lenient:
        markers |= {"call": Wrapper.of(form), _BARE: CallStart.of(form, is_usual=False)}
        parts[_BARE] = Part.CALL
        readers[_BARE] = new_call
        transitions |= {(_BARE, name): _later(transition) for name, transition in content}
        # It comes first, since it takes only one character, with which others may begin too.
        bare = Go(_BARE, odd="accepted a call without the marks around calls")
        transitions |= {("content", _BARE): bare, (_AFTER, _BARE): bare}
        if borrowed := tags[closer].borrowed:
            markers[_END] = Literal(borrowed[0], borrowed[1:])
            closes = Go(_AFTER, closes=True, odd="accepted the closing marks of another dialect")
            transitions |= {(state, _END): closes for state in ("call", _BARE, _AFTER)}
    for (state, name), transition in table.transitions.items():
        transitions[state, name] = _later(transition) if state == "call" else transition
    transitions |= {(_AFTER, name): _later(transition) for name, transition in content}
    return replace(table, markers=markers, parts=parts, transitions=transitions, readers=readers)


def _later(transition: Transition) -> Transition:
    """Return a *transition* as it is after a block: to `_AFTER` instead of to content."""
    if isinstance(transition, Go) and transition.to == "content" and not transition.restarts:
        return transition._replace(to=_AFTER)
    return transition


@dataclass(frozen=True, kw_only=True)
class TaggedPayload(Payload):
    """Calls whose parameters are in tags, as described by two templates.

    The marks of a block enclose calls. If `call` begins with the name of the tool, they are also
    the tags of the call itself.
    """

    call: str
    """One call, with ``{tool}`` and ``{parameters}``."""
    parameter: str
    """One parameter, with ``{key}`` and ``{value}``; ``{is_text}`` says whether it is a text."""
    between: str = ""
    """Text between two parameters."""
    trims: bool = False
    """Whether a line break at each end of a value is part of its tags."""
    read_value: Callable[[str, Mapping[str, str]], Any] = as_text
    """Returns a value, see `TaggedForm`."""
    other_values: Callable[[str, Mapping[str, str]], Iterable[Any]] = truth_values
    """Returns other values that the text may stand for, see `TaggedForm`."""
    says_text: Callable[[Mapping[str, str]], bool] = says_nothing
    """Returns whether the attributes of a value's tag say that it is a string."""
    holds_elements: Callable[[Mapping[str, str]], bool] = says_nothing
    """Returns whether those attributes say that the value has elements like its own."""
    write_value: Callable[[Any], str] = write_value
    """Writes a value."""
    quote: Marks | None = None
    """What opens and closes a quoted value, see `TaggedForm`."""
    spellings: Callable[[str], tuple[str, ...]] = lambda _tag: ()
    """Returns other spellings of a tag that models use."""
    borrowed: Marks | None = None
    """Marks of another dialect around calls, which lenient mode reads if a call follows."""
    closes_with_key: bool = False
    """Whether lenient mode reads a closing tag with the name of the parameter."""
    reads_json: bool = True
    """Whether lenient mode reads a JSON object in place of all parameters."""
    json_calls: JsonPayload | None = None
    """Calls in JSON in place of tagged calls, in lenient mode."""

    @override
    def table(self, marks: Marks | None, *, lenient: bool, **options: Any) -> Table:
        used = {name: options.pop(name) for name in ("thought", "ends", "drafts", "also")}
        if any(options.values()):
            raise ValueError(f"calls in tags do not support these options: {', '.join(options)}")
        return tagged_table(self.tagged_form(marks, lenient=lenient), **used)

    @override
    def reader(self, closer: str, *, lenient: bool) -> NewCall:
        return partial(TaggedCalls, self.tagged_form(None, lenient=lenient))

    def tagged_form(self, marks: Marks | None, *, lenient: bool) -> TaggedForm:
        """Return the form in which calls are read, with *marks* around them."""
        tags = self.tags(marks)
        json_calls = None
        if lenient and self.json_calls and marks:
            json_calls = self.json_calls.reader(marks[1], lenient=True)
        if lenient and self.borrowed is not None:
            for part, mark in zip(_WRAPS, self.borrowed, strict=True):
                tags[part] = replace(tags[part], borrowed=(mark,))
        if lenient and self.closes_with_key:
            tags[TagPart.OWN_NAME] = OwnName("</")
        return TaggedForm(
            tags=tags,
            trims=self.trims,
            nests=isinstance(tags[TagPart.KEY], OwnName),
            read_value=self.read_value,
            other_values=self.other_values,
            says_text=self.says_text,
            holds_elements=self.holds_elements,
            quote=self.quote,
            json_arguments="odd" if lenient and self.reads_json else "no",
            json_calls=json_calls,
            lenient=lenient,
        )

    def tags(self, marks: Marks | None) -> dict[TagPart, Tag]:
        """Return the tags in the templates and the *marks* around calls, by their roles.

        Raises:
            ValueError: A template has a hole, or a tag an attribute, that no call could be read by.
        """
        _check(self.call, "tool", "parameters")
        _check(self.parameter, "key", "value", "is_text")
        opens, _, rest = self.call.partition("{tool}")
        after_name, _, closes = rest.partition("{parameters}")
        texts: dict[TagPart, str] = {}
        if not opens and marks:
            opens, closes = marks
        elif marks:
            texts |= dict(zip(_WRAPS, marks, strict=True))
        texts |= {TagPart.CALL: opens, TagPart.END_NAME: after_name, TagPart.END_CALL: closes}
        opens, _, rest = self.parameter.partition("{key}")
        after_key, _, closes = rest.partition("{value}")
        end_of_key, angle, value = after_key.rpartition("<")
        texts |= {TagPart.KEY: opens, TagPart.END_KEY: end_of_key, TagPart.VALUE: angle + value}
        texts[TagPart.END_VALUE] = closes.partition("{key}")[0]
        tags = {part: self._tag(text.strip()) for part, text in texts.items() if "<" in text}
        if "{is_text}" in after_key:
            attribute = after_key.split('"')[1].strip(" =")
            known = {attribute: ("true", "false")}
            key = tags[TagPart.KEY]
            tags[TagPart.KEY] = Attributes(key.canonical, key.others, known=known)
        return tags

    def _tag(self, text: str) -> Tag:
        """Return the tag whose *text* before its name this is."""
        kind: type[Tag] = Element
        if text.endswith(_NAME):
            kind, text = Attributes, text.removesuffix(_NAME)
        elif text.endswith("="):
            kind = Named
        elif text.endswith(("<", "</")):
            kind = MarkedName if text.strip("</") else OwnName
        return kind(text, self.spellings(text))

    @property
    @override
    def form(self) -> CallForm:
        parameters = ParameterForm(
            text=self.parameter, between=self.between, write_value=self.write_value
        )
        return CallForm(text=self.call, parameters=parameters)


def _check(template: str, name: str, *others: str) -> None:
    """Raise `ValueError` if a *template* has a hole but *name*, or more in its tag than that."""
    for hole in _HOLE(template):
        if hole not in (name, *others):
            known = ", ".join(f"{{{each}}}" for each in (name, *others))
            raise ValueError(
                f"the template of a call in tags cannot contain {{{hole}}}, only {known}: "
                f"{template!r}"
            )
    for spelt in _TAG(template):
        before, hole, after = spelt.partition(f"{{{name}}}")
        if (hole and before.count("=") > 1) or not _AFTER_NAME(after):
            raise ValueError(
                f"a tag with {{{name}}} cannot have other attributes, except one with {{is_text}}, "
                f"which says whether the value is text: {spelt!r}"
            )
