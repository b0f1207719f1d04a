"""The plugins in fakes of the servers, which pin what they use; see `test_real_servers`."""

import asyncio
import json
import logging
import sys
from types import SimpleNamespace
from typing import Any

import pytest

from agent_parsers import list_dialects

from ..helpers.fake_servers import (
    CharTokens,
    ChatCompletionRequest,
    FunctionCallParser,
    Model,
    ParserManager,
    ReasoningParserManager,
    ToolParserManager,
    VerlToolParser,
    plugin,
    tool,
)

NAMES = [f"ap_{name}" for name in list_dialects()]
TOOLS = [tool("pong"), tool("ping", n="integer"), tool("note", text="string", n="integer")]
CALL = '<tool_call>{"name": "ping", "arguments": {"n": "1"}}</tool_call>'
ARGUMENTS = '{"n": 1}'


class Vllm:
    """One request to a server of vLLM that was started with our parser."""

    def __init__(
        self, name: str, *, prompt: str = "assistant\n", reasons: bool = True, **asked: Any
    ) -> None:
        kind = ParserManager.get_parser(
            tool_parser_name=name,
            reasoning_parser_name=name if reasons else None,
            enable_auto_tools=True,
        )
        self.parser = kind(CharTokens(), TOOLS, model_config=None)
        self.prompt = ids(prompt)
        self.parser.set_prompt_token_ids(self.prompt)
        self.request = self.parser.adjust_request(ChatCompletionRequest(tools=TOOLS, **asked))

    def whole(self, text: str) -> tuple[Any, ...]:
        thought, content, calls = self.parser.parse(text, self.request, True, ids(text))
        return thought, content, [(call.name, call.arguments) for call in calls or ()]

    def deltas(self, *pieces: str) -> list[Any]:
        seen = [
            self.parser.parse_delta(
                piece, ids(piece), self.request, self.prompt, finished=number == len(pieces)
            )
            for number, piece in enumerate(pieces, 1)
        ]
        return [delta for delta in seen if delta is not None]

    def streamed(self, *pieces: str) -> tuple[Any, ...]:
        thought = content = ""
        calls: dict[int, list[str]] = {}
        for delta in self.deltas(*pieces):
            thought += delta.reasoning or ""
            content += delta.content or ""
            for call in delta.tool_calls:
                known = calls.setdefault(call.index, [call.function.name, ""])
                known[1] += call.function.arguments
        return thought or None, content or None, [(n, a) for n, a in calls.values()]


def ids(text: str) -> list[int]:
    return [ord(c) for c in text]


@pytest.fixture
def vllm(monkeypatch: pytest.MonkeyPatch) -> Any:
    return plugin("vllm", monkeypatch)


def test_vllm_knows_all_dialects_even_if_registered_twice(vllm: Any) -> None:
    get_parser = ParserManager.get_parser
    vllm.register()
    assert sorted(ToolParserManager.known) == sorted(ReasoningParserManager.known) == NAMES
    assert ParserManager.get_parser is get_parser


def test_vllm_takes_one_of_our_parsers_and_leaves_others_alone(vllm: Any) -> None:
    kind = ParserManager.get_parser("ap_hermes", "ap_hermes", enable_auto_tools=True)
    assert issubclass(kind, vllm.VllmParser)
    assert kind.dialect == "hermes"
    assert not issubclass(ParserManager.get_parser("another"), vllm.VllmParser)
    harmony = ParserManager.get_parser("ap_hermes", is_harmony=True)
    assert not issubclass(harmony, vllm.VllmParser)
    with pytest.raises(TypeError, match="pass the same one"):
        ParserManager.get_parser("ap_hermes", "ap_glm45", enable_auto_tools=True)


TEXTS = [
    # what the prompt ends in, what the model writes, and what vLLM gets
    ("", f"<think>\nHm.\n</think>\n\nI ask.{CALL}", ("Hm.", "I ask.", [("ping", ARGUMENTS)])),
    ("<think>\n", f"Hm.{CALL}</think>Done.", (f"Hm.{CALL}", "Done.", [])),
    ("<think>\n", f"Hm.\n{CALL}", ("Hm.", None, [("ping", ARGUMENTS)])),
    ("<think>\n", f"Hm.\n{CALL} Or not.", (f"Hm.\n{CALL} Or not.", None, [])),
    ("<think>\n\n</think>\n\n", f"{CALL}{CALL}", (None, None, [("ping", ARGUMENTS)] * 2)),
    ("", f"<think>a</think>I ask.<think>b</think>{CALL}",
     ("a\nb", "I ask.", [("ping", ARGUMENTS)])),
    ("", f"Write `{CALL}` so.", (None, f"Write `{CALL}` so.", [])),
    ("", "<think>It was cut", ("It was cut", None, [])),
]  # fmt: skip


