"""Writing a conversation for a model that takes and writes only text: its calls are text, too."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from itertools import groupby, takewhile
from typing import TYPE_CHECKING, Any, NamedTuple

from agent_parsers.actions.agent import AgentAction, AgentFinish, pair_of
from agent_parsers.actions.tool_action import ToolAgentAction, is_step, own_action
from agent_parsers.engine.reading.rules.known_tools import with_called
from agent_parsers.engine.writing.past_turns import past_turns
from agent_parsers.engine.writing.prompt import asked_in
from agent_parsers.engine.writing.render import Rendered, render
from agent_parsers.messages.reading.pieces import function_pieces, tool_pieces
from agent_parsers.messages.reading.said import said_in
from agent_parsers.messages.writing.past import PastCall, PastTurn, past_of
from outputs import AIMessage, HumanMessage, SystemMessage

if TYPE_CHECKING:
    from agent_parsers.engine.tables.dialect import Dialect
    from agent_parsers.toolset import ToolSet
    from outputs import BaseMessage


def conversation(
    history: Iterable[Any], dialect: Dialect, tools: ToolSet | None
) -> tuple[list[str], list[list[BaseMessage]]]:
    """Return a conversation as text in *dialect*, so that a model which writes text can go on.

    Questions, calls, results and answers are written in the dialect. If it cannot write the calls
    of a message as one turn, each becomes a turn of its own. Reasoning is left out if the dialect
    has no thoughts.

    Args:
        history: Messages of any client, pairs such as ``("user", "Hello")``, and steps; see
            `message_of`.
        dialect: The dialect to write.
        tools: The tools for the next turn. Earlier turns may have called other tools.

    Returns:
        The text of each system message at the beginning, and all that follows: a message without
        calls stands alone, a turn with calls together with the results.

    Raises:
        TypeError: *history* contains something else.
        ValueError: A call has no result, a result has no call, or the dialect cannot express a
            message.
    """
    past: list[Any] = []
    for are_text, group in groupby(history, _is_text_step):
        items: list[Any] = [*group]
        past += [[*map(pair_of, items)]] if are_text else past_of(items)
    head = [each.text for each in takewhile(lambda each: isinstance(each, SystemMessage), past)]
    turns = (turn for turn in past if isinstance(turn, PastTurn))
    called = (call.tool for turn in turns for call in turn.calls)
    writer = _Writer(dialect, with_called(tools, called))
    return head, [writer.exchange(item) for item in past[len(head) :]]


def _is_text_step(item: Any) -> bool:
    """Return whether *item* is a step whose call, if any, the model wrote as text."""
    if not is_step(item):
        return False
    action, _ = pair_of(item)
    log = getattr(action, "message_log", None)
    message = log[-1] if log else None
    if not isinstance(message, AIMessage):
        return True
    return not tool_pieces(message) and not function_pieces(message)


class _Writer(NamedTuple):
    """Writes the messages and turns of a conversation."""

    dialect: Dialect
    tools: ToolSet | None

    def exchange(self, item: Any) -> list[BaseMessage]:
        """Return a message without calls, a message with calls and their results, or steps."""
        if isinstance(item, list):
            return self._turns([(own_action(action, {}), seen) for action, seen in item])
        if not isinstance(item, PastTurn):
            return [self._said(item)]
        thought, content = self._thought_and_content(item.message)
        if self.dialect.thinks and not self.dialect.several:  # only thoughts come before a call
            thought, content = "\n".join(filter(None, (thought, content))), ""
        actions = self._written(item.calls, thought, content)
        results = (call.result for call in item.calls)
        return self._turns([*zip(actions, results, strict=True)])

    def _turns(self, steps: list[Any]) -> list[BaseMessage]:
        turns = past_turns(self.dialect, steps, self.tools)
        return [
            message
            for turn in turns
            for message in (AIMessage(turn.log), HumanMessage(turn.seen.strip("\n")))
        ]

    def _said(self, message: BaseMessage) -> BaseMessage:
        if isinstance(message, HumanMessage) and isinstance(message.content, str):
            return HumanMessage(asked_in(self.dialect, message.content))
        if isinstance(message, AIMessage) and message.text:
            thought, content = self._thought_and_content(message)
            return AIMessage(self._render(AgentFinish({"output": content}, ""), thought=thought))
        return message

    def _written(self, calls: Sequence[PastCall], thought: str, content: str) -> list[AgentAction]:
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
                        self._render(first, thought=thought, content=content),
                        *map(self._render, others),
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

    def _render(self, step: Rendered, *, thought: str = "", content: str = "") -> str:
        return render(self.dialect, step, thought=thought, content=content, tools=self.tools)

    def _thought_and_content(self, message: AIMessage) -> tuple[str, str]:
        said = {"thought": "", "content": "", "refusal": ""}
        for kind, text in said_in(message):
            said[kind] += text
        thought = said["thought"] if self.dialect.thinks else ""
        return thought.strip(), said["content"].strip()


def _action(call: PastCall, *, is_json: bool) -> AgentAction:
    given = call.arguments if call.text is None else call.text
    return ToolAgentAction(
        tool=call.tool,
        tool_input=call.written if is_json else given,
        log="",
        message_log=[],
        tool_call_id=call.id,
    )
