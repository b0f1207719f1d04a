"""Call reader for blocks of code, which are the input of the only tool."""

from __future__ import annotations

import ast
from collections.abc import Callable
from typing import Any, ClassVar, Final

from agent_parsers.engine.calls.raw_values import RawValue, held_size
from agent_parsers.engine.calls.reader import Call, EmittingReader
from agent_parsers.engine.repairs.dressing import FENCE, within
from agent_parsers.events import Event, InputDelta, MarkerSeen, Repair, SkippedDelta, ToolNamed
from outputs.growing_json.kept_text import KeptText

OPENER: Final = "<code>"
CLOSER: Final = "</code>"
_END_OF_FENCE: Final = f"\n{FENCE}"


class CodeBlock(EmittingReader):
    """Reads a block of code after ``<code`` or, in lenient mode, ````` ```py `````.

    The reader takes the rest of the opening mark too, since it distinguishes the two. Code whose
    end is missing must be complete Python, since either the stop sequence or a limit removed it.

    Args:
        tool: Name of the tool that runs the code.
        read_answer: Returns the answer if code is only an answer, else `None`.
        lenient: Whether to read fences, and to drop an incomplete closing mark.
    """

    problems: ClassVar[frozenset[str]] = frozenset({"no_call", "open_call", "after_call"})

    __slots__ = (
        "_after", "_closer", "_code", "_ended", "_head", "_is_block", "_is_fence", "_is_inline",
        "_lead", "_lenient", "_raw", "_read_answer", "_start", "_tool",
    )  # fmt: skip

    def __init__(
        self, tool: str, read_answer: Callable[[str], tuple[Any] | None], *, lenient: bool = False
    ) -> None:
        self._tool = tool
        self._read_answer = read_answer
        self._lenient = lenient
        self._start = self._at = self._ended = self._after = -1
        self._head = ""
        self._lead: str | None = ""  # the rest of the opening mark, and the white space after it
        self._raw: RawValue | None = None
        self._closer = CLOSER
        self._is_fence = False
        self._is_block = True
        self._is_inline = False  # no line break before the code, or between its end and other text
        self._code = KeptText()

    def feed(self, text: str, at: int) -> list[Event]:
        """Take *text* at offset *at* and return the events it completes."""
        if self._start < 0:
            self._start = self._at = at
        events: list[Event] = []
        if self._raw is None:
            text = self._open(self._head + text)
        if self._raw is not None and not self._raw.is_closed:
            code, text = self._raw.feed(text)
            self._take(code, events)
            text = self._end(text, events) if text else ""
        if text:
            self._skip(text, events)
        return events

    def _open(self, head: str) -> str:
        """Determine the kind of block from the *head* of its text, and return the rest."""
        self._head = head
        mark = ">" if head[0] == ">" else "thon"
        if head != mark and mark.startswith(head):
            return ""
        self._is_fence = mark != ">"
        self._closer = _END_OF_FENCE if self._is_fence else CLOSER
        self._raw = RawValue(self._closer)
        self._lead = mark if head.startswith(mark) else ""
        return head.removeprefix(mark)

    def _take(self, code: str, events: list[Event]) -> None:
        if self._lead is not None:
            begun = code.lstrip()
            self._lead += code[: len(code) - len(begun)]
            if not begun:
                return
            self._emit_lead(events)
            self._start = self._at
            code = begun
        self._code.add(code)
        self._emit(code, InputDelta, events)

    def _emit_lead(self, events: list[Event]) -> None:
        if self._lead is None:
            return
        lead, self._lead = self._lead, None
        self._emit(lead, MarkerSeen, events)
        # Strict mode has no fences, and no letter may follow "```python".
        self._is_block = not self._is_fence or (self._lenient and lead != "thon")
        self._is_inline = not self._is_fence and "\n" not in lead

    def _end(self, text: str, events: list[Event]) -> str:
        """Emit the closing mark at the beginning of *text*; return the text after it."""
        self._emit_lead(events)
        size = len(self._closer)
        self._emit(text[:size], MarkerSeen, events)
        self._ended = self._at
        return text[size:]

    def _skip(self, text: str, events: list[Event]) -> None:
        if self._after < 0:
            blank = text[: len(text) - len(text.lstrip())]
            self._is_inline = self._is_inline and "\n" not in blank
            if len(blank) < len(text):
                self._after = self._at + len(blank)
        self._emit(text, SkippedDelta, events)

    def close(self) -> tuple[list[Event], Call]:
        """End the text of the call; return the events that were held back, and the call."""
        events: list[Event] = []
        if self._raw is None:
            self._emit(self._head, SkippedDelta, events)
            return events, Call(self._tool, "", (self._start, max(self._at, 0)), problem="no_call")
        if not self._raw.is_closed:
            code, rest = self._raw.close()
            half = self._half_mark(code)
            self._take(code[: len(code) - half], events)
            if half:
                span = (self._at, self._at + half)
                self._emit(code[len(code) - half :], MarkerSeen, events)
                events.append(Repair("unclosed", span, "dropped an incomplete closing tag"))
            if rest:
                self._skip(self._end(rest, events), events)
        self._emit_lead(events)
        code = str(self._code).strip()
        is_dressed = self._lenient and not self._is_fence and code.startswith(FENCE)
        if is_dressed and (place := within(code)) is not None:
            events.append(self._fence_repair("removed the fence around the code"))
            code, is_dressed = code[slice(*place)].rstrip(), False
        elif self._lenient and code.endswith(_END_OF_FENCE) and is_python(code[:-3]):
            events.append(self._fence_repair("removed a closing fence"))
            code = code[:-3].rstrip()
        problem = "" if code and self._is_block else "no_call"
        is_open = self._ended < 0
        may_be_less = is_open or OPENER in code or CLOSER in code
        if self._is_block and (
            is_dressed  # the fence does not end, or ends before the code does
            or (is_open and self._is_fence)
            or (code and may_be_less and not is_python(code))
        ):
            problem = "open_call"
        elif self._is_inline and self._after >= 0 and not problem:
            problem = "after_call"  # a sentence quotes it
        if self._is_fence and not problem:
            events.append(self._fence_repair("read a fenced block as code"))
        answer = self._read_answer(code)
        if answer is None and not problem:
            events.insert(0, ToolNamed(self._tool, (self._start, self._start)))
        call = Call(
            tool=self._tool,
            tool_input=code if answer is None else answer[0],
            span=(self._start, self._at if self._ended < 0 else self._ended),
            tool_span=(self._start, self._start),
            is_answer=answer is not None,
            problem=problem,
            after=(self._after, self._at) if self._after >= 0 else None,
            lacks="closer" if self._ended < 0 else "",
        )
        return events, call

    def _fence_repair(self, message: str) -> Repair:
        """Return the repair of a fence from where the code begins to its end."""
        return Repair("fence", (self._start, self._at if self._ended < 0 else self._ended), message)

    def _half_mark(self, code: str) -> int:
        """Return how many characters of the closing mark *code* ends with, at least two."""
        size = held_size(code, CLOSER) if self._lenient and not self._is_fence else 0
        return size if size > 1 else 0


def is_python(code: str) -> bool:
    """Return whether the syntax of *code* is valid. Nothing is evaluated."""
    try:
        ast.parse(code)
    except (SyntaxError, ValueError, RecursionError, MemoryError):
        return False
    return True
