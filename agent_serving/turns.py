"""What the plugins share: a turn as a server reports it, whole or as it streams in."""

from __future__ import annotations

import logging
from collections.abc import Iterable
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Final

from agent_parsers import StreamParser, get_dialect
from agent_parsers.authoring import Part
from agent_parsers.core import as_json, machine
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
from agent_serving.arguments import CertainArguments, arguments_of
from output_parsers import OutputParserException

if TYPE_CHECKING:
    from agent_parsers import AgentAction
    from agent_parsers.events import Event
    from agent_parsers.toolset import ToolSet

_log: Final = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class ServedCall:
    """A call in the format of OpenAI's API, or what a chunk adds to its arguments."""

    name: str
    """Name of the tool; empty if the call has begun before."""
    arguments: str
    """The arguments, an object in JSON, or more of it."""
    id: str | None
    """The id that the model wrote, if it wrote one."""
    index: int = 0
    """Which call of the turn it is."""


@dataclass(slots=True)
class ServedPart:
    """A turn, or what a chunk adds to it."""

    content: str = ""
    """The text beside the calls, or the answer."""
    calls: list[ServedCall] = field(default_factory=list)
    """The calls, or more of them."""
    reasoning: str = ""
    """The thoughts, if they are separated."""

    def add(self, more: ServedPart) -> None:
        """Add *more*, which comes next."""
        self.content += more.content
        self.reasoning += more.reasoning
        for call in more.calls:
            self.add_call(call)

    def add_call(self, call: ServedCall) -> None:
        """Add a call, or more of the last one."""
        if self.calls and self.calls[-1].index == call.index:
            last = self.calls[-1]
            self.calls[-1] = replace(last, arguments=last.arguments + call.arguments)
        else:
            self.calls.append(call)