@pytest.mark.parametrize(("prompt", "text", "wanted"), TEXTS)
def test_vllm_gets_reasoning_content_and_calls(
    vllm: Any, prompt: str, text: str, wanted: Any
) -> None:
    prompt = f"assistant\n{prompt}"
    assert Vllm("ap_hermes", prompt=prompt).whole(text) == wanted
    for pieces in ([text], [*text], [*text, ""]):
        assert Vllm("ap_hermes", prompt=prompt).streamed(*pieces) == wanted


def test_vllm_gets_the_thought_of_react_as_reasoning(vllm: Any) -> None:
    acts = 'Thought: Hm.\nAction: ping\nAction Input: {"n": 1}'
    assert Vllm("ap_react").whole(acts) == ("Hm.", None, [("ping", ARGUMENTS)])
    ends = "Thought: Hm.\nFinal Answer: 42"
    assert Vllm("ap_react").streamed(*ends) == Vllm("ap_react").whole(ends) == ("Hm.", "42", [])


def test_vllm_gets_arguments_while_they_arrive(vllm: Any) -> None:
    text = (
        '<tool_call>\n{"name": "note", "arguments": {"text": "Lake \\"A\\"", "n": 7}}\n</tool_call>'
    )
    deltas = Vllm("ap_hermes").deltas(*text)
    calls = [call for delta in deltas for call in delta.tool_calls]
    assert [call.id for call in calls if call.id] == ["random-note-0"]
    assert [call.function.arguments for call in calls] == [
        '{"text": "', *"Lake ", '\\"', "A", '\\"', '", "n": ', "7", "}",
    ]  # fmt: skip


def test_vllm_gets_the_ids_that_the_model_wrote(vllm: Any) -> None:
    text = (
        "<|tool_calls_section_begin|><|tool_call_begin|>functions.ping:3"
        '<|tool_call_argument_begin|>{"n": 1}<|tool_call_end|><|tool_calls_section_end|>'
    )
    (call,) = Vllm("ap_kimi_k2").parser.parse(text, ChatCompletionRequest(tools=TOOLS))[2]
    (delta, *_) = Vllm("ap_kimi_k2").deltas(*text)
    assert call.id == delta.tool_calls[0].id == "functions.ping:3"


def test_vllm_gets_a_broken_call_as_content(vllm: Any, caplog: pytest.LogCaptureFixture) -> None:
    broken = '<tool_call>{"name": "ping", "arguments": {</tool_call>'
    assert Vllm("ap_hermes").whole(broken) == (None, broken, [])
    assert Vllm("ap_hermes").streamed(*broken) == (None, broken, [])
    assert caplog.text.count("cannot be read as a call, so it is returned as content") == 2
    thought = f"Hm.{CALL[:-20]}"
    read = Vllm("ap_hermes", prompt="<think>").whole(thought)
    assert read == Vllm("ap_hermes", prompt="<think>").streamed(*thought) == (thought, None, [])


@pytest.mark.parametrize("asked", [{"tool_choice": "none"}, {"tools": []}])
def test_vllm_gets_calls_as_content_if_there_are_none_to_make(vllm: Any, asked: Any) -> None:
    text = f"<think>Hm.</think>\nSo {CALL} \nor {CALL[:20]}"
    content = text.removeprefix("<think>Hm.</think>\n")
    for read in ("whole", "streamed"):
        request = Vllm("ap_hermes", tool_choice="none")
        request.request = ChatCompletionRequest(**{"tools": TOOLS, **asked})
        if not asked.get("tools", TOOLS):
            request.parser = type(request.parser)(CharTokens(), [])
            request.parser.set_prompt_token_ids(request.prompt)
        assert getattr(request, read)(text) == ("Hm.", content, [])


