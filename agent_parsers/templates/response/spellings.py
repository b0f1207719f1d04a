"""The parts of a turn as a dialect spells them, cut where a response template needs them cut."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from os.path import commonprefix
from typing import TYPE_CHECKING, Final

from agent_parsers.authoring import Written
from agent_parsers.core import Parameters, Shapes, Slot
from agent_parsers.decoding import GrammarError
from agent_parsers.templates.problems import TemplateError
from agent_parsers.templates.response.patterns import without_partial

if TYPE_CHECKING:
    from agent_parsers import Dialect
    from agent_parsers.core import ToolShape

__all__ = ["CallSpelling", "Spellings"]

_BRACKETS: Final = frozenset("<>[]")


@dataclass(frozen=True)
class CallSpelling:
    """How calls are spelt: ``opens head Slot.INPUT end between head Slot.INPUT end closes``."""

    opens: str
    """Text before all calls."""
    head: str
    """Text of a call before its input, which may have the name of the tool."""
    end: str
    """Text of a call after its input."""
    between: str
    """Text between two calls."""
    closes: str
    """Text after all calls."""
    several: bool
    """Whether a turn may have several calls."""
    is_text: bool
    """Whether the input is text."""
    parameters: Parameters | None
    """How parameters are spelt that have marks of their own."""


class Spellings:
    """The parts of the turns of one dialect.

    Args:
        dialect: The dialect.

    Raises:
        TemplateError: What the dialect writes does not show them.
    """

    def __init__(self, dialect: Dialect) -> None:
        self.dialect = dialect
        try:
            self.shapes: Shapes = Shapes(dialect)
            self.own_tool: str = self.shapes.own_tool
        except GrammarError as error:
            raise TemplateError(str(error)) from None

    @cached_property
    def call(self) -> CallSpelling:
        """How calls are spelt."""
        if not self.dialect.several:
            written = self._with_thought or self.shapes.turn(None, thought=False, content=False)
            after = written.partition(Slot.THOUGHT)[2].removeprefix(self.thought_closes.lstrip())
            slot = Slot.TEXT if Slot.TEXT in after else Slot.INPUT
            head, _, end = after.partition(slot)
            return CallSpelling("", head, end, "", "", False, slot == Slot.TEXT, None)
        try:
            calls = self.shapes.of_tool(None)
        except GrammarError as error:
            raise TemplateError(str(error)) from None
        opens, begun = without_partial(calls.opens)
        if calls.parameters is not None:
            return self._tagged(calls, calls.parameters)
        head, _, end = calls.call.partition(Slot.INPUT)
        end, again = without_partial(end)
        between, closes = again + calls.between, again + calls.closes
        between, rest = without_partial(between)
        return CallSpelling(
            opens, (begun or rest) + head, end, between, closes, calls.several, False, None
        )

    def _tagged(self, calls: ToolShape, found: Parameters) -> CallSpelling:
        """Return the spelling of calls whose parameters have marks of their own."""
        opens, begun = without_partial(calls.opens)
        text, other = ((equals, without_partial(end)) for equals, end in (found.text, found.other))
        (text_equals, (text_end, first)), (other_equals, (other_end, _)) = text, other
        end, again = without_partial(first + found.closes)
        lead = begun + found.opens
        start = first + found.between
        head = lead.removesuffix(start) if start.strip() and lead.endswith(start) else lead
        parameters = Parameters(
            begun + found.none, lead.removeprefix(head), (text_equals, text_end),
            (other_equals, other_end), found.between, end,
        )  # fmt: skip
        between, _ = without_partial(again + calls.between)
        closes = again + calls.closes
        return CallSpelling(opens, head, end, between, closes, calls.several, False, parameters)

    @property
    def stops_are_tokens(self) -> bool:
        """Whether stop sequences are tokens of a model rather than labels of a prompt."""
        return self.dialect.several or "<" in "".join(self.dialect.stop)

    @cached_property
    def _with_thought(self) -> str:
        written = self.shapes.turn(None, thought=True, content=False)
        return written if Slot.THOUGHT in written else ""

    @cached_property
    def value_quotes(self) -> tuple[str, str]:
        """Marks around the value of a parameter that has other marks in it; empty for none."""
        assert self.call.parameters is not None, "only such calls have values between marks"
        value = "x <y>"
        try:
            written = self.dialect.write(Written(tool="some_tool", tool_input={"key": value}))
        except ValueError:
            return "", ""
        opens, closes = (text.strip() for text in self.call.parameters.text)
        before, _, after = written.partition(value)
        return before.rpartition(opens)[2].strip(), after.partition(closes)[0].strip()

    @cached_property
    def thought_opens(self) -> str:
        """Text before a thought; empty if the dialect writes none."""
        written = self.shapes.answer(thought=True)
        return written.partition(Slot.THOUGHT)[0] if Slot.THOUGHT in written else ""

    @cached_property
    def thought_closes(self) -> str:
        """Text after a thought whatever follows; empty if only what follows ends it."""
        if not _BRACKETS & set(self.thought_opens):  # a label, which nothing closes
            return ""
        answer = self.shapes.answer(thought=True).partition(Slot.THOUGHT)[2]
        call = self._with_thought.partition(Slot.THOUGHT)[2]
        return without_partial(commonprefix([answer, call]))[0].strip()

    @cached_property
    def follows_thought(self) -> tuple[str, ...]:
        """What a thought that has no closer ends before: an answer or a call."""
        return self.answer[0], self.call.head

    @cached_property
    def answer(self) -> tuple[str, str]:
        """The text before and after an answer."""
        written = self.shapes.answer(thought=False)
        if self.thought_opens and not self.thought_closes:  # a label may be written without text
            written = self.shapes.answer(thought=True).partition(Slot.THOUGHT)[2]
        opens, _, closes = written.partition(Slot.ANSWER)
        return opens, closes

    @cached_property
    def content(self) -> tuple[str, str]:
        """The text before and after content beside calls."""
        if not self.dialect.several:
            return "", ""
        written = self.shapes.turn(None, thought=False, content=True)
        bare = self.shapes.turn(None, thought=False, content=False)
        opens, _, closes = written.partition(Slot.CONTENT)
        if opens.endswith(bare):  # content follows the calls
            return opens.removesuffix(bare), closes
        return opens, closes.removesuffix(bare)
