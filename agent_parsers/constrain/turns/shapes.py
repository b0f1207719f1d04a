"""How a dialect spells its turns, as its form says it, with a `Slot` for each text and input."""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from contextlib import suppress
from dataclasses import dataclass, replace
from functools import cached_property
from os.path import commonprefix
from typing import TYPE_CHECKING, Any, Final

from agent_parsers.actions.agent import AgentAction, AgentFinish, TurnResult
from agent_parsers.constrain.parts.slots import SLOTS, Slot
from agent_parsers.constrain.parts.tree import JSON, NAME, GrammarError, Notation, TypedNotation
from agent_parsers.engine.reading.rules.machine import machine
from agent_parsers.engine.reading.stream import TurnStream
from agent_parsers.engine.reading.turn import read_turn
from agent_parsers.forms.form import Written, WrittenCall
from output_parsers import OutputParserException

if TYPE_CHECKING:
    from agent_parsers.engine.tables.dialect import Dialect

_KEYS: Final = ("some_key", "other_key")
_WORD: Final = "some value"
_COUNT: Final = 80808
_TAGS: Final = re.compile(r"</?[^\s<>/][^\s<>]*>?|</").findall
ANY_TOOL: Final = "some_tool"
_KINDS: Final = {
    "string": str, "boolean": bool, "null": type(None), "object": dict, "array": list,
    "number": float, "integer": int,
}  # fmt: skip
"""The types of values, as schemas name them."""


@dataclass(frozen=True)
class Parameters:
    """How parameters that have marks of their own are written."""

    none: str
    """A call without parameters."""
    opens: str
    """Text before the parameters of a call."""
    text: tuple[str, str]
    """Text between the name and the value of a parameter that is text, and text after it."""
    other: tuple[str, str]
    """The same for other values."""
    between: str
    """Text between two parameters."""
    closes: str
    """Text after all parameters."""

    @property
    def tags(self) -> tuple[str, ...]:
        """The tags in these texts, up to their names or ends."""
        texts = (self.none, self.opens, *self.text, *self.other, self.between, self.closes)
        found = (tag for text in texts for part in SLOTS.split(text) for tag in _TAGS(part))
        return tuple(dict.fromkeys(found))


@dataclass(frozen=True)
class ToolShape:
    """How calls to one tool are written."""

    call: str
    """A call with its input; empty if its parameters have marks of their own."""
    parameters: Parameters | None
    """How these parameters are written."""
    opens: str = ""
    """Text before all calls."""
    between: str = ""
    """Text between two calls."""
    closes: str = ""
    """Text after all calls."""
    several: bool = False
    """Whether a turn may have several calls."""


def json_in(written: str) -> str:
    """Return the text of *written* from its first bracket to its last."""
    starts = [at for at in (written.find("{"), written.find("[")) if at >= 0]
    end = max(written.rfind("}"), written.rfind("]"))
    return written[min(starts, default=0) : end + 1]


