"""`take_turn`: asking a model until there is a turn, and what is shown of it meanwhile."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING, Any

import pytest

from agent_parsers import (
    AgentAction,
    AgentFinish,
    OutputParserException,
    get_parser,
    list_dialects,
)
from agent_parsers.loop import Asking, atake_turn, take_turn
from agent_parsers.testing import ScriptedModel

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Iterator


def area(lake: str) -> str:
    """Tells how large a lake is."""
    return f"{lake}: 48 km2"


def call(name: str = "area") -> str:
    return f'<tool_call>\n{{"name": "{name}", "arguments": {{"lake": "Thun"}}}}\n</tool_call>'


def shown(asking: Asking[Any], model: Any, **options: Any) -> list[tuple[str, str]]:
    """Return what is shown of a turn, with neighbouring parts of one kind joined."""
    parts: list[tuple[str, str]] = []
    for kind, text in take_turn(model, asking, **options):
        if parts and parts[-1][0] == kind:
            parts[-1] = (kind, parts[-1][1] + text)
        else:
            parts.append((kind, text))
    return parts


def asking_of(dialect: str = "hermes", **options: Any) -> Asking[Any]:
    return Asking(dialect, "How large?", tools=[area], **options)


def test_text_is_shown_as_it_arrives() -> None:
    model = ScriptedModel([f"<think>Hm, so.</think>Let me see.{call()}"])
    asking = asking_of()
    parts = [*take_turn(model.stream, asking)]
    assert len(parts) > 3
    assert "".join(text for kind, text in parts if kind == "thought") == "Hm, so."
    assert "".join(text for kind, text in parts if kind == "content") == "Let me see."
    assert asking.message.tool_calls[0]["args"] == {"lake": "Thun"}


def test_words_of_a_turn_that_failed_stay_and_are_set_apart() -> None:
    script = [f"<think>Hm.</think>One.{call('aria')}", f"<think>Oh.</think>Two.{call()}"]
    asking = asking_of()
    assert shown(asking, ScriptedModel(script).stream) == [
        ("thought", "Hm."), ("content", "One."), ("thought", "\n\nOh."), ("content", "\n\nTwo."),
    ]  # fmt: skip
    assert (asking.message.content, asking.thought) == ("Two.", "Oh.")
    for options in ({"is_held": True}, {"is_streamed": False}):
        found = shown(asking_of(), ScriptedModel(script).stream, **options)
        assert found == [("thought", "Hm.\n\nOh."), ("content", "Two.")]


def test_an_answer_that_was_shown_is_not_asked_for_again() -> None:
    both = "Final Answer: 3\nAction: area\nAction Input: Thun"
    model = ScriptedModel([both, "Final Answer: 48"])
    with pytest.raises(OutputParserException) as raised:
        shown(asking_of("react"), model.stream)
    assert "the answer had already been shown" in raised.value.__notes__[-1]
    again = ScriptedModel([both, "Final Answer: 48"])
    assert shown(asking_of("react"), again.stream, is_held=True) == [("content", "48")]


def test_an_answer_that_is_checked_is_held_back() -> None:
    asking = asking_of(output_type=dict[str, int])
    model = ScriptedModel(["many", '```json\n{"km2": 48}\n```'])
    assert shown(asking, model.stream) == [("content", '{"km2": 48}')]
    required = asking_of(tool_choice="required")
    assert shown(required, ScriptedModel(["It is 48.", f"I look.{call()}"]).stream) == [
        ("content", "I look.")
    ]


QUOTING = [
    "Write `{call}` for the area.",
    "For example:\n```\n{call}\n```\nThat is how.",
    "<think>I could {call} but no.</think>{answer}",
    "<think>One.</think>Well.<think>Two.</think>{answer}",
    "{call}\n</think>\n{answer}",
    "I think {call} no.\n</think>\n\n{answer}",
    "Hm.\n{call}\nThen more.",
    "  {answer}\n\n",
]


@pytest.mark.parametrize("name", list_dialects())
def test_a_turn_says_what_the_parser_reads(name: str) -> None:
    parser: Any = get_parser(name, tools=[area])
    single = name in ("smolagents_code", "self_ask")  # they have one tool, which is not named
    called = call() if single else parser.render(AgentAction("area", {"lake": "Thun"}, ""))
    answer = parser.render(AgentFinish({"output": "48 km2."}, ""))
    for form in QUOTING:
        text = form.replace("{call}", called).replace("{answer}", answer)
        try:
            turn = parser.read(text)
        except OutputParserException:
            continue
        for size in (len(text), 1, 5):
            chunks = [text[at : at + size] for at in range(0, len(text), size)]
            for is_held in (True, False):
                asking = asking_of(name, max_retries=0)
                said = {"thought": "", "content": ""}
                for kind, part in take_turn(lambda _, c=chunks: c, asking, is_held=is_held):
                    said[kind] += part
                message = asking.message
                beside = message.additional_kwargs.get("reasoning_content", "")
                assert (message.content, beside) == (turn.content, turn.thought)
                assert said["thought"] == turn.thought
                if is_held or "</think>" not in text:
                    assert said["content"].endswith(turn.content)
                if is_held:
                    assert said["content"] == turn.content


@pytest.mark.parametrize("size", [1, 3, 500])
def test_a_quoted_call_is_streamed(size: int) -> None:
    for text in (f"Write `{call()}` to know.", f"So:\n```\n{call()}\n```\nBye."):
        chunks = [text[at : at + size] for at in range(0, len(text), size)]
        assert shown(asking_of(), lambda _, c=chunks: c) == [("content", text)]


def test_a_thought_that_was_shown_as_content_is_followed_by_the_answer() -> None:
    for thought, seen in (
        ("I think.", "I think.\nIt is 48."),
        (f"I could {call()} now.", "I could\n\nIt is 48."),
    ):
        asking = asking_of()
        said = {"thought": "", "content": ""}
        for kind, text in take_turn(lambda _, t=thought: [*f"{t}\n</think>\n\nIt is 48."], asking):
            said[kind] += text
        assert said == {"thought": thought, "content": seen}
        assert (asking.message.content, asking.thought) == ("It is 48.", thought)


class Source:
    """A stream that knows whether it was closed."""

    def __init__(self, *chunks: str) -> None:
        self.chunks = iter(chunks)
        self.is_closed = False

    def __iter__(self) -> Iterator[str]:
        return self

    def __next__(self) -> str:
        return next(self.chunks)

    def close(self) -> None:
        self.is_closed = True


def test_a_stream_is_closed_when_the_caller_stops() -> None:
    source = Source("It is", " 48", " km2.")
    turn = take_turn(lambda prompt: source, asking_of())
    assert next(turn) == ("content", "It is")
    turn.close()  # type: ignore[attr-defined]
    assert source.is_closed


def test_asynchronous_models_and_others() -> None:
    async def chunks(prompt: Any, stop: Any = None) -> AsyncIterator[str]:
        for chunk in ("It is", " 48", " km2."):
            yield chunk

    async def whole(prompt: Any, stop: Any = None) -> tuple[str, str]:
        return "It is 48 km2.", "stop"

    async def read(model: Any) -> str:
        asking = asking_of()
        return "".join([text async for _, text in atake_turn(model, asking)])

    for model in (
        chunks,
        whole,
        lambda prompt: "It is 48 km2.",
        lambda prompt: Source("It is 48 km2."),
    ):
        assert asyncio.run(read(model)) == "It is 48 km2."
    for model in (chunks, whole):
        with pytest.raises(TypeError, match="use `atake_turn`"):
            shown(asking_of(), model)
