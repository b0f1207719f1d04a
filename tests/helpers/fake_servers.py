"""As much of vLLM 0.33.0, SGLang 0.5.23 and verl 0.9.1 as our plugins use, in our own words.

The names, the arguments and their order are those of the packages. Where these are, the plugins are
tested in them, too (``test_vllm.py``, ``test_sglang.py`` and ``test_real_servers.py`` in
``tests/agent_serving``).
"""

from __future__ import annotations

import sys
from enum import IntEnum
from importlib import import_module
from types import ModuleType, SimpleNamespace
from typing import TYPE_CHECKING, Any, ClassVar

from pydantic import BaseModel, Field, PrivateAttr

if TYPE_CHECKING:
    import pytest

__all__ = ["CharTokens", "plugin", "tool"]


class CharTokens:
    """A tokenizer with a token for each character, and for each of the *special* texts."""

    unk_token_id = 0

    def __init__(self, *special: str) -> None:
        self.special = {text: 0x110000 + place for place, text in enumerate(special)}

    def convert_tokens_to_ids(self, token: str) -> int:
        return self.special.get(token, ord(token) if len(token) == 1 else self.unk_token_id)

    def decode(self, ids: list[int], skip_special_tokens: bool = True) -> str:
        assert not skip_special_tokens, "marks of calls are special tokens"
        texts = {place: text for text, place in self.special.items()}
        return "".join(texts[each] if each in texts else chr(each) for each in ids)


class Model(BaseModel):
    """Anything with fields."""

    model_config = {"extra": "allow"}


def tool(name: str, **properties: str) -> Model:
    """Return a tool as in OpenAI's API; *properties* are types by name."""
    schema = {"type": "object", "properties": {n: {"type": t} for n, t in properties.items()}}
    return Model(type="function", function=Model(name=name, parameters=schema, strict=None))


# -- vLLM ----------------------------------------------------------------------------------------


class FunctionCall(BaseModel):
    id: str | None = None
    name: str
    arguments: str


class DeltaFunctionCall(BaseModel):
    name: str | None = None
    arguments: str | None = None


class DeltaToolCall(BaseModel):
    id: str | None = None
    type: str | None = None
    index: int
    function: DeltaFunctionCall | None = None


class DeltaMessage(BaseModel):
    content: str | None = None
    reasoning: str | None = None
    tool_calls: list[DeltaToolCall] = Field(default_factory=list)


class ChatCompletionRequest(Model):
    """A request; `Model` is one to another API."""

    tool_choice: Any = "auto"
    parallel_tool_calls: bool | None = True
    include_reasoning: bool = True
    structured_outputs: Any = None
    response_format: Any = None
    skip_special_tokens: bool = True
    _grammar_from_parser: bool = PrivateAttr(default=False)

    def extract_structured_outputs(self) -> Any:
        return self.structured_outputs or self.response_format


class StructuredOutputsParams(BaseModel):
    structural_tag: str


class ToolStrictLevel(IntEnum):
    AUTO = 0
    FUNCTION = 1


class VLLMValidationError(ValueError):
    pass


def make_tool_call_id(id_type: str, func_name: str, idx: int) -> str:
    return f"{id_type}-{func_name}-{idx}"


class VllmToolParser:
    def __init__(self, tokenizer: Any, tools: list[Any] | None = None) -> None:
        self.model_tokenizer, self.tools = tokenizer, tools or []


class VllmReasoningParser:
    def __init__(self, tokenizer: Any, *args: Any, **kwargs: Any) -> None:
        self.model_tokenizer = tokenizer


class VllmParser:
    reasoning_parser_cls: type[Any] | None = None
    tool_parser_cls: type[Any] | None = None
    tool_strict_level: Any = None

    def __init__(self, tokenizer: Any, tools: list[Any] | None = None, **kwargs: Any) -> None:
        self.model_tokenizer = tokenizer
        reasons, calls = self.reasoning_parser_cls, self.tool_parser_cls
        self._reasoning_parser = reasons and reasons(tokenizer, **kwargs)
        self._tool_parser = calls and calls(tokenizer, tools)
        self._stream_state = SimpleNamespace(tool_call_id_type="random", history_tool_call_cnt=0)

    def _initialize_history_tool_call_cnt(self, request: Any) -> None:
        pass


class HarmonyParser(VllmParser):
    pass


class _Manager:
    known: ClassVar[dict[str, type[Any]]]

    @classmethod
    def register_module(cls, name: str, force: bool = True, module: Any = None) -> Any:
        cls.known[name] = module
        return module


class ToolParserManager(_Manager):
    known: ClassVar[dict[str, type[Any]]] = {}


class ReasoningParserManager(_Manager):
    known: ClassVar[dict[str, type[Any]]] = {}


