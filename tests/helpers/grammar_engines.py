"""The engines of constrained decoding, each as a check whether a text fits a grammar."""

from __future__ import annotations

import json
import sys
from functools import cache
from importlib import import_module
from importlib.machinery import ModuleSpec
from importlib.util import find_spec
from types import ModuleType
from typing import Any

import pytest

from .peers import PEERS

END = 256
"""The token that ends a text; those before it are bytes."""
TOKENS = [*(bytes([byte]) for byte in range(END)), b"<end>"]


class _StandIn(ModuleType):
    """A module in place of a large package that an engine imports but does not need here."""

    def __getattr__(self, attribute: str) -> Any:
        if attribute.startswith("__"):
            raise AttributeError(attribute)
        return type(attribute, (), {"__init__": lambda self, *_, **__: None})


def needs(engine: str) -> None:
    """Skip the test if an *engine* is not installed, unless it is a peer, which CI must have."""
    if engine not in PEERS and find_spec(engine) is None:
        pytest.skip(f"{engine} is not installed")


@cache
def _xgrammar() -> tuple[Any, Any]:
    """Return the package xgrammar, and its compiler for the tokens."""
    import_module("tvm_ffi")  # it looks for torch as well, and would take a stand-in for it
    missing = [name for name in ("torch", "transformers") if find_spec(name) is None]
    for name in missing:
        sys.modules[name] = _StandIn(name)
        sys.modules[name].__spec__ = ModuleSpec(name, None)
    try:
        package = import_module("xgrammar")
    finally:
        for name in missing:
            del sys.modules[name]
    tokens = package.TokenizerInfo(
        TOKENS, vocab_type=package.VocabType.RAW, vocab_size=END + 1, stop_token_ids=[END]
    )
    return package, package.GrammarCompiler(tokens, cache_enabled=False)


class Xgrammar:
    """A grammar in xgrammar.

    Args:
        form: ``"gbnf"``, ``"lark"``, ``"regex"``, ``"structural_tag"`` or ``"json_schema"``.
        grammar: The grammar in that form.
    """

    def __init__(self, form: str, grammar: Any) -> None:
        self._package, compiler = _xgrammar()
        if form == "structural_tag":
            self._compiled = compiler.compile_structural_tag(json.dumps(grammar))
        elif form == "json_schema":
            self._compiled = compiler.compile_json_schema(json.dumps(grammar))
        else:
            read = {"gbnf": "from_ebnf", "lark": "from_lark", "regex": "from_regex"}[form]
            made = getattr(self._package.Grammar, read)(grammar)
            self._compiled = compiler.compile_grammar(made)

    def accepts(self, text: str) -> bool:
        """Return whether *text* is a whole sentence."""
        matcher = self._package.GrammarMatcher(self._compiled)
        return bool(matcher.accept_string(text) and matcher.is_completed())


class _Bytes:
    """A tokenizer whose tokens are bytes."""

    eos_token_id = END
    bos_token_id = None
    tokens = TOKENS
    special_token_ids = (END,)

    def __call__(self, text: str | bytes) -> list[int]:
        return [*(text.encode() if isinstance(text, str) else text)]


@cache
def _tokenizer() -> Any:
    package = import_module("llguidance")
    return package.LLTokenizer(package.TokenizerWrapper(_Bytes()))


class Llguidance:
    """A grammar in llguidance.

    Args:
        form: ``"lark"``, ``"regex"`` or ``"json_schema"``.
        grammar: The grammar in that form.
    """

    def __init__(self, form: str, grammar: Any) -> None:
        package = import_module("llguidance")
        if form != "lark":
            kind = {"regex": "regex", "json_schema": "json_schema"}[form]
            text = grammar if isinstance(grammar, str) else json.dumps(grammar)
            grammar = package.grammar_from(kind, text)
        self._begin = package.LLMatcher(_tokenizer(), grammar, log_level=0)
        assert not self._begin.is_error(), self._begin.get_error()

    def accepts(self, text: str) -> bool:
        """Return whether *text* is a whole sentence."""
        matcher, tokens = self._begin.deep_copy(), [*text.encode()]
        fits = matcher.validate_tokens(tokens) == len(tokens) and matcher.consume_tokens(tokens)
        return bool(fits and matcher.is_accepting())

    def walk(self, pieces: list[str], ends: list[str], random: Any, steps: int = 30) -> str | None:
        """Return a sentence of the longest legal parts of random *pieces*; `None` if none ends.

        After some steps, the pieces are *ends*, and the sentence ends as soon as it can.
        """
        matcher, written = self._begin.deep_copy(), bytearray()
        for step in range(steps * 6):
            if matcher.is_accepting() and (step > steps or random.random() < 0.1):
                return written.decode()
            tokens = [*random.choice(pieces if step < steps else ends).encode()]
            count = matcher.validate_tokens(tokens)
            while count and count < len(tokens) and tokens[count] & 0xC0 == 0x80:
                count -= 1  # no half of a character
            if count:
                matcher.consume_tokens(tokens[:count])
                written += bytes(tokens[:count])
        return written.decode() if matcher.is_accepting() else None


class _BuiltIn:
    """The structural tag that xgrammar ships for a model."""

    def __init__(self, matchers: Any, compiled: Any) -> None:
        self._matchers, self._compiled = matchers, compiled

    def accepts(self, text: str) -> bool:
        """Return whether *text* is a whole turn."""
        matcher = self._matchers(self._compiled)
        return bool(matcher.accept_string(text) and matcher.is_completed())


def built_in(model: str, tools: Any) -> Any:
    """Return what xgrammar itself says about turns of a *model* with such *tools*."""
    package, compiler = _xgrammar()
    tag = package.get_model_structural_tag(
        model, tools=tools.openai_tools(), exclude_special_tokens=False
    )
    compiled = compiler.compile_structural_tag(tag)
    return _BuiltIn(package.GrammarMatcher, compiled)
