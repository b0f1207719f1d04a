"""`as_langchain`: our parsers as LangChain's, and in its pipelines."""

import asyncio
import pickle
import subprocess
import sys
import threading
from typing import Any

import pytest
from langchain_classic.agents import AgentType, initialize_agent
from langchain_classic.agents.agent import AgentOutputParser, MultiActionAgentOutputParser
from langchain_classic.agents.format_scratchpad import format_to_openai_function_messages
from langchain_classic.agents.output_parsers.tools import ToolsAgentOutputParser
from langchain_core._api import LangChainDeprecationWarning
from langchain_core.agents import AgentAction, AgentActionMessageLog, AgentFinish
from langchain_core.exceptions import OutputParserException
from langchain_core.language_models import FakeListChatModel, FakeListLLM, FakeStreamingListLLM
from langchain_core.messages import AIMessage, AIMessageChunk, SystemMessage, ToolMessage
from langchain_core.output_parsers import BaseOutputParser
from langchain_core.outputs import ChatGeneration, Generation
from langchain_core.tools import Tool

import agent_parsers
from agent_parsers import get_parser, list_dialects
from agent_parsers.parsers.event_parser import EventParser

from ...helpers.scripted_chat import ACT, ANSWER, CALL, OTHER, chat, pieces


def test_it_is_an_output_parser_of_langchains() -> None:
    for name in ("react", "hermes", "tools"):
        parser = get_parser(name).as_langchain()
        assert isinstance(parser, BaseOutputParser)
        assert parser._type == get_parser(name)._type
        assert parser.get_format_instructions() == get_parser(name).get_format_instructions()
        assert parser.asdict()["_type"] == parser._type


def test_its_output_type_says_whether_a_turn_may_have_several_calls() -> None:
    one, several = AgentAction | AgentFinish, list[AgentAction] | AgentFinish
    names = {"react": one, "openai_functions": one, "hermes": several, "tools": several}
    assert {name: get_parser(name).as_langchain().OutputType for name in names} == names


def test_a_message_is_read_as_langchain_reads_it() -> None:
    parser = get_parser("tools", lenient=False).as_langchain()
    for message in (
        AIMessage("Both.", tool_calls=[CALL, OTHER], id="run-1", response_metadata={"a": 1}),
        AIMessage("48.3"),
        AIMessage([{"type": "text", "text": "48.3"}]),
    ):
        theirs = ToolsAgentOutputParser().invoke(message)
        ours: Any = parser.invoke(message)
        assert ours == theirs
        assert type(ours) is type(theirs)
        if isinstance(ours, list):
            assert all(action.message_log[0] is message for action in ours)


def test_function_calls_give_actions_with_their_message() -> None:
    parser = get_parser("openai_functions").as_langchain()
    call = {"name": "area", "arguments": '{"lake": "Thun"}'}
    message = AIMessage("", additional_kwargs={"function_call": call})
    action = parser.invoke(message)
    assert type(action) is AgentActionMessageLog
    assert action.message_log == [message]
    steps = [(action, "48.3 km²")]
    assert format_to_openai_function_messages(steps) == parser.format_scratchpad(steps)


def test_several_calls_in_a_text_give_a_list() -> None:
    text = "".join(
        f'<tool_call>\n{{"name": "area", "arguments": {{"lake": "{lake}"}}}}\n</tool_call>\n'
        for lake in ("Thun", "Brienz")
    )
    parser = get_parser("hermes").as_langchain()
    found: Any = parser.parse(text)
    assert isinstance(found, list)
    assert [action.tool_input for action in found] == [{"lake": "Thun"}, {"lake": "Brienz"}]
    assert [message.content for message in found[0].messages] == [text]
    pad = parser.format_scratchpad([(action, "48.3 km²") for action in found])
    assert isinstance(pad, str)
    assert pad.count("<tool_call>") == 2
    assert pad.count("48.3 km²") == 2


def test_it_reads_texts_messages_and_generations() -> None:
    parser = get_parser("react").as_langchain()
    finish = AgentFinish({"output": "48.3"}, ANSWER)
    assert parser.parse(ANSWER) == finish
    assert parser.invoke(ANSWER) == finish
    assert parser.invoke(AIMessage(ANSWER)) == finish
    assert parser.invoke(AIMessage([{"type": "text", "text": ANSWER}])) == finish
    assert parser.parse_result([Generation(text=ANSWER)]) == finish
    assert parser.parse_result([ChatGeneration(message=AIMessage(ANSWER))]) == finish
    assert parser.batch([ANSWER, ANSWER]) == [finish, finish]
    assert parser.parse_with_prompt(ANSWER, None) == finish  # type: ignore[arg-type]  # not used


def test_reading_does_not_wait_for_another_thread() -> None:
    threads = []

    class Parser(agent_parsers.ReActSingleInputOutputParser):
        def parse(self, text: str) -> Any:
            threads.append(threading.current_thread())
            return super().parse(text)

    parser = Parser().as_langchain()

    async def read() -> None:
        await parser.ainvoke(ANSWER)
        await parser.aparse(ANSWER)
        await parser.aparse_result([Generation(text=ANSWER)])

    asyncio.run(read())
    assert threads == [threading.main_thread()] * 3


