"""Putting a run together from what a reader finds in a log, piece by piece."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from heapq import heappop, heappush
from typing import TYPE_CHECKING, Any, Final

from agent_parsers import AgentAction, AgentFinish, OutputParserException
from agent_parsers.core import (
    ARGUMENT,
    OpenStep,
    OpenTranscript,
    make_action,
    make_finish,
    make_tool_call,
)
from agent_parsers.transcripts import Notice, Transcript, TranscriptStep
from output_parsers import ModelRefusalError
from outputs import AIMessage

if TYPE_CHECKING:
    from agent_parsers import Dialect
    from agent_parsers.core import NoticeKind
    from agent_parsers.events import Repair
    from agent_runs.reading.reader import Reading

UNASKED: Final = "found a result that belongs to no call"
"""The reason why a result is a step that is not read."""
_NO_CALL: Final = "Give a log that has the calls as well as their results."


class RunBuilder:
    """Builds a run for a reader: its question, its steps and its answer.

    Call the methods in the order of the log; `transcript` returns the run. A result or an answer
    that the log lacks becomes a notice.

    Args:
        reading: How the log is read.
        name: Name of the run, if the log has one.
    """

    def __init__(self, reading: Reading, *, name: str = "") -> None:
        self._reading = reading
        self._name = name
        self._preamble: list[str] = []
        self._question = ""
        self._thoughts: list[str] = []  # of the next step
        self._words: list[str] = []  # for the user, beside the next call
        self._steps: list[TranscriptStep] = []  # each an `OpenStep`
        self._by_id: dict[str, _Waiting] = {}  # those of the steps whose calls have an id, by it
        self._by_id_before: dict[str, _Waiting] = {}  # and those of earlier turns
        self._all = _Waiting()
        self._without_id = _Waiting()  # those of the steps whose calls have no id
        self._late = _Waiting()  # those of earlier turns, for results that name their tool
        self._notices: list[Notice] = []
        self.is_observed = True
        """Whether the log may contain results, so that a missing one is worth a notice."""

    @property
    def is_begun(self) -> bool:
        """Whether the run has a step or an answer yet."""
        return bool(self._steps)

    @property
    def size(self) -> int:
        """How many steps there are."""
        return len(self._steps)

    @property
    def is_answered(self) -> bool:
        """Whether the run has an answer yet."""
        return bool(self._steps) and isinstance(self._steps[-1].action, AgentFinish)

    @property
    def answered(self) -> Any:
        """The answer; `None` if there is none yet."""
        action = self._steps[-1].action if self._steps else None
        return action.return_values.get("output") if isinstance(action, AgentFinish) else None

    @property
    def question(self) -> str:
        """The question; empty if there is none yet."""
        return self._question

    @property
    def is_waiting(self) -> bool:
        """Whether a call still waits for its result; calls before `end_calls` do not count."""
        return self._all.first_of("", self._steps) is not None

    def in_dialect(self, dialect: Dialect, *evidence: str) -> None:
        """Record that the model's text is in *dialect*, with the *evidence* for that."""
        self._reading = self._reading.in_dialect(dialect, *evidence)

    def introduce(self, text: str) -> None:
        """Add *text* that comes before the question, such as a system message."""
        if text:
            self._preamble.append(text)

    def ask(self, question: str, *, is_same: bool = False) -> None:
        """Set the question of the run; an earlier one becomes part of the preamble, with a notice.

        *is_same*: it is the earlier one, perhaps with more words.
        """
        if self._question and not is_same:
            self.introduce(self._question)
            reason = "another question followed before this one was answered"
            self.notice("unowned_text", reason, text=self._question)
        self._question = question

    def think(self, text: str) -> None:
        """Add a thought to the next step."""
        if text.strip():
            self._thoughts.append(text.strip())

    def say(self, text: str) -> None:
        """Add what the model says to the user to the content of the next step."""
        if text.strip():
            self._words.append(text.strip())

    def call(
        self,
        tool: str,
        tool_input: Any,
        *,
        call_id: str = "",
        log: str = "",
        message: AIMessage | None = None,
        repairs: Iterable[Repair] = (),
    ) -> None:
        """Add a call of *tool*, and check it if the `Reading` has tools.

        Args:
            tool: Name of the tool.
            tool_input: Text or an object. `None` is an empty object, and another value is kept
                under ``"input"``. The one argument ``__arg1`` stands for a text.
            call_id: Id of the call, to which its result refers.
            log: What the model wrote; by default what it said to the user.
            message: The message with the call, which the calls of one turn share.
            repairs: The repairs that were made to read the call.
        """
        if not tool.strip() or "\n" in tool:
            reason = "expected the name of a tool" + (" on one line" if tool.strip() else "")
            wrong = OutputParserException(reason, observation="Name the tool.", llm_output=tool)
            self.fail(wrong, call_id=call_id, repairs=repairs)
            return
        if isinstance(tool_input, dict) and len(tool_input) == 1 and ARGUMENT in tool_input:
            tool_input = tool_input[ARGUMENT]
        if tool_input is None:
            tool_input = {}
        elif not isinstance(tool_input, str | dict):
            tool_input = {"input": tool_input}
        tools = self._reading.tools
        error: OutputParserException | None = None
        if tools is not None:
            try:
                tool_input = tools.read(tool, tool_input, lenient=self._reading.lenient).value
            except OutputParserException as refused:
                error = refused
        thought, content = self._take()
        log = log or content
        action: AgentAction | None = None
        if error is None and (call_id or message is not None):
            said = message if message is not None else AIMessage(log)
            action = make_tool_call(tool, tool_input, log, said, call_id or None)
        elif error is None:
            action = make_action(tool, tool_input, log)
        self._add(thought, content, action, error, repairs, call_id)

    def add(self, step: TranscriptStep) -> None:
        """Add a *step* that was read elsewhere, such as by a dialect; it gets the next number."""
        thought, content = self._take()
        thought = "\n".join(filter(None, (thought, step.thought)))
        content = "\n".join(filter(None, (content, step.content)))
        self._steps.append(
            OpenStep(
                len(self._steps) + 1, thought, step.action, step.observation, step.thought_span,
                step.action_span, step.observation_span, step.repairs, step.error, content,
            )
        )  # fmt: skip
        self._await()

    def fail(
        self, error: OutputParserException, *, call_id: str = "", repairs: Iterable[Repair] = ()
    ) -> None:
        """Add a step that could not be read; a result may refer to it by *call_id*."""
        self._add(*self._take(), None, error, repairs, call_id)

    def observe(self, text: str, *, call_id: str = "", tool: str = "", failed: bool = False) -> int:
        """Add the result of a tool to the step with its call, and return the number of that step.

        Args:
            text: What the tool returned.
            call_id: Id of the call. If several calls have it, results belong to those of the last
                turn first, in order. Without one, results belong to the calls in order; if no call
                has this id, to the calls without an id, in order.
            tool: Name of the tool, to choose among the calls without a result.
            failed: Whether the log says that the tool failed.
        """
        index = self._first_of_id(call_id, tool)
        if index is None:
            index = self._first_in_order(tool, self._without_id if call_id else self._all)
        if index is None:
            index = len(self._steps)
            self.fail(OutputParserException(UNASKED, observation=_NO_CALL, llm_output=text))
        self._see(index, text, failed)
        return index + 1

    def _first_of_id(self, call_id: str, tool: str) -> int | None:
        """Return the index of the first waiting call with an id, of *tool* if there is one."""
        for by_id in (self._by_id, self._by_id_before):
            if (waiting := by_id.get(call_id)) is not None:
                found = waiting.first_of(tool, self._steps) if tool else None
                found = waiting.first_of("", self._steps) if found is None else found
                if found is not None:
                    waiting.given.append((found, tool))
                    return found
        return None

    def _first_in_order(self, tool: str, waiting: _Waiting) -> int | None:
        """Return the index of the first *waiting* call, of *tool* if there is one in any turn."""
        found = waiting.first_of(tool, self._steps) if tool else None
        found = self._late.first_of(tool, self._steps) if tool and found is None else found
        found = waiting.first_of("", self._steps) if found is None else found
        if found is not None:
            self._all.given.append((found, tool))
        return found

    def end_calls(self) -> None:
        """From now on, give a result to an earlier call only if it has the id or name of that call.

        If fewer results than calls have arrived, and nothing says which calls they belong to, the
        results are dropped, with notices.
        """
        waiting = [index for index in self._all if _is_waiting(self._steps[index])]
        for group in (self._all, *self._by_id.values()) if waiting else ():
            self._drop_unclear(group)
        for index in waiting:
            self._late.add(index, self._steps[index])
        self._all, self._without_id = _Waiting(), _Waiting()
        self._by_id_before |= self._by_id
        self._by_id.clear()

    def _drop_unclear(self, group: _Waiting) -> None:
        """Drop the results in a *group* of calls that may be those of others that still wait."""
        waiting = [index for index in group if _is_waiting(self._steps[index])]
        tools = {_tool_of(self._steps[index]) for index in waiting}
        for index, tool in group.given if waiting else ():
            step = self._steps[index]
            if tool in tools or tool != _tool_of(step):
                message = "the log does not show which of several calls returned this result"
                self.notice("unowned_text", message, text=step.observation or "", step=index + 1)
                self._steps[index] = replace(step, observation=None, tool_failed=False)

    def observe_last(self, text: str) -> None:
        """Add what a tool returned to the last step, even if earlier calls have no result yet."""
        if self._steps:
            self._see(-1, text)

    def observe_more(self, text: str) -> None:
        """Add *text* to what the last step returned."""
        self._see(-1, (self._steps[-1].observation or "") + text)

    def answer(self, value: Any, *, log: str = "") -> None:
        """Add the final answer."""
        thought, content = self._take()
        log = log or (value if isinstance(value, str) else "")
        self._add(thought, content, make_finish(value, log), None)

    def notice(
        self,
        kind: NoticeKind,
        message: str,
        *,
        text: str = "",
        line: int = 0,
        step: int | None = None,
    ) -> None:
        """Add a notice, by default about the last step, or about the run if there is no step."""
        number = len(self._steps) if step is None else step
        self._notices.append(Notice(kind, message, number, text, line))

    def transcript(self) -> Transcript:
        """Return the run, with notices about what it lacks."""
        for what, text in zip(("a thought", "a text"), self._take(), strict=True):
            if text:
                message = f"found {what} without a call or an answer after it"
                self.notice("unowned_text", message, text=text)
        notices = [*self._notices]
        is_answered = False
        for step in self._steps:
            if type(step) is OpenStep:
                step.__class__ = TranscriptStep  # it is whole
            if step.error is not None:
                continue
            if isinstance(step.action, AgentFinish):
                is_answered = True
            elif self.is_observed and step.observation is None:
                message = f"the log does not show what {_tool_of(step)!r} returned"
                notices.append(Notice("no_observation", message, step.number))
        if not is_answered:
            notices.append(Notice("no_answer", "the run ends without an answer"))
        run = OpenTranscript(
            self._question, tuple(self._steps), "\n".join(self._preamble), (), self._name,
            self._reading.source, tuple(notices),
        )  # fmt: skip
        run.__class__ = Transcript
        return run

    def _take(self) -> tuple[str, str]:
        """Return the thought and the content of the next step, and forget them."""
        found = "\n".join(self._thoughts), "\n".join(self._words)
        self._thoughts.clear()
        self._words.clear()
        return found

    def _add(
        self,
        thought: str,
        content: str,
        action: AgentAction | AgentFinish | None,
        error: OutputParserException | None,
        repairs: Iterable[Repair] = (),
        call_id: str = "",
    ) -> None:
        number = len(self._steps) + 1
        self._steps.append(
            OpenStep(
                number, thought, action, None, None, None, None, tuple(repairs), error, content
            )
        )
        self._await(call_id)

    def _await(self, call_id: str = "") -> None:
        """Await the result of the last step, whose call may have an id."""
        index = len(self._steps) - 1
        self._all.add(index, self._steps[index])
        waiting = self._by_id.setdefault(call_id, _Waiting()) if call_id else self._without_id
        waiting.add(index, self._steps[index])

    def _see(self, index: int, text: str, failed: bool = False) -> None:
        """Set what the tool of a step returned; a transcript that has the step keeps its own."""
        step = self._steps[index]
        if type(step) is OpenStep:
            step.observation = text  # type: ignore[misc]  # it is not frozen yet
            step.tool_failed = failed  # type: ignore[misc]
        else:
            self._steps[index] = replace(step, observation=text, tool_failed=failed)


