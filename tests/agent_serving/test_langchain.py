"""`DialectChatModel`: every dialect in LangChain's agents, and all that a chat model does."""

from __future__ import annotations

import asyncio
import pickle
from typing import Annotated, Any, TypedDict

import pytest
from langchain.agents import create_agent
from langchain.agents.structured_output import ProviderStrategy, ToolStrategy
from langchain_core.callbacks import UsageMetadataCallbackHandler
from langchain_core.exceptions import OutputParserException as LangChainError
from langchain_core.language_models import (
    BaseLLM,
    FakeListChatModel,
    FakeListLLM,
    GenericFakeChatModel,
)
from langchain_core.messages import AIMessage, AIMessageChunk, HumanMessage, ToolMessage
from langchain_core.outputs import Generation, GenerationChunk, LLMResult
from langchain_core.runnables import RunnableLambda
from langchain_core.tools import tool
from langgraph.checkpoint.memory import InMemorySaver
from langgraph.graph import START, MessagesState, StateGraph
from langgraph.prebuilt import ToolNode, tools_condition
from pydantic import BaseModel

from agent_parsers import (
    AgentAction,
    AgentFinish,
    OutputParserException,
    get_parser,
    list_dialects,
)
from agent_parsers.testing import ScriptedModel
from agent_serving.langchain import DialectChatModel
from output_parsers import ModelRefusalError

DEPTHS = {"Geneva": "310 m", "Como": "425 m"}


@tool
def depth(lake: str) -> str:
    """Tells how deep a lake is."""
    return DEPTHS[lake]


@tool
def compare(first: str, second: str) -> str:
    """Compares two lakes."""
    return f"{first} and {second}"


class Lake(BaseModel):
    """A lake and its depth."""

    name: str
    metres: int


class LakeData(TypedDict):
    """A lake and its depth."""

    name: str
    metres: Annotated[int, ..., "how deep it is"]


def call(lake: str = "Como", name: str = "depth", said: str = "") -> str:
    return (
        f'{said}<tool_call>\n{{"name": "{name}", "arguments": {{"lake": "{lake}"}}}}\n</tool_call>'
    )


def model_of(*replies: Any, dialect: Any = "hermes", **fields: Any) -> DialectChatModel:
    return DialectChatModel(llm=ScriptedModel(replies).stream, dialect=dialect, **fields)


def asked(model: DialectChatModel) -> list[Any]:
    """Return the prompts of a model, as texts."""
    return ["\n".join(message.text for message in each.prompt) for each in model.llm.__self__.calls]


# -- agents --------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", list_dialects())
def test_an_agent_of_every_dialect_has_two_turns_and_remembers(name: str) -> None:
    if name in ("smolagents_code", "self_ask"):
        pytest.skip("it has one tool, which is not named")
    parser: Any = get_parser(name, tools=[depth])
    render = parser.render
    right = render(AgentAction("depth", {"lake": "Geneva"}, ""))
    script = [
        right.replace("depth", "depht"),  # which is asked for again
        right,
        render(AgentFinish({"output": "310 m."}, "")),
        render(AgentAction("depth", {"lake": "Como"}, "")),
        render(AgentFinish({"output": "425 m."}, "")),
    ]
    agent: Any = create_agent(
        model_of(*script, dialect=name), [depth], checkpointer=InMemorySaver()
    )
    thread: Any = {"configurable": {"thread_id": "1"}}
    agent.invoke({"messages": [("user", "How deep is Geneva?")]}, thread)
    done = agent.invoke({"messages": [("user", "And Como?")]}, thread)["messages"]
    assert [each.type for each in done] == ["human", "ai", "tool", "ai"] * 2
    assert [done[at].content for at in (2, 3, 6, 7)] == ["310 m", "310 m.", "425 m", "425 m."]
    first, second = done[1].tool_calls[0], done[5].tool_calls[0]
    assert (first["name"], first["args"]) == ("depth", {"lake": "Geneva"})
    assert first["id"] != second["id"]
    assert len(done[1].response_metadata["failed_turns"]) == 1
    assert "failed_turns" not in done[5].response_metadata


