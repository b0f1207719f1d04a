"""Our agent parsers as they are, without `as_langchain`, in LangChain's agents and pipelines."""

import asyncio
import pickle
import subprocess
import sys
from typing import Any

import langchain_classic.agents as lc_agents
import pytest
from langchain_classic.agents import AgentExecutor, create_react_agent
from langchain_classic.agents.output_parsers.tools import ToolAgentAction as LcToolAgentAction
from langchain_core import agents as lc
from langchain_core.exceptions import OutputParserException as LcOutputParserException
from langchain_core.messages import AIMessage, BaseMessage
from langchain_core.prompts import ChatPromptTemplate, MessagesPlaceholder, PromptTemplate
from langchain_core.runnables import Runnable, RunnableLambda, RunnablePassthrough, RunnableSequence
from langchain_core.tools import StructuredTool, Tool

import agent_parsers as ours
from agent_parsers import get_parser, to_langchain
from output_parsers import ModelRefusalError

from ...helpers.scripted_chat import ACT, ANSWER, CALL, OTHER, chat


def look_up(lake: str) -> str:
    """Looks up how large a lake is."""
    return {"Thun": "48.3 km²", "Brienz": "29.8 km²"}[lake]


area = StructuredTool.from_function(look_up, name="area")
plain = Tool("area", look_up, "Looks up how large a lake is.")
ask = Tool("Intermediate Answer", look_up, "Looks up how large a lake is.")

TEXT = PromptTemplate.from_template("{tools} {tool_names}\n{input}\n{agent_scratchpad}")
CHAT = ChatPromptTemplate.from_messages(
    [
        ("system", "{tools} {tool_names}"),
        ("human", "{input}"),
        MessagesPlaceholder("agent_scratchpad"),
    ]
)
CALLS = ChatPromptTemplate.from_messages(
    [("human", "{input}"), MessagesPlaceholder("agent_scratchpad")]
)
BLOB = '```json\n{"action": "%s", "action_input": "%s"}\n```'
JSON = [BLOB % ("area", "Thun"), BLOB % ("Final Answer", "48.3")]
FUNCTION = AIMessage(
    "", additional_kwargs={"function_call": {"name": "area", "arguments": '{"lake": "Thun"}'}}
)

AGENTS: dict[str, tuple[Any, Any, Any, list[Any], Any]] = {
    "react": (TEXT, plain, ours.ReActSingleInputOutputParser, [ACT, ANSWER], "hm"),
    "json_chat": (CHAT, plain, ours.JSONAgentOutputParser, JSON, "{"),
    "structured_chat": (TEXT, plain, ours.JSONAgentOutputParser, JSON, '```\n{"action": \n```'),
    "xml": (
        PromptTemplate.from_template("{tools} {input} {agent_scratchpad}"),
        plain,
        ours.XMLAgentOutputParser,
        [
            "<tool>area</tool><tool_input>Thun</tool_input>",
            "<final_answer>48.3</final_answer>",
        ],
        None,
    ),
    "self_ask_with_search": (
        PromptTemplate.from_template("{input} {agent_scratchpad}"),
        ask,
        ours.SelfAskOutputParser,
        ["Yes.\nFollow up: Thun", "So the final answer is: 48.3"],
        "hm",
    ),
    "openai_tools": (
        CALLS,
        area,
        ours.OpenAIToolsAgentOutputParser,
        [AIMessage("Both.", tool_calls=[CALL, OTHER]), "48.3"],
        None,
    ),
    "tool_calling": (
        CALLS,
        area,
        ours.ToolsAgentOutputParser,
        [AIMessage("Both.", tool_calls=[CALL, OTHER]), "48.3"],
        None,
    ),
    "openai_functions": (
        CALLS,
        area,
        ours.OpenAIFunctionsAgentOutputParser,
        [FUNCTION, "48.3"],
        None,
    ),
}
"""The prompt, the tool, our parser, two turns of a model, and one that cannot be read."""


