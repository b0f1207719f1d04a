r"""The panels that CrewAI prints with ``verbose=True``.

::

    ╭───────────── 🤖 Agent Started ─────────────╮
    │                                            │
    │  Agent: Planner                            │
    │                                            │
    │  Task: Which month has the most fog?       │
    │                                            │
    ╰────────────────────────────────────────────╯

A run is what an agent does for a task. ``Tool Execution Started`` has a call, ``Tool Execution
Completed`` its result, and ``Tool Output`` the result again, cut after 2000 characters. Panels are
printed by several threads, so a result may come before its call; the name of the tool joins them.
Versions before 1.0 print ``Agent Tool Execution`` with the thought, ``Tool Input`` and ``Tool
Output`` instead. Arguments are cut after 200 characters. An agent that another one delegates to
starts while that one waits for its tool.

Source: `crewai/events/utils/console_formatter.py` (1.15), and
`crewai/utilities/events/utils/console_formatter.py` (0.1xx).
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Final

from agent_runs.readers.text.around import Around
from agent_runs.readers.text.boxes import Box, Loose, read_boxes
from agent_runs.readers.text.crewai_calls import Calls, ShownCall
from agent_runs.reading.building import RunBuilder
from agent_runs.reading.reader import Lines, Reading, Runs, TextReader, squeezed
from agent_runs.reading.reprs import value_of_repr
from agent_runs.splitting.ansi import without_codes
from outputs.growing_json import read_arguments

if TYPE_CHECKING:
    from agent_parsers.core import NoticeKind

_TITLE: Final = re.compile(r"\W*(?P<title>\w.*?)(?: \(#\d+\))?\W*")
_FRAMES: Final = frozenset((
    "Crew Execution Started", "Crew Execution", "Task Started", "Task Completion", "Task Failure",
    "Crew Failure", "Tracing Status", "Update Available", "LiteAgent Started",
    "LiteAgent Completed", "Flow Execution", "Flow Started", "Flow Completion",
    "Flow Method Running", "Flow Method Completed", "Memory Retrieval", "Memory Save",
    "Memory Saved", "Knowledge Retrieval", "Guardrail Check", "Guardrail Success",
    "Execution Traces", "Trace Batch Finalization",
))  # fmt: skip
"""Titles of panels that say nothing of a run that its other panels do not say."""
_FINALIZE: Final = re.compile(
    r"(?:\x1b\[[0-9;]*m){0,8}\[Finalize\] todos_count=\d+, todos_with_results=\d+(?:\x1b\[0m)?"
)
"""A line that another thread may have printed into the line of a panel."""
_SIGN: Final = re.compile(
    r"(?m:^)[ \t]*[╭┌]─+ \W*(Crew Execution Started|Agent Started|Task Started|Tool Execution"
    r" Started|Agent Tool Execution|Agent Final Answer|Crew Completion)(?: \(#\d+\))? ─+[╮┐]"
)

# A text may begin on the line below its label.
_AGENT: Final = re.compile(r"Agent: (?P<agent>[^\n]*)(?:\n+Task: ?(?P<task>.*))?", re.DOTALL)
_STARTED: Final = re.compile(r"Tool: (?P<tool>[^\n]*)(?:\nArgs: ?(?P<args>.*))?", re.DOTALL)
_COMPLETED: Final = re.compile(
    r"Tool Completed\nTool: (?P<tool>[^\n]*)(?:\nOutput: ?(?P<output>.*))?", re.DOTALL
)
_FAILED: Final = re.compile(
    r"Tool (?:Reported Failure|Failed)\nTool: (?P<tool>[^\n]*)\n"
    r"(?:(?P<attempt>Iteration: )|.)*?(?:Message|Error): ?(?P<output>.*?)(?:\nPolicy: [^\n]*)?",
    re.DOTALL,
)
_OLD_CALL: Final = re.compile(
    r"Agent: [^\n]*\n+(?:Thought: ?(?P<thought>.*?)\n+)?Using [Tt]ool: (?P<tool>[^\n]*)", re.DOTALL
)
_ANSWER: Final = re.compile(r"Agent: [^\n]*\n+Final Answer:\n?(?P<answer>.*)", re.DOTALL)
_OUTPUT: Final = re.compile(
    r"Crew Execution Completed\n.*?\nFinal Output: ?(?P<answer>.*)", re.DOTALL
)


@dataclass
class _Task:
    """What an agent does for a task."""

    question: str
    line: int
    calls: Calls = field(default_factory=Calls)
    answer: str | None = None
    others: list[tuple[str, int]] = field(default_factory=list)
    """Texts that are no part of a step, with their lines."""
    is_wrapped: bool = False

    is_started: bool = True
    """Whether its panel was shown; otherwise it may still come, since threads print the panels."""

    @property
    def is_waiting(self) -> bool:
        """Whether a tool is still running."""
        return self.answer is None and self.calls.are_waiting

    @property
    def is_empty(self) -> bool:
        """Whether no panel has shown anything of this task yet."""
        return not (self.is_started or self.calls.last or self.calls.has_output) and (
            self.answer is None
        )


def _evidence(head: str) -> Sequence[str]:
    found = _SIGN.search(without_codes(head))
    return (f"a panel with the title {found[1]!r}",) if found else ()


def _read(lines: Lines, reading: Reading) -> Runs:
    crew = _Crew(reading)
    numbered = Lines((_FINALIZE.sub("", line) for line in lines), lines.number)
    for part in read_boxes(numbered):
        yield from crew.take_panel(part) if isinstance(part, Box) else crew.take_line(part)
    yield from crew.close()


class _Crew:
    """The tasks at work: each has delegated to the next one."""

    def __init__(self, reading: Reading) -> None:
        self._reading = reading
        self._tasks: list[_Task] = []
        self._around = Around()

    def take_line(self, line: Loose) -> Runs:
        """Process a line outside of all panels."""
        if not self._tasks:
            self._around.put(f"{line.text}\n", line.line)
        elif line.text.strip():
            self._tasks[-1].others.append((line.text, line.line))
        yield from ()

    def take_panel(self, box: Box) -> Runs:
        """Process a panel, and yield the runs that end there."""
        found = _TITLE.fullmatch(box.title)
        title = found["title"] if found else box.title
        text = box.text(padding=2)
        match title:
            case "Agent Started":
                started = _AGENT.fullmatch(text)
                question = ((started["task"] if started else "") or "").strip()
                if self._tasks and not self._tasks[-1].is_started:
                    self._tasks[-1].question, self._tasks[-1].is_started = question, True
                    return
                yield from self._end()
                self._tasks.append(_Task(question, box.line, is_wrapped=box.is_wrapped))
                return
            case "Crew Execution Started" | "Crew Failure":
                yield from self._end(all_tasks=title == "Crew Failure")
                return
            case "Crew Completion":
                output = _OUTPUT.fullmatch(text)
                if output and self._tasks and self._tasks[0].answer is None:
                    self._tasks[0].answer = output["answer"]
                yield from self._end()
                return
        if title in _FRAMES:
            return
        task = self._task(box.line)
        task.is_wrapped |= box.is_wrapped
        if not self._take(title, text, box, task):
            task.others.append((f"{box.title}\n{text}", box.line))

    def close(self) -> Runs:
        """Process the end of the log, and yield the last runs."""
        yield from self._end(all_tasks=True)
        yield from self._around.release()

    def _task(self, line: int) -> _Task:
        """Return the task at work."""
        open_tasks = [task for task in self._tasks if task.answer is None]
        if not (open_tasks or self._tasks):
            self._tasks.append(_Task("", line, is_started=False))
        return (open_tasks or self._tasks)[-1]

    def _take(self, title: str, text: str, box: Box, task: _Task) -> bool:
        """Take a panel of a step, and return whether it is one."""
        if title == "Tool Execution Started" and (found := _STARTED.fullmatch(text)):
            args = found["args"] or ""
            if args.startswith("{"):  # an object is one line
                args = box.text(padding=2, has_breaks=False).partition("Args: ")[2]
            task.calls.start(found["tool"], args)
        elif title == "Agent Tool Execution" and (found := _OLD_CALL.fullmatch(text)):
            thought = (found["thought"] or "").removeprefix("Thought:").strip()
            task.calls.add(ShownCall(found["tool"], None, thought))
        elif title == "Tool Input" and task.calls.last:
            task.calls.last.shown = text
        elif title == "Tool Execution Completed" and (found := _COMPLETED.fullmatch(text)):
            self._caller(found["tool"], task).complete(found["tool"], found["output"] or "")
        elif title in ("Tool Failure", "Tool Error") and (found := _FAILED.fullmatch(text)):
            caller = self._caller(found["tool"], task)
            if found["attempt"]:
                caller.complete(found["tool"], found["output"], is_failure=True)
            else:
                caller.refuse(found["tool"], found["output"])
        elif title == "Tool Output":
            task.calls.echo(text, box.line)
        elif title == "Agent Final Answer" and (found := _ANSWER.fullmatch(text)):
            task.answer = found["answer"]
        else:
            return False
        return True

    def _caller(self, tool: str, task: _Task) -> Calls:
        """Return the calls among which one of *tool* waits; those of *task* if none does."""
        callers = (other.calls for other in reversed(self._tasks))
        return next((calls for calls in callers if calls.waits_for(tool)), task.calls)

    def _end(self, *, all_tasks: bool = False) -> Runs:
        while self._tasks and (all_tasks or not self._tasks[-1].is_waiting):
            task = self._tasks.pop()
            if task.is_empty:  # a panel of another kind, such as that of an error
                for text, line in task.others:
                    self._around.put(f"{text}\n", line)
            else:
                yield from self._around.hold(_run(task, self._reading))


def _run(task: _Task, reading: Reading) -> RunBuilder:
    calls, others = task.calls.close()
    run = RunBuilder(reading.at(task.line))
    if task.question:
        run.ask(task.question)
    unclear: dict[str, None] = {}
    for call in calls:
        tool_input = _input_of(call.shown)
        run.think(call.thought)
        run.call(call.tool, tool_input)
        if tool_input is None:
            shown = call.shown or ""
            kind: NoticeKind = "cut_value" if shown else "no_input"
            message = "the log cuts the input short" if shown else "the log does not show the input"
            run.notice(kind, message, text=shown)
        if call.result is not None:
            run.observe_more(call.result)
        unclear.update(dict.fromkeys(call.unclear))
    if task.answer is not None:
        run.answer(task.answer)
    for text in unclear:
        message = "found a result that may belong to any of several calls"
        run.notice("unowned_text", message, text=text, step=0)
    for text, line in [*others, *task.others]:
        if not any(squeezed(text) in squeezed(call.result or "") for call in calls):
            message = "found text outside of the steps"
            run.notice("unowned_text", message, text=text, line=line, step=0)
    if task.is_wrapped:
        message = "the panels wrapped long lines; spaces and line breaks are inferred"
        run.notice("altered_text", message, step=0)
    return run


def _input_of(shown: str | None) -> Any:
    """Return the input that is shown; `None` if it is cut or missing."""
    if shown is None:
        return None
    for read in (read_arguments, value_of_repr) if shown[:1] in "{[\"'" else ():
        try:
            value = read(shown)
        except ValueError:
            continue
        if isinstance(value, str) and value.startswith("{"):
            return _input_of(value)  # JSON in JSON
        return value
    return None if shown.endswith("...") else shown


READER: Final = TextReader(
    name="crewai_console",
    summary="panels of CrewAI's verbose console (1.x, and 0.1xx without Tool Execution panels)",
    evidence=_evidence,
    read=_read,
    signs=(
        "crew execution started",
        "agent started",
        "task started",
        "tool execution started",
        "agent tool execution",
        "agent final answer",
        "crew completion",
    ),
)