def test_a_stream_of_an_agent_shows_text_and_whole_calls() -> None:
    async def run(model: Any, *, is_async: bool) -> list[Any]:
        agent: Any = create_agent(model, [depth])
        given = {"messages": [("user", "How deep?")]}
        if is_async:
            return [each[0] async for each in agent.astream(given, stream_mode="messages")]
        return [each[0] for each in agent.stream(given, stream_mode="messages")]

    for is_async in (False, True):
        model = model_of(call(said="<think>Hm, so.</think>Let me see."), "It has 425 m.")
        found = asyncio.run(run(model, is_async=is_async))
        assert "Hm, so." in asked(model)[1]
        chunks = [each for each in found if isinstance(each, AIMessageChunk)]
        assert len(chunks) > 6
        assert not [each for each in chunks if "<" in each.text]  # no markup, no events of the llm
        calling = [each for each in chunks if each.tool_call_chunks]
        assert len(calling) == 1
        assert calling[0].tool_calls[0]["args"] == {"lake": "Como"}
        by_id: dict[Any, AIMessageChunk] = {}
        for chunk in chunks:
            by_id[chunk.id] = by_id[chunk.id] + chunk if chunk.id in by_id else chunk
        first, last = by_id.values()
        assert (first.text, last.text) == ("Let me see.", "It has 425 m.")
        assert first.additional_kwargs["reasoning_content"] == "Hm, so."
        assert [each["type"] for each in first.content_blocks] == ["reasoning", "text", "tool_call"]
        reasons = [each.response_metadata["finish_reason"] for each in (first, last)]
        assert reasons == ["tool_calls", "stop"]


def test_events_are_those_of_one_model() -> None:
    inner = GenericFakeChatModel(messages=iter([AIMessage(call()), AIMessage("425 m.")]))

    async def run() -> list[Any]:
        agent: Any = create_agent(DialectChatModel(llm=inner, dialect="hermes"), [depth])
        given = {"messages": [("user", "How deep?")]}
        return [each async for each in agent.astream_events(given, version="v2")]

    events = [each for each in asyncio.run(run()) if each["event"].startswith("on_chat_model")]
    assert {each["name"] for each in events} == {"DialectChatModel"}
    assert [each["event"] for each in events].count("on_chat_model_end") == 2


def test_events_of_protocol_3() -> None:
    async def run() -> list[Any]:
        bound: Any = model_of(call(said="<think>Hm.</think>I look.")).bind_tools([depth])
        return [each async for each in await bound.astream_events("How deep?", version="v3")]

    done = [each for each in asyncio.run(run()) if each["event"] == "content-block-finish"]
    assert [each["content"]["type"] for each in done] == ["reasoning", "text", "tool_call"]
    assert done[-1]["content"]["args"] == {"lake": "Como"}


def test_a_stream_that_is_left_is_closed() -> None:
    closed = []

    async def chunks(prompt: Any, stop: Any = None) -> Any:
        try:
            for chunk in ("It has", " 425", " m."):
                yield chunk
        finally:
            closed.append(True)

    async def run() -> None:
        model = DialectChatModel(llm=chunks, dialect="hermes")
        stream: Any = model._astream([HumanMessage("?")])
        await anext(stream)
        assert not closed
        await stream.aclose()
        assert closed

    asyncio.run(run())


def test_a_graph_with_a_node_for_tools() -> None:
    model = model_of(call() + call("Geneva"), "Como is deeper.").bind_tools([depth])
    graph = StateGraph(MessagesState)
    graph.add_node("model", lambda state: {"messages": [model.invoke(state["messages"])]})
    graph.add_node("tools", ToolNode([depth]))
    graph.add_edge(START, "model")
    graph.add_conditional_edges("model", tools_condition)
    graph.add_edge("tools", "model")
    done = graph.compile().invoke(MessagesState(messages=[HumanMessage("Which is deeper?")]))
    assert [each.text for each in done["messages"][-3:]] == ["425 m", "310 m", "Como is deeper."]


LAKE = '{"name": "Como", "metres": 425}'


@pytest.mark.parametrize("strategy", [ToolStrategy(Lake), ProviderStrategy(Lake), Lake])
def test_an_agent_with_a_response_format(strategy: Any) -> None:
    if isinstance(strategy, ToolStrategy):  # a call is required in each turn
        last = f'<tool_call>{{"name": "Lake", "arguments": {LAKE}}}</tool_call>'
    else:
        last = f"```json\n{LAKE}\n```"
    model = model_of(call(), "It has 425 m.", last)
    agent: Any = create_agent(model, [depth], response_format=strategy)
    done = agent.invoke({"messages": [("user", "How deep?")]})
    assert done["structured_response"] == Lake(name="Como", metres=425)
    assert asked(model)[2].count("It has 425 m.")  # the model was told


