"""Turns with several calls: their results, where they begin, and how they are written."""

import contextlib
import pickle
import re
from collections.abc import AsyncIterator

import pytest

from agent_parsers import (
    ActionComplete,
    AgentAction,
    AgentFinish,
    AgentStep,
    AnswerDelta,
    DialectParser,
    MultiActionAgentOutputParser,
    MultiActionDialectParser,
    OutputParserException,
    ToolAgentAction,
    ToolInputError,
    UnknownToolError,
    get_dialect,
    get_parser,
    list_dialects,
)
from outputs import AIMessage, HumanMessage

ONE = '<tool_call>\n{"name": "find", "arguments": {"lake": "Thun"}}\n</tool_call>'
TWO = '<tool_call>\n{"name": "clock", "arguments": {}}\n</tool_call>'
TURN = f"<think>\nBoth.\n</think>\n\nLet me see.\n{ONE}\n{TWO}"


def find(lake: str, depth: int = 1) -> str:
    """Finds a lake."""
    raise NotImplementedError(lake, depth)


def clock() -> str:
    """Tells the time."""
    raise NotImplementedError


def parser_of(name: str, **options: object) -> MultiActionDialectParser:
    parser = get_parser(name, **options)  # type: ignore[arg-type]
    assert isinstance(parser, MultiActionDialectParser)
    return parser


HERMES = parser_of("hermes")


def calls(text: str) -> list[AgentAction]:
    found = HERMES.parse(text)
    assert isinstance(found, list)
    return found


# -- the result of a turn -------------------------------------------------------------------------


def test_calls_are_actions_in_their_order() -> None:
    first, second = calls(TURN)
    assert isinstance(HERMES, MultiActionAgentOutputParser)
    assert isinstance(first, ToolAgentAction)
    assert (first.tool, first.tool_input, first.log) == ("find", {"lake": "Thun"}, TURN)
    assert (second.tool, second.tool_input, second.log) == ("clock", {}, TURN)
    assert first.message_log == second.message_log == [AIMessage(TURN)]
    assert first.tool_call_id is None


def test_content_and_thought_are_distinguished() -> None:
    turn = HERMES.read(TURN)
    assert (turn.thought, turn.content, len(turn.result)) == ("Both.", "Let me see.", 2)  # type: ignore[arg-type]
    turn = HERMES.read(f"One.\n{ONE}\nTwo.\n{TWO}\nThree.")
    assert turn.content == "One.\nTwo.\nThree."
    assert [event.text for event in turn.events if isinstance(event, AnswerDelta)] == [
        "One.", "Two.", "Three.",
    ]  # fmt: skip


def test_without_a_call_the_content_is_the_answer() -> None:
    turn = HERMES.read("<think>\nEasy.\n</think>\n\n217 m")
    assert isinstance(turn.result, AgentFinish)
    assert turn.result.return_values == {"output": "217 m"}
    assert (turn.thought, turn.content) == ("Easy.", "217 m")


def test_one_wrong_call_is_the_error_of_the_turn() -> None:
    strict = parser_of("hermes", lenient=False)
    with pytest.raises(OutputParserException, match="expected"):
        strict.parse(f"{ONE}\n<tool_call>\nnone\n</tool_call>")


def test_in_lenient_mode_text_in_a_block_that_is_not_a_call_is_an_error_too() -> None:
    with pytest.raises(OutputParserException, match="expected a call with the name of a tool"):
        HERMES.parse(f"{ONE}\n<tool_call>\nnone\n</tool_call>")
    turn = HERMES.read(f"{ONE}\n<tool_call>\n</tool_call>")
    assert [action.tool for action in turn.result] == ["find"]  # type: ignore[union-attr]
    assert [repair.kind for repair in turn.repairs] == ["empty_call"]


def test_every_call_is_checked_by_its_tool() -> None:
    parser = parser_of("hermes", tools=[find, clock])
    with pytest.raises(UnknownToolError):
        parser.parse(f"{ONE}\n{TWO.replace('clock', 'watch')}")
    with pytest.raises(ToolInputError, match="lake") as caught:
        parser.parse(f"{TWO}\n{ONE.replace('lake', 'pond')}")
    assert '{"name": "find", "arguments": {"lake": "Thun"}}' in str(caught.value.observation)


