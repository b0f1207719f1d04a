"""In strict mode label and tag parsers match LangChain's, except where the docs say so."""

import pickle
import re
from typing import Any

import pytest
from hypothesis import assume, example, given
from hypothesis import strategies as st
from langchain_classic.agents.conversational.output_parser import (
    ConvoOutputParser as LangChainConvoTextOutputParser,
)
from langchain_classic.agents.format_scratchpad.xml import format_xml
from langchain_classic.agents.mrkl.output_parser import (
    MRKLOutputParser as LangChainMRKLOutputParser,
)
from langchain_classic.agents.output_parsers import (
    SelfAskOutputParser as LangChainSelfAskOutputParser,
)
from langchain_classic.agents.output_parsers import (
    XMLAgentOutputParser as LangChainXMLAgentOutputParser,
)
from langchain_core.agents import AgentAction as LangChainAgentAction

from agent_laws import texts
from agent_parsers import (
    AgentAction,
    AgentFinish,
    ConvoTextOutputParser,
    MRKLOutputParser,
    OutputParserException,
    SelfAskOutputParser,
    XMLAgentOutputParser,
    get_dialect,
)
from agent_parsers.testing import cut

PARSERS = {
    "xml": (XMLAgentOutputParser(), LangChainXMLAgentOutputParser()),
    "self_ask": (SelfAskOutputParser(), LangChainSelfAskOutputParser()),
    "mrkl": (MRKLOutputParser(), LangChainMRKLOutputParser()),
    "conversational": (ConvoTextOutputParser(), LangChainConvoTextOutputParser()),
}
MARKERS = {
    "xml": [
        *("<tool>", "</tool>", "<tool_input>", "</tool_input>"),
        *("<final_answer>", "</final_answer>"),
    ],
    "self_ask": [
        *("Follow up:", "Followup:", "\nFollow up: ", "So the final answer is:"),
        *("So the final answer is: ", "\nSo the final answer is: ", "Intermediate answer:"),
    ],
    "mrkl": [
        *("Action:", "\nAction:", "Action Input:", "\nAction Input:", "Action 1:"),
        *("Action 1 Input 2:", "Final Answer:", "\nFinal Answer:", "Thought:", "\nObservation:"),
    ],
    "conversational": [
        *("Action: ", "\nAction: ", "Action Input: ", "\nAction Input: ", "Action:"),
        *("AI:", "\nAI: ", "Thought: ", "Do I need to use a tool? No"),
    ],
}
VALUES = ["a", "b c", " ", "\n", "\n\n", '"x"', '"', 'SELECT "a"', "x: y", "[[tool]]", "[[/tool]]"]


def near(name: str) -> st.SearchStrategy[str]:
    """Texts made of the markers of a dialect, values between them, and anything."""
    part = st.sampled_from([*MARKERS[name], *VALUES])
    made = st.lists(part, max_size=9).map("".join)
    return made | made | st.deferred(lambda: texts(get_dialect(name), "strict"))


def as_reported(parse: Any, text: str) -> dict[str, Any]:
    try:
        result: dict[str, Any] = parse(text).model_dump()
    except ValueError as error:
        message = str(error).partition("\nFor troubleshooting, visit:")[0]
        fields = {"message": message, "observation": getattr(error, "observation", None)}
        return {**fields, "sent": getattr(error, "send_to_llm", False)}
    return result


def both(name: str, text: str) -> tuple[dict[str, Any], dict[str, Any]]:
    """Return the outcomes of our parser and LangChain's for *text*; ours has an observation."""
    ours, theirs = (as_reported(parser.parse, text) for parser in PARSERS[name])
    if "message" in theirs and "message" in ours:
        assert ours["observation"]
        if theirs["observation"] is None:
            ours["observation"] = None
    return ours, theirs


def unquoted(text: str) -> str:
    return text.strip(" ").strip('"')


# -- self-ask ------------------------------------------------------------------------------------