def test_vllm_without_reasoning_has_it_in_the_content(vllm: Any) -> None:
    text = f"<think>Hm.</think>{CALL}"
    wanted = (None, "<think>Hm.</think>", [("ping", ARGUMENTS)])
    assert Vllm("ap_hermes", reasons=False).whole(text) == wanted
    assert Vllm("ap_hermes", reasons=False).streamed(*text) == wanted
    hidden = Vllm("ap_hermes", include_reasoning=False)
    assert hidden.streamed(*text) == (None, None, [("ping", ARGUMENTS)])


def test_vllm_is_told_where_thoughts_are(vllm: Any) -> None:
    parser = Vllm("ap_hermes").parser
    reasoning = parser._reasoning_parser
    for prompt, is_over in (("assistant\n", False), ("<think>\n\n</think>\n\n", True)):
        assert parser.is_reasoning_end(ids(prompt)) is is_over
    text = ids("a</think>b")
    assert reasoning.is_reasoning_end_streaming(text, text[5:])
    assert not reasoning.is_reasoning_end_streaming(text[:5], text[:5])
    assert (reasoning.reasoning_start_str, reasoning.reasoning_end_str) == ("<think>", "</think>")
    for prompt, text, count in (
        ("assistant\n", "<think>Hm.</think>So.", 3),
        ("<think>\n", "Hm.</think>So.<think>a", 4),
        ("<think>\n", f"Hm.{CALL}", 3),
        ("assistant\n", "So.", 0),
    ):
        assert Vllm("ap_hermes", prompt=prompt).parser.count_reasoning_tokens(ids(text)) == count
    assert Vllm("ap_react").parser.count_reasoning_tokens(ids("Thought: Hm.\nFinal Answer: 4")) == 3
    assert Vllm("ap_hermes", reasons=False).parser.count_reasoning_tokens(text) == 0
    react = Vllm("ap_react").parser
    assert react._reasoning_parser.reasoning_start_str is None
    assert react.is_reasoning_end(ids("<think>\n\n</think>"))
    assert not react.is_reasoning_end(ids("<think>\n"))
    plain = Vllm("ap_hermes", reasons=False, tool_choice="none")
    assert plain.parser.is_reasoning_end(ids("<think>\n"))
    assert plain.request.skip_special_tokens


PING: Any = SimpleNamespace(type="function", function=SimpleNamespace(name="ping"))
STRICT = tool("ping", n="integer")
STRICT.function.strict = True  # type: ignore[attr-defined]
ALLOWED: Any = SimpleNamespace(type="allowed_tools", mode="required", tools=[{"name": "pong"}])
REQUESTS: list[tuple[dict[str, Any], tuple[bool, bool, int | None] | None]] = [
    # what is asked, and whether each turn has a call, whether of any tool, and how many
    ({"tool_choice": "auto"}, None),
    ({"tool_choice": None}, None),
    ({"tool_choice": "none", "parallel_tool_calls": False}, None),
    ({"tool_choice": "auto", "parallel_tool_calls": False}, (False, True, 1)),
    ({"tool_choice": "required"}, (True, True, None)),
    ({"tool_choice": PING}, (True, False, 1)),
    ({"tool_choice": ALLOWED}, (True, False, None)),
    ({"tool_choice": SimpleNamespace(type="web_search")}, None),
    ({"tool_choice": "auto", "response_format": "json"}, None),
    ({"tool_choice": "required", "response_format": "json"}, (True, True, None)),
]


@pytest.mark.parametrize(("asked", "wanted"), REQUESTS)
def test_what_vllm_constrains(
    vllm: Any, monkeypatch: pytest.MonkeyPatch, asked: Any, wanted: Any
) -> None:
    seen: list[Any] = []
    monkeypatch.setattr(vllm, "turn_tag", lambda *a, **options: seen.append((*a, options)) or {})
    request = Vllm("ap_hermes", prompt="<think>\n", **asked).request
    assert not request.skip_special_tokens
    assert request._grammar_from_parser is (wanted is not None) is (len(seen) == 1)
    if wanted is not None:
        ((dialect, tools, options),) = seen
        assert dialect == "hermes"
        assert (len(tools) == len(TOOLS)) is wanted[1]
        assert (options["must_call"], options["max_calls"]) == (wanted[0], wanted[2])
        assert options["prompt"] == "<think>\n"
        assert request.structured_outputs.structural_tag == "{}"
        assert request.response_format is None


