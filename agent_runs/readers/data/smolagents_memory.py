"""The memory of a smolagents agent: one object a step, and one with the task before them.

::

    [{"task": "Which month has the most fog?"},
     {"step_number": 1, "model_output": "I look it up.", "tool_calls": [
        {"id": "c1", "function": {"name": "search", "arguments": {"query": "fog"}}}],
      "observations": "November"},
     {"step_number": 2, "action_output": "November.", "is_final_answer": true, …}]

``get_full_steps()`` has the prompts as well. The full result of a run has the steps under
``steps``. An agent that writes code calls ``python_interpreter``.

Source: ``smolagents/memory.py`` and ``agents.py`` of smolagents 1.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import TYPE_CHECKING, Any, Final

from agent_parsers import AgentFinish, OutputParserException, get_dialect
from agent_parsers.core import read_output
from agent_runs.reading.building import RunBuilder
from agent_runs.reading.messages import read_each
from agent_runs.reading.parts import call_of, text_of
from agent_runs.reading.reader import DataReader, Reading, Runs, Value, Values

if TYPE_CHECKING:
    from agent_runs.reading.said import SaidCall

_BEGINS: Final = frozenset(("task", "task_images", "system_prompt"))
"""What stands before the steps."""
_LIMIT: Final = "AgentMaxStepsError"
_ANSWER: Final = "final_answer"


def _is_step(value: Any) -> bool:
    if not isinstance(value, dict):
        return False
    is_action = "step_number" in value and ("observations" in value or "model_output" in value)
    is_plan = "plan" in value and "model_input_messages" in value
    is_begin = bool(value) and value.keys() <= _BEGINS
    return is_action or is_plan or is_begin or [*value] == ["output"]


def _steps_in(data: Any) -> list[Any] | None:
    """Return the steps of a whole run; `None` if *data* is no such run."""
    if isinstance(data, list):
        return data
    steps = data.get("steps") if isinstance(data, dict) else None
    if not isinstance(steps, list) or not all(isinstance(step, dict) for step in steps):
        return None
    return steps if any("step_number" in step for step in steps[:3]) else None


def _run_of(steps: Iterable[Any], reading: Reading) -> Runs:
    run = RunBuilder(reading)
    for step in steps:
        if not _is_step(step):
            raise ValueError("expected a step or a task of smolagents")
        _add(run, step)
    if run.is_begun or run.question:
        yield run.transcript()


def _add(run: RunBuilder, step: Mapping[str, Any]) -> None:
    if isinstance(prompt := step.get("system_prompt"), str):
        run.introduce(prompt)
    elif "step_number" in step:
        _act(run, step)
    elif "task" in step:
        run.ask(text_of(step["task"]))
    elif "plan" in step:
        run.think(text_of(step["plan"]))
    elif not run.is_answered:
        run.answer(step["output"])


def _act(run: RunBuilder, step: Mapping[str, Any]) -> None:
    error = step.get("error") or {}
    wrong = error.get("message") or ""
    if error.get("type") == _LIMIT:
        said = text_of(step.get("action_output"))
        run.notice("unowned_text", wrong or "the agent ran out of steps", text=said)
        return
    output = text_of(step.get("model_output"))
    asked = (step.get("model_output_message") or {}).get("tool_calls")
    calls = [call_of(call, is_text=True) for call in step.get("tool_calls") or asked or ()]
    if step.get("code_action"):
        run.think(_thought_in(output))
    else:
        run.say(output)
    answer = step.get("action_output")
    is_answer = step.get("is_final_answer")
    for call in calls:
        if call.tool == _ANSWER and is_answer is not False:
            is_answer = True
            given = call.tool_input
            is_whole = isinstance(given, dict) and [*given] == ["answer"]
            answer = answer if answer is not None else given["answer"] if is_whole else given
    made = [call for call in calls if call.tool != _ANSWER and not _is_answer_in_code(call)]
    for call in made:
        run.call(call.tool, call.tool_input, call_id="", log=output)
    if not calls and wrong:
        run.fail(OutputParserException(wrong, observation=wrong, llm_output=output))
    observations = step.get("observations")
    seen = "\n".join(filter(None, (observations, wrong)))
    if len(made) > 1:
        reason = "the log joins the results of several calls into one text"
        run.notice("unclear_end", reason, text=seen)
    elif (made and (wrong or observations is not None)) or (wrong and not calls):
        run.observe_more(seen)
    if is_answer:
        run.answer(answer, log=output)


def _thought_in(output: str) -> str:
    """Return the thought before the code in an *output*."""
    steps = read_output(get_dialect("smolagents_code"), output)
    return steps[0].thought if steps[0].error is None else ""


def _is_answer_in_code(call: SaidCall) -> bool:
    """Return whether the code of a *call* is nothing but the answer."""
    if call.tool != "python_interpreter" or not isinstance(call.tool_input, str):
        return False
    code = f"<code>\n{call.tool_input}\n</code>"
    return isinstance(read_output(get_dialect("smolagents_code"), code)[-1].action, AgentFinish)


def _runs(values: Iterable[Value]) -> Iterator[Value]:
    """Yield the steps of each run, a run that begins with a task."""
    run: list[Any] = []
    line, is_begun = 0, False
    for value in values:
        if (steps := _steps_in(value.data)) is not None:
            yield from _runs(Value(step, value.line) for step in steps)
            continue
        keys = value.data if isinstance(value.data, dict) else {}
        if "task" in keys and "step_number" not in keys and is_begun:
            yield Value(run, line)
            run, is_begun = [], False
        is_begun = is_begun or "step_number" in keys
        line = line if run else value.line
        run.append(value.data)
    if run:
        yield Value(run, line)


def _evidence(values: Sequence[Any]) -> Sequence[str]:
    for number, value in enumerate(values, 1):
        steps = _steps_in(value)
        found = [value] if steps is None else steps
        if not found or not all(map(_is_step, found)):
            return ()
        if any("step_number" in step for step in found):
            return (f"'step_number' and 'observations' in value {number}",)
    return ()


def _read(values: Values, reading: Reading) -> Runs:
    runs = Values(_runs(values), are_items=values.are_items)
    return read_each(runs, reading, _run_of)


READER: Final = DataReader(
    name="smolagents_memory",
    summary="the memory of a smolagents agent, as JSON",
    evidence=_evidence,
    read=_read,
)
