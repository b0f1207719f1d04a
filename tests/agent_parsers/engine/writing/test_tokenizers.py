"""Prompts end where a token may begin, with tokenizers of two families if they are installed.

They need ``mistral-common[sentencepiece]`` and, for the tokens of Qwen, ``tiktoken`` and
``dashscope``, of which only a file is read.
"""

import base64
from collections.abc import Callable
from functools import cache
from importlib.util import find_spec
from pathlib import Path
from typing import Any, TypeAlias

import pytest

from agent_parsers import AgentAction, AgentFinish, Dialect, get_parser

from ....helpers.stories import every_dialect

Encode: TypeAlias = Callable[[str], list[int]]
QWEN = (
    r"(?i:'s|'t|'re|'ve|'m|'ll|'d)|[^\r\n\p{L}\p{N}]?\p{L}+|\p{N}| ?[^\s\p{L}\p{N}]+[\r\n]*"
    r"|\s*[\r\n]+|\s+(?!\S)|\s+"
)
"""What Qwen's tokenizer splits a text into first."""


def folder(package: str) -> Path:
    spec = find_spec(package)
    if spec is None or spec.origin is None:
        pytest.skip(f"{package} is not installed")
    return Path(spec.origin).parent


@cache
def bytes_in_pairs() -> Encode:
    tiktoken: Any = pytest.importorskip("tiktoken")
    lines = (folder("dashscope") / "resources" / "qwen.tiktoken").read_bytes().splitlines()
    ranks = {
        base64.b64decode(word): int(rank) for word, rank in map(bytes.split, filter(None, lines))
    }
    found = tiktoken.Encoding("qwen", pat_str=QWEN, mergeable_ranks=ranks, special_tokens={})
    return lambda text: list(found.encode(text, disallowed_special=()))


@cache
def sentence_pieces() -> Encode:
    sentencepiece: Any = pytest.importorskip("sentencepiece")
    models = (folder("mistral_common") / "data").glob("mistral_instruct_tokenizer_*.model.v3")
    found = sentencepiece.SentencePieceProcessor(model_file=str(next(models)))
    return lambda text: list(found.encode(text))


every_family = pytest.mark.parametrize("family", [bytes_in_pairs, sentence_pieces])


def replies(dialect: Dialect) -> list[tuple[str, str]]:
    """Return prompts, without and with a step before, and replies that continue them."""
    parser, example = get_parser(dialect.name), dialect.example
    action = AgentAction(example.tool, example.tool_input, "")
    found = []
    for number, steps in enumerate(([], [(action, "It is old.")]), 1):
        begun = dialect.generation_prompt(number)
        for turn in (action, AgentFinish({"output": "42 m"}, "")):
            thought = "I know" if dialect.thinks else ""
            written = parser.render(turn, thought=thought, number=number)
            rest = written.removeprefix(begun)
            found.append((parser.render_prompt("How old?", steps), rest))
    return found


def are_apart(encode: Encode, prompt: str, reply: str) -> bool:
    """Return whether no token holds the end of the prompt and the beginning of the reply."""
    begun = encode(prompt)
    return encode(prompt + reply)[: len(begun)] == begun


@every_family
@every_dialect
def test_no_token_spans_the_end_of_a_prompt(dialect: Dialect, family: Callable[[], Encode]) -> None:
    if dialect.several:
        return  # its prompts end in a token of its model's own
    encode = family()
    for prompt, reply in replies(dialect):
        if prompt.endswith("</observation>"):
            continue  # tags that touch, as LangChain writes them: no word is at stake
        assert are_apart(encode, prompt, reply), (prompt[-20:], reply[:20])


@every_family
def test_a_space_at_the_end_of_a_prompt_is_part_of_the_next_token(
    family: Callable[[], Encode],
) -> None:
    encode = family()
    assert are_apart(encode, "Begin.\nThought:", " I look it up.")
    assert not are_apart(encode, "Begin.\nThought: ", "I look it up.")
