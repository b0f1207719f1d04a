"""A call whose beginning is missing, as after a prompt that wrote it, is an error."""

from __future__ import annotations

import pytest

from agent_parsers import AgentAction, AgentFinish, OutputParserException, get_parser, list_dialects


def ring(bell: str) -> str:
    """Ring a bell."""
    return bell


def rest(hours: int = 1) -> str:
    """Do nothing."""
    return str(hours)


MARKED_BY_THEIR_HEADS = {"beam", "muse_glimmer", "muse_spark", "pythonic"}
"""What is left of their calls has no mark of a call."""
UNMARKED = MARKED_BY_THEIR_HEADS | {
    "command_r", "firefunction", "gigachat3", "gigachat31", "granite", "granite_fc",
    "json_toolcall", "llama3_json", "mistral", "mistral_v11", "mistral_v3", "phi4_mini",
    "structured_chat", "xlam",
}  # fmt: skip
"""Nothing closes their calls, and strict reading looks for no others."""


@pytest.mark.parametrize("lenient", [True, False])
@pytest.mark.parametrize("dialect", list_dialects())
def test_a_call_without_its_beginning_is_an_error(dialect: str, *, lenient: bool) -> None:
    parser = get_parser(dialect, tools=[ring, rest], lenient=lenient)
    try:
        call = parser.render(AgentAction("ring", {"bell": "big"}, ""))
    except ValueError:
        pytest.skip("its calls are of a tool of its own")
    at = call.find("ring")
    if at < 1 or dialect in (MARKED_BY_THEIR_HEADS if lenient else UNMARKED):
        pytest.skip("nothing shows that there is a call")
    texts = [call[at:], f"Well. {call[at:]}"]
    if parser.dialect.several:
        texts.append(f"{call[at:]}\n{parser.render([AgentAction('rest', {'hours': 2}, '')])}")
    for text in texts:
        for size in (len(text), 1, 3):
            stream = parser.stream_parser()
            try:
                for start in range(0, len(text), size):
                    stream.feed(text[start : start + size])
                stream.close(ended="stop")
            except OutputParserException:
                continue
            assert not isinstance(stream.result, AgentFinish), text
            made = stream.result if isinstance(stream.result, list) else [stream.result]
            assert len(made) == 2 or (made[0].tool, made[0].tool_input) == ("ring", {"bell": "big"})


@pytest.mark.parametrize("text", [
    "I did it. Use `</tool_call>` at the end.",
    "The keys are `name\", \"arguments\": {}`, in this order.",
    "```\nring\", \"arguments\": {\"bell\": \"big\"}}\n```\nThat is half of a call.",
])  # fmt: skip
def test_what_only_mentions_such_a_part_is_an_answer(text: str) -> None:
    for dialect in ("hermes", "granite", "mistral", "react_json"):
        lead = "Final Answer: " if dialect == "react_json" else ""
        turn = get_parser(dialect, tools=[ring, rest]).read(lead + text)
        assert isinstance(turn.result, AgentFinish)
