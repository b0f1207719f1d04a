"""Text that an agent spoke in a dialect, in the messages of a conversation.

An assistant's message without calls may be a turn in a dialect; then the message after it has the
results, in the frame that the dialect puts around them::

    assistant: Thought: I look it up.
               Action: search
               Action Input: fog
    user:      Observation: November
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from functools import cache
from typing import TYPE_CHECKING, Final

from agent_parsers import AgentFinish, get_dialect
from agent_parsers.authoring import Result, unescape
from agent_parsers.core import Patterns, find_nameless, read_output

if TYPE_CHECKING:
    from agent_parsers import Dialect
    from agent_parsers.transcripts import TranscriptStep
    from agent_runs.reading.reader import Reading

_SIGNS: Final = {
    r"<tool_call>\s*+\{": "hermes",
    r"<tool_call>\s*+<function=": "qwen3_coder",
    r"^<function=[\w.-]++>\s*+<parameter=": "qwen3_coder",
    r"^[ \t]*+Action:[^\n]*+\n\s*+Action Input:": "react",
    r"^[ \t]*+Action(?: \d++)?:[ \t]*+\w++\[": "react_docstore",
    r"^[ \t]*+Action:\s*+```(?:json)?\s*+\{": "structured_chat",
    r"^<code>\n": "smolagents_code",
    r"<tool>[^<]*+</tool>\s*+<tool_input>": "xml",
    r"^```json\s*+\{\s*+\"action\"": "json_chat",
    r"^[ \t]*+Follow up:": "self_ask",
    r"\[TOOL_CALLS\]\s*+\[": "mistral",
}
"""What shows that a text is in a dialect, by a pattern; each is part of a call."""
_SIGN: Final = re.compile("|".join(f"({sign})" for sign in _SIGNS), re.MULTILINE)


def sign_of_call(text: str) -> re.Match[str] | None:
    """Return the first sign of a dialect in *text* that is part of a call."""
    # Looking for the beginnings of the signs takes far less time than looking for the signs.
    may_have = "<" in text or "Action" in text or "```json" in text
    may_have = may_have or "Follow up:" in text or "[TOOL_CALLS]" in text
    return _SIGN.search(text) if may_have else None


_LABEL: Final = re.compile(
    r"\A\s*(?:OBSERVATION|Observation|(?:tool|command|execution|function)[ _]?(?:results?|outputs?|"
    r"responses?)|The output of the OS)[ \t]*:[ \t]*\n?",
    re.IGNORECASE,
)
"""Matches what programs write before a result in a message of the user."""
_ELEMENT: Final = re.compile(
    r"\A\s*<(?:returncode|observation|(?:tool|function|execution)_(?:response|result|output)s?)>"
).match
"""Matches the element in which programs put a result."""
_TURN: Final = re.compile(
    r"\A\s*(?:think|thoughts?)[ \t]*:(?:(?!^[ \t]*final answer).)*^[ \t]*act(?:ion)?[ \t]*:",
    re.IGNORECASE | re.MULTILINE | re.DOTALL,
).match
"""Matches a thought with an action behind it, in whatever spelling."""
_ENDS_IN_CALL: Final = re.compile(
    r"</?(?:\w{1,20}:)?(?:\w{0,20}(?:tool|call|function|invoke|parameter)\w{0,20}"
    r"|\w{1,40}_\w{1,40})>\s*+(?:```\s*+)?\Z"
    r"|[<\[][|/][^<>\[\]\n]{0,9}tool[^<>\[\]\n]{0,20}[|\]]>?\s*\Z",
    re.IGNORECASE,
).search
"""Finds what closes a call at the end of a text, as an element or as a mark of a model."""


def unread_call(text: str) -> str:
    """Return the sign of a call in *text* that was not read, or ``""``; it follows "the text"."""
    is_closed = text.rstrip().endswith((">", "]", "|", "`"))
    if is_closed and (found := _ENDS_IN_CALL(text)):
        return f"ends in {found[0].strip()!r}, which no dialect can read"
    if (nameless := find_nameless(text)) is not None:
        return f"ends in a call {nameless.form}, which no dialect can read"
    if _TURN(text):
        return "ends in an action after a thought, which no dialect can read"
    sign = sign_of_call(text)
    if sign is None:
        return ""
    return (
        f"has {sign[0].strip()!r}, the mark of a call, but none that can be read; if it only shows"
        " one, name the dialect of the model, which then says what is an answer"
    )


def is_result(text: str) -> bool:
    """Return whether a *text* of the user begins like the result of a tool."""
    return _LABEL.match(text) is not None or _ELEMENT(text) is not None


class Speech:
    """Reads the calls that the agent of a conversation writes as text, and finds the dialect.

    If the user named no dialect, it is that of the first text that has the sign of a dialect and
    can be read in it as a call without an error.
    """

    def __init__(self, reading: Reading) -> None:
        self._reading = reading
        self.dialect = reading.dialect
        """The dialect; `None` if it is unknown, or if there is none."""
        self.evidence: str = ""
        """What shows the dialect; empty if the user named it."""

    def read(self, text: str) -> list[TranscriptStep]:
        """Return the steps in *text*, or ``[]`` if it is not in the dialect."""
        if self.dialect is not None:
            steps = self._steps(self.dialect, text)
            marks = Patterns(self.dialect.lenient.markers).whole
            is_marked = marks.search(f"\n{text}") is not None  # labels begin lines
            return steps if is_marked or all(step.error is None for step in steps) else []
        sign = sign_of_call(text)
        if sign is None or sign.lastindex is None:
            return []
        dialect = get_dialect([*_SIGNS.values()][sign.lastindex - 1])
        steps = self._steps(dialect, text)
        if any(step.error or isinstance(step.action, AgentFinish) for step in steps):
            return []
        self.dialect = dialect
        self.evidence = f"a message with {sign[0].strip()!r}, read as {dialect.name}"
        return steps

    def results(self, text: str) -> list[str]:
        """Return the results in *text*, a message after calls, without the marks around them."""
        if self.dialect is None:
            return [_LABEL.sub("", text)]
        found = [*_framed(self.dialect, text)] or [_LABEL.sub("", text)]
        return [unescape(self.dialect, result) for result in found]

    def _steps(self, dialect: Dialect, text: str) -> list[TranscriptStep]:
        return read_output(dialect, text, self._reading.tools, lenient=self._reading.lenient)


def _framed(dialect: Dialect, text: str) -> Iterator[str]:
    """Yield the results in *text* if it consists of results as *dialect* writes them."""
    before, after = _frame(dialect)
    if not before:
        return
    text = text.strip()
    if not (begin := re.match(before, text)):
        return
    if not dialect.several:
        label = re.search(rf"{after}\Z", text[begin.end() :]) if after else None
        yield text[begin.end() : begin.end() + label.start() if label else None].strip()
        return
    pieces = re.split(rf"{after}\s*{before}" if after else before, text[begin.end() :])
    pieces[-1] = re.sub(rf"{after}\Z", "", pieces[-1])
    yield from pieces


@cache
def _frame(dialect: Dialect) -> tuple[str, str]:
    """Return patterns for what *dialect* writes before and after each result."""
    text = dialect.results_text([Result("\1", "\0")], 7)
    before, _, after = (_spaced(part) for part in text.partition("\0"))
    return before, after


def _spaced(text: str) -> str:
    """Return a pattern for *text* with any name of a tool, any number, and any space around it."""
    words: Iterable[str] = re.split("(\1|[78])", text.strip())
    known = {"\1": r"[\w.-]+", "7": r"\d+", "8": r"\d+"}
    pattern = "".join(known.get(word) or re.escape(word) for word in words)
    return rf"\s*{pattern}\s*" if pattern else ""
