r"""The parts of messages: texts, calls and results, under the names that APIs and frameworks use.

The same few parts come under several names::

    {"function": {"name": "search", "arguments": "{\"query\": \"fog\"}"}, "id": "c1"}  OpenAI
    {"type": "tool_use", "name": "search", "input": {"query": "fog"}, "id": "c1"}       Anthropic
    {"name": "search", "args": {"query": "fog"}, "id": "c1"}                            LangChain
    {"tool_name": "search", "arguments": {"query": "fog"}, "id": "c1"}                  Haystack

Of a value that ends where the log ends, more may have followed.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import TYPE_CHECKING, Any, Final

from agent_parsers import AgentAction, OutputParserException
from agent_parsers.core import BadCall, as_input, observation_text, read_lenient
from agent_parsers.transcripts import Notice, Transcript, TranscriptStep
from agent_runs.reading.reader import Lines, squeezed, text_in_line
from agent_runs.reading.said import SaidCall, SaidResult

if TYPE_CHECKING:
    from agent_parsers.events import Repair

_OPEN_END: Final = "the log ends with"


def with_open_end(runs: Iterable[Transcript], lines: Lines) -> Iterator[Transcript]:
    """Yield the *runs* in *lines*, with notices about values that may be cut at the end of the log.

    A value may be cut if it contains the end of the last line with text. If several values do, the
    one of the last run counts, and of each run without an answer, since runs may be inside others.
    A call with such a value becomes a failed step; any other value gets a notice.
    """
    last: list[Transcript] = []  # the runs that were read when the log was over
    for run in runs:
        if lines.is_over and lines.last:
            last.append(run)
        else:
            yield run
    is_found = False
    for at, run in reversed([*enumerate(last)]):
        if any(map(is_open_end, run.notices)) or (is_found and run.finish is not None):
            continue
        last[at] = _cut(run, lines.last)
        is_found = is_found or last[at] is not run
    yield from last


def is_open_end(notice: Notice) -> bool:
    """Return whether a *notice* only says that the log ends with some value."""
    return notice.kind == "cut_value" and notice.message.startswith(_OPEN_END)


def notices_to_show(run: Transcript) -> tuple[Notice, ...]:
    """Return the notices of *run*, except one that the log ends with the answer, as most do."""
    last = run.all_steps[-1].number if run.finish is not None else 0
    return tuple(n for n in run.notices if not (last and n.step == last and is_open_end(n)))


def _cut(run: Transcript, last: Sequence[str]) -> Transcript:
    """Return *run*, given the *last* lines of its log; of a box, one that was cut has no text."""
    found = _cut_behind(run, last[-1])
    is_cut = not last[-1].endswith(_WHOLE)
    return _cut_behind(run, last[0]) if found is run and is_cut else found


_WHOLE: Final = ("\n", "╯", "┘", "┛")
"""What ends a line that was not cut."""


def _cut_behind(run: Transcript, last: str) -> Transcript:
    tail = squeezed(text_in_line(last))
    if not tail:
        return run
    for step in reversed(run.all_steps[-_MOST:]):
        if step.observation is not None and _ends(step.observation, tail):
            what = "the last tool's result" if step is run.all_steps[-1] else "a result"
            return _noticed(run, what, step.number)
        if step.error is not None:
            continue
        if step.observation is None and _ends(step.thought, tail):
            return _noticed(run, "a thought", step.number)
        if step.observation is None and _ends(step.content, tail):
            return _noticed(run, "a text", step.number)
        if isinstance(step.action, AgentAction):
            if step.observation is None and _ends_in_call(step.action, tail):
                return _failed(run, step, last)
        elif step.action is not None:
            answers = _texts(step.action.return_values.get("output"))
            if any(_ends(text, tail) for text in answers):
                return _noticed(run, "the answer", step.number)
    if not run.all_steps and _ends(run.question, tail):
        return _noticed(run, "the question", 0)
    return run


_MOST: Final = 20
"""How many steps may wait for their results at the end of a log."""


def _noticed(run: Transcript, what: str, step: int) -> Transcript:
    message = f"{_OPEN_END} {what}; it may have been cut short"
    return replace(run, notices=(*run.notices, Notice("cut_value", message, step)))


def _failed(run: Transcript, step: TranscriptStep, last: str) -> Transcript:
    reason = "the log ends inside the input of a call, which may have been cut short"
    error = OutputParserException(reason, observation="Give the whole log.", llm_output=last)
    steps = list(run.all_steps)
    steps[steps.index(step)] = replace(step, action=None, error=error)
    missing = ("no_observation", step.number)
    notices = tuple(each for each in run.notices if (each.kind, each.step) != missing)
    return replace(run, all_steps=tuple(steps), notices=notices)


def _ends_in_call(action: AgentAction, tail: str) -> bool:
    values = [*filter(str.strip, _texts(action.tool_input))] or [action.tool]
    return any(_ends(value, tail) and not _is_closed(value) for value in values)


def _is_closed(value: str) -> bool:
    """Return whether *value* is an object or a list in JSON, which says itself where it ends."""
    try:
        return value.lstrip().startswith(("{", "[")) and bool(json.loads(value) or True)
    except (ValueError, RecursionError):
        return False


def _ends(value: str, tail: str) -> bool:
    """Return whether the line whose text is *tail* ends as *value* does."""
    whole = text_in_line(value)
    if not whole:
        return False
    last = squeezed(whole.rpartition("\n")[2])
    return tail.endswith(last) or squeezed(whole[-len(tail) * 3 :]).endswith(tail)


def _texts(value: Any) -> Iterator[str]:
    """Yield the texts in *value*."""
    if isinstance(value, str):
        yield value
    elif isinstance(value, Mapping):
        for each in value.values():
            yield from _texts(each)
    elif isinstance(value, list):
        for each in value:
            yield from _texts(each)


_NAMES: Final = ("name", "tool_name", "toolName", "function_name", "function", "tool")
_ARGUMENTS: Final = ("arguments", "args", "input", "tool_kwargs", "tool_input")
_IDS: Final = ("call_id", "tool_call_id", "toolCallId", "tool_id", "id")

may_call: Final = re.compile(r"tool|call|function", re.IGNORECASE).search
"""Finds in the type of a part that it may be a call or a result."""
_CALL_PARTS: Final = frozenset(
    ("tool_use", "tool_call", "function_call", "server_tool_use", "mcp_tool_use")
)
RESULT_PARTS: Final = frozenset(
    f"{tool}tool_result"
    for tool in (
        "",
        "mcp_",
        "web_search_",
        "web_fetch_",
        "code_execution_",
        "bash_code_execution_",
        "text_editor_code_execution_",
        "tool_search_",
        "advisor_",
    )
)
"""The types of results of Anthropic's API: also of the tools that it runs itself."""
_QUIET: Final = frozenset(("redacted_thinking", "step-start", "compaction"))
"""Parts that never hold text."""


