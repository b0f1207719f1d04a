r"""What ``Console`` of autogen-agentchat prints.

::

    ---------- TextMessage (user) ----------
    Which month has the most fog?
    ---------- ThoughtEvent (planner) ----------
    I look it up.
    ---------- ToolCallRequestEvent (planner) ----------
    [FunctionCall(id='c1', arguments='{"query": "fog"}', name='search')]
    [Prompt tokens: 10, Completion tokens: 5]
    ---------- ToolCallExecutionEvent (planner) ----------
    [FunctionExecutionResult(content='November', name='search', call_id='c1', is_error=False)]
    ---------- TextMessage (planner) ----------
    November.

Versions before 0.5.2 leave out the types; then the text shows what it is. The results are printed
again as ``ToolCallSummaryMessage`` where the agent stops behind them. With ``output_stats=True``
lines with the numbers of tokens follow messages, and a summary the whole. A message of ``user`` is
the question, and a run ends before the next one, or with the summary.

Source: `autogen_agentchat/ui/_console.py` (0.7.5, 0.4).
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
from outputs.growing_json import value_or_text

_TITLE: Final = re.compile(r"-{10} (?P<type>[A-Z]\w*) \((?P<source>[^\n]*)\) -{10}")
_OLD_TITLE: Final = re.compile(r"-{10} (?P<source>[^\n()]*[^\n()\s]) -{10}")
_SIGN: Final = re.compile(rf"(?m:^){_TITLE.pattern}(?m:$)")
_OLD_SIGN: Final = re.compile(rf"(?m:^){_OLD_TITLE.pattern}\n\[Function(?:Call|ExecutionResult)\(")
_TOKENS: Final = re.compile(r"\n?\[Prompt tokens: \d+, Completion tokens: \d+\]\n*\Z")
_SUMMARY: Final = re.compile(
    r"(?:(?:Number of (?:inner )?messages|Finish reason|Total (?:prompt|completion) tokens"
    r"|Duration): [^\n]*\n?)+"
)
_TEXTS: Final = frozenset(("TextMessage", "MultiModalMessage", "ModelClientStreamingChunkEvent"))


def _evidence(head: str) -> Sequence[str]:
    found = _SIGN.search(head) or _OLD_SIGN.search(head)
    return (f"{found[0].partition(chr(10))[0]!r} in line {line_of(found)}",) if found else ()


def _read(lines: Lines, reading: Reading) -> Runs:
    console = _Console(reading)
    for raw in lines:
        line = without_codes(raw)
        yield from console.take(line, lines.number - 1)
    yield from console.close()


class _Console:
    """The run that is being read, message by message."""

    def __init__(self, reading: Reading) -> None:
        self._reading = reading
        self._around = Around()
        self._run: RunBuilder | None = None
        self._kind = ""  # of the message, or of the text outside of messages
        self._source = ""
        self._lines: list[str] = []
        self._line = 0
        self._answer = ""  # a text that is the answer, unless calls follow
        self._results = ""  # the last ones, which may be repeated

    def take(self, line: str, number: int) -> Runs:
        """Process a line, and yield the runs that end there."""
        bare = line.rstrip()
        title = _TITLE.fullmatch(bare) or _OLD_TITLE.fullmatch(bare)
        if title is None:
            self._lines.append(line)
            return
        yield from self._end_message()
        self._source = title["source"]
        self._kind = title.groupdict().get("type") or self._source
        if title.re is _OLD_TITLE and self._source != "Summary":
            self._kind = "old"
        self._line = number

    def close(self) -> Runs:
        """Process the end of the log, and yield the last runs."""
        yield from self._end_message()
        yield from self._end_run()
        yield from self._around.release()

    def _end_message(self) -> Runs:
        text, self._lines = "".join(self._lines), []
        kind = self._kind
        if not kind:
            self._around.put(text, self._line + 1)
            return
        if kind == "Summary":
            rest = _SUMMARY.sub("", text, count=1)
            yield from self._end_run()
            self._around.put(rest, self._line)
            return
        text = _TOKENS.sub("", text).rstrip("\n")
        if kind == "old":
            kind = self._kind_of(text)
        if kind in _TEXTS and self._source == "user":
            if self._run is None or self._run.is_begun or self._answer:
                yield from self._end_run()
            self._now().ask(text)
            return
        self._take_message(kind, text)

    def _take_message(self, kind: str, text: str) -> None:
        run = self._now()
        if kind == "ToolCallRequestEvent":
            run.say(self._answer)
            self._answer = ""
            run.end_calls()
            for call in self._objects(text, "FunctionCall", ("name", "arguments")):
                run.call(
                    call["name"], value_or_text(call["arguments"]), call_id=call.get("id") or ""
                )
        elif kind == "ToolCallExecutionEvent":
            results = self._objects(text, "FunctionExecutionResult", ("content", "call_id"))
            for result in results:
                tool = result.get("name") or ""
                run.observe(result["content"], call_id=result["call_id"], tool=tool)
            self._results = "\n".join(result["content"] for result in results)
        elif kind == "ThoughtEvent":
            run.think(text)
        elif kind in _TEXTS:
            run.say(self._answer)
            self._answer = text
        elif kind != "ToolCallSummaryMessage":
            message = f"found a message of the type {kind}"
            run.notice("unowned_text", message, text=text, line=self._line)

    def _objects(self, text: str, name: str, fields: Sequence[str]) -> list[dict[str, Any]]:
        """Return the objects *name* in a list; each has the *fields*, which are texts."""
        try:
            found = value_of_repr(text)
        except ValueError:
            found = None
        if isinstance(found, list) and all(
            isinstance(value, dict) and all(isinstance(value.get(key), str) for key in fields)
            for value in found
        ):
            return found
        self._reading.refuse(f"expected a list of {name}(…)", text, line=self._line)
        return []

    def _kind_of(self, text: str) -> str:
        """Return the type of a message that is shown without it."""
        if text.startswith("[FunctionCall("):
            return "ToolCallRequestEvent"
        if text.startswith("[FunctionExecutionResult("):
            return "ToolCallExecutionEvent"
        return "ToolCallSummaryMessage" if text and text == self._results else "TextMessage"

    def _now(self) -> RunBuilder:
        if self._run is None:
            self._run = RunBuilder(self._reading.at(self._line))
        return self._run

    def _end_run(self) -> Runs:
        run, self._run = self._run, None
        answer, self._answer = self._answer, ""
        if run is None:
            return
        if answer.strip():
            run.answer(answer)
        yield from self._around.hold(run)


READER: Final = TextReader(
    name="autogen_console",
    summary="Console of autogen-agentchat (0.4 to 0.7)",
    evidence=_evidence,
    read=_read,
    signs=("---------- ",),
)
