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


MARKED_BY_THEIR_HEADS = {"beam", "muse_spark", "pythonic"}
"""What is left of their calls has no mark of a call."""
UNMARKED = MARKED_BY_THEIR_HEADS | {
    "command_r", "firefunction", "gigachat3", "gigachat31", "granite", "granite_fc",
    "json_toolcall", "llama3_json", "mistral", "mistral_v11", "mistral_v3", "muse_glimmer",
    "phi4_mini",
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
            read = [(each.tool, each.tool_input) for each in made if each is not None]
            assert read == [("ring", {"bell": "big"}), ("rest", {"hours": 2})][: len(made)]
            assert len(made) == len(text.split("rest"))


@pytest.mark.parametrize("text", [
    "I did it. Use `</tool_call>` at the end.",
    "Each reply ends in `}</tool_call>` then.",
    'It ends in "}</tool_call>", always.',
    'The format:\n```\n{"name": 1}\n</tool_call>\n```\nis closed by a tag.',
    "I rang it (twice).\n</tool_call>",
    "The keys are `name\", \"arguments\": {}`, in this order.",
    "```\nring\", \"arguments\": {\"bell\": \"big\"}}\n```\nThat is half of a call.",
])  # fmt: skip
def test_what_only_mentions_such_a_part_is_an_answer(text: str) -> None:
    for dialect in ("hermes", "granite", "mistral", "react_json"):
        lead = "Final Answer: " if dialect == "react_json" else ""
        turn = get_parser(dialect, tools=[ring, rest]).read(lead + text)
        assert isinstance(turn.result, AgentFinish)


@pytest.mark.parametrize(("dialect", "text"), [
    ("cwm", "Docs:\n```xml\n<tool><name>h</name></tool>\n```\nDone."),
    ("cwm", "Use <tool>{}</tool> here."),
    ("functionary_v31", "XML: `<function><name>f</name></function>`."),
])  # fmt: skip
def test_a_closer_of_its_own_element_is_text(dialect: str, text: str) -> None:
    turn = get_parser(dialect, tools=[ring, rest]).read(text)
    assert isinstance(turn.result, AgentFinish)


def test_half_a_name_is_no_answer_either() -> None:
    for text in (
        'ng", "arguments": {"bell": "big"}}',
        'I use {x}.\nng", "arguments": {"bell": 1}}',
    ):
        with pytest.raises(OutputParserException, match="without its beginning"):
            get_parser("mistral", tools=[ring, rest]).read(text)


def test_words_cost_no_more_than_their_length() -> None:
    parser = get_parser("hermes", tools=[ring, rest])
    for text in ("ring: " + "a" * 300_000, "[1] " + "-" * 300_000):
        assert isinstance(parser.read(text).result, AgentFinish)  # a minute if it were quadratic