def test_a_call_that_is_returned_is_reported_by_langchain() -> None:
    model = model_of(call(name="width"), "Sorry.", on_bad_call="return")
    done = create_agent(model, [depth]).invoke({"messages": [("user", "How wide?")]})  # type: ignore[call-overload]
    _, called, told, answer = done["messages"]
    assert called.tool_calls[0]["name"] == "width"
    assert (told.status, answer.text) == ("error", "Sorry.")


# -- what it is asked ----------------------------------------------------------------------------


def test_a_request_without_tools_goes_to_the_model_as_it_is() -> None:
    model = model_of("Hello, Action: none!", dialect="react")
    assert model.invoke([("system", "Be brief."), ("user", "Hi.")]).text == "Hello, Action: none!"
    assert asked(model) == ["Be brief.\nHi."]


def test_an_llm_gets_a_text() -> None:
    llm = FakeListLLM(responses=["Thought: so\nAction: depth\nAction Input: Como", "Hello."])
    model = DialectChatModel(llm=llm, dialect="react")
    said: Any = model.bind_tools([depth]).invoke("How deep?")
    assert said.tool_calls[0]["args"] == {"lake": "Como"}
    assert said.additional_kwargs["reasoning_content"] == "so"
    assert model.invoke("Hi.").text == "Hello."


def test_past_calls_that_fit_no_tool_are_written() -> None:
    past = [
        HumanMessage("How deep?"),
        AIMessage("", tool_calls=[
            {"name": "depth", "args": {"sea": "Red"}, "id": "1"},
            {"name": "gone", "args": {}, "id": "2"},
        ]),
        ToolMessage("no such argument", tool_call_id="1", status="error"),
        ToolMessage("an orphan", tool_call_id="9"),
        HumanMessage("Go on."),
    ]  # fmt: skip
    model = model_of("425 m.")
    assert model.bind_tools([depth]).invoke(past).text == "425 m."
    for words in ('{"sea": "Red"}', "no such argument", "an orphan", "Go on."):
        assert words in asked(model)[0]


def test_settings_go_to_the_model() -> None:
    scripted = ScriptedModel(["a", "b"])
    model = DialectChatModel(llm=scripted, dialect="hermes")
    model.bind(temperature=0).invoke("?", stop=["\n\n"])
    assert scripted.calls[0].options == {"temperature": 0}
    assert scripted.calls[0].stop == ("\n\n",)


def test_a_stop_sequence_of_the_model_is_kept() -> None:
    scripted = ScriptedModel(["Final Answer: 425 m"])
    llm = RunnableLambda(lambda _, stop=(): scripted(_, stop=stop)).bind(stop=["END"])
    DialectChatModel(llm=llm, dialect="react").bind_tools([depth]).invoke("?", stop=["\n\n"])
    assert {"END", "\n\n", "\nObservation:"} <= {*scripted.calls[0].stop}


CHOICES = ["any", "required", True, "depth", {"type": "function", "function": {"name": "depth"}}]


@pytest.mark.parametrize("choice", CHOICES)
@pytest.mark.parametrize("is_streamed", [False, True])
def test_a_call_that_is_required_is_asked_for_again(choice: Any, is_streamed: bool) -> None:
    model = model_of("It has 425 m.", call())
    bound = model.bind_tools([depth, compare], tool_choice=choice)
    if is_streamed:
        first, *rest = bound.stream("?")
        said = sum(rest, first)  # type: ignore[arg-type]
    else:
        said = bound.invoke("?")  # type: ignore[assignment]
    assert [each["name"] for each in said.tool_calls] == ["depth"]  # type: ignore[attr-defined]
    assert said.text == ""
    assert ("compare" in asked(model)[0]) is (choice in ("any", "required", True))


