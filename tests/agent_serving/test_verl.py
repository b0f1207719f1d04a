"""The parser in verl's own classes, where these can be imported; skipped where they cannot.

Nothing of verl stands in: the module of its parsers is loaded as its agent loop loads it, and our
module as verl loads external ones. The tokenizer is one of transformers, trained here, with the
marks as special tokens. There is no agent loop and no engine.
"""

import asyncio
from typing import Any

import pytest

tokenizers = pytest.importorskip("tokenizers")
transformers = pytest.importorskip("transformers")
module = pytest.importorskip("verl.experimental.agent_loop.tool_parser")
schemas = pytest.importorskip("verl.tools.schemas")
pytest.importorskip("agent_serving.verl")

MARKS = ["<tool_call>", "</tool_call>", "<|user|>", "<|observation|>", "<|im_end|>", "<turn|>"]
TOOL = schemas.OpenAIFunctionToolSchema(
    type="function",
    function={
        "name": "lift",
        "description": "Lifts a weir.",
        "parameters": {
            "type": "object",
            "properties": {"weir": {"type": "string"}, "by": {"type": "integer"}},
            "required": ["weir"],
        },
    },
)


@pytest.fixture(scope="module", params=["<unk>", None])
def tokens(request: Any) -> Any:
    """A tokenizer with a token for what it does not know, and one without."""
    known = {} if request.param is None else {"unk_token": request.param}
    model = tokenizers.Tokenizer(tokenizers.models.BPE(**known))
    bytes_ = tokenizers.pre_tokenizers.ByteLevel(add_prefix_space=False)
    model.pre_tokenizer, model.decoder = bytes_, tokenizers.decoders.ByteLevel()
    trainer = tokenizers.trainers.BpeTrainer(
        vocab_size=300, initial_alphabet=bytes_.alphabet(), special_tokens=list(known.values())
    )
    model.train_from_iterator(["lift the weir"], trainer)
    model.add_special_tokens([tokenizers.AddedToken(mark, special=True) for mark in MARKS])
    return transformers.PreTrainedTokenizerFast(tokenizer_object=model, **known)


def parser(name: str, tokens: Any) -> Any:
    return module.ToolParser.get_tool_parser(name, tokens)


@pytest.mark.parametrize(
    ("name", "stops"),
    [
        ("ap_glm47", ["<|user|>", "<|observation|>"]),
        ("ap_gemma4", ["<turn|>"]),
        ("ap_kimi_k2", ["<|im_end|>"]),
        ("ap_mistral", []),
        ("ap_react", []),
    ],
)
def test_the_tokens_that_end_a_turn(tokens: Any, name: str, stops: list[str]) -> None:
    assert tokens.convert_ids_to_tokens(parser(name, tokens).stop_token_ids) == stops


@pytest.mark.parametrize("name", ["glm", "kimi"])
def test_verl_names_the_same_token_for_its_own_parser(tokens: Any, name: str) -> None:
    ours = {"glm": "ap_glm47", "kimi": "ap_kimi_k2"}[name]
    (own,) = parser(name, tokens).stop_token_ids
    assert own in parser(ours, tokens).stop_token_ids


def test_a_response_that_ends_in_a_stop_token(tokens: Any) -> None:
    text = "I lift it.<tool_call>lift<arg_key>weir</arg_key><arg_value>Thun</arg_value>"
    text += "<arg_key>by</arg_key><arg_value>3</arg_value></tool_call><|observation|>"
    ids = tokens.encode(text)
    ours = parser("ap_glm47", tokens)
    assert ids[-1] in ours.stop_token_ids
    content, (call,) = asyncio.run(ours.extract_tool_calls(ids, [TOOL]))
    assert content == "I lift it."
    assert (call.name, call.arguments) == ("lift", '{"weir": "Thun", "by": 3}')