class Shapes:
    """How the turns of one dialect are written.

    Raises:
        GrammarError: The dialect does not declare how turns are written, but has only a function.
    """

    def __init__(self, dialect: Dialect) -> None:
        self._dialect = dialect
        if dialect.form is None:
            raise GrammarError(
                "its turns are written by a function, from which no grammar can be made"
            )
        self._form = dialect.form

    @cached_property
    def _has_json_call(self) -> bool:
        """Whether a call is an object in JSON with the name of its tool."""
        return '{"tool"}' in self._form.call.text

    @cached_property
    def quotes_answer(self) -> bool:
        """Whether an answer is written as a JSON string."""
        return isinstance(self._form.answer, str) and self._has_json_call

    @cached_property
    def quotes_input(self) -> bool:
        """Whether an input that is text is written as a JSON string."""
        return not self._dialect.several and self._has_json_call

    def _written_value(self, value: Any) -> str:
        """Return the value of a parameter as text."""
        call = self._form.call
        if call.parameters is not None:
            return call.parameters.write_value(value)
        return call.write_input({"key": value})

    @cached_property
    def quotes_values(self) -> bool:
        """Whether the values of parameters are written as strings with escapes."""
        return '\\"' in self._written_value('a"')

    @cached_property
    def enclosing(self) -> tuple[str, str]:
        """The marks around a value of several lines, such as ``<![CDATA[``; empty if none."""
        if self._form.call.parameters is None:
            return "", ""
        before, _, after = self._written_value("a\nb").partition("a\nb")
        return (before, after) if self._written_value("a b") == "a b" else ("", "")

    @cached_property
    def notation(self) -> Notation:
        """How values other than text are written."""
        call = self._form.call
        sorts = call.parameters is not None and call.parameters.sorts
        made = Notation(self._constants, sorts=sorts)
        if not self._dialect.several or self.nests:
            return made
        if call.parameters is None and call.has_json_input:
            return made
        written, nested = self._written_value([_WORD]), self._written_value({_KEYS[1]: _WORD})
        if found := re.search(rf"\[(\S+){_WORD}\1\]", written):
            return replace(made, quote=found[1])
        opens, _, after = nested.partition(_WORD)
        if self.names_types:
            return self._typed(made, opens, after, written.partition(_WORD)[0])
        closes = after[: after.find(_KEYS[1]) + len(_KEYS[1]) + 1]
        if _KEYS[1] not in opens or _KEYS[1] not in closes:
            raise GrammarError(
                "a grammar cannot describe how the dialect writes lists and objects in parameters"
            )
        head, _, tail = opens.partition(_KEYS[1])
        item = written.partition(_WORD)[0].rpartition(head)[2].removesuffix(tail)
        element = opens.replace(_KEYS[1], NAME), closes.replace(_KEYS[1], NAME)
        return replace(made, element=element, item=item)

    def _typed(self, made: Notation, opens: str, closes: str, item: str) -> Notation:
        """Return how elements with types are written, as *made* for the rest.

        Args:
            made: How other values are written.
            opens: The tag before a member that is text.
            closes: The tag behind it.
            item: The tag before an item that is text.
        """
        before, text, after = opens.rpartition(self.type_name("string"))
        return TypedNotation(
            made.constants,
            sorts=made.sorts,
            element=(before.replace(_KEYS[1], NAME), closes),
            item=item.removesuffix(text + after),
            after_type=after,
            types=tuple((kind, self.type_name(kind)) for kind in _KINDS),
        )

    @cached_property
    def _constants(self) -> tuple[str, str, str]:
        """How null, true and false are written."""
        python = ("None", "True", "False")
        if not self._dialect.several:  # such an input is written as JSON in text
            return JSON.constants
        written = self._written_value([None, True, False])
        return python if all(word in written for word in python) else JSON.constants

    @cached_property
    def nests(self) -> bool:
        """Whether parameters write lists and objects as in JSON."""
        return '["a"]' in self._written_value(["a"])

    def answer(self, *, thought: bool) -> str:
        """Return a turn with an answer; empty if the dialect has no such turn."""
        form = self._form
        if isinstance(form.answer, str):
            return self._turn([self._call(form.answer, Slot.ANSWER)], thought=thought)
        opens, closes = form.answer
        return self._around(f"{opens}{Slot.ANSWER}{closes}", thought=thought)

    @cached_property
    def takes_texts(self) -> bool:
        """Whether an input may be text."""
        if self._dialect.several:
            return False
        text = "some words"
        result = self._read(self._form(Written(tool=ANY_TOOL, tool_input=text)))
        return isinstance(result, AgentAction) and result.tool_input == text

    @property
    def writes_texts(self) -> bool:
        """Whether an input that is text is written as it is."""
        with suppress(ValueError):
            return self._form.call.write_input(_WORD) == _WORD
        return False

    @property
    def own_tool(self) -> str:
        """The name of the only tool, in a dialect that does not name tools; ``""`` in others."""
        if not self._form.shows_calls:
            raise GrammarError(
                f"the calls of {self._dialect.name} are written by a function, from which no"
                " grammar can be made"
            )
        return self._form.own_tool

    @property
    def names_types(self) -> bool:
        """Whether a parameter states the type of its value."""
        parameters = self._form.call.parameters
        return parameters is not None and parameters.names_types

    def type_name(self, kind: str) -> str:
        """Return how the dialect names the type of the values of this *kind*."""
        parameters = self._form.call.parameters
        types = parameters.types if parameters is not None else {}
        return types.get(_KINDS[kind], types.get(object, ""))

    def spells(self, tool: str, key: str) -> bool:
        """Return whether the names of *tool* and its parameter *key* need no escapes."""
        written = self._form(Written(tool=tool, tool_input={key: _WORD}))
        return tool in written and key in written

    @cached_property
    def reads_bare_call(self) -> bool:
        """Whether the JSON of a call is also read without the text around it."""
        step = Written(tool=ANY_TOOL, tool_input={_KEYS[0]: _WORD})
        result = self._read_json(self._form(step))
        actions = result if isinstance(result, list) else [result]
        return all(isinstance(each, AgentAction) and each.tool == ANY_TOOL for each in actions)

    @cached_property
    def reads_bare_answer(self) -> bool:
        """Whether the JSON of an answer is also read without the text around it."""
        return isinstance(self._read_json(self._form(Written(answer=_WORD))), AgentFinish)

    def _read_json(self, written: str) -> TurnResult | None:
        text = json_in(written)
        try:
            json.loads(text)
        except ValueError:
            return None
        return self._read(text)

    def check_name(self, tool: str) -> None:
        """Raise a `GrammarError` if the dialect cannot write the name of *tool*."""
        if self.own_tool:
            return
        result = self._read(self._form(Written(tool=tool, tool_input={_KEYS[0]: _WORD})))
        actions = result if isinstance(result, list) else [result]
        is_read = any(isinstance(each, AgentAction) and each.tool == tool for each in actions)
        if not is_read or not self.spells(tool, _KEYS[0]):
            raise GrammarError(f"{self._dialect.name} cannot write the name of the tool {tool!r}")

    @cached_property
    def may_continue(self) -> bool:
        """Whether a turn may begin in a thought whose label is at the end of the prompt."""
        lead = self.answer(thought=True).partition(Slot.THOUGHT)[0].replace(Slot.NUMBER, "1")
        written = self._form(Written("some words", answer="some words"))
        return self._read(written.removeprefix(lead)) is not None

    def _read(self, written: str) -> TurnResult | None:
        """Return what *written* is read as; `None` if it is an error."""
        try:
            return read_turn(TurnStream(machine(self._dialect, "strict"), None), written).result
        except OutputParserException:
            return None

    def turn(self, tool: str | None, *, thought: bool, content: bool) -> str:
        """Return a turn with one call of *tool*, or of any; empty if the dialect has no such turn.

        An input is `Slot.TEXT` if it stands there as text, and `Slot.INPUT` if it is JSON, which
        may be a string if the dialect `takes_texts`. Content stands beside the call.
        """
        if self._form.own is not None:
            if content and self._form.content is None:
                return ""
            said = (Slot.THOUGHT if thought else "", Slot.CONTENT if content else "")
            form = self._form.call
            given = {_KEYS[0]: _WORD}
            step = Written(said[0], tool or ANY_TOOL, given, content=said[1], id="0")
            if form.parameters is not None:
                written = self._form(step).replace(
                    form(WrittenCall(step.tool, given, step.id)), self._call(tool)
                )
            else:
                written = self._form(step).replace(form.write_input(given), Slot.INPUT)
            return written if tool else written.replace(ANY_TOOL, Slot.TOOL)
        if not self.takes_texts:
            return self._turn([self._call(tool)], thought=thought, content=content)
        call = self._call(tool, None if self.quotes_input else Slot.TEXT)
        return self._turn([call], thought=thought, content=content)

    def of_tool(self, tool: str | None) -> ToolShape:
        """Return how calls to *tool* are written; `None` stands for any tool."""
        (opens, closes), (before, between, behind) = self._form.around, self._form.calls
        before, behind = f"{opens}{before}", f"{behind}{closes}"
        several = self._dialect.several and not self._form.is_single
        one = self._call(tool)
        slot = Slot.INPUT if Slot.INPUT in one else Slot.VALUE
        opens = closes = ""
        call = f"{before}{one}{behind}"
        if several:
            lead, tail = call.split(slot)
            middle = f"{one.split(slot)[1]}{between}{one.split(slot)[0]}"
            end = commonprefix([middle, tail])
            after = middle[len(end) :]
            head = commonprefix([lead[::-1], after[::-1]])[::-1]
            opens, between = lead.removesuffix(head), after.removesuffix(head)
            closes = tail.removeprefix(end)
            call = f"{head}{slot}{end}"
        else:
            between = ""
        if slot == Slot.INPUT:
            return ToolShape(call, None, opens, between, closes, several)
        parameters = self._parameters(tool, opens, closes)
        return ToolShape("", parameters, opens, between, closes, several)

    @cached_property
    def tags(self) -> tuple[str, ...]:
        """The tags of parameters, up to the names of parameters and tools in them."""
        spelt = self.of_tool(None).parameters
        return spelt.tags if spelt is not None else ()

    def _parameters(self, tool: str | None, opens: str, closes: str) -> Parameters:
        (begins, ends), (before, _, behind) = self._form.around, self._form.calls

        def inner(count: int, value: Any = Slot.VALUE) -> str:
            call = self._call(tool, dict.fromkeys(_KEYS[:count], value))
            written = f"{begins}{before}{call}{behind}{ends}"
            return written.removeprefix(opens).removesuffix(closes)

        found = []
        for value in (Slot.VALUE, _COUNT):
            lead, end = inner(1, value).split(Slot.VALUE)
            head, _, equals = lead.partition(Slot.KEY)
            _, middle, _ = inner(2, value).split(Slot.VALUE)
            middle = middle.removesuffix(f"{Slot.KEY}{equals}")
            after = commonprefix([middle, end])
            found.append((head, (equals, after), middle[len(after) :], end[len(after) :]))
        (head, text, between, end), (_, other, *same) = found
        if same != [between, end]:
            raise GrammarError(
                f"{self._dialect.name} writes some parameters differently from others, which a "
                "grammar cannot describe"
            )
        return Parameters(inner(0), head, text, other, between, end)

    def _call(self, tool: str | None, given: str | dict[str, Any] | None = None) -> str:
        """Return one call.

        Args:
            tool: Name of the tool; `None` for any.
            given: The text that is its input, or its parameters; `None` for an input in JSON, or
                for one parameter if such an input is written in another way.
        """
        form = self._form.call
        name = Slot.TOOL if tool is None else tool
        call_id = self._form.ids.replace("{tool}", name).replace("{number}", Slot.NUMBER)
        call_id = re.sub(r"\{(\d+)\}", lambda found: Slot.ID * int(found[1]), call_id)
        slots = {
            "tool": name,
            "id": call_id,
            '"id"': f'"{call_id}"',
            "number": Slot.NUMBER,
            '"tool"': json.dumps(name, ensure_ascii=False),
        }
        if form.parameters is not None:
            parameters = given if isinstance(given, dict) else {_KEYS[0]: Slot.VALUE}
            spelt = form.parameters
            if spelt.names_types:
                spelt = replace(spelt, types={object: Slot.TYPE})
            written = spelt(parameters).replace(str(_COUNT), Slot.VALUE)
            for key in _KEYS:
                written = written.replace(key, Slot.KEY)
            slots["parameters"] = written
        else:
            slots["input"] = form.write_input(given) if isinstance(given, str) else Slot.INPUT
        segments = form.segments
        return "".join(slots[each] if at % 2 else each for at, each in enumerate(segments))

    def _turn(self, calls: Sequence[str], *, thought: bool, content: bool = False) -> str:
        """Return a turn with *calls*; empty if the dialect has no such turn."""
        form = self._form
        before, between, behind = form.calls
        written = f"{before}{between.join(calls)}{behind}"
        if content:
            if form.content is None:
                return ""
            opens, closes = form.content
            said = f"{opens}{Slot.CONTENT}{closes}"
            written = written + said if form.is_content_last else said + written
        return self._around(written, thought=thought)

    def _around(self, said: str, *, thought: bool) -> str:
        """Return a turn in which *said* follows the thought, if there is one."""
        form = self._form
        opens, closes = form.around
        lead = form.no_thought
        if thought and form.thought is not None:
            lead = f"{form.thought[0]}{Slot.THOUGHT}{form.thought[1]}"
        return f"{lead}{opens}{said}{closes}".replace("{number}", Slot.NUMBER)
