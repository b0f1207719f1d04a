"""Renders the pages of snapshots: usual steps and replies, with the results of parsing them."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, Final, TypeAlias, cast

from agent_parsers import AgentAction, AgentFinish, MessageParser, OpenAIFunctionsAgentOutputParser
from agent_parsers.authoring import Written, replies
from agent_parsers.core import AnyDialectParser, TurnParser
from agent_parsers.events import StepFailed
from agent_parsers.testing.chunks import cut
from agent_parsers.testing.snapshots.readable import (
    assert_same_events,
    labelled,
    readable,
    whole_story,
)
from agent_parsers.toolset import ToolSet, ToolSpec
from output_parsers import BaseOutputParser, OutputParserException
from output_parsers.printable import kind_of
from outputs import AIMessage, BaseMessage, from_any, tool_call

if TYPE_CHECKING:
    from agent_parsers.core import Step

AnyParser: TypeAlias = AnyDialectParser | MessageParser

_NO_SUCH_TOOL: Final = ToolSpec("no_such_tool")
_MOST_STEPS: Final = 2
_ANSWER: Final = "It is so."


def usual_steps(parser: AnyParser) -> list[Step]:
    """Return steps that call the first two tools of *parser*, which may have none."""
    tools = tuple(ToolSet(parser.tools or ()))[:_MOST_STEPS] or (None,)
    replies = (_action(parser, tool, number) for number, tool in enumerate(tools, 1))
    results = [parser.read(reply).result for reply in replies]
    actions = (a for result in results for a in (result if isinstance(result, list) else [result]))
    return [(a, f"what {a.tool} returned") for a in actions if isinstance(a, AgentAction)]


def usual_replies(parser: AnyParser) -> dict[str, Any]:
    """Return valid and invalid replies by title."""
    first = next(iter(ToolSet(parser.tools or ())), None)
    replies = {"an action": _action(parser, first), "an answer": _answer(parser)}
    if isinstance(parser, TurnParser):
        replies["text without the required form"] = "Let me see."
    wrong = _action(parser, _NO_SUCH_TOOL)
    if first is not None and wrong != replies["an action"]:
        replies["an unknown tool"] = wrong
    return replies


def _action(parser: AnyParser, tool: ToolSpec | None, number: int = 1) -> Any:
    """Return a reply that calls *tool*, or a tool without a spec."""
    if isinstance(parser, TurnParser):
        words = parser.dialect.prompt_words
        text = replies(parser.dialect, None if tool is None else [tool])[0]
        for name, value in ((tool and ToolSet([tool]).example(tool.name)) or {}).items():
            before, found, after = text.rpartition(words.placeholder(name))  # a tag may be alike
            if found and value == f"<{name}>":
                text = f"{before}some {name}{after}"  # a value, not copied
        return text
    tool = tool or ToolSpec("search")
    arguments = ToolSet([tool]).example(tool.name) or {}
    if isinstance(parser, OpenAIFunctionsAgentOutputParser):
        call = {"name": tool.name, "arguments": json.dumps(arguments, ensure_ascii=False)}
        return AIMessage("", additional_kwargs={"function_call": call})
    return AIMessage(
        "", tool_calls=[tool_call(name=tool.name, args=arguments, id=f"call_{number}")]
    )


def _answer(parser: AnyParser) -> Any:
    if isinstance(parser, TurnParser):
        thought = parser.dialect.prompt_words.last_thought if parser.dialect.thinks else ""
        return parser.dialect.write(Written(thought, answer=_ANSWER, number=2))
    return AIMessage(_ANSWER)


# -- pages -----------------------------------------------------------------------------------------

Replies: TypeAlias = Mapping[str, Any] | Iterable[Any]
"""Replies, by title or in a list: texts, or messages that `outputs.from_any` accepts."""

_SIZES: Final = (7, 1)
"""Sizes of the chunks in which a text is read again, in characters."""


def prompt_page(
    parser: AnyParser,
    question: str,
    steps: Sequence[Step] | None,
    replies: Replies | None,
    system: str = "",
) -> str:
    """Return the prompt of *parser*, and the results of parsing *replies*; see `SnapshotPrompt`."""
    steps = usual_steps(parser) if steps is None else steps
    replies = usual_replies(parser) if replies is None else replies
    many = "1 step" if len(steps) == 1 else f"{len(steps)} steps"
    if isinstance(parser, MessageParser):
        prompt: Any = parser.render_prompt(question, steps, system=system)
    else:  # perhaps with placeholders, as the instructions have them
        prompt = parser._prompt(question, steps, system=system)
    parts = [f"{heading(f'the prompt after {many}')}{_as_text(prompt)}\n"]
    if isinstance(parser, MessageParser):
        tools = ToolSet(parser.tools or ()).openai_tools()
        parts.append(f"{heading('the tools, as OpenAI takes them')}{readable(tools)}")
    parts.append(f"{heading('stop sequences')}{readable(parser.stop)}")
    for title, reply in _titled(replies):
        parts.append(f"{heading(title)}{quoted(reply)}\n{_reading(parser, reply)}")
    return "\n".join(parts)


def run_page(parser: AnyParser, run: Any, step: int, system: str = "") -> str:
    """Return the prompt that led to a *step* of a *run*, and what the model wrote then.

    Raises:
        ValueError: The run has no such step.
    """
    past = [*(run.all_steps if hasattr(run, "all_steps") else run.steps)]
    if not 1 <= step <= len(past) + (not hasattr(run, "all_steps")):
        raise ValueError(f"the run has {len(past)} steps, and no step {step}")
    here = past[step - 1 : step]
    first = step - 1
    while here and first and _are_of_one_turn(past[first - 1], past[first]):
        first -= 1
    prompt = parser.render_prompt(run.question or None, past[:first], system=system)
    title = f"the prompt that led to step {first + 1} of the run"
    parts = [f"{heading(title)}{_as_text(prompt)}\n"]
    parts.append(f"{heading('stop sequences')}{readable(parser.stop)}")
    if said := _written_at(here[0] if here else (run.finish,)):
        parts.append(f"{heading('what the model wrote')}{quoted(said)}\n{_reading(parser, said)}")
    return "\n".join(parts)


def _action_of(step: Any) -> Any:
    return step[0] if isinstance(step, tuple) else getattr(step, "action", None)


def _are_of_one_turn(before: Any, step: Any) -> bool:
    """Return whether two steps are calls of one turn of the model."""
    first, second = _action_of(before), _action_of(step)
    if not (hasattr(first, "tool") and hasattr(second, "tool")):  # such as an answer
        return False
    if log := getattr(second, "message_log", ()):
        ids = [getattr(each, "tool_call_id", None) for each in (first, second)]
        return getattr(first, "message_log", ()) == log and (ids[0] != ids[1] or ids[0] is None)
    is_same_call = (first.tool, first.tool_input) == (second.tool, second.tool_input)
    return bool(first.log) and first.log == second.log and not is_same_call


def _written_at(step: Any) -> Any:
    """Return what the model wrote at a *step*: a text, or a message with calls."""
    if isinstance(step, OutputParserException):
        return step.llm_output if step.ai_message is None else step.ai_message
    action = _action_of(step)
    said = [*getattr(action, "message_log", ())][-1:]
    if said and (said[0].tool_calls or said[0].additional_kwargs):
        return said[0]
    log = getattr(action, "log", "")
    return "" if log.startswith("\nInvoking: `") else log  # which stands for a message


def chain_page(steps: Sequence[Any], inputs: Any, replies: Replies | None) -> str:
    """Return the prompt that a chain makes of *inputs*, and what its parser makes of *replies*.

    Args:
        steps: The steps of the chain: a prompt, a model, which is not asked, and a parser.
        inputs: What the chain is invoked with.
        replies: What the model may reply.

    Raises:
        ValueError: None of the steps returns a prompt.
    """
    prompt, at = inputs, 0
    while not hasattr(prompt, "to_messages"):
        if at + 1 >= len(steps):
            raise ValueError("expected a chain with a prompt before its model")
        prompt = steps[at].invoke(prompt)
        at += 1
    said = prompt.to_messages()
    is_text = len(said) == 1 and said[0].type == "human"
    parts = [f"{heading('the prompt')}{_as_text(said[0].content if is_text else said)}\n"]
    bound = getattr(steps[at], "kwargs", {}) if at < len(steps) else {}
    for name, value in bound.items():
        parts.append(f"{heading(f'what the model is given: {name}')}{readable(value)}")
    parser = getattr(steps[-1], "parser", steps[-1])  # of one that wraps it for LangChain
    for title, reply in _titled({} if replies is None else replies):
        parts.append(f"{heading(title)}{quoted(reply)}\n{_result_of(parser, reply)}")
    return "\n".join(parts)


def output_page(parser: BaseOutputParser[Any], replies: Replies | None) -> str:
    """Return what an output parser asks for, and what it makes of *replies*."""
    instructions = parser.get_format_instructions()
    parts = [f"{heading('the instructions')}{_as_text(instructions)}\n"]
    for title, reply in _titled({"words": _ANSWER} if replies is None else replies):
        parts.append(f"{heading(title)}{quoted(reply)}\n{_result_of(parser, reply)}")
    return "\n".join(parts)


def _result_of(parser: Any, reply: Any) -> str:
    """Return what *parser* makes of a *reply*, or its error and the message for the model."""
    if isinstance(parser, TurnParser | MessageParser):
        return _reading(cast("AnyParser", parser), reply)
    try:
        return readable(parser.invoke(reply))
    except OutputParserException as error:
        return _failed(error)


def _failed(error: OutputParserException) -> str:
    observation = "" if error.observation is None else f"\n{quoted(error.observation)}"
    return f"{error.pointer()}\n{observation}"


def events_page(parser: AnyParser, replies: str | BaseMessage | Replies) -> str:
    """Return the events of *replies*; see `SnapshotEvents`.

    Raises:
        AssertionError: The events depend on how a text is cut.
    """
    if isinstance(replies, str | BaseMessage):
        return f"{quoted(replies)}\n{_events(parser, replies)}"
    return "\n".join(
        f"{heading(title)}{quoted(reply)}\n{_events(parser, reply)}"
        for title, reply in _titled(replies)
    )


def _titled(replies: Replies) -> Iterable[tuple[str, Any]]:
    if isinstance(replies, Mapping):
        return replies.items()
    if isinstance(replies, str | BaseMessage):
        raise TypeError(f"replies must be a list of replies, not {kind_of(replies)}: pass [reply]")
    return ((f"reply {number}", reply) for number, reply in enumerate(replies, 1))


def _reading(parser: AnyParser, reply: Any) -> str:
    """Return the result of parsing *reply*, or the error and its observation for the model."""
    try:
        turn = parser.read(reply)
    except OutputParserException as error:
        return _failed(error)
    parts: list[tuple[str, object]] = [("thought", turn.thought)] if turn.thought else []
    if turn.content.strip() and not isinstance(turn.result, AgentFinish):
        parts.append(("content", turn.content))
    for result in turn.result if isinstance(turn.result, list) else [turn.result]:
        if isinstance(result, AgentAction):
            parts += [("tool", result.tool), ("input", result.tool_input)]
        else:
            parts += result.return_values.items()
        if isinstance(reply, str) and result.log != reply:
            parts.append(("log", result.log))
    parts += (("repaired", repair.message) for repair in turn.repairs)
    return labelled(parts)


def _events(parser: AnyParser, reply: Any) -> str:
    story = whole_story(parser.events([reply]))
    if isinstance(reply, str):
        for size in _SIZES:
            assert_same_events(story, parser.events(cut(reply, [size])), text=reply)
    if not story or not isinstance(failed := story[-1], StepFailed):
        return readable(story)
    return f"{readable(story[:-1])}{failed.error.pointer()}\n"


# -- text -----------------------------------------------------------------------------------------


def heading(title: str) -> str:
    """Return *title*, underlined."""
    return f"{title}\n{'-' * len(title)}\n"


def quoted(reply: Any) -> str:
    """Return *reply* with a bar in front of each line."""
    return "".join(f"| {line}".rstrip() + "\n" for line in _as_text(reply).split("\n"))


def _as_text(value: Any) -> str:
    """Return a text unchanged, and messages below their titles."""
    if isinstance(value, str):
        return value
    messages = map(from_any, value if isinstance(value, list) else [value])
    return "\n\n".join(map(_message, messages))


def _message(message: BaseMessage) -> str:
    more = message.additional_kwargs  # contains function calls
    return message.pretty_repr() + (f"\n{readable(more)}".rstrip("\n") if more else "")