def test_parsers_of_messages_refuse_texts() -> None:
    with pytest.raises(ValueError, match="Can only parse messages"):
        get_parser("tools", lenient=False).as_langchain().parse("text")


def test_its_exception_has_what_an_executor_needs() -> None:
    for lenient in (True, False):
        parser = get_parser("react", lenient=lenient).as_langchain()
        with pytest.raises(OutputParserException) as raised:
            parser.invoke("hm")
        error = raised.value
        assert error.send_to_llm
        assert error.llm_output == "hm"
        assert error.observation is not None
        cause = error.__cause__
        assert isinstance(cause, agent_parsers.OutputParserException)
        assert str(error) == str(cause)
        assert error.observation == cause.observation


def test_an_error_without_an_observation_is_not_sent() -> None:
    class Parser(agent_parsers.ReActSingleInputOutputParser):
        def parse(self, text: str) -> Any:
            raise agent_parsers.OutputParserException("no")

    with pytest.raises(OutputParserException, match="no") as raised:
        Parser().as_langchain().parse("hm")
    assert not raised.value.send_to_llm


def test_it_can_be_pickled() -> None:
    parser = get_parser("react").as_langchain()
    assert pickle.loads(pickle.dumps(parser)).parse(ANSWER) == parser.parse(ANSWER)


def test_the_steps_of_an_executor_come_back_in_the_form_of_the_dialect() -> None:
    parser = get_parser("react", tools=["area"]).as_langchain()
    steps: list[Any] = [
        (parser.parse(ACT), "48.3\nFinal Answer: 7"),
        (AgentAction("_Exception", "", "hm"), "no"),
    ]
    assert parser.format_scratchpad(steps) == (
        f"{ACT}\nObservation: 48.3\n\\Final Answer: 7\nThought: hm\nObservation: no\nThought:"
    )
    first = parser.render_prompt("?", system="You know lakes.")[0]
    assert isinstance(first, SystemMessage)
    assert str(first.content).startswith("You know lakes.\n\n")


def test_our_own_actions_are_written_as_they_are() -> None:
    ours = get_parser("tools")
    [action] = ours.invoke(AIMessage("", tool_calls=[CALL]))
    _, result = ours.as_langchain().format_scratchpad([(action, "48.3 km²")])
    assert isinstance(result, ToolMessage)
    assert (result.tool_call_id, result.content) == ("1", "48.3 km²")


# -- in pipelines ----------------------------------------------------------------------------------


async def listed(stream: Any) -> list[Any]:
    return [item async for item in stream]


@pytest.mark.parametrize("make", [chat, lambda *texts: FakeStreamingListLLM(responses=[*texts])])
@pytest.mark.parametrize("text", [ACT, ANSWER])
def test_a_stream_gives_the_result_once(make: Any, text: str) -> None:
    parser = get_parser("react").as_langchain()
    expected = [parser.parse(text)]
    assert [*(make(text) | parser).stream("?")] == expected
    assert asyncio.run(listed((make(text) | parser).astream("?"))) == expected
    assert (make(text) | parser).invoke("?") == expected[0]
    assert asyncio.run((make(text) | parser).ainvoke("?")) == expected[0]
    assert [*parser.stream(text)] == expected
    assert [*parser.transform(iter(pieces(text)))] == expected
    assert [*parser.transform(AIMessageChunk(content=t) for t in pieces(text))] == expected
    assert asyncio.run(listed(parser.astream(text))) == expected

    async def later() -> Any:
        for piece in pieces(text):
            yield piece

    assert asyncio.run(listed(parser.atransform(later()))) == expected


def test_a_stream_of_calls_gives_them_once() -> None:
    parser = get_parser("tools").as_langchain()
    message = AIMessage("Both.", tool_calls=[CALL, OTHER])
    found: Any
    [found] = (chat(message) | parser).stream("?")
    assert [action.tool_input for action in found] == [CALL["args"], OTHER["args"]]
    assert [action.tool_call_id for action in found] == ["1", "2"]
    assert found[0].log == parser.invoke(message)[0].log


@pytest.mark.parametrize("name", ["react", "tools"])
def test_a_stream_without_a_chunk_gives_nothing(name: str) -> None:
    assert not [*get_parser(name).as_langchain().transform(iter(()))]


@pytest.mark.parametrize(
    "chunks",
    [
        [AIMessageChunk(content="Final "), "Answer: 7"],
        [AIMessage("Final "), AIMessage("Answer: 7")],
        ["Final ", AIMessageChunk(content="Answer: 7")],
    ],
)
def test_pieces_of_other_kinds_are_those_of_one_turn(chunks: list[Any]) -> None:
    parser = get_parser("react").as_langchain()
    assert [*parser.transform(iter(chunks))] == [AgentFinish({"output": "7"}, "Final Answer: 7")]


