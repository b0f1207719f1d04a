"""Writing the past for a model that takes and writes only text: its calls are text, too.

What the model wrote itself is kept if its dialect reads in it what happened. All else is written
anew, and what the dialect cannot express is described in words.
"""

from __future__ import annotations

import json
import re
import warnings
from collections.abc import Iterable, Iterator, Sequence
from contextlib import suppress
from dataclasses import replace
from itertools import chain, groupby, product, takewhile, zip_longest
from typing import TYPE_CHECKING, Any, Final

from agent_parsers.actions.agent import AgentAction, AgentFinish, as_data, as_text
from agent_parsers.actions.tool_action import ToolAgentAction
from agent_parsers.engine.reading.rules.foreign_calls import dialects_signed
from agent_parsers.engine.reading.rules.known_tools import known_tools, with_called
from agent_parsers.engine.tables.dialect import Result
from agent_parsers.engine.writing.escape import escape, escape_failed, unescape
from agent_parsers.engine.writing.past_turns import (
    TurnInPrompt,
    called_turn,
    failed_turn,
    seen_in_prompt,
)
from agent_parsers.engine.writing.prompt import asked_in, render_prompt
from agent_parsers.engine.writing.render import render, write_answer
from agent_parsers.forms.form import Written
from agent_parsers.messages.reading.said import said_in, thought_in
from agent_parsers.messages.writing.elsewhere import (
    begins_with_mark,
    is_of_another,
    meant_by,
    turn_anywhere,
    turn_calling,
    turn_in,
    turn_of_calls,
)
from agent_parsers.messages.writing.entries import is_text
from agent_parsers.messages.writing.past import (
    NO_RESULT,
    NO_STEP,
    PastAnswer,
    PastCall,
    PastError,
    PastResult,
    PastTurn,
    past_of,
    past_of_steps,
    with_texts,
)
from outputs import AIMessage, HumanMessage, SystemMessage

if TYPE_CHECKING:
    from agent_parsers.engine.reading.turn import Turn
    from agent_parsers.engine.tables.dialect import Dialect
    from agent_parsers.messages.writing.past import History
    from agent_parsers.toolset import ToolSet
    from outputs import BaseMessage