def test_text_has_the_types_of_the_tool() -> None:
    text = (
        "<tool_call>\n<function=find>\n<parameter=lake>\n7\n</parameter>\n"
        "<parameter=depth>\n7\n</parameter>\n</function>\n</tool_call>"
    )
    for tools, lake in ((None, {"lake": "7", "depth": "7"}), ([find], {"lake": "7", "depth": 7})):
        (action,) = parser_of("qwen3_coder", tools=tools).parse(text)  # type: ignore[misc]
        assert action.tool_input == lake


async def chunks(text: str) -> AsyncIterator[str]:
    for char in text:
        yield char


@pytest.mark.anyio
async def test_every_door_leads_to_the_same_calls() -> None:
    found = calls(TURN)
    assert HERMES.invoke(TURN) == await HERMES.ainvoke(TURN) == found
    assert HERMES.invoke(AIMessage(TURN)) == found
    assert HERMES.batch([TURN]) == [found]
    assert [e.action for e in HERMES.events(TURN) if isinstance(e, ActionComplete)] == found
    events = [event async for event in HERMES.aevents(chunks(TURN))]
    assert [event.action for event in events if isinstance(event, ActionComplete)] == found


# -- which parser it is ---------------------------------------------------------------------------


def test_a_dialect_of_several_calls_has_a_parser_of_its_own() -> None:
    with pytest.raises(ValueError, match="hermes may have several calls in a turn: use"):
        DialectParser(dialect=get_dialect("hermes"))
    with pytest.raises(ValueError, match="react has one call in a turn: use DialectParser"):
        MultiActionDialectParser(dialect=get_dialect("react"))


def test_a_parser_can_be_pickled() -> None:
    parser = pickle.loads(pickle.dumps(parser_of("qwen3", start="thought")))
    assert parser.dialect is get_dialect("hermes")
    assert parser.read("Hm.</think>Yes.").thought == "Hm."


# -- where a text begins --------------------------------------------------------------------------

SUNNY = "Sunny.</think>Hi"


@pytest.mark.parametrize(
    ("options", "thought", "content"),
    [
        ({"start": "thought"}, "Sunny.", "Hi"),
        ({"prompt": "<|im_start|>assistant\n<think>\n"}, "Sunny.", "Hi"),
    ],
)
def test_a_prompt_may_open_a_thought(options: dict[str, str], thought: str, content: str) -> None:
    turn = parser_of("hermes", **options).read(SUNNY)
    assert (turn.thought, turn.content, turn.repairs) == (thought, content, ())


def test_repeating_the_prompt_is_not_text() -> None:
    turn = parser_of("hermes", start="thought").read(f"<think>{SUNNY}")
    assert (turn.thought, turn.content) == ("Sunny.", "Hi")


def test_a_thought_that_the_prompt_opened_may_not_end_the_text() -> None:
    parser = parser_of("hermes", start="thought")
    with pytest.raises(OutputParserException, match="reasoning"):
        parser.parse("Hm.")
    assert HERMES.parse("Hm.") == AgentFinish({"output": "Hm."}, "Hm.")


@pytest.mark.parametrize("prompt", ["<think>\n\n</think>\n\n", "<|im_start|>assistant\n", "Why?"])
def test_after_any_other_prompt_it_is_content(prompt: str) -> None:
    turn = parser_of("hermes", prompt=prompt).read("Hi")
    assert (turn.thought, turn.content) == ("", "Hi")


@pytest.mark.parametrize("options", [{"start": "thought"}, {"prompt": "Why?\n<think>"}])
def test_thoughts_compose_with_any_dialect(options: dict[str, str]) -> None:
    action = "Action: search\nAction Input: Thun"
    parser = get_parser("react", **options)  # type: ignore[arg-type]
    text = f"Action: none\nFinal Answer: 1</think>\n{action}"
    turn = parser.read(text)
    assert isinstance(turn.result, AgentAction)
    assert (turn.result.tool, turn.result.tool_input) == ("search", "Thun")
    assert turn.thought == "Action: none\nFinal Answer: 1"
    assert parser.parse(text) == turn.result
    assert parser.explain(text).result == turn.result
    with pytest.raises(OutputParserException, match="reasoning"):
        parser.parse(action)