@given(near("self_ask"))
@example("Follow up: What leaves at 10:45?")
@example("Yes.\nFollow up: a\n")
@example("Therefore, So the final answer is: a ")
def test_self_ask_is_langchains_but_for_what_follows_the_marker(text: str) -> None:
    ours, theirs = both("self_ask", text)
    line = text.rsplit("\n", 1)[-1]
    if "tool" in theirs:
        asked = min(line.find(m) + len(m) for m in ("Follow up:", "Followup:") if m in line)
        theirs["tool_input"] = line[asked:].strip()
    elif "return_values" in theirs:
        theirs["return_values"] = {"output": line.partition("So the final answer is: ")[2]}
    assert ours == theirs


@given(st.text(st.sampled_from("ab c\t'?"), min_size=1))
def test_a_line_that_begins_with_its_marker_and_has_one_colon_is_langchains(text: str) -> None:
    for marker in ("Follow up:", "Followup: ", "So the final answer is: "):
        ours, theirs = both("self_ask", f"Yes.\n{marker}{text}")
        assert ours == theirs


@given(near("self_ask"))
def test_the_markers_of_self_ask_are_the_users_to_choose(text: str) -> None:
    words: Any = {"followups": ["Ask:", "Followup:"], "finish_string": "=> "}
    text = text.replace("Follow up:", "Ask:").replace("So the final answer is: ", "=> ")
    ours = as_reported(SelfAskOutputParser(**words).parse, text)
    theirs = as_reported(LangChainSelfAskOutputParser(**words).parse, text)
    assert ours.keys() == theirs.keys()


def test_any_of_the_users_markers_is_read_leniently() -> None:
    parser = SelfAskOutputParser(
        followups=["Ask:", "Frage:"], finish_string="Answer => ", lenient=True
    )
    result = parser.parse("Ja.\nFrage: Wer war das?")
    assert isinstance(result, AgentAction)
    assert result.tool_input == "Wer war das?"
    assert isinstance(parser.parse("Answer => 7"), AgentFinish)
    assert parser.render(AgentFinish({"output": "7"}, "")) == "Answer => 7"


@pytest.mark.parametrize("words", [{"followups": []}, {"followups": [""]}, {"finish_string": ""}])
def test_a_marker_has_letters(words: Any) -> None:
    with pytest.raises(ValueError):  # noqa: PT011 - what is wrong differs
        SelfAskOutputParser(**words)


# -- MRKL ----------------------------------------------------------------------------------------

ACTION = re.compile(r"Action\s*\d*\s*:[\s]*(.*?)Action\s*\d*\s*Input\s*\d*\s*:", re.DOTALL)


@given(near("mrkl"))
@example("Final Answer: a\n\nAction: b\nAction Input: c")
@example("Final Answer: a\nAction: b\nAction Input: c")
@example('Action: sql\nAction Input: SELECT "a"')
@example("Action: a\nAction Input: b\nFinal Answer: c")
def test_mrkl_is_langchains_but_for_the_end_of_an_answer(text: str) -> None:
    ours, theirs = both("mrkl", text)
    action = ACTION.search(text)
    assume(not re.search(r"\s{17}|\d{17}", text))
    if theirs.get("tool") == "":
        assert "expected the name of a tool" in ours["message"]
        return
    if "return_values" in theirs and action:
        assume(text.count("Final Answer:") == 1)
        answer = text.partition("Final Answer:")[2]
        end = text.find("\n\n", text.find(answer))
        if end < 0:
            theirs["return_values"] = {"output": text[-len(answer) : action.start()].strip()}
        theirs["log"] = text
    if "tool_input" in theirs:
        assert unquoted(ours["tool_input"]) == unquoted(theirs.pop("tool_input"))
        del ours["tool_input"]
    assert ours == theirs


# -- conversational ------------------------------------------------------------------------------


@given(near("conversational"))
@example("Thought: Do I need to use a tool? Yes\nAction: a\nAction Input: b")
@example("Action: a\nAction Input: ask OpenAI: who?")
@example("AI: a\nAI: b")
def test_the_conversational_parser_is_langchains(text: str) -> None:
    ours, theirs = both("conversational", text)
    if theirs.get("tool") == "":
        assert "expected the name of a tool" in ours["message"]
        return
    if "tool_input" in theirs:
        # Only a pair of quotes is removed; white space before an input is not part of it.
        assert unquoted(ours.pop("tool_input").strip()) == unquoted(
            unquoted(theirs.pop("tool_input").strip())
        )
    assert ours == theirs


