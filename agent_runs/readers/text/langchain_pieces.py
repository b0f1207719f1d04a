r"""The pieces that LangChain prints to a console: beginnings and ends of chains, coloured texts.

A chain stands between ``\n\n\x1b[1m> Entering new NAME chain...\x1b[0m\n`` and
``\n\x1b[1m> Finished chain.\x1b[0m\n``. A coloured text is ``\x1b[COLOURm\x1b[1;3mTEXT\x1b[0m``.

Source: `langchain_core.callbacks.stdout` and `langchain_core.utils.input`.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import TYPE_CHECKING, Final, NamedTuple, TypeAlias

from agent_runs.splitting.ansi import ENDS_OF_STYLE, ESCAPE, without_codes

if TYPE_CHECKING:
    from agent_runs.reading.reader import Lines

GREEN: Final = "32;1"
"""The colour of what the model wrote."""
_COLOURS: Final = rf"{GREEN}|36;1|33;1|38;5;200|31;1"

_BOUND: Final = r"> (?:Entering new (?P<name>[^\n]*?) ?chain\.\.\.|Finished (?:\w+ )?chain\.)"
_COLOURED_BOUND: Final = re.compile(rf"\x1b\[1m{_BOUND}\x1b\[0?0?m\s*")
_PLAIN_BOUND: Final = re.compile(rf"{_BOUND}[ \t]*\n?")
_STYLES: Final = rf"\x1b\[(?P<colour>{_COLOURS})m\x1b\[1;3m|\x1b\[(?P<code>[0-9;]*)m"

_GREEN_SIGN: Final = rf"{ESCAPE}\[{GREEN}m{ESCAPE}\[1;3m"
SIGN: Final = re.compile(
    rf"(?m:^)(?:(?:{ESCAPE}\[1m)?> Entering new [^\n]*chain\.\.\.|(?:Thought:)?{_GREEN_SIGN})"
)
"""Finds what shows that LangChain wrote a text."""
COLOUR_SIGN: Final = re.compile(rf"{ESCAPE}\[1m> (?:Entering new|Finished) |{_GREEN_SIGN}")
"""Finds a code that LangChain writes."""


class Start(NamedTuple):
    """The beginning of a chain."""

    name: str
    line: int


class End(NamedTuple):
    """The end of a chain."""

    line: int


class PrintedText(NamedTuple):
    """A text in one colour."""

    text: str
    colour: str
    """The numbers of its escape code; empty if it has no colour."""
    line: int
    """The line of the file where it begins."""


Event: TypeAlias = Start | End | PrintedText


def read_pieces(lines: Lines, *, is_coloured: bool, others: str = "") -> Iterator[Event]:
    """Yield the pieces of a console log, with the escape codes removed from texts.

    A text in a colour may contain others, which end before it does. If one of them does not, the
    text ends with the last of them. *others* is a pattern of the numbers of colours in which others
    than LangChain print.
    """
    styles = re.compile(rf"\x1b\[(?P<other>{others or '(?!)'})m|{_STYLES}")
    texts = _Texts()
    bound = _COLOURED_BOUND if is_coloured else _PLAIN_BOUND
    for line in lines:
        number = lines.number - 1
        found = bound.fullmatch(line) if texts.may_be_over else None
        if found:
            yield from texts.end()
            name = found["name"]
            yield End(number) if name is None else Start(name, number)
            continue
        if texts.may_be_over and _is_cut(line):
            break
        at = 0
        for style in styles.finditer(line):
            texts.add(line[at : style.start()], number)
            at = style.end()
            colour = style["colour"] or ("" if texts.is_coloured else style["other"])
            if colour:
                yield from texts.end()
                texts.begin(colour, number)
            elif texts.take_style(style["code"] or style["other"]):
                yield from texts.end()
        texts.add(line[at:], number)
    yield from texts.end()


def _is_cut(line: str) -> bool:
    """Return whether *line* is the last one, and the log cuts the beginning or end of a chain."""
    bare = without_codes(line)
    if not bare or line.endswith("\n"):
        return False
    is_end = "> Finished chain.".startswith(bare) or re.fullmatch(r"> Finished \w+(?: c\w*)?", bare)
    return bool(is_end) or bare.startswith("> Entering new ")


class _Texts:
    """The text that is being read."""

    def __init__(self) -> None:
        self.begin("", 0)

    @property
    def is_coloured(self) -> bool:
        return bool(self._colour)

    @property
    def may_be_over(self) -> bool:
        """Whether the text may have ended already, without an escape code that ends it."""
        return not self._colour or self._inner_end > 0

    def begin(self, colour: str, line: int) -> None:
        self._colour = colour
        self._line = line
        self._parts: list[str] = []
        self._is_styled = False  # by a style inside the text
        self._inner_end = 0  # number of parts before the end of the last such style

    def add(self, text: str, line: int) -> None:
        if text:
            self._line = self._line or line
            self._parts.append(text)

    def take_style(self, code: str) -> bool:
        """Process a style inside the text, and return whether it ends the text."""
        is_last = self.is_coloured and not self._is_styled and not code.strip("0")
        if is_last:
            self._inner_end = 0
        elif code not in ENDS_OF_STYLE:
            self._is_styled = True
        elif self._is_styled:
            self._is_styled = False
            self._inner_end = len(self._parts)
        return is_last

    def end(self) -> Iterator[PrintedText]:
        """Yield the text, and begin a new one without a colour."""
        count = self._inner_end or len(self._parts)
        parts = (self._colour, self._parts[:count]), ("", self._parts[count:])
        for colour, part in parts:
            text = without_codes("".join(part))
            if text or colour:
                yield PrintedText(text, colour, self._line)
        self.begin("", 0)