@pytest.mark.parametrize("name", ["command_r", "granite", "jamba", "llama3_json", "seed_oss"])
def test_a_prompt_may_open_a_thought_in_marks_that_a_dialect_does_not_write(name: str) -> None:
    parser = parser_of(name)
    call = parser.render(CLOCK)
    for options in ({"prompt": "<think>\n"}, {"prompt": "[THINK]"}):
        closer = options["prompt"].strip().replace("<", "</").replace("[", "[/")
        parser = parser_of(name, **options)
        assert parser.read(f"Hm. {call}{closer}Yes.").content == "Yes."
        with pytest.raises(OutputParserException):
            parser.parse(f"{call}{closer}")
        if name == "llama3_json":  # no mark opens its calls
            with pytest.raises(OutputParserException):
                parser.parse(call)
        else:
            assert "open_reasoning" in {each.kind for each in parser.read(call).repairs}


@pytest.mark.parametrize("closer", ["</think>", "[/THINK]"])
def test_behind_a_closed_thought_what_closes_one_is_text_only_if_quoted(closer: str) -> None:
    for options in ({"start": "content"}, {"prompt": f"{closer.replace('/', '')}\n\n{closer}"}):
        parser = parser_of("hermes", **options)
        turn = parser.read(f"Write\n{closer}\nto close it.")
        assert turn.content == "Write\nto close it."
        assert "closer" in {each.kind for each in turn.repairs}
        for text in (f"Write\n```\n{closer}\n```", f"Write `{closer}`.", f"Write {closer} here."):
            turn = parser.read(text)
            assert (turn.content, turn.repairs) == (text, ())


def test_gpt_oss_begins_in_a_header_unless_the_prompt_goes_on() -> None:
    prompt = "<|start|>assistant<|channel|>analysis<|message|>"
    turn = parser_of("harmony", prompt=prompt).read(
        "Hm.<|end|><|start|>assistant<|channel|>final<|message|>Hi"
    )
    assert (turn.thought, turn.content) == ("Hm.", "Hi")


def test_an_unknown_start_is_rejected() -> None:
    with pytest.raises(ValueError, match=r"no start='thought' in strict mode; allowed: none"):
        get_parser("react", lenient=False, start="thought")
    with pytest.raises(ValueError, match="pass only one of them"):
        get_parser("hermes", start="thought", prompt="<think>")


# -- the way back ---------------------------------------------------------------------------------

FIND = AgentAction("find", {"lake": "Thun"}, "")
CLOCK = AgentAction("clock", {}, "")


def test_a_turn_of_several_calls_is_written_as_it_is_read() -> None:
    text = HERMES.render([FIND, CLOCK], thought="Both.", content="Let me see.")
    assert text == TURN
    assert HERMES.render(FIND) == ONE


def test_a_turn_is_written_with_what_the_tools_returned() -> None:
    seen = (
        "<|im_end|>\n<|im_start|>user\n<tool_response>\n217 m\n</tool_response>\n"
        "<tool_response>\nnoon\n</tool_response><|im_end|>\n<|im_start|>assistant\n"
    )
    steps = [(FIND, "217 m"), (CLOCK, "noon")]
    assert HERMES.render(steps) == f"{ONE}\n{TWO}{seen}"
    assert HERMES.render([AgentStep(action=a, observation=o) for a, o in steps]).endswith(seen)


def test_calls_of_one_turn_share_its_log_in_the_scratchpad() -> None:
    first, second = calls(TURN)
    pad = HERMES.format_scratchpad([(first, "217 m"), (second, "noon"), (CLOCK, "one")])
    assert pad.count(TURN) == 1
    assert pad.count("<|im_end|>\n<|im_start|>user\n") == 2
    restored = [action.model_copy(deep=True) for action in (first, second)]
    again = HERMES.format_scratchpad([*zip(restored, ("217 m", "noon"), strict=True)])
    assert pad.startswith(again)


def test_nothing_but_the_frame_stands_between_turns() -> None:
    pad = parser_of("harmony").format_scratchpad([(CLOCK, "noon"), (CLOCK, "one")])
    assert "<|end|><|start|>assistant to=functions.clock" in pad


def test_the_same_turn_again_is_another_turn() -> None:
    steps = [(action, "x") for text in (ONE, ONE) for action in calls(text)]
    assert HERMES.format_scratchpad(steps).count(ONE) == 2


def test_an_end_token_that_the_server_left_in_is_not_doubled() -> None:
    log = f"{ONE}<|im_end|>"
    pad = HERMES.format_scratchpad([(calls(log)[0], "217 m")])
    assert pad.startswith(f"{log}\n<|im_start|>user\n")


