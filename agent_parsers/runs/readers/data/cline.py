r"""Conversations of Cline and its relatives, whose calls and results are text.

::

    user:      <task>\nHow many lines has it?\n</task>
    assistant: <thinking>I look.</thinking>\n\n<read_file>\n<path>a.txt</path>\n</read_file>
    user:      [read_file for 'a.txt'] Result:\n\n1\n2
    assistant: <attempt_completion>\n<result>\nTwo.\n</result>\n</attempt_completion>

A call ends a message. The values of its parameters are text.

Source: the system prompt and ``api_conversation_history.json`` of Cline 3 and Roo Code 3.
"""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any, Final

from agent_parsers.runs.reading.conversations import Form
from agent_parsers.runs.reading.messages import evidence_of, message_of, read_messages
from agent_parsers.runs.reading.reader import DataReader, Reading, Values
from agent_parsers.runs.reading.said import Said, SaidCall, SaidResult

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    from agent_parsers.runs.reading.transcript import Transcript

_CALL: Final = re.compile(r"(?:\A|\n)<([a-z]+_[a-z_]+)>\n?((?:(?!</?\1>).)*)</\1>\s*\Z", re.DOTALL)
_PARAMETER: Final = re.compile(r"<([a-z]\w*)>(.*?)</\1>[ \t]*(?:\n|\Z)", re.DOTALL)
_THINKING: Final = re.compile(r"<thinking>(.*?)</thinking>\s*", re.DOTALL)
_RESULT: Final = re.compile(r"\A\[([a-z_]+)(?: for [^\n]*)?\] Result:\n*")
_TASK: Final = re.compile(
    r"\A\s*<(task|feedback|user_message|answer)>\n?(.*?)\n?</\1>\s*", re.DOTALL
)
_DETAILS: Final = re.compile(r"\s*<environment_details>.*?</environment_details>\s*", re.DOTALL)
_ANSWER: Final = "attempt_completion"


def _said(message: Mapping[str, Any]) -> Said:
    said = message_of(message)
    text = _DETAILS.sub("", said.text)
    if said.role == "user":
        if result := _RESULT.match(text):
            return Said("tool", results=(SaidResult(text[result.end() :], tool=result[1]),))
        task = _TASK.match(text)
        return Said("user", task[2] + text[task.end() :] if task else text, left_out=said.left_out)
    if said.role != "assistant" or (call := _CALL.search(text)) is None:
        return said
    thoughts = [each.strip() for each in _THINKING.findall(text[: call.start()])]
    thought = "\n".join([*thoughts, _THINKING.sub("", text[: call.start()]).strip()]).strip()
    given = {name: _trimmed(value) for name, value in _PARAMETER.findall(call[2])}
    if call[1] == _ANSWER:
        return Said("assistant", given.get("result", ""), thought)
    rest = _PARAMETER.sub("", call[2]).strip()
    if rest:
        return said  # its end is the mark of a call that is not read
    return Said("assistant", thought=thought, calls=(SaidCall(call[1], given, is_untyped=True),))


def _trimmed(value: str) -> str:
    return value.removeprefix("\n").removesuffix("\n")


def _is_message(value: Any) -> bool:
    content = value.get("content") if isinstance(value, dict) else None
    return (
        isinstance(value, dict)
        and value.get("role") in ("system", "user", "assistant")
        and "tool_calls" not in value
        and (isinstance(content, str) or all(map(_is_text, content or [None])))
    )


def _is_text(part: Any) -> bool:
    return isinstance(part, dict) and part.get("type") == "text"


def _sign(message: Mapping[str, Any]) -> str:
    text = message_of(message).text
    found = _RESULT.match(text) if message["role"] == "user" else None
    return repr(found[0].strip()) if found else ""


def _messages_of(record: Mapping[str, Any]) -> list[Any] | None:
    messages = record.get("messages")
    return messages if isinstance(messages, list) else None


_FORM: Final = Form(_said, _is_message, _messages_of)


def _evidence(values: Sequence[Any]) -> Sequence[str]:
    return evidence_of(values, _FORM, _sign)


def _read(values: Values, reading: Reading) -> Iterator[Transcript]:
    return read_messages(values, reading, _FORM)


READER: Final = DataReader(
    name="cline",
    summary="conversations of Cline and Roo Code, with calls as text",
    evidence=_evidence,
    read=_read,
    before=("openai_chat", "anthropic"),
)