def test_other_choices() -> None:
    for choice in ("none", "auto", None, False):
        model = model_of("It is deep.")
        assert model.bind_tools([depth], tool_choice=choice).invoke("?").text == "It is deep."
        assert ("depth" in asked(model)[0]) is (choice != "none")
    with pytest.raises(ValueError, match="the tools are depth"):
        model_of().bind_tools([depth], tool_choice="width").invoke("?")
    with pytest.raises(TypeError, match="this one has the keys type"):
        model_of().bind_tools([{"type": "web_search"}]).invoke("?")
    served = {"type": "web_search_20250305", "name": "web_search"}
    with pytest.raises(TypeError, match="this one has the keys type, name"):
        model_of("Hm.").bind_tools([depth, served]).invoke("?")


def test_one_call_in_a_turn() -> None:
    both = call() + call("Geneva")
    model = model_of(both, call())
    said: Any = model.bind_tools([depth], parallel_tool_calls=False).invoke("?")
    assert len(said.tool_calls) == 1
    assert "Call only one tool at a time." in asked(model)[0]
    assert "None of your 2 calls was run." in asked(model)[1]
    choice = {"type": "auto", "disable_parallel_tool_use": True}
    said = model_of(both, call()).bind_tools([depth], tool_choice=choice).invoke("?")
    assert len(said.tool_calls) == 1
    many: Any = model_of(both).bind_tools([depth]).invoke("?")
    assert len({each["id"] for each in many.tool_calls}) == 2


# -- structured output ---------------------------------------------------------------------------


@pytest.mark.parametrize("schema", [Lake, LakeData, Lake.model_json_schema()])
@pytest.mark.parametrize("method", ["json_schema", "function_calling", "json_mode"])
def test_structured_output(schema: Any, method: str) -> None:
    wrong, right = '{"name": "Como", "metres": "deep"}', LAKE
    if method == "function_calling":
        name = getattr(schema, "__name__", "Lake")
        wrong, right = (
            f'<tool_call>{{"name": "{name}", "arguments": {each}}}</tool_call>'
            for each in (wrong, right)
        )
    if method == "json_mode":  # the model is not told of the schema
        wrong = "deep"
    wanted: Any = {"name": "Como", "metres": 425}
    if schema is Lake:
        wanted = schema(**wanted)
    for is_async in (False, True):
        chain: Any = model_of(wrong, right).with_structured_output(schema, method=method)
        assert (asyncio.run(chain.ainvoke("?")) if is_async else chain.invoke("?")) == wanted
    raw: Any = model_of(wrong, right).with_structured_output(
        schema, method=method, include_raw=True
    )
    done = raw.invoke("?")
    assert (done["parsed"], done["parsing_error"]) == (wanted, None)
    assert isinstance(done["raw"], AIMessage)


def test_structured_output_that_fails() -> None:
    model = model_of(*["deep"] * 12)
    for method in ("json_schema", "function_calling"):
        raw: Any = model.with_structured_output(Lake, method=method, include_raw=True)
        done = raw.invoke("?")
        assert (done["raw"].text, done["parsed"]) == ("deep", None)
        assert isinstance(done["parsing_error"], OutputParserException)
        with pytest.raises(OutputParserException):
            model.with_structured_output(Lake, method=method).invoke("?")
    with pytest.raises(ValueError, match="method must be 'json_schema', 'function_calling' or"):
        model.with_structured_output(Lake, method="xml")


def test_a_response_format_is_bound() -> None:
    model = model_of('{"deep": true}', LAKE)
    assert model.bind(response_format={"type": "json_object"}).invoke("?").text == '{"deep": true}'
    assert model.bind(response_format=Lake).invoke("?").text == LAKE
    assert model_of("Hm.").bind(response_format={"type": "text"}).invoke("?").text == "Hm."


# -- errors --------------------------------------------------------------------------------------


def test_an_error_after_all_retries_is_langchains_as_well() -> None:
    for is_async in (False, True):
        model = model_of("<tool_call>{", "<tool_call>{", max_retries=1)
        bound = model.bind_tools([depth])
        with pytest.raises(LangChainError) as raised:
            asyncio.run(bound.ainvoke("?")) if is_async else bound.invoke("?")
        error: Any = raised.value
        assert isinstance(error, OutputParserException)
        assert (error.llm_output, error.send_to_llm) == ("<tool_call>{", True)
        assert "cut off" in asked(model)[1]
        assert pickle.loads(pickle.dumps(error)).observation == error.observation