class _Waiting:
    """The steps whose results have not arrived, in order; each is looked at once."""

    def __init__(self) -> None:
        self._found: dict[str, list[int]] = {"": []}  # heaps: of all, and of each tool
        self.given: list[tuple[int, str]] = []
        """Those that got a result, and the tool that it names."""

    def add(self, index: int, step: TranscriptStep) -> None:
        """Add the *step* with an *index*."""
        for tool in {"", _tool_of(step)}:
            heappush(self._found.setdefault(tool, []), index)

    def __iter__(self) -> Iterator[int]:
        """Iterate over the indices of those that may still wait."""
        return iter(sorted(self._found[""]))

    def first_of(self, tool: str, steps: Sequence[TranscriptStep]) -> int | None:
        """Return the index of the first waiting step of *tool*, or of any tool if it is empty."""
        found = self._found.get(tool, [])
        while found and not _is_waiting(steps[found[0]]):
            heappop(found)
        return found[0] if found else None


def _is_waiting(step: TranscriptStep) -> bool:
    """Return whether the result of a step has not arrived; a refusal has none."""
    is_over = isinstance(step.action, AgentFinish) or isinstance(step.error, ModelRefusalError)
    return step.observation is None and not is_over


def _tool_of(step: TranscriptStep) -> str:
    return step.action.tool if isinstance(step.action, AgentAction) else ""
