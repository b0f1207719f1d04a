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
from collections.abc import Mapping
from dataclasses import replace
from functools import partial
from typing import Any, Final

from agent_runs.reading.messages import MessageFormat, evidence_of, message_of, read_messages
from agent_runs.reading.reader import DataReader
from agent_runs.reading.said import Said, SaidCall, SaidResult

_CLOSER: Final = re.compile(r"</([a-z]{1,40}_[a-z_]{1,40})>\s*\Z").search
_PARAMETER: Final = re.compile(r"\s*<([a-z]\w{0,60})>").match
_THINKING: Final = re.compile(r"<thinking>((?:(?!<thinking>).)*?)</thinking>\s*", re.DOTALL)
_RESULT: Final = re.compile(r"\A\[([a-z_]+)(?: for [^\n]*)?\] Result:\n*")
_TASK: Final = re.compile(
    r"\A\s*<(task|feedback|user_message|answer)>\n?(.*?)\n?</\1>\s*", re.DOTALL
)
_DETAILS: Final = re.compile(
    r"(?:(?<!\s)\s+)?<environment_details>(?:(?!<environment_details>).)*?</environment_details>\s*",
    re.DOTALL,
)
_ANSWER: Final = "attempt_completion"


def _said(message: Mapping[str, Any]) -> Said:
    said = message_of(message)
    return replace(_spoken(said), unread=said.unread)


def _spoken(said: Said) -> Said:
    """Return what somebody *said*, with the calls and results in its text."""
    text = _DETAILS.sub("", said.text)
    if said.role == "user":
        if result := _RESULT.match(text):
            return Said("tool", results=(SaidResult(text[result.end() :], tool=result[1]),))
        task = _TASK.match(text)
        return Said("user", task[2] + text[task.end() :] if task else text, left_out=said.left_out)
    call = _call_in(text) if said.role == "assistant" else None
    if call is None:
        return said
    before, tool, given = call
    thoughts = [each.strip() for each in _THINKING.findall(before)]
    thought = "\n".join(filter(None, [said.thought, *thoughts]))
    text = _THINKING.sub("", before).strip()
    if tool == _ANSWER:
        answer = Said("assistant", given.get("result", ""))
        return Said("assistant", text, thought, then=answer)
    return Said("assistant", text, thought, (SaidCall(tool, given, is_untyped=True),))


def _call_in(text: str) -> tuple[str, str, dict[str, str]] | None:
    """Return the text before the call at the end of *text*, its tool and its parameters."""
    closer = _CLOSER(text)
    if closer is None:
        return None
    begin = text.rfind(f"<{closer[1]}>", 0, closer.start())
    if begin < 0 or text[max(0, begin - 1) : begin].strip():
        return None
    body = text[begin + len(closer[1]) + 2 : closer.start()]
    given: dict[str, str] = {}
    at = 0
    while parameter := _PARAMETER(body, at):
        end = body.find(f"</{parameter[1]}>", parameter.end())
        if end < 0:
            return None  # the text ends in the mark of a call that is not read
        value = body[parameter.end() : end]
        given[parameter[1]] = value.removeprefix("\n").removesuffix("\n")
        at = end + len(parameter[1]) + 3
    return None if body[at:].strip() else (text[:begin], closer[1], given)


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


_FORM: Final = MessageFormat(_said, _is_message)


READER: Final = DataReader(
    name="cline",
    summary="conversations of Cline and Roo Code, with calls as text",
    evidence=partial(evidence_of, form=_FORM, sign=_sign),
    read=partial(read_messages, form=_FORM),
    before=("openai_chat", "anthropic"),
)
