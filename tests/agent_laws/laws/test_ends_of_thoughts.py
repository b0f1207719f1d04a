"""A thought that the prompt opened has only its end in the text: no call before it is made."""

import pytest

from agent_laws import laws
from agent_parsers import (
    AgentAction,
    DialectParser,
    OutputParserException,
    StreamParser,
    get_dialect,
    get_parser,
    list_dialects,
)
from agent_parsers.events import ActionComplete
from outputs.messages.ended import Ended

SLASHED = (
    "</think>",
    "</thinking>",
    "[/THINK]",
    "</THINK>",
    "◁/think▷",
    "</thought>",
    "[/ Reasoning ]",
    '</think reason="done">',
    "<\\think>",
    "<\\/think>",
    "＜／think＞",
    "</思考>",
    "</Gedankengang>",
)
WORDED = {
    "[end of thinking]": "[end of thi",
    "<|end_of_thought|>": "<|end_of_tho",
    "<THINKING_END>": "<THINKING_EN",
    "<|endofthought|>": "<|endoftho",
    "[Reasoning stopped]": "[Reasoning sto",
}
"""Ends without a slash, each with the first beginning that shows what it is."""
ENDS = (*SLASHED, *WORDED)
LINES = ("--- end of thinking ---", "END OF REASONING", "(end of thought)", "**Thinking done**")
"""Ends that are lines, which are text in an input that nothing closes: a file may have them."""
OWN = {"hunyuan_a13b": ("</think>",), "xml": ("</think>", "[/THINK]")}
"""The marks that are looked at in dialects in which the turn is over behind the call."""
UNSEEN = {"functionary_v32", "glm4", "json_toolcall"}
"""Dialects that do not see the calls in a thought of other marks: a name on a line, or a fence."""
ENDED: tuple[Ended, ...] = ("stop", "length", "unknown")
FEW = {"react_docstore": ("[/THINK]", "[/ Reasoning ]")}
"""Marks that belong to the input if they follow it on its line, as ``[Ann][/THINK]`` does."""
OPEN_INPUTS = {
    "conversational",
    "haystack",
    "mrkl",
    "react",
    "react_crewai",
    "react_docstore",
    "react_llamaindex",
    "react_zh",
    "self_ask",
}
LEAST = 3
"""How many letters of a mark show what it is: ``</th`` may close a cell."""


def send(to: str = "nobody") -> None:
    """Sends a letter."""


def written_call(dialect: str, to: str = "Ann") -> str:
    """Return a call as *dialect* writes it; ``""`` if it takes no tool of this name."""
    try:
        return get_parser(dialect, tools=[send]).render(AgentAction("send", {"to": to}, ""))
    except ValueError:
        return ""


def letters(text: str) -> int:
    """Return how many letters *text* has."""
    return sum(map(str.isalpha, text))


def calls_made(
    parser: DialectParser, chunks: list[str], ended: Ended = "stop"
) -> list[AgentAction]:
    """Return the calls of the turn that these *chunks* are, none if it is refused."""
    stream = parser.stream_parser()
    try:
        events = [event for chunk in chunks for event in stream.feed(chunk)]
        events += stream.close(ended=ended)
    except OutputParserException:
        return []
    return [event.action for event in events if isinstance(event, ActionComplete)]


@pytest.mark.parametrize("lenient", [True, False], ids=["lenient", "strict"])
@pytest.mark.parametrize("dialect", list_dialects())
def test_a_call_before_the_end_of_a_thought_is_not_made(dialect: str, lenient: bool) -> None:
    call = written_call(dialect)
    parser = get_parser(dialect, tools=[send], lenient=lenient)
    for end in OWN.get(dialect, ENDS) if call else ():
        for before in ("", "I could write. ", "<think>")[: 3 if end in SLASHED else 1]:
            for after in ("", "\nNo letter today.", " 4"):
                text = f"{before}{call}\n{end}{after}"
                assert not calls_made(parser, [text]), text
                assert not calls_made(parser, [*text]), text