def test_messages_have_no_marks_of_the_chat_template() -> None:
    _, asked, said, seen = parser_of("hermes", tools=["find"]).render_prompt(
        "How deep?", [(calls(ONE)[0], "217 m")], as_messages=True
    )
    assert asked == HumanMessage("How deep?")
    assert said == AIMessage(ONE)
    assert seen == HumanMessage("<tool_response>\n217 m\n</tool_response>")


@pytest.mark.parametrize(
    ("name", "step", "reason"),
    [
        ("react", [FIND, CLOCK], "react can write only one action in a turn, not 2"),
        ("hermes", [], "hermes cannot write a turn without an action"),
        ("hermes", [FIND, AgentAction("", {}, "")], "without the name of a tool"),
        ("qwen3_coder", [AgentAction("f", {"a": "</parameter>\n</function>"}, "")], "cannot write"),
    ],
)
def test_what_cannot_be_written_is_refused(name: str, step: list[AgentAction], reason: str) -> None:
    with pytest.raises(ValueError, match=reason):
        get_parser(name).render(step)


def test_content_is_refused_where_there_can_be_none() -> None:
    with pytest.raises(ValueError, match="a turn with calls cannot have content as well"):
        get_parser("react").render(AgentAction("a", "b", ""), content="Hm.")


# -- no call is lost ------------------------------------------------------------------------------

SEVERAL = [name for name in list_dialects() if get_dialect(name).several]
SPACES = [
    ("\n", "\n\n"),
    ("\n", "\r\n"),
    ("\n", " "),
    ("\n", ""),
    (", ", ",\n"),
    (", ", " , "),
    ("}, ", "}\n"),
    ("}, ", "}"),
    (" ", "  "),
]


def written(name: str, count: int) -> str:
    """Return a turn of *count* calls, or of one if the dialect has no more."""
    found = [AgentAction(f"look{n}", {"a": f"x{n}"}, "") for n in range(count)]
    parser = parser_of(name)
    with contextlib.suppress(ValueError):
        return parser.render(found)
    return parser.render(found[:1])


@pytest.mark.parametrize("lenient", [False, True])
@pytest.mark.parametrize("name", SEVERAL)
def test_no_call_of_a_turn_is_lost(name: str, lenient: bool) -> None:
    parser = parser_of(name, lenient=lenient)
    for count in (1, 2, 3):
        text = written(name, count)
        if "look1" not in text:
            text = "\n".join(written(name, 1).replace("look0", f"look{n}") for n in range(count))
        calls_in = len({*re.findall(r"look\d", text)})
        ways = [text, *(text.replace(*space) for space in SPACES)]
        for way in [*ways, f"{text}\nI wait.", "\ufeff" * lenient + text]:
            try:
                found = parser.parse(way)
            except OutputParserException:
                continue  # all or none
            if isinstance(found, list):
                assert [action.tool for action in found] == [f"look{n}" for n in range(calls_in)], (
                    way
                )
            else:  # text that does not begin like a call is an answer
                assert way not in (text, ways[1])
                assert "look0" in found.return_values["output"]


@pytest.mark.parametrize("lenient", [False, True])
@pytest.mark.parametrize(
    "name", ["json", "conversational_chat", "structured_chat", "react_json", "chat"]
)
def test_a_list_of_several_actions_is_refused_where_a_turn_has_one(
    name: str, lenient: bool
) -> None:
    parser = get_parser(name, lenient=lenient)
    one = '{"action": "find", "action_input": "Thun"}'
    fenced = f"Action:\n```\n[{one}]\n```" if "react" in name or name == "chat" else f"[{one}]"
    with contextlib.suppress(OutputParserException):  # in strict mode two of them do not read lists
        action = parser.parse(fenced)
        assert isinstance(action, AgentAction)
        assert action.tool == "find"
    for between in (", ", ",\n", ",", " , "):
        with pytest.raises(OutputParserException):
            parser.parse(fenced.replace(one, f"{one}{between}{one.replace('find', 'clock')}"))


def test_an_answer_with_marks_is_the_answer_without_what_stands_beside_it() -> None:
    parser = parser_of("anthropic_xml")
    turn = parser.read("I know.\n<final_answer>217 m</final_answer>")
    assert isinstance(turn.result, AgentFinish)
    assert turn.result.return_values == {"output": "217 m"}
    assert turn.content == "I know.\n217 m"
    assert [repair.kind for repair in turn.repairs] == ["beside_answer"]
