"""What shows that a call was written, though its marks or its name are broken, is no answer."""

import pytest

from agent_parsers import (
    AgentFinish,
    ForeignCallError,
    OutputParserException,
    get_parser,
)


def ping(host: str) -> None:
    """Asks whether anybody is there."""


CLOSED = "</parameter>"
BROKEN = [
    *(
        f'{opens}invoke name="ping">{opens}parameter name="host">a{closes}parameter>{closes}invoke>'
        for opens, closes in (
            ("<‖DSML‖", "</‖DSML‖"), ("<│DSML│", "</│DSML│"), ("<！DSML！", "</！DSML！"),
            ("<｜ DSML ｜", "</｜ DSML ｜"), ("〈｜DSML｜", "〈/｜DSML｜"),
        )
    ),
    '<｜DSML｜ping>{"host": "a"}</｜DSML｜ping>',
    "It is done.\n</｜DSML｜invoke>",
    '<|open|>toolscall tool="ping" index="1"<|sep|>a<|close|>call<|sep|>',
    "4.<|close|>responsemessage<|sep|>",
    f"<name>ping\n{CLOSED}\n<parameter=host>\na\n{CLOSED}\n</function>",
    f'<parameter name="host">a{CLOSED}\n</invoke>',
    '{"name": ping", "arguments": {"host": "a"}}',
    '{"name" "ping", "arguments": {"host": "a"}}',
    'We call it.commentary to=functions.ping json{"host": "a"}',
    'I look. assistant to=functions.ping commentary json {"host": "a"}',
    '<summary>ping</summary>\n{"host": "a"}',
    '<name>ping</name>\n{"host": "a"}',
    "functools[ ping ]",
]  # fmt: skip
DIALECTS = ["hermes", "deepseek_dsml", "kimi_k3", "qwen3_coder", "harmony", "phi4_mini", "tools"]


@pytest.mark.parametrize("text", BROKEN)
def test_a_call_with_broken_marks_is_an_error(text: str) -> None:
    for name in DIALECTS:
        parser = get_parser(name, tools=[ping])
        with pytest.raises(OutputParserException):
            parser.read({"role": "assistant", "content": text} if name == "tools" else text)


def test_the_error_says_what_was_found() -> None:
    with pytest.raises(ForeignCallError, match="its marks or its name are broken"):
        get_parser("hermes").read(BROKEN[0])


@pytest.mark.parametrize(
    "text",
    [
        "The mark <｜DSML｜invoke> opens a call.",
        "Use `<｜DSML｜invoke>` to call.",
        "DSML is a markup of DeepSeek's.",
        "`functools[name]` is no Python.",
        "Write functools[0], please.",
        "I never write `<function=ping>\n<parameter=host>\na\n</parameter>\n</function>` here.",
        'Write it so: `{"name" "ping", "arguments": {}}` is wrong.',
        "Close it with `</parameter></function>`.",
        "<summary>All that is known</summary>\nIt is deep.",
    ],
)
def test_what_only_names_such_marks_is_an_answer(text: str) -> None:
    for name in ("hermes", "deepseek_v3", "mistral"):
        assert isinstance(get_parser(name, tools=[ping]).read(text).result, AgentFinish)


def test_the_input_of_an_action_without_its_name_is_no_answer() -> None:
    for label in ("Action Input", "Action_input", "**action_input**"):
        with pytest.raises(OutputParserException, match="expected an action"):
            get_parser("structured_chat").read(f'Thought: I ping.\n{label}: {{"host": "a"}}')
