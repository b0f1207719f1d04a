r"""Runs as messages of a chat, in the forms of two APIs, of LangChain, of ShareGPT and of Harbor.

::

    openai      {"messages": [{"role": "user", "content": "Which month?"},
                  {"role": "assistant", "content": "I look.", "tool_calls": [{"id": "call_1", …}]},
                  {"role": "tool", "tool_call_id": "call_1", "content": "November"},
                  {"role": "assistant", "content": "November."}]}

    anthropic   {"messages": [{"role": "user", "content": "Which month?"},
                  {"role": "assistant", "content": [{"type": "text", "text": "I look."},
                    {"type": "tool_use", "id": "call_1", "name": "search", "input": {…}}]},
                  {"role": "user", "content": [
                    {"type": "tool_result", "tool_use_id": "call_1", "content": "November"}]},
                  {"role": "assistant", "content": "November."}]}

    sharegpt    {"conversations": [{"from": "human", "value": "Which month?"},
                  {"from": "function_call", "value": "{\"name\": \"search\", \"arguments\": {…}}"},
                  {"from": "observation", "value": "November"},
                  {"from": "gpt", "value": "November."}]}

The content of a step is the text beside its calls; before an answer it is a message of its own. The
thought is never text. OpenAI's API has no place for it. Anthropic's takes back only what it has
signed: such blocks are written if the message of the step has them. LangChain's messages have it in
``additional_kwargs.reasoning_content``. A run is written with the earlier runs of its conversation
before it. A text input is the one argument ``__arg1``, as in LangChain. A step that could not be
read is left out. A call whose result the log lacks stays without one, though an API takes only
calls with results: such a log is cut, or shows a model what to write next. ShareGPT's form has no
place for text beside a call, and none for two calls in a row, which become two turns; as its roles
alternate, such a result is empty there. The schemas of tools that are given stand beside a run as
``tools``: in both APIs as in their requests, in ShareGPT's form as the JSON text of a list.

Source: platform.openai.com/docs/api-reference/chat and /docs/guides/fine-tuning,
docs.anthropic.com/en/api/messages and /docs/build-with-claude/extended-thinking,
``messages_to_dict`` of langchain-core, and hiyouga/LLaMA-Factory: data/README.md.

Harbor's form is the trajectory of ATIF 1.7.

::

    {"schema_version": "ATIF-v1.7", "agent": {"name": "agent", "version": "unknown"}, "steps": [
      {"step_id": 1, "source": "user", "message": "Which month?"},
      {"step_id": 2, "source": "agent", "message": "I look.", "reasoning_content": "Fog is cold.",
       "tool_calls": [{"tool_call_id": "call_1", "function_name": "search",
                       "arguments": {"query": "fog"}}],
       "observation": {"results": [{"source_call_id": "call_1", "content": "November"}]}},
      {"step_id": 3, "source": "agent", "message": "November."}]}

Arguments must be an object, so a text input is written as ``{"input": …}``, and the call's
``extra`` says so. What ATIF has no field for stands in ``extra`` too: repairs, notices, why a step
could not be read, and an answer that is not text.

Source: harbor 0.25, harbor.models.trajectories (Apache-2.0).
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, Final

from agent_runs.writers.writer import (
    EARLIER,
    EVERYTHING,
    IN_MESSAGES,
    Writer,
    answer_text,
    as_json,
    runs_up_to,
    turns_of,
)

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from agent_parsers.transcripts import Transcript
    from agent_runs.writers.writer import RunCall, RunTurn


def to_atif(
    run: Transcript, *, agent: str = "agent", version: str = "unknown", model: str = ""
) -> dict[str, Any]:
    """Return *run* as a trajectory in ATIF, the Agent Trajectory Interchange Format.

    Args:
        run: The run.
        agent: Name of the agent.
        version: Version of the agent; ATIF requires one.
        model: Name of the model, if it is known.

    Raises:
        ValueError: The run has neither a question nor a step, but a trajectory needs a step.
    """
    steps: list[dict[str, Any]] = []
    for each in runs_up_to(run):
        if each.preamble:
            steps.append({"source": "system", "message": each.preamble})
        if each.question:
            steps.append({"source": "user", "message": each.question})
        steps += (step for turn in turns_of(each) for step in _steps(turn))
    if not steps:
        raise ValueError("an ATIF trajectory needs at least one step, and this run has none")
    about: dict[str, Any] = {"name": agent, "version": version}
    if model:
        about["model_name"] = model
    written: dict[str, Any] = {
        "schema_version": "ATIF-v1.7",
        "agent": about,
        "steps": [{"step_id": number, **step} for number, step in enumerate(steps, 1)],
    }
    if run.id:
        written["session_id"] = run.id
    if extra := _extra(run):
        written["extra"] = extra
    return written


def _steps(turn: RunTurn) -> Iterator[dict[str, Any]]:
    step: dict[str, Any] = {"source": "agent", "message": turn.content}
    if turn.content and not turn.calls:
        yield step
        step = {"source": "agent", "message": ""}
    if turn.thought:
        step["reasoning_content"] = turn.thought
    if turn.calls:
        results = [
            {"source_call_id": call.call_id, "content": call.observation}
            for call in turn.calls
            if call.observation is not None
        ]
        step["tool_calls"] = [_call(call) for call in turn.calls]
        if results:
            step["observation"] = {"results": results}
    elif turn.finish is not None:
        step["message"] = answer_text(turn.finish)
        output = turn.finish.return_values.get("output")
        if not isinstance(output, str):
            step["extra"] = {"output": output}
    elif turn.error is not None:
        step["message"] = turn.error.llm_output or ""
        step["extra"] = {"parse_error": turn.error.reason}
        if turn.observation is not None:
            step["observation"] = {"results": [{"content": turn.observation}]}
    yield step


def _call(call: RunCall) -> dict[str, Any]:
    is_object = isinstance(call.tool_input, dict)
    extra: dict[str, Any] = {} if is_object else {"input": "text"}
    extra |= {"failed": True} if call.failed else {}
    given = call.tool_input if is_object else {"input": call.tool_input}
    written = {"tool_call_id": call.call_id, "function_name": call.tool, "arguments": given}
    return {**written, "extra": extra} if extra else written


def _extra(run: Transcript) -> dict[str, Any]:
    repairs: list[dict[str, Any]] = []
    notices: list[dict[str, Any]] = []
    runs = runs_up_to(run)
    for turn, each in enumerate(runs, 1):
        place = {"turn": turn} if len(runs) > 1 else {}
        repairs += (
            {**place, "step": step.number, "kind": repair.kind, "message": repair.message}
            for step in each.all_steps
            for repair in step.repairs
        )
        notices += (
            {**place, "kind": notice.kind, "step": notice.step, "message": notice.message,
             "text": notice.text}
            for notice in each.notices
        )  # fmt: skip
    found = {"repairs": repairs, "notices": notices, "metadata": dict(run.metadata)}
    return {name: value for name, value in found.items() if value}


def _to_openai(run: Transcript) -> dict[str, Any]:
    return {"messages": [each for one in runs_up_to(run) for each in _openai_messages(one)]}


def _openai_messages(run: Transcript) -> list[dict[str, Any]]:
    said = (("system", run.preamble), ("user", run.question))
    messages: list[dict[str, Any]] = [{"role": who, "content": text} for who, text in said if text]
    for turn in turns_of(run):
        if turn.finish is not None:
            texts = filter(None, (turn.content, answer_text(turn.finish)))
            messages += ({"role": "assistant", "content": text} for text in texts)
        elif turn.calls:
            calls = [
                {
                    "id": call.call_id,
                    "type": "function",
                    "function": {"name": call.tool, "arguments": as_json(call.arguments)},
                }
                for call in turn.calls
            ]
            content = turn.content or None
            messages.append({"role": "assistant", "content": content, "tool_calls": calls})
            messages += (
                {"role": "tool", "tool_call_id": call.call_id, "content": call.observation}
                for call in turn.calls
                if call.observation is not None
            )
    return messages


def _to_anthropic(run: Transcript) -> dict[str, Any]:
    runs = runs_up_to(run)
    messages = [each for one in runs for each in _anthropic_messages(one)]
    return {**_system(runs), "messages": messages}


def _system(runs: Sequence[Transcript]) -> dict[str, str]:
    """Return what stands before the *runs* of a conversation, as one text, if anything does."""
    system = "\n\n".join(each.preamble for each in runs if each.preamble)
    return {"system": system} if system else {}


def _anthropic_messages(run: Transcript) -> list[dict[str, Any]]:
    messages: list[dict[str, Any]] = []
    if run.question:
        messages.append({"role": "user", "content": run.question})
    for turn in turns_of(run):
        if turn.finish is not None:
            texts = filter(None, (turn.content, answer_text(turn.finish)))
            messages += ({"role": "assistant", "content": text} for text in texts)
        elif turn.calls:
            said: list[dict[str, Any]] = [*turn.signed]
            if turn.content.strip():  # the API refuses blank text
                said.append({"type": "text", "text": turn.content})
            for call in turn.calls:
                use = {"id": call.call_id, "name": call.tool, "input": call.arguments}
                said.append({"type": "tool_use", **use})
            messages.append({"role": "assistant", "content": said})
            results = [
                {
                    "type": "tool_result",
                    "tool_use_id": call.call_id,
                    "content": call.observation,
                    **({"is_error": True} if call.failed else {}),
                }
                for call in turn.calls
                if call.observation is not None
            ]
            if results:
                messages.append({"role": "user", "content": results})
    return messages


def _to_langchain(run: Transcript) -> dict[str, Any]:
    return {"messages": [each for one in runs_up_to(run) for each in _langchain_messages(one)]}


def _langchain_messages(run: Transcript) -> list[dict[str, Any]]:
    def add(kind: str, content: str, **fields: Any) -> None:
        messages.append({"type": kind, "data": {"type": kind, "content": content, **fields}})

    messages: list[dict[str, Any]] = []
    for kind, text in (("system", run.preamble), ("human", run.question)):
        if text:
            add(kind, text)
    for turn in turns_of(run):
        beside = {"additional_kwargs": {"reasoning_content": turn.thought}} if turn.thought else {}
        if turn.finish is not None:
            if turn.content:
                add("ai", turn.content)
            add("ai", answer_text(turn.finish), **beside)
        elif turn.calls:
            calls = [
                {"name": call.tool, "args": call.arguments, "id": call.call_id, "type": "tool_call"}
                for call in turn.calls
            ]
            add("ai", turn.content, **beside, tool_calls=calls)
            for call in turn.calls:
                if call.observation is not None:
                    status = {"status": "error"} if call.failed else {}
                    named = {"tool_call_id": call.call_id, "name": call.tool, **status}
                    add("tool", call.observation, **named)
    return messages


def to_sharegpt(run: Transcript) -> dict[str, Any]:
    """Return *run* as a ShareGPT conversation, in which the roles alternate."""
    runs = runs_up_to(run)
    said: list[tuple[str, str]] = []
    for each in runs:
        said.append(("human", each.question))
        for turn in turns_of(each):
            for call in turn.calls:
                written = as_json({"name": call.tool, "arguments": call.arguments})
                said += (("function_call", written), ("observation", call.observation or ""))
            if turn.finish is not None:
                said.append(("gpt", answer_text(turn.finish)))
    conversation = [{"from": role, "value": value} for role, value in said]
    return {"conversations": conversation, **_system(runs)}


def _is_signed(turn: RunTurn) -> bool:
    """Return whether Anthropic's API has signed all of the thought."""
    signed = (block.get("thinking", "").strip() for block in turn.signed)
    return turn.thought == "\n".join(filter(None, signed))


