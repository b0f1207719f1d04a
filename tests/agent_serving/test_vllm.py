"""The parser in vLLM's own classes, where its package can be imported; skipped where it cannot.

Nothing of vLLM stands in: the requests, the manager of parsers, the parser's base class, what makes
deltas and messages of what it returns, the checks of structural tags, and xgrammar are the real
ones. The tokenizer is a byte-level BPE of the library tokenizers, trained here, with the marks as
special tokens. No model writes: the texts are fixed, and there is no engine and no HTTP.
"""

import json
from typing import Any

import pytest

from agent_parsers import get_dialect, list_dialects
from agent_parsers.forms.form import Written, WrittenCall

tokenizers = pytest.importorskip("tokenizers")
transformers = pytest.importorskip("transformers")
xgrammar = pytest.importorskip("xgrammar")
manager = pytest.importorskip("vllm.parser.parser_manager")
protocol = pytest.importorskip("vllm.entrypoints.openai.chat_completion.protocol")
responses = pytest.importorskip("vllm.entrypoints.openai.responses.protocol")
assembly = pytest.importorskip("vllm.entrypoints.openai.chat_completion.message_assembly")
processor = pytest.importorskip("vllm.entrypoints.openai.chat_completion.stream_processor")
sampling = pytest.importorskip("vllm.sampling_params")
backend = pytest.importorskip("vllm.v1.structured_output.backend_xgrammar")
exceptions = pytest.importorskip("vllm.exceptions")
plugin = pytest.importorskip("agent_serving.vllm")

MARKS = ["<think>", "</think>", "<tool_call>", "</tool_call>", "<|im_end|>"]
SCHEMA = {
    "type": "object",
    "properties": {"query": {"type": "string"}, "limit": {"type": "integer"}},
    "required": ["query"],
}
TOOLS = [
    {"type": "function", "function": {"name": "search", "parameters": SCHEMA}},
    {"type": "function", "function": {"name": "ping"}},
]
SEARCH = {"type": "function", "function": {"name": "search"}}
CALL = (
    '<tool_call>\n{"name": "search", "arguments": {"query": "Lake 🌊", "limit": 3}}\n</tool_call>'
)
ARGUMENTS = '{"query": "Lake 🌊", "limit": 3}'
PING = '<tool_call>\n{"name": "ping", "arguments": {}}\n</tool_call>'


@pytest.fixture(scope="module")
def tokens() -> Any:
    """A tokenizer whose tokens are bytes, parts of words and marks."""
    model = tokenizers.Tokenizer(tokenizers.models.BPE())
    bytes_ = tokenizers.pre_tokenizers.ByteLevel(add_prefix_space=False)
    model.pre_tokenizer, model.decoder = bytes_, tokenizers.decoders.ByteLevel()
    trainer = tokenizers.trainers.BpeTrainer(
        vocab_size=400, initial_alphabet=bytes_.alphabet(), show_progress=False
    )
    model.train_from_iterator(['{"name": "search", "arguments": {"query": "Lake"}}'] * 3, trainer)
    model.add_special_tokens([tokenizers.AddedToken(mark, special=True) for mark in MARKS])
    return transformers.PreTrainedTokenizerFast(tokenizer_object=model, eos_token="<|im_end|>")


