"""As much of vLLM 0.33.0, SGLang 0.5.23 and verl 0.9.1 as our plugins use, in our own words.

The names, the arguments and their order are those of the packages. Where these are, the plugins are
tested in them, too (``tests/agent_parsers/serving/test_real_servers.py``).
"""

from __future__ import annotations

import sys
from importlib import import_module
from types import ModuleType
from typing import TYPE_CHECKING, Any, ClassVar

from pydantic import BaseModel, Field

if TYPE_CHECKING:
    import pytest

__all__ = ["CharTokens", "plugin", "tool"]


class CharTokens:
    """A tokenizer with a token for each character."""

    def decode(self, ids: list[int], skip_special_tokens: bool = True) -> str:
        assert not skip_special_tokens, "marks of calls are special tokens"
        return "".join(map(chr, ids))


class Model(BaseModel):
    """Anything with fields."""

    model_config = {"extra": "allow"}


def tool(name: str, **properties: str) -> Model:
    """Return a tool as in OpenAI's API; *properties* are types by name."""
    schema = {"type": "object", "properties": {n: {"type": t} for n, t in properties.items()}}
    return Model(type="function", function=Model(name=name, parameters=schema))


# -- vLLM ----------------------------------------------------------------------------------------


class FunctionCall(BaseModel):
    name: str
    arguments: str


class ToolCall(BaseModel):
    id: str = "made-by-vllm"
    type: str = "function"
    function: FunctionCall


class DeltaFunctionCall(BaseModel):
    name: str | None = None
    arguments: str | None = None


class DeltaToolCall(BaseModel):
    id: str | None = None
    type: str | None = None
    index: int
    function: DeltaFunctionCall | None = None


class ExtractedToolCallInformation(BaseModel):
    tools_called: bool
    tool_calls: list[ToolCall]
    content: str | None = None


class DeltaMessage(BaseModel):
    content: str | None = None
    reasoning: str | None = None
    tool_calls: list[DeltaToolCall] = Field(default_factory=list)


class VllmToolParser:
    supports_required_and_named = True
    engine_based_streaming = False

    def __init__(self, tokenizer: Any, tools: list[Any] | None = None) -> None:
        self.model_tokenizer, self.tools = tokenizer, tools or []

    def adjust_request(self, request: Any) -> Any:
        return request


class VllmReasoningParser:
    engine_based_streaming = False

    def __init__(self, tokenizer: Any, *args: Any, **kwargs: Any) -> None:
        self.model_tokenizer = tokenizer


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

    @classmethod
    def register(cls, name: str) -> Any:
        return lambda parser: cls.known.setdefault(name, parser)


MODULES: dict[str, dict[str, Any]] = {
    "vllm.entrypoints.generate.base.protocol": {
        "DeltaFunctionCall": DeltaFunctionCall, "DeltaMessage": DeltaMessage,
        "DeltaToolCall": DeltaToolCall, "FunctionCall": FunctionCall, "ToolCall": ToolCall,
        "ExtractedToolCallInformation": ExtractedToolCallInformation,
    },
    "vllm.reasoning.abs_reasoning_parsers": {
        "ReasoningParser": VllmReasoningParser, "ReasoningParserManager": ReasoningParserManager,
    },
    "vllm.tool_parsers.abstract_tool_parser": {
        "ToolParser": VllmToolParser, "ToolParserManager": ToolParserManager,
    },
    "sglang.srt.function_call.base_format_detector": {"BaseFormatDetector": BaseFormatDetector},
    "sglang.srt.function_call.core_types": {
        "StreamingParseResult": StreamingParseResult, "ToolCallItem": ToolCallItem,
    },
    "sglang.srt.function_call.function_call_parser": {"FunctionCallParser": FunctionCallParser},
    "verl.experimental.agent_loop.tool_parser": {
        "FunctionCall": VerlFunctionCall, "ToolParser": VerlToolParser,
    },
}  # fmt: skip


_OURS = ("vllm", "vllm_deltas", "vllm_reasoning", "sglang", "verl")


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
    for ours in _OURS:
        patch.delitem(sys.modules, f"agent_parsers.serving.{ours}", raising=False)
    made = import_module(f"agent_parsers.serving.{name}")
    for ours in _OURS:  # gone again after the test
        if (path := f"agent_parsers.serving.{ours}") in sys.modules:
            module = sys.modules.pop(path)
            patch.setitem(sys.modules, path, module)
    return made