WRITERS: Final = (
    Writer(
        name="atif",
        summary="trajectories in ATIF 1.7, as Harbor writes them",
        write=to_atif,
        is_one_a_file=True,
        holds=EVERYTHING,
    ),
    Writer(
        name="anthropic",
        summary="messages of Anthropic's Messages API",
        write=_to_anthropic,
        holds=IN_MESSAGES | {"failed results"},
        keeps_thought=_is_signed,
        of_tools=lambda tools: {"tools": tools.anthropic_tools()},
    ),
    Writer(
        name="langchain",
        summary="LangChain's messages, as messages_to_dict writes them",
        write=_to_langchain,
        holds=IN_MESSAGES | {"reasoning", "failed results"},
    ),
    Writer(
        name="openai",
        summary="messages of OpenAI's Chat Completions API, as for fine-tuning",
        write=_to_openai,
        holds=IN_MESSAGES,
        of_tools=lambda tools: {"tools": tools.openai_tools()},
    ),
    Writer(
        name="sharegpt",
        summary="ShareGPT's conversations with function calls, as LLaMA-Factory reads them",
        write=to_sharegpt,
        holds=frozenset({"preamble", "text inputs", "object inputs", EARLIER}),
        of_tools=lambda tools: {"tools": as_json(tools.openai_functions())},
    ),
)