def test_what_was_streamed_of_a_turn_that_is_asked_again() -> None:
    wrong = call(name="width", said="I look.")
    for holds, shown in ((False, "I look.\n\nI look again."), (True, "I look again.")):
        model = model_of(wrong, call(said="I look again."), hold_content=holds)
        first, *rest = model.bind_tools([depth]).stream("?")
        whole: Any = sum(rest, first)  # type: ignore[arg-type]
        assert whole.text == shown
        assert [each["name"] for each in whole.tool_calls] == ["depth"]
    both = "Thought: so\nFinal Answer: 3 m\nAction: depth\nAction Input: Como"
    script = (both, "Final Answer: 425 m")
    with pytest.raises(LangChainError, match="an Action and a Final Answer") as raised:
        [*model_of(*script, dialect="react").bind_tools([depth]).stream("?")]
    assert "the answer had already been shown" in str(raised.value.__cause__.__notes__)  # type: ignore[union-attr]
    held = model_of(*script, dialect="react", hold_content=True).bind_tools([depth])
    assert "".join(each.text for each in held.stream("?")) == "425 m"
    assert model_of(*script, dialect="react").bind_tools([depth]).invoke("?").text == "425 m"


# -- usage and the rest --------------------------------------------------------------------------


class Priced(GenericFakeChatModel):
    """A model whose replies say what they cost, as its streams do at the end."""

    model_name: str = "text-1"

    def _stream(self, messages: Any, stop: Any = None, run_manager: Any = None, **_: Any) -> Any:
        from langchain_core.outputs import ChatGenerationChunk

        said: Any = next(self.messages)
        yield ChatGenerationChunk(message=AIMessageChunk(said.content))
        last = AIMessageChunk("", usage_metadata=said.usage_metadata, chunk_position="last")
        yield ChatGenerationChunk(message=last)


@pytest.mark.parametrize("is_streamed", [False, True])
def test_usage_is_summed_over_retries_and_told_once(is_streamed: bool) -> None:
    cost: Any = {"input_tokens": 10, "output_tokens": 2, "total_tokens": 12}
    replies = [AIMessage(text, usage_metadata=cost) for text in (call(name="width"), call())]
    model = DialectChatModel(llm=Priced(messages=iter(replies)), dialect="hermes")
    counted = UsageMetadataCallbackHandler()
    bound, config = model.bind_tools([depth]), {"callbacks": [counted]}
    if is_streamed:
        first, *rest = bound.stream("?", config)  # type: ignore[arg-type]
        said: Any = sum(rest, first)  # type: ignore[arg-type]
    else:
        said = bound.invoke("?", config)  # type: ignore[arg-type]
    assert {name: said.usage_metadata[name] for name in cost} == {
        "input_tokens": 20, "output_tokens": 4, "total_tokens": 24,
    }  # fmt: skip
    assert counted.usage_metadata["text-1"]["total_tokens"] == 24


def test_a_reply_that_was_cut_says_so() -> None:
    cut = AIMessage("It is very", response_metadata={"finish_reason": "length"})
    model = DialectChatModel(llm=GenericFakeChatModel(messages=iter([cut])), dialect="hermes")
    said = model.bind_tools([depth]).invoke("?")
    assert (said.text, said.response_metadata["finish_reason"]) == ("It is very", "length")


class Ending(BaseLLM):
    """An LLM whose replies say how they ended beside the text."""

    text: str
    about: dict[str, Any]

    @property
    def _llm_type(self) -> str:
        return "ending"

    def _generate(self, prompts: Any, stop: Any = None, run_manager: Any = None, **_: Any) -> Any:
        done = [[Generation(text=self.text, generation_info=self.about)] for _ in prompts]
        usage = {"prompt_tokens": 5, "completion_tokens": 3}
        return LLMResult(generations=done, llm_output={"token_usage": usage})

    def _stream(self, prompt: Any, stop: Any = None, run_manager: Any = None, **_: Any) -> Any:
        for at in range(0, len(self.text), 4):
            yield GenerationChunk(text=self.text[at : at + 4])
        yield GenerationChunk(text="", generation_info=self.about)


CUTS: list[dict[str, Any]] = [
    {"finish_reason": "length"}, {"finish_reason": 2}, {"completionReason": "LENGTH"},
]  # fmt: skip


