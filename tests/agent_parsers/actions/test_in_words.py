"""Turns and runs as a person reads them when they are printed."""

from hypothesis import given
from hypothesis import strategies as st

from agent_parsers import AgentAction, Transcript, TranscriptStep, get_parser, parse_transcript

LOG = """\
Question: How deep is it?
Thought: I look it up.
**Action:** search
Action Input: {"lake": "Thun"}
Observation: It is
217 m deep.
Thought: hm
Observation: ?
Final Answer: 217 m
"""


def test_a_turn_is_a_line_for_each_part() -> None:
    parser = get_parser("react", tools=["search"])
    turn = parser.read("Thought: I look it up.\n**Action:** search\nAction Input: lakes")
    assert str(turn) == "I look it up.\nsearch: lakes\nrepaired: label"
    assert repr(turn).startswith("Turn(result=AgentAction(")
    function = {"name": "area", "arguments": '{"lake": "Thun"}'}
    call = {"id": "1", "type": "function", "function": function}
    read = get_parser("tools").read({"role": "assistant", "content": "Hm.", "tool_calls": [call]})
    assert str(read) == 'Hm.\narea: {"lake": "Thun"}'
    assert str(get_parser("react", output_type=list[int]).read("Final Answer: [1, 2]")) == (
        "answer: [1, 2]"
    )


def test_a_run_is_its_question_and_its_steps() -> None:
    run = parse_transcript(LOG)
    assert str(run) == (
        "Question: How deep is it?\n"
        "1. I look it up.\n"
        '   search: {"lake": "Thun"}\n'
        "   repaired: label\n"
        "   -> It is 217 m deep.\n"
        "2. hm\n"
        "   not read: expected an Action or a Final Answer\n"
        "   -> ?\n"
        "3. answer: 217 m"
    )
    assert run.output == "217 m"
    assert repr(run).startswith("Transcript(question='How deep is it?'")
    assert parse_transcript(LOG.partition("Final")[0]).output is None


@given(text=st.text(max_size=300))
def test_what_is_printed_is_short_and_safe(text: str) -> None:
    step = TranscriptStep(1, text, AgentAction(text, text, ""), text, None, None, None)
    lines = str(Transcript(text, (step,))).split("\n")
    assert all(line.isprintable() or set(line) & {"\u200c", "\u200d"} for line in lines)
    assert all(len(line) <= 103 for line in lines)
    assert len(lines) <= 4
