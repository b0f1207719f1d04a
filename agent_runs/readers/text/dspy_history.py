r"""What ``dspy.inspect_history(n)`` prints: the last calls of the model, with their prompts.

::

    [2026-01-05T09:00:00.000000]

    User message:

    [[ ## question ## ]]
    Which month has the most fog?

    [[ ## trajectory ## ]]
    [[ ## thought_0 ## ]]
    I look it up.

    [[ ## tool_name_0 ## ]]
    search
    …
    Response:

    [[ ## reasoning ## ]]
    The trajectory says it.

    [[ ## answer ## ]]
    November.

The prompt of each call of a `ReAct` module repeats the steps so far, as does that of the last call,
which writes the answer. The calls of one run are therefore those with the same inputs and the steps
of the call before; its steps are those of its last call. ``finish`` is DSPy's own tool. On a
console the headings are red and the response is green, in a file there are no colours.

Source: `dspy/utils/inspect_history.py`, `dspy/adapters/chat_adapter.py`, `dspy/predict/react.py`
(3.4).
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any, Final

from agent_runs.readers.text.around import Around
from agent_runs.reading.building import RunBuilder
from agent_runs.reading.reader import (
    HEAD_CHARS,
    Lines,
    Reading,
    Runs,
    TextReader,
    line_of,
    texts_behind,
)
from agent_runs.splitting.ansi import without_codes
from outputs.growing_json import value_or_text

_RED: Final = r"(?:\x1b\[31m)"
_BLUE: Final = r"(?:\x1b\[34m)"
_RESET: Final = r"(?:\x1b\[0m)"
_HEADING: Final = rf"{_RED}?(?P<heading>[A-Z][a-z]+ message|Response|Tool calls):{_RESET}?"
_TIME: Final = rf"{_BLUE}?\[(?:\d{{4}}-\d\d-\d\dT[\d:.+Z-]+|Unknown time)\]{_RESET}?"
_SIGN: Final = re.compile(rf"(?m:^){_TIME}\n\s*{_RED}?[A-Z][a-z]+ message:")
_PARTS: Final = ("thought", "tool_name", "tool_args", "observation")
_FIELD: Final = re.compile(r"(?m:^)\[\[ ## (?P<name>\w+) ## \]\][ \t]*\n?")
_ADVICE: Final = re.compile(
    r"(?<!\n)\n+Respond with (?:the corresponding output fields, starting with the field "
    r"|a JSON object in the following order of fields: )(?>[^\n]*)\s*\Z"
)
_END: Final = "\n\n\n\n"
"""What is printed behind a response."""


@dataclass
class _Call:
    """One call of the model."""

    line: int
    sections: dict[str, str] = field(default_factory=dict)
    """The last text under each heading."""
    inputs: dict[str, str] = field(default_factory=dict)
    steps: list[dict[str, str]] = field(default_factory=list)
    response: dict[str, Any] = field(default_factory=dict)

    def read(self) -> None:
        """Read the fields in the sections."""
        prompt = _ADVICE.sub("", self.sections.get("User message", ""))
        before, has_steps, trajectory = prompt.partition("[[ ## trajectory ## ]]")
        self.inputs = _fields(before)
        self.steps = _steps(trajectory) if has_steps else []
        response = self.sections.get("Response", "").strip()
        self.response = {**_fields(response)}
        if not self.response and isinstance(value := value_or_text(response), dict):
            self.response = value
        self.response.pop("completed", None)

    def goes_on(self, before: _Call) -> bool:
        """Return whether this call continues the run of the call *before*."""
        count = len(before.steps)
        return (
            self.inputs == before.inputs
            and "next_tool_name" in before.response
            and len(self.steps) > count
            and self.steps[:count] == before.steps
        )


def _evidence(head: str) -> Sequence[str]:
    found = _SIGN.search(head)
    if found is None or not _FIELD.search(head, found.end()):
        return ()
    return (f"the time and headings of dspy.inspect_history in line {line_of(found)}",)


def _read(lines: Lines, reading: Reading) -> Runs:
    around = Around()
    last: _Call | None = None
    for part in _parts(lines):
        if isinstance(part, tuple):
            around.put(*part)
            continue
        if last is not None and not part.goes_on(last):
            yield from around.hold(_run(last, reading))
        last = part
    if last is not None:
        yield from around.hold(_run(last, reading))
    yield from around.release()


def _parts(lines: Lines) -> Iterator[_Call | tuple[str, int]]:
    """Yield the calls, and texts outside of them with their lines."""
    is_coloured = "\x1b[31m" in lines.head(HEAD_CHARS)
    code = "" if is_coloured else "?"
    heading = re.compile(_HEADING.replace(f"{_RED}?", f"{_RED}{code}") + r"\s*")
    time = re.compile(_TIME.replace(f"{_BLUE}?", f"{_BLUE}{code}") + r"\s*")
    call: _Call | None = None
    name = ""
    text: list[str] = []
    for line in lines:
        number = lines.number - 1
        found = heading.fullmatch(line) if call else None
        is_apart = is_coloured or call is None or text[-4:] == ["\n"] * 4
        is_time = is_apart and time.fullmatch(line) is not None
        if call and (found or is_time):
            call.sections[name] = "".join(text)
            text = []
        if is_time:
            yield from _ended(call)
            call, name = _Call(number), ""
        elif found:
            name = found["heading"]
        elif call is None:
            yield without_codes(line), number
        else:
            text.append(without_codes(line))
            is_end = is_coloured and name == "Response" and line.rstrip().endswith("\x1b[0m")
            if is_end or (not is_coloured and name == "Response" and text[-5:] == ["\n"] * 5):
                call.sections[name] = "".join(text)
                yield from _ended(call)
                call, text = None, []
    if call is not None:
        call.sections[name] = "".join(text)
    yield from _ended(call)


def _ended(call: _Call | None) -> Iterator[_Call]:
    if call is not None:
        call.read()
        yield call


def _fields(text: str) -> dict[str, str]:
    found = texts_behind(_FIELD.finditer(text), text)
    return {head["name"]: value.strip("\n") for head, value in found}


def _steps(text: str) -> list[dict[str, str]]:
    """Return the parts of each step; markers that are not the next one belong to a text."""
    steps: list[dict[str, str]] = []
    wanted: re.Match[str] | None = None
    number, part = -1, len(_PARTS) - 1
    for found in _FIELD.finditer(text):
        name, _, index = found["name"].rpartition("_")
        is_next = name == _PARTS[(part + 1) % 4] and index.isdecimal()
        if not is_next or (steps and int(index) != number + (part == 3)):
            continue
        if wanted is not None:
            steps[-1][_PARTS[part]] = text[wanted.end() : found.start()].strip("\n")
        part, number, wanted = (part + 1) % 4, int(index), found
        if part == 0:
            steps.append({})
    if wanted is not None:
        steps[-1][_PARTS[part]] = text[wanted.end() :].strip("\n")
    return steps


def _run(call: _Call, reading: Reading) -> RunBuilder:
    run = RunBuilder(reading.at(call.line))
    run.introduce(call.sections.get("System message", "").strip())
    inputs = call.inputs
    if len(inputs) == 1:
        run.ask(*inputs.values())
    elif inputs:
        run.ask("\n".join(f"{name}: {text}" for name, text in inputs.items()))
    for step in call.steps:
        _add_step(run, step)
    response = dict(call.response)
    if "next_tool_name" in response:
        parts = {part: response.get(f"next_{part}", "") for part in _PARTS[:3]}
        _add_step(run, parts)
        return run
    run.think(str(response.pop("reasoning", "")))
    if len(response) == 1:
        run.answer(*response.values())
    elif response:
        run.answer(response)
    return run


def _add_step(run: RunBuilder, step: Mapping[str, Any]) -> None:
    run.think(step.get("thought", ""))
    tool, tool_input = step.get("tool_name", ""), step.get("tool_args", "")
    if tool == "finish":
        return
    run.call(tool, value_or_text(tool_input) if isinstance(tool_input, str) else tool_input)
    if "observation" in step:
        run.observe_more(step["observation"])


READER: Final = TextReader(
    name="dspy_history",
    summary="what dspy.inspect_history() prints (DSPy 2.5 to 3)",
    evidence=_evidence,
    read=_read,
    signs=("[[ ## ",),
)
