"""Parsers for SGLang: ``--tool-call-parser ap_hermes``.

SGLang finds them by the entry point ``sglang.srt.plugins``, in each of its processes. Reasoning is
separated before, by SGLang's ``--reasoning-parser``.

Source: ``sglang/srt/function_call/base_format_detector.py`` and ``function_call_parser.py`` of
SGLang 0.5.23.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any, ClassVar, NoReturn

from sglang.srt.function_call.base_format_detector import BaseFormatDetector, StructuralTag
from sglang.srt.function_call.core_types import StreamingParseResult, ToolCallItem
from sglang.srt.function_call.function_call_parser import FunctionCallParser
from typing_extensions import override

from agent_parsers import get_dialect
from agent_serving.requests import served_names, tools_of, turn_tag
from agent_serving.turns import ServedPart, ServedTurn, read_turn


class DialectDetector(BaseFormatDetector):
    """Finds the calls of a dialect in the text after the reasoning."""

    dialect: ClassVar[str]

    def __init__(self) -> None:
        super().__init__()
        self._turn: ServedTurn | None = None

    @override
    def has_tool_call(self, text: str) -> bool:
        """Return whether `detect_and_parse` should read *text*, because it has a call.

        Dialects with one call in a turn, such as ``react``, mark answers too, so any text counts.
        """
        if not get_dialect(self.dialect).several:
            return True
        return bool(read_turn(self.dialect, text, behind_thought=True).calls)

    @override
    def detect_and_parse(self, text: str, tools: list[Any]) -> Any:
        """Return the calls of a whole output and the content beside them."""
        part = read_turn(self.dialect, text, tools_of(tools), behind_thought=True)
        places = self._get_tool_indices(tools)
        return _result(part, (places.get(call.name, -1) for call in part.calls))

    @override
    def parse_streaming_increment(self, new_text: str, tools: list[Any]) -> Any:
        """Return what *new_text* adds to the content and the calls."""
        if self._turn is None:
            self._turn = ServedTurn(self.dialect, tools_of(tools), behind_thought=True, grows=True)
        part = self._turn.feed(new_text)
        return _result(part, (call.index for call in part.calls))

    @override
    def finish(self, tools: list[Any]) -> Any:
        """Return the content and calls that the end of the output adds."""
        part = ServedPart() if self._turn is None else self._turn.close()
        return _result(part, (call.index for call in part.calls))

    @override
    def get_structural_tag(
        self,
        tools: list[Any] | None = None,
        tool_choice: Any = "auto",
        thinking_mode: bool = False,
        parallel_tool_calls: bool = True,
    ) -> Any:
        """Return the structural tag for the output, with the thought in *thinking_mode*.

        Raises:
            ValueError: The dialect has no grammar.
        """
        named = None if isinstance(tool_choice, str) else tool_choice.function.name
        tag = turn_tag(
            self.dialect,
            [tool for tool in tools or () if named in (None, tool.function.name)],
            must_call=tool_choice != "auto",
            max_calls=None if parallel_tool_calls and named is None else 1,
            thoughts=thinking_mode,
        )
        return StructuralTag.model_validate(tag)

    @override
    def supports_structural_tag(self) -> bool:
        """Return false: `get_structural_tag` is for the whole output, not for each call."""
        return False

    @override
    def parses_required_natively(self) -> bool:
        """Return true: calls that the client requires are in the model's own format too."""
        return True

    @override
    def structure_info(self) -> NoReturn:
        """Raise `NotImplementedError`, since `supports_structural_tag` is false."""
        raise NotImplementedError(f"ap_{self.dialect} has no structural tag for a single call")


def register() -> None:
    """Register all dialects for ``--tool-call-parser``, as ``ap_NAME``."""
    for name, dialect in served_names().items():
        members = {"dialect": dialect, "__module__": __name__}
        detector: type[Any] = type(f"{name}_detector", (DialectDetector,), members)
        FunctionCallParser.ToolCallParserEnum[name] = detector


def _result(part: ServedPart, indices: Iterable[int]) -> Any:
    calls = [
        ToolCallItem(tool_index=index, name=call.name or None, parameters=call.arguments)
        for call, index in zip(part.calls, indices, strict=True)
    ]
    return StreamingParseResult(normal_text=part.content, calls=calls)
