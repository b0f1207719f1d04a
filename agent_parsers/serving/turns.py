"""What the plugins share: a turn as a server reports it, whole or as it streams in."""

from __future__ import annotations

import json
import logging
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Final

from agent_parsers import StreamParser, get_dialect, list_dialects
from agent_parsers.authoring import Part
from agent_parsers.core import machine
from agent_parsers.events import (
    ActionComplete,
    AnswerDelta,
    Finish,
    InputDelta,
    MarkerSeen,
    SkippedDelta,
    ThoughtDelta,
    ToolNamed,
)
from agent_parsers.toolset import ToolSet
from output_parsers import OutputParserException

if TYPE_CHECKING:
    from collections.abc import Iterable

    from agent_parsers import AgentAction
    from agent_parsers.events import Event

__all__ = ["ServedCall", "ServedPart", "ServedTurn", "read_turn", "served_names", "tools_of"]

_log: Final = logging.getLogger(__name__)


def served_names() -> dict[str, str]:
    """Return all dialects by the names that servers know them by, such as ``ap_hermes``."""
    return {f"ap_{name}": name for name in list_dialects()}


def tools_of(tools: Iterable[Any] | None) -> ToolSet | None:
    """Return the *tools* of a request, pydantic models in OpenAI's form; `None` if it has none.

    Arguments get the types that the schemas ask for. Missing and unknown arguments are left to the
    client. If a schema is invalid, this is logged, and arguments are taken as they are written.
    """
    written = [tool.model_dump(exclude_none=True) for tool in tools or ()]
    try:
        return ToolSet(written, unknown_keys="keep", missing_keys="keep") if written else None
    except (TypeError, ValueError) as error:
        _log.warning("arguments are not converted, since the tools cannot be read: %s", error)
        return None


@dataclass(frozen=True, slots=True)
class ServedCall:
    """A call as OpenAI's API has it."""

    name: str
    """Name of the tool."""
    arguments: str
    """The arguments, an object in JSON."""
    id: str | None
    """The id that the model wrote, if it wrote one."""


@dataclass(slots=True)
class ServedPart:
    """A turn, or what a chunk adds to it."""

    content: str = ""
    """The text beside the calls, or the answer. Thoughts are part of it, with their marks; one
    without marks, such as the thought of ``react``, only if there is a call."""
    calls: list[ServedCall] = field(default_factory=list)
    """The calls that are complete."""