@given(near("conversational"))
def test_the_prefix_of_a_reply_is_the_users_to_choose(text: str) -> None:
    text = text.replace("AI:", "Ada Bot:")
    ours = as_reported(ConvoTextOutputParser(ai_prefix="Ada Bot").parse, text)
    theirs = as_reported(LangChainConvoTextOutputParser(ai_prefix="Ada Bot").parse, text)
    if "return_values" in theirs:
        assert ours == theirs
    assert "return_values" in theirs or "return_values" not in ours


def test_the_users_prefix_is_read_leniently_and_written() -> None:
    parser = ConvoTextOutputParser(ai_prefix="Ada (bot)", lenient=True)
    reply = parser.render(AgentFinish({"output": "hello"}, ""))
    assert reply.endswith("\nAda (bot): hello")
    assert parser.parse(reply) == AgentFinish({"output": "hello"}, reply)
    assert "Ada (bot): your reply" in parser.get_format_instructions()


# -- XML -----------------------------------------------------------------------------------------

TAGS = re.compile(r"</?(?:tool|tool_input|final_answer)>")
CODES = dict(zip(MARKERS["xml"], "TtIiAa", strict=True))
IN_ORDER = re.compile(r"(?:Aa)*(?:Tt(?:Ii)*)*(?:Aa)*").fullmatch


def tags_of(text: str) -> str:
    return "".join(CODES[tag] for tag in TAGS.findall(text))


@st.composite
def elements(draw: st.DrawFn) -> str:
    """Elements that open and close in order, with anything between them."""
    between = st.sampled_from([*VALUES, "", "<observation>x</observation>"])
    text = [draw(between)]
    for _ in range(draw(st.integers(0, 3))):
        tag = draw(st.sampled_from(["tool", "tool", "tool_input", "tool_input", "final_answer"]))
        text += (f"<{tag}>", draw(between), draw(between), f"</{tag}>", draw(between))
    return "".join(text)


@given(elements() | near("xml"))
@example("<tool>a</tool><tool_input>b</tool_input>")
@example("<final_answer>a</final_answer><final_answer>b</final_answer>")
@example("<final_answer>a</final_answer><tool>b</tool>")
@example("<tool>a</tool><tool>b</tool><tool_input>c</tool_input>")
@example("<tool>a</tool><tool_input>b</tool_input><tool_input>c</tool_input>")
@example("prose")
@example("<observation>1461\n<thinking>I see.</thinking>\n<tool>a</tool><tool_input>b</tool_input>")
def test_elements_in_order_are_read_as_langchain_reads_them(text: str) -> None:
    assume(IN_ORDER(tags_of(text)))
    assume("<tool>" not in text or text.count("<final_answer>") < 2)  # it acts beside two answers
    before = text.partition("<tool>")[0]
    opens, closes = "<thinking>", "</thinking>"  # no call in an open thought acts
    assume(text.count(opens) == text.count(closes))
    assume(before.count(opens) == before.count(closes))
    assume(before.rfind(opens) <= before.rfind(closes))
    assume("/tool_input>" not in text.replace("</tool_input>", ""))  # half a mark
    ours, theirs = both("xml", text)
    if "tool" in theirs:
        theirs["tool"] = theirs["tool"].strip()
    if theirs.get("tool") == "":
        assert "expected the name of a tool" in ours["message"]
        return
    assert ours == theirs


def test_no_call_in_a_thought_acts_behind_an_invented_observation() -> None:
    call = "<tool>a</tool><tool_input>b</tool_input>"
    with pytest.raises(OutputParserException, match="before any <tool>"):
        XMLAgentOutputParser().parse(f"<observation>1461</observation><thinking>{call}</thinking>")


@given(near("xml"))
def test_an_unescaped_value_is_langchains(text: str) -> None:
    assume(IN_ORDER(tags_of(text)))
    ours = as_reported(XMLAgentOutputParser(escape_format=None).parse, text)
    theirs = as_reported(LangChainXMLAgentOutputParser(escape_format=None).parse, text)
    if "return_values" in theirs or "tool_input" in ours:
        for key in ("return_values", "tool_input"):
            assert ours.get(key) == theirs.get(key)


