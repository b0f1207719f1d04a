"""Makes results of turns of calls that are spelt as their dialect writes them."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING

from typing_extensions import override

from agent_parsers.actions.agent import make_finish
from agent_parsers.actions.tool_action import make_message, make_tool_call
from agent_parsers.engine.markers.kinds import spelt_texts
from agent_parsers.engine.reading.matching.json_turns import JsonTurns
from agent_parsers.engine.reading.matching.matcher import Matcher
from agent_parsers.engine.reading.matching.parameter_turns import PythonTurns, TaggedTurns
from agent_parsers.engine.reading.matching.plain_names import plain_names
from agent_parsers.engine.reading.matching.plain_text import known_marks
from agent_parsers.engine.reading.rules.foreign import may_be_foreign
from agent_parsers.engine.reading.rules.known_tools import known_tools, names_of
from agent_parsers.engine.reading.turn import PlainTurn
from agent_parsers.engine.repairs.payloads import BadPayload
from agent_parsers.forms.templates import BREAK, ID, KEY, TOOL, VALUE, templates_of

if TYPE_CHECKING:
    from collections.abc import Sequence

    from agent_parsers.actions.agent import AgentAction, AgentFinish
    from agent_parsers.engine.reading.matching.turns import MatchedTurns
    from agent_parsers.engine.reading.rules.known_tools import KnownTools
    from agent_parsers.engine.reading.rules.machine import Machine
    from agent_parsers.engine.reading.turn import PlainCall
    from agent_parsers.engine.tables.table import Table
    from agent_parsers.events import Repair
    from agent_parsers.forms.form import Form
    from agent_parsers.toolset import ToolSet


def turn_matcher(machine: Machine) -> TurnMatcher | None:
    """Return a matcher for a machine's turns; `None` if its form does not show their spelling."""
    form = machine.dialect.form
    if form is None:
        return None
    turns = [turns_of(each, machine.table) for each in (form, *form.others)]
    found = [each for each in turns if each is not None]
    return TurnMatcher(machine, found) if found else None


class TurnMatcher(Matcher):
    """Reads turns of calls that are spelt exactly as in their dialect; others need a stream.

    The first of *turns*, which read such turns, reads most of them.
    """

    def __init__(self, machine: Machine, turns: Sequence[MatchedTurns]) -> None:
        self._machine = machine
        self._turns, *self._others = turns
        self._may_end_in_content = any(each.has_content_behind for each in turns)
        self._is_plain = plain_names(machine)

    @override
    def may_call(self, text: str) -> bool:
        return bool(self._others) or self._turns.opener in text

    @override
    def result_of(self, turn: PlainTurn, text: str) -> list[AgentAction] | AgentFinish:
        if not turn.calls:
            return make_finish(turn.content, text)
        message = make_message(text)
        return [
            make_tool_call(tool, given, text, message, call_id)
            for tool, given, call_id in turn.calls
        ]

    @override
    def read(self, text: str, tools: KnownTools) -> PlainTurn | None:
        turn = self._turns.read(text)
        if turn is None and self._others:
            turn = next(filter(None, (each.read(text) for each in self._others)), None)
        if turn is None:
            return None
        is_said = bool(turn.content)
        if is_said and self._machine.lenient and may_be_foreign(turn.content, names_of(tools)):
            return None
        is_last = not turn.calls or (is_said and self._may_end_in_content)
        if is_last and text.endswith(self._machine.half_ends):
            return None
        if not turn.calls:
            is_name = tools is not None and turn.content in tools  # perhaps of half a call
            is_kept = not is_name and self._machine.keeps_answer(turn.content, tools)
            return turn if is_kept else None
        calls = self._fitted(turn.calls, known_tools(tools))
        return None if calls is None else PlainTurn(calls, turn.thought, turn.content)

    def _fitted(self, calls: list[PlainCall], tools: ToolSet | None) -> list[PlainCall] | None:
        """Return *calls* with inputs checked by the tools; `None` if anything needs a repair."""
        if tools is None:
            return calls if all(self._is_plain(tool) for tool, *_ in calls) else None
        fitted: list[PlainCall] = []
        repairs: list[Repair] = []
        taken, has_texts = self._machine.taken, self._turns.has_texts
        try:
            for tool, given, call_id in calls:
                if not self._is_plain(tool):
                    return None
                if tools.checks(tool):
                    value = tools.from_texts(tool, given) if has_texts else given
                    if value is None:
                        return None
                    fitted.append((tool, taken(tool, value, (0, 0), tools, repairs), call_id))
                elif tool in tools:
                    fitted.append((tool, given, call_id))
                else:
                    return None
        except BadPayload:
            return None
        return None if repairs else fitted


def turns_of(form: Form, table: Table) -> MatchedTurns | None:
    """Return the reader for the turns of a *form*, given the *table* of a mode.

    Returns:
        `None` if the form does not show how calls are spelt.
    """
    templates = templates_of(form)
    if templates is None or not form.shows_calls:
        return None
    known = known_marks(table, form, in_calls=True)
    texts = [text for mark in table.markers.values() for text in spelt_texts(mark) if "\n" in text]
    spelt = f"{templates.head}{templates.tail}{templates.parameter}{templates.between}"
    if any(text in spelt for text in texts):
        return None
    for text in texts:  # a line break in a mark has to stand there, unlike one between two marks
        literal = text.replace("\n", BREAK)
        before, between, behind = (each.replace(text, literal) for each in form.calls)
        form = replace(form, calls=(before, between, behind))
    lead, found, rest = f"{form.calls[0]}{templates.head}".replace(ID, TOOL).partition(TOOL)
    is_shown = lead.strip() or (form.content is None or form.content[0].strip())
    is_line = "\n" in rest and not templates.parameter  # a name on a line, and an object below it
    if not (found and (is_line or (is_shown and (lead + rest).strip()))):
        return None  # a name alone does not show that a call begins
    if is_line:
        head = templates.head.replace(f"{TOOL}\n", f"{TOOL}{BREAK}")
        templates = templates._replace(head=head)
    if not templates.parameter:
        return JsonTurns(form, templates, known)
    is_text = f"{KEY}={VALUE}" != templates.parameter.replace('"', "")
    return (TaggedTurns if is_text else PythonTurns)(form, templates, known)