class ParserManager:
    @classmethod
    def get_parser(
        cls,
        tool_parser_name: str | None = None,
        reasoning_parser_name: str | None = None,
        enable_auto_tools: bool = False,
        *,
        is_harmony: bool = False,
        tool_strict_level: Any = None,
    ) -> Any:
        calls = ToolParserManager.known.get(tool_parser_name or "")
        members = {
            "reasoning_parser_cls": ReasoningParserManager.known.get(reasoning_parser_name or ""),
            "tool_parser_cls": calls if enable_auto_tools else None,
            "tool_strict_level": tool_strict_level and ToolStrictLevel[tool_strict_level.upper()],
        }
        return type("Composed", (HarmonyParser if is_harmony else VllmParser,), members)


# -- SGLang --------------------------------------------------------------------------------------


class ToolCallItem(BaseModel):
    tool_index: int
    name: str | None = None
    parameters: str


class StreamingParseResult(BaseModel):
    normal_text: str = ""
    calls: list[ToolCallItem] = Field(default_factory=list)


class BaseFormatDetector:
    def __init__(self) -> None:
        self.prev_tool_call_arr: list[Any] = []

    def _get_tool_indices(self, tools: list[Any]) -> dict[str, int]:
        return {tool.function.name: index for index, tool in enumerate(tools)}


class FunctionCallParser:
    ToolCallParserEnum: ClassVar[dict[str, type[Any]]] = {}


# -- verl ----------------------------------------------------------------------------------------


class VerlFunctionCall(BaseModel):
    arguments: str
    name: str
    tool_call_id: str | None = None


class VerlToolParser:
    known: ClassVar[dict[str, type[Any]]] = {}

    def __init__(self, tokenizer: Any) -> None:
        self.tokenizer = tokenizer

    @property
    def stop_token_ids(self) -> list[int]:
        return []

    @classmethod
    def register(cls, name: str) -> Any:
        return lambda parser: cls.known.setdefault(name, parser)


MODULES: dict[str, dict[str, Any]] = {
    "vllm.entrypoints.generate.base.protocol": {
        "DeltaFunctionCall": DeltaFunctionCall, "DeltaMessage": DeltaMessage,
        "DeltaToolCall": DeltaToolCall, "FunctionCall": FunctionCall,
    },
    "vllm.entrypoints.openai.chat_completion.protocol": {
        "ChatCompletionRequest": ChatCompletionRequest,
    },
    "vllm.exceptions": {"VLLMValidationError": VLLMValidationError},
    "vllm.parser.abstract_parser": {"Parser": VllmParser},
    "vllm.parser.harmony": {"HarmonyParser": HarmonyParser},
    "vllm.parser.parser_manager": {"ParserManager": ParserManager},
    "vllm.reasoning.abs_reasoning_parsers": {
        "ReasoningParser": VllmReasoningParser, "ReasoningParserManager": ReasoningParserManager,
    },
    "vllm.renderers.chat_utils": {"make_tool_call_id": make_tool_call_id},
    "vllm.sampling_params": {"StructuredOutputsParams": StructuredOutputsParams},
    "vllm.tool_parsers.abstract_tool_parser": {
        "ToolParser": VllmToolParser, "ToolParserManager": ToolParserManager,
    },
    "vllm.tool_parsers.tool_strict_level": {"ToolStrictLevel": ToolStrictLevel},
    "sglang.srt.function_call.base_format_detector": {
        "BaseFormatDetector": BaseFormatDetector, "StructuralTag": Model,
    },
    "sglang.srt.function_call.core_types": {
        "StreamingParseResult": StreamingParseResult, "ToolCallItem": ToolCallItem,
    },
    "sglang.srt.function_call.function_call_parser": {"FunctionCallParser": FunctionCallParser},
    "verl.experimental.agent_loop.tool_parser": {
        "FunctionCall": VerlFunctionCall, "ToolParser": VerlToolParser,
    },
}  # fmt: skip


_OURS = ("vllm", "sglang", "verl")


def plugin(name: str, patch: pytest.MonkeyPatch) -> Any:
    """Return the plugin for the server *name*, imported anew with the fake server."""
    for path, members in MODULES.items():
        parts = path.split(".")
        for end in range(1, len(parts) + 1):
            module = ModuleType(".".join(parts[:end]))
            module.__path__ = []
            if end == len(parts):
                vars(module).update(members)
            patch.setitem(sys.modules, module.__name__, module)
    patch.setattr(ParserManager, "get_parser", ParserManager.get_parser)  # as it was, afterwards
    for ours in _OURS:
        patch.delitem(sys.modules, f"agent_serving.{ours}", raising=False)
    made = import_module(f"agent_serving.{name}")
    for ours in _OURS:  # gone again after the test
        if (path := f"agent_serving.{ours}") in sys.modules:
            module = sys.modules.pop(path)
            patch.setitem(sys.modules, path, module)
    return made