def test_vllm_constrains_strict_tools_and_what_the_server_asks_for(vllm: Any) -> None:
    kind = ParserManager.get_parser("ap_hermes", "ap_hermes", enable_auto_tools=True)
    request = kind(CharTokens(), [STRICT]).adjust_request(ChatCompletionRequest(tools=[STRICT]))
    assert '"structural_tag"' in request.structured_outputs.structural_tag
    kind = ParserManager.get_parser(
        "ap_hermes", enable_auto_tools=True, tool_strict_level="function"
    )
    assert kind(CharTokens(), TOOLS).adjust_request(ChatCompletionRequest()).structured_outputs


def test_in_another_api_vllm_constrains_what_follows_the_thought(vllm: Any) -> None:
    parser = Vllm("ap_hermes", prompt="<think>\n").parser
    asked = Model(tool_choice="required", parallel_tool_calls=True)
    request = parser.adjust_request(asked)
    grammar = json.loads(request._parser_structured_outputs.structural_tag)["format"]["grammar"]
    assert "think>" not in grammar.partition("\n")[0]


def test_vllm_refuses_what_it_cannot_ensure(vllm: Any) -> None:
    error = sys.modules["vllm.exceptions"].VLLMValidationError
    with pytest.raises(error, match="grammar can be made for smolagents_code"):
        Vllm("ap_smolagents_code", tool_choice="required")
    single = Vllm("ap_smolagents_code", parallel_tool_calls=False)  # vLLM drops the others
    assert single.request.structured_outputs is None
    nothing = SimpleNamespace(type="function", name="fly")
    with pytest.raises(error, match="calls cannot be constrained"):
        Vllm("ap_hermes", tool_choice=nothing)


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
    with pytest.raises(
        NotImplementedError, match="ap_hermes has no structural tag for a single call"
    ):
        parser.structure_info()
    ping: Any = SimpleNamespace(function=SimpleNamespace(name="ping"))
    for choice, thinks, has_pong in (
        ("auto", True, True),
        ("required", False, True),
        (ping, False, False),
    ):
        tag = kind().get_structural_tag(TOOLS, choice, thinking_mode=thinks)
        assert ("</think>" in tag.format["grammar"]) is thinks
        assert ("pong" in tag.format["grammar"]) is has_pong
    growing = kind()
    texts = [growing.parse_streaming_increment(c, TOOLS) for c in CALL.replace('"1"', "1")]
    items = [(c.name, c.parameters) for part in texts for c in part.calls]
    assert items == [("ping", '{"n": '), (None, "1"), (None, "}")]


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
    assert "so it is returned as content" in caplog.text


@pytest.mark.parametrize(
    ("writes", "special", "stops"),
    [
        ("gemma4", ["<|tool_call>", "<tool_call|>", "<|tool_response>", "<turn|>"], [3, 2]),
        ("glm47", ["<|user|>", "<|observation|>", "</tool_call>"], [0, 1]),
        ("glm47", ["<|observation|>"], [0]),
        ("kimi_k2", ["<|tool_calls_section_end|>", "<|im_end|>"], [1]),
        ("hermes", ["<|endoftext|>"], []),
        ("react", ["<|im_end|>"], []),
    ],
)
def test_verl_is_told_which_tokens_end_a_turn(
    monkeypatch: pytest.MonkeyPatch, writes: str, special: list[str], stops: list[int]
) -> None:
    plugin("verl", monkeypatch)
    tokens = CharTokens(*special)
    parser = VerlToolParser.known[f"ap_{writes}"](tokens)
    assert parser.stop_token_ids == [tokens.special[special[place]] for place in stops]


def test_verl_reads_a_response_that_ends_in_a_stop_token(monkeypatch: pytest.MonkeyPatch) -> None:
    plugin("verl", monkeypatch)
    tokens = CharTokens("<|observation|>")
    parser = VerlToolParser.known["ap_glm47"](tokens)
    call = "Hm.<tool_call>ping<arg_key>n</arg_key><arg_value>1</arg_value></tool_call>"
    content, calls = asyncio.run(
        parser.extract_tool_calls([*map(ord, call), *parser.stop_token_ids], TOOLS)
    )
    assert content == "Hm."
    assert [(made.name, made.arguments) for made in calls] == [("ping", ARGUMENTS)]