def test_a_single_chunk_is_what_invoke_takes() -> None:
    parser = get_parser("react").as_langchain()
    assert [*parser.transform(iter([{"role": "assistant", "content": ANSWER}]))] == [
        parser.parse(ANSWER)
    ]
    for chunks in ([7], ["a", 7]):
        with pytest.raises(TypeError, match="not int"):
            [*parser.transform(iter(chunks))]


def test_a_stream_that_fails_raises_langchains_exception() -> None:
    chain = chat("hm") | get_parser("react").as_langchain()
    with pytest.raises(OutputParserException):
        [*chain.stream("?")]
    with pytest.raises(OutputParserException):
        asyncio.run(listed((chat("hm") | get_parser("react").as_langchain()).astream("?")))


# -- without it ------------------------------------------------------------------------------------


def out_of(code: str) -> str:
    return subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=False
    ).stderr


def test_without_langchain_it_says_what_to_install() -> None:
    error = out_of(
        "import sys; sys.modules['langchain_core'] = None\n"
        "import agent_parsers; agent_parsers.get_parser('react').as_langchain()"
    )
    assert error.splitlines()[-1] == (
        'ImportError: as_langchain() needs langchain-core: pip install "agent-parsers[langchain]"'
    )


def test_without_langchain_classic_there_are_tool_calls_all_the_same() -> None:
    assert not out_of(
        "import sys; sys.modules['langchain_classic'] = None\n"
        "from langchain_core.messages import AIMessage\n"
        "import agent_parsers\n"
        "parser = agent_parsers.get_parser('tools').as_langchain()\n"
        "call = {'name': 'area', 'args': {}, 'id': '1'}\n"
        "[action] = parser.invoke(AIMessage('', tool_calls=[call]))\n"
        "assert action.tool_call_id == '1'\n"
        "[_, result] = parser.format_scratchpad([(action, 'x')])\n"
        "assert (result.tool_call_id, result.content) == ('1', 'x')\n"
    )


def test_every_parser_has_it() -> None:
    for name in (*list_dialects(), "tools", "openai_tools", "openai_functions"):
        assert isinstance(get_parser(name), EventParser)


# -- in the agents of `langchain_classic` ----------------------------------------------------------


def test_its_agents_take_it_for_one_of_their_parsers() -> None:
    one = get_parser("react").as_langchain()
    several = get_parser("hermes").as_langchain()
    assert isinstance(one, AgentOutputParser)
    assert not isinstance(one, MultiActionAgentOutputParser)
    assert isinstance(several, MultiActionAgentOutputParser)
    reply = "Thought: Do I need to use a tool? No\nAI: 48.3 km²"
    with pytest.warns(LangChainDeprecationWarning):
        executor = initialize_agent(
            [Tool("area", str, "Looks up an area.")],
            FakeListLLM(responses=[reply]),
            agent=AgentType.CONVERSATIONAL_REACT_DESCRIPTION,
            agent_kwargs={"output_parser": agent_parsers.ConvoTextOutputParser().as_langchain()},
        )
    assert executor.invoke({"input": "?", "chat_history": ""})["output"] == "48.3 km²"


@pytest.mark.filterwarnings("ignore::DeprecationWarning")
def test_instructions_of_the_conversational_agent_survive_two_formats() -> None:
    tools = [Tool("area", str, "Looks up an area.")]
    blob = '```json\n{"action": "Final Answer", "action_input": "48.3 km²"}\n```'
    for parser in (
        agent_parsers.ConvoOutputParser(),
        agent_parsers.ConvoOutputParser(tools=[depth_in_json]),
    ):
        model = FakeListChatModel(responses=[blob])
        executor = initialize_agent(
            tools,
            model,
            agent=AgentType.CHAT_CONVERSATIONAL_REACT_DESCRIPTION,
            agent_kwargs={"output_parser": parser.as_langchain()},
        )
        assert executor.invoke({"input": "?", "chat_history": []})["output"] == "48.3 km²"
        prompt = executor.agent.llm_chain.prompt  # type: ignore[union-attr]
        given = {"input": "?", "chat_history": [], "agent_scratchpad": []}
        told = prompt.format_messages(**given)[-1].content
        wanted = parser.get_format_instructions()
        wanted = wanted.replace("{tools}", "> area: Looks up an area.")
        assert wanted.replace("{tool_names}", "area") in told


def depth_in_json(lake: str) -> str:
    """Tells how deep a lake is, as in {"depth": 217} and {tools}."""
    return lake


@pytest.mark.parametrize("name", ["react", "hermes", "tools"])
def test_a_chain_with_it_has_a_schema_and_a_graph(name: str) -> None:
    chain = chat(ANSWER) | get_parser(name).as_langchain()
    assert chain.get_output_jsonschema()
    assert len(chain.get_graph().nodes) == 4
    assert chain.get_graph().draw_mermaid()
