"""Writing a run for a model that takes and writes only text: its calls are text in a dialect."""

from __future__ import annotations

from itertools import groupby, takewhile
from typing import TYPE_CHECKING, Any

from agent_parsers.actions.agent import AgentFinish, pair_of
from agent_parsers.actions.foreign import is_action, own_action
from agent_parsers.actions.tool_action import ToolAgentAction
from agent_parsers.engine.writing.past_turns import past_turns
from agent_parsers.engine.writing.prompt import asked_in
from agent_parsers.native.reading.pieces import function_pieces, tool_pieces
from agent_parsers.native.reading.said import said_in
from agent_parsers.native.writing.past import PastTurn, past_of
from agent_parsers.toolset import ToolSet
from outputs import AIMessage, HumanMessage, SystemMessage

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence

    from agent_parsers.actions.agent import AgentAction
    from agent_parsers.native.writing.past import PastCall
    from agent_parsers.parsers.dialect_parser import AnyDialectParser
    from outputs import BaseMessage

__all__ = ["to_dialect"]


def to_dialect(history: Iterable[Any], parser: AnyDialectParser) -> list[Any]:
    """Return the prompt for the next turn of a conversation, as messages of text alone.

    The first message is a system message: the system messages at the beginning, and the format
    instructions of *parser*. Questions, calls, results and answers are written in its dialect, so a
    run that began with native calls can go on with a model that writes text. If the dialect cannot
    write the calls of a message as one turn, each becomes a turn of its own. Reasoning is left out
    if the dialect has no thoughts.

    Args:
        history: The conversation: messages of any kind that `outputs.from_any` takes, and steps.
        parser: A parser of the dialect, with the tools for the next turn. Earlier turns may have
            called other tools.

    Raises:
        TypeError: *history* contains something else.
        ValueError: A call has no result, a result has no call, or the dialect cannot express a
            message.
    """
    past: list[Any] = []
    for is_step, group in groupby(history, _is_text_step):
        items: list[Any] = [*group]
        past += [[*map(pair_of, items)]] if is_step else past_of(items)
    writer = _with_called(parser, past)
    head = [each.text for each in takewhile(lambda each: isinstance(each, SystemMessage), past)]
    messages: list[BaseMessage] = []
    for item in past[len(head) :]:
        if isinstance(item, list):
            messages += _turns(writer, [(own_action(action, {}), seen) for action, seen in item])
        elif isinstance(item, PastTurn):
            messages += _called(writer, item)
        else:
            messages.append(_said(writer, item))
    text = "\n\n".join(filter(None, (*head, parser.get_format_instructions())))
    return [SystemMessage(text), *messages]


def _with_called(parser: AnyDialectParser, past: list[Any]) -> AnyDialectParser:
    """Return *parser*, or one that also has the names of all tools that were called."""
    if parser.tools is None:
        return parser
    called = {call.tool for turn in past if isinstance(turn, PastTurn) for call in turn.calls}
    if not (others := sorted(called.difference(parser.tools.names))):
        return parser
    return parser.model_copy(update={"tools": ToolSet([*parser.tools, *others])})


def _is_text_step(item: Any) -> bool:
    """Return whether *item* is a step whose call, if any, the model wrote as text."""
    if not isinstance(item, tuple) and not hasattr(item, "action"):
        return False
    action, _ = pair_of(item)
    log = getattr(action, "message_log", None)
    message = log[-1] if log else None
    if not is_action(action) or not isinstance(message, AIMessage):
        return is_action(action)
    return not tool_pieces(message) and not function_pieces(message)


def _turns(parser: AnyDialectParser, steps: list[Any]) -> Iterator[BaseMessage]:
    for turn in past_turns(parser.dialect, steps, parser.tools):
        yield AIMessage(turn.log)
        yield HumanMessage(turn.seen.strip("\n"))


def _said(parser: AnyDialectParser, message: BaseMessage) -> BaseMessage:
    """Return a message without calls."""
    if isinstance(message, HumanMessage) and isinstance(message.content, str):
        return HumanMessage(asked_in(parser.dialect, message.content))
    if isinstance(message, AIMessage) and message.text:
        thought, content = _thought_and_content(parser, message)
        return AIMessage(parser.render(AgentFinish({"output": content}, ""), thought=thought))
    return message


def _called(parser: AnyDialectParser, turn: PastTurn) -> Iterator[BaseMessage]:
    """Yield a message with calls, and their results."""
    thought, content = _thought_and_content(parser, turn.message)
    if parser.dialect.thinks and not parser.dialect.several:  # there is only thought before a call
        thought, content = "\n".join(filter(None, (thought, content))), ""
    actions = _written(parser, turn.calls, thought, content)
    results = (call.result for call in turn.calls)
    yield from _turns(parser, [*zip(actions, results, strict=True)])


def _written(
    parser: AnyDialectParser, calls: Sequence[PastCall], thought: str, content: str
) -> list[AgentAction]:
    """Return the actions of a turn with their logs.

    Inputs are objects or, if the dialect writes them as plain text, JSON.
    """
    refusal: ValueError | None = None
    for is_json in (False, True):
        actions = [_action(call, is_json=is_json) for call in calls]
        for size in (len(actions), 1):
            first, *others = (actions[at : at + size] for at in range(0, len(actions), size))
            try:
                logs = [
                    parser.render(first, thought=thought, content=content),
                    *map(parser.render, others),
                ]
            except ValueError as error:
                refusal = refusal or error
                continue
            return [
                action.model_copy(update={"log": logs[at // size]})
                for at, action in enumerate(actions)
            ]
    assert refusal is not None, "a message with calls has at least one"
    raise refusal


def _action(call: PastCall, *, is_json: bool) -> AgentAction:
    given = call.arguments if call.text is None else call.text
    return ToolAgentAction(
        tool=call.tool,
        tool_input=call.written if is_json else given,
        log="",
        message_log=[],
        tool_call_id=call.id,
    )


def _thought_and_content(parser: AnyDialectParser, message: AIMessage) -> tuple[str, str]:
    said = {"thought": "", "content": "", "refusal": ""}
    for kind, text in said_in(message):
        said[kind] += text
    thought = said["thought"] if parser.dialect.thinks else ""
    return thought.strip(), said["content"].strip()
