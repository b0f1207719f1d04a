"""The grammar of the turns of a dialect, for a set of tools."""

from __future__ import annotations

from collections.abc import Iterator
from functools import cached_property, partial
from os.path import commonprefix
from typing import TYPE_CHECKING, Final

from agent_parsers.constrain.parts.automaton import (
    ANY,
    Automaton,
    chars,
    intersection,
    minus,
    union,
)
from agent_parsers.constrain.parts.cautious import (
    nothing_like_calls,
    nothing_like_colons,
    nothing_like_ends_of_labels,
    nothing_like_marks,
    nothing_that_closes,
)
from agent_parsers.constrain.parts.markless import (
    content_before_calls,
    marks_of,
    no_half_mark,
    none_of,
)
from agent_parsers.constrain.parts.slots import SLOTS, Slot, tokens
from agent_parsers.constrain.parts.tree import (
    Chars,
    Grammar,
    GrammarError,
    Notes,
    Repeat,
    Rule,
    Text,
    factored,
    optional,
    sequence,
)
from agent_parsers.constrain.turns.inputs import NOT_BLANK, PLAIN_TEXT, Inputs
from agent_parsers.constrain.turns.shapes import Shapes
from agent_parsers.constrain.turns.texts import Texts, last_chars
from agent_parsers.constrain.values.strings import JSON_ESCAPES
from agent_parsers.engine.reading.rules.known_tools import output_type_of
from agent_parsers.engine.tables.table import Part

if TYPE_CHECKING:
    from agent_parsers.constrain.parts.markless import Place
    from agent_parsers.constrain.parts.options import TurnOptions
    from agent_parsers.constrain.parts.tree import Node
    from agent_parsers.engine.tables.dialect import Dialect
    from agent_parsers.toolset import ToolSet

_MOST_TRANSITIONS: Final = 1_600
"""The most transitions of a text before calls, and of one in which nothing looks like a mark."""
_MOST_AT_ONCE: Final = 1_820
"""The most of a text before calls and an answer together. llguidance follows both at once, with
some 180 of the calls, and gives up at 2,000."""
_MOST_NAMES: Final = 16
"""Of how many tools the names are no answers; of more, there would be too many states."""
_NOT_IN_SHORT: Final = chars("\n:：`~<>{[(|│┃＞»›❯+%;!$&")
"""What is not in a text of limited length, since it may quote, forbid or be a call."""
_TICK: Final = chars("`")
_NO_TICK: Final = Automaton((((minus(ANY, _TICK), 0), (_TICK, 1)),) * 2, 0, frozenset([0]))
"""Texts after which a mark is not one in backticks, whatever follows it."""


def turn_grammar(
    dialect: Dialect, tools: ToolSet | None, options: TurnOptions, *, brief: bool = False
) -> Grammar:
    """Return the grammar for turns of *dialect*; `None` for *tools* accepts any.

    A *brief* one excludes valid texts that would make it much longer.

    Raises:
        GrammarError: No grammar can express these turns.
    """
    return _Turns(dialect, tools, options, brief=brief).grammar()