def conversation(
    history: History, dialect: Dialect, tools: ToolSet | None
) -> tuple[list[str], list[list[BaseMessage]]]:
    """Return a conversation as text in *dialect*, for a model that writes text to continue.

    Questions, calls, results and answers are written in the dialect. If it cannot write the calls
    of a message as one turn, each becomes a turn of its own. Reasoning is dropped if the dialect
    has no thoughts. The *tools* are for the next turn; earlier turns may have called others.

    Returns:
        The text of each system message at the beginning, and all that follows: a message without
        calls stands alone, a turn with calls together with the results.

    Raises:
        TypeError: *history* contains something else than `past_of` takes.
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
    """Return *steps* as turns, written as in a prompt of *dialect* with these *tools*.

    They are what `past_of` takes, but no messages of the user.

    Raises:
        TypeError: *steps* contains something else.
    """
    past = past_of_steps(steps)
    writer = _Writer(dialect, tools, past)
    return [turn for item in writer.regrouped(past) for turn in writer.turns(item)]


def prompt_of(
    dialect: Dialect,
    instructions: str,
    tools: ToolSet | None,
    question: str | None,
    steps: History,
    *,
    system: str = "",
    history: History = (),
    as_messages: bool = False,
) -> str | list[BaseMessage]:
    """Return the whole prompt for the next turn; see `DialectParser.render_prompt`."""
    head, earlier = conversation(history, dialect, tools)
    return render_prompt(
        dialect,
        instructions,
        question,
        own_turns(steps, dialect, tools),
        system="\n\n".join(filter(None, (system, *head))),
        earlier=earlier,
        as_messages=as_messages,
    )


def with_quoted_calls(past: Iterable[Any], dialect: Dialect) -> list[Any]:
    """Return *past* of a model with native calls, so that none of its texts is read as a call.

    A message whose text would be read as a call becomes an answer, written so that it is not.
    """
    writer = _Writer(dialect, None, ())
    return [writer.quoted(each) if isinstance(each, AIMessage) else each for each in past]


class _Writer:
    """Writes the messages and turns of a conversation, in order.

    The *tools* are for the next turn; *past*, which is all that is written, may have called others.
    """

    def __init__(self, dialect: Dialect, tools: ToolSet | None, past: Iterable[Any]) -> None:
        self._dialect = dialect
        turns = (turn for turn in past if isinstance(turn, PastTurn))
        called = [call.tool for turn in turns for call in turn.calls if call.tool]
        self._tools = with_called(tools, called)
        self._number = 1  # of the next call

    def exchanges(self, past: Sequence[Any]) -> Iterator[list[BaseMessage]]:
        """Yield each message without calls, and each turn with its results."""
        items = self._with_results(self.regrouped(past))
        for number, item in enumerate(items, 1):
            if isinstance(item, HumanMessage):
                yield [self._asked(item)]
            elif isinstance(item, PastTurn | PastAnswer | PastError | PastResult):
                yield [*self._messages(item, is_last=number == len(items))]
            else:
                yield [item]

    def _with_results(self, items: Sequence[Any]) -> list[Any]:
        """Return *items* with the turns that texts are, and their results, which the user says."""
        done: list[Any] = []
        at = 0
        while at < len(items):
            item = items[at]
            at += 1
            if isinstance(item, AIMessage):
                item = self._read(item)
            if isinstance(item, PastTurn) and item.log and item.is_open:
                told = takewhile(lambda each: isinstance(each, HumanMessage), items[at:])
                texts = [*map(_text_in, told)]
                results, taken = _results_in(texts, self._writers(item.log), item.calls)
                calls = (
                    replace(call, result=result)
                    for call, result in zip_longest(item.calls, results[: len(item.calls)])
                )
                item = replace(item, calls=tuple(calls))
                at += taken
            done.append(item)
        return done

    def regrouped(self, past: Sequence[Any]) -> list[Any]:
        """Return *past* with calls grouped into turns as the dialect reads their text."""
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
        if isinstance(item, PastResult):
            seen = [Result(item.tool or "tool", item.text)]
            yield HumanMessage(seen_in_prompt(self._dialect, seen, self._number).strip("\n"))
            return
        for turn in self.turns(item, is_last=is_last):
            yield AIMessage(turn.log)
            if turn.has_results:
                yield HumanMessage(turn.seen.strip("\n"))

    def turns(self, item: Any, *, is_last: bool = False) -> Iterator[TurnInPrompt]:
        """Yield the turns of one part of the past; the calls of the last may not have run yet."""
        match item:
            case PastTurn():
                yield from self._calling(item, is_last=is_last)
            case PastAnswer():
                yield TurnInPrompt(self._answer(item), "\n", is_rendered=False, has_results=False)
            case PastError():
                yield failed_turn(self._dialect, item.log, item.observation, self._number)
                self._number += 1
            case AIMessage():
                yield from self.turns(self._read(item))
            case _:
                raise TypeError(
                    f"{NO_STEP.format(type(item).__name__)}: pass messages of the user in history="
                )

    # -- calls --------------------------------------------------------------------------------

    def _calling(self, turn: PastTurn, *, is_last: bool) -> Iterator[TurnInPrompt]:
        """Yield the turns in which the calls of *turn* are made."""
        calls = self._with_ids(turn.calls)
        text = turn.log or turn.message.text
        found = turn_calling(self._dialect, text, meant_by(calls)) if text.strip() else None
        if found is not None and not is_of_another(self._dialect, found, text):
            yield self._turn(text, _all_made(found, calls), is_last=is_last)
            return
        thought, content = self._said_before(turn)
        groups = [calls]
        logs = self._written(calls, thought, content)
        if logs is None:  # each for itself, then
            groups = [(call,) for call in calls]
            logs = [
                (self._written(group, *said) or [self._in_words(group[0], *said)])[0]
                for number, group in enumerate(groups)
                for said in ((thought, content) if not number else ("", ""),)
            ]
        elif len(logs) > 1:
            groups = [(call,) for call in calls]
        for log, group in zip(logs, groups, strict=True):
            yield self._turn(log, group, is_last=is_last, is_rendered=not turn.log)

    def _turn(
        self,
        log: str,
        calls: Sequence[PastCall],
        *,
        is_last: bool,
        is_rendered: bool = False,
    ) -> TurnInPrompt:
        """Return a turn with *calls*; the last ones of the last turn may still be to run."""
        ran = [*calls]
        while is_last and ran and ran[-1].result is None:
            ran.pop()
        results = [*map(_result, ran)]
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
        thought, content = turn.thought, turn.content
        text = turn.log
        if not turn.log:
            said = {"thought": "", "content": "", "refusal": ""}
            for kind, part in said_in(turn.message):
                said[kind] += part
            thought, content = said["thought"] or thought, said["content"] or content
            text = content
        if text and (found := turn_of_calls(text, meant_by(turn.calls))) is not None:
            thought, content = found.thought or thought, found.content
        return thought.strip(), content.strip()

    def _written(self, calls: Sequence[PastCall], thought: str, content: str) -> list[str] | None:
        """Return the texts in which *calls* are made: one, or one for each; `None` if it cannot be.

        The tools say how inputs are written. If they do not take one, or the dialect cannot write
        it as it is, its values are written as texts, or all of it as JSON; what stands before the
        calls is left out if it cannot be written.
        """
        if not all(call.tool for call in calls):
            return None
        names = known_tools([*dict.fromkeys(call.tool for call in calls)])
        both = "\n".join(filter(None, (thought, content)))
        if not self._dialect.thinks:
            ways = [("", content), ("", "")]
        elif self._dialect.several:
            ways = [(thought, content), (both, ""), (thought, ""), ("", "")]
        else:  # only thoughts come before a call
            ways = [(both, ""), (thought, ""), ("", "")]
        said = dict.fromkeys(ways)
        given = [self._by_name(call) for call in calls]
        inputs = [
            [_action(call, way(each)) for call, each in zip(calls, given, strict=True)]
            for way in _WAYS
        ]
        sizes = dict.fromkeys((len(calls), 1))
        for before, tools, actions, size in product(said, (self._tools, names), inputs, sizes):
            with suppress(ValueError):
                return [*self._rendered(actions, size, before, tools)]
        return None

    def _by_name(self, call: PastCall) -> Any:
        """Return the input of a *call*, with the names and types that its dialect did without."""
        tools, given = self._tools, call.tool_input
        is_named = isinstance(given, dict) or isinstance(self._dialect.example.tool_input, dict)
        if tools is not None and is_named and tools.checks(call.tool):
            with suppress(ValueError):  # it was made all the same
                return tools.check(call.tool, given)
        return given

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

    def _in_words(self, call: PastCall, thought: str, content: str) -> str:
        """Return a *call* that the dialect cannot write as words, behind what was said before."""
        told = f"I called {call.tool or 'a tool'} with {as_text(call.tool_input)}."
        warnings.warn(
            f"{self._dialect.name} cannot write a past call to {call.tool or 'a tool'}: "
            f"the prompt describes it in words instead",
            stacklevel=2,
        )
        return self._say("\n".join(filter(None, (content, told))), thought)

    # -- answers and other texts --------------------------------------------------------------

    def _read(self, message: AIMessage) -> Any:
        """Return a *message* without calls as the turn that its text is."""
        text = message.text
        thought = thought_in(message)
        if not text.strip():
            return message if not thought else PastAnswer(_finish("", ""), thought)
        found = self._turn_of(text)
        if found is not None and found.actions:
            calls = tuple(
                PastCall(each.tool, each.tool_input, "{}", id=getattr(each, "tool_call_id", None))
                for each in found.actions
            )
            return PastTurn(message, calls, text, found.thought or thought, found.content)
        if found is None:
            return PastAnswer(_finish(text, ""), thought)
        return PastAnswer(_finish(found.output, text), found.thought or thought)

    def quoted(self, message: AIMessage) -> Any:
        """Return a *message* as an answer if a call would be read in its text."""
        if not isinstance(self._read(message), PastTurn):
            return message
        return PastAnswer(_finish(message.text, ""), thought_in(message))

    def _turn_of(self, text: str) -> Turn | None:
        """Return the turn that *text* is, in this dialect or another."""
        own = turn_in(self._dialect, text)
        if own is not None and own.actions:
            return own
        found, _ = turn_anywhere(text)
        if own is not None and own.output != text.strip() and not _is_part(found, own):
            return own
        if found is None or not found.actions or self._tools is None:
            return found
        is_known = all(each.tool in self._tools for each in found.actions)
        # Behind words, a call of a tool that there is not may be an example.
        return found if is_known or begins_with_mark(found, text) else own

    def _writers(self, log: str) -> Iterator[Dialect]:
        """Yield the dialects in which the text of a turn with calls may be written."""
        own = turn_in(self._dialect, log)
        if own is not None and own.actions and not is_of_another(self._dialect, own, log):
            yield self._dialect
            return
        if (wrote := turn_anywhere(log)[1]) is not None:
            yield wrote
        read = ((each, turn_in(each, log)) for each in chain(*dialects_signed(log)))
        yield from (each for each, turn in read if turn is not None and turn.actions)

    def _asked(self, message: HumanMessage) -> BaseMessage:
        """Return what the user says, behind the label of a question if the dialect has one."""
        text = _text_in(message)
        if text is None:
            return message
        label = asked_in(self._dialect, "").strip()
        is_asked = bool(label) and text.startswith(label)
        return HumanMessage(text if is_asked else asked_in(self._dialect, text))

    def _answer(self, item: PastAnswer) -> str:
        """Return an answer in the dialect: as the model wrote it, if that is read as it is."""
        log = item.finish.log
        output = item.finish.return_values.get("output", item.text)
        found = turn_in(self._dialect, log) if log.strip() else None
        is_it = found is not None and not found.actions and found.output == output
        if is_it and output != log.strip():  # it has a label
            return log
        thought = item.thought
        if not thought and log.strip():
            elsewhere = turn_anywhere(log)[0]
            thought = "" if elsewhere is None else elsewhere.thought
        before = "\n".join(filter(None, (thought, item.content))).strip()
        if not isinstance(output, str):
            output = as_data(output)
            with suppress(ValueError):
                return write_answer(self._dialect, output, before if self._dialect.thinks else "")
        return self._say(item.text, before)

    def _say(self, text: str, thought: str = "") -> str:
        """Return *text* as an answer, so that it is read as no call, whatever it holds."""
        text = text.strip()
        thoughts = dict.fromkeys((thought, "")) if self._dialect.thinks else ("",)
        for said, before in product(_harmless_ways(self._dialect, text), thoughts):
            with suppress(ValueError):
                finish = _finish(said, "")
                return render(self._dialect, finish, thought=before, tools=self._tools)
            with suppress(ValueError):
                written = self._dialect.write(Written(before, answer=said))
                found = turn_in(self._dialect, written)
                if found is not None and found.output == said:
                    return written
        return " ".join(text.translate(_PLAIN).split())


def _is_part(found: Turn | None, own: Turn) -> bool:
    """Return whether the answer *found* is a part of the *own* one, without marks of another."""
    if found is None or found.actions or found.output == own.output:
        return False
    return as_text(found.output) in as_text(own.output)


def _finish(output: Any, log: str) -> AgentFinish:
    return AgentFinish({"output": output}, log)


def _text_in(message: BaseMessage) -> str | None:
    """Return the text of a *message*; `None` if it has more than text."""
    blocks = [message.content] if isinstance(message.content, str) else message.content
    return message.text if all(map(is_text, blocks)) else None


def _results_in(
    texts: Sequence[str | None], writers: Iterable[Dialect], calls: Sequence[PastCall]
) -> tuple[list[str | None], int]:
    """Return the results of *calls*, which the user says next, and in how many messages.

    They stand in one message as the dialect of the calls writes them, or each in one of its own, as
    the tools returned them.

    Args:
        texts: What the user says next, up to the next message of the model.
        writers: The dialects in which the calls may be written.
        calls: The calls.
    """
    if not texts or texts[0] is None:
        return [], 0
    shown = (_shown_results(texts[0], each, calls) for each in writers)
    if (found := next(filter(None, shown), None)) is not None:
        return [*found], 1
    size = min(len(calls), len(texts))
    return [*texts[:size]], size


def _shown_results(text: str, dialect: Dialect, calls: Sequence[PastCall]) -> list[str] | None:
    """Return the results in *text* if they stand there as *dialect* writes them."""
    marks = [f"result{chr(ord('a') + number % 26)}mark" for number in range(len(calls))]
    results = [
        Result(call.tool or "tool", mark, call.id) for call, mark in zip(calls, marks, strict=True)
    ]
    try:
        shown = seen_in_prompt(dialect, results, 1).strip()
    except ValueError:  # it has other ids
        return None
    if shown in marks:
        return None  # nothing tells them from what the user says
    is_json = f'"{marks[0]}"' in shown
    around: list[str] = []
    for mark in marks:
        before, _, shown = shown.partition(mark)
        around.append(before)
    found = _between(text.strip(), [*around, shown])
    return None if found is None else [_plain_result(dialect, e, is_json=is_json) for e in found]


def _between(text: str, around: Sequence[str]) -> list[str] | None:
    """Return what is in *text* between texts that stand *around* it, whatever their numbers.

    Each of those is looked for once, behind the one before it, so the time is linear.
    """
    first, *others, last = (re.sub(r"\d+", r"\\d+", re.escape(each)) for each in around)
    begun, ended = re.match(first, text), re.search(f"{last}\\Z", text)
    if begun is None or ended is None:
        return None
    found: list[str] = []
    at = begun.end()
    for each in others:
        if (mark := re.compile(each).search(text, at, ended.start())) is None:
            return None
        found.append(text[at : mark.start()])
        at = mark.end()
    return [*found, text[at : ended.start()]] if at <= ended.start() else None


def _plain_result(dialect: Dialect, text: str, *, is_json: bool) -> str:
    """Return a result as the tool returned it, given how it stands in a prompt."""
    if is_json:
        with suppress(ValueError):
            text = json.loads(f'"{text}"')
    return unescape(dialect, text)


def _harmless_ways(dialect: Dialect, text: str) -> Iterator[str]:
    """Yield *text*, and then more and more harmless forms of it."""
    yield text
    yield escape_failed(dialect, text)
    yield escape(dialect, text)
    yield "\n".join(f"> {line}" for line in text.split("\n"))
    yield text.translate(_PLAIN)


_PLAIN: Final = str.maketrans("<>[]{}|`:", "‹›()()/'-")


def _as_it_is(tool_input: Any) -> Any:
    return tool_input


_WAYS: Final = (_as_it_is, with_texts, as_text)
"""The ways to write an input."""


def _action(call: PastCall, given: Any) -> AgentAction:
    return ToolAgentAction(
        tool=call.tool, tool_input=given, log="", message_log=[], tool_call_id=call.id
    )


def _all_made(turn: Turn, calls: Sequence[PastCall]) -> Sequence[PastCall]:
    """Return *calls*, with those of the *turn* that are not among them and so have no result."""
    if len(turn.actions) <= len(calls):
        return calls
    left, done = [*calls], []
    for action, meant in zip(turn.actions, meant_by(turn.actions), strict=True):
        at = next((at for at, call in enumerate(left) if meant_by([call]) == (meant,)), None)
        call_id = getattr(action, "tool_call_id", None)
        made = PastCall(action.tool, action.tool_input, "{}", id=call_id)
        done.append(made if at is None else left.pop(at))
    return [*done, *left]


def _result(call: PastCall) -> Result:
    seen = NO_RESULT if call.result is None else call.result
    return Result(call.tool or "tool", seen, call.id)
