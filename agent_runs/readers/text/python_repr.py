"""What ``print(result)`` shows: `repr` of the results and messages of frameworks.

::

    {'messages': [HumanMessage(content='Which month?', id='1'), AIMessage(content='November.')]}

or one object a line, as a loop over messages prints it. LangChain's messages then show their
fields alone: ``content='November.' tool_calls=[]``; what only messages of a model have tells whose
they are. Each value becomes the data that it shows, and a reader of data reads that. A value that
is no `repr` of data is an error.

The result of the OpenAI Agents SDK prints as a summary, from which only the answer is taken, and
only if no items are printed after it::

    RunResult:
    - Last agent: Agent(name="Planner", ...)
    - Final output (str):
        November.
    - 10 new item(s)
    (See `RunResult` for more details)

Source: the libraries' ``__repr__``; ``agents/util/_pretty_print.py`` of openai-agents 0.24.
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any, Final

from agent_parsers.transcripts import Notice, Transcript
from agent_runs.reading.building import RunBuilder
from agent_runs.reading.reader import Lines, Reading, TextReader, Value, Values, line_of
from agent_runs.reading.reprs import MAX_CHARS, depth_of, fields_of_text, value_of_repr

_CLASSES: Final = (
    "HumanMessage", "AIMessage", "SystemMessage", "ToolMessage", "AIMessageChunk", "ChatMessage",
    "ModelRequest", "ModelResponse", "AgentAction", "ToolAgentAction", "AgentActionMessageLog",
    "ResponseOutputMessage", "ResponseFunctionToolCall", "ResponseReasoningItem", "TaskResult",
    "ChatCompletion", "ChatCompletionMessage", "Prediction", "TaskStep", "ActionStep",
    "AgentRunResult", "AddableValuesDict", "ToolCallResult", "AgentOutput", "TextMessage",
    "ToolCallRequestEvent", "ToolCallExecutionEvent",
)  # fmt: skip
_known: Final = re.compile(
    rf"^(?>(?:[\[({{]|'\w++': )*)(?P<name>{'|'.join(_CLASSES)})\((?:[A-Za-z_]\w*+=|\{{|\n)",
    re.MULTILINE,
).search
_KEYS: Final = (
    "messages", "role", "input", "intermediate_steps", "type", "kind", "trajectory",
)  # fmt: skip
_plain: Final = re.compile(rf"\s*+[\[({{]++'(?:{'|'.join(_KEYS)})': ").match
_GOES_ON: Final = (" ", "\t", ")", "]", "}")
"""How the later lines of a value begin."""
_begins: Final = re.compile(r"[A-Za-z_][\w.]*+\(|[\[{(]|content=['\"\[]").match
_fields: Final = re.compile(r"^content=(?=['\"\[].* additional_kwargs=\{)", re.MULTILINE).search
_OF_MODEL: Final = frozenset(("tool_calls", "usage_metadata", "function_call"))
"""Fields, of a message or its ``additional_kwargs``, that only messages of a model have."""
_RUN_IDS: Final = ("run-", "lc_run-", "chatcmpl-")
"""How the ids begin that LangChain gives to the messages of a model, or OpenAI's API does."""
_SUMMARY: Final = ("RunResult:\n", "RunResultStreaming:\n")
_END: Final = re.compile(r"\(See `RunResult\w*` for more details\)").match
_OUTPUT: Final = re.compile(r"- Final output \((?P<type>.*)\):").match
_FRAMES: Final = re.compile(r"- (?:Last agent: |\d+ |Current agent: |Is complete: )").match
"""Lines of the summary that hold nothing of a run."""


def _evidence(head: str) -> Sequence[str]:
    first = next(filter(str.strip, head.splitlines(keepends=True)), "")
    if first in _SUMMARY:
        return (f"{first.strip()!r} in the first line",)
    if found := _known(head):
        return (f"the repr of {found['name']} in line {line_of(found)}",)
    if _plain(head):
        return ("the repr of a dictionary in the first line",)
    if found := _fields(head):
        return (f"{found[0].strip()!r} in line {line_of(found)}",)
    return ()


