"""Messages that a model did not write: what the user, a tool or the system says makes no call."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING, Any

import langchain_core.messages as lc
import pytest

import outputs
from agent_parsers import AgentFinish, AgentOutputParser, get_parser, list_dialects
from agent_parsers.parsers.named_parsers import StructuredChatOutputParserWithRetries
from agent_parsers.react_single_input import ReActSingleInputOutputParser
from agent_serving.templates import from_response_template, response_template
from output_parsers import JsonOutputParser, StrOutputParser
from outputs import ChatGeneration, from_any

if TYPE_CHECKING:
    from collections.abc import Callable

CALL = '<tool_call>\n{"name": "hoist", "arguments": {"sail": "jib"}}\n</tool_call>'
REACT = 'Action: hoist\nAction Input: {"sail": "jib"}'


def hoist(sail: str) -> str:
    """Hoists a sail."""
    return sail


def chunk(**delta: Any) -> dict[str, Any]:
    return {"object": "chat.completion.chunk", "choices": [{"index": 0, "delta": delta}]}


OTHERS: dict[str, Callable[[str], Any]] = {
    "user": lambda text: {"role": "user", "content": text},
    "tool": lambda text: {"role": "tool", "tool_call_id": "1", "content": text},
    "system": lambda text: {"role": "system", "content": text},
    "developer": lambda text: {"role": "developer", "content": text},
    "function": lambda text: {"role": "function", "name": "hoist", "content": text},
    "another role": lambda text: {"role": "ipython", "content": text},
    "blocks": lambda text: {"role": "user", "content": [{"type": "text", "text": text}]},
    "choice": lambda text: {"choices": [{"message": {"role": "user", "content": text}}]},
    "delta": lambda text: chunk(role="tool", content=text),
    "Anthropic's": lambda text: {
        "type": "message", "role": "user", "content": [{"type": "text", "text": text}]},
    "item": lambda text: {
        "type": "message", "role": "user", "content": [{"type": "input_text", "text": text}]},
    "result": lambda text: {"type": "function_call_output", "call_id": "1", "output": text},
    "human": outputs.HumanMessage,
    "their human": lc.HumanMessage,
    "their system": lc.SystemMessage,
    "their tool": lambda text: lc.ToolMessage(text, tool_call_id="1"),
    "their chunk": lambda text: lc.HumanMessageChunk(content=text),
    "generation": lambda text: ChatGeneration(message=outputs.HumanMessage(text)),
}  # fmt: skip
every_other = pytest.mark.parametrize("other", OTHERS.values(), ids=OTHERS)
every_mode = pytest.mark.parametrize("lenient", [True, False], ids=["lenient", "strict"])


def ways(parser: Any, message: Any) -> list[Callable[[], Any]]:
    """Return all ways to read *message*."""

    async def all_events() -> None:
        async def source() -> Any:
            yield message

        async for _ in parser.aevents(source()):
            pass

    return [
        lambda: parser.invoke(message),
        lambda: asyncio.run(parser.ainvoke(message)),
        lambda: parser.batch([message]),
        lambda: parser.read(message),
        lambda: [*parser.events([message])],
        lambda: asyncio.run(all_events()),
        lambda: [*parser.stream(message)],
    ]


@every_other
@every_mode
@pytest.mark.parametrize(("name", "text"), [("hermes", CALL), ("react", REACT), ("auto", CALL)])
def test_only_a_model_calls(name: str, text: str, other: Any, lenient: bool) -> None:
    options: dict[str, Any] = {} if name == "auto" else {"lenient": lenient}
    parser: Any = get_parser(name, tools=[hoist], **options)
    for way in ways(parser, other(text)):
        with pytest.raises(TypeError, match=r"expected a message from the model \(type 'ai'\)"):
            way()
    with pytest.raises(TypeError, match="expected a message from the model"):
        parser.explain(other(text))


@pytest.mark.parametrize("name", list_dialects())
def test_in_every_dialect(name: str) -> None:
    parser: Any = get_parser(name)
    said = parser.render(AgentFinish({"output": "A jib."}, ""))
    for role, kind in (("user", "human"), ("tool", "tool")):
        message = {"role": role, "content": said, "tool_call_id": "1"}
        with pytest.raises(TypeError, match=f"one of type '{kind}'"):
            parser.read(message)
        with pytest.raises(TypeError, match=f"one of type '{kind}'"):
            parser.stream_parser().feed(message)
    assert parser.read({"role": "assistant", "content": said}).result.output == "A jib."


def test_a_stream_may_not_change_its_role() -> None:
    stream = get_parser("hermes", tools=[hoist]).stream_parser()
    stream.feed(chunk(role="assistant", content="I see."))
    with pytest.raises(TypeError, match="one of type 'tool'"):
        stream.feed(chunk(role="tool", content=CALL))


def test_a_response_template_reads_only_the_model() -> None:
    parser: Any = from_response_template(response_template("hermes"), tools=[hoist])
    for way in (
        parser.invoke,
        parser.stream_parser().feed,
        lambda message: [*parser.stream(message)],
        lambda message: [*parser.events([message])],
    ):
        with pytest.raises(TypeError, match="one of type 'human'"):
            way({"role": "user", "content": CALL})


def test_so_does_a_parser_of_a_user() -> None:
    class Own(AgentOutputParser):
        def parse(self, text: str) -> AgentFinish:
            return AgentFinish({"output": text}, text)

    assert Own().invoke({"role": "assistant", "content": "x"}).log == "x"
    for way in (Own().invoke, lambda message: [*Own().stream(message)]):
        with pytest.raises(TypeError, match="one of type 'human'"):
            way({"role": "user", "content": "x"})


@pytest.mark.parametrize(
    "message", [lc.HumanMessage(REACT), lc.ToolMessage(REACT, tool_call_id="")]
)
def test_the_classes_of_langchain_read_anybodys_message_as_there(message: Any) -> None:
    from langchain_classic.agents.output_parsers import ReActSingleInputOutputParser as Theirs

    theirs: Any = Theirs().invoke(message)
    ours: Any = ReActSingleInputOutputParser().invoke(message)
    assert (ours.tool, ours.tool_input) == (theirs.tool, theirs.tool_input)
    assert [*ReActSingleInputOutputParser().stream(message)] == [ours]
    for options in ({"lenient": True}, {"tools": [hoist]}):
        with pytest.raises(TypeError, match="expected a message from the model"):
            ReActSingleInputOutputParser(**options).invoke(message)


def test_so_does_the_parser_that_asks_again() -> None:
    message = lc.HumanMessage("Fair winds.")
    parser = StructuredChatOutputParserWithRetries()
    found = parser.invoke(message)
    assert isinstance(found, AgentFinish)
    assert found.output == "Fair winds."
    parser.base_parser.lenient = True  # type: ignore[attr-defined]
    with pytest.raises(TypeError, match="expected a message from the model"):
        parser.invoke(message)


def test_other_output_parsers_read_anybodys_message_as_there() -> None:
    assert StrOutputParser().invoke(lc.HumanMessage("x")) == "x"
    assert JsonOutputParser().invoke(outputs.HumanMessage('{"a": 1}')) == {"a": 1}


# -- items of a response ---------------------------------------------------------------------------


def said_by(role: str, text: str) -> dict[str, Any]:
    kind = "output_text" if role == "assistant" else "input_text"
    content = [{"type": kind, "text": text}]
    return {"type": "message", "id": role, "role": role, "content": content}


@pytest.mark.parametrize("role", ["user", "system", "developer"])
@pytest.mark.parametrize("name", ["tools", "hermes"])
@every_mode
def test_a_message_of_another_among_the_items_is_an_error(
    role: str, name: str, lenient: bool
) -> None:
    parser: Any = get_parser(name, tools=[hoist], lenient=lenient)
    items = [said_by(role, CALL), said_by("assistant", "No.")]
    whole = {"object": "response", "status": "completed", "output": items}
    for message in (items, whole):
        with pytest.raises(ValueError, match=f"a message with the role '{role}'"):
            parser.invoke(message)
    for event in (
        {"type": "response.output_item.added", "output_index": 0, "item": items[0]},
        {"type": "response.output_item.done", "output_index": 0, "item": items[0]},
        {"type": "response.completed", "response": whole},
    ):
        with pytest.raises(ValueError, match=f"a message with the role '{role}'"):
            parser.stream_parser().feed(event)
    assert from_any(items[0]).type in ("human", "system")  # one item is a message of the past


def test_a_stream_of_anthropic_is_one_of_the_model() -> None:
    start = {"type": "message_start", "message": {"role": "user", "content": []}}
    with pytest.raises(ValueError, match="the role 'user'"):
        get_parser("tools").stream_parser().feed(start)


# -- explaining a message --------------------------------------------------------------------------


@pytest.mark.parametrize("message", [
    {"role": "assistant", "content": REACT}, outputs.AIMessage(REACT), lc.AIMessage(REACT),
    outputs.Generation(text=REACT),
])  # fmt: skip
@pytest.mark.parametrize("name", ["react", "auto"])
def test_a_message_can_be_explained(message: Any, name: str) -> None:
    parser: Any = get_parser(name, tools=[hoist])
    assert parser.explain(message).render() == parser.explain(REACT).render()


def test_the_end_of_a_message_is_explained() -> None:
    parser: Any = get_parser("hermes", tools=[hoist])
    half = CALL[: CALL.index('"jib"') + 2]
    for ended, reason in (("stop", "stop"), ("length", "length")):
        message = outputs.AIMessage(half, response_metadata={"finish_reason": reason})
        expected = parser.explain(half, ended=ended)
        assert str(parser.explain(message)) == str(expected)


@pytest.mark.parametrize("name", ["hermes", "auto"])
def test_what_is_wrong_with_a_message_is_explained(name: str) -> None:
    parser: Any = get_parser(name, tools=[hoist])
    refused = parser.explain({"role": "assistant", "content": "", "refusal": "No."})
    assert "refused" in str(refused.error)
    with pytest.raises(TypeError, match="expected a str, a message or a generation"):
        parser.explain(5)


def test_chunks_to_explain_are_texts() -> None:
    parser: Any = get_parser("react")
    with pytest.raises(TypeError, match="takes chunks of text, not AIMessageChunk"):
        list(parser.explain_chunks(["Final ", outputs.AIMessageChunk("Answer: 7")]))
