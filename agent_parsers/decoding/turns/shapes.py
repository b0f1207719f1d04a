"""How a dialect spells its turns, learnt from turns that it writes.

One character stands for each text, id and input in such a turn. So the white space between marks
is that of `render`, and cannot drift from it.
"""

from __future__ import annotations

import json
import re
from dataclasses import dataclass, replace
from functools import cached_property
from typing import TYPE_CHECKING, Any, Final

from agent_parsers.actions.agent import AgentAction, AgentFinish
from agent_parsers.decoding.tree.notation import JSON, NAME, Notation
from agent_parsers.decoding.tree.problems import GrammarError
from agent_parsers.engine.grammar.dialect import Written, WrittenCall
from agent_parsers.engine.reading.rules.machine import machine
from agent_parsers.engine.reading.stream import TurnStream
from agent_parsers.engine.reading.turn import read_turn
from output_parsers import OutputParserException

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from agent_parsers.actions.agent import TurnResult
    from agent_parsers.engine.grammar.dialect import Dialect

__all__ = [
    "ANSWER", "CONTENT", "ID", "INPUT", "KEY", "NUMBER", "SLOTS", "TEXT",
    "THOUGHT", "TOOL", "VALUE", "Calls", "Parameters", "Shapes", "common", "json_in",
]  # fmt: skip

THOUGHT, CONTENT, ANSWER, TEXT, INPUT, KEY, VALUE, ID, NUMBER, TOOL = map(
    chr, range(0xE000, 0xE00A)
)
"""What stands for a thought, content, an answer, an input that is text, an input in JSON, the name
and the value of a parameter, the id of a call, the number of a step, and the name of any tool."""
SLOTS: Final = re.compile(f"([{THOUGHT}-{TOOL}])")

_KEYS: Final = ("some_key", "other_key")
_WORD: Final = "some value"
_COUNT: Final = 80808
_JSON: Final = re.compile(rf'\{{\s*"{_KEYS[0]}":\s*"{_WORD}"\s*\}}')
_TAGS: Final = re.compile(r"</?[^\s<>/][^\s<>]*>?|</").findall
_STEP: Final = 70707
_ANY_TOOL: Final = "some_tool"
_NINE: Final = "a1b2c3d4"
_IDS: Final[tuple[Callable[[str, int], str | None], ...]] = (
    lambda _tool, number: f"{_NINE}{number}",
    lambda tool, number: f"functions.{tool}:{number}",
    lambda _tool, _number: str(_STEP),
    lambda _tool, _number: None,
)
"""The forms of ids."""


@dataclass(frozen=True)
class Parameters:
    """How parameters are spelt that have marks of their own."""

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
class Calls:
    """How the calls of one tool are spelt."""

    call: str
    """A call with its input; empty if its parameters have marks of their own."""
    parameters: Parameters | None
    """How these are spelt."""
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


def common(*texts: str) -> str:
    """Return what *texts* begin with alike."""
    least, greatest = min(texts), max(texts)
    same = (at for at, char in enumerate(least) if char != greatest[at])
    return least[: next(same, len(least))]