@pytest.mark.parametrize("lenient", [True, False], ids=["lenient", "strict"])
@pytest.mark.parametrize("dialect", sorted({*list_dialects()} - OPEN_INPUTS))
def test_a_call_before_a_line_that_ends_a_thought_is_not_made(dialect: str, lenient: bool) -> None:
    call = written_call(dialect)
    parser = get_parser(dialect, tools=[send], lenient=lenient)
    for end in LINES if call else ():
        for after in ("", "\nNo letter today."):
            text = f"{call}\n{end}{after}"
            assert not calls_made(parser, [text]), text
            assert not calls_made(parser, [*text]), text


@pytest.mark.parametrize("lenient", [True, False], ids=["lenient", "strict"])
@pytest.mark.parametrize("dialect", list_dialects())
def test_a_call_is_not_made_if_the_reply_is_cut_in_the_end_of_a_thought(
    dialect: str, lenient: bool
) -> None:
    call = written_call(dialect)
    parser = get_parser(dialect, tools=[send], lenient=lenient)
    for end in OWN.get(dialect, ENDS) if call else ():
        shown = (at + 1 for at in range(len(end)) if letters(end[:at]) < LEAST)
        least = len(WORDED[end]) if end in WORDED else max(len(end) // 2 + 1, *shown)
        sizes = sorted({least, (least + len(end)) // 2, len(end) - 1})
        for text in (f"{call}\n{end[:size]}" for size in sizes):
            for ended in ENDED:
                assert not calls_made(parser, [text], ended), (text, ended)
            assert not calls_made(parser, [*text]), text


@pytest.mark.parametrize("dialect", list_dialects())
def test_a_call_is_not_made_before_the_end_of_a_thought_on_its_line(dialect: str) -> None:
    call = written_call(dialect)
    parser = get_parser(dialect, tools=[send])
    for end in OWN.get(dialect, ENDS) if call else ():
        if end not in FEW.get(dialect, ()):
            assert not calls_made(parser, [call + end]), end
            assert not calls_made(parser, [*call, end]), end


@pytest.mark.parametrize("lenient", [True, False], ids=["lenient", "strict"])
@pytest.mark.parametrize("dialect", list_dialects())
def test_a_call_in_an_open_thought_behind_another_is_not_left_out(
    dialect: str, lenient: bool
) -> None:
    first, second = written_call(dialect), written_call(dialect, "Bob")
    parser = get_parser(dialect, tools=[send], lenient=lenient)
    text = f"{first}\n<think>One more.\n{second}\nThat was all."
    if first and get_dialect(dialect).several and dialect not in UNSEEN:
        assert not calls_made(parser, [text]), text
        assert not calls_made(parser, [*text]), text


@pytest.mark.parametrize("dialect", list_dialects())
def test_strict_reading_makes_no_call_in_an_open_thought(dialect: str) -> None:
    call = written_call(dialect)
    parser = get_parser(dialect, tools=[send], lenient=False)
    if call:
        assert not calls_made(parser, [f"<think>{call}"]), call
        assert not calls_made(parser, [f"<think>Now.\n{call}"]), call


@pytest.mark.parametrize("dialect", ["hermes", "mistral", "glm47", "qwen3_coder", "granite"])
def test_a_whole_thought_behind_a_call_is_no_end_of_one(dialect: str) -> None:
    call = written_call(dialect)
    parser = get_parser(dialect, tools=[send])
    for thought in ("<think>So.</think>", "[REASONING]So.[/REASONING]", "<Thought>So.</Thought>"):
        assert calls_made(parser, [f"{call}\n{thought}"]), thought


@pytest.mark.parametrize("said", ["{/think", "</think>", "[end of thinking]"])
def test_the_strings_of_an_object_may_speak_of_it(said: str) -> None:
    text = f'Thought: I note it.\nAction: note\nAction Input: {{"text": "{said}"}}'
    stream = StreamParser(get_dialect("react"))
    for at in range(len(text)):
        stream.feed(text[at])
    stream.close()
    meant = AgentAction("note", f'{{"text": "{said}"}}', text)
    assert stream.result == get_parser("react").parse(text) == meant


def test_an_error_in_a_log_points_at_the_end_of_the_thought() -> None:
    text = "Plan.\nAction: send[Ann]\n<THINKING_END>"
    laws.a_transcript_is_read_or_refused(get_dialect("react_docstore"), text)
