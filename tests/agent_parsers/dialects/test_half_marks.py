"""Calls that only look like calls: marks that are torn, and code that takes the call of a block."""

import pytest

from agent_laws.trials.sample_calls import calls_in, reading, usual_turn
from agent_parsers import OutputParserException, get_dialect, get_parser

JSON_IN_MARKS = [
    "command_a", "ernie45", "gigachat31", "granite", "granite_fc", "hermes", "hunyuan_a13b",
    "internlm2", "jamba", "llama3_json", "longcat", "mistral_v3", "nemotron_v2",
]  # fmt: skip
LEADS = [
    "foo(", "x = ", "# never: ", "// not yet: ", "print('", "return ", "data = [1, ", '"',
    "if ok { ", "import json\nx = json.loads('",
]  # fmt: skip


@pytest.mark.one_in(1)
@pytest.mark.parametrize("name", JSON_IN_MARKS)
@pytest.mark.parametrize("mode", ["strict", "lenient"])
def test_code_that_takes_the_call_of_a_block_makes_it_none(name: str, mode: str) -> None:
    dialect = get_dialect(name)
    call = usual_turn(dialect, "lake").text
    opener = dialect.lenient.markers["call"].canonical if name != "llama3_json" else ""
    before, _, after = call.partition(opener) if opener else ("", "", call)
    opener = opener or "<|python_tag|>"
    for lead in LEADS:
        for blank in ("", "\n"):
            text = f"{before}{opener}{blank}{lead}{after.lstrip()}"
            assert not calls_in(reading(dialect, mode, text, ended="stop")), text


def test_words_before_the_call_of_a_block_are_content() -> None:
    call = '{"name": "ping", "arguments": {}}\n</tool_call>'
    for lead in ("Sure: ", "I call it (now):\n", "// run it\n", "x = y\n"):
        turn = get_parser("hermes", tools=["ping"]).read(f"<tool_call>\n{lead}{call}")
        assert [action.tool for action in turn.actions] == ["ping"]
        assert turn.content == lead.strip()


TORN = {
    "glm47": "<tool_callping<arg_key>a</arg_key><arg_value>b</arg_value></tool_call>",
    "glm45": "<tool_callping\n<arg_key>a</arg_key>\n<arg_value>b</arg_value>\n</tool_call>",
    "olmo3": "<function_callsping(a='b')</function_calls>",
    "functionary_v31": '<functionping>{"a": "b"}</function>',
    "llama3_function_tag": '<functionping>{"a": "b"}</function>',
}


@pytest.mark.one_in(1)
@pytest.mark.parametrize("name", TORN)
@pytest.mark.parametrize("lenient", [False, True])
def test_the_closer_of_a_torn_opener_is_an_error(name: str, *, lenient: bool) -> None:
    whole = usual_turn(get_dialect(name), "lake").text
    for text in (TORN[name], f"{TORN[name]}\n{whole}"):
        with pytest.raises(OutputParserException, match="beginning is missing"):
            get_parser(name, lenient=lenient).read(text)


def test_a_closer_behind_words_is_dropped_and_reported() -> None:
    turn = get_parser("glm47").read("Hello </tool_call> you.")
    assert turn.output == "Hello\nyou."
    assert [repair.kind for repair in turn.repairs] == ["closer"]
