"""Renders the pages of snapshots: usual steps and replies, with the results of parsing them."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from typing import TYPE_CHECKING, Any, Final, TypeAlias

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
from outputs import AIMessage, BaseMessage, from_any, tool_call

if TYPE_CHECKING:
    from agent_parsers.core import Step

AnyParser: TypeAlias = AnyDialectParser | MessageParser

_NO_SUCH_TOOL: Final = ToolSpec("no_such_tool")
_MOST_STEPS: Final = 2
_ANSWER: Final = "It is so."


def usual_steps(parser: AnyParser) -> list[Step]:
    """Return steps that call the first two tools of *parser*.

    Args:
        parser: Renders the calls; it may know tools.
    """
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
        replies["text without a form"] = "Let me see."
    wrong = _action(parser, _NO_SUCH_TOOL)
    if first is not None and wrong != replies["an action"]:
        replies["a tool that there is not"] = wrong
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
    parser: AnyParser, question: str, steps: Sequence[Step] | None, replies: Replies | None
) -> str:
    """Return the prompt of *parser*, and the results of parsing *replies*; see `SnapshotPrompt`."""
    steps = usual_steps(parser) if steps is None else steps
    replies = usual_replies(parser) if replies is None else replies
    many = "1 step" if len(steps) == 1 else f"{len(steps)} steps"
    if isinstance(parser, MessageParser):
        prompt: Any = parser.render_prompt(question, steps)
    else:  # perhaps with placeholders, as the instructions have them
        prompt = parser._prompt(question, steps)
    parts = [f"{heading(f'the prompt after {many}')}{_as_text(prompt)}\n"]
    if isinstance(parser, MessageParser):
        tools = ToolSet(parser.tools or ()).openai_tools()
        parts.append(f"{heading('the tools, as OpenAI takes them')}{readable(tools)}")
    parts.append(f"{heading('where it stops')}{readable(parser.stop)}")
    for title, reply in _titled(replies):
        parts.append(f"{heading(title)}{quoted(reply)}\n{_reading(parser, reply)}")
    return "\n".join(parts)


def output_page(parser: BaseOutputParser[Any], replies: Replies | None) -> str:
    """Return what an output parser asks for, and what it makes of *replies*."""
    instructions = parser.get_format_instructions()
    parts = [f"{heading('the instructions')}{_as_text(instructions)}\n"]
    for title, reply in _titled({"words": _ANSWER} if replies is None else replies):
        parts.append(f"{heading(title)}{quoted(reply)}\n{_result_of(parser, reply)}")
    return "\n".join(parts)


def _result_of(parser: BaseOutputParser[Any], reply: Any) -> str:
    """Return what *parser* makes of a *reply*, or its error and the message for the model."""
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