def executor(name: str, parser: Any, replies: list[Any], **options: Any) -> AgentExecutor:
    """LangChain's agent of this name, whose last step is *parser* if there is one."""
    prompt, tool, *_ = AGENTS[name]
    create: Any = getattr(lc_agents, f"create_{name}_agent")
    agent: Any = create(chat(*replies), [tool], prompt)
    if parser is not None:
        agent = RunnableSequence(*agent.steps[:-1], parser)
    return AgentExecutor(agent=agent, tools=[tool], return_intermediate_steps=True, **options)


def run(executor: AgentExecutor, how: str) -> Any:
    given = {"input": "How large is Lake Thun?"}
    if how == "invoke":
        return executor.invoke(given)
    if how == "ainvoke":
        return asyncio.run(executor.ainvoke(given))
    if how == "stream":
        return [*executor.stream(given)]
    if how == "iter":
        return [*executor.iter(given)]

    async def listed() -> list[Any]:
        return [chunk async for chunk in executor.astream(given)]

    return asyncio.run(listed())


every_way = pytest.mark.parametrize("how", ["invoke", "ainvoke", "stream", "astream", "iter"])


def without_ids(value: Any) -> Any:
    """Return *value* without what differs from run to run."""
    if isinstance(value, BaseMessage):
        return value.model_copy(update={"id": None})
    if isinstance(value, lc.AgentActionMessageLog):
        return type(value).__name__, value.tool, value.tool_input, value.log
    if isinstance(value, lc.AgentAction | lc.AgentFinish):
        return type(value).__name__, value.log, vars(value)
    if isinstance(value, lc.AgentStep):
        return without_ids(value.action), value.observation
    if isinstance(value, dict):
        return {key: without_ids(each) for key, each in value.items()}
    if isinstance(value, list | tuple):
        return [without_ids(each) for each in value]
    return value


@pytest.mark.one_in(2)
@every_way
@pytest.mark.parametrize("stream", [True, False], ids=["streamed", "whole"])
@pytest.mark.parametrize("agent", AGENTS)
def test_its_agents_run_our_parsers_as_their_own(agent: str, stream: bool, how: str) -> None:
    _, _, parser, replies, _ = AGENTS[agent]
    expected = run(executor(agent, None, replies, stream_runnable=stream), how)
    found = run(executor(agent, parser(), replies, stream_runnable=stream), how)
    assert without_ids(found) == without_ids(expected)


@pytest.mark.parametrize("how", ["invoke", "ainvoke"])
@pytest.mark.parametrize("agent", [name for name, (*_, bad) in AGENTS.items() if bad])
def test_its_agents_handle_our_errors_as_their_own(agent: str, how: str) -> None:
    _, _, parser, replies, bad = AGENTS[agent]
    options = {"handle_parsing_errors": True, "max_iterations": 3}
    expected = run(executor(agent, None, [bad, *replies], **options), how)
    found = run(executor(agent, parser(), [bad, *replies], **options), how)
    assert found["output"] == expected["output"]
    tools = [action.tool for action, _ in found["intermediate_steps"]]
    assert tools == [action.tool for action, _ in expected["intermediate_steps"]]


def test_create_react_agent_takes_our_parser_and_shows_the_model_our_observation() -> None:
    for parser in (get_parser("react", tools=[plain]), ours.ReActSingleInputOutputParser()):
        model: Any = chat("hm", ACT, ANSWER)
        agent = create_react_agent(model, [plain], TEXT, output_parser=parser)  # type: ignore[arg-type]
        done = AgentExecutor(agent=agent, tools=[plain], handle_parsing_errors=True).invoke(
            {"input": "?"}
        )
        assert done["output"] == "48.3"
        with pytest.raises(ours.OutputParserException) as raised:
            parser.parse("hm")
        assert str(raised.value.observation) in model.prompts[1][0].content


def test_a_parser_of_ones_own_runs_too() -> None:
    class Shout(ours.AgentOutputParser):
        def parse(self, text: str) -> ours.AgentAction | ours.AgentFinish:
            if text == "?":
                raise ours.OutputParserException("no")
            if text.isupper():
                return ours.AgentFinish({"output": text}, text)
            return ours.AgentAction("area", text, text)

    done = run(executor("react", Shout(), ["Thun", "48.3!".upper() + "X"]), "invoke")
    assert done["output"] == "48.3!X"
    done = run(executor("react", Shout(), ["?", "X"], handle_parsing_errors="Go on."), "invoke")
    assert done["intermediate_steps"][0][0].tool == "_Exception"