class ServedTurn:
    """Reads one turn, and never raises because of what the model wrote.

    A turn that cannot be read becomes content, except for calls reported before, and the reason is
    logged.

    Args:
        dialect: Name of the dialect.
        tools: The tools of the request; see `tools_of`.
        behind_thought: Whether the text begins behind the model's reasoning. If so, a call is
            reported when its block closes. Otherwise it may turn out to be part of a thought, and
            is reported at the end of the turn, as are the calls of dialects that do not mark them.
    """

    def __init__(
        self, dialect: str, tools: ToolSet | None = None, *, behind_thought: bool = False
    ) -> None:
        self._machine: Final = machine(get_dialect(dialect), "lenient")
        self._has_several: Final = self._machine.table.several
        strict = self._machine.dialect.strict
        begins_in_content = behind_thought and strict.parts[strict.initial] is Part.CONTENT
        self._parser: Final = StreamParser(
            self._machine.dialect,
            tools=tools,
            max_chars=None,
            start="content" if begins_in_content else "",
            calls="each" if begins_in_content and self._machine.marks_calls else "all",
        )
        self._tail = ""  # the text after the last event
        self._at = 0
        self._waiting: list[str] = []  # text that becomes content if the turn cannot be read
        self._content = ""  # what was reported of the content, without thoughts
        self._final = ""  # the content of the turn, once that is over
        self._thought = ""  # a thought without marks, in a turn of one call
        self._is_marked = False  # whether a mark opened the thought
        self._is_calling = False  # whether a call has begun and is not reported
        self._is_behind_call = False
        self._is_apart = self._needs_break = False  # from the content, or from what was reported
        self._has_said = self._is_over = False
        self.is_broken: bool = False
        """Whether the turn cannot be read."""
        self.other_content: str | None = None
        """The content of the turn, if the end of the text made it another than was reported."""

    def feed(self, text: str) -> ServedPart:
        """Take more of the text and return what it adds."""
        if self._is_over:
            return ServedPart(text)
        self._tail += text
        part = ServedPart()
        try:
            self._add(self._parser.feed(text), part)
        except OutputParserException as error:
            self._give_up(error, part)
        return part

    def close(self) -> ServedPart:
        """Return what the end of the text adds; nothing if it was closed before."""
        part = ServedPart()
        if self._is_over:
            return part
        self._is_over = True
        try:
            self._parser.close()
        except OutputParserException as error:
            self._add(self._parser.last_events, part)
            self._give_up(error, part)
            return part
        self._add(self._parser.last_events, part)
        final = self._final if self._parser.content is None else self._parser.content
        if final.startswith(self._content):  # what was quoted, or stands behind a call
            part.content += final[len(self._content) :]
        else:
            self.other_content = final
        return part

    def _give_up(self, error: OutputParserException, part: ServedPart) -> None:
        self._is_over = self.is_broken = True
        rest = "".join(self._waiting) + self._tail
        part.content += rest
        if rest.strip():
            _log.warning("%s: text is content, not a call: %s", self._machine.dialect.name, error)

    def _add(self, events: Iterable[Event], part: ServedPart) -> None:
        """Add what *events* report to *part*."""
        for event in events:
            match event:
                case AnswerDelta():
                    self._thought = ""
                    self._say(self._cut(event.span[1]), part)
                case ThoughtDelta():
                    self._think(self._cut(event.span[1]), part)
                case MarkerSeen():
                    self._is_calling |= event.name in self._machine.call_markers
                    self._mark(self._cut(event.span[1]), part)
                case ToolNamed() | InputDelta():
                    self._is_calling = True
                    self._waiting.append(self._cut(event.span[1]))
                case SkippedDelta():  # such as an invented observation, not part of the turn
                    self._waiting.append(self._cut(event.span[1]))
                case ActionComplete(action=action):
                    part.content += self._thought
                    part.calls.append(_call(action))
                    self._waiting.clear()
                    self._is_calling, self._is_behind_call = False, True
                case Finish(finish=finish):
                    answer = finish.return_values["output"]
                    self._final = answer if isinstance(answer, str) else _json(answer)

    def _cut(self, stop: int) -> str:
        """Return the text up to offset *stop*; the spans of events that have text tile it."""
        text, self._tail = self._tail[: stop - self._at], self._tail[stop - self._at :]
        self._at = stop
        return text

    def _think(self, text: str, part: ServedPart) -> None:
        if self._has_several or self._is_marked:
            self._say(text, part, is_thought=True)
        else:  # it is content beside a call, but not before an answer
            self._waiting.append(text)
            self._thought += ("\n" if self._is_apart and self._thought else "") + text
            self._is_apart = False

    def _say(self, text: str, part: ServedPart, *, is_thought: bool = False) -> None:
        if self._is_calling:  # which may turn out to be quoted, or no call
            self._waiting.append(text)
            return
        if self._is_behind_call:  # only the marks that close the call are waiting
            self._waiting.clear()
            self._is_behind_call = False
        part.content += "\n" + text if self._needs_break else text
        if not is_thought:
            self._content += "\n" + text if self._is_apart and self._content else text
            self._is_apart = False
        self._needs_break, self._has_said = False, True

    def _mark(self, text: str, part: ServedPart) -> None:
        self._is_apart = True
        if kind := self._machine.thought_mark(text):
            self._needs_break, self._is_marked = False, kind == "opens"
            self._say(text, part, is_thought=True)
        else:
            self._needs_break = self._has_said
            self._waiting.append(text)


def read_turn(
    dialect: str, text: str, tools: ToolSet | None = None, *, behind_thought: bool = False
) -> ServedPart:
    """Read a whole turn; if it cannot be read, all of it is content. See `ServedTurn`."""
    turn = ServedTurn(dialect, tools, behind_thought=behind_thought)
    parts = turn.feed(text), turn.close()
    if turn.is_broken:
        return ServedPart(text)
    if turn.other_content is not None:
        return ServedPart(turn.other_content, [c for p in parts for c in p.calls])
    return ServedPart("".join(part.content for part in parts), [c for p in parts for c in p.calls])


def _call(action: AgentAction) -> ServedCall:
    tool_input = action.tool_input
    if isinstance(tool_input, str):
        tool_input = _object_in(tool_input)
    return ServedCall(action.tool, _json(tool_input), getattr(action, "tool_call_id", None))


def _json(value: Any) -> str:
    return json.dumps(value, ensure_ascii=False, default=str)


def _object_in(text: str) -> dict[str, Any]:
    """Return the object that *text* is in JSON; any other text is an argument named ``input``."""
    try:
        value = json.loads(text)
    except (ValueError, RecursionError):
        value = None
    return value if isinstance(value, dict) else {"input": text}