class Server:
    """One request to a server with our parser, or with parsers of vLLM."""

    def __init__(
        self,
        tokens: Any,
        name: str = "ap_hermes",
        reasoning: str = "",
        *,
        prompt: str = "<|im_start|>assistant\n",
        level: str | None = None,
        request: Any = None,
        **asked: Any,
    ) -> None:
        self.tokens = tokens
        self.kind = manager.ParserManager.get_parser(
            tool_parser_name=name,
            reasoning_parser_name=reasoning or name,
            enable_auto_tools=True,
            tool_strict_level=level,
            tokenizer=tokens,
        )
        messages = [{"role": "user", "content": "?"}]
        asked = {"model": "m", "messages": messages, "tools": TOOLS, **asked}
        self.request = request or protocol.ChatCompletionRequest(**asked)
        self.parser = self.kind(tokens, self.request.tools, model_config=None)
        self.prompt = tokens.encode(prompt)
        self.parser.set_prompt_token_ids(self.prompt)
        self.request = self.parser.adjust_request(self.request)

    def whole(self, text: str) -> tuple[Any, ...]:
        """Return the reasoning, the content and the calls of the message."""
        ids = self.tokens.encode(text)
        found = self.parser.parse(text, self.request, True, ids)
        fields = assembly.assemble_chat_message_fields(
            self.request, *found, enable_auto_tools=True, parser_cls=self.kind
        )
        calls = [(call.function.name, call.function.arguments) for call in fields.tool_calls]
        assert all(call.id for call in fields.tool_calls)
        return fields.reasoning, fields.content, calls

    def steps(self, text: str) -> list[Any]:
        """Return what the server sends while the tokens of *text* arrive, one by one."""
        chat = processor.ChatStreamProcessor(
            self.request, self.parser, enable_auto_tools=True, parser_cls=self.kind
        )
        ids, sent, pending, steps = self.tokens.encode(text), "", [], []
        for at in range(len(ids)):
            pending.append(ids[at])
            seen = self.tokens.decode(ids[: at + 1])
            if seen.endswith("\ufffd"):  # half a character
                continue
            ends = "stop" if at + 1 == len(ids) else None
            steps.append(chat.step(seen[len(sent) :], pending, ends, self.prompt))
            sent, pending = seen, []
        return steps

    def streamed(self, text: str) -> tuple[Any, ...]:
        reasoning = content = ""
        calls: dict[int, list[str]] = {}
        for delta in (step.delta for step in self.steps(text) if step.delta):
            reasoning += delta.reasoning or ""
            content += delta.content or ""
            for call in delta.tool_calls:
                assert (call.id is not None) is (call.function.name is not None)
                known = calls.setdefault(call.index, [call.function.name, ""])
                known[1] += call.function.arguments or ""
        return reasoning or None, content or None, [tuple(call) for call in calls.values()]

    @property
    def tag(self) -> str:
        """The structural tag of the request, which vLLM finds right."""
        outputs = self.request.extract_structured_outputs()
        backend.validate_xgrammar_grammar(sampling.SamplingParams(structured_outputs=outputs))
        assert isinstance(outputs.structural_tag, str)
        return outputs.structural_tag

    def takes(self, text: str) -> bool:
        """Return whether the constraint of the request lets a model write *text* and stop."""
        info = xgrammar.TokenizerInfo.from_huggingface(self.tokens)
        grammar = xgrammar.GrammarCompiler(info).compile_structural_tag(self.tag)
        matcher = xgrammar.GrammarMatcher(grammar)
        return all(map(matcher.accept_token, [*self.tokens.encode(text), info.stop_token_ids[0]]))


TEXTS = {
    "a call": ("", CALL, (None, None, [("search", ARGUMENTS)])),
    "a thought, content and two calls": (
        "",
        f"<think>\nHm.\n</think>\n\nI look.\n{CALL}\n{PING}",
        ("Hm.", "I look.", [("search", ARGUMENTS), ("ping", "{}")]),
    ),
    "an open thought": ("<think>\n", f"Hm.\n</think>\n\n{PING}", ("Hm.", None, [("ping", "{}")])),
    "a call that ends it": ("<think>\n", f"Hm.\n{CALL}", ("Hm.", None, [("search", ARGUMENTS)])),
    "a thought that is closed": ("<think>\n\n</think>\n\n", "Hi.", (None, "Hi.", [])),
    "an answer": ("", "Hi.", (None, "Hi.", [])),
}


@pytest.mark.parametrize(("prompt", "text", "wanted"), TEXTS.values(), ids=TEXTS)
@pytest.mark.parametrize("choice", ["auto", "required", SEARCH], ids=str)
def test_what_clients_get(tokens: Any, prompt: str, text: str, wanted: Any, choice: Any) -> None:
    asked = {"prompt": f"assistant\n{prompt}", "tool_choice": choice}
    whole = Server(tokens, **asked).whole(text)
    assert (whole[0], whole[1] or None, whole[2]) == wanted
    assert Server(tokens, **asked).streamed(text) == wanted


def test_what_a_client_gets_while_the_model_writes(tokens: Any) -> None:
    steps = Server(tokens).steps(f"<think>Hm.</think>So:\n{CALL}")
    seen = [step.delta.model_dump(exclude_none=True) for step in steps if step.delta]
    calls = [delta["tool_calls"][0] for delta in seen if delta.get("tool_calls")]
    assert calls[0].pop("id").startswith("chatcmpl-tool-")
    assert calls[0]["function"] == {"name": "search", "arguments": '{"query": "'}
    assert len(calls) > 4
    assert steps[-1].finish_reason == "tool_calls"


def test_parallel_calls_that_the_client_refuses(tokens: Any) -> None:
    server = Server(tokens, parallel_tool_calls=False)
    assert server.takes(f"I look.\n{PING}")
    assert not server.takes(f"{PING}\n{PING}")
    assert server.takes("Hi.")