@given(st.sampled_from(["a", " a ", "a < b", "[[tool]]", "<b>"]))
def test_an_input_may_lack_its_end(value: str) -> None:
    whole = f"<tool>s</tool><tool_input>{value}"
    result = PARSERS["xml"][0].parse(whole)
    assert isinstance(result, AgentAction)
    assert result.tool_input == value.replace("[[tool]]", "<tool>").rstrip()


def test_an_input_without_its_end_holds_no_tag() -> None:
    with pytest.raises(OutputParserException, match="expected </tool_input> before the next tag"):
        PARSERS["xml"][0].parse("<tool>s</tool><tool_input>a\n<observation>b</observation>")


@pytest.mark.parametrize("value", ["<tool>b</tool>", "<final_answer>b</final_answer>"])
def test_tags_in_a_value_are_data(value: str) -> None:
    result = PARSERS["xml"][0].parse(f"<tool>s</tool><tool_input>{value}</tool_input>")
    assert isinstance(result, AgentAction)
    assert result.tool_input == value
    answer = PARSERS["xml"][0].parse("<final_answer>say <tool>b</tool></final_answer>")
    assert isinstance(answer, AgentFinish)
    assert answer.return_values == {"output": "say <tool>b</tool>"}


@given(
    st.sampled_from(["search", "a<tool>b"]),
    st.lists(st.sampled_from(["a", "<tool>", "</tool_input>", "\n", "<observation>"])).map("".join),
)
def test_an_action_is_written_as_langchain_formats_it(tool: str, value: str) -> None:
    theirs = format_xml([(LangChainAgentAction(tool, value, ""), "seen")])
    parser = XMLAgentOutputParser()
    assume(value.strip() == value)
    assert parser.format_scratchpad([(AgentAction(tool, value, ""), "seen")]) == theirs


def test_a_scratchpad_puts_back_the_tag_that_the_stop_sequence_took() -> None:
    parser = XMLAgentOutputParser(lenient=True)
    log = "I look.\n<tool>a</tool><tool_input>b"
    for ended in (log, f"{log}</tool_input>"):
        action = parser.parse(ended)
        assert isinstance(action, AgentAction)
        pad = parser.format_scratchpad([(action, "seen")])
        assert pad == f"{log}</tool_input><observation>seen</observation>"


# -- all -----------------------------------------------------------------------------------------

every_parser = pytest.mark.parametrize("name", PARSERS)


@every_parser
@given(data=st.data())
def test_a_stream_parses_to_the_same_as_the_whole(name: str, data: st.DataObject) -> None:
    text, size = data.draw(near(name)), data.draw(st.integers(1, 9))
    parser = PARSERS[name][0]

    def streamed(text: str) -> Any:
        stream = parser.stream_parser()
        for piece in cut(text, [size]):
            stream.feed(piece)
        stream.close()
        return stream.result

    assert as_reported(streamed, text) == as_reported(parser.parse, text)


@every_parser
def test_the_type_is_langchains(name: str) -> None:
    ours, theirs = PARSERS[name]
    assert ours._type == theirs._type


@every_parser
def test_an_error_is_a_value_error_with_an_observation(name: str) -> None:
    with pytest.raises(OutputParserException) as caught:
        PARSERS[name][0].parse("prose")
    assert isinstance(caught.value, ValueError)
    assert caught.value.observation


@pytest.mark.parametrize(
    "parser",
    [
        *(ours for ours, _ in PARSERS.values()),
        XMLAgentOutputParser(escape_format=None),
        SelfAskOutputParser(followups=["Ask:"]),
        ConvoTextOutputParser(ai_prefix="Bot"),
    ],
    ids=lambda parser: parser.dialect.name,
)
def test_a_parser_goes_to_another_process_with_its_arguments(parser: Any) -> None:
    again = pickle.loads(pickle.dumps(parser))
    assert again == parser
    assert again.dialect is parser.dialect


def test_the_dialect_follows_an_argument_that_changes() -> None:
    parser = SelfAskOutputParser()
    parser.finish_string = "=> "
    assert isinstance(parser.parse("=> 7"), AgentFinish)


@pytest.mark.parametrize("kind", [MRKLOutputParser, ConvoTextOutputParser])
def test_the_format_instructions_are_the_users_to_choose(kind: Any) -> None:
    assert kind(format_instructions="just do").get_format_instructions() == "just do"
    assert "Action Input" in kind().get_format_instructions()
