"""Values that hold a message take LangChain's, and give back the message that they got."""

from __future__ import annotations

import pickle
import subprocess
import sys
from typing import Any

import pytest
from langchain_core import messages as lc
from langchain_core import outputs as lc_outputs

import outputs as ours
from output_parsers.prompt_values import ChatPromptValue
from outputs.messages.base import is_langchains
from outputs.messages.utils import as_langchains

CALL = {"name": "weigh", "args": {"what": "salt"}, "id": "c1"}
THEIRS: list[Any] = [
    lc.AIMessage("Wait.", tool_calls=[CALL], id="m1", response_metadata={"model": "m"}),
    lc.AIMessageChunk(
        "", tool_call_chunks=[{"name": "weigh", "args": "{", "id": "c1", "index": 0}]
    ),
    lc.HumanMessage([{"type": "text", "text": "How heavy?"}]),
    lc.SystemMessage("Weigh."),
    lc.ToolMessage("5 g", tool_call_id="c1", name="weigh", artifact=[1]),
    lc.FunctionMessage("5 g", name="weigh"),
    lc.ChatMessage("Hm.", role="critic"),
]
each = pytest.mark.parametrize("message", THEIRS, ids=lambda message: type(message).__name__)


@each
def test_a_generation_keeps_the_message(message: Any) -> None:
    generation = ours.ChatGeneration(message=message)
    assert generation.message is message
    assert generation.text == message.text
    assert generation.model_dump()["message"] == message.model_dump()
    assert pickle.loads(pickle.dumps(generation)).message == message
    again = ours.ChatGeneration.model_validate(generation.model_dump())
    assert isinstance(again.message, ours.BaseMessage)
    assert again.message.content == message.content


@each
def test_results_and_prompts_keep_it(message: Any) -> None:
    generation = ours.ChatGeneration(message=message)
    for made in (
        ours.ChatResult(generations=[generation]).generations[0],
        ours.LLMResult(generations=[[generation]]).generations[0][0],
    ):
        assert isinstance(made, ours.ChatGeneration)
        assert made.message is message
    theirs = lc_outputs.ChatGeneration(message=message)
    assert ours.ChatResult(generations=[theirs]).generations[0] is theirs  # type: ignore[list-item, comparison-overlap]
    result = ours.LLMResult(generations=[[theirs]])  # type: ignore[list-item]
    assert result.generations[0][0] is theirs  # type: ignore[comparison-overlap]
    assert result.flatten()[0].generations == result.generations
    prompt = ChatPromptValue(messages=[message])
    assert prompt.to_messages()[0] is message


def test_a_prompt_of_its_messages_is_written_as_langchain_does() -> None:
    from langchain_core.messages import get_buffer_string

    for message in THEIRS:
        if not isinstance(message, lc.AIMessageChunk):
            found = ChatPromptValue(messages=[message]).to_string()
            assert found == get_buffer_string([message])


def test_a_chunk_keeps_it_and_can_be_added() -> None:
    pieces = [lc.AIMessageChunk("to"), lc.AIMessageChunk("ast")]
    first, last = (ours.ChatGenerationChunk(message=piece) for piece in pieces)  # type: ignore[arg-type]
    total = first + last
    assert total.message == lc.AIMessageChunk("toast")  # type: ignore[comparison-overlap]
    assert total.text == "toast"
    with pytest.raises(ValueError, match="BaseMessageChunk"):
        ours.ChatGenerationChunk(message=lc.AIMessage("whole"))  # type: ignore[arg-type]


@each
def test_our_messages_become_its_with_all_fields(message: Any) -> None:
    own = ours.from_any(message)
    back = as_langchains(own)
    assert is_langchains(back)
    assert not is_langchains(own)
    assert back == message
    assert as_langchains(message) is message


def test_a_message_of_a_users_own_class_becomes_one_of_its_class() -> None:
    class Marked(ours.AIMessage):
        mark: str = "!"

    theirs = as_langchains(Marked("x"))
    assert type(theirs) is lc.AIMessage
    assert theirs.model_extra == {"mark": "!"}


def test_nothing_else_is_taken_for_a_message() -> None:
    class Looks:
        type = "ai"
        content = "x"

    for value in (Looks(), "x", None, 5):
        with pytest.raises(ValueError, match="message"):
            ours.ChatGeneration(message=value)  # type: ignore[arg-type]


def test_langchain_is_not_imported_for_it() -> None:
    code = (
        "import sys, outputs\n"
        "outputs.LLMResult(generations=[[outputs.ChatGeneration(message=outputs.AIMessage('x'))]])\n"
        "assert not any(name.startswith('langchain') for name in sys.modules)"
    )
    subprocess.run([sys.executable, "-c", code], check=True)


def test_a_cached_reply_counts_no_tokens() -> None:
    from langchain_core.caches import InMemoryCache
    from langchain_core.language_models import FakeListChatModel

    from output_parsers import JsonOutputParser

    model = FakeListChatModel(responses=['{"salt": 5}'], cache=InMemoryCache())
    chain = model | JsonOutputParser()
    assert [chain.invoke("How heavy?"), chain.invoke("How heavy?")] == [{"salt": 5}] * 2
    read = ours.from_any(model.invoke("How heavy?"))
    assert isinstance(read, ours.AIMessage)
    assert read.usage_metadata is None
