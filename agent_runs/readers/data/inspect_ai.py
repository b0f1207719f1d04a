"""Logs of Inspect AI: each sample is a run.

::

    {"version": 2, "eval": {…}, "samples": [{"id": 1, "epoch": 1, "input": "Which month?",
      "messages": [{"role": "user", "content": "Which month?", "source": "input"},
        {"role": "assistant", "content": "I look it up.", "tool_calls": [
          {"id": "c1", "function": "search", "arguments": {"query": "fog"}}]},
        {"role": "tool", "content": "November", "tool_call_id": "c1", "function": "search"}],
      "output": {"choices": […], "completion": "November."}}]}

The answer is what the agent submitted with the tool ``submit``, which may be only in ``output``.
A log in the form ``.eval`` is a zip file with one JSON file for each sample.

Source: ``inspect_ai/log/_log.py`` and ``agent/_react.py`` of inspect-ai 0.3.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any, Final

from agent_runs.reading.messages import message_of, read_each
from agent_runs.reading.parts import call_of, text_of
from agent_runs.reading.reader import DataReader, Reading, Runs, Value, Values
from agent_runs.reading.said import Said, runs_of_messages

_SUBMIT: Final = "submit"
_ATTACHED: Final = "attachment://"


def _is_sample(value: Any) -> bool:
    return isinstance(value, dict) and {"epoch", "input", "target", "messages"} <= value.keys()


def _is_log(value: Any) -> bool:
    return isinstance(value, dict) and isinstance(value.get("eval"), dict) and "version" in value


def _runs_of(sample: Mapping[str, Any], reading: Reading) -> Runs:
    name = f"{sample['id']}_epoch_{sample['epoch']}"
    said = _said_in(sample)
    return runs_of_messages(said, reading, name=name, is_one_run=True)


def _said_in(sample: Mapping[str, Any]) -> Iterator[Said]:
    attached = sample.get("attachments") or {}
    messages = [_whole(message, attached) for message in sample["messages"]]
    answer = _last_output(sample)
    if answer and messages and messages[-1].get("id") == answer.get("id"):
        messages[-1] = _whole(answer, attached)
    last = max((at for at, each in enumerate(messages) if each["role"] == "assistant"), default=-1)
    for at, message in enumerate(messages):
        if at == last and (submitted := _submitted(message)) is not None:
            said = message_of({**message, "tool_calls": None})
            text = said.text.removesuffix(submitted).rstrip()
            yield Said("assistant", text, said.thought, then=Said("assistant", submitted))
            return
        yield _said(message)


def _whole(message: Mapping[str, Any], attached: Mapping[str, str]) -> dict[str, Any]:
    """Return a *message* with its content, which the log may hold apart."""
    content = message.get("content")
    if isinstance(content, str) and content.startswith(_ATTACHED):
        content = attached.get(content.removeprefix(_ATTACHED), content)
    return {**message, "content": content}


def _last_output(sample: Mapping[str, Any]) -> Mapping[str, Any] | None:
    choices = (sample.get("output") or {}).get("choices") or []
    return choices[0].get("message") if choices else None


def _submitted(message: Mapping[str, Any]) -> str | None:
    """Return the answer that a *message* submits; `None` if it submits none."""
    for call in message.get("tool_calls") or ():
        given = call_of(call)
        if given.tool == _SUBMIT and isinstance(given.tool_input, dict) and given.tool_input:
            return text_of(next(iter(given.tool_input.values())))
    return None


def _said(message: Mapping[str, Any]) -> Said:
    error = message.get("error")
    if message["role"] == "tool" and error and not message.get("content"):
        message = {**message, "content": error.get("message")}
    return message_of({**message, "name": message.get("function")})


def _samples(values: Iterable[Value]) -> Iterator[Value]:
    for value in values:
        samples = value.data.get("samples", []) if _is_log(value.data) else None
        if isinstance(samples, list):
            yield from (Value(sample, value.line) for sample in samples)
        else:
            yield value


def _evidence(values: Sequence[Any]) -> Sequence[str]:
    if values and all(_is_log(value) for value in values):
        return ("'version', 'eval' and 'samples' of a log",)
    if values and all(_is_sample(value) for value in values):
        return ("'epoch', 'target' and 'messages' of a sample",)
    return ()


def _read(values: Values, reading: Reading) -> Runs:
    return read_each(Values(_samples(values)), reading, _runs_of)


READER: Final = DataReader(
    name="inspect_ai",
    summary="logs of Inspect AI, as JSON or .eval",
    evidence=_evidence,
    read=_read,
    before=("openai_chat",),
)