def test_a_parser_of_ones_own_may_wait() -> None:
    class Waits(ours.AgentOutputParser):
        def parse(self, text: str) -> ours.AgentAction | ours.AgentFinish:
            raise AssertionError("the other one is asked")

        async def aparse(self, text: str) -> ours.AgentAction | ours.AgentFinish:
            await asyncio.sleep(0)
            return ours.AgentFinish({"output": text}, text)

    for parser in (Waits(), Waits().as_langchain()):
        for how in ("ainvoke", "astream"):
            for stream in (True, False):
                done: Any = run(executor("react", parser, ["48.3"], stream_runnable=stream), how)
                assert (done[-1] if how == "astream" else done)["output"] == "48.3"
    assert asyncio.run(Waits().as_langchain().aparse("x")) == lc.AgentFinish({"output": "x"}, "x")


# -- what a pipeline returns -----------------------------------------------------------------------


def said(text: Any) -> Runnable[Any, Any]:
    return RunnableLambda(lambda _: text if isinstance(text, BaseMessage) else AIMessage(text))


CASES: list[tuple[Any, Any, type[Any], type[Any]]] = [
    (get_parser("react"), ACT, lc.AgentAction, ours.AgentAction),
    (get_parser("react"), ANSWER, lc.AgentFinish, ours.AgentFinish),
    (
        get_parser("openai_functions"),
        FUNCTION,
        lc.AgentActionMessageLog,
        ours.AgentActionMessageLog,
    ),
    (
        get_parser("tools"),
        AIMessage("", tool_calls=[CALL]),
        LcToolAgentAction,
        ours.ToolAgentAction,
    ),
]
every_case = pytest.mark.parametrize(
    ("parser", "text", "theirs", "own"), CASES, ids=[own.__name__ for *_, own in CASES]
)


def only(result: Any) -> Any:
    return result[0] if isinstance(result, list) else result


@every_case
def test_a_result_is_of_both_libraries(parser: Any, text: Any, theirs: Any, own: Any) -> None:
    pipeline: Any = said(text) | parser

    async def listed() -> list[Any]:
        return [result async for result in pipeline.astream("?")]

    results = [
        pipeline.invoke("?"),
        asyncio.run(pipeline.ainvoke("?")),
        *pipeline.batch(["?"]),
        *pipeline.batch(["?"], return_exceptions=True),
        *asyncio.run(pipeline.abatch(["?"])),
        *pipeline.stream("?"),
        *asyncio.run(listed()),
        RunnablePassthrough.assign(turn=pipeline).invoke({})["turn"],
    ]
    assert len(results) == 8
    plain_result = only(parser.invoke(text))
    wrapped = only(parser.as_langchain().invoke(text))
    for result in map(only, results):
        assert isinstance(result, theirs)
        assert isinstance(result, own)
        assert result == plain_result
        assert plain_result == result
        assert result == wrapped
        assert wrapped == result
        assert result != 7
        assert result.model_dump() == wrapped.model_dump()
        assert repr(result) == repr(wrapped)
        again = pickle.loads(pickle.dumps(result))
        assert type(again) is type(result)
        assert again == result


@every_case
def test_without_langchain_to_run_it_a_result_is_ours(
    parser: Any, text: Any, theirs: Any, own: Any
) -> None:
    assert not isinstance(only(parser.invoke(text)), theirs)
    for config in ({}, {"max_concurrency": 1}, {"callbacks": []}, {"callbacks": None}):
        assert type(only(parser.invoke(text, config))) is own
        assert type(only(asyncio.run(parser.ainvoke(text, config)))) is own
        assert type(only(parser.batch([text], config)[0])) is own
        assert [type(only(result)) for result in parser.transform(iter([text]), config)] == [own]


