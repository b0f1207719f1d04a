"""Writing the past for a model that takes and writes only text: its calls are text, too.

What the model wrote itself is kept if its dialect reads in it what happened. All else is written
anew, and what the dialect cannot spell is told in words.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from contextlib import suppress
from dataclasses import replace
from itertools import groupby, product
from typing import TYPE_CHECKING, Any, Final

from agent_parsers.actions.agent import AgentAction, AgentFinish, as_text
from agent_parsers.actions.tool_action import ToolAgentAction
from agent_parsers.engine.reading.rules.known_tools import known_tools, with_called
from agent_parsers.engine.tables.dialect import Result
from agent_parsers.engine.writing.escape import escape_failed
from agent_parsers.engine.writing.past_turns import (
    TurnInPrompt,
    called_turn,
    failed_turn,
    seen_in_prompt,
)
from agent_parsers.engine.writing.prompt import asked_in
from agent_parsers.engine.writing.render import render, write_answer
from agent_parsers.messages.reading.said import said_in
from agent_parsers.messages.writing.elsewhere import (
    meant_by,
    reads_calls,
    turn_in,
    turn_of_calls,
    turn_that_answers,
    turn_that_calls,
)
from agent_parsers.messages.writing.past import (
    NO_RESULT,
    PastAnswer,
    PastCall,
    PastError,
    PastTurn,
    past_of,
)
from outputs import AIMessage, HumanMessage, SystemMessage

if TYPE_CHECKING:
    from agent_parsers.engine.tables.dialect import Dialect
    from agent_parsers.messages.writing.past import History
    from agent_parsers.toolset import ToolSet
    from outputs import BaseMessage


_NO_STEP: Final = (
    "a step is an action and what its tool returned, as in (action, observation), not {}"
)


def conversation(
    history: History, dialect: Dialect, tools: ToolSet | None
) -> tuple[list[str], list[list[BaseMessage]]]:
    """Return a conversation as text in *dialect*, so that a model which writes text can go on.

    Questions, calls, results and answers are written in the dialect. If it cannot write the calls
    of a message as one turn, each becomes a turn of its own. Reasoning is left out if the dialect
    has no thoughts.

    Args:
        history: What `past_of` takes.
        dialect: The dialect to write.
        tools: The tools for the next turn. Earlier turns may have called other tools.

    Returns:
        The text of each system message at the beginning, and all that follows: a message without
        calls stands alone, a turn with calls together with the results.

    Raises:
        TypeError: *history* contains something else.
        ValueError: A message is malformed.
    """
    past = past_of(history)
    head: list[str] = []
    for each in past:
        if not isinstance(each, SystemMessage):
            break
        head.append(each.text)
    return head, [*_Writer(dialect, tools, past).exchanges(past[len(head) :])]


def own_turns(steps: History, dialect: Dialect, tools: ToolSet | None) -> list[TurnInPrompt]:
    """Return the turns in which *steps* were taken as they stand in a prompt of *dialect*.

    Args:
        steps: What `past_of` takes, but no messages of the user.
        dialect: The dialect to write.
        tools: The tools for the next turn.

    Raises:
        TypeError: *steps* contains something else.
    """
    if isinstance(steps, str) or (isinstance(steps, list) and str in map(type, steps)):
        raise TypeError(_NO_STEP.format("str"))
    past = past_of(steps)
    writer = _Writer(dialect, tools, past)
    return [turn for item in writer.regrouped(past) for turn in writer.turns(item)]


class _Writer:
    """Writes the messages and turns of a conversation, in order.

    Args:
        dialect: The dialect to write.
        tools: The tools for the next turn.
        past: All that is written, which may have called other tools.
    """

    def __init__(self, dialect: Dialect, tools: ToolSet | None, past: Iterable[Any]) -> None:
        self._dialect = dialect
        turns = (turn for turn in past if isinstance(turn, PastTurn))
        called = [call.tool for turn in turns for call in turn.calls if call.tool]
        self._tools = with_called(tools, called)
        self._number = 1  # of the next call

    def exchanges(self, past: Sequence[Any]) -> Iterator[list[BaseMessage]]:
        """Yield each message without calls, and each turn with its results."""
        items = self.regrouped(past)
        open_calls: tuple[PastCall, ...] = ()  # those of the last message, written as text
        for number, each in enumerate(items, 1):
            item = self._read(each) if isinstance(each, AIMessage) else each
            is_text_turn = item is not each and isinstance(item, PastTurn)
            if isinstance(item, HumanMessage):
                shown, open_calls = self._said_by_user(item, open_calls)
                yield [shown]
                continue
            if isinstance(item, PastTurn | PastAnswer | PastError):
                yield [*self._messages(item, is_last=is_text_turn or number == len(items))]
            else:
                yield [item]
            open_calls = item.calls if is_text_turn else ()

    def regrouped(self, past: Sequence[Any]) -> list[Any]:
        """Return *past* with as many calls in a turn as the dialect reads in its text."""
        items: list[Any] = []
        for log, group in groupby(past, lambda each: getattr(each, "log", "")):
            alike = [*group]
            if not log or len(alike) == 1 or not isinstance(alike[0], PastTurn):
                items += alike
                continue
            found = turn_in(self._dialect, log)
            calls = [call for turn in alike for call in turn.calls]
            size = max(1 if found is None else len(found.actions), 1)
            items += (
                replace(alike[0], calls=tuple(calls[at : at + size]))
                for at in range(0, len(calls), size)
            )
        return items

    def _messages(self, item: Any, *, is_last: bool) -> Iterator[BaseMessage]:
        is_unanswered = is_last and isinstance(item, PastTurn) and item.is_open
        turns = [*self.turns(item)]
        for number, turn in enumerate(turns, 1):
            yield AIMessage(turn.log)
            if not (is_unanswered and number == len(turns)) and turn.seen.strip():
                yield HumanMessage(turn.seen.strip("\n"))

    def turns(self, item: Any) -> Iterator[TurnInPrompt]:
        """Yield the turns of one part of the past."""
        match item:
            case PastTurn():
                yield from self._calling(item)
            case PastAnswer():
                yield TurnInPrompt(self._answer(item), "\n", is_rendered=False)
            case PastError():
                yield failed_turn(self._dialect, item.log, item.observation, self._number)
                self._number += 1
            case AIMessage():
                yield from self.turns(self._read(item))
            case _:
                raise TypeError(
                    f"{_NO_STEP.format(type(item).__name__)}: messages of the user go to history="
                )

    # -- calls --------------------------------------------------------------------------------

    def _calling(self, turn: PastTurn) -> Iterator[TurnInPrompt]:
        """Yield the turns in which the calls of *turn* are made."""
        calls = self._with_ids(turn.calls)
        text = turn.log or turn.message.text
        if text.strip() and reads_calls(self._dialect, text, meant_by(calls)):
            yield self._turn(text, calls)
            return
        turn = replace(turn, calls=calls)
        logs = self._written(turn.calls, *self._said_before(turn))
        if logs is None:
            yield from map(self._in_words, turn.calls)
            return
        size = len(turn.calls) // len(logs)
        for at, log in enumerate(logs):
            calls = turn.calls[at * size : (at + 1) * size]
            yield self._turn(log, calls, is_rendered=not turn.log)

    def _turn(
        self, log: str, calls: Sequence[PastCall], *, is_rendered: bool = False
    ) -> TurnInPrompt:
        results = [*map(_result, calls)]
        turn = called_turn(self._dialect, log, results, self._number, is_rendered=is_rendered)
        self._number += len(calls)
        return turn

    def _with_ids(self, calls: tuple[PastCall, ...]) -> tuple[PastCall, ...]:
        """Return *calls* without the ids that they have if the dialect does not take those."""
        if not any(call.id for call in calls):
            return calls
        try:
            seen_in_prompt(self._dialect, [*map(_result, calls)], self._number)
        except ValueError:
            return tuple(replace(call, id=None) for call in calls)
        return calls

    def _said_before(self, turn: PastTurn) -> tuple[str, str]:
        """Return the thought and the content before the calls of a *turn*."""
        if turn.log:  # of another dialect
            found = None if turn.thought else turn_of_calls(turn.log, meant_by(turn.calls))
            thought, content = turn.thought, turn.content
            if found is not None:
                thought, content = found.thought, found.content
        else:
            said = {"thought": turn.thought, "content": "", "refusal": ""}
            for kind, text in said_in(turn.message):
                said[kind] += text
            thought, content = said["thought"].strip(), said["content"].strip() or turn.content
            if content and (found := turn_of_calls(content, meant_by(turn.calls))) is not None:
                thought, content = found.thought or thought, found.content
        if self._dialect.thinks and not self._dialect.several:  # only thoughts come before a call
            return "\n".join(filter(None, (thought, content))), ""
        return thought if self._dialect.thinks else "", content

    def _written(self, calls: Sequence[PastCall], thought: str, content: str) -> list[str] | None:
        """Return the texts in which *calls* are made: one, or one for each; `None` if it cannot be.

        The tools say how inputs are written. If they do not take one, or the dialect cannot write
        it as it is, its values are written as texts, or all of it as JSON; what stands before the
        calls is left out if it cannot be written.
        """
        if not all(call.tool for call in calls):
            return None
        names = known_tools([*dict.fromkeys(call.tool for call in calls)])
        said = dict.fromkeys(((thought, content), (thought, ""), ("", "")))
        inputs = [[_action(call, way(call.tool_input)) for call in calls] for way in _WAYS]
        sizes = dict.fromkeys((len(calls), 1))
        for before, tools, actions, size in product(said, (self._tools, names), inputs, sizes):
            with suppress(ValueError):
                return [*self._rendered(actions, size, before, tools)]
        return None

    def _rendered(
        self,
        actions: Sequence[AgentAction],
        size: int,
        said: tuple[str, str],
        tools: ToolSet | None,
    ) -> Iterator[str]:
        thought, content = said
        for at in range(0, len(actions), size):
            group = [*actions[at : at + size]]
            number = self._number + at
            yield render(
                self._dialect, group, thought=thought, content=content, number=number, tools=tools
            )
            thought = content = ""

    def _in_words(self, call: PastCall) -> TurnInPrompt:
        """Return a *call* that the dialect cannot write as words, with its result."""
        told = f"I called {call.tool or 'a tool'} with {as_text(call.tool_input)}."
        return self._turn("", [call])._replace(log=self._say(told))

    # -- answers and other texts --------------------------------------------------------------

    def _read(self, message: AIMessage) -> Any:
        """Return a *message* without calls as the turn that its text is, if it is one."""
        text = message.text
        found = None if not text.strip() else self._turn_of(text)
        if found is None or not found.actions:
            if not text:
                return message
            thought = "".join(said for kind, said in said_in(message) if kind == "thought")
            if found is None or found.output == text.strip():
                found = turn_that_answers(text)
            if found is None:
                return PastAnswer(AgentFinish({"output": text}, ""), thought)
            thought = found.thought or thought
            return PastAnswer(AgentFinish({"output": found.output}, text), thought)
        calls = tuple(
            PastCall(each.tool, each.tool_input, "{}", id=getattr(each, "tool_call_id", None))
            for each in found.actions
        )
        return PastTurn(message, calls, text, found.thought)

    def _turn_of(self, text: str) -> Any:
        """Return the turn that *text* is, in this dialect or another; `None` if it is none."""
        found = turn_in(self._dialect, text)
        if found is not None and found.actions:
            return found
        elsewhere = turn_that_calls(text)
        known = elsewhere is not None and (
            self._tools is None or all(each.tool in self._tools for each in elsewhere.actions)
        )
        return elsewhere if known else found

    def _said_by_user(
        self, message: HumanMessage, calls: tuple[PastCall, ...]
    ) -> tuple[BaseMessage, tuple[PastCall, ...]]:
        """Return what the user says, or the results of *calls* that were written as text.

        Returns:
            The message; and those calls whose results may be in the next one.
        """
        if not isinstance(message.content, str):
            return message, ()
        text = message.content
        if not calls:
            label = asked_in(self._dialect, "")
            is_asked = bool(label.strip()) and text.startswith(label.strip())
            return message if is_asked else HumanMessage(asked_in(self._dialect, text)), ()
        # What the model was shown may stand as it does in a prompt, or as the tool returned it.
        first = replace(calls[0], result="\0")
        shown = seen_in_prompt(self._dialect, [_result(first)], 1).strip("\n")
        before, _, after = (part.strip() for part in shown.partition("\0"))
        if (before or after) and _is_shown(text, before, after):
            return message, ()
        told = seen_in_prompt(self._dialect, [_result(replace(first, result=text))], self._number)
        return HumanMessage(told.strip("\n")), calls[1:]

    def _answer(self, item: PastAnswer) -> str:
        """Return an answer in the dialect: as the model wrote it, if that is read as it is."""
        finish = item.finish
        output = finish.return_values.get("output")
        found = turn_in(self._dialect, finish.log) if finish.log.strip() else None
        is_it = found is not None and not found.actions and found.output == output
        if is_it and output != finish.log.strip():  # it has a label
            return finish.log
        thought = "\n".join(filter(None, (item.thought, item.content)))
        if not thought and found is None and finish.log.strip():
            elsewhere = turn_that_answers(finish.log)
            thought = "" if elsewhere is None else elsewhere.thought
        if not self._dialect.thinks:
            thought = ""
        for said in dict.fromkeys((thought.strip(), "")):
            with suppress(ValueError):
                if isinstance(output, str):
                    return render(
                        self._dialect, AgentFinish({"output": output.strip()}, ""), thought=said,
                        tools=self._tools,
                    )  # fmt: skip
                return write_answer(self._dialect, output, said)
        return self._say(item.text)

    def _say(self, text: str) -> str:
        """Return *text* so that it is read as no call, whatever it holds."""
        quoted = "\n".join(f"> {line}" for line in text.split("\n"))
        for said in (text.strip(), escape_failed(self._dialect, text.strip()), quoted):
            with suppress(ValueError):
                return render(self._dialect, AgentFinish({"output": said}, ""), tools=self._tools)
        return _harmless(self._dialect, text)


def _harmless(dialect: Dialect, text: str) -> str:
    """Return *text* without the signs that markers are written with."""
    for said in (text.translate(_PLAIN), " ".join(text.translate(_PLAIN).split())):
        with suppress(ValueError):
            return render(dialect, AgentFinish({"output": said.strip()}, ""))
    return " ".join(text.translate(_PLAIN).split())


_PLAIN: Final = str.maketrans("<>[]{}|`:", "‹›()()/'-")


def _as_it_is(tool_input: Any) -> Any:
    return tool_input


def _with_texts(tool_input: Any) -> Any:
    """Return an input whose values are text, as dialects with tags write them."""
    if not isinstance(tool_input, dict):
        return tool_input
    return {str(key): as_text(value) for key, value in tool_input.items()}


_WAYS: Final = (_as_it_is, _with_texts, as_text)
"""The ways to write an input."""


def _action(call: PastCall, given: Any) -> AgentAction:
    return ToolAgentAction(
        tool=call.tool, tool_input=given, log="", message_log=[], tool_call_id=call.id
    )


def _result(call: PastCall) -> Result:
    seen = NO_RESULT if call.result is None else call.result
    return Result(call.tool or "tool", seen, call.id)


def _is_shown(text: str, before: str, after: str) -> bool:
    """Return whether *text* begins and ends as results of a dialect do, whatever their numbers."""
    plain = text.translate(_NUMBERS)
    is_begun = plain.startswith(before.translate(_NUMBERS))
    return is_begun and plain.rstrip().endswith(after.translate(_NUMBERS))


_NUMBERS: Final = str.maketrans("", "", "0123456789")
