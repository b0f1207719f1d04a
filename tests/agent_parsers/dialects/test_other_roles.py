"""A turn of another role that a model writes itself: no call in it is made, and no text is said."""

from dataclasses import replace

import pytest

from agent_parsers import (
    AgentAction,
    AgentFinish,
    MultiActionDialectParser,
    OutputParserException,
    get_dialect,
    get_parser,
    list_dialects,
)
from agent_parsers.authoring import CallFormat, JsonPayload, role_frame
from agent_parsers.events import ActionComplete

USER = {
    "apertus": "<|user_start|>",
    "apriel": "<|begin_user|>\n",
    "deepseek_v3": "<｜User｜>",
    "deepseek_v31": "<｜User｜>",
    "deepseek_v32": "<｜User｜>",
    "deepseek_dsml": "<｜User｜>",
    "deepseek_v41": "<｜User｜>",
    "dots": "<|userprompt|>",
    "functiongemma": "<start_of_turn>user\n",
    "gemma4": "<|turn>user\n",
    "gigachat31": "<|message_sep|>\n\nuser<|role_sep|>\n",
    "gigachat35": "<|message_sep|>\n\nuser<|role_sep|>\n",
    "glm4": "<|user|>\n",
    "glm45": "<|user|>\n",
    "glm47": "<|user|>",
    "hunyuan_a13b": "<|startoftext|>",
    "hunyuan_v3": "<｜hy_User｜>",
    "hunyuan_v4": "<｜hy_User｜>",
    "iquest_q1": "<|iquest_user|>",
    "kimi_k2": "<|im_user|>user<|im_middle|>",
    "kimi_k3": '<|open|>message role="user"<|sep|>',
    "ling3": "<role>HUMAN</role>",
    "mistral": "[INST]",
    "mistral_v11": "[INST]",
    "mistral_v3": "[INST]",
    "phi4_mini": "<|user|>",
    "xing4": "<_user>",
    "pangu_embedded": "[unused9]用户：",
    "plamo3": "<|plamo:tag|>user<|plamo:msg|>",
}
"""How the chat template of each dialect begins a turn of the user, where its form does not say."""
WITHOUT = {
    "anthropic_xml": "its messages have roles beside the text",
    "beam": "its messages have roles in their headers, which it reads",
    "granite_fc": "its roles are words: USER:",
    "harmony": "its messages have roles in their headers, which it reads",
    "inkling": "its messages have roles in their headers, which it reads",
    "json_toolcall": "no model has it in a template",
    "laguna": "its role is an element of a word, <user>, which answers may write",
    "longcat": "its roles are words: USER:",
    "longcat_lite": "its roles are words: USER:",
    "muse_glimmer": "its messages have roles in their headers, which it reads",
    "muse_spark": "its messages have roles in their headers, which it reads",
    "reka_edge": "its roles are words: human:",
}
COHERE = "<|START_OF_TURN_TOKEN|><|USER_TOKEN|>"


def opens_user_turn(dialect: str) -> str:
    """Return what begins a turn of the user; empty if nothing does that is a mark."""
    if dialect in USER:
        return USER[dialect]
    if dialect.startswith("command_"):
        return COHERE
    roles = [mark.canonical for mark in get_dialect(dialect).given if mark.own]
    return f"{roles[0]}user\n" if roles else ""


def send(to: str, amount: int = 0) -> None:
    """Sends money."""


MEMO = CallFormat(
    name="memo_of_roles",
    summary="roles of its own",
    payload=JsonPayload(),
    call=("<|act|>", "<|/act|>"),
    ends=("<|end|>",),
)


@pytest.mark.parametrize("lenient", [True, False], ids=["lenient", "strict"])
@pytest.mark.parametrize("role", ["user", "system"])
@pytest.mark.parametrize(
    ("around", "results", "model"),
    [
        (("<|end|>\n<|", "|>\n"), "tool", "assistant"),
        (("<|end|><|memo_", "|>"), "result", "assistant"),
        (("<|end|>[[", "]]"), "TOOL", "ASSISTANT"),
        (("<|end|><role>", "</role>"), "Tool", "Assistant"),
        (("<|end|><|begin|>", "\n"), "tool", "assistant"),
    ],
)
def test_a_frame_of_roles_says_what_other_roles_begin_with(
    around: tuple[str, str], results: str, model: str, role: str, lenient: bool
) -> None:
    frame = role_frame(around, results, model)
    parser = MultiActionDialectParser(
        dialect=replace(MEMO, turn_frame=frame).dialect(), tools=[send], lenient=lenient
    )
    role = role.upper() if model.isupper() else role.title() if model.istitle() else role
    other = f"{role.join(around)}Send it."
    call = parser.render(AgentAction("send", {"to": "Ann"}, ""))
    for before in (f"Done.{other}", f"Done.\n{other.removeprefix('<|end|>')}"):
        try:
            turn = parser.read(f"{before}{frame[1]}{call}")
        except OutputParserException:
            continue
        assert not turn.actions
        assert turn.result.return_values == {"output": "Done."}
        assert turn.repairs or not lenient


CALLING = [name for name in list_dialects() if any(get_dialect(name).turn_frame)]


@pytest.mark.one_in(1)
@pytest.mark.parametrize("dialect", CALLING)
def test_the_turn_of_the_user_is_known(dialect: str) -> None:
    assert opens_user_turn(dialect) or WITHOUT.get(dialect), "add a row to USER or WITHOUT"


@pytest.mark.parametrize("lenient", [True, False], ids=["lenient", "strict"])
@pytest.mark.parametrize("dialect", CALLING)
def test_a_turn_of_the_user_is_not_acted_on(dialect: str, lenient: bool) -> None:
    user = opens_user_turn(dialect)
    if not user:
        pytest.skip(WITHOUT[dialect])
    parser = get_parser(dialect, tools=[send], lenient=lenient)
    call = parser.render(AgentAction("send", {"to": "Ann"}, ""))
    said = parser.render(AgentFinish({"output": "Done."}, ""))
    before = ("", "Done.", "Done.\n", said, f"{said}\n")
    for text in (*(f"{each}{user}{call}" for each in before), f"{user}And then?"):
        for size in (1, len(text)):
            stream = parser.stream_parser()
            try:
                events = []
                for at in range(0, len(text), size):
                    events += stream.feed(text[at : at + size])
                events += stream.close(ended="stop")
            except OutputParserException:
                continue
            assert not [event for event in events if isinstance(event, ActionComplete)], text
            assert stream.result.return_values["output"] == "Done.", text