def test_several_calls_share_their_message() -> None:
    text = get_parser("hermes").render(
        [ours.AgentAction("area", {"lake": lake}, "") for lake in ("Thun", "Brienz")]
    )
    parser = get_parser("hermes")
    first, second = (said(text) | parser).invoke("?")
    assert first.message_log[0] is second.message_log[0]
    pad = parser.format_scratchpad([(first, "48.3"), (second, "29.8")])
    plain_actions: Any = parser.parse(text)
    assert pad == parser.format_scratchpad(
        [(action, seen) for action, seen in zip(plain_actions, ("48.3", "29.8"), strict=True)]
    )


@pytest.mark.parametrize("wrap", [False, True], ids=["as it is", "as_langchain"])
@pytest.mark.parametrize(
    ("door", "text"), [("react", ACT), ("tools", AIMessage("", tool_calls=[CALL]))]
)
def test_a_loop_of_ones_own_writes_its_steps_with_our_parser(
    door: str, text: Any, wrap: bool
) -> None:
    parser: Any = get_parser(door, tools=[area])
    action = only((said(text) | (parser.as_langchain() if wrap else parser)).invoke("?"))
    mine = only(parser.invoke(text))
    assert parser.render_prompt("?", [(action, "48.3")]) == parser.render_prompt(
        "?", [(mine, "48.3")]
    )
    assert to_langchain([(action, "48.3")]) == to_langchain([(mine, "48.3")])
    assert ours.ToolSet([area]).call(action) == "48.3 km²"
    if not wrap:
        step = ours.AgentStep.model_construct(action=action, observation="48.3")
        assert to_langchain([step]) == to_langchain([(mine, "48.3")])


# -- exceptions ------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "kind"),
    [
        ("hm", ours.OutputParserException),
        (ACT.replace("area", "aria"), ours.UnknownToolError),
        (ACT.replace("Thun", '{"place": 1}'), ours.ToolInputError),
    ],
)
@pytest.mark.parametrize("lenient", [True, False])
def test_an_exception_is_of_both_libraries(text: str, kind: Any, lenient: bool) -> None:
    parser = get_parser("react", tools=[area], lenient=lenient)
    with pytest.raises(kind) as expected:
        parser.parse(text)
    with pytest.raises(LcOutputParserException) as raised:
        (said(text) | parser).invoke("?")
    error: Any = raised.value
    assert isinstance(error, kind)
    assert type(error).__name__ == kind.__name__
    assert error.send_to_llm
    assert error.observation == expected.value.observation
    for same in (error, pickle.loads(pickle.dumps(error))):
        assert isinstance(same, LcOutputParserException)
        assert str(same) == str(expected.value)
        assert same.pointer() == expected.value.pointer()
        assert {**vars(same)} == {**vars(expected.value), "send_to_llm": True}


def test_an_exception_with_an_observation_is_sent_to_the_model() -> None:
    parser = ours.ReActJsonSingleInputOutputParser()
    with pytest.raises(ours.OutputParserException) as alone:
        parser.parse("hm")
    assert not alone.value.send_to_llm
    with pytest.raises(ours.OutputParserException) as raised:
        (said("hm") | parser).invoke("?")
    assert raised.value.send_to_llm
    assert raised.value.observation == alone.value.observation


def test_a_refusal_is_only_ours() -> None:
    refusal = AIMessage("", additional_kwargs={"refusal": "No."})
    with pytest.raises(ModelRefusalError) as raised:
        (said(refusal) | get_parser("tools")).invoke("?")
    assert not isinstance(raised.value, LcOutputParserException)


def test_a_parser_older_than_langchains_import_returns_results_of_both() -> None:
    code = (
        "import agent_parsers\n"
        "parser = agent_parsers.get_parser('react')\n"
        "from langchain_core.agents import AgentFinish\n"
        "from langchain_core.language_models import FakeListChatModel\n"
        "model = FakeListChatModel(responses=['Final Answer: 42'])\n"
        "assert isinstance((model | parser).invoke('x'), AgentFinish)\n"
        "assert isinstance([*(model | parser).stream('x')][0], AgentFinish)\n"
        "assert isinstance((model | parser).invoke('x'), agent_parsers.AgentFinish)\n"
    )
    subprocess.run([sys.executable, "-c", code], check=True)
