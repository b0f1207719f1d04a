"""The plugins in fakes of the servers, which pin what they use; see `test_real_servers`."""

import asyncio
import json
import logging
from types import SimpleNamespace
from typing import Any

import pytest

from agent_parsers import list_dialects

from ...helpers.fake_servers import (
    CharTokens,
    FunctionCallParser,
    ReasoningParserManager,
    ToolParserManager,
    VerlToolParser,
    plugin,
    tool,
)

NAMES = [f"ap_{name}" for name in list_dialects()]
TOOLS = [tool("pong"), tool("ping", n="integer")]
CALL = '<tool_call>{"name": "ping", "arguments": {"n": "1"}}</tool_call>'
ARGUMENTS = '{"n": 1}'


def request(tool_choice: str = "auto") -> Any:
    return SimpleNamespace(tools=TOOLS, tool_choice=tool_choice, skip_special_tokens=True)


class Vllm:
    """One request to vLLM, driven as its `DelegatingParser` drives parsers that have engines."""

    def __init__(self, name: str, *, prompt: str = "", reasons: bool = True) -> None:
        self.tools = ToolParserManager.known[name](CharTokens(), TOOLS)
        self.thoughts = ReasoningParserManager.known[name](CharTokens(), model_config=None)
        self.thoughts.set_prompt_token_ids([ord(c) for c in prompt])
        self.tools.skip_reasoning_parsing = not reasons
        self.request = request()

    def whole(self, text: str) -> tuple[Any, ...]:
        thought, rest = self.thoughts.extract_reasoning(text, self.request)
        found = self.tools.extract_tool_calls(rest or "", self.request)
        calls = [(c.id, c.function.name, c.function.arguments) for c in found.tool_calls]
        assert found.tools_called is bool(calls)
        return thought, found.content, calls

    def streamed(self, *deltas: str) -> list[Any]:
        seen = []
        for delta in deltas:
            text = delta
            if not self.thoughts.has_engine_confirmed_reasoning_end():
                seen.append(self.thoughts.extract_reasoning_streaming("", "", delta, [], [], []))
                text = (seen[-1] and seen[-1].content) or ""
                if seen[-1] is not None:
                    seen[-1].content = None
            if self.thoughts.has_engine_confirmed_reasoning_end() and text:
                seen.append(
                    self.tools.extract_tool_calls_streaming("", "", text, [], [], [], self.request)
                )
        seen += [self.thoughts.finish_streaming(), self.tools.finish_streaming()]
        return [delta for delta in seen if delta is not None]


@pytest.fixture
def vllm(monkeypatch: pytest.MonkeyPatch) -> Any:
    return plugin("vllm", monkeypatch)


def test_vllm_knows_all_dialects_even_if_registered_twice(vllm: Any) -> None:
    vllm.register()
    assert sorted(ToolParserManager.known) == sorted(ReasoningParserManager.known) == NAMES


def test_vllm_gets_reasoning_content_and_calls(vllm: Any) -> None:
    read = Vllm("ap_hermes").whole(f"<think>\nHm.\n</think>\n\nI ask.{CALL}")
    assert read == ("Hm.", "I ask.", [("made-by-vllm", "ping", ARGUMENTS)])


def test_vllm_gets_the_ids_that_the_model_wrote(vllm: Any) -> None:
    text = (
        "<|tool_calls_section_begin|><|tool_call_begin|>functions.ping:3"
        '<|tool_call_argument_begin|>{"n": 1}<|tool_call_end|><|tool_calls_section_end|>'
    )
    assert Vllm("ap_kimi_k2").whole(text) == (None, None, [("functions.ping:3", "ping", ARGUMENTS)])


def test_vllm_gets_each_call_when_its_block_closes(vllm: Any) -> None:
    deltas = Vllm("ap_hermes").streamed("<think>Hm.", "</think>", "So: ", CALL, CALL, " Ok")
    assert [delta.reasoning for delta in deltas if delta.reasoning] == ["Hm."]
    assert "".join(delta.content or "" for delta in deltas) == "So:\nOk"
    calls = [delta.tool_calls for delta in deltas if delta.tool_calls]
    assert [[(c.index, c.type, c.function.name) for c in each] for each in calls] == [
        [(0, "function", "ping")],
        [(1, "function", "ping")],
    ]
    assert all(c.id and c.function.arguments == ARGUMENTS for each in calls for c in each)


def test_vllm_gets_a_broken_call_as_content(vllm: Any, caplog: pytest.LogCaptureFixture) -> None:
    broken = '<tool_call>{"name": "ping", "arguments": {</tool_call>'
    assert Vllm("ap_hermes").whole(broken) == (None, broken, [])
    deltas = Vllm("ap_hermes").streamed(*broken)
    assert "".join(delta.content or "" for delta in deltas) == broken
    assert caplog.text.count("text is content, not a call") == 2


def test_the_prompt_tells_vllm_whether_the_text_begins_in_a_thought(vllm: Any) -> None:
    text = f"Hm.{CALL}</think>Done."
    assert Vllm("ap_hermes", prompt="<think>\n").whole(text) == (f"Hm.{CALL}", "Done.", [])
    thoughts = ReasoningParserManager.known["ap_hermes"](CharTokens())
    for prompt, is_over in (("assistant\n", False), ("<think>\n\n</think>\n\n", True)):
        assert thoughts.is_reasoning_end([ord(c) for c in prompt]) is is_over
    ids = [ord(c) for c in "a</think>b"]
    assert thoughts.is_reasoning_end_streaming(ids, ids[5:])
    assert not thoughts.is_reasoning_end_streaming(ids[:5], ids[:5])
    assert thoughts.extract_content_ids(ids) == ids