class _Printed:
    """Takes the values from the lines of a log, and keeps what stands between them."""

    def __init__(self, lines: Lines, reading: Reading) -> None:
        self._lines = lines
        self._reading = reading
        self.notices: list[Notice] = []
        """Text that belongs to no value."""
        self._before: dict[str, Any] = {}

    def values(self) -> Iterator[Value]:
        """Yield the values up to the next summary."""
        while line := self._lines.peek():
            if line in _SUMMARY:
                return
            number = self._lines.number
            if not _begins(line):
                if line.strip():
                    message = "found text between values"
                    text = line.rstrip("\n")
                    self.notices.append(Notice("unowned_text", message, 0, text, number))
                next(self._lines)
                continue
            text = self._whole()
            try:
                value = self._message(text) if text.startswith("content=") else value_of_repr(text)
            except ValueError as error:
                self._reading.refuse(str(error), text[:1000], line=number)
                continue
            yield Value(value, number)

    def _message(self, text: str) -> dict[str, Any]:
        """Return the message of LangChain whose `str` this is.

        Raises:
            ValueError: It is none, or a piece of the one before it.
        """
        before, self._before = self._before, _message(text)
        number, content = self._before.get("id"), self._before.get("content")
        if number and number == before.get("id") and content != before.get("content"):
            raise ValueError("expected a whole message, found a chunk of a streamed one")
        return self._before

    def _whole(self) -> str:
        """Take the lines of the next value: one, or up to the line that closes its brackets."""
        pieces = [next(self._lines)]
        depth, size = depth_of(pieces[0]), len(pieces[0])
        while depth and depth > 0 and size < MAX_CHARS:
            line = self._lines.peek()
            if not line.startswith(_GOES_ON):
                break  # what reads the value says that it has no end
            more = depth_of(line)
            depth = None if more is None else depth + more
            pieces.append(next(self._lines))
            size += len(line)
        return "".join(pieces)

    def summary(self) -> tuple[Any, int]:
        """Read a summary, and return the answer in it and the line of that."""
        number = self._lines.number
        answer: list[str] | None = None
        is_text = is_inside = False
        for line in self._lines:
            if _END(line):
                break
            if found := _OUTPUT(line):
                answer, is_inside = [], True
                is_text = found["type"] == "str"
            elif is_inside and line.startswith(("    ", "\n")):
                assert answer is not None
                answer.append(line.removeprefix("    "))
            else:
                is_inside = False
        text = None if answer is None else "".join(answer).removesuffix("\n")
        return (text if is_text or text != "None" else None), number


def _read(lines: Lines, reading: Reading) -> Iterator[Transcript]:
    printed = _Printed(lines, reading)
    while lines.peek():
        answer, number, is_summary = None, lines.number, lines.peek() in _SUMMARY
        if is_summary:
            answer, number = printed.summary()
        values = Values(printed.values(), are_items=True)
        if values.head(1):
            runs = reading.inside(_unpacked(values))
            yield from _noticed(runs, printed)
        elif is_summary:
            run = RunBuilder(reading.at(number))
            if answer is not None:
                run.answer(answer)
            yield from _noticed(iter([run.transcript()]), printed)


def _message(text: str) -> dict[str, Any]:
    """Return the message of LangChain whose `str` this is; only its fields tell its type.

    A system message looks like one of the user; before a question it does no harm.
    """
    fields = fields_of_text(text)
    kind = "tool" if "tool_call_id" in fields else "ai" if _is_of_model(fields) else "human"
    return {"type": kind, **fields}


def _is_of_model(fields: Mapping[str, Any]) -> bool:
    """Return whether a message has *fields* that are filled for what a model wrote.

    langchain-core 0.x does not print those that are empty.
    """
    own, number = fields.get("additional_kwargs"), fields.get("id")
    return (
        not fields.keys().isdisjoint(_OF_MODEL)
        or bool(fields.get("response_metadata"))
        or (isinstance(own, dict) and not own.keys().isdisjoint(_OF_MODEL))
        or (isinstance(number, str) and number.startswith(_RUN_IDS))
    )


def _unpacked(values: Values) -> Values:
    """Return the items of the only value, if it is a list."""
    head = values.head(2)
    if len(head) == 1 and isinstance(head[0], list):
        line = next(values).line
        return Values((Value(item, line) for item in head[0]), are_items=True)
    return values


def _noticed(runs: Iterator[Transcript], printed: _Printed) -> Iterator[Transcript]:
    """Yield *runs*, the last with notices of the text that belongs to no value."""
    last: Transcript | None = None
    for run in runs:
        if last is not None:
            yield last
        last = run
    if last is not None:
        notices, printed.notices = printed.notices, []
        yield replace(last, notices=(*last.notices, *notices))


READER: Final = TextReader(
    name="python_repr",
    summary="what print() shows of results and messages: LangChain, Haystack, OpenAI Agents",
    evidence=_evidence,
    read=_read,
    signs=(
        *(f"{name}(".casefold() for name in _CLASSES),
        *(f"'{key}': " for key in _KEYS),
        "additional_kwargs={",
        "runresult",
    ),
)
