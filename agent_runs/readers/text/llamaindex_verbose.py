r"""What the workflow of a LlamaIndex agent prints with ``verbose=True``.

::

    [tick] add: AgentWorkflowStartEvent(user_msg='Which month has the most fog?', chat_history=None)
    [run_agent_step:0] started from AgentSetup
    [tick] add: ToolCall(tool_name='search', tool_kwargs={'query': 'fog'}, tool_id='c1')
    [tick] add: ToolCallResult(tool_name='search', tool_kwargs={'query': 'fog'}, tool_id='c1', …
    [result] StopEvent(result=AgentOutput(response=ChatMessage(role=<MessageRole.ASSIS…

Each event is cut after some 200 characters, with ``...`` at the end. Calls are mostly whole,
results and answers rarely: what is cut is left out.

Source: `workflows/runtime/verbose.py` (LlamaIndex 0.14).
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any, Final

from agent_runs.readers.text.around import Around
from agent_runs.reading.building import RunBuilder
from agent_runs.reading.reader import Lines, Reading, Runs, TextReader, line_of
from agent_runs.reading.reprs import value_of_repr
from agent_runs.splitting.ansi import without_codes

_EVENT: Final = re.compile(r"\[(?:tick|result)\](?: add:)? (?P<name>[A-Z]\w*)\((?P<fields>.*)")
_FRAME: Final = re.compile(r"\[\w+(?::\d+)?\] (?:started from|complete with|add: ?)[^\n]*")
_SIGN: Final = re.compile(
    r"(?m:^)\[tick\] add: (?P<name>[A-Z]\w*)\(|(?m:^)\[\w+:\d+\] (?:started from|complete with) "
)
_STRING: Final = r"'(?>(?:[^'\\\n]|\\.)*)'|\"(?>(?:[^\"\\\n]|\\.)*)\""
_QUESTION: Final = re.compile(rf"user_msg=({_STRING})[,)]")
_TOOL: Final = re.compile(rf"tool_name=({_STRING}), tool_kwargs=")
_AFTER_INPUT: Final = re.compile(rf", tool_id=({_STRING})")
_TEXT: Final = re.compile(rf"blocks=\[TextBlock\(block_type='text', text=({_STRING})\)\]")
_CUT: Final = "..."


def _evidence(head: str) -> Sequence[str]:
    found = _SIGN.search(head)
    return (f"{found[0]!r} in line {line_of(found)}",) if found else ()


def _read(lines: Lines, reading: Reading) -> Runs:
    around = Around()
    run: RunBuilder | None = None
    for raw in lines:
        number = lines.number - 1
        text = without_codes(raw)
        event = _EVENT.match(text)
        name = event["name"] if event else ""
        if event is None:
            if not _FRAME.match(text):
                around.put(text, number)
            continue
        if name.endswith("StartEvent") or run is None:
            if run is not None:
                yield from around.hold(run)
            run = RunBuilder(reading.at(number))
        _take(name, event["fields"], number, run)
    if run is not None:
        yield from around.hold(run)
    yield from around.release()


def _take(name: str, fields: str, line: int, run: RunBuilder) -> None:
    """Take an event of a run; most repeat what others have said."""
    match name:
        case "ToolCall":
            _call(fields, line, run)
        case "ToolCallResult":
            result = _whole(_TEXT, fields)
            if result is None:
                _cut("a result", fields, line, run)
            else:
                found = _AFTER_INPUT.search(fields)
                run.observe(result, call_id=value_of_repr(found[1]) if found else "")
        case "StopEvent":
            answer = _whole(_TEXT, fields)
            if answer is None:
                _cut("the answer", fields, line, run)
            else:
                run.answer(answer)
        case _ if name.endswith("StartEvent"):
            question = _whole(_QUESTION, fields)
            if question is None or question.endswith(_CUT):
                _cut("the question", fields, line, run)
            else:
                run.ask(question)


def _call(fields: str, line: int, run: RunBuilder) -> None:
    tool = _TOOL.search(fields)
    if tool is None:
        _cut("a call", fields, line, run)
        return
    end = _AFTER_INPUT.search(fields, tool.end())
    tool_input: Any = None
    if end is not None:
        shown = fields[tool.end() : end.start()]
        try:
            tool_input = value_of_repr(shown)
        except ValueError:
            tool_input = None if _CUT in shown else shown
    run.call(value_of_repr(tool[1]), tool_input, call_id=value_of_repr(end[1]) if end else "")
    if tool_input is None:
        _cut("the input of a call", fields, line, run)


def _whole(pattern: re.Pattern[str], fields: str) -> str | None:
    """Return the text that *pattern* finds whole; `None` if it is cut."""
    found = pattern.search(fields)
    if found is None:
        return None
    text = value_of_repr(found[1])
    return text if isinstance(text, str) else None


def _cut(what: str, fields: str, line: int, run: RunBuilder) -> None:
    run.notice("cut_value", f"the log cuts {what} short", text=fields.rstrip("\n"), line=line)


READER: Final = TextReader(
    name="llamaindex_verbose",
    summary="lines that LlamaIndex's workflows print with verbose=True (0.14)",
    evidence=_evidence,
    read=_read,
    before=("prefixed",),
    signs=("[tick] add: ", "] started from ", "] complete with "),
)