@pytest.mark.parametrize("about", CUTS)
def test_half_a_call_of_an_llm_is_no_call(about: dict[str, Any]) -> None:
    text = "Action: depth\nAction Input: Lake Co"
    for llm in (
        Ending(text=text, about=about),
        Ending(text=text, about=about).bind(temperature=0),
        Ending(text=text, about=about).with_retry(),
    ):
        model = DialectChatModel(llm=llm, dialect="react", max_retries=0).bind_tools([depth])

        async def streamed(model: Any = model) -> list[Any]:
            return [each async for each in model.astream("?")]

        for ask in (
            lambda model=model: model.invoke("?"),
            lambda model=model: [*model.stream("?")],
            lambda model=model: asyncio.run(model.ainvoke("?")),
            lambda: asyncio.run(streamed()),
        ):
            with pytest.raises(OutputParserException, match="expected the rest of"):
                ask()
    whole = Ending(text=text, about={"finish_reason": "stop"})
    said: Any = DialectChatModel(llm=whole, dialect="react").bind_tools([depth]).invoke("?")
    assert said.tool_calls[0]["args"] == {"lake": "Lake Co"}
    assert said.usage_metadata["total_tokens"] == 8


def test_a_refusal_is_raised_and_not_asked_again() -> None:
    refused = AIMessage("", additional_kwargs={"refusal": "I do not help with that."})
    model = DialectChatModel(llm=GenericFakeChatModel(messages=iter([refused])), dialect="hermes")
    with pytest.raises(ModelRefusalError):
        model.bind_tools([depth]).invoke("?")


def test_a_wrong_name_is_an_error_at_once() -> None:
    with pytest.raises(ValueError, match="there is no dialect 'hermse'"):
        model_of(dialect="hermse")


def test_tokens_are_those_of_the_model() -> None:
    llm = FakeListLLM(responses=["a"], custom_get_token_ids=lambda text: [*map(len, text.split())])
    model = DialectChatModel(llm=llm, dialect="hermes")
    assert model.get_num_tokens("a bc def") == 3


def test_batches_share_nothing() -> None:
    model = model_of(*(call(f"Lake {number}") for number in range(8)))
    bound: Any = model.bind_tools([depth])
    done = bound.batch(["?"] * 4) + asyncio.run(bound.abatch(["?"] * 4))
    assert len({each.tool_calls[0]["args"]["lake"] for each in done}) == 8
    assert len({each.tool_calls[0]["id"] for each in done}) == 8


def test_its_profile_and_its_key_for_caches() -> None:
    model = model_of()
    assert model.profile is not None
    assert model.profile["tool_calling"] is model.profile["structured_output"] is True
    other = DialectChatModel(llm=FakeListLLM(responses=["a"]), dialect="hermes")
    assert model._get_llm_string() != other._get_llm_string()
    assert other._get_llm_string() != model_of(dialect="react")._get_llm_string()
    for field, value in (
        ("on_bad_call", "return"), ("max_retries", 0), ("as_messages", True),
        ("hold_content", True), ("tools_in", "template"),
    ):  # fmt: skip
        changed = other.model_copy(update={field: value})
        assert changed._get_llm_string() != other._get_llm_string()


def test_no_tool_may_be_called_of_a_model_without_tools() -> None:
    model = DialectChatModel(llm=FakeListChatModel(responses=["Deep."]), dialect="hermes")
    assert model.bind_tools([depth], tool_choice="none").invoke("How deep?").text == "Deep."


def test_deep_agents() -> None:
    reason = "deepagents is not installed, not even in CI: it brings clients of providers"
    create_deep_agent = pytest.importorskip("deepagents", reason=reason).create_deep_agent
    model = model_of(
        '<tool_call>{"name": "write_file", "arguments": {"file_path": "/a.md", "content": "425"}}'
        "</tool_call>",
        call(),
        "It has 425 m.",
    )
    done = create_deep_agent(model, [depth]).invoke({"messages": [("user", "How deep?")]})  # type: ignore[call-overload]
    assert done["messages"][-1].text == "It has 425 m."
    assert [each.name for each in done["messages"] if each.type == "tool"] == [
        "write_file",
        "depth",
    ]