class ServedTurn:
    """Reads one turn, and raises no exception, whatever the model wrote.

    A turn that cannot be read becomes content, except for what was reported before, and the reason
    is logged. Thoughts are reasoning; or they stay in the content, with their marks, and one
    without marks, such as the thought of ``react``, only if there is a call.

    Args:
        dialect: Name of the dialect.
        tools: The tools of the request; see `requests.tools_of`.
        prompt: The end of the prompt, which may have opened a thought.
        behind_thought: Whether the text begins behind the model's reasoning, if there is no prompt.
            Without either, a call may turn out to be part of a thought, and is reported at the end
            of the turn, as are the calls of dialects that do not mark them. With one of them, it is
            reported when its block closes.
        splits: Whether thoughts are reasoning.
        has_calls: Whether calls are read; if not, they are content, as the model wrote them.
        grows: Whether the arguments of a call are reported while they arrive; see
            `CertainArguments`. The last bracket waits until the call is complete.
    """

    def __init__(
        self,
        dialect: str,
        tools: ToolSet | None = None,
        *,
        prompt: str = "",
        behind_thought: bool = False,
        splits: bool = False,
        has_calls: bool = True,
        grows: bool = False,
    ) -> None:
        self._machine: Final = machine(get_dialect(dialect), "lenient")
        self._several: Final = self._machine.table.several
        self._is_marked = self._machine.thought_mark(prompt) == "opens"  # in a thought with a mark
        start, strict = "", self._machine.dialect.strict
        if self._is_marked:
            start = "thought"
        elif (prompt or behind_thought) and strict.parts[strict.initial] is Part.CONTENT:
            start = "content"
        prompt = "" if start else prompt
        is_each = bool(start or prompt) and self._machine.marks_calls and has_calls
        self._parser: Final = StreamParser(
            self._machine.dialect, tools=tools, max_chars=None, start=start, prompt=prompt,
            calls="each" if is_each else "all",
        )  # fmt: skip
        # Elsewhere the end of a thought may follow that makes a thought of all before it.
        is_certain = start == "content" or (start == "thought" and self._machine.table.drafts)
        self._tools: Final = tools if grows and is_each and is_certain else None
        self._splits: Final = splits
        self._has_calls: Final = has_calls
        self._tail = ""  # the text after the last event
        self._at = 0
        self._waiting: list[str] = []  # text that is content if the call before it is none
        self._draft: list[str] = []  # text in an open thought that looks like a call
        self._said: dict[str, list[str]] = {"content": [], "reasoning": []}  # what was reported
        self._near: list[str] = []  # the content since the last call
        self._final: str | None = None  # the answer
        self._thought: list[str] = []  # without marks, in a turn of one call
        self._is_calling = False  # whether a call has begun and is not reported
        self._is_doubted = False  # whether a call before waits for the end of the turn
        self._is_behind_call = False
        self._is_apart: set[str] = set()  # the fields that go on behind a marker
        self._needs_break = self._has_said = False
        self._growing: CertainArguments | None = None
        self._tool = ""  # of the call that has begun
        self._sent: str | None = None  # the arguments of that call that were reported
        self.count: int = 0
        """How many calls are complete."""
        self._is_over = False
        self.is_broken: bool = False
        """Whether the turn cannot be read."""
        self.other_content: str | None = None
        """The content of the turn, if the end of the text made it another than was reported."""

    def feed(self, text: str) -> ServedPart:
        """Take more of the text and return what it adds."""
        part = ServedPart()
        if self._is_over:
            part.content = text
            return part
        self._tail += text
        try:
            self._add(self._parser.feed(text), part)
        except OutputParserException as error:
            self._give_up(error, part)
        return part

    def close(self) -> ServedPart:
        """Return what the end of the text adds; an empty part if `close` was called before."""
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
        if not self._is_behind_call:
            self._release(part)
        if not self._has_calls:
            return part
        if self._splits and self._parser.thought is not None:
            self._rest_of("reasoning", self._parser.thought, part)
        final = self._final if self._parser.content is None else self._parser.content
        # What was quoted, or stands behind a call, is content now.
        if final is not None and not self._rest_of("content", final, part):
            self.other_content = final
        return part

    def _rest_of(self, name: str, final: str, part: ServedPart) -> bool:
        """Add what *final* has more of a field than was reported; return whether it begins so."""
        if is_more := final.startswith(said := "".join(self._said[name])):
            setattr(part, name, getattr(part, name) + final[len(said) :])
        return is_more

    def _give_up(self, error: OutputParserException, part: ServedPart) -> None:
        self._is_over = self.is_broken = True
        waiting, rest = "".join(self._waiting), "".join(self._draft) + self._tail
        part.content += waiting
        what = "reasoning" if self._splits and self._is_marked else "content"
        setattr(part, what, getattr(part, what) + rest)
        if (waiting + rest).strip() and self._has_calls:
            _log.warning(
                "%s: the text cannot be read as a call, so it is returned as %s: %s",
                self._machine.dialect.name,
                what,
                error,
            )

    def _add(self, events: Iterable[Event], part: ServedPart) -> None:
        """Add what *events* report to *part*."""
        for event in events:
            match event:
                case ThoughtDelta():
                    self._think(self._cut(event.span[1]), part)
                case MarkerSeen():
                    self._mark(event.name, self._cut(event.span[1]), part)
                case AnswerDelta() | ToolNamed() | InputDelta() | SkippedDelta():
                    text = self._cut(event.span[1])
                    if not self._has_calls and not self._is_marked:
                        part.content += text
                    elif self._is_marked or not isinstance(event, AnswerDelta):
                        self._hold(event, text, part)
                    else:
                        if not self._splits:
                            self._thought.clear()
                        self._say("content", text, part)
                case ActionComplete(action=action) if self._has_calls:
                    self._complete(action, part)
                case Finish(finish=finish):
                    answer = finish.return_values["output"]
                    self._final = answer if isinstance(answer, str) else as_json(answer)
                    if self._splits:
                        part.reasoning += "".join(self._thought)

    def _cut(self, stop: int) -> str:
        """Return the text up to offset *stop*; the spans of events that have text tile it."""
        text, self._tail = self._tail[: stop - self._at], self._tail[stop - self._at :]
        self._at = stop
        return text

    # -- text ------------------------------------------------------------------------------------

    def _think(self, text: str, part: ServedPart) -> None:
        if self._is_marked:
            self._release(part)
        if self._is_marked or self._several:
            self._say("reasoning", text, part)
        elif not self._has_calls:
            part.content += text
        else:  # it counts beside a call, but in content not before an answer
            self._waiting.append(text)
            self._thought.append("\n" * bool(self._is_apart and self._thought) + text)
            self._is_apart.clear()

    def _release(self, part: ServedPart) -> None:
        """Add what looked like a call to the open thought."""
        if text := "".join(self._draft):
            self._draft.clear()
            self._is_apart.clear()
            self._needs_break = False
            self._say("reasoning", text, part)

    def _say(self, name: str, text: str, part: ServedPart) -> None:
        """Add *text* to a field; a marker between two texts of a field becomes a line break."""
        is_beside = self._splits and name == "reasoning"
        if self._is_calling and not is_beside:  # which may turn out to be quoted, or no call
            self._waiting.append(text)
            return
        if not is_beside:
            if self._is_behind_call:  # only the marks that close the call are waiting
                self._waiting.clear()
                self._is_behind_call = False
            self._near.append(text)
        broken = "\n" * bool(name in self._is_apart and self._said[name]) + text
        self._is_apart.discard(name)
        self._said[name].append(broken)
        if self._splits:
            setattr(part, name, getattr(part, name) + broken)
        else:
            part.content += "\n" * self._needs_break + text
        self._needs_break, self._has_said = False, True

    def _mark(self, name: str, text: str, part: ServedPart) -> None:
        kind = self._machine.thought_mark(text)
        if kind == "closes" and self._is_marked:
            self._release(part)
        if kind == "opens" and self._draft:  # it is open
            self._draft.append(text)
        elif kind:
            self._is_marked = kind == "opens"
            self._is_apart = {"content", "reasoning"}
            self._needs_break = False
            if not self._splits:
                part.content += text
                self._has_said = True
        elif not self._has_calls and not self._is_marked:
            part.content += text
        else:
            self._is_apart = {"content", "reasoning"}
            self._needs_break = self._has_said
            is_call = name in self._machine.call_markers
            if self._is_marked and not (is_call and self._ends_thought()):
                self._draft.append(text)
                return
            self._is_calling |= is_call
            self._waiting.append(text)
            if self._growing is not None:
                self._growing.mark(text)

    # -- calls -----------------------------------------------------------------------------------

    def _hold(self, event: Event, text: str, part: ServedPart) -> None:
        """Hold *text* back, which may turn out not to be part of a call."""
        if self._is_marked and not self._ends_thought():
            self._draft.append(text)
            return
        self._waiting.append(text)
        if isinstance(event, SkippedDelta):  # such as an invented observation
            return
        self._is_calling = True
        if self._tools is None:
            return
        if isinstance(event, ToolNamed):
            self._is_doubted |= self._tool != ""
            self._tool, self._growing = event.tool, None
        elif isinstance(event, InputDelta):
            if self._growing is None:
                self._growing = self._begin_arguments()
            if self._growing is not None and (more := self._growing.feed(text)):
                self._report(self._tool, more, self._growing.id, part)

    def _ends_thought(self) -> bool:
        """Return whether a call ends an open thought; if not, it may be part of that."""
        self._is_marked = self._is_marked and bool(self._machine.table.drafts)
        return not self._is_marked

    def _begin_arguments(self) -> CertainArguments | None:
        form, tools = self._machine.dialect.form, self._tools
        if form is None or tools is None or self._tool not in tools or self._is_doubted:
            return None
        if self._machine.may_quote("".join(self._near)):
            return None
        return CertainArguments(form, tools[self._tool], "".join(self._waiting[:-1]))

    def _report(self, name: str, arguments: str, id: str | None, part: ServedPart) -> None:  # noqa: A002
        """Add *arguments* to the call that has begun."""
        begins, self._sent = self._sent is None, (self._sent or "") + arguments
        named = (name, arguments, id) if begins else ("", arguments, None)
        part.add_call(ServedCall(*named, self.count))

    def _complete(self, action: AgentAction, part: ServedPart) -> None:
        arguments, sent = arguments_of(action), self._sent or ""
        if arguments.startswith(sent):
            call_id = getattr(action, "tool_call_id", None)
            self._report(action.tool, arguments[len(sent) :], call_id, part)
        else:
            _log.error(
                "%s: the arguments sent so far are not those of the whole call",
                self._machine.dialect.name,
            )
        name = "reasoning" if self._splits else "content"
        setattr(part, name, getattr(part, name) + "".join(self._thought))
        self.count += 1
        self._waiting.clear()
        for texts in (self._draft, self._near, self._thought):
            texts.clear()
        self._is_calling, self._is_behind_call = False, True
        self._sent, self._growing, self._tool = None, None, ""


def read_turn(
    dialect: str,
    text: str,
    tools: ToolSet | None = None,
    *,
    prompt: str = "",
    behind_thought: bool = False,
    splits: bool = False,
    has_calls: bool = True,
) -> ServedPart:
    """Read a whole turn; if it cannot be read, all of it is content. See `ServedTurn`."""
    turn = ServedTurn(
        dialect, tools, prompt=prompt, behind_thought=behind_thought, splits=splits,
        has_calls=has_calls,
    )  # fmt: skip
    part, last = turn.feed(text), turn.close()
    if turn.is_broken and has_calls:
        if not splits:
            return ServedPart(text)
        return read_turn(dialect, text, prompt=prompt, splits=True, has_calls=False)
    part.add(last)
    if turn.other_content is not None:
        part.content = turn.other_content
    return part
