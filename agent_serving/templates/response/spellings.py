"""The parts of a turn as a dialect spells them, and patterns for what stands between them."""

from __future__ import annotations

import re
from collections.abc import Iterable
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Final

from agent_parsers.authoring import Written
from agent_parsers.constrain import GrammarError
from agent_parsers.core import SLOTS, Parameters, Shapes, Slot
from agent_serving.templates.template_error import TemplateError

if TYPE_CHECKING:
    from agent_parsers import Dialect
    from agent_parsers.core import ToolShape

_SPECIAL: Final = re.compile(r"[][\\^$.|?*+(){}]")
_BLANK_OR_SLOT: Final = re.compile(rf"[ \t\r\n]+|{SLOTS.pattern}")
_BRACKETS: Final = frozenset("<>[]{}")
_BEGINS_CALL: Final = re.compile(r"[<>\[\]{}=]")
_PARTIAL: Final = re.compile(r"[^\s<>]*<[^<>]*\Z")


def literal(text: str) -> str:
    """Return a pattern that matches exactly *text* in all regex engines."""
    escaped = _SPECIAL.sub(r"\\\g<0>", text)
    return escaped.replace("\n", r"\n").replace("\t", r"\t")


def spelt(text: str) -> str:
    """Return a pattern for *text* with slots; white space may vary where dialects allow it.

    The last slot of a tool becomes the group ``name``; other names, ids and numbers of steps are
    matched, but not captured.
    """
    text = text.strip()
    made = []
    at = 0
    for found in _BLANK_OR_SLOT.finditer(text):
        before, after = text[: found.start()], text[found.end() :]
        made.append(literal(text[at : found.start()]))
        at = found.end()
        if found[0] == Slot.TOOL:
            name = _name(before, after)
            made.append(name if Slot.TOOL in after else f"(?P<name>{name})")
        elif found[0][0] in (Slot.ID, Slot.NUMBER):
            made.append("[0-9]+" if found[0] == Slot.NUMBER else "[A-Za-z0-9_-]+")
        else:
            made.append(_blank(before, found[0], after))
    return "".join(made) + literal(text[at:])


def begins_without(words: Iterable[str]) -> str:
    """Return a pattern for the shortest text that shows that none of *words* begins here."""
    nodes: dict[str, list[str]] = {}
    for word in words:
        if word:
            nodes.setdefault(word[0], []).append(word[1:])
    goes_on = [
        literal(char) + begins_without(rests) for char, rests in nodes.items() if "" not in rests
    ]
    other = f"[^{''.join(map(literal, nodes))}]"
    return f"(?:{'|'.join((other, *goes_on))})" if goes_on else other


def _name(before: str, after: str) -> str:
    """Return a pattern for a name, given the texts around it.

    What begins a call cannot be part of a name: a search that reads a name to its end from each
    beginning of a call, or from each of its characters, takes quadratic time in a text of those.
    """
    if not after:
        return r"[^\s<>{]+"
    if not before:
        return r"(?<![^\s<>])[^\s<>]+"
    ends = [*_BEGINS_CALL.findall(before)[:1], after[0].strip()]
    others = "".join(dict.fromkeys(map(literal, ends)))
    if not after[0].isspace():
        return rf"[^\n{others}]+"  # where it is lazy, `regex` looks for what follows to the end
    # Blanks around the name are no part of it, and are not read again for each of its characters.
    return rf"(?=[^ \t\n])[^\n{others}]*?[^ \t\n{others}]"


def _blank(before: str, blank: str, after: str) -> str:
    """Return a pattern for the white space between two texts."""
    if "\n" in blank:
        is_free = before[-1:] in _BRACKETS or after[:1] in _BRACKETS
        return r"\s*" if is_free else r"[ \t]*\n\s*"
    is_inner = before[-1:].isalnum() and after[:1].isalnum()
    return literal(blank) if is_inner else r"[ \t]*"


def without_partial(text: str) -> tuple[str, str]:
    """Return *text* without an incomplete tag at its end, and that tag."""
    found = _PARTIAL.search(text)
    return (text, "") if found is None else (text[: found.start()], found[0])


# -- spellings -------------------------------------------------------------------------------------

_BRACKETS_OF_TAGS: Final = frozenset("<>[]")


@dataclass(frozen=True)
class CallSpelling:
    """How calls are written: ``opens head Slot.INPUT end between head Slot.INPUT end closes``."""

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
        if dialect.several and self.shapes.writes_texts:
            raise TemplateError(
                "the body of a call can be text or JSON, and a template cannot tell which"
            )
        if self.shapes.names_types:
            raise TemplateError(
                f"the calls of {dialect.name} name the type of each value, which a template cannot"
                " read"
            )

    @cached_property
    def call(self) -> CallSpelling:
        """How calls are written."""
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
        """Marks around a value that itself contains marks; empty if there are none."""
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
        """Text before a thought; empty if the dialect writes no thoughts."""
        written = self.shapes.answer(thought=True)
        return written.partition(Slot.THOUGHT)[0] if Slot.THOUGHT in written else ""

    @cached_property
    def thought_closes(self) -> str:
        """Text that always follows a thought; empty if only the next part ends it."""
        if not _BRACKETS_OF_TAGS & set(self.thought_opens):  # a label, which nothing closes
            return ""
        form = self.dialect.form
        assert form is not None, "shapes are made of it"
        assert form.thought is not None, "thoughts have an opener"
        return form.thought[1].strip()

    @cached_property
    def follows_thought(self) -> tuple[str, ...]:
        """The beginnings of what follows a thought that has no closer: an answer or a call."""
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
