"""Parsers for vLLM: ``--tool-call-parser ap_hermes --reasoning-parser ap_hermes``.

vLLM finds them by the entry point ``vllm.general_plugins``, or by ``--tool-parser-plugin`` and
``--reasoning-parser-plugin`` with the name of this module. Both parsers take deltas, as vLLM's own
parsers that have an engine do (``engine_based_streaming``), since only those are told when a
stream ends.

Source: ``vllm/tool_parsers/abstract_tool_parser.py``, ``vllm/reasoning/abs_reasoning_parsers.py``
and ``vllm/parser/abstract_parser.py`` of vLLM 0.33.0.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, ClassVar

from typing_extensions import override
from vllm.entrypoints.generate.base.protocol import DeltaMessage, ExtractedToolCallInformation
from vllm.reasoning.abs_reasoning_parsers import ReasoningParserManager
from vllm.tool_parsers.abstract_tool_parser import ToolParser, ToolParserManager

from agent_parsers.serving.turns import ServedPart, ServedTurn, read_turn, served_names, tools_of
from agent_parsers.serving.vllm_deltas import delta_of, tool_call
from agent_parsers.serving.vllm_reasoning import DialectReasoningParser

if TYPE_CHECKING:
    from collections.abc import Sequence

__all__ = ["VllmToolParser", "register"]


class VllmToolParser(ToolParser):
    """Finds the calls of a dialect in what follows the reasoning."""

    dialect: ClassVar[str]
    engine_based_streaming = True
    supports_required_and_named = False  # the model writes its own format, not a list in JSON
    skip_reasoning_parsing = False  # vLLM sets it if there is no reasoning parser

    def __init__(self, tokenizer: Any, tools: list[Any] | None = None) -> None:
        super().__init__(tokenizer, tools)
        self._tools = tools_of(self.tools)
        self._turn: ServedTurn | None = None
        self._count = 0

    @override
    def adjust_request(self, request: Any) -> Any:
        """Keep the marks of calls in the text, which may be special tokens."""
        if request.tools and request.tool_choice != "none":
            request.skip_special_tokens = False
        return super().adjust_request(request)

    @override
    def extract_tool_calls(self, model_output: str, request: Any) -> Any:
        """Return the calls of a whole output and the content beside them."""
        if request.tool_choice == "none":
            part = ServedPart(model_output)
        else:
            behind_thought = not self.skip_reasoning_parsing
            part = read_turn(self.dialect, model_output, self._tools, behind_thought=behind_thought)
        return ExtractedToolCallInformation(
            tools_called=bool(part.calls),
            tool_calls=[tool_call(call) for call in part.calls],
            content=part.content or None,
        )

    @override
    def extract_tool_calls_streaming(
        self,
        previous_text: str,
        current_text: str,
        delta_text: str,
        previous_token_ids: Sequence[int],
        current_token_ids: Sequence[int],
        delta_token_ids: Sequence[int],
        request: Any,
    ) -> Any:
        """Return the content and the calls that *delta_text* completes."""
        if request.tool_choice == "none":
            return DeltaMessage(content=delta_text) if delta_text else None
        if self._turn is None:
            behind_thought = not self.skip_reasoning_parsing
            self._turn = ServedTurn(self.dialect, self._tools, behind_thought=behind_thought)
        return self._delta(self._turn.feed(delta_text))

    def finish_streaming(self) -> Any:
        """Return what the end of the output completes."""
        return None if self._turn is None else self._delta(self._turn.close())

    def _delta(self, part: ServedPart) -> Any:
        first, self._count = self._count, self._count + len(part.calls)
        return delta_of(part, first)


def register() -> None:
    """Register all dialects as ``ap_NAME``; vLLM may call this more than once."""
    for name, dialect in served_names().items():
        members = {"dialect": dialect, "__module__": __name__}
        calls: type[Any] = type(f"{name}_tools", (VllmToolParser,), members)
        ToolParserManager.register_module(name, module=calls)
        thoughts: type[Any] = type(f"{name}_reasoning", (DialectReasoningParser,), members)
        ReasoningParserManager.register_module(name, module=thoughts)


register()