OPEN = {
    "ap_qwen3_coder": (
        "<tool_call>\n<function=ping>\n<parameter=n>\n1\n</parameter>\n</function>\n</tool_call>"
    ),
    "ap_hermes": CALL,
}


@pytest.mark.parametrize("prompt", ["", "<think>\n"])
@pytest.mark.parametrize(("name", "call"), OPEN.items())
def test_a_call_ends_a_thought_that_is_open(vllm: Any, name: str, call: str, prompt: str) -> None:
    text = f"Hm.\n{call}" if prompt else f"<think>Hm.\n{call}"
    thought, content, calls = Vllm(name, prompt=prompt).whole(text)
    assert (thought, content, [call[1:] for call in calls]) == ("Hm.", None, [("ping", ARGUMENTS)])
    for parts in ([text], [*text]):
        parser = Vllm(name, prompt=prompt)
        parser.thoughts.adjust_request(parser.request)
        deltas = parser.streamed(*parts)
        assert "".join(delta.reasoning or "" for delta in deltas) == "Hm."
        (found,) = [each for delta in deltas for each in delta.tool_calls]
        assert (found.index, found.function.name, found.function.arguments) == (
            0,
            "ping",
            ARGUMENTS,
        )


@pytest.mark.parametrize("why", ["another tool", "text follows", "no tools", "no request"])
def test_a_call_may_be_part_of_an_open_thought(
    vllm: Any, caplog: pytest.LogCaptureFixture, why: str
) -> None:
    thought = f"Hm.\n{CALL}"
    parser = Vllm("ap_hermes", prompt="<think>\n")
    if why == "another tool":
        thought = thought.replace("ping", "fly")
    elif why == "text follows":
        thought = f"{thought} Or not."
    elif why == "no tools":
        parser.request.tool_choice = "none"
    if why != "no request":
        parser.thoughts.adjust_request(parser.request)
        assert parser.whole(thought) == (thought, None, [])
    deltas = parser.streamed(*thought)
    assert "".join(delta.reasoning or "" for delta in deltas) == thought
    assert not any(delta.tool_calls or delta.content for delta in deltas)
    assert ("a call is reasoning" in caplog.text) is (why != "text follows")


def test_without_a_parser_of_reasoning_vllm_gets_it_as_content(vllm: Any) -> None:
    parser = Vllm("ap_hermes", reasons=False)
    text = f"<think>Hm.</think>{CALL}"
    found = parser.tools.extract_tool_calls(text, parser.request)
    assert (found.content, len(found.tool_calls)) == ("<think>Hm.</think>", 1)
    deltas = [
        parser.tools.extract_tool_calls_streaming("", "", each, [], [], [], parser.request)
        for each in (text, "")
    ]
    assert not any(delta and delta.tool_calls for delta in deltas)
    assert len(parser.tools.finish_streaming().tool_calls) == 1


def test_requests_to_vllm(vllm: Any) -> None:
    parser = Vllm("ap_hermes")
    assert not parser.tools.adjust_request(request()).skip_special_tokens
    assert parser.tools.adjust_request(request("none")).skip_special_tokens
    assert not parser.thoughts.adjust_request(request("none")).skip_special_tokens
    found = parser.tools.extract_tool_calls(CALL, request("none"))
    assert (found.content, found.tool_calls) == (CALL, [])
    delta = parser.tools.extract_tool_calls_streaming("", "", CALL, [], [], [], request("none"))
    assert (delta.content, delta.tool_calls) == (CALL, [])
    assert parser.tools.finish_streaming() is None
    assert parser.thoughts.finish_streaming() is None


def test_sglang(monkeypatch: pytest.MonkeyPatch) -> None:
    plugin("sglang", monkeypatch).register()
    assert sorted(FunctionCallParser.ToolCallParserEnum) == NAMES
    kind = FunctionCallParser.ToolCallParserEnum["ap_hermes"]
    assert kind().has_tool_call(CALL)
    assert not kind().has_tool_call("An answer.")
    assert FunctionCallParser.ToolCallParserEnum["ap_react"]().has_tool_call("Final Answer: 42")
    whole = kind().detect_and_parse(f"I ask.{CALL}", TOOLS)
    assert whole.normal_text == "I ask."
    assert [(c.tool_index, c.name, c.parameters) for c in whole.calls] == [(1, "ping", ARGUMENTS)]
    parser = kind()
    assert parser.finish(TOOLS).normal_text == ""
    parts = [parser.parse_streaming_increment(text, TOOLS) for text in ("So", CALL, CALL, "<")]
    assert [[c.tool_index for c in part.calls] for part in parts] == [[], [0], [1], []]
    assert parser.finish(TOOLS).normal_text.strip() == "<"
    assert parser.parses_required_natively()
    assert not parser.supports_structural_tag()
    with pytest.raises(NotImplementedError, match="ap_hermes has no structural tag"):
        parser.structure_info()


def test_verl(monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture) -> None:
    plugin("verl", monkeypatch)
    assert sorted(VerlToolParser.known) == NAMES
    parser = VerlToolParser.known["ap_hermes"](CharTokens())
    for text, content, arguments in (
        (f"<think>Hm.</think>{CALL}", "<think>Hm.</think>", [ARGUMENTS]),
        (f"{CALL}<tool_call>", f"{CALL}<tool_call>", []),
    ):
        with caplog.at_level(logging.WARNING):
            read = asyncio.run(parser.extract_tool_calls([ord(c) for c in text], TOOLS))
        assert read[0] == content
        assert [call.arguments for call in read[1]] == arguments
        assert all(json.loads(call.arguments) and call.tool_call_id is None for call in read[1])
    assert "text is content" in caplog.text
