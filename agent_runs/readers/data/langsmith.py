"""Run trees of LangSmith: what a chain, and each model and tool below it, took and returned.

::

    {"name": "AgentExecutor", "run_type": "chain", "inputs": {"input": "Which month?"},
     "outputs": {"output": "November."}, "child_runs": [
      {"run_type": "llm", "outputs": {"generations": [[{"text": "Action: search …"}]]}, …},
      {"run_type": "tool", "name": "search", "inputs": {"input": "fog"},
       "outputs": {"output": "November has 9 days of fog."}, …}]}

The outputs of the root suffice if they have the messages or the intermediate steps. Otherwise the
steps are those of the models and tools below it. Runs may also be listed side by side, each with
the id of its parent.

Source: ``langsmith/schemas.py``; ``langchain_core/tracers``.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from functools import partial
from typing import TYPE_CHECKING, Any, Final

from agent_parsers.transcripts import Notice
from agent_runs.readers.data import langchain_messages, langchain_steps, openai
from agent_runs.reading.messages import MessageFormat, evidence_of_each, read_each, said_of
from agent_runs.reading.parts import result_of, text_of
from agent_runs.reading.reader import DataReader, Reading, Value, Values
from agent_runs.reading.said import Said, SaidCall, SaidResult, runs_of_messages

if TYPE_CHECKING:
    from agent_parsers.transcripts import Transcript

_TYPES: Final = frozenset(("chain", "llm", "tool", "prompt", "retriever", "embedding", "parser"))


def _is_run(value: Any) -> bool:
    return (
        isinstance(value, dict)
        and str(value.get("run_type")) in _TYPES
        and isinstance(value.get("inputs"), dict)
    )


def _runs_of(root: Mapping[str, Any], reading: Reading) -> Iterable[Transcript]:
    """Return the runs of an agent in the tree below *root*; those of sub-agents are left out."""
    runs = [*_outer_runs(root, reading)]
    inner = [leaf["name"] for leaf in _leaves(root) if leaf["run_type"] == "tool" and _acts(leaf)]
    if runs and inner:
        notices = (
            Notice("unowned_text", f"dropped the steps of an agent that the tool {name!r} ran")
            for name in inner
        )
        runs[-1] = replace(runs[-1], notices=(*runs[-1].notices, *notices))
    return runs


def _acts(tool: Mapping[str, Any]) -> bool:
    """Return whether models and tools have run inside a *tool*."""
    inside = {leaf["run_type"] for child in tool.get("child_runs") or () for leaf in _leaves(child)}
    return inside >= {"llm", "tool"}


def _outer_runs(root: Mapping[str, Any], reading: Reading) -> Iterable[Transcript]:
    inputs, outputs = root["inputs"], root.get("outputs") or {}
    name = str(root.get("id") or "")
    if langchain_steps.is_result(outputs):
        run = langchain_steps.run_of({**inputs, **outputs}, reading)
        return [replace(run, id=name)]
    messages = outputs.get("messages")
    if isinstance(messages, list) and messages:
        return runs_of_messages(said_of(messages, _form_of(messages)), reading, name=name)
    leaves = [*_leaves(root)]
    if not any(leaf["run_type"] == "tool" for leaf in leaves):
        return runs_of_messages(_conversation(leaves), reading, name=name)
    said = [*_asked(inputs), *_steps(leaves), *_told(outputs, leaves)]
    return runs_of_messages(said, reading, name=name, is_one_run=True)


def _form_of(messages: Sequence[Any]) -> MessageFormat:
    is_langchain = all(map(langchain_messages.is_message, messages))
    return langchain_messages.FORM if is_langchain else openai.FORM


def _leaves(run: Mapping[str, Any]) -> Iterator[Mapping[str, Any]]:
    """Yield the models and tools in the tree, in the order in which they began."""
    if run["run_type"] in ("llm", "tool"):
        yield run
        return
    children = run.get("child_runs") or []
    for child in sorted(children, key=lambda child: str(child.get("start_time") or "")):
        yield from _leaves(child)


def _conversation(models: Sequence[Mapping[str, Any]]) -> Iterator[Said]:
    """Yield what the last of the *models* was told, the whole conversation, and what it said."""
    for model in models[-1:]:
        yield from _before(model["inputs"])
        if (said := _model(model)) is not None:
            yield said


def _asked(inputs: Mapping[str, Any]) -> Iterator[Said]:
    """Yield the question among *inputs*."""
    if (asked := langchain_steps.asked_in(inputs)) is not None:
        yield Said("user", asked)
    else:
        yield from _before(inputs)


def _before(inputs: Mapping[str, Any]) -> Iterator[Said]:
    """Yield the messages among *inputs*."""
    messages = inputs.get("messages") or []
    if messages and isinstance(messages[0], list) and not isinstance(messages[0][0], str):
        messages = messages[0]  # a batch
    yield from said_of(messages, _form_of(messages))
    if not messages and (prompts := inputs.get("prompts")):
        yield Said("user", text_of(prompts[0]))


def _steps(leaves: Iterable[Mapping[str, Any]]) -> Iterator[Said]:
    called: list[str] = []  # the tools that a model called and that have not run
    for leaf in leaves:
        if leaf["run_type"] == "llm":
            if (said := _model(leaf)) is not None:
                called = [call.tool for call in said.calls] or [""] * bool(said.text)
                yield said
            continue
        result = _result(leaf)
        if called:
            called.pop()
        else:  # a tool that no model called
            inputs = leaf["inputs"]
            given = inputs["input"] if [*inputs] == ["input"] else inputs
            yield Said("assistant", calls=(SaidCall(leaf["name"], given, result.call_id),))
        yield Said("tool", results=(result,))


def _result(leaf: Mapping[str, Any]) -> SaidResult:
    outputs = leaf.get("outputs") or {}
    output = outputs.get("output", outputs)
    _, fields = langchain_messages.object_of(output)
    if "content" in fields:
        return result_of(fields["content"], fields.get("tool_call_id"), leaf["name"])
    return result_of(output if leaf.get("outputs") else leaf.get("error"), None, leaf["name"])


def _model(leaf: Mapping[str, Any]) -> Said | None:
    """Return what a model said; `None` if it failed."""
    outputs = leaf.get("outputs") or {}
    if generations := outputs.get("generations"):
        first = generations[0][0] if isinstance(generations[0], list) else generations[0]
        if first.get("message"):
            return langchain_messages.FORM.said(first["message"])
        return Said("assistant", first["text"])
    if choices := outputs.get("choices"):
        return openai.FORM.said(choices[0]["message"])
    if "role" in outputs:
        return openai.FORM.said(outputs)
    output = outputs.get("output", outputs.get("message"))
    if langchain_messages.is_message(output):
        return langchain_messages.FORM.said(output)
    return Said("assistant", output) if isinstance(output, str) else None


def _told(outputs: Mapping[str, Any], leaves: Sequence[Mapping[str, Any]]) -> Iterator[Said]:
    """Yield the output of the root, unless the last model said it."""
    output = outputs.get("output")
    if not isinstance(output, str) or output in langchain_steps.LIMITS:
        return
    models = [leaf for leaf in leaves if leaf["run_type"] == "llm"]
    last = _model(models[-1]) if models and leaves[-1] is models[-1] else None
    if last is None or last.calls or output.strip() not in last.text:
        yield Said("assistant", output)


def _trees(values: Iterable[Value]) -> Iterator[Value]:
    """Yield the roots, with runs that are listed side by side put below their parents."""
    listed: dict[str, Value] = {}
    for value in values:
        run = value.data
        if not _is_run(run) or run.get("child_runs"):
            yield value
        else:
            listed[str(run.get("id"))] = Value({**run, "child_runs": []}, value.line)
    roots = []
    for run, line, _ in listed.values():
        parent = listed.get(str(run.get("parent_run_id")))
        if parent is None or parent.data is run:
            roots.append(Value(run, line))
        else:
            parent.data["child_runs"].append(run)
    yield from roots


def _read(values: Values, reading: Reading) -> Iterator[Transcript]:
    trees = Values(_trees(values), are_items=values.are_items)
    return read_each(trees, reading, _runs_of)


READER: Final = DataReader(
    name="langsmith",
    summary="LangSmith run trees of agents, chains and models",
    evidence=partial(
        evidence_of_each,
        is_one=_is_run,
        sign=lambda first: f"'run_type' {first['run_type']!r} and 'inputs' in the first value",
    ),
    read=_read,
)
