"""Conversations in all forms in which the library returns them, and what they mean."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import suppress
from typing import TYPE_CHECKING, Any, Final, NamedTuple, TypeAlias

from agent_laws.trials.pieces import a_tool
from agent_parsers import (
    AgentAction,
    AgentFinish,
    AgentStep,
    get_parser,
    to_anthropic,
    to_openai,
    to_openai_responses,
)
from output_parsers import OutputParserException
from outputs import AIMessage, BaseMessage, HumanMessage, ToolMessage, from_any

if TYPE_CHECKING:
    from agent_parsers import Dialect

QUESTION: Final = "How large is Lake Thun?"
THOUGHT: Final = "I look it up."
RESULT: Final = "48 km2 (2019)"
ANSWER: Final = "It has 48 km2."
_LAST_THOUGHT: Final = "I know it now."
_ID: Final = "call_9"
_ARGUMENTS: Final = {"lake": "Thun"}
_PLACE: Final = {"place": "Bern", "days": 2}
_RAIN: Final = "2 mm in Bern"


def area(lake: str) -> str:
    """Tell how large a lake is."""
    return f"{lake} has 48 km2"


def rain(place: str, days: int = 1) -> str:
    """Tell how much it will rain."""
    return f"{days} mm in {place}"


TOOLS: Final = [area, rain]
"""The tools of all conversations."""


class Called(NamedTuple):
    """A call that was made."""

    tool: str
    tool_input: Any
    """The input; if it is one text, that text."""
    result: str | None
    """What the tool returned; `None` if it was not run."""


_RAINED: Final = Called("rain", _PLACE, _RAIN)
Meaning: TypeAlias = "tuple[Called | str, ...]"
"""What happened: calls, and what was said, in order; questions do not count."""


class Returned(NamedTuple):
    """A conversation in one of the forms in which the library returns it."""

    form: str
    """The form: one of `FORMS`, or of `NATIVE_FORMS`."""
    value: Any
    """The conversation."""
    meaning: Meaning
    """What it means."""
    is_steps: bool = False
    """Whether it has no questions, so that it may be the steps of a prompt."""
    thought: str = ""
    """What the model reasoned before the answer, which no answer may show."""
    has_others: bool = False
    """Whether it also has calls that were not made, which are written as calls all the same."""


def conversations(dialect: Dialect) -> Iterator[Returned]:
    """Yield conversations of a model that writes in *dialect*, in all forms."""
    tool = a_tool(dialect)
    tool = "area" if tool == "search" else tool
    parser: Any = get_parser(dialect, tools=TOOLS if tool == "area" else [tool])
    text = _written(parser, tool)
    thought = _LAST_THOUGHT if dialect.thinks else ""
    said = parser.render(AgentFinish({"output": ANSWER}, ""), thought=thought)
    turn, answer = parser.read(text, ended="stop"), parser.read(said, ended="stop")
    (action,) = turn.actions
    called = Called(action.tool, plain(action.tool_input), RESULT)
    steps = [(action, RESULT)]
    asked = HumanMessage(QUESTION)
    yield Returned("steps", steps, (called,), is_steps=True)
    yield Returned("steps of a class", [AgentStep(action, RESULT)], (called,), is_steps=True)
    bare = [(AgentAction(action.tool, action.tool_input), RESULT)]
    yield Returned("steps without text", bare, (called,), is_steps=True)
    yield Returned("an answer", [*steps, answer.finish], (called, ANSWER), is_steps=True)
    yield Returned("a turn", [asked, turn], (called._replace(result=None),))
    yield Returned("a turn that answers", [asked, answer], (ANSWER,), thought=thought)
    if dialect.several and tool == "area":
        with suppress(ValueError):  # some have one call in a turn all the same
            text = parser.render([AgentAction("area", _ARGUMENTS), AgentAction("rain", _PLACE)])
            both = [*zip(parser.read(text, ended="stop").actions, (RESULT, _RAIN), strict=True)]
            yield Returned("two calls of a turn", both, (called, _RAINED), is_steps=True)
    prompt = parser.render_prompt(QUESTION, steps, as_messages=True)
    own = prompt[bool(parser.get_format_instructions()) :]
    yield Returned("a prompt", own, (called,))
    whole = [*own, AIMessage(said)]
    yield Returned("a prompt and an answer", whole, (called, ANSWER), thought=thought)
    for name, write in WRITERS.items():
        written = write([asked, *steps], new_id="call_{}".format)
        yield Returned(name, written, (called,))


FORMS: Final = (
    "steps", "steps of a class", "steps without text", "an answer", "a turn",
    "a turn that answers", "two calls of a turn", "a prompt", "a prompt and an answer",
    "to_openai", "to_anthropic", "to_openai_responses",
)  # fmt: skip
"""The forms of conversations of a dialect."""
WRITERS: Final[dict[str, Callable[..., list[Any]]]] = {
    "to_openai": to_openai,
    "to_anthropic": to_anthropic,
    "to_openai_responses": to_openai_responses,
}
"""The functions that write a conversation for an API."""


def native_conversations() -> Iterator[Returned]:
    """Yield conversations of a model that calls tools, in all forms."""
    asked = {"role": "user", "content": QUESTION}
    said = {"role": "assistant", "content": ANSWER}
    called = Called("area", plain(_ARGUMENTS), RESULT)
    whole = (called, ANSWER)

    def openai(name: str, arguments: str, *seen: Any, call: str = "area") -> Returned:
        function = {"name": call, "arguments": arguments}
        calls = [{"id": _ID, "type": "function", "function": function}]
        message = {"role": "assistant", "content": None, "tool_calls": calls}
        given = json.loads(arguments) if arguments.endswith("}") else arguments
        meant = Called(call, plain(given), RESULT if seen else None)
        return Returned(name, [asked, message, *seen, said], (meant, ANSWER))

    result = {"role": "tool", "tool_call_id": _ID, "content": RESULT}
    written = json.dumps(_ARGUMENTS)
    yield openai("OpenAI's messages", written, result)
    yield openai("a call without a result", written)
    yield openai("a call that was cut", written[:-3], result)
    yield openai("a call of no tool", written, result, call="depth")
    yield openai("other arguments", '{"sea": "Thun", "n": 3}', result)
    yield Returned("a result without a call", [asked, result, said], (RESULT, ANSWER))
    use = {"type": "tool_use", "id": _ID, "name": "area", "input": _ARGUMENTS}
    thought = {"type": "thinking", "thinking": THOUGHT, "signature": "s"}
    seen = {"type": "tool_result", "tool_use_id": _ID, "content": RESULT}
    anthropic = [
        asked,
        {"role": "assistant", "content": [thought, use]},
        {"role": "user", "content": [seen]},
        {"role": "assistant", "content": [{"type": "text", "text": ANSWER}]},
    ]
    yield Returned("Anthropic's messages", anthropic, whole)
    items = [
        asked,
        {"type": "reasoning", "id": "r", "summary": [{"type": "summary_text", "text": THOUGHT}]},
        {"type": "function_call", "call_id": _ID, "name": "area", "arguments": written},
        {"type": "function_call_output", "call_id": _ID, "output": RESULT},
        said,
    ]
    yield Returned("items of the Responses API", items, whole)
    yield from _longer(asked, said)
    ours = AIMessage("", tool_calls=[{"name": "area", "args": _ARGUMENTS, "id": _ID}])
    answered = ToolMessage(RESULT, tool_call_id=_ID)
    talk = [HumanMessage(QUESTION), ours, answered, AIMessage(ANSWER)]
    yield Returned("our messages", talk, whole)
    parser: Any = get_parser("tools", tools=TOOLS)
    turn = parser.read(ours)
    steps = [(action, RESULT) for action in turn.actions]
    yield Returned("steps of calls", steps, (called,), is_steps=True)
    unseen = called._replace(result=None)
    yield Returned("a turn of calls", [HumanMessage(QUESTION), turn], (unseen,))
    wrong = AIMessage("", tool_calls=[{"name": "aria", "args": _ARGUMENTS, "id": _ID}])
    told = ("There is no tool",)
    failed = [_error_of(parser, wrong)]
    yield Returned("an error", failed, told, is_steps=True, has_others=True)


def _longer(asked: dict[str, Any], said: dict[str, Any]) -> Iterator[Returned]:
    """Yield conversations with two calls in a turn, whose results come the other way round."""
    happened: list[Called | str] = []
    talk: list[Any] = []
    for number in range(5):
        given = ("area", {"lake": f"Lake {number}"}), ("rain", {"place": "Bern", "days": number})
        calls = [
            {
                "id": f"call_{number}_{place}",
                "type": "function",
                "function": {"name": tool, "arguments": json.dumps(arguments)},
            }
            for place, (tool, arguments) in enumerate(given)
        ]
        seen = [f"result {number} of {tool}" for tool, _ in given]
        results = [
            {"role": "tool", "tool_call_id": call["id"], "content": result}
            for call, result in zip(calls, seen, strict=True)
        ]
        message = {"role": "assistant", "content": None, "tool_calls": calls}
        talk += (asked, message, *reversed(results), said)
        happened += (
            Called(call[0], plain(call[1]), result)
            for call, result in zip(given, seen, strict=True)
        )
        happened.append(ANSWER)
        if not number:
            yield Returned("two calls", [*talk], tuple(happened))
    yield Returned("five turns", talk, tuple(happened))


NATIVE_FORMS: Final = (
    "OpenAI's messages", "a call without a result", "a call that was cut", "a call of no tool",
    "other arguments", "a result without a call", "Anthropic's messages",
    "items of the Responses API", "two calls", "five turns", "our messages", "steps of calls",
    "a turn of calls", "an error",
)  # fmt: skip
"""The forms of conversations of a model that calls tools."""


def _error_of(parser: Any, message: AIMessage) -> OutputParserException:
    try:
        parser.read(message)
    except OutputParserException as error:
        return error
    raise AssertionError("a call of an unknown tool was not refused")


def _written(parser: Any, tool: str) -> str:
    """Return a turn that calls *tool*, with a thought if the dialect has thoughts."""
    thought = THOUGHT if parser.dialect.thinks else ""
    given: tuple[Any, ...] = (_ARGUMENTS, "Thun") if tool == "area" else ("area('Thun')",)
    for tool_input in given:
        for said in (thought, ""):
            with suppress(ValueError):
                text: str = parser.render(AgentAction(tool, tool_input, ""), thought=said)
                return text
    raise AssertionError(f"{parser.dialect.name} cannot write a plain call")


def plain(tool_input: Any) -> Any:
    """Return an input for comparison: a single argument that is a text counts as that text."""
    if isinstance(tool_input, str):
        with suppress(ValueError):
            read = json.loads(tool_input)
            tool_input = read if isinstance(read, dict) else tool_input
    if isinstance(tool_input, dict) and len(tool_input) == 1:
        (value,) = tool_input.values()
        tool_input = value if isinstance(value, str) else tool_input
    return tool_input.strip() if isinstance(tool_input, str) else tool_input


# -- what messages mean --------------------------------------------------------------------------


def meaning_of(messages: Iterable[Any], parser: Any = None) -> tuple[Meaning, str]:
    """Return the calls and texts in *messages*, and all words of the model and the tools.

    Args:
        messages: The messages, in the form of any API.
        parser: Reads the texts of the model; `None` if it does not write its calls as text.
    """
    happened: list[Called | str] = []
    ids: list[str | None] = []
    said: list[str] = []
    last = 0  # where the calls of the last message of the model begin
    for message in _each(messages):
        said.append(message.text)
        if isinstance(message, AIMessage):
            found = _happened_in(message, parser)
            last = len(happened)
            happened += (each for each, _ in found)
            ids += (call_id for _, call_id in found)
            continue
        of = getattr(message, "tool_call_id", None)
        for place in range(0 if of else last, len(happened)):
            known = happened[place]
            if not isinstance(known, Called) or (of and ids[place] != of):
                continue
            if of and known.result is None:
                happened[place] = known._replace(result=message.text)
                break
            if not of:  # it may have the results of all calls
                seen = "" if known.result is None else f"{known.result}\n"
                happened[place] = known._replace(result=f"{seen}{message.text}")
    return tuple(happened), "\n".join(said)


def _each(messages: Iterable[Any]) -> Iterator[BaseMessage]:
    """Yield *messages* as ours, one for each result."""
    items = [*messages]
    for place, item in enumerate(items):
        behind = items[place + 1] if place + 1 < len(items) else None
        is_said_twice = isinstance(behind, dict) and behind.get("type") == "function_call"
        if is_said_twice and isinstance(item, dict) and item.get("role") == "assistant":
            continue  # the text of the message whose calls are the next items
        blocks = item.get("content") if isinstance(item, dict) else None
        results = [
            each
            for each in (blocks if isinstance(blocks, list) else ())
            if each.get("type") == "tool_result"
        ]
        for each in results:
            yield ToolMessage(each.get("content", ""), tool_call_id=each["tool_use_id"])
        if not results:
            yield from_any(item)


def _happened_in(message: AIMessage, parser: Any) -> Sequence[tuple[Called | str, str | None]]:
    if message.tool_calls:
        return [
            (
                Called(each["name"], plain(each["args"].get("__arg1", each["args"])), None),
                each["id"],
            )
            for each in message.tool_calls
        ]
    if message.invalid_tool_calls:
        return [
            (Called(str(each["name"]), plain(each["args"]), None), each["id"])
            for each in message.invalid_tool_calls
        ]
    text = message.text.strip()
    if parser is not None and text:
        with suppress(OutputParserException):
            turn = parser.read(text, ended="stop")
            if turn.finish is not None:
                return [(str(turn.output).strip(), None)]
            return [(Called(a.tool, plain(a.tool_input), None), None) for a in turn.actions]
    return [(text, None)] if text else []