class Shapes:
    """The spellings of the turns of one dialect.

    Args:
        dialect: The dialect.
    """

    def __init__(self, dialect: Dialect) -> None:
        self._dialect = dialect

    @cached_property
    def quotes_answer(self) -> bool:
        """Whether an answer is a string in JSON."""
        return '\\"' in self._written(Written(answer=f'a"{ANSWER}'))

    @cached_property
    def quotes_input(self) -> bool:
        """Whether an input that is text is a string in JSON."""
        return '\\"' in self._written(Written(tool=_ANY_TOOL, tool_input=f'a"{TEXT}'))

    @cached_property
    def quotes_values(self) -> bool:
        """Whether the values of parameters are written as strings with escapes."""
        return '\\"' in self._written(Written(tool=_ANY_TOOL, tool_input={"key": 'a"'}))

    @cached_property
    def enclosing(self) -> tuple[str, str]:
        """What encloses a value of several lines, such as ``<![CDATA[``; empty if nothing does."""
        line, lines = (
            self._written(Written(tool=_ANY_TOOL, tool_input={"key": text})).partition(text)
            for text in (_WORD, _WORD.replace(" ", "\n"))
        )
        if not line[1] or not lines[1]:
            return "", ""
        return lines[0].removeprefix(line[0]), lines[2].removesuffix(line[2])

    @cached_property
    def notation(self) -> Notation:
        """How values are written that are not text."""
        made = Notation(self._constants, sorts=self._sorts)
        written = self._written(Written(tool=_ANY_TOOL, tool_input={_KEYS[0]: [_WORD]}))
        if not self._dialect.several or self.nests or INPUT in self._calls(None, (1,)):
            return made
        if found := re.search(rf"\[(\S+){_WORD}\1\]", written):
            return replace(made, quote=found[1])
        nested = self._written(Written(tool=_ANY_TOOL, tool_input={_KEYS[0]: {_KEYS[1]: _WORD}}))
        before, _, after = nested.partition(_WORD)
        opens = before[before.rfind(_KEYS[0]) + len(_KEYS[0]) + 1 :]
        closes = after[: after.find(_KEYS[1]) + len(_KEYS[1]) + 1]
        if _KEYS[1] not in opens or _KEYS[1] not in closes:
            raise GrammarError("lists and objects in parameters are written in a way of their own")
        head, _, tail = opens.partition(_KEYS[1])
        item = written.partition(_WORD)[0].rpartition(head)[2].removesuffix(tail)
        element = opens.replace(_KEYS[1], NAME), closes.replace(_KEYS[1], NAME)
        return replace(made, element=element, item=item)

    @cached_property
    def _constants(self) -> tuple[str, str, str]:
        """How null, true and false are written."""
        tool_input = {"key": [None, True, False]}
        written = self._written(Written(tool=_ANY_TOOL, tool_input=tool_input))
        python = ("None", "True", "False")
        if not self._dialect.several:  # such an input is written as JSON in text
            return JSON.constants
        return python if all(word in written for word in python) else JSON.constants

    @cached_property
    def _sorts(self) -> bool:
        """Whether parameters are written in the order of their names."""
        written = self._written(Written(tool=_ANY_TOOL, tool_input={"second": 1, "first": 2}))
        return written.find("first") < written.find("second")

    @cached_property
    def nests(self) -> bool:
        """Whether lists and objects in the values of parameters are JSON, or written alike."""
        return '["a"]' in self._written(Written(tool=_ANY_TOOL, tool_input={"key": ["a"]}))

    def answer(self, *, thought: bool) -> str:
        """Return a turn with an answer; empty if the dialect has no such turn."""
        return self._written(Written(THOUGHT if thought else "", answer=ANSWER, number=_STEP))

    @cached_property
    def takes_texts(self) -> bool:
        """Whether an input may be text."""
        if self._dialect.several:
            return False
        text = "some words"
        result = self._read(self._written(Written(tool=_ANY_TOOL, tool_input=text)))
        return isinstance(result, AgentAction) and result.tool_input == text

    @cached_property
    def own_tool(self) -> str:
        """The name of the only tool, in a dialect that does not name tools; ``""`` in others."""
        if _ANY_TOOL in self._calls(_ANY_TOOL, (1,)):
            return ""
        result = self._read(self._written(Written(tool=_ANY_TOOL, tool_input="some words")))
        if not isinstance(result, AgentAction) or ANSWER not in self.answer(thought=False):
            raise GrammarError(
                f"the calls of {self._dialect.name} are code, of which no form of"
                " grammar knows the rules"
            )
        return result.tool

    @cached_property
    def reads_bare_call(self) -> bool:
        """Whether the JSON of a call is read without what the dialect writes around it."""
        step = Written(tool=_ANY_TOOL, tool_input={_KEYS[0]: _WORD})
        result = self._read_json(self._written(step))
        actions = result if isinstance(result, list) else [result]
        return all(isinstance(each, AgentAction) and each.tool == _ANY_TOOL for each in actions)

    @cached_property
    def reads_bare_answer(self) -> bool:
        """The same for the JSON of an answer."""
        return isinstance(self._read_json(self._written(Written(answer=_WORD))), AgentFinish)

    def _read_json(self, written: str) -> TurnResult | None:
        text = json_in(written)
        try:
            json.loads(text)
        except ValueError:
            return None
        return self._read(text)

    def check_name(self, tool: str) -> None:
        """Raise if the dialect cannot write the name of a *tool*."""
        if self.own_tool:
            return
        tool_input = {_KEYS[0]: _WORD}
        for make_id in _IDS:
            step = Written(tool=tool, tool_input=tool_input, id=make_id(tool, 0))
            result = self._read(self._written(step))
            actions = result if isinstance(result, list) else [result]
            if any(isinstance(each, AgentAction) and each.tool == tool for each in actions):
                return
        raise GrammarError(f"{self._dialect.name} cannot write the name of the tool {tool!r}")

    @cached_property
    def may_continue(self) -> bool:
        """Whether a turn may begin in a thought whose label the prompt has."""
        lead = self.answer(thought=True).partition(THOUGHT)[0]
        written = self._written(Written("some words", answer="some words"))
        return self._read(written.removeprefix(lead)) is not None

    def _read(self, written: str) -> TurnResult | None:
        """Return what *written* is read as; `None` if it is an error."""
        try:
            return read_turn(TurnStream(machine(self._dialect, "strict"), None), written).result
        except OutputParserException:
            return None

    def turn(self, tool: str | None, *, thought: bool, content: bool) -> str:
        """Return a turn with one call; empty if the dialect has no such turn.

        An input is `TEXT` if it stands there as text, and `INPUT` if it is JSON, which may be a
        string if the dialect `takes_texts`.

        Args:
            tool: Name of the tool; `None` for any.
            thought: Whether it has a thought.
            content: Whether it has content beside the call.
        """
        said = THOUGHT if thought else "", CONTENT if content else ""
        if not self.takes_texts:
            return self._calls(tool, (1,), _WORD, *said)
        if content:
            return ""
        written = self._written(Written(said[0], tool or _ANY_TOOL, TEXT, number=_STEP))
        if self.quotes_input:
            written = written.replace(f'"{TEXT}"', INPUT)
        return written.replace(_ANY_TOOL, TOOL) if tool is None else written

    def of_tool(self, tool: str | None) -> Calls:
        """Return how calls of *tool* are spelt; `None` for any tool.

        Raises:
            GrammarError: What the dialect writes does not show it.
        """
        one = self._calls(tool, (1,))
        slot = INPUT if INPUT in one else VALUE
        if one.count(slot) != 1:
            raise GrammarError(f"the turns of {self._dialect.name} do not show how it spells calls")
        opens = between = closes = ""
        many = self._calls(tool, (1, 1, 1)) if self._dialect.several else ""
        call = one
        if many:
            lead, middle, again, tail = many.split(slot)
            if middle != again or one != f"{lead}{slot}{tail}":
                many = ""  # several are spelt differently, so a turn has one
        if many:
            end = common(middle, tail)
            after = middle[len(end) :]
            head = common(lead[::-1], after[::-1])[::-1]
            opens, between = lead.removesuffix(head), after.removesuffix(head)
            closes = tail.removeprefix(end)
            call = f"{head}{slot}{end}"
        if slot == INPUT:
            return Calls(call, None, opens, between, closes, bool(many))
        parameters = self._parameters(tool, opens, closes)
        return Calls("", parameters, opens, between, closes, bool(many))

    @cached_property
    def tags(self) -> tuple[str, ...]:
        """The tags of parameters, up to their names and those of tools."""
        spelt = self.of_tool(None).parameters
        return spelt.tags if spelt is not None else ()

    def _parameters(self, tool: str | None, opens: str, closes: str) -> Parameters:
        def inner(count: int, value: Any = _WORD) -> str:
            written = self._calls(tool, (count,), value)
            if not (written.startswith(opens) and written.endswith(closes)):
                raise GrammarError(f"the calls of {self._dialect.name} are not spelt alike")
            return written.removeprefix(opens).removesuffix(closes)

        found = []
        for value in (_WORD, _COUNT):
            lead, end = inner(1, value).split(VALUE)
            head, _, equals = lead.partition(KEY)
            _, middle, _ = inner(2, value).split(VALUE)
            middle = middle.removesuffix(f"{KEY}{equals}")
            after = common(middle, end)
            found.append((head, (equals, after), middle[len(after) :], end[len(after) :]))
        (head, text, between, end), (_, other, *same) = found
        if same != [between, end]:
            raise GrammarError(f"the parameters of {self._dialect.name} are not spelt alike")
        if inner(1, True).replace(self._constants[1], VALUE) != inner(1, _COUNT):
            raise GrammarError(
                f"{self._dialect.name} writes the type of each value, which no grammar knows yet"
            )
        return Parameters(inner(0), head, text, other, between, end)

    def _calls(
        self,
        tool: str | None,
        counts: Sequence[int],
        value: Any = _WORD,
        thought: str = "",
        content: str = "",
    ) -> str:
        """Return a turn with calls, given the number of their parameters; empty if there is none.

        Args:
            tool: Name of the tool; `None` for any.
            counts: The number of parameters of each call.
            value: The value of the parameters.
            thought: The thought of the turn.
            content: The content beside the calls.
        """
        name = tool or _ANY_TOOL
        for make_id in _IDS:
            calls = [
                WrittenCall(name, dict.fromkeys(_KEYS[:count], value), make_id(name, number))
                for number, count in enumerate(counts)
            ]
            (_, tool_input, call_id), *others = calls
            step = Written(thought, name, tool_input, "", _STEP, content, call_id, tuple(others))
            written = self._written(step)
            for call in calls:
                if call.id:
                    pattern = f"functions.{call.tool}:" if ":" in call.id else ""
                    written = written.replace(call.id, f"{pattern}{ID}")
            is_numbered = call_id == str(_STEP) and NUMBER in written
            if written and (ID in written or is_numbered or call_id is None):
                written = _JSON.sub(INPUT, written)
                written = written.replace(_WORD, VALUE).replace(str(_COUNT), VALUE)
                for key in _KEYS:
                    written = written.replace(key, KEY)
                return written.replace(_ANY_TOOL, TOOL) if tool is None else written
        return ""

    def _written(self, step: Written) -> str:
        """Return a turn; empty if the dialect cannot write it."""
        try:
            written = self._dialect.write(step)
        except Exception:  # noqa: BLE001 - a writer may raise anything
            return ""
        return written.replace(str(_STEP), NUMBER)