@dataclass
class Content:
    """The parts that the content of a message consists of."""

    texts: list[str] = field(default_factory=list)
    thoughts: list[str] = field(default_factory=list)
    signed: list[Mapping[str, Any]] = field(default_factory=list)
    """The thoughts that Anthropic's API takes back, as it sent them."""
    calls: list[SaidCall] = field(default_factory=list)
    results: list[SaidResult] = field(default_factory=list)
    left_out: list[str] = field(default_factory=list)
    """The kinds of other parts, such as images."""


def call_of(call: Mapping[str, Any], *, is_text: bool = False) -> SaidCall:
    """Return a call, whatever keys its form has for the name, the arguments and the id.

    Arguments that are text are read as JSON, like those in a message of a model: a call whose
    arguments are malformed has repairs or an error. With *is_text*, they may be any text.

    Raises:
        KeyError: It has no name.
        TypeError: It is not an object, or its name is not text.
    """
    call_id = _first(call, _IDS)
    for nested in ("function", "custom"):
        if isinstance(inner := call.get(nested), (dict, Mapping)):
            is_text = is_text or nested == "custom"
            call = inner
    tool = _first(call, _NAMES)
    if not isinstance(tool, str):
        if tool is None:
            raise KeyError("name")
        raise TypeError(f"the name of a tool is {type(tool).__name__}, not a string")
    written = _first(call, _ARGUMENTS)
    known_id = _name(call_id)
    if not isinstance(written, str) or is_text:
        return SaidCall(tool, written, known_id)
    repairs: list[Repair] = []
    try:
        value = read_lenient(
            written, tool, {"name": tool, "arguments": written}, repairs,
            is_function=False, may_lack=lambda _lack, _value: False,
        )  # fmt: skip
        value = as_input(value, tool, takes_text=False)
    except BadCall as bad:
        return SaidCall(tool, {}, known_id, tuple(repairs), _error(bad, tool, written))
    return SaidCall(tool, value, known_id, tuple(repairs))


