"""Prompts as text and as messages, compared with LangChain's."""

import pickle
from typing import Any

import pytest
from langchain_core import messages as lc
from langchain_core import prompt_values as lc_values

import outputs
from output_parsers.prompt_values import ChatPromptValue, PromptValue, StringPromptValue
from outputs import AIMessage, HumanMessage, SystemMessage


def test_a_text_is_a_prompt() -> None:
    prompt = StringPromptValue(text="Hello you")
    assert isinstance(prompt, PromptValue)
    assert prompt == prompt.text == prompt.to_string() == "Hello you"
    assert type(prompt.to_string()) is type(prompt.text) is str
    assert prompt.to_messages() == [HumanMessage("Hello you")]
    assert repr(prompt) == "StringPromptValue(text='Hello you')"
    assert type(pickle.loads(pickle.dumps(prompt))) is StringPromptValue


CALL = {"name": "search", "args": {"q": "rain"}, "id": "call_1", "type": "tool_call"}
MESSAGES: list[tuple[str, dict[str, Any]]] = [
    ("SystemMessage", {"content": "Be brief."}),
    (
        "HumanMessage",
        {"content": ["Rain", {"type": "text", "text": "?"}]},
    ),
    ("AIMessage", {"content": "Let me see. ", "tool_calls": [CALL]}),
    ("ToolMessage", {"content": "Yes.", "tool_call_id": "call_1"}),
    ("AIMessage", {"content": "", "additional_kwargs": {"function_call": {"name": "f"}}}),
    ("FunctionMessage", {"content": "No.", "name": "f"}),
    ("ChatMessage", {"content": "Hm?", "role": "critic"}),
    ("HumanMessageChunk", {"content": "And"}),
    ("AIMessageChunk", {"content": ""}),
]


def test_messages_are_a_prompt_with_langchains_text() -> None:
    messages = [getattr(outputs, name)(**fields) for name, fields in MESSAGES]
    theirs = lc_values.ChatPromptValue(
        messages=[getattr(lc, name)(**fields) for name, fields in MESSAGES]
    )
    prompt = ChatPromptValue(messages=messages)
    assert prompt.to_string() == theirs.to_string()
    assert isinstance(prompt, PromptValue)
    assert prompt.to_messages() == messages
    assert prompt.to_messages() is not messages
    assert pickle.loads(pickle.dumps(prompt)) == prompt


@pytest.mark.parametrize(
    ("given", "found"),
    [
        ("Hello", "found str"),
        (HumanMessage("Hello"), "found HumanMessage"),
        (5, "found int"),
        ([SystemMessage("a"), {"role": "user"}], "found dict in the list"),
        ([AIMessage("a"), "b"], "found str in the list"),
    ],
)
def test_anything_but_messages_is_refused(given: Any, found: str) -> None:
    with pytest.raises(TypeError, match=rf"^expected a list of messages, such as .*; {found}$"):
        ChatPromptValue(messages=given)
