"""`DialectLLM` in agents of LlamaIndex."""

from __future__ import annotations

import asyncio
import base64
from typing import Any

import pytest

from agent_parsers import OutputParserException
from agent_parsers.testing import ScriptedModel
from outputs import AIMessage

from ..helpers.lake_agent import DIALECTS, LAKE, Lake, call, called, depth, prompts, two_turns

pytest.importorskip(
    "llama_index.core", reason="llama-index-core is not installed, not even in CI: it is large"
)

from llama_index.core.agent.workflow import AgentStream, FunctionAgent, ReActAgent
from llama_index.core.base.llms.types import (
    AudioBlock,
    ChatMessage,
    ImageBlock,
    TextBlock,
    ToolCallBlock,
)
from llama_index.core.memory import ChatMemoryBuffer
from llama_index.core.prompts import PromptTemplate
from llama_index.core.tools import FunctionTool

from agent_serving.llama_index import DialectLLM

TOOL = FunctionTool.from_defaults(depth)


def llm_of(*script: Any, dialect: str = "hermes", **fields: Any) -> tuple[Any, ScriptedModel]:
    model = ScriptedModel(script)
    return DialectLLM(model=model.stream, dialect=dialect, **fields), model


async def ask(agent: Any, *questions: str) -> list[str]:
    """Return the answers to *questions* in one conversation."""
    memory = ChatMemoryBuffer.from_defaults(tokenizer_fn=str.split)
    return [str(await agent.run(each, memory=memory)) for each in questions]


@pytest.mark.parametrize("spelling", DIALECTS)
@pytest.mark.parametrize("is_streamed", [False, True])
def test_two_turns(spelling: str, is_streamed: bool) -> None:
    model = two_turns(spelling)
    llm = DialectLLM(model=model, dialect=spelling)
    agent = FunctionAgent(tools=[TOOL], llm=llm, system_prompt="Be brief.", streaming=is_streamed)
    answers = asyncio.run(ask(agent, "How deep is Geneva?", "And Como?"))
    assert answers == ["310 m.", "425 m."]
    last = prompts(model)[-1]
    assert last.startswith("Be brief.")
    assert "310 m" in last
    model.assert_done()


def test_a_stream_of_an_agent() -> None:
    llm, model = llm_of(f"<think>Hm, so.</think>{call()}", "It has 425 m.")

    async def run() -> list[Any]:
        handler = FunctionAgent(tools=[TOOL], llm=llm).run("How deep?")
        events = [event async for event in handler.stream_events()]
        await handler
        return events

    events = [event for event in asyncio.run(run()) if isinstance(event, AgentStream)]
    assert "".join(event.delta for event in events) == "Let me look.It has 425 m."
    assert "".join(event.thinking_delta or "" for event in events) == "Hm, so."
    calling = [event for event in events if event.tool_calls]
    assert len(calling) == 1
    assert calling[0].tool_calls[0].tool_kwargs == {"lake": "Como"}
    assert "Hm, so." in prompts(model)[1]


def test_a_request_without_tools_goes_to_the_model_as_it_is() -> None:
    script = [
        'Thought: I look.\nAction: depth\nAction Input: {"lake": "Como"}',
        "Thought: I can answer.\nAnswer: 425 m.",
    ]
    llm, model = llm_of(*script)
    agent = ReActAgent(tools=[TOOL], llm=llm)
    assert asyncio.run(ask(agent, "How deep?")) == ["425 m."]
    assert "<tools>" not in prompts(model)[0]


def test_structured_output() -> None:
    llm, model = llm_of("It is deep.", called("Lake", LAKE))
    found = llm.structured_predict(Lake, PromptTemplate("How deep is {lake}?"), lake="Como")
    assert found == Lake(name="Como", metres=425)
    model.assert_done()

    async def run() -> Any:
        agent_llm, _ = llm_of(call(), "425 m.", called("Lake", LAKE))
        agent = FunctionAgent(tools=[TOOL], llm=agent_llm, output_cls=Lake)
        return (await agent.run("How deep?")).structured_response

    assert asyncio.run(run()) == {"name": "Como", "metres": 425}


def test_choices_settings_and_usage() -> None:
    cost = {"input_tokens": 10, "output_tokens": 2, "total_tokens": 12}
    script = [AIMessage(text, usage_metadata=cost) for text in ("No.", call() + call(), call())]
    llm, model = llm_of(*script)
    said = llm.chat_with_tools([TOOL], "How deep?", tool_required=True, temperature=0)
    (selected,) = llm.get_tool_calls_from_response(said)
    assert (selected.tool_name, selected.tool_kwargs) == ("depth", {"lake": "Como"})
    assert said.additional_kwargs["total_tokens"] == 36
    assert said.raw == {"finish_reason": "tool_calls"}
    assert model.calls[0].options == {"temperature": 0}
    llm, _ = llm_of("No.", call(), "Hello.")
    said = llm.chat_with_tools([TOOL], "How deep?", tool_choice="depth")
    assert llm.get_tool_calls_from_response(said)[0].tool_name == "depth"
    with pytest.raises(ValueError, match=r"found 'Hello\.'"):
        llm.get_tool_calls_from_response(llm.chat_with_tools([TOOL], "Hi."))


def test_completions() -> None:
    async def run(llm: Any) -> list[str]:
        done = await llm.acomplete("?")
        chunks = [chunk async for chunk in await llm.astream_complete("?")]
        return [done.text, chunks[-1].text, "".join(chunk.delta for chunk in chunks)]

    llm, _ = llm_of(*["Action: none."] * 4)
    assert llm.complete("?").text == "Action: none."
    assert [*llm.stream_complete("?")][-1].text == "Action: none."
    assert asyncio.run(run(llm)) == ["Action: none."] * 3


def test_a_past_that_fits_no_tool_is_written() -> None:
    llm, model = llm_of("So.")
    past = [
        ChatMessage("How deep?"),
        ChatMessage(
            role="assistant",
            blocks=[
                ToolCallBlock(tool_call_id="1", tool_name="depth", tool_kwargs='{"sea": "Re'),
                ToolCallBlock(tool_call_id="2", tool_name="gone", tool_kwargs={}),
            ],
        ),
        ChatMessage(role="tool", content="no lake", additional_kwargs={"tool_call_id": "1"}),
    ]
    with pytest.warns(UserWarning, match="describes it in words instead"):
        llm.chat_with_tools([TOOL], "Go on.", chat_history=past)
    for words in ("no lake", "gone", "Go on."):
        assert words in prompts(model)[0]


def test_pictures_and_what_is_refused() -> None:
    llm, model = llm_of("A lake.")
    picture = ImageBlock(image=base64.b64decode(_PNG), image_mimetype="image/png")
    said = llm.chat([ChatMessage(role="user", blocks=[TextBlock(text="What is it?"), picture])])
    assert said.message.content == "A lake."
    assert f"data:image/png;base64,{_PNG}" in str(model.calls[0].prompt)
    with pytest.raises(TypeError, match="cannot contain AudioBlock"):
        llm.chat([ChatMessage(role="user", blocks=[AudioBlock(audio=b"123")])])


_PNG = (
    "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk"
    "+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=="
)


def test_an_error_ends_the_run() -> None:
    llm, _ = llm_of("<tool_call>{", "<tool_call>{", options={"max_retries": 1})
    with pytest.raises(OutputParserException):
        llm.chat_with_tools([TOOL], "?")