def result_of(
    content: Any, call_id: Any = None, tool: Any = None, failed: object = False
) -> SaidResult:
    """Return the result of a tool, from its *content* and what the form says about the call.

    Raises:
        TypeError: The id or the name has another type.
    """
    text = content if isinstance(content, str) else text_of(content)
    return SaidResult(text, _name(call_id), _name(tool), bool(failed))


def shown_result(value: Any) -> str:
    """Return the result in a step as text; `None` is ``"None"``, which is what models saw."""
    return "None" if value is None else text_of(value)


def text_of(value: Any) -> str:
    """Return the text of a result or a content: text, parts with text, or any data as JSON."""
    if value is None:
        return ""
    if isinstance(value, list) and value and all(map(_has_text, value)):
        return "\n".join(part if isinstance(part, str) else part["text"] for part in value)
    return observation_text(value)


def content_of(content: Any) -> Content:
    """Return the parts of the *content* of a message: text, one part, or a list of parts.

    Raises:
        KeyError: A part lacks what its type needs.
        TypeError: It is something else.
    """
    found = Content()
    if content is None:
        return found
    for part in content if isinstance(content, list) else [content]:
        if isinstance(part, str):
            found.texts.append(part)
        elif not isinstance(part, (dict, Mapping)):
            raise TypeError(
                f"a part of a message is {type(part).__name__}, not a string or an object"
            )
        else:
            _read_part(part, found)
    return found


def is_signed(part: Any) -> bool:
    """Return whether *part* is reasoning that has to go back to Anthropic's API unchanged."""
    if not isinstance(part, (dict, Mapping)):
        return False
    kind = part.get("type")
    if kind == "thinking":
        return bool(part.get("signature")) and isinstance(part.get("thinking"), str)
    return kind == "redacted_thinking" and isinstance(part.get("data"), str)


def _read_part(part: Mapping[str, Any], found: Content) -> None:
    kind = part.get("type")
    if is_signed(part):
        found.signed.append(part)
    match kind:
        case _ if kind in _CALL_PARTS:
            found.calls.append(call_of(part))
        case _ if kind in RESULT_PARTS:
            call_id = part.get("tool_use_id") or part.get("tool_call_id")
            failed = part.get("is_error")
            found.results.append(result_of(part.get("content"), call_id, None, failed))
        case "thinking" | "reasoning":
            found.thoughts.append(_thought_in(part))
        case "refusal":
            found.texts.append(part["refusal"])
        case _ if _has_text(part) and kind != "image_url":
            found.texts.append(part["text"])
        case _ if kind not in _QUIET:
            found.left_out.append(f"a part of type {kind!r}" if kind else f"a part with {[*part]}")


def _thought_in(part: Mapping[str, Any]) -> str:
    for name in ("thinking", "reasoning", "summary", "content", "text"):
        if found := part.get(name):
            return text_of(found)
    return ""


def _has_text(part: Any) -> bool:
    return isinstance(part, str) or (
        isinstance(part, (dict, Mapping)) and isinstance(part.get("text"), str)
    )


def _name(value: Any) -> str:
    """Return an id or a name as text."""
    if isinstance(value, str):
        return value
    if value is not None and not isinstance(value, str | int):
        raise TypeError(f"an id or a name is {type(value).__name__}, not a string")
    return "" if value is None else str(value)


def _first(fields: Mapping[str, Any], names: tuple[str, ...]) -> Any:
    """Return the first of the fields with these *names* that is not `None`."""
    for name in names:
        if (found := fields.get(name)) is not None:
            return found
    return None


def _error(bad: BadCall, tool: str, written: str) -> OutputParserException:
    if isinstance(bad.problem, OutputParserException):
        return bad.problem
    return bad.problem.error(f"{tool}: {written}", (0, len(tool) + 2 + len(written)), strict=False)