class _Turns:
    def __init__(
        self, dialect: Dialect, tools: ToolSet | None, options: TurnOptions, *, brief: bool
    ) -> None:
        self._brief = brief
        self._dialect = dialect
        self._options = options
        self._shapes = Shapes(dialect)
        self._marks = marks_of(dialect)
        self._rules: dict[str, Node] = {}
        self._notes = Notes()
        self._output_type = output_type_of(tools)
        if tools is not None and not options.schema_inputs:
            tools = tools.without_schemas
        self._texts = Texts(self._shapes, self._marks, self._rules, self._notes, brief=brief)
        self._inputs = Inputs(tools, self._shapes, self._marks, self._texts, self._notes)
        self._names: list[str | None] = [None] if tools is None else [*tools.names]
        self._answer_size = 0  # how many transitions an answer has

    def grammar(self) -> Grammar:
        has_calls = self._options.turn != "answer"
        if has_calls:
            self._check_names()
        # First, since their size decides how large the texts before calls may be.
        answers = [] if self._options.turn == "call" else [*self._answers()]
        turns = [*(self._call_turns() if has_calls else ()), *answers]
        if not turns:
            raise GrammarError(
                f"these options rule out every turn that {self._dialect.name} can write"
            )
        notes = tuple(self._notes.found)
        if notes and self._options.exact:
            more = f" (and {len(notes) - 1} more)" if len(notes) > 1 else ""
            raise GrammarError(
                f"exact=True, but a grammar cannot express all of the schemas: {notes[0]}{more}"
            )
        return Grammar(factored(turns), self._rules, notes)

    # -- turns with calls --------------------------------------------------------------------------

    def _call_turns(self) -> Iterator[Node]:
        for thought in self._thoughts:
            plain = self._turns_of(thought=thought, content=False)
            if not self._options.has_content:
                yield from self._begun(plain, Slot.THOUGHT if thought else "")
                continue
            said = self._turns_of(thought=thought, content=True)
            behind = {_behind(*each) for each in zip(said, plain, strict=True)}
            tail = behind.pop() if len(behind) == 1 else None
            is_free = self._options.max_content is None  # a call ends a turn whose content is short
            yield from self._begun(
                plain, Slot.THOUGHT if thought else "", tail if is_free else None
            )
            if tail is None:
                yield from self._begun(said, Slot.CONTENT)

    def _check_names(self) -> None:
        """Raise if the dialect cannot call the tools."""
        if not self._names:
            raise GrammarError("there are no tools to call: pass tools, or turn='answer'")
        own = self._shapes.own_tool
        if own and None not in self._names and own not in self._names:
            raise GrammarError(
                f"{self._dialect.name} can call only {own!r}, which is not one of the tools"
            )
        if own:
            self._names = [own]
        for name in filter(None, self._names):
            self._shapes.check_name(name)

    def _turns_of(self, *, thought: bool, content: bool) -> list[str]:
        """Return turns with one call, one for each tool."""
        return [self._shapes.turn(tool, thought=thought, content=content) for tool in self._names]

    @cached_property
    def _alone(self) -> list[str]:
        """Turns of just one call."""
        return self._turns_of(thought=False, content=False)

    @cached_property
    def _is_several(self) -> bool:
        return self._dialect.several and self._inputs.shape(self._names[0]).several

    @cached_property
    def _is_stopped(self) -> bool:
        """Whether calls end in a stop sequence, so that nothing follows them."""
        return any(stop in each for each in self._alone for stop in self._dialect.stop)

    @cached_property
    def _is_thought_open(self) -> bool:
        """Whether a call follows a thought without a mark between them, as it follows content."""
        form, table = self._dialect.form, self._marks.table
        if form is None or form.thought is None or form.thought[1].strip():
            return False
        return any(
            (table.parts[state], table.parts[go.to]) == (Part.THOUGHT, Part.CALL)
            for (state, _), go in table.transitions.items()
        )

    def _begun(self, written: list[str], slot: str, tail: str | None = None) -> Iterator[Node]:
        """Yield the turns that begin as those *written*.

        Args:
            written: A turn for each tool; empty if the dialect has no such turns.
            slot: The last slot before the calls.
            tail: What stands between calls and the content behind them; `None` for no such content.
        """
        if any(each.count(slot) != 1 for each in written if slot) or not all(written):
            return
        leads = {_cut(each, slot)[0] for each in written}
        rests = [_cut(each, slot)[1] for each in written]
        if len(leads) > 1:
            return
        then, within = _literal(commonprefix(rests)), None
        if slot == Slot.CONTENT or (slot and self._is_thought_open):
            gap = then[: len(then) - len(then.lstrip())]
            has_fence = "```" in rests[0].rpartition(Slot.INPUT)[2]
            uncalled = self._uncalled
            if self._shapes.own_tool:  # its labels count anywhere
                unlabelled = nothing_like_ends_of_labels(self._dialect)
                uncalled = intersection(
                    uncalled, nothing_like_colons() if self._brief else unlabelled
                )
            said = intersection(self._marks.text(self._marks.begin, then), uncalled)
            within = content_before_calls(gap, has_fence=has_fence, brief=self._brief)
            size = _size(self._unlike_marks(intersection(said, within)))
            if size > min(_MOST_TRANSITIONS, _MOST_AT_ONCE - self._answer_size):
                within = content_before_calls(gap, has_fence=has_fence, brief=True)
            within = intersection(within, uncalled)
        after = [] if tail is None or self._is_stopped else [optional(self._content(tail))]
        for nodes, place in self._leads(leads.pop(), then, within):
            if not self._is_several:
                named = zip(self._names, rests, strict=True)
                made = self._inputs.any_of(
                    (name, partial(self._inputs.rest, name, rest, place)) for name, rest in named
                )
                yield sequence(*nodes, self._rule("call", made), *after)
            elif (calls := self._calls(rests)) is not None:
                yield sequence(*nodes, calls, *after)

    @cached_property
    def _uncalled(self) -> Automaton:
        """Texts in which nothing looks like a call in another form."""
        if None in self._names:
            return nothing_like_calls(None)
        begins = {
            case(name[:1]) for name in filter(None, self._names) for case in (str.lower, str.upper)
        }
        return nothing_like_calls(frozenset(begins))

    def _unlike_marks(self, made: Automaton) -> Automaton:
        """Return the automaton of the texts of *made* in which nothing looks like a mark."""
        if self._brief:
            return intersection(made, nothing_like_marks(self._dialect, 0))
        whole = intersection(made, nothing_like_marks(self._dialect))
        if _size(whole) > _MOST_TRANSITIONS:
            whole = intersection(made, nothing_like_marks(self._dialect, 1))
        return whole

    def _content(self, tail: str) -> Node:
        """Return content behind calls."""
        place = self._marks.follow(self._marks.begin, f"{self._alone[0]}{tail}")
        made = self._unlike_marks(intersection(self._marks.text(place), self._uncalled))
        made = intersection(
            made, intersection(nothing_that_closes(is_line="\n" in tail), NOT_BLANK)
        )
        if not self._is_several:  # a bracket behind the only call may be part of it
            made = intersection(made, PLAIN_TEXT)
        return sequence(tail, Text(made.smallest))

    def _calls(self, rests: list[str]) -> Node | None:
        """Return the calls of a turn that may have several, with what stands before them.

        Args:
            rests: What a turn with one call has from there on, for each tool.

        Returns:
            `None` if the calls are not what stands there.
        """
        frames = {(c.opens, c.between, c.closes) for c in map(self._inputs.shape, self._names)}
        if len(frames) > 1:
            raise GrammarError(
                f"{self._dialect.name} writes calls to these tools in different ways, which one "
                "grammar cannot describe"
            )
        ((opens, between, closes),) = frames
        alone = [each[each.find(opens) :] for each in self._alone]
        gaps = {_gap(*each) for each in zip(rests, alone, strict=True)}
        if len(gaps) > 1 or (gap := gaps.pop()) is None:
            return None
        before, cut = gap
        each = self._rule("call", self._each_call)
        most = None if self._options.max_calls is None else self._options.max_calls - 1
        # A stop sequence may end all calls together; its first characters may be the last call's.
        ends_all = closes and any(
            stop.endswith(closes[-len(stop) :]) for stop in self._dialect.stop
        )
        most = 0 if self._is_stopped and not ends_all else most
        more = [Repeat(sequence(between, each), 0, most)] if most != 0 else []
        calls = sequence(opens.removeprefix(cut), each, *more, closes)
        return sequence(before, self._rule("calls", calls))

    @cached_property
    def _each_call(self) -> Node:
        """A call of any tool, in turns that may have several."""
        call = self._inputs.call
        return self._inputs.any_of((name, partial(call, name)) for name in self._names)

    def _rule(self, name: str, node: Node) -> Node:
        """Return *node* as a part with a name."""
        for known, part in self._rules.items():
            if known.startswith(name) and part == node:
                return Rule(known)
        count = sum(known.startswith(name) for known in self._rules)
        whole = f"{name}-{count + 1}" if count else name
        self._rules[whole] = node
        return Rule(whole)

    # -- answers -----------------------------------------------------------------------------------

    def _answers(self) -> Iterator[Node]:
        for thought in self._thoughts:
            written = self._shapes.answer(thought=thought)
            if written.count(Slot.ANSWER) != 1 or (thought and Slot.THOUGHT not in written):
                continue
            lead, rest = _cut(written, Slot.THOUGHT if thought else "")
            before, _, after = rest.partition(Slot.ANSWER)
            if self._output_type is not None and self._shapes.quotes_answer:
                before, after = before.removesuffix('"'), after.removeprefix('"')
            for nodes, place in self._leads(lead, _literal(before)):
                answer = self._answer(self._marks.follow(place, before), after)
                yield sequence(*nodes, *tokens(before), answer, *tokens(after))

    def _answer(self, place: Place, after: str) -> Node:
        quoted = self._shapes.quotes_answer
        if self._output_type is not None:
            return self._inputs.answer(self._output_type.schema, place, after, quoted=quoted)
        if quoted:
            return Text(self._texts.quoted(JSON_ESCAPES).text)
        made = intersection(self._texts.bare(place, after), NOT_BLANK)
        names = tuple(filter(None, self._names))
        if not after and len(names) <= _MOST_NAMES:  # a name alone may be half a call
            made = intersection(made, none_of(names))
        if not after and self._marks.is_call(place):  # in a message, half its end is no text
            made = intersection(made, no_half_mark(self._marks.literals))
        self._answer_size = max(self._answer_size, _size(made))
        return Text(made.smallest)

    # -- the text before ---------------------------------------------------------------------------

    @property
    def _thoughts(self) -> tuple[bool, ...]:
        if self._options.start == "thought":
            return (True,)
        return (False, True) if self._options.has_thoughts and self._dialect.thinks else (False,)

    def _leads(
        self, lead: str, then: str, within: Automaton | None = None
    ) -> Iterator[tuple[list[Node], Place]]:
        """Yield ways to write a *lead* before *then*, with the place after it.

        The last text of a lead may only be what *within* accepts.
        """
        opener = lead.partition(Slot.THOUGHT)[0] if Slot.THOUGHT in lead else ""
        begin, start = self._marks.begin, self._options.start
        may_continue = self._dialect.generation_prompt(1) and self._shapes.may_continue
        if opener and start == "thought":
            if "thought" not in self._marks.table.starts and not may_continue:
                raise GrammarError("its turns cannot begin in a thought: leave out start='thought'")
            place = self._marks.follow(begin, opener)
            yield self._walk(lead.removeprefix(opener), place, then, within)
        elif not (opener and may_continue and start == ""):
            yield self._walk(lead, begin, then, within)
        else:
            nodes, place = self._walk(lead.removeprefix(opener), begin, then, within)
            if self._brief:  # a little less, since a line begins here
                yield [optional(sequence(*tokens(opener))), *nodes], place
            else:
                yield nodes, place
                yield self._walk(lead, begin, then, within)

    def _walk(
        self, lead: str, place: Place, then: str, within: Automaton | None
    ) -> tuple[list[Node], Place]:
        nodes: list[Node] = []
        parts = [part for part in SLOTS.split(lead) if part]
        for at, part in enumerate(parts):
            following = _literal("".join([*parts[at + 1 :], then]))
            if part in (Slot.THOUGHT, Slot.CONTENT):
                is_last = at == len(parts) - 1
                nodes.append(self._said(part, place, following, within if is_last else None))
                place = self._marks.fresh(place.state)
            else:
                nodes += tokens(part)
                place = self._marks.follow(place, part)
        return nodes, place

    def _said(self, part: str, place: Place, then: str, within: Automaton | None) -> Node:
        """Return a thought or content at *place*; see `_leads`.

        One of limited length has no character that completes a mark, or that makes a text quote or
        forbid a call: an automaton that counts would be too large.
        """
        is_thought = part == Slot.THOUGHT
        most = self._options.max_thought if is_thought else self._options.max_content
        if most is None:
            made = self._marks.text(place, then)
            if within is not None:
                made = intersection(made, within)
            made = self._unlike_marks(made)
            if is_thought and self._marks.ends_in_mark(place, then):
                made = intersection(made, _NO_TICK)
            return Text(made.smallest)
        ends = self._marks.barred(place.state), last_chars(self._marks.stop)
        return Repeat(Chars(minus(ANY, union([*ends, _NOT_IN_SHORT]))), 1, most)


def _size(automaton: Automaton) -> int:
    """Return how many transitions the smallest automaton like this one has."""
    return sum(map(len, automaton.smallest.rows))


def _cut(written: str, slot: str) -> tuple[str, str]:
    """Return *written* up to the last *slot*, and the rest."""
    before, mark, rest = written.rpartition(slot) if slot else ("", "", written)
    return before + mark, rest


def _gap(rest: str, calls: str) -> tuple[str, str] | None:
    """Return what stands in *rest* before the *calls*, and what of them stands before *rest*."""
    if rest.endswith(calls):
        return rest.removesuffix(calls), ""
    return ("", calls.removesuffix(rest)) if calls.endswith(rest) else None


def _behind(said: str, plain: str) -> str | None:
    """Return what stands between the calls of a turn and the content behind them."""
    is_behind = plain and said.startswith(plain) and said.endswith(Slot.CONTENT)
    return said.removeprefix(plain).removesuffix(Slot.CONTENT) if is_behind else None


def _literal(text: str) -> str:
    """Return the text before the first slot."""
    return SLOTS.split(text)[0]
