"""Laws about what the library returns: whatever takes its kind takes it, with the same meaning."""

from __future__ import annotations

import warnings
from typing import TYPE_CHECKING, Any, Literal, TypeAlias

from agent_laws.laws.broken import Broken, law, shown
from agent_laws.trials.conversations import QUESTION, TOOLS, WRITERS, Called, meaning_of
from agent_parsers import get_parser
from agent_parsers.core import as_json

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from agent_laws.trials.conversations import Returned
    from agent_parsers import Dialect

Taken: TypeAlias = Literal["same", "in words"]
"""How a conversation is taken: as it is, or in words, since a dialect cannot spell its calls."""


@law
def what_is_returned_is_taken(dialect: Dialect, conversation: Returned) -> None:
    """Check that *conversation* keeps its meaning in a prompt of *dialect*.

    Args:
        dialect: The dialect of the prompt.
        conversation: The conversation: of a model that writes in this dialect or in another one, or
            that calls tools.

    Raises:
        BrokenLawError: It is refused, or means something else.
    """
    called = (each.tool for each in conversation.meaning if isinstance(each, Called))
    known = [tool.__name__ for tool in TOOLS]
    tools = [*TOOLS, *(name for name in called if name not in known)]
    for write in prompts_with(get_parser(dialect, tools=tools), conversation):
        how_it_is_taken(conversation, write, get_parser(dialect))


@law
def what_is_returned_goes_to_any_api(dialect: Dialect, conversation: Returned) -> None:
    """Check that *conversation* keeps its meaning in the messages of every API.

    Args:
        dialect: The dialect in which the model wrote.
        conversation: The conversation.

    Raises:
        BrokenLawError: It is refused, or means something else.
    """
    for write in to_apis(conversation):
        how_it_is_taken(conversation, write, get_parser(dialect))


def prompts_with(parser: Any, conversation: Returned) -> Iterable[Callable[[], Any]]:
    """Yield functions that write *conversation* in a prompt: as its history, or as its steps."""
    history = conversation.value
    yield lambda: parser.render_prompt("And now?", history=history, as_messages=True)
    if conversation.is_steps:
        yield lambda: parser.render_prompt(QUESTION, history, as_messages=True)
    if hasattr(parser, "dialect"):
        yield lambda: parser.render_prompt("And now?", history=history) and ()
    if conversation.is_steps and hasattr(parser, "dialect"):
        yield lambda: parser.format_scratchpad(history) and ()


def to_apis(conversation: Returned) -> Iterable[Callable[[], Any]]:
    """Yield functions that write *conversation* for an API, or for a model that calls tools."""
    value = conversation.value
    yield from prompts_with(get_parser("tools", tools=TOOLS), conversation)
    for write in WRITERS.values():
        yield lambda write=write: write(value, new_id="call_{}".format)  # type: ignore[misc]  # a default binds it


def how_it_is_taken(conversation: Returned, write: Callable[[], Any], reader: Any = None) -> Taken:
    """Return ``"same"`` if the messages keep the meaning, or ``"in words"`` if calls become words.

    Args:
        conversation: The conversation.
        write: Returns the messages; if there are none, they are not checked.
        reader: Reads the texts of the model in them; `None` if it does not write calls as text.

    Raises:
        Broken: The messages mean something else, or have calls in words without a warning.
    """
    with warnings.catch_warnings(record=True) as told:
        warnings.simplefilter("always")
        written = write()
    if not written:
        return "same"
    happened, said = meaning_of(written, reader)
    if conversation.thought and any(
        isinstance(each, str) and conversation.thought in each for each in happened
    ):
        raise Broken(f"the messages show the reasoning: {shown(happened)}")
    at = 0
    seen, behind = "", 0  # the results of a turn, if they are in one text, and those found so far
    for each in conversation.meaning:
        if isinstance(each, str):
            if each not in happened[at:] and each not in said:
                raise Broken(f"the messages do not contain {shown(each)}: {shown(happened)}")
            continue
        calls = (place for place in range(at, len(happened)) if isinstance(happened[place], Called))
        place = next(calls, -1)
        if place < 0 and f"I called {each.tool} with" in said and _text(each.tool_input) in said:
            if not any(each.tool in str(warning.message) for warning in told):
                raise Broken(f"no warning says that the call of {each.tool} is in words only")
            return "in words"
        found = happened[place] if place >= 0 else None
        if not isinstance(found, Called) or not _is_same(each, found):
            raise Broken(f"the messages do not contain {shown(each)}: {shown(happened)}")
        if each.result is not None and found.result is not None:
            behind = behind if found.result == seen else 0
            seen, start = found.result, found.result.find(each.result, behind)
            if start < 0:
                raise Broken(f"the results are in another order: {shown(happened)}")
            behind = start + len(each.result)
        at = place + 1
    if any(isinstance(each, Called) for each in happened[at:]) and not conversation.has_others:
        raise Broken(f"the messages have more calls than were made: {shown(happened)}")
    return "same"


def _is_same(called: Called, found: Any) -> bool:
    is_told = called.result is None or (found.result is not None and called.result in found.result)
    one, other = _as_texts(called.tool_input), _as_texts(found.tool_input)
    return (called.tool, one) == (found.tool, other) and is_told


def _as_texts(tool_input: Any) -> Any:
    """Return an input whose values are text: no schema says of what type those in tags are."""
    if not isinstance(tool_input, dict):
        return tool_input
    return {key: _text(value) for key, value in tool_input.items()}


def _text(value: Any) -> str:
    return value if isinstance(value, str) else as_json(value)