CONSTRAINED: list[tuple[Any, dict[str, bool] | None]] = [
    # what is asked; which texts a model can write, or `None` for any
    ({"tool_choice": "auto"}, None),
    ({"tool_choice": "none"}, None),
    ({"tool_choice": "required"}, {"Hi.": False, CALL: True, PING: True, f"{PING}\n{PING}": True}),
    ({"tool_choice": SEARCH}, {"Hi.": False, CALL: True, PING: False, f"{CALL}\n{CALL}": False}),
    ({"level": "function"}, {"Hi.": True, CALL: True, CALL.replace("3", '"3"'): False}),
    ({"response_format": {"type": "json_object"}, "tool_choice": "required"}, {"{}": False}),
]


@pytest.mark.parametrize(("asked", "texts"), CONSTRAINED, ids=str)
def test_what_a_model_can_write(tokens: Any, asked: Any, texts: Any) -> None:
    server = Server(tokens, **asked)
    if texts is None:
        assert server.request.extract_structured_outputs() is None
        return
    for text, is_right in texts.items():
        assert server.takes(text) is is_right, text
        assert server.takes(f"<think>\nHm.\n</think>\n\n{text}") is is_right, text
    assert server.request.resolve_reasoning_ended(server.parser, server.prompt)


@pytest.mark.parametrize(
    ("prompt", "takes"), [("<think>\n", "Hm.\n</think>\n\n"), ("<think>\n\n</think>\n\n", "")]
)
def test_the_constraint_begins_where_the_prompt_ends(tokens: Any, prompt: str, takes: str) -> None:
    server = Server(tokens, prompt=prompt, tool_choice="required")
    assert server.takes(takes + PING)
    assert not server.takes(f"<think>\nHm.\n</think>\n\n{PING}" if not takes else PING)


def test_strict_tools(tokens: Any) -> None:
    function = {"name": "search", "parameters": SCHEMA, "strict": True}
    server = Server(tokens, tools=[{"type": "function", "function": function}])
    assert server.takes("Hi.")
    assert server.takes(CALL)
    assert not server.takes(CALL.replace("limit", "unknown"))
    assert not server.takes(PING)


def test_the_responses_api(tokens: Any) -> None:
    function = {"type": "function", "name": "ping", "parameters": {"type": "object"}}
    asked = {"model": "m", "input": "?", "tools": [function], "tool_choice": "required"}
    server = Server(tokens, request=responses.ResponsesRequest(**asked))
    assert server.takes(PING)  # behind the thought, where vLLM begins
    assert not server.takes("Hi.")
    assert server.parser.parse(f"<think>Hm.</think>{PING}", server.request)[0] == "Hm."
    delta = server.parser.parse_delta(PING, [], server.request, server.prompt, finished=True)
    assert delta.tool_calls[0].function.name == "ping"


def test_what_cannot_be_constrained_is_refused(tokens: Any) -> None:
    with pytest.raises(exceptions.VLLMValidationError, match="kimi_k3 has no grammar"):
        Server(tokens, "ap_kimi_k3", tool_choice="required")


def test_vllm_counts_the_tokens_of_thoughts(tokens: Any) -> None:
    server, text = Server(tokens), f"<think>Hm. 🌊</think>So {CALL}"
    ids = tokens.encode(text)
    ends = ids.index(tokens.convert_tokens_to_ids("</think>"))
    assert server.parser.count_reasoning_tokens(ids) == ends - 1
    reasoning = server.parser.reasoning_parser
    assert next(at for at in range(len(ids)) if reasoning.is_reasoning_end(ids[:at])) == ends + 1


NAMED = [
    name
    for name in list_dialects()
    if (form := get_dialect(name).form) is not None and not form.own_tool
]


@pytest.mark.one_in(9)
@pytest.mark.parametrize("dialect", NAMED)
def test_every_dialect_has_its_parser(tokens: Any, dialect: str) -> None:
    calls = (WrittenCall("search", {"query": "b"}),) if get_dialect(dialect).several else ()
    step = Written(tool="search", tool_input={"query": "a b"}, others=calls)
    try:
        text = get_dialect(dialect).write(step)
    except ValueError as error:
        pytest.skip(str(error))
    whole = Server(tokens, f"ap_{dialect}").whole(text)
    assert [json.loads(arguments)["query"] for _, arguments in whole[2]] == ["a b", "b"][
        : 1 + len(calls)
    ]
    assert Server(tokens, f"ap_{dialect}").streamed(text)[2] == whole[2]


def test_parsers_of_vllm_get_the_same_of_what_models_usually_write(tokens: Any) -> None:
    text = f"<think>\nHm.\n</think>\n\nI look.\n{CALL}"
    theirs = Server(tokens, "hermes", "qwen3")
    for way in ("whole", "streamed"):
        ours = Server(tokens)
        assert [str(each).split() for each in getattr(ours, way)(text)] == [
            str(each).split() for each in getattr(theirs, way)(text)
        ]
