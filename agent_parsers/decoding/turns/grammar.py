"""The grammar of the turns of a dialect, for a set of tools."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Literal, TypeAlias, get_args

from agent_parsers.decoding.texts.automaton import intersection
from agent_parsers.decoding.texts.marks import Marks
from agent_parsers.decoding.texts.quoting import content_before_calls
from agent_parsers.decoding.tree.nodes import (
    Grammar,
    Repeat,
    Rule,
    Text,
    choice,
    factored,
    optional,
    sequence,
)
from agent_parsers.decoding.tree.problems import GrammarError
from agent_parsers.decoding.turns.inputs import NOT_BLANK, Inputs, tokens
from agent_parsers.decoding.turns.shapes import (
    ANSWER,
    CONTENT,
    INPUT,
    SLOTS,
    THOUGHT,
    Shapes,
    common,
)
from agent_parsers.decoding.values.strings import JSON_ESCAPES, Strings
from agent_parsers.engine.grammar.rewritings import table_for

if TYPE_CHECKING:
    from collections.abc import Iterator

    from agent_parsers.decoding.texts.automaton import Automaton
    from agent_parsers.decoding.texts.marks import Place
    from agent_parsers.decoding.tree.nodes import Node
    from agent_parsers.engine.grammar.dialect import Dialect
    from agent_parsers.toolset import ToolSet

__all__ = ["Start", "TurnKind", "TurnOptions", "turn_grammar"]

TurnKind: TypeAlias = Literal["any", "call", "answer"]
"""Which turns a grammar has."""
Start: TypeAlias = Literal["", "content", "thought"]
"""Where a turn begins: in its content, or in a thought that the prompt has opened."""


@dataclass(frozen=True)
class TurnOptions:
    """What turns a grammar has."""

    turn: TurnKind = "any"
    start: Start = ""
    thoughts: bool = True
    """Whether a turn may have a thought."""
    max_calls: int | None = None
    """The most calls of a turn; `None` for any number."""
    schema_inputs: bool = True
    """Whether inputs follow the schemas of the tools."""

    def __post_init__(self) -> None:
        for name, value, known in (("turn", self.turn, TurnKind), ("start", self.start, Start)):
            if value not in get_args(known):
                raise ValueError(f"{name} is one of {get_args(known)}, not {value!r}")
        if self.max_calls is not None and self.max_calls < 1:
            raise ValueError(f"max_calls is at least 1, not {self.max_calls!r}")
        if self.start == "thought" and not self.thoughts:
            raise ValueError("a turn that begins in a thought has one: leave out thoughts=False")


def turn_grammar(
    dialect: Dialect, tools: ToolSet | None, options: TurnOptions, *, brief: bool = False
) -> Grammar:
    """Return the grammar of the turns of *dialect*.

    Args:
        dialect: The dialect.
        tools: The tools; `None` for any.
        options: What turns the grammar has.
        brief: Whether to leave out texts that are possible, but make a grammar much longer.

    Raises:
        GrammarError: No grammar can say it.
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
        self._table = table_for(dialect, "strict")
        self._marks = Marks(self._table)
        self._rules: dict[str, Node] = {}
        if tools is not None and not options.schema_inputs:
            tools = tools.without_schemas
        self._inputs = Inputs(tools, self._shapes, self._marks, self._rules)
        self._names: list[str | None] = [None] if tools is None else [*tools.names]
        for name in filter(None, self._names):
            self._shapes.check_name(name)
        if self._shapes.own_tool:
            self._names = [self._shapes.own_tool]
            if tools is not None and self._shapes.own_tool not in tools:
                raise GrammarError(
                    f"{dialect.name} calls {self._shapes.own_tool!r}, which is none of the tools"
                )

    def grammar(self) -> Grammar:
        turns: list[Node] = []
        if self._options.turn != "answer":
            turns += self._call_turns()
        if self._options.turn != "call":
            turns += self._answers()
        if not turns:
            raise GrammarError(f"{self._dialect.name} has no such turns")
        return Grammar(factored(turns), self._rules)

    # -- turns with calls --------------------------------------------------------------------------

    def _call_turns(self) -> Iterator[Node]:
        if not self._names:
            raise GrammarError("there are no tools to call")
        alone = self._turns_of(thought=False, content=False)
        for thought in self._thoughts:
            for content in (False, True):
                written = self._turns_of(thought=thought, content=content)
                slot = CONTENT if content else THOUGHT if thought else ""
                cuts = {_cut(each, slot) for each in written}
                leads, rests = {lead for lead, _ in cuts}, [_cut(each, slot)[1] for each in written]
                said = {THOUGHT: thought, CONTENT: content}
                if any(each.count(mark) != said[mark] for each in written for mark in said):
                    continue  # the dialect has no such turns
                if len(leads) > 1 or not (rests == alone or self._gap(rests, alone) is not None):
                    continue  # content follows the calls, or stands inside of what encloses them
                yield from self._begun(leads.pop(), rests, alone)

    def _turns_of(self, *, thought: bool, content: bool) -> list[str]:
        return [self._shapes.turn(tool, thought=thought, content=content) for tool in self._names]

    def _gap(self, rests: list[str], alone: list[str]) -> str | None:
        """Return what stands in all *rests* before the calls; `None` if they differ.

        In dialects with one call in a turn, it is part of what follows.
        """
        if not self._is_several:
            return ""
        gaps = {
            rest.removesuffix(calls) if rest.endswith(calls) else None
            for rest, calls in zip(rests, alone, strict=True)
        }
        return gaps.pop() if len(gaps) == 1 else None

    @cached_property
    def _is_several(self) -> bool:
        return self._dialect.several and self._inputs.shape(self._names[0]).several

    def _begun(self, lead: str, rests: list[str], alone: list[str]) -> Iterator[Node]:
        """Yield the turns that begin with *lead*, whose last part is a text, and go on in calls."""
        then = _literal(common(*rests))
        within = None
        if lead.endswith(CONTENT):
            gap = then[: len(then) - len(then.lstrip())]
            has_fence = "```" in rests[0].rpartition(INPUT)[2]
            within = content_before_calls(gap, has_fence=has_fence, brief=self._brief)
        for nodes, place in self._leads(lead, then, within):
            if not self._is_several:
                named = zip(self._names, rests, strict=True)
                made = choice(self._inputs.rest(*each, place) for each in named)
                yield sequence(*nodes, self._rule("call", made))
            else:
                yield sequence(*nodes, self._gap(rests, alone) or "", self._calls)

    @cached_property
    def _calls(self) -> Node:
        """The calls of a turn that may have several."""
        frames = {(c.opens, c.between, c.closes) for c in map(self._inputs.shape, self._names)}
        if len(frames) > 1:
            raise GrammarError(f"{self._dialect.name} spells the calls of these tools differently")
        ((opens, between, closes),) = frames
        each = self._rule("call", choice(map(self._inputs.call, self._names)))
        most = None if self._options.max_calls is None else self._options.max_calls - 1
        more = Repeat(sequence(between, each), 0, most)
        return self._rule("calls", sequence(opens, each, *([more] if most != 0 else []), closes))

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
            if written.count(ANSWER) != 1 or (thought and THOUGHT not in written):
                continue
            lead, rest = _cut(written, THOUGHT if thought else "")
            before, _, after = rest.partition(ANSWER)
            for nodes, place in self._leads(lead, _literal(before)):
                answer = self._answer(self._marks.follow(place, before), after)
                yield sequence(*nodes, *tokens(before), answer, *tokens(after))

    def _answer(self, place: Place, after: str) -> Node:
        if self._shapes.quotes_answer:
            return Text(Strings(None, JSON_ESCAPES).text)
        return Text(intersection(self._inputs.text(place, after), NOT_BLANK).smallest())

    # -- the text before ---------------------------------------------------------------------------

    @property
    def _thoughts(self) -> tuple[bool, ...]:
        if self._options.start == "thought":
            return (True,)
        return (False, True) if self._options.thoughts and self._dialect.thinks else (False,)

    def _leads(
        self, lead: str, then: str, within: Automaton | None = None
    ) -> Iterator[tuple[list[Node], Place]]:
        """Yield ways to write a *lead*, with the place after it.

        Args:
            lead: What a turn begins with.
            then: What follows.
            within: Accepts what its last text may be.
        """
        opener = lead.partition(THOUGHT)[0] if THOUGHT in lead else ""
        begin, start = self._marks.begin, self._options.start
        may_continue = self._dialect.generation_prompt(1) and self._shapes.may_continue
        if opener and start == "thought":
            if "thought" not in self._table.starts and not may_continue:
                raise GrammarError("a turn cannot begin in a thought")
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
            if part in (THOUGHT, CONTENT):
                made = self._marks.text(place, following)
                if part == CONTENT and within is not None:
                    made = intersection(made, within)
                nodes.append(Text(made.smallest()))
                place = self._marks.fresh(place.state)
            else:
                nodes += tokens(part)
                place = self._marks.follow(place, part)
        return nodes, place


def _cut(written: str, slot: str) -> tuple[str, str]:
    """Return *written* up to the last *slot*, and the rest."""
    before, mark, rest = written.rpartition(slot) if slot else ("", "", written)
    return before + mark, rest


def _literal(text: str) -> str:
    """Return the text before the first slot."""
    return SLOTS.split(text)[0]
